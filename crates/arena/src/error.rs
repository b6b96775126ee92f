//! Why a pair cannot be played.

use engine::TunableError;
use games::FenError;
use model::Termination;

/// A pair that cannot be played to its end; the fault is in the order or in a player.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArenaError {
    /// The opening is no position of the game.
    #[error("opening `{found}` is no position: {source}")]
    OpeningUnreadable {
        /// What was given, made printable.
        found: String,
        /// Which part of it.
        #[source]
        source: FenError,
    },
    /// Nothing is left to play.
    #[error("opening `{found}` is over by rule ({})", reason.name())]
    OpeningOver {
        /// What was given, made printable.
        found: String,
        /// Why it is over.
        reason: Termination,
    },
    /// The engine does not take the values of one side.
    #[error("parameters of the {side}: {source}")]
    Parameters {
        /// `candidate` or `base`.
        side: &'static str,
        /// Which of them.
        #[source]
        source: TunableError,
    },
    /// A player chose what the rules forbid.
    #[error("half-move {ply}: {found} is not legal in `{position}`")]
    IllegalMove {
        /// Half-moves made before it.
        ply: u64,
        /// The move as the player gave it.
        found: String,
        /// Where it was chosen.
        position: String,
    },
    /// A player chose nothing although moves are left.
    #[error("half-move {ply}: no move chosen in `{position}`")]
    NoMove {
        /// Half-moves made before it.
        ply: u64,
        /// Where it should have moved.
        position: String,
    },
}
