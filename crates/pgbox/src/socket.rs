//! The directory of the server's socket.
//!
//! It is the only lock on a server that trusts whoever connects, so it is made with mode 0700 and
//! an existing one is used only when it is a directory of the right owner that nobody else can
//! enter. It stands outside the data directory because a socket's path must be short.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{Error, account::Account};

/// The port in the socket's file name; there is no TCP port.
pub(crate) const PORT: u16 = 5432;

/// The longest socket path: `sun_path` holds 108 bytes on Linux and 104 on the BSDs and macOS, one
/// of which ends the string.
const LONGEST_PATH: usize = 103;

/// The socket's path in its directory, as Postgres names it.
pub(crate) fn socket_in(dir: &Path) -> PathBuf {
    dir.join(format!(".s.PGSQL.{PORT}"))
}

/// Makes or checks the socket directory for the data directory `root`.
pub(crate) fn prepare(
    root: &Path,
    account: &Account,
    runtime_dir: Option<&Path>,
) -> Result<PathBuf, Error> {
    let dir = choose(root, account, runtime_dir);
    match DirBuilder::new().mode(0o700).create(&dir) {
        Ok(()) => account.give(&dir)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(Error::Io { action: "create", path: dir, source }),
    }
    check(&dir, account)?;
    Ok(dir)
}

/// Removes a server's leavings. A stale `.lock` whose process id was given to another process
/// would keep Postgres from starting.
pub(crate) fn sweep(dir: &Path) -> Result<(), Error> {
    for name in [format!(".s.PGSQL.{PORT}"), format!(".s.PGSQL.{PORT}.lock")] {
        let path = dir.join(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Io { action: "remove", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes the directory of a server that is down, for tidiness: one that stays is used by the next
/// start.
pub(crate) fn remove(dir: &Path) {
    let _ = sweep(dir);
    let _ = fs::remove_dir(dir);
}

/// The first parent that is short enough: the user's runtime directory, else `/run` for root,
/// else `/tmp`.
fn choose(root: &Path, account: &Account, runtime_dir: Option<&Path>) -> PathBuf {
    let digest = Sha256::digest(root.as_os_str().as_bytes());
    let hash: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    let runtime_dir = match account.is_dropped() {
        true => Some(Path::new("/run")),
        false => runtime_dir,
    };
    runtime_dir
        .filter(|dir| dir.is_absolute() && dir.is_dir())
        .map(|dir| dir.join(format!("elomill-{hash}")))
        .filter(|dir| socket_in(dir).as_os_str().len() <= LONGEST_PATH)
        .unwrap_or_else(|| PathBuf::from(format!("/tmp/elomill-{}-{hash}", account.uid())))
}

/// Refuses a directory that anybody but the server's user controls or can enter.
pub(crate) fn check(dir: &Path, account: &Account) -> Result<(), Error> {
    let refuse = |found: String| Err(Error::SocketDir { path: dir.to_path_buf(), found });
    let meta = fs::symlink_metadata(dir).map_err(Error::io("look at", dir))?;
    if !meta.is_dir() {
        return refuse("it is not a directory".to_owned());
    }
    // Root dying between making the directory and handing it over leaves it root's.
    if meta.uid() == 0 && account.is_dropped() {
        account.give(dir)?;
    } else if meta.uid() != account.uid() {
        return refuse(format!("it belongs to user id {}, not {}", meta.uid(), account.uid()));
    }
    let mode = meta.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        return refuse(format!("its mode is {mode:o}, and others could enter it (want 700)"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Account {
        Account::for_cluster(Path::new("/nonexistent")).unwrap()
    }

    #[test]
    fn a_long_runtime_dir_gives_way_to_tmp() {
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("x".repeat(90));
        fs::create_dir(&long).unwrap();
        let dir = choose(Path::new("/data"), &own(), Some(&long));
        assert!(!dir.starts_with(&long), "{}", dir.display());
        assert!(socket_in(&dir).as_os_str().len() <= LONGEST_PATH);
    }

    #[test]
    fn data_dirs_have_sockets_of_their_own() {
        let dir = |root: &str| choose(Path::new(root), &own(), None);
        assert_eq!(dir("/data/a"), dir("/data/a"));
        assert_ne!(dir("/data/a"), dir("/data/b"));
    }

    #[test]
    fn an_open_directory_a_link_and_a_file_are_refused() {
        let base = tempfile::tempdir().unwrap();
        let account = own();
        let good = base.path().join("good");
        fs::create_dir(&good).unwrap();
        account.give(&good).unwrap();
        fs::set_permissions(&good, fs::Permissions::from_mode(0o700)).unwrap();
        check(&good, &account).unwrap();

        let link = base.path().join("link");
        std::os::unix::fs::symlink(&good, &link).unwrap();
        let file = base.path().join("file");
        fs::write(&file, "").unwrap();
        for (path, expected) in [(&link, "not a directory"), (&file, "not a directory")] {
            let error = check(path, &account).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        fs::set_permissions(&good, fs::Permissions::from_mode(0o750)).unwrap();
        let error = check(&good, &account).unwrap_err().to_string();
        assert!(error.contains("750"), "{error}");
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        // Root can make one; anybody else finds root's.
        let base = tempfile::tempdir().unwrap();
        let account = own();
        let foreign = base.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        let path = if account.is_dropped() {
            std::os::unix::fs::chown(&foreign, Some(account.uid() + 1), None).unwrap();
            foreign
        } else {
            PathBuf::from("/")
        };
        let error = check(&path, &account).unwrap_err();
        assert!(matches!(error, Error::SocketDir { .. }), "{error}");
    }
}
