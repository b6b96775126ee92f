//! What is asked about keys: to redeem an invitation, to make one, to list, to revoke, and to sign a
//! browser in.

use crate::convert;
use crate::core::chain;
use crate::keyring::Keyring;
use crate::rpc::access;
use keys::Token;
use model::{Role, printable};
use proto::v1::key_service_server::KeyService;
use proto::v1::{self};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{Ledger, NewInvite, Redeemed, StoreError, StoredKey};
use tonic::{Request, Response, Status};

/// How long an invitation may be good, in seconds.
const EXPIRES: std::ops::RangeInclusive<u64> = 60..=315_360_000;
/// How often it may be redeemed.
const USES: std::ops::RangeInclusive<u32> = 1..=1_000_000;
/// How long a link signs a browser in.
const SIGN_IN_WITHIN: Duration = Duration::from_secs(600);
/// Longest label, owner and reason.
const LONGEST: (usize, usize, usize) = (80, 80, 300);

/// Serves `elomill.v1.KeyService`.
pub struct KeyRpc {
    ledger: Ledger,
    keyring: Arc<Keyring>,
}

impl KeyRpc {
    /// Over this ledger, and the keys in memory.
    #[must_use]
    pub fn new(ledger: Ledger, keyring: Arc<Keyring>) -> Self {
        Self { ledger, keyring }
    }

    /// The key as the ledger has it.
    async fn stored(&self, key: &keys::PublicKey) -> Result<StoredKey, Status> {
        let own = self.ledger.key(key.as_bytes()).await.map_err(|e| failed(&e))?;
        own.ok_or_else(|| Status::internal("the key is not in the ledger"))
    }

    /// Brings the keys in memory up to date. What is written stays written when this fails: the
    /// next look, within two seconds, sees it.
    async fn look(&self) {
        if let Err(error) = self.keyring.look().await {
            tracing::warn!(error = %chain(&error), "a change of keys is seen later");
        }
    }
}

#[tonic::async_trait]
impl KeyService for KeyRpc {
    async fn redeem(
        &self,
        request: Request<v1::RedeemRequest>,
    ) -> Result<Response<v1::RedeemResponse>, Status> {
        let peer = access::peer(&request)?;
        let key = peer.key.ok_or_else(|| Status::unauthenticated("a key is needed"))?;
        let v1::RedeemRequest { token, label } = request.into_inner();
        let token: Token = convert::token(&token).ok_or_else(|| {
            Status::invalid_argument(
                "the token of the link is not of 16 bytes; copy the link whole",
            )
        })?;
        let label = printable(&label, LONGEST.0);
        let redeemed = self.ledger.redeem(&token.sha256(), key.as_bytes(), &label).await;
        match redeemed.map_err(|e| failed(&e))? {
            Redeemed::Admitted => {}
            Redeemed::NoSuchInvite => {
                return Err(Status::not_found(
                    "the coordinator knows no such invitation; copy the link whole, or ask for a \
                     new one",
                ));
            }
            Redeemed::Expired { at_unix_ms } => {
                return Err(Status::failed_precondition(format!(
                    "the invitation expired {} ago by the coordinator's clock; ask for a new link",
                    span(unix_ms() - at_unix_ms)
                )));
            }
            Redeemed::UsedUp { uses } => {
                return Err(Status::failed_precondition(format!(
                    "the invitation is used up: {uses} of {uses} keys have redeemed it; ask for a \
                     new link",
                )));
            }
            Redeemed::Revoked => {
                return Err(Status::permission_denied(format!(
                    "the key {} was revoked and stays so; ask the operator why",
                    key.short()
                )));
            }
            Redeemed::OtherRole(role) => {
                return Err(Status::failed_precondition(format!(
                    "the key {} has the role {role} here already; join with another state or data \
                     directory",
                    key.short()
                )));
            }
        }
        let stored = self.stored(&key).await?;
        self.keyring.admit(stored.clone());
        tracing::info!(key.id = stored.id, owner = %stored.key.owner, %label, "a key was admitted");
        let key = Some(convert::wire_key(&stored));
        Ok(Response::new(v1::RedeemResponse { key, unix_ms: unix_ms() }))
    }

    async fn who_am_i(
        &self,
        request: Request<v1::WhoAmIRequest>,
    ) -> Result<Response<v1::WhoAmIResponse>, Status> {
        let caller = access::caller(&request)?;
        let stored = self.stored(&caller.key).await?;
        Ok(Response::new(v1::WhoAmIResponse {
            key: Some(convert::wire_key(&stored)),
            unix_ms: unix_ms(),
            coordinator_version: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    async fn invite(
        &self,
        request: Request<v1::InviteRequest>,
    ) -> Result<Response<v1::InviteResponse>, Status> {
        let caller = access::caller(&request)?;
        let request = request.into_inner();
        let wrong = |field: &str, found: String, allowed: &str| {
            Status::invalid_argument(format!("`{field}`: found {found}; allowed: {allowed}"))
        };
        let role: Role = convert::role(request.role()).ok_or_else(|| {
            wrong("role", request.role.to_string(), "admin, author, worker, read-only")
        })?;
        let owner = printable(request.owner.trim(), LONGEST.1 + 1);
        if owner.is_empty() || owner.chars().count() > LONGEST.1 {
            return Err(wrong("owner", format!("`{owner}`"), "1 to 80 characters"));
        }
        if !EXPIRES.contains(&request.expires_in_seconds) {
            let found = format!("{} s", request.expires_in_seconds);
            return Err(wrong("expires_in_seconds", found, "a minute to ten years"));
        }
        if !USES.contains(&request.uses) {
            return Err(wrong("uses", request.uses.to_string(), "1 to 1000000"));
        }
        let token = random_token()?;
        let invite = NewInvite {
            token_sha256: token.sha256(),
            owner,
            role,
            uses: request.uses,
            expires_in: Duration::from_secs(request.expires_in_seconds),
        };
        let made = self.ledger.add_invite(&invite).await.map_err(|e| failed(&e))?;
        let (invite_id, expires_at_unix_ms) = made;
        tracing::info!(invite.id = invite_id, owner = %invite.owner, by.key = caller.id, "invited");
        let token = token.as_bytes().to_vec().into();
        Ok(Response::new(v1::InviteResponse { invite_id, token, expires_at_unix_ms }))
    }

    async fn sign_in(
        &self,
        request: Request<v1::SignInRequest>,
    ) -> Result<Response<v1::SignInResponse>, Status> {
        let caller = access::caller(&request)?;
        let token = random_token()?;
        let added = self.ledger.add_sign_in(&token.sha256(), caller.id, SIGN_IN_WITHIN).await;
        let expires_at_unix_ms = added.map_err(|e| failed(&e))?;
        let token = token.as_bytes().to_vec().into();
        Ok(Response::new(v1::SignInResponse { token, expires_at_unix_ms }))
    }

    async fn list_keys(
        &self,
        _: Request<v1::ListKeysRequest>,
    ) -> Result<Response<v1::ListKeysResponse>, Status> {
        let keys = self.ledger.keys().await.map_err(|e| failed(&e))?;
        let keys = keys.iter().map(convert::wire_key).collect();
        Ok(Response::new(v1::ListKeysResponse { keys }))
    }

    async fn revoke_key(
        &self,
        request: Request<v1::RevokeKeyRequest>,
    ) -> Result<Response<v1::RevokeKeyResponse>, Status> {
        let caller = access::caller(&request)?;
        let v1::RevokeKeyRequest { key_id, reason } = request.into_inner();
        if key_id == caller.id {
            return Err(Status::failed_precondition(format!(
                "key {key_id} is the one that asks; a key cannot revoke itself, so that an admin \
                 remains"
            )));
        }
        let reason = printable(&reason, LONGEST.2);
        if !self.ledger.revoke_key(key_id, &reason).await.map_err(|e| failed(&e))? {
            return Err(Status::not_found(format!("there is no key {key_id}")));
        }
        tracing::info!(key.id = key_id, by.key = caller.id, %reason, "a key was revoked");
        self.look().await;
        Ok(Response::new(v1::RevokeKeyResponse {}))
    }
}

fn random_token() -> Result<Token, Status> {
    Token::random().map_err(|error| {
        tracing::error!(%error, "no random bytes");
        Status::internal("the system of the coordinator gives no random bytes")
    })
}

/// The wall clock, for people; what expires does so by the clock of the database.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A span of time as people say it.
fn span(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn failed(error: &StoreError) -> Status {
    tracing::warn!(error = %chain(error), "a call about keys failed");
    Status::unavailable("the ledger does not answer; try again")
}
