//! A coordinator that does what a test tells it, over real gRPC on a loopback port.

use proto::v1::worker_service_server::{WorkerService, WorkerServiceServer};
use proto::v1::{self, work_request::Message as Said, work_response::Message as Answer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};
use worker::{Settings, Shutdown, Summary, WorkerError};

/// Nothing here takes long: a test that waits so long for an event waits for ever.
const HANGS: Duration = Duration::from_secs(60);

/// Waits for an event, and fails when it never comes.
pub(crate) async fn event<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, future).await.unwrap_or_else(|_| panic!("never came: {what}"))
}

struct Script {
    talks: mpsc::Sender<Talk>,
    /// Calls that are still to be refused.
    refusals: Arc<AtomicU32>,
}

#[tonic::async_trait]
impl WorkerService for Script {
    type WorkStream = ReceiverStream<Result<v1::WorkResponse, Status>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkRequest>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let less = |left: u32| left.checked_sub(1);
        if self.refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            return Err(Status::unavailable("not now"));
        }
        let (outbound, responses) = mpsc::channel(64);
        let talk = Talk { inbound: request.into_inner(), outbound, wanted: 0 };
        self.talks.send(talk).await.map_err(|_| Status::cancelled("the test ends"))?;
        Ok(Response::new(ReceiverStream::new(responses)))
    }

    async fn explain(
        &self,
        _: Request<v1::ExplainRequest>,
    ) -> Result<Response<v1::ExplainResponse>, Status> {
        Err(Status::unimplemented("no test asks"))
    }
}

/// The scripted coordinator.
pub(crate) struct Coordinator {
    pub(crate) url: String,
    pub(crate) refusals: Arc<AtomicU32>,
    talks: mpsc::Receiver<Talk>,
    _server: JoinSet<()>,
}

impl Coordinator {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (talks_in, talks) = mpsc::channel(4);
        let refusals = Arc::<AtomicU32>::default();
        let script = Script { talks: talks_in, refusals: refusals.clone() };
        let mut server = JoinSet::new();
        server.spawn(async move {
            tonic::transport::Server::builder()
                .add_service(WorkerServiceServer::new(script))
                .serve_with_incoming(TcpIncoming::from(listener))
                .await
                .expect("the server serves");
        });
        Self { url, refusals, talks, _server: server }
    }

    /// The next stream that a worker opens, before anything is said.
    pub(crate) async fn talk(&mut self) -> Talk {
        event("a stream", self.talks.recv()).await.expect("the server runs")
    }

    /// The next stream, with `Hello` heard and answered.
    pub(crate) async fn welcome(&mut self) -> (Talk, v1::Hello) {
        let mut talk = self.talk().await;
        let Said::Hello(hello) = talk.hear().await else { panic!("the first message is Hello") };
        talk.welcome().await;
        (talk, hello)
    }
}

/// One stream of a worker.
pub(crate) struct Talk {
    inbound: Streaming<v1::WorkRequest>,
    outbound: mpsc::Sender<Result<v1::WorkResponse, Status>>,
    /// Leases that the worker wants now, as far as it was heard.
    wanted: u32,
}

impl Talk {
    /// What the worker says next; `None` at the end of the stream.
    pub(crate) async fn hear_or_end(&mut self) -> Option<Said> {
        let request = event("a message", self.inbound.message()).await.ok().flatten()?;
        let said = request.message.expect("every request says something");
        if let Said::Want(want) = &said {
            self.wanted = want.leases;
        }
        Some(said)
    }

    /// What the worker says next.
    pub(crate) async fn hear(&mut self) -> Said {
        self.hear_or_end().await.expect("the worker goes on")
    }

    /// The first thing said that `find` recognises; signs of life never end, so the whole wait is
    /// bounded.
    async fn hear_until<T>(&mut self, what: &str, mut find: impl FnMut(Said) -> Option<T>) -> T {
        event(what, async {
            loop {
                if let Some(found) = find(self.hear().await) {
                    return found;
                }
            }
        })
        .await
    }

    /// The next report, signs of life and wants passed over.
    pub(crate) async fn hear_report(&mut self) -> v1::Report {
        self.hear_until("a report", |said| match said {
            Said::Report(report) => Some(report),
            Said::Progress(_) | Said::Want(_) => None,
            other => panic!("instead of a report: {other:?}"),
        })
        .await
    }

    /// The next lease given back, everything else passed over.
    pub(crate) async fn hear_return(&mut self) -> v1::ReturnLease {
        self.hear_until("a return", |said| match said {
            Said::ReturnLease(back) => Some(back),
            _ => None,
        })
        .await
    }

    /// Waits until the worker wants so many leases.
    pub(crate) async fn hear_want(&mut self, leases: u32) {
        event("a want", async {
            while self.wanted != leases {
                self.hear().await;
            }
        })
        .await;
    }

    /// Waits until so many games are played at a time.
    pub(crate) async fn hear_playing(&mut self, games: u32) {
        self.hear_until("games in play", |said| match said {
            Said::Progress(progress) => (progress.playing_games == games).then_some(()),
            _ => None,
        })
        .await;
    }

    pub(crate) async fn lease(&mut self, lease: v1::Lease) {
        self.wanted = self.wanted.saturating_sub(1);
        self.say(Answer::Lease(lease)).await;
    }

    pub(crate) async fn say(&self, answer: Answer) {
        let response = v1::WorkResponse { message: Some(answer) };
        event("room for an answer", self.outbound.send(Ok(response))).await.expect("a stream");
    }

    pub(crate) async fn welcome(&self) {
        self.say(Answer::Welcome(v1::Welcome {
            worker_id: 17,
            coordinator_version: "script".into(),
            progress_interval_ms: 50,
            report_interval_ms: 50,
            ..v1::Welcome::default()
        }))
        .await;
    }

    pub(crate) async fn ack(&self, report: &v1::Report, outcome: v1::AckOutcome) {
        self.say(Answer::Ack(v1::Ack {
            lease_id: report.lease_id,
            epoch: report.epoch,
            sequence: report.sequence,
            outcome: outcome.into(),
            detail: String::new(),
        }))
        .await;
    }

    /// Merges reports until a lease of `pairs` pairs is complete; returns every pair by its place.
    pub(crate) async fn merge_all(&mut self, pairs: usize) -> Vec<v1::PairRecord> {
        let mut merged: Vec<v1::PairRecord> = Vec::new();
        while merged.len() < pairs {
            let report = self.hear_report().await;
            merged.extend(report.pairs.iter().cloned());
            assert_eq!(report.sequence as usize, merged.len());
            self.ack(&report, v1::AckOutcome::Merged).await;
        }
        merged.sort_by_key(|pair| pair.pair_index);
        merged
    }
}

/// A worker under test.
pub(crate) struct Player {
    pub(crate) shutdown: Shutdown,
    pub(crate) status: tokio::sync::watch::Receiver<worker::Status>,
    run: JoinHandle<Result<Summary, WorkerError>>,
}

impl Player {
    pub(crate) fn start(
        coordinator: &Coordinator,
        state_dir: &std::path::Path,
        slots: u32,
    ) -> Self {
        let (teller, status) = tokio::sync::watch::channel(worker::Status::default());
        let mut settings = Settings::new(&coordinator.url, "under test", slots, state_dir);
        settings.backoff_base = Duration::from_millis(5);
        settings.backoff_cap = Duration::from_millis(20);
        settings.status = Some(teller);
        let shutdown = Shutdown::new();
        let run = tokio::spawn(worker::run(settings, shutdown.clone()));
        Self { shutdown, status, run }
    }

    pub(crate) async fn ended(self) -> Summary {
        event("the worker's end", self.run).await.expect("no panic").expect("no error")
    }

    /// Ends the worker where it stands, as a kill does.
    pub(crate) async fn kill(self) {
        self.run.abort();
        assert!(self.run.await.expect_err("it ran").is_cancelled());
    }
}

pub(crate) const START: &str =
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
const SIDE_LINE: &str = "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";

/// A lease of xiangqi pairs.
pub(crate) fn xiangqi(lease_id: i64, pairs: u64, nodes_per_move: u64) -> v1::Lease {
    let position = |i: u64| if i.is_multiple_of(2) { START } else { SIDE_LINE };
    v1::Lease {
        lease_id,
        epoch: 1,
        run_id: 3,
        game: v1::Game::Xiangqi.into(),
        engine: "builtin".into(),
        openings: (0..pairs)
            .map(|i| v1::Opening { pair_index: 10 + i, position: position(i).into() })
            .collect(),
        candidate: Some(v1::ParameterSet {
            values: vec![v1::ParameterValue { name: "rfp_margin".into(), value: 60.0 }],
        }),
        base: None,
        limit: Some(v1::GameLimit {
            nodes_per_move,
            max_plies: 40,
            hash_kib: 1024,
            adjudication: None,
        }),
        record_evals: false,
        players: None,
    }
}

/// A lease of tic-tac-toe pairs, each over in an instant.
pub(crate) fn tic_tac_toe(lease_id: i64, pairs: u64) -> v1::Lease {
    v1::Lease {
        game: v1::Game::TicTacToe.into(),
        openings: (0..pairs)
            .map(|i| v1::Opening { pair_index: i, position: ".../.../... x".into() })
            .collect(),
        ..xiangqi(lease_id, pairs, 30)
    }
}
