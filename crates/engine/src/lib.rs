//! Search over any game, with every constant of it open to tuning.
//!
//! [`Searcher`] plays a [`SearchGame`]: iterative deepening, principal variation search, quiescence.
//! [`Tunables`] lists the constants of the selective rules; [`SearchParams`] is one set of them made
//! ready, and travels by reference, so that two sets play each other in one process. With one
//! thread, and node and depth limits alone, a search is deterministic on every machine. No I/O, no clock, no randomness.

pub mod bench;
mod chess;
pub mod classic;
mod exchange;
mod history;
mod limits;
pub mod mate;
pub mod othello;
mod params;
mod picker;
pub mod protocol;
mod search;
mod searchable;
mod shogi;
mod table;
pub mod taper;
pub mod techniques;
mod tictactoe;
mod time;
mod trace;
pub mod tunables;
mod value;
mod xiangqi;

pub use chess::{ChessEval, ChessTables, ChessWeights};
pub use history::HistoryTunables;
pub use limits::{Limits, StopSignal, TimeSource};
pub use params::{
    EvalTables, NetworkError, SearchParams, Weights, check_set, definition, definitions,
};
pub use search::{
    Aspiration, Extension, Lmr, MAX_DEPTH, MAX_THREADS, Pruning, Question, QuiescenceTunables,
    Report, SearchResult, Searcher,
};
pub use searchable::{Ending, Evaluate, Forecast, SearchGame, Structure, Term};
pub use shogi::{ShogiEval, ShogiTables, ShogiWeights};
pub use tictactoe::TicTacToeEval;
pub use time::{ClockState, TimePlan, TimeTunables};
pub use tunables::{Declared, Group, TunableDef, TunableError, Tunables};
pub use value::{MATE, MATE_BOUND, MAX_PLY, mate_distance};
pub use xiangqi::{XiangqiEval, XiangqiTables, XiangqiWeights};
