//! Joining a coordinator by the link of an invitation, and remembering it.

use crate::WorkerError;
use crate::identity::StateDir;
use keys::{Address, Link};
use proto::ConnectError;
use proto::v1::{self, key_service_client::KeyServiceClient};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file in the state directory that names the coordinator.
const COORDINATOR: &str = "coordinator";

/// What a coordinator said to a key that it has admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrolled {
    /// Number of the key there.
    pub key: i64,
    /// Whose it counts as.
    pub owner: String,
    /// The coordinator's clock against this machine's, in seconds; positive when it is ahead.
    pub clock_ahead_seconds: i64,
}

/// Why a link was not redeemed.
#[derive(Debug, thiserror::Error)]
pub enum EnrolError {
    /// There is no connection.
    #[error("the link leads to no coordinator")]
    Connect(#[from] ConnectError),
    /// The coordinator refuses.
    #[error("the coordinator refuses the link: {0}")]
    Refused(String),
    /// The link is for somebody else than a worker.
    #[error(
        "the link makes a key of the role {role}, not of a worker; use it with `elomill login LINK`"
    )]
    Role {
        /// The role.
        role: &'static str,
    },
    /// The state directory cannot be used.
    #[error(transparent)]
    State(#[from] WorkerError),
    /// The coordinator cannot be remembered.
    #[error("cannot remember the coordinator in the state directory")]
    Remember(#[source] std::io::Error),
}

/// Redeems a link with the key of a state directory, which is made if need be, and remembers the
/// coordinator there.
///
/// # Errors
/// The coordinator is not reached or not believed, or refuses: the invitation is unknown, expired
/// or used up, or the key was revoked.
pub async fn join(link: &Link, state_dir: &Path, name: &str) -> Result<Enrolled, EnrolError> {
    // Taken for the time of it: a running worker would go on with the old coordinator.
    let state = StateDir::open(state_dir)?;
    let channel = proto::connect(&link.address.to_string(), Some(state.key())).await?;
    let mut client = KeyServiceClient::new(channel);
    let request =
        v1::RedeemRequest { token: link.token.as_bytes().to_vec().into(), label: name.to_owned() };
    let answer = client
        .redeem(request)
        .await
        .map_err(|status| EnrolError::Refused(model::printable(status.message(), 400)))?;
    let v1::RedeemResponse { key, unix_ms } = answer.into_inner();
    let key = key.unwrap_or_default();
    if key.role() != v1::Role::Worker {
        let role = match key.role() {
            v1::Role::Admin => "admin",
            v1::Role::Author => "author",
            v1::Role::ReadOnly => "read-only",
            v1::Role::Worker | v1::Role::Unspecified => "unknown",
        };
        return Err(EnrolError::Role { role });
    }
    remember(state_dir, &link.address).map_err(EnrolError::Remember)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    Ok(Enrolled {
        key: key.key_id,
        owner: model::printable(&key.owner, 80),
        clock_ahead_seconds: unix_ms.saturating_sub(now_ms) / 1000,
    })
}

/// The coordinator that the worker of this directory has joined, if it has.
///
/// # Errors
/// What stands there is no address.
pub fn coordinator_of(state_dir: &Path) -> anyhow::Result<Option<Address>> {
    match std::fs::read_to_string(state_dir.join(COORDINATOR)) {
        Ok(text) => Ok(Some(text.trim().parse()?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn remember(state_dir: &Path, address: &Address) -> std::io::Result<()> {
    let path = state_dir.join(COORDINATOR);
    let fresh = state_dir.join("coordinator.new");
    let mut file = std::fs::File::create(&fresh)?;
    writeln!(file, "{address}")?;
    file.sync_all()?;
    std::fs::rename(fresh, path)
}
