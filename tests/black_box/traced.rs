//! The way of a pair as a collector hears of it: a house of real processes tells a real OTLP receiver.

use crate::support::{Running, data_dir, file, good};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

const TUNE: &str = r#"name = "to be traced"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 60
[tune]
pairs = 24
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
"#;

/// What was heard: the service that told it, and the step.
type Heard = Arc<Mutex<Vec<(String, Span)>>>;

struct Receiver(Heard);

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut heard = self.0.lock().expect("no panic");
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.unwrap_or_default().attributes;
            let service = text(&attributes, "service.name").expect("a service has a name");
            let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            heard.extend(spans.map(|span| (service.clone(), span)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

/// Plays a small tune in a house that tells this collector, to its end and the house's.
fn play(folder: &Path, collector: &str) {
    let mut house = Running::start(
        folder,
        &["up", "--json", "--slots", "2", "--listen", "127.0.0.1:0", "--otlp", collector],
    );
    house.next_object().expect("the house says where it is");
    let path = file(folder, "tune.toml", TUNE);
    good(folder, &["tune", path.to_str().expect("plain"), "--follow"]);
    assert!(house.interrupt().success());
}

#[test]
fn a_collector_hears_the_whole_way_of_every_pair() {
    let heard = Heard::default();
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let _inside = runtime.enter();
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = incoming.local_addr().expect("an address");
    let service = TraceServiceServer::new(Receiver(Arc::clone(&heard)));
    runtime.spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let folder = data_dir();
    play(folder.path(), &format!("http://{address}"));

    let heard = std::mem::take(&mut *heard.lock().expect("no panic"));
    let mut traces: BTreeMap<Vec<u8>, Vec<(String, Span)>> = BTreeMap::new();
    for (service, span) in heard {
        traces.entry(span.trace_id.clone()).or_default().push((service, span));
    }
    assert!(traces.len() >= 6, "24 pairs are at least six leases of four: {}", traces.len());
    let mut played = 0;
    for spans in traces.values() {
        let of = |name: &str| -> Vec<&(String, Span)> {
            spans.iter().filter(|(_, span)| span.name == name).collect()
        };
        let told_by = |name: &str, service: &str| {
            for (teller, span) in of(name) {
                assert_eq!(teller, service, "{name}");
                assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{name}");
            }
        };
        for name in ["lease", "grant", "judge", "commit", "ack"] {
            told_by(name, "elomill-coordinator");
        }
        for name in ["play", "report"] {
            told_by(name, "elomill-worker");
        }
        let [(_, root)] = of("lease")[..] else { panic!("one root of a trace: {spans:?}") };
        assert_eq!(root.parent_span_id, Vec::<u8>::new());
        assert_eq!(text(&root.attributes, "run.id").as_deref(), Some("1"));
        let merged: usize =
            text(&root.attributes, "pairs.merged").expect("told").parse().expect("n");
        let plays = of("play");
        // The budget may end a run while pairs beyond it are in play.
        assert!(plays.len() >= merged, "{} played, {merged} merged", plays.len());
        assert_eq!(of("grant").len(), 1);
        for (_, span) in [plays, of("grant"), of("report")].concat() {
            assert_eq!(span.parent_span_id, root.span_id, "{}", span.name);
        }
        let reports = of("report");
        for name in ["judge", "ack", "commit"] {
            for (_, span) in of(name) {
                let parent =
                    reports.iter().find(|(_, report)| report.span_id == span.parent_span_id);
                assert!(parent.is_some(), "{name} hangs on a report");
            }
        }
        let commits = of("commit").into_iter().map(|(_, span)| {
            text(&span.attributes, "pairs.merged").and_then(|n| n.parse::<usize>().ok()).expect("n")
        });
        assert_eq!(commits.sum::<usize>(), merged);
        played += merged;
    }
    assert_eq!(played, 24);
}

/// What watches must never be in the way of what is watched.
#[test]
fn a_collector_that_is_not_there_costs_traces_and_nothing_else() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    drop(taken);
    let folder = data_dir();
    play(folder.path(), &format!("http://{address}"));
}
