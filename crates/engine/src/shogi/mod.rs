//! Shogi as the search sees it.

mod eval;
mod exchange;
mod weights;

pub use eval::ShogiEval;
pub use weights::{ShogiTables, ShogiWeights};

use crate::searchable::blend;
use crate::{SearchGame, Structure};
use games::RuleWinner;
use games::shogi::{Move, Piece, PieceKind, Shogi, Side, Square, attacks};

/// Where a dropped piece comes from, in the table of moves: behind the squares, one for each kind.
const SOURCES: usize = Square::COUNT + PieceKind::HAND.len();

impl SearchGame for Shogi {
    type Eval = ShogiEval;

    const DEFAULTS: &'static [(&'static str, f64)] = &[];

    /// A move with and without promotion are two.
    const MOVE_SLOTS: usize = 2 * SOURCES * Square::COUNT;
    const PIECE_SLOTS: usize = 28 * Square::COUNT;
    const VICTIMS: usize = 15;
    const QUIESCENCE: bool = true;
    const STALEMATE: RuleWinner = RuleWinner::Opponent;
    const BENCH_POSITIONS: &'static [&'static str] = &BENCH;
    const BENCH_DEPTH: u32 = 8;

    #[inline]
    fn pack(mv: Move) -> u16 {
        mv.bits()
    }

    #[inline]
    fn unpack(bits: u16) -> Move {
        Move::from_bits(bits)
    }

    #[inline]
    fn move_slot(mv: Move) -> usize {
        let source = match (mv.from(), mv.dropped()) {
            (Some(from), _) => from.index(),
            (None, Some(kind)) => Square::COUNT + kind.index(),
            (None, None) => 0,
        };
        let promoted = usize::from(mv.is_promotion()) * SOURCES * Square::COUNT;
        promoted + source * Square::COUNT + mv.to().index()
    }

    #[inline]
    fn piece_slot(&self, mv: Move) -> usize {
        let piece = self.moved(mv).map_or(0, |piece| piece.kind().index());
        (14 * self.side_to_move().index() + piece) * Square::COUNT + mv.to().index()
    }

    #[inline]
    fn victim(&self, mv: Move) -> usize {
        self.captured(mv).map_or(14, |piece| piece.kind().index())
    }

    #[inline]
    fn structure(&self) -> Structure {
        let [black, white] = [Side::Black, Side::White];
        let set = |kind| self.kind(kind).bits();
        let major = [PieceKind::Rook, PieceKind::Dragon, PieceKind::Bishop, PieceKind::Horse];
        let pieces = |side| {
            let kings = self.pieces(side, PieceKind::King).bits();
            blend([
                self.side(side).bits() & self.golds().bits(),
                kings,
                u128::from(self.hand(side).bits()),
            ])
        };
        Structure {
            pawns: blend([black, white].map(|side| self.pieces(side, PieceKind::Pawn).bits())),
            minor: blend(major.map(set)),
            pieces: [pieces(black), pieces(white)],
        }
    }

    #[inline]
    fn noisy_order(&self, tables: &ShogiTables, mv: Move) -> i32 {
        let value = |piece: Option<Piece>| piece.map_or(0, |piece| tables.worth(piece.kind()));
        let attacker = value(self.moved(mv)).min(1000);
        value(self.captured(mv)) + tables.promotion_gain(self, mv) - attacker / 16
    }

    /// A captured piece changes sides: it counts on the board and in the hand.
    #[inline]
    fn noisy_gain(&self, tables: &ShogiTables, mv: Move) -> i32 {
        let captured = self.captured(mv).map_or(0, |piece| tables.capture_gain(piece.kind()));
        captured + tables.promotion_gain(self, mv)
    }

    #[inline]
    fn exchange_wins(&self, tables: &ShogiTables, mv: Move, threshold: i32) -> bool {
        exchange::wins(self, tables, mv, threshold)
    }

    #[inline]
    fn checks_directly(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let Some(piece) = self.moved(mv) else { return false };
        let kind = piece.kind();
        let kind = if mv.is_promotion() { kind.promoted().unwrap_or(kind) } else { kind };
        kind != PieceKind::King
            && attacks(us, kind, mv.to(), self.occupied()).has(self.king(us.other()))
    }

    #[inline]
    fn same_target(a: Move, b: Move) -> bool {
        a.to() == b.to()
    }

    #[inline]
    fn quiet_order(&self, tables: &ShogiTables, mv: Move) -> i32 {
        tables.progress(self, mv)
    }

    /// Passing is worse than nearly every move, as long as there is something to move or to drop.
    #[inline]
    fn null_move_is_sound(&self) -> bool {
        let us = self.side_to_move();
        !self.hand(us).is_empty() || self.side(us).len() > 4
    }
}

/// Openings, middle games and attacks on both kings: of games that this engine played against itself.
const BENCH: [&str; 12] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/r8/pppppp2p/6ppb/9/2P1P4/PP1PSPPPP/1S5R1/LN1GKG1NL b B 11",
    "lnsgkg1nl/1r3s3/2p2pbp1/pp1pp1p1p/7P1/P1PPPP2P/1PB3P2/3S3R1/LN1GKGSNL b - 21",
    "ln1gkg1nl/1r1s1s3/2p1p1ppb/3p4p/p6P1/1pPBP1P2/P1NP1P2P/1S1G3R1/L3KGSNL b Pp 31",
    "ln1gkg3/3s1s3/p1ppppn1b/7r1/6p2/7P1/PPPPPPP2/1BGSGS3/LN2K2NL b Lr4p 41",
    "1nsgkg1n+B/1r4s2/6ppl/1pp2p2p/3pp4/p+ll4P1/2NG1PP1P/2PS2GR1/+b4KSNL b 4p 51",
    "ln1gkg1nl/5r3/p2s5/1ppp2ppp/P3pP3/2PP2P1P/1PG1P2P1/2+rSK1Bs1/LN3G2L b SNbp 61",
    "5k1nl/2g2sg2/np1s3p1/l2p1pp1p/5b3/+r1S1pR2P/1P1P2PPN/2BG3S1/1N1K1G2L b 3Pl3p 71",
    "lnsG3kl/4G2s1/pp1p3+R1/2p2p2p/4P1p2/6n2/PPNPGPNPP/1S5R1/L2GK3L b BS2Pb2p 81",
    "lns5+P/4L1k2/2pGpps2/p2p4+R/1p4p2/3PPP2P/PP3SP2/1+b1LG4/3K1G1N+b b G3Prs2nl 91",
    "ln6l/r1sk3s1/pp1pp3p/2p2+rNp1/3G2P2/1+b1PP2G1/P6PP/2+l1G+n3/1+b3KS1L b gsn5p 101",
    "l5k1l/6g2/pp3p1p1/3splp1p/PP1p5/2P6/2GPPKPPP/4R1N2/L1sb1GG1+r b B2S3NPp 111",
];
