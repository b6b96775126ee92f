//! `cargo xtask book`: opening books, made and tried with this project's own rules and engine.
//!
//! The engine is asked with node limits alone and every candidate draws from a stream of its own, so
//! that a book is a pure function of the words of its command and of the engine, on every machine
//! and with any number of threads.

mod balanced;
mod tictactoe;
mod trial;
mod walk;

use anyhow::Context;
use clap::Args;
use games::{chess::Chess, othello::Othello, shogi::Shogi, xiangqi::Xiangqi};
use model::GameKind;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The words after `cargo xtask book`.
#[derive(Args, Debug)]
pub(crate) struct Command {
    /// The game: xiangqi, chess, shogi, othello or tictactoe
    #[arg(long)]
    game: GameKind,
    /// Half-moves from the start, the least and the most
    #[arg(long, default_value = "4..8")]
    plies: walk::PlyRange,
    /// Positions to make
    #[arg(long, default_value_t = 3000)]
    count: usize,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes of the search that judges a position
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
    /// A position is balanced if that search sees at most so many centipawns for either side
    #[arg(long, default_value_t = 40)]
    window: i32,
    /// Threads; all cores if left out. The book is the same with any number
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Where to write; `books/GAME.epd` if left out
    #[arg(long)]
    out: Option<PathBuf>,
    /// Make nothing: play from so many openings of the book, spread evenly, and report the balance
    #[arg(long, value_name = "OPENINGS")]
    check: Option<usize>,
    /// Nodes for each move of `--check`
    #[arg(long, default_value_t = 1000)]
    check_nodes: u64,
}

impl Command {
    /// Makes or tries a book.
    ///
    /// # Errors
    /// A word makes no sense, too few positions pass, or the file cannot be read or written.
    pub(crate) fn run(&self, root: &Path) -> anyhow::Result<ExitCode> {
        let folder_file = || root.join("books").join(format!("{}.epd", self.game));
        let path = self.out.clone().unwrap_or_else(folder_file);
        let threads = self.threads.map_or_else(crate::parallel::cores, NonZeroUsize::get);
        if let Some(openings) = self.check {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let trial = trial::Trial { openings, nodes: self.check_nodes, threads };
            println!("{}", trial::run(self.game, &text, &trial)?);
            return Ok(ExitCode::SUCCESS);
        }
        let rules = balanced::Rules {
            plies: self.plies,
            count: self.count,
            seed: self.seed,
            nodes: self.nodes,
            window: self.window,
        };
        let text = match self.game {
            GameKind::Xiangqi => balanced::text::<Xiangqi>(&rules, threads)?,
            GameKind::Chess => balanced::text::<Chess>(&rules, threads)?,
            GameKind::Shogi => balanced::text::<Shogi>(&rules, threads)?,
            GameKind::Othello => balanced::text::<Othello>(&rules, threads)?,
            GameKind::TicTacToe => tictactoe::text(),
        };
        std::fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{hash}  {}", path.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// The positions of a book: every line that is neither empty nor a comment.
fn positions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
