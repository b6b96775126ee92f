//! The clock of one side that counts what it spends.
//!
//! Pure: times come in. It counts in nanoseconds, so that no time leaks away by rounding; first
//! the move is subtracted, then the flag is looked at, then increment and next period are credited.

use model::SideLimit;
use std::time::Duration;

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
    use model::TimeControl;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(text: &str, margin: u64) -> Clock {
        let control = TimeControl::parse(text).expect(text);
        Clock::new(SideLimit { clock: Some(control), margin: MS(margin), ..SideLimit::default() })
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
        assert_eq!(Clock::new(SideLimit::default()).spend(MS(1 << 40)), Ok(()));
    }
}
