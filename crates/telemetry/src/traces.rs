//! The way of a pair as a trace: the steps that coordinator and worker take, told to a collector by
//! OTLP (OpenTelemetry's protocol) over gRPC.
//!
//! A trace is one lease. Nothing of it travels between the two programs: trace and parents follow
//! from the worker's key, the lease and its epoch, which both know, so that a lease that outlives a
//! restart keeps its trace. A step is told once it is over. Telling never waits: steps go into a
//! bounded queue of the kit, and what does not fit is dropped.
//!
//! The names of the steps are the matter of who takes them.

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor,
};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a collector may take for one delivery.
const DELIVERY: Duration = Duration::from_secs(3);

/// Where a collector takes traces: `http://HOST:PORT`. Not encrypted; a collector beside the program
/// passes them on in whatever way it likes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector(String);

impl FromStr for Collector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            Err(format!(
                "{what}; allowed: http://HOST:PORT of a collector, as http://127.0.0.1:4317"
            ))
        };
        let Ok(uri) = text.parse::<http::Uri>() else { return wrong("no URL") };
        match (uri.scheme_str(), uri.host(), uri.port_u16(), uri.path()) {
            (Some("https"), ..) => wrong(
                "https is not spoken here: let a collector on this machine pass the traces on",
            ),
            (Some("http"), Some(_), Some(_), "" | "/") if uri.query().is_none() => {
                Ok(Self(text.trim_end_matches('/').to_owned()))
            }
            _ => wrong("not the place of a collector"),
        }
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why no traces can be told.
#[derive(Debug, thiserror::Error)]
#[error("traces cannot be sent to {collector}: {why}")]
pub struct TracesError {
    collector: Collector,
    why: String,
}

/// Where steps are told: to a collector or, as by default, to nobody.
#[derive(Clone, Debug, Default)]
pub struct Traces(Option<Arc<Telling>>);

#[derive(Debug)]
struct Telling {
    processor: BatchSpanProcessor,
    scope: InstrumentationScope,
}

/// The trace of one lease at one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTrace {
    trace: TraceId,
    root: SpanId,
}

impl LeaseTrace {
    /// That of this worker's lease.
    #[must_use]
    pub fn new(worker_key: &[u8], lease: i64, epoch: u32) -> Self {
        let hash = Sha256::new()
            .chain_update(b"elomill lease")
            .chain_update(worker_key)
            .chain_update(lease.to_be_bytes())
            .chain_update(epoch.to_be_bytes())
            .finalize();
        let (mut trace, mut root) = ([0; 16], [0; 8]);
        trace.copy_from_slice(&hash[..16]);
        root.copy_from_slice(&hash[16..24]);
        Self { trace: TraceId::from_bytes(trace), root: SpanId::from_bytes(root) }
    }

    fn report(self, sequence: u32) -> SpanId {
        let hash = Sha256::new()
            .chain_update(b"elomill report")
            .chain_update(self.trace.to_bytes())
            .chain_update(sequence.to_be_bytes())
            .finalize();
        let mut id = [0; 8];
        id.copy_from_slice(&hash[..8]);
        SpanId::from_bytes(id)
    }

    /// The id of a step and that of its parent.
    fn ids(self, name: &str, place: Place) -> (SpanId, SpanId) {
        let below = |parent: SpanId, number: u64| {
            let hash = Sha256::new()
                .chain_update(self.trace.to_bytes())
                .chain_update(parent.to_bytes())
                .chain_update(name)
                .chain_update(number.to_be_bytes())
                .finalize();
            let mut id = [0; 8];
            id.copy_from_slice(&hash[..8]);
            (SpanId::from_bytes(id), parent)
        };
        match place {
            Place::Lease => (self.root, SpanId::INVALID),
            Place::InLease(number) => below(self.root, number),
            Place::Report(sequence) => (self.report(sequence), self.root),
            Place::InReport(sequence) => below(self.report(sequence), 0),
        }
    }
}

/// Where a step stands in the trace of its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the whole lease.
    Lease,
    /// A part of the lease, with a number that no other part of this name has.
    InLease(u64),
    /// A report of the lease, by its number.
    Report(u32),
    /// A part of what becomes of this report; one of each name.
    InReport(u32),
}

/// A step that is just over.
#[derive(Clone, Debug)]
pub struct Step {
    /// What was done: a fixed word.
    pub name: &'static str,
    /// Where it stands.
    pub place: Place,
    /// How long it took, until now.
    pub took: Duration,
    /// What it is about, as `run.id` and its number.
    pub about: Vec<(&'static str, String)>,
}

impl Traces {
    /// Tells this collector. Needs a Tokio runtime around it. A collector that does not answer is
    /// no error: it may come later, and until then what is told is lost, with a line in the log.
    ///
    /// # Errors
    /// The exporter cannot be made.
    pub fn to(
        collector: &Collector,
        service: &'static str,
        version: &'static str,
    ) -> Result<Self, TracesError> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(collector.0.clone())
            .with_timeout(DELIVERY)
            .build()
            .map_err(|error| TracesError {
                collector: collector.clone(),
                why: error.to_string(),
            })?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        let resource = Resource::builder_empty()
            .with_attributes([
                KeyValue::new("service.name", service),
                KeyValue::new("service.version", version),
            ])
            .build();
        processor.set_resource(&resource);
        let scope = InstrumentationScope::builder("elomill").with_version(version).build();
        Ok(Self(Some(Arc::new(Telling { processor, scope }))))
    }

    /// Whether anybody is told anything.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Tells a step that has just ended. Does nothing when nobody is told.
    pub fn tell(&self, lease: LeaseTrace, step: Step) {
        let Some(Telling { processor, scope }) = self.0.as_deref() else { return };
        let Step { name, place, took, about } = step;
        let (id, parent_span_id) = lease.ids(name, place);
        let end_time = SystemTime::now();
        processor.on_end(SpanData {
            span_context: SpanContext::new(
                lease.trace,
                id,
                TraceFlags::SAMPLED,
                false,
                TraceState::NONE,
            ),
            parent_span_id,
            parent_span_is_remote: parent_span_id != SpanId::INVALID,
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time: end_time.checked_sub(took).unwrap_or(end_time),
            end_time,
            attributes: about.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: scope.clone(),
        });
    }

    /// Delivers what is told and not delivered, for a few seconds at most: before a program ends.
    pub async fn flush(&self) {
        let Some(telling) = self.0.clone() else { return };
        let flushed = tokio::task::spawn_blocking(move || telling.processor.force_flush());
        match tokio::time::timeout(2 * DELIVERY, flushed).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "the last traces were not delivered"),
            _ => tracing::warn!("the last traces were not delivered in time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_http_with_host_and_port() {
        let good: Collector = "http://127.0.0.1:4317/".parse().expect("good");
        assert_eq!(good.to_string(), "http://127.0.0.1:4317");
        for bad in
            ["", "127.0.0.1:4317", "http://h", "https://h:1", "http://h:1/v1/traces", "ftp://h:1"]
        {
            let error = bad.parse::<Collector>().expect_err(bad);
            assert!(error.contains("allowed: http://HOST:PORT"), "{bad}: {error}");
        }
    }

    #[test]
    fn both_programs_find_the_same_places() {
        let lease = LeaseTrace::new(b"key", 7, 1);
        assert_eq!(lease, LeaseTrace::new(b"key", 7, 1));
        for other in [(b"kex", 7, 1), (b"key", 8, 1), (b"key", 7, 2)] {
            assert_ne!(lease.trace, LeaseTrace::new(other.0, other.1, other.2).trace);
        }
        let (root, none) = lease.ids("lease", Place::Lease);
        assert_eq!(none, SpanId::INVALID);
        let (first, parent) = lease.ids("play", Place::InLease(1));
        assert_eq!(parent, root);
        assert_ne!(first, lease.ids("play", Place::InLease(2)).0);
        let (report, parent) = lease.ids("report", Place::Report(4));
        assert_eq!(parent, root);
        let (judge, parent) = lease.ids("judge", Place::InReport(4));
        assert_eq!(parent, report);
        assert_ne!(judge, lease.ids("commit", Place::InReport(4)).0);
    }
}
