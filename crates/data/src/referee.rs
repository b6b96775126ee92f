//! When a game of self-play is over, by rule or by scores, and which of its positions are kept: the same
//! for whoever plays it and for whoever checks it.

use crate::recipe::{Filters, Recipe};
use games::replay::{Ending, Winner, ending};
use model::Termination;

/// Watches one game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Referee<'a> {
    recipe: &'a Recipe,
    plies: u32,
    /// The sign of the first side's lead where it is decisive, and for how many half-moves.
    lead: (i32, u32),
    /// Half-moves with scores near to level.
    level: u32,
}

impl<'a> Referee<'a> {
    pub(crate) fn new(recipe: &'a Recipe) -> Self {
        Self { recipe, plies: 0, lead: (0, 0), level: 0 }
    }

    /// Counts a move that was made with this score, which is for the side that made it.
    pub(crate) fn count(&mut self, score: i32) {
        let verdicts = &self.recipe.verdicts;
        let first = if self.plies.is_multiple_of(2) { score } else { -score };
        let sign = if first.abs() < verdicts.won_score { 0 } else { first.signum() };
        self.lead = (sign, if sign == self.lead.0 { self.lead.1 + 1 } else { 1 });
        self.level = if first.abs() <= verdicts.drawn_score { self.level + 1 } else { 0 };
        self.plies += 1;
    }

    /// How the game ends here, if it does: by rule before anything else.
    pub(crate) fn ending<G: games::Game>(&self, position: &G) -> Option<Ending> {
        let by_rule = ending(position, u64::from(self.plies), u64::from(self.recipe.max_plies));
        let verdicts = &self.recipe.verdicts;
        let (sign, plies) = self.lead;
        let is_drawn = self.level >= verdicts.drawn_plies && self.plies >= verdicts.drawn_from;
        by_rule.or_else(|| {
            let winner = match sign {
                1 if plies >= verdicts.won_plies => Winner::First,
                -1 if plies >= verdicts.won_plies => Winner::Second,
                _ if is_drawn => Winner::Nobody,
                _ => return None,
            };
            Some(Ending { winner, reason: Termination::Adjudication })
        })
    }

    /// Whether the position before this move is kept, the search having given it this score.
    pub(crate) fn keeps<G: games::Game>(&self, position: &G, mv: G::Move, score: i32) -> bool {
        let Filters { skip_plies, max_score, noisy } = self.recipe.filters;
        self.plies >= skip_plies
            && score.abs() <= max_score
            && (noisy || !position.in_check() && !position.is_noisy(mv))
    }
}
