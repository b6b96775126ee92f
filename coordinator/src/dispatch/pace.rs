//! How long a lease shall be: as many pairs as its worker plays in a while, fewer at the end of a run.
//!
//! A lease that takes too long loses much with its machine and comes late; one that is too short is
//! mostly messages. At the tail of a run no worker gets more than its share of what is left (guided
//! self-scheduling, Polychronopoulos and Kuck 1987), so that a slow machine does not hold up the end for
//! the others. An author's number of pairs stays the upper bound.

use super::Moment;
use model::WorkerId;
use std::collections::BTreeMap;
use std::time::Duration;

/// At the tail it may take less, down to this.
const SHORTEST: Duration = Duration::from_secs(5);
/// Weight of the last report in a worker's pace.
const NEWEST: f64 = 0.3;

/// Seconds of each worker for a pair of one run, all of its slots together; from its reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paces(BTreeMap<WorkerId, Pace>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    seconds: f64,
    /// When something of it was merged last.
    merged_at: Moment,
}

impl Paces {
    /// A worker has reported so many pairs of a lease of which something happened last at `since`.
    pub fn note(&mut self, worker: WorkerId, pairs: usize, since: Moment, now: Moment) {
        if pairs == 0 {
            return;
        }
        let before = self.0.get(&worker);
        // While another lease of it was played this one waited.
        let since = before.map_or(since, |pace| pace.merged_at.max(since));
        let seconds = now.0.saturating_sub(since.0).as_secs_f64() / pairs as f64;
        let seconds = before.map_or(seconds, |p| p.seconds + NEWEST * (seconds - p.seconds));
        self.0.insert(worker, Pace { seconds, merged_at: now });
    }

    /// The most pairs that the next lease of a worker shall have, at least 1, when so many are left to
    /// give and so many workers, this one among them, are there to take them. No bound for a worker of
    /// which nothing is known. `target` is how long the run wants a lease to take.
    #[must_use]
    pub fn most_pairs(&self, worker: WorkerId, left: u64, workers: usize, target: Duration) -> u32 {
        let Some(pace) = self.0.get(&worker).filter(|pace| pace.seconds > 0.0) else {
            return u32::MAX;
        };
        let within = |span: Duration| (span.as_secs_f64() / pace.seconds).floor();
        let share = left.div_ceil(workers.max(1) as u64) as f64;
        let most = within(target).min(share.max(within(SHORTEST)));
        // Saturates, as `as` does.
        (most as u32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TARGET: Duration = Duration::from_secs(60);

    fn at(seconds: f64) -> Moment {
        Moment(Duration::from_secs_f64(seconds))
    }

    /// A worker that takes so long for a pair, as its reports tell.
    fn known(seconds: f64) -> Paces {
        let mut paces = Paces::default();
        for report in 0..40 {
            let since = at(f64::from(report) * 4.0 * seconds);
            paces.note(WorkerId(1), 4, since, at(f64::from(report + 1) * 4.0 * seconds));
        }
        paces
    }

    proptest! {
        #[test]
        fn a_lease_takes_about_a_minute_and_less_at_the_tail(
            seconds in 0.01..200.0_f64,
            left in 1..100_000_u64,
            workers in 1..5_000_usize,
        ) {
            let most = known(seconds).most_pairs(WorkerId(1), left, workers, TARGET);
            prop_assert!(most >= 1);
            // Never longer than the target, but for a single pair that is longer itself.
            prop_assert!(most == 1 || f64::from(most) * seconds <= 60.0 * 1.001);
            let share = left.div_ceil(workers as u64);
            // Never more than the share, unless that is a matter of seconds.
            prop_assert!(
                most == 1 || u64::from(most) <= share || f64::from(most) * seconds <= 5.0 * 1.001
            );
            // And no less than need be.
            let longer = f64::from(most + 1) * seconds;
            prop_assert!(longer > 60.0 * 0.999 || (u64::from(most + 1) > share && longer > 5.0 * 0.999));
        }
    }

    #[test]
    fn the_first_lease_is_as_the_author_asks_and_a_change_of_pace_is_learnt() {
        let mut paces = Paces::default();
        assert_eq!(paces.most_pairs(WorkerId(1), 10, 10, TARGET), u32::MAX);
        paces.note(WorkerId(1), 1, at(0.0), at(60.0));
        assert_eq!(paces.most_pairs(WorkerId(1), 1_000_000, 10, TARGET), 1);
        for minute in 1..30 {
            paces.note(WorkerId(1), 30, at(0.0), at(60.0 * f64::from(minute + 1)));
        }
        assert!((29..=30).contains(&paces.most_pairs(WorkerId(1), 1_000_000, 10, TARGET)));
        // Others know nothing of it.
        assert_eq!(paces.most_pairs(WorkerId(2), 10, 10, TARGET), u32::MAX);
    }

    /// Workers of very different speed finish a run together: the last is at most a lease behind the first
    /// that finds nothing more.
    #[test]
    fn a_slow_machine_does_not_hold_up_the_end() {
        let speeds = [0.2, 0.5, 1.0, 3.0, 20.0];
        let mut left = 4_000_u64;
        let mut paces = Paces::default();
        // Each has played a pair, so that it is known.
        let mut free_at = speeds;
        for (id, speed) in (0..).map(WorkerId).zip(speeds) {
            paces.note(id, 1, at(0.0), at(speed));
        }
        let mut first_idle = None;
        loop {
            let next = (0..5).min_by(|a, b| free_at[*a].total_cmp(&free_at[*b])).unwrap();
            let (id, now) = (WorkerId(next as i64), free_at[next]);
            if left == 0 {
                first_idle.get_or_insert(now);
                break;
            }
            let pairs = u64::from(paces.most_pairs(id, left, 5, TARGET)).min(left).min(64);
            left -= pairs;
            let end = now + pairs as f64 * speeds[next];
            paces.note(id, pairs as usize, at(now), at(end));
            free_at[next] = end;
        }
        let last = free_at.iter().copied().fold(0.0, f64::max);
        let behind = last - first_idle.unwrap();
        assert!(behind <= 60.0, "{behind} s");
    }
}
