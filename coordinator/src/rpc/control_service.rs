//! What authors ask: to file, show, pause, stop, replay and watch runs.

use crate::artefacts::Artefacts;
use crate::core::{CoreError, Handle, chain};
use crate::dispatch::fold::Fold;
use crate::dispatch::openings::Openings;
use crate::dispatch::scheduler::{ControlError, Filed};
use crate::records::Records;
use crate::recover::{self, RecoverError};
use crate::rpc::{access, engine_service, games_export};
use crate::views::Views;
use crate::{book, convert};
use model::lease::PairIndex;
use model::spec::{Fork, Job, RunSpec, TuneSpec};
use model::trust::Exclusions;
use model::{Finding, FindingList, GameKind, Pairs, RunId, printable};
use proto::v1::control_service_server::ControlService;
use proto::v1::{self};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::Ledger;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::{Request, Response, Status};

/// Most runs of one list.
const MAX_RUNS: u32 = 1_000;
/// Longest reason for a pause or a stop.
pub(crate) const MAX_REASON: usize = 300;
/// Least time between two states of one watch.
const WATCH_PAUSE: Duration = Duration::from_millis(250);

/// Serves `elomill.v1.ControlService`.
pub struct ControlRpc {
    core: Handle,
    ledger: Ledger,
    views: Arc<Views>,
    artefacts: Option<Arc<Artefacts>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl ControlRpc {
    /// Over this core and its views. Its tasks are tracked, and end with the token.
    #[must_use]
    pub fn new(
        core: Handle,
        ledger: Ledger,
        views: Arc<Views>,
        artefacts: Option<Arc<Artefacts>>,
        tasks: TaskTracker,
        shutdown: CancellationToken,
    ) -> Self {
        Self { core, ledger, views, artefacts, tasks, shutdown }
    }

    /// The positions of a book that was sent, or of one that the ledger has.
    async fn openings(
        &self,
        game: GameKind,
        hash: &str,
        bytes: &[u8],
    ) -> Result<Arc<[String]>, Status> {
        let one = |finding| findings(&FindingList(vec![finding]));
        if bytes.is_empty() {
            return match self.ledger.book(hash).await.map_err(|e| failed(&e))? {
                Some((known, text)) if known == game => Ok(book::positions(&text)),
                Some((known, _)) => Err(one(Finding::new(
                    "book",
                    format!("a book of {known}"),
                    format!("a book of {game}"),
                    "name a book of the run's game",
                ))),
                None => Err(Status::failed_precondition(format!("the book {hash} is not known"))),
            };
        }
        let found = book::sha256(bytes);
        if found != hash {
            return Err(one(Finding::new(
                "book",
                format!("bytes of hash {found}"),
                format!("bytes of hash {hash}"),
                "send the book that the specification names",
            )));
        }
        let positions = book::check(game, bytes).map_err(|e| findings(&e))?;
        let text = String::from_utf8_lossy(bytes);
        let count = positions.len() as u64;
        self.ledger.add_book(hash, game, count, &text).await.map_err(|e| failed(&e))?;
        Ok(positions)
    }

    async fn view(&self, run_id: i64) -> Result<v1::Run, Status> {
        let view = self.views.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
        view.map(|view| convert::wire_run(&view)).ok_or_else(|| no_run(run_id))
    }

    /// Carries out a command on a run; a run that is over or unknown is told apart.
    async fn done(&self, run_id: i64, result: Result<(), CoreError>) -> Result<(), Status> {
        let Err(error) = result else { return Ok(()) };
        if let CoreError::Control(ControlError::NotOpen(_)) = error {
            let stored = self.ledger.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
            return Err(match stored {
                None => no_run(run_id),
                Some(run) => Status::failed_precondition(format!(
                    "run {run_id} is {}; allowed: a run that is running or paused",
                    run.state.name()
                )),
            });
        }
        Err(command_failed(&error))
    }
}

#[tonic::async_trait]
impl ControlService for ControlRpc {
    async fn create_run(
        &self,
        request: Request<v1::CreateRunRequest>,
    ) -> Result<Response<v1::CreateRunResponse>, Status> {
        let owner = access::caller(&request)?.owner;
        let request = request.into_inner();
        let spec = convert::spec(request.spec.unwrap_or_default()).map_err(|e| findings(&e))?;
        let key = request.idempotency_key;
        check_key(&key)?;
        engine_service::check_run(self.artefacts.as_ref(), &spec)?;
        let positions = self.openings(spec.game, &spec.book, &request.book).await?;
        let openings = Openings::new(positions, spec.seed).in_order(spec.book_order);
        let run = self
            .core
            .create(spec, Filed { key, owner }, openings)
            .await
            .map_err(|e| command_failed(&e))?;
        Ok(Response::new(v1::CreateRunResponse { run_id: run.0 }))
    }

    async fn list_runs(
        &self,
        request: Request<v1::ListRunsRequest>,
    ) -> Result<Response<v1::ListRunsResponse>, Status> {
        let limit = match request.into_inner().limit {
            0 => 100,
            limit => limit.min(MAX_RUNS),
        };
        let runs = self.views.runs(limit).await.map_err(|e| failed(&e))?;
        let runs = runs.iter().map(convert::wire_listed_run).collect();
        Ok(Response::new(v1::ListRunsResponse { runs }))
    }

    async fn get_run(
        &self,
        request: Request<v1::GetRunRequest>,
    ) -> Result<Response<v1::GetRunResponse>, Status> {
        let run = self.view(request.into_inner().run_id).await?;
        Ok(Response::new(v1::GetRunResponse { run: Some(run) }))
    }

    async fn pause_run(
        &self,
        request: Request<v1::PauseRunRequest>,
    ) -> Result<Response<v1::PauseRunResponse>, Status> {
        let v1::PauseRunRequest { run_id, reason } = request.into_inner();
        let result = self.core.pause(RunId(run_id), printable(&reason, MAX_REASON)).await;
        self.done(run_id, result).await?;
        Ok(Response::new(v1::PauseRunResponse {}))
    }

    async fn resume_run(
        &self,
        request: Request<v1::ResumeRunRequest>,
    ) -> Result<Response<v1::ResumeRunResponse>, Status> {
        let run_id = request.into_inner().run_id;
        let result = self.core.resume(RunId(run_id)).await;
        self.done(run_id, result).await?;
        Ok(Response::new(v1::ResumeRunResponse {}))
    }

    async fn stop_run(
        &self,
        request: Request<v1::StopRunRequest>,
    ) -> Result<Response<v1::StopRunResponse>, Status> {
        let v1::StopRunRequest { run_id, reason } = request.into_inner();
        let result = self.core.stop(RunId(run_id), printable(&reason, MAX_REASON)).await;
        self.done(run_id, result).await?;
        Ok(Response::new(v1::StopRunResponse {}))
    }

    async fn replay_run(
        &self,
        request: Request<v1::ReplayRunRequest>,
    ) -> Result<Response<v1::ReplayRunResponse>, Status> {
        let run_id = request.into_inner().run_id;
        // The row first: reports that come in between make the fold longer, which is seen and
        // answered by reading the row again.
        for _ in 0..20 {
            let stored = self.ledger.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
            let stored = stored.ok_or_else(|| no_run(run_id))?;
            let fold = recover::replay(&self.ledger, stored.id, &stored.spec).await;
            let fold = fold.map_err(|e| failed(&e))?;
            if fold.ledger_reports() != stored.reports {
                continue;
            }
            return Ok(Response::new(v1::ReplayRunResponse {
                state_json: fold.to_json(),
                matches_stored: recover::matches(&stored, &fold),
                reports: fold.reports,
            }));
        }
        Err(Status::aborted("the run moves too fast to be replayed; pause it first"))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        let workers = self.views.workers().await.map_err(|e| failed(&e))?;
        let workers = workers.iter().map(convert::wire_worker).collect();
        Ok(Response::new(v1::ListWorkersResponse { workers }))
    }

    async fn fork_run(
        &self,
        request: Request<v1::ForkRunRequest>,
    ) -> Result<Response<v1::ForkRunResponse>, Status> {
        let owner = access::caller(&request)?.owner;
        let v1::ForkRunRequest { run_id, at_pairs, pairs, seed, idempotency_key } =
            request.into_inner();
        check_key(&idempotency_key)?;
        let stored = self.ledger.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
        let stored = stored.ok_or_else(|| no_run(run_id))?;
        let Job::Tune(tune) = &stored.spec.job else {
            return Err(Status::failed_precondition(format!(
                "run {run_id} is a {}; allowed: a tune",
                stored.spec.job.kind()
            )));
        };
        let before = tune.pairs_before();
        let own = Pairs(at_pairs.saturating_sub(before.0));
        let source = recover::replay_to(&self.ledger, stored.id, &stored.spec, own).await;
        let source = source.map_err(|e| failed(&e))?;
        let at = Pairs(before.0 + source.tally.pairs().0);
        let forked = TuneSpec {
            pairs: Pairs(pairs),
            forked_from: Some(Fork { run: stored.id, pairs: at }),
            ..tune.clone()
        };
        let mut spec = RunSpec { job: Job::Tune(forked), ..stored.spec };
        spec.seed = seed;
        spec.check().map_err(|e| findings(&e))?;
        let positions = self.openings(spec.game, &spec.book, &[]).await?;
        let openings = Openings::new(positions, seed).in_order(spec.book_order);
        let filed = Filed { key: idempotency_key, owner };
        let run = self.core.fork(spec, source, filed, openings).await;
        let run = run.map_err(|e| command_failed(&e))?;
        Ok(Response::new(v1::ForkRunResponse { run_id: run.0, at_pairs: at.0 }))
    }

    async fn extend_run(
        &self,
        request: Request<v1::ExtendRunRequest>,
    ) -> Result<Response<v1::ExtendRunResponse>, Status> {
        let v1::ExtendRunRequest { run_id, asked_pairs } = request.into_inner();
        let result = self.core.extend(RunId(run_id), Pairs(asked_pairs)).await;
        self.done(run_id, result).await?;
        Ok(Response::new(v1::ExtendRunResponse {}))
    }

    async fn explain_run(
        &self,
        request: Request<v1::ExplainRunRequest>,
    ) -> Result<Response<v1::ExplainRunResponse>, Status> {
        let run_id = request.into_inner().run_id;
        let found = self.core.explain_run(RunId(run_id)).await.map_err(|e| command_failed(&e))?;
        let Some(share) = found else {
            self.done(run_id, Err(ControlError::NotOpen(RunId(run_id)).into())).await?;
            return Err(no_run(run_id));
        };
        Ok(Response::new(v1::ExplainRunResponse { share: Some(convert::wire_share(&share)) }))
    }

    async fn weigh_run(
        &self,
        request: Request<v1::WeighRunRequest>,
    ) -> Result<Response<v1::WeighRunResponse>, Status> {
        let v1::WeighRunRequest { run_id, weight } = request.into_inner();
        let result = self.core.weigh(RunId(run_id), weight).await;
        self.done(run_id, result).await?;
        Ok(Response::new(v1::WeighRunResponse {}))
    }

    type ExportRunStream =
        Pin<Box<dyn Stream<Item = Result<v1::ExportRunResponse, Status>> + Send>>;

    async fn export_run(
        &self,
        request: Request<v1::ExportRunRequest>,
    ) -> Result<Response<Self::ExportRunStream>, Status> {
        let run_id = request.into_inner().run_id;
        let stored = self.ledger.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
        let stored = stored.ok_or_else(|| no_run(run_id))?;
        let fold = recover::begin(&self.ledger, stored.id, &stored.spec).await;
        let fold = fold.map_err(|e| failed(&e))?;
        let (out, stream) = mpsc::channel(4);
        let (ledger, shutdown) = (self.ledger.clone(), self.shutdown.clone());
        let exclusions = ledger.exclusions_in_force().await.map_err(|e| failed(&e))?;
        self.tasks.spawn(async move {
            tokio::select! {
                () = export(&ledger, stored.id, fold, &exclusions, &out) => {}
                () = out.closed() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    type ExportGamesStream =
        Pin<Box<dyn Stream<Item = Result<v1::ExportGamesResponse, Status>> + Send>>;

    async fn export_games(
        &self,
        request: Request<v1::ExportGamesRequest>,
    ) -> Result<Response<Self::ExportGamesStream>, Status> {
        let v1::ExportGamesRequest { run_id, first_pair, pairs } = request.into_inner();
        let stored = self.ledger.run(RunId(run_id)).await.map_err(|e| failed(&e))?;
        let stored = stored.ok_or_else(|| no_run(run_id))?;
        let first = PairIndex(first_pair);
        let records = Records::from(&self.ledger, stored.id, &stored.spec, first).await;
        let records = records.map_err(|e| games_export::failed(&e))?;
        let pairs = if pairs == 0 { u64::MAX } else { pairs };
        let (out, stream) = mpsc::channel(4);
        let shutdown = self.shutdown.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = games_export::send(records, pairs, &out) => {}
                () = out.closed() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    type WatchRunStream = Pin<Box<dyn Stream<Item = Result<v1::WatchRunResponse, Status>> + Send>>;

    async fn watch_run(
        &self,
        request: Request<v1::WatchRunRequest>,
    ) -> Result<Response<Self::WatchRunStream>, Status> {
        let id = RunId(request.into_inner().run_id);
        // An unknown run is refused here, not in the stream.
        self.view(id.0).await?;
        let (out, stream) = mpsc::channel(4);
        let (views, shutdown) = (self.views.clone(), self.shutdown.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                () = watch(&views, id, &out) => {}
                () = out.closed() => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }
}

fn check_key(key: &str) -> Result<(), Status> {
    let plain = key.bytes().all(|b| b.is_ascii_graphic());
    if (8..=100).contains(&key.len()) && plain {
        return Ok(());
    }
    Err(findings(&FindingList(vec![Finding::new(
        "idempotency_key",
        format!("`{}`", printable(key, 40)),
        "8 to 100 printable ASCII characters",
        "make a random key for each new run",
    )])))
}

/// Rows of a message.
const EXPORT_ROWS: usize = 200;

/// Sends a run after each of its reports that counts, to the end of its ledger.
async fn export(
    ledger: &Ledger,
    run: RunId,
    mut fold: Fold,
    exclusions: &Exclusions,
    out: &mpsc::Sender<Result<v1::ExportRunResponse, Status>>,
) {
    loop {
        let mut rows = Vec::new();
        let more = recover::each_of_page(ledger, run, &mut fold, exclusions, |fold| {
            rows.push(convert::wire_history(fold));
        })
        .await;
        let more = match more {
            Ok(more) => more,
            Err(error) => {
                // The receiver may be gone; the error is logged either way.
                let _ = out.send(Err(failed(&error))).await;
                return;
            }
        };
        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(EXPORT_ROWS));
            let message = v1::ExportRunResponse { rows: std::mem::replace(&mut rows, rest) };
            if out.send(Ok(message)).await.is_err() {
                return;
            }
        }
        if !more {
            return;
        }
    }
}

/// Sends the state of a run whenever it changes, until it is over.
async fn watch(views: &Views, id: RunId, out: &mpsc::Sender<Result<v1::WatchRunResponse, Status>>) {
    let mut changes = views.changes();
    let mut last = None;
    loop {
        let (message, over) = match views.run(id).await {
            Ok(Some(view)) if last.as_ref() == Some(&view) => (None, false),
            Ok(Some(view)) => {
                let over = view.state.is_over();
                // Of very many parameters the last state alone has all, so that a watch stays light.
                let run = Some(match view.farthest().filter(|_| !over) {
                    Some(places) => convert::wire_run(&view.narrowed(&places)),
                    None => convert::wire_run(&view),
                });
                last = Some(view);
                (Some(Ok(v1::WatchRunResponse { run })), over)
            }
            Ok(None) => (Some(Err(no_run(id.0))), true),
            Err(error) => (Some(Err(failed(&error))), true),
        };
        if let Some(message) = message
            && out.send(message).await.is_err()
        {
            return;
        }
        if over || changes.changed().await.is_err() {
            return;
        }
        tokio::time::sleep(WATCH_PAUSE).await;
    }
}

pub(crate) fn no_run(run_id: i64) -> Status {
    Status::not_found(format!("there is no run {run_id}"))
}

fn findings(list: &FindingList) -> Status {
    Status::invalid_argument(list.to_string())
}

fn command_failed(error: &CoreError) -> Status {
    match error {
        CoreError::Control(error) => Status::failed_precondition(error.to_string()),
        CoreError::Spec(error) => Status::invalid_argument(chain(error)),
        CoreError::Overtaken => Status::aborted(error.to_string()),
        CoreError::Ledger | CoreError::Stopping => Status::unavailable(error.to_string()),
    }
}

/// What failed inside stays inside; the log has it whole.
pub(crate) fn failed(error: &(dyn std::error::Error + 'static)) -> Status {
    tracing::warn!(error = %chain(error), "a request failed");
    let gone = matches!(error.downcast_ref::<RecoverError>(), Some(RecoverError::Store(_)) | None);
    if gone {
        Status::unavailable("the ledger does not answer; try again")
    } else {
        Status::internal("the run cannot be read; the coordinator's log says why")
    }
}
