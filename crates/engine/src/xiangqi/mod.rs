//! Xiangqi as the search sees it.

mod activity;
mod eval;
mod exchange;
mod formation;
mod masks;
mod material;
mod sink;
mod squares;
mod weights;

#[cfg(test)]
mod tests;

pub use eval::XiangqiEval;
pub use weights::{XiangqiTables, XiangqiWeights};

use crate::searchable::blend;
use crate::{SearchGame, Structure};
use games::xiangqi::{Move, Piece, PieceKind, Side, Square, Xiangqi};
use games::{RuleResult, RuleWinner};

impl SearchGame for Xiangqi {
    type Eval = XiangqiEval;

    /// What a campaign of its own has found; `docs/tuning.md` has the evidence.
    const DEFAULTS: &'static [(&'static str, f64)] = &[
        ("aspiration_delta", 42.0),
        ("aspiration_past", 1.0240222186760009),
        ("correction_minor", 16.0),
        ("correction_moves", 5.0),
        ("correction_pawns", 4.0),
        ("correction_pieces", 81.0),
        ("correction_rate", 184.0),
        ("futility_base", 37.0),
        ("futility_margin", 94.0),
        ("history_bonus", 173.0),
        ("history_capture", 1079.0),
        ("history_cont_1", 931.0),
        ("history_cont_2", 873.0),
        ("history_decay", 601.0),
        ("history_eval_scale", 0.0),
        ("history_main", 891.0),
        ("history_malus", 129.0),
        ("history_pawns", 545.0),
        ("history_prune_margin", 4068.0),
        ("lmp_base", 6.0),
        ("lmp_scale", 1.6588251558305809),
        ("lmp_worsening", 55.0),
        ("lmr_base", 0.7886519347581554),
        ("lmr_check", 648.0),
        ("lmr_correction", 8.0),
        ("lmr_cut", 1977.0),
        ("lmr_cut_no_move", 642.0),
        ("lmr_cutoffs", 727.0),
        ("lmr_deeper", 61.0),
        ("lmr_divisor", 2.424267293709705),
        ("lmr_history", 118.0),
        ("lmr_killer", 461.0),
        ("lmr_late_one", 2803.0),
        ("lmr_noisy", 405.0),
        ("lmr_pv", 1160.0),
        ("lmr_table_move", 1817.0),
        ("lmr_table_noisy", 866.0),
        ("lmr_was_pv", 794.0),
        ("lmr_window", 236.0),
        ("lmr_worsening", 974.0),
        ("noisy_futility_base", 173.0),
        ("noisy_futility_margin", 216.0),
        ("null_base", 3.0634350189519415),
        ("null_depth_div", 3.9357260589258782),
        ("null_eval_div", 151.0),
        ("null_margin", 46.0),
        ("order_check", 4634.0),
        ("order_cont_1", 3.0),
        ("order_cont_2", 2.0),
        ("order_gain", 10.0),
        ("order_good_capture", 32.0),
        ("order_main", 1.0),
        ("order_pawns", 0.0),
        ("order_square", 25.0),
        ("probcut_margin", 147.0),
        ("qs_delta", 250.0),
        ("qs_exchange", 11.0),
        ("razor_margin", 408.0),
        ("razor_square", 9.0),
        ("rfp_blend", 11.0),
        ("rfp_improving", 63.0),
        ("rfp_margin", 72.0),
        ("see_noisy", 172.0),
        ("see_quiet", 44.0),
        ("singular_margin", 57.0),
        ("small_probcut_margin", 518.0),
    ];

    const MOVE_SLOTS: usize = Square::COUNT * Square::COUNT;
    const PIECE_SLOTS: usize = 14 * Square::COUNT;
    const VICTIMS: usize = 8;
    const QUIESCENCE: bool = true;
    const STALEMATE: RuleWinner = RuleWinner::Opponent;
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

    #[inline]
    fn move_slot(mv: Move) -> usize {
        mv.from().index() * Square::COUNT + mv.to().index()
    }

    #[inline]
    fn piece_slot(&self, mv: Move) -> usize {
        let piece = self.moved(mv).map_or(0, |p| 7 * p.side().index() + p.kind().index());
        piece * Square::COUNT + mv.to().index()
    }

    #[inline]
    fn victim(&self, mv: Move) -> usize {
        self.captured(mv).map_or(7, |piece| piece.kind().index())
    }

    #[inline]
    fn structure(&self) -> Structure {
        let set = |side, kind| self.pieces(side, kind).bits();
        let [red, black] = [Side::Red, Side::Black];
        let major = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon];
        let minor = [PieceKind::King, PieceKind::Advisor, PieceKind::Elephant];
        let pieces = |side| blend(major.map(|kind| set(side, kind)));
        Structure {
            pawns: blend([set(red, PieceKind::Pawn), set(black, PieceKind::Pawn)]),
            // Both camps: no point belongs to both of them.
            minor: blend(minor.map(|kind| self.kind(kind).bits())),
            pieces: [pieces(red), pieces(black)],
        }
    }

    #[inline]
    fn noisy_order(&self, tables: &XiangqiTables, mv: Move) -> i32 {
        let worth = |piece: Option<Piece>| piece.map_or(0, |p| tables.exchange[p.kind().index()]);
        worth(self.captured(mv)) - worth(self.moved(mv)) / 16
    }

    #[inline]
    fn noisy_gain(&self, tables: &XiangqiTables, mv: Move) -> i32 {
        self.captured(mv).map_or(0, |piece| tables.exchange[piece.kind().index()])
    }

    #[inline]
    fn exchange_wins(&self, tables: &XiangqiTables, mv: Move, threshold: i32) -> bool {
        exchange::wins(&tables.exchange, self, mv, threshold)
    }

    #[inline]
    fn checks_directly(&self, mv: Move) -> bool {
        let Some(piece) = self.moved(mv) else { return false };
        let (side, to) = (self.side_to_move(), mv.to());
        let king = self.king(side.other());
        let (files, ranks) = (to.file().abs_diff(king.file()), to.rank().abs_diff(king.rank()));
        match piece.kind() {
            PieceKind::Rook if files == 0 || ranks == 0 => self.rook_attacks(to).has(king),
            PieceKind::Cannon if files == 0 || ranks == 0 => self.cannon_attacks(to).has(king),
            PieceKind::Horse if files + ranks == 3 && files > 0 && ranks > 0 => {
                self.horse_attacks(to).has(king)
            }
            PieceKind::Pawn => {
                let ahead =
                    if side == Side::Red { to.rank() + 1 } else { to.rank().wrapping_sub(1) };
                ranks == 0 && files == 1 || files == 0 && king.rank() == ahead
            }
            _ => false,
        }
    }

    #[inline]
    fn same_target(a: Move, b: Move) -> bool {
        a.to() == b.to()
    }

    #[inline]
    fn quiet_order(&self, tables: &XiangqiTables, mv: Move) -> i32 {
        self.moved(mv).map_or(0, |piece| tables.progress(piece, mv))
    }

    #[inline]
    fn over(&self) -> Option<RuleResult> {
        self.over_apart_from_repetition()
    }

    /// A side with a rook, a horse or a cannon is seldom in zugzwang.
    #[inline]
    fn null_move_is_sound(&self) -> bool {
        self.has_attackers(self.side_to_move())
    }
}

/// The start, openings, middle games with every kind of imbalance, endings with few pieces; all but
/// the first two are from games that this engine played against itself.
const BENCH: [&str; 14] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2",
    "1rbakabn1/9/2nc5/p1p1p3p/6r2/6C2/PCP1P1PcP/2N6/9/1RBAKABNR w - - 3 8",
    "2bakabnr/9/n6c1/p1p1p1p1p/3r5/2P6/P3PcP1P/2C3NCR/R8/1NBAKAB2 w - - 14 8",
    "2bakabn1/r6Cr/2n6/2p1p1p1p/p8/8P/P1P1P1c2/2N2C3/4A4/1RB1KABR1 w - - 6 8",
    "2baka3/8r/n3b2c1/p1p1p3p/3rc1pn1/2P1C4/P3P1P1P/2N1CRN2/7R1/2BAKAB2 w - - 30 16",
    "2bak4/4a4/nR2b3n/p1p1C1p2/8p/P8/2P1P1P1P/2N4cN/4Ar3/2BAK1B2 w - - 1 16",
    "3k1a3/9/4b1n2/4p1C1p/R1c6/6N2/P3P1P1P/2N1Br3/2c1K4/6B2 w - - 1 26",
    "2bk1a3/4a4/n3b4/p1p1R4/3r2p1p/2P5C/P1c1P1P1P/7r1/4A1R2/2BAKNB2 w - - 7 26",
    "4k1b2/4a4/2r1b4/p4R2P/2n3p2/4C4/2c6/4B4/N3A4/4KA3 w - - 9 41",
    "4k4/4aC3/2n2a2b/p1N5p/4p4/P1P6/4P4/9/9/2BAKAB1c w - - 1 41",
    "2bak4/4a4/5n3/2P1P4/5R2p/9/6P1P/2r6/4A4/4KA3 w - - 19 41",
    "4k4/3P1R3/3ab4/9/6r2/2p5p/8p/9/9/3AKAB2 w - - 10 56",
    "2b3b2/3k5/9/4PN3/9/9/1c7/4B4/3C5/2BAK4 w - - 25 77",
];
