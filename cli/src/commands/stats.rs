//! `elomill stats`: the statistics of game pairs, for counts from anywhere and tests not yet played.

mod plan;
mod presets;
mod race;
mod sprt;

use crate::output::hinted;
use clap::{Subcommand, ValueEnum};
use model::Pentanomial;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Log-likelihood ratio, bounds and Elo of a sequential test
    Sprt(sprt::Args),
    /// Length and outcome of a sequential test before it is played
    Plan(plan::Args),
    /// What a race of several candidates errs and costs, by simulation
    Race(race::Args),
    /// Bounds that suit a young or a mature engine, and what they gain
    Presets(presets::Args),
}

impl Args {
    /// # Errors
    /// The hypotheses, error rates or other numbers are none.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Sprt(args) => args.run()?,
            What::Plan(args) => args.run()?,
            What::Race(args) => args.run()?,
            What::Presets(args) => args.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A sequential test as it is asked for.
#[derive(Debug, clap::Args)]
struct Test {
    /// Lower hypothesis
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Upper hypothesis
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance to accept at elo0
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Chance to reject at elo1
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Scale of the hypotheses
    #[arg(long, value_enum, default_value_t = Model::Normalized)]
    model: Model,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    Normalized,
    Logistic,
}

impl Test {
    /// The test, checked.
    fn spec(&self) -> anyhow::Result<stats::SprtSpec> {
        let Self { elo0, elo1, alpha, beta, model } = *self;
        let model = match model {
            Model::Normalized => stats::EloModel::Normalized,
            Model::Logistic => stats::EloModel::Logistic,
        };
        checked(stats::SprtSpec { elo0, elo1, alpha, beta, model })
    }
}

/// The same specification, if it is one.
fn checked(spec: stats::SprtSpec) -> anyhow::Result<stats::SprtSpec> {
    spec.check().map_err(|error| {
        hinted(error, "0 and 5 suit a young engine, 0 and 2 a mature one; rates are often 0.05")
    })?;
    Ok(spec)
}

fn pentanomial(text: &str) -> Result<Pentanomial, String> {
    let cells: Option<Vec<u64>> = text
        .split(',')
        .map(|cell| cell.trim().parse().ok().filter(|pairs| *pairs <= 1_000_000_000_000))
        .collect();
    cells
        .and_then(|cells| <[u64; 5]>::try_from(cells).ok())
        .map(Pentanomial)
        .ok_or_else(|| "allowed: five counts of pairs, such as 3,40,112,51,6".to_owned())
}
