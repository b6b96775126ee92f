//! The state directory: one worker at a time, with a key that outlives its restarts.

use crate::WorkerError;
use rand::TryRng;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// 16 random bytes that name a worker for ever.
pub(crate) type WorkerKey = [u8; 16];

/// A state directory that is this process's alone while the value lives.
#[derive(Debug)]
pub(crate) struct StateDir {
    path: PathBuf,
    key: WorkerKey,
    /// Released by the system when the process ends, however it ends.
    _lock: File,
}

impl StateDir {
    /// Takes the directory, which is created if absent, and reads or makes the key.
    pub(crate) fn open(path: &Path) -> Result<Self, WorkerError> {
        let failed = |action, path: &Path| {
            let path = path.to_owned();
            move |source| WorkerError::StateDir { action, path, source }
        };
        fs::create_dir_all(path).map_err(failed("create", path))?;
        let lock_path = path.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(failed("open", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(WorkerError::StateDirInUse { path: path.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(failed("lock", &lock_path)(source)),
        }
        let key_path = path.join("worker.key");
        let key = match fs::read_to_string(&key_path) {
            Ok(text) => parse_key(&text).ok_or(WorkerError::BadKey { path: key_path })?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let mut key = WorkerKey::default();
                rand::rngs::SysRng.try_fill_bytes(&mut key).map_err(WorkerError::Random)?;
                write_key(path, &key_path, &key).map_err(failed("write", &key_path))?;
                key
            }
            // Bytes that are no text.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidData => {
                return Err(WorkerError::BadKey { path: key_path });
            }
            Err(source) => return Err(failed("read", &key_path)(source)),
        };
        Ok(Self { path: path.to_owned(), key, _lock: lock })
    }

    pub(crate) fn key(&self) -> &WorkerKey {
        &self.key
    }

    /// Where finished pairs wait for their acknowledgement.
    pub(crate) fn spool_dir(&self) -> PathBuf {
        self.path.join("spool")
    }
}

/// Writes the key beside its place and moves it there: it is whole or absent.
fn write_key(dir: &Path, place: &Path, key: &WorkerKey) -> std::io::Result<()> {
    let beside = dir.join("worker.key.new");
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(&beside, place)?;
    // The name is durable once the directory is; only Unix lets a directory be opened for that.
    #[cfg(unix)]
    File::open(dir)?.sync_all()?;
    Ok(())
}

fn parse_key(text: &str) -> Option<WorkerKey> {
    let digits = text.trim();
    if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = WorkerKey::default();
    for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_outlives_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let first = *StateDir::open(dir.path()).unwrap().key();
        assert_ne!(first, WorkerKey::default());
        assert_eq!(*StateDir::open(dir.path()).unwrap().key(), first);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(*StateDir::open(other.path()).unwrap().key(), first);
    }

    #[test]
    fn two_workers_never_share_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        let first = StateDir::open(dir.path()).unwrap();
        let error = StateDir::open(dir.path()).unwrap_err();
        assert!(matches!(error, WorkerError::StateDirInUse { .. }), "{error}");
        drop(first);
        assert!(StateDir::open(dir.path()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn the_key_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        let mode = fs::metadata(dir.path().join("worker.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_key_file_with_something_else_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        for content in [&b"hello"[..], b"", b"\xff\xfe", &[b'g'; 32]] {
            fs::write(dir.path().join("worker.key"), content).unwrap();
            let error = StateDir::open(dir.path()).unwrap_err();
            assert!(matches!(error, WorkerError::BadKey { .. }), "{error}");
            assert_eq!(fs::read(dir.path().join("worker.key")).unwrap(), content);
        }
    }
}
