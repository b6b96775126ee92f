//! The way of a run as a curve of bounded length.

use serde::{Deserialize, Serialize};

/// Points that a curve keeps at most. When it is full every second point goes.
pub(crate) const TRACE_POINTS: usize = 256;

/// A curve of bounded length: points at least `spacing` pairs apart, and always the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trace<P> {
    spacing: u64,
    next_at: u64,
    points: Vec<P>,
}

impl<P> Trace<P> {
    pub(crate) fn new() -> Self {
        Self { spacing: 1, next_at: 0, points: Vec::new() }
    }

    /// Adds a point, if it is far enough from the last one; `most` are kept, at least 2.
    pub(crate) fn push(&mut self, pairs: u64, most: usize, point: impl FnOnce() -> P) {
        if pairs < self.next_at {
            return;
        }
        if self.points.len() >= most {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.spacing = (2 * self.spacing).max(pairs / most as u64);
        }
        self.points.push(point());
        self.next_at = pairs + self.spacing;
    }

    pub(crate) fn points(&self) -> &[P] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn a_curve_stays_short_and_keeps_its_first_point() {
        for most in [super::TRACE_POINTS, 16] {
            let mut trace = Trace::new();
            for pairs in 0..100_000 {
                trace.push(pairs, most, || pairs);
            }
            assert!(trace.points.len() <= most);
            assert!(trace.points.len() >= most / 4);
            assert_eq!(trace.points[0], 0);
            assert!(trace.points.is_sorted());
        }
    }
}
