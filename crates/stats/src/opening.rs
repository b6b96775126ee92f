//! What an opening is worth: how noisy the pairs that begin with it are, and how much of a difference
//! in strength they show.
//!
//! A game is taken as an ordered choice of win, draw and loss whose thresholds lie on a logistic
//! (R. D. Luce and P. Suppes, 1965; P. V. Rao and L. L. Kupper, 1967). An opening moves both thresholds
//! by its bias, an engine's strength moves them by its Elo, so that the score of a game whose mover wins
//! with probability `w` and loses with `l` grows by `(w(1−w) + l(1−l)) / 2` for each `400 / ln 10` Elo.
//! With the variance of a game about the opening's own mean, the square of that is the information of a
//! game (R. A. Fisher, 1925): the games of a test grow with its reciprocal. Both are the same for the two
//! sides, and a pair cancels the bias itself.
//!
//! A handful of games says little of one opening. Its shares are drawn towards those of all openings
//! measured with it, by a Dirichlet prior whose weight is the most likely one for their counts.

use crate::Moments;
use crate::elo::ELO_PER_T;
use model::{Elo, Pentanomial, Wdl};

/// Elo of one unit of the logistic: `400 / ln 10`.
const ELO_PER_LOGIT: f64 = 0.5 * ELO_PER_T;

/// Weights of the prior that are tried: `2^0` to `2^10` games, two to an octave.
const WEIGHTS: u32 = 20;

/// Standard deviation of the result of one pair in Elo near an even score; the games of a test with
/// bounds in logistic Elo grow with its square.
#[must_use]
pub fn pair_deviation(counts: &Pentanomial) -> Elo {
    Elo(2.0 * ELO_PER_T * Moments::of(counts).variance.sqrt())
}

/// What the openings of a book have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningPrior {
    /// Shares of the games that the side to move in the opening wins, draws and loses; each above 0.
    pub shares: [f64; 3],
    /// How many games of its own an opening needs until they count as much as the book; ≥ 1.
    pub weight: f64,
}

/// What the games of one opening lead to expect of a pair between near equals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningWorth {
    /// Score of the side to move in the opening, 0 to 1.
    pub first_score: f64,
    /// Share of drawn games, 0 to 1.
    pub draws: f64,
    /// Share of the pairs that do not end level, 0 to 1.
    pub decided: f64,
    /// Variance of the score of a pair as a share of its points; > 0.
    pub pair_variance: f64,
    /// How much the expected score of a game grows with one Elo; > 0.
    pub sensitivity: f64,
    /// Squared sensitivity over the variance of a game: what a game tells, in 1 / Elo²; > 0.
    pub information: f64,
}

impl OpeningWorth {
    /// Standard deviation of a pair in Elo near an even score, as runs and matches show it.
    #[must_use]
    pub fn pair_deviation(&self) -> Elo {
        Elo(2.0 * ELO_PER_T * self.pair_variance.sqrt())
    }
}

impl OpeningPrior {
    /// The prior of openings with these games, each from the view of the side that moves first in it.
    #[must_use]
    pub fn of(openings: &[Wdl]) -> Self {
        let mut sums = [1.0; 3];
        for games in openings {
            for (sum, count) in sums.iter_mut().zip(counts(games)) {
                *sum += count as f64;
            }
        }
        let total: f64 = sums.iter().sum();
        let shares = sums.map(|sum| sum / total);
        let tried = (0..=WEIGHTS).map(|step| 2_f64.powf(f64::from(step) / 2.0));
        let likely = |weight: f64| {
            openings.iter().map(|games| log_likelihood(shares, weight, games)).sum::<f64>()
        };
        let (mut weight, mut best) = (1.0, f64::NEG_INFINITY);
        for candidate in tried {
            let likelihood = likely(candidate);
            if likelihood > best {
                (weight, best) = (candidate, likelihood);
            }
        }
        Self { shares, weight }
    }

    /// The worth of an opening with these games of its own.
    #[must_use]
    pub fn worth(&self, games: &Wdl) -> OpeningWorth {
        let counts = counts(games);
        let weight = self.weight + counts.iter().map(|&count| count as f64).sum::<f64>();
        let mut shares = self.shares;
        for (share, count) in shares.iter_mut().zip(counts) {
            *share = (self.weight * *share + count as f64) / weight;
        }
        let [win, draw, loss] = shares;
        let first_score = win + 0.5 * draw;
        // The shares are not known, only their law: products of two of them are smaller by this.
        let unsure = weight / (weight + 1.0);
        let game_variance = unsure * (win + 0.25 * draw - first_score * first_score);
        let slope = unsure * 0.5 * (win * (1.0 - win) + loss * (1.0 - loss));
        let sensitivity = slope / ELO_PER_LOGIT;
        OpeningWorth {
            first_score,
            draws: draw,
            // A pair is level by two draws, or when the same side of the board wins twice.
            decided: unsure * (1.0 - win * win - draw * draw - loss * loss),
            pair_variance: 0.5 * game_variance,
            sensitivity,
            information: sensitivity * sensitivity / game_variance,
        }
    }
}

fn counts(games: &Wdl) -> [u64; 3] {
    [games.wins, games.draws, games.losses]
}

/// Of a Dirichlet and multinomial law, without the part that the prior does not change.
fn log_likelihood(shares: [f64; 3], weight: f64, games: &Wdl) -> f64 {
    let rising =
        |from: f64, steps: u64| -> f64 { (0..steps).map(|i| (from + i as f64).ln()).sum() };
    let counts = counts(games);
    let cells: f64 =
        shares.iter().zip(counts).map(|(share, count)| rising(weight * share, count)).sum();
    cells - rising(weight, counts.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(wins: u64, draws: u64, losses: u64) -> Wdl {
        Wdl { wins, draws, losses }
    }

    /// So many games that the prior has no say.
    fn plain(wins: u64, draws: u64, losses: u64) -> OpeningWorth {
        let shares = [wins, draws, losses].map(|n| n as f64 / (wins + draws + losses) as f64);
        let many = games(wins * 1_000_000, draws * 1_000_000, losses * 1_000_000);
        OpeningPrior { shares, weight: 1.0 }.worth(&many)
    }

    #[test]
    fn the_deviation_of_a_pair_as_published() {
        // 35.3 million pairs of an engine project, and the Elo that it states.
        let counts = Pentanomial([59, 2248, 5324, 2308, 61]);
        assert!((pair_deviation(&counts).0 - 123.3).abs() < 0.1, "{:?}", pair_deviation(&counts));
    }

    #[test]
    fn a_balanced_opening_by_hand() {
        let worth = plain(20, 60, 20);
        assert!((worth.first_score - 0.5).abs() < 1e-9 && (worth.draws - 0.6).abs() < 1e-9);
        assert!((worth.pair_variance - 0.05).abs() < 1e-6);
        let law = crate::PairLaw::of_draw_ratio(0.6).unwrap();
        assert!((worth.pair_variance.sqrt() - law.deviation()).abs() < 1e-6);
        assert!((worth.sensitivity * ELO_PER_LOGIT - 0.16).abs() < 1e-6);
        assert!((worth.decided - 0.56).abs() < 1e-6);
    }

    #[test]
    fn bias_pays_where_draws_abound_and_nowhere_else() {
        // Thresholds three units apart from the middle, and an opening that is worth one of them.
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let opening = |bias: f64, width: f64| {
            let (win, loss) = (logistic(bias - width), logistic(-bias - width));
            let shares = [win, 1.0 - win - loss, loss];
            OpeningPrior { shares, weight: 1e9 }.worth(&games(0, 0, 0)).information
        };
        assert!(opening(3.0, 3.0) > 2.5 * opening(0.0, 3.0));
        assert!(opening(0.4, 0.4) < opening(0.0, 0.4));
    }

    #[test]
    fn the_slope_is_that_of_the_model() {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let shares = |bias: f64| {
            let (win, loss) = (logistic(bias - 1.2), logistic(-bias - 1.2));
            [win, 1.0 - win - loss, loss]
        };
        let score = |elo: f64| {
            let [win, draw, _] = shares(0.7 + elo / ELO_PER_LOGIT);
            win + 0.5 * draw
        };
        let prior = OpeningPrior { shares: shares(0.7), weight: 1e12 };
        let found = prior.worth(&games(0, 0, 0)).sensitivity;
        let expected = score(0.5) - score(-0.5);
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }

    #[test]
    fn openings_that_differ_are_believed_sooner() {
        let alike: Vec<_> = (0..200).map(|i| games(5 + i % 2, 6, 5 - i % 2)).collect();
        let unlike: Vec<_> =
            (0..200).map(|i| if i % 2 == 0 { games(15, 1, 0) } else { games(0, 1, 15) }).collect();
        let (alike, unlike) = (OpeningPrior::of(&alike), OpeningPrior::of(&unlike));
        assert!(alike.weight > 200.0 && unlike.weight < 3.0, "{alike:?} {unlike:?}");
        let (drawn, own) = (alike.worth(&games(16, 0, 0)), unlike.worth(&games(16, 0, 0)));
        assert!(drawn.first_score < 0.6 && own.first_score > 0.9, "{drawn:?} {own:?}");
        assert!(own.pair_variance < 0.5 * drawn.pair_variance);
    }

    #[test]
    fn nothing_played_is_finite() {
        let worth = OpeningPrior::of(&[]).worth(&games(0, 0, 0));
        assert!(worth.information.is_finite() && worth.information > 0.0);
        assert!(worth.pair_deviation().0.is_finite());
    }
}
