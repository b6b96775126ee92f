//! `elomill worker`: plays games for a coordinator until it is told to end.

mod doctor;

use crate::interrupt::Interrupt;
use crate::output::{is_watched, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Duration;
use tokio::sync::watch;
use worker::{Enrolled, Shutdown, Status};

/// Seconds that the clocks may differ before it is said.
const CLOCK_OFF: i64 = 60;

/// What the command takes.
// The group of the flattened arguments has the same name.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    worker: worker::cli::Args,
    /// End when the starting process does: stdin is a pipe from it
    #[arg(long, hide = true)]
    exit_with_parent: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Redeems the link of an invitation, then plays; later `elomill worker` is enough
    Join(Box<worker::cli::JoinArgs>),
    /// Pauses the worker of this machine: it finishes its pairs and takes no more
    Pause(worker::cli::StateArgs),
    /// Lets a paused worker play again
    Resume(worker::cli::StateArgs),
    /// Examines this machine and its way to the coordinator, and says why it plays nothing
    Doctor(Box<doctor::Args>),
}

impl Args {
    /// # Errors
    /// The state folder cannot be used, or the coordinator will never have this worker.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let action = match self.action {
            Some(Action::Pause(state)) => {
                worker::pause(&state.resolve()?)?;
                say("paused: the worker finishes its pairs and takes no more");
                return Ok(ExitCode::SUCCESS);
            }
            Some(Action::Resume(state)) => {
                worker::resume(&state.resolve()?)?;
                say("the worker plays again");
                return Ok(ExitCode::SUCCESS);
            }
            Some(Action::Doctor(args)) => return args.run().await,
            Some(Action::Join(join)) => Some(join),
            None => None,
        };
        let interrupt = Interrupt::listen()?;
        let shows_status = is_watched() && !self.exit_with_parent;
        crate::logging::to_stderr(if shows_status { "warn" } else { "info" });
        if self.exit_with_parent {
            listen_to_parent(interrupt.clone());
        }
        let shutdown =
            Shutdown { finish: interrupt.finish.clone(), abort: interrupt.hurry.clone() };
        let mut settings = match action {
            Some(join) => {
                let (enrolled, settings) = join.join().await?;
                welcome(&enrolled);
                settings
            }
            None => self.worker.resolve()?,
        };
        if shows_status {
            say(worker::describe_externals(&settings.externals));
        }
        let (sender, receiver) = watch::channel(Status::default());
        settings.status = Some(sender);
        let line = if shows_status {
            Some(tokio::spawn(show(receiver)))
        } else {
            Some(tokio::spawn(tell(receiver)))
        };
        let summary = worker::run(settings, shutdown).await;
        if let Some(line) = line {
            line.abort();
        }
        let summary = summary?;
        say(format_args!(
            "played {} pairs: {} handed in, {} kept for the next start",
            summary.played, summary.accepted, summary.spooled
        ));
        Ok(ExitCode::SUCCESS)
    }
}

/// Says what a link has led to.
fn welcome(enrolled: &Enrolled) {
    say(format_args!("joined as key {} of {}", enrolled.key, enrolled.owner));
    let off = enrolled.clock_ahead_seconds;
    if off.abs() > CLOCK_OFF {
        let side = if off > 0 { "behind" } else { "ahead" };
        say(format_args!(
            "the clock of this machine is {} s {side} the coordinator's: nothing here depends on it, \
             but times in logs will not match",
            off.abs()
        ));
    }
}

/// Ends the worker when its parent says so or is gone. A thread of its own: reading cannot be
/// cancelled, and nothing waits for it.
fn listen_to_parent(interrupt: Interrupt) {
    std::thread::spawn(move || {
        let finish = crate::house::FINISH;
        for line in std::io::stdin().lock().lines() {
            match line {
                Ok(line) if line.trim() == finish => interrupt.finish.cancel(),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        interrupt.finish.cancel();
        interrupt.hurry.cancel();
    });
}

/// One line that is always true, for as long as the worker runs.
async fn show(mut status: watch::Receiver<Status>) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    loop {
        bar.set_message(status_line(&status.borrow_and_update()));
        if status.changed().await.is_err() {
            return;
        }
    }
}

/// A plain line a minute, for logs.
async fn tell(status: watch::Receiver<Status>) {
    let mut minute = tokio::time::interval(Duration::from_secs(60));
    minute.tick().await;
    loop {
        minute.tick().await;
        let line = status_line(&status.borrow());
        tracing::info!("{line}");
    }
}

fn status_line(status: &Status) -> String {
    let doing = match (status.connected, status.run, &status.idle_reason) {
        (false, _, Some(reason)) => {
            format!("not connected: {}", model::printable(reason, 80))
        }
        (false, ..) => "not connected".to_owned(),
        (true, Some(run), _) => format!("run {run}"),
        (true, None, Some(reason)) => format!("idle: {}", model::printable(reason, 80)),
        (true, None, None) => "idle".to_owned(),
    };
    let report = match status.next_report {
        Some(wait) => format!("  next report in {} s", wait.as_secs()),
        None => String::new(),
    };
    let ending = if status.ending { "  ending; Ctrl-C again to give up the games" } else { "" };
    format!(
        "{doing}  {}/{} slots  {:.0} games/min  {} nodes/s  {} pairs accepted, {} waiting{report}{ending}",
        status.playing,
        status.slots,
        status.games_per_minute,
        status.nodes_per_second,
        status.accepted,
        status.spooled
    )
}
