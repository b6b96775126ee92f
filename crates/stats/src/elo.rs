//! The scales of strength, and the plain estimate of a match of fixed length.
//!
//! Logistic Elo: A. Elo, "The Rating of Chessplayers" (1978). Normalised Elo: M. Van den Bergh,
//! "Normalized Elo" (2020): the mean score above one half in standard deviations of one game,
//! times `800 / ln 10`; one unit of it needs the same number of games whatever the draw ratio.

use crate::Moments;
use model::{Elo, NormalizedElo, Pentanomial, Wdl};
use statrs::function::erf::erfc;

/// Normalised Elo of one standard deviation per game: `800 / ln 10`.
pub const ELO_PER_T: f64 = 800.0 / std::f64::consts::LN_10;

/// The standard normal quantile of a two-sided 95 % interval.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Scores are kept this far from 0 and 1 before they become Elo, so that a clean sweep gives
/// ±1199.8 and not infinity.
const SCORE_MARGIN: f64 = 1e-3;

/// The expected score of a game at this difference: `1 / (1 + 10^(−elo/400))`.
#[must_use]
pub fn score_of_elo(elo: Elo) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo.0 / 400.0))
}

/// The difference that gives this expected score, which is held to `0.001 ..= 0.999`.
#[must_use]
pub fn elo_of_score(score: f64) -> Elo {
    let score = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
    Elo(-400.0 * (1.0 / score - 1.0).log10())
}

/// The standard normal distribution function.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// Strength as a match of fixed length shows it.
///
/// The interval comes from the variance of the pairs and is mapped end by end through the
/// logistic. A match that a sequential test has stopped is biased: a pass shows somewhat too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// The maximum-likelihood difference.
    pub elo: Elo,
    /// Lower end of the 95 % interval.
    pub low: Elo,
    /// Upper end of the 95 % interval.
    pub high: Elo,
    /// The same difference in standard deviations of one game.
    pub normalized: NormalizedElo,
    /// Half the 95 % interval of `normalized`, ≥ 0; depends on the number of games alone.
    pub normalized_margin: NormalizedElo,
    /// Likelihood of superiority: the probability, 0 to 1, that the difference is above zero under
    /// a flat prior.
    pub los: f64,
}

/// The estimate from these counts; finite for every input, ±1199.8 Elo being the widest.
#[must_use]
pub fn estimate(counts: &Pentanomial) -> EloEstimate {
    let moments = Moments::of(counts);
    let error = moments.standard_error();
    EloEstimate {
        elo: elo_of_score(moments.mean),
        low: elo_of_score(moments.mean - NORMAL_95 * error),
        high: elo_of_score(moments.mean + NORMAL_95 * error),
        normalized: NormalizedElo(ELO_PER_T * (moments.mean - 0.5) / moments.deviation_per_game()),
        normalized_margin: NormalizedElo(ELO_PER_T * NORMAL_95 / (2.0 * moments.pairs).sqrt()),
        los: normal_cdf((moments.mean - 0.5) / error),
    }
}

/// The share of drawn games, 0 to 1; 0 when nothing was played.
#[must_use]
pub fn draw_ratio(games: &Wdl) -> f64 {
    let total = games.wins as f64 + games.draws as f64 + games.losses as f64;
    if total == 0.0 { 0.0 } else { games.draws as f64 / total }
}

/// The share of pairs that ended level (two draws, or a win each), 0 to 1; 0 when nothing was
/// played. The pentanomial alone cannot tell the two apart.
#[must_use]
pub fn middle_ratio(counts: &Pentanomial) -> f64 {
    let total: f64 = counts.0.iter().map(|&count| count as f64).sum();
    if total == 0.0 { 0.0 } else { counts.0[2] as f64 / total }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_elo_are_inverse() {
        for elo in [-800.0, -12.5, 0.0, 1.0, 400.0] {
            assert!((elo_of_score(score_of_elo(Elo(elo))).0 - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(Elo(400.0)) - 10.0 / 11.0).abs() < 1e-15);
    }

    /// The figures that a widely used match runner prints for these counts.
    #[test]
    fn normalized_elo_and_its_margin_as_published() {
        for (counts, normalized, margin) in
            [([34, 54, 63, 64, 75], 57.94, 28.28), ([332, 433, 498, 333, 334], -9.17, 10.96)]
        {
            let estimate = estimate(&Pentanomial(counts));
            assert!((estimate.normalized.0 - normalized).abs() < 0.006, "{estimate:?}");
            assert!((estimate.normalized_margin.0 - margin).abs() < 0.006, "{estimate:?}");
        }
    }

    #[test]
    fn swapped_sides_give_the_opposite() {
        let (one, other) = (
            estimate(&Pentanomial([10, 40, 90, 61, 12])),
            estimate(&Pentanomial([12, 61, 90, 40, 10])),
        );
        assert!((one.elo.0 + other.elo.0).abs() < 1e-9);
        assert!((one.low.0 + other.high.0).abs() < 1e-9);
        assert!((one.los + other.los - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ratios_of_nothing_are_zero() {
        assert_eq!(draw_ratio(&Wdl::default()), 0.0);
        assert_eq!(middle_ratio(&Pentanomial::default()), 0.0);
        assert_eq!(draw_ratio(&Wdl { wins: 1, draws: 2, losses: 1 }), 0.5);
        assert_eq!(middle_ratio(&Pentanomial([1, 0, 2, 0, 1])), 0.5);
    }
}
