//! `elomill workers`: who plays, and why somebody does not.

use crate::client::Control;
use crate::endpoint::CoordinatorArgs;
use crate::output::{json, line, say};
use crate::tables::{Column, table};
use model::view::WorkerView;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
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
        Number("refused"),
        Number("nodes/s"),
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
                worker.refused_reports.to_string(),
                worker.nodes_per_second.to_string(),
                state(worker),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn state(worker: &WorkerView) -> String {
    match (worker.connected, worker.idle_reason.as_str()) {
        (false, _) => "away".to_owned(),
        (true, "") => "connected".to_owned(),
        (true, reason) => format!("idle: {reason}"),
    }
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
        };
        let text = listing(std::slice::from_ref(&worker));
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("idle: no run wants pairs") && !text.contains('\u{1b}'), "{text}");
        let away = WorkerView { connected: false, ..worker };
        assert!(listing(&[away]).contains("away"));
    }
}
