//! The games of a PGN file, one after the other.

use super::lexer::{Lexer, Place, Token};
use super::tags::{self, DERIVED};
use super::{MAX_NESTING, MAX_PLIES, MAX_TAGS, Outcome, Pgn, PgnError};
use crate::MoveText;
use crate::error::shown;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// The suffixes that the standard knows, with their glyphs.
const SUFFIXES: [(&str, u8); 6] = [("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)];

/// The games of a text; see [`games`].
#[derive(Clone, Debug)]
pub struct Games<'a, G> {
    lexer: Lexer<'a>,
    read: usize,
    game: PhantomData<G>,
}

/// The games of a text, in their order. After an error the iterator goes on with the next game whose
/// tags can be seen. A game ends with its result, where the tags of the next one begin, or with the
/// text. Every game is read in a time in proportion to its text and its moves.
#[must_use]
pub fn games<G: MoveText>(text: &str) -> Games<'_, G> {
    Games { lexer: Lexer::new(text), read: 0, game: PhantomData }
}

impl<G: MoveText> Iterator for Games<'_, G> {
    type Item = Result<Pgn<G>, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        let _ = self.lexer.place();
        if self.lexer.rest().is_empty() {
            return None;
        }
        self.read += 1;
        let (game, in_tags) = match read_tags::<G>(&mut self.lexer) {
            Ok(head) => (read_moves(&mut self.lexer, head), false),
            Err(error) => (Err(error), true),
        };
        Some(game.map_err(|mut error| {
            self.lexer.recover(in_tags);
            error.game = self.read;
            error
        }))
    }
}

/// What the tags say: the game without moves, and the tag `Result`.
struct Head<G: MoveText> {
    game: Pgn<G>,
    result: Option<Outcome>,
}

fn read_tags<G: MoveText>(lexer: &mut Lexer<'_>) -> Result<Head<G>, PgnError> {
    let mut found: BTreeMap<&str, (Place, String)> = BTreeMap::new();
    while let Some((place, name, value)) = lexer.tag()? {
        let field = || format!("tag {}", model::printable(name, 32));
        if found.len() == MAX_TAGS {
            let allowed = format!("at most {MAX_TAGS} tags");
            return Err(lexer.error_at(place, &field(), "one more".into(), &allowed));
        }
        if found.insert(name, (place, value)).is_some() {
            let allowed = "each tag once";
            return Err(lexer.error_at(place, &field(), "a second time".into(), allowed));
        }
    }
    let [result, set_up, fen, variant] = DERIVED.map(|name| found.remove(name));
    if let Some((place, variant)) = variant {
        let names = tags::variants(G::KIND);
        if !names.iter().any(|name| name.eq_ignore_ascii_case(&variant)) {
            let found = shown(&variant, 32);
            return Err(lexer.error_at(place, "tag Variant", found, &names.join(", ")));
        }
    }
    if let Some((place, set_up)) = set_up {
        let expected = if fen.is_some() { "1" } else { "0" };
        if set_up != expected {
            let found = shown(&set_up, 32);
            let allowed =
                if fen.is_some() { "1, with the tag FEN" } else { "0, without a tag FEN" };
            return Err(lexer.error_at(place, "tag SetUp", found, allowed));
        }
    }
    let mut game = match fen {
        None => Pgn::new(),
        Some((place, fen)) => Pgn::from_fen(&fen).map_err(|e| {
            lexer.error_at(place, &format!("tag FEN, {}", e.field), e.found, &e.allowed)
        })?,
    };
    let result = result.map(|(place, text)| match text.as_str() {
        "1/2" => Ok(Outcome::Draw),
        "?" | "" => Ok(Outcome::Unknown),
        _ => Outcome::from_token(&text).ok_or_else(|| {
            let found = shown(&text, 32);
            lexer.error_at(place, "tag Result", found, "1-0, 0-1, 1/2-1/2 and *")
        }),
    });
    for (name, (place, value)) in found {
        game.set_tag(name, &value)
            .map_err(|e| lexer.error_at(place, &e.field, e.found, &e.allowed))?;
    }
    Ok(Head { game, result: result.transpose()? })
}

fn read_moves<G: MoveText>(lexer: &mut Lexer<'_>, head: Head<G>) -> Result<Pgn<G>, PgnError> {
    let Head { mut game, result } = head;
    // Where the variations that are open began.
    let mut open: Vec<Place> = Vec::new();
    let end = loop {
        let place = lexer.place();
        match lexer.token()? {
            Token::End => match open.pop() {
                None => break None,
                Some(begin) => {
                    let found = "no end of it".to_owned();
                    return Err(lexer.error_at(begin, "variation", found, "a ) after the moves"));
                }
            },
            Token::Open if game.moves.is_empty() => {
                let allowed = "a move before its variation";
                return Err(lexer.error_at(place, "variation", "(".into(), allowed));
            }
            Token::Open if open.len() == MAX_NESTING => {
                let allowed = format!("at most {MAX_NESTING} within each other");
                return Err(lexer.error_at(place, "variation", "one more".into(), &allowed));
            }
            Token::Open => open.push(place),
            Token::Close => {
                if open.pop().is_none() {
                    let allowed = "a ( before it";
                    return Err(lexer.error_at(place, "variation", ")".into(), allowed));
                }
            }
            _ if !open.is_empty() => {}
            Token::Comment(text) => game.add_comment(text),
            Token::Glyph(glyph) => game.add_glyph(glyph),
            Token::Word(word) => {
                let text = without_number(word);
                if let Some(outcome) = Outcome::from_token(text).filter(|_| text == word) {
                    break Some((place, outcome));
                }
                play(&mut game, text).map_err(|(field, found, allowed)| {
                    lexer.error_at(place, &field, found, &allowed)
                })?;
            }
        }
    };
    game.outcome = match (end, result) {
        (None, result) => result.unwrap_or_default(),
        (Some((_, outcome)), None | Some(Outcome::Unknown)) => outcome,
        (Some((_, outcome)), Some(result)) if result == outcome => outcome,
        (Some((place, outcome)), Some(result)) => {
            let allowed = format!("{}, as the tag Result says", result.token());
            return Err(lexer.error_at(place, "result", outcome.token().into(), &allowed));
        }
    };
    Ok(game)
}

/// Plays the move of a word without its number; an empty word is a number alone. An error has the
/// field, what was found and what is allowed.
fn play<G: MoveText>(game: &mut Pgn<G>, text: &str) -> Result<(), (String, String, String)> {
    let field = |game: &Pgn<G>| {
        let dots = if game.position.first_to_move() { "." } else { "..." };
        format!("move {}{dots}", game.position.move_number())
    };
    let bare = text.trim_end_matches(['!', '?']);
    let suffix = &text[bare.len()..];
    let glyph = SUFFIXES.iter().find(|(known, _)| *known == suffix).map(|(_, glyph)| *glyph);
    if !suffix.is_empty() && glyph.is_none() {
        let allowed = "!, ?, !!, ??, !? and ?! after a move".to_owned();
        return Err((field(game), shown(text, 16), allowed));
    }
    if !bare.is_empty() {
        if game.moves.len() == MAX_PLIES {
            let allowed = format!("at most {MAX_PLIES} half-moves");
            return Err((field(game), shown(text, 16), allowed));
        }
        let mv = game
            .position
            .read_move(bare)
            .map_err(|e| (field(game), format!("{} ({})", e.found, e.problem), e.allowed))?;
        game.push_legal(mv);
    }
    if let Some(glyph) = glyph {
        game.add_glyph(glyph);
    }
    Ok(())
}

/// What follows a move number (`12.`, `12...`, `12`), or the word itself.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() || rest.starts_with('.') { rest.trim_start_matches('.') } else { word }
}
