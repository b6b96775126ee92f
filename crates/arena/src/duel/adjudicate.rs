//! Ends games early by the scores that the players give. Pure, and off unless it is asked for.
//!
//! A draw: from move `move_number` on, counted from the opening, the last `2 · move_count` half-moves
//! all had exact scores within ± `score`. A resignation: the last `move_count` moves of one side had
//! exact scores of at most −`score`; two-sided, the other side's of at least `score` as well. A move
//! without an exact score begins the count anew.

use super::Insight;
use crate::Seat;

/// When a game counts as drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DrawRule {
    /// Moves of each side before which no game is drawn.
    pub move_number: u32,
    /// Moves of each side in a row; at least 1.
    pub move_count: u32,
    /// Centipawns.
    pub score: i32,
}

/// When a game counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ResignRule {
    /// Moves in a row; at least 1.
    pub move_count: u32,
    /// Centipawns.
    pub score: i32,
    /// Whether the winner must agree.
    pub two_sided: bool,
}

/// What ends games early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Adjudication {
    /// Draws.
    pub draw: Option<DrawRule>,
    /// Losses.
    pub resign: Option<ResignRule>,
}

/// The counts of one game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    level: u32,
    losing: [u32; 2],
    winning: [u32; 2],
}

/// A game that is over by score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Draw,
    Won(Seat),
}

impl Adjudicator {
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Counts a move of this seat.
    pub(super) fn count(&mut self, seat: Seat, insight: &Insight) -> Option<Verdict> {
        self.plies += 1;
        let score = insight.score.map(|score| score.0);
        let side = seat as usize;
        let longer = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
        if let Some(rule) = self.rules.resign {
            self.losing[side] = longer(self.losing[side], score.is_some_and(|s| s <= -rule.score));
            self.winning[side] = longer(self.winning[side], score.is_some_and(|s| s >= rule.score));
            let other = 1 - side;
            let agreed = |count: u32| !rule.two_sided || count >= rule.move_count;
            if self.losing[side] >= rule.move_count && agreed(self.winning[other]) {
                return Some(Verdict::Won(seat.other()));
            }
            if rule.two_sided
                && self.winning[side] >= rule.move_count
                && self.losing[other] >= rule.move_count
            {
                return Some(Verdict::Won(seat));
            }
        }
        if let Some(rule) = self.rules.draw {
            self.level = longer(self.level, score.is_some_and(|s| s.abs() <= rule.score));
            let is_late = self.plies >= rule.move_number.saturating_mul(2);
            if is_late && self.level >= rule.move_count.saturating_mul(2) {
                return Some(Verdict::Draw);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Score;

    /// The verdict on a game of these scores, and after how many half-moves it came.
    fn verdict(rules: Adjudication, scores: &[Option<i32>]) -> Option<(usize, Verdict)> {
        let mut adjudicator = Adjudicator::new(rules);
        let seats = [Seat::First, Seat::Second].into_iter().cycle();
        (1..).zip(seats.zip(scores)).find_map(|(ply, (seat, score))| {
            let insight = Insight { score: score.map(Score), ..Insight::default() };
            adjudicator.count(seat, &insight).map(|verdict| (ply, verdict))
        })
    }

    #[test]
    fn a_draw_needs_level_scores_of_both_in_a_row_and_late() {
        let rule = DrawRule { move_number: 3, move_count: 2, score: 10 };
        let rules = Adjudication { draw: Some(rule), resign: None };
        let s = Some;
        for (scores, expected) in [
            (vec![s(0); 8], Some((6, Verdict::Draw))),
            (
                vec![s(50), s(0), s(0), s(0), s(11), s(-10), s(10), s(3), s(1)],
                Some((9, Verdict::Draw)),
            ),
            (vec![s(0), s(0), s(0), None, s(0), s(0), s(0)], None),
        ] {
            assert_eq!(verdict(rules, &scores), expected);
        }
    }

    #[test]
    fn a_loss_needs_bad_scores_of_one_side_in_a_row() {
        let rule = ResignRule { move_count: 2, score: 400, two_sided: false };
        let one = Adjudication { draw: None, resign: Some(rule) };
        let two = Adjudication { draw: None, resign: Some(ResignRule { two_sided: true, ..rule }) };
        let s = Some;
        let lost = vec![s(-400), s(0), s(-500), s(0), s(0), s(0)];
        assert_eq!(verdict(one, &lost), Some((3, Verdict::Won(Seat::Second))));
        assert_eq!(verdict(two, &lost), None);
        let agreed = vec![s(-400), s(0), s(-500), s(400), s(-400), s(900)];
        assert_eq!(verdict(two, &agreed), Some((6, Verdict::Won(Seat::Second))));
        let broken = vec![s(-400), s(0), None, s(0), s(-400), s(0), s(-399), s(0)];
        assert_eq!(verdict(one, &broken), None);
        assert_eq!(verdict(Adjudication::default(), &lost), None);
    }
}
