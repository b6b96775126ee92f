//! Whether a worker's results are those of everybody else: evidence that may be looked at as often as
//! one likes.
//!
//! The evidence against a worker is an e-value: under the hypothesis that it is honest its mean is 1,
//! so that it exceeds 1/α with a probability of at most α, at whatever moment one looks (G. Shafer and
//! V. Vovk, "Game-Theoretic Foundations", 2019). It is the mean of two: one for a bias of the score,
//! one for another shape of the five counts, such as draws that were never played. Machines differ a
//! little for honest reasons, so that the hypothesis allows each worker an effect of its own with a
//! standard deviation of [`ALLOWANCE`]; a lie below that nobody can tell from hardware by counting.
//!
//! Which of many workers to warn of, [`suspects`] says with the rate of false discoveries under
//! control whatever depends on what (R. Wang and A. Ramdas, "False discovery rate control with
//! e-values", 2022).

use model::{Elo, Pairs, Pentanomial};
use statrs::function::gamma::ln_gamma;
use std::f64::consts::LN_10;

/// Standard deviation of the effect that an honest machine may have.
pub const ALLOWANCE: Elo = Elo(3.0);

/// Deviations of the effects that are looked for, Elo: small, middling and blatant ones alike.
const SOUGHT: [f64; 3] = [8.0, 25.0, 80.0];
/// Concentrations of the shapes that are looked for: the fewer, the farther from everybody's.
const SHAPES: [f64; 3] = [10.0, 100.0, 1000.0];
/// Pairs of the others below which they say nothing.
const LEAST_REST: u64 = 30;

/// Results of one worker beside those of everybody else, where the same is expected of both: one run,
/// one kind of machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// The worker's own.
    pub own: Pentanomial,
    /// Everybody else's.
    pub rest: Pentanomial,
}

/// What the results of a worker say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Natural logarithm of the e-value; below 0 speaks for the worker.
    pub log_e: f64,
    /// Its pairs that were compared.
    pub pairs: Pairs,
    /// How much better its candidates do than everybody else's.
    pub bias: Elo,
    /// Half the 95 % interval of that.
    pub margin: Elo,
}

/// The mean score of a pair and its variance, points of 0 to 1; half a pair in each cell keeps the
/// variance from vanishing.
fn moments(counts: &Pentanomial) -> (f64, f64) {
    let cells = counts.0.map(|pairs| pairs as f64 + 0.5);
    let total: f64 = cells.iter().sum();
    let sum = |power: i32| {
        let value = |(cell, pairs): (usize, &f64)| pairs * (cell as f64 / 4.0).powi(power);
        cells.iter().enumerate().map(value).sum::<f64>() / total
    };
    let mean = sum(1);
    (mean, sum(2) - mean * mean)
}

fn together(one: &Pentanomial, other: &Pentanomial) -> Pentanomial {
    let mut sum = *one;
    sum += *other;
    sum
}

/// `ln((e^a + e^b + …) / n)`.
fn log_mean_exp(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + (logs.iter().map(|log| (log - most).exp()).sum::<f64>() / logs.len() as f64).ln()
}

/// The evidence that these results bring. Strata in which the others have too few pairs say nothing;
/// their order does not matter.
#[must_use]
pub fn evidence(strata: &[Stratum]) -> Evidence {
    // Score for each Elo near an even one: half of ln 10 / 400 for each of the two games.
    const SLOPE: f64 = LN_10 / 1600.0;
    let allowed = ALLOWANCE.0 * ALLOWANCE.0;
    let (mut precision, mut weighted, mut pairs) = (0.0, 0.0, 0);
    let mut shapes = [0.0; SHAPES.len()];
    for Stratum { own, rest } in strata {
        let (n, m) = (own.pairs().0, rest.pairs().0);
        if n == 0 || m < LEAST_REST {
            continue;
        }
        pairs += n;
        let (n, m) = (n as f64, m as f64);
        let plain = |counts: &Pentanomial| {
            let points: f64 = (0..5).map(|cell| cell as f64 / 4.0 * counts.0[cell] as f64).sum();
            points / counts.pairs().0 as f64
        };
        let (_, variance) = moments(&together(own, rest));
        let of_difference = variance * (1.0 / n + 1.0 / m) / (SLOPE * SLOPE);
        precision += 1.0 / of_difference;
        weighted += (plain(own) - plain(rest)) / SLOPE / of_difference;
        // As little as an honest machine may differ, and as the others' shares are known.
        let deviation = allowed * SLOPE * SLOPE / variance;
        let usual = 1.0 / (deviation + 1.0 / m);
        for (log, sought) in shapes.iter_mut().zip(SHAPES) {
            if sought < usual {
                *log += log_likelihood(own, rest, sought) - log_likelihood(own, rest, usual);
            }
        }
    }
    if pairs == 0 {
        return Evidence::default();
    }
    let bias = weighted / precision;
    let honest = 1.0 / precision + allowed;
    let scores = SOUGHT.map(|sought| {
        let biased = honest + sought * sought;
        0.5 * (honest / biased).ln() + 0.5 * bias * bias * (1.0 / honest - 1.0 / biased)
    });
    Evidence {
        log_e: log_mean_exp(&[log_mean_exp(&scores), log_mean_exp(&shapes)]),
        pairs: Pairs(pairs),
        bias: Elo(bias),
        margin: Elo(crate::NORMAL_95 * precision.recip().sqrt()),
    }
}

/// The Dirichlet-multinomial likelihood of one order of a worker's counts around the shares of the
/// others, with this concentration.
fn log_likelihood(own: &Pentanomial, rest: &Pentanomial, concentration: f64) -> f64 {
    let total = rest.pairs().0 as f64 + 2.5;
    let cell = |cell: usize| {
        let alpha = concentration * (rest.0[cell] as f64 + 0.5) / total;
        ln_gamma(alpha + own.0[cell] as f64) - ln_gamma(alpha)
    };
    ln_gamma(concentration) - ln_gamma(concentration + own.pairs().0 as f64)
        + (0..5).map(cell).sum::<f64>()
}

/// Which of these workers to warn of, by the logarithms of the evidence against each of them, so that
/// of those that are named a share of at most `false_share` is honest in the mean.
#[must_use]
pub fn suspects(log_e: &[f64], false_share: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = log_e.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let workers = log_e.len() as f64;
    let bound = |named: usize| (workers / (false_share * named as f64)).ln();
    let named = (1..=sorted.len()).rev().find(|named| sorted[named - 1] >= bound(*named));
    let least = named.map_or(f64::INFINITY, bound);
    log_e.iter().map(|log_e| *log_e >= least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Shares of the five scores among equals.
    const EVEN: [f64; 5] = [0.06, 0.22, 0.44, 0.22, 0.06];

    /// The shares with so many Elo more: an exponential tilt.
    fn tilted(elo: f64) -> [f64; 5] {
        let (_, variance) = moments(&Pentanomial([600, 2200, 4400, 2200, 600]));
        let strength = elo * LN_10 / 1600.0 / variance;
        let cells: Vec<f64> =
            (0..5).map(|cell| EVEN[cell] * (strength * cell as f64 / 4.0).exp()).collect();
        let total: f64 = cells.iter().sum();
        std::array::from_fn(|cell| cells[cell] / total)
    }

    fn unit(rng: &mut impl Rng) -> f64 {
        (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn play(rng: &mut impl Rng, shares: &[f64; 5], pairs: u64, counts: &mut Pentanomial) {
        for _ in 0..pairs {
            let mut at = unit(rng);
            let cell = shares.iter().position(|share| {
                at -= share;
                at < 0.0
            });
            counts.0[cell.unwrap_or(4)] += 1;
        }
    }

    fn normal(rng: &mut impl Rng) -> f64 {
        let (u, v) = (unit(rng), unit(rng));
        (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    fn minus(all: &Pentanomial, own: &Pentanomial) -> Pentanomial {
        Pentanomial(std::array::from_fn(|cell| all.0[cell] - own.0[cell]))
    }

    /// How many of so many honest workers, each with an effect of its own, are ever named over a life
    /// of so many looks.
    fn named_in_vain(seed: u64, workers: usize, looks: u64, pairs: u64) -> usize {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shares: Vec<[f64; 5]> =
            (0..workers).map(|_| tilted(ALLOWANCE.0 * normal(&mut rng))).collect();
        let mut counts = vec![Pentanomial::default(); workers];
        let mut ever = vec![false; workers];
        for _ in 0..looks {
            let mut all = Pentanomial::default();
            for (counts, shares) in counts.iter_mut().zip(&shares) {
                play(&mut rng, shares, pairs, counts);
                all += *counts;
            }
            let against = |own: &Pentanomial| {
                evidence(&[Stratum { own: *own, rest: minus(&all, own) }]).log_e
            };
            let log_e: Vec<f64> = counts.iter().map(against).collect();
            for (ever, named) in ever.iter_mut().zip(suspects(&log_e, 0.05)) {
                *ever |= named;
            }
        }
        ever.into_iter().filter(|ever| *ever).count()
    }

    #[test]
    fn honest_workers_with_machines_of_their_own_are_hardly_ever_named() {
        // With every look: 40 clusters of 25 workers, 20 looks each, 10,000 pairs in the end.
        let in_vain: usize = (0..40).map(|seed| named_in_vain(seed, 25, 20, 500)).sum();
        // A cluster without a liar has one named with a probability of at most 0.05: two of 40.
        assert!(in_vain <= 2, "{in_vain}");
    }

    /// After how many pairs a worker that plays so is named among 20, 19 of them honest; in the
    /// median of 21 stories.
    fn caught_after(shares: [f64; 5], most: u64) -> Option<u64> {
        const STEP: u64 = 20;
        let mut stories: Vec<u64> = (0..21)
            .map(|seed| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let (mut own, mut rest) = (Pentanomial::default(), Pentanomial::default());
                let mut pairs = 0;
                while pairs < most {
                    pairs += STEP;
                    play(&mut rng, &shares, STEP, &mut own);
                    play(&mut rng, &EVEN, 19 * STEP, &mut rest);
                    let mut log_e = vec![0.0; 19];
                    log_e.push(evidence(&[Stratum { own, rest }]).log_e);
                    if suspects(&log_e, 0.05)[19] {
                        return pairs;
                    }
                }
                u64::MAX
            })
            .collect();
        stories.sort_unstable();
        Some(stories[10]).filter(|pairs| *pairs <= most)
    }

    /// What docs/cluster.md says of it; `--nocapture` prints the medians.
    #[test]
    fn lies_are_found_the_sooner_the_bolder_they_are() {
        let caught = |lie: &str, shares: [f64; 5], most: u64| {
            let pairs = caught_after(shares, most);
            println!("{lie}: {pairs:?} pairs");
            pairs
        };
        let coin = [0.25, 0.0, 0.5, 0.0, 0.25];
        assert!(caught("a coin for each pair", coin, 100).is_some());
        assert!(caught("every pair drawn", [0.0, 0.0, 1.0, 0.0, 0.0], 100).is_some());
        let fifth = EVEN.map(|share| 0.8 * share);
        let fifth = std::array::from_fn(|cell| fifth[cell] + if cell == 2 { 0.2 } else { 0.0 });
        assert!(caught("a fifth told as drawn", fifth, 3_000).is_some());
        let fifty = caught("50 Elo", tilted(50.0), 6_000);
        let twenty = caught("20 Elo", tilted(20.0), 6_000);
        assert!(fifty.is_some_and(|pairs| pairs <= 500), "{fifty:?}");
        assert!(twenty.is_some() && twenty > fifty, "{twenty:?}");
        // What hardware does as well is not found: only a replay does.
        assert_eq!(caught("3 Elo", tilted(3.0), 3_000), None);
    }

    #[test]
    fn evidence_adds_up_over_runs_and_says_how_large_the_bias_is() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let stratum = |rng: &mut ChaCha8Rng, base: f64| {
            let (mut own, mut rest) = (Pentanomial::default(), Pentanomial::default());
            play(rng, &tilted(base + 40.0), 150, &mut own);
            play(rng, &tilted(base), 3_000, &mut rest);
            Stratum { own, rest }
        };
        let strata: Vec<Stratum> =
            [-60.0, 0.0, 10.0, 90.0, 30.0, -20.0].map(|base| stratum(&mut rng, base)).to_vec();
        let one = evidence(&strata[..1]);
        let all = evidence(&strata);
        assert!(all.log_e > one.log_e + 3.0, "{} and {}", all.log_e, one.log_e);
        assert!((all.bias.0 - 40.0).abs() < 1.5 * all.margin.0, "{all:?}");
        let mut backwards = strata.clone();
        backwards.reverse();
        assert!((evidence(&backwards).log_e - all.log_e).abs() < 1e-9);
        // Where nobody else has played nothing is said.
        let alone = Stratum { rest: Pentanomial::default(), ..strata[0] };
        assert_eq!(evidence(&[alone]), Evidence::default());
        assert_eq!(suspects(&[], 0.05), Vec::<bool>::new());
    }

    #[test]
    fn of_many_that_stand_out_all_are_named_of_few_only_the_clearest() {
        let bound = (100.0_f64 / 0.05).ln();
        let mut log_e = vec![0.0; 100];
        log_e[7] = bound + 0.1;
        log_e[8] = bound - 0.5;
        let named = suspects(&log_e, 0.05);
        // Two of them: the bound is half.
        assert!(named[7] && named[8]);
        log_e[7] = 0.0;
        assert!(!suspects(&log_e, 0.05)[8]);
    }
}
