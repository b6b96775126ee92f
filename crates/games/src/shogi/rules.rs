//! When a game is over by rule, and who has won.
//!
//! The fourth occurrence of a position (sennichite) ends the game: a draw, unless one side gave check
//! with every move since the first, which loses. Then the side to move may declare a win by impasse;
//! it is taken to do so whenever it can. Without a legal move the side to move loses.

use model::Termination;

use super::tables::CAMP;
use super::{PieceKind, Shogi, Side};
use crate::{Repetition, RuleResult, RuleWinner};

/// How often a position stood before when the game is over.
const EARLIER_OCCURRENCES: usize = 3;

/// The least points with which each side may declare a win: of the 54 points of a full set Black, who
/// moves first, needs one more than half.
const POINTS_TO_WIN: [u32; 2] = [28, 27];

/// The least pieces besides the king in the enemy's camp with which a side may declare a win.
const PIECES_TO_WIN: u32 = 10;

impl Shogi {
    /// Every rule.
    pub(super) fn rule_result(&self) -> Option<RuleResult> {
        // A repeated position had a legal move when it stood first, so it is no mate.
        if let Some(result) = self.result_without_mate() {
            return Some(result);
        }
        let (winner, reason) = (RuleWinner::Opponent, Termination::NoMove);
        (self.count() == 0).then_some(RuleResult { winner, reason })
    }

    /// Every rule but the absence of moves.
    #[inline]
    pub(super) fn result_without_mate(&self) -> Option<RuleResult> {
        if let Some(plies) = self.line.occurrences(self.hash).nth(EARLIER_OCCURRENCES - 1) {
            let winner = self.winner_of_cycle(plies);
            let reason = match winner {
                RuleWinner::Draw => Termination::Repetition,
                _ => Termination::PerpetualCheck,
            };
            return Some(RuleResult { winner, reason });
        }
        let (winner, reason) = (RuleWinner::SideToMove, Termination::Impasse);
        self.can_declare_win().then_some(RuleResult { winner, reason })
    }

    /// How often the present position stood before, since the last pass.
    #[inline]
    pub(super) fn count_repetitions(&self) -> u32 {
        self.line.occurrences(self.hash).count() as u32
    }

    /// The verdict for a search; an occurrence at the root or before it does not count before the game
    /// is over.
    #[inline]
    pub(super) fn repetition_below_root(&self, ply: usize) -> Option<Repetition> {
        let mut occurrences = self.line.occurrences(self.hash);
        let plies_ago = occurrences.next()?;
        if let Some(first) = occurrences.nth(EARLIER_OCCURRENCES - 2) {
            let winner = self.winner_of_cycle(first);
            return Some(Repetition { winner, plies_ago, is_final: true });
        }
        let winner = self.winner_of_cycle(plies_ago);
        (plies_ago < ply).then_some(Repetition { winner, plies_ago, is_final: false })
    }

    /// Who wins by the last so many half-moves, if they lead from a position to itself: the opponent of
    /// the side that gave check with all of its moves; neither if no side did, or both.
    #[inline]
    fn winner_of_cycle(&self, plies: usize) -> RuleWinner {
        let checked_always = |side: Side| 2 * usize::from(self.checks[side.index()]) >= plies;
        let us = self.side_to_move();
        match (checked_always(us), checked_always(us.other())) {
            (true, false) => RuleWinner::Opponent,
            (false, true) => RuleWinner::SideToMove,
            _ => RuleWinner::Draw,
        }
    }

    /// Whether the side to move may declare a win by impasse, by the 27-point rule of the Computer Shogi
    /// Association (CSA): its king stands in the enemy's camp, the last three ranks, and not in check;
    /// at least ten more of its pieces stand there; and these and its hand are worth at least 28 points
    /// for Black or 27 for White, rooks and bishops, promoted or not, counting five and all others one.
    #[inline]
    #[must_use]
    pub fn can_declare_win(&self) -> bool {
        let us = self.side_to_move();
        let camp = CAMP[us.index()];
        camp.has(self.king(us)) && self.checkers.is_empty() && {
            let pieces = self.side(us) & camp;
            let strong = self.kind(PieceKind::Bishop)
                | self.kind(PieceKind::Rook)
                | self.kind(PieceKind::Horse)
                | self.kind(PieceKind::Dragon);
            let hand = self.hand(us);
            let strong_in_hand = hand.count(PieceKind::Bishop) + hand.count(PieceKind::Rook);
            let others = pieces.len() - 1;
            let strong = (pieces & strong).len() + strong_in_hand;
            others >= PIECES_TO_WIN && others + hand.len() + 4 * strong >= POINTS_TO_WIN[us.index()]
        }
    }
}
