//! Prints the bench signature of every game and the speed at which it was reached.
//!
//! ```text
//! cargo run --release -p engine --example signature
//! ```

use model::GameKind;
use std::time::Instant;

fn main() {
    for game in GameKind::ALL {
        let started = Instant::now();
        let nodes = engine::bench::bench(game).0;
        let seconds = started.elapsed().as_secs_f64();
        println!("{game}: {nodes} nodes, {:.2} Mnodes/s", nodes as f64 / seconds / 1e6);
    }
}
