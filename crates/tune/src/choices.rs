//! Choices without order: which of them is the best one, learnt from blocks that compare two.
//!
//! The scores of a categorical parameter are the logarithms of posterior probabilities of the
//! hypotheses "this choice is better than all the others by `c_end` Elo, and those are alike", one for
//! each choice: the test of several hypotheses of C. Baum and V. Veeravalli, "A sequential procedure
//! for multihypothesis testing" (1994), with normal noise. A block in which choice a met choice b and
//! came out B points ahead over n pairs shifts the score of a by `(Δ B − Δ² n / 2) / σ²`, that of b by
//! `(−Δ B − Δ² n / 2) / σ²`: both lose against those that did not play what the pairs are worth if
//! neither is the best, so none is forgotten.
//!
//! Which two play: one is drawn by the probabilities, the other likewise from the rest (top-two
//! sampling; D. Russo, "Simple Bayesian algorithms for best arm identification", 2016). Once a choice
//! has [`DECIDED`], both sides draw for themselves and nearly always play it. Which side plays which is
//! decided by a fair bit, so that choices are no bias to the slopes of other parameters.

use crate::TuneError;
use model::portable::exp;
use model::{ParameterDef, ParameterKind};
use rand::Rng;

/// With this probability a choice is the best one for all that matters.
pub(crate) const DECIDED: f64 = 0.99;
/// The deviation of a pair that is reckoned with, Elo: that of games with much noise, so that
/// probabilities are rather too cautious.
const PAIR_DEVIATION: f64 = 150.0;
/// Elo of one point of difference in a pair: half of 800/ln 10, the slope of the logistic curve.
const ELO_OF_POINT: f64 = 400.0 / std::f64::consts::LN_10;
/// No score falls farther below the best one, so that a choice can come back.
const LEAST_SCORE: f64 = -30.0;

/// The scores of every categorical parameter of a list, in its order: 0 for the most probable
/// choice, below 0 for the others.
pub(crate) fn fresh(parameters: &[ParameterDef]) -> Vec<Vec<f64>> {
    categorical(parameters).map(|(_, parameter)| vec![0.0; count(parameter)]).collect()
}

/// The categorical parameters with their places.
pub(crate) fn categorical(
    parameters: &[ParameterDef],
) -> impl Iterator<Item = (usize, &ParameterDef)> {
    parameters.iter().enumerate().filter(|(_, p)| p.kind == ParameterKind::Categorical)
}

fn count(parameter: &ParameterDef) -> usize {
    (parameter.max - parameter.min) as usize + 1
}

/// The probability of each choice to be the best one, from the lowest value up.
pub(crate) fn probabilities(scores: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = scores.iter().map(|score| exp(*score)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The most probable choice; the start where it is one of them.
pub(crate) fn best(parameter: &ParameterDef, scores: &[f64]) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at_start = (parameter.start - parameter.min) as usize;
    if scores.get(at_start) == Some(&most) {
        return parameter.start;
    }
    let place = scores.iter().position(|score| *score == most).unwrap_or(at_start);
    parameter.min + place as f64
}

/// The choices that `plus` and `minus` play.
pub(crate) fn draw(parameter: &ParameterDef, scores: &[f64], rng: &mut impl Rng) -> (f64, f64) {
    let mut weights = probabilities(scores);
    let decided = weights.iter().any(|p| *p >= DECIDED);
    let words = [rng.next_u64(), rng.next_u64()];
    let [one, two] = words.map(|word| (word >> 11) as f64 / (1_u64 << 53) as f64);
    let first = pick(&weights, one);
    if !decided {
        weights[first] = 0.0;
    }
    let second = pick(&weights, two);
    let [first, second] = [first, second].map(|place| parameter.min + place as f64);
    if words[0] & 1 == 1 { (first, second) } else { (second, first) }
}

/// The place to which this share of all weights leads.
fn pick(weights: &[f64], share: f64) -> usize {
    let mut left = share * weights.iter().sum::<f64>();
    for (place, weight) in weights.iter().enumerate() {
        if left < *weight {
            return place;
        }
        left -= weight;
    }
    // Rounding may leave a crumb: the last place that can be drawn at all.
    weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
}

/// Takes in a block in which `plus` met `minus`.
pub(crate) fn learn(
    parameter: &ParameterDef,
    scores: &mut [f64],
    sides: (f64, f64),
    pairs: f64,
    balance: f64,
) {
    let [plus, minus] = [sides.0, sides.1].map(|value| (value - parameter.min) as usize);
    if plus == minus || plus.max(minus) >= scores.len() {
        return;
    }
    let unit = parameter.c_end / (PAIR_DEVIATION * PAIR_DEVIATION);
    let ahead = unit * balance * ELO_OF_POINT;
    let lost = 0.5 * unit * parameter.c_end * pairs;
    scores[plus] += ahead - lost;
    scores[minus] -= ahead + lost;
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in scores {
        *score = (*score - most).max(LEAST_SCORE);
    }
}

/// Checks that these can be the scores of the categorical parameters of a list.
pub(crate) fn check(parameters: &[ParameterDef], scores: &[Vec<f64>]) -> Result<(), TuneError> {
    let expected: Vec<usize> = categorical(parameters).map(|(_, p)| count(p)).collect();
    if scores.len() != expected.len() {
        let (found, expected) = (scores.len(), expected.len());
        return Err(TuneError::Dimension { list: "scores", found, expected });
    }
    for (scores, expected) in scores.iter().zip(expected) {
        if scores.len() != expected {
            let found = scores.len();
            return Err(TuneError::Dimension { list: "scores", found, expected });
        }
        if let Some(index) = scores.iter().position(|s| !(LEAST_SCORE..=0.0).contains(s)) {
            let (list, found) = ("scores", scores[index].to_string());
            return Err(TuneError::Value {
                list,
                index,
                found,
                expected: "a number from -30 to 0",
            });
        }
    }
    Ok(())
}

/// Refuses a point whose categorical values are no choices.
pub(crate) fn check_point(
    list: &'static str,
    parameters: &[ParameterDef],
    point: &[f64],
) -> Result<(), TuneError> {
    match categorical(parameters).find(|&(index, p)| {
        !((p.min..=p.max).contains(&point[index]) && point[index].fract() == 0.0)
    }) {
        None => Ok(()),
        Some((index, _)) => {
            let found = point[index].to_string();
            Err(TuneError::Value { list, index, found, expected: "one of the choices" })
        }
    }
}
