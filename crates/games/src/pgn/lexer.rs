//! PGN text cut into tags and words, with the line and column of each.

use super::tags::is_name;
use super::{MAX_COMMENT_BYTES, MAX_VALUE_BYTES, MAX_WORD_BYTES, PgnError};
use crate::error::name;

/// Where something begins in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// In bytes.
    at: usize,
    line: usize,
    /// Where the line begins, in bytes.
    line_start: usize,
}

/// A piece of movetext.
#[derive(Debug)]
pub(super) enum Token<'a> {
    /// A move, a move number, a result, or several of these without a blank.
    Word(&'a str),
    Comment(&'a str),
    Glyph(u8),
    Open,
    Close,
    /// The text ends, or the tags of another game begin.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    place: Place,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, place: Place { at, line: 1, line_start: at } }
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.place.at..]
    }

    /// Where the next token begins.
    pub(super) fn place(&mut self) -> Place {
        self.skip_blank();
        self.place
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on by some bytes, which may hold line ends.
    fn advance(&mut self, bytes: usize) {
        let Place { at, line, line_start } = self.place;
        let passed = &self.text.as_bytes()[at..at + bytes];
        let ends = passed.iter().filter(|byte| **byte == b'\n').count();
        let last = passed.iter().rposition(|byte| *byte == b'\n');
        self.place = Place {
            at: at + bytes,
            line: line + ends,
            line_start: last.map_or(line_start, |last| at + last + 1),
        };
    }

    /// Passes blanks, line ends, and lines that begin with `%`.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            self.advance(rest.len() - rest.trim_start().len());
            if self.peek() != Some('%') || self.place.at != self.place.line_start {
                return;
            }
            self.advance(line_length(self.rest()));
        }
    }

    /// The next piece of movetext.
    pub(super) fn token(&mut self) -> Result<Token<'a>, PgnError> {
        let place = self.place();
        let rest = self.rest();
        let (token, bytes) = match self.peek() {
            None => (Token::End, 0),
            Some('(') => (Token::Open, 1),
            Some(')') => (Token::Close, 1),
            Some('{') => return self.comment(),
            Some(';') => {
                let bytes = line_length(rest);
                let comment = rest[1..bytes].trim_end();
                if comment.len() > MAX_COMMENT_BYTES {
                    return Err(self.too_long(place, "comment", MAX_COMMENT_BYTES));
                }
                (Token::Comment(comment), bytes)
            }
            Some('$') => {
                let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                let glyph = rest[1..=digits].parse().map_err(|_| {
                    let found = model::printable(&rest[..=digits], 8);
                    self.error_at(place, "annotation glyph", found, "$0 to $255")
                })?;
                (Token::Glyph(glyph), 1 + digits)
            }
            Some('[') if is_tag_line(&self.text[place.line_start..]) => (Token::End, 0),
            Some(c) if ends_word(c) => {
                let allowed = "a move, a comment, a variation, an annotation glyph or the result";
                return Err(self.error_at(place, "movetext", name(Some(c)), allowed));
            }
            Some(_) => {
                let bytes = rest.find(ends_word).unwrap_or(rest.len());
                if bytes > MAX_WORD_BYTES {
                    return Err(self.too_long(place, "movetext", MAX_WORD_BYTES));
                }
                (Token::Word(&rest[..bytes]), bytes)
            }
        };
        self.advance(bytes);
        Ok(token)
    }

    /// A comment in braces. Where it does not end before the tags of another game, the lexer stands
    /// there after the error.
    fn comment(&mut self) -> Result<Token<'a>, PgnError> {
        let place = self.place;
        let rest = self.rest();
        let mut line = 0;
        loop {
            let length = rest[line..].find('\n').map_or(rest.len() - line, |end| end + 1);
            if let Some(end) = rest[line..line + length].find('}') {
                let end = line + end;
                self.advance(end + 1);
                if end - 1 > MAX_COMMENT_BYTES {
                    return Err(self.too_long(place, "comment", MAX_COMMENT_BYTES));
                }
                return Ok(Token::Comment(&rest[1..end]));
            }
            line += length;
            if line == rest.len() || is_tag_line(&rest[line..]) {
                self.advance(line);
                let found = "no end of it".to_owned();
                return Err(self.error_at(place, "comment", found, "a } after the comment"));
            }
        }
    }

    /// The tag that begins here, with its place; `None` where something else begins.
    pub(super) fn tag(&mut self) -> Result<Option<(Place, &'a str, String)>, PgnError> {
        let place = self.place();
        if self.peek() != Some('[') {
            return Ok(None);
        }
        self.advance(1);
        self.skip_blank();
        let begin = self.place;
        let rest = self.rest();
        let tag_name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if tag_name.len() > MAX_WORD_BYTES {
            return Err(self.too_long(begin, "tag name", MAX_WORD_BYTES));
        }
        if tag_name.is_empty() {
            return Err(self.unexpected("tag name", "letters, digits and _"));
        }
        self.advance(tag_name.len());
        self.skip_blank();
        let field = format!("tag {}", model::printable(tag_name, 32));
        if self.peek() != Some('"') {
            let allowed = "a blank and the value in quotes";
            return Err(self.unexpected(&field, allowed));
        }
        self.advance(1);
        let value = self.value(&field)?;
        self.skip_blank();
        if self.peek() != Some(']') {
            return Err(self.unexpected(&field, "] after the value"));
        }
        self.advance(1);
        Ok(Some((place, tag_name, value)))
    }

    /// The value of a tag, up to its closing quote and with it.
    fn value(&mut self, field: &str) -> Result<String, PgnError> {
        let begin = self.place;
        let rest = self.rest();
        let mut value = String::new();
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if !is_inner_quote(&rest[at + 1..]) => {
                    self.advance(at + 1);
                    return Ok(value);
                }
                _ if c.is_control() => {
                    self.advance(at);
                    return Err(self.unexpected(field, "a quote at the end of the value"));
                }
                '\\' => {
                    let escaped = chars.next_if(|(_, c)| matches!(c, '"' | '\\'));
                    value.push(escaped.map_or('\\', |(_, c)| c));
                }
                _ => value.push(c),
            }
            if value.len() > MAX_VALUE_BYTES {
                return Err(self.too_long(begin, field, MAX_VALUE_BYTES));
            }
        }
        self.advance(rest.len());
        Err(self.unexpected(field, "a quote at the end of the value"))
    }

    /// Goes to the next tags after an error: those of the present game are passed first.
    pub(super) fn recover(&mut self, in_tags: bool) {
        if in_tags {
            self.advance(line_length(self.rest()));
            while self.rest().trim_start_matches([' ', '\t']).starts_with('[') {
                self.advance(line_length(self.rest()));
            }
        }
        let Place { at, line_start, .. } = self.place;
        let at_line_start = self.text[line_start..at].trim_start().is_empty();
        if at_line_start && is_tag_line(self.rest()) {
            return;
        }
        loop {
            self.advance(line_length(self.rest()));
            if self.rest().is_empty() || is_tag_line(self.rest()) {
                return;
            }
        }
    }

    /// The character here is wrong.
    fn unexpected(&self, field: &str, allowed: &str) -> PgnError {
        self.error_at(self.place, field, name(self.peek()), allowed)
    }

    fn too_long(&self, place: Place, field: &str, most: usize) -> PgnError {
        let found = "a longer one".to_owned();
        self.error_at(place, field, found, &format!("at most {most} bytes"))
    }

    /// What began at a place is wrong. The number of the game is left open.
    pub(super) fn error_at(
        &self,
        place: Place,
        field: &str,
        found: String,
        allowed: &str,
    ) -> PgnError {
        let column = self.text[place.line_start..place.at].chars().count() + 1;
        let (field, allowed) = (field.to_owned(), allowed.to_owned());
        PgnError { game: 0, line: place.line, column, field, found, allowed }
    }
}

/// The length of the first line with its end.
fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | '<' | '>' | ';' | '$' | '"')
}

/// Whether a quote in the value of a tag, seen from behind it, does not end the value: the line goes on
/// to another quote that does. Many programs write no backslash before a quote.
fn is_inner_quote(rest: &str) -> bool {
    let ends = |text: &str| text.trim_start_matches([' ', '\t']).starts_with(']');
    let limit = rest.floor_char_boundary(MAX_VALUE_BYTES);
    let line = rest[..limit].split(['\n', '[']).next().unwrap_or_default();
    !ends(line) && line.split('"').skip(1).any(ends)
}

/// Whether a line begins like a tag: `[Name "`. A comment may hold `[%clk …]` at the start of a line.
fn is_tag_line(text: &str) -> bool {
    let blank = [' ', '\t'];
    let Some(inner) = text.trim_start_matches(blank).strip_prefix('[') else { return false };
    let inner = inner.trim_start_matches(blank);
    let rest = inner.trim_start_matches(is_name);
    rest.len() < inner.len() && rest.trim_start_matches(blank).starts_with('"')
}
