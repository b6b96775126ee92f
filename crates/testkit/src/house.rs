//! A coordinator on a port of its own.

use crate::{Database, Puppet};
use anyhow::{Context, Result};
use coordinator::{ServeError, Settings};
use model::RunId;
use proto::v1::control_service_client::ControlServiceClient;
use proto::v1::{self};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

/// A running coordinator.
pub struct House {
    url: String,
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), ServeError>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl House {
    /// Starts a coordinator on this ledger with the usual times.
    ///
    /// # Errors
    /// It does not start.
    pub async fn start(database: &Database) -> Result<Self> {
        Self::start_with(Settings::new(database.url())).await
    }

    /// Starts a coordinator with these settings. It runs on a runtime of its own, so that it can be
    /// cut off with all its tasks.
    ///
    /// # Errors
    /// It does not start.
    pub async fn start_with(settings: Settings) -> Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = TcpListener::bind("127.0.0.1:0").await?.into_std()?;
        let url = format!("http://{}", listener.local_addr()?);
        let shutdown = CancellationToken::new();
        let task = {
            let shutdown = shutdown.clone();
            runtime.spawn(async move {
                let listener = TcpListener::from_std(listener)?;
                coordinator::run(settings, listener, shutdown).await
            })
        };
        let mut house = Self { url, shutdown, task, runtime: Some(runtime) };
        house.wait_until_serving().await?;
        Ok(house)
    }

    async fn wait_until_serving(&mut self) -> Result<()> {
        // The port accepts before the coordinator serves; the first answer says that it does.
        let url = self.url.clone();
        let list = async move {
            let mut client = ControlServiceClient::new(proto::connect(&url).await?);
            client.list_runs(v1::ListRunsRequest { limit: 1 }).await?;
            anyhow::Ok(())
        };
        tokio::select! {
            ended = &mut self.task => {
                ended?.context("the coordinator did not start")?;
                anyhow::bail!("the coordinator ended at once")
            }
            served = list => served,
        }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A client of the control service.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn control(&self) -> Result<ControlServiceClient<Channel>> {
        let channel = proto::connect(&self.url).await?;
        Ok(ControlServiceClient::new(channel).max_decoding_message_size(proto::MAX_MESSAGE_BYTES))
    }

    /// Files a run with a book and a key of its own.
    ///
    /// # Errors
    /// It is refused.
    pub async fn create(&self, spec: v1::RunSpec, book: &str) -> Result<RunId> {
        static KEYS: AtomicU64 = AtomicU64::new(0);
        let number = KEYS.fetch_add(1, Ordering::Relaxed);
        let request = v1::CreateRunRequest {
            spec: Some(spec),
            book: book.as_bytes().to_vec().into(),
            idempotency_key: format!("test-{}-{number}", std::process::id()),
        };
        let created = self.control().await?.create_run(request).await?;
        Ok(RunId(created.into_inner().run_id))
    }

    /// A run as it stands.
    ///
    /// # Errors
    /// There is none.
    pub async fn run(&self, id: RunId) -> Result<v1::Run> {
        let got = self.control().await?.get_run(v1::GetRunRequest { run_id: id.0 }).await?;
        got.into_inner().run.context("a run")
    }

    /// Recomputes a run from the ledger; whether it equals what is stored, and the state.
    ///
    /// # Errors
    /// There is none, or it cannot be folded.
    pub async fn replay(&self, id: RunId) -> Result<(bool, String)> {
        let request = v1::ReplayRunRequest { run_id: id.0 };
        let replay = self.control().await?.replay_run(request).await?.into_inner();
        Ok((replay.matches_stored, replay.state_json))
    }

    /// A worker under the test's control, with a key made from `number`.
    ///
    /// # Errors
    /// It is refused.
    pub async fn puppet(&self, number: u8) -> Result<Puppet> {
        Puppet::join(&self.url, number, &[]).await
    }

    /// Stops it in order.
    ///
    /// # Errors
    /// It ended with an error.
    pub async fn stop(mut self) -> Result<()> {
        self.shutdown.cancel();
        (&mut self.task).await??;
        Ok(())
    }

    /// Cuts it off in the middle of whatever it does, as a kill would.
    pub fn cut(mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// The error that it ended with, or that it did not end within `limit`.
    pub async fn ended(mut self, limit: Duration) -> Result<()> {
        tokio::time::timeout(limit, &mut self.task).await.context("it still runs")???;
        Ok(())
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Dropping a runtime inside another is not allowed; its tasks end in the background.
            runtime.shutdown_background();
        }
    }
}
