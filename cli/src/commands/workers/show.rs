//! `elomill workers show` and `release`: what speaks for and against a worker.

use super::{WorkerName, state};
use crate::client::{Control, explain};
use crate::convert::{exclusion_from_wire, record_from_wire, worker_from_wire};
use crate::endpoint::CoordinatorArgs;
use crate::output::{json, line, say};
use model::lease::{GameRecord, PairRecord};
use model::trust::{ExclusionView, Suspicion};
use model::view::WorkerView;
use model::{RunId, WorkerId, printable};
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

/// Two records of one pair that differ.
#[derive(Debug, Serialize)]
struct Mismatch {
    run: RunId,
    auditor: WorkerId,
    opening: String,
    difference: String,
    at_unix_ms: i64,
    claimed: PairRecord,
    found: PairRecord,
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
    let mismatch = |wire: v1::Mismatch| {
        Ok::<_, anyhow::Error>(Mismatch {
            run: RunId(wire.run_id),
            auditor: WorkerId(wire.auditor_id),
            opening: wire.opening,
            difference: wire.difference,
            at_unix_ms: wire.at_unix_ms,
            claimed: record_from_wire(wire.claimed.unwrap_or_default())?,
            found: record_from_wire(wire.found.unwrap_or_default())?,
        })
    };
    let exclusions = answer.exclusions.into_iter().map(exclusion_from_wire);
    Ok(Dossier {
        worker: worker_from_wire(answer.worker.unwrap_or_default()),
        exclusions: exclusions.collect::<Result<_, _>>()?,
        mismatches: answer.mismatches.into_iter().map(mismatch).collect::<Result<_, _>>()?,
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
        let Mismatch { run, auditor, claimed, found, .. } = mismatch;
        lines.push(format!(
            "pair {} of run {run}, played again by worker {auditor}:",
            claimed.index
        ));
        lines.push(printable(&mismatch.difference, 200));
        lines.push(format!("from {}", printable(&mismatch.opening, 120)));
        for (name, mine, theirs) in [
            ("candidate first", &claimed.candidate_first, &found.candidate_first),
            ("base first", &claimed.base_first, &found.base_first),
        ] {
            if mine.differs(theirs).is_some() {
                lines.extend(side_by_side(name, mine, theirs));
            }
        }
    }
    lines.join("\n")
}

/// Half-moves before the first difference, and after it, that are shown.
const AROUND: usize = 10;

/// Two records of a game, a half-move a line, around the place where they part.
fn side_by_side(name: &str, mine: &GameRecord, theirs: &GameRecord) -> Vec<String> {
    let end = |game: &GameRecord| {
        format!("{} by {}, {}", game.score.name(), game.termination.name(), game.plies)
    };
    let moves = |game: &GameRecord| -> Vec<String> {
        game.moves.split(' ').map(|text| printable(text, 12)).collect()
    };
    let (mine_moves, their_moves) = (moves(mine), moves(theirs));
    let most = mine_moves.len().max(their_moves.len());
    let same = mine_moves.iter().zip(&their_moves).take_while(|(a, b)| a == b).count();
    let (first, last) = (same.saturating_sub(AROUND), (same + AROUND).min(most));
    let at = |moves: &[String], place: usize| moves.get(place).cloned().unwrap_or_default();
    let row = |place: usize| {
        let (left, right) = (at(&mine_moves, place), at(&their_moves, place));
        let mark = if left == right { "" } else { "  <" };
        format!("  {:>4}  {left:<12} {right}{mark}", place + 1).trim_end().to_owned()
    };
    let mut lines = vec![format!("  {name}: reported {}; again {}", end(mine), end(theirs))];
    lines.extend((first..last).map(row));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{GameScore, Nodes, Ply, Termination};

    #[test]
    fn games_that_part_are_shown_around_the_place() {
        let game = |moves: &str, score| GameRecord {
            score,
            termination: Termination::Board,
            plies: Ply(moves.split(' ').count() as u64),
            nodes: Nodes(1),
            moves: moves.to_owned(),
            evals: Vec::new(),
        };
        let (mine, theirs) =
            (game("a1 b1 a2 c\u{1b}", GameScore::Win), game("a1 b1 c3", GameScore::Loss));
        let text = side_by_side("base first", &mine, &theirs).join("\n");
        assert!(text.contains("reported win by board, 4; again loss by board, 3"), "{text}");
        assert!(text.contains("     2  b1           b1\n"), "{text}");
        assert!(text.contains("     3  a2           c3  <"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
