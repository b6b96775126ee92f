//! The command line of a worker, shared by the `worker` program and the `elomill worker` subcommand.

use crate::settings::MAX_SLOTS;
use crate::shelf::Mode;
use crate::{Enrolled, Externals, Hours, Only, Settings, Shutdown};
use anyhow::Context;
use arena::{TablebaseSettings, Tablebases};
use keys::{Address, Link};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Plays games for a coordinator until it is interrupted.
///
/// The first interrupt finishes the pairs in play and reports them; the second gives everything back
/// and ends at once.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Address of the coordinator: https://HOST:PORT#FINGERPRINT [default: the one that this worker
    /// has joined]
    #[arg(long, value_name = "URL", env = "ELOMILL_COORDINATOR", value_parser = parse_address)]
    pub coordinator: Option<Address>,

    /// Games played at the same time, each on a core [default: one for each logical core]
    #[arg(long, visible_alias = "cores", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SLOTS)))]
    pub slots: Option<u32>,

    /// Name of this worker, for people [default: the machine's name]
    #[arg(long, value_parser = parse_name)]
    pub name: Option<String>,

    /// Directory for the worker's key and for what is not delivered yet
    /// [default: the user's directory for such data, then `elomill/worker`]
    #[arg(long, value_name = "DIR", env = "ELOMILL_WORKER_STATE")]
    pub state_dir: Option<PathBuf>,

    /// Largest transposition table that a run may ask for, in MiB; each slot has two
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub max_hash_mib: u32,

    /// Show metrics for Prometheus, at this address or 127.0.0.1:8119; whoever reaches it can read
    /// them
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8119")]
    pub metrics: Option<SocketAddr>,

    /// Tell every step of a pair, as a trace for each lease, to this OpenTelemetry collector, by OTLP
    /// over gRPC
    #[arg(long, value_name = "http://HOST:PORT")]
    pub otlp: Option<telemetry::Collector>,

    /// Memory for the transposition tables of all slots together, in MiB, in place of
    /// --max-hash-mib
    #[arg(long, value_name = "MIB", conflicts_with = "max_hash_mib", value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    pub memory: Option<u32>,

    /// Play the engine built in alone, never a program that somebody has published
    #[arg(long)]
    pub builtin_only: bool,

    /// What has to shut programs of others in: required (no network, no files, no other process, or
    /// they are not played), best (what this machine offers), off
    #[arg(long, value_name = "MODE", default_value = "required")]
    pub sandbox: Mode,

    /// The most memory for each program of others, its table included, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = clap::value_parser!(u64).range(64..=1 << 24))]
    pub max_engine_mib: u64,

    /// Folders with Syzygy tables of chess, divided as in PATH, for runs that end games by them
    #[arg(long, value_name = "PATH", env = "ELOMILL_TB")]
    pub tb: Option<String>,

    /// MiB of programs of others that are kept for later runs; the longest unused go
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub engine_cache_mib: u64,

    /// Leave the cores to others first: 0 is as everybody, 19 is last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=19))]
    pub nice: Option<i32>,

    /// Play only in these hours of the day, in local time, as 22-07 or 08:30-17:00
    #[arg(long, value_name = "FROM-TO")]
    pub hours: Option<Hours>,

    /// Play only this game, or this run
    #[arg(long, value_name = "GAME|RUN")]
    pub only: Option<Only>,
}

impl Args {
    /// The settings that the arguments and the machine amount to.
    ///
    /// # Errors
    /// No state directory is given, and the user has no directory for such data; the address of the
    /// metrics cannot be listened on.
    pub fn resolve(self) -> anyhow::Result<Settings> {
        let state_dir = self.state_dir()?;
        let address = match self.coordinator {
            Some(address) => address,
            None => crate::coordinator_of(&state_dir)?.ok_or_else(|| {
                anyhow::anyhow!(
                    "this worker has joined no coordinator\nhint: ask its operator for a link, \
                     then type `elomill worker join LINK`"
                )
            })?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let slots = self.slots.unwrap_or_else(|| u32::try_from(cores).unwrap_or(MAX_SLOTS));
        let name = self.name.unwrap_or_else(machine_name);
        let mut settings = Settings::new(address.to_string(), name, slots, state_dir);
        settings.max_hash_kib = match self.memory {
            // Two engines in each slot.
            Some(mib) => u32::try_from(u64::from(mib) * 1024 / (2 * u64::from(settings.slots)))
                .unwrap_or(u32::MAX),
            None => self.max_hash_mib * 1024,
        };
        settings.externals = Externals {
            allowed: !self.builtin_only,
            sandbox: self.sandbox,
            helper: std::env::current_exe().ok(),
            memory_mib: self.max_engine_mib,
            cache_mib: self.engine_cache_mib,
        };
        if let Some(path) = self.tb {
            let tables = TablebaseSettings { path, men: None, ignore_fifty: false };
            settings.tablebases = Some(Arc::new(Tablebases::open(&tables).context("--tb")?));
        }
        (settings.hours, settings.only) = (self.hours, self.only);
        settings.nice = self.nice;
        if let Some(address) = self.metrics {
            let port = telemetry::Port::open(address);
            settings.metrics =
                Some(port.with_context(|| format!("cannot show metrics on {address}"))?);
        }
        if let Some(collector) = self.otlp {
            let version = env!("CARGO_PKG_VERSION");
            settings.traces = telemetry::Traces::to(&collector, "elomill-worker", version)?;
        }
        Ok(settings)
    }
}

impl Args {
    /// The worker's own directory.
    ///
    /// # Errors
    /// None is given, and the user has no directory for such data.
    pub fn state_dir(&self) -> anyhow::Result<PathBuf> {
        self.state_dir.clone().or_else(default_state_dir).ok_or_else(|| {
            anyhow::anyhow!("no directory for the worker's state is known; give --state-dir DIR")
        })
    }
}

/// `worker pause` and `worker resume`: which worker of this machine is meant.
#[derive(Clone, Debug, clap::Args)]
pub struct StateArgs {
    /// Directory of the worker's state
    #[arg(long, value_name = "DIR", env = "ELOMILL_WORKER_STATE")]
    pub state_dir: Option<PathBuf>,
}

impl StateArgs {
    /// The worker's own directory.
    ///
    /// # Errors
    /// None is given, and the user has no directory for such data.
    pub fn resolve(self) -> anyhow::Result<PathBuf> {
        self.state_dir.or_else(default_state_dir).ok_or_else(|| {
            anyhow::anyhow!("no directory for the worker's state is known; give --state-dir DIR")
        })
    }
}

/// `worker join`: a link, and how to play from then on.
#[derive(Clone, Debug, clap::Args)]
pub struct JoinArgs {
    /// The link that the operator has given, in quotes
    #[arg(value_name = "LINK")]
    pub link: Link,
    /// How to play
    #[command(flatten)]
    pub args: Args,
}

impl JoinArgs {
    /// Redeems the link and gives back how to play for its coordinator, which is remembered.
    ///
    /// # Errors
    /// The coordinator cannot be reached or believed, or refuses; the state directory cannot be
    /// used.
    pub async fn join(mut self) -> anyhow::Result<(Enrolled, Settings)> {
        let state_dir = self.args.state_dir()?;
        let name = self.args.name.clone().unwrap_or_else(machine_name);
        let enrolled = crate::join(&self.link, &state_dir, &name).await?;
        self.args.coordinator = Some(self.link.address);
        Ok((enrolled, self.args.resolve()?))
    }
}

/// Turns interrupts from the keyboard, and a service manager's requests to end, into the stages of a
/// shutdown, for as long as it is polled.
///
/// # Errors
/// The system does not let signals be listened for.
pub async fn interrupts(shutdown: Shutdown) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        loop {
            tokio::select! {
                heard = tokio::signal::ctrl_c() => heard?,
                _ = terminate.recv() => {}
            }
            shutdown.interrupt();
        }
    }
    #[cfg(not(unix))]
    loop {
        tokio::signal::ctrl_c().await?;
        shutdown.interrupt();
    }
}

fn parse_address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|error: keys::AddressError| error.to_string())
}

fn parse_name(text: &str) -> Result<String, String> {
    if (1..=80).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
        return Ok(text.to_owned());
    }
    Err("allowed: 1 to 80 printable characters".to_owned())
}

#[cfg(unix)]
fn machine_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    parse_name(&name).unwrap_or_else(|_| "worker".to_owned())
}

#[cfg(not(unix))]
fn machine_name() -> String {
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    parse_name(&name).unwrap_or_else(|_| "worker".to_owned())
}

fn default_state_dir() -> Option<PathBuf> {
    let from = |variable| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        from("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        from("HOME")?.join("Library/Application Support")
    } else {
        from("XDG_STATE_HOME").or_else(|| Some(from("HOME")?.join(".local/state")))?
    };
    Some(base.join("elomill").join("worker"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use model::{GameKind, RunId};

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    fn parse(args: &[&str]) -> Result<Settings, String> {
        let line = ["worker", "--coordinator", "https://h:1", "--state-dir", "/s"];
        Program::try_parse_from(line.iter().chain(args))
            .map_err(|e| e.to_string())
            .and_then(|program| program.args.resolve().map_err(|e| e.to_string()))
    }

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Program::command().debug_assert();
    }

    #[test]
    fn what_is_left_out_comes_from_the_machine() {
        let settings = parse(&[]).unwrap();
        assert!(settings.slots >= 1);
        assert!(!settings.name.is_empty());
        assert_eq!(settings.max_hash_kib, 256 * 1024);
        let settings = parse(&["--cores", "2", "--memory", "512", "--hours", "22-07"]).unwrap();
        assert_eq!((settings.slots, settings.max_hash_kib), (2, 128 * 1024));
        assert_eq!(settings.hours, "22-07".parse().ok());
        assert_eq!(parse(&["--only", "chess"]).unwrap().only, Some(Only::Game(GameKind::Chess)));
        assert_eq!(parse(&["--only", "7"]).unwrap().only, Some(Only::Run(RunId(7))));
        let settings = parse(&["--slots", "3", "--name", "attic"]).unwrap();
        assert_eq!((settings.slots, settings.name.as_str()), (3, "attic"));
    }

    #[test]
    fn nonsense_is_refused_with_what_is_allowed() {
        assert!(parse(&["--slots", "0"]).unwrap_err().contains("1..=1024"));
        assert!(parse(&["--only", "go"]).unwrap_err().contains("allowed: the number of a run"));
        assert!(parse(&["--hours", "7"]).unwrap_err().contains("as 22-07"));
        assert!(parse(&["--name", ""]).unwrap_err().contains("1 to 80 printable"));
        for url in ["localhost:1", "http://mill.example:1", "https://", "https://a b"] {
            let error = Program::try_parse_from(["worker", "--coordinator", url]).unwrap_err();
            assert!(error.to_string().contains("allowed: https://HOST:PORT"), "{url}");
        }
        let alone = Program::try_parse_from(["worker", "--state-dir", "/nowhere"]).unwrap();
        let error = alone.args.resolve().unwrap_err().to_string();
        assert!(error.contains("elomill worker join LINK"), "{error}");
    }
}
