//! `worker doctor`: what this machine can do for a coordinator, and why it does nothing now.
//!
//! Everything is measured here and now; the coordinator is asked for its own reason.

use crate::backoff::random_share;
use crate::offer::Offer;
use crate::{Settings, convert, engines, rest};
use keys::SecretKey;
use model::GameKind;
use proto::v1;
use proto::v1::key_service_client::KeyServiceClient;
use proto::v1::worker_service_client::WorkerServiceClient;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this program.
    pub version: &'static str,
    /// Operating system and architecture.
    pub platform: String,
    /// Logical cores.
    pub cores: usize,
    /// What of its instructions the processor has that an engine may use.
    pub cpu_features: Vec<&'static str>,
    /// The speed of each game.
    pub speeds: Vec<Speed>,
    /// How late sleeps of a millisecond end.
    pub jitter: Jitter,
    /// How programs of others are shut in.
    pub externals: ExternalsReport,
    /// The state directory.
    pub disk: Disk,
    /// The coordinator, or why it cannot be asked.
    pub coordinator: Result<Coordinator, String>,
    /// What keeps this worker from playing by its own settings, if something does.
    pub rests: Option<&'static str>,
}

/// How fast the built-in engine plays a game on one core.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Speed {
    /// The game.
    pub game: GameKind,
    /// Nodes of the fixed benchmark: the fingerprint of the engine.
    pub bench_nodes: u64,
    /// Nodes a second.
    pub nodes_per_second: u64,
}

/// What this worker does with engines of others.
#[derive(Clone, Debug, Serialize)]
pub struct ExternalsReport {
    /// Whether it plays them.
    pub played: bool,
    /// How much sandbox it asks for: `required`, `best` or `off`.
    pub mode: &'static str,
    /// How far they are shut in, or why they are not played.
    pub sandbox: String,
}

/// Lateness of this machine's scheduler.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Jitter {
    /// The middle one of all sleeps, in microseconds.
    pub median_us: u64,
    /// The latest of all sleeps, in microseconds.
    pub worst_us: u64,
}

/// The disk under the state directory.
#[derive(Clone, Debug, Serialize)]
pub struct Disk {
    /// Bytes that are free, where the system says so.
    pub free_bytes: Option<u64>,
    /// How long it takes to write 64 KiB durably, in milliseconds, or why it cannot be done.
    pub write_ms: Result<f64, String>,
}

/// What the coordinator says.
#[derive(Clone, Debug, Serialize)]
pub struct Coordinator {
    /// Where it is, with the fingerprint of its certificate.
    pub address: String,
    /// Its version.
    pub version: String,
    /// Whose this worker's key counts as.
    pub owner: String,
    /// Number of the key.
    pub key: i64,
    /// A round trip of an open connection, in milliseconds.
    pub round_trip_ms: f64,
    /// Its clock against this machine's, in seconds; positive when it is ahead.
    pub clock_ahead_seconds: f64,
    /// Whether a session of this worker is open.
    pub connected: bool,
    /// Leases that it has.
    pub leases: u32,
    /// The coordinator's name for why this worker gets nothing; empty when there is work.
    pub idle_reason: String,
    /// The same for people.
    pub idle_text: String,
}

/// Examines this machine and asks the coordinator. Takes a few seconds.
pub async fn examine(settings: &Settings) -> Report {
    let externals = settings.externals.clone();
    let measured =
        tokio::task::spawn_blocking(move || (speeds(), jitter(), engines::guard(&externals))).await;
    let ((offers, speeds), jitter, guard) =
        measured.expect("fixed searches and sleeps do not panic");
    let guard = guard.as_ref().map_err(String::as_str);
    let tables = settings.tablebases.as_deref();
    let arena = engines::offer(guard, &settings.externals, tables);
    Report {
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        cpu_features: cpu_features(),
        speeds,
        jitter,
        externals: ExternalsReport {
            played: arena.externals,
            mode: settings.externals.sandbox.name(),
            sandbox: arena.sandbox.clone(),
        },
        disk: disk(&settings.state_dir),
        coordinator: ask(settings, &offers, arena).await,
        rests: rest::rest(&settings.state_dir, settings.hours).map(rest::Rest::text),
    }
}

fn speeds() -> (Vec<Offer>, Vec<Speed>) {
    let mut offers = Vec::new();
    let mut speeds = Vec::new();
    for offer in crate::offer::each() {
        let (offer, _) = offer;
        speeds.push(Speed {
            game: offer.game,
            bench_nodes: offer.bench.0,
            nodes_per_second: offer.speed.0,
        });
        offers.push(offer);
    }
    (offers, speeds)
}

/// How late a hundred sleeps of a millisecond end.
fn jitter() -> Jitter {
    let mut late: Vec<u64> = (0..100)
        .map(|_| {
            let begun = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            let late = begun.elapsed().saturating_sub(Duration::from_millis(1));
            u64::try_from(late.as_micros()).unwrap_or(u64::MAX)
        })
        .collect();
    late.sort_unstable();
    Jitter { median_us: late[late.len() / 2], worst_us: late[late.len() - 1] }
}

fn disk(state_dir: &Path) -> Disk {
    let write = || -> std::io::Result<f64> {
        std::fs::create_dir_all(state_dir)?;
        let path = state_dir.join(format!("doctor-{:.0}.tmp", 1e15 * random_share()));
        let begun = Instant::now();
        let mut file = std::fs::File::create(&path)?;
        let written = file.write_all(&[0x5a; 64 * 1024]).and_then(|()| file.sync_all());
        let took = begun.elapsed().as_secs_f64() * 1e3;
        std::fs::remove_file(&path)?;
        written.map(|()| took)
    };
    Disk { write_ms: write().map_err(|error| error.to_string()), free_bytes: free(state_dir) }
}

#[cfg(unix)]
fn free(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

async fn ask(
    settings: &Settings,
    offers: &[Offer],
    arena: v1::ArenaOffer,
) -> Result<Coordinator, String> {
    let key = settings.state_dir.join(crate::identity::KEY);
    let key = SecretKey::read_or_make(&key).map_err(|error| error.to_string())?;
    let url = &settings.coordinator_url;
    let channel = proto::connect(url, Some(&key)).await.map_err(|error| {
        match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        }
    })?;
    let refused = |status: tonic::Status| model::printable(status.message(), 400);
    let begun = Instant::now();
    let who = KeyServiceClient::new(channel.clone()).who_am_i(v1::WhoAmIRequest {}).await;
    let who = who.map_err(refused)?.into_inner();
    let took = begun.elapsed();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Half a round trip is what the answer was under way, as far as can be known.
    let ahead = who.unix_ms as f64 / 1e3 + took.as_secs_f64() / 2.0 - now.as_secs_f64();
    let hello = Some(convert::hello(settings, offers, arena, std::iter::empty()));
    let explained = WorkerServiceClient::new(channel).explain(v1::ExplainRequest { hello }).await;
    let explained = explained.map_err(refused)?.into_inner();
    let own = who.key.unwrap_or_default();
    Ok(Coordinator {
        address: url.clone(),
        version: model::printable(&who.coordinator_version, 40),
        owner: model::printable(&own.owner, 80),
        key: own.key_id,
        round_trip_ms: took.as_secs_f64() * 1e3,
        clock_ahead_seconds: (ahead * 10.0).round() / 10.0,
        connected: explained.connected,
        leases: explained.leases,
        idle_reason: match explained.reason() {
            v1::IdleReason::Unspecified => String::new(),
            reason => reason.as_str_name().trim_start_matches("IDLE_REASON_").to_lowercase(),
        },
        idle_text: model::printable(&explained.text, 200),
    })
}

/// What the processor has, of what engines are built for.
fn cpu_features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! note {
            ($($name:tt),*) => {
                $(if std::arch::is_x86_feature_detected!($name) { found.push($name); })*
            };
        }
        note!("sse4.1", "popcnt", "avx2", "bmi2", "avx512f", "avx512bw", "avx512vnni");
    }
    #[cfg(target_arch = "aarch64")]
    {
        macro_rules! note {
            ($($name:tt),*) => {
                $(if std::arch::is_aarch64_feature_detected!($name) { found.push($name); })*
            };
        }
        note!("neon", "dotprod", "i8mm", "sve");
    }
    found
}
