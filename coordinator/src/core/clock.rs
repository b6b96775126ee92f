//! The coordinator's clock: monotonic, and standing still while the coordinator itself did.
//!
//! A coordinator that was stopped for minutes, or waited for its database, has heard nobody meanwhile;
//! that must not make every lease overdue the moment it goes on.

use crate::dispatch::Moment;
use std::time::{Duration, Instant};

/// A turn that took longer was a stall. The core has a turn four times a second.
const STALL: Duration = Duration::from_secs(1);

/// Time since the start, less what was lost in stalls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    started: Instant,
    looked_at: Instant,
    stalled: Duration,
}

impl Clock {
    pub(super) fn start() -> Self {
        let now = Instant::now();
        Self { started: now, looked_at: now, stalled: Duration::ZERO }
    }

    /// A turn begins: what passed since the last one, beyond what a turn may take, does not count.
    pub(super) fn turn(&mut self) {
        self.turn_at(Instant::now());
    }

    fn turn_at(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.looked_at);
        self.stalled += passed.saturating_sub(STALL);
        self.looked_at = now;
    }

    pub(super) fn now(&self) -> Moment {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Moment {
        Moment(now.saturating_duration_since(self.started).saturating_sub(self.stalled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_takes_no_time_and_turns_take_theirs() {
        let mut clock = Clock::start();
        let mut now = clock.started;
        for _ in 0..40 {
            now += Duration::from_millis(250);
            clock.turn_at(now);
        }
        assert_eq!(clock.at(now), Moment(Duration::from_secs(10)));
        now += Duration::from_secs(3600);
        clock.turn_at(now);
        assert_eq!(clock.at(now), Moment(Duration::from_secs(11)));
        now += Duration::from_millis(900);
        clock.turn_at(now);
        assert_eq!(clock.at(now), Moment(Duration::from_millis(11_900)));
    }
}
