//! Units as types, so that pairs are never added to games, nor nodes to plies.

use serde::{Deserialize, Serialize};

macro_rules! count {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
            Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                Self(iter.map(|x| x.0).sum())
            }
        }
    };
}

count!(
    /// Single games.
    Games
);
count!(
    /// Game pairs: two games from one opening with the sides swapped.
    Pairs
);
count!(
    /// Positions of an opening book.
    Openings
);
count!(
    /// Nodes that a search has visited, or may visit.
    Nodes
);
count!(
    /// Half-moves.
    Ply
);

impl Pairs {
    /// The games of these pairs: two for each.
    #[must_use]
    pub fn games(self) -> Games {
        Games(2 * self.0)
    }
}

/// Strength on the logistic scale: `score = 1 / (1 + 10^(-elo/400))`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Elo(pub f64);

/// Strength in units of the standard deviation of one game, times `800 / ln 10`; its confidence
/// interval depends on the number of games alone (M. Van den Bergh, "Normalized Elo", 2020).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NormalizedElo(pub f64);

/// The value of a position in centipawns from the view of the side to move; mates lie beyond
/// `±(MATE - MAX_PLY)` of the engine.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Score(pub i32);
