//! `elomill perft`: counts the leaves of the legal move tree, the usual check of a move generator.

use crate::output::{json, line, say};
use anyhow::Context;
use games::{
    Game, MoveList, chess::Chess, othello::Othello, perft, shogi::Shogi, tictactoe::TicTacToe,
    xiangqi::Xiangqi,
};
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
        match self.game {
            GameKind::Xiangqi => self.count::<Xiangqi>(),
            GameKind::Chess => self.count::<Chess>(),
            GameKind::Shogi => self.count::<Shogi>(),
            GameKind::Othello => self.count::<Othello>(),
            GameKind::TicTacToe => self.count::<TicTacToe>(),
        }
    }

    fn count<G: Game>(&self) -> anyhow::Result<ExitCode> {
        let mut position = match &self.fen {
            Some(fen) => G::from_fen(fen).context("--fen")?,
            None => G::start(),
        };
        let began = Instant::now();
        let mut below = Vec::new();
        let nodes = if self.divide && self.depth > 0 {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            for &mv in moves.iter() {
                let name = position.move_to_text(mv);
                position.make(mv);
                below.push((name, perft(&mut position, self.depth - 1)));
                position.unmake();
            }
            below.sort();
            below.iter().map(|(_, nodes)| nodes).sum()
        } else {
            perft(&mut position, self.depth)
        };
        let seconds = began.elapsed().as_secs_f64();
        let nps = (nodes as f64 / seconds.max(1e-9)) as u64;
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
