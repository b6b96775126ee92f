//! Leases that are over: how they ended.

use crate::{Ledger, StoreError};
use model::view::RunState;
use model::{LeaseId, WorkerId};

/// What is asked of a lease when a late report comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredLease {
    /// Whose it was.
    pub worker: WorkerId,
    /// Its epoch.
    pub epoch: u32,
    /// Its pairs in the ledger.
    pub merged_pairs: u32,
    /// Where its run is.
    pub run_state: RunState,
}

impl Ledger {
    /// A lease, if there ever was one of this id.
    ///
    /// # Errors
    /// Errors of the database, or a row that this version cannot read.
    pub async fn lease(&self, id: LeaseId) -> Result<Option<StoredLease>, StoreError> {
        let row: Option<(i64, i32, i32, String)> = sqlx::query_as(
            "SELECT l.worker_id, l.epoch, l.merged_pairs, r.state
             FROM leases l JOIN runs r ON r.id = l.run_id
             WHERE l.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|(worker, epoch, merged, state)| {
            let run_state = RunState::from_name(&state)
                .ok_or_else(|| StoreError::unreadable("the state of a run", &state))?;
            Ok(StoredLease {
                worker: WorkerId(worker),
                epoch: u32::try_from(epoch).unwrap_or(0),
                merged_pairs: u32::try_from(merged).unwrap_or(0),
                run_state,
            })
        })
        .transpose()
    }
}
