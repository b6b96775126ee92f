//! `elomill perft`: counts the leaves of the legal move tree, the usual check of a move generator.

use crate::output::{json, line, say};
use anyhow::Context;
use games::count_leaves;
use model::GameKind;
use serde_json::{Map, Value};
use std::process::ExitCode;
use std::time::Instant;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// xiangqi, chess, shogi, othello or tictactoe
    #[arg(long)]
    game: GameKind,
    /// Where the tree starts [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=99))]
    depth: u32,
    /// Also count below each first move
    #[arg(long)]
    divide: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The position text is none.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let began = Instant::now();
        let leaves = count_leaves(self.game, self.fen.as_deref(), self.depth).context("--fen")?;
        let seconds = began.elapsed().as_secs_f64();
        let nodes = leaves.all;
        let nps = (nodes as f64 / seconds.max(1e-9)) as u64;
        let below = if self.divide { leaves.below } else { Vec::new() };
        if self.json {
            let mut object = Map::new();
            object.insert("nodes".to_owned(), nodes.into());
            object.insert("nps".to_owned(), nps.into());
            if self.divide {
                let below: Map<String, Value> =
                    below.into_iter().map(|(name, nodes)| (name, nodes.into())).collect();
                object.insert("divide".to_owned(), below.into());
            }
            json(&object)?;
        } else {
            for (name, nodes) in below {
                line(format_args!("{name}: {nodes}"))?;
            }
            line(nodes)?;
            say(format_args!("{seconds:.3} s, {nps} nodes per second"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
