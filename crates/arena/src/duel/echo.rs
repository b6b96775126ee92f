//! An engine that answers at once, so that what is left of a move's time is the match's own.
//!
//! It speaks as much UCI as a match needs and plays chess: a legal move that depends on nothing but the
//! number of moves before, so that its games are long and always the same.

use games::chess::Chess;
use games::{Game, MoveList};
use std::io::{self, BufRead, Write};

/// Serves one conversation to its end.
///
/// # Errors
/// As the streams say.
pub fn echo(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = String::new();
    let mut board = Board::default();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let text = line.trim_end();
        match text.split(' ').next() {
            Some("uci") => output.write_all(b"id name echo\nuciok\n")?,
            Some("isready") => output.write_all(b"readyok\n")?,
            Some("position") => {
                if board.set(text).is_none() {
                    return Err(io::Error::other("a position that is none"));
                }
                continue;
            }
            Some("go") => output.write_all(format!("bestmove {}\n", board.choose()).as_bytes())?,
            Some("quit") => return Ok(()),
            _ => continue,
        }
        output.flush()?;
    }
}

struct Board {
    position: Chess,
    /// What the position was set by: nothing that was read is read again.
    text: String,
    plies: usize,
}

impl Default for Board {
    fn default() -> Self {
        Self { position: Chess::start(), text: "position startpos".to_owned(), plies: 0 }
    }
}

impl Board {
    fn set(&mut self, text: &str) -> Option<()> {
        let rest = match text.strip_prefix(self.text.as_str()) {
            Some(rest) => rest,
            None => {
                let (from, rest) = text.split_once(" moves").unwrap_or((text, ""));
                let from = from.strip_prefix("position ")?;
                self.position = match from.strip_prefix("fen ") {
                    Some(fen) => Chess::from_fen(fen).ok()?,
                    None => Chess::start(),
                };
                self.plies = 0;
                rest
            }
        };
        for word in rest.split(' ').filter(|word| !word.is_empty() && *word != "moves") {
            let mv = self.position.move_from_text(word).ok()?;
            self.position.make(mv);
            self.plies += 1;
        }
        self.text.clear();
        self.text.push_str(text);
        Some(())
    }

    fn choose(&self) -> String {
        let mut legal = MoveList::new();
        self.position.legal(&mut legal);
        // A multiplicative hash (D. Knuth, 1973) of the ply.
        let place = (self.plies as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let count = legal.iter().count().max(1) as u64;
        let chosen = usize::try_from(place % count).ok().and_then(|place| legal.get(place));
        chosen.map_or_else(|| "(none)".to_owned(), |&mv| self.position.move_to_text(mv))
    }
}
