//! Directories of throwaway servers, and the removal of those whose owner was killed.
//!
//! A test that is killed cannot stop its server. The lock on `pg.users` goes with the process, so
//! the next throwaway start finds such directories, stops their servers and removes them.

use std::{
    env, fs,
    fs::File,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{
    Error,
    layout::Layout,
    postmaster::{self, Shutdown},
    socket,
};

const PREFIX: &str = "elomill-throwaway-";

/// Room that a memory file system must have to be used.
const MEMORY_FLOOR_BYTES: u64 = 1 << 30;

/// The name of the file that says: leave this directory for somebody to look at.
const KEEP: &str = "kept-after-a-failure";

/// Makes a directory and the lock that says its owner lives.
pub(crate) fn create() -> Result<(PathBuf, File), Error> {
    let parent = parent();
    sweep(&parent);
    let dir = tempfile::Builder::new()
        .prefix(PREFIX)
        .tempdir_in(&parent)
        .map_err(Error::io("create a directory in", &parent))?
        .keep();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o711))
        .map_err(Error::io("set the mode of", &dir))?;
    let layout = Layout::open(&dir)?;
    // Locked before it gets its name: no moment for another's sweep between the two.
    let unnamed = dir.join("pg.users.new");
    let lock = File::create(&unnamed).map_err(Error::io("create", &unnamed))?;
    lock.lock_shared().map_err(Error::io("lock", &unnamed))?;
    fs::rename(&unnamed, layout.users()).map_err(Error::io("rename", &unnamed))?;
    Ok((dir, lock))
}

/// The temporary directory, or Linux's memory file system where nobody asked for another place and
/// it has room: a cluster is a thousand small files, and disks take up to seconds to make them.
fn parent() -> PathBuf {
    let temp = env::temp_dir();
    let memory = Path::new("/dev/shm");
    let roomy = rustix::fs::statvfs(memory)
        .is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) >= MEMORY_FLOOR_BYTES);
    if temp == Path::new("/tmp") && memory.is_dir() && roomy { memory.to_owned() } else { temp }
}

/// Marks a directory as evidence.
pub(crate) fn keep(dir: &Path) -> Result<(), Error> {
    fs::write(dir.join(KEEP), "").map_err(Error::io("write to", dir))
}

/// Stops and removes what killed owners left; failures wait for the next time.
fn sweep(parent: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok) {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let mine = entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own);
        if named && mine && !entry.path().join(KEEP).exists() {
            sweep_one(&entry.path());
        }
    }
}

fn sweep_one(dir: &Path) {
    let Ok(layout) = Layout::open(dir) else { return };
    // Without the file its owner is just being born.
    let running = postmaster::running(&layout.cluster());
    let Ok(users) = File::options().write(true).open(layout.users()) else { return };
    if users.try_lock().is_ok()
        && postmaster::stop(&layout.cluster(), None, Shutdown::Immediate).is_ok()
    {
        tracing::debug!(dir = %dir.display(), "removing the throwaway Postgres of a killed process");
        if let Some(socket_dir) = running.and_then(|postmaster| postmaster.socket_dir) {
            socket::remove(&socket_dir);
        }
        let _ = fs::remove_dir_all(dir);
    }
}
