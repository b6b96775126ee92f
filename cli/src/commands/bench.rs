//! `elomill bench`: the engine's signature, equal on every machine, and its speed on this one.

use crate::output::{json, line};
use model::GameKind;
use std::process::ExitCode;
use std::time::Instant;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// xiangqi, chess, shogi, othello or tictactoe
    #[arg(long)]
    game: GameKind,
    /// Print one JSON object: nodes (the signature) and nps
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The result cannot be written.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let began = Instant::now();
        let nodes = engine::bench::bench(self.game).0;
        let seconds = began.elapsed().as_secs_f64();
        let nps = (nodes as f64 / seconds.max(1e-9)) as u64;
        if self.json {
            json(&serde_json::json!({ "nodes": nodes, "nps": nps }))?;
        } else {
            line(format_args!("signature  {nodes} nodes"))?;
            line(format_args!("speed      {nps} nodes per second ({seconds:.2} s)"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
