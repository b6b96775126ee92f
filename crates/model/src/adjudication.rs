//! Ends games early by the scores that the players give. Pure, and off unless it is asked for.
//!
//! A draw: from move `move_number` on, counted from the opening, the last `2 · move_count` half-moves
//! all had exact scores within ± `score`. A resignation: the last `move_count` moves of one side had
//! exact scores of at most −`score`; two-sided, the other side's of at least `score` as well. A move
//! without an exact score begins the count anew. Rules of the game and the limit of length come first.

use crate::{Finding, GameKind, Score};
use serde::{Deserialize, Serialize};

/// The most moves that a rule may count.
pub const MOST_COUNTED: u32 = 1_000;

/// The largest score that a rule may name, in centipawns; beyond it are mates.
pub const MOST_SCORE: i32 = 30_000;

/// Men on the board of the smallest tables of endings that there are, and of the largest.
const MEN: (i64, i64) = (3, 7);

/// When a game counts as drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Moves of each side before which no game is drawn.
    pub move_number: u32,
    /// Moves of each side in a row; at least 1.
    pub move_count: u32,
    /// Centipawns.
    pub score: i32,
}

/// When a game counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// Moves in a row; at least 1.
    pub move_count: u32,
    /// Centipawns; at least 1.
    pub score: i32,
    /// Whether the winner must agree.
    pub two_sided: bool,
}

/// What ends games early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Draws.
    #[serde(default)]
    pub draw: Option<DrawRule>,
    /// Losses.
    #[serde(default)]
    pub resign: Option<ResignRule>,
    /// Men on the board up to which tables of endings decide, without rights to castle; chess alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<u32>,
}

/// A game that is over by score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreVerdict {
    /// Neither has won.
    Draw,
    /// Who made the first move from the opening has won.
    FirstWins,
    /// Who made the second has won.
    SecondWins,
}

impl Adjudication {
    /// Every game is played to its end.
    pub const OFF: Self = Self { draw: None, resign: None, tablebases: None };

    /// Whether games end by the scores of their moves.
    #[must_use]
    pub fn is_by_score(&self) -> bool {
        self.draw.is_some() || self.resign.is_some()
    }

    /// Whether every game is played to its end.
    #[must_use]
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }

    /// Whether these scores, one for each half-move from the opening and each from the view of who
    /// moved, allow the verdict after the last of them. What had no score stands as 0, so that of a
    /// draw this is what must be, not all that must be.
    #[must_use]
    pub fn allows(&self, verdict: ScoreVerdict, scores: &[Score]) -> bool {
        let last_of = |place: usize, count: u32, holds: &dyn Fn(i32) -> bool| {
            let of_side: Vec<i32> =
                scores.iter().skip(place).step_by(2).map(|score| score.0).collect();
            let count = count as usize;
            of_side.len() >= count && of_side[of_side.len() - count..].iter().all(|s| holds(*s))
        };
        let plies = scores.len();
        let lost_by = |loser: usize| {
            self.resign.is_some_and(|ResignRule { move_count, score, two_sided }| {
                // Of one side alone the count grows, and the game ends, with its own moves.
                let moved_last = plies % 2 != loser;
                (moved_last || two_sided)
                    && last_of(loser, move_count, &|s| s <= -score)
                    && (!two_sided || last_of(1 - loser, move_count, &|s| s >= score))
            })
        };
        match verdict {
            ScoreVerdict::FirstWins => lost_by(1),
            ScoreVerdict::SecondWins => lost_by(0),
            ScoreVerdict::Draw => {
                self.draw.is_some_and(|DrawRule { move_number, move_count, score }| {
                    let count = 2 * move_count as usize;
                    plies >= (2 * move_number as usize).max(count)
                        && scores[plies - count..].iter().all(|s| is_level(s.0, score))
                })
            }
        }
    }

    /// Adds what is wrong with the numbers, and with tables of another game.
    pub fn check(&self, game: GameKind, findings: &mut Vec<Finding>) {
        let mut number = |place: &str, found: i64, least: i64, most: i64| {
            if !(least..=most).contains(&found) {
                findings.push(Finding::new(
                    format!("adjudication.{place}"),
                    found.to_string(),
                    format!("{least} to {most}"),
                    "choose a value in this range",
                ));
            }
        };
        let (most, most_score) = (i64::from(MOST_COUNTED), i64::from(MOST_SCORE));
        if let Some(DrawRule { move_number, move_count, score }) = self.draw {
            number("draw.movenumber", move_number.into(), 0, most);
            number("draw.movecount", move_count.into(), 1, most);
            number("draw.score", score.into(), 0, most_score);
        }
        if let Some(ResignRule { move_count, score, two_sided: _ }) = self.resign {
            number("resign.movecount", move_count.into(), 1, most);
            number("resign.score", score.into(), 1, most_score);
        }
        if let Some(men) = self.tablebases {
            number("tablebases", men.into(), MEN.0, MEN.1);
            if game != GameKind::Chess {
                findings.push(Finding::new(
                    "adjudication.tablebases",
                    format!("tables in a run of {game}"),
                    "tables in runs of chess",
                    "remove it: there are none of this game",
                ));
            }
        }
    }
}

/// `draw 8 moves within 10 from move 40, loss 3 moves at -400 (both agree), tables of 5 men`.
impl std::fmt::Display for Adjudication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let draw = self.draw.map(|DrawRule { move_number, move_count, score }| {
            format!("draw {move_count} moves within {score} from move {move_number}")
        });
        let resign = self.resign.map(|ResignRule { move_count, score, two_sided }| {
            let agreed = if two_sided { " (both agree)" } else { "" };
            format!("loss {move_count} moves at -{score}{agreed}")
        });
        let tables = self.tablebases.map(|men| format!("tables of {men} men"));
        let parts: Vec<String> = [draw, resign, tables].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// Any number may come from outside, the smallest as well.
fn is_level(found: i32, most: i32) -> bool {
    found.unsigned_abs() <= most.unsigned_abs()
}

/// The counts of one game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    level: u32,
    losing: [u32; 2],
    winning: [u32; 2],
}

impl Adjudicator {
    /// A game that is about to begin.
    #[must_use]
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Counts the next half-move with the exact score that its side gave it, if it did.
    pub fn count(&mut self, score: Option<Score>) -> Option<ScoreVerdict> {
        let side = (self.plies % 2) as usize;
        self.plies += 1;
        let score = score.map(|score| score.0);
        let longer = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
        let won = |side: usize| match side {
            0 => ScoreVerdict::FirstWins,
            _ => ScoreVerdict::SecondWins,
        };
        if let Some(rule) = self.rules.resign {
            self.losing[side] = longer(self.losing[side], score.is_some_and(|s| s <= -rule.score));
            self.winning[side] = longer(self.winning[side], score.is_some_and(|s| s >= rule.score));
            let other = 1 - side;
            let agreed = |count: u32| !rule.two_sided || count >= rule.move_count;
            if self.losing[side] >= rule.move_count && agreed(self.winning[other]) {
                return Some(won(other));
            }
            if rule.two_sided
                && self.winning[side] >= rule.move_count
                && self.losing[other] >= rule.move_count
            {
                return Some(won(side));
            }
        }
        if let Some(rule) = self.rules.draw {
            self.level = longer(self.level, score.is_some_and(|s| is_level(s, rule.score)));
            let is_late = self.plies >= rule.move_number.saturating_mul(2);
            if is_late && self.level >= rule.move_count.saturating_mul(2) {
                return Some(ScoreVerdict::Draw);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on a game of these scores, and after how many half-moves it came. Every verdict is
    /// one that the scores allow, and none of the others is.
    fn verdict(rules: Adjudication, scores: &[Option<i32>]) -> Option<(usize, ScoreVerdict)> {
        use ScoreVerdict::{Draw, FirstWins, SecondWins};
        let mut adjudicator = Adjudicator::new(rules);
        let found = (1..)
            .zip(scores)
            .find_map(|(ply, score)| Some((ply, adjudicator.count(score.map(Score))?)));
        if let Some((plies, verdict)) = found {
            let told: Vec<Score> =
                scores[..plies].iter().map(|score| Score(score.unwrap_or(0))).collect();
            for other in [Draw, FirstWins, SecondWins] {
                assert_eq!(rules.allows(other, &told), other == verdict, "{other:?} of {told:?}");
            }
            assert!(!rules.allows(verdict, &told[..plies - 1]), "{told:?}");
        }
        found
    }

    #[test]
    fn a_draw_needs_level_scores_of_both_in_a_row_and_late() {
        let rule = DrawRule { move_number: 3, move_count: 2, score: 10 };
        let rules = Adjudication { draw: Some(rule), ..Adjudication::OFF };
        let s = Some;
        for (scores, expected) in [
            (vec![s(0); 8], Some((6, ScoreVerdict::Draw))),
            (
                vec![s(50), s(0), s(0), s(0), s(11), s(-10), s(10), s(3), s(1)],
                Some((9, ScoreVerdict::Draw)),
            ),
            (vec![s(0), s(0), s(0), None, s(0), s(0), s(0)], None),
        ] {
            assert_eq!(verdict(rules, &scores), expected);
        }
    }

    #[test]
    fn a_loss_needs_bad_scores_of_one_side_in_a_row() {
        let rule = ResignRule { move_count: 2, score: 400, two_sided: false };
        let one = Adjudication { resign: Some(rule), ..Adjudication::OFF };
        let both = ResignRule { two_sided: true, ..rule };
        let two = Adjudication { resign: Some(both), ..Adjudication::OFF };
        let s = Some;
        let lost = vec![s(-400), s(0), s(-500), s(0), s(0), s(0)];
        assert_eq!(verdict(one, &lost), Some((3, ScoreVerdict::SecondWins)));
        assert_eq!(verdict(two, &lost), None);
        let agreed = vec![s(-400), s(0), s(-500), s(400), s(-400), s(900)];
        assert_eq!(verdict(two, &agreed), Some((6, ScoreVerdict::SecondWins)));
        let second = vec![s(0), s(-400), s(9), s(-400)];
        assert_eq!(verdict(one, &second), Some((4, ScoreVerdict::FirstWins)));
        let broken = vec![s(-400), s(0), None, s(0), s(-400), s(0), s(-399), s(0)];
        assert_eq!(verdict(one, &broken), None);
        assert_eq!(verdict(Adjudication::default(), &lost), None);
    }

    #[test]
    fn numbers_that_would_end_every_game_at_once_are_found() {
        let draw = DrawRule { move_number: 2000, move_count: 0, score: -1 };
        let resign = ResignRule { move_count: 0, score: 0, two_sided: true };
        let mut findings = Vec::new();
        let bad = Adjudication { draw: Some(draw), resign: Some(resign), tablebases: Some(8) };
        bad.check(GameKind::Shogi, &mut findings);
        let places: Vec<&str> = findings.iter().map(|f| f.place.as_str()).collect();
        assert_eq!(
            places,
            [
                "adjudication.draw.movenumber",
                "adjudication.draw.movecount",
                "adjudication.draw.score",
                "adjudication.resign.movecount",
                "adjudication.resign.score",
                "adjudication.tablebases",
                "adjudication.tablebases"
            ]
        );
        let draw = DrawRule { move_number: 40, move_count: 8, score: 10 };
        let resign = ResignRule { move_count: 3, score: 400, two_sided: true };
        let good = Adjudication { draw: Some(draw), resign: Some(resign), tablebases: Some(5) };
        let mut findings = Vec::new();
        good.check(GameKind::Chess, &mut findings);
        assert_eq!(findings, []);
        assert_eq!(
            good.to_string(),
            "draw 8 moves within 10 from move 40, loss 3 moves at -400 (both agree), tables of 5 men"
        );
    }
}
