//! A run beyond its own end: branched off at some point, given a larger budget, written out.

use super::One;
use crate::convert::HistoryRow;
use crate::output::{hinted, json, line, say};
use clap::ValueEnum;
use model::Pairs;
use model::spec::Job;
use model::view::RunView;
use serde::Serialize;
use std::num::NonZeroU64;
use std::process::ExitCode;

/// What `runs fork` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Fork {
    #[command(flatten)]
    one: One,
    /// The last state with at most so many pairs counted; all of them if left out
    #[arg(long, value_name = "PAIRS")]
    at: Option<u64>,
    /// Budget of the new tune; what the old one had left there if left out
    #[arg(long)]
    pairs: Option<NonZeroU64>,
    /// Seed of the new tune; the next number after the old one if left out
    #[arg(long)]
    seed: Option<u64>,
}

impl Fork {
    /// # Errors
    /// The run is no tune, nothing is left of its budget, or no coordinator takes the fork.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = self.one.connect().await?;
        let old = control.run(self.one.id).await?;
        let Job::Tune(tune) = &old.spec.job else {
            return Err(hinted(
                format_args!("run {} is a {}, not a tune", old.id, old.kind),
                "only a tune has a state from which another one can go on",
            ));
        };
        let before = tune.pairs_before().0;
        let at = self.at.unwrap_or(before + old.counted_pairs);
        let left = (before + old.asked_pairs).saturating_sub(at);
        let pairs = match self.pairs {
            Some(pairs) => pairs.get(),
            None if left > 0 => left,
            None => {
                return Err(hinted(
                    format_args!("nothing is left of the budget of run {} at {at} pairs", old.id),
                    "say how many the new one shall have: --pairs 10000",
                ));
            }
        };
        let seed = self.seed.unwrap_or(old.spec.seed.wrapping_add(1));
        let (run, at) = control.fork(old.id, Pairs(at), Pairs(pairs), seed).await?;
        if self.one.json {
            json(&serde_json::json!({ "id": run, "forked_from": old.id, "at_pairs": at }))?;
        } else {
            line(run)?;
            say(format_args!("begins with the state of run {} after {at} pairs", old.id));
            say(format_args!("live page: {}", control.page(run)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What `runs extend` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Extend {
    #[command(flatten)]
    one: One,
    /// How many more pairs
    #[arg(long)]
    pairs: NonZeroU64,
}

impl Extend {
    /// # Errors
    /// The run is over, or no coordinator answers.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = self.one.connect().await?;
        let run = control.run(self.one.id).await?;
        if run.state.is_over() {
            return Err(hinted(
                format_args!("run {} is {}", run.id, run.state.name()),
                format_args!(
                    "a tune goes on as a new one: elomill runs fork {} --pairs {}",
                    run.id, self.pairs
                ),
            ));
        }
        let asked = run.asked_pairs.saturating_add(self.pairs.get());
        control.extend(run.id, Pairs(asked)).await?;
        if self.one.json {
            json(&serde_json::json!({ "id": run.id, "asked_pairs": asked }))?;
        } else {
            say(format_args!("run {} may use {asked} pairs now", run.id));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What `runs export` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    one: One,
    /// For spreadsheets, or one JSON object a line
    #[arg(long, value_enum, default_value_t = Format::Csv, conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Json,
}

/// A row as scripts read it.
#[derive(Serialize)]
struct Row<'a> {
    report: i64,
    pairs: u64,
    pentanomial: [u64; 5],
    wins: u64,
    draws: u64,
    losses: u64,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    theta: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    llr: Option<f64>,
}

impl Export {
    /// # Errors
    /// There is no such run, or no coordinator answers.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = self.one.connect().await?;
        let run = control.run(self.one.id).await?;
        let as_json = self.one.json || self.format == Format::Json;
        if !as_json {
            line(head(&run))?;
        }
        let is_test = matches!(run.spec.job, Job::Test(_));
        let each = |row: HistoryRow| {
            let row = Row {
                report: row.report,
                pairs: row.tally.pairs().0,
                pentanomial: row.tally.pentanomial.0,
                wins: row.tally.wdl.wins,
                draws: row.tally.wdl.draws,
                losses: row.tally.wdl.losses,
                theta: &row.theta,
                llr: is_test.then_some(row.llr),
            };
            if as_json { json(&row) } else { Ok(line(csv(&row))?) }
        };
        control.export(run.id, each).await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The names of the columns. Parameter names are letters, digits and `_`: nothing to quote.
fn head(run: &RunView) -> String {
    let mut names =
        vec!["report", "pairs", "ll", "ld", "dd", "dw", "ww", "wins", "draws", "losses"];
    match &run.spec.job {
        Job::Tune(tune) => names.extend(tune.parameters.iter().map(|p| p.name.as_str())),
        Job::Test(_) => names.push("llr"),
    }
    names.join(",")
}

fn csv(row: &Row<'_>) -> String {
    let counts = [row.pairs].into_iter().chain(row.pentanomial);
    let counts = counts.chain([row.wins, row.draws, row.losses]).map(|count| count.to_string());
    // Numbers in full: they come back to the bit.
    let values = row.theta.iter().chain(&row.llr).map(f64::to_string);
    let cells: Vec<String> =
        [row.report.to_string()].into_iter().chain(counts).chain(values).collect();
    cells.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{test, tune};
    use model::view::RunState;

    #[test]
    fn lines_are_as_wide_as_their_head() {
        let run = tune(3, "t", RunState::Running, [0.5, 15.0]);
        assert!(head(&run).ends_with(",losses,alef,bet"));
        let mut row = Row {
            report: 9,
            pairs: 3,
            pentanomial: [1, 0, 1, 0, 1],
            wins: 2,
            draws: 2,
            losses: 2,
            theta: &[0.1, -2.0],
            llr: None,
        };
        assert_eq!(csv(&row), "9,3,1,0,1,0,1,2,2,2,0.1,-2");
        assert_eq!(csv(&row).split(',').count(), head(&run).split(',').count());
        row = Row { theta: &[], llr: Some(1.25), ..row };
        let run = test(4, "t", RunState::Running, None, None);
        assert_eq!(csv(&row).split(',').count(), head(&run).split(',').count());
        assert!(csv(&row).ends_with(",1.25"));
    }
}
