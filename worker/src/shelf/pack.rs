//! Sources as archives: the same folder packs to the same bytes wherever it lies, and what is unpacked
//! stays inside.

use crate::shelf::files::hash_of;
use crate::shelf::{Fault, ShelfError};
use model::spec::{ExternalEngine, MOST_ARTEFACT_BYTES};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use tar::{Archive, Builder, EntryType, Header};

/// Most files and folders of a source.
const MOST_ENTRIES: usize = 100_000;

/// Most bytes of all files of a source that is unpacked.
const MOST_UNPACKED: u64 = 2 * MOST_ARTEFACT_BYTES;

/// What is sent elsewhere for an engine to come about there.
#[derive(Debug)]
pub struct Artefact {
    /// What it is called and recognised by.
    pub engine: ExternalEngine,
    /// The file with its bytes.
    pub path: PathBuf,
    /// Gone when nobody needs it any more.
    pub(crate) _archive: Option<tempfile::NamedTempFile>,
}

/// Packs a folder into a tar archive: every file and folder by name, without times and owners, `.git`
/// left out. The archive, its SHA-256 and its length.
///
/// # Errors
/// Something in it cannot be read, is neither file nor folder, or there is too much of it.
pub fn pack(folder: &Path) -> Result<(tempfile::NamedTempFile, String, u64), ShelfError> {
    let io = || ShelfError::io(format!("cannot pack {}", folder.display()));
    let archive =
        tempfile::Builder::new().prefix("elomill-").suffix(".tar").tempfile().map_err(io())?;
    let mut builder = Builder::new(std::io::BufWriter::new(archive));
    let mut waiting = vec![PathBuf::new()];
    let (mut entries, mut bytes) = (0, 0);
    while let Some(place) = waiting.pop() {
        let path = folder.join(&place);
        let data = std::fs::symlink_metadata(&path).map_err(io())?;
        let mut header = Header::new_ustar();
        header.set_mtime(0);
        entries += 1;
        bytes += data.len();
        if entries > MOST_ENTRIES || bytes > MOST_ARTEFACT_BYTES {
            let hint = "take what it has built out of the source, or publish the program as a file";
            let message = format!("{} is too large to be sent", folder.display());
            return Err(ShelfError::new(Fault::Refused, message, hint));
        }
        if data.is_dir() {
            let mut inside = Vec::new();
            for entry in std::fs::read_dir(&path).map_err(io())? {
                let name = entry.map_err(io())?.file_name();
                if !(place.as_os_str().is_empty() && name == ".git") {
                    inside.push(place.join(name));
                }
            }
            // Taken from the end: the first name comes first.
            inside.sort_by(|a, b| b.cmp(a));
            waiting.extend(inside);
            if place.as_os_str().is_empty() {
                continue;
            }
            header.set_entry_type(EntryType::Directory);
            header.set_mode(0o755);
            header.set_size(0);
            builder.append_data(&mut header, &place, std::io::empty()).map_err(io())?;
        } else if data.is_file() {
            header.set_entry_type(EntryType::Regular);
            header.set_mode(if is_executable(&data) { 0o755 } else { 0o644 });
            header.set_size(data.len());
            let file = File::open(&path).map_err(io())?;
            builder.append_data(&mut header, &place, file).map_err(io())?;
        } else {
            let message = format!("{} is neither a file nor a folder", path.display());
            let hint = "links are not sent: put what it means in its place, or leave it out";
            return Err(ShelfError::new(Fault::Refused, message, hint));
        }
    }
    let mut writer = builder.into_inner().map_err(io())?;
    writer.flush().map_err(io())?;
    let archive = writer.into_inner().map_err(|error| io()(error.into_error()))?;
    let sha256 = hash_of(archive.path())?;
    let length = archive.as_file().metadata().map_err(io())?.len();
    Ok((archive, sha256, length))
}

/// Unpacks an archive of a stranger into an empty folder: files and folders only, none outside, a
/// bounded number of each.
pub(crate) fn unpack(archive: &Path, into: &Path) -> Result<(), ShelfError> {
    let foul = |what: String| {
        ShelfError::new(Fault::Unavailable, format!("the source is no good archive: {what}"), "")
    };
    let file = File::open(archive)
        .map_err(ShelfError::io(format!("cannot read {}", archive.display())))?;
    let mut archive = Archive::new(std::io::BufReader::new(file));
    archive.set_preserve_mtime(false);
    let mut bytes = 0_u64;
    for (number, entry) in archive.entries().map_err(|e| foul(e.to_string()))?.enumerate() {
        let mut entry = entry.map_err(|error| foul(error.to_string()))?;
        bytes = bytes.saturating_add(entry.size());
        if number >= MOST_ENTRIES || bytes > MOST_UNPACKED {
            return Err(foul("it is too large".to_owned()));
        }
        if !matches!(entry.header().entry_type(), EntryType::Regular | EntryType::Directory) {
            return Err(foul("it has what is neither a file nor a folder".to_owned()));
        }
        if !entry.unpack_in(into).map_err(|error| foul(error.to_string()))? {
            return Err(foul("it has a path that leads outside".to_owned()));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(folder: &Path) {
        std::fs::create_dir_all(folder.join("src/deep")).expect("folders");
        std::fs::create_dir(folder.join(".git")).expect("a folder");
        std::fs::write(folder.join(".git/HEAD"), "x").expect("a file");
        std::fs::write(folder.join("src/main.c"), "int main;").expect("a file");
        std::fs::write(folder.join("src/deep/a"), vec![7; 100_000]).expect("a file");
        std::fs::write(folder.join("build.sh"), "true").expect("a file");
    }

    #[test]
    fn a_folder_packs_to_the_same_bytes_and_comes_back_without_its_history() {
        let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
        let [one, other, third] = folders.each_ref().map(tempfile::TempDir::path);
        source(one);
        source(other);
        let (archive, sha256, bytes) = pack(one).expect("an archive");
        assert_eq!(bytes, archive.path().metadata().expect("a file").len());
        assert_eq!(pack(other).expect("an archive").1, sha256);
        unpack(archive.path(), third).expect("a source");
        assert_eq!(std::fs::read(third.join("src/deep/a")).expect("a file"), vec![7; 100_000]);
        assert!(!third.join(".git").exists());
        std::fs::write(other.join("src/main.c"), "int Main;").expect("a file");
        assert_ne!(pack(other).expect("an archive").1, sha256);
    }

    #[test]
    fn an_archive_of_a_stranger_stays_inside() {
        let folder = tempfile::tempdir().expect("a folder");
        let packed = |kind, name: &str, link: Option<&str>| {
            let path = folder.path().join(format!("{kind:?}.tar"));
            let mut builder = Builder::new(File::create(&path).expect("a file"));
            let mut header = Header::new_ustar();
            header.set_entry_type(kind);
            header.set_mode(0o644);
            header.set_size(0);
            // Not through the library, which would not write such a name.
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            if let Some(link) = link {
                header.set_link_name(link).expect("a link");
            }
            header.set_cksum();
            builder.append(&header, std::io::empty()).expect("an entry");
            builder.finish().expect("an archive");
            path
        };
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).expect("a folder");
        for (path, part) in [
            (packed(EntryType::Regular, "../out", None), "leads outside"),
            (packed(EntryType::Symlink, "link", Some("/etc")), "neither a file"),
            (packed(EntryType::Char, "device", None), "neither a file"),
        ] {
            let error = unpack(&path, &inside).expect_err(part);
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(error.fault, Fault::Unavailable);
        }
        assert!(!folder.path().join("out").exists());
        let rubbish = folder.path().join("rubbish");
        std::fs::write(&rubbish, vec![b'x'; 5000]).expect("a file");
        assert!(unpack(&rubbish, &inside).is_err());
    }
}
