//! Where the coordinator answers: given by hand, or written down by `up` and `demo`.

use crate::data_dir::{DataDir, DataDirArgs};
use crate::output::hinted;
use anyhow::Context;
use clap::Args;
use keys::{Address, SecretKey};
use serde::{Deserialize, Serialize};
use std::path::Path;

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
    /// Where gRPC answers, with the fingerprint of the certificate.
    pub(crate) url: String,
    /// The process that serves there.
    pub(crate) pid: u32,
    /// `HOST:PORT` under which other machines reach it, if they do.
    #[serde(default)]
    pub(crate) reach: Option<String>,
    /// Whether links pin the certificate: not one of one's own, which is renewed.
    #[serde(default = "yes")]
    pub(crate) pin: bool,
}

fn yes() -> bool {
    true
}

/// What `login.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Login {
    /// Where gRPC answers.
    pub(crate) url: String,
}

/// A way to the coordinator that can be asked again after a restart, when the port may be another.
#[derive(Clone, Debug)]
pub(crate) struct Locator {
    /// An address; without it, what the folder knows.
    address: Option<String>,
    /// The data folder of this machine, with the key that commands sign with.
    folder: DataDir,
}

impl CoordinatorArgs {
    /// Which coordinator is meant.
    ///
    /// # Errors
    /// No data folder is known.
    pub(crate) fn locator(&self) -> anyhow::Result<Locator> {
        Ok(Locator { address: self.coordinator.clone(), folder: self.folder()? })
    }

    /// The data folder with the key that commands sign with.
    ///
    /// # Errors
    /// None is given and none can be derived.
    pub(crate) fn folder(&self) -> anyhow::Result<DataDir> {
        self.data_dir.resolve()
    }
}

impl Locator {
    /// The data folder of this machine.
    pub(crate) fn folder(&self) -> &DataDir {
        &self.folder
    }

    /// The coordinator of a folder.
    pub(crate) fn of(folder: DataDir) -> Self {
        Self { address: None, folder }
    }

    /// A coordinator elsewhere, by a link that `login` redeems with the key of a folder.
    pub(crate) fn at(address: &Address, folder: DataDir) -> Self {
        Self { address: Some(address.to_string()), folder }
    }

    /// What is known of the coordinator that the folder's own `up` runs; `None` when another is
    /// meant.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        let endpoint = Endpoint::read(&self.folder).ok()??;
        let is_meant = match &self.address {
            None => true,
            Some(url) => *url == endpoint.url,
        };
        is_meant.then_some(endpoint)
    }

    /// The address, as it is now.
    ///
    /// # Errors
    /// No coordinator was started in the data folder, and none was logged into from there.
    pub(crate) fn url(&self) -> anyhow::Result<String> {
        let here = Endpoint::read(&self.folder)?;
        if let Some(url) = &self.address {
            // The web address of the coordinator here is as good as its own.
            return Ok(match here {
                Some(endpoint) if is_web_address_of(url, &endpoint.url) => endpoint.url,
                _ => url.clone(),
            });
        }
        if let Some(endpoint) = here {
            return Ok(endpoint.url);
        }
        if let Some(login) = read::<Login>(&self.folder.login(), "elomill login LINK")? {
            return Ok(login.url);
        }
        Err(hinted(
            format_args!("no coordinator runs in {}", self.folder.path().display()),
            "start one with `elomill up`, log into another with `elomill login LINK`, or name one \
             with --coordinator",
        ))
    }

    /// What calls are signed with.
    ///
    /// # Errors
    /// The data folder cannot be written, or holds something else in place of the key.
    pub(crate) fn key(&self) -> anyhow::Result<SecretKey> {
        self.folder.control_key()
    }

    /// Remembers the coordinator for later commands of this folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn remember(&self) -> anyhow::Result<()> {
        write(&self.folder.login(), &Login { url: self.url()? })
    }
}

/// Whether two addresses are of one port of this machine.
fn is_web_address_of(web: &str, own: &str) -> bool {
    let parse = |text: &str| text.parse::<Address>().ok();
    let (Some(web), Some(own)) = (parse(web), parse(own)) else { return false };
    !web.encrypted && web.is_loopback() && own.is_loopback() && web.port == own.port
}

/// Where a browser of this machine finds the pages of the coordinator at an address.
pub(crate) fn pages(address: &str) -> String {
    match address.parse::<Address>() {
        Ok(address) => {
            let encrypted = address.encrypted && !address.is_loopback();
            Address { encrypted, ..address }.origin()
        }
        Err(_) => address.to_owned(),
    }
}

/// What a file of JSON holds, if there is one.
fn read<T: serde::de::DeserializeOwned>(path: &Path, writer: &str) -> anyhow::Result<Option<T>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    let value = serde_json::from_str(&text);
    value
        .map(Some)
        .with_context(|| format!("{} is damaged; `{writer}` writes it anew", path.display()))
}

/// Writes a file of JSON whole or not at all.
fn write<T: Serialize>(path: &Path, value: &T) -> anyhow::Result<()> {
    let fresh = path.with_extension("json.new");
    std::fs::write(&fresh, serde_json::to_vec(value)?)
        .with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

impl Endpoint {
    /// Reads what `up` or `demo` wrote, if one is running.
    ///
    /// # Errors
    /// Something else stands there.
    pub(crate) fn read(folder: &DataDir) -> anyhow::Result<Option<Self>> {
        read(&folder.endpoint(), "elomill up")
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn write(&self, folder: &DataDir) -> anyhow::Result<()> {
        write(&folder.endpoint(), self)
    }

    /// Takes it away at a clean end, so that the next command says "not running" and not "no
    /// answer".
    pub(crate) fn remove(folder: &DataDir) {
        // What stays is found out by the next connect.
        let _ = std::fs::remove_file(folder.endpoint());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_are_plain_and_others_are_not() {
        let pin = "ab".repeat(32);
        assert_eq!(pages(&format!("https://127.0.0.1:8117#{pin}")), "http://127.0.0.1:8117");
        assert_eq!(pages(&format!("https://mill.example:1#{pin}")), "https://mill.example:1");
        let own = format!("https://127.0.0.1:8117#{pin}");
        assert!(is_web_address_of("http://localhost:8117/", &own));
        assert!(!is_web_address_of("http://127.0.0.1:8118", &own));
        assert!(!is_web_address_of("https://127.0.0.1:8117", &own));
    }
}
