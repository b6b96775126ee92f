//! What one side may spend: its limits as match runners write them, and the clock that counts.
//!
//! Pure: times come in. A clock counts in nanoseconds, so that no time leaks away by rounding; first
//! the move is subtracted, then the flag is looked at, then increment and next period are credited.

use model::printable;
use std::time::Duration;

/// Longest time that may be given for anything.
const MOST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A clock for the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    found: String,
    allowed: &'static str,
}

impl TimeControl {
    /// `60+0.6`, `40/60`, `40/1:30+0.5`: moves of a period, minutes, seconds, seconds of increment.
    ///
    /// # Errors
    /// The text is no such thing.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let allowed =
            "seconds or [MOVES/][MINUTES:]SECONDS[+INCREMENT], such as 60+0.6 or 40/60+0.6";
        let wrong = || TimeError { found: printable(text, 40), allowed };
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
        if base > MOST || base + increment == Duration::ZERO {
            return Err(wrong());
        }
        Ok(Self { base, increment, moves })
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

/// A time in seconds, with decimals.
///
/// # Errors
/// The text is no number, below zero, or beyond thirty days.
pub fn parse_seconds(text: &str) -> Result<Duration, TimeError> {
    let allowed = "seconds from 0 to 2592000, decimals allowed";
    seconds_of(text).ok_or_else(|| TimeError { found: printable(text, 40), allowed })
}

fn seconds_of(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= MOST).then_some(time)
}

/// What one side may spend on its moves. Several limits may stand together: the first that is
/// reached ends the search, and only those of time are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideLimit {
    /// A clock for the game.
    pub clock: Option<TimeControl>,
    /// For each move; excludes a clock.
    pub movetime: Option<Duration>,
    /// Nodes of each move.
    pub nodes: Option<u64>,
    /// Half-moves of each search.
    pub depth: Option<u32>,
    /// How much later than allowed a move may come.
    pub margin: Duration,
}

impl SideLimit {
    /// Whether nothing would end a search.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clock.is_none()
            && self.movetime.is_none()
            && self.nodes.is_none()
            && self.depth.is_none()
    }
}

/// The clock of one side in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    limit: SideLimit,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// The time that a move took was more than was left, margin included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// By how much, without the margin.
    pub over: Duration,
}

impl Clock {
    /// A clock at the start of a game.
    #[must_use]
    pub fn new(limit: SideLimit) -> Self {
        // A base of nothing could not begin: then the first move has its increment beforehand.
        let left = limit.clock.map_or(Duration::ZERO, |clock| match clock.base {
            Duration::ZERO => clock.increment,
            base => base,
        });
        Self { limit, left, moves_to_go: limit.clock.and_then(|clock| clock.moves) }
    }

    /// The limits.
    #[must_use]
    pub fn limit(&self) -> &SideLimit {
        &self.limit
    }

    /// What the side may spend on its next move; `None`: no limit of time.
    #[must_use]
    pub fn budget(&self) -> Option<Duration> {
        self.limit.movetime.or_else(|| self.limit.clock.map(|_| self.left))
    }

    /// What the clock shows; `None` without one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.limit.clock.map(|_| self.left)
    }

    /// Added after each move.
    #[must_use]
    pub fn increment(&self) -> Duration {
        self.limit.clock.map_or(Duration::ZERO, |clock| clock.increment)
    }

    /// Moves until the next period.
    #[must_use]
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Counts a move that took so long.
    ///
    /// # Errors
    /// The flag has fallen.
    pub fn spend(&mut self, elapsed: Duration) -> Result<(), Flag> {
        let Some(budget) = self.budget() else { return Ok(()) };
        if elapsed > budget + self.limit.margin {
            return Err(Flag { over: elapsed - budget });
        }
        let Some(control) = self.limit.clock else { return Ok(()) };
        self.left = self.left.saturating_sub(elapsed) + control.increment;
        if let Some(moves) = &mut self.moves_to_go {
            *moves -= 1;
            if *moves == 0 {
                self.left += control.base;
                self.moves_to_go = control.moves;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(text: &str, margin: u64) -> Clock {
        let control = TimeControl::parse(text).expect(text);
        Clock::new(SideLimit { clock: Some(control), margin: MS(margin), ..SideLimit::default() })
    }

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
    fn time_does_not_leak_by_rounding() {
        // 0.9 ms a move at 60 ms for the game: the flag falls with the 67th move.
        let mut clock = clock("0.06", 0);
        let fell = (1..=105).find(|_| clock.spend(Duration::from_micros(900)).is_err());
        assert_eq!(fell, Some(67));
    }

    #[test]
    fn a_move_is_subtracted_then_judged_then_credited() {
        let mut clock = clock("2/1+0.5", 0);
        assert_eq!(clock.spend(MS(400)), Ok(()));
        assert_eq!((clock.left(), clock.moves_to_go()), (Some(MS(1100)), Some(1)));
        assert_eq!(clock.spend(MS(1101)), Err(Flag { over: MS(1) }), "the next period is not lent");
        assert_eq!(clock.spend(MS(1100)), Ok(()));
        assert_eq!((clock.left(), clock.moves_to_go()), (Some(MS(1500)), Some(2)));
    }

    #[test]
    fn the_margin_forgives_but_does_not_give() {
        let mut clock = clock("0.1", 20);
        assert_eq!(clock.spend(MS(120)), Ok(()));
        assert_eq!(clock.left(), Some(Duration::ZERO));
        assert_eq!(clock.spend(MS(21)), Err(Flag { over: MS(21) }));
        let movetime = SideLimit { movetime: Some(MS(50)), margin: MS(5), ..SideLimit::default() };
        let mut each = Clock::new(movetime);
        for _ in 0..3 {
            assert_eq!(each.spend(MS(55)), Ok(()));
        }
        assert!(each.spend(MS(56)).is_err());
        assert_eq!(Clock::new(SideLimit::default()).spend(MOST), Ok(()));
    }
}
