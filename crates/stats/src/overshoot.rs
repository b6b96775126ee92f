//! How far a ratio that is looked at once per report steps over its bound, learnt as it goes.
//!
//! A report of many pairs moves the ratio in jumps, so a test that stops beyond a bound has mostly
//! gone past it, and has played longer than it promised. The mean excess over a far bound is half
//! the mean square over the mean of the ladder steps, those that set a new record (D. Siegmund,
//! "Sequential Analysis", 1985, Corollary 8.33). The bounds move inwards by what the test's own
//! records say, which leaves its error rates as they were.

use crate::sprt::SprtBounds;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The records of one test, a value to fold over its reports in order.
///
/// The default takes every growth of the counts as a step: for a ledger that is looked at after each
/// of its reports, whatever their sizes. A step is then a draw from the sizes that occur, and the
/// steps are alike in law as the theorem asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overshoot {
    /// The only size that is a step; none if every size is.
    report_pairs: Option<u64>,
    pairs: u64,
    below: Ladder,
    above: Ladder,
    /// Pairs were taken back: the records cannot be trusted any more.
    dropped: bool,
}

/// Records on one side, measured away from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Ladder {
    record: f64,
    steps: f64,
    squares: f64,
}

impl Ladder {
    fn climb(&mut self, value: f64) {
        let step = value - self.record;
        if step > 0.0 {
            self.record = value;
            self.steps += step;
            self.squares += step * step;
        }
    }

    fn mean_excess(&self) -> f64 {
        if self.steps > 0.0 { self.squares / (2.0 * self.steps) } else { 0.0 }
    }
}

impl Overshoot {
    /// A test that has not begun, with this many pairs in each report.
    #[must_use]
    pub fn new(report_pairs: NonZeroU32) -> Self {
        Self { report_pairs: Some(u64::from(report_pairs.get())), ..Self::default() }
    }

    /// The state after the ratio `llr` was seen at `pairs` pairs in all.
    ///
    /// A count seen before changes nothing. After a step of any other size than one report the
    /// records go on from here, without a step. Fewer pairs than before mean that results were
    /// taken back: then there is no correction any more.
    #[must_use]
    pub fn seen(mut self, pairs: u64, llr: f64) -> Self {
        if pairs < self.pairs {
            self.dropped = true;
        } else if pairs > self.pairs
            && self.report_pairs.is_none_or(|step| pairs - self.pairs == step)
        {
            self.above.climb(llr);
            self.below.climb(-llr);
        } else if pairs > self.pairs {
            self.above.record = llr;
            self.below.record = -llr;
        }
        self.pairs = pairs;
        self
    }

    /// The bounds to stop at, given those of the specification. They never cross zero.
    #[must_use]
    pub fn bounds(&self, bounds: SprtBounds) -> SprtBounds {
        if self.dropped {
            return bounds;
        }
        SprtBounds {
            lower: (bounds.lower + self.below.mean_excess()).min(0.0),
            upper: (bounds.upper - self.above.mean_excess()).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: SprtBounds = SprtBounds { lower: -3.0, upper: 3.0 };

    fn after(reports: &[(u64, f64)]) -> SprtBounds {
        let start = Overshoot::new(NonZeroU32::new(8).unwrap());
        reports.iter().fold(start, |state, &(pairs, llr)| state.seen(pairs, llr)).bounds(BOUNDS)
    }

    #[test]
    fn records_move_the_bounds_inwards() {
        assert_eq!(after(&[]), BOUNDS);
        // Steps up of 0.4 and 0.2: (0.16 + 0.04) / (2 · 0.6); one step down of 0.5: 0.25.
        let bounds = after(&[(8, 0.4), (16, 0.1), (24, 0.6), (32, -0.5)]);
        assert!((bounds.upper - (3.0 - 0.2 / 1.2)).abs() < 1e-12, "{bounds:?}");
        assert!((bounds.lower - (-3.0 + 0.25)).abs() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn a_report_seen_twice_counts_once() {
        let once = [(8, 0.4), (16, 0.7)];
        let twice = [(8, 0.4), (8, 0.4), (16, 0.7), (16, 0.7)];
        assert_eq!(after(&once), after(&twice));
    }

    #[test]
    fn a_gap_adds_no_step() {
        // From 0.4 the records go on at 1.5 and climb 0.1.
        let bounds = after(&[(8, 0.4), (32, 1.5), (40, 1.6)]);
        assert!((bounds.upper - (3.0 - 0.17 / 1.0)).abs() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn without_a_size_every_growth_is_a_step() {
        let reports = [(3, 0.4), (3, 0.4), (4, 0.1), (24, 0.6)];
        let start = Overshoot::default();
        let bounds = reports
            .iter()
            .fold(start, |state, &(pairs, llr)| state.seen(pairs, llr))
            .bounds(BOUNDS);
        assert!((bounds.upper - (3.0 - 0.2 / 1.2)).abs() < 1e-12, "{bounds:?}");
        assert_eq!(bounds.lower, -3.0);
        let json = serde_json::to_string(&start.seen(3, 0.4)).unwrap();
        assert_eq!(serde_json::from_str::<Overshoot>(&json).unwrap(), start.seen(3, 0.4));
    }

    #[test]
    fn results_taken_back_end_the_correction() {
        assert_eq!(after(&[(8, 0.4), (16, 0.9), (8, 0.3), (16, 1.2)]), BOUNDS);
    }

    #[test]
    fn one_enormous_step_leaves_bounds_on_their_sides() {
        let bounds = after(&[(8, 40.0), (16, -60.0)]);
        assert!(bounds.lower <= 0.0 && bounds.upper >= 0.0);
    }
}
