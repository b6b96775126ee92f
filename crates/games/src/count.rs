//! Perft of any game by its name: the generic count, compiled here, where the rules are.

use model::GameKind;

use crate::{
    FenError, Game, MoveList, chess::Chess, othello::Othello, perft, shogi::Shogi,
    tictactoe::TicTacToe, xiangqi::Xiangqi,
};

/// The leaves of a move tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaves {
    /// All of them.
    pub all: u64,
    /// Those below each legal move, by its text, in the order of the texts; empty at depth 0.
    pub below: Vec<(String, u64)>,
}

/// Counts the leaves of the legal move tree of this depth, as [`perft`] does, from a position text or
/// from the initial position.
///
/// # Errors
/// The text is no position of the game.
pub fn count_leaves(game: GameKind, fen: Option<&str>, depth: u32) -> Result<Leaves, FenError> {
    match game {
        GameKind::Xiangqi => count::<Xiangqi>(fen, depth),
        GameKind::Chess => count::<Chess>(fen, depth),
        GameKind::Shogi => count::<Shogi>(fen, depth),
        GameKind::Othello => count::<Othello>(fen, depth),
        GameKind::TicTacToe => count::<TicTacToe>(fen, depth),
    }
}

fn count<G: Game>(fen: Option<&str>, depth: u32) -> Result<Leaves, FenError> {
    Ok(Leaves::of(&mut fen.map_or_else(|| Ok(G::start()), G::from_fen)?, depth))
}

impl Leaves {
    /// Counts below a position, which is as before when this returns.
    pub fn of<G: Game>(position: &mut G, depth: u32) -> Self {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if depth == 0 || moves.is_empty() {
            return Self { all: perft(position, depth), below: Vec::new() };
        }
        let mut below = Vec::new();
        for &mv in moves.iter() {
            let text = position.move_to_text(mv);
            position.make(mv);
            below.push((text, perft(position, depth - 1)));
            position.unmake();
        }
        below.sort();
        Self { all: below.iter().map(|(_, leaves)| leaves).sum(), below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_for_every_game() {
        for (game, depth, all) in [
            (GameKind::Xiangqi, 3, 79_666),
            (GameKind::Chess, 3, 8902),
            (GameKind::Shogi, 3, 25_470),
            (GameKind::Othello, 5, 1396),
            (GameKind::TicTacToe, 3, 504),
        ] {
            let found = count_leaves(game, None, depth).expect("the initial position");
            let sum: u64 = found.below.iter().map(|(_, leaves)| leaves).sum();
            assert_eq!((found.all, sum), (all, all), "{game}");
            assert!(found.below.is_sorted());
            assert_eq!(count_leaves(game, None, 0).map(|leaves| leaves.all), Ok(1));
            assert!(count_leaves(game, Some("?"), 1).is_err(), "{game}");
        }
    }

    #[test]
    fn a_finished_game_counts_as_its_perft_does() {
        let full = format!("{} X", "X".repeat(64));
        let found = count_leaves(GameKind::Othello, Some(&full), 3).expect("a position");
        assert_eq!((found.all, found.below.len()), (1, 0));
        let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let found = count_leaves(GameKind::Chess, Some(mated), 3).expect("a position");
        assert_eq!((found.all, found.below.len()), (0, 0));
    }
}
