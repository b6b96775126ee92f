//! What the core does by itself, again and again: it shows how everything stands, writes down who is
//! there, and gives the database signs of life.

use super::handle::{Command, Outbound};
use super::{BEAT_TICKS, Core, DRAIN, GROUP, Next, chain, too_long};
use crate::recover::RecoverError;
use model::WorkerId;
use store::StoreError;

impl Core {
    /// Shows the runs that moved since the last time, and how the workers are: those less often the more
    /// they are, as each is looked at.
    pub(super) fn show(&mut self, ticks: u32) {
        /// Workers that are looked at in every tick.
        const AT_ONCE: usize = 1000;
        let now = self.now();
        for id in std::mem::take(&mut self.shown) {
            if let Some(run) = self.scheduler.run(id) {
                self.views.show_run(run, now);
            }
        }
        let every = u32::try_from(1 + self.live.len() / AT_ONCE).unwrap_or(u32::MAX);
        if ticks.is_multiple_of(every.min(BEAT_TICKS * 5)) {
            let workers = self.live.iter().map(|(id, live)| {
                let (connected, leases, idle) = self.scheduler.worker(*id).unwrap_or_default();
                (*id, live.clone(), connected, leases, idle)
            });
            self.views.show_workers(workers);
            let live = self
                .live
                .iter()
                .map(|(id, live)| (live, self.scheduler.worker(*id).and_then(|(_, _, idle)| idle)));
            self.metrics.stand(&self.scheduler, live);
        }
        self.views.settle(now);
    }

    /// Writes down who is there, and makes room for the moves of the next days. No group waits for it:
    /// that the ledger is gone is found out by a group or by the next sign of life.
    pub(super) fn note_who_is_there(&mut self) {
        while let Some(noted) = self.notes.try_join_next() {
            if let Ok(Err(error)) = noted {
                tracing::warn!(error = %chain(&error), "who is there could not be written down");
            }
        }
        if !self.notes.is_empty() {
            return;
        }
        let connected: Vec<WorkerId> = self.scheduler.connected_workers().collect();
        let ledger = self.ledger.clone();
        self.notes.spawn(async move {
            ledger.touch_workers(&connected).await?;
            ledger.make_days().await
        });
    }

    /// A sign of life to the database, in the session that holds the lead.
    pub(super) async fn beat(&mut self) -> Result<Next, RecoverError> {
        let Self { leader, shutdown, .. } = self;
        let beat = async {
            match leader {
                Some(leader) => leader.check().await,
                None => Err(StoreError::LeadTaken),
            }
        };
        let beat = tokio::select! {
            beat = beat => beat,
            () = too_long(shutdown) => Err(StoreError::Silent),
        };
        self.go_on(beat).await
    }

    /// Gives no more work, tells the workers, and merges what still comes.
    pub(super) async fn drain(&mut self, group: &mut Vec<Command>) -> Result<(), RecoverError> {
        let workers: Vec<WorkerId> = self.sessions.keys().copied().collect();
        for worker in workers {
            self.send(worker, Outbound::Drain);
        }
        let until = tokio::time::Instant::now() + DRAIN;
        // A worker without a lease has nothing more to say.
        let busy = |core: &Self| {
            let mut workers = core.sessions.keys();
            workers.any(|id| core.scheduler.worker(*id).is_some_and(|(_, leases, _)| leases > 0))
        };
        while busy(self) {
            let taken = tokio::time::timeout_at(until, self.inbox.recv_many(group, GROUP)).await;
            if !matches!(taken, Ok(1..)) {
                break;
            }
            if self.turn(group, false).await? == Next::Stop {
                break;
            }
        }
        self.sessions.clear();
        Ok(())
    }
}
