//! `elomill stats`: the statistics of game pairs, for counts from anywhere.

use crate::output::{hinted, json, line};
use clap::{Subcommand, ValueEnum};
use model::Pentanomial;
use serde::Serialize;
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
    Sprt(Sprt),
}

#[derive(Debug, clap::Args)]
struct Sprt {
    /// Pairs by score: LL,LD,LW+DD,DW,WW
    #[arg(long, value_name = "A,B,C,D,E", value_parser = pentanomial)]
    ptnml: Pentanomial,
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    Normalized,
    Logistic,
}

#[derive(Serialize)]
struct Figures {
    llr: f64,
    lower: f64,
    upper: f64,
    elo: f64,
    elo_low: f64,
    elo_high: f64,
    normalized_elo: f64,
    los: f64,
}

impl Args {
    /// # Errors
    /// The hypotheses or error rates are none.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let What::Sprt(asked) = self.what;
        let spec = stats::SprtSpec {
            elo0: asked.elo0,
            elo1: asked.elo1,
            alpha: asked.alpha,
            beta: asked.beta,
            model: match asked.model {
                Model::Normalized => stats::EloModel::Normalized,
                Model::Logistic => stats::EloModel::Logistic,
            },
        };
        spec.check().map_err(|error| {
            hinted(error, "0 and 5 suit a young engine, 0 and 2 a mature one; rates are often 0.05")
        })?;
        let report = spec.report(&asked.ptnml);
        let figures = Figures {
            llr: report.llr,
            lower: report.lower,
            upper: report.upper,
            elo: report.elo.0,
            elo_low: report.elo_low.0,
            elo_high: report.elo_high.0,
            normalized_elo: report.normalized.0,
            los: report.los,
        };
        if asked.json {
            json(&figures)?;
        } else {
            let decision = match report.decision {
                stats::SprtDecision::Continue => "goes on",
                stats::SprtDecision::AcceptH0 => "rejected",
                stats::SprtDecision::AcceptH1 => "accepted",
            };
            line(format_args!(
                "LLR      {:.3}, bounds {:.3} and {:.3}: {decision}",
                figures.llr, figures.lower, figures.upper
            ))?;
            line(format_args!(
                "Elo      {:+.2} ({:+.2} … {:+.2}, 95 %), normalised {:+.2}",
                figures.elo, figures.elo_low, figures.elo_high, figures.normalized_elo
            ))?;
            line(format_args!("superior {:.2} %", 100.0 * figures.los))?;
        }
        Ok(ExitCode::SUCCESS)
    }
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
