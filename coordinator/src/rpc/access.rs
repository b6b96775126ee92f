//! Who may call what: one table over every call of the contract, asked before anything else.
//!
//! A call that stands not in the table is refused to everybody, so that a new one cannot be
//! forgotten: it does not work until it has its line here.

use crate::door::Peer;
use crate::keyring::{Caller, Keyring, Standing};
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use model::{Role, printable};
use std::sync::Arc;
use tonic::Status;

/// What a call asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing.
    Nothing,
    /// A key, known or not.
    AnyKey,
    /// A key that is good, whatever its role.
    GoodKey,
    /// This role, or one that covers it.
    Role(Role),
}

/// What a call asks, by its path `/package.Service/Method`; `None` for one that nobody may call.
#[must_use]
pub fn need(path: &str) -> Option<Need> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    Some(match (service, method) {
        ("grpc.health.v1.Health", _) => Need::Nothing,
        ("grpc.reflection.v1.ServerReflection", _) => Need::GoodKey,
        ("elomill.v1.KeyService", "Redeem") => Need::AnyKey,
        ("elomill.v1.KeyService", "WhoAmI") => Need::GoodKey,
        ("elomill.v1.KeyService", "SignIn") => Need::Role(Role::ReadOnly),
        ("elomill.v1.KeyService", "Invite" | "ListKeys" | "RevokeKey") => Need::Role(Role::Admin),
        ("elomill.v1.TrustService", "ListExclusions" | "GetWorker" | "ListMismatches") => {
            Need::Role(Role::ReadOnly)
        }
        ("elomill.v1.TrustService", "ReleaseWorker") => Need::Role(Role::Admin),
        ("elomill.v1.TrustService", "ExcludeWorker" | "IncludeWorker") => Need::Role(Role::Author),
        ("elomill.v1.WorkerService", "Work" | "Explain") => Need::Role(Role::Worker),
        ("elomill.v1.EngineService", "DownloadArtefact") => Need::Role(Role::Worker),
        ("elomill.v1.EngineService", "ListEngines") => Need::Role(Role::ReadOnly),
        ("elomill.v1.EngineService", "FindArtefact" | "UploadArtefact" | "PublishEngine") => {
            Need::Role(Role::Author)
        }
        (
            "elomill.v1.ControlService",
            "ListRuns" | "GetRun" | "ExplainRun" | "ListWorkers" | "ExportRun" | "ExportGames"
            | "WatchRun",
        ) => Need::Role(Role::ReadOnly),
        (
            "elomill.v1.ControlService",
            "CreateRun" | "PauseRun" | "ResumeRun" | "StopRun" | "ReplayRun" | "ForkRun"
            | "ExtendRun" | "WeighRun",
        ) => Need::Role(Role::Author),
        _ => return None,
    })
}

/// Lets a call through or answers in its place.
pub(crate) async fn check(
    State(keyring): State<Arc<Keyring>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    match admit(&keyring, &peer, request.uri().path()) {
        Ok(caller) => {
            request.extensions_mut().insert(peer);
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err(status) => status.into_http(),
    }
}

fn admit(keyring: &Keyring, peer: &Peer, path: &str) -> Result<Option<Caller>, Status> {
    let need =
        need(path).ok_or_else(|| Status::permission_denied(format!("nobody may call {path}")))?;
    if need == Need::Nothing {
        return Ok(None);
    }
    let key = peer.key.ok_or_else(|| {
        Status::unauthenticated(
            "the connection was not signed with a key; connect with TLS and a key, as `elomill` \
             and its workers do",
        )
    })?;
    keyring.note_call(&key).map_err(|wait| {
        Status::resource_exhausted(format!(
            "the key {} calls too often; the next call is welcome in {} ms",
            key.short(),
            wait.as_millis() + 1
        ))
    })?;
    if need == Need::AnyKey {
        return Ok(None);
    }
    let caller = match keyring.standing(&key) {
        Standing::Good(caller) => caller,
        Standing::Revoked { reason } => {
            let reason = if reason.is_empty() { "no reason was given" } else { &*reason };
            return Err(Status::permission_denied(format!(
                "the key {} was revoked: {}",
                key.short(),
                printable(reason, 300)
            )));
        }
        Standing::Unknown => {
            return Err(Status::unauthenticated(format!(
                "the coordinator does not know the key {}; ask its operator for a link and join \
                 with it",
                key.short()
            )));
        }
    };
    match need {
        Need::Role(role) if !caller.role.covers(role) => Err(Status::permission_denied(format!(
            "the key {} has the role {}; this needs {role}",
            key.short(),
            caller.role
        ))),
        _ => Ok(Some(caller)),
    }
}

/// Who calls.
///
/// # Errors
/// The call came past the table, which is a fault of this build.
pub(crate) fn caller<T>(request: &tonic::Request<T>) -> Result<Caller, Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    caller.ok_or_else(|| Status::internal("the call came without its caller"))
}

/// Who is at the other end.
///
/// # Errors
/// As [`caller`].
pub(crate) fn peer<T>(request: &tonic::Request<T>) -> Result<Peer, Status> {
    let peer = request.extensions().get::<Peer>().copied();
    peer.ok_or_else(|| Status::internal("the call came without its peer"))
}

#[cfg(test)]
mod tests {
    use super::{Need, need};
    use prost::Message;

    #[test]
    fn every_call_of_the_contract_has_its_line() {
        let set = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap();
        let mut calls = 0;
        for file in &set.file {
            for service in &file.service {
                for method in &service.method {
                    let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                    let need = need(&path).unwrap_or_else(|| panic!("{path} has no line"));
                    assert_ne!(need, Need::Nothing, "{path}");
                    calls += 1;
                }
            }
        }
        assert!(calls >= 18, "{calls}");
        assert_eq!(need("/elomill.v1.ControlService/Invented"), None);
        assert_eq!(need("/"), None);
    }
}
