//! The full verdict on a line of moves: whether it is over, who has won, and why.
//!
//! The engine's own [`Game::result`] calls every repetition a draw. Here a position that stands for the
//! third time is judged by what both sides did since it stood first: perpetual check loses, also to a
//! perpetual chase; perpetual chase loses; where both sides do the same it is a draw. What a chase is,
//! `chase` knows.

use super::Xiangqi;
use super::chase::Pieces;
use crate::{Game, MoveList, RuleWinner};

/// Plies without a capture that end the game.
const MOVE_LIMIT_PLIES: u32 = 120;

/// The checks of a side that count towards the move limit between two captures.
const COUNTED_CHECKS: u32 = 10;

/// Which book of rules judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleSet {
    /// The rules of computer tournaments. A check anywhere in the repetition cancels every chase; a
    /// piece is newly chased also where its protection has gone; towards the move limit each side's
    /// checks and the replies to them count ten times.
    #[default]
    Computer,
    /// The rules of the Asian Xiangqi Federation. A chase is new only if the attack is, or if the
    /// move made the protectors false; checks cancel nothing; towards the move limit every ply counts.
    Asian,
}

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

/// Judges the end of a line: absence of moves, repetition, move limit and dead position, in this order.
/// `None` while the game goes on. Whether it was over earlier in the line is not asked.
#[must_use]
pub fn judge(position: &Xiangqi, rules: RuleSet) -> Option<Verdict> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    if moves.is_empty() {
        return Some(Verdict { winner: RuleWinner::Opponent, reason: Reason::NoMove });
    }
    if let Some(verdict) = judge_repetition(position, rules) {
        return Some(verdict);
    }
    let reason = if counted_plies(position, rules) >= MOVE_LIMIT_PLIES {
        Reason::MoveLimit
    } else if position.is_dead() {
        Reason::DeadPosition
    } else {
        return None;
    };
    Some(Verdict { winner: RuleWinner::Draw, reason })
}

/// The plies since the last capture that count towards the move limit.
fn counted_plies(position: &Xiangqi, rules: RuleSet) -> u32 {
    if rules == RuleSet::Asian {
        return position.quiet_plies().into();
    }
    let mut position = position.clone();
    let mut checks = Vec::new();
    while position.quiet_plies() > 0 && position.plies_made() > 0 {
        checks.push(position.in_check());
        position.unmake();
    }
    checks.reverse();
    u32::from(position.quiet_plies()) + count_with_few_checks(&checks)
}

/// How many plies count, given which of them gave check: not a side's checks from the eleventh on, and
/// not the replies to those.
fn count_with_few_checks(checks: &[bool]) -> u32 {
    let mut given = [0; 2];
    let mut is_free_reply = false;
    let mut counted = 0;
    for (ply, &is_check) in checks.iter().enumerate() {
        given[ply % 2] += u32::from(is_check);
        let is_free_check = is_check && given[ply % 2] > COUNTED_CHECKS;
        counted += u32::from(!is_free_check && !is_free_reply);
        is_free_reply = is_free_check;
    }
    counted
}

/// Judges a position that stands for at least the third time in its line; `None` for any other.
///
/// The stretch that is judged reaches back to the second-last earlier occurrence.
#[must_use]
pub fn judge_repetition(position: &Xiangqi, rules: RuleSet) -> Option<Verdict> {
    let plies = position.plies_to_earlier(2)?;
    let line = Line::of(position, plies);
    let [us_checks, them_checks] = line.perpetual_checks();
    if us_checks || them_checks {
        return Some(fault(us_checks, them_checks, Reason::PerpetualCheck, Reason::MutualCheck));
    }
    let [us_chase, them_chase] = line.perpetual_chases(rules);
    if us_chase || them_chase {
        return Some(fault(us_chase, them_chase, Reason::PerpetualChase, Reason::MutualChase));
    }
    Some(Verdict { winner: RuleWinner::Draw, reason: Reason::Repetition })
}

/// The verdict where at least one side did what is forbidden.
fn fault(us: bool, them: bool, one: Reason, both: Reason) -> Verdict {
    let (winner, reason) = match (us, them) {
        (true, false) => (RuleWinner::Opponent, one),
        (false, true) => (RuleWinner::SideToMove, one),
        _ => (RuleWinner::Draw, both),
    };
    Verdict { winner, reason }
}

/// The last plies of a line, from the end back. Arrays of two: the side to move at the end, then the
/// other.
struct Line {
    end: Xiangqi,
    plies: usize,
}

impl Line {
    fn of(end: &Xiangqi, plies: usize) -> Self {
        Self { end: end.clone(), plies }
    }

    /// Which side gave check with each of its moves.
    fn perpetual_checks(&self) -> [bool; 2] {
        let mut position = self.end.clone();
        let mut always = [true; 2];
        for ply in 0..self.plies {
            // At the end it is the other side that has just moved.
            always[1 - ply % 2] &= position.in_check();
            position.unmake();
        }
        always
    }

    /// Which side newly chased one and the same piece with each of its moves.
    fn perpetual_chases(&self, rules: RuleSet) -> [bool; 2] {
        let mut position = self.end.clone();
        let mut pieces = Pieces::of(&position);
        let mut chased = [u32::MAX; 2];
        for ply in 0..self.plies {
            if rules == RuleSet::Computer && position.in_check() {
                return [false; 2];
            }
            let mover = position.side_to_move().other();
            let after = position.threats_by(mover, &pieces);
            pieces.take_back(&position);
            position.unmake();
            let before = position.threats_by(mover, &pieces);
            chased[1 - ply % 2] &= match rules {
                RuleSet::Computer => after.chased() & !before.chased(),
                RuleSet::Asian => after.newly_chased(&before),
            };
        }
        chased.map(|pieces| pieces != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::count_with_few_checks;

    #[test]
    fn a_side_has_ten_checks_that_count() {
        let line = |checks: usize, then: usize| {
            let mut line = [true, false].repeat(checks);
            line.resize(line.len() + then, false);
            line
        };
        for (checks, then, counted) in
            [(0, 0, 0), (0, 7, 7), (1, 0, 2), (10, 0, 20), (11, 0, 20), (25, 0, 20), (25, 3, 23)]
        {
            let found = count_with_few_checks(&line(checks, then));
            assert_eq!(found, counted, "{checks} checks with replies, {then} more plies");
        }
        let both = [true; 30];
        assert_eq!(count_with_few_checks(&both), 20, "ten checks for each side");
    }
}
