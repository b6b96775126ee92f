//! Mean and variance of the pair score, from counts in which no cell is empty.

use model::Pentanomial;

/// What an empty cell counts instead, as in the published tests (`fishtest`, `OpenBench`).
pub(crate) const EMPTY_CELL: f64 = 1e-3;

/// The score of a pair by cell, as a share of the two points that can be won.
pub(crate) const PAIR_SCORE: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Counts as numbers, an empty cell replaced by [`EMPTY_CELL`].
pub(crate) fn filled(counts: &Pentanomial) -> [f64; 5] {
    counts.0.map(|count| if count == 0 { EMPTY_CELL } else { count as f64 })
}

/// The first two moments of the pair score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Pairs, with an empty cell counted as a thousandth; > 0.
    pub pairs: f64,
    /// Mean score of a pair as a share of its points; strictly between 0 and 1 unless the counts
    /// exceed what `f64` resolves.
    pub mean: f64,
    /// Variance of the score of one pair about `mean`; > 0.
    pub variance: f64,
}

impl Moments {
    /// The moments of these counts. Defined for every input: no pairs at all give the mean ½.
    #[must_use]
    pub fn of(counts: &Pentanomial) -> Self {
        let cells = filled(counts);
        let pairs: f64 = cells.iter().sum();
        let (mean, variance) = mean_and_variance(&cells.map(|cell| cell / pairs));
        Self { pairs, mean, variance }
    }

    /// Standard deviation of the mean score.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        (self.variance / self.pairs).sqrt()
    }

    /// Standard deviation of the score of one game as the pairs show it: `√(2 · variance)`. For
    /// independent games this is the ordinary one; a biased opening does not enlarge it.
    #[must_use]
    pub fn deviation_per_game(&self) -> f64 {
        (2.0 * self.variance).sqrt()
    }
}

/// Mean and variance of [`PAIR_SCORE`] under a law of total mass 1.
pub(crate) fn mean_and_variance(law: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = law.iter().zip(PAIR_SCORE).map(|(p, a)| p * a).sum();
    let variance = law.iter().zip(PAIR_SCORE).map(|(p, a)| p * (a - mean) * (a - mean)).sum();
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_small_match_by_hand() {
        let moments = Moments::of(&Pentanomial([1, 1, 1, 1, 4]));
        assert!((moments.mean - 5.5 / 8.0).abs() < 1e-15);
        let by_hand = [0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 1.0]
            .map(|a: f64| (a - 5.5 / 8.0).powi(2))
            .iter()
            .sum::<f64>()
            / 8.0;
        assert!((moments.variance - by_hand).abs() < 1e-15);
    }

    #[test]
    fn nothing_played_is_even() {
        assert_eq!(Moments::of(&Pentanomial::default()).mean, 0.5);
    }
}
