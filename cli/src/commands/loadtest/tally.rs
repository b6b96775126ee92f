//! What is counted while the fleet works: each call from the moment at which it was due, so that a
//! coordinator that answers late does not thin out its own measurement (coordinated omission, G. Tene
//! 2013).

use hdrhistogram::Histogram;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest time that is told apart, in microseconds.
const MOST_US: u64 = 600_000_000;
/// Three significant digits.
const DIGITS: u8 = 3;

/// A call of the contract, as the fleet makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// From dialling to the welcome.
    Join,
    /// From wanting to the lease.
    Lease,
    /// From the time at which a report was due to the acknowledgement of what is durable.
    Report,
}

/// Quantiles of the times of one call, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Times {
    pub(super) calls: u64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) p999_ms: f64,
    pub(super) max_ms: f64,
}

struct State {
    histograms: [Histogram<u64>; 3],
    /// What was due in the measured time, answered or not.
    due: [u64; 3],
    window: Option<(Instant, Instant)>,
    connected: usize,
    progress: u64,
    refused: u64,
    last_trouble: String,
}

/// The counters of a fleet.
pub(super) struct Tally(Mutex<State>);

impl Tally {
    pub(super) fn new() -> anyhow::Result<Self> {
        let histogram = || Histogram::new_with_bounds(1, MOST_US, DIGITS);
        Ok(Self(Mutex::new(State {
            histograms: [histogram()?, histogram()?, histogram()?],
            due: [0; 3],
            window: None,
            connected: 0,
            progress: 0,
            refused: 0,
            last_trouble: String::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Counters are whole whoever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leases and reports that are due from now on for so long are measured.
    pub(super) fn open(&self, span: Duration) {
        let now = Instant::now();
        let mut state = self.lock();
        state.window = Some((now, now + span));
        state.progress = 0;
    }

    /// A call became due.
    pub(super) fn due(&self, call: Call, at: Instant) {
        let mut state = self.lock();
        if state.measures(call, at) {
            state.due[call as usize] += 1;
        }
    }

    /// A call that was due then is answered.
    pub(super) fn answered(&self, call: Call, due: Instant) {
        let took = due.elapsed().as_micros();
        let mut state = self.lock();
        if state.measures(call, due) {
            // Saturates at the longest time that is told apart.
            let us = u64::try_from(took).unwrap_or(MOST_US).clamp(1, MOST_US);
            state.histograms[call as usize].saturating_record(us);
        }
    }

    pub(super) fn progress_said(&self) {
        self.lock().progress += 1;
    }

    pub(super) fn progress(&self) -> u64 {
        self.lock().progress
    }

    pub(super) fn connected(&self, change: isize) -> usize {
        let mut state = self.lock();
        state.connected = state.connected.saturating_add_signed(change);
        state.connected
    }

    /// A report was not merged, for this reason.
    pub(super) fn refused(&self, why: &str) {
        let mut state = self.lock();
        state.refused += 1;
        state.last_trouble = model::printable(why, 200);
    }

    /// A connection broke or was refused, for this reason.
    pub(super) fn trouble(&self, why: &str) {
        self.lock().last_trouble = model::printable(why, 200);
    }

    /// Refused reports, and the last trouble of any kind.
    pub(super) fn troubles(&self) -> (u64, String) {
        let state = self.lock();
        (state.refused, state.last_trouble.clone())
    }

    /// What was due and is not answered.
    pub(super) fn open_calls(&self, call: Call) -> u64 {
        let state = self.lock();
        state.due[call as usize].saturating_sub(state.histograms[call as usize].len())
    }

    /// The times of a call. What has no answer by now counts as having taken until now.
    pub(super) fn times(&self, call: Call) -> Times {
        let state = self.lock();
        let mut histogram = state.histograms[call as usize].clone();
        let missing = state.due[call as usize].saturating_sub(histogram.len());
        if let (Some((begin, _)), 1..) = (state.window, missing) {
            let us = u64::try_from(begin.elapsed().as_micros()).unwrap_or(MOST_US);
            histogram.saturating_record_n(us.clamp(1, MOST_US), missing);
        }
        let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Times {
            calls: histogram.len() - missing,
            p50_ms: at(0.5),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
            max_ms: histogram.max() as f64 / 1e3,
        }
    }
}

impl State {
    fn measures(&self, call: Call, due: Instant) -> bool {
        call == Call::Join || self.window.is_some_and(|(begin, end)| (begin..end).contains(&due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_due_in_the_measured_time_counts_and_silence_counts_as_slow() {
        let tally = Tally::new().unwrap();
        let before = Instant::now();
        tally.due(Call::Report, before);
        tally.answered(Call::Report, before);
        assert_eq!(tally.times(Call::Report).calls, 0);
        tally.open(Duration::from_secs(3600));
        let due = Instant::now();
        for _ in 0..99 {
            tally.due(Call::Report, due);
            tally.answered(Call::Report, due);
        }
        tally.due(Call::Report, due);
        std::thread::sleep(Duration::from_millis(2));
        let times = tally.times(Call::Report);
        assert_eq!((times.calls, tally.open_calls(Call::Report)), (99, 1));
        assert!(times.max_ms >= 2.0 && times.p999_ms >= 2.0, "{times:?}");
    }
}
