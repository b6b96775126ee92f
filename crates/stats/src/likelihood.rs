//! The exact generalised log-likelihood ratio of two strengths, given counts of pairs.
//!
//! Each hypothesis fixes one number (the mean, or the mean in standard deviations) and leaves the
//! rest of the five-cell law free; the ratio compares the most likely law under each. The theory
//! is X. Li, J. Liu, Z. Ying, "Generalized sequential probability ratio test for separate families
//! of hypotheses" (2014); the laws follow M. Van den Bergh, "The generalized maximum likelihood
//! ratio for the expectation value of a distribution" and "Normalized Elo" (2020).

use crate::elo::{ELO_PER_T, score_of_elo};
use crate::moments::{PAIR_SCORE, filled, mean_and_variance};
use model::spec::EloModel;
use model::{Elo, Pentanomial};

/// Bounds beyond ±1000 are taken as ±1000: a law for them would need cells that `f64` cannot hold.
pub const MAX_BOUND: f64 = 1000.0;

/// Rounds of the outer iteration of the normalised model; three to six are usual.
const MAX_ROUNDS: usize = 200;

/// The log-likelihood ratio of `elo1` over `elo0`, both in the unit of `model`.
///
/// Positive values speak for `elo1`. The result is finite for all counts, empty and one-sided ones
/// included, as long as the bounds are numbers; they are held to ±[`MAX_BOUND`].
#[must_use]
pub fn llr(counts: &Pentanomial, elo0: f64, elo1: f64, model: EloModel) -> f64 {
    let cells = filled(counts);
    let pairs: f64 = cells.iter().sum();
    let shares = cells.map(|cell| cell / pairs);
    let law = |elo: f64| {
        let elo = elo.clamp(-MAX_BOUND, MAX_BOUND);
        match model {
            EloModel::Logistic => most_likely_with_mean(&shares, score_of_elo(Elo(elo))),
            EloModel::Normalized => {
                // The standard deviation of a pair is that of a game divided by the root of two.
                most_likely_with_t(&shares, std::f64::consts::SQRT_2 * elo / ELO_PER_T)
            }
        }
    };
    let (law0, law1) = (law(elo0), law(elo1));
    cells.iter().zip(law0).zip(law1).map(|((cell, p0), p1)| cell * (p1 / p0).ln()).sum()
}

/// The most likely law with this mean score, 0 < `mean` < 1.
fn most_likely_with_mean(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    most_likely_with_zero(shares, &PAIR_SCORE.map(|a| a - mean))
}

/// The most likely law whose mean lies `t` standard deviations of a pair above one half.
///
/// With `g(q) = mean − ½ − t · deviation` the wanted law has `g = 0`. Each round replaces `g` by
/// its tangent at the last law, a linear condition. For t > 0 `g` is convex, so the next law has
/// `g ≥ 0`, and with it the tangent's best cell stays above zero while its worst one is below: the
/// linear problem has a solution in every round, once it has one in the first. The uniform law
/// starts well for |t| < 0.94; beyond that it is tilted until its own `g` is on the right side.
fn most_likely_with_t(shares: &[f64; 5], t: f64) -> [f64; 5] {
    let mut law = start_law(t);
    for _ in 0..MAX_ROUNDS {
        let (mean, variance) = mean_and_variance(&law);
        let deviation = variance.sqrt();
        let tangent = PAIR_SCORE.map(|a| {
            let z = (a - mean) / deviation;
            a - 0.5 - 0.5 * t * deviation * (1.0 + z * z)
        });
        let next = most_likely_with_zero(shares, &tangent);
        let moved = law.iter().zip(next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        law = next;
        if moved < 1e-13 {
            break;
        }
    }
    law
}

/// A law with full support whose mean is at least `t` deviations from one half, on t's side.
fn start_law(t: f64) -> [f64; 5] {
    let mut tilt: f64 = 0.0;
    loop {
        let weights = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|step: f64| (step * tilt).exp());
        let total: f64 = weights.iter().sum();
        let law = weights.map(|weight| weight / total);
        let (mean, variance) = mean_and_variance(&law);
        if tilt == 0.0 && t.abs() < 0.9 || ((mean - 0.5) / variance.sqrt() / t) >= 1.0 {
            return law;
        }
        if tilt.abs() > 10.0 {
            return law;
        }
        tilt += 0.5_f64.copysign(t);
    }
}

/// The law nearest to `shares` in likelihood under which `values` have the mean zero:
/// `q_i = p_i / (1 + x v_i)`.
///
/// Needs a value below zero and one above; otherwise no law fits and `shares` come back.
fn most_likely_with_zero(shares: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let Some(x) = secular_root(shares, values) else { return *shares };
    let mut law = [0.0; 5];
    for ((q, p), v) in law.iter_mut().zip(shares).zip(values) {
        // A probability is at most 1, so the divisor is at least p; this decides where the root
        // lies closer to a pole than `f64` can tell.
        *q = p / (1.0 + x * v).max(*p);
    }
    law
}

/// The root of the falling function `Σ p_i v_i / (1 + x v_i)` between its two inner poles, by
/// Newton's method, halved where a step would leave the bracket.
fn secular_root(shares: &[f64; 5], values: &[f64; 5]) -> Option<f64> {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    if !(lowest < 0.0 && highest > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    let mut x = 0.0;
    for _ in 0..300 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (p, v) in shares.iter().zip(values) {
            let ratio = v / (1.0 + x * v);
            value += p * ratio;
            slope -= p * ratio * ratio;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - x).abs();
        x = next;
        if moved <= 1e-15 * x.abs().max(1.0) {
            break;
        }
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_law_of_a_hypothesis_fulfils_it() {
        let shares = [0.03, 0.2, 0.5, 0.21, 0.06];
        for t in [-3.9, -0.95, -0.2, 0.0, 0.01, 0.3, 0.9, 2.0, 4.0] {
            let law = most_likely_with_t(&shares, t);
            let (mean, variance) = mean_and_variance(&law);
            assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-9, "t = {t}: {law:?}");
            assert!(((mean - 0.5) / variance.sqrt() - t).abs() < 1e-9, "t = {t}: {law:?}");
        }
        for mean in [0.01, 0.4, 0.5, 0.77, 0.99] {
            let law = most_likely_with_mean(&shares, mean);
            assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((mean_and_variance(&law).0 - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn no_other_law_of_the_hypothesis_is_likelier() {
        // Laws with the wanted mean, moved along the two free directions that keep mass and mean.
        let shares = [0.1, 0.2, 0.3, 0.25, 0.15];
        let best = most_likely_with_mean(&shares, 0.6);
        let log_likelihood =
            |law: &[f64; 5]| shares.iter().zip(law).map(|(p, q)| p * q.ln()).sum::<f64>();
        for direction in [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -1.0, -1.0, 1.0]] {
            for size in [-1e-3, 1e-3] {
                let mut other = best;
                for (q, d) in other.iter_mut().zip(direction) {
                    *q += size * d;
                }
                assert!(log_likelihood(&other) < log_likelihood(&best));
            }
        }
    }

    fn counts() -> impl Strategy<Value = Pentanomial> {
        let cell = prop_oneof![
            Just(0_u64),
            0_u64..20,
            0_u64..100_000,
            Just(1_000_000_000_000),
            any::<u64>(),
            Just(u64::MAX),
        ];
        prop::array::uniform5(cell).prop_map(Pentanomial)
    }

    fn either_model() -> impl Strategy<Value = EloModel> {
        prop_oneof![Just(EloModel::Normalized), Just(EloModel::Logistic)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn always_finite(
            counts in counts(),
            elo0 in -2000.0..2000.0,
            elo1 in -2000.0..2000.0,
            model in either_model(),
        ) {
            prop_assert!(llr(&counts, elo0, elo1, model).is_finite());
        }

        #[test]
        fn swapped_sides_and_bounds_negate(
            counts in prop::array::uniform5(0_u64..50_000),
            elo0 in -50.0..50.0,
            width in 0.1..50.0,
            model in either_model(),
        ) {
            let elo1 = elo0 + width;
            let forward = llr(&Pentanomial(counts), elo0, elo1, model);
            let [a, b, c, d, e] = counts;
            let backward = llr(&Pentanomial([e, d, c, b, a]), -elo1, -elo0, model);
            prop_assert!(
                (forward + backward).abs() <= 1e-8 * forward.abs().max(1.0),
                "{forward} {backward}"
            );
        }

        #[test]
        fn rises_with_a_better_result(
            counts in prop::array::uniform5(1_u64..5_000),
            cell in 0_usize..4,
        ) {
            let mut better = counts;
            better[cell] -= 1;
            better[cell + 1] += 1;
            let (worse, better) = (
                llr(&Pentanomial(counts), 0.0, 2.0, EloModel::Logistic),
                llr(&Pentanomial(better), 0.0, 2.0, EloModel::Logistic),
            );
            prop_assert!(better > worse || counts[cell] == 1);
        }
    }
}
