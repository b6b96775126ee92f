//! When a game is over by rule: rule sets, the move limit and dead positions.
//!
//! Without a legal move the side to move loses, also at the very moment at which a draw would be
//! due. What a repetition is worth, `judge` knows.

use model::Termination;

use super::{Move, PieceKind, Side, SquareSet, Xiangqi};
use crate::{MoveKind, MoveList, RuleResult, RuleWinner};

/// Counted plies without a capture that end the game.
pub(super) const MOVE_LIMIT_PLIES: u8 = 120;

/// The checks of a side that count towards the move limit between two captures.
const COUNTED_CHECKS: u8 = 10;

/// Which book of rules judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleSet {
    /// The rules of computer tournaments. A check anywhere in the repetition cancels every chase; a
    /// piece is newly chased also where its protection has gone. Towards the move limit each side's
    /// checks and the replies to them count ten times. Positions are dead in which neither side can
    /// be mated but by its own will.
    #[default]
    Computer,
    /// The rules of the Asian Xiangqi Federation. A chase is new only if the attack is, or if the
    /// move made the protectors false; checks cancel nothing. Towards the move limit every ply
    /// counts. A position is dead when no piece is left that could cross the river.
    Asian,
}

/// How many checks each side has given since the last capture: four bits a side, which stay at one
/// more than those that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CheckCounts(u8);

impl CheckCounts {
    fn count(&mut self, side: Side) {
        if !self.is_beyond(side) {
            self.0 += 1 << (4 * side.index());
        }
    }

    /// Whether the last check of a side does not count any more.
    fn is_beyond(self, side: Side) -> bool {
        self.0 >> (4 * side.index()) & 15 > COUNTED_CHECKS
    }
}

/// Whether the material is too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Material {
    Enough,
    /// Mate would need the help of the mated side, and more of it than one move.
    UnlessMateInOne,
    TooLittle,
}

impl Xiangqi {
    /// The same position and line under a rule set; a new position has [`RuleSet::Computer`].
    #[must_use]
    pub fn with_rules(mut self, rules: RuleSet) -> Self {
        if self.rules != rules {
            self.replay_by(rules);
        }
        self
    }

    /// The rule set by which results are given.
    #[inline]
    #[must_use]
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// Counts the move just made, which was no capture, towards the move limit.
    #[inline]
    pub(super) fn count_quiet_ply(&mut self, answers_check: bool) {
        let is_free = (self.safety.in_check | answers_check) && self.is_free_ply(answers_check);
        self.quiet_plies += u8::from(!is_free && self.quiet_plies < MOVE_LIMIT_PLIES);
    }

    /// Counts a check just given; whether the move was one too many of them, or the reply to such a
    /// one.
    #[cold]
    fn is_free_ply(&mut self, answers_check: bool) -> bool {
        let (us, them) = (self.side_to_move().other(), self.side_to_move());
        let is_free_reply = answers_check && self.checks.is_beyond(them);
        if self.safety.in_check {
            self.checks.count(us);
        }
        let is_free_check = self.safety.in_check && self.checks.is_beyond(us);
        self.rules == RuleSet::Computer && (is_free_check || is_free_reply)
    }

    /// The draw by move limit or for want of material, unless the side to move has no legal move:
    /// [`Game::rule_draw_or_loss`](crate::Game::rule_draw_or_loss) for those who ask
    /// [`Game::repetition`](crate::Game::repetition) as well.
    #[inline]
    #[must_use]
    pub fn over_apart_from_repetition(&self) -> Option<RuleResult> {
        let is_at_limit = self.quiet_plies >= MOVE_LIMIT_PLIES;
        let material = self.material();
        if !is_at_limit && material == Material::Enough {
            return None;
        }
        self.draw_by_limit_or_material(is_at_limit, material)
    }

    #[cold]
    fn draw_by_limit_or_material(&self, limit: bool, material: Material) -> Option<RuleResult> {
        let reason = if limit { Termination::MoveLimit } else { Termination::DeadPosition };
        let goes_on = !self.has_legal_move()
            || !limit && material == Material::UnlessMateInOne && self.mates_in_one();
        (!goes_on).then_some(RuleResult { winner: RuleWinner::Draw, reason })
    }

    /// Whether the material on the board is enough, by the rule set.
    #[inline]
    fn material(&self) -> Material {
        let strong = [PieceKind::Pawn, PieceKind::Rook, PieceKind::Horse];
        let strong = strong.map(|kind| self.kind(kind)).into_iter();
        if !strong.fold(SquareSet::EMPTY, |all, kind| all | kind).is_empty() {
            return Material::Enough;
        }
        self.material_of_cannons()
    }

    /// [`Xiangqi::material`] where cannons are all that could cross the river.
    #[cold]
    fn material_of_cannons(&self) -> Material {
        let count = |side, kind| self.pieces(side, kind).len();
        let [red, black] = Side::ALL.map(|side| count(side, PieceKind::Cannon));
        if red + black == 0 {
            return Material::TooLittle;
        }
        if self.rules == RuleSet::Asian {
            return Material::Enough;
        }
        // The cannon mates over a screen: an own advisor, or a guard of the king that it attacks.
        let elephants = |side| count(side, PieceKind::Elephant);
        let advisors = |side| count(side, PieceKind::Advisor);
        match (red, black) {
            (1, 1) if self.kind(PieceKind::Advisor).is_empty() => {
                if self.kind(PieceKind::Elephant).is_empty() {
                    Material::TooLittle
                } else {
                    Material::UnlessMateInOne
                }
            }
            (1, 0) | (0, 1) => {
                let attacker = if red == 1 { Side::Red } else { Side::Black };
                match (advisors(attacker), advisors(attacker.other()), elephants(attacker)) {
                    (0, 0, _) | (0, 1, 0) => Material::TooLittle,
                    (0, 1, _) | (0, 2, 0) => Material::UnlessMateInOne,
                    _ => Material::Enough,
                }
            }
            _ => Material::Enough,
        }
    }

    /// Whether the side to move can leave the other one without a legal move.
    fn mates_in_one(&self) -> bool {
        let mut position = self.with_last_plies(0);
        let mut moves = MoveList::new();
        self.generate(MoveKind::All, &mut moves);
        moves.iter().any(|&mv| {
            if !self.leaves_king_safe(mv) {
                return false;
            }
            position.apply(mv);
            let mates = !position.has_legal_move();
            position.revert();
            mates
        })
    }

    /// Whether the side to move has a legal move.
    pub(super) fn has_legal_move(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::{MOVE_LIMIT_PLIES, RuleSet};
    use crate::Game;
    use crate::xiangqi::Xiangqi;

    /// Counted plies after `checks` checks with their replies and `then` more plies.
    fn counted(rules: RuleSet, checks: usize, then: usize) -> u16 {
        let game = Xiangqi::from_fen("4k4/9/9/9/9/9/9/R8/9/3K5 w").expect("a position");
        let mut game = game.with_rules(rules);
        // The rook drives the king from e9 to f9 and back; then the kings walk.
        let checks_and_replies = ["f2e2", "e9f9", "e2f2", "f9e9"].into_iter().cycle();
        let first = ["a2e2"].into_iter().chain(checks_and_replies.skip(1));
        let walk = match checks % 2 {
            0 => ["d0d1", "e9e8", "d1d0", "e8e9"],
            _ => ["d0d1", "f9f8", "d1d0", "f8f9"],
        };
        for text in first.take(2 * checks).chain(walk.into_iter().cycle().take(then)) {
            game.make(game.move_from_text(text).unwrap_or_else(|error| panic!("{error}")));
        }
        game.quiet_plies()
    }

    #[test]
    fn a_side_has_ten_checks_that_count() {
        for (checks, then, expected) in [
            (0, 0, 0),
            (0, 7, 7),
            (1, 0, 2),
            (10, 0, 20),
            (11, 0, 20),
            (25, 0, 20),
            (25, 3, 23),
            (40, 120, MOVE_LIMIT_PLIES.into()),
        ] {
            assert_eq!(counted(RuleSet::Computer, checks, then), expected, "{checks} {then}");
        }
        for (checks, then) in [(0, 0), (1, 0), (25, 3)] {
            let every = (2 * checks + then) as u16;
            assert_eq!(counted(RuleSet::Asian, checks, then), every, "{checks} {then}");
        }
    }
}
