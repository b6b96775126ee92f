//! The worker of a house: a child process, started again when it dies.
//!
//! The child holds the reading end of a pipe. A line `finish` asks it to hand in what it plays and to
//! end; the end of the pipe, which also comes when this process is killed, asks it to end at once.

use crate::data_dir::DataDir;
use crate::output::say;
use anyhow::Context;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use telemetry::Collector;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The first wait before a new start, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// A child that lived this long did not die of its start.
const SETTLED: Duration = Duration::from_secs(60);

/// So many early deaths in a row are told to the person at the terminal.
const EARLY_DEATHS: u32 = 3;

/// How long the child may take to end at once, before it is killed. It asks five seconds of itself.
const PATIENCE: Duration = Duration::from_secs(8);

/// What asks the child to hand in what it plays and to end.
pub(crate) const FINISH: &str = "finish";

/// A worker and its supervisor.
pub(super) struct WorkerPart {
    finish: CancellationToken,
    hurry: CancellationToken,
    task: JoinHandle<()>,
}

/// How the child is started.
struct Recipe {
    program: PathBuf,
    folder: DataDir,
    url: String,
    slots: u32,
    otlp: Option<Collector>,
    sandbox: worker::shelf::Mode,
}

impl WorkerPart {
    /// # Errors
    /// This program does not know its own path, or the child does not start.
    pub(super) fn start(
        folder: &DataDir,
        url: &str,
        slots: u32,
        otlp: Option<Collector>,
        sandbox: worker::shelf::Mode,
    ) -> anyhow::Result<Self> {
        let recipe = Recipe {
            program: std::env::current_exe().context("cannot find the path of this program")?,
            folder: folder.clone(),
            url: url.to_owned(),
            slots,
            otlp,
            sandbox,
        };
        let child = recipe.spawn()?;
        let (finish, hurry) = (CancellationToken::new(), CancellationToken::new());
        let task = tokio::spawn(supervise(recipe, child, finish.clone(), hurry.clone()));
        Ok(Self { finish, hurry, task })
    }

    /// Ends the worker: with its games in play finished or, once `hurry` is raised, without.
    pub(super) async fn close(self, hurry: &CancellationToken) {
        self.finish.cancel();
        let mut task = self.task;
        tokio::select! {
            _ = &mut task => return,
            () = hurry.cancelled() => self.hurry.cancel(),
        }
        // A supervisor that panicked has dropped its child, and dropping kills.
        let _ = task.await;
    }
}

impl Recipe {
    fn spawn(&self) -> anyhow::Result<Child> {
        let log = self.folder.log_file("worker.log")?;
        let mut command = Command::new(&self.program);
        command
            .args(["worker", "--exit-with-parent", "--coordinator", &self.url])
            .args(["--slots", &self.slots.to_string()])
            .args(["--sandbox", self.sandbox.name()])
            .arg("--state-dir")
            .arg(self.folder.worker_state())
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true);
        if let Some(collector) = &self.otlp {
            command.args(["--otlp", &collector.to_string()]);
        }
        // Ctrl-C at the terminal is for this process, which ends its parts in order.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn().context("cannot start the worker")
    }
}

async fn supervise(
    recipe: Recipe,
    first: Child,
    finish: CancellationToken,
    hurry: CancellationToken,
) {
    let mut wait = WAITS.0;
    let mut early_deaths = 0;
    let mut child = first;
    loop {
        let began = tokio::time::Instant::now();
        let stdin = child.stdin.take();
        tokio::select! {
            status = child.wait() => match status {
                Ok(status) => tracing::warn!("the worker ended ({status}) and is started again"),
                Err(error) => tracing::warn!("the worker is lost ({error}); another is started"),
            },
            () = finish.cancelled() => return end(child, stdin, &hurry).await,
        }
        if began.elapsed() > SETTLED {
            (wait, early_deaths) = (WAITS.0, 0);
        } else {
            early_deaths += 1;
        }
        if early_deaths == EARLY_DEATHS {
            let log = recipe.folder.path().join("logs").join("worker.log");
            say(format_args!("the worker keeps dying; {} says why", log.display()));
        }
        child = loop {
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = finish.cancelled() => return,
            }
            wait = (2 * wait).min(WAITS.1);
            match recipe.spawn() {
                Ok(child) => break child,
                Err(error) => tracing::error!("{error:#}"),
            }
        };
    }
}

async fn end(mut child: Child, stdin: Option<ChildStdin>, hurry: &CancellationToken) {
    if let Some(mut stdin) = stdin {
        // A child that is gone already does not read it; the wait below sees that.
        let _ = stdin.write_all(format!("{FINISH}\n").as_bytes()).await;
        let _ = stdin.flush().await;
        tokio::select! {
            _ = child.wait() => return,
            () = hurry.cancelled() => drop(stdin),
        }
    }
    if tokio::time::timeout(PATIENCE, child.wait()).await.is_err() {
        tracing::error!("the worker does not end and is killed");
        // What it played is in its spool; the next start delivers it.
        let _ = child.kill().await;
    }
}
