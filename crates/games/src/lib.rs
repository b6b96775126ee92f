//! The rules of games, and nothing else: no search, no I/O.
//!
//! [`Game`] is a position with its history: it generates moves, makes and unmakes them, keeps an
//! incremental hash, reads and writes the game's text notations and says when and why a game is over
//! by rule; [`replay`] judges the games of strangers, [`movecode`] keeps their moves small, and
//! [`record`] writes pairs of the ledger for other programs. Instances: [`xiangqi`], [`chess`], [`shogi`], [`othello`] and [`tictactoe`].

pub mod chess;
mod count;
mod dispatch;
pub mod epd;
mod error;
mod game;
pub mod movecode;
mod movetext;
pub mod othello;
pub mod pgn;
pub mod record;
pub mod replay;
pub mod shogi;
mod splitmix;
mod symmetry;
pub mod tictactoe;
pub mod xiangqi;

pub use count::{Leaves, count_leaves};
pub use error::{FenError, MoveError};
pub use game::{Game, MoveKind, MoveList, Repetition, RuleResult, RuleWinner, perft};
pub use movetext::MoveText;
pub use symmetry::Symmetry;
