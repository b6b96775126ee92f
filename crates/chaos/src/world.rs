//! The cluster: a Postgres, two coordinators behind proxies, workers; and how each is hurt and healed.

use crate::proxy::{Behind, Proxy, Weather};
use crate::role;
use anyhow::Context;
use keys::SecretKey;
use pgbox::{Environment, PgBox, Search, Settings};
use proto::v1;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::PgConnectOptions;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// Coordinators: one leads, one stands by.
pub(crate) const COORDINATORS: usize = 2;
/// Real workers beside the actors.
pub(crate) const WORKERS: usize = 2;
/// How long a process may take to end in order.
const END_WITHIN: Duration = Duration::from_secs(30);

/// A process of the cluster and how it is started again.
pub(crate) struct Part {
    pub(crate) name: String,
    args: Vec<String>,
    log: PathBuf,
    child: Option<Child>,
}

impl Part {
    fn new(folder: &Path, name: String, args: Vec<String>) -> Self {
        let log = folder.join(format!("{name}.log"));
        Self { name, args, log, child: None }
    }

    /// Starts it, unless it runs.
    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        if let Some(child) = &mut self.child
            && child.try_wait()?.is_none()
        {
            return Ok(());
        }
        let log = File::options().create(true).append(true).open(&self.log)?;
        let child = Command::new(std::env::current_exe()?)
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        self.child = Some(child);
        Ok(())
    }

    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        let id = self.child.as_ref().and_then(Child::id);
        let pid = id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        // One that is dead already cannot be hurt more.
        if let Some(pid) = pid {
            kill_process(pid, signal)?;
        }
        Ok(())
    }

    /// Ends it as no program can notice.
    pub(crate) async fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    /// Ends it in order.
    pub(crate) async fn end(&mut self) -> anyhow::Result<()> {
        self.signal(Signal::TERM)?;
        let Some(child) = &mut self.child else { return Ok(()) };
        let ended = tokio::time::timeout(END_WITHIN, child.wait()).await;
        let status = ended.with_context(|| format!("{} does not end", self.name))??;
        anyhow::ensure!(
            status.success(),
            "{} ended with {status}; see {}",
            self.name,
            self.log.display()
        );
        self.child = None;
        Ok(())
    }
}

/// Everything together.
pub(crate) struct World {
    pub(crate) postgres: PgBox,
    pub(crate) database: String,
    pub(crate) proxies: Vec<Proxy>,
    /// Between each coordinator and the database.
    pub(crate) database_proxies: Vec<Proxy>,
    pub(crate) coordinators: Vec<Part>,
    /// Addresses of the coordinators, through their proxies.
    pub(crate) places: Vec<String>,
    pub(crate) workers: Vec<Part>,
    /// A small file system of its own for a worker's state, where the system allows one.
    pub(crate) small_disk: Option<Disk>,
}

impl World {
    /// Starts all of it in this folder.
    pub(crate) async fn start(folder: &Path) -> anyhow::Result<Self> {
        let database_folder = folder.join("database");
        let postgres = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&database_folder)?;
            let env = Environment::read();
            let found = Search::new(&env, &database_folder).find()?;
            Ok::<_, anyhow::Error>(PgBox::start(Settings::new(&env, &database_folder, found))?)
        })
        .await??;
        let database = postgres.url(pgbox::DATABASE);
        let (mut proxies, mut database_proxies) = (Vec::new(), Vec::new());
        let (mut coordinators, mut places) = (Vec::new(), Vec::new());
        for number in 0..COORDINATORS {
            let listen = free_port()?;
            let proxy = Proxy::start(Behind::Tcp(listen)).await?;
            let (to_database, through) = before_database(&database).await?;
            database_proxies.push(to_database);
            let name = format!("coordinator-{number}");
            let home = folder.join(&name);
            places.push(role::address(proxy.address, &home)?);
            let args = vec![
                "coordinator".to_owned(),
                format!("--database-url={through}"),
                format!("--listen={listen}"),
                format!("--reach={}", proxy.address),
                format!("--folder={}", home.display()),
            ];
            proxies.push(proxy);
            coordinators.push(Part::new(folder, name, args));
        }
        for part in &mut coordinators {
            part.start()?;
        }
        let small_disk = Disk::mount(&folder.join("small-disk"));
        let mut workers = Vec::new();
        for number in 0..WORKERS {
            let name = format!("worker-{number}");
            let state = match &small_disk {
                Some(disk) if number == 0 => disk.path.join("state"),
                _ => folder.join(&name),
            };
            std::fs::create_dir_all(&state)?;
            let key = SecretKey::read_or_make(&state.join("key.pem"))?;
            admit(&places, &key).await?;
            let args = vec![
                "worker".to_owned(),
                format!("--coordinator={}", places[number % places.len()]),
                format!("--state-dir={}", state.display()),
            ];
            let mut part = Part::new(folder, name, args);
            part.start()?;
            workers.push(part);
        }
        Ok(Self {
            postgres,
            database,
            proxies,
            database_proxies,
            coordinators,
            places,
            workers,
            small_disk,
        })
    }

    /// Whether a coordinator serves now, and which.
    pub(crate) async fn leader(&self) -> Option<usize> {
        for (number, place) in self.places.iter().enumerate() {
            let asked = tokio::time::timeout(Duration::from_secs(2), serves(place)).await;
            if matches!(asked, Ok(Ok(()))) {
                return Some(number);
            }
        }
        None
    }

    /// Ends every fault: all parts run, nothing is in the way.
    pub(crate) fn heal(&mut self) -> anyhow::Result<()> {
        for proxy in self.proxies.iter().chain(&self.database_proxies) {
            proxy.set(Weather::Clear);
        }
        if let Some(disk) = &self.small_disk {
            disk.empty()?;
        }
        for part in self.coordinators.iter_mut().chain(&mut self.workers) {
            // One that is stopped goes on, one that is dead starts.
            part.signal(Signal::CONT)?;
            part.start()?;
        }
        Ok(())
    }
}

/// A proxy before the database at this URL, and the URL of the database through it.
async fn before_database(url: &str) -> anyhow::Result<(Proxy, String)> {
    let options: PgConnectOptions = url.parse()?;
    let folder = options.get_socket().context("the private Postgres listens on a socket")?;
    let socket = folder.join(format!(".s.PGSQL.{}", options.get_port()));
    let proxy = Proxy::start(Behind::Unix(socket)).await?;
    let database = options.get_database().context("a database")?;
    let (user, address) = (options.get_username(), proxy.address);
    Ok((proxy, format!("postgres://{user}@{address}/{database}?sslmode=disable")))
}

/// Asks something that only a leader answers.
async fn serves(place: &str) -> anyhow::Result<()> {
    let channel = proto::connect(place, Some(&testkit::admin())).await?;
    let mut client = v1::control_service_client::ControlServiceClient::new(channel);
    client.list_runs(v1::ListRunsRequest { limit: 1 }).await?;
    Ok(())
}

/// Makes a key that of a worker, with whoever leads.
pub(crate) async fn admit(places: &[String], key: &SecretKey) -> anyhow::Result<()> {
    let began = std::time::Instant::now();
    loop {
        for place in places {
            if testkit::admit(place, key, v1::Role::Worker).await.is_ok() {
                return Ok(());
            }
        }
        anyhow::ensure!(began.elapsed() < END_WITHIN, "no coordinator leads");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn free_port() -> anyhow::Result<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// A file system of a few megabytes.
pub(crate) struct Disk {
    pub(crate) path: PathBuf,
}

impl Disk {
    const BYTES: usize = 2 << 20;

    /// Mounts one, where this user may.
    fn mount(path: &Path) -> Option<Self> {
        std::fs::create_dir_all(path).ok()?;
        let size = format!("size={}", Self::BYTES);
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "none"])
            .arg(path)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self { path: path.to_owned() })
    }

    /// Leaves no room.
    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        // Written until it is full, which is the error that is wanted.
        let _ = std::fs::write(self.path.join("ballast"), vec![1; Self::BYTES]);
        Ok(())
    }

    fn empty(&self) -> anyhow::Result<()> {
        match std::fs::remove_file(self.path.join("ballast")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // What stays mounted is a few megabytes of memory.
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.path).status();
    }
}
