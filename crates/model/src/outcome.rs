//! How a game and a pair end, from the candidate's view.
//!
//! The *candidate* is the first of the two parameter sets of a lease (`plus` in a tune), the *base*
//! the second.

use serde::{Deserialize, Serialize};

/// The result of one game from the candidate's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameScore {
    /// The candidate lost.
    Loss,
    /// Neither won.
    Draw,
    /// The candidate won.
    Win,
}

impl GameScore {
    /// Half-points: 0, 1, 2.
    #[must_use]
    pub fn half_points(self) -> u8 {
        match self {
            GameScore::Loss => 0,
            GameScore::Draw => 1,
            GameScore::Win => 2,
        }
    }

    /// `loss`, `draw` or `win`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GameScore::Loss => "loss",
            GameScore::Draw => "draw",
            GameScore::Win => "win",
        }
    }

    /// The score for these half-points, if they are 0, 1 or 2.
    #[must_use]
    pub fn from_half_points(half_points: i32) -> Option<Self> {
        match half_points {
            0 => Some(GameScore::Loss),
            1 => Some(GameScore::Draw),
            2 => Some(GameScore::Win),
            _ => None,
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// The side to move is mated, or has no move in a game where that loses.
    NoMove,
    /// The side to move has no move and is not in check, in a game where that is a draw.
    Stalemate,
    /// The position came back often enough.
    Repetition,
    /// One side gave check with every move of a repetition, and loses by it.
    PerpetualCheck,
    /// One side chased the same piece with every move of a repetition, and loses by it.
    PerpetualChase,
    /// Too many moves without progress.
    MoveLimit,
    /// Neither side can win any more.
    DeadPosition,
    /// A rule of the game that decides by the board: a line of three, a full board.
    Board,
    /// The side to move declares a win by impasse (shogi).
    Impasse,
    /// The arena's own length limit; counts as a draw.
    PlyLimit,
    /// The loser's move came after its time was up.
    TimeForfeit,
    /// The loser gave no move at all, not even when it was told to stop.
    Stall,
    /// The loser's process ended or closed its pipes.
    Disconnect,
    /// The loser answered with what is no legal move, or claimed what the rules do not give it.
    IllegalMove,
    /// The loser gave up.
    Resignation,
    /// The arena ended the game by the scores that the players gave.
    Adjudication,
    /// The arena ended the game by a table of endings.
    Tablebase,
}

impl Termination {
    /// Every reason with its stable name.
    pub const ALL: [(Termination, &'static str); 17] = [
        (Termination::NoMove, "no_move"),
        (Termination::Stalemate, "stalemate"),
        (Termination::Repetition, "repetition"),
        (Termination::PerpetualCheck, "perpetual_check"),
        (Termination::PerpetualChase, "perpetual_chase"),
        (Termination::MoveLimit, "move_limit"),
        (Termination::DeadPosition, "dead_position"),
        (Termination::Board, "board"),
        (Termination::Impasse, "impasse"),
        (Termination::PlyLimit, "ply_limit"),
        (Termination::TimeForfeit, "time_forfeit"),
        (Termination::Stall, "stall"),
        (Termination::Disconnect, "disconnect"),
        (Termination::IllegalMove, "illegal_move"),
        (Termination::Resignation, "resignation"),
        (Termination::Adjudication, "adjudication"),
        (Termination::Tablebase, "tablebase"),
    ];

    /// The stable name used in the ledger and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        Termination::ALL.into_iter().find(|(t, _)| *t == self).map_or("", |(_, name)| name)
    }

    /// The reason of this stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Termination::ALL.into_iter().find(|(_, n)| *n == name).map(|(t, _)| t)
    }
}

/// Both games of one pair: first the one in which the candidate moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PairOutcome {
    /// The candidate made the first move.
    pub first: GameScore,
    /// The base made the first move.
    pub second: GameScore,
}

impl PairOutcome {
    /// The cell of the pentanomial: 0 = LL … 4 = WW.
    #[must_use]
    pub fn cell(self) -> usize {
        usize::from(self.first.half_points() + self.second.half_points())
    }
}

/// Games won, drawn and lost by the candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wdl {
    /// Won by the candidate.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the candidate.
    pub losses: u64,
}

impl Wdl {
    /// Counts one game.
    pub fn add(&mut self, score: GameScore) {
        match score {
            GameScore::Loss => self.losses += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Win => self.wins += 1,
        }
    }
}
