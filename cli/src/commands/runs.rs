//! `elomill runs`: lists, shows and steers runs.

mod explain;
mod export;
mod history;

use crate::client::Control;
use crate::endpoint::CoordinatorArgs;
use crate::output::{hinted, json, line, say};
use crate::summary::{describe, ending, standing};
use crate::tables::{Column, table};
use clap::Subcommand;
use model::RunId;
use model::view::RunView;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the newest runs
    List(List),
    /// Shows one run
    Show(One),
    /// Gives no more leases; those that are out go on
    Pause(Steer),
    /// Gives leases again
    Resume(One),
    /// Ends a run for good; a test stopped so has no verdict
    Stop(Steer),
    /// Says why a run gets the work that it gets
    Explain(One),
    /// Sets the share of the cluster that a run gets against the others
    Weigh(Weigh),
    /// Recomputes a run from the ledger and compares it with what is stored
    Replay(One),
    /// Files a tune that begins where another one stood
    Fork(history::Fork),
    /// Raises the budget of a run that is not over
    Extend(history::Extend),
    /// Writes the way of a run, a row for each report: CSV, JSON or Parquet
    Export(export::Export),
}

#[derive(Debug, clap::Args)]
struct List {
    /// At most this many
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Print one JSON object a run
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct One {
    /// The run
    #[arg(value_parser = run_id)]
    id: RunId,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct Steer {
    #[command(flatten)]
    one: One,
    /// Why, for whoever looks at the run later
    #[arg(long, default_value = "by hand")]
    reason: String,
}

#[derive(Debug, clap::Args)]
struct Weigh {
    #[command(flatten)]
    one: One,
    /// 0.001 to 1000; a run of weight 2 gets twice the share of one of weight 1
    #[arg(long)]
    weight: f64,
}

/// A run's id as people type it.
pub(crate) fn run_id(text: &str) -> Result<RunId, String> {
    match text.parse() {
        Ok(id) if id > 0 => Ok(RunId(id)),
        _ => Err("allowed: the number that `elomill runs list` shows".to_owned()),
    }
}

impl Args {
    /// # Errors
    /// No coordinator answers, or it refuses.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            None => list(self.list).await,
            Some(What::List(args)) => list(args).await,
            Some(What::Show(one)) => {
                let run = one.connect().await?.run(one.id).await?;
                if one.json {
                    json(&run)?
                } else {
                    line(describe(&run))?
                }
                Ok(ExitCode::SUCCESS)
            }
            Some(What::Pause(steer)) => {
                let one = steer.one;
                one.connect().await?.pause(one.id, steer.reason).await?;
                one.say_state().await
            }
            Some(What::Resume(one)) => {
                one.connect().await?.resume(one.id).await?;
                one.say_state().await
            }
            Some(What::Stop(steer)) => {
                let one = steer.one;
                one.connect().await?.stop(one.id, steer.reason).await?;
                one.say_state().await
            }
            Some(What::Explain(one)) => {
                let share = one.connect().await?.explain_run(one.id).await?;
                if one.json {
                    json(&share)?;
                } else {
                    line(explain::text(&share))?;
                }
                Ok(ExitCode::SUCCESS)
            }
            Some(What::Weigh(Weigh { one, weight })) => {
                one.connect().await?.weigh(one.id, weight).await?;
                one.say_state().await
            }
            Some(What::Replay(one)) => replay(&one).await,
            Some(What::Fork(args)) => args.run().await,
            Some(What::Extend(args)) => args.run().await,
            Some(What::Export(args)) => args.run().await,
        }
    }
}

impl One {
    async fn connect(&self) -> anyhow::Result<Control> {
        Control::connect(&self.coordinator.locator()?).await
    }

    async fn say_state(&self) -> anyhow::Result<ExitCode> {
        let run = self.connect().await?.run(self.id).await?;
        if self.json {
            json(&run)?;
        } else {
            say(format_args!("run {} is {}", run.id, run.state.name()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(args: List) -> anyhow::Result<ExitCode> {
    let mut control = Control::connect(&args.coordinator.locator()?).await?;
    let runs = control.runs(args.limit).await?;
    if args.json {
        runs.iter().try_for_each(json)?;
    } else if runs.is_empty() {
        say("no runs yet; file one with `elomill tune FILE`");
    } else {
        line(listing(&runs))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn listing(runs: &[RunView]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("id"),
        Text("kind"),
        Text("game"),
        Text("state"),
        Number("pairs"),
        Number("asked"),
        Number("won"),
        Number("drawn"),
        Number("lost"),
        Text("name"),
        Text("standing"),
    ];
    let rows: Vec<_> = runs
        .iter()
        .map(|run| {
            let wdl = run.tally.wdl;
            let stands = if run.state.is_over() { ending(run) } else { standing(run) };
            vec![
                run.id.to_string(),
                run.kind.clone(),
                run.spec.game.to_string(),
                run.state.name().to_owned(),
                run.counted_pairs.to_string(),
                run.asked_pairs.to_string(),
                wdl.wins.to_string(),
                wdl.draws.to_string(),
                wdl.losses.to_string(),
                model::printable(&run.spec.name, 40),
                stands,
            ]
        })
        .collect();
    table(&columns, &rows)
}

async fn replay(one: &One) -> anyhow::Result<ExitCode> {
    let replay = one.connect().await?.replay(one.id).await?;
    if one.json {
        json(&replay)?;
    } else {
        json(&replay.state)?;
    }
    if !replay.matches_stored {
        return Err(hinted(
            format_args!(
                "the {} reports of run {} give another state than the stored one",
                replay.reports, one.id
            ),
            "the ledger was changed by hand, or this is a fault of Elomill: keep both and tell us",
        ));
    }
    if !one.json {
        say(format_args!("{} reports give the stored state, to the bit", replay.reports));
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{test, tune};
    use model::view::{RunState, Verdict};

    #[test]
    fn the_list_tells_each_run_in_a_line() {
        let runs = [
            test(8, "is it\u{1b}[31m better", RunState::Finished, Some(7), Some(Verdict::Rejected)),
            tune(7, "first", RunState::Paused, [1.5, 10.0]),
        ];
        let text = listing(&runs);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains("rejected") && !text.contains('\u{1b}'), "{text}");
        assert!(lines[2].contains("paused") && lines[2].contains("alef +1.0"), "{text}");
    }

    #[test]
    fn only_positive_numbers_are_runs() {
        assert_eq!(run_id("7"), Ok(RunId(7)));
        for wrong in ["0", "-1", "x", ""] {
            assert!(run_id(wrong).unwrap_err().contains("runs list"));
        }
    }
}
