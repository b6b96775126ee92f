//! `elomill games`: lists, shows and exports the games of a run.

use crate::client::{Control, explain};
use crate::commands::runs::run_id;
use crate::endpoint::CoordinatorArgs;
use crate::mismatches::Mismatch;
use crate::output::{hinted, json, line};
use crate::tables::{Column, table};
use clap::{Subcommand, ValueEnum};
use games::record;
use model::RunId;
use model::view::{GameView, PairView};
use proto::v1;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use tonic::Code;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the pairs of a run: how their two games ended, and who played them
    List(List),
    /// Prints the two games of one pair, and how others played them again, where that differs
    Show(Show),
    /// Prints every game of a run, as a stream
    Export(Export),
}

#[derive(Debug, clap::Args)]
struct List {
    /// The run
    #[arg(value_parser = run_id)]
    run: RunId,
    /// The first pair to list
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// At most this many pairs
    #[arg(long, default_value_t = 20)]
    limit: u64,
    /// Print one JSON object a pair
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The run
    #[arg(value_parser = run_id)]
    run: RunId,
    /// The pair, as `elomill games list` numbers them
    pair: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct Export {
    /// The run
    #[arg(value_parser = run_id)]
    run: RunId,
    /// How to write the games
    #[arg(long, value_enum, default_value_t = Format::Pgn)]
    format: Format,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// How games are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Portable game notation, with the evaluations as comments
    Pgn,
    /// The form that programs of the game itself exchange: GGF for othello, else a `position` line
    Own,
    /// One JSON object for each pair
    Json,
    /// A line for each position that was played from, with the move, the evaluation and the result
    Epd,
}

impl Args {
    /// # Errors
    /// No coordinator answers, or there is no such run.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(args) => args.run().await,
            What::Show(args) => args.run().await,
            What::Export(args) => args.run().await,
        }
    }
}

impl List {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let mut pairs = Vec::new();
        let each = |pair: PairView| {
            if self.json {
                return json(&pair);
            }
            pairs.push(pair);
            Ok(())
        };
        control.games(self.run, self.from, self.limit, each).await?;
        if !self.json {
            line(listing(&pairs))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let run = control.run(self.run).await?;
        let mut found = None;
        let first = |pair: PairView| {
            found = Some(pair);
            Ok(())
        };
        control.games(self.run, self.pair, 1, first).await?;
        let Some(pair) = found.filter(|pair| pair.pair.0 == self.pair) else {
            return Err(hinted(
                format_args!("run {} has no pair {} in its ledger", self.run, self.pair),
                format_args!("`elomill games list {}` shows those that it has", self.run),
            ));
        };
        let mismatch = mismatch(&mut control, self.run, self.pair).await?;
        if self.json {
            json(&ShownPair { pair, mismatch })?;
        } else {
            let mut out = BufWriter::new(io::stdout().lock());
            out.write_all(record::pgn(&run, &pair)?.as_bytes())?;
            // Readers of the notation pass such lines over.
            for line in mismatch.iter().flat_map(Mismatch::lines) {
                writeln!(out, "% {line}")?;
            }
            out.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A pair, and how others played it, where they played it otherwise.
#[derive(Debug, Serialize)]
struct ShownPair {
    #[serde(flatten)]
    pair: PairView,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<Mismatch>,
}

/// How others played this pair, where they played it otherwise.
async fn mismatch(
    control: &mut Control,
    run: RunId,
    pair: u64,
) -> anyhow::Result<Option<Mismatch>> {
    let request = v1::ListMismatchesRequest { run_id: run.0, from_pair: pair, limit: 1 };
    let answer = control.trust().list_mismatches(request).await;
    let answer = match answer {
        // A coordinator of the version before knows no such call.
        Err(status) if status.code() == Code::PermissionDenied => return Ok(None),
        other => other.map_err(explain)?.into_inner(),
    };
    let is_it = |wire: &v1::Mismatch| {
        wire.claimed.as_ref().is_some_and(|claimed| claimed.pair_index == pair)
    };
    answer.mismatches.into_iter().find(is_it).map(Mismatch::read).transpose()
}

impl Export {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let run = control.run(self.run).await?;
        let mut out = BufWriter::new(io::stdout().lock());
        let each = |pair: PairView| match self.format {
            Format::Pgn => Ok(out.write_all(record::pgn(&run, &pair)?.as_bytes())?),
            Format::Own => Ok(out.write_all(record::own(&run, &pair)?.as_bytes())?),
            Format::Epd => Ok(out.write_all(record::epd(&run, &pair)?.as_bytes())?),
            Format::Json => {
                serde_json::to_writer(&mut out, &pair)?;
                Ok(writeln!(out)?)
            }
        };
        control.games(self.run, 0, 0, each).await?;
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

fn listing(pairs: &[PairView]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("pair"),
        Number("worker"),
        Text("candidate first"),
        Number("half-moves"),
        Text("base first"),
        Number("half-moves"),
        Text("moves"),
    ];
    let ended = |game: &GameView| {
        format!("{} by {}", game.score.name(), game.termination.name().replace('_', " "))
    };
    let rows: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let (first, second) = (&pair.candidate_first, &pair.base_first);
            let kept = if first.moves.is_some() { "kept" } else { "not kept" };
            vec![
                pair.pair.to_string(),
                pair.worker.to_string(),
                ended(first),
                first.plies.to_string(),
                ended(second),
                second.plies.to_string(),
                kept.to_owned(),
            ]
        })
        .collect();
    table(&columns, &rows)
}
