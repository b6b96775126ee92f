//! Exclusions are made and lifted between two groups of commands, when memory and ledger say the
//! same: the runs that they touch are folded again from the ledger, the ended ones too.
//!
//! Whoever asks has folded them before, beside the core, which only folds what came since.

use super::handle::Believing;
use super::{Core, CoreError, Next, too_long, unix_ms};
use crate::dispatch::fold::Fold;
use crate::dispatch::scheduler::ChangedExclusions;
use crate::recover::{self, RecoverError};
use model::RunId;
use std::collections::BTreeMap;
use store::{NewSnapshot, RunMove, StoreError};

impl Core {
    /// Carries out a change of the exclusions.
    pub(super) async fn believe(&mut self, believing: Believing) -> Result<Next, RecoverError> {
        let Believing { change, before, mut folds, worker, run, reply } = believing;
        let shutdown = self.shutdown.clone();
        let work = async {
            if self.ledger.exclusions_in_force().await? != before {
                return Ok(Err(CoreError::Overtaken));
            }
            let mut touched = self.ledger.runs_of_worker(worker).await?;
            touched.retain(|id| run.is_none_or(|only| only == *id));
            self.change(change, &touched, &mut folds).await.map(Ok)
        };
        let done = tokio::select! {
            done = work => done,
            () = too_long(&shutdown) => Err(RecoverError::Store(StoreError::Silent)),
        };
        match done {
            Ok(done) => {
                // Whoever asked may be gone by now.
                let _ = reply.send(done);
                Ok(Next::GoOn)
            }
            Err(RecoverError::Store(error)) => self.start_again(&error).await,
            Err(error) => Err(error),
        }
    }

    async fn change(
        &mut self,
        mut change: ChangedExclusions,
        touched: &[RunId],
        folds: &mut BTreeMap<RunId, Fold>,
    ) -> Result<(), RecoverError> {
        let mut ended = Vec::new();
        for &id in touched {
            let Some(stored) = self.ledger.run(id).await? else { continue };
            let mut fold = match folds.remove(&id) {
                Some(fold) => fold,
                None => recover::begin(&self.ledger, id, &stored.spec).await?,
            };
            recover::catch_up(&self.ledger, id, &mut fold, &change.in_force).await?;
            if self.scheduler.run(id).is_none() {
                ended.push((stored, fold));
                continue;
            }
            // The budget may have grown meanwhile.
            let failed = |source| RecoverError::Fold { run: id, source };
            change.folds.push((id, fold.respecified(&stored.spec).map_err(failed)?));
        }
        self.scheduler.change_exclusions(change, unix_ms());
        let mut batch = self.scheduler.take_batch();
        for (stored, fold) in &ended {
            // Where it is in its life, and what it said, stays.
            batch.run_moves.push(RunMove {
                id: stored.id,
                state: stored.state,
                state_reason: stored.state_reason.clone(),
                verdict: stored.verdict,
                tally: fold.tally,
                llr: fold.llr(),
                point: fold.point(),
                last_report: fold.last_report,
            });
            batch.refolded.push(stored.id);
            batch.snapshots.push(NewSnapshot {
                run: stored.id,
                report: fold.last_report,
                state: fold.to_json(),
            });
        }
        let leader = self.leader.as_ref().ok_or(StoreError::LeadTaken)?;
        self.ledger.commit(leader, &batch).await?;
        for (stored, _) in &ended {
            self.views.forget_ended_run(stored.id);
        }
        self.tell(Vec::new(), &batch);
        Ok(())
    }
}
