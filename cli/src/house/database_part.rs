//! The database of a house: the private Postgres, watched, or somebody else's.

use crate::data_dir::DataDir;
use crate::output::{hinted, say};
use anyhow::Context;
use pgbox::{Environment, FetchPlan, Found, PgBox, Search, Settings};
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// How often the private Postgres is looked after.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A database that answers.
pub(super) struct DatabasePart {
    url: String,
    keeper: Option<Keeper>,
}

/// Watches the private Postgres and starts it again when it was killed.
struct Keeper {
    stop: CancellationToken,
    task: JoinHandle<anyhow::Result<()>>,
}

impl DatabasePart {
    /// A database that others run.
    pub(super) fn of_others(url: String) -> Self {
        Self { url, keeper: None }
    }

    /// Starts or adopts the private Postgres of a folder, fetching its programs if that is needed
    /// and allowed.
    ///
    /// # Errors
    /// As `pgbox` says, with the mend.
    pub(super) async fn private(folder: &DataDir, no_download: bool) -> anyhow::Result<Self> {
        let folder = folder.clone();
        let postgres = spawn_blocking(move || start(&folder, no_download))
            .await
            .context("the start of Postgres was cut off")??;
        let url = postgres.url(pgbox::DATABASE);
        let stop = CancellationToken::new();
        let task = tokio::spawn(keep(postgres, stop.clone()));
        Ok(Self { url, keeper: Some(Keeper { stop, task }) })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Stops the private Postgres, unless another process uses it.
    ///
    /// # Errors
    /// It does not stop.
    pub(super) async fn close(self) -> anyhow::Result<()> {
        let Some(Keeper { stop, task }) = self.keeper else { return Ok(()) };
        stop.cancel();
        task.await.context("the keeper of Postgres was cut off")?
    }
}

/// The programs of a private Postgres, fetched if there are none.
///
/// # Errors
/// There are none, and fetching is forbidden or fails.
pub(crate) fn programs(folder: &DataDir, no_download: bool) -> anyhow::Result<Found> {
    let env = Environment::read();
    let search = Search::new(&env, folder.path());
    let missing = match search.find() {
        Ok(found) => return Ok(found),
        Err(missing) => missing,
    };
    if no_download {
        return Err(missing.into());
    }
    if let Some(pg_bin) = &env.pg_bin {
        // Somebody pointed there on purpose; fetching another would hide the mistake.
        return Err(hinted(
            format_args!("ELOMILL_PG_BIN={} holds no PostgreSQL server", pg_bin.display()),
            "name the folder that holds initdb and postgres, or unset it",
        ));
    }
    let plan = FetchPlan::new(&env)?;
    say(format_args!(
        "no PostgreSQL server on this machine: fetching {plan} into {} (--no-download forbids it)",
        folder.path().display()
    ));
    Ok(plan.run(folder.path())?.into())
}

fn start(folder: &DataDir, no_download: bool) -> anyhow::Result<PgBox> {
    let found = programs(folder, no_download)?;
    Ok(PgBox::start(Settings::new(&Environment::read(), folder.path(), found))?)
}

async fn keep(mut postgres: PgBox, stop: CancellationToken) -> anyhow::Result<()> {
    let mut is_down = false;
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => break,
        }
        let (back, revival) = spawn_blocking(move || {
            let revival = postgres.restart_if_dead();
            (postgres, revival)
        })
        .await
        .context("the keeper of Postgres was cut off")?;
        postgres = back;
        match revival {
            Ok(_) => is_down = false,
            // Said once: the next look, a second later, tries again.
            Err(error) if !is_down => {
                is_down = true;
                tracing::error!("the private Postgres does not come up again: {error}");
                say(format_args!("the private Postgres does not come up again: {error}"));
            }
            Err(_) => {}
        }
    }
    spawn_blocking(move || postgres.release())
        .await
        .context("the end of Postgres was cut off")??;
    Ok(())
}
