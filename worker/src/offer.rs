//! What this worker can play: the built-in engine's games, parameters and fingerprints.

use model::{GameKind, Nodes};
use std::time::{Duration, Instant};

/// The name of the built-in engine on the wire.
pub(crate) const BUILTIN: &str = "builtin";

/// What stands in its place where the lease says who plays.
pub(crate) const PLAYERS: &str = "players";

/// What stands in place of both where games end by their scores.
pub(crate) const ADJUDICATED: &str = "adjudicated";

/// One game as the built-in engine of this build plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) game: GameKind,
    /// Nodes of the fixed benchmark: two builds with the same number play the same games.
    pub(crate) bench: Nodes,
    pub(crate) parameters: Vec<&'static str>,
    /// Nodes a second of the benchmark, on one core.
    pub(crate) speed: Nodes,
}

/// Every game of this build. Runs the benchmarks: call once.
pub(crate) fn offers() -> Vec<Offer> {
    each().map(|(offer, _)| offer).collect()
}

/// Every game of this build, with the time that its benchmark took.
pub(crate) fn each() -> impl Iterator<Item = (Offer, Duration)> {
    GameKind::ALL.into_iter().map(|game| {
        let begun = Instant::now();
        let bench = engine::bench::bench(game);
        let took = begun.elapsed();
        let parameters = engine::definitions(game).iter().map(|def| &*def.name).collect();
        let speed = Nodes((bench.0 as f64 / took.as_secs_f64().max(1e-6)) as u64);
        (Offer { game, bench, parameters, speed }, took)
    })
}
