//! Which `r_end` suits a short tune? Prints the Elo that simulated tunes leave below the optimum.
//!
//! `cargo run --release -p tune --example gain_table`: eight integer parameters, start 60 Elo
//! below the optimum, blocks of 8 pairs, mean over 60 landscapes, then the worst tenth.

use model::{Pairs, ParameterDef, ParameterKind};
use tune::sim::{Bowl, PairNoise, Schedule, play};
use tune::{Optimizer, ParameterSpace, Spsa, SpsaConfig};

const GAINS: [f64; 8] = [0.002, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1, 0.2];
const TUNES: u64 = 60;

fn main() {
    for (saturation, shape) in [(f64::INFINITY, "parabola"), (100.0, "flattened, S = 100")] {
        for in_flight in [1, 4, 16] {
            println!("\n{shape}, {in_flight} blocks in flight: mean loss (worst tenth) by r_end");
            print!("| Elo at c_end | pairs |");
            for r_end in GAINS {
                print!(" {r_end} |");
            }
            println!();
            for loss in [2.0, 5.0, 10.0] {
                for pairs in [2000, 3000, 4000, 6000] {
                    print!("| {loss} | {pairs} |");
                    let schedule = Schedule { pairs: Pairs(pairs), block: Pairs(8), in_flight };
                    for r_end in GAINS {
                        let (mean, worst) = remaining(saturation, loss, schedule, r_end);
                        print!(" {mean:.1} ({worst:.0}) |");
                    }
                    println!();
                }
            }
        }
    }
}

/// Mean Elo left below the optimum, and the loss that one tune in ten exceeds.
fn remaining(saturation: f64, loss: f64, schedule: Schedule, r_end: f64) -> (f64, f64) {
    let mut left: Vec<f64> = (0..TUNES)
        .map(|seed| {
            let space = space(r_end);
            let bowl = Bowl { saturation, ..Bowl::random(&space, 60.0, loss, seed) };
            let config = SpsaConfig::new(schedule.pairs);
            let mut spsa = Spsa::new(space, config, seed).expect("the usual schedule");
            play(&mut spsa, &bowl, &PairNoise::YOUNG, schedule, 1_000 + seed);
            -bowl.elo(spsa.theta()).0
        })
        .collect();
    left.sort_by(f64::total_cmp);
    (left.iter().sum::<f64>() / TUNES as f64, left[(TUNES - TUNES / 10) as usize])
}

fn space(r_end: f64) -> ParameterSpace {
    let parameters = (0..8)
        .map(|index| ParameterDef {
            name: format!("p{index}"),
            kind: ParameterKind::Int,
            start: 100.0,
            min: 0.0,
            max: 200.0,
            c_end: 10.0,
            r_end,
        })
        .collect();
    ParameterSpace::new(parameters).expect("a plain box")
}
