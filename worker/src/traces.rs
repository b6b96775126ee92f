//! The worker's steps in the trace of a lease: `play` for each pair, and `report` from the first
//! sending of a report to its answer.

use crate::holdings::LeaseKey;
use keys::PublicKey;
use model::lease::PairRecord;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use telemetry::{LeaseTrace, Place, Step, Traces};

/// Tells the steps, and remembers since when reports are under way: one for each lease at most.
#[derive(Debug)]
pub(crate) struct Steps {
    traces: Traces,
    key: PublicKey,
    sent: BTreeMap<LeaseKey, (u32, Instant)>,
}

impl Steps {
    pub(crate) fn new(traces: Traces, key: PublicKey) -> Self {
        Self { traces, key, sent: BTreeMap::new() }
    }

    /// A pair was played to its end.
    pub(crate) fn played(&self, key: LeaseKey, pair: &PairRecord, took: Duration) {
        if self.traces.is_on() {
            let about = vec![
                ("pair.index", pair.index.to_string()),
                ("nodes", (pair.candidate_first.nodes + pair.base_first.nodes).to_string()),
            ];
            let step = Step { name: "play", place: Place::InLease(pair.index.0), took, about };
            self.traces.tell(self.lease(key), step);
        }
    }

    /// A report leaves; when the same one leaves again it is still under way since the first time.
    pub(crate) fn sent(&mut self, key: LeaseKey, sequence: u32) {
        if self.traces.is_on() && self.sent.get(&key).is_none_or(|(of, _)| *of != sequence) {
            self.sent.insert(key, (sequence, Instant::now()));
        }
    }

    /// A report was answered.
    pub(crate) fn answered(&mut self, key: LeaseKey, sequence: u32, outcome: &str) {
        if let Some((_, since)) = self.sent.remove(&key).filter(|(of, _)| *of == sequence) {
            let about = vec![("outcome", outcome.to_owned())];
            let (name, place) = ("report", Place::Report(sequence));
            let step = Step { name, place, took: since.elapsed(), about };
            self.traces.tell(self.lease(key), step);
        }
    }

    /// The lease is over.
    pub(crate) fn forget(&mut self, key: LeaseKey) {
        self.sent.remove(&key);
    }

    fn lease(&self, key: LeaseKey) -> LeaseTrace {
        LeaseTrace::new(self.key.as_bytes(), key.lease.0, key.epoch)
    }
}
