//! How much one key may ask in a time: tokens that come back with time (a token bucket).

use std::time::Duration;

/// What is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// In the long run, each second; > 0.
    pub per_second: f64,
    /// At once, after a rest; at least 1.
    pub burst: f64,
}

/// What one key has left of its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    limit: Limit,
    tokens: f64,
    at: Duration,
}

impl Bucket {
    /// A full one at this moment of any clock that never goes back.
    #[must_use]
    pub fn full(limit: Limit, now: Duration) -> Self {
        Self { limit, tokens: limit.burst, at: now }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// There is none; the next comes after this time.
    pub fn take(&mut self, now: Duration) -> Result<(), Duration> {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        self.at = self.at.max(now);
        self.tokens = (self.tokens + passed * self.limit.per_second).min(self.limit.burst);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.tokens) / self.limit.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whoever asks, however often: never more than the burst and what came back.
        #[test]
        fn no_time_gives_more_than_it_has(
            per_second in 0.5..100.0_f64,
            burst in 1.0..50.0_f64,
            asks in prop::collection::vec(0..2_000_u64, 1..300),
        ) {
            let mut now = Duration::ZERO;
            let mut bucket = Bucket::full(Limit { per_second, burst }, now);
            let mut given = 0.0;
            for ms in asks {
                now += Duration::from_millis(ms);
                match bucket.take(now) {
                    Ok(()) => given += 1.0,
                    Err(wait) => {
                        // Who waits as long as is said gets it.
                        now += wait + Duration::from_micros(1);
                        prop_assert_eq!(bucket.take(now), Ok(()));
                        given += 1.0;
                    }
                }
                prop_assert!(given <= burst + per_second * now.as_secs_f64() + 1e-6);
            }
        }
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing() {
        let later = Duration::from_secs(9);
        let mut bucket = Bucket::full(Limit { per_second: 1.0, burst: 1.0 }, later);
        assert_eq!(bucket.take(later), Ok(()));
        assert!(bucket.take(Duration::ZERO).is_err() && bucket.take(later).is_err());
    }
}
