//! What one side of a game may spend on its moves, in the words of match runners.
//!
//! Pure: it says what is allowed. The clock that counts is the arena's.

use crate::printable;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest time that may be given for anything.
const MOST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A clock for the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// For the period, or the whole game.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves of a period; `None`: the base is for the whole game.
    pub moves: Option<u32>,
}

/// A text that is no time or no time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`; allowed: {allowed}")]
pub struct TimeError {
    /// What stood there, made printable.
    pub found: String,
    /// What may stand there.
    pub allowed: &'static str,
}

impl TimeControl {
    /// What [`TimeControl::parse`] takes, for people.
    pub const FORM: &'static str =
        "seconds or [MOVES/][MINUTES:]SECONDS[+INCREMENT], such as 60+0.6 or 40/60+0.6";

    /// `60+0.6`, `40/60`, `40/1:30+0.5`: moves of a period, minutes, seconds, seconds of increment,
    /// all to the microsecond.
    ///
    /// # Errors
    /// The text is no such thing.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let wrong = || TimeError { found: printable(text, 40), allowed: Self::FORM };
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let moves = moves.parse().ok().filter(|moves| (1..=1000).contains(moves));
                (Some(moves.ok_or_else(wrong)?), rest)
            }
            None => (None, text),
        };
        let (main, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, seconds) = main.split_once(':').unwrap_or(("0", main));
        let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
        let seconds = seconds_of(seconds).ok_or_else(wrong)?;
        let increment = seconds_of(increment).ok_or_else(wrong)?;
        let base = Duration::from_secs(u64::from(minutes) * 60) + seconds;
        Self::new(base, increment, moves).ok_or_else(wrong)
    }

    /// A clock of these parts; `None` where they are none: no time at all, more than thirty days,
    /// periods of no move or of more than 1,000.
    #[must_use]
    pub fn new(base: Duration, increment: Duration, moves: Option<u32>) -> Option<Self> {
        let is_one = base <= MOST
            && increment <= MOST
            && base + increment > Duration::ZERO
            && moves.is_none_or(|moves| (1..=1000).contains(&moves));
        is_one.then_some(Self { base, increment, moves })
    }

    /// The same for a machine that is slower by this factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            base: scaled(self.base, factor),
            increment: scaled(self.increment, factor),
            moves: self.moves,
        }
    }
}

impl std::fmt::Display for TimeControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        Self::parse(&text)
    }
}

/// A time in seconds, with decimals to the microsecond.
///
/// # Errors
/// The text is no number, below zero, or beyond thirty days.
pub fn parse_seconds(text: &str) -> Result<Duration, TimeError> {
    let allowed = "seconds from 0 to 2592000, decimals allowed";
    seconds_of(text).ok_or_else(|| TimeError { found: printable(text, 40), allowed })
}

fn seconds_of(text: &str) -> Option<Duration> {
    duration_of(text.parse().ok()?)
}

/// So many seconds, to the microsecond; `None`: no number, below zero, or beyond thirty days.
pub(crate) fn duration_of(seconds: f64) -> Option<Duration> {
    let inside = seconds >= 0.0 && seconds <= MOST.as_secs_f64();
    inside.then(|| Duration::from_micros((seconds * 1e6).round() as u64))
}

/// Never nothing where there was something: a time of zero would mean another thing.
fn scaled(time: Duration, factor: f64) -> Duration {
    if time.is_zero() {
        return time;
    }
    Duration::try_from_secs_f64(time.as_secs_f64() * factor)
        .unwrap_or(MOST)
        .clamp(Duration::from_micros(1), MOST)
}

/// What one side may spend on its moves. Several limits may stand together: the first that is
/// reached ends the search, and only those of time are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideLimit {
    /// A clock for the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// For each move; excludes a clock.
    #[serde(
        default,
        rename = "movetime_us",
        with = "maybe_micros",
        skip_serializing_if = "Option::is_none"
    )]
    pub movetime: Option<Duration>,
    /// Nodes of each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Half-moves of each search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How much later than allowed a move may come.
    #[serde(
        default,
        rename = "margin_us",
        with = "micros",
        skip_serializing_if = "Duration::is_zero"
    )]
    pub margin: Duration,
}

impl SideLimit {
    /// Whether nothing would end a search.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.is_timed() && self.nodes.is_none() && self.depth.is_none()
    }

    /// Whether a move can come too late.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() || self.movetime.is_some()
    }

    /// The same for a machine that is slower by this factor: times are longer, the margin, which is
    /// the system's, is not.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            clock: self.clock.map(|clock| clock.scaled(factor)),
            movetime: self.movetime.map(|each| scaled(each, factor)),
            ..self
        }
    }
}

/// `10+0.1, margin 0.05 s`, `20000 nodes, depth 8`.
impl std::fmt::Display for SideLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut before = "";
        let mut part = |f: &mut std::fmt::Formatter<'_>, text: std::fmt::Arguments<'_>| {
            let done = write!(f, "{before}{text}");
            before = ", ";
            done
        };
        if let Some(clock) = self.clock {
            part(f, format_args!("{clock}"))?;
        }
        if let Some(each) = self.movetime {
            part(f, format_args!("{} s a move", each.as_secs_f64()))?;
        }
        if let Some(nodes) = self.nodes {
            part(f, format_args!("{nodes} nodes"))?;
        }
        if let Some(depth) = self.depth {
            part(f, format_args!("depth {depth}"))?;
        }
        if self.is_timed() && !self.margin.is_zero() {
            part(f, format_args!("margin {} s", self.margin.as_secs_f64()))?;
        }
        Ok(())
    }
}

/// A time as whole microseconds.
mod micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

/// The same where there may be none.
mod maybe_micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::micros::serialize(time, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn time_controls_are_read_as_runners_write_them() {
        for (text, base, increment, moves, again) in [
            ("60+0.6", 60_000, 600, None, "60+0.6"),
            ("40/60", 60_000, 0, Some(40), "40/60"),
            ("40/1:30+0.5", 90_000, 500, Some(40), "40/90+0.5"),
            ("0+1", 0, 1000, None, "0+1"),
            ("0.05", 50, 0, None, "0.05"),
        ] {
            let control = TimeControl { base: MS(base), increment: MS(increment), moves };
            assert_eq!(TimeControl::parse(text), Ok(control));
            assert_eq!(control.to_string(), again);
        }
        for text in
            ["", "0", "-1", "1e400", "nan", "inf", "0/60", "x/60", "60+", "1:x", "9999999+1"]
        {
            let error = TimeControl::parse(text).expect_err(text).to_string();
            assert!(error.contains("allowed: seconds or"), "{error}");
        }
    }

    #[test]
    fn a_limit_comes_back_from_json_and_nothing_is_written_of_what_is_not_there() {
        let limit = SideLimit {
            clock: TimeControl::parse("40/1:30.000001+0.5").ok(),
            nodes: Some(7),
            margin: MS(50),
            ..SideLimit::default()
        };
        let text = serde_json::to_string(&limit).expect("JSON");
        assert_eq!(text, r#"{"clock":"40/90.000001+0.5","nodes":7,"margin_us":50000}"#);
        assert_eq!(serde_json::from_str::<SideLimit>(&text).expect("a limit"), limit);
        assert_eq!(limit.to_string(), "40/90.000001+0.5, 7 nodes, margin 0.05 s");
        assert_eq!(serde_json::to_string(&SideLimit::default()).expect("JSON"), "{}");
        let each = SideLimit { movetime: Some(MS(100)), depth: Some(9), ..SideLimit::default() };
        let text = serde_json::to_string(&each).expect("JSON");
        assert_eq!(serde_json::from_str::<SideLimit>(&text).expect("a limit"), each);
    }

    #[test]
    fn a_slower_machine_gets_longer_times_and_the_same_margin() {
        let limit = SideLimit {
            clock: TimeControl::parse("10+0.1").ok(),
            nodes: Some(7),
            margin: MS(50),
            ..SideLimit::default()
        };
        let slow = limit.scaled(1.5);
        assert_eq!(slow.clock.map(|clock| clock.to_string()).as_deref(), Some("15+0.15"));
        assert_eq!((slow.nodes, slow.margin), (Some(7), MS(50)));
        let least = SideLimit { movetime: Some(Duration::from_micros(1)), ..limit }.scaled(0.1);
        assert_eq!(least.movetime, Some(Duration::from_micros(1)));
    }
}
