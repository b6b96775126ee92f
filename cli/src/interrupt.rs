//! The two stages of Ctrl-C: the first asks for a clean end, the second for a quick one.

use tokio_util::sync::CancellationToken;

/// The stages; a clone sees the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    /// First stage: finish what is being played, hand it in, end.
    pub(crate) finish: CancellationToken,
    /// Second stage: end at once, and cleanly.
    pub(crate) hurry: CancellationToken,
}

impl Interrupt {
    /// Raises the next stage.
    pub(crate) fn raise(&self) {
        if self.finish.is_cancelled() {
            self.hurry.cancel();
        } else {
            self.finish.cancel();
        }
    }

    /// Listens for Ctrl-C, and for a service manager's request to end, from now on.
    ///
    /// # Errors
    /// The system does not let signals be listened for.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let raised = interrupt.clone();
        let mut signals = Signals::new()?;
        tokio::spawn(async move {
            loop {
                signals.next().await;
                raised.raise();
            }
        });
        Ok(interrupt)
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interrupt;

    #[test]
    fn the_second_raise_hurries() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        assert!(interrupt.finish.is_cancelled() && !interrupt.hurry.is_cancelled());
        interrupt.raise();
        assert!(interrupt.hurry.is_cancelled());
    }
}
