//! Whether a tune has converged, still moves or has shown nothing, and which parameters may as well
//! do nothing.
//!
//! A parameter is called a **placebo** when one that does nothing would look as it does with a chance
//! of at least [`PLACEBO_CHANCE`]. A young tune has shown nothing of any parameter, and calls all of them
//! so. Of the parameters that do nothing at most one in a hundred is not called so by `spsa`, and up to
//! one in ten by `bqr` in simulation: its probes follow what it believes, and the test takes them as
//! given. `bqr` also calls some so that do something: it leaves the start early, and on top of a
//! parameter little is to be seen of it.
//!
//! What `spsa` is judged by is its way. A parameter that does nothing is moved by the noise of the
//! pairs alone, a random walk whose steps have the variance `n σ² (r c)²` for a report of n pairs; σ is
//! the deviation of a pair, r and c are the gains. That a walk comes farther from its start at any time
//! than x times its deviation at the end has a chance of at most `4 (1 − Φ(x))` (P. Lévy's reflection,
//! 1939). All parameters together: the sum of the squared ways over their variances is χ² distributed,
//! its law taken from E. Wilson and M. Hilferty (1931). The tune **has shown nothing** while neither
//! the whole way nor its second half is longer than noise makes it in 99 of 100 tunes; it **still
//! moves** when the second half is; otherwise it **has converged**: it went somewhere and stays there,
//! as far as the noise lets one see.
//!
//! `bqr` is judged by what it knows. It **has converged** when no more than half an Elo, or a
//! twentieth of the gain, is expected to be left; it **still moves** when the gain is above 0 with
//! 97.5 %; otherwise it **has shown nothing**. Whether a parameter does nothing is a likelihood ratio
//! test of its slope and curvature, the others at their means (S. Wilks, 1938).

use crate::{BqrEstimate, SpsaConfig, choices, scale};
use model::{ParameterDef, ParameterKind, Pentanomial};

/// The chance from which on a parameter is called a placebo.
pub use model::view::PLACEBO_CHANCE;
use model::view::{Convergence, TuneVerdict};

/// The chance of noise alone below which something is taken as shown.
const SHOWN: f64 = 0.01;
/// No more than this is left once `bqr` has converged: Elo, or a share of the gain.
const LEFT_ELO: f64 = 0.5;
const LEFT_SHARE: f64 = 0.05;
/// Before many pairs are counted: the variance of their balance in points², 130 Elo, and the pairs that
/// this is worth.
const USUAL_VARIANCE: f64 = 0.56;
const USUAL_PAIRS: f64 = 20.0;

/// A point on the way of a tune.
#[derive(Clone, Copy, Debug)]
pub struct Waypoint<'a> {
    /// Pairs counted by then, those before a fork included.
    pub pairs: u64,
    /// The point, one value for each parameter.
    pub theta: &'a [f64],
}

/// What the way of an `spsa` tune shows; its points in order, the last one the present.
pub(crate) fn of_way(
    parameters: &[ParameterDef],
    scores: &[Vec<f64>],
    config: &SpsaConfig,
    way: &[Waypoint<'_>],
    counts: &Pentanomial,
) -> Option<TuneVerdict> {
    let (first, last) = (way.first()?, way.last()?);
    if last.pairs <= first.pairs {
        return None;
    }
    let half = first.pairs + (last.pairs - first.pairs) / 2;
    let middle = way.iter().rposition(|point| point.pairs <= half).unwrap_or(0);
    let variance = pair_variance(counts);
    let mut chance = vec![1.0; parameters.len()];
    let mut noise = vec![0.0; parameters.len()];
    let (mut whole, mut late) = (Squares::default(), Squares::default());
    let moments: Vec<_> = way
        .windows(2)
        .map(|step| {
            let at = step[0].pairs + (step[1].pairs - step[0].pairs) / 2;
            (config.at(at), (step[1].pairs - step[0].pairs) as f64 * variance)
        })
        .collect();
    for (index, p) in parameters.iter().enumerate() {
        if p.kind == ParameterKind::Categorical {
            continue;
        }
        let start = scale::place(p, first.theta[index]);
        let (mut all, mut since_middle, mut farthest) = (0.0, 0.0, 0.0_f64);
        for (place, (step, (moment, variance))) in way.windows(2).zip(&moments).enumerate() {
            let gains = moment.about(p, step[0].theta[index]);
            let grown = variance * gains.r * gains.r * gains.c * gains.c;
            all += grown;
            if place >= middle {
                since_middle += grown;
            }
            farthest = farthest.max((scale::place(p, step[1].theta[index]) - start).abs());
        }
        let now = scale::place(p, last.theta[index]);
        whole.add(now - start, all);
        late.add(now - scale::place(p, way[middle].theta[index]), since_middle);
        noise[index] = all.sqrt();
        if all > 0.0 {
            chance[index] = (4.0 * stats::normal_cdf(-farthest / all.sqrt())).min(1.0);
        }
    }
    for ((index, _), scores) in choices::categorical(parameters).zip(scores) {
        chance[index] = undecided(scores);
    }
    let (all, since) = (whole.chance(), late.chance());
    let some = |chance: f64| {
        if chance < 1e-4 { "below 0.01 %".to_owned() } else { format!("{:.1} %", 100.0 * chance) }
    };
    let (convergence, why) = if since <= SHOWN {
        let why = format!(
            "the second half of the way is longer than noise makes it, chance {}",
            some(since)
        );
        (Convergence::Moves, why)
    } else if all > SHOWN {
        let why = format!("noise alone moves the parameters as far with a chance of {}", some(all));
        (Convergence::NothingShown, why)
    } else {
        let why = "the parameters have moved, and in the second half no farther than noise carries them; \
                   spsa does not know what is left"
            .to_owned();
        (Convergence::Converged, why)
    };
    Some(TuneVerdict { convergence, why, chance, noise })
}

/// What a regression knows.
pub(crate) fn of_estimate(
    parameters: &[ParameterDef],
    scores: &[Vec<f64>],
    estimate: &BqrEstimate,
) -> TuneVerdict {
    let mut chance = estimate.chance.clone();
    for ((index, _), scores) in choices::categorical(parameters).zip(scores) {
        chance[index] = undecided(scores);
    }
    let (gain, left) = (estimate.gain.0, estimate.remaining_loss.0);
    let low = gain - stats::NORMAL_95 * estimate.gain_deviation.0;
    let (convergence, why) = if left <= LEFT_ELO.max(LEFT_SHARE * gain) {
        let won = if low > 0.0 { "" } else { ", and no gain over the start is shown" };
        (
            Convergence::Converged,
            format!("{left:.1} Elo are expected to be left to the optimum{won}"),
        )
    } else if low > 0.0 {
        let why =
            format!("a gain is shown, and {left:.1} Elo are expected to be left to the optimum");
        (Convergence::Moves, why)
    } else {
        let why =
            format!("a gain of {gain:.1} Elo, of which not even one above 0 is sure with 97.5 %");
        (Convergence::NothingShown, why)
    };
    TuneVerdict { convergence, why, chance, noise: Vec::new() }
}

/// The chance that the most probable choice is not the best one.
fn undecided(scores: &[f64]) -> f64 {
    1.0 - choices::probabilities(scores).into_iter().fold(0.0, f64::max)
}

/// Variance of the balance of one pair, in points².
fn pair_variance(counts: &Pentanomial) -> f64 {
    let pairs = counts.pairs().0 as f64;
    // A balance is four times the score of a pair above one half.
    let seen = 16.0 * stats::Moments::of(counts).variance;
    (USUAL_PAIRS * USUAL_VARIANCE + pairs * seen) / (USUAL_PAIRS + pairs)
}

/// A sum of squares, each of mean 1 if noise alone moves.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    sum: f64,
    count: f64,
}

impl Squares {
    fn add(&mut self, way: f64, variance: f64) {
        if variance > 0.0 {
            self.sum += way * way / variance;
            self.count += 1.0;
        }
    }

    /// The chance of noise alone to give as much.
    fn chance(&self) -> f64 {
        if self.count == 0.0 {
            return 1.0;
        }
        let spread = 2.0 / (9.0 * self.count);
        let z = ((self.sum / self.count).cbrt() - (1.0 - spread)) / spread.sqrt();
        stats::normal_cdf(-z)
    }
}
