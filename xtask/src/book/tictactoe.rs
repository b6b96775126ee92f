//! The book of tic-tac-toe: every position after two half-moves that perfect play draws.
//!
//! The game is small enough to know the truth: there are 72 such positions, 24 of them drawn.

use games::{Game, MoveList, RuleWinner, tictactoe::TicTacToe};
use std::collections::BTreeSet;

/// The book: one position a line, in order.
pub(super) fn text() -> String {
    let mut drawn = BTreeSet::new();
    collect(&mut TicTacToe::start(), 2, &mut drawn);
    drawn.into_iter().map(|fen| fen + "\n").collect()
}

fn collect(position: &mut TicTacToe, plies: u32, drawn: &mut BTreeSet<String>) {
    if plies == 0 {
        if value(position) == 0 {
            drawn.insert(position.to_fen());
        }
        return;
    }
    each_move(position, |child| collect(child, plies - 1, drawn));
}

/// 1, 0 or −1: the side to move wins, draws or loses.
fn value(position: &mut TicTacToe) -> i32 {
    match position.result().map(|over| over.winner) {
        Some(RuleWinner::SideToMove) => 1,
        Some(RuleWinner::Draw) => 0,
        Some(RuleWinner::Opponent) => -1,
        None => {
            let mut best = -1;
            each_move(position, |child| best = best.max(-value(child)));
            best
        }
    }
}

fn each_move(position: &mut TicTacToe, mut visit: impl FnMut(&mut TicTacToe)) {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    for &mv in moves.iter() {
        position.make(mv);
        visit(position);
        position.unmake();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_book_is_what_the_command_makes() {
        assert_eq!(super::text(), include_str!("../../../books/tictactoe.epd"));
        assert_eq!(super::text().lines().count(), 24);
    }
}
