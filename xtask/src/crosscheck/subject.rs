//! What is to be known about a game to compare it with an oracle: where lines begin, how positions and
//! moves are written there, and which of our verdicts the oracle can know.

use games::Game;
use model::Termination;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::opinion::{Difference, Ours, Outcome, Theirs};

/// A move of a subject's game.
pub(super) type MoveOf<S> = <<S as Subject>::Position as Game>::Move;

/// How and why a line is over; `None` while it goes on.
pub(super) type End = Option<(Outcome, Termination)>;

/// A game as one oracle sees it.
pub(super) trait Subject: Sync {
    /// Our position.
    type Position: Game;

    /// What the oracle calls the game.
    fn variant(&self) -> &'static str;

    /// A position to begin a line with.
    fn start(&self, rng: &mut ChaCha8Rng) -> Self::Position;

    /// The oracle's text of a position without history.
    fn fen(&self, position: &Self::Position) -> String {
        position.to_fen()
    }

    /// The oracle's text of a legal move.
    fn move_text(&self, position: &Self::Position, mv: MoveOf<Self>) -> String {
        position.move_to_text(mv)
    }

    /// Whether the side to move is in check; `None` in games without.
    fn check(&self, position: &Self::Position) -> Option<bool> {
        Some(position.in_check())
    }

    /// Whether the line is over by those of our rules that the oracle has, too.
    fn end(&self, position: &Self::Position) -> End {
        position.result().map(|result| (Outcome::of(result.winner), result.reason))
    }

    /// The class of a difference that the README of `crates/games` explains.
    fn explain(&self, _case: &Case<'_, Self::Position>) -> Option<&'static str> {
        None
    }
}

/// A position on which the two differ.
pub(super) struct Case<'a, P> {
    /// With its history.
    pub(super) position: &'a P,
    pub(super) difference: Difference,
    pub(super) ours: &'a Ours,
    pub(super) theirs: &'a Theirs,
}

/// A board in the way of FEN with these pieces on random squares of it.
pub(super) fn scatter(pieces: &[&str], files: usize, ranks: usize, rng: &mut ChaCha8Rng) -> String {
    let mut squares = vec![""; files * ranks];
    for (square, piece) in squares.iter_mut().zip(pieces) {
        *square = piece;
    }
    squares.shuffle(rng);
    let row = |row: &[&str]| {
        let mut text = String::new();
        let mut empty = 0;
        for (at, piece) in row.iter().enumerate() {
            empty += usize::from(piece.is_empty());
            if empty > 0 && (!piece.is_empty() || at + 1 == row.len()) {
                text.push_str(&empty.to_string());
                empty = 0;
            }
            text.push_str(piece);
        }
        text
    };
    squares.chunks(files).map(row).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn scattered_pieces_all_stand_on_the_board() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(scatter(&[], 9, 2, &mut rng), "9/9");
        assert_eq!(scatter(&["+P"; 4], 2, 2, &mut rng), "+P+P/+P+P");
        let board = scatter(&["K", "k", "+r"], 8, 8, &mut rng);
        assert_eq!(board.matches('/').count(), 7);
        for row in board.split('/') {
            let letters = row.chars().filter(|c| c.is_alphabetic()).count() as u32;
            let digits: u32 = row.chars().filter_map(|c| c.to_digit(10)).sum();
            assert_eq!(letters + digits, 8, "{board}");
        }
        assert!(board.contains('K') && board.contains('k') && board.contains("+r"), "{board}");
    }
}
