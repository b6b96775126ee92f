//! Hurts a cluster of real processes on a real Postgres, and checks afterwards that what was promised
//! holds: kills, stops, terminated backends, a full disk, and networks, before the coordinators and
//! before their database, that delay, fall silent, both ways or one, come and go, cut and reset.
//!
//!     cargo run --release -p chaos -- --minutes 30
//!
//! The faults and what the actors do follow from the seed, which is printed; when each falls depends on
//! the machine, so that a seed tells what was done and not, to the millisecond, when.

mod actor;
mod check;
mod faults;
mod history;
mod proxy;
mod role;
mod world;

use actor::Actor;
use anyhow::Context;
use check::Found;
use clap::{Parser, Subcommand};
use faults::Fault;
use history::{Event, History};
use proto::v1;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use testkit::specs;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use world::World;

/// Puppets.
const ACTORS: u8 = 6;
/// More pairs than are played.
const PAIRS: u64 = 50_000_000;
/// How long the cluster may take to come to rest after the last fault.
const REST_WITHIN: Duration = Duration::from_secs(120);

#[derive(Parser)]
#[command(name = "chaos", about = "Hurts a cluster of real processes and checks its promises")]
struct Program {
    #[command(subcommand)]
    role: Option<Role>,
    /// How long faults are made
    #[arg(long, default_value_t = 1.0, conflicts_with = "seconds")]
    minutes: f64,
    /// The same in seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// What faults and actors are drawn from [default: the time]
    #[arg(long)]
    seed: Option<u64>,
    /// Keep history, logs and ledger in this folder, which must be empty
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What this program is when the test starts it as a part of the cluster.
#[derive(Subcommand)]
enum Role {
    #[command(hide = true)]
    Coordinator(role::CoordinatorArgs),
    #[command(hide = true)]
    Worker(role::WorkerArgs),
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let program = Program::parse();
    if let Some(role) = program.role {
        tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).init();
        match role {
            Role::Coordinator(args) => args.run().await?,
            Role::Worker(args) => args.run().await?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let span = match program.seconds {
        Some(seconds) => Duration::from_secs(seconds),
        None => Duration::try_from_secs_f64(program.minutes * 60.0).context("--minutes")?,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = program.seed.unwrap_or(now.as_secs());
    eprintln!("seed {seed}, {} s", span.as_secs());
    let (folder, temporary) = match program.keep {
        Some(folder) => (folder, None),
        None => {
            let temporary = tempfile::Builder::new().prefix("elomill-chaos-").tempdir()?;
            (temporary.path().to_owned(), Some(temporary))
        }
    };
    let outcome = suffer(&folder, span, seed).await;
    let is_good = outcome.as_ref().is_ok_and(|outcome| outcome.found.violations.is_empty());
    if !is_good {
        temporary.map(tempfile::TempDir::keep);
        eprintln!("seed {seed}: not as promised; history and logs stay in {}", folder.display());
    }
    let outcome = outcome?;
    if program.json {
        println!("{}", serde_json::to_string(&outcome.json(seed))?);
    } else {
        outcome.print();
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What was done and found.
struct Outcome {
    seconds: u64,
    faults: BTreeMap<Fault, u32>,
    /// Without a leader, after each kill of one.
    gaps: Vec<Duration>,
    found: Found,
}

impl Outcome {
    fn longest_gap(&self) -> Duration {
        self.gaps.iter().copied().max().unwrap_or_default()
    }

    fn json(&self, seed: u64) -> serde_json::Value {
        let faults: BTreeMap<_, _> = self.faults.iter().map(|(f, n)| (f.name(), n)).collect();
        serde_json::json!({
            "seed": seed, "seconds": self.seconds, "faults": faults, "found": self.found,
            "leader_kills": self.gaps.len(),
            "longest_without_leader_ms": self.longest_gap().as_millis() as u64,
        })
    }

    fn print(&self) {
        let row = |name: &str, value: String| println!("{name:<44}{value:>10}");
        for (fault, times) in &self.faults {
            row(fault.name(), times.to_string());
        }
        let found = &self.found;
        row("leader killed", self.gaps.len().to_string());
        row("longest time until another served, ms", self.longest_gap().as_millis().to_string());
        row("times that the lead was taken", found.leader_epochs.to_string());
        row("leases of actors", found.leases.to_string());
        row("pairs acknowledged to actors", found.acknowledged_pairs.to_string());
        row("pairs reported and never answered", found.unanswered_pairs.to_string());
        row("pairs in the ledger", found.ledger_pairs.to_string());
        row("reports in the ledger", found.reports.to_string());
        for (end, leases) in &found.leases_by_end {
            row(&format!("leases {end}"), leases.to_string());
        }
        row("violations", found.violations.len().to_string());
        for violation in &found.violations {
            println!("  {violation}");
        }
    }
}

/// The whole story: a cluster is started, hurt, healed, brought to rest and checked.
async fn suffer(folder: &Path, span: Duration, seed: u64) -> anyhow::Result<Outcome> {
    open_to_postgres(folder)?;
    let path = folder.join("history.jsonl");
    let history = Arc::new(History::create(&path)?);
    let mut world = World::start(folder).await?;
    let runs = file_runs(&world).await?;
    let finish = CancellationToken::new();
    let mut actors = JoinSet::new();
    for number in 1..=ACTORS {
        world::admit(&world.places, &testkit::key(number)).await?;
        let places = world.places.clone();
        let actor = Actor::new(number, places, Arc::clone(&history), seed, finish.clone());
        actors.spawn(actor.live());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let began = Instant::now();
    let (faults, gaps) = faults::storm(&mut world, &history, &mut rng, began + span).await?;
    history.note("storm", Event::Fault { what: "over".to_owned() })?;
    world.heal()?;
    finish.cancel();
    let rest = async {
        while let Some(actor) = actors.join_next().await {
            actor??;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(REST_WITHIN, rest)
        .await
        .context("an actor cannot hand in what it has")??;
    for worker in &mut world.workers {
        worker.end().await?;
    }
    let leader = end_runs(&world, &runs).await?;
    history.flush()?;
    let history = history::read(&path)?;
    let found = check::check(&history, &world.database, &leader).await?;
    for part in &mut world.coordinators {
        part.end().await?;
    }
    tokio::task::spawn_blocking(move || world.postgres.stop()).await??;
    Ok(Outcome { seconds: span.as_secs(), faults, gaps, found })
}

/// The unprivileged user of the database passes through the folder.
fn open_to_postgres(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(folder)?;
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?)
}

/// A tune of each optimiser and a match, with more pairs than anybody plays; the real workers know the
/// parameters of the match alone.
async fn file_runs(world: &World) -> anyhow::Result<Vec<i64>> {
    let mut control = control(world).await?;
    let mut runs = Vec::new();
    let of_engine = {
        let mut spec = specs::fixed_match(PAIRS, 5);
        if let Some(v1::run_spec::Job::Test(test)) = &mut spec.job {
            let value = v1::ParameterValue { name: "rfp_margin".to_owned(), value: 60.0 };
            test.candidate = Some(v1::ParameterSet { values: vec![value] });
            test.base = Some(v1::ParameterSet::default());
        }
        spec
    };
    let filed = [
        specs::tune(PAIRS, 4),
        specs::regression(PAIRS, 6),
        specs::fixed_match(PAIRS, 5),
        of_engine,
    ];
    for (number, spec) in filed.into_iter().enumerate() {
        let request = v1::CreateRunRequest {
            spec: Some(spec),
            book: specs::book_text().into_bytes().into(),
            idempotency_key: format!("chaos-run-{number}"),
        };
        runs.push(control.create_run(request).await?.into_inner().run_id);
    }
    Ok(runs)
}

type Control = v1::control_service_client::ControlServiceClient<tonic::transport::Channel>;

/// The control service of whoever leads.
async fn control(world: &World) -> anyhow::Result<Control> {
    let leader = leader(world).await?;
    let channel = proto::connect(&leader, Some(&testkit::admin())).await?;
    Ok(Control::new(channel).max_encoding_message_size(proto::MAX_MESSAGE_BYTES))
}

async fn leader(world: &World) -> anyhow::Result<String> {
    let began = Instant::now();
    loop {
        if let Some(leader) = world.leader().await {
            return Ok(world.places[leader].clone());
        }
        anyhow::ensure!(began.elapsed() < REST_WITHIN, "no coordinator leads");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Stops the runs, whoever leads by then.
async fn end_runs(world: &World, runs: &[i64]) -> anyhow::Result<String> {
    for run_id in runs {
        let request = v1::StopRunRequest { run_id: *run_id, reason: "the end".to_owned() };
        control(world).await?.stop_run(request).await?;
    }
    leader(world).await
}
