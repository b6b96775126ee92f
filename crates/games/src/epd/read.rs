//! Reading of an EPD line: where the position ends, the operations, and the counters among them.

use super::{
    EpdError, Layout, MAX_LINE_BYTES, MAX_OPERATIONS, OPCODE, Operand, Record, check_opcode,
    ends_word, layout,
};
use crate::error::{character_at, offset_in, shown};
use crate::{FenError, Game};
use std::collections::BTreeMap;

/// Reads a line that has a number in its file.
pub(super) fn line<G: Game>(line: &str, number: usize) -> Result<Record<G>, EpdError> {
    let error = |field: &str, found: String, allowed: &str| EpdError {
        line: number,
        field: field.into(),
        found,
        allowed: allowed.into(),
    };
    if line.len() > MAX_LINE_BYTES {
        let found = format!("{} bytes", line.len());
        return Err(error("line", found, &format!("at most {MAX_LINE_BYTES}")));
    }
    let Layout { fields, counters } = layout(G::KIND);
    let (fixed, counted, rest) = split_position(line, fields);
    let control = |c: char| c.is_control() && c != '\t';
    if let Some(at) = rest.trim_end().find(control) {
        let found = character_at(line, offset_in(line, rest) + at);
        return Err(error("operations", found, "no control characters"));
    }
    let mut operations = read_operations(line, rest).map_err(|mut error| {
        error.line = number;
        error
    })?;

    // The position as it stands comes first: its errors have the right columns.
    let fen_error = |e: FenError| error(e.field, e.found, &e.allowed);
    let bare = line[offset_in(line, fixed)..offset_in(line, rest)].trim_end();
    let mut position = G::from_fen(bare).map_err(fen_error)?;
    let mut values: Vec<_> = counted.split_ascii_whitespace().map(str::to_owned).collect();
    let mut added = false;
    for (i, (opcode, default)) in counters.iter().enumerate() {
        let value = match operations.remove(*opcode).as_deref() {
            None => None,
            Some([Operand::Word(value)]) => Some(value.clone()),
            Some(_) => return Err(error(opcode, "no single number".into(), "one number")),
        };
        match (value, values.get(i)) {
            (None, Some(_)) => {}
            (Some(value), Some(field)) if value == *field => {}
            (Some(value), Some(field)) => {
                let allowed = format!("{field}, as in the position's own counter");
                return Err(error(opcode, shown(&value, 16), &allowed));
            }
            (value, None) => {
                added |= value.is_some();
                values.push(value.unwrap_or_else(|| (*default).to_owned()));
            }
        }
    }
    if added {
        let fen = format!("{fixed} {}", values.join(" "));
        position = G::from_fen(&fen).map_err(fen_error)?;
    }
    Ok(Record { line: number, position, operations })
}

/// The fields of a position, what follows them before the first letter (counters), and the rest.
fn split_position(line: &str, fields: usize) -> (&str, &str, &str) {
    let begin = line.len() - line.trim_start().len();
    let mut rest = &line[begin..];
    let mut next = || {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest = rest[word..].trim_start();
        line.len() - rest.len()
    };
    let mut end = begin;
    for _ in 0..fields {
        end = next();
    }
    let mut last = end;
    while line[last..].starts_with(|c: char| !c.is_ascii_alphabetic()) {
        last = next();
    }
    (line[begin..end].trim_end(), &line[end..last], &line[last..])
}

/// The operations that the rest of a line holds; the line of the error is left open.
fn read_operations(line: &str, rest: &str) -> Result<BTreeMap<String, Vec<Operand>>, EpdError> {
    let mut operations = BTreeMap::new();
    let mut at = offset_in(line, rest);
    let skip = |at: usize| line.len() - line[at..].trim_start().len();
    let error = |field: &str, found: String, allowed: &str| {
        Err(EpdError { line: 0, field: field.into(), found, allowed: allowed.into() })
    };
    at = skip(at);
    while at < line.len() {
        let end = |c: char| ends_word(c) || c == '"';
        let opcode = &line[at..at + line[at..].find(end).unwrap_or(line.len() - at)];
        if let Err(wrong) = check_opcode(opcode) {
            return error("opcode", character_at(line, at + wrong), OPCODE);
        }
        at = skip(at + opcode.len());
        let mut operands = Vec::new();
        while !line[at..].starts_with(';') {
            if at == line.len() {
                return error(opcode, character_at(line, at), "a semicolon after the operands");
            }
            let (operand, length) = read_operand(line, at).map_err(|(at, allowed)| EpdError {
                line: 0,
                field: opcode.into(),
                found: character_at(line, at),
                allowed: allowed.into(),
            })?;
            operands.push(operand);
            at = skip(at + length);
        }
        at = skip(at + 1);
        if operations.insert(opcode.to_owned(), operands).is_some() {
            return error(opcode, "a second time".into(), "each opcode once");
        }
        if operations.len() > MAX_OPERATIONS {
            return error(opcode, "one more".into(), "at most 64 operations");
        }
    }
    Ok(operations)
}

/// The operand at a byte of a line and its length; or the byte of the wrong character.
fn read_operand(line: &str, at: usize) -> Result<(Operand, usize), (usize, &'static str)> {
    let text = &line[at..];
    let Some(inner) = text.strip_prefix('"') else {
        let length = text.find(ends_word).unwrap_or(text.len());
        let word = &text[..length];
        return match word.find('"') {
            Some(quote) => Err((at + quote, "a word without quotes, or a string in quotes")),
            None => Ok((Operand::Word(word.into()), length)),
        };
    };
    let mut string = String::new();
    let mut chars = inner.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Ok((Operand::Quoted(string), i + 2)),
            '\\' => {
                let escaped = chars.next_if(|(_, c)| matches!(c, '"' | '\\'));
                string.push(escaped.map_or('\\', |(_, c)| c));
            }
            _ => string.push(c),
        }
    }
    Err((line.len(), "a quote at the end of the string"))
}
