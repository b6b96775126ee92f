//! The command lines of the engine protocols, read: UCI (S. Meyer-Kahlen and R. Huber, 2000), UCCI
//! (the Chinese chess dialect, 2004) and USI (T. Tabata, 2007) differ in words, not in kind.
//!
//! Pure and tolerant as the protocols ask: unknown words are skipped, a command that makes no sense is
//! an error that says why. Whether a position or a move exists is for the rules of the game to say.
//! Othello has a protocol of its own, [`nboard`].

pub mod nboard;

use crate::ClockState;
use model::printable;
use std::time::Duration;

/// More root moves or moves of a line than this are refused.
const MOST_MOVES: usize = 10_000;

/// Which of the protocols is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Chess and xiangqi.
    Uci,
    /// Xiangqi.
    Ucci,
    /// Shogi.
    Usi,
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{command}: found `{found}`; allowed: {allowed}")]
pub struct CommandError {
    /// The command.
    pub command: &'static str,
    /// What stood there, made printable.
    pub found: String,
    /// What may stand there.
    pub allowed: &'static str,
}

/// One line from the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`, `ucci`, `usi`: introduce yourself.
    Hello(Dialect),
    /// `isready`
    IsReady,
    /// `ucinewgame`, `usinewgame`, and `setoption newgame` of UCCI.
    NewGame,
    /// `setoption name N value V`, in UCCI `setoption N V`.
    SetOption {
        /// The name as given.
        name: &'a str,
        /// Empty for a button.
        value: &'a str,
    },
    /// `position startpos|fen F|sfen F [moves …]`, and `fen F [moves …]`
    Position {
        /// `None`: the initial position.
        start: Option<String>,
        /// The moves made since.
        moves: Vec<&'a str>,
    },
    /// UCCI: these root moves are not to be played in the search to come.
    BanMoves(Vec<&'a str>),
    /// `go …`
    Go(Box<Go<'a>>),
    /// `stop`, and `gameover` of USI.
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `bench`: search the fixed positions and say how many nodes that took.
    Bench,
    /// `perft N` and `go perft N`, plies.
    Perft(u32),
    /// `eval`: the static evaluation.
    Eval,
    /// `d`: the position.
    Display,
    /// An empty line, or one whose first word nobody knows.
    Nothing,
}

/// What a search may spend, as a command says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go<'a> {
    /// Root moves to look at; empty: all.
    pub only: Vec<&'a str>,
    /// The other side is still thinking.
    pub ponder: bool,
    /// Until `stop`.
    pub infinite: bool,
    /// Half-moves.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// A mate in so many moves of the side to move is looked for.
    pub mate: Option<u32>,
    /// USI: only a mate is asked for, and the answer has a form of its own.
    pub mate_problem: bool,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// `wtime` and `winc`; in UCCI the clock of the side to move.
    pub white: ClockSide,
    /// `btime` and `binc`; in UCCI the other clock.
    pub black: ClockSide,
    /// USI: each move's own time once the clock has run out.
    pub byoyomi: Duration,
    /// Moves to the next period.
    pub moves_to_go: Option<u32>,
}

/// One side's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSide {
    /// What is left; `None`: nothing was said.
    pub remaining: Option<Duration>,
    /// Added after each move.
    pub increment: Duration,
}

impl Go<'_> {
    /// The clock by which to plan, if there is one.
    #[must_use]
    pub fn clock(
        &self,
        dialect: Dialect,
        first_to_move: bool,
        overhead: Duration,
    ) -> Option<ClockState> {
        // In shogi Black begins.
        let is_white = match dialect {
            Dialect::Uci => first_to_move,
            Dialect::Ucci => true,
            Dialect::Usi => !first_to_move,
        };
        let side = if is_white { self.white } else { self.black };
        if side.remaining.is_none() && self.byoyomi.is_zero() {
            return None;
        }
        Some(ClockState {
            remaining: side.remaining.unwrap_or_default(),
            increment: side.increment,
            byoyomi: self.byoyomi,
            moves_to_go: self.moves_to_go,
            overhead,
        })
    }
}

/// Reads one line.
///
/// `seconds` says that the times of UCCI are in seconds, as they are unless the other side has set
/// `usemillisec`.
///
/// # Errors
/// The command is known and something in it is missing or no number.
pub fn read(line: &str, dialect: Dialect, seconds: bool) -> Result<Command<'_>, CommandError> {
    let line = line.trim();
    let (first, rest) = split_word(line);
    Ok(match first {
        "uci" => Command::Hello(Dialect::Uci),
        "ucci" => Command::Hello(Dialect::Ucci),
        "usi" => Command::Hello(Dialect::Usi),
        "isready" => Command::IsReady,
        "ucinewgame" | "usinewgame" => Command::NewGame,
        "setoption" => set_option(rest, dialect)?,
        "position" => position(rest)?,
        // The Cyclone dialect, as xiangqi windows speak it, leaves the word before out.
        "fen" => position(line)?,
        "banmoves" => Command::BanMoves(moves(rest, "banmoves")?),
        "go" => go(rest, dialect, if dialect == Dialect::Ucci && seconds { 1000 } else { 1 })?,
        "stop" | "gameover" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "bench" => Command::Bench,
        "perft" => Command::Perft(plies(rest)?),
        "eval" => Command::Eval,
        "d" => Command::Display,
        _ => Command::Nothing,
    })
}

/// The first word of a text and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

fn error(command: &'static str, found: &str, allowed: &'static str) -> CommandError {
    CommandError { command, found: printable(found, 60), allowed }
}

fn moves<'a>(text: &'a str, command: &'static str) -> Result<Vec<&'a str>, CommandError> {
    let moves: Vec<_> = text.split_whitespace().take(MOST_MOVES + 1).collect();
    if moves.len() > MOST_MOVES {
        return Err(error(command, "a longer line", "at most 10000 moves"));
    }
    Ok(moves)
}

fn plies(text: &str) -> Result<u32, CommandError> {
    let word = split_word(text).0;
    let depth = word.parse().ok().filter(|depth| (0..=99).contains(depth));
    depth.ok_or_else(|| error("perft", word, "plies from 0 to 99"))
}

fn set_option(rest: &str, dialect: Dialect) -> Result<Command<'_>, CommandError> {
    let (first, after) = split_word(rest);
    if first == "name" {
        // The name may have blanks in it; the word `value` ends it.
        let end = after.match_indices("value").find(|(at, word)| {
            let before = *at == 0 || after[..*at].ends_with(char::is_whitespace);
            let behind = after[at + word.len()..].chars().next().is_none_or(char::is_whitespace);
            before && behind
        });
        let (name, value) = match end {
            Some((at, word)) => (after[..at].trim(), after[at + word.len()..].trim()),
            None => (after.trim(), ""),
        };
        if !name.is_empty() {
            return Ok(Command::SetOption { name, value });
        }
    } else if dialect == Dialect::Ucci && first == "newgame" {
        return Ok(Command::NewGame);
    } else if dialect == Dialect::Ucci && !first.is_empty() {
        return Ok(Command::SetOption { name: first, value: after.trim() });
    }
    Err(error("setoption", rest, "name NAME value VALUE"))
}

fn position(rest: &str) -> Result<Command<'_>, CommandError> {
    let is_moves = |word: &&str| *word == "moves";
    let (kind, after) = split_word(rest);
    let mut words = after.split_whitespace();
    let start = match kind {
        "startpos" => {
            words.next().filter(is_moves);
            None
        }
        "fen" | "sfen" => {
            let fields: Vec<_> =
                words.by_ref().take_while(|word| !is_moves(word)).take(8).collect();
            if fields.is_empty() {
                return Err(error("position", rest, "a position after `fen`"));
            }
            Some(fields.join(" "))
        }
        _ => return Err(error("position", kind, "startpos, fen FEN or sfen SFEN, then moves …")),
    };
    let moves: Vec<_> = words.take(MOST_MOVES + 1).collect();
    if moves.len() > MOST_MOVES {
        return Err(error("position", "a longer line", "at most 10000 moves"));
    }
    Ok(Command::Position { start, moves })
}

/// Words that end a list of moves.
const GO_WORDS: [&str; 20] = [
    "searchmoves",
    "ponder",
    "infinite",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "byoyomi",
    "perft",
    "time",
    "increment",
    "opptime",
    "oppincrement",
    "oppmovestogo",
    "draw",
];

fn go(rest: &str, dialect: Dialect, unit: u64) -> Result<Command<'_>, CommandError> {
    let mut go = Go::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !GO_WORDS.contains(&word) {
            continue;
        }
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    if go.only.len() == MOST_MOVES {
                        return Err(error("go", "a longer line", "at most 10000 moves"));
                    }
                    go.only.push(mv);
                }
            }
            "draw" => {}
            "mate" if words.next_if(|next| *next == "infinite").is_some() => {
                go.mate_problem = true;
                go.infinite = true;
            }
            // In shogi a number after the word is a time.
            "mate" if dialect == Dialect::Usi => {
                go.mate_problem = true;
                match words.next_if(|next| !GO_WORDS.contains(next)) {
                    None => go.infinite = true,
                    Some(found) => {
                        let time = found
                            .parse()
                            .map_err(|_| error("go mate", found, "milliseconds or infinite"))?;
                        go.movetime = Some(Duration::from_millis(time));
                    }
                }
            }
            "depth" if words.peek().is_some_and(|next| *next == "infinite") => {
                words.next();
                go.infinite = true;
            }
            _ => {
                let found = words.next().unwrap_or_default();
                // A clock that has run over is sent as a negative number by some.
                let digits = found.strip_prefix('-');
                let number: u64 = digits.unwrap_or(found).parse().map_err(|_| {
                    error("go", &format!("{word} {found}"), "a whole number after the word")
                })?;
                let number = if digits.is_some() { 0 } else { number };
                let small = u32::try_from(number).unwrap_or(u32::MAX);
                let time = Duration::from_millis(number.saturating_mul(unit));
                match word {
                    "perft" => return Ok(Command::Perft(plies(found)?)),
                    "depth" => go.depth = Some(small),
                    "nodes" => go.nodes = Some(number),
                    "mate" => go.mate = Some(small),
                    "movetime" => go.movetime = Some(time),
                    "wtime" => go.white.remaining = Some(time),
                    "btime" => go.black.remaining = Some(time),
                    "winc" => go.white.increment = time,
                    "binc" => go.black.increment = time,
                    "time" => go.white.remaining = Some(time),
                    "increment" => go.white.increment = time,
                    "opptime" => go.black.remaining = Some(time),
                    "oppincrement" => go.black.increment = time,
                    "byoyomi" => go.byoyomi = time,
                    "movestogo" => go.moves_to_go = Some(small),
                    _ => {}
                }
            }
        }
    }
    Ok(Command::Go(Box::new(go)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn uci(line: &str) -> Result<Command<'_>, CommandError> {
        read(line, Dialect::Uci, true)
    }

    fn go_of(line: &str, dialect: Dialect, seconds: bool) -> Go<'_> {
        match read(line, dialect, seconds) {
            Ok(Command::Go(go)) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn positions_come_with_and_without_moves() {
        let start = || Command::Position { start: None, moves: vec![] };
        assert_eq!(uci("position startpos"), Ok(start()));
        assert_eq!(uci("  position \t startpos moves "), Ok(start()));
        let expected = Command::Position { start: None, moves: vec!["h2e2", "h9g7"] };
        assert_eq!(uci("position startpos moves h2e2 h9g7"), Ok(expected));
        let fen = "4k4/9/9 w - - 0 1";
        let expected = Command::Position { start: Some(fen.into()), moves: vec!["d0d1"] };
        assert_eq!(uci(&format!("position fen {fen} moves d0d1")), Ok(expected));
        assert_eq!(
            uci(&format!("fen {fen} moves d0d1")),
            uci(&format!("position fen {fen} moves d0d1"))
        );
        assert!(uci("position fen").is_err() && uci("position").is_err());
        assert!(uci("position fen moves e2e4").is_err());
        let long = format!("position startpos moves {}", "e2e4 ".repeat(MOST_MOVES + 1));
        assert!(uci(&long).is_err());
    }

    #[test]
    fn an_option_may_have_blanks_in_name_and_value() {
        let option = |name, value| Ok(Command::SetOption { name, value });
        assert_eq!(uci("setoption name Hash value 64"), option("Hash", "64"));
        assert_eq!(uci("setoption name Clear Hash"), option("Clear Hash", ""));
        assert_eq!(uci("setoption name Book File value a b"), option("Book File", "a b"));
        assert_eq!(uci("setoption name values value value"), option("values", "value"));
        assert!(uci("setoption").is_err() && uci("setoption Hash 3").is_err());
        assert!(uci("setoption name value 3").is_err());
        let ucci = |line| read(line, Dialect::Ucci, true);
        assert_eq!(ucci("setoption hashsize 64"), option("hashsize", "64"));
        assert_eq!(ucci("setoption newgame"), Ok(Command::NewGame));
    }

    #[test]
    fn every_limit_is_read() {
        let line = "go searchmoves e2e4 d2d4 wtime 60000 btime -5 winc 600 binc 1 movestogo 40 \
                    depth 9 nodes 123456789012 mate 3 movetime 50 ponder";
        let go = go_of(line, Dialect::Uci, true);
        assert_eq!(go.only, ["e2e4", "d2d4"]);
        assert_eq!((go.depth, go.nodes, go.mate), (Some(9), Some(123_456_789_012), Some(3)));
        assert_eq!((go.movetime, go.ponder, go.infinite), (Some(MS(50)), true, false));
        let clock = go.clock(Dialect::Uci, true, MS(7)).expect("a clock");
        assert_eq!((clock.remaining, clock.increment), (MS(60_000), MS(600)));
        assert_eq!((clock.moves_to_go, clock.overhead), (Some(40), MS(7)));
        let clock = go.clock(Dialect::Uci, false, MS(0)).expect("a clock");
        assert_eq!((clock.remaining, clock.increment), (MS(0), MS(1)));
        assert!(go_of("go infinite", Dialect::Uci, true).infinite);
        assert_eq!(go_of("go", Dialect::Uci, true).clock(Dialect::Uci, true, MS(1)), None);
        assert_eq!(uci("go perft 5"), Ok(Command::Perft(5)));
    }

    #[test]
    fn xiangqi_tells_the_time_of_the_side_to_move_in_seconds_unless_told() {
        let line = "go time 180 increment 2 opptime 90";
        for (seconds, factor) in [(true, 1000), (false, 1)] {
            let go = go_of(line, Dialect::Ucci, seconds);
            let clock = go.clock(Dialect::Ucci, false, MS(0)).expect("a clock");
            assert_eq!((clock.remaining, clock.increment), (MS(180 * factor), MS(2 * factor)));
        }
        assert!(go_of("go depth infinite", Dialect::Ucci, true).infinite);
    }

    #[test]
    fn shogi_has_byoyomi_and_mate_problems() {
        let go = go_of("go btime 0 wtime 9 byoyomi 1000", Dialect::Usi, true);
        let clock = go.clock(Dialect::Usi, true, MS(0)).expect("a clock");
        assert_eq!((clock.remaining, clock.byoyomi), (MS(0), MS(1000)));
        for (line, movetime) in [
            ("go mate infinite", None),
            ("go mate", None),
            ("go mate nodes 5", None),
            ("go mate 250", Some(MS(250))),
        ] {
            let go = go_of(line, Dialect::Usi, true);
            assert_eq!((go.mate_problem, go.infinite), (true, movetime.is_none()), "{line}");
            assert_eq!((go.movetime, go.mate), (movetime, None), "{line}");
        }
        assert!(read("go mate soon", Dialect::Usi, true).is_err());
        assert_eq!(go_of("go mate 3", Dialect::Uci, true).mate, Some(3));
    }

    #[test]
    fn what_is_no_number_is_named() {
        for (line, found) in [
            ("go depth", "depth "),
            ("go depth x", "depth x"),
            ("go wtime 1e9", "wtime 1e9"),
            ("go nodes 99999999999999999999999", "nodes 99999999999999999999999"),
            ("perft -1", "-1"),
            ("perft 100", "100"),
        ] {
            assert_eq!(uci(line).expect_err(line).found, found, "{line}");
        }
        assert_eq!(uci("xyzzy 3"), Ok(Command::Nothing));
        assert_eq!(uci(""), Ok(Command::Nothing));
    }
}
