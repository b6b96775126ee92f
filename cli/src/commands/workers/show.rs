//! `elomill workers show` and `release`: what speaks for and against a worker.

use super::{WorkerName, state};
use crate::client::{Control, explain};
use crate::convert::{exclusion_from_wire, worker_from_wire};
use crate::endpoint::CoordinatorArgs;
use crate::mismatches::Mismatch;
use crate::output::{json, line, say};
use model::printable;
use model::trust::{ExclusionView, Suspicion};
use model::view::WorkerView;
use proto::v1;
use serde::Serialize;
use std::process::ExitCode;

/// What `show` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// The worker, by its number or its name
    worker: WorkerName,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// What `release` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Release {
    /// The worker, by its number or its name
    worker: WorkerName,
    /// Why, for whoever looks at it later
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// A worker with its record.
#[derive(Debug, Serialize)]
struct Dossier {
    #[serde(flatten)]
    worker: WorkerView,
    exclusions: Vec<ExclusionView>,
    mismatches: Vec<Mismatch>,
}

impl Show {
    /// # Errors
    /// No coordinator answers, or there is no such worker.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let worker_id = self.worker.find(&mut control).await?.0;
        let answer = control.trust().get_worker(v1::GetWorkerRequest { worker_id }).await;
        let dossier = dossier(answer.map_err(explain)?.into_inner())?;
        if self.json {
            json(&dossier)?;
        } else {
            line(text(&dossier))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Release {
    /// # Errors
    /// No coordinator answers, or the worker is not on hold.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut control = Control::connect(&self.coordinator.locator()?).await?;
        let worker = self.worker.find(&mut control).await?;
        let request = v1::ReleaseWorkerRequest { worker_id: worker.0, reason: self.reason };
        control.trust().release_worker(request).await.map_err(explain)?;
        say(format_args!("worker {worker} gets work again"));
        Ok(ExitCode::SUCCESS)
    }
}

fn dossier(answer: v1::GetWorkerResponse) -> anyhow::Result<Dossier> {
    let exclusions = answer.exclusions.into_iter().map(exclusion_from_wire);
    Ok(Dossier {
        worker: worker_from_wire(answer.worker.unwrap_or_default()),
        exclusions: exclusions.collect::<Result<_, _>>()?,
        mismatches: answer.mismatches.into_iter().map(Mismatch::read).collect::<Result<_, _>>()?,
    })
}

fn text(dossier: &Dossier) -> String {
    let Dossier { worker, exclusions, mismatches } = dossier;
    let name = printable(&worker.name, 80);
    let mut lines = vec![
        format!("worker       {} ({name}) of {}", worker.id, printable(&worker.owner, 80)),
        format!("machine      {}, {} cores", printable(&worker.platform, 60), worker.cores),
        format!("state        {}", printable(&state(worker), 300)),
        format!("pairs        {} in the ledger", worker.counted_pairs),
        format!(
            "audits       {} pairs came out the same when another worker played them, {} otherwise",
            worker.audited_pairs, worker.mismatched_pairs
        ),
        format!("refused      {} reports", worker.refused_reports),
    ];
    if let Some(Suspicion { log10_e, pairs, bias, margin, named }) = worker.suspicion {
        let warning = if named { "; look at it" } else { "" };
        lines.push(format!(
            "results      {:+.1} ± {:.1} Elo beside others with its kind of machine, of {pairs} pairs; \
             evidence 10^{log10_e:.1} to 1{warning}",
            bias.0, margin.0
        ));
    }
    if !worker.last_refusal.is_empty() {
        lines.push(format!("the last     {}", printable(&worker.last_refusal, 200)));
    }
    if !worker.on_hold.is_empty() {
        lines.push(format!("on hold      {}", printable(&worker.on_hold, 300)));
    }
    for ExclusionView { exclusion, made, lifted, .. } in exclusions {
        let run = exclusion.run.map_or("every run".to_owned(), |run| format!("run {run}"));
        let end = match lifted {
            None => "in force".to_owned(),
            Some(end) => format!("lifted by {}: {}", end.author, end.reason),
        };
        let text = format!("from {run} by {}: {}; {end}", made.author, made.reason);
        lines.push(format!("excluded     {}", printable(&text, 300)));
    }
    for mismatch in mismatches {
        lines.push(String::new());
        lines.extend(mismatch.lines());
    }
    lines.join("\n")
}
