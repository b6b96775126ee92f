//! SPSA or regression? Prints the Elo that both leave below the best point of the box on simulated
//! landscapes.
//!
//! `cargo run --release -p tune --example tuner_table [SEEDS]`: starts 20 Elo below the optimum,
//! blocks of 8 pairs, median and quartiles over the landscapes, and what the regression itself
//! expected to be left. SPSA has its usual settings (r_end 0.002, A a tenth).

use model::{Pairs, ParameterDef, ParameterKind};
use std::ops::Range;
use tune::sim::{Bowl, PairNoise, Schedule, play};
use tune::{Bqr, BqrConfig, Optimizer, ParameterSpace, Spsa, SpsaConfig};

/// A kind of landscape and the conditions of its tune.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    kind: ParameterKind,
    /// The `c_end` that the user wrote; 10 is right.
    c_end: f64,
    /// Half the range, 100 where it does not matter.
    half_range: f64,
    start_loss: f64,
    skew: f64,
    saturation: f64,
    noise: PairNoise,
    in_flight: usize,
}

const REFERENCE: World = World {
    name: "reference",
    kind: ParameterKind::Float,
    c_end: 10.0,
    half_range: 100.0,
    start_loss: 20.0,
    skew: 0.3,
    saturation: 100.0,
    noise: PairNoise::REFERENCE,
    in_flight: 1,
};

const PARABOLA: World =
    World { name: "parabola", skew: 0.0, saturation: f64::INFINITY, ..REFERENCE };

const WORLDS: [World; 10] = [
    REFERENCE,
    PARABOLA,
    World { name: "skew 0.5, saturation 40", skew: 0.5, saturation: 40.0, ..REFERENCE },
    World { name: "c_end a third", c_end: 10.0 / 3.0, ..REFERENCE },
    World { name: "c_end threefold", c_end: 30.0, ..REFERENCE },
    World { name: "integers, c_end 1", kind: ParameterKind::Int, ..REFERENCE },
    World { name: "range 2 c_end either side", half_range: 20.0, ..REFERENCE },
    World { name: "few draws", noise: PairNoise::FEW_DRAWS, ..REFERENCE },
    World { name: "start 5 below", start_loss: 5.0, ..REFERENCE },
    World { name: "1000 blocks in flight", in_flight: 1000, ..REFERENCE },
];

fn main() {
    let seeds = std::env::args().nth(1).and_then(|seeds| seeds.parse().ok()).unwrap_or(16);
    println!("| D | world | pairs | spsa | bqr | bqr expected | share |");
    println!("|---|---|---|---|---|---|---|");
    for (dimension, pairs) in [(8, 20_000), (8, 60_000), (30, 20_000), (30, 60_000)] {
        for world in WORLDS {
            let (spsa, bqr, expected) = tunes(&world, dimension, Pairs(pairs), 0..seeds);
            println!(
                "| {dimension} | {} | {pairs} | {} | {} | {:.2} | {:.2} |",
                world.name,
                quartiles(&spsa),
                quartiles(&bqr),
                median(&expected),
                median(&bqr) / median(&spsa),
            );
        }
    }
}

/// Remaining losses in order: of SPSA, of the regression, and what the latter expected.
fn tunes(
    world: &World,
    dimension: usize,
    pairs: Pairs,
    seeds: Range<u64>,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut spsa_left, mut bqr_left, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    // Integers are a tenth of the size, so that a right `c_end` is a single unit.
    let unit = if world.kind == ParameterKind::Int { 0.1 } else { 1.0 };
    let space = |c_end: f64, half_range: f64| {
        let parameters = (0..dimension).map(|index| ParameterDef {
            name: format!("p{index}"),
            kind: world.kind,
            start: 0.0,
            min: -half_range * unit,
            max: half_range * unit,
            c_end: c_end * unit,
            r_end: 0.002,
        });
        ParameterSpace::new(parameters.collect()).expect("a plain box")
    };
    for seed in seeds {
        let bowl =
            Bowl::lopsided(&space(10.0, 1e4), world.start_loss, world.skew, world.saturation, seed);
        let space = space(world.c_end, world.half_range);
        let schedule = Schedule { pairs, block: Pairs(8), in_flight: world.in_flight };
        let mut spsa = Spsa::new(space.clone(), SpsaConfig::new(pairs), seed).expect("usual gains");
        play(&mut spsa, &bowl, &world.noise, schedule, 1_000 + seed);
        let mut bqr = Bqr::new(space, BqrConfig::default(), seed).expect("usual settings");
        play(&mut bqr, &bowl, &world.noise, schedule, 1_000 + seed);
        let estimate = bqr.estimate();
        // The landscape falls away from its optimum along each parameter by itself.
        let limits = bqr.space().parameters().iter().map(|p| (p.min, p.max));
        let best: Vec<f64> =
            limits.zip(&bowl.optimum).map(|((min, max), at)| at.clamp(min, max)).collect();
        let top = bowl.elo(&best).0;
        spsa_left.push(top - bowl.elo(spsa.theta()).0);
        bqr_left.push(top - bowl.elo(&estimate.centre).0);
        expected.push(estimate.remaining_loss.0);
    }
    for list in [&mut spsa_left, &mut bqr_left, &mut expected] {
        list.sort_by(f64::total_cmp);
    }
    (spsa_left, bqr_left, expected)
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

fn quartiles(sorted: &[f64]) -> String {
    let at = |quarter: usize| sorted[(sorted.len() * quarter / 4).min(sorted.len() - 1)];
    format!("{:.2} [{:.2}, {:.2}]", at(2), at(1), at(3))
}
