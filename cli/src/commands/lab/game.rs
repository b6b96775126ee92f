//! `elomill lab --game`: on a game to a fixed depth.

use super::Common;
use super::sheet::{Measure, Progress, Sheet};
use crate::output::{json, line};
use anyhow::Context;
use engine::SearchGame;
use engine::classic::{Algorithm, Counts, GameTree, Settings};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::GameKind;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct OnGame {
    /// xiangqi, chess, shogi, othello or tictactoe
    #[arg(long)]
    game: GameKind,
    /// Plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
    /// The root [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// A transposition table for the algorithms that take one: 0 for none, or its size, as 64MB
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = megabytes)]
    table: usize,
    /// Half of the aspiration window
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i32).range(1..=100_000))]
    margin: i32,
    /// Which of the random orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The largest table.
const MAX_TABLE_MB: usize = 16_384;

fn megabytes(text: &str) -> Result<usize, String> {
    let digits = text.strip_suffix("MB").unwrap_or(text);
    let size = digits.parse().ok().filter(|size| *size <= MAX_TABLE_MB);
    size.ok_or_else(|| format!("allowed: 0, or 1MB to {MAX_TABLE_MB}MB"))
}

impl OnGame {
    /// # Errors
    /// The position text is none.
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        match self.game {
            GameKind::Xiangqi => self.compare::<Xiangqi>(common),
            GameKind::Chess => self.compare::<Chess>(common),
            GameKind::Shogi => self.compare::<Shogi>(common),
            GameKind::Othello => self.compare::<Othello>(common),
            GameKind::TicTacToe => self.compare::<TicTacToe>(common),
        }
    }

    fn compare<G: SearchGame>(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let position = match &self.fen {
            Some(fen) => G::from_fen(fen).context("--fen")?,
            None => G::start(),
        };
        let tree = |depth| GameTree::new(position.clone(), depth, common.order.into(), self.seed);
        let mut settings = Settings {
            guess: 0,
            margin: self.margin,
            table_mb: self.table,
            budget: common.budget(),
        };
        // Two plies back, as a program that deepens step by step would know it.
        let guess = common.algorithms().any(Algorithm::takes_guess).then(|| {
            let mut progress = Progress::of("guess");
            let mut shallow = tree(self.depth.saturating_sub(2));
            let watch = &mut |counts: &Counts| progress.at(counts.leaves);
            Algorithm::NegaScout.run(&mut shallow, &settings, watch).value.unwrap_or(0)
        });
        settings.guess = guess.unwrap_or(0);
        let mut sheet = Sheet::default();
        for algorithm in common.algorithms() {
            sheet.measure(algorithm, [(tree(self.depth), settings)]);
        }
        let (game, order) = (G::KIND.name(), common.order.name());
        if common.json {
            json(&serde_json::json!({
                "game": game, "fen": position.to_fen(), "depth": self.depth, "order": order,
                "seed": self.seed, "table_mb": self.table, "guess": guess, "margin": self.margin,
                "agree": sheet.agrees(), "rows": sheet.to_json(),
            }))?;
        } else {
            let table = match self.table {
                0 => "no table".to_owned(),
                size => format!("table {size} MB"),
            };
            let guess = guess.map_or_else(String::new, |guess| format!("; guess {guess}"));
            line(format_args!("{game}, depth {}, order {order}, {table}{guess}", self.depth))?;
            sheet.print(Measure::AlphaBeta)?;
        }
        Ok(sheet.verdict())
    }
}
