//! How games are made: everything that a game depends on beside its number.

use model::{GameKind, Nodes, ParameterSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Most half-moves of a game that a recipe may allow.
pub(crate) const MOST_PLIES: u32 = 2_000;

/// Everything that a game depends on beside its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// What is played.
    pub game: GameKind,
    /// The bench signature of the engine that plays: another engine plays other games.
    pub engine: Nodes,
    /// Values of its constants that differ from the defaults.
    pub parameters: ParameterSet,
    /// SHA-256 of the network that it evaluates with, in hex; `None`: its own evaluation.
    pub network: Option<String>,
    /// SHA-256 of the book that the games begin from, in hex.
    pub book: String,
    /// For each move.
    pub nodes: Nodes,
    /// Of the table, in KiB.
    pub hash_kib: u32,
    /// Least and most half-moves played at random after the opening of the book.
    pub random_plies: [u32; 2],
    /// Games of so many half-moves are draws.
    pub max_plies: u32,
    /// When scores end a game.
    pub verdicts: Verdicts,
    /// Which positions are kept.
    pub filters: Filters,
    /// Of openings and random moves.
    pub seed: u64,
}

/// When scores begin and end a game; centipawns, half-moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdicts {
    /// An opening that the first search holds to be further from level is drawn anew.
    pub opening_score: i32,
    /// A side that is so far ahead, in the eyes of both, …
    pub won_score: i32,
    /// … for so many half-moves in a row has won.
    pub won_plies: u32,
    /// Scores so near to level, …
    pub drawn_score: i32,
    /// … for so many half-moves in a row, …
    pub drawn_plies: u32,
    /// … the last of them no earlier than this half-move, are a draw.
    pub drawn_from: u32,
}

impl Default for Verdicts {
    fn default() -> Self {
        Self {
            opening_score: 500,
            won_score: 2000,
            won_plies: 6,
            drawn_score: 10,
            drawn_plies: 24,
            drawn_from: 100,
        }
    }
}

/// Which positions of a game are kept. Beside these rules, a position that a shard has already is not
/// kept again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filters {
    /// Half-moves at the beginning of each game that are left out.
    pub skip_plies: u32,
    /// Positions whose score is further from level are left out, announced mates among them.
    pub max_score: i32,
    /// Whether positions in check, and those whose best move is noisy, are kept too.
    pub noisy: bool,
}

impl Default for Filters {
    fn default() -> Self {
        Self { skip_plies: 0, max_score: 2500, noisy: false }
    }
}

/// A value that a recipe cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}; allowed: {allowed}")]
pub struct RecipeError {
    /// The field.
    pub name: &'static str,
    /// What it is.
    pub found: String,
    /// What it may be.
    pub allowed: &'static str,
}

impl Recipe {
    /// Whether games can be made by it.
    ///
    /// # Errors
    /// The first field that no game can be made with.
    pub fn check(&self) -> Result<(), RecipeError> {
        let range = |name, found: i64, (low, high): (i64, i64), allowed| {
            if (low..=high).contains(&found) {
                return Ok(());
            }
            Err(RecipeError { name, found: found.to_string(), allowed })
        };
        let nodes = i64::try_from(self.nodes.0).unwrap_or(i64::MAX);
        range("nodes", nodes, (1, 1_000_000_000), "1 to 1000000000")?;
        range("hash_kib", self.hash_kib.into(), (0, 1 << 26), "0 to 67108864")?;
        let [least, most] = self.random_plies.map(i64::from);
        range("random_plies", most, (0, 100), "0 to 100")?;
        range("random_plies", least, (0, most), "the least no more than the most")?;
        range("max_plies", self.max_plies.into(), (1, MOST_PLIES.into()), "1 to 2000")?;
        let Verdicts { opening_score, won_score, won_plies, drawn_score, drawn_plies, .. } =
            self.verdicts;
        let centipawns = (1, 30_000);
        range("verdicts.opening_score", opening_score.into(), centipawns, "1 to 30000")?;
        range("verdicts.won_score", won_score.into(), centipawns, "1 to 30000")?;
        range("verdicts.won_plies", won_plies.into(), (1, 1000), "1 to 1000")?;
        range("verdicts.drawn_score", drawn_score.into(), (0, 30_000), "0 to 30000")?;
        range("verdicts.drawn_plies", drawn_plies.into(), (1, 1000), "1 to 1000")?;
        range("filters.max_score", self.filters.max_score.into(), centipawns, "1 to 30000")?;
        for (name, hash) in [("book", Some(&self.book)), ("network", self.network.as_ref())] {
            let Some(hash) = hash else { continue };
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if hash.len() != 64 || !hash.bytes().all(is_hex) {
                let found = format!("`{}`", model::printable(hash, 70));
                let allowed = "a SHA-256 as 64 digits of lower-case hex";
                return Err(RecipeError { name, found, allowed });
            }
        }
        engine::check_set(self.game, &self.parameters).map_err(|error| RecipeError {
            name: "parameters",
            found: error.to_string(),
            allowed: "constants of the engine in their ranges",
        })
    }

    /// SHA-256 of the recipe: of its JSON without blanks, in the order of the fields.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        // Every field is a number, a text or a map of them; none of the numbers can be NaN once checked,
        // and one that is becomes null.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).into()
    }
}
