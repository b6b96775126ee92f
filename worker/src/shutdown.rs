//! The two stages of going away.

use tokio_util::sync::CancellationToken;

/// Asks a worker to end. Clones share the state; raising a stage twice does nothing more.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// First stage: finish the pairs in play, report them, give the rest back, end.
    pub finish: CancellationToken,
    /// Second stage: stop the pairs in play, give the leases back, end within five seconds.
    pub abort: CancellationToken,
}

impl Shutdown {
    /// Nothing asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the next stage: what an interrupt from the keyboard does.
    pub fn interrupt(&self) {
        if self.finish.is_cancelled() {
            self.abort.cancel();
        } else {
            self.finish.cancel();
        }
    }
}
