//! The private server in the caller's hand.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use crate::{
    DATABASE, Environment, Error, Found, Lifetime, Origin, Released, Revival, Running, Search,
    Settings, Status, USER,
    account::Account,
    initdb,
    layout::Layout,
    postmaster::{self, Shutdown},
    server::{Recipe, Server, size_of},
    settings::Durability,
    socket::{self, PORT},
    throwaway,
    wire::{self, Answer},
};

/// A private Postgres that answers.
///
/// Dropping it stops the server, unless another `PgBox` uses it (in this process or another) or it
/// was started to stay; [`PgBox::release`] does the same and reports.
#[derive(Debug)]
pub struct PgBox {
    recipe: Recipe,
    server: Server,
    origin: Origin,
    /// `None` once it was released or stopped.
    users: Option<File>,
}

impl PgBox {
    /// Makes the cluster if there is none, then adopts its server if one runs, else starts one.
    ///
    /// # Errors
    /// See [`Error`]; each names what was found and the mend.
    pub fn start(settings: Settings) -> Result<PgBox, Error> {
        PgBox::open(settings, Durability::Durable)
    }

    /// A server for tests, on programs found on this machine: in a temporary directory (in memory
    /// where Linux has room and `TMPDIR` names no other place) that is deleted with it, without
    /// fsync, for at most 60 connections. Where the thread panics, the directory is kept and its
    /// path printed.
    ///
    /// # Errors
    /// As [`PgBox::start`].
    pub fn throwaway() -> Result<PgBox, Error> {
        let env = Environment::read();
        // Fetched programs in the usual place serve too.
        let data_dir = env.default_data_dir().unwrap_or_default();
        let found = Search::new(&env, &data_dir).find()?;
        PgBox::throwaway_with(found)
    }

    /// [`PgBox::throwaway`] on given programs.
    ///
    /// # Errors
    /// As [`PgBox::start`].
    pub fn throwaway_with(binaries: impl Into<Found>) -> Result<PgBox, Error> {
        let (dir, _lock) = throwaway::create()?;
        let settings = Settings::new(&Environment::default(), &dir, binaries);
        PgBox::open(settings, Durability::Throwaway).inspect_err(|_| {
            // The error has the end of the log; the rest tells nothing more.
            let _ = fs::remove_dir_all(&dir);
        })
    }

    fn open(settings: Settings, durability: Durability) -> Result<PgBox, Error> {
        let Settings { data_dir, binaries: found, lifetime, runtime_dir } = settings;
        let layout = Layout::create(&data_dir)?;
        let lock = layout.lock()?;
        let account = Account::for_cluster(&layout.cluster())?;
        let recipe = Recipe { layout, account, found, durability, runtime_dir };
        let users = recipe.layout.join_users()?;
        let (server, origin) = recipe.obtain()?;
        // From here on the server is dropped with the box if anything fails.
        let postgres = PgBox { recipe, server, origin, users: Some(users) };
        let marked = match lifetime {
            Lifetime::Detached => postgres.recipe.layout.mark_detached(),
            Lifetime::WithOwner if origin == Origin::Adopted => Ok(()),
            // A mark from before a reboot or a kill says nothing about this server.
            Lifetime::WithOwner => postgres.recipe.layout.clear_detached(),
        };
        drop(lock);
        marked?;
        tracing::debug!(
            postgres.pid = postgres.pid(),
            postgres.socket_dir = %postgres.socket_dir().display(),
            "private Postgres is ready ({origin:?})"
        );
        Ok(postgres)
    }

    /// Where the server came from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Elomill's data directory.
    pub fn data_dir(&self) -> &Path {
        self.recipe.layout.root()
    }

    /// The directory of the socket.
    pub fn socket_dir(&self) -> &Path {
        &self.server.socket_dir
    }

    /// Process id of the postmaster.
    pub fn pid(&self) -> i32 {
        self.server.pid
    }

    /// The user to connect as.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// The database to connect to.
    pub fn database(&self) -> &'static str {
        DATABASE
    }

    /// A connection URL for `database`, in the form that sqlx and libpq read: the socket's
    /// directory stands in the `host` parameter.
    pub fn url(&self, database: &str) -> String {
        url(&self.server.socket_dir, database)
    }

    /// Whether the server's process lives. Cheap; does not connect.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.server.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => postmaster::is_running(self.server.pid, &self.recipe.layout.cluster()),
        }
    }

    /// Starts the server again if it was killed, for a supervisor to call now and then. It
    /// recovers from its write-ahead log; the URL stays the same.
    ///
    /// # Errors
    /// As [`PgBox::start`].
    pub fn restart_if_dead(&mut self) -> Result<Revival, Error> {
        if self.is_alive() {
            return Ok(Revival::Alive);
        }
        let _lock = self.recipe.layout.lock()?;
        let (server, origin) = self.recipe.obtain()?;
        tracing::warn!(
            postgres.old_pid = self.server.pid,
            postgres.pid = server.pid,
            "the private Postgres was gone and runs again ({origin:?})"
        );
        self.server = server;
        Ok(Revival::Restarted)
    }

    /// The command that opens a SQL shell on this server, where `psql` is installed.
    pub fn psql_command(&self) -> Option<Command> {
        let beside = self.server.binaries.as_ref().map(|binaries| binaries.program("psql"));
        let all = self.recipe.found.all().map(|binaries| binaries.program("psql"));
        let program = beside.into_iter().chain(all).find(|program| program.is_file())?;
        let mut command = Command::new(program);
        command.arg("-h").arg(self.socket_dir());
        command.args(["-p", &PORT.to_string(), "-U", USER, "-d", DATABASE]);
        Some(command)
    }

    /// Leaves the server: stops it if nobody else uses it and it was not started to stay.
    ///
    /// # Errors
    /// When the server does not stop.
    pub fn release(mut self) -> Result<Released, Error> {
        self.leave()
    }

    /// Stops the server for everybody, whatever its lifetime. Other users' supervisors may start
    /// it again.
    ///
    /// # Errors
    /// When the server does not stop.
    pub fn stop(mut self) -> Result<(), Error> {
        let lock = self.recipe.layout.lock()?;
        self.users = None;
        self.recipe.layout.clear_detached()?;
        self.bring_down(&lock)
    }

    fn leave(&mut self) -> Result<Released, Error> {
        let lock = self.recipe.layout.lock()?;
        self.users = None;
        if self.recipe.layout.has_users()? {
            return Ok(Released::InUse);
        }
        if self.recipe.layout.is_detached() {
            return Ok(Released::Detached);
        }
        self.bring_down(&lock)?;
        Ok(Released::Stopped)
    }

    /// Stops whatever server runs on the cluster now, which may be another than this box knew. The
    /// start lock is held.
    fn bring_down(&mut self, _lock: &File) -> Result<(), Error> {
        let throwaway = self.recipe.durability == Durability::Throwaway;
        let shutdown = if throwaway { Shutdown::Immediate } else { Shutdown::Fast };
        postmaster::stop(&self.recipe.layout.cluster(), self.server.child.as_mut(), shutdown)?;
        socket::remove(&self.server.socket_dir);
        if throwaway && !std::thread::panicking() {
            let dir = self.recipe.layout.root();
            fs::remove_dir_all(dir).map_err(Error::io("remove", dir))?;
        }
        Ok(())
    }
}

impl Drop for PgBox {
    fn drop(&mut self) {
        if self.users.is_none() {
            return;
        }
        if self.recipe.durability == Durability::Throwaway && std::thread::panicking() {
            let dir = self.recipe.layout.root();
            let _ = throwaway::keep(dir);
            eprintln!("keeping the throwaway Postgres of a failed test: {}", dir.display());
        }
        if let Err(error) = self.leave() {
            tracing::warn!("the private Postgres was not stopped: {error}");
        }
    }
}

/// The state of the private server in a data directory, without touching it.
///
/// # Errors
/// When the directory cannot be read or its cluster is none.
pub fn status(data_dir: &Path) -> Result<Status, Error> {
    let mut status = Status {
        data_dir: data_dir.to_path_buf(),
        cluster_version: None,
        running: None,
        size_bytes: 0,
        log: data_dir.join("pg.log"),
    };
    if !data_dir.exists() {
        return Ok(status);
    }
    let layout = Layout::open(data_dir)?;
    let cluster = layout.cluster();
    status.cluster_version = initdb::cluster_version(&cluster)?;
    status.size_bytes = size_of(&cluster);
    status.running = postmaster::running(&cluster).map(|postmaster| Running {
        pid: postmaster.pid,
        answers: postmaster
            .socket_dir
            .as_deref()
            .is_some_and(|dir| wire::probe(&socket::socket_in(dir)) == Answer::Ready),
        url: postmaster.socket_dir.as_deref().map(|dir| url(dir, crate::DATABASE)),
        socket_dir: postmaster.socket_dir,
        lifetime: if layout.is_detached() { Lifetime::Detached } else { Lifetime::WithOwner },
    });
    Ok(status)
}

/// Stops the private server of a data directory, whoever started it; `false` where none ran.
///
/// # Errors
/// When the server does not stop.
pub fn stop(data_dir: &Path) -> Result<bool, Error> {
    if !data_dir.exists() {
        return Ok(false);
    }
    let layout = Layout::open(data_dir)?;
    let _lock = layout.lock()?;
    layout.clear_detached()?;
    let Some(postmaster) = postmaster::running(&layout.cluster()) else { return Ok(false) };
    postmaster::stop(&layout.cluster(), None, Shutdown::Fast)?;
    if let Some(dir) = postmaster.socket_dir {
        socket::remove(&dir);
    }
    Ok(true)
}

fn url(socket_dir: &Path, database: &str) -> String {
    use std::os::unix::ffi::OsStrExt;

    let database = percent(database.as_bytes());
    let host = percent(socket_dir.as_os_str().as_bytes());
    format!("postgres://{USER}@localhost:{PORT}/{database}?host={host}&sslmode=disable")
}

/// RFC 3986: everything but the unreserved characters.
fn percent(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_survives_odd_paths_and_names() {
        let dir = Path::new("/run/é & co/elomill-1");
        assert_eq!(
            url(dir, "a/b?c"),
            "postgres://elomill@localhost:5432/a%2Fb%3Fc\
             ?host=%2Frun%2F%C3%A9%20%26%20co%2Felomill-1&sslmode=disable"
        );
    }
}
