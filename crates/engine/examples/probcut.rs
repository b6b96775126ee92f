//! Fits the numbers of Multi-ProbCut (M. Buro, 1997) to searches of this engine: how well the value of a
//! shallow search foretells that of a deeper one.
//!
//! ```text
//! cargo run --release -p engine --example fit -- games othello book=books/othello.epd out=o.fit
//! cargo run --release -p engine --example probcut -- o.fit 2000 10
//! ```
//!
//! The words are a file of positions as the example `fit` writes it, how many of them to take, evenly
//! spread, and the greatest depth. Each position is searched to every depth without Multi-ProbCut; values
//! of decided games are left out. The outcome depends on the file alone.

use engine::{Limits, MATE_BOUND, SearchParams, Searcher, StopSignal};
use games::{Game, othello::Othello};
use model::ParameterSet;

/// From which depth each depth is foretold, from 3 plies on.
const SHALLOW: [usize; 8] = [1, 2, 1, 2, 3, 4, 3, 4];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: probcut FILE [POSITIONS] [DEPTH, 3 to 10]";
    let mut args = std::env::args().skip(1);
    let text = std::fs::read_to_string(args.next().ok_or(usage)?)?;
    let most: usize = args.next().map_or(Ok(2000), |word| word.parse())?;
    let depth: usize = args.next().map_or(Ok(8), |word| word.parse())?;
    if !(3..=10).contains(&depth) || most == 0 {
        return Err(usage.into());
    }
    let lines: Vec<&str> = text.lines().collect();
    let step = lines.len().div_ceil(most).max(1);
    let set = ParameterSet::from_iter([("mpc_threshold".to_owned(), 0.0)]);
    let params = SearchParams::from_set(&set)?;
    let mut searcher = Searcher::<Othello>::new(16);
    let mut values = Vec::new();
    for line in lines.iter().step_by(step) {
        // The result, the score and the position.
        let fen = line.splitn(3, ' ').nth(2).ok_or("three fields in each line")?;
        let mut position = Othello::from_fen(fen)?;
        let mut value = |depth: usize| {
            searcher.new_game();
            let limits = Limits::depth(depth as u32);
            let found = searcher.search(&mut position, &params, &limits, &StopSignal::never());
            found.score.0
        };
        let all: Vec<i32> = (1..=depth).map(&mut value).collect();
        if all.iter().all(|value| value.abs() < MATE_BOUND) {
            values.push(all);
        }
    }
    println!("{} positions", values.len());
    for (place, &shallow) in SHALLOW.iter().enumerate().take(depth - 2) {
        let pairs =
            values.iter().map(|all| (f64::from(all[shallow - 1]), f64::from(all[place + 2])));
        let (slope, offset, deviation) = regression(pairs);
        println!(
            "depth {} from {shallow}: slope {slope:.3}, offset {offset:.0}, deviation {deviation:.0}",
            place + 3
        );
    }
    Ok(())
}

/// The straight line through pairs by least squares, and the standard deviation around it.
fn regression(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64, f64) {
    let count = pairs.clone().count().max(1) as f64;
    let mean = |of: &dyn Fn((f64, f64)) -> f64| pairs.clone().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let spread = mean(&|pair| (pair.0 - x).powi(2));
    let slope = mean(&|pair| (pair.0 - x) * (pair.1 - y)) / spread.max(1e-9);
    let offset = y - slope * x;
    let square = mean(&|pair| (pair.1 - slope * pair.0 - offset).powi(2));
    (slope, offset, square.sqrt())
}
