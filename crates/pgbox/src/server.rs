//! Brings a cluster's server to the point where it answers: adopts the one that runs, or starts
//! one.

use std::{
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Binaries, Error, Found, Origin,
    account::Account,
    initdb,
    layout::Layout,
    postmaster::{self, Postmaster},
    settings::Durability,
    socket::{self, PORT},
    wire::{self, Answer},
};

/// How often a starting server is asked.
const POLL: Duration = Duration::from_millis(20);

/// How long a starting server may say nothing at all. One that says "starting up" is recovering
/// from its log and is waited for as long as it says so.
const SILENCE_PATIENCE: Duration = Duration::from_secs(60);

/// How long backends that outlived a killed postmaster may hold on to its shared memory before
/// they are an error.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(15);

/// What Postgres logs while such backends live.
const ORPHANS_REMAIN: &str = "pre-existing shared memory block";

/// Everything that a server is started from.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) layout: Layout,
    pub(crate) account: Account,
    pub(crate) found: Found,
    pub(crate) durability: Durability,
    pub(crate) runtime_dir: Option<PathBuf>,
}

/// A server that answers.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) pid: i32,
    /// `None` for an adopted one.
    pub(crate) child: Option<Child>,
    pub(crate) socket_dir: PathBuf,
    pub(crate) binaries: Option<Binaries>,
}

impl Recipe {
    /// Adopts or starts the server. The caller holds the start lock.
    pub(crate) fn obtain(&self) -> Result<(Server, Origin), Error> {
        let cluster = self.layout.cluster();
        let version = initdb::cluster_version(&cluster)?;
        if let Some(server) = self.adopt(version)? {
            return Ok((server, Origin::Adopted));
        }
        let binaries = initdb::binaries_for(&cluster, version, &self.found)?.clone();
        self.account.require_passage(self.layout.root())?;
        self.account.require_passage(&binaries.bin_dir)?;
        let origin = match version {
            Some(_) => Origin::Started,
            None => {
                initdb::create(&self.layout, &self.account, &binaries, self.durability)?;
                Origin::Created
            }
        };
        let root = self.layout.root();
        let socket_dir = socket::prepare(root, &self.account, self.runtime_dir.as_deref())?;
        let start = Instant::now();
        loop {
            postmaster::defuse_stale(&cluster)?;
            socket::sweep(&socket_dir)?;
            match self.start(&binaries, &socket_dir)? {
                Started::Ready(child) => {
                    let pid = i32::try_from(child.id()).expect("process ids fit in pid_t");
                    let binaries = Some(binaries);
                    return Ok((Server { pid, child: Some(child), socket_dir, binaries }, origin));
                }
                Started::Failed { tail, .. }
                    if tail.contains(ORPHANS_REMAIN) && start.elapsed() < ORPHAN_PATIENCE =>
                {
                    tracing::debug!("ending the backends of a Postgres that was killed");
                    postmaster::end_orphans(&cluster);
                    thread::sleep(10 * POLL);
                }
                Started::Failed { reason, tail } => {
                    socket::remove(&socket_dir);
                    return Err(Error::NotStarted { reason, log: self.layout.log(), tail });
                }
            }
        }
    }

    /// Waits for the server that runs on the cluster; `None` if there is none, or if it ended
    /// meanwhile.
    fn adopt(&self, version: Option<u32>) -> Result<Option<Server>, Error> {
        let cluster = self.layout.cluster();
        let mut patience = Patience::new();
        while let Some(Postmaster { pid, socket_dir }) = postmaster::running(&cluster) {
            let answer = match &socket_dir {
                Some(dir) => wire::probe(&socket::socket_in(dir)),
                None => Answer::Silent,
            };
            match (answer, socket_dir) {
                (Answer::Ready, Some(socket_dir)) => {
                    socket::check(&socket_dir, &self.account)?;
                    let binaries = version.and_then(|major| self.found.for_major(major)).cloned();
                    return Ok(Some(Server { pid, child: None, socket_dir, binaries }));
                }
                (answer, _) if patience.lasts(&answer) => thread::sleep(POLL),
                _ => {
                    return Err(Error::NotStarted {
                        reason: format!("process {pid} runs on its data and does not answer"),
                        log: self.layout.log(),
                        tail: self.layout.log_tail(0),
                    });
                }
            }
        }
        Ok(None)
    }

    /// Starts the server and waits for its first answer.
    fn start(&self, binaries: &Binaries, socket_dir: &Path) -> Result<Started, Error> {
        let log = self.layout.open_log()?;
        let log_start = log.metadata().map_err(Error::io("look at", self.layout.log()))?.len();
        let errors = log.try_clone().map_err(Error::io("open", self.layout.log()))?;
        let program = binaries.program("postgres");
        let mut command = self.account.command(&program);
        command.arg("-D").arg(self.layout.cluster());
        for (name, value) in self.options(socket_dir) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        // A process group of its own: a Ctrl-C in the terminal is for Elomill, which then stops
        // the server when it no longer needs it.
        let mut child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .map_err(Error::io("run", program))?;

        let socket = socket::socket_in(socket_dir);
        let mut patience = Patience::new();
        let reason = loop {
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => break ended(status),
                Err(error) => break error.to_string(),
            }
            match wire::probe(&socket) {
                Answer::Ready => return Ok(Started::Ready(child)),
                answer if patience.lasts(&answer) => thread::sleep(POLL),
                _ => {
                    // Never answered: nothing of it is in use.
                    let _ = child.kill();
                    let _ = child.wait();
                    break format!("no answer within {} s", SILENCE_PATIENCE.as_secs());
                }
            }
        };
        Ok(Started::Failed { reason, tail: self.layout.log_tail(log_start) })
    }

    fn options(&self, socket_dir: &Path) -> Vec<(&'static str, String)> {
        let mut options: Vec<(&'static str, String)> = vec![
            ("listen_addresses", String::new()),
            ("port", PORT.to_string()),
            // A list: quoted, so that a comma or a space in the path is one.
            ("unix_socket_directories", format!("\"{}\"", socket_dir.display())),
            ("unix_socket_permissions", "0700".into()),
            ("log_destination", "stderr".into()),
            ("logging_collector", "off".into()),
            ("log_timezone", "UTC".into()),
            // Elomill's statements are short; compiling one costs more than it saves.
            ("jit", "off".into()),
        ];
        if self.durability == Durability::Throwaway {
            options.extend([
                ("fsync", "off".into()),
                ("full_page_writes", "off".into()),
                ("wal_level", "minimal".into()),
                ("max_wal_senders", "0".into()),
                ("shared_buffers", "16MB".into()),
                ("max_connections", "60".into()),
            ]);
        }
        options
    }
}

enum Started {
    Ready(Child),
    Failed { reason: String, tail: String },
}

fn ended(status: ExitStatus) -> String {
    format!("the server ended while starting ({status})")
}

/// Counts silence, not time: recovery may take minutes and says so.
struct Patience {
    last_sign: Instant,
}

impl Patience {
    fn new() -> Patience {
        Patience { last_sign: Instant::now() }
    }

    fn lasts(&mut self, answer: &Answer) -> bool {
        if *answer == Answer::NotYet {
            self.last_sign = Instant::now();
        }
        self.last_sign.elapsed() < SILENCE_PATIENCE
    }
}

/// Size of all files below a directory in bytes; what vanishes meanwhile counts nothing.
pub(crate) fn size_of(dir: &Path) -> u64 {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size_of(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
