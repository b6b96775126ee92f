//! `elomill keys`: who may do what, and the end of it.

use crate::client::{Control, explain};
use crate::endpoint::CoordinatorArgs;
use crate::output::{json, line, say};
use crate::tables::{Column, table};
use keys::PublicKey;
use model::Role;
use proto::v1;
use serde::Serialize;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Every key that was ever known
    List(List),
    /// Ends a key for ever: its connections break, its leases return
    Revoke(Revoke),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Print one JSON object a key
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(Debug, clap::Args)]
struct Revoke {
    /// Number of the key, as `elomill keys list` shows it
    #[arg(value_name = "ID")]
    id: i64,
    /// Why, for whoever asks later
    #[arg(long, default_value = "")]
    reason: String,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

/// A key as it is shown.
#[derive(Clone, Debug, Serialize)]
struct KeyView {
    id: i64,
    public_key: String,
    owner: String,
    role: Option<Role>,
    label: String,
    created_at_unix_ms: i64,
    revoked_at_unix_ms: Option<i64>,
    revoked_reason: String,
    worker: Option<i64>,
}

impl Args {
    /// # Errors
    /// No coordinator answers, or this machine's key is no admin's.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => {
                let mut control = Control::connect(&list.coordinator.locator()?).await?;
                let answer = control.keys().list_keys(v1::ListKeysRequest {}).await;
                let keys: Vec<_> =
                    answer.map_err(explain)?.into_inner().keys.into_iter().map(view).collect();
                if list.json {
                    keys.iter().try_for_each(json)?;
                } else {
                    line(listing(&keys))?;
                }
            }
            What::Revoke(Revoke { id, reason, coordinator }) => {
                let mut control = Control::connect(&coordinator.locator()?).await?;
                let request = v1::RevokeKeyRequest { key_id: id, reason };
                control.keys().revoke_key(request).await.map_err(explain)?;
                say(format_args!("key {id} is revoked"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn view(key: v1::Key) -> KeyView {
    let public = <[u8; 32]>::try_from(&key.public_key[..]).map(PublicKey::from_bytes);
    let role = role_from_wire(key.role());
    KeyView {
        id: key.key_id,
        public_key: public.map_or(String::new(), |key| key.to_string()),
        owner: key.owner,
        role,
        label: key.label,
        created_at_unix_ms: key.created_at_unix_ms,
        revoked_at_unix_ms: Some(key.revoked_at_unix_ms).filter(|at| *at != 0),
        revoked_reason: key.revoked_reason,
        worker: Some(key.worker_id).filter(|id| *id != 0),
    }
}

fn listing(keys: &[KeyView]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("id"),
        Text("role"),
        Text("owner"),
        Text("label"),
        Number("worker"),
        Text("key"),
        Text("state"),
    ];
    let rows: Vec<_> = keys
        .iter()
        .map(|key| {
            vec![
                key.id.to_string(),
                key.role.map_or("?", Role::name).to_owned(),
                key.owner.clone(),
                key.label.clone(),
                key.worker.map_or(String::new(), |id| id.to_string()),
                key.public_key.chars().take(12).collect(),
                match (&key.revoked_at_unix_ms, key.revoked_reason.as_str()) {
                    (None, _) => "good".to_owned(),
                    (Some(_), "") => "revoked".to_owned(),
                    (Some(_), reason) => format!("revoked: {reason}"),
                },
            ]
        })
        .collect();
    table(&columns, &rows)
}

/// A role for the wire.
pub(super) fn role_to_wire(role: Role) -> v1::Role {
    match role {
        Role::Admin => v1::Role::Admin,
        Role::Author => v1::Role::Author,
        Role::Worker => v1::Role::Worker,
        Role::ReadOnly => v1::Role::ReadOnly,
    }
}

/// A role from the wire; `None` for one that this version does not know.
pub(super) fn role_from_wire(role: v1::Role) -> Option<Role> {
    Role::ALL.into_iter().find(|known| role_to_wire(*known) == role)
}
