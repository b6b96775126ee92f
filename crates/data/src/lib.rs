//! Games of the engine against itself, and the positions that a network learns from.
//!
//! A [`Recipe`] says how games are made. A [`Generator`] plays the game of a number, which is a function
//! of recipe and number alone, so that anybody can play it again. A [`Shard`] holds a range of games in
//! few bytes and is known by the SHA-256 of them; a [`Manifest`] lists the shards of a recipe.
//! [`audit`] compares a shard with the rules and the recipe. Positions are never stored: they are
//! walked to ([`positions`]). No I/O, no clock, no threads.

mod audit;
mod bytes;
mod game;
mod generate;
mod manifest;
mod recipe;
mod referee;
mod shard;
mod walk;

#[cfg(test)]
mod tests;

pub use audit::{AuditError, Breach, audit, play_again};
pub use game::{Game, Played};
pub use generate::{Generator, GeneratorError};
pub use manifest::{Counts, Manifest, ManifestError, ShardEntry};
pub use recipe::{Filters, Recipe, RecipeError, Verdicts};
pub use shard::{MOST_GAMES, Shard, ShardError};
pub use walk::{Position, WalkError, positions};
