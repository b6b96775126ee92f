//! What a tune says of itself: whether it has converged, and which parameters may as well do nothing.

use model::spec::{BqrSettings, OptimizerKind, OptimizerSpec, SpsaSettings, TuneSpec};
use model::view::{Convergence, TuneVerdict};
use model::{Elo, Pairs, ParameterDef, ParameterKind, ParameterSet, Pentanomial};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tune::sim::{Bowl, PairNoise, Shape};
use tune::{Optimizer, PLACEBO_CHANCE, ParameterSpace, Tuner, Waypoint};

const BOTH: [OptimizerKind; 2] = [OptimizerKind::Spsa, OptimizerKind::Bqr];

fn spec(by: OptimizerKind, count: usize, pairs: u64) -> TuneSpec {
    let parameter = |index: usize| ParameterDef {
        name: format!("p{index}"),
        kind: ParameterKind::Float,
        start: 0.0,
        min: -100.0,
        max: 100.0,
        c_end: 10.0,
        r_end: 0.002,
    };
    TuneSpec {
        pairs: Pairs(pairs),
        optimizer: match by {
            OptimizerKind::Spsa => OptimizerSpec::Spsa(SpsaSettings::default()),
            OptimizerKind::Bqr => OptimizerSpec::Bqr(BqrSettings::default()),
        },
        parameters: (0..count).map(parameter).collect(),
        constraints: Vec::new(),
        fixed: ParameterSet::default(),
        forked_from: None,
    }
}

/// Plays the first pairs of a tune in blocks of 8 and asks it for its verdict, its way kept at some
/// two hundred points as a ledger's fold keeps it.
fn verdict(
    spec: &TuneSpec,
    played: u64,
    strength: impl Fn(&[f64]) -> f64,
    seed: u64,
) -> (TuneVerdict, Vec<f64>) {
    let mut tuner = Tuner::new(spec, Pairs(8), seed).expect("a good specification");
    let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
    let mut counts = Pentanomial::default();
    let mut way = vec![(0, tuner.theta().to_vec())];
    for first in (0..played).step_by(8) {
        let asked = tuner.ask(first);
        let ahead = Elo(strength(&asked.plus) - strength(&asked.minus));
        let block = PairNoise::REFERENCE.play(ahead, Pairs(8), &mut rng);
        tuner.tell(&asked, Pairs(8), block.balance()).expect("its own");
        for (sum, more) in counts.0.iter_mut().zip(block.0) {
            *sum += more;
        }
        if way.last().is_none_or(|(at, _)| first + 8 >= at + played / 200) {
            way.push((first + 8, tuner.theta().to_vec()));
        }
    }
    way.push((played, tuner.theta().to_vec()));
    let way: Vec<Waypoint<'_>> =
        way.iter().map(|(pairs, theta)| Waypoint { pairs: *pairs, theta }).collect();
    let standing = tuner.standing();
    let verdict = tuner.verdict(&standing, &way, &counts).expect("it has seen reports");
    (verdict, tuner.theta().to_vec())
}

/// Every second parameter does nothing; the others start where each of them alone loses 5 Elo.
#[test]
fn dead_parameters_are_called_placebos_and_live_ones_rarely() {
    for by in BOTH {
        let spec = spec(by, 8, 20_000);
        let strength = |point: &[f64]| {
            let lost = point.iter().enumerate().filter(|(index, _)| index % 2 == 0);
            -lost.map(|(_, x)| 0.5 * (x / 10.0 - 3.16).powi(2)).sum::<f64>()
        };
        let (mut dead, mut live) = (0, 0);
        for seed in 0..24 {
            let (verdict, _) = verdict(&spec, 20_000, strength, seed);
            for index in 0..8 {
                let placebo = u32::from(verdict.is_placebo(index));
                if index % 2 == 0 { live += placebo } else { dead += placebo }
            }
            assert_ne!(verdict.convergence, Convergence::NothingShown, "{by}: {verdict:?}");
        }
        // 96 of each. The probes of bqr follow what it believes, and its test does not know that.
        let least = if by == OptimizerKind::Spsa { 93 } else { 86 };
        assert!(dead >= least, "{by}: {dead} of 96 dead parameters are called so");
        // It also leaves the start early, and of what it stands on top of it sees little.
        let most = if by == OptimizerKind::Spsa { 4 } else { 24 };
        assert!(live <= most, "{by}: {live} of 96 live ones are");
    }
}

#[test]
fn of_nothing_nothing_is_shown() {
    for by in BOTH {
        let spec = spec(by, 8, 20_000);
        let (mut shown, mut placebos, mut low) = (0, 0, 0);
        for seed in 0..40 {
            let (verdict, _) = verdict(&spec, 4_000, |_| 0.0, seed);
            shown += u32::from(verdict.convergence != Convergence::NothingShown);
            placebos += (0..8).filter(|index| verdict.is_placebo(*index)).count();
            low += verdict.chance.iter().filter(|chance| **chance < 0.2).count();
        }
        // One in a hundred each, and 320 parameters.
        match by {
            OptimizerKind::Spsa => assert!(shown <= 3, "{shown} of 40"),
            // It may well find that nothing is left to win.
            OptimizerKind::Bqr => {}
        }
        let least = if by == OptimizerKind::Spsa { 312 } else { 300 };
        assert!(placebos >= least, "{by}: {placebos} of 320");
        if by == OptimizerKind::Spsa {
            assert!(low <= 96, "chances below a fifth are a fifth of all at most: {low} of 320");
        }
        assert_eq!(PLACEBO_CHANCE, 0.01);
    }
}

/// Early on it moves; long after the optimum was reached it has converged.
#[test]
fn a_tune_moves_and_then_has_converged() {
    let strength =
        |point: &[f64]| -point.iter().map(|x| 2.0 * (x / 10.0 - 2.0).powi(2)).sum::<f64>();
    for by in BOTH {
        let first = match by {
            OptimizerKind::Spsa => 2_000,
            OptimizerKind::Bqr => 480,
        };
        let (mut early, mut late) = (0, 0);
        for seed in 0..12 {
            let spec = spec(by, 4, 60_000);
            let seen = verdict(&spec, first, strength, seed).0.convergence;
            early += u32::from(match by {
                OptimizerKind::Spsa => seen == Convergence::Moves,
                // So young it may not even be sure of the gain.
                OptimizerKind::Bqr => seen != Convergence::Converged,
            });
            let (verdict, theta) = verdict(&spec, 60_000, strength, seed);
            late += u32::from(verdict.convergence == Convergence::Converged);
            assert!(-strength(&theta) < 3.0, "{by}: {theta:?}");
        }
        assert!(early >= 9, "{by}: {early} of 12 are on their way after {first} pairs");
        assert!(late >= 9, "{by}: {late} of 12 have converged after 60,000");
    }
}

/// The world of the comparisons in which every second parameter does nothing: the curvatures of the
/// others differ by a factor of 2.5, so that some are worth little, too.
#[test]
fn the_half_dead_world_is_seen_as_such() {
    for by in BOTH {
        let spec = spec(by, 8, 20_000);
        let space = ParameterSpace::new(spec.parameters.clone()).expect("a plain box");
        let (mut dead, mut seen, mut of) = (0, 0, 0);
        for seed in 0..12 {
            let shape = Shape { dead: true, ..Shape::REFERENCE };
            let bowl = Bowl::shaped(&space, 20.0, &shape, seed);
            let (verdict, _) = verdict(&spec, 20_000, |point| bowl.elo(point).0, seed);
            for index in 0..8 {
                let placebo = verdict.is_placebo(index);
                let mut right = space.start();
                right[index] = bowl.optimum[index];
                let worth = bowl.elo(&right).0 - bowl.elo(&space.start()).0;
                if index % 2 == 1 {
                    dead += u32::from(placebo);
                } else if worth >= 2.0 {
                    (seen, of) = (seen + u32::from(!placebo), of + 1);
                }
            }
        }
        assert!(
            dead >= if by == OptimizerKind::Spsa { 45 } else { 42 },
            "{by}: {dead} of 48 dead ones"
        );
        assert!(of > 20 && 10 * seen >= 8 * of, "{by}: {seen} of {of} that are worth two Elo");
    }
}
