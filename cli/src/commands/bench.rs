//! `elomill bench`: the engine's signature, equal on every machine, and its speed on this one; what the
//! arena costs beside its engines.

use super::data::read_network;
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, table};
use anyhow::Context;
use arena::duel::{Program, Protocol, overhead};
use model::GameKind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Nodes of a move of the engine built in, where its own overhead is told.
const NODES: u64 = 1000;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// xiangqi, chess, shogi, othello or tictactoe
    #[arg(long, required = true)]
    game: Option<GameKind>,
    /// A network that the engine evaluates with [default: its own evaluation]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Print one JSON object: nodes (the signature) and nps
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// What a match costs for each half-move beside its engines: medians of runs that alternate
    Arena(Arena),
    /// An engine that answers at once, for `bench arena`
    #[command(hide = true)]
    Echo,
}

#[derive(Debug, clap::Args)]
struct Arena {
    /// Runs of each
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=101))]
    runs: u8,
    /// Pairs of games of a run, at all places together
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pairs: u16,
    /// Games at a time, each number for itself
    #[arg(long, value_delimiter = ',', default_values_t = [1_u16, 2, 32], value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: Vec<u16>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Arena {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let own = std::env::current_exe().context("this program's own file is not known")?;
        let mut program = Program::new(own, Protocol::Uci);
        program.arguments = ["bench", "echo"].map(str::to_owned).to_vec();
        let mut names = vec!["bare loop".to_owned()];
        names.extend(self.concurrency.iter().map(|places| format!("duel, {places} at a time")));
        let mut costs = vec![(Vec::new(), Vec::new()); names.len()];
        let mut shares = Vec::new();
        for run in 1..=self.runs {
            say(format_args!("run {run} of {}", self.runs));
            let mut found = vec![overhead::bare_cost(&program, u64::from(self.pairs))?];
            for &places in &self.concurrency {
                let pairs = u64::from(self.pairs.div_ceil(places));
                found.push(overhead::duel_cost(&program, pairs, usize::from(places))?);
            }
            for ((wall, cpu), cost) in costs.iter_mut().zip(found) {
                wall.push(cost.wall_us());
                cpu.push(cost.cpu_us());
            }
            shares.push(overhead::inside_cost(NODES, 4).overhead());
        }
        let inside = median(&mut shares);
        let costs: Vec<_> =
            costs.iter_mut().map(|(wall, cpu)| (median(wall), median(cpu))).collect();
        if self.json {
            let rows: Vec<_> = names
                .iter()
                .zip(&costs)
                .map(|(name, (wall, cpu))| {
                    serde_json::json!({ "what": name, "wall_us": wall, "cpu_us": cpu })
                })
                .collect();
            json(&serde_json::json!({ "half_moves": rows, "inside_overhead": inside }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let columns = [
            Column::Text("a half-move"),
            Column::Number("µs"),
            Column::Number("µs of this process"),
        ];
        let row = |(name, (wall, cpu)): (&String, &(f64, f64))| {
            vec![name.clone(), format!("{wall:.1}"), format!("{cpu:.1}")]
        };
        line(table(&columns, &names.iter().zip(&costs).map(row).collect::<Vec<_>>()))?;
        line(format_args!(
            "in process at {NODES} nodes a move: {:.2} % beside the search",
            100.0 * inside
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn median(of: &mut [f64]) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}

impl Args {
    /// # Errors
    /// The network is none of the game, or the result cannot be written.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match (&self.what, self.game) {
            (Some(What::Arena(arena)), _) => arena.run(),
            (Some(What::Echo), _) => {
                arena::duel::echo(std::io::stdin().lock(), std::io::stdout().lock())?;
                Ok(ExitCode::SUCCESS)
            }
            (None, Some(game)) => self.signature(game),
            // Clap asks for the game where there is no subcommand.
            (None, None) => Ok(ExitCode::FAILURE),
        }
    }

    fn signature(&self, game: GameKind) -> anyhow::Result<ExitCode> {
        let network = self.network.as_deref().map(read_network).transpose()?;
        let found = network.as_ref().map_or(game, |(_, network)| network.architecture().game);
        if found != game {
            let what = format_args!("the network is of {found}");
            return Err(hinted(what, format_args!("--game {found}")));
        }
        let began = Instant::now();
        let nodes = match network {
            Some((_, network)) => engine::bench::bench_network(network)?.0,
            None => engine::bench::bench(game).0,
        };
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
