//! Brownian motion between two walls: the log-likelihood ratio of a test, seen from afar.
//!
//! The law of the position at one time is a sum over mirror images of the start (D. Siegmund,
//! "Sequential Analysis", 1985, chapter III). Every summand is at most one, so the sum keeps its
//! digits for any drift; it needs about `√(variance · time) / width` images. The sine series of the
//! same law, good for long times only, is the check in the tests.

use crate::elo::normal_cdf;

/// Beyond this many squared widths of `variance · time` the motion has ended (but for 1e-60).
const SURELY_ENDED: f64 = 30.0;

/// A motion that starts at 0 and ends where it first meets a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Mean change per unit of time.
    pub(crate) drift: f64,
    /// Variance of the change per unit of time; > 0.
    pub(crate) variance: f64,
    /// The lower wall; < 0.
    pub(crate) lower: f64,
    /// The upper wall; > 0.
    pub(crate) upper: f64,
}

impl Motion {
    /// The probability of ending at the upper wall.
    pub(crate) fn upper_probability(&self) -> f64 {
        let Self { lower, upper, .. } = *self;
        let h = -2.0 * self.pull();
        if h.abs() < 1e-6 {
            return -lower / (upper - lower);
        }
        // Scaled by the larger exponential, so that a strong drift does not overflow.
        let probability = if h > 0.0 {
            (h * lower).exp_m1() * (-h * upper).exp() / (h * (lower - upper)).exp_m1()
        } else {
            (-h * lower).exp_m1() / (h * (upper - lower)).exp_m1()
        };
        probability.clamp(0.0, 1.0)
    }

    /// The mean time until the end.
    pub(crate) fn mean_time(&self) -> f64 {
        let Self { drift, variance, lower, upper } = *self;
        if self.pull().abs() < 5e-7 {
            return -lower * upper / variance;
        }
        let p = self.upper_probability();
        (p * upper + (1.0 - p) * lower) / drift
    }

    /// The time before which the motion ends with probability `share`, 0 < `share` < 1.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let going = |time: f64| self.between(time, self.lower, self.upper);
        let (mut low, mut high) = (0.0, self.mean_time());
        while going(high) > 1.0 - share {
            low = high;
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if going(middle) > 1.0 - share { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The probability of going on at `time`.
    pub(crate) fn going(&self, time: f64) -> f64 {
        self.between(time, self.lower, self.upper).clamp(0.0, 1.0)
    }

    /// The probability of an outcome worse than one that stands (or ends) at `level` at `time`: an
    /// end at the lower wall before, or going on below `level`. With `level` the upper wall this
    /// orders a fast pass above a slow one, above a slow failure, above a fast one.
    pub(crate) fn worse(&self, time: f64, level: f64) -> f64 {
        let better = self.upper_by(time) + self.between(time, level, self.upper);
        (1.0 - better).clamp(0.0, 1.0)
    }

    /// Drift per variance: what tilts the even motion.
    fn pull(&self) -> f64 {
        self.drift / self.variance
    }

    /// Images on each side that matter at this `spread = variance · time`: e⁻⁴⁰ and less is left out.
    fn images(&self, spread: f64) -> i32 {
        2 + (0.5 * (80.0 * spread).sqrt() / (self.upper - self.lower)) as i32
    }

    /// The probability of going on at `time` with a position from `low` to `high`, within the walls.
    fn between(&self, time: f64, low: f64, high: f64) -> f64 {
        let width = self.upper - self.lower;
        let (spread, pull) = (self.variance * time, self.pull());
        if spread > SURELY_ENDED * width * width {
            return 0.0;
        }
        let deviation = spread.sqrt();
        let image = |centre: f64| {
            let z = |x: f64| (x - centre - pull * spread) / deviation;
            weighted_between(pull * centre, z(low), z(high))
        };
        let count = self.images(spread);
        (-count..=count)
            .map(|k| {
                let shift = 2.0 * f64::from(k) * width;
                image(shift) - image(2.0 * self.upper + shift)
            })
            .sum()
    }

    /// The probability of having ended at the upper wall by `time`.
    pub(crate) fn upper_by(&self, time: f64) -> f64 {
        let width = self.upper - self.lower;
        let (spread, pull) = (self.variance * time, self.pull());
        if time <= 0.0 {
            return 0.0;
        }
        if spread > SURELY_ENDED * width * width {
            return self.upper_probability();
        }
        let deviation = spread.sqrt();
        let count = self.images(spread);
        (-count..=count)
            .map(|k| {
                // The probability of reaching a single wall at `wall`, weighted as an image.
                let wall = self.upper + 2.0 * f64::from(k) * width;
                let side = wall.signum();
                let z = |drift: f64| (drift * spread * side - wall.abs()) / deviation;
                side * (weighted_cdf(pull * (self.upper - wall), z(pull))
                    + weighted_cdf(pull * (self.upper + wall), z(-pull)))
            })
            .sum()
    }
}

/// `e^log_weight · (Φ(high) − Φ(low))`, by the tail that keeps the digits.
fn weighted_between(log_weight: f64, low: f64, high: f64) -> f64 {
    if low > 0.0 {
        weighted_cdf(log_weight, -low) - weighted_cdf(log_weight, -high)
    } else {
        weighted_cdf(log_weight, high) - weighted_cdf(log_weight, low)
    }
}

/// `e^log_weight · Φ(z)`, where either factor alone may leave the range of `f64`.
fn weighted_cdf(log_weight: f64, z: f64) -> f64 {
    if z > -30.0 {
        return (log_weight + normal_cdf(z).ln()).exp();
    }
    // Mill's ratio as an asymptotic series; the first term left out is 1e-12.
    let y = 1.0 / (z * z);
    let series = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y)));
    let log_density = -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln();
    (log_weight + log_density - (-z).ln()).exp() * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// The same probability as a sine series (D. R. Cox, H. D. Miller, "The Theory of Stochastic
    /// Processes", 1965, section 5.7), written out in full.
    fn worse_by_series(motion: &Motion, time: f64, level: f64) -> f64 {
        let Motion { drift, variance, lower, upper } = *motion;
        let (width, g) = (upper - lower, drift / variance);
        let (x, y) = (-lower, level - lower);
        let mut sum = 0.0;
        for n in 1..400 {
            let wave = f64::from(n) * PI / width;
            let decay = 0.5 * variance * (wave * wave + g * g);
            let shape = (2.0 * width * g * (wave * y).sin()
                - 2.0 * PI * f64::from(n) * (wave * y).cos())
                / (width * width * g * g + PI * PI * f64::from(n * n));
            sum += (-decay * time + g * (y - x)).exp() * shape * (wave * x).sin();
        }
        1.0 - motion.upper_probability() + sum
    }

    #[test]
    fn images_and_series_agree() {
        for (lower, upper) in [(-2.944, 2.944), (-2.25, 2.89)] {
            for drift in [-4.0, -2.0, -0.5, -1e-3, 0.0, 0.2, 1.0, 3.5] {
                for time in [0.5, 2.0, 10.0, 40.0, 200.0, 2000.0] {
                    let motion = Motion { drift, variance: 1.0, lower, upper };
                    for level in [lower, -1.0, 0.0, 2.0, upper] {
                        let (images, series) =
                            (motion.worse(time, level), worse_by_series(&motion, time, level));
                        assert!(
                            (images - series).abs() < 1e-10,
                            "{motion:?} at {time}, {level}: {images} against {series}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn quantiles_enclose_their_share() {
        for drift in [-300.0, -0.3, 0.0, 0.1, 5.0] {
            let motion = Motion { drift, variance: 2.0, lower: -3.0, upper: 2.0 };
            for share in [0.05, 0.5, 0.95] {
                let time = motion.quantile(share);
                let going = motion.between(time, motion.lower, motion.upper);
                assert!((going - (1.0 - share)).abs() < 1e-9, "{drift} {share}: {time}, {going}");
            }
        }
    }

    #[test]
    fn mean_time_is_the_integral_of_going_on() {
        let motion = Motion { drift: 0.4, variance: 1.0, lower: -2.0, upper: 3.0 };
        let step = 0.01;
        let integral: f64 = (0..15_000)
            .map(|i| step * motion.between(step * (f64::from(i) + 0.5), motion.lower, motion.upper))
            .sum();
        assert!((integral - motion.mean_time()).abs() < 1e-4, "{integral}");
    }

    #[test]
    fn a_violent_drift_stays_a_probability() {
        for drift in [-1e9, -1e5, 1e5, 1e9] {
            let motion = Motion { drift, variance: 1e-4, lower: -2.9, upper: 2.9 };
            for time in [1e-9, 1e-3, 1.0, 1e6] {
                let found = motion.worse(time, 1.0);
                assert!((0.0..=1.0).contains(&found), "{drift} {time}: {found}");
            }
        }
    }
}
