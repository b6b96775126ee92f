//! The coordinator of a house, in this process: started again on the same port when it fails.

use crate::output::say;
use anyhow::Context;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The first wait before a new start, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// A coordinator and its supervisor.
pub(super) struct CoordinatorPart {
    shutdown: CancellationToken,
    /// Whether it has answered once: from then on a failure is somebody's kill, not a bad setting.
    was_ready: Arc<AtomicBool>,
    task: Option<JoinHandle<anyhow::Result<()>>>,
}

impl CoordinatorPart {
    pub(super) fn start(settings: coordinator::Settings, listener: TcpListener) -> Self {
        let shutdown = CancellationToken::new();
        let was_ready = Arc::new(AtomicBool::new(false));
        let supervisor = supervise(settings, listener, shutdown.clone(), Arc::clone(&was_ready));
        Self { shutdown, was_ready, task: Some(tokio::spawn(supervisor)) }
    }

    /// From now on the coordinator is started again when it fails.
    pub(super) fn is_ready(&self) {
        self.was_ready.store(true, Ordering::Relaxed);
    }

    /// Comes back when the supervisor gives up. Cancel safe.
    pub(super) async fn failed(&mut self) -> anyhow::Error {
        let Some(task) = &mut self.task else { return std::future::pending().await };
        let ended = task.await;
        self.task = None;
        match ended {
            Ok(Ok(())) => anyhow::anyhow!("the coordinator ended by itself"),
            Ok(Err(error)) => error,
            Err(error) => anyhow::anyhow!("the coordinator was cut off: {error}"),
        }
    }

    /// Ends the coordinator; once `hurry` is raised, without waiting for a ledger that is away. What
    /// it has acknowledged is in the ledger either way.
    ///
    /// # Errors
    /// It ended with an error.
    pub(super) async fn close(self, hurry: &CancellationToken) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let Some(mut task) = self.task else { return Ok(()) };
        tokio::select! {
            ended = &mut task => ended.context("the coordinator was cut off")?,
            () = hurry.cancelled() => {
                task.abort();
                Ok(())
            }
        }
    }
}

async fn supervise(
    settings: coordinator::Settings,
    listener: TcpListener,
    shutdown: CancellationToken,
    was_ready: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut wait = WAITS.0;
    loop {
        // The port stays taken between two starts: workers and pages find the next one there.
        let listener = tokio::net::TcpListener::from_std(listener.try_clone()?)?;
        let began = tokio::time::Instant::now();
        let ended = coordinator::run(settings.clone(), listener, shutdown.child_token()).await;
        if shutdown.is_cancelled() || !was_ready.load(Ordering::Relaxed) {
            return ended.context("the coordinator failed");
        }
        if let Err(coordinator::ServeError::Recover(coordinator::RecoverError::Store(
            store::StoreError::LeadTaken,
        ))) = &ended
            && settings.lead == coordinator::Lead::StandBy
        {
            say("another coordinator leads; standing by");
            continue;
        }
        let reason = match ended {
            Ok(()) => "it ended by itself".to_owned(),
            Err(error) => format!("{:#}", anyhow::Error::from(error)),
        };
        tracing::error!("the coordinator failed and is started again: {reason}");
        say(format_args!("the coordinator failed and is started again: {reason}"));
        if began.elapsed() > WAITS.1 {
            wait = WAITS.0;
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        wait = (2 * wait).min(WAITS.1);
    }
}
