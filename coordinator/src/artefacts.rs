//! The bytes of published engines, as files of the data directory.
//!
//! ```text
//! SHA256.part   what has come so far; an upload goes on where it ends
//! SHA256        whole, synced and proven by its hash before it got its name
//! ```
//!
//! Whoever may upload can fill no more than a bounded number of bytes; parts that nobody has added to
//! for a week go at the next start.

use model::spec::MOST_ARTEFACT_BYTES;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

/// Most bytes of everything.
const MOST_BYTES: u64 = 32 << 30;

/// Bytes of a chunk at most, both ways.
pub(crate) const CHUNK: usize = 1 << 20;

/// How long a part may rest.
const MOST_REST: Duration = Duration::from_secs(7 * 24 * 3600);

/// A folder of artefacts.
#[derive(Debug)]
pub struct Artefacts {
    folder: PathBuf,
    /// Those that somebody is uploading: one at a time each.
    uploading: Mutex<BTreeSet<String>>,
}

/// How much is there of an artefact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// From the beginning.
    pub bytes: u64,
    /// All of it, proven.
    pub is_whole: bool,
}

/// Why an artefact cannot be taken or given.
#[derive(Debug, thiserror::Error)]
pub enum ArtefactError {
    /// The name of an artefact is its hash.
    #[error("`sha256`: found `{0}`; allowed: 64 digits of 0-9 and a-f")]
    Name(String),
    /// Nothing of this name is there whole.
    #[error("no artefact {0} is here")]
    Unknown(String),
    /// It is too long, or there is too much of everything.
    #[error("{found} bytes; allowed: {allowed}")]
    TooLarge {
        /// How long it would be.
        found: u64,
        /// How long it may be.
        allowed: String,
    },
    /// The bytes do not go on where those that are here end.
    #[error("bytes from {found} on; allowed: from {held} on, which is what is here")]
    Offset {
        /// Where they begin.
        found: u64,
        /// Where they must.
        held: u64,
    },
    /// Somebody else uploads it now.
    #[error("somebody else sends artefact {0} now")]
    Busy(String),
    /// The bytes are those of something else.
    #[error("the bytes have the SHA-256 {found}, not {meant}; send the whole again")]
    Hash {
        /// Of the bytes.
        found: String,
        /// What they should have.
        meant: String,
    },
    /// The disk does not serve.
    #[error("the disk does not serve")]
    Disk(#[from] io::Error),
}

/// An upload in progress; what has come stays when it is dropped.
#[derive(Debug)]
pub struct Upload {
    artefacts: Arc<Artefacts>,
    sha256: String,
    bytes: u64,
    held: u64,
    file: File,
}

impl Artefacts {
    /// The folder, made if it is not there.
    ///
    /// # Errors
    /// The disk does not serve.
    pub fn open(folder: &Path) -> io::Result<Arc<Self>> {
        std::fs::create_dir_all(folder)?;
        for entry in std::fs::read_dir(folder)?.flatten() {
            let is_part = entry.path().extension().is_some_and(|end| end == "part");
            let rested = entry.metadata().and_then(|data| data.modified()).map(|at| at.elapsed());
            if is_part && matches!(rested, Ok(Ok(rested)) if rested > MOST_REST) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(Arc::new(Self { folder: folder.to_owned(), uploading: Mutex::default() }))
    }

    /// How much is there.
    ///
    /// # Errors
    /// The name is none.
    pub fn held(&self, sha256: &str) -> Result<Held, ArtefactError> {
        let (part, whole) = self.paths(sha256)?;
        if let Ok(data) = std::fs::metadata(whole) {
            return Ok(Held { bytes: data.len(), is_whole: true });
        }
        let bytes = std::fs::metadata(part).map_or(0, |data| data.len());
        Ok(Held { bytes, is_whole: false })
    }

    /// Begins to take an artefact of so many bytes from an offset on.
    ///
    /// # Errors
    /// It is too large, does not go on where the last upload ended, or another is under way.
    pub async fn upload(
        self: &Arc<Self>,
        sha256: &str,
        bytes: u64,
        offset: u64,
    ) -> Result<Upload, ArtefactError> {
        let held = self.held(sha256)?;
        if bytes == 0 || bytes > MOST_ARTEFACT_BYTES {
            let allowed = format!("1 to {MOST_ARTEFACT_BYTES}");
            return Err(ArtefactError::TooLarge { found: bytes, allowed });
        }
        let used = self.used()?;
        let more = bytes.saturating_sub(held.bytes);
        if used.saturating_add(more) > MOST_BYTES {
            let allowed =
                format!("{} more; an operator makes room", MOST_BYTES - used.min(MOST_BYTES));
            return Err(ArtefactError::TooLarge { found: more, allowed });
        }
        if held.is_whole || held.bytes != offset || offset > bytes {
            return Err(ArtefactError::Offset { found: offset, held: held.bytes });
        }
        if !self.lock().insert(sha256.to_owned()) {
            return Err(ArtefactError::Busy(sha256.to_owned()));
        }
        let (part, _) = self.paths(sha256)?;
        match File::options().create(true).append(true).open(part).await {
            Ok(file) => {
                let (artefacts, sha256) = (Arc::clone(self), sha256.to_owned());
                Ok(Upload { artefacts, sha256, bytes, held: offset, file })
            }
            Err(error) => {
                self.lock().remove(sha256);
                Err(error.into())
            }
        }
    }

    /// An artefact that is whole, to be read from an offset on.
    ///
    /// # Errors
    /// It is not there.
    pub async fn read(&self, sha256: &str, offset: u64) -> Result<File, ArtefactError> {
        let (_, whole) = self.paths(sha256)?;
        let mut file = match File::open(whole).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ArtefactError::Unknown(sha256.to_owned()));
            }
            other => other?,
        };
        file.seek(io::SeekFrom::Start(offset)).await?;
        Ok(file)
    }

    fn paths(&self, sha256: &str) -> Result<(PathBuf, PathBuf), ArtefactError> {
        let is_hash = sha256.len() == 64
            && sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !is_hash {
            return Err(ArtefactError::Name(model::printable(sha256, 70)));
        }
        let part = self.folder.join(format!("{sha256}.part"));
        Ok((part, self.folder.join(sha256)))
    }

    fn used(&self) -> io::Result<u64> {
        let mut bytes = 0;
        for entry in std::fs::read_dir(&self.folder)? {
            // What goes away meanwhile takes no room.
            bytes += entry?.metadata().map_or(0, |data| data.len());
        }
        Ok(bytes)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.uploading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Upload {
    /// What has come so far.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// There are more than was said, or the disk does not serve.
    pub async fn add(&mut self, chunk: &[u8]) -> Result<(), ArtefactError> {
        let held = self.held.saturating_add(chunk.len() as u64);
        if held > self.bytes {
            let allowed = self.bytes.to_string();
            return Err(ArtefactError::TooLarge { found: held, allowed });
        }
        self.file.write_all(chunk).await?;
        self.held = held;
        Ok(())
    }

    /// Keeps what has come; if that is all, it is synced, proven and gets its name. Whether it is all.
    ///
    /// # Errors
    /// It is something else, and thrown away; or the disk does not serve.
    pub async fn finish(mut self) -> Result<bool, ArtefactError> {
        self.file.flush().await?;
        if self.held < self.bytes {
            return Ok(false);
        }
        self.file.sync_all().await?;
        let (part, whole) = self.artefacts.paths(&self.sha256)?;
        let hashed = tokio::task::spawn_blocking({
            let part = part.clone();
            move || hash_of(&part)
        });
        let found = hashed.await.map_err(io::Error::other)??;
        if found != self.sha256 {
            tokio::fs::remove_file(&part).await?;
            return Err(ArtefactError::Hash { found, meant: self.sha256.clone() });
        }
        tokio::fs::rename(&part, &whole).await?;
        // The name is durable with its folder.
        File::open(&self.artefacts.folder).await?.sync_all().await?;
        Ok(true)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.artefacts.lock().remove(&self.sha256);
    }
}

/// The next chunk of a file; empty at its end.
pub(crate) async fn next_chunk(file: &mut File) -> io::Result<Vec<u8>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    file.take(CHUNK as u64).read_to_end(&mut chunk).await?;
    Ok(chunk)
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&chunk[..read]);
    }
}
