//! A throw-away Postgres.

use anyhow::{Context, Result};
use pgbox::PgBox;
use sqlx::{Connection, PgConnection};

/// A Postgres that is gone when this is dropped.
pub struct Database {
    server: PgBox,
    url: String,
}

impl Database {
    /// Starts one.
    ///
    /// # Errors
    /// No Postgres is installed, or it does not start.
    pub async fn start() -> Result<Self> {
        let server = tokio::task::spawn_blocking(PgBox::throwaway)
            .await?
            .context("a throw-away Postgres is needed by this test")?;
        let url = server.url(pgbox::DATABASE);
        Ok(Self { server, url })
    }

    /// Its address, for sqlx.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection of the test's own, to look at what is stored.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn connection(&self) -> Result<PgConnection> {
        Ok(PgConnection::connect(&self.url).await?)
    }

    /// One number that a statement gives.
    ///
    /// # Errors
    /// The statement fails, or gives no number.
    pub async fn number(&self, sql: &'static str) -> Result<i64> {
        let mut connection = self.connection().await?;
        Ok(sqlx::query_scalar(sql).fetch_one(&mut connection).await?)
    }

    /// Kills the server with SIGKILL, and leaves it dead.
    ///
    /// # Errors
    /// It is dead already.
    pub fn kill(&self) -> Result<()> {
        let pid = rustix::process::Pid::from_raw(self.server.pid()).context("a process id")?;
        Ok(rustix::process::kill_process(pid, rustix::process::Signal::KILL)?)
    }

    /// Kills the server with SIGKILL and starts it again.
    ///
    /// # Errors
    /// It does not start.
    pub async fn kill_and_revive(self) -> Result<Self> {
        self.kill()?;
        self.revive().await
    }

    /// Starts a server that was killed.
    ///
    /// # Errors
    /// It does not start.
    pub async fn revive(self) -> Result<Self> {
        let Self { mut server, url } = self;
        let server = tokio::task::spawn_blocking(move || {
            // It dies a moment after the signal.
            while server.restart_if_dead()? == pgbox::Revival::Alive {
                std::thread::yield_now();
            }
            Ok::<_, anyhow::Error>(server)
        })
        .await??;
        Ok(Self { server, url })
    }
}
