//! Claims about training: slopes are right, the numbers depend on nothing but the seed, a checkpoint goes
//! on to the bit, what is learnt holds for what was held out, and integers stay within their bound.

use crate::{
    CheckpointError, Progress, Rounding, Samples, SamplesBuilder, Settings, Trainer, quantise,
};
use data::{Filters, Generator, Recipe, Verdicts};
use games::Game as _;
use games::xiangqi::Xiangqi;
use model::{GameKind, Nodes, ParameterSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

const GAME: GameKind = GameKind::Xiangqi;

fn settings() -> Settings {
    Settings {
        king_buckets: 1,
        hidden: 64,
        output_buckets: 2,
        batch: 256,
        epochs: 6,
        held_out: 4,
        ..Settings::default()
    }
}

/// Positions of some quick games, and those held out.
fn samples() -> &'static (Samples, Samples) {
    static SAMPLES: OnceLock<(Samples, Samples)> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let recipe = Recipe {
            game: GAME,
            engine: Nodes(1),
            parameters: ParameterSet::default(),
            network: None,
            book: "0".repeat(64),
            nodes: Nodes(60),
            hash_kib: 0,
            random_plies: [4, 8],
            max_plies: 120,
            verdicts: Verdicts { opening_score: 3000, ..Verdicts::default() },
            filters: Filters::default(),
            seed: 3,
        };
        let book = [Xiangqi::start().to_fen()].into();
        let mut generator = Generator::new(&recipe, &book, None).unwrap();
        let mut builder = SamplesBuilder::new(settings().architecture(GAME), 4);
        for index in 0..240 {
            let played = generator.play(index, &AtomicBool::new(false)).unwrap().unwrap();
            assert!(builder.add::<Xiangqi>(&played.game).unwrap());
        }
        let (learnt, held, repeated) = builder.finish();
        assert!(learnt.len() > 1000 && held.len() > 200, "{} {}", learnt.len(), held.len());
        assert!(repeated > 0, "games from the start share positions");
        (learnt, held)
    })
}

fn trainer() -> Trainer {
    Trainer::new(GAME, settings(), 300, [9; 32]).unwrap()
}

fn run(trainer: &mut Trainer, steps: usize, threads: usize) {
    let (learnt, held) = samples();
    for _ in 0..steps {
        trainer.step(learnt, held, threads);
    }
}

#[test]
fn slopes_are_those_of_finite_differences() {
    let (_, held) = samples();
    let mut trainer = trainer();
    run(&mut trainer, 3, 1);
    let blocks = crate::slice::Slice::blocks(&trainer.shape);
    let mut compared = 0;
    for slice in 0..2 {
        for number in (0..32 * blocks).rev().step_by(97) {
            let slope = trainer.slope(held, slice, number);
            if slope.abs() < 1e-4 {
                continue;
            }
            let mut loss_at = |by: f32| {
                let value = &mut trainer.slices[slice].learnt.values[number];
                let before = std::mem::replace(value, *value + by);
                let moved = f64::from(*value) - f64::from(before);
                let loss = trainer.loss(held, 1);
                trainer.slices[slice].learnt.values[number] = before;
                (loss, moved)
            };
            let (above, up) = loss_at(4e-3);
            let (below, down) = loss_at(-4e-3);
            let difference = (above - below) / (up - down);
            let off = (difference - slope).abs();
            assert!(off < 0.03 * slope.abs() + 2e-6, "{slice} {number}: {slope} {difference}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn the_numbers_do_not_depend_on_threads() {
    let (mut one, mut three) = (trainer(), trainer());
    run(&mut one, 12, 1);
    run(&mut three, 12, 3);
    assert_eq!(one.checkpoint(), three.checkpoint());
    let other = Settings { seed: 2, ..settings() };
    let mut other = Trainer::new(GAME, other, 300, [9; 32]).unwrap();
    run(&mut other, 12, 1);
    assert_ne!(other.weights(), one.weights());
}

#[test]
fn a_training_that_was_killed_goes_on_to_the_bit() {
    let (learnt, held) = samples();
    let mut whole = trainer();
    while whole.step(learnt, held, 2) != Progress::Done {}
    let mut torn = trainer();
    for kill in [1, 7, 3, 20] {
        run(&mut torn, kill, 1);
        torn = Trainer::resume(&torn.checkpoint()).unwrap();
    }
    while torn.step(learnt, held, 1) != Progress::Done {}
    assert_eq!(whole.checkpoint(), torn.checkpoint());
    assert_eq!(whole.best(), torn.best());
    let mut bytes = whole.checkpoint();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert!(matches!(Trainer::resume(&bytes), Err(CheckpointError::Hash)));
    assert!(matches!(Trainer::resume(&bytes[..40]), Err(CheckpointError::Hash)));
    assert!(matches!(Trainer::resume(b"elo-net"), Err(CheckpointError::Magic)));
}

#[test]
fn what_is_learnt_holds_for_what_was_held_out() {
    let (learnt, held) = samples();
    let mut trainer =
        Trainer::new(GAME, Settings { epochs: 12, ..settings() }, 300, [9; 32]).unwrap();
    let before = trainer.loss(held, 2);
    while trainer.step(learnt, held, 2) != Progress::Done {}
    let best = trainer.best_epoch().unwrap();
    // Some games are few; they teach a part of what can be known.
    assert!(best.held_out < 0.85 * before, "{before} {best:?}");
    let last = trainer.history().last().unwrap();
    assert!(last.loss < trainer.history()[0].loss);
    assert!(trainer.is_done() && trainer.history().len() <= 12);
}

#[test]
fn training_ends_early_when_nothing_gets_better() {
    let (learnt, held) = samples();
    // A rate at which nothing is learnt: the first epoch stays the best, or one by chance.
    let settings = Settings { rate: 1.0, last_rate: 1.0, epochs: 500, patience: 3, ..settings() };
    let mut trainer = Trainer::new(GAME, settings, 300, [9; 32]).unwrap();
    while trainer.step(learnt, held, 2) != Progress::Done {}
    let best = trainer.best_epoch().unwrap().epoch;
    assert_eq!(trainer.history().len() as u32, best + 3);
}

#[test]
fn integers_stay_within_the_bound_of_their_roundings() {
    let (learnt, held) = samples();
    let mut trainer = trainer();
    run(&mut trainer, 40, 2);
    let weights = trainer.weights();
    let network = quantise(&weights, trainer.scale(), trainer.origin()).unwrap();
    assert_eq!(network.parts().origin, [9; 32]);
    for samples in [learnt, held] {
        let rounding = Rounding::measure(&weights, &network, samples, 400).unwrap();
        assert!(rounding.positions >= 200 && rounding.mean < 10.0, "{rounding:?}");
        assert!(rounding.of_bound < 1.0 && rounding.largest > 0.0, "{rounding:?}");
    }
    // Another network is told apart.
    let mut other = weights.clone();
    other.output_bias.iter_mut().for_each(|bias| *bias += 100.0);
    assert!(Rounding::measure(&other, &network, held, 400).is_err());
}

/// The inputs of a sample are those that the network sees in the position.
#[test]
fn the_network_gives_a_position_the_value_of_its_inputs() {
    let trainer = trainer();
    let network = quantise(&trainer.weights(), 300, [0; 32]).unwrap();
    let position = Xiangqi::start();
    let kept = data::Position { position: &position, score: model::Score(20), result: 1.0, ply: 0 };
    let mut samples = Samples::default();
    samples.push(&trainer.shape, &kept);
    let sample = samples.get(0);
    assert_eq!(network.evaluate_inputs(sample.inputs, sample.bucket), network.evaluate(&position));
    assert!((samples.target(0, 1.0, 300.0) - 1.0).abs() < 1e-12);
}

#[test]
fn the_scale_of_scores_is_found() {
    let (learnt, _) = samples();
    let scale = learnt.best_scale();
    assert!((50..2000).contains(&scale), "{scale}");
}
