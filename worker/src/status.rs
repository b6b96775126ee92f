//! What a worker tells about itself while it runs and when it has ended.

use model::lease::PairIndex;
use model::{Games, Nodes, Pairs, RunId};
use std::collections::VecDeque;
use std::time::Instant;

/// A worker at one moment, for a status line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Whether the coordinator has welcomed this worker and the connection stands.
    pub connected: bool,
    /// The id that the coordinator gave, once it did.
    pub worker: Option<model::WorkerId>,
    /// The run of the oldest lease held.
    pub run: Option<RunId>,
    /// The pair of that run that was begun last.
    pub pair: Option<PairIndex>,
    /// Slots that play now.
    pub playing: u32,
    /// All slots.
    pub slots: u32,
    /// Games finished over the last minute, or since the start if that is less, scaled to a minute.
    pub games_per_minute: f64,
    /// Nodes per second of all playing slots together, by their last pair.
    pub nodes_per_second: Nodes,
    /// Pairs played to their end since the start.
    pub played: Pairs,
    /// Pairs that the coordinator has acknowledged since the start.
    pub accepted: Pairs,
    /// Finished pairs that are not acknowledged yet.
    pub spooled: Pairs,
    /// Leases held.
    pub leases: usize,
    /// Leases given back unfinished since the start.
    pub returned_leases: u64,
    /// Times that the coordinator welcomed this worker since the start.
    pub sessions: u64,
    /// Until the next report is due, to the second.
    pub next_report: Option<std::time::Duration>,
    /// Why nothing is played, in words, when nothing is.
    pub idle_reason: Option<String>,
    /// Whether the worker is going away.
    pub ending: bool,
}

/// What a worker did from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pairs played to their end.
    pub played: Pairs,
    /// Pairs that the coordinator acknowledged.
    pub accepted: Pairs,
    /// Finished pairs that stay on the disk and are delivered at the next start.
    pub spooled: Pairs,
    /// Leases given back unfinished.
    pub returned_leases: u64,
    /// Times that the coordinator welcomed this worker.
    pub sessions: u64,
}

const WINDOW_SECONDS: u64 = 60;

/// Counts games by the second over the last minute.
#[derive(Debug)]
pub(crate) struct GameRate {
    started: Instant,
    /// Second since the start, games finished in it; oldest first.
    seconds: VecDeque<(u64, Games)>,
}

impl GameRate {
    pub(crate) fn new(now: Instant) -> Self {
        Self { started: now, seconds: VecDeque::new() }
    }

    pub(crate) fn add(&mut self, now: Instant, games: Games) {
        let second = now.duration_since(self.started).as_secs();
        match self.seconds.back_mut() {
            Some((last, count)) if *last == second => *count += games,
            _ => self.seconds.push_back((second, games)),
        }
        self.forget(second);
    }

    pub(crate) fn per_minute(&mut self, now: Instant) -> f64 {
        let elapsed = now.duration_since(self.started);
        self.forget(elapsed.as_secs());
        let games: Games = self.seconds.iter().map(|(_, count)| *count).sum();
        let seconds = elapsed.as_secs_f64().clamp(1.0, WINDOW_SECONDS as f64);
        games.0 as f64 * 60.0 / seconds
    }

    fn forget(&mut self, second: u64) {
        while self.seconds.front().is_some_and(|(old, _)| old + WINDOW_SECONDS <= second) {
            self.seconds.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_rate_is_that_of_the_last_minute() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut rate = GameRate::new(start);
        assert_eq!(rate.per_minute(start), 0.0);
        rate.add(at(10.0), Games(4));
        assert_eq!(rate.per_minute(at(20.0)), 12.0);
        rate.add(at(65.0), Games(2));
        assert_eq!(rate.per_minute(at(66.0)), 6.0);
        assert_eq!(rate.per_minute(at(71.0)), 2.0);
        assert_eq!(rate.per_minute(at(200.0)), 0.0);
        assert!(rate.seconds.is_empty());
    }
}
