//! A conversation with GNU Shogi 1.4, which speaks what `xshogi` spoke before there were features: no
//! greeting, no `ping`, positions only by their moves from the start, moves as in USI.
//!
//! It echoes every move (`3. 7g7f 2800`) and puts dots before its own (`3. ... 3c3d 2790`).

use super::session::{Start, StartError};
use super::speech::{Answer, Heard};
use super::{Clock, SideLimit};
use games::MoveText;
use model::printable;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// How long its name is waited for, which is the first thing that it says.
const NAME: Duration = Duration::from_secs(10);

/// What it asks when it is told a depth, without ending the line.
const PROMPT: &str = "depth = ";

/// Its name, if it can be limited so.
pub(super) fn introduce(start: &mut Start<'_>, limit: &SideLimit) -> Result<String, StartError> {
    let moves_in_time = limit.clock.is_some_and(|clock| clock.moves.is_some());
    let whole_seconds = limit.movetime.is_some_and(|each| each >= Duration::from_secs(1));
    let is_bare = limit.clock.is_none() && limit.movetime.is_none();
    if !(moves_in_time || whole_seconds || is_bare && limit.depth.is_some()) {
        return Err(start.unable(
            "plays shogi by xboard's protocol of old, which knows a depth, whole seconds a move and \
             tc=MOVES/TIME; give it one of these",
        ));
    }
    let until = Instant::now() + NAME;
    let mut name = String::new();
    let mut is_other = false;
    start.listen("its name", &mut || Some(until), &mut |word, rest| {
        is_other = word != b"GNU" || !rest.starts_with(b"Shogi");
        name = printable(&String::from_utf8_lossy(&[word, b" ", rest].concat()), 100);
        true
    })?;
    if is_other || name.is_empty() {
        return Err(start.unable(
            "is not GNU Shogi, the only program that plays shogi by xboard's protocol here; let it \
             speak usi",
        ));
    }
    Ok(name)
}

/// The text that begins a game.
pub(super) fn new_game<G: MoveText>(opening: &G, clock: &Clock) -> Result<String, String> {
    if opening.to_fen() != G::start().to_fen() {
        return Err("cannot be set a position; give --openings a file with the start alone".into());
    }
    let mut text = String::from("new\nforce\n");
    let limit = clock.limit();
    let level = match (limit.movetime, limit.clock.and_then(|c| Some((c.moves?, c.base)))) {
        (Some(each), _) => Some((1, each)),
        (None, level) => level,
    };
    if let Some((moves, time)) = level {
        let seconds = time.as_secs().max(1);
        let _ = writeln!(text, "level {moves} {}:{:02}", seconds / 60, seconds % 60);
    }
    if let Some(depth) = limit.depth {
        let _ = writeln!(text, "depth\n{depth}");
    }
    Ok(text)
}

/// Reads a line that came while the program was to move.
pub(super) fn hear(line: &[u8]) -> Heard {
    let line = String::from_utf8_lossy(line);
    let line = line.trim().trim_start_matches(PROMPT.trim_end()).trim_start();
    let mut words = line.split_whitespace();
    match [words.next(), words.next(), words.next()] {
        [Some(number), Some("..."), Some(mv)] if number.ends_with('.') => {
            Heard::Answer(Answer::Move(printable(mv, 60)))
        }
        [Some("Illegal"), ..] => Heard::Answer(Answer::Nothing(printable(line, 60))),
        [Some("Resigns" | "Resigns."), None, None] => Heard::Answer(Answer::Resigns),
        _ => Heard::Noise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_moves_are_told_from_the_echoes() {
        let heard = |line: &str| hear(line.as_bytes());
        let moved = |mv: &str| Heard::Answer(Answer::Move(mv.to_owned()));
        assert_eq!(heard("3. ... 8h2b+ 296210"), moved("8h2b+"));
        assert_eq!(heard("depth = 1. ... 7g7f 299990"), moved("7g7f"));
        assert_eq!(heard("2. ... B*5e 1"), moved("B*5e"));
        assert_eq!(heard("3. 7g7f 2800"), Heard::Noise);
        assert_eq!(heard("depth = 1. 7g7f 300000"), Heard::Noise);
        assert_eq!(heard("Resigns."), Heard::Answer(Answer::Resigns));
        let refused = Heard::Answer(Answer::Nothing("Illegal move (no match) 1a9i".to_owned()));
        assert_eq!(heard("Illegal move (no match) 1a9i"), refused);
    }
}
