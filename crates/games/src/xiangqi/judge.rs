//! The verdict on a line of moves: whether it is over, who has won, and why.
//!
//! A position that stands for the third time is judged by what both sides did since it stood first:
//! perpetual check loses, also to a perpetual chase; perpetual chase loses; where both sides do the
//! same it is a draw. What a chase is, `chase` knows; what ends a game without a repetition, `rules`.

use std::borrow::Cow;

use model::Termination;

use super::Xiangqi;
use super::chase::Pieces;
pub use super::rules::RuleSet;
use crate::{Game, Repetition, RuleResult, RuleWinner};

/// Why a line is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The side to move has no legal move.
    NoMove,
    /// One side gave check with each of its moves.
    PerpetualCheck,
    /// Both did.
    MutualCheck,
    /// One side chased the same piece with each of its moves.
    PerpetualChase,
    /// Both did.
    MutualChase,
    /// A repetition without fault.
    Repetition,
    /// Too many plies without a capture.
    MoveLimit,
    /// No piece is left that could cross the river.
    DeadPosition,
}

impl Reason {
    /// The stable name, for JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoMove => "no_move",
            Self::PerpetualCheck => "perpetual_check",
            Self::MutualCheck => "mutual_check",
            Self::PerpetualChase => "perpetual_chase",
            Self::MutualChase => "mutual_chase",
            Self::Repetition => "repetition",
            Self::MoveLimit => "move_limit",
            Self::DeadPosition => "dead_position",
        }
    }
}

/// The end of a line of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Who won.
    pub winner: RuleWinner,
    /// Why.
    pub reason: Reason,
}

impl Verdict {
    /// The verdict as all games give it: a mutual fault is a repetition.
    pub(super) fn result(self) -> RuleResult {
        let reason = match self.reason {
            Reason::NoMove => Termination::NoMove,
            Reason::PerpetualCheck => Termination::PerpetualCheck,
            Reason::PerpetualChase => Termination::PerpetualChase,
            Reason::MutualCheck | Reason::MutualChase | Reason::Repetition => {
                Termination::Repetition
            }
            Reason::MoveLimit => Termination::MoveLimit,
            Reason::DeadPosition => Termination::DeadPosition,
        };
        RuleResult { winner: self.winner, reason }
    }
}

/// Judges the end of a line: absence of moves, repetition, move limit and dead position, in this order.
/// `None` while the game goes on. Whether it was over earlier in the line is not asked.
///
/// [`Game::result`] is the same verdict by the position's own rule set.
#[must_use]
pub fn judge(position: &Xiangqi, rules: RuleSet) -> Option<Verdict> {
    let position = match position.rules() == rules {
        true => Cow::Borrowed(position),
        false => Cow::Owned(position.clone().with_rules(rules)),
    };
    judge_by_own_rules(&position)
}

/// [`judge`] by the rule set of the position.
pub(super) fn judge_by_own_rules(position: &Xiangqi) -> Option<Verdict> {
    if !position.has_legal_move() {
        return Some(Verdict { winner: RuleWinner::Opponent, reason: Reason::NoMove });
    }
    if let Some(verdict) = judge_repetition(position, position.rules()) {
        return Some(verdict);
    }
    let draw = position.over_apart_from_repetition()?;
    let reason = match draw.reason {
        Termination::MoveLimit => Reason::MoveLimit,
        _ => Reason::DeadPosition,
    };
    Some(Verdict { winner: draw.winner, reason })
}

/// Judges a position that stands for at least the third time in its line; `None` for any other.
///
/// The stretch that is judged reaches back to the second-last earlier occurrence.
#[must_use]
#[inline]
pub fn judge_repetition(position: &Xiangqi, rules: RuleSet) -> Option<Verdict> {
    let plies = position.earlier_occurrences().nth(1)?;
    Some(judge_cycle(position, plies, rules))
}

/// Judges the last `plies` half-moves of a line, which led from its last position back to it.
#[cold]
fn judge_cycle(position: &Xiangqi, plies: usize, rules: RuleSet) -> Verdict {
    let checks = Checks::of(position, plies);
    if let Some(verdict) = fault(checks.always, Reason::PerpetualCheck, Reason::MutualCheck) {
        return verdict;
    }
    let is_cancelled = rules == RuleSet::Computer && checks.any;
    let chases = if is_cancelled { [false; 2] } else { perpetual_chases(position, plies, rules) };
    fault(chases, Reason::PerpetualChase, Reason::MutualChase)
        .unwrap_or(Verdict { winner: RuleWinner::Draw, reason: Reason::Repetition })
}

/// The verdict where at least one side did what is forbidden: the side to move, the other.
fn fault([us, them]: [bool; 2], one: Reason, both: Reason) -> Option<Verdict> {
    let (winner, reason) = match (us, them) {
        (false, false) => return None,
        (true, false) => (RuleWinner::Opponent, one),
        (false, true) => (RuleWinner::SideToMove, one),
        (true, true) => (RuleWinner::Draw, both),
    };
    Some(Verdict { winner, reason })
}

/// The checks of a stretch of half-moves.
struct Checks {
    /// Whether the side to move, and the other side, gave check with each of its moves.
    always: [bool; 2],
    /// Whether there was one at all.
    any: bool,
}

impl Checks {
    fn of(position: &Xiangqi, plies: usize) -> Self {
        let before = position.history.iter().rev().map(|undo| undo.safety.in_check);
        let mut checks = Self { always: [true; 2], any: false };
        for (ply, is_check) in
            std::iter::once(position.in_check()).chain(before).take(plies).enumerate()
        {
            // At the end it is the other side that has just moved.
            checks.always[1 - ply % 2] &= is_check;
            checks.any |= is_check;
        }
        checks
    }
}

/// Which side newly chased one and the same piece with each of its moves: the side to move, the other.
fn perpetual_chases(position: &Xiangqi, plies: usize, rules: RuleSet) -> [bool; 2] {
    let mut position = position.with_last_plies(plies);
    let mut pieces = Pieces::of(&position);
    let mut chased = [u32::MAX; 2];
    for ply in 0..plies {
        let mover = position.side_to_move().other();
        let chased_by_mover = &mut chased[1 - ply % 2];
        let after = (*chased_by_mover != 0)
            .then(|| position.threats_by(mover, &pieces))
            .filter(|after| after.chased() & *chased_by_mover != 0);
        pieces.take_back(&position);
        position.unmake();
        *chased_by_mover &= after.map_or(0, |after| {
            let before = position.threats_by(mover, &pieces);
            match rules {
                RuleSet::Computer => after.chased() & !before.chased(),
                RuleSet::Asian => after.newly_chased(&before),
            }
        });
        if chased == [0; 2] {
            break;
        }
    }
    chased.map(|pieces| pieces != 0)
}

impl Xiangqi {
    /// How often the present position stood before, as far back as no capture and no pass.
    #[inline]
    pub(super) fn count_repetitions(&self) -> u32 {
        self.earlier_occurrences().count() as u32
    }

    /// How many plies ago the present position stood before, nearest first, as far back as no capture
    /// and no pass.
    #[inline]
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> {
        let horizon = usize::from(self.reversible_plies).min(self.history.len());
        let line = &self.history[self.history.len() - horizon..];
        // The same side is to move after an even number of plies, and two are too few to return.
        let candidates = line.iter().rev().skip(3).step_by(2).zip((4..).step_by(2));
        candidates.filter(|(undo, _)| undo.hash == self.hash).map(|(_, plies_ago)| plies_ago)
    }

    /// [`Game::repetition`].
    #[inline]
    pub(super) fn judge_repetition_in_search(&self, ply: usize) -> Option<Repetition> {
        let mut earlier = self.earlier_occurrences();
        let plies_ago = earlier.next()?;
        let (stretch, is_final) = match earlier.next() {
            Some(stretch) => (stretch, true),
            None if plies_ago <= ply => (plies_ago, false),
            None => return None,
        };
        let winner = judge_cycle(self, stretch, self.rules()).winner;
        Some(Repetition { winner, plies_ago, is_final })
    }
}
