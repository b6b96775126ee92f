//! The time of a search: from the command that asked for it, or, while the other side thinks, from the
//! moment at which its move has come.

use engine::TimeSource;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Stands at zero until it is started.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch(OnceLock<Instant>);

impl Stopwatch {
    /// Starts it; the second start changes nothing.
    pub(crate) fn start(&self) {
        let _ = self.0.set(Instant::now());
    }
}

impl TimeSource for Stopwatch {
    fn elapsed(&self) -> Duration {
        self.0.get().map_or(Duration::ZERO, Instant::elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_until_it_is_started() {
        let watch = Stopwatch::default();
        assert_eq!(watch.elapsed(), Duration::ZERO);
        watch.start();
        let first = watch.elapsed();
        watch.start();
        assert!(watch.elapsed() >= first);
    }
}
