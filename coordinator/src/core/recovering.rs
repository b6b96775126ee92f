//! From the ledger to the core's state: when it takes the lead, and after a failed write.

use super::handle::Command;
use super::{ANSWER_WITHIN, Core, LEADER_SILENCE, Lead, Next, PATIENCE, STANDBY_PAUSE, chain};
use crate::dispatch::Moment;
use crate::dispatch::audits::AuditPolicy;
use crate::dispatch::scheduler::{LeaseLimits, Scheduler};
use crate::recover::{self, RecoverError};
use model::WorkerId;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::{KnownWorker, LeaderEpoch, Ledger, StoreError};
use tokio::sync::mpsc;

/// Between two signs of life while the state is read.
const BEAT: Duration = Duration::from_secs(1);

/// The state as the ledger has it.
pub(super) struct Recovered {
    leader: LeaderEpoch,
    scheduler: Scheduler,
    keys: BTreeMap<Vec<u8>, WorkerId>,
}

impl Core {
    /// Goes on, or starts again where the ledger failed.
    pub(super) async fn go_on(
        &mut self,
        looked: Result<(), StoreError>,
    ) -> Result<Next, RecoverError> {
        match looked {
            Ok(()) => Ok(Next::GoOn),
            Err(error) => self.start_again(&error).await,
        }
    }

    /// After a failed write: drop every session and build the state from the ledger again. Commands
    /// that come meanwhile are refused.
    pub(super) async fn start_again(&mut self, error: &StoreError) -> Result<Next, RecoverError> {
        tracing::warn!(error = %chain(error), "the ledger failed; starting again from it");
        self.metrics.ledger_failed();
        self.sessions.clear();
        self.live.clear();
        self.greeted.clear();
        // Given up first: this coordinator must not be in its own way.
        self.leader = None;
        let since = Instant::now();
        let mut pause = Duration::from_millis(100);
        let shutdown = self.shutdown.clone();
        loop {
            let now = self.now();
            let attempt = async {
                // Rare and large: kept apart from the future of every turn.
                let recovered = Box::pin(recover(&self.ledger, self.limits, self.checking, now));
                let silent = |_| RecoverError::Store(StoreError::Silent);
                tokio::time::timeout(ANSWER_WITHIN, recovered).await.map_err(silent)?
            };
            let recovered = tokio::select! {
                // First of all, so that a stop is a stop even when the database is quick.
                biased;
                () = shutdown.cancelled() => {
                    tracing::warn!("told to stop while the ledger is gone; nothing is lost by that");
                    return Ok(Next::Stop);
                }
                recovered = while_refusing(&mut self.inbox, attempt) => recovered,
            };
            match recovered {
                Ok(recovered) => {
                    self.go_on_from(recovered);
                    let duration_ms = since.elapsed().as_millis() as u64;
                    tracing::info!(duration_ms, "the ledger is back");
                    return Ok(Next::GoOn);
                }
                // The standby of before has taken over: this one is the standby now, afresh.
                Err(error @ RecoverError::Store(StoreError::LeadTaken))
                    if self.lead == Lead::StandBy =>
                {
                    return Err(error);
                }
                Err(error) if since.elapsed() > PATIENCE => return Err(error),
                Err(error) => tracing::debug!(error = %chain(&error), "the ledger is still gone"),
            }
            tokio::select! {
                () = while_refusing(&mut self.inbox, tokio::time::sleep(pause)) => {}
                () = shutdown.cancelled() => {}
            }
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    pub(super) fn go_on_from(&mut self, recovered: Recovered) {
        let Recovered { leader, scheduler, keys } = recovered;
        self.leader = Some(leader);
        self.metrics.lead(true);
        self.traces.forget();
        self.scheduler = scheduler;
        self.last_worker = keys.values().copied().max().unwrap_or(WorkerId(0));
        self.keys = keys;
        self.shown = self.scheduler.runs().map(|run| run.id).collect();
        // A run may have ended in the very commit whose answer was lost.
        self.views.forget_open_runs();
        self.show(0);
    }
}

/// Takes the lead and reads the state.
pub(super) async fn recover(
    ledger: &Ledger,
    limits: LeaseLimits,
    checking: AuditPolicy,
    now: Moment,
) -> Result<Recovered, RecoverError> {
    let leader = ledger.take_lead().await?;
    recover_as(leader, ledger, limits, checking, now).await
}

/// Waits for the lead, whatever happens to the database meanwhile.
pub(super) async fn stand_by(ledger: &Ledger) -> LeaderEpoch {
    loop {
        match ledger.wait_for_lead(LEADER_SILENCE).await {
            Ok(leader) => return leader,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "standing by; the ledger does not answer");
                tokio::time::sleep(STANDBY_PAUSE).await;
            }
        }
    }
}

/// Reads the state as the leader that this coordinator is. That may take longer than a standby waits
/// for a sign of life, so that signs of life are given meanwhile: two coordinators would otherwise take
/// the lead from each other for ever.
pub(super) async fn recover_as(
    mut leader: LeaderEpoch,
    ledger: &Ledger,
    limits: LeaseLimits,
    checking: AuditPolicy,
    now: Moment,
) -> Result<Recovered, RecoverError> {
    let mut reading = Box::pin(read(ledger, limits, checking, now));
    let mut beats = tokio::time::interval(BEAT);
    let (scheduler, keys) = loop {
        tokio::select! {
            done = &mut reading => break done?,
            _ = beats.tick() => leader.check().await?,
        }
    };
    Ok(Recovered { leader, scheduler, keys })
}

async fn read(
    ledger: &Ledger,
    limits: LeaseLimits,
    checking: AuditPolicy,
    now: Moment,
) -> Result<(Scheduler, BTreeMap<Vec<u8>, WorkerId>), RecoverError> {
    let mut scheduler = recover::scheduler(ledger, limits, now).await?;
    scheduler.set_audit_policy(checking);
    let mut keys = BTreeMap::new();
    for KnownWorker { key, id, owner } in ledger.known_workers().await? {
        if let Some(owner) = &owner {
            scheduler.know_owner(id, &owner.as_str().into());
        }
        keys.insert(key, id);
    }
    Ok((scheduler, keys))
}

/// Waits for something without the ledger; commands that come meanwhile are dropped, which tells
/// whoever asked that the ledger is not available.
async fn while_refusing<T>(
    inbox: &mut mpsc::Receiver<Command>,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            Some(_) = inbox.recv() => {}
        }
    }
}
