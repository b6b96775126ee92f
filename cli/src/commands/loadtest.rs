//! `elomill loadtest`: how much a coordinator holds.
//!
//! Opens as many workers as are asked for, each with a key, a TLS connection and a stream of its own,
//! all in this process, against a coordinator in another process with a Postgres on disk; or against
//! one that runs already. The workers report prepared games at a fixed rate, whatever the answers take,
//! and the times are counted from when each call was due.

mod fleet;
mod outcome;
mod script;
mod tally;
mod target;

use crate::client::{Control, explain};
use crate::data_dir::DataDirArgs;
use crate::endpoint::Locator;
use crate::interrupt::Interrupt;
use crate::output::{hinted, json, line, say};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fleet::Orders;
use model::spec::KeepMoves;
use model::{GameKind, RunId};
use outcome::{Outcome, Rise};
use proto::v1;
use script::Script;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Sizes, Snapshot};
use tally::{Call, Tally};
use target::{Target, Used};
use tokio::task::JoinSet;

/// How long what is due at the end may take to be answered.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);
/// How long workers may take to connect, or to come back.
const CONNECT_WITHIN: Duration = Duration::from_secs(600);
/// The share of the workers whose return is timed.
const MOST_WORKERS: f64 = 0.95;
/// Files that a process opens besides the connections of its workers.
const OTHER_FILES: u64 = 200;

/// What the command takes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Workers, each with a key, a connection and a stream of its own
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=200_000))]
    workers: u32,
    /// How long is measured, once all are connected
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Reports in a second, of all workers together [default: one from each worker in two seconds]
    #[arg(long, value_name = "N")]
    reports: Option<f64>,
    /// Pairs of a lease
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    lease_pairs: u32,
    /// Pairs of a report
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    report_pairs: u32,
    /// Who plays games again. All workers of the test are new, and of a new worker the first ten pairs are
    /// all played again
    #[arg(long, value_name = "WHO", default_value = "auto", conflicts_with = "connect", value_parser = ["auto", "owners", "workers", "off"])]
    audits: String,
    /// Whose games are reported: those of the engine built in, played before the test
    #[arg(long, value_name = "GAME", default_value = "xiangqi", value_parser = games())]
    game: GameKind,
    /// Pairs whose moves the ledger keeps: all, none, or sample=P%
    #[arg(long, value_name = "SHARE", default_value_t = KeepMoves::ALL)]
    keep_moves: KeepMoves,
    /// Hold a read transaction open while measuring, as a report over the whole ledger would
    #[arg(long)]
    hold_snapshot: bool,
    /// Kill the coordinator with SIGKILL after the measurement, start another in its place, and measure
    /// how soon the workers are back
    #[arg(long, conflicts_with = "connect")]
    kill: bool,
    /// A coordinator that runs already, in place of one of the test's own; it keeps the run and the
    /// keys of the test
    #[arg(long, value_name = "URL")]
    connect: Option<String>,
    #[command(flatten)]
    data_dir: DataDirArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn games() -> impl TypedValueParser<Value = GameKind> {
    PossibleValuesParser::new(GameKind::ALL.map(GameKind::name)).map(|name| {
        GameKind::ALL.into_iter().find(|game| game.name() == name).unwrap_or(GameKind::Xiangqi)
    })
}

impl Args {
    /// # Errors
    /// The coordinator does not start or is not reached, or refuses the run or the workers.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let interrupt = Interrupt::listen()?;
        self.allow_files()?;
        let game = self.game;
        let script = tokio::task::spawn_blocking(move || Script::play(game)).await??;
        let mut target = match &self.connect {
            Some(_) => None,
            None => Some(Target::start(&self.audits).await?),
        };
        let tested = tokio::select! {
            tested = self.test(script, &mut target) => tested,
            () = interrupt.finish.cancelled() => Err(anyhow::anyhow!("interrupted")),
        };
        if let Some(target) = target {
            target.end().await?;
        }
        let outcome = tested?;
        if self.json {
            json(&outcome)?;
        } else {
            line(outcome.table())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Raises the limit of open files to what the test needs.
    fn allow_files(&self) -> anyhow::Result<()> {
        let needed = u64::from(self.workers) + OTHER_FILES;
        match coordinator::raise_open_files() {
            Some(allowed) if allowed < needed => Err(hinted(
                format_args!(
                    "{} workers need {needed} open files; this system allows a process {allowed}",
                    self.workers
                ),
                "raise the hard limit (`ulimit -Hn`), or test with fewer workers",
            )),
            _ => Ok(()),
        }
    }

    async fn test(&self, script: Script, target: &mut Option<Target>) -> anyhow::Result<Outcome> {
        let locator = match (&self.connect, &target) {
            (Some(url), _) => Locator::at(&url.parse()?, self.data_dir.resolve()?),
            (None, Some(target)) => Locator::of(target.folder().clone()),
            (None, None) => anyhow::bail!("there is no coordinator to test"),
        };
        let plies_of_game = script.plies_of_game;
        let mut control = Control::connect(&locator).await?;
        let run =
            control.create(&script.spec(self.lease_pairs, self.keep_moves), &script.book).await?;
        let token = self.invite(&mut control).await?;
        let reports = self.reports.unwrap_or(f64::from(self.workers) / 2.0).max(0.01);
        let interval = Duration::from_secs_f64(f64::from(self.workers) / reports);
        let tally = Arc::new(Tally::new()?);
        let (workers, report_pairs) = (self.workers as usize, self.report_pairs as usize);
        let orders = Orders::new(
            locator.url()?,
            token,
            script,
            workers,
            interval,
            report_pairs,
            tally.clone(),
        );
        let orders = Arc::new(orders);
        let alone = target.as_ref().and_then(Target::used);
        let began = Instant::now();
        say(format_args!("connecting {workers} workers"));
        let mut fleet = JoinSet::new();
        for number in 0..workers {
            fleet.spawn(fleet::live(Arc::clone(&orders), number));
        }
        reach(&tally, workers, CONNECT_WITHIN).await?;
        let connected_s = began.elapsed().as_secs_f64();
        let connected = target.as_ref().and_then(Target::used);
        let measured = self.measure(&orders, target.as_ref()).await;
        let (taken, sizes) = measured?;
        let rise = match target {
            Some(target) if self.kill => Some(kill(target, &tally, workers).await?),
            _ => None,
        };
        orders.stop.cancel();
        while fleet.join_next().await.is_some() {}
        end_run(&locator, run).await?;
        let (refused, last_trouble) = tally.troubles();
        let rss_kib = |at: Option<Used>| at.map(|used| used.rss_kib);
        let per_worker = |kib: u64| kib as f64 / workers as f64;
        let grown = |later: Option<u64>| Some(per_worker(later?.saturating_sub(rss_kib(alone)?)));
        Ok(Outcome {
            workers: self.workers,
            seconds: taken.seconds,
            game: self.game.name(),
            plies_of_game,
            keep_moves: self.keep_moves.to_string(),
            lease_pairs: self.lease_pairs,
            report_pairs: self.report_pairs,
            audits: self.audits.clone(),
            offered_reports_per_s: reports,
            connected_s,
            leases_per_s: tally.times(Call::Lease).calls as f64 / taken.seconds,
            reports_per_s: tally.times(Call::Report).calls as f64 / taken.seconds,
            heartbeats_per_s: taken.heartbeats as f64 / taken.seconds,
            join: tally.times(Call::Join),
            lease: tally.times(Call::Lease),
            report: tally.times(Call::Report),
            unanswered: tally.open_calls(Call::Lease) + tally.open_calls(Call::Report),
            refused,
            rss_kib_per_worker_connected: grown(rss_kib(connected)),
            rss_kib_per_worker_loaded: grown(rss_kib(taken.end)),
            coordinator_us_per_call: taken.per_call(|used| used.coordinator_s),
            postgres_us_per_call: taken.per_call(|used| used.postgres_s),
            generator_us_per_call: taken.per_call(|used| used.generator_s),
            ledger_bytes_per_game: sizes.as_ref().map(|sizes| sizes.ledger),
            moves_bytes_per_game: sizes.as_ref().map(|sizes| sizes.moves),
            rise,
            last_trouble,
        })
    }

    async fn invite(&self, control: &mut Control) -> anyhow::Result<proto::Bytes> {
        let request = v1::InviteRequest {
            owner: "load test".to_owned(),
            role: v1::Role::Worker.into(),
            expires_in_seconds: 86_400,
            uses: self.workers,
        };
        Ok(control.keys().invite(request).await.map_err(explain)?.into_inner().token)
    }

    /// Measures for the time that was asked for.
    async fn measure(
        &self,
        orders: &Orders,
        target: Option<&Target>,
    ) -> anyhow::Result<(Taken, Option<BytesOfGame>)> {
        let span = Duration::from_secs(self.seconds.into());
        let tally = &orders.tally;
        let database = target.map(Target::database_url).transpose()?;
        let before = sizes(database.as_deref()).await?;
        let held = match &database {
            Some(url) if self.hold_snapshot => Some(Snapshot::take(url).await?),
            _ => None,
        };
        say(format_args!("measuring for {} s", self.seconds));
        let begin = target.and_then(Target::used);
        tally.open(span);
        tokio::time::sleep(span).await;
        let (end, heartbeats) = (target.and_then(Target::used), tally.progress());
        orders.rest.cancel();
        let waited = Instant::now();
        while tally.open_calls(Call::Report) > 0 && waited.elapsed() < ANSWERS_WITHIN {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        if let Some(held) = held {
            held.release().await;
        }
        let calls = tally.times(Call::Lease).calls + tally.times(Call::Report).calls + heartbeats;
        let bytes = match (before, sizes(database.as_deref()).await?) {
            (Some(before), Some(after)) => BytesOfGame::between(before, after),
            _ => None,
        };
        let seconds = span.as_secs_f64();
        Ok((Taken { seconds, heartbeats, calls, begin, end }, bytes))
    }
}

/// What was taken over the measured time.
struct Taken {
    seconds: f64,
    heartbeats: u64,
    calls: u64,
    begin: Option<Used>,
    end: Option<Used>,
}

impl Taken {
    /// Microseconds of a processor for each call.
    fn per_call(&self, of: impl Fn(&Used) -> f64) -> Option<f64> {
        Some((of(self.end.as_ref()?) - of(self.begin.as_ref()?)) * 1e6 / self.calls.max(1) as f64)
    }
}

/// Bytes that the tables grew by for each game.
struct BytesOfGame {
    ledger: f64,
    moves: f64,
}

impl BytesOfGame {
    fn between(before: (Sizes, u64), after: (Sizes, u64)) -> Option<Self> {
        let games = 2 * after.1.checked_sub(before.1).filter(|pairs| *pairs > 0)?;
        let grown = |after: u64, before: u64| after.saturating_sub(before) as f64 / games as f64;
        Some(Self {
            ledger: grown(after.0.ledger, before.0.ledger),
            moves: grown(after.0.moves, before.0.moves),
        })
    }
}

/// Bytes of the tables, and the pairs in them.
async fn sizes(database: Option<&str>) -> anyhow::Result<Option<(Sizes, u64)>> {
    let Some(url) = database else { return Ok(None) };
    let mut snapshot = Snapshot::take(url).await?;
    let sizes = snapshot.sizes().await?;
    let pairs = snapshot.holdings().await?.pairs;
    snapshot.release().await;
    Ok(Some((sizes, pairs)))
}

/// Waits until so many workers are connected.
async fn reach(tally: &Tally, workers: usize, within: Duration) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut told = Instant::now();
    loop {
        let connected = tally.connected(0);
        if connected >= workers {
            return Ok(());
        }
        if began.elapsed() > within {
            let (_, why) = tally.troubles();
            anyhow::bail!(
                "only {connected} of {workers} workers are connected; the last trouble: {why}"
            );
        }
        if told.elapsed() > Duration::from_secs(5) {
            told = Instant::now();
            say(format_args!("{connected} of {workers} connected"));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Kills the coordinator and times what follows.
async fn kill(target: &mut Target, tally: &Tally, workers: usize) -> anyhow::Result<Rise> {
    say("killing the coordinator");
    let began = Instant::now();
    target.kill_and_start().await?;
    let serving_s = began.elapsed().as_secs_f64();
    let most = (workers as f64 * MOST_WORKERS).ceil() as usize;
    reach(tally, most.max(1), CONNECT_WITHIN).await?;
    Ok(Rise { serving_s, most_back_s: began.elapsed().as_secs_f64() })
}

async fn end_run(locator: &Locator, run: RunId) -> anyhow::Result<()> {
    Control::connect(locator).await?.stop(run, "the load test is over".to_owned()).await
}
