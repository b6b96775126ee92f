//! The folder in which everything of this machine is kept.
//!
//! ```text
//! elomill.lock    held by the one `up` or `demo` of the folder; its process id is in it
//! endpoint.json   where the coordinator answers
//! login.json      the coordinator elsewhere that `login` made known
//! control.key     what the commands of this folder sign with; admin of the coordinator here
//! tls.crt tls.key the certificate of the coordinator here
//! pg/ …           the private Postgres (laid out by `pgbox`)
//! worker/         the state of the house's own worker: identity and spool
//! engines/        the engines of others that this machine keeps (laid out by `worker::shelf`)
//! artefacts/      those that authors have published to the coordinator here
//! logs/           elomill.log, worker.log
//! ```

use crate::output::hinted;
use anyhow::Context;
use clap::Args;
use keys::SecretKey;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// `--data-dir`, wherever a command needs it.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DataDirArgs {
    /// Folder of everything that stays on this machine
    #[arg(long, value_name = "DIR", env = crate::env::DATA_DIR)]
    pub(crate) data_dir: Option<PathBuf>,
}

/// The folder by its path; it need not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct DataDir(PathBuf);

impl DataDirArgs {
    /// The folder that is meant.
    ///
    /// # Errors
    /// None is given and the environment does not say where a home is.
    pub(crate) fn resolve(&self) -> anyhow::Result<DataDir> {
        let path = match &self.data_dir {
            Some(path) => std::path::absolute(path)?,
            None => pgbox::Environment::read().default_data_dir()?,
        };
        Ok(DataDir(path))
    }
}

impl DataDir {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn endpoint(&self) -> PathBuf {
        self.0.join("endpoint.json")
    }

    pub(crate) fn login(&self) -> PathBuf {
        self.0.join("login.json")
    }

    /// The key that the commands of this folder sign with, made at the first use.
    ///
    /// # Errors
    /// The folder cannot be written, or the file holds something else.
    pub(crate) fn control_key(&self) -> anyhow::Result<SecretKey> {
        std::fs::create_dir_all(&self.0)
            .with_context(|| format!("cannot make the data folder {}", self.0.display()))?;
        Ok(SecretKey::read_or_make(&self.0.join("control.key"))?)
    }

    pub(crate) fn engines(&self) -> PathBuf {
        self.0.join("engines")
    }

    pub(crate) fn artefacts(&self) -> PathBuf {
        self.0.join("artefacts")
    }

    pub(crate) fn worker_state(&self) -> PathBuf {
        self.0.join("worker")
    }

    /// A log file, opened to append.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn log_file(&self, name: &str) -> anyhow::Result<File> {
        let folder = self.0.join("logs");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(name);
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Makes the folder and takes it for this process alone.
    ///
    /// # Errors
    /// Another process has it, or it cannot be written.
    pub(crate) fn lock(&self) -> anyhow::Result<DataDirLock> {
        std::fs::create_dir_all(&self.0)
            .with_context(|| format!("cannot make the data folder {}", self.0.display()))?;
        let path = self.0.join("elomill.lock");
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Some systems do not let a locked file be read: then the id is not known.
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim().parse::<u32>() {
                    Ok(pid) => format!("the process {pid}"),
                    Err(_) => "another process".to_owned(),
                };
                return Err(hinted(
                    format_args!("{holder} already runs Elomill in {}", self.0.display()),
                    "use it (`elomill runs list`), end it, or give another --data-dir",
                ));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())?;
        Ok(DataDirLock { _file: file })
    }
}

/// The folder belongs to this process as long as this lives.
#[derive(Debug)]
pub(crate) struct DataDirLock {
    _file: File,
}
