//! `elomill demo`: the main job, end to end, on this machine.
//!
//! Opens a house, tunes the parameters of `examples/xiangqi-tune.toml` and tests the result against
//! the start by `examples/xiangqi-test.toml`. What was cut off goes on at the next start: the ledger
//! says how far the last demo came.

mod next;
mod plan;

use crate::client::{Control, page};
use crate::display::Display;
use crate::endpoint::Locator;
use crate::follow::{Followed, follow};
use crate::house::{HouseArgs, Worker};
use crate::interrupt::Interrupt;
use crate::output::{hinted, json, line, say};
use crate::summary::{test_lines, tuned_table};
use coordinator::Lead;
use model::RunId;
use model::spec::Job;
use model::view::{ProgressView, RunState, RunView};
use next::{Next, next};
use plan::Plan;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Pairs of the tune; the test's budget follows in proportion
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pairs: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,
    /// Minutes that the tune shall take: measures this machine and chooses the pairs
    #[arg(long, value_name = "M", value_parser = minutes, conflicts_with = "pairs")]
    minutes: Option<f64>,
    /// Source of all randomness of the tune
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Begin anew even if an earlier demo is unfinished
    #[arg(long)]
    fresh: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    house: HouseArgs,
}

/// The finished runs of a demo.
struct Outcome {
    tune: RunView,
    /// `None` when the tune moved nothing.
    test: Option<RunView>,
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.05..=10_000.0).contains(&minutes) => Ok(minutes),
        _ => Err("allowed: 0.05 to 10000".to_owned()),
    }
}

impl Args {
    /// # Errors
    /// A part of the house fails, or the demo is interrupted.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let interrupt = Interrupt::listen()?;
        // Before anything is started, so that a bad number costs nothing.
        let plan = Plan::new(self.pairs, self.nodes, self.seed)?;
        crate::logging::to_file(self.house.folder()?.log_file("elomill.log")?);
        say("starting Postgres, the coordinator and a worker");
        let mut house = self.house.open(Worker::Own, Lead::AtOnce).await?;
        let (locator, url) = (house.locator(), house.pages());
        say(format_args!("live pages: {url}/"));
        let outcome = tokio::select! {
            outcome = self.play(&locator, &url, plan, &interrupt) => outcome,
            error = house.failed() => Err(error),
        };
        let closed = house.close(&interrupt).await;
        match outcome? {
            Some(outcome) => {
                closed?;
                self.tell_next(&outcome);
                Ok(ExitCode::SUCCESS)
            }
            None => {
                closed?;
                Err(hinted(
                    "the demo was interrupted",
                    format_args!("`elomill demo{}` goes on with it", self.house.data_dir_option()),
                ))
            }
        }
    }

    /// Both runs, begun or continued; `None` when interrupted.
    async fn play(
        &self,
        locator: &Locator,
        url: &str,
        plan: Plan,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Option<Outcome>> {
        let mut control = Control::connect(locator).await?;
        let runs = control.runs(1000).await?;
        let mut step = next(&runs);
        if self.fresh {
            drop_unfinished(&mut control, &runs).await?;
            step = Next::Tune;
        }
        let (tune, test) = match step {
            Next::Tune => (self.start_tune(&mut control, &plan).await?, None),
            Next::Continue { tune, test } => {
                say(format_args!(
                    "going on with the demo of an earlier start (run {}); --fresh begins anew",
                    test.unwrap_or(tune)
                ));
                (tune, test)
            }
        };
        say(format_args!("tune {tune}: {}", page(url, tune)));
        let Some(tune) = see(&mut control, locator, tune, interrupt).await? else {
            return Ok(None);
        };
        if !self.json {
            show_tune(&tune)?;
        }
        let test = match test {
            Some(test) => test,
            None if next::moved_nothing(&tune) => {
                if self.json {
                    json(&serde_json::json!({ "tune": tune, "test": null }))?;
                } else {
                    line("\nthe tune moved no parameter: there is nothing to test")?;
                }
                return Ok(Some(Outcome { tune, test: None }));
            }
            None => {
                let (spec, book) = plan.test(&tune)?;
                control.create(&spec, &book.bytes).await?
            }
        };
        say(format_args!("test {test}, tuned against start: {}", page(url, test)));
        let Some(test) = see(&mut control, locator, test, interrupt).await? else {
            return Ok(None);
        };
        if self.json {
            json(&serde_json::json!({ "tune": tune, "test": test }))?;
        } else {
            show_test(&test)?;
        }
        Ok(Some(Outcome { tune, test: Some(test) }))
    }

    async fn start_tune(&self, control: &mut Control, plan: &Plan) -> anyhow::Result<RunId> {
        let (spec, book) = match self.minutes {
            Some(minutes) => {
                say("measuring the speed of this machine");
                let plan = plan.clone();
                let slots = usize::try_from(self.house.slots())?;
                let measured = move || plan.tune_for(minutes, slots);
                tokio::task::spawn_blocking(measured).await??
            }
            None => plan.tune()?,
        };
        if let Job::Tune(tune) = &spec.job {
            say(format_args!(
                "tuning {} parameters of the built-in {} engine: {} pairs at {} nodes a move",
                tune.parameters.len(),
                spec.game,
                tune.pairs,
                spec.limit.nodes
            ));
        }
        control.create(&spec, &book.bytes).await
    }

    fn tell_next(&self, outcome: &Outcome) {
        let options = self.house.data_dir_option();
        say("\nwhat to type next:");
        say(format_args!(
            "  elomill up{options}    # the same house, to stay: its pages show all this"
        ));
        let last = outcome.test.as_ref().unwrap_or(&outcome.tune).id;
        say(format_args!(
            "  elomill runs show {last}{options}    # while it is up: every figure of run {last}"
        ));
        say(format_args!(
            "  elomill tune examples/xiangqi-tune.toml --follow{options}    # a tune of your own"
        ));
    }
}

/// Watches a run to its end, waking it when it was paused; `None` when interrupted.
async fn see(
    control: &mut Control,
    locator: &Locator,
    run: RunId,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<RunView>> {
    if control.run(run).await?.state == RunState::Paused {
        control.resume(run).await?;
    }
    let mut display = Display::new();
    match follow(locator, run, interrupt, &mut display, |_| Ok(())).await? {
        Followed::Interrupted => Ok(None),
        Followed::Over(view) if view.state == RunState::Stopped => Err(hinted(
            format_args!("run {run} was stopped by hand"),
            "`elomill demo` begins a new one",
        )),
        Followed::Over(view) => Ok(Some(*view)),
    }
}

/// Ends what earlier demos left, so that it does not play beside the new one.
async fn drop_unfinished(control: &mut Control, runs: &[RunView]) -> anyhow::Result<()> {
    for run in runs.iter().filter(|run| next::is_demo(run) && !run.state.is_over()) {
        control.stop(run.id, "replaced by `elomill demo --fresh`".to_owned()).await?;
    }
    Ok(())
}

fn show_tune(tune: &RunView) -> anyhow::Result<()> {
    if let (Job::Tune(spec), ProgressView::Tune(view)) = (&tune.spec.job, &tune.progress) {
        line(format_args!("tune {}: {} pairs", tune.id, tune.counted_pairs))?;
        line(tuned_table(spec, view))?;
    }
    Ok(())
}

fn show_test(test: &RunView) -> anyhow::Result<()> {
    if let ProgressView::Test(view) = &test.progress {
        line(format_args!("\ntest {}: tuned against start", test.id))?;
        for text in test_lines(test, view) {
            line(text)?;
        }
    }
    Ok(())
}
