//! The engines that a coordinator keeps, as this command publishes and lists them.

use super::{Control, explain};
use crate::convert::{PublishedEngine, parameter_to_wire, players, published_from_wire};
use anyhow::Context;
use indicatif::ProgressBar;
use model::ParameterDef;
use proto::v1;
use std::io::{Read, Seek, SeekFrom};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use worker::shelf::Artefact;

/// Bytes of a chunk, the most that a coordinator takes.
const CHUNK: usize = 1 << 20;

/// How often an upload goes on after its connection broke.
const ATTEMPTS: u32 = 5;

impl Control {
    /// What each published name stands for.
    ///
    /// # Errors
    /// The coordinator does not answer, or says what this version does not know.
    pub(crate) async fn engines(&mut self) -> anyhow::Result<Vec<PublishedEngine>> {
        let answer = self.engines.list_engines(v1::ListEnginesRequest {}).await.map_err(explain)?;
        let engines = answer.into_inner().engines.into_iter();
        Ok(engines.map(published_from_wire).collect::<Result<_, _>>()?)
    }

    /// Uploads what is missing of an artefact, then gives it the name of its manifest. Whether it was
    /// there before.
    ///
    /// # Errors
    /// The coordinator refuses it, or cannot be reached again and again.
    pub(crate) async fn publish(
        &mut self,
        artefact: &Artefact,
        parameters: &[ParameterDef],
        bar: &ProgressBar,
    ) -> anyhow::Result<bool> {
        let sha256 = &artefact.engine.artefact;
        let mut left = ATTEMPTS;
        let mut was_there = true;
        loop {
            let request = v1::FindArtefactRequest { sha256: sha256.clone() };
            let found = self.engines.find_artefact(request).await.map_err(explain)?.into_inner();
            if found.is_whole {
                break;
            }
            was_there = false;
            left -= 1;
            match self.upload(artefact, found.held_bytes, bar).await {
                Ok(()) => {}
                Err(error) if left > 0 && is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let request = v1::PublishEngineRequest {
            engine: Some(players::wire_engine(&artefact.engine)),
            parameters: parameters.iter().map(parameter_to_wire).collect(),
        };
        self.engines.publish_engine(request).await.map_err(explain)?;
        Ok(was_there)
    }

    async fn upload(
        &mut self,
        artefact: &Artefact,
        offset: u64,
        bar: &ProgressBar,
    ) -> anyhow::Result<()> {
        let path = &artefact.path;
        let mut file =
            std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        file.seek(SeekFrom::Start(offset))?;
        let engine = &artefact.engine;
        bar.set_length(engine.bytes);
        bar.set_position(offset);
        let head =
            v1::ArtefactHead { sha256: engine.artefact.clone(), bytes: engine.bytes, offset };
        // Two chunks ahead of the network are enough.
        let (sender, requests) = mpsc::channel(2);
        let bar = bar.clone();
        let sending = tokio::spawn(async move {
            let mut head = Some(head);
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = file.read(&mut chunk)?;
                if read == 0 && head.is_none() {
                    return std::io::Result::Ok(());
                }
                let message = v1::UploadArtefactRequest {
                    head: head.take(),
                    chunk: chunk[..read].to_vec().into(),
                };
                if sender.send(message).await.is_err() {
                    // The coordinator has stopped listening, and says why.
                    return Ok(());
                }
                bar.inc(read as u64);
            }
        });
        let answer = self.engines.upload_artefact(ReceiverStream::new(requests)).await;
        sending.await?.with_context(|| format!("cannot read {}", path.display()))?;
        answer?;
        Ok(())
    }
}

/// Whether another attempt may do better.
fn is_passing(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<tonic::Status>();
    status.is_some_and(|status| {
        matches!(
            status.code(),
            Code::Unavailable | Code::OutOfRange | Code::Aborted | Code::Unknown
        )
    })
}
