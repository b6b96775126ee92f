//! The places and the locks inside Elomill's data directory.
//!
//! ```text
//! pg/            the cluster (owned by the server's user)
//! pg.init-*/     a cluster in the making; renamed to pg when complete
//! pg.log         what the server says; pg.log.1 is the one before
//! pg.lock        held while a server is being started or stopped
//! pg.users       held shared by every process that uses the server: the last one stops it
//! pg.detached    the server shall stay when its last user leaves
//! postgres/      fetched server programs
//! ```

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{Error, environment::is_root};

/// A log larger than this at a start is set aside.
const LOG_LIMIT_BYTES: u64 = 10 << 20;

/// How long another process may take to start or stop the server.
const LOCK_PATIENCE: Duration = Duration::from_secs(180);

/// How much of the end of a log goes into an error.
const TAIL_BYTES: u64 = 2048;
const TAIL_LINES: usize = 10;

/// The data directory, by its canonical path.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    /// Makes the directory if needed.
    pub(crate) fn create(data_dir: &Path) -> Result<Layout, Error> {
        create_data_dir(data_dir)?;
        Layout::open(data_dir)
    }

    /// A directory that must be there.
    pub(crate) fn open(data_dir: &Path) -> Result<Layout, Error> {
        let root = data_dir.canonicalize().map_err(Error::io("open", data_dir))?;
        Ok(Layout { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn cluster(&self) -> PathBuf {
        self.root.join("pg")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("pg.log")
    }

    pub(crate) fn users(&self) -> PathBuf {
        self.root.join("pg.users")
    }

    fn detached(&self) -> PathBuf {
        self.root.join("pg.detached")
    }

    /// Waits until no other process is starting or stopping the server; the lock ends with the
    /// returned file.
    pub(crate) fn lock(&self) -> Result<File, Error> {
        let path = self.root.join("pg.lock");
        let file = open_lock(&path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Busy { path, seconds: LOCK_PATIENCE.as_secs() });
                }
                Err(TryLockError::Error(source)) => {
                    return Err(Error::Io { action: "lock", path, source });
                }
            }
        }
    }

    /// Counts this process among the server's users, for as long as the returned file lives. Call
    /// it under [`Layout::lock`].
    pub(crate) fn join_users(&self) -> Result<File, Error> {
        let path = self.users();
        let file = open_lock(&path)?;
        file.lock_shared().map_err(Error::io("lock", path))?;
        Ok(file)
    }

    /// Whether anybody counts among the server's users.
    pub(crate) fn has_users(&self) -> Result<bool, Error> {
        let path = self.users();
        match open_lock(&path)?.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(Error::Io { action: "lock", path, source }),
        }
    }

    pub(crate) fn is_detached(&self) -> bool {
        self.detached().exists()
    }

    pub(crate) fn mark_detached(&self) -> Result<(), Error> {
        fs::write(self.detached(), "").map_err(Error::io("write", self.detached()))
    }

    pub(crate) fn clear_detached(&self) -> Result<(), Error> {
        match fs::remove_file(self.detached()) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::Io { action: "remove", path: self.detached(), source })
            }
            _ => Ok(()),
        }
    }

    /// The log opened for appending, after setting a large one aside.
    pub(crate) fn open_log(&self) -> Result<File, Error> {
        let path = self.log();
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > LOG_LIMIT_BYTES) {
            fs::rename(&path, self.root.join("pg.log.1")).map_err(Error::io("rename", &path))?;
        }
        OpenOptions::new().append(true).create(true).open(&path).map_err(Error::io("open", path))
    }

    /// The last lines that the log got after byte `from`.
    pub(crate) fn log_tail(&self, from: u64) -> String {
        let read = || -> io::Result<String> {
            let mut file = File::open(self.log())?;
            let end = file.metadata()?.len();
            file.seek(SeekFrom::Start(from.max(end.saturating_sub(TAIL_BYTES))))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(last_lines(&String::from_utf8_lossy(&bytes)))
        };
        read().unwrap_or_else(|error| format!("(unreadable: {error})"))
    }
}

/// The end of a program's output, fit for an error message.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// Makes the data directory and what is missing above it. The server's user must be able to pass
/// through root's; nobody else has business in anybody's.
pub(crate) fn create_data_dir(path: &Path) -> Result<(), Error> {
    let missing: Vec<&Path> = path
        .ancestors()
        .filter(|dir| !dir.as_os_str().is_empty())
        .take_while(|dir| !dir.exists())
        .collect();
    let mode = if is_root() { 0o711 } else { 0o700 };
    for dir in missing.into_iter().rev() {
        match DirBuilder::new().mode(mode).create(dir) {
            // A umask may have taken what root's directory needs.
            Ok(()) => fs::set_permissions(dir, fs::Permissions::from_mode(mode))
                .map_err(Error::io("set the mode of", dir))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => {
                return Err(Error::Io { action: "create", path: dir.to_path_buf(), source });
            }
        }
    }
    Ok(())
}

fn open_lock(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(Error::io("open", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> (tempfile::TempDir, Layout) {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::create(&dir.path().join("a/b")).unwrap();
        (dir, layout)
    }

    #[test]
    fn a_large_log_is_set_aside_at_a_start() {
        let (_dir, layout) = layout();
        fs::write(layout.log(), "small").unwrap();
        layout.open_log().unwrap();
        assert_eq!(fs::metadata(layout.log()).unwrap().len(), 5);
        let file = OpenOptions::new().write(true).open(layout.log()).unwrap();
        file.set_len(LOG_LIMIT_BYTES + 1).unwrap();
        layout.open_log().unwrap();
        assert_eq!(fs::metadata(layout.log()).unwrap().len(), 0);
        let aside = fs::metadata(layout.root().join("pg.log.1")).unwrap().len();
        assert_eq!(aside, LOG_LIMIT_BYTES + 1);
    }

    #[test]
    fn the_tail_starts_where_this_start_began() {
        let (_dir, layout) = layout();
        fs::write(layout.log(), "old\nnew 1\n\nnew 2\n").unwrap();
        assert_eq!(layout.log_tail(4), "new 1\nnew 2");
        fs::write(layout.log(), format!("{}end\n", "line\n".repeat(5000))).unwrap();
        let tail = layout.log_tail(0);
        assert_eq!(tail.lines().count(), TAIL_LINES);
        assert!(tail.ends_with("end"));
    }

    #[test]
    fn users_are_counted_until_the_last_leaves() {
        let (_dir, layout) = layout();
        assert!(!layout.has_users().unwrap());
        let first = layout.join_users().unwrap();
        let second = layout.join_users().unwrap();
        drop(first);
        assert!(layout.has_users().unwrap());
        drop(second);
        assert!(!layout.has_users().unwrap());
    }

    #[test]
    fn a_new_data_dir_is_closed_to_others() {
        let (dir, layout) = layout();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let expected = if is_root() { 0o711 } else { 0o700 };
        assert_eq!(mode(layout.root()), expected);
        assert_eq!(mode(&dir.path().join("a")), expected);
    }
}
