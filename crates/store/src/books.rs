//! Opening books by the hash of their content.

use crate::{Ledger, StoreError, signed};
use model::GameKind;

impl Ledger {
    /// Keeps a book; the same book again changes nothing, so that it does not matter who leads. The
    /// caller has checked the hash and every position.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn add_book(
        &self,
        sha256: &str,
        game: GameKind,
        positions: u64,
        content: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO books (sha256, game, positions, content) VALUES ($1, $2, $3, $4)
             ON CONFLICT (sha256) DO NOTHING",
        )
        .bind(sha256)
        .bind(game.name())
        .bind(signed(positions))
        .bind(content)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// The game and the text of a book, if the ledger has it.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn book(&self, sha256: &str) -> Result<Option<(GameKind, String)>, StoreError> {
        let row: Option<(String, String)> =
            sqlx::query_as("SELECT game, content FROM books WHERE sha256 = $1")
                .bind(sha256)
                .fetch_optional(&self.pool)
                .await?;
        row.map(|(game, content)| {
            let game = game.parse().map_err(|e| StoreError::unreadable("the game of a book", e))?;
            Ok((game, content))
        })
        .transpose()
    }
}
