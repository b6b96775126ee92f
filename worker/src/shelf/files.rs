//! Files that go by the SHA-256 of their bytes.

use crate::shelf::{Fault, ShelfError};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most bytes of a program.
pub(crate) const MOST_PROGRAM: u64 = 1 << 30;

/// Bytes as small hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256 of parts that cannot run together, in hex.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// SHA-256 of a file, in hex.
pub(crate) fn hash_of(path: &Path) -> Result<String, ShelfError> {
    let what = || format!("cannot read {}", path.display());
    let mut file = File::open(path).map_err(ShelfError::io(what()))?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut chunk).map_err(ShelfError::io(what()))?;
        if read == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&chunk[..read]);
    }
}

/// Copies a program into a folder under a name of the moment, synced; the copy, its SHA-256 and its
/// length.
pub(crate) fn copy_in(
    from: &Path,
    folder: &Path,
) -> Result<(tempfile::NamedTempFile, String, u64), ShelfError> {
    let what = || format!("cannot copy {}", from.display());
    let io = || ShelfError::io(what());
    let mut source = File::open(from).map_err(io())?;
    let length = source.metadata().map_err(io())?.len();
    if length > MOST_PROGRAM {
        let hint = format!("allowed: to {} MiB", MOST_PROGRAM >> 20);
        let message = format!("{} has {} MiB", from.display(), length >> 20);
        return Err(ShelfError::new(Fault::Refused, message, hint));
    }
    let mut copy = tempfile::Builder::new().prefix("new-").tempfile_in(folder).map_err(io())?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = source.read(&mut chunk).map_err(io())?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        hash.update(&chunk[..read]);
        copy.write_all(&chunk[..read]).map_err(io())?;
    }
    executable(copy.as_file()).map_err(io())?;
    copy.as_file().sync_all().map_err(io())?;
    Ok((copy, hex(&hash.finalize()), bytes))
}

/// Puts a file in the place of another at once.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), ShelfError> {
    let io = || ShelfError::io(format!("cannot write {}", path.display()));
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io())?;
    file.write_all(bytes).map_err(io())?;
    file.as_file().sync_all().map_err(io())?;
    file.persist(path).map_err(|error| io()(error.error))?;
    Ok(())
}

/// Makes a folder with all above it.
pub(crate) fn make_folder(path: &Path) -> Result<(), ShelfError> {
    let io = ShelfError::io(format!("cannot make {}", path.display()));
    std::fs::create_dir_all(path).map_err(io)
}

/// A file was used now.
pub(crate) fn touch(path: &Path) -> Result<(), ShelfError> {
    let io = || ShelfError::io(format!("cannot write {}", path.display()));
    // For reading: a program that runs cannot be opened for writing, and its owner needs no more.
    let file = File::open(path).map_err(io())?;
    file.set_modified(SystemTime::now()).map_err(io())
}

/// Which of these go so that at most so many bytes stay; the longest unused go first.
pub(crate) fn surplus(mut idle: Vec<(SystemTime, u64, PathBuf)>, most: u64) -> Vec<PathBuf> {
    idle.sort();
    let mut bytes: u64 = idle.iter().map(|(_, bytes, _)| bytes).sum();
    let mut gone = Vec::new();
    for (_, length, path) in idle {
        if bytes <= most {
            break;
        }
        bytes -= length;
        gone.push(path);
    }
    gone
}

#[cfg(unix)]
fn executable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{key, surplus};
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_longest_unused_go_first_and_no_more_than_needed() {
        let at = |second| SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let idle =
            || vec![(at(3), 30, "c".into()), (at(1), 10, "a".into()), (at(2), 20, "b".into())];
        let gone = |most| -> Vec<String> {
            surplus(idle(), most).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(gone(60), [""; 0]);
        assert_eq!(gone(59), ["a"]);
        assert_eq!(gone(50), ["a"]);
        assert_eq!(gone(49), ["a", "b"]);
        assert_eq!(gone(0), ["a", "b", "c"]);
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        assert_ne!(key(["ab", "c"]), key(["a", "bc"]));
        assert_eq!(key(["ab", "c"]).len(), 64);
    }
}
