//! When a search ends: nodes and depth, which are exact, and a signal or a deadline, which are not.

use crate::TimePlan;
use model::Nodes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a search may spend. All `None`: until the signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Positions that all threads together may visit beyond the root; never one more.
    pub nodes: Option<Nodes>,
    /// Iterations in plies.
    pub depth: Option<u32>,
    /// Ends as soon as a mate in at most so many half-moves is found.
    pub mate: Option<u32>,
}

impl Limits {
    /// A node limit alone.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(Nodes(nodes)), ..Self::default() }
    }

    /// A depth limit alone.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }
}

/// Where a search with a deadline reads the time; the engine knows no clock of its own.
pub trait TimeSource {
    /// Time since the search was asked for.
    fn elapsed(&self) -> Duration;
}

/// What may end a search from outside.
#[derive(Clone, Copy, Default)]
pub struct StopSignal<'a> {
    flag: Option<&'a AtomicBool>,
    time: Option<(&'a dyn TimeSource, TimePlan)>,
}

impl<'a> StopSignal<'a> {
    /// Nothing: the limits alone decide, and the search is deterministic.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// Ends soon after `flag` becomes true.
    #[must_use]
    pub fn when(flag: &'a AtomicBool) -> Self {
        Self { flag: Some(flag), time: None }
    }

    /// Ends also once `movetime` has passed by `clock`.
    #[must_use]
    pub fn or_after(self, clock: &'a dyn TimeSource, movetime: Duration) -> Self {
        self.or_by(clock, TimePlan::fixed(movetime))
    }

    /// Ends also when a plan says so.
    #[must_use]
    pub fn or_by(self, clock: &'a dyn TimeSource, plan: TimePlan) -> Self {
        Self { time: Some((clock, plan)), ..self }
    }

    /// Whether there is anything to ask.
    pub(crate) fn can_raise(&self) -> bool {
        self.flag.is_some() || self.time.is_some()
    }

    pub(crate) fn is_raised(&self) -> bool {
        // Relaxed: the flag carries no data, it only has to arrive.
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.time.is_some_and(|(clock, plan)| clock.elapsed() >= plan.maximum)
    }

    /// Whether it is too late to begin an iteration, `scale` being more than 1 where the search is
    /// unsure of its move.
    pub(crate) fn is_late(&self, scale: f64) -> bool {
        self.time.is_some_and(|(clock, plan)| {
            plan.optimum.is_some_and(|optimum| {
                let seconds = optimum.as_secs_f64() * scale;
                let optimum = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                clock.elapsed() >= optimum.max(plan.free)
            })
        })
    }

    /// Whether time that is not used now is there for later moves.
    pub(crate) fn saves_time(&self) -> bool {
        self.time.is_some_and(|(_, plan)| plan.optimum.is_some())
    }
}
