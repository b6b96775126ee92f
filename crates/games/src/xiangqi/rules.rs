//! When a game is over by rule, and who has won.
//!
//! Without a legal move the side to move loses, also at the very moment at which a draw would be
//! due. A position that stands for the third time, 120 plies without a capture, and a board without
//! a piece that can cross the river are draws.

use model::Termination;

use super::{Move, PieceKind, Side, SquareSet, Xiangqi};
use crate::{MoveKind, MoveList, RuleResult, RuleWinner};

/// Plies without a capture that end the game.
const MOVE_LIMIT_PLIES: u16 = 120;

impl Xiangqi {
    /// Every rule.
    pub(super) fn rule_result(&self) -> Option<RuleResult> {
        if !self.has_legal_move() {
            let (winner, reason) = (RuleWinner::Opponent, Termination::NoMove);
            return Some(RuleResult { winner, reason });
        }
        self.result_without_mate()
    }

    /// Every rule but the absence of moves; it says nothing where that one decides.
    #[inline]
    pub(super) fn result_without_mate(&self) -> Option<RuleResult> {
        // A repeated position had a legal move when it stood first, so it is no mate.
        if let Some(result) = self.judge_repetition(self.count_repetitions()) {
            return Some(result);
        }
        let reason = if self.quiet_plies >= MOVE_LIMIT_PLIES {
            Termination::MoveLimit
        } else if self.is_dead() {
            Termination::DeadPosition
        } else {
            return None;
        };
        self.has_legal_move().then_some(RuleResult { winner: RuleWinner::Draw, reason })
    }

    /// What a position is worth that stood `earlier` times before in the line: the one place that
    /// judges repetitions.
    #[inline]
    fn judge_repetition(&self, earlier: u32) -> Option<RuleResult> {
        (earlier >= 2)
            .then_some(RuleResult { winner: RuleWinner::Draw, reason: Termination::Repetition })
    }

    /// How often the present position stood before, as far back as no capture and no pass.
    #[inline]
    pub(super) fn count_repetitions(&self) -> u32 {
        let horizon = usize::from(self.reversible_plies).min(self.history.len());
        if horizon < 4 {
            return 0;
        }
        // The same side is to move after an even number of plies, and two are too few to return.
        let line = &self.history[self.history.len() - horizon..];
        let candidates = line.iter().rev().skip(3).step_by(2);
        candidates.filter(|undo| undo.hash == self.hash).count() as u32
    }

    /// How many plies ago the present position stood for the `nth` time before, counted backwards from
    /// 1 and as far back as no capture and no pass.
    pub(super) fn plies_to_earlier(&self, nth: usize) -> Option<usize> {
        let horizon = usize::from(self.reversible_plies).min(self.history.len());
        let line = self.history.iter().rev().take(horizon).enumerate();
        let mut earlier = line.filter(|(_, undo)| undo.hash == self.hash);
        earlier.nth(nth.checked_sub(1)?).map(|(before_last, _)| before_last + 1)
    }

    /// No piece is left that could ever cross the river.
    #[inline]
    pub(super) fn is_dead(&self) -> bool {
        let crossing = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon, PieceKind::Pawn];
        crossing.iter().fold(SquareSet::EMPTY, |all, &kind| all | self.kind(kind)).is_empty()
    }

    fn has_legal_move(&self) -> bool {
        let mut moves = MoveList::new();
        self.generate(MoveKind::All, &mut moves);
        moves.iter().any(|&mv: &Move| self.leaves_king_safe(mv))
    }

    /// Whether a side has a rook, a horse or a cannon left. Without one a pass is seldom worse than
    /// the best move, and a search should not reason from it.
    #[must_use]
    pub fn has_attackers(&self, side: Side) -> bool {
        let strong = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon];
        strong.iter().any(|&kind| !self.pieces(side, kind).is_empty())
    }
}
