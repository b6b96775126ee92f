//! The law of one pair's result, and how it moves with strength.

use crate::elo::{ELO_PER_T, score_of_elo};
use crate::moments::{filled, mean_and_variance};
use model::spec::EloModel;
use model::{Elo, Pentanomial};

/// Probabilities of the five scores of a pair, worst first; they are positive and sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLaw([f64; 5]);

impl PairLaw {
    /// Two independent games between equals, each drawn with this probability, 0 to 1 without the
    /// ends. Unbalanced openings make the two games depend on each other: give counts instead.
    #[must_use]
    pub fn of_draw_ratio(draws: f64) -> Option<Self> {
        // Written so that NaN fails.
        if !(draws > 0.0 && draws < 1.0) {
            return None;
        }
        let win = 0.5 * (1.0 - draws);
        let (both, one) = (win * win, 2.0 * win * draws);
        Some(Self([both, one, draws * draws + 2.0 * both, one, both]))
    }

    /// The shares of these counts, an empty cell counting a thousandth.
    #[must_use]
    pub fn of_counts(counts: &Pentanomial) -> Self {
        let cells = filled(counts);
        let pairs: f64 = cells.iter().sum();
        Self(cells.map(|cell| cell / pairs))
    }

    /// The law at another strength, in the unit of `model` and held to ±300 of it: each score `i`
    /// is weighted by `e^{x i}`. In 1,291 published tests the odds of the outer scores moved 1.89
    /// times as far as those of the inner ones, where this weighting says 2.
    #[must_use]
    pub fn at(&self, strength: f64, model: EloModel) -> Self {
        let strength = strength.clamp(-300.0, 300.0);
        let is_weaker = |law: &Self| {
            let (mean, variance) = mean_and_variance(&law.0);
            match model {
                EloModel::Logistic => mean < score_of_elo(Elo(strength)),
                EloModel::Normalized => mean - 0.5 < (2.0 * variance).sqrt() * strength / ELO_PER_T,
            }
        };
        let (mut low, mut high) = (-20.0, 20.0);
        for _ in 0..70 {
            let middle = 0.5 * (low + high);
            if is_weaker(&self.tilted(middle)) { low = middle } else { high = middle }
        }
        self.tilted(0.5 * (low + high))
    }

    /// Standard deviation of the score of a pair, 0 to ½.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        mean_and_variance(&self.0).1.sqrt()
    }

    /// The probabilities, worst score first.
    #[must_use]
    pub fn shares(&self) -> [f64; 5] {
        self.0
    }

    /// What the probabilities add up to below each score but the worst.
    pub(crate) fn steps(&self) -> [f64; 4] {
        let mut below = 0.0;
        [0, 1, 2, 3].map(|score| {
            below += self.0[score];
            below
        })
    }

    fn tilted(&self, tilt: f64) -> Self {
        let mut law = self.0;
        for (share, step) in law.iter_mut().zip([-2.0, -1.0, 0.0, 1.0, 2.0]) {
            *share *= (tilt * step).exp();
        }
        let total: f64 = law.iter().sum();
        Self(law.map(|share| share / total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_book_with_six_draws_in_ten() {
        let law = PairLaw::of_draw_ratio(0.6).unwrap();
        for (found, expected) in law.shares().into_iter().zip([0.04, 0.24, 0.44, 0.24, 0.04]) {
            assert!((found - expected).abs() < 1e-15);
        }
        for wrong in [0.0, 1.0, -0.1, f64::NAN] {
            assert_eq!(PairLaw::of_draw_ratio(wrong), None);
        }
    }

    #[test]
    fn a_law_has_the_strength_asked_for() {
        let law = PairLaw::of_counts(&Pentanomial([6, 230, 530, 225, 0]));
        for strength in [-120.0, -3.0, 0.0, 1.5, 80.0] {
            let (mean, _) = mean_and_variance(&law.at(strength, EloModel::Logistic).shares());
            assert!((mean - score_of_elo(Elo(strength))).abs() < 1e-12);
            let (mean, variance) =
                mean_and_variance(&law.at(strength, EloModel::Normalized).shares());
            let found = ELO_PER_T * (mean - 0.5) / (2.0 * variance).sqrt();
            assert!((found - strength).abs() < 1e-9, "{strength}: {found}");
        }
    }
}
