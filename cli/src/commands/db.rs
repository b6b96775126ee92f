//! `elomill db`: the private Postgres, by hand.

use crate::data_dir::{DataDir, DataDirArgs};
use crate::house::programs;
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use clap::Subcommand;
use pgbox::{Environment, Lifetime, PgBox, Settings};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::task::spawn_blocking;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
    /// Folder of everything that stays on this machine
    #[arg(long, value_name = "DIR", env = crate::env::DATA_DIR, global = true)]
    data_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Says whether the server runs, and where its files are
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Fetches the server programs if this machine has none
    Install {
        /// Only look
        #[arg(long)]
        no_download: bool,
    },
    /// Starts the server, to stay
    Start {
        /// Fail rather than fetch the programs
        #[arg(long)]
        no_download: bool,
    },
    /// Stops the server
    Stop,
    /// Opens a SQL shell
    Psql {
        /// What psql shall be given
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

impl Args {
    /// # Errors
    /// As `pgbox` says, with the mend.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let folder = DataDirArgs { data_dir: self.data_dir }.resolve()?;
        // Every call of pgbox blocks, and this thread has nothing else to do meanwhile.
        spawn_blocking(move || self.what.run(&folder)).await.context("the command was cut off")?
    }
}

impl What {
    fn run(self, folder: &DataDir) -> anyhow::Result<ExitCode> {
        match self {
            What::Status { json } => status(folder, json),
            What::Install { no_download } => {
                let found = programs(folder, no_download)?;
                let best = found.best();
                line(format_args!("PostgreSQL {} in {}", best.version, best.bin_dir.display()))?;
                Ok(ExitCode::SUCCESS)
            }
            What::Start { no_download } => {
                let found = programs(folder, no_download)?;
                let settings = Settings::new(&Environment::read(), folder.path(), found)
                    .lifetime(Lifetime::Detached);
                let postgres = PgBox::start(settings)?;
                line(postgres.url(pgbox::DATABASE))?;
                postgres.release()?;
                say("it stays until `elomill db stop`");
                Ok(ExitCode::SUCCESS)
            }
            What::Stop => {
                let was_running = pgbox::stop(folder.path())?;
                say(if was_running { "stopped" } else { "it was not running" });
                Ok(ExitCode::SUCCESS)
            }
            What::Psql { arguments } => psql(folder, arguments),
        }
    }
}

fn status(folder: &DataDir, as_json: bool) -> anyhow::Result<ExitCode> {
    let status = pgbox::status(folder.path())?;
    let running = status.running.as_ref();
    if as_json {
        json(&serde_json::json!({
            "data_dir": status.data_dir,
            "cluster_version": status.cluster_version,
            "size_bytes": status.size_bytes,
            "log": status.log,
            "running": running.is_some(),
            "pid": running.map(|running| running.pid),
            "socket_dir": running.and_then(|running| running.socket_dir.as_ref()),
            "answers": running.is_some_and(|running| running.answers),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    match status.cluster_version {
        Some(version) => line(format_args!(
            "cluster  PostgreSQL {version}, {:.1} MB in {}",
            status.size_bytes as f64 / 1e6,
            status.data_dir.display()
        ))?,
        None => line(format_args!("cluster  none yet in {}", status.data_dir.display()))?,
    }
    match running {
        Some(running) => line(format_args!(
            "server   runs as process {}, {}",
            running.pid,
            if running.answers { "and answers" } else { "and does not answer yet" }
        ))?,
        None => line("server   does not run")?,
    }
    line(format_args!("log      {}", status.log.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn psql(folder: &DataDir, arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let found = programs(folder, true)?;
    let settings = Settings::new(&Environment::read(), folder.path(), found);
    let postgres = PgBox::start(settings)?;
    let Some(mut command) = postgres.psql_command() else {
        return Err(hinted(
            "there is no psql beside the server programs",
            "install the package `postgresql-client`",
        ));
    };
    let status = command.args(arguments).status().context("cannot start psql")?;
    // Stops the server if it ran for this shell alone.
    postgres.release()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}
