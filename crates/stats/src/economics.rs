//! What the bounds of a test buy: strength gained per game, and the bounds to start from.
//!
//! Changes are submitted with strengths that follow a normal law; an accepted one is worth its true
//! strength less the price of keeping it. Wider bounds decide sooner and let small gains pass by;
//! which of the two costs more depends on how large the gains still are.

use crate::brownian::Motion;
use crate::plan::motion;
use crate::sprt::SprtSpec;
use model::spec::EloModel;

/// The changes that a project submits, in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Mean strength of a change.
    pub mean: f64,
    /// Standard deviation of the strengths; > 0.
    pub deviation: f64,
    /// What keeping an accepted change costs, in code to read and maintain; ≥ 0.
    pub price: f64,
}

/// Bounds that suit projects at one stage, in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Short name.
    pub name: &'static str,
    /// Lower hypothesis.
    pub elo0: f64,
    /// Upper hypothesis.
    pub elo1: f64,
    /// The changes that are typical of such a project.
    pub prior: Prior,
}

impl Preset {
    /// The test with these error rates.
    #[must_use]
    pub fn spec(&self, alpha: f64, beta: f64) -> SprtSpec {
        SprtSpec { elo0: self.elo0, elo1: self.elo1, alpha, beta, model: EloModel::Normalized }
    }
}

/// From the young engine, where every second change gains, to the one at the top.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "young",
        elo0: 0.0,
        elo1: 10.0,
        prior: Prior { mean: 0.0, deviation: 2.0, price: 1.0 },
    },
    Preset {
        name: "growing",
        elo0: 0.0,
        elo1: 5.0,
        prior: Prior { mean: -1.0, deviation: 2.0, price: 0.5 },
    },
    Preset {
        name: "mature",
        elo0: 0.0,
        elo1: 3.0,
        prior: Prior { mean: -1.0, deviation: 1.0, price: 0.0 },
    },
    Preset {
        name: "top",
        elo0: 0.0,
        elo1: 2.0,
        prior: Prior { mean: -1.0, deviation: 1.0, price: 0.5 },
    },
];

/// Normalised Elo gained per million games when every change of `prior` is tested with `spec`,
/// whose bounds must be normalised and have passed their check. Negative where the accepted losses
/// and the price outweigh the gains.
#[must_use]
pub fn gain_per_million_games(spec: &SprtSpec, prior: &Prior) -> f64 {
    // The integrands are smooth and fall like the normal density: equal steps converge at once.
    let (mut gain, mut games) = (0.0, 0.0);
    for step in -800..=800 {
        let z = f64::from(step) / 100.0;
        let density = (-0.5 * z * z).exp();
        let strength = prior.mean + prior.deviation * z;
        // The deviation of a pair does not matter to normalised bounds.
        let motion: Motion = motion(spec, strength, 0.18);
        gain += density * motion.upper_probability() * (strength - prior.price);
        games += density * 2.0 * motion.mean_time();
    }
    1e6 * gain / games
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(elo0: f64, elo1: f64, beta: f64, (mean, deviation, price): (f64, f64, f64)) -> f64 {
        let spec = SprtSpec { elo0, elo1, alpha: 0.05, beta, model: EloModel::Normalized };
        gain_per_million_games(&spec, &Prior { mean, deviation, price })
    }

    /// Computed by an independent program, to half a printed digit and 0.2 %; "-" stands for a loss.
    #[test]
    fn as_tabulated() {
        let table = [
            ((-1.0, 1.0, 0.0), ["0.32", "0.35", "0.11", "-"]),
            ((-1.0, 1.0, 0.5), ["0.11", "0.03", "-", "-"]),
            ((-1.0, 2.0, 0.5), ["2.1", "3.4", "5.2", "4.7"]),
            ((-1.0, 2.0, 1.0), ["1.3", "2.2", "3.3", "0.5"]),
            ((0.0, 1.0, 0.5), ["0.86", "1.2", "1.4", "0.4"]),
            ((-2.0, 2.0, 0.5), ["1.0", "1.5", "1.7", "-"]),
            ((0.0, 2.0, 1.0), ["2.8", "4.9", "8.6", "11.4"]),
        ];
        for (prior, row) in table {
            for (elo1, expected) in [2.0, 3.0, 5.0, 10.0].into_iter().zip(row) {
                let found = gain(0.0, elo1, 0.05, prior);
                if expected == "-" {
                    assert!(found < 0.0, "{prior:?} [0,{elo1}]: {found}");
                    continue;
                }
                let decimals = expected.split_once('.').map_or(0, |(_, digits)| digits.len());
                let tolerance = 0.5 * 0.1_f64.powi(decimals as i32) + 0.002 * found;
                let off = found - expected.parse::<f64>().unwrap();
                assert!(off.abs() < tolerance, "{prior:?} [0,{elo1}]: {found}");
            }
        }
        for (elo0, elo1, beta, prior, expected) in [
            (-1.1, 6.1, 0.05, (-1.0, 2.0, 0.5), 6.5),
            (-0.9, 5.3, 0.2, (-1.0, 2.0, 0.5), 8.2),
            (-1.7, 8.5, 0.05, (0.0, 2.0, 1.0), 13.7),
            (0.1, 4.8, 0.2, (-1.0, 2.0, 1.0), 4.3),
        ] {
            let found = gain(elo0, elo1, beta, prior);
            assert!(
                (found - expected).abs() < 0.05 + 0.002 * found,
                "{prior:?} [{elo0},{elo1}]: {found}"
            );
        }
    }

    #[test]
    fn presets_are_sound_and_gain_more_with_a_laxer_beta() {
        for preset in PRESETS {
            let (strict, lax) = (preset.spec(0.05, 0.05), preset.spec(0.05, 0.2));
            strict.check().unwrap();
            let [strict, lax] =
                [strict, lax].map(|spec| gain_per_million_games(&spec, &preset.prior));
            assert!(strict > 0.0 && lax > strict, "{}: {strict}, {lax}", preset.name);
        }
    }
}
