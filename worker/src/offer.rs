//! What this worker can play: the built-in engine's games, parameters and fingerprints.

use model::{GameKind, Nodes};

/// The name of the built-in engine on the wire.
pub(crate) const BUILTIN: &str = "builtin";

/// One game as the built-in engine of this build plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) game: GameKind,
    /// Nodes of the fixed benchmark: two builds with the same number play the same games.
    pub(crate) bench: Nodes,
    pub(crate) parameters: Vec<&'static str>,
}

/// Every game of this build. Runs the benchmarks: call once.
pub(crate) fn offers() -> Vec<Offer> {
    GameKind::ALL
        .into_iter()
        .map(|game| Offer {
            game,
            bench: engine::bench::bench(game),
            parameters: engine::definitions(game).iter().map(|def| &*def.name).collect(),
        })
        .collect()
}
