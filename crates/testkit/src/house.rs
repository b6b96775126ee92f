//! A coordinator on a port of its own.

use crate::{Database, Puppet};
use anyhow::{Context, Result};
use coordinator::dispatch::audits::Auditors;
use coordinator::{ServeError, Settings};
use keys::{Address, Certificate, PublicKey, SecretKey};
use model::{Role, RunId};
use proto::v1::control_service_client::ControlServiceClient;
use proto::v1::key_service_client::KeyServiceClient;
use proto::v1::{self};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
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

/// The key of the admin of every house: a seed that nothing but tests knows.
#[must_use]
pub fn admin() -> SecretKey {
    SecretKey::from_seed([0xad; 32])
}

/// A key made from a number, as a puppet has it.
#[must_use]
pub fn key(number: u8) -> SecretKey {
    let mut seed = [7; 32];
    seed[0] = number;
    SecretKey::from_seed(seed)
}

/// The usual settings on this ledger, with a certificate of its own and [`admin`] as its admin.
///
/// # Errors
/// No certificate can be made.
pub fn settings(database_url: &str) -> Result<Settings> {
    let folder = tempfile::tempdir()?;
    let mut settings = Settings::new(database_url, Certificate::read_or_make(folder.path(), &[])?);
    // Puppets play what the test says, and nothing again.
    settings.auditors = Auditors::Nobody;
    settings.founders = vec![store::NewKey {
        public_key: *admin().public().as_bytes(),
        owner: "tests".to_owned(),
        role: Role::Admin,
        label: "admin".to_owned(),
    }];
    Ok(settings)
}

/// Makes sure that the coordinator there knows a key in this role, by an invitation.
///
/// # Errors
/// It is refused.
pub async fn admit(url: &str, key: &SecretKey, role: v1::Role) -> Result<()> {
    let token = invite(url, role, 1).await?;
    let mut client = KeyServiceClient::new(proto::connect(url, Some(key)).await?);
    client.redeem(v1::RedeemRequest { token, label: "of a test".to_owned() }).await?;
    Ok(())
}

/// The token of a new invitation.
///
/// # Errors
/// It is refused.
pub async fn invite(url: &str, role: v1::Role, uses: u32) -> Result<proto::Bytes> {
    let mut client = KeyServiceClient::new(proto::connect(url, Some(&admin())).await?);
    let request = v1::InviteRequest {
        owner: "tests".to_owned(),
        role: role.into(),
        expires_in_seconds: 3600,
        uses,
    };
    Ok(client.invite(request).await?.into_inner().token)
}

impl House {
    /// Starts a coordinator on this ledger with the usual times.
    ///
    /// # Errors
    /// It does not start.
    pub async fn start(database: &Database) -> Result<Self> {
        Self::start_with(settings(database.url())?).await
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
        let fingerprint = settings.certificate.fingerprint();
        let url = format!("https://{}#{fingerprint}", listener.local_addr()?);
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
            // Nobody shakes hands before it serves: each attempt waits its time and is followed by
            // the next.
            let channel = loop {
                match proto::connect(&url, Some(&admin())).await {
                    Err(proto::ConnectError::Unreachable { .. }) => tokio::task::yield_now().await,
                    other => break other?,
                }
            };
            let mut client = ControlServiceClient::new(channel);
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

    /// Its address, with the fingerprint of its certificate.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A client of the key service with this key.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn keys(&self, key: &SecretKey) -> Result<KeyServiceClient<Channel>> {
        Ok(KeyServiceClient::new(proto::connect(&self.url, Some(key)).await?))
    }

    /// Revokes a key.
    ///
    /// # Errors
    /// It is refused, or there is no such key.
    pub async fn revoke(&self, key: PublicKey) -> Result<()> {
        let mut client = self.keys(&admin()).await?;
        let keys = client.list_keys(v1::ListKeysRequest {}).await?.into_inner().keys;
        let known = keys.iter().find(|k| k.public_key[..] == key.as_bytes()[..]);
        let key_id = known.context("the key is known")?.key_id;
        client.revoke_key(v1::RevokeKeyRequest { key_id, reason: "a test".to_owned() }).await?;
        Ok(())
    }

    /// A client of the control service, as the admin.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn control(&self) -> Result<ControlServiceClient<Channel>> {
        let channel = proto::connect(&self.url, Some(&admin())).await?;
        Ok(ControlServiceClient::new(channel).max_decoding_message_size(proto::MAX_MESSAGE_BYTES))
    }

    /// What a browser of this machine gets that is not signed in: the status, and the body.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn page(&self, path: &str) -> Result<(u16, String)> {
        let address: Address = self.url.parse()?;
        let mut socket = TcpStream::connect(address.authority()).await?;
        let host = address.authority();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").context("an answer")?;
        let status = head.split(' ').nth(1).context("a status")?.parse()?;
        Ok((status, body.to_owned()))
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
