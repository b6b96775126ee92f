//! Plain evaluations for games that the engine does not evaluate yet: what a beginner counts.
//!
//! Good enough to give the leaves different values with a sense; not meant for play.

use crate::Evaluate;
use games::Game;
use games::chess::{self, Chess, Color};
use games::othello::Othello;
use games::shogi::{PieceKind, Shogi, Side, Square};

/// A game that can be counted without a memory.
pub trait Count: Game {
    /// Centipawns, or what comes near, from the view of the side to move.
    fn count(&self) -> i32;
}

/// The count as an evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl<G: Count> Evaluate<G> for Plain {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), _: &G) {}

    fn push(&mut self, (): &(), _: &G, _: Option<G::Move>) {}

    fn pop(&mut self) {}

    fn evaluate(&self, (): &(), position: &G) -> i32 {
        position.count()
    }
}

impl Count for Chess {
    /// Material as 1, 3, 3, 5, 9 and a tenth of a pawn for each square that a piece reaches, after
    /// Shannon (1950), who also counts weak pawns.
    fn count(&self) -> i32 {
        let side = self.side_to_move();
        strength(self, side) - strength(self, !side)
    }
}

fn strength(position: &Chess, color: Color) -> i32 {
    use chess::Piece::{Bishop, King, Knight, Pawn, Queen, Rook};
    let (own, occupied) = (position.color(color), position.occupied());
    let mut sum = 0;
    for (piece, value) in
        [(Pawn, 100), (Knight, 300), (Bishop, 300), (Rook, 500), (Queen, 900), (King, 0)]
    {
        for square in position.pieces(color, piece) {
            let reached = match piece {
                Pawn => chess::get_pawn_attacks(square, color) & position.color(!color),
                Knight => chess::get_knight_moves(square),
                Bishop => chess::get_bishop_moves(square, occupied),
                Rook => chess::get_rook_moves(square, occupied),
                Queen => {
                    chess::get_bishop_moves(square, occupied)
                        | chess::get_rook_moves(square, occupied)
                }
                King => chess::get_king_moves(square),
            };
            sum += value + 10 * (reached & !own).len() as i32;
        }
    }
    sum
}

impl Count for Othello {
    /// Corners, moves to choose from, and open neighbours of one's discs, which give the other
    /// side moves later.
    fn count(&self) -> i32 {
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let board = self.board();
        let balance = |own: u64, other: u64| own.count_ones() as i32 - other.count_ones() as i32;
        let open = |discs| neighbours(discs) & board.empty();
        100 * balance(board.own() & CORNERS, board.other() & CORNERS)
            + 10 * balance(board.moves(), board.passed().moves())
            - 4 * balance(open(board.own()), open(board.other()))
    }
}

/// The squares next to some square of a set, in all eight directions, and the set itself.
fn neighbours(squares: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    let row = squares | squares << 1 & NOT_A | (squares & NOT_A) >> 1;
    row | row << 8 | row >> 8
}

impl Count for Shogi {
    /// Material, on the board and in hand, and a little for going forward.
    fn count(&self) -> i32 {
        let mut black = 0;
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                let steps = match piece.side() {
                    Side::Black => 8 - i32::from(square.rank()),
                    Side::White => i32::from(square.rank()),
                };
                black += sign(piece.side()) * (value(piece.kind()) + 3 * steps);
            }
        }
        for side in [Side::Black, Side::White] {
            for (kind, number) in self.hand(side).pieces() {
                black += sign(side) * value(kind) * number as i32;
            }
        }
        sign(self.side_to_move()) * black
    }
}

fn sign(side: Side) -> i32 {
    match side {
        Side::Black => 1,
        Side::White => -1,
    }
}

fn value(kind: PieceKind) -> i32 {
    match kind {
        PieceKind::King => 0,
        PieceKind::Pawn => 100,
        PieceKind::Lance => 300,
        PieceKind::Knight => 350,
        PieceKind::Silver => 500,
        PieceKind::Gold => 550,
        PieceKind::ProPawn | PieceKind::ProLance => 550,
        PieceKind::ProKnight | PieceKind::ProSilver => 550,
        PieceKind::Bishop => 800,
        PieceKind::Rook => 1000,
        PieceKind::Horse => 1100,
        PieceKind::Dragon => 1300,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count<G: Count>(fen: &str) -> i32 {
        G::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}")).count()
    }

    #[test]
    fn neighbours_stay_on_the_board() {
        assert_eq!(neighbours(1), 0x0303);
        assert_eq!(neighbours(1 << 63), 0xc0c0 << 48);
        assert_eq!(neighbours(1 << 27), 0x0000_001c_1c1c_0000);
        assert_eq!(neighbours(u64::MAX), u64::MAX);
    }

    #[test]
    fn what_is_equal_counts_nothing_and_each_side_has_its_view() {
        assert_eq!(Chess::start().count(), 0);
        assert_eq!(Othello::start().count(), 0);
        assert_eq!(Shogi::start().count(), 0);
        let corner = "X--------O----------------OX------XO---------------------------";
        let [black, white] = ["X", "O"].map(|side| count::<Othello>(&format!("{corner}- {side}")));
        assert!(black > 50, "{black}");
        assert_eq!(black, -white);
        // Nine for the queen, 14 squares along the ranks and 7 on diagonals; the kings see 5 each.
        assert_eq!(count::<Chess>("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"), 900 + 10 * (7 + 3 + 7));
        assert_eq!(count::<Chess>("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1"), -1070);
        let hand = "4k4/9/9/9/9/9/9/9/4K4";
        assert_eq!(count::<Shogi>(&format!("{hand} b RP 1")), 1100);
        assert_eq!(count::<Shogi>(&format!("{hand} w RP 1")), -1100);
        assert_eq!(count::<Shogi>("4k4/9/9/9/4P4/9/9/9/4K4 b - 1"), 112);
    }
}
