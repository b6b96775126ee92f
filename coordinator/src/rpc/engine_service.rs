//! What authors publish and workers fetch: engines of others.

use crate::artefacts::{ArtefactError, Artefacts, CHUNK, Held, next_chunk};
use crate::convert;
use crate::core::chain;
use crate::rpc::access;
use model::spec::{EngineSpec, MOST_ARTEFACT_BYTES, RunSpec};
use model::{Finding, FindingList, printable};
use proto::v1::engine_service_server::EngineService;
use proto::v1::{self};
use std::pin::Pin;
use std::sync::Arc;
use store::{Ledger, StoreError};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::{Request, Response, Status, Streaming};

/// Most parameters of an engine.
const MOST_PARAMETERS: usize = 20_000;

/// Serves `elomill.v1.EngineService`.
pub struct EngineRpc {
    ledger: Ledger,
    artefacts: Option<Arc<Artefacts>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl EngineRpc {
    /// Over this ledger and these files. Its tasks are tracked, and end with the token.
    #[must_use]
    pub fn new(
        ledger: Ledger,
        artefacts: Option<Arc<Artefacts>>,
        tasks: TaskTracker,
        shutdown: CancellationToken,
    ) -> Self {
        Self { ledger, artefacts, tasks, shutdown }
    }

    fn artefacts(&self) -> Result<&Arc<Artefacts>, Status> {
        self.artefacts.as_ref().ok_or_else(no_folder)
    }
}

#[tonic::async_trait]
impl EngineService for EngineRpc {
    async fn find_artefact(
        &self,
        request: Request<v1::FindArtefactRequest>,
    ) -> Result<Response<v1::FindArtefactResponse>, Status> {
        let sha256 = request.into_inner().sha256;
        let Held { bytes, is_whole } = self.artefacts()?.held(&sha256).map_err(|e| refused(&e))?;
        Ok(Response::new(v1::FindArtefactResponse {
            held_bytes: bytes,
            is_whole,
            max_bytes: MOST_ARTEFACT_BYTES,
        }))
    }

    async fn upload_artefact(
        &self,
        request: Request<Streaming<v1::UploadArtefactRequest>>,
    ) -> Result<Response<v1::UploadArtefactResponse>, Status> {
        let owner = access::caller(&request)?.owner;
        let artefacts = self.artefacts()?;
        let mut incoming = request.into_inner();
        let first = incoming.message().await?;
        let head = first.as_ref().and_then(|message| message.head.clone());
        let head = head.ok_or_else(|| {
            Status::invalid_argument(
                "`head`: found nothing; allowed: what it is, in the first message",
            )
        })?;
        let v1::ArtefactHead { sha256, bytes, offset } = head;
        let begun = artefacts.upload(&sha256, bytes, offset).await;
        let mut upload = begun.map_err(|e| refused(&e))?;
        let mut next = first;
        while let Some(message) = next {
            if message.chunk.len() > CHUNK {
                return Err(Status::invalid_argument(format!(
                    "`chunk`: found {} bytes; allowed: at most {CHUNK}",
                    message.chunk.len()
                )));
            }
            upload.add(&message.chunk).await.map_err(|e| refused(&e))?;
            next = incoming.message().await?;
        }
        let held_bytes = upload.held();
        if upload.finish().await.map_err(|e| refused(&e))? {
            let noted = self.ledger.add_artefact(&sha256, bytes, &owner).await;
            noted.map_err(|e| no_ledger(&e))?;
            tracing::info!(artefact = sha256, bytes, owner = %owner, "an artefact is here whole");
        }
        Ok(Response::new(v1::UploadArtefactResponse { held_bytes }))
    }

    type DownloadArtefactStream =
        Pin<Box<dyn Stream<Item = Result<v1::DownloadArtefactResponse, Status>> + Send>>;

    async fn download_artefact(
        &self,
        request: Request<v1::DownloadArtefactRequest>,
    ) -> Result<Response<Self::DownloadArtefactStream>, Status> {
        let v1::DownloadArtefactRequest { sha256, offset } = request.into_inner();
        let mut file = self.artefacts()?.read(&sha256, offset).await.map_err(|e| refused(&e))?;
        // Two chunks ahead of the network are enough.
        let (out, stream) = mpsc::channel(2);
        let send = async move {
            loop {
                let message = match next_chunk(&mut file).await {
                    Ok(chunk) if chunk.is_empty() => return,
                    Ok(chunk) => Ok(v1::DownloadArtefactResponse { chunk: chunk.into() }),
                    Err(error) => Err(refused(&error.into())),
                };
                let is_last = message.is_err();
                if out.send(message).await.is_err() || is_last {
                    return;
                }
            }
        };
        let shutdown = self.shutdown.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = send => {}
                () = shutdown.cancelled() => {}
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    async fn publish_engine(
        &self,
        request: Request<v1::PublishEngineRequest>,
    ) -> Result<Response<v1::PublishEngineResponse>, Status> {
        let caller = access::caller(&request)?;
        let v1::PublishEngineRequest { engine, parameters } = request.into_inner();
        let engine = convert::players::engine_of(engine.unwrap_or_default());
        let one = |finding| invalid(&FindingList(vec![finding]));
        let file = engine.file().map_err(|e| invalid(&e))?;
        engine.check("engine", file.game).map_err(|e| invalid(&e))?;
        if parameters.len() > MOST_PARAMETERS {
            let found = format!("{} of them", parameters.len());
            let allowed = format!("at most {MOST_PARAMETERS}");
            return Err(one(Finding::new("parameters", found, allowed, "publish fewer")));
        }
        let mut known = Vec::new();
        for (i, parameter) in parameters.into_iter().enumerate() {
            let parameter = convert::parameter(i, parameter).map_err(one)?;
            parameter.check(&format!("parameter[{i}]")).map_err(|e| invalid(&FindingList(e)))?;
            known.push(parameter);
        }
        check_whole(self.artefacts()?, &engine.artefact, engine.bytes).map_err(one)?;
        // What was whole before this row was written may have come with an older data directory.
        let noted = self.ledger.add_artefact(&engine.artefact, engine.bytes, &caller.owner).await;
        noted.map_err(|e| no_ledger(&e))?;
        let published = self
            .ledger
            .publish_engine(&file.name, file.game, &engine, &known, &caller.owner)
            .await
            .map_err(|e| no_ledger(&e))?;
        if !published {
            return Err(Status::permission_denied(format!(
                "the name `{}` is another owner's; give the engine another name in its manifest",
                file.name
            )));
        }
        tracing::info!(engine = file.name, artefact = engine.artefact, owner = %caller.owner, "published");
        Ok(Response::new(v1::PublishEngineResponse {}))
    }

    async fn list_engines(
        &self,
        _: Request<v1::ListEnginesRequest>,
    ) -> Result<Response<v1::ListEnginesResponse>, Status> {
        let engines = self.ledger.engines().await.map_err(|e| no_ledger(&e))?;
        let engines = engines.iter().map(convert::wire_published).collect();
        Ok(Response::new(v1::ListEnginesResponse { engines }))
    }
}

/// That every program that a run needs is here for its workers.
///
/// # Errors
/// One is not.
pub(super) fn check_run(artefacts: Option<&Arc<Artefacts>>, spec: &RunSpec) -> Result<(), Status> {
    let Some(players) = &spec.players else { return Ok(()) };
    for (name, side) in [("candidate", &players.candidate), ("base", &players.base)] {
        let EngineSpec::External(engine) = &side.engine else { continue };
        let artefacts = artefacts.ok_or_else(no_folder)?;
        check_whole(artefacts, &engine.artefact, engine.bytes).map_err(|finding| {
            let place = format!("players.{name}");
            invalid(&FindingList(vec![Finding { place, ..finding }]))
        })?;
    }
    Ok(())
}

fn check_whole(artefacts: &Artefacts, sha256: &str, bytes: u64) -> Result<(), Finding> {
    let held = artefacts.held(sha256).unwrap_or_default();
    if held == (Held { bytes, is_whole: true }) {
        return Ok(());
    }
    Err(Finding::new(
        "engine",
        format!("artefact {} of {bytes} bytes, which is not here", printable(sha256, 64)),
        "an artefact that was uploaded whole",
        "`elomill engine publish` uploads it",
    ))
}

fn no_folder() -> Status {
    Status::failed_precondition("this coordinator keeps no engines: it has no data directory")
}

fn invalid(findings: &FindingList) -> Status {
    Status::invalid_argument(findings.to_string())
}

fn refused(error: &ArtefactError) -> Status {
    let text = error.to_string();
    match error {
        ArtefactError::Name(_) => Status::invalid_argument(text),
        ArtefactError::Unknown(_) => Status::not_found(text),
        ArtefactError::TooLarge { .. } => Status::resource_exhausted(text),
        ArtefactError::Offset { .. } => Status::out_of_range(text),
        ArtefactError::Busy(_) => Status::aborted(text),
        ArtefactError::Hash { .. } => Status::data_loss(text),
        ArtefactError::Disk(_) => {
            tracing::error!(error = %chain(error), "artefacts cannot be kept");
            Status::unavailable(text)
        }
    }
}

fn no_ledger(error: &StoreError) -> Status {
    tracing::warn!(error = %chain(error), "engines cannot be read or written");
    Status::unavailable("the ledger does not answer; try again")
}
