//! A run beyond its own end: branched off at some point, given a larger budget.

use super::One;
use crate::output::{hinted, json, line, say};
use model::Pairs;
use model::spec::Job;
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
