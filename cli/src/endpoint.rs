//! Where the coordinator answers: given by hand, or written down by `up` and `demo`.

use crate::data_dir::{DataDir, DataDirArgs};
use crate::output::hinted;
use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};

/// `--coordinator` and `--data-dir`, for every command that asks a coordinator.
#[derive(Args, Clone, Debug)]
pub(crate) struct CoordinatorArgs {
    /// Address of the coordinator; without it, the one of this machine's data folder
    #[arg(long, value_name = "URL", env = crate::env::COORDINATOR)]
    coordinator: Option<String>,
    #[command(flatten)]
    data_dir: DataDirArgs,
}

/// What `endpoint.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    /// `http://HOST:PORT`: gRPC and the web pages.
    pub(crate) url: String,
    /// The process that serves there.
    pub(crate) pid: u32,
}

/// A way to the coordinator that can be asked again after a restart, when the port may be another.
#[derive(Clone, Debug)]
pub(crate) enum Locator {
    /// An address.
    Url(String),
    /// The data folder of this machine.
    Folder(DataDir),
}

impl CoordinatorArgs {
    /// Which coordinator is meant.
    ///
    /// # Errors
    /// Neither an address nor a data folder is known.
    pub(crate) fn locator(&self) -> anyhow::Result<Locator> {
        match &self.coordinator {
            Some(url) => Ok(Locator::Url(url.clone())),
            None => Ok(Locator::Folder(self.data_dir.resolve()?)),
        }
    }
}

impl Locator {
    /// The address, as it is now.
    ///
    /// # Errors
    /// No coordinator was started in the data folder.
    pub(crate) fn url(&self) -> anyhow::Result<String> {
        match self {
            Locator::Url(url) => Ok(url.clone()),
            Locator::Folder(folder) => Ok(Endpoint::read(folder)?.url),
        }
    }
}

impl Endpoint {
    /// Reads what `up` or `demo` wrote.
    ///
    /// # Errors
    /// Nothing was written, or something else stands there.
    pub(crate) fn read(folder: &DataDir) -> anyhow::Result<Self> {
        let path = folder.endpoint();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(hinted(
                    format_args!("no coordinator runs in {}", folder.path().display()),
                    "start one with `elomill up`, or name one with --coordinator http://HOST:PORT",
                ));
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; `elomill up` writes it anew", path.display()))
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn write(&self, folder: &DataDir) -> anyhow::Result<()> {
        let path = folder.endpoint();
        let fresh = path.with_extension("json.new");
        std::fs::write(&fresh, serde_json::to_vec(self)?)
            .with_context(|| format!("cannot write {}", fresh.display()))?;
        std::fs::rename(&fresh, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Takes it away at a clean end, so that the next command says "not running" and not "no
    /// answer".
    pub(crate) fn remove(folder: &DataDir) {
        // What stays is found out by the next connect.
        let _ = std::fs::remove_file(folder.endpoint());
    }
}
