//! The coordinator's steps in the trace of a lease: `lease` from its decision to its end, `grant`
//! until it is written, and for each report `judge`, `commit` and `ack`.
//!
//! Nothing here is kept longer than a lease is out. The root of a lease that outlives its coordinator
//! is not told, as nobody knows any more when it began; its other steps are.

use keys::PublicKey;
use model::{LeaseId, WorkerId};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::Batch;
use telemetry::{LeaseTrace, Place, Step, Traces};

/// Leases that are out, and whose they are.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    traces: Traces,
    keys: BTreeMap<WorkerId, PublicKey>,
    out: BTreeMap<LeaseId, Out>,
}

#[derive(Debug)]
struct Out {
    trace: LeaseTrace,
    since: Instant,
    about: Vec<(&'static str, String)>,
}

impl Leases {
    pub(crate) fn new(traces: Traces) -> Self {
        Self { traces, ..Self::default() }
    }

    /// A worker has come with this key.
    pub(crate) fn met(&mut self, worker: WorkerId, key: &PublicKey) {
        if self.traces.is_on() {
            self.keys.insert(worker, *key);
        }
    }

    /// The leases that are out are no longer known: the state is read from the ledger again.
    pub(crate) fn forget(&mut self) {
        self.out.clear();
    }

    /// A batch is written: it was `decided` then, and `commit` is what the writing took.
    pub(crate) fn written(&mut self, batch: &Batch, decided: Instant, commit: Duration) {
        if !self.traces.is_on() {
            return;
        }
        for lease in &batch.leases {
            let Some(key) = self.keys.get(&lease.worker) else { continue };
            let trace = LeaseTrace::new(key.as_bytes(), lease.id.0, lease.epoch);
            let about = vec![
                ("run.id", lease.run.to_string()),
                ("lease.id", lease.id.to_string()),
                ("lease.epoch", lease.epoch.to_string()),
                ("worker.id", lease.worker.to_string()),
                ("pairs.asked", lease.range.count.to_string()),
            ];
            let (name, place) = ("grant", Place::InLease(0));
            self.traces
                .tell(trace, Step { name, place, took: decided.elapsed(), about: Vec::new() });
            self.out.insert(lease.id, Out { trace, since: decided, about });
        }
        for report in &batch.reports {
            let Some(out) = self.out.get(&report.lease) else { continue };
            let about = vec![("pairs.merged", report.pairs.len().to_string())];
            let (name, place) = ("commit", Place::InReport(report.sequence));
            self.traces.tell(out.trace, Step { name, place, took: commit, about });
        }
    }

    /// A report was answered, so long after it had come.
    pub(crate) fn answered(&self, lease: LeaseId, sequence: u32, outcome: &str, took: Duration) {
        if let Some(out) = self.out.get(&lease) {
            let about = vec![("outcome", outcome.to_owned())];
            let (name, place) = ("ack", Place::InReport(sequence));
            self.traces.tell(out.trace, Step { name, place, took, about });
        }
    }

    /// Everything of a batch is said: leases that ended in it are over.
    pub(crate) fn said(&mut self, batch: &Batch) {
        for moved in &batch.lease_moves {
            let Some(end) = moved.end else { continue };
            let Some(Out { trace, since, mut about }) = self.out.remove(&moved.id) else {
                continue;
            };
            about.push(("lease.end", end.name().to_owned()));
            about.push(("pairs.merged", moved.merged_pairs.to_string()));
            let (name, place) = ("lease", Place::Lease);
            self.traces.tell(trace, Step { name, place, took: since.elapsed(), about });
        }
    }
}

/// The rules were asked about a report.
pub(crate) fn judged(
    traces: &Traces,
    key: &PublicKey,
    lease: (LeaseId, u32),
    sequence: u32,
    took: Duration,
) {
    if traces.is_on() {
        let trace = LeaseTrace::new(key.as_bytes(), lease.0.0, lease.1);
        let (name, place) = ("judge", Place::InReport(sequence));
        traces.tell(trace, Step { name, place, took, about: Vec::new() });
    }
}
