//! Chess as the search sees it.

mod board;
mod endings;
mod eval;
mod exchange;
mod king;
mod passed;
mod pawns;
mod pieces;
mod squares;
#[cfg(test)]
mod tests;
mod threats;
mod weights;

pub use eval::ChessEval;
pub use weights::{ChessTables, ChessWeights};

use crate::searchable::blend;
use crate::{SearchGame, Structure};
use games::RuleWinner;
use games::chess::{
    Chess, Color, Move, Piece, get_bishop_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};

impl SearchGame for Chess {
    type Eval = ChessEval;

    const DEFAULTS: &'static [(&'static str, f64)] = &[];

    const MOVE_SLOTS: usize = 64 * 64;
    const PIECE_SLOTS: usize = 12 * 64;
    const VICTIMS: usize = 12;
    const QUIESCENCE: bool = true;
    const STALEMATE: RuleWinner = RuleWinner::Draw;
    const BENCH_POSITIONS: &'static [&'static str] = &BENCH;
    const BENCH_DEPTH: u32 = 9;

    #[inline]
    fn pack(mv: Move) -> u16 {
        mv.bits()
    }

    #[inline]
    fn unpack(bits: u16) -> Move {
        Move::from_bits(bits)
    }

    /// The promotions of one pawn's step share a slot.
    #[inline]
    fn move_slot(mv: Move) -> usize {
        mv.from() as usize * 64 + mv.to() as usize
    }

    #[inline]
    fn piece_slot(&self, mv: Move) -> usize {
        let piece = self.moved(mv).map_or(0, |piece| piece as usize);
        (6 * self.side_to_move() as usize + piece) * 64 + mv.to() as usize
    }

    /// A promotion without a capture counts as one of its own kind.
    #[inline]
    fn victim(&self, mv: Move) -> usize {
        let taken = self.captured(mv).map_or(5, |piece| piece as usize);
        if mv.promotion().is_some() { 6 + taken } else { taken }
    }

    #[inline]
    fn structure(&self) -> Structure {
        let set = |color, piece| u128::from(self.pieces(color, piece).0);
        let both = |piece| set(Color::White, piece) | set(Color::Black, piece) << 64;
        let pieces = |color| {
            let [rook, queen] = [Piece::Rook, Piece::Queen].map(|piece| set(color, piece));
            let [knight, bishop] = [Piece::Knight, Piece::Bishop].map(|piece| set(color, piece));
            blend([knight | bishop << 64, rook | queen << 64, set(color, Piece::King)])
        };
        Structure {
            pawns: blend([both(Piece::Pawn)]),
            minor: blend([Piece::Knight, Piece::Bishop, Piece::King].map(both)),
            pieces: [pieces(Color::White), pieces(Color::Black)],
        }
    }

    #[inline]
    fn noisy_order(&self, tables: &ChessTables, mv: Move) -> i32 {
        let worth = |piece: Piece| tables.worth(piece);
        let attacker = self.moved(mv).map_or(0, |piece| worth(piece).min(1000));
        self.captured(mv).map_or(0, worth) + mv.promotion().map_or(0, worth) - attacker / 16
    }

    #[inline]
    fn noisy_gain(&self, tables: &ChessTables, mv: Move) -> i32 {
        let value = |piece: Piece| tables.worth(piece);
        let promoted = mv.promotion().map_or(0, |piece| value(piece) - value(Piece::Pawn));
        self.captured(mv).map_or(0, value) + promoted
    }

    #[inline]
    fn exchange_wins(&self, tables: &ChessTables, mv: Move, threshold: i32) -> bool {
        exchange::wins(self, tables, mv, threshold)
    }

    #[inline]
    fn checks_directly(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let (to, king, occupied) = (mv.to(), self.king(!us), self.occupied());
        let Some(piece) = mv.promotion().or(self.moved(mv)) else { return false };
        match piece {
            Piece::Pawn => get_pawn_attacks(to, us).has(king),
            Piece::Knight => get_knight_moves(to).has(king),
            Piece::Bishop => get_bishop_moves(to, occupied).has(king),
            Piece::Rook => get_rook_moves(to, occupied).has(king),
            Piece::Queen => {
                (get_bishop_moves(to, occupied) | get_rook_moves(to, occupied)).has(king)
            }
            Piece::King => false,
        }
    }

    #[inline]
    fn same_target(a: Move, b: Move) -> bool {
        a.to() == b.to()
    }

    #[inline]
    fn quiet_order(&self, tables: &ChessTables, mv: Move) -> i32 {
        self.moved(mv).map_or(0, |piece| tables.progress(self.side_to_move(), piece, mv))
    }

    /// A side that has more than pawns is seldom in zugzwang.
    #[inline]
    fn null_move_is_sound(&self) -> bool {
        let us: Color = self.side_to_move();
        let weak = self.kind(Piece::Pawn) | self.kind(Piece::King);
        !(self.color(us) & !weak).is_empty()
    }
}

/// Openings, middle games of every kind, endings: of games that this engine played against itself.
const BENCH: [&str; 14] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnb1kb1r/pp1ppppp/7n/q7/3p3P/5NP1/PPP1PP2/RNBQKB1R w KQkq - 2 5",
    "r1bqkbr1/3p1p1p/p1n1p2p/8/Q7/2NP1N2/PP2PPPP/R3KB1R w KQq - 0 9",
    "rn2kb1r/pp1bpp2/1q3npp/2p5/2B1P3/P1N2N2/1PPBQPPP/R3K2R w KQkq - 3 11",
    "r2qkb1r/p4p1p/1ppp1Pp1/8/2P1P3/3PB2b/PP2N2P/R2QK1R1 w Qkq - 1 14",
    "r2q1r1k/1pp4p/p1n1ppn1/3p4/3P4/2QBBN2/PP3PPP/2RR2K1 w - - 2 17",
    "1k1rq3/pp2n1p1/3pb2p/2p1p2P/2P5/1Q1PP3/PP1NB1P1/5rKR w - - 0 20",
    "2kr4/1p1bb2p/1qp1p1pB/p3P3/1PQPP3/2P5/P5PP/1R3rK1 w - - 0 23",
    "5b1r/r1k3p1/p1n1b2p/2p1p3/Pp6/1P3BN1/1BP2PPP/R2R2K1 w - - 4 27",
    "4r1k1/3b1p2/pr1P1b1q/2pB4/6P1/P3P1P1/1P3Q2/1R1R2K1 w - - 1 31",
    "8/3kb2R/p4p2/5p1p/5B1P/rp2P3/4K3/8 w - - 0 36",
    "6k1/5ppp/4p3/6P1/4Q2P/3r3K/8/B2q4 w - - 0 41",
    "5k2/8/2R5/2p1pB2/3b4/5KPP/r7/8 b - - 10 48",
    "2k5/8/p1pQ4/1pP5/1K5P/4P3/P7/8 w - b6 0 56",
];
