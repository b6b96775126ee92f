//! Races played with simulated pairs: how often one errs, and what it costs.
//!
//! The rules are those of [`Race`], the same code that decides real ones, its bounds corrected for
//! overshoot. Every race has its own random stream.

use crate::law::PairLaw;
use crate::race::Race;
use crate::simulate::draw;
use model::Pentanomial;
use model::view::CandidateState;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::num::NonZeroU32;

/// How to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceSimulation {
    /// Races to play.
    pub races: NonZeroU32,
    /// Where the random streams start.
    pub seed: u64,
    /// Pairs of a lease, which come back in one report.
    pub lease_pairs: NonZeroU32,
    /// Leases that are out at a time; they come back in the order in which they were given.
    pub leases_out: NonZeroU32,
}

/// What came of the simulated races.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceSimulated {
    /// Share of races that accepted any candidate, 0 to 1.
    pub pass_share: f64,
    /// Share of races that accepted any candidate which is no better than `elo0`, 0 to 1.
    pub error_share: f64,
    /// Standard error of `error_share`, from the share itself.
    pub error_error: f64,
    /// Mean number of pairs, of all candidates together.
    pub mean_pairs: f64,
    /// Its standard error.
    pub mean_error: f64,
    /// Of each candidate, the share of races that accepted it.
    pub accepted: Vec<f64>,
    /// Of each candidate, the mean number of its pairs.
    pub pairs: Vec<f64>,
}

/// Plays races from this start. A candidate is the law of its pairs against the base, and whether it
/// is no better than `elo0`, so that accepting it is an error.
///
/// # Panics
/// If the race has not as many candidates.
#[must_use]
pub fn simulate_race(
    start: &Race,
    candidates: &[(PairLaw, bool)],
    how: &RaceSimulation,
) -> RaceSimulated {
    assert_eq!(start.lanes().len(), candidates.len(), "a law for each candidate");
    let steps: Vec<[f64; 4]> = candidates.iter().map(|(law, _)| law.steps()).collect();
    let (mut passes, mut errors) = (0_u32, 0_u32);
    let mut accepted = vec![0_u32; candidates.len()];
    let mut pairs = vec![0.0; candidates.len()];
    let (mut sum, mut squares) = (0.0, 0.0);
    for stream in 0..how.races.get() {
        let mut rng = ChaCha8Rng::seed_from_u64(how.seed);
        rng.set_stream(u64::from(stream));
        let (race, counts) = play(start.clone(), &steps, how, &mut rng);
        let passed = |place: usize| race.lanes()[place].state == CandidateState::Accepted;
        passes += u32::from((0..candidates.len()).any(passed));
        errors += u32::from((0..candidates.len()).any(|i| passed(i) && candidates[i].1));
        let mut all = 0.0;
        for (i, counts) in counts.iter().enumerate() {
            accepted[i] += u32::from(passed(i));
            let played = counts.pairs().0 as f64;
            pairs[i] += played;
            all += played;
        }
        sum += all;
        squares += all * all;
    }
    let races = f64::from(how.races.get());
    let share = |count: u32| f64::from(count) / races;
    let (error_share, mean_pairs) = (share(errors), sum / races);
    RaceSimulated {
        pass_share: share(passes),
        error_share,
        error_error: (error_share * (1.0 - error_share) / races).sqrt(),
        mean_pairs,
        mean_error: ((squares / races - mean_pairs * mean_pairs).max(0.0) / races).sqrt(),
        accepted: accepted.into_iter().map(share).collect(),
        pairs: pairs.into_iter().map(|pairs| pairs / races).collect(),
    }
}

/// One race to its end, and the counts of its candidates.
fn play(
    mut race: Race,
    steps: &[[f64; 4]],
    how: &RaceSimulation,
    rng: &mut ChaCha8Rng,
) -> (Race, Vec<Pentanomial>) {
    let mut counts = vec![Pentanomial::default(); steps.len()];
    let mut out: VecDeque<usize> = VecDeque::new();
    let lease_pairs = how.lease_pairs.get();
    while !race.is_over() {
        while out.len() < how.leases_out.get() as usize {
            let pairs_out = |candidate: usize| {
                let leases = out.iter().filter(|other| **other == candidate).count();
                leases as u64 * u64::from(lease_pairs)
            };
            let Some(next) = race.next(pairs_out) else { break };
            out.push_back(next);
        }
        let Some(candidate) = out.pop_front() else { break };
        for _ in 0..lease_pairs {
            counts[candidate].0[draw(&steps[candidate], rng)] += 1;
        }
        race.seen(candidate, &counts[candidate]);
        // What is out for a candidate that is decided is called back.
        out.retain(|candidate| race.lanes()[*candidate].state == CandidateState::Open);
    }
    (race, counts)
}
