//! The state directory: one worker at a time, with a key that outlives its restarts.

use crate::WorkerError;
use keys::{PublicKey, SecretKey};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The file of the key in a state directory.
pub(crate) const KEY: &str = "key.pem";

/// A state directory that is this process's alone while the value lives.
#[derive(Debug)]
pub(crate) struct StateDir {
    path: PathBuf,
    key: SecretKey,
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
        let key = SecretKey::read_or_make(&path.join(KEY))?;
        Ok(Self { path: path.to_owned(), key, _lock: lock })
    }

    /// What the worker signs its connections with.
    pub(crate) fn key(&self) -> &SecretKey {
        &self.key
    }

    /// Where finished pairs wait for their acknowledgement.
    pub(crate) fn spool_dir(&self) -> PathBuf {
        self.path.join("spool")
    }
}

/// The public key of the worker of a state directory; directory and key are made if need be.
///
/// # Errors
/// The directory cannot be written, or holds something else in place of the key.
pub fn public_key(state_dir: &Path) -> Result<PublicKey, WorkerError> {
    fs::create_dir_all(state_dir).map_err(|source| WorkerError::StateDir {
        action: "create",
        path: state_dir.to_owned(),
        source,
    })?;
    Ok(SecretKey::read_or_make(&state_dir.join(KEY))?.public())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_outlives_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let first = public_key(&dir.path().join("state")).unwrap();
        assert_eq!(StateDir::open(&dir.path().join("state")).unwrap().key().public(), first);
        assert_ne!(StateDir::open(&dir.path().join("other")).unwrap().key().public(), first);
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
}
