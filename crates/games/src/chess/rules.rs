//! When a game is over by rule, and who has won: FIDE's Laws of Chess (2023).
//!
//! Checkmate wins (5.1.1) also at the moment at which a draw would be due. Draws are stalemate
//! (5.2.1), the third occurrence of a position (9.2), 50 moves of each side without a capture or a
//! pawn's move (9.3), and a dead position (5.2.2) as far as the material alone shows it. Nobody has
//! to claim a draw here: what a player might claim ends the game.

use cozy_chess::{BitBoard, Piece};
use model::Termination;

use super::Chess;
use crate::{Game, Repetition, RuleResult, RuleWinner};

/// Plies without a capture or a pawn's move that end the game.
const MOVE_LIMIT_PLIES: u16 = 100;

const DARK_SQUARES: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);

impl Chess {
    /// Every rule.
    pub(super) fn rule_result(&self) -> Option<RuleResult> {
        if self.has_legal_move() {
            return self.result_without_mate();
        }
        Some(if self.in_check() {
            RuleResult { winner: RuleWinner::Opponent, reason: Termination::NoMove }
        } else {
            RuleResult { winner: RuleWinner::Draw, reason: Termination::Stalemate }
        })
    }

    /// Every rule but the absence of moves; it says nothing where that one decides.
    #[inline]
    pub(super) fn result_without_mate(&self) -> Option<RuleResult> {
        let winner = RuleWinner::Draw;
        // A repeated position had a legal move when it stood first, so it is no mate.
        if self.count_repetitions() >= 2 {
            return Some(RuleResult { winner, reason: Termination::Repetition });
        }
        let reason = if self.halfmove_clock() >= MOVE_LIMIT_PLIES {
            Termination::MoveLimit
        } else if self.is_dead() {
            Termination::DeadPosition
        } else {
            return None;
        };
        self.has_legal_move().then_some(RuleResult { winner, reason })
    }

    /// Half-moves until the game ends unless a piece is captured or a pawn moves.
    #[inline]
    pub(super) fn plies_to_move_limit(&self) -> u32 {
        u32::from(MOVE_LIMIT_PLIES.saturating_sub(self.halfmove_clock()))
    }

    /// How often the present position stood before.
    #[inline]
    pub(super) fn count_repetitions(&self) -> u32 {
        self.earlier_occurrences().count() as u32
    }

    /// The third occurrence is a draw, an earlier one at the root of a search or below it a provisional
    /// draw.
    #[inline]
    pub(super) fn judge_repetition(&self, ply: usize) -> Option<Repetition> {
        let mut earlier = self.earlier_occurrences();
        let plies_ago = earlier.next()?;
        let is_final = earlier.next().is_some();
        let counts = is_final || plies_ago <= ply;
        counts.then_some(Repetition { winner: RuleWinner::Draw, plies_ago, is_final })
    }

    /// Whether the material shows that neither side can ever mate: bare kings, a single knight, or any
    /// number of bishops of both sides that all stand on squares of one colour. This is exactly what
    /// `is_insufficient_material` of python-chess says. Other positions can be dead by FIDE's article
    /// 5.2.2 (locked pawns, say); they are not recognised.
    #[inline]
    #[must_use]
    pub fn is_dead(&self) -> bool {
        let kind = |piece| self.kind(piece);
        if !(kind(Piece::Pawn) | kind(Piece::Rook) | kind(Piece::Queen)).is_empty() {
            return false;
        }
        let (knights, bishops) = (kind(Piece::Knight), kind(Piece::Bishop));
        if knights.is_empty() {
            bishops.is_subset(DARK_SQUARES) || bishops.is_disjoint(DARK_SQUARES)
        } else {
            knights.len() == 1 && bishops.is_empty()
        }
    }
}
