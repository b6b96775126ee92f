//! The five-way score of game pairs.

use crate::{PairOutcome, Pairs, Wdl};
use serde::{Deserialize, Serialize};

/// Counts of pairs by their score: `[LL, LD, LW+DD, DW, WW]` from the candidate's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// All pairs.
    #[must_use]
    pub fn pairs(&self) -> Pairs {
        Pairs(self.0.iter().sum())
    }

    /// Points of the candidate minus points of the base over all games, in whole points: each pair
    /// counts −2 … +2. Equals wins − losses of the games.
    #[must_use]
    pub fn balance(&self) -> i64 {
        let signed = |cell: usize| i64::try_from(self.0[cell]).unwrap_or(i64::MAX);
        2 * (signed(4) - signed(0)) + signed(3) - signed(1)
    }

    /// Counts one pair.
    pub fn add(&mut self, outcome: PairOutcome) {
        self.0[outcome.cell()] += 1;
    }
}

impl std::ops::AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// Pairs and games counted together, so that they cannot part.
///
/// The pentanomial alone does not tell wins from draws (LW and DD share a cell), hence both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tally {
    /// By pair.
    pub pentanomial: Pentanomial,
    /// By game.
    pub wdl: Wdl,
}

impl Tally {
    /// Counts one pair and its two games.
    pub fn add(&mut self, outcome: PairOutcome) {
        self.pentanomial.add(outcome);
        self.wdl.add(outcome.first);
        self.wdl.add(outcome.second);
    }

    /// The pairs counted.
    #[must_use]
    pub fn pairs(&self) -> Pairs {
        self.pentanomial.pairs()
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pentanomial += other.pentanomial;
        self.wdl.wins += other.wdl.wins;
        self.wdl.draws += other.wdl.draws;
        self.wdl.losses += other.wdl.losses;
    }
}

impl FromIterator<PairOutcome> for Tally {
    fn from_iter<I: IntoIterator<Item = PairOutcome>>(outcomes: I) -> Self {
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.add(outcome);
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameScore::{Draw, Loss, Win};

    #[test]
    fn a_pair_of_one_win_and_one_loss_shares_the_middle_with_two_draws() {
        let tally: Tally = [
            PairOutcome { first: Win, second: Loss },
            PairOutcome { first: Draw, second: Draw },
            PairOutcome { first: Win, second: Win },
            PairOutcome { first: Loss, second: Draw },
        ]
        .into_iter()
        .collect();
        assert_eq!(tally.pentanomial, Pentanomial([0, 1, 2, 0, 1]));
        assert_eq!(tally.wdl, Wdl { wins: 3, draws: 3, losses: 2 });
        assert_eq!(tally.pentanomial.balance(), 1);
        assert_eq!(tally.pairs().games().0, 8);
    }
}
