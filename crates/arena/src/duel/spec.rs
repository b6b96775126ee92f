//! Who plays: a program and how to speak to it, or the engine built in.

use super::SideLimit;
use model::{ParameterSet, Protocol};
use std::path::PathBuf;
use std::time::Duration;

/// How a xiangqi program counts the ranks of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    /// As its name tells: Fairy-Stockfish under UCI from one, everybody else from zero.
    #[default]
    Usual,
    /// `a0` to `i9`.
    Zero,
    /// `a1` to `i10`.
    One,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// What is started: a path, or a name to be looked up as the system does.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it is started; `None`: here.
    pub folder: Option<PathBuf>,
    /// A command that is started in its place and is handed command and arguments as its own.
    pub launcher: Vec<PathBuf>,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// How it counts ranks.
    pub ranks: Ranks,
    /// Options by name, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Numbers by name, set after the options: of a check 0 and 1, of a combo the place of the choice.
    pub parameters: Vec<(String, f64)>,
    /// MiB of its table, if it has an option for that which `options` and `parameters` do not name.
    pub hash_mib: Option<u64>,
    /// Threads that it thinks with; as `hash_mib`.
    pub threads: Option<u32>,
    /// How long it may take from its start to its first `readyok`.
    pub start_within: Duration,
    /// How long a move may take where no limit of time is set.
    pub patience: Duration,
    /// Whether every game gets a process of its own.
    pub restart: bool,
}

impl Program {
    /// A program with everything else as usual.
    #[must_use]
    pub fn new(command: impl Into<PathBuf>, protocol: Protocol) -> Self {
        Self {
            command: command.into(),
            arguments: Vec::new(),
            folder: None,
            launcher: Vec::new(),
            protocol,
            ranks: Ranks::Usual,
            options: Vec::new(),
            parameters: Vec::new(),
            hash_mib: None,
            threads: None,
            start_within: Duration::from_secs(15),
            patience: Duration::from_secs(60),
            restart: false,
        }
    }
}

/// What stands behind a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Mind {
    /// A process of its own.
    Program(Program),
    /// The engine built in, in this process.
    Builtin {
        /// Values that differ from the engine's defaults.
        parameters: ParameterSet,
        /// MiB of its table.
        hash_mb: usize,
    },
}

/// One side of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its name in tables and records.
    pub name: String,
    /// Who thinks.
    pub mind: Mind,
    /// What it may spend.
    pub limit: SideLimit,
}
