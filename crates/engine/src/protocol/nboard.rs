//! The command lines of NBoard (C. Welty, version 2 of 2014), in which graphical programs talk with
//! engines of othello.
//!
//! Pure, and tolerant as the protocol asks: whoever does not understand a line ignores it. An error is
//! for a line that is understood and cannot be followed. Games arrive in the Generic Game Format, which
//! [`games::othello::ggf`] reads.

use super::{CommandError, MOST_MOVES, error, split_word};
use std::time::Duration;

/// More plies than a game has; depths beyond it are cut to it.
pub const MOST_DEPTH: u32 = 64;

/// Seconds that a move may be said to have taken, at most: a day.
const MOST_SECONDS: f64 = 86_400.0;

/// One line from the other side.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// `nboard VERSION`: speak NBoard from now on; version 0 ends that.
    Hello(u32),
    /// `set depth N`: plies of the searches to come, 1 to [`MOST_DEPTH`].
    Depth(u32),
    /// `set game GGF`: the position at the end of this game.
    Game(&'a str),
    /// `set time COLOR …`, as some programs send it.
    Time(Time),
    /// `move M/EVAL/SECONDS`, or a move alone, as the first versions sent it.
    Move {
        /// The square in either case, or `PA` for a pass.
        mv: &'a str,
        /// What the move has cost its side.
        spent: Duration,
    },
    /// `hint N`: the values of about so many moves, the best ones.
    Hint(usize),
    /// `go`: which move would be played.
    Go,
    /// `ping N`: stop thinking and say `pong N`.
    Ping(i64),
    /// `learn`: the game is over and worth being remembered.
    Learn,
    /// `analyze`: the value of every position of the game.
    Analyze,
    /// `quit`
    Quit,
    /// Anything else, settings that nothing here depends upon among it (`set contempt`).
    Nothing,
}

/// What `set time` says of the clock of one side; what it leaves out stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Whose clock.
    pub is_black: bool,
    /// What is left.
    pub main: Option<Duration>,
    /// Added after each move.
    pub increment: Option<Duration>,
    /// Given anew for each move once the rest is gone.
    pub byoyomi: Option<Duration>,
}

/// Reads one line.
///
/// # Errors
/// The command is known and something in it is missing or no number.
pub fn read(line: &str) -> Result<Command<'_>, CommandError> {
    let (first, rest) = split_word(line.trim());
    Ok(match first {
        "nboard" => Command::Hello(whole("nboard", rest, "a version")?),
        "set" => return set(rest),
        "move" => return played(rest),
        "hint" if rest.is_empty() => Command::Hint(1),
        "hint" => Command::Hint(whole::<usize>("hint", rest, "how many moves")?.max(1)),
        "go" => Command::Go,
        "ping" => Command::Ping(whole("ping", rest, "a whole number")?),
        "learn" => Command::Learn,
        "analyze" => Command::Analyze,
        "quit" => Command::Quit,
        _ if is_move(first) && rest.is_empty() => return played(first),
        _ => Command::Nothing,
    })
}

fn set(rest: &str) -> Result<Command<'_>, CommandError> {
    let (name, value) = split_word(rest);
    Ok(match name {
        "depth" => {
            let plies: u32 = whole("set depth", value, "plies from 1 on")?;
            if plies == 0 {
                return Err(error("set depth", value, "plies from 1 on"));
            }
            Command::Depth(plies.min(MOST_DEPTH))
        }
        "game" => Command::Game(value),
        "time" => Command::Time(time(value)?),
        _ => Command::Nothing,
    })
}

/// A square or a pass, by its letters alone: `F5`, `pa`, `F5/1.25/0.3`.
fn is_move(word: &str) -> bool {
    let mv = word.split('/').next().unwrap_or_default().as_bytes();
    match mv {
        [file, rank] if rank.is_ascii_digit() => {
            matches!(file.to_ascii_lowercase(), b'a'..=b'h') && (b'1'..=b'8').contains(rank)
        }
        _ => [&b"pa"[..], b"ps", b"pass"].iter().any(|pass| mv.eq_ignore_ascii_case(pass)),
    }
}

fn played(rest: &str) -> Result<Command<'_>, CommandError> {
    let mut parts = rest.split(|letter: char| letter == '/' || letter.is_whitespace());
    let mv = parts.next().unwrap_or_default();
    if !is_move(mv) {
        return Err(error("move", mv, "a square such as F5, or PA"));
    }
    // The value in between is the other side's own and may be missing.
    let seconds = parts.nth(1).unwrap_or_default();
    let spent = match seconds {
        "" => 0.0,
        text => match text.parse::<f64>() {
            Ok(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => seconds,
            _ => return Err(error("move", seconds, "seconds from 0 to 86400")),
        },
    };
    Ok(Command::Move { mv, spent: Duration::from_secs_f64(spent) })
}

fn time(rest: &str) -> Result<Time, CommandError> {
    let (color, rest) = split_word(rest);
    let is_black = match color.to_ascii_lowercase().as_str() {
        "black" | "b" => true,
        "white" | "w" => false,
        _ => return Err(error("set time", color, "black or white")),
    };
    let mut time = Time { is_black, main: None, increment: None, byoyomi: None };
    let mut words = rest.split_whitespace().take(MOST_MOVES);
    while let Some(name) = words.next() {
        let value = words.next().unwrap_or_default();
        let milliseconds = whole("set time", value, "milliseconds")?;
        let value = Some(Duration::from_millis(milliseconds));
        match name {
            "main" | "time" => time.main = value,
            "inc" | "increment" => time.increment = value,
            "byoyomi" => time.byoyomi = value,
            _ => return Err(error("set time", name, "main, inc or byoyomi")),
        }
    }
    Ok(time)
}

/// The whole number that a text begins with, as far as the next blank.
fn whole<N: std::str::FromStr>(
    command: &'static str,
    text: &str,
    allowed: &'static str,
) -> Result<N, CommandError> {
    let word = split_word(text).0;
    word.parse().map_err(|_| error(command, word, allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_session_are_read() {
        let game = "(;GM[Othello]PB[a]PW[b]TY[8];)";
        for (line, command) in [
            ("nboard 2", Command::Hello(2)),
            ("nboard 0", Command::Hello(0)),
            ("set depth 15", Command::Depth(15)),
            ("set depth 1000", Command::Depth(MOST_DEPTH)),
            (" set  game (;GM[Othello]PB[a]PW[b]TY[8];) ", Command::Game(game)),
            ("hint 3", Command::Hint(3)),
            ("hint 0", Command::Hint(1)),
            ("hint", Command::Hint(1)),
            ("go", Command::Go),
            ("ping 17", Command::Ping(17)),
            ("learn", Command::Learn),
            ("analyze", Command::Analyze),
            ("quit", Command::Quit),
            ("set contempt 0", Command::Nothing),
            ("set color black", Command::Nothing),
            ("frobnicate 3", Command::Nothing),
            ("", Command::Nothing),
        ] {
            assert_eq!(read(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn a_move_may_bring_a_value_and_a_time() {
        let at = |mv, seconds| Ok(Command::Move { mv, spent: Duration::from_secs_f64(seconds) });
        assert_eq!(read("move F5"), at("F5", 0.0));
        assert_eq!(read("move f5/1.25/3.5"), at("f5", 3.5));
        assert_eq!(read("move F5//2"), at("F5", 2.0));
        assert_eq!(read("move PA 0.0 1.5"), at("PA", 1.5));
        assert_eq!(read("D6"), at("D6", 0.0));
        assert_eq!(read("pa"), at("pa", 0.0));
        for line in ["move", "move i9", "move é5", "move F5/0/-1", "move F5/0/NaN", "move F5/0/x"]
        {
            assert!(read(line).is_err(), "{line}");
        }
        assert_eq!(read("x9"), Ok(Command::Nothing));
    }

    #[test]
    fn clocks_are_set_in_milliseconds() {
        let ms = |value| Some(Duration::from_millis(value));
        let time = Time { is_black: true, main: ms(60_000), increment: ms(500), byoyomi: None };
        assert_eq!(read("set time black main 60000 inc 500"), Ok(Command::Time(time)));
        let none = Time { is_black: false, main: None, increment: None, byoyomi: ms(1000) };
        assert_eq!(read("set time W byoyomi 1000"), Ok(Command::Time(none)));
        for line in ["set time", "set time red main 1", "set time b main", "set time b x 1"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_is_no_number_is_named() {
        for (line, found) in [
            ("nboard two", "two"),
            ("set depth 0", "0"),
            ("set depth deep", "deep"),
            ("hint -1", "-1"),
            ("ping", ""),
        ] {
            assert_eq!(read(line).expect_err(line).found, found, "{line}");
        }
    }
}
