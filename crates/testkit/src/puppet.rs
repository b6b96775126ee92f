//! A worker whose every message the test chooses.

use crate::specs;
use anyhow::{Context, Result, bail};
use model::PairOutcome;
use proto::v1::work_request::Message as Request;
use proto::v1::work_response::Message as Response;
use proto::v1::worker_service_client::WorkerServiceClient;
use proto::v1::{self, WorkRequest, WorkResponse};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

/// How long a test waits for an answer before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open session.
pub struct Puppet {
    outgoing: mpsc::Sender<WorkRequest>,
    incoming: Streaming<WorkResponse>,
    /// The worker's id, from the welcome.
    pub worker_id: i64,
}

impl Puppet {
    /// Opens a session with a key made from `number`, which is admitted if need be, saying that it
    /// still holds these leases.
    ///
    /// # Errors
    /// It is refused.
    pub async fn join(url: &str, number: u8, held: &[v1::LeaseRef]) -> Result<Self> {
        let mut hello = specs::hello(number);
        hello.held_leases = held.to_vec();
        match Self::join_as(url, number, hello.clone()).await {
            Err(refused) if is_unknown(&refused) => {
                crate::admit(url, &crate::key(number), v1::Role::Worker).await?;
                Self::join_as(url, number, hello).await
            }
            other => other,
        }
    }

    /// Opens a session with this hello and a key made from `number`.
    ///
    /// # Errors
    /// It is refused.
    pub async fn join_as(url: &str, number: u8, hello: v1::Hello) -> Result<Self> {
        let channel = proto::connect(url, Some(&crate::key(number))).await?;
        let mut client =
            WorkerServiceClient::new(channel).max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
        let (outgoing, requests) = mpsc::channel(64);
        outgoing.send(WorkRequest { message: Some(Request::Hello(hello)) }).await?;
        let incoming = client.work(ReceiverStream::new(requests)).await?.into_inner();
        let mut puppet = Self { outgoing, incoming, worker_id: 0 };
        match puppet.hear().await? {
            Response::Welcome(welcome) => puppet.worker_id = welcome.worker_id,
            other => bail!("a welcome was expected, not {other:?}"),
        }
        Ok(puppet)
    }

    /// Says something.
    ///
    /// # Errors
    /// The session is over.
    pub async fn say(&self, message: Request) -> Result<()> {
        Ok(self.outgoing.send(WorkRequest { message: Some(message) }).await?)
    }

    /// Says that it would take this many more leases.
    ///
    /// # Errors
    /// The session is over.
    pub async fn want(&self, leases: u32) -> Result<()> {
        self.say(Request::Want(v1::Want { leases })).await
    }

    /// The next thing that the coordinator says.
    ///
    /// # Errors
    /// The session is over, or nothing comes.
    pub async fn hear(&mut self) -> Result<Response> {
        let message = tokio::time::timeout(PATIENCE, self.incoming.message())
            .await
            .context("the coordinator says nothing")??
            .context("the session is over")?;
        message.message.context("an empty message")
    }

    /// The next lease; other messages before it are passed over.
    ///
    /// # Errors
    /// The session is over, or no lease comes.
    pub async fn lease(&mut self) -> Result<v1::Lease> {
        loop {
            if let Response::Lease(lease) = self.hear().await? {
                return Ok(lease);
            }
        }
    }

    /// The next acknowledgement; other messages before it are passed over.
    ///
    /// # Errors
    /// The session is over, or none comes.
    pub async fn ack(&mut self) -> Result<v1::Ack> {
        loop {
            if let Response::Ack(ack) = self.hear().await? {
                return Ok(ack);
            }
        }
    }

    /// Sends a report and waits for what becomes of it.
    ///
    /// # Errors
    /// The session is over, or no acknowledgement comes.
    pub async fn report(&mut self, report: v1::Report) -> Result<v1::AckOutcome> {
        let (lease, sequence) = (report.lease_id, report.sequence);
        self.say(Request::Report(report)).await?;
        loop {
            let ack = self.ack().await?;
            if (ack.lease_id, ack.sequence) == (lease, sequence) {
                return Ok(ack.outcome());
            }
        }
    }

    /// Asks for a lease, plays it whole with results from `outcome`, and reports it.
    ///
    /// # Errors
    /// The session is over, or nothing comes.
    pub async fn play_one(
        &mut self,
        outcome: impl Fn(u64) -> PairOutcome,
    ) -> Result<v1::AckOutcome> {
        self.want(1).await?;
        let lease = self.lease().await?;
        self.report(specs::whole_report(&lease, outcome)).await
    }
}

/// Whether the coordinator does not know the key.
fn is_unknown(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<tonic::Status>();
    status.is_some_and(|status| status.code() == tonic::Code::Unauthenticated)
}
