//! Fixed searches that fingerprint the engine's behaviour: any change of a rule, an order or a
//! number changes the signature, anything else must not.

use crate::{Limits, NetworkError, SearchGame, SearchParams, Searcher, StopSignal};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::{GameKind, Nodes};
use net::Network;
use std::sync::Arc;

/// The table that the signature is defined with.
const HASH_MB: usize = 4;

/// Nodes of the bench positions of a game, each searched to the fixed depth with the defaults.
///
/// The caller takes the time.
#[must_use]
pub fn bench_game<G: SearchGame>() -> Nodes {
    bench_with::<G>(&SearchParams::default())
}

/// The same with other parameters, or a network.
#[must_use]
pub fn bench_with<G: SearchGame>(params: &SearchParams<G>) -> Nodes {
    let limits = Limits::depth(G::BENCH_DEPTH);
    let mut searcher = Searcher::<G>::new(HASH_MB);
    G::BENCH_POSITIONS
        .iter()
        .map(|fen| {
            let mut position = G::from_fen(fen).expect("bench positions are checked by a test");
            searcher.new_game();
            searcher.search(&mut position, params, &limits, &StopSignal::never()).nodes
        })
        .sum()
}

/// The signature of a game by its name: the sum of nodes, the same on every machine.
#[must_use]
pub fn bench(game: GameKind) -> Nodes {
    match game {
        GameKind::Xiangqi => bench_game::<Xiangqi>(),
        GameKind::Chess => bench_game::<Chess>(),
        GameKind::Shogi => bench_game::<Shogi>(),
        GameKind::Othello => bench_game::<Othello>(),
        GameKind::TicTacToe => bench_game::<TicTacToe>(),
    }
}

/// The signature of the game of a network, evaluated by it: the same on every machine as well.
///
/// # Errors
/// The game takes no network.
pub fn bench_network(network: Arc<Network>) -> Result<Nodes, NetworkError> {
    fn with<G: SearchGame>(network: Arc<Network>) -> Result<Nodes, NetworkError> {
        Ok(bench_with::<G>(&SearchParams::default().with_network(Some(network))?))
    }
    match network.architecture().game {
        GameKind::Xiangqi => with::<Xiangqi>(network),
        GameKind::Chess => with::<Chess>(network),
        GameKind::Shogi => with::<Shogi>(network),
        GameKind::Othello => with::<Othello>(network),
        GameKind::TicTacToe => with::<TicTacToe>(network),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Game;

    fn positions_are_playable<G: SearchGame>() {
        for fen in G::BENCH_POSITIONS {
            let position = G::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            assert_eq!(position.result(), None, "{fen}");
        }
    }

    #[test]
    fn every_bench_position_is_playable() {
        positions_are_playable::<Xiangqi>();
        positions_are_playable::<Chess>();
        positions_are_playable::<Shogi>();
        positions_are_playable::<Othello>();
        positions_are_playable::<TicTacToe>();
        assert!(Xiangqi::BENCH_POSITIONS.len() >= 10);
        assert_eq!(Xiangqi::KIND, GameKind::Xiangqi);
    }

    #[test]
    fn the_signatures_are_those_that_the_coordinator_asks_for() {
        for game in GameKind::ALL {
            let (found, said) = (bench(game), game.bench_signature());
            assert_eq!(found, said, "{}: write it into GameKind::bench_signature", game.name());
        }
    }
}
