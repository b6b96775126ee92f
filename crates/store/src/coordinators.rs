//! Where the coordinators of a ledger are, for workers to find another when theirs goes.

use crate::{Ledger, StoreError};

impl Ledger {
    /// Writes down that a coordinator is at this address now, and forgets those that were not seen for a
    /// week. True whoever leads: not guarded.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn announce(&self, address: &str) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO coordinators (address) VALUES ($1)
             ON CONFLICT (address) DO UPDATE SET seen_at = now()",
        )
        .bind(address)
        .execute(&self.pool)
        .await?;
        sqlx::query("DELETE FROM coordinators WHERE seen_at < now() - interval '7 days'")
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The addresses of the coordinators that were there within the last day, at most the last eight, in
    /// the order of the addresses.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn coordinators(&self) -> Result<Vec<String>, StoreError> {
        let addresses = sqlx::query_scalar(
            "SELECT address FROM (
                 SELECT address FROM coordinators WHERE seen_at > now() - interval '1 day'
                 ORDER BY seen_at DESC LIMIT 8
             ) AS latest ORDER BY address",
        );
        Ok(addresses.fetch_all(&self.pool).await?)
    }
}
