//! What very many parameters cost a tune: asking, telling, the row of a lease, and what a worker keeps
//! of one in its spool until it is reported.
//!
//! `cargo bench -p tune --bench large`. Figures for each parameter of 100 and of 10,000, and their
//! ratio: 1 where the cost grows with the number of parameters and no faster.

use model::spec::{OptimizerSpec, TuneSpec};
use model::{Pairs, ParameterDef, ParameterKind, ParameterSet};
use std::hint::black_box;
use std::time::Instant;
use tune::{Optimizer, ParameterSpace, Tuner};

const SIZES: [usize; 2] = [100, 10_000];

fn spec(count: usize) -> TuneSpec {
    let parameter = |index: usize| ParameterDef {
        name: format!("weight_{index}"),
        kind: if index.is_multiple_of(4) { ParameterKind::Float } else { ParameterKind::Int },
        start: 100.0,
        min: -1000.0,
        max: 1000.0,
        c_end: 8.0,
        r_end: 0.002,
    };
    TuneSpec {
        pairs: Pairs(1_000_000),
        optimizer: OptimizerSpec::default(),
        parameters: (0..count).map(parameter).collect(),
        constraints: Vec::new(),
        fixed: ParameterSet::default(),
        forked_from: None,
    }
}

/// Nanoseconds for each parameter of the best of some rounds.
fn time(count: usize, mut work: impl FnMut(u64)) -> f64 {
    let calls = (2_000_000 / count / 20).max(20) as u64;
    let round = |work: &mut dyn FnMut(u64)| {
        let since = Instant::now();
        (0..calls).for_each(work);
        since.elapsed().as_secs_f64() * 1e9 / (calls as f64 * count as f64)
    };
    (0..5).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let rows = SIZES.map(|count| {
        let spec = spec(count);
        let mut tuner = Tuner::new(&spec, Pairs(8), 7).expect("a good specification");
        let space = ParameterSpace::new(spec.parameters).expect("a good list");
        let asked = tuner.ask(8);
        let (row, plain) =
            (tuner.write(&asked), serde_json::to_string(&asked).expect("plain data"));
        [
            ("ask", time(count, |block| drop(black_box(tuner.ask(8 * block))))),
            ("write a row", time(count, |_| drop(black_box(tuner.write(&asked))))),
            ("read a row", time(count, |_| drop(black_box(tuner.read(&row))))),
            ("bytes of a row", row.len() as f64 / count as f64),
            ("bytes of a plain row", plain.len() as f64 / count as f64),
            ("bytes in a spool", {
                // The two sides as the first line of a lease's file has them; beside them stand its
                // openings and, pair by pair, the games.
                let sides = (asked.plus_set(&space), asked.minus_set(&space));
                serde_json::to_string(&sides).expect("plain data").len() as f64 / count as f64
            }),
            ("bytes of the state", {
                let state = serde_json::to_string(&tuner.state()).expect("plain data");
                state.len() as f64 / count as f64
            }),
            (
                "tell",
                time(count, |block| {
                    tuner.tell(&asked, Pairs(8), (block % 7) as i64 - 3).expect("its own");
                }),
            ),
        ]
    });
    println!("for each parameter, ns or bytes: {} parameters, {}, ratio", SIZES[0], SIZES[1]);
    for ((what, few), (_, many)) in rows[0].iter().zip(&rows[1]) {
        println!("{what:>22}: {few:>8.1} {many:>8.1} {:>6.2}", many / few);
    }
}
