//! What a worker is told before it starts, resolved: nothing in here is looked up again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

use crate::shelf::Mode;
use crate::{Hours, Status};
use model::{GameKind, RunId};

/// The most games at a time that a worker takes on.
pub(crate) const MAX_SLOTS: u32 = 1024;

/// What a worker confines itself to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Runs of this game.
    Game(GameKind),
    /// This run.
    Run(RunId),
}

impl std::str::FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let game = GameKind::ALL.into_iter().find(|game| game.name() == text);
        let run = || text.parse().ok().filter(|id: &i64| *id > 0).map(|id| Only::Run(RunId(id)));
        game.map(Only::Game).or_else(run).ok_or_else(|| {
            let games = GameKind::ALL.map(GameKind::name).join(", ");
            format!("allowed: the number of a run, or one of {games}")
        })
    }
}

/// What a worker does with engines that are not this project's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Externals {
    /// Whether it plays them.
    pub allowed: bool,
    /// How much sandbox there has to be.
    pub sandbox: Mode,
    /// The program that shuts them in: one that calls `sandbox::serve_if_called` first thing.
    pub helper: Option<PathBuf>,
    /// The most memory that it allows each of them, its table included, in MiB.
    pub memory_mib: u64,
    /// MiB of their programs that are kept for later runs.
    pub cache_mib: u64,
}

impl Default for Externals {
    /// None is played.
    fn default() -> Self {
        Self {
            allowed: false,
            sandbox: Mode::Required,
            helper: None,
            memory_mib: 8 * 1024,
            cache_mib: 4 * 1024,
        }
    }
}

/// Everything that decides how a worker behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the coordinator is: `http://HOST:PORT`.
    pub coordinator_url: String,
    /// For people; 1 to 80 characters.
    pub name: String,
    /// Games played at the same time; 1 to 1024.
    pub slots: u32,
    /// The worker's own directory: its key and what it has not delivered yet.
    pub state_dir: PathBuf,
    /// The largest transposition table that a lease may ask for, in KiB for each engine; a slot has
    /// two.
    pub max_hash_kib: u32,
    /// What it does with engines of others.
    pub externals: Externals,
    /// Tables of endings of chess, for runs that ask for them.
    pub tablebases: Option<Arc<arena::Tablebases>>,
    /// How far the games stand behind other programs: 0 to 19; as the worker was started if absent.
    pub nice: Option<i32>,
    /// When it plays; always if absent.
    pub hours: Option<Hours>,
    /// The only thing that it plays, if there is one.
    pub only: Option<Only>,
    /// The shortest upper bound of the random wait before a new connection.
    pub backoff_base: Duration,
    /// The longest one.
    pub backoff_cap: Duration,
    /// Where the state of the worker is told while it runs, for a status line.
    pub status: Option<watch::Sender<Status>>,
    /// Where its metrics are shown, if anywhere.
    pub metrics: Option<telemetry::Port>,
    /// To whom it tells the steps of its work.
    pub traces: telemetry::Traces,
}

impl Settings {
    /// Settings with the usual limits: 256 MiB for each table, waits of up to 0.5 s growing to 60 s.
    #[must_use]
    pub fn new(
        coordinator_url: impl Into<String>,
        name: impl Into<String>,
        slots: u32,
        state_dir: impl Into<PathBuf>,
    ) -> Self {
        Self {
            coordinator_url: coordinator_url.into(),
            name: name.into(),
            slots: slots.clamp(1, MAX_SLOTS),
            state_dir: state_dir.into(),
            max_hash_kib: 256 * 1024,
            externals: Externals::default(),
            tablebases: None,
            nice: None,
            hours: None,
            only: None,
            backoff_base: Duration::from_millis(500),
            backoff_cap: Duration::from_secs(60),
            status: None,
            metrics: None,
            traces: telemetry::Traces::default(),
        }
    }
}
