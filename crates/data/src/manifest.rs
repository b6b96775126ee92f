//! What a folder of shards holds: the recipe, and each shard with its counts.

use crate::recipe::{Recipe, RecipeError};
use crate::shard::Shard;
use games::replay::Winner;
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// What some games amount to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Half-moves.
    pub plies: u64,
    /// Positions that are kept.
    pub positions: u64,
    /// Games won by the side that moved first from the opening.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by it.
    pub losses: u64,
}

impl Counts {
    /// The counts of a shard.
    #[must_use]
    pub fn of(shard: &Shard) -> Self {
        let mut counts = Self::default();
        for game in &shard.games {
            counts.games += 1;
            counts.plies += game.plies();
            counts.positions += game.positions();
            match game.ending.winner {
                Winner::First => counts.wins += 1,
                Winner::Second => counts.losses += 1,
                Winner::Nobody => counts.draws += 1,
            }
        }
        counts
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.positions += other.positions;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// A shard of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardEntry {
    /// SHA-256 of the file, in lower-case hex; its name with the ending `.shard`.
    pub sha256: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The number of its first game.
    pub first: u64,
    /// What its games amount to.
    pub counts: Counts,
}

/// What a folder holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this form.
    pub version: u32,
    /// How the games were made.
    pub recipe: Recipe,
    /// The shards, in the order of their games, without a gap from game 0 on.
    pub shards: Vec<ShardEntry>,
}

/// A manifest that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ManifestError {
    /// Not of the form.
    #[error("{0}")]
    Form(String),
    /// From a later program.
    #[error("version {found} of the form of manifests; this program reads version {VERSION}")]
    Version {
        /// What it says.
        found: u32,
    },
    /// The recipe cannot be followed.
    #[error("recipe: {0}")]
    Recipe(#[from] RecipeError),
    /// Shards do not follow each other.
    #[error("shard {place} begins with game {found}; game {due} is due")]
    Gap {
        /// Which, from 1.
        place: usize,
        /// The first game that it names.
        found: u64,
        /// The one that follows the shard before.
        due: u64,
    },
    /// A name that is no hash.
    #[error("shard {place}: `{found}` is no SHA-256 in lower-case hex")]
    Name {
        /// Which, from 1.
        place: usize,
        /// What stands there, made printable.
        found: String,
    },
}

impl Manifest {
    /// One without shards.
    #[must_use]
    pub fn new(recipe: Recipe) -> Self {
        Self { version: VERSION, recipe, shards: Vec::new() }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, ManifestError> {
        let form = |error: serde_json::Error| ManifestError::Form(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(form)?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if let Some(found) = version.filter(|found| *found != u64::from(VERSION)) {
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            return Err(ManifestError::Version { found });
        }
        let manifest: Self = serde_json::from_str(text).map_err(form)?;
        manifest.recipe.check()?;
        let mut due = 0;
        for (place, shard) in (1..).zip(&manifest.shards) {
            if shard.first != due {
                return Err(ManifestError::Gap { place, found: shard.first, due });
            }
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if shard.sha256.len() != 64 || !shard.sha256.bytes().all(is_hex) {
                let found = model::printable(&shard.sha256, 70);
                return Err(ManifestError::Name { place, found });
            }
            due = due.saturating_add(shard.counts.games);
        }
        Ok(manifest)
    }

    /// The text of a file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Games of all shards: the number of the next one.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.shards.iter().map(|shard| shard.counts.games).sum()
    }

    /// What all games amount to.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.shards.iter().for_each(|shard| counts += shard.counts);
        counts
    }
}
