//! `elomill workers`: who plays, why somebody does not, and whose results count.

mod exclude;
mod show;

use crate::client::Control;
use crate::endpoint::CoordinatorArgs;
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, table};
use clap::Subcommand;
use model::WorkerId;
use model::trust::Suspicion;
use model::view::WorkerView;
use std::convert::Infallible;
use std::process::ExitCode;
use std::str::FromStr;

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
    /// Lists every worker that was ever seen
    List(List),
    /// Shows what speaks for and against a worker, games that came out otherwise side by side
    Show(show::Show),
    /// Gives a worker that is on hold work again
    Release(show::Release),
    /// Lets the results of a worker count no more, in one run or in all; reversible
    Exclude(exclude::Exclude),
    /// Lets the results of a worker count again
    Include(exclude::Include),
    /// Lists who was excluded, by whom and why
    Exclusions(exclude::Exclusions),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Print one JSON object a worker
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Args {
    /// # Errors
    /// No coordinator answers.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            None => self.list.run().await,
            Some(What::List(list)) => list.run().await,
            Some(What::Show(args)) => args.run().await,
            Some(What::Release(args)) => args.run().await,
            Some(What::Exclude(args)) => args.run().await,
            Some(What::Include(args)) => args.run().await,
            Some(What::Exclusions(args)) => args.run().await,
        }
    }
}

/// A worker as people type it.
#[derive(Clone, Debug)]
struct WorkerName(String);

impl FromStr for WorkerName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl WorkerName {
    /// Its number.
    async fn find(&self, control: &mut Control) -> anyhow::Result<WorkerId> {
        find(&self.0, &control.workers().await?)
    }
}

/// The worker of this number or, where there is none, the one of this name.
fn find(wanted: &str, workers: &[WorkerView]) -> anyhow::Result<WorkerId> {
    let number = wanted.parse().ok().map(WorkerId);
    if let Some(worker) = workers.iter().find(|worker| Some(worker.id) == number) {
        return Ok(worker.id);
    }
    let named: Vec<WorkerId> =
        workers.iter().filter(|worker| worker.name == wanted).map(|worker| worker.id).collect();
    let shown = model::printable(wanted, 80);
    match named[..] {
        [worker] => Ok(worker),
        [] => Err(hinted(
            format_args!("there is no worker `{shown}`"),
            "`elomill workers list` shows their numbers and names",
        )),
        _ => Err(hinted(
            format_args!("{} workers have the name `{shown}`", named.len()),
            format_args!(
                "give the number: {}",
                named.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            ),
        )),
    }
}

impl List {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let workers = Control::connect(&self.coordinator.locator()?).await?.workers().await?;
        if self.json {
            workers.iter().try_for_each(json)?;
        } else if workers.is_empty() {
            say("no worker has come yet; start one with `elomill worker --coordinator URL`");
        } else {
            line(listing(&workers))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn listing(workers: &[WorkerView]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("id"),
        Text("name"),
        Text("platform"),
        Text("version"),
        Number("slots"),
        Number("playing"),
        Number("leases"),
        Number("pairs"),
        Number("audited"),
        Number("refused"),
        Number("nodes/s"),
        Text("owner"),
        Text("state"),
    ];
    let rows: Vec<_> = workers
        .iter()
        .map(|worker| {
            vec![
                worker.id.to_string(),
                worker.name.clone(),
                worker.platform.clone(),
                worker.software_version.clone(),
                worker.slots.to_string(),
                worker.playing_games.to_string(),
                worker.active_leases.to_string(),
                worker.counted_pairs.to_string(),
                worker.audited_pairs.to_string(),
                worker.refused_reports.to_string(),
                worker.nodes_per_second.to_string(),
                worker.owner.clone(),
                state(worker),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn state(worker: &WorkerView) -> String {
    let mut state = match (worker.connected, worker.idle_reason.as_str()) {
        (false, _) => "away".to_owned(),
        (true, "") => "connected".to_owned(),
        (true, reason) => format!("idle: {reason}"),
    };
    if !worker.on_hold.is_empty() {
        state = format!("on hold, {state}");
    }
    if let Some(Suspicion { bias, margin, .. }) = worker.suspicion.filter(|s| s.named) {
        state = format!("suspected ({:+.0} ± {:.0} Elo), {state}", bias.0, margin.0);
    }
    if worker.excluded {
        state = format!("excluded, {state}");
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::WorkerId;

    #[test]
    fn an_idle_worker_says_why_and_its_words_stay_in_their_line() {
        let worker = WorkerView {
            id: WorkerId(3),
            name: "attic\u{1b}]0;x\u{7}\n99".to_owned(),
            platform: "linux x86_64".to_owned(),
            software_version: "0.1.0".to_owned(),
            cores: 2,
            slots: 2,
            connected: true,
            first_seen_unix_ms: 0,
            last_seen_unix_ms: 0,
            nodes_per_second: 1,
            playing_games: 0,
            active_leases: 0,
            counted_pairs: 12,
            idle_reason: "no run wants pairs".to_owned(),
            refused_reports: 2,
            last_refusal: "illegal_move: pair 3".to_owned(),
            owner: "anna".to_owned(),
            on_hold: String::new(),
            audited_pairs: 5,
            mismatched_pairs: 0,
            excluded: false,
            suspicion: None,
        };
        let text = listing(std::slice::from_ref(&worker));
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("idle: no run wants pairs") && !text.contains('\u{1b}'), "{text}");
        let away = WorkerView { connected: false, ..worker };
        assert!(listing(std::slice::from_ref(&away)).contains("away"));

        let other = WorkerView { id: WorkerId(99), name: "3".to_owned(), ..away.clone() };
        let workers = [away.clone(), other.clone(), WorkerView { id: WorkerId(7), ..away }];
        assert_eq!(find("3", &workers).unwrap(), WorkerId(3), "the number before the name");
        assert_eq!(find("3", &workers[1..]).unwrap(), WorkerId(99));
        for (wanted, part) in [(workers[0].name.as_str(), "give the number: 3, 7"), ("x", "`x`")] {
            let error = find(wanted, &workers).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\u{1b}'), "{error}");
        }
    }
}
