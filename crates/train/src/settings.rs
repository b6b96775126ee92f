//! How a network is trained.

use net::Architecture;
use serde::{Deserialize, Serialize};

/// How a network is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Sets of rows, by the place of the own king.
    pub king_buckets: u8,
    /// Neurons of a side.
    pub hidden: u16,
    /// Sets of output weights, by the number of pieces.
    pub output_buckets: u8,
    /// Of the first weights and the order of positions.
    pub seed: u64,
    /// Positions of a step.
    pub batch: u32,
    /// Times through all positions.
    pub epochs: u32,
    /// The learning rate of the first epoch; …
    pub rate: f64,
    /// … and of the last, to which it falls by half a wave of the cosine.
    pub last_rate: f64,
    /// Weight decay, per step and unit of the learning rate.
    pub decay: f64,
    /// The share of the result in the target, 0 to 1; the rest is the score's.
    pub result_share: f64,
    /// One in so many games is held out, to see whether what was learnt holds elsewhere.
    pub held_out: u32,
    /// Epochs without a better network, by what is held out, after which training ends.
    pub patience: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            king_buckets: 3,
            hidden: 128,
            output_buckets: 4,
            seed: 1,
            batch: 8192,
            epochs: 20,
            rate: 1e-3,
            last_rate: 2e-5,
            decay: 0.01,
            result_share: 0.3,
            held_out: 20,
            patience: 6,
        }
    }
}

/// A value that training cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}; allowed: {allowed}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// What it is.
    pub found: String,
    /// What it may be.
    pub allowed: String,
}

impl Settings {
    /// The shape of the network.
    #[must_use]
    pub fn architecture(&self, game: model::GameKind) -> Architecture {
        let Self { king_buckets, hidden, output_buckets, .. } = *self;
        Architecture { game, king_buckets, hidden, output_buckets }
    }

    /// Whether a network of this game can be trained so.
    ///
    /// # Errors
    /// The first value that it cannot.
    pub fn check(&self, game: model::GameKind) -> Result<(), SettingsError> {
        self.architecture(game).check().map_err(|error| SettingsError {
            name: error.name,
            found: error.found,
            allowed: error.allowed,
        })?;
        let ranges = [
            ("batch", f64::from(self.batch), 1.0, 1e6),
            ("epochs", f64::from(self.epochs), 1.0, 10_000.0),
            ("rate", self.rate, 1e-8, 1.0),
            ("last_rate", self.last_rate, 0.0, 1.0),
            ("decay", self.decay, 0.0, 1.0),
            ("result_share", self.result_share, 0.0, 1.0),
            ("held_out", f64::from(self.held_out), 2.0, 1000.0),
            ("patience", f64::from(self.patience), 1.0, 10_000.0),
        ];
        for (name, found, low, high) in ranges {
            // Written so that NaN fails.
            if !(low..=high).contains(&found) {
                let (found, allowed) = (found.to_string(), format!("{low} to {high}"));
                return Err(SettingsError { name, found, allowed });
            }
        }
        Ok(())
    }

    /// The learning rate at a step of so many.
    #[must_use]
    pub(crate) fn rate_at(&self, step: u64, of: u64) -> f64 {
        let part = step as f64 / of.max(1) as f64;
        self.last_rate + (self.rate - self.last_rate) * half_wave(part)
    }
}

/// (1 + cos π x) / 2 for x from 0 to 1, from the four basic operations alone: the same on every machine.
fn half_wave(x: f64) -> f64 {
    // By symmetry about 1/2 the argument of the sine is at most π/2; its series ends within 1e-10.
    let y = std::f64::consts::PI * (x.clamp(0.0, 1.0) - 0.5);
    let square = y * y;
    let terms = [1.0 / 156.0, 1.0 / 110.0, 1.0 / 72.0, 1.0 / 42.0, 1.0 / 20.0, 1.0 / 6.0];
    let sine = y * terms.into_iter().fold(1.0, |sum, term| 1.0 - square * term * sum);
    0.5 * (1.0 - sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_falls_along_the_cosine() {
        for step in 0..=1000 {
            let x = f64::from(step) / 1000.0;
            let cosine = 0.5 * (1.0 + (std::f64::consts::PI * x).cos());
            assert!((half_wave(x) - cosine).abs() < 1e-8, "{x}");
        }
        let settings = Settings { rate: 1.0, last_rate: 0.1, ..Settings::default() };
        assert!((settings.rate_at(0, 100) - 1.0).abs() < 1e-7);
        assert!((settings.rate_at(100, 100) - 0.1).abs() < 1e-7);
    }

    #[test]
    fn bad_settings_name_the_value_and_what_is_allowed() {
        let game = model::GameKind::Xiangqi;
        assert_eq!(Settings::default().check(game), Ok(()));
        for (settings, part) in [
            (
                Settings { hidden: 33, ..Settings::default() },
                "hidden: found 33; allowed: a multiple",
            ),
            (Settings { rate: f64::NAN, ..Settings::default() }, "rate: found NaN; allowed: "),
            (Settings { batch: 0, ..Settings::default() }, "batch: found 0; allowed: 1 to"),
        ] {
            let error = settings.check(game).unwrap_err().to_string();
            assert!(error.starts_with(part), "{error}");
        }
        let error = Settings::default().check(model::GameKind::Chess).unwrap_err().to_string();
        assert!(error.contains("found chess; allowed: xiangqi"), "{error}");
    }
}
