//! Files that nobody but their owner reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file of secrets cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// What was tried.
    pub action: &'static str,
    /// With which file.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// The text of a file, `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileError> {
    match fs::read(path) {
        // What is no text is no key either, which its reader says.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError { action: "read", path: path.to_owned(), source }),
    }
}

/// Writes a file, readable by its owner alone, beside its place and moves it there: it is whole or
/// absent.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let written = || -> io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        // The name is durable once the directory is; only Unix lets a directory be opened for that.
        #[cfg(unix)]
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            File::open(directory)?.sync_all()?;
        }
        Ok(())
    };
    written().map_err(|source| FileError { action: "write", path: path.to_owned(), source })
}
