//! A folder that a program may fill, and somebody who looks how full it is.
//!
//! The kernel bounds each file and how many are open, not what they come to; a thread of the caller
//! empties a folder that has too much in it. A program can so hold no more for long than its open files
//! ([`Policy::file_mib`](crate::Policy::file_mib) each).

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the folder is looked at.
const ROUND: Duration = Duration::from_millis(500);

/// Most bytes of all files.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Most files and folders.
const MOST_ENTRIES: u64 = 4096;

/// A scratch folder; it is removed with everything in it when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: Arc<tempfile::TempDir>,
    end: Arc<(Mutex<bool>, Condvar)>,
    warden: Option<JoinHandle<()>>,
}

impl Scratch {
    /// Makes a folder of its own among the system's temporary ones.
    ///
    /// # Errors
    /// It cannot be made, or no thread be started.
    pub fn new() -> io::Result<Self> {
        let folder = Arc::new(tempfile::Builder::new().prefix("elomill-scratch-").tempdir()?);
        let end = Arc::new((Mutex::new(false), Condvar::new()));
        let (watched, told) = (Arc::clone(&folder), Arc::clone(&end));
        let watch = move || {
            let (flag, bell) = &*told;
            let mut is_over = flag.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_over {
                let mut used = Used::default();
                used.add(watched.path());
                if used.is_too_much() {
                    empty(watched.path());
                }
                is_over =
                    bell.wait_timeout(is_over, ROUND).unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let warden = std::thread::Builder::new().name("scratch".to_owned()).spawn(watch)?;
        Ok(Self { folder, end, warden: Some(warden) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        *self.end.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.1.notify_all();
        if let Some(warden) = self.warden.take() {
            // It cannot panic, and has nothing to say.
            let _ = warden.join();
        }
    }
}

#[derive(Default)]
struct Used {
    bytes: u64,
    entries: u64,
}

impl Used {
    fn is_too_much(&self) -> bool {
        self.bytes > MOST_BYTES || self.entries > MOST_ENTRIES
    }

    /// Links are counted, not followed. What vanishes meanwhile is no matter.
    fn add(&mut self, folder: &Path) {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                let Ok(data) = entry.metadata() else { continue };
                self.entries += 1;
                if data.is_dir() {
                    folders.push(entry.path());
                } else {
                    self.bytes += data.len();
                }
                if self.is_too_much() {
                    return;
                }
            }
        }
    }
}

/// Removes what is in the folder; what another removes at the same time is gone as well.
fn empty(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(path),
            _ => std::fs::remove_file(path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_too_full_is_emptied_and_at_the_end_removed() {
        let scratch = Scratch::new().expect("a folder");
        let path = scratch.path().to_owned();
        std::fs::write(path.join("small"), b"stays").expect("a file");
        std::fs::create_dir(path.join("deep")).expect("a folder");
        // Long without bytes on the disk.
        let large = std::fs::File::create(path.join("deep/large")).expect("a file");
        assert!(path.join("small").exists());
        large.set_len(MOST_BYTES + 1).expect("a length");
        while path.join("deep").exists() || path.join("small").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(scratch);
        assert!(!path.exists());
    }
}
