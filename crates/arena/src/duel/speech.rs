//! What is said to programs and heard from them in the protocols of the family UCI (S. Meyer-Kahlen
//! and R. Huber, 2000), UCCI (2004) and USI (T. Tabata, 2007). Pure: texts in, texts out.

use super::lines::{first_word, words};
use super::{Clock, Protocol};
use model::{Score, printable};
use std::fmt::Write as _;
use std::time::Duration;

/// A mate in `n` counts as this less `n`.
const MATE: i64 = 30_000;

/// What a program thinks of its move; from its own last word about its best line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Insight {
    /// From its own point of view, exact; a mate in `n` moves is `30000 - n`.
    pub score: Option<Score>,
    /// Half-moves.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
}

/// How a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// With a text that may be a move.
    Move(String),
    /// It gives up.
    Resigns,
    /// It says that it has won.
    ClaimsWin,
    /// It has no move, and this is what it said.
    Nothing(String),
}

/// What a line says while a search is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing of interest.
    Noise,
    /// A thought, taken note of.
    Thought,
    /// The answer.
    Answer(Answer),
}

/// The command that begins a conversation, and the line that answers it.
pub(super) fn hello(protocol: Protocol) -> (&'static str, &'static str) {
    match protocol {
        Protocol::Uci | Protocol::Xboard => ("uci\n", "uciok"),
        Protocol::Ucci => ("ucci\n", "ucciok"),
        Protocol::Usi => ("usi\n", "usiok"),
    }
}

/// Reads a line that came during a search.
pub(super) fn hear(protocol: Protocol, line: &[u8], insight: &mut Insight) -> Heard {
    match first_word(line) {
        (b"info", rest) => {
            if info(rest, insight) {
                Heard::Thought
            } else {
                Heard::Noise
            }
        }
        (b"bestmove", rest) => Heard::Answer(bestmove(protocol, rest)),
        (b"nobestmove", _) if protocol == Protocol::Ucci => {
            Heard::Answer(Answer::Nothing("nobestmove".to_owned()))
        }
        _ => Heard::Noise,
    }
}

fn bestmove(protocol: Protocol, rest: &[u8]) -> Answer {
    let mut rest = words(rest);
    let word = rest.next().unwrap_or_default();
    let text = || printable(&String::from_utf8_lossy(word), 40);
    match word {
        b"resign" => Answer::Resigns,
        _ if protocol == Protocol::Ucci && rest.any(|word| word == b"resign") => Answer::Resigns,
        b"win" => Answer::ClaimsWin,
        b"" => Answer::Nothing("nothing after bestmove".to_owned()),
        b"(none)" | b"none" | b"0000" | b"NULL" | b"null" => Answer::Nothing(text()),
        _ => Answer::Move(text()),
    }
}

fn number(word: Option<&[u8]>) -> Option<i64> {
    let text = std::str::from_utf8(word?).ok()?;
    // More digits than fit are a large number all the same.
    text.parse().ok().or_else(|| {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(value as i64)
    })
}

/// Takes note of an exact thought about the best line; `false` for everything else.
fn info(rest: &[u8], insight: &mut Insight) -> bool {
    let mut found = Insight::default();
    let mut rest = words(rest).peekable();
    while let Some(word) = rest.next() {
        match word {
            b"multipv" if number(rest.next()) != Some(1) => return false,
            b"depth" => {
                found.depth = number(rest.next()).and_then(|depth| u32::try_from(depth).ok());
            }
            b"nodes" => {
                found.nodes = number(rest.next()).and_then(|nodes| u64::try_from(nodes).ok());
            }
            b"score" => found.score = score(&mut rest),
            b"lowerbound" | b"upperbound" => return false,
            // What follows is the rest of the line.
            b"pv" | b"string" | b"message" => break,
            _ => {}
        }
    }
    if found.score.is_none() {
        return false;
    }
    insight.nodes = found.nodes.or(insight.nodes);
    insight.depth = found.depth.or(insight.depth);
    insight.score = found.score;
    true
}

/// `cp N`, `mate N`, USI's `mate +` and `mate -`, UCCI's bare number.
fn score<'a>(rest: &mut std::iter::Peekable<impl Iterator<Item = &'a [u8]>>) -> Option<Score> {
    let kind = rest.next()?;
    let value = match kind {
        b"cp" => number(rest.next())?,
        b"mate" => match rest.next()? {
            b"+" => MATE - 1,
            b"-" => 1 - MATE,
            // Minus nothing and nothing: mated.
            b"-0" | b"0" => -MATE,
            word => match number(Some(word))? {
                moves if moves > 0 => MATE - moves.min(1000),
                moves => -MATE + (-moves.max(-1000)),
            },
        },
        bare => number(Some(bare))?,
    };
    Some(Score(value.clamp(-MATE, MATE) as i32))
}

/// Whole milliseconds, rounded down and never nothing: a program must not be sent a clock that has
/// run out.
fn milliseconds(time: Duration) -> u128 {
    time.as_millis().max(1)
}

/// The order to think.
pub(super) fn go(protocol: Protocol, own: &Clock, other: &Clock, first_to_move: bool) -> String {
    let mut text = String::from("go");
    let limit = own.limit();
    let own_left = own.left().map(milliseconds);
    // Whoever has no clock is shown as having the same as the other.
    let other_left = other.left().map(milliseconds).or(own_left);
    let increment = own.increment().as_millis();
    let other_increment = other.left().map_or(increment, |_| other.increment().as_millis());
    let _ = match (protocol, own_left, limit.movetime) {
        (Protocol::Uci | Protocol::Xboard, Some(own_left), _) => {
            let mut sides =
                [(own_left, increment), (other_left.unwrap_or(own_left), other_increment)];
            if !first_to_move {
                sides.swap(0, 1);
            }
            let [(white, white_more), (black, black_more)] = sides;
            let _ = write!(text, " wtime {white} btime {black}");
            if white_more + black_more > 0 {
                let _ = write!(text, " winc {white_more} binc {black_more}");
            }
            own.moves_to_go().map_or(Ok(()), |moves| write!(text, " movestogo {moves}"))
        }
        (Protocol::Uci | Protocol::Xboard, None, Some(each)) => {
            write!(text, " movetime {}", milliseconds(each))
        }
        (Protocol::Ucci, Some(own_left), _) => {
            let _ = write!(text, " time {own_left}");
            let _ = match own.moves_to_go() {
                Some(moves) => write!(text, " movestogo {moves}"),
                None => write!(text, " increment {increment}"),
            };
            let _ = write!(text, " opptime {}", other_left.unwrap_or(own_left));
            match other.moves_to_go() {
                Some(moves) => write!(text, " oppmovestogo {moves}"),
                None => write!(text, " oppincrement {other_increment}"),
            }
        }
        (Protocol::Ucci, None, Some(each)) => {
            write!(text, " time {} movestogo 1", milliseconds(each))
        }
        (Protocol::Usi, Some(own_left), _) => {
            let mut sides =
                [(own_left, increment), (other_left.unwrap_or(own_left), other_increment)];
            if !first_to_move {
                sides.swap(0, 1);
            }
            let [(black, black_more), (white, white_more)] = sides;
            let _ = write!(text, " btime {black} wtime {white}");
            write!(text, " binc {black_more} winc {white_more}")
        }
        (Protocol::Usi, None, Some(each)) => {
            write!(text, " btime 0 wtime 0 byoyomi {}", milliseconds(each))
        }
        (_, None, None) => Ok(()),
    };
    if let Some(depth) = limit.depth {
        let _ = write!(text, " depth {depth}");
    }
    if let Some(nodes) = limit.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::super::{SideLimit, TimeControl};
    use super::*;

    fn heard(protocol: Protocol, line: &str) -> Heard {
        hear(protocol, line.as_bytes(), &mut Insight::default())
    }

    #[test]
    fn answers_are_told_apart() {
        let mv = |text: &str| Answer::Move(text.to_owned());
        let nothing = |text: &str| Answer::Nothing(text.to_owned());
        for (protocol, line, answer) in [
            (Protocol::Uci, "bestmove e2e4", mv("e2e4")),
            (Protocol::Uci, "bestmove\te2e4   ponder e7e5 junk", mv("e2e4")),
            (Protocol::Uci, "bestmove (none)", nothing("(none)")),
            (Protocol::Uci, "bestmove 0000", nothing("0000")),
            (Protocol::Uci, "bestmove", nothing("nothing after bestmove")),
            (Protocol::Uci, "bestmove resign", Answer::Resigns),
            (Protocol::Usi, "bestmove win", Answer::ClaimsWin),
            (Protocol::Usi, "bestmove 7g7f ponder 3c3d", mv("7g7f")),
            (Protocol::Ucci, "nobestmove", nothing("nobestmove")),
            (Protocol::Ucci, "bestmove h2e2 ponder h9g7 resign", Answer::Resigns),
            (Protocol::Ucci, "bestmove h2e2 draw", mv("h2e2")),
            (Protocol::Uci, "bestmove \u{1b}[2J", mv("·[2J")),
        ] {
            assert_eq!(heard(protocol, line), Heard::Answer(answer), "{line}");
        }
        for line in ["", "bestmovexyz e2e4", "hello bestmove e2e4", "Bestmove e2e4", "readyok"] {
            assert_eq!(heard(Protocol::Uci, line), Heard::Noise, "{line}");
        }
    }

    #[test]
    fn the_last_exact_thought_about_the_best_line_counts() {
        let mut insight = Insight::default();
        for line in [
            "info depth 9 multipv 1 score cp 11 nodes 100 pv e2e4",
            "info depth 9 multipv 10 score cp -1200 pv a2a3",
            "info depth 10 score cp 50 lowerbound nodes 200 pv e2e4",
            "info currmove e2e4 currmovenumber 1",
            "info string score cp 99",
            "info depth score cp",
            "info score",
        ] {
            hear(Protocol::Uci, line.as_bytes(), &mut insight);
        }
        let expected = Insight { score: Some(Score(11)), depth: Some(9), nodes: Some(100) };
        assert_eq!(insight, expected);
    }

    #[test]
    fn scores_of_all_dialects_are_read() {
        for (protocol, line, score) in [
            (Protocol::Uci, "info score cp -34 wdl 1 2 3", -34),
            (Protocol::Uci, "info score mate 3", 29_997),
            (Protocol::Uci, "info score mate -2", -29_998),
            (Protocol::Uci, "info score mate 0", -30_000),
            (Protocol::Uci, "info score cp 1000000000000", 30_000),
            (Protocol::Uci, "info score cp 12.7", 12),
            (Protocol::Usi, "info score mate +", 29_999),
            (Protocol::Usi, "info score mate -", -29_999),
            (Protocol::Ucci, "info depth 3 score 77 pv h2e2", 77),
        ] {
            let mut insight = Insight::default();
            hear(protocol, line.as_bytes(), &mut insight);
            assert_eq!(insight.score, Some(Score(score)), "{line}");
        }
    }

    #[test]
    fn orders_are_given_in_each_dialect() {
        let clock = |text: &str| {
            let control = TimeControl::parse(text).expect(text);
            Clock::new(SideLimit { clock: Some(control), ..SideLimit::default() })
        };
        let each =
            |movetime| Clock::new(SideLimit { movetime: Some(movetime), ..SideLimit::default() });
        let nodes =
            Clock::new(SideLimit { nodes: Some(500), depth: Some(9), ..SideLimit::default() });
        let ms = Duration::from_millis;
        for (protocol, own, other, first, expected) in [
            (
                Protocol::Uci,
                clock("1+0.01"),
                clock("2"),
                true,
                "wtime 1000 btime 2000 winc 10 binc 0",
            ),
            (
                Protocol::Uci,
                clock("1+0.01"),
                clock("2"),
                false,
                "wtime 2000 btime 1000 winc 0 binc 10",
            ),
            (Protocol::Uci, clock("40/60"), nodes, true, "wtime 60000 btime 60000 movestogo 40"),
            (Protocol::Uci, each(ms(50)), nodes, true, "movetime 50"),
            (Protocol::Uci, nodes, nodes, true, "depth 9 nodes 500"),
            (
                Protocol::Ucci,
                clock("1+0.5"),
                clock("2"),
                true,
                "time 1000 increment 500 opptime 2000 oppincrement 0",
            ),
            (Protocol::Ucci, each(ms(50)), nodes, true, "time 50 movestogo 1"),
            (
                Protocol::Usi,
                clock("1+0.5"),
                clock("2"),
                true,
                "btime 1000 wtime 2000 binc 500 winc 0",
            ),
            (
                Protocol::Usi,
                clock("1+0.5"),
                clock("2"),
                false,
                "btime 2000 wtime 1000 binc 0 winc 500",
            ),
            (Protocol::Usi, each(ms(50)), nodes, true, "btime 0 wtime 0 byoyomi 50"),
        ] {
            assert_eq!(go(protocol, &own, &other, first), format!("go {expected}\n"));
        }
        let mut spent = clock("0.0005+0");
        assert_eq!(spent.spend(Duration::from_micros(400)), Ok(()));
        assert!(go(Protocol::Uci, &spent, &spent, true).starts_with("go wtime 1 btime 1"));
    }
}
