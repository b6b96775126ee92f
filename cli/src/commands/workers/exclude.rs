//! `elomill workers exclude`, `include` and `exclusions`: whose results count.

use super::WorkerName;
use crate::client::{Control, explain};
use crate::convert::{exclusion_from_wire, run_from_wire};
use crate::endpoint::CoordinatorArgs;
use crate::output::{json, line, say};
use crate::tables::{Column, table};
use model::spec::Job;
use model::view::{ProgressView, RunView};
use model::{RunId, WorkerId};
use proto::v1;
use serde::Serialize;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What `exclude` and `include` share.
#[derive(Debug, clap::Args)]
struct Change {
    /// The worker, by its number or its name
    worker: WorkerName,
    /// In one run only; in every run if left out
    #[arg(long, value_name = "ID", value_parser = crate::commands::runs::run_id)]
    run: Option<RunId>,
    /// Why, for whoever looks at it later
    #[arg(long, required_unless_present = "preview")]
    reason: Option<String>,
    /// Only show what would change
    #[arg(long)]
    preview: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// What `exclude` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Exclude {
    #[command(flatten)]
    change: Change,
    /// Only what came in the last 30m, 12h, 7d
    #[arg(long, value_name = "TIME", value_parser = crate::commands::invite::span)]
    last: Option<Duration>,
}

/// What `include` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Include {
    #[command(flatten)]
    change: Change,
}

/// What `exclusions` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Exclusions {
    /// Print one JSON object an exclusion
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// A run whose figures change.
#[derive(Debug, Serialize)]
struct Effect {
    before: RunView,
    after: RunView,
}

/// What the coordinator answered.
#[derive(Debug, Serialize)]
struct Outcome {
    worker: WorkerId,
    preview: bool,
    effects: Vec<Effect>,
    more_runs: u32,
}

impl Exclude {
    /// # Errors
    /// No coordinator answers, or it refuses.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { change, last } = self;
        let mut control = Control::connect(&change.coordinator.locator()?).await?;
        let worker = change.worker.find(&mut control).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = last.map_or(0, |last| now.saturating_sub(last).as_millis());
        let request = v1::ExcludeWorkerRequest {
            worker_id: worker.0,
            run_id: change.run.map_or(0, |run| run.0),
            since_unix_ms: i64::try_from(since)?,
            reason: change.reason.clone().unwrap_or_default(),
            preview: change.preview,
        };
        let answer = control.trust().exclude_worker(request).await.map_err(explain)?.into_inner();
        change.tell(worker, "excluded", answer.effects, answer.more_runs)
    }
}

impl Include {
    /// # Errors
    /// No coordinator answers, or it refuses.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let change = self.change;
        let mut control = Control::connect(&change.coordinator.locator()?).await?;
        let worker = change.worker.find(&mut control).await?;
        let request = v1::IncludeWorkerRequest {
            worker_id: worker.0,
            run_id: change.run.map_or(0, |run| run.0),
            reason: change.reason.clone().unwrap_or_default(),
            preview: change.preview,
        };
        let answer = control.trust().include_worker(request).await.map_err(explain)?.into_inner();
        change.tell(worker, "included", answer.effects, answer.more_runs)
    }
}

impl Change {
    fn tell(
        &self,
        worker: WorkerId,
        done: &str,
        effects: Vec<v1::ExclusionEffect>,
        more_runs: u32,
    ) -> anyhow::Result<ExitCode> {
        let effect = |effect: v1::ExclusionEffect| {
            Ok::<_, anyhow::Error>(Effect {
                before: run_from_wire(effect.before.unwrap_or_default())?,
                after: run_from_wire(effect.after.unwrap_or_default())?,
            })
        };
        let effects = effects.into_iter().map(effect).collect::<Result<Vec<_>, _>>()?;
        let outcome = Outcome { worker, preview: self.preview, effects, more_runs };
        if self.json {
            json(&outcome)?;
            return Ok(ExitCode::SUCCESS);
        }
        if outcome.effects.is_empty() {
            say(format_args!("worker {worker} has no pairs there: no figure changes"));
        } else {
            line(listing(&outcome.effects))?;
        }
        if more_runs > 0 {
            say(format_args!("and {more_runs} older runs"));
        }
        for warning in outcome.effects.iter().map(|effect| &effect.after) {
            if !warning.warning.is_empty() {
                let text = model::printable(&warning.warning, 200);
                say(format_args!("warning: run {}: {text}", warning.id));
            }
        }
        if self.preview {
            say("nothing was changed; leave --preview out to do it");
        } else {
            say(format_args!("worker {worker} is {done}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Exclusions {
    /// # Errors
    /// No coordinator answers, or it refuses.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        use Column::{Number, Text};
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let answer = control.trust().list_exclusions(v1::ListExclusionsRequest {}).await;
        let all = answer.map_err(explain)?.into_inner().exclusions;
        let all = all.into_iter().map(exclusion_from_wire).collect::<Result<Vec<_>, _>>()?;
        if self.json {
            all.iter().try_for_each(json)?;
        } else if all.is_empty() {
            say("nothing was ever excluded");
        } else {
            let columns = [
                Number("id"),
                Number("worker"),
                Text("run"),
                Text("by"),
                Text("reason"),
                Text("state"),
            ];
            let rows: Vec<_> = all
                .iter()
                .map(|view| {
                    vec![
                        view.id.to_string(),
                        view.exclusion.worker.to_string(),
                        view.exclusion.run.map_or("every".to_owned(), |run| run.to_string()),
                        view.made.author.clone(),
                        view.made.reason.clone(),
                        match &view.lifted {
                            None => "in force".to_owned(),
                            Some(end) => format!("lifted by {}: {}", end.author, end.reason),
                        },
                    ]
                })
                .collect();
            line(table(&columns, &rows))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Each run with its figures before and after.
fn listing(effects: &[Effect]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("run"),
        Text("kind"),
        Text("state"),
        Number("pairs"),
        Number("then"),
        Text("figures"),
        Text("then"),
        Text("name"),
    ];
    let rows: Vec<_> = effects
        .iter()
        .map(|Effect { before, after }| {
            vec![
                before.id.to_string(),
                before.kind.clone(),
                before.progress.verdict().map_or(before.state.name(), |v| v.name()).to_owned(),
                before.counted_pairs.to_string(),
                after.counted_pairs.to_string(),
                figures(before, before),
                figures(after, before),
                model::printable(&before.spec.name, 40),
            ]
        })
        .collect();
    table(&columns, &rows)
}

/// What a run says, in few words: LLR and Elo, or the parameter that has moved farthest in `before`,
/// so that both sides of a comparison speak of the same one.
fn figures(run: &RunView, before: &RunView) -> String {
    let test = |llr: Option<f64>, elo: f64, margin: f64| {
        let llr = llr.map_or(String::new(), |llr| format!("LLR {llr:+.2}  "));
        format!("{llr}Elo {elo:+.1} ± {margin:.1}")
    };
    match (&run.progress, &run.spec.job) {
        (ProgressView::Test(view), _) => {
            test(view.llr, view.elo, 0.5 * (view.elo_high - view.elo_low))
        }
        (ProgressView::Race(view), _) => view.first().map_or(String::new(), |first| {
            let margin = 0.5 * (first.elo_high - first.elo_low);
            format!("{}: {}", first.name, test(Some(first.llr), first.elo, margin))
        }),
        (ProgressView::Tune(view), Job::Tune(spec)) => {
            let farthest = match &before.progress {
                ProgressView::Tune(first) => crate::summary::moves(spec, first).into_iter().next(),
                ProgressView::Test(_) | ProgressView::Race(_) => None,
            };
            farthest
                .and_then(|wanted| {
                    let moves = crate::summary::moves(spec, view);
                    moves.into_iter().find(|found| found.name == wanted.name)
                })
                .map_or(String::new(), |found| format!("{} {:+.2}", found.name, found.steps))
        }
        (ProgressView::Tune(_), _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{test, tune};
    use model::view::{RunState, Verdict};

    #[test]
    fn a_change_is_told_with_the_figures_before_and_after() {
        let before = test(4, "t\u{1b}[2J", RunState::Finished, None, Some(Verdict::Accepted));
        let mut after = before.clone();
        after.counted_pairs = 12;
        if let ProgressView::Test(view) = &mut after.progress {
            view.llr = Some(0.25);
        }
        let [from, to] = [[0.5, 15.0], [0.5, 11.0]].map(|at| tune(3, "u", RunState::Running, at));
        let effects = [Effect { before, after }, Effect { before: from, after: to }];
        let text = listing(&effects);
        for part in
            ["accepted", "LLR +2.99  Elo +40.0 ± 19.5", "LLR +0.25", "bet +2.50", "bet +0.50"]
        {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
