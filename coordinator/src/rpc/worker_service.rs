//! Sessions of workers: a stream in, a stream out, the core between.

use crate::convert::{self, Hello, WireError};
use crate::core::{Acknowledged, CoreError, Handle, Line, Outbound, Said, Session};
use crate::dispatch::scheduler::Idle;
use crate::judging::{self, Judged, Verdict};
use crate::rate::{Bucket, Limit};
use crate::rpc::access;
use crate::rpc::on_hand::OnHand;
use crate::traces;
use crate::whereabouts::Whereabouts;
use keys::PublicKey;
use model::LeaseId;
use model::lease::Report;
use proto::v1::work_request::Message as Request;
use proto::v1::work_response::Message as Response;
use proto::v1::worker_service_server::WorkerService;
use proto::v1::{self, WorkRequest, WorkResponse};
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use telemetry::Traces;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::{Request as Rpc, Response as Answer, Status, Streaming};

/// Messages that may wait for one worker; a worker that is slower is dropped and reconnects.
const OUTBOUND: usize = 64;
/// How long a new stream may take to say hello.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// A worker shows itself at least this often.
const PROGRESS_INTERVAL_MS: u32 = 5_000;
/// A worker reports a running lease at least this often.
const REPORT_INTERVAL_MS: u32 = 5_000;
/// What a worker may say; one that says more is heard more slowly.
const WORDS: Limit = Limit { per_second: 100.0, burst: 1_000.0 };
/// How full the core's queue may be before wants are put off, and before signs of life are passed over.
/// Reports always wait for their turn: that is what slows a worker down.
const WANTS_BELOW: f64 = 0.5;
const PROGRESS_BELOW: f64 = 0.8;
/// When leases may be wanted again that were put off: at a random time between the two.
const RETRY_AFTER_MS: (u32, u32) = (1_000, 4_000);
/// Workers that may come back within a millisecond, on average: a handshake costs about as much.
const BACK_PER_MS: u32 = 1;
/// The shortest and the longest time over which workers come back that were cut off together.
const SPREAD_MS: (u32, u32) = (500, 60_000);
/// When workers come back after the coordinator has gone.
const RECONNECT_AFTER_MS: u32 = 2_000;

/// Serves `elomill.v1.WorkerService`.
pub struct WorkerRpc {
    core: Handle,
    /// One permit for each core: more games judged at the same time would only wait for each other.
    judges: Arc<Semaphore>,
    whereabouts: Arc<Whereabouts>,
    /// Open streams.
    streams: Arc<AtomicU32>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
    traces: Traces,
}

impl WorkerRpc {
    /// Over this core. Its tasks are tracked, and end with the token.
    #[must_use]
    pub(crate) fn new(
        core: Handle,
        whereabouts: Arc<Whereabouts>,
        tasks: TaskTracker,
        shutdown: CancellationToken,
        traces: Traces,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let judges = Arc::new(Semaphore::new(cores));
        let streams = Arc::default();
        Self { core, judges, whereabouts, streams, tasks, shutdown, traces }
    }
}

type Outgoing = Pin<Box<dyn Stream<Item = Result<WorkResponse, Status>> + Send>>;

#[tonic::async_trait]
impl WorkerService for WorkerRpc {
    type WorkStream = Outgoing;

    async fn work(&self, rpc: Rpc<Streaming<WorkRequest>>) -> Result<Answer<Outgoing>, Status> {
        let caller = access::caller(&rpc)?;
        let mut incoming = rpc.into_inner();
        let first = tokio::time::timeout(HELLO_WITHIN, incoming.next())
            .await
            .map_err(|_| Status::deadline_exceeded("no Hello within 10 s"))?;
        let hello = match first {
            Some(Ok(WorkRequest { message: Some(Request::Hello(hello)) })) => hello,
            Some(Err(status)) => return Err(status),
            _ => return Err(Status::invalid_argument("the first message must be Hello")),
        };
        let hello = Hello::new(hello, caller.key, caller.owner).map_err(invalid)?;
        let (line, outgoing, over) = Line::new(OUTBOUND);
        let side_door = line.side_door();
        let busy = side_door.clone();
        let session = self.core.join(hello, line).await.map_err(unavailable)?;
        let mut whereabouts = self.whereabouts.all();
        let welcome = Response::Welcome(v1::Welcome {
            worker_id: session.worker.0,
            coordinator_version: env!("CARGO_PKG_VERSION").to_owned(),
            progress_interval_ms: PROGRESS_INTERVAL_MS,
            report_interval_ms: REPORT_INTERVAL_MS,
            coordinators: whereabouts.borrow_and_update().clone(),
            reconnect_within_ms: spread_ms(self.streams.fetch_add(1, Ordering::Relaxed)),
        });
        let core = self.core.clone();
        let on_hand = Arc::new(OnHand::default());
        let judges = Judges {
            on_hand: Arc::clone(&on_hand),
            permits: Arc::clone(&self.judges),
            key: caller.key,
            traces: self.traces.clone(),
        };
        let shutdown = self.shutdown.clone();
        let streams = Arc::clone(&self.streams);
        self.tasks.spawn(async move {
            let ended = tokio::select! {
                ended = listen(&core, session, &judges, &mut incoming, &busy) => ended,
                // The core has dropped the session: another took its place, or the ledger failed.
                () = over.cancelled() => Ok(()),
                () = shutdown.cancelled() => Ok(()),
                () = tell_changes(whereabouts, side_door) => Ok(()),
            };
            if let Err(error) = ended {
                tracing::warn!(worker.id = session.worker.0, error = %error, "session broken off");
            }
            core.leave(session).await;
            streams.fetch_sub(1, Ordering::Relaxed);
        });
        let first = tokio_stream::once(response(welcome));
        let rest = ReceiverStream::new(outgoing).map(move |message| {
            on_hand.note(&message);
            response(wire(message))
        });
        Ok(Answer::new(Box::pin(first.chain(rest))))
    }

    async fn explain(
        &self,
        rpc: Rpc<v1::ExplainRequest>,
    ) -> Result<Answer<v1::ExplainResponse>, Status> {
        let caller = access::caller(&rpc)?;
        let hello = rpc.into_inner().hello.unwrap_or_default();
        if hello.protocol_version != proto::PROTOCOL_VERSION {
            let text = format!(
                "the coordinator speaks version {} of the contract, this worker {}; update the \
                 older of the two",
                proto::PROTOCOL_VERSION,
                hello.protocol_version
            );
            let reason = v1::IdleReason::Version.into();
            return Ok(Answer::new(v1::ExplainResponse { reason, text, ..Default::default() }));
        }
        let hello = Hello::new(hello, caller.key, caller.owner).map_err(invalid)?;
        let explained = match self.core.explain(hello).await {
            Ok(explained) => explained,
            Err(CoreError::Stopping) => {
                let reason = v1::IdleReason::Draining.into();
                let text = "the coordinator is going away".to_owned();
                return Ok(Answer::new(v1::ExplainResponse { reason, text, ..Default::default() }));
            }
            Err(error) => return Err(unavailable(error)),
        };
        let reason = explained.idle.map_or(v1::IdleReason::Unspecified, convert::idle_reason);
        Ok(Answer::new(v1::ExplainResponse {
            reason: reason.into(),
            text: explained.idle.map_or("there is work", Idle::text).to_owned(),
            connected: explained.connected,
            leases: u32::try_from(explained.leases).unwrap_or(u32::MAX),
            session_idle: explained.session_idle.map_or("", Idle::text).to_owned(),
        }))
    }
}

/// Tells a worker where coordinators are, whenever that changes. Does not end before the session.
async fn tell_changes(
    mut whereabouts: watch::Receiver<Vec<String>>,
    worker: mpsc::WeakSender<Outbound>,
) {
    while whereabouts.changed().await.is_ok() {
        let all = whereabouts.borrow_and_update().clone();
        if let Some(worker) = worker.upgrade() {
            // One whose line is full hears it in its next session.
            let _ = worker.try_send(Outbound::Coordinators(all));
        }
    }
    std::future::pending().await
}

/// Passes on what a worker says, until its stream ends.
async fn listen(
    core: &Handle,
    session: Session,
    judges: &Judges,
    incoming: &mut Streaming<WorkRequest>,
    busy: &mpsc::WeakSender<Outbound>,
) -> Result<(), WireError> {
    let began = Instant::now();
    let mut words = Bucket::full(WORDS, began.elapsed());
    while let Some(Ok(request)) = incoming.next().await {
        while let Err(wait) = words.take(began.elapsed()) {
            tokio::time::sleep(wait).await;
        }
        // Messages of newer workers that this version does not know are passed over.
        let Some(message) = request.message else { continue };
        let said = match message {
            Request::Hello(_) => {
                return Err(WireError {
                    field: "message",
                    found: "a second Hello".to_owned(),
                    allowed: "one Hello, first",
                });
            }
            Request::Want(want) if want.leases > 0 && core.load() > WANTS_BELOW => {
                if let Some(worker) = busy.upgrade() {
                    // One whose line is full wants again in its next session.
                    let _ = worker.try_send(Outbound::Busy);
                }
                continue;
            }
            Request::Progress(_) if core.load() > PROGRESS_BELOW => continue,
            Request::Want(want) => Said::Want(want.leases),
            Request::Report(report) => {
                match judges.judged(core, session, convert::report(report)?).await {
                    Some(judged) => Said::Report(judged),
                    // The session is over.
                    None => return Ok(()),
                }
            }
            Request::Progress(progress) => Said::Progress {
                playing_games: progress.playing_games,
                nodes_per_second: progress.nodes_per_second,
            },
            Request::ReturnLease(back) => Said::Return {
                lease: LeaseId(back.lease_id),
                epoch: back.epoch,
                why: convert::give_back(back.reason(), &back.detail),
            },
        };
        core.said(session, said).await;
    }
    Ok(())
}

/// Those who ask the rules about the reports of one session.
struct Judges {
    on_hand: Arc<OnHand>,
    permits: Arc<Semaphore>,
    key: PublicKey,
    traces: Traces,
}

impl Judges {
    /// Asks the rules about a report, beside the threads that serve the sessions.
    async fn judged(&self, core: &Handle, session: Session, report: Report) -> Option<Judged> {
        let came = Instant::now();
        let (report, terms) = match self.on_hand.terms(&report) {
            Some(terms) => (report, Some(terms)),
            None => core.terms(session, report).await?,
        };
        let Some(terms) = terms else {
            return Some(Judged { report, verdict: Verdict::NotAsked });
        };
        let (lease, sequence) = ((report.lease, report.epoch), report.sequence);
        let _judge = self.permits.acquire().await.ok()?;
        // A panic of it is this session's end alone.
        let judging = tokio::task::spawn_blocking(move || judging::judge(&terms, report));
        let judged = judging.await.ok()?;
        traces::judged(&self.traces, &self.key, lease, sequence, came.elapsed());
        Some(judged)
    }
}

fn wire(message: Outbound) -> Response {
    match message {
        Outbound::Push(push) => convert::push(push),
        Outbound::Ack { lease, epoch, sequence, outcome } => {
            let (outcome, detail) = match outcome {
                Acknowledged::Merged => (v1::AckOutcome::Merged, String::new()),
                Acknowledged::Duplicate => (v1::AckOutcome::Duplicate, String::new()),
                Acknowledged::Stale => {
                    let detail = "its pairs were given to another worker";
                    (v1::AckOutcome::Stale, detail.to_owned())
                }
                Acknowledged::RunEnded => {
                    (v1::AckOutcome::RunEnded, "its run has ended".to_owned())
                }
                Acknowledged::Invalid(why) => (v1::AckOutcome::Invalid, why),
            };
            Response::Ack(v1::Ack {
                lease_id: lease.0,
                epoch,
                sequence,
                outcome: outcome.into(),
                detail,
            })
        }
        Outbound::Busy => {
            let spread = u64::from(RETRY_AFTER_MS.1 - RETRY_AFTER_MS.0);
            let chance = RandomState::new().hash_one(0) % spread;
            let retry_after_ms = RETRY_AFTER_MS.0 + u32::try_from(chance).unwrap_or(0);
            Response::Busy(v1::Busy { retry_after_ms, leases_only: true })
        }
        Outbound::Coordinators(addresses) => Response::Coordinators(v1::Coordinators { addresses }),
        Outbound::Drain => Response::Drain(v1::Drain { reconnect_after_ms: RECONNECT_AFTER_MS }),
    }
}

/// Over which time so many workers shall come back.
fn spread_ms(streams: u32) -> u32 {
    (streams / BACK_PER_MS).clamp(SPREAD_MS.0, SPREAD_MS.1)
}

fn response(message: Response) -> Result<WorkResponse, Status> {
    Ok(WorkResponse { message: Some(message) })
}

fn invalid(error: WireError) -> Status {
    Status::invalid_argument(error.to_string())
}

fn unavailable(error: CoreError) -> Status {
    Status::unavailable(error.to_string())
}
