//! Whether the games of a shard are what they are said to be: by the rules and the recipe at the cost of
//! reading them, and for single games by playing them again.

use crate::game::{Game, Played};
use crate::generate::{Generator, GeneratorError};
use crate::manifest::Counts;
use crate::recipe::Recipe;
use crate::referee::Referee;
use crate::shard::Shard;
use crate::walk::{WalkError, moves};
use games::for_game;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

/// Why a shard is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AuditError {
    /// It says that it is of another recipe.
    #[error("the shard is of another recipe than the manifest")]
    Recipe,
    /// A game cannot be read.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A game says of itself what is not so.
    #[error("game {index}: {breach}")]
    Game {
        /// Its number.
        index: u64,
        /// What is not so.
        breach: Breach,
    },
    /// A game cannot be played again.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

/// What is not so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Moves follow its end.
    #[error("it goes on after its end")]
    GoesOn,
    /// It stops before its end.
    #[error("it stops where neither the rules nor the recipe end it")]
    Unfinished,
    /// It ends otherwise than it says.
    #[error("it ends otherwise than it says")]
    Ending,
    /// It begins further from level than the recipe allows.
    #[error("its opening is further from level than the recipe allows")]
    Opening,
    /// Other positions are to be kept.
    #[error("the positions that it keeps are not those that the recipe keeps")]
    Kept,
    /// More nodes than a move may have.
    #[error("a move has more nodes than the recipe allows")]
    Nodes,
    /// Played again it is another game.
    #[error("played again it is another game")]
    Differs,
}

/// Compares every game with rules and recipe, without a search.
///
/// # Errors
/// The first thing that is not so.
pub fn audit(recipe: &Recipe, shard: &Shard) -> Result<Counts, AuditError> {
    if shard.recipe != recipe.hash() || shard.kind != recipe.game {
        return Err(AuditError::Recipe);
    }
    let mut seen = HashSet::new();
    for game in &shard.games {
        for_game!(recipe.game, G => audit_game::<G>(recipe, game, &mut seen))?;
    }
    Ok(Counts::of(shard))
}

fn audit_game<G: games::Game>(
    recipe: &Recipe,
    game: &Game,
    seen: &mut HashSet<u64>,
) -> Result<(), AuditError> {
    let index = game.index;
    let breach = |breach| Err(AuditError::Game { index, breach });
    let (mut position, moves) = moves::<G>(game)?;
    let mut referee = Referee::new(recipe);
    for ((&mv, eval), &kept) in moves.iter().zip(&game.evals).zip(&game.kept) {
        if referee.ending(&position).is_some() {
            return breach(Breach::GoesOn);
        }
        if eval.nodes > recipe.nodes {
            return breach(Breach::Nodes);
        }
        let score = eval.score.0;
        let keeps = referee.keeps(&position, mv, score) && seen.insert(position.hash());
        if keeps != kept {
            return breach(Breach::Kept);
        }
        referee.count(score);
        position.make(mv);
    }
    let first = game.evals.first().map_or(0, |eval| eval.score.0);
    if first.saturating_abs() > recipe.verdicts.opening_score {
        return breach(Breach::Opening);
    }
    match referee.ending(&position) {
        None => breach(Breach::Unfinished),
        Some(ending) if ending != game.ending => breach(Breach::Ending),
        Some(_) => Ok(()),
    }
}

/// Plays one game again and compares everything but which positions are kept, on which other games of
/// the shard have a say; `false` when `stop` came first.
///
/// # Errors
/// It is another game, or cannot be played.
pub fn play_again(
    generator: &mut Generator,
    game: &Game,
    stop: &AtomicBool,
) -> Result<bool, AuditError> {
    let Some(Played { game: mut played, .. }) = generator.play(game.index, stop)? else {
        return Ok(false);
    };
    played.kept.clone_from(&game.kept);
    if played == *game {
        return Ok(true);
    }
    Err(AuditError::Game { index: game.index, breach: Breach::Differs })
}
