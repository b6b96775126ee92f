//! How long to wait before the next attempt: exponential bounds, full jitter, so that workers that
//! lost their coordinator together do not return together (M. Brooker, 2015).

use rand::TryRng;
use std::time::Duration;

/// The waits between attempts that fail in a row.
#[derive(Debug)]
pub(crate) struct Backoff {
    base: Duration,
    cap: Duration,
    failures: u32,
}

impl Backoff {
    pub(crate) fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap, failures: 0 }
    }

    /// The next wait: `share`, from 0 to 1, of a bound that doubles with each failure in a row.
    pub(crate) fn next(&mut self, share: f64) -> Duration {
        let bound = self.base.saturating_mul(1 << self.failures.min(20)).min(self.cap);
        self.failures = self.failures.saturating_add(1);
        bound.mul_f64(share.clamp(0.0, 1.0))
    }

    /// An attempt succeeded.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// A random number from 0 up to 1; 0.5 when the system gives no random bytes, which spoils nothing
/// but the spread.
pub(crate) fn random_share() -> f64 {
    rand::rngs::SysRng.try_next_u64().map_or(0.5, |bits| (bits >> 11) as f64 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_double_up_to_the_cap_and_start_again() {
        let mut backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));
        let bounds: Vec<_> = (0..9).map(|_| backoff.next(1.0).as_millis()).collect();
        assert_eq!(bounds, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
        for _ in 0..100 {
            assert!(backoff.next(1.0) <= Duration::from_secs(60));
        }
        backoff.reset();
        assert_eq!(backoff.next(0.5), Duration::from_millis(250));
    }

    #[test]
    fn jitter_covers_the_whole_bound() {
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(1));
        assert_eq!(backoff.next(0.0), Duration::ZERO);
        let shares: Vec<f64> = (0..200).map(|_| random_share()).collect();
        assert!(shares.iter().all(|share| (0.0..1.0).contains(share)));
        assert!(shares.iter().any(|s| *s < 0.25) && shares.iter().any(|s| *s > 0.75));
    }
}
