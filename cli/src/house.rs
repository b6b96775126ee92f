//! The whole of Elomill on one machine: Postgres, the coordinator and a worker, opened and closed as
//! one.
//!
//! Opened from the ground up (database, coordinator, worker) and closed from the top down, so that
//! what was played is handed in before the one who takes it goes. Each part is kept alive by a
//! supervisor of its own; what a kill -9 leaves behind is taken up by the next start.

mod coordinator_part;
mod database_part;
mod worker_part;

use crate::client::Control;
use crate::data_dir::{DataDir, DataDirArgs, DataDirLock};
use crate::endpoint::{Endpoint, Locator, pages};
use crate::interrupt::Interrupt;
use crate::output::{hinted, say};
use clap::Args;
use coordinator::{Lead, TlsArgs};
use coordinator_part::CoordinatorPart;
use database_part::DatabasePart;
use keys::{Address, Fingerprint, PublicKey};
use model::Role;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;
use store::NewKey;
use telemetry::{Collector, Traces};
use tokio_util::sync::CancellationToken;
use worker_part::WorkerPart;

pub(crate) use database_part::programs;
pub(crate) use worker_part::FINISH;

/// Where a house listens when nobody says otherwise.
const USUAL_PORT: u16 = 8117;

/// What `up` and `demo` have in common.
#[derive(Args, Clone, Debug)]
pub(crate) struct HouseArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
    /// A Postgres from version 14 on, in place of the private one
    #[arg(long, value_name = "URL", env = crate::env::DATABASE_URL, hide_env_values = true)]
    database_url: Option<String>,
    /// Fail rather than fetch Postgres where the machine has none
    #[arg(long)]
    no_download: bool,
    /// Address for gRPC and the web pages, as 0.0.0.0:8117 for workers on other machines
    /// [default: 127.0.0.1:8117, or a free port]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<SocketAddr>,
    /// Show metrics of the coordinator for Prometheus, at this address or 127.0.0.1:8118; whoever
    /// reaches it can read them
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8118")]
    metrics: Option<SocketAddr>,
    /// Tell every step of a pair, as a trace for each lease, to this OpenTelemetry collector, by OTLP
    /// over gRPC
    #[arg(long, value_name = "http://HOST:PORT")]
    otlp: Option<Collector>,
    /// Name or address under which other machines reach this one, for the links of invitations
    /// [default: the address of this machine, if it listens to others]
    #[arg(long, value_name = "HOST[:PORT]")]
    advertise: Option<String>,
    #[command(flatten)]
    tls: TlsArgs,
    /// Show the web pages to everybody who reaches the port, not only to this machine
    #[arg(long)]
    public_pages: bool,
    /// Who plays games of workers again, to see that they come out the same: `owners`, workers of
    /// other owners; `workers`, any others; `auto`, other owners, and other workers where all have one
    /// owner; `off`, nobody
    #[arg(long, value_name = "WHO", default_value = "auto")]
    audits: coordinator::dispatch::audits::Auditors,
    /// Days for which the moves of games are kept, besides today, whatever a run asks for; what counts
    /// stays [default: for ever]
    #[arg(long, value_name = "DAYS")]
    keep_move_days: Option<u32>,
    /// Games that the worker plays at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// What has to shut published engines in, for the worker to play them: required, best (what this
    /// machine offers), off
    #[arg(long, value_name = "MODE", default_value = "required")]
    sandbox: worker::shelf::Mode,
}

/// Whether a house plays, or only coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worker {
    Own,
    None,
}

/// An open house.
pub(crate) struct House {
    folder: DataDir,
    /// Written down once its coordinator serves.
    endpoint: Endpoint,
    url: String,
    metrics: Option<SocketAddr>,
    reach: Option<String>,
    worker: Option<WorkerPart>,
    coordinator: CoordinatorPart,
    database: DatabasePart,
    /// Released last.
    _lock: DataDirLock,
}

impl HouseArgs {
    /// The folder of the house.
    ///
    /// # Errors
    /// No folder is given and none can be derived.
    pub(crate) fn folder(&self) -> anyhow::Result<DataDir> {
        self.data_dir.resolve()
    }

    /// Games that the worker of the house plays at a time.
    pub(crate) fn slots(&self) -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.slots.unwrap_or_else(|| u32::try_from(cores).unwrap_or(u32::MAX)).max(1)
    }

    /// `--data-dir` as a later command needs it; empty when it is the usual one.
    pub(crate) fn data_dir_option(&self) -> String {
        let path: Option<&PathBuf> = self.data_dir.data_dir.as_ref();
        path.map(|path| format!(" --data-dir {}", path.display())).unwrap_or_default()
    }

    /// Opens the house and waits until its coordinator answers; of one that stands by that is not
    /// waited for ([`House::serves`] does).
    ///
    /// # Errors
    /// A part does not start. Nothing is left running then.
    pub(crate) async fn open(&self, worker: Worker, lead: Lead) -> anyhow::Result<House> {
        // Each worker is one; where the limit is low and hard, the door says so when it is reached.
        let _ = coordinator::raise_open_files();
        let folder = self.folder()?;
        let lock = folder.lock()?;
        let listener = self.listener()?;
        let bound = listener.local_addr()?;
        let reach = self.reach(bound)?;
        let names: Vec<String> = reach.iter().map(|(host, _)| host.clone()).collect();
        let certificate = self.tls.certificate(folder.path(), &names)?;
        let address = local_address(bound, certificate.fingerprint());
        let url = address.to_string();
        let worker_state = folder.worker_state();
        let founders = vec![
            founder(folder.control_key()?.public(), Role::Admin, "commands of this data folder"),
            founder(worker::public_key(&worker_state)?, Role::Worker, "worker of the house"),
        ];
        let metrics = self.metrics_port()?;
        let metrics_address = metrics.as_ref().map(telemetry::Port::address).transpose()?;
        let database = match &self.database_url {
            Some(url) => DatabasePart::of_others(url.clone()),
            None => DatabasePart::private(&folder, self.no_download).await?,
        };
        let mut settings = coordinator::Settings::new(database.url(), certificate);
        settings.founders = founders;
        settings.public_pages = self.public_pages;
        settings.auditors = self.audits;
        settings.artefacts = Some(folder.artefacts());
        settings.keep_move_days = self.keep_move_days;
        settings.metrics = metrics;
        if let Some(collector) = &self.otlp {
            let version = env!("CARGO_PKG_VERSION");
            settings.traces = Traces::to(collector, "elomill-coordinator", version)?;
        }
        settings.lead = lead;
        let reached = match &reach {
            Some((host, port)) => Address { host: host.clone(), port: *port, ..address.clone() },
            None => address.clone(),
        };
        // A certificate of one's own is renewed: the roots of the system vouch for it.
        let is_pinned = !self.tls.is_own() || reached.is_loopback();
        let fingerprint = reached.fingerprint.filter(|_| is_pinned);
        settings.address = Some(Address { fingerprint, ..reached.clone() }.to_string());
        let mut coordinator = CoordinatorPart::start(settings, listener);
        let endpoint = Endpoint {
            url: url.clone(),
            pid: std::process::id(),
            reach: reach.map(|_| reached.authority()),
            pin: !self.tls.is_own(),
        };
        let ready = match lead {
            Lead::StandBy => Ok(()),
            Lead::AtOnce => tokio::select! {
                ready = answers(&url, &folder) => ready.and_then(|()| endpoint.write(&folder)),
                error = coordinator.failed() => Err(error),
            },
        };
        if let Err(error) = ready {
            // The error that stopped the start is the one to tell; the rest only has to go.
            let _ = coordinator.close(&CancellationToken::new()).await;
            let _ = database.close().await;
            return Err(error);
        }
        if lead == Lead::AtOnce {
            coordinator.is_ready();
        }
        let worker = match worker {
            Worker::Own => {
                let (slots, otlp) = (self.slots(), self.otlp.clone());
                Some(WorkerPart::start(&folder, &url, slots, otlp, self.sandbox)?)
            }
            Worker::None => None,
        };
        let reach = endpoint.reach.clone();
        Ok(House {
            folder,
            endpoint,
            url,
            reach,
            metrics: metrics_address,
            worker,
            coordinator,
            database,
            _lock: lock,
        })
    }

    /// Whether its database is one that other coordinators can use, too.
    pub(crate) fn shares_a_database(&self) -> bool {
        self.database_url.is_some()
    }

    fn metrics_port(&self) -> anyhow::Result<Option<telemetry::Port>> {
        let Some(address) = self.metrics else { return Ok(None) };
        let port = telemetry::Port::open(address).map_err(|error| {
            hinted(
                format_args!("cannot show metrics on {address}: {error}"),
                "choose another address with --metrics=HOST:PORT",
            )
        })?;
        Ok(Some(port))
    }

    /// Host and port under which other machines reach this one; `None` when none does.
    fn reach(&self, bound: SocketAddr) -> anyhow::Result<Option<(String, u16)>> {
        if let Some(text) = &self.advertise {
            let (host, port) = Address::parse_authority(text).map_err(|why| {
                hinted(format_args!("--advertise {text}: {why}"), "give HOST or HOST:PORT")
            })?;
            let has_port = text.ends_with(&format!(":{port}"));
            return Ok(Some((host, if has_port { port } else { bound.port() })));
        }
        let ip = bound.ip().to_canonical();
        if ip.is_loopback() {
            return Ok(None);
        }
        let ip = if ip.is_unspecified() { outward_address() } else { Some(ip) };
        Ok(ip.map(|ip| (ip.to_string(), bound.port())))
    }

    fn listener(&self) -> anyhow::Result<TcpListener> {
        let bind = |address: SocketAddr| -> std::io::Result<TcpListener> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        if let Some(address) = self.listen {
            return bind(address).map_err(|error| {
                hinted(
                    format_args!("cannot listen on {address}: {error}"),
                    "choose another address, or leave --listen out for a free port",
                )
            });
        }
        let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, USUAL_PORT));
        // Taken by another house, most likely: any free port does as well.
        bind(usual)
            .or_else(|_| bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
            .map_err(|error| anyhow::anyhow!("cannot listen on any port of 127.0.0.1: {error}"))
    }
}

impl House {
    /// Where a browser of this machine finds the pages.
    pub(crate) fn pages(&self) -> String {
        pages(&self.url)
    }

    /// Where gRPC answers, with the fingerprint of the certificate.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Where the metrics are shown, if they are.
    pub(crate) fn metrics_url(&self) -> Option<String> {
        self.metrics.map(|address| format!("http://{}/metrics", reachable(address)))
    }

    /// The way to the coordinator.
    pub(crate) fn locator(&self) -> Locator {
        Locator::of(self.folder.clone())
    }

    /// `HOST:PORT` under which other machines reach it, if they do.
    pub(crate) fn reach(&self) -> Option<&str> {
        self.reach.as_deref()
    }

    /// Comes back, with the reason, when the house cannot go on.
    pub(crate) async fn failed(&mut self) -> anyhow::Error {
        self.coordinator.failed().await
    }

    /// Comes back once its coordinator serves, which one that stands by does when it leads, and writes
    /// down where; with the reason, when the house cannot go on.
    ///
    /// # Errors
    /// The coordinator does not start, or the data folder cannot be written.
    pub(crate) async fn serves(&mut self) -> anyhow::Result<()> {
        tokio::select! {
            ready = answers(&self.url, &self.folder) => ready?,
            error = self.coordinator.failed() => return Err(error),
        }
        self.coordinator.is_ready();
        self.endpoint.write(&self.folder)
    }

    /// Ends everything: the worker hands in what it plays, then the coordinator and Postgres go.
    ///
    /// # Errors
    /// Something does not end, or the coordinator ended with an error.
    pub(crate) async fn close(self, interrupt: &Interrupt) -> anyhow::Result<()> {
        if let Some(worker) = self.worker {
            if interrupt.finish.is_cancelled() && !interrupt.hurry.is_cancelled() {
                say("finishing the games in play; Ctrl-C again gives them up");
            }
            worker.close(&interrupt.hurry).await;
        }
        Endpoint::remove(&self.folder);
        let coordinator = self.coordinator.close(&interrupt.hurry).await;
        let database = self.database.close().await;
        coordinator.and(database)
    }
}

/// Waits until the coordinator answers a request.
async fn answers(url: &str, folder: &DataDir) -> anyhow::Result<()> {
    let locator = Locator::at(&url.parse()?, folder.clone());
    loop {
        // Not there yet: the supervisor says so when it never comes.
        if let Ok(mut control) = Control::connect(&locator).await
            && control.runs(1).await.is_ok()
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The address under which this machine reaches a listener.
fn local_address(bound: SocketAddr, fingerprint: Fingerprint) -> Address {
    let reached = reachable(bound);
    Address {
        encrypted: true,
        host: reached.ip().to_string(),
        port: reached.port(),
        fingerprint: Some(fingerprint),
    }
}

/// How a program of this machine reaches what is bound there.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(v4) if v4.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(v6) if v6.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => other,
    };
    SocketAddr::new(ip, bound.port())
}

/// The address from which this machine would talk to others. Nothing is sent to find it out: the
/// system looks up the way to an address that is set aside for examples (RFC 5737).
fn outward_address() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_unspecified())
}

/// A key of the house itself.
fn founder(key: PublicKey, role: Role, label: &str) -> NewKey {
    NewKey { public_key: *key.as_bytes(), owner: "house".to_owned(), role, label: label.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_every_address_is_reached_by_loopback() {
        let fingerprint: Fingerprint = "ab".repeat(32).parse().unwrap();
        let reached = |text: &str| local_address(text.parse().unwrap(), fingerprint).origin();
        assert_eq!(reached("0.0.0.0:81"), "https://127.0.0.1:81");
        assert_eq!(reached("[::]:81"), "https://[::1]:81");
        assert_eq!(reached("10.0.0.2:81"), "https://10.0.0.2:81");
    }
}
