//! Which games the cluster plays.

use crate::Nodes;
use serde::{Deserialize, Serialize};

/// A game of the cluster, by the name that the command line, files and the wire use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameKind {
    /// Chinese chess.
    Xiangqi,
    /// Chess, Chess960 included.
    Chess,
    /// Japanese chess.
    Shogi,
    /// Othello on 64 squares.
    Othello,
    /// Three in a row on nine squares: the smallest instance, for tests and exhaustive truth.
    TicTacToe,
}

impl GameKind {
    /// Nodes of the fixed benchmark of the engine built in (`elomill bench`), in this version: the
    /// fingerprint of its behaviour. Workers that count otherwise would play other games. A change of
    /// the search changes these numbers; `engine::bench` has the test that says so.
    #[must_use]
    pub fn bench_signature(self) -> Nodes {
        Nodes(match self {
            GameKind::Xiangqi => 155_103,
            GameKind::Chess => 117_789,
            GameKind::Shogi => 110_194,
            GameKind::Othello => 84_890,
            GameKind::TicTacToe => 10_235,
        })
    }

    /// Every game, in the order in which lists show them.
    pub const ALL: [GameKind; 5] = [
        GameKind::Xiangqi,
        GameKind::Chess,
        GameKind::Shogi,
        GameKind::Othello,
        GameKind::TicTacToe,
    ];

    /// The stable name: `xiangqi`, `chess`, `shogi`, `othello`, `tictactoe`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GameKind::Xiangqi => "xiangqi",
            GameKind::Chess => "chess",
            GameKind::Shogi => "shogi",
            GameKind::Othello => "othello",
            GameKind::TicTacToe => "tictactoe",
        }
    }
}

impl std::fmt::Display for GameKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for GameKind {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        GameKind::ALL
            .into_iter()
            .find(|game| game.name() == text)
            .ok_or_else(|| UnknownGame { found: crate::printable(text, 40) })
    }
}

/// A name that is no game of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown game `{found}`; allowed: xiangqi, chess, shogi, othello, tictactoe")]
pub struct UnknownGame {
    /// What was given, made printable.
    pub found: String,
}
