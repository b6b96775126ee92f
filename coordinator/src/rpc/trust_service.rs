//! What is asked about whose results count: exclusions made, lifted, previewed and listed.

use crate::convert;
use crate::core::{CoreError, Handle, chain};
use crate::dispatch::fold::Fold;
use crate::dispatch::scheduler::ChangedExclusions;
use crate::keyring::Caller;
use crate::recover;
use crate::rpc::access;
use crate::rpc::control_service::{MAX_REASON, failed, no_run};
use crate::views::{self, Views};
use model::lease::PairIndex;
use model::trust::{Exclusion, Exclusions, LedgerTime};
use model::{Finding, FindingList, Role, RunId, WorkerId, printable};
use proto::v1::trust_service_server::TrustService;
use proto::v1::{self};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{ExclusionMove, Ledger, Mismatch, NewExclusionMove};
use tonic::{Request, Response, Status};

/// Runs whose change is shown.
const MOST_SHOWN: usize = 100;

/// Serves `elomill.v1.TrustService`.
pub struct TrustRpc {
    core: Handle,
    ledger: Ledger,
    views: Arc<Views>,
}

/// What somebody wants to do to the exclusions of a worker.
struct Wish {
    worker: WorkerId,
    run: Option<RunId>,
    moves: Vec<NewExclusionMove>,
    before: Exclusions,
    after: Exclusions,
    event: &'static str,
    preview: bool,
}

impl TrustRpc {
    /// Over this core, its ledger and its views.
    #[must_use]
    pub fn new(core: Handle, ledger: Ledger, views: Arc<Views>) -> Self {
        Self { core, ledger, views }
    }

    async fn known(&self, worker: WorkerId, run: Option<RunId>) -> Result<(), Status> {
        if !self.ledger.knows_worker(worker).await.map_err(|e| failed(&e))? {
            return Err(no_worker(worker));
        }
        match run {
            Some(id) if self.ledger.run(id).await.map_err(|e| failed(&e))?.is_none() => {
                Err(no_run(id.0))
            }
            _ => Ok(()),
        }
    }

    /// Folds the runs that a wish touches, shows them before and after, and carries it out unless it
    /// is a preview.
    async fn carry_out(&self, wish: Wish) -> Result<(Vec<v1::ExclusionEffect>, u32), Status> {
        let Wish { worker, run, moves, before, after, event, preview } = wish;
        let mut touched = self.ledger.runs_of_worker(worker).await.map_err(|e| failed(&e))?;
        touched.retain(|id| run.is_none_or(|only| only == *id));
        let mut folds: BTreeMap<RunId, Fold> = BTreeMap::new();
        let mut effects = Vec::new();
        for &id in &touched {
            let Some(stored) = self.ledger.run(id).await.map_err(|e| failed(&e))? else { continue };
            let fold = recover::replay_without(&self.ledger, id, &stored.spec, &after).await;
            let fold = fold.map_err(|e| failed(&e))?;
            if effects.len() < MOST_SHOWN
                && let Some(view) = self.views.run(id).await.map_err(|e| failed(&e))?
            {
                effects.push(v1::ExclusionEffect {
                    before: Some(convert::wire_listed_run(&view)),
                    after: Some(convert::wire_listed_run(&views::folded(&view, &fold))),
                });
            }
            folds.insert(id, fold);
        }
        let more = u32::try_from(touched.len() - effects.len()).unwrap_or(u32::MAX);
        if !preview && !moves.is_empty() {
            let reason = moves.first().map_or(String::new(), |first| {
                format!("worker {worker} by {}: {}", first.author, first.reason)
            });
            let change =
                ChangedExclusions { moves, in_force: after, folds: Vec::new(), event, reason };
            self.core.believe(change, before, folds, worker, run).await.map_err(refused)?;
        }
        Ok((effects, more))
    }
}

#[tonic::async_trait]
impl TrustService for TrustRpc {
    async fn exclude_worker(
        &self,
        request: Request<v1::ExcludeWorkerRequest>,
    ) -> Result<Response<v1::ExcludeWorkerResponse>, Status> {
        let caller = access::caller(&request)?;
        let v1::ExcludeWorkerRequest { worker_id, run_id, since_unix_ms, reason, preview } =
            request.into_inner();
        let (worker, run) = (WorkerId(worker_id), run_of(run_id));
        let reason = said(&caller, run, &reason, preview)?;
        self.known(worker, run).await?;
        let since = (since_unix_ms > 0).then(|| LedgerTime(since_unix_ms.saturating_mul(1_000)));
        let exclusion = Exclusion { worker, run, since };
        let all = self.ledger.exclusions().await.map_err(|e| failed(&e))?;
        let in_force = || all.iter().filter(|e| e.lifted.is_none()).map(|e| e.exclusion);
        let before: Exclusions = in_force().collect();
        let mut after = before.clone();
        let mut moves = Vec::new();
        // The same again is done already: an answer may have been lost.
        if !in_force().any(|known| known == exclusion) {
            after.add(exclusion);
            let what = ExclusionMove::Exclude(exclusion);
            moves.push(NewExclusionMove { what, author: caller.owner.to_string(), reason });
        }
        let event = "excluded";
        let wish = Wish { worker, run, moves, before, after, event, preview };
        let (effects, more_runs) = self.carry_out(wish).await?;
        Ok(Response::new(v1::ExcludeWorkerResponse { effects, more_runs }))
    }

    async fn include_worker(
        &self,
        request: Request<v1::IncludeWorkerRequest>,
    ) -> Result<Response<v1::IncludeWorkerResponse>, Status> {
        let caller = access::caller(&request)?;
        let v1::IncludeWorkerRequest { worker_id, run_id, reason, preview } = request.into_inner();
        let (worker, run) = (WorkerId(worker_id), run_of(run_id));
        let reason = said(&caller, run, &reason, preview)?;
        self.known(worker, run).await?;
        let all = self.ledger.exclusions().await.map_err(|e| failed(&e))?;
        let (lifted, kept): (Vec<_>, Vec<_>) =
            all.iter().filter(|e| e.lifted.is_none()).partition(|e| {
                e.exclusion.worker == worker && (run.is_none() || e.exclusion.run == run)
            });
        if lifted.is_empty() {
            let found = match (run, kept.iter().any(|e| e.exclusion.worker == worker)) {
                (Some(run), true) => format!(
                    "worker {worker} is not excluded from run {run} alone; include it without \
                     naming a run"
                ),
                _ => format!("worker {worker} is not excluded"),
            };
            return Err(Status::failed_precondition(found));
        }
        let before: Exclusions = lifted.iter().chain(&kept).map(|e| e.exclusion).collect();
        let after: Exclusions = kept.iter().map(|e| e.exclusion).collect();
        let author = caller.owner.to_string();
        let end = |e: &&model::trust::ExclusionView| NewExclusionMove {
            what: ExclusionMove::Include(e.id),
            author: author.clone(),
            reason: reason.clone(),
        };
        let moves = lifted.iter().map(end).collect();
        let event = "included";
        let wish = Wish { worker, run, moves, before, after, event, preview };
        let (effects, more_runs) = self.carry_out(wish).await?;
        Ok(Response::new(v1::IncludeWorkerResponse { effects, more_runs }))
    }

    async fn list_exclusions(
        &self,
        _: Request<v1::ListExclusionsRequest>,
    ) -> Result<Response<v1::ListExclusionsResponse>, Status> {
        let all = self.ledger.exclusions().await.map_err(|e| failed(&e))?;
        let exclusions = all.iter().map(convert::wire_exclusion).collect();
        Ok(Response::new(v1::ListExclusionsResponse { exclusions }))
    }

    async fn get_worker(
        &self,
        request: Request<v1::GetWorkerRequest>,
    ) -> Result<Response<v1::GetWorkerResponse>, Status> {
        let worker = WorkerId(request.into_inner().worker_id);
        let all = self.views.workers().await.map_err(|e| failed(&e))?;
        let view = all.iter().find(|view| view.id == worker).ok_or_else(|| no_worker(worker))?;
        let exclusions = self.ledger.exclusions().await.map_err(|e| failed(&e))?;
        let of_worker = exclusions.iter().filter(|e| e.exclusion.worker == worker);
        Ok(Response::new(v1::GetWorkerResponse {
            worker: Some(convert::wire_worker(view)),
            exclusions: of_worker.map(convert::wire_exclusion).collect(),
            mismatches: {
                let all = self.ledger.mismatches_of(worker, MOST_OF_WORKER).await;
                self.shown(&all.map_err(|e| failed(&e))?).await?
            },
        }))
    }

    async fn list_mismatches(
        &self,
        request: Request<v1::ListMismatchesRequest>,
    ) -> Result<Response<v1::ListMismatchesResponse>, Status> {
        let v1::ListMismatchesRequest { run_id, from_pair, limit } = request.into_inner();
        let run = RunId(run_id);
        if self.ledger.run(run).await.map_err(|e| failed(&e))?.is_none() {
            return Err(no_run(run_id));
        }
        let limit = if limit == 0 { MOST_OF_RUN } else { limit.min(MOST_OF_RUN) };
        let all = self.ledger.mismatches_in(run, PairIndex(from_pair), limit).await;
        let mismatches = self.shown(&all.map_err(|e| failed(&e))?).await?;
        Ok(Response::new(v1::ListMismatchesResponse { mismatches }))
    }

    async fn release_worker(
        &self,
        request: Request<v1::ReleaseWorkerRequest>,
    ) -> Result<Response<v1::ReleaseWorkerResponse>, Status> {
        let caller = access::caller(&request)?;
        let v1::ReleaseWorkerRequest { worker_id, reason } = request.into_inner();
        let worker = WorkerId(worker_id);
        let reason = reason_of(&reason, false)?;
        self.known(worker, None).await?;
        let released = self.core.release(worker, caller.owner.to_string(), reason).await;
        if !released.map_err(refused)? {
            return Err(Status::failed_precondition(format!("worker {worker} is not on hold")));
        }
        Ok(Response::new(v1::ReleaseWorkerResponse {}))
    }
}

/// Mismatches that are shown of a worker.
const MOST_OF_WORKER: u32 = 10;
/// The same of a run.
const MOST_OF_RUN: u32 = 100;

impl TrustRpc {
    async fn shown(&self, all: &[Mismatch]) -> Result<Vec<v1::Mismatch>, Status> {
        let mut shown = Vec::new();
        for mismatch in all {
            let run = self.ledger.run(mismatch.run).await.map_err(|e| failed(&e))?;
            let Some(run) = run else { continue };
            let openings = recover::openings(&self.ledger, run.id, &run.spec).await;
            let opening = openings.map_err(|e| failed(&e))?.one(mismatch.claimed.index);
            shown.push(convert::wire_mismatch(mismatch, opening));
        }
        Ok(shown)
    }
}

fn run_of(id: i64) -> Option<RunId> {
    (id != 0).then_some(RunId(id))
}

/// The reason of somebody who may say this.
fn said(
    caller: &Caller,
    run: Option<RunId>,
    reason: &str,
    preview: bool,
) -> Result<String, Status> {
    if run.is_none() && !preview && !caller.role.covers(Role::Admin) {
        return Err(Status::permission_denied("only an admin decides for every run; name one run"));
    }
    reason_of(reason, preview)
}

/// A reason for people, printable; a preview needs none.
pub(crate) fn reason_of(reason: &str, preview: bool) -> Result<String, Status> {
    let reason = printable(reason.trim(), MAX_REASON);
    if reason.is_empty() && !preview {
        let finding =
            Finding::new("reason", "nothing", "1 to 300 characters", "say why, for whoever asks");
        return Err(Status::invalid_argument(FindingList(vec![finding]).to_string()));
    }
    Ok(reason)
}

fn no_worker(worker: WorkerId) -> Status {
    Status::not_found(format!("there is no worker {worker}; `elomill workers list` shows all"))
}

fn refused(error: CoreError) -> Status {
    match error {
        CoreError::Overtaken => Status::aborted(error.to_string()),
        CoreError::Ledger | CoreError::Stopping => Status::unavailable(error.to_string()),
        CoreError::Control(_) | CoreError::Spec(_) => Status::failed_precondition(chain(&error)),
    }
}
