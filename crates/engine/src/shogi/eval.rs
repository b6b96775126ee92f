//! A plain evaluation of shogi: material on the board and in the hands, who stands near which king,
//! what reaches how far.

use super::weights::{
    ATTACKER, BISHOP_MOBILITY, BOARD, DEFENDER, HAND, HAND_PRESSURE, KING_ADVANCE, KING_PRESSURE,
    LANCE_MOBILITY, PAWN_ADVANCE, ROOK_MOBILITY, TEMPO, distance, height,
};
use crate::Evaluate;
use games::shogi::{Move, PieceKind, Shogi, Side, SquareSet, attacks};

/// Everything is looked at afresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShogiEval;

impl Evaluate<Shogi> for ShogiEval {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), _: &Shogi) {}

    fn push(&mut self, (): &(), _: &Shogi, _: Option<Move>) {}

    fn pop(&mut self) {}

    fn evaluate(&self, (): &(), position: &Shogi) -> i32 {
        let us = position.side_to_move();
        TEMPO + side(position, us) - side(position, us.other())
    }
}

/// What one side has.
fn side(position: &Shogi, us: Side) -> i32 {
    let (own_king, other_king) = (position.king(us), position.king(us.other()));
    let occupied = position.occupied();
    let around = attacks(us, PieceKind::King, other_king, occupied);
    let mut sum = KING_ADVANCE * height(us, own_king).min(5);
    let mut pressed = SquareSet::EMPTY;
    for square in position.side(us) {
        let Some(piece) = position.piece_on(square) else { continue };
        let kind = piece.kind();
        sum += BOARD[kind.index()];
        match kind {
            PieceKind::Pawn => sum += PAWN_ADVANCE * height(us, square),
            PieceKind::King => {}
            _ => {
                let reach = attacks(us, kind, square, occupied);
                pressed |= reach & around;
                let count = reach.len() as i32;
                sum += match kind {
                    PieceKind::Bishop | PieceKind::Horse => BISHOP_MOBILITY * count,
                    PieceKind::Rook | PieceKind::Dragon => ROOK_MOBILITY * count,
                    PieceKind::Lance => LANCE_MOBILITY * count,
                    PieceKind::Knight => 0,
                    // Generals, and what moves as one.
                    _ => {
                        DEFENDER[distance(square, own_king)]
                            + ATTACKER[distance(square, other_king)]
                    }
                };
            }
        }
    }
    let mut held = 0;
    for (kind, count) in position.hand(us).pieces() {
        sum += HAND[kind.index()] * count as i32;
        held += if kind == PieceKind::Pawn { 1 } else { 2 * count as i32 };
    }
    let pressed = pressed.len() as i32;
    if pressed >= 2 {
        let pressure = KING_PRESSURE * pressed * pressed / 4;
        sum += pressure + pressure * HAND_PRESSURE * held / 100;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Game;

    fn value(sfen: &str) -> i32 {
        let position = Shogi::from_fen(sfen).unwrap_or_else(|e| panic!("{sfen}: {e}"));
        ShogiEval.evaluate(&(), &position)
    }

    #[test]
    fn the_board_turned_it_is_the_same() {
        for (black, white) in [
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1",
                "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            ),
            ("4k4/9/4+P4/9/9/9/9/9/4K4 b R2p 1", "4k4/9/9/9/9/9/4+p4/9/4K4 w r2P 1"),
        ] {
            assert_eq!(value(black), value(white), "{black}");
        }
    }

    #[test]
    fn material_counts_most() {
        let start = value("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        assert_eq!(start, TEMPO);
        let rook = value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b r 1");
        assert!(rook < start, "a rook in hand is more than one at home");
        let won = value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1");
        assert!(won - start > 1500, "{won}");
    }
}
