//! What a match costs beside its engines: `cargo bench -p arena --bench overhead`.
//!
//! Medians of five runs that alternate; `elomill bench arena` prints the same.

use arena::duel::{Program, Protocol, overhead};

const RUNS: usize = 5;

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

fn main() {
    let program = Program::new(env!("CARGO_BIN_EXE_arena-echo"), Protocol::Uci);
    let places = [1, 2, 32];
    let mut duels = vec![(Vec::new(), Vec::new()); places.len()];
    let mut bare = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (&concurrency, (wall, cpu)) in places.iter().zip(&mut duels) {
            let pairs = 60 / concurrency as u64 + 1;
            let cost = overhead::duel_cost(&program, pairs, concurrency).expect("it starts");
            wall.push(cost.wall_us());
            cpu.push(cost.cpu_us());
        }
        let cost = overhead::bare_cost(&program, 60).expect("it starts");
        bare.0.push(cost.wall_us());
        bare.1.push(cost.cpu_us());
    }
    println!("µs a half-move, medians of {RUNS}      wall    cpu of the runner");
    let line = |what: String, (wall, cpu): (Vec<f64>, Vec<f64>)| {
        println!("{what:<32} {:>7.1} {:>7.1}", median(wall), median(cpu));
    };
    line("bare loop, 1 game at a time".to_owned(), bare);
    for (concurrency, costs) in places.into_iter().zip(duels) {
        line(format!("duel, {concurrency} at a time"), costs);
    }
    let shares = (0..RUNS).map(|_| overhead::inside_cost(1000, 4).overhead()).collect();
    println!("in process at 1,000 nodes a move: {:.2} % beside the search", 100.0 * median(shares));
}
