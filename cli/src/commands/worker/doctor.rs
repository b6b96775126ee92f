//! `elomill worker doctor`: what this machine can do, and why it does nothing now.

use crate::output::{json, line};
use std::process::ExitCode;
use worker::doctor::{Coordinator, Report, examine};

/// What the command takes.
// The group of the flattened arguments has the same name.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Print everything as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    worker: worker::cli::Args,
}

impl Args {
    /// # Errors
    /// No coordinator is known, or the state folder cannot be used.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let report = examine(&self.worker.resolve()?).await;
        if self.json {
            json(&report)?;
        } else {
            line(text(&report))?;
        }
        Ok(if report.coordinator.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn text(report: &Report) -> String {
    let mut lines = vec![
        format!("version      {} on {}, {} cores", report.version, report.platform, report.cores),
        format!("processor    {}", report.cpu_features.join(" ")),
    ];
    for speed in &report.speeds {
        let name = speed.game.name();
        let (nodes, bench) = (speed.nodes_per_second, speed.bench_nodes);
        lines.push(format!("speed        {name}: {nodes} nodes/s a core (bench {bench})"));
    }
    let jitter = report.jitter;
    lines.push(format!(
        "clock        sleeps of 1 ms end {} µs late, at worst {} µs",
        jitter.median_us, jitter.worst_us
    ));
    let externals = &report.externals;
    let played = if externals.played { "played" } else { "not played" };
    lines.push(format!(
        "engines      of others: {played}; sandbox ({}) {}",
        externals.mode, externals.sandbox
    ));
    let free = match report.disk.free_bytes {
        Some(bytes) => format!("{:.1} GB free, ", bytes as f64 / 1e9),
        None => String::new(),
    };
    lines.push(match &report.disk.write_ms {
        Ok(ms) => format!("disk         {free}64 KiB are durable after {ms:.1} ms"),
        Err(error) => format!("disk         {free}cannot be written: {error}"),
    });
    match &report.coordinator {
        Ok(coordinator) => tell(coordinator, report.rests, &mut lines),
        Err(why) => lines.push(format!("coordinator  {why}")),
    }
    lines.join("\n")
}

fn tell(coordinator: &Coordinator, rests: Option<&str>, lines: &mut Vec<String>) {
    let Coordinator { address, version, owner, key, .. } = coordinator;
    let (origin, pin) = address.split_once('#').unwrap_or((address, ""));
    lines.push(format!(
        "coordinator  {origin}, version {version}, answers in {:.1} ms",
        coordinator.round_trip_ms
    ));
    lines.push(match pin {
        "" => "certificate  vouched for by the roots of this system".to_owned(),
        pin => format!("certificate  the pinned one, {pin}"),
    });
    lines.push(format!("key          {key} of {owner}"));
    lines.push(format!("its clock    {:+.1} s against this one", coordinator.clock_ahead_seconds));
    let session = if coordinator.connected {
        format!("open, with {} leases", coordinator.leases)
    } else {
        "none is open: no worker runs with this state directory".to_owned()
    };
    lines.push(format!("session      {session}"));
    lines.push(match (rests, coordinator.idle_reason.as_str()) {
        (Some(rests), _) => format!("idle         {rests}"),
        (None, "") => "idle         no: there is work for it".to_owned(),
        (None, reason) => format!("idle         {}: {}", reason, coordinator.idle_text),
    });
}
