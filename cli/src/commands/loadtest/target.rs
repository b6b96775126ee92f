//! The coordinator under test: a process of its own with a database of its own in a folder that is
//! gone afterwards, so that its memory and its processor time are told apart from the generator's.

use crate::data_dir::{DataDir, DataDirArgs};
use anyhow::Context;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How long a coordinator may take to end before it is killed.
const END_WITHIN: Duration = Duration::from_secs(20);
/// Ticks of processor time in a second, on every Linux that Rust runs on (`USER_HZ`).
const TICKS_PER_SECOND: f64 = 100.0;

/// What a coordinator's processes have used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Used {
    /// Memory of the coordinator now, in KiB.
    pub(super) rss_kib: u64,
    /// Processor time of the coordinator, in seconds.
    pub(super) coordinator_s: f64,
    /// That of its Postgres.
    pub(super) postgres_s: f64,
    /// That of this process.
    pub(super) generator_s: f64,
}

/// A coordinator that this command started.
pub(super) struct Target {
    folder: DataDir,
    _temporary: tempfile::TempDir,
    audits: String,
    child: Child,
    /// Where gRPC answers.
    pub(super) url: String,
}

impl Target {
    /// Starts `elomill up` on a fresh folder and waits until it serves.
    ///
    /// # Errors
    /// It does not start; its log is told.
    pub(super) async fn start(audits: &str) -> anyhow::Result<Self> {
        let temporary = tempfile::Builder::new().prefix("elomill-loadtest-").tempdir()?;
        let folder = DataDirArgs { data_dir: Some(temporary.path().to_owned()) }.resolve()?;
        let (child, url) = launch(folder.path(), "127.0.0.1:0", audits).await?;
        let audits = audits.to_owned();
        Ok(Self { folder, _temporary: temporary, audits, child, url })
    }

    pub(super) fn folder(&self) -> &DataDir {
        &self.folder
    }

    /// The address of its database.
    ///
    /// # Errors
    /// Its Postgres does not run.
    pub(super) fn database_url(&self) -> anyhow::Result<String> {
        let status = pgbox::status(self.folder.path())?;
        let running = status.running.context("the Postgres of the test does not run")?;
        running.url.context("the Postgres of the test has no socket")
    }

    /// Kills the coordinator with SIGKILL and starts another in its place; its Postgres stays.
    ///
    /// # Errors
    /// The new one does not start.
    pub(super) async fn kill_and_start(&mut self) -> anyhow::Result<()> {
        let address: keys::Address = self.url.parse()?;
        self.child.kill().await?;
        let (child, url) = launch(self.folder.path(), &address.authority(), &self.audits).await?;
        (self.child, self.url) = (child, url);
        Ok(())
    }

    /// What its processes have used; `None` where the system does not tell.
    pub(super) fn used(&self) -> Option<Used> {
        let coordinator = i32::try_from(self.child.id()?).ok()?;
        let postgres = pgbox::status(self.folder.path()).ok()?.running?.pid;
        Some(Used {
            rss_kib: rss_kib(coordinator)?,
            coordinator_s: Stat::of(coordinator)?.own_s,
            postgres_s: family_s(postgres)?,
            generator_s: Stat::of(i32::try_from(std::process::id()).ok()?)?.own_s,
        })
    }

    /// Ends it in order.
    ///
    /// # Errors
    /// It cannot be told to end.
    pub(super) async fn end(mut self) -> anyhow::Result<()> {
        #[cfg(unix)]
        if let Some(pid) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
        {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
            if tokio::time::timeout(END_WITHIN, self.child.wait()).await.is_ok() {
                return Ok(());
            }
        }
        self.child.kill().await?;
        pgbox::stop(self.folder.path())?;
        Ok(())
    }
}

async fn launch(folder: &Path, listen: &str, audits: &str) -> anyhow::Result<(Child, String)> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let mut child = Command::new(program)
        .args(["up", "--no-worker", "--json", "--audits", audits, "--listen", listen])
        .arg("--data-dir")
        .arg(folder)
        // The test writes into no ledger of anybody.
        .env_remove(crate::env::DATABASE_URL)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("cannot start the coordinator under test")?;
    let output = child.stdout.take().context("its output is piped")?;
    let mut lines = BufReader::new(output).lines();
    let Some(told) = lines.next_line().await? else {
        let log = std::fs::read_to_string(folder.join("logs").join("elomill.log"));
        let log = crate::output::printable_lines(&log.unwrap_or_default());
        anyhow::bail!("the coordinator under test did not start\n{log}");
    };
    let told: serde_json::Value = serde_json::from_str(&told)?;
    let url = told["grpc"].as_str().context("`up` tells its address")?.to_owned();
    Ok((child, url))
}

/// Memory of a process, in KiB.
fn rss_kib(pid: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What the kernel tells of a process (proc(5)).
struct Stat {
    parent: i32,
    own_s: f64,
    /// Of its children that ended.
    ended_children_s: f64,
}

impl Stat {
    fn of(pid: i32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field - 3).and_then(|text| text.parse::<f64>().ok());
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own_s: (ticks(14)? + ticks(15)?) / TICKS_PER_SECOND,
            ended_children_s: (ticks(16)? + ticks(17)?) / TICKS_PER_SECOND,
        })
    }
}

/// Processor time of a process and its children.
fn family_s(pid: i32) -> Option<f64> {
    let head = Stat::of(pid)?;
    let others = std::fs::read_dir("/proc").ok()?.filter_map(|entry| {
        let stat = Stat::of(entry.ok()?.file_name().to_str()?.parse().ok()?)?;
        (stat.parent == pid).then_some(stat.own_s)
    });
    Some(head.own_s + head.ended_children_s + others.sum::<f64>())
}
