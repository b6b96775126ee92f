//! Puts the parts together and serves them on one port until told to stop.

use crate::artefacts::{Artefacts, CHUNK};
use crate::core::{Core, Lead, chain};
use crate::desk::Desk;
use crate::dispatch::audits::{AuditPolicy, Auditors};
use crate::dispatch::scheduler::LeaseLimits;
use crate::door::{Door, Peer};
use crate::insight::Insight;
use crate::keyring::Keyring;
use crate::metrics::Metrics;
use crate::recover::RecoverError;
use crate::rpc::access;
use crate::rpc::control_service::ControlRpc;
use crate::rpc::engine_service::EngineRpc;
use crate::rpc::key_service::KeyRpc;
use crate::rpc::trust_service::TrustRpc;
use crate::rpc::worker_service::WorkerRpc;
use crate::suspicion;
use crate::views::Views;
use crate::web;
use crate::whereabouts::Whereabouts;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use futures_util::future::BoxFuture;
use keys::Certificate;
use model::RunId;
use model::lease::PairIndex;
use model::view::{PairView, RunView, WorkerView};
use proto::v1::control_service_server::ControlServiceServer;
use proto::v1::engine_service_server::EngineServiceServer;
use proto::v1::key_service_server::KeyServiceServer;
use proto::v1::trust_service_server::TrustServiceServer;
use proto::v1::worker_service_server::WorkerServiceServer;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Ledger, NewKey, StoreError};
use telemetry::{Port, Traces};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections get this long to end once the coordinator stops.
const GRACE: Duration = Duration::from_secs(5);
/// Between two looks for days whose moves are no longer kept.
const FORGET_EVERY: Duration = Duration::from_secs(600);
/// Runs of the overview.
const LISTED: u32 = 200;

/// How a coordinator runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The ledger, as `postgres://USER@HOST/DATABASE`.
    pub database_url: String,
    /// What it proves with that it is this coordinator.
    pub certificate: Certificate,
    /// Keys that are admitted without an invitation: the first admin's at least.
    pub founders: Vec<NewKey>,
    /// Whether the pages are shown to other machines, too: to whoever reaches the port.
    pub public_pages: bool,
    /// A worker that is silent for longer may lose its leases to others.
    pub lease_silence: Duration,
    /// A lease of which nothing came for longer may be lost even by a worker that is there.
    pub lease_standstill: Duration,
    /// Who plays the games of workers again.
    pub auditors: Auditors,
    /// Where its metrics are shown, if anywhere.
    pub metrics: Option<Port>,
    /// The folder in which it keeps published engines; none are without one.
    pub artefacts: Option<PathBuf>,
    /// To whom the steps of its leases are told.
    pub traces: Traces,
    /// For how many days the moves of games are kept, besides today; for ever if absent.
    pub keep_move_days: Option<u32>,
    /// What it does when another coordinator leads.
    pub lead: Lead,
    /// Where workers reach it, as `https://HOST:PORT#FINGERPRINT`; they are told, by this coordinator
    /// and by every other of the ledger.
    pub address: Option<String>,
}

impl Settings {
    /// The usual times with this ledger; nobody is admitted yet.
    pub fn new(database_url: impl Into<String>, certificate: Certificate) -> Self {
        let LeaseLimits { silence, standstill } = LeaseLimits::default();
        Self {
            database_url: database_url.into(),
            certificate,
            founders: Vec::new(),
            public_pages: false,
            lease_silence: silence,
            lease_standstill: standstill,
            auditors: Auditors::default(),
            metrics: None,
            artefacts: None,
            traces: Traces::default(),
            keep_move_days: None,
            lead: Lead::AtOnce,
            address: None,
        }
    }
}

/// Why a coordinator did not start, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The ledger cannot be used.
    #[error("the ledger cannot be used")]
    Ledger(#[from] StoreError),
    /// The state cannot be built from the ledger.
    #[error("the coordinator cannot go on from its ledger")]
    Recover(#[from] RecoverError),
    /// The contract cannot be described to clients: a fault of this build.
    #[error("gRPC reflection cannot be set up")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The port cannot be served.
    #[error("the port cannot be served")]
    Serve(#[from] std::io::Error),
}

/// Serves until the token is cancelled: brings the schema up to date, takes the lead, goes on with
/// every open run, and answers on `listener`.
///
/// # Errors
/// The ledger cannot be used, another coordinator leads it, or
/// the ledger was gone for too long.
pub async fn run(
    settings: Settings,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let ledger = Ledger::open(&settings.database_url).await?;
    let keyring = Keyring::open(ledger.clone(), &settings.founders).await?;
    let views = Arc::new(Views::new(ledger.clone()));
    let limits =
        LeaseLimits { silence: settings.lease_silence, standstill: settings.lease_standstill };
    let artefacts = match &settings.artefacts {
        Some(folder) => Some(Artefacts::open(folder)?),
        None => None,
    };
    let metrics = Arc::new(Metrics::new());
    let tasks = TaskTracker::new();
    let stop_listening = CancellationToken::new();
    if let Some(port) = settings.metrics {
        let stop = stop_listening.clone();
        let shown = port.serve(metrics.registry(), || {}, async move { stop.cancelled().await });
        tasks.spawn(async move {
            if let Err(error) = shown.await {
                tracing::error!(%error, "the metrics can no longer be shown");
            }
        });
    }
    // A start that is given up takes the metrics with it.
    let _stop_listening = stop_listening.clone().drop_guard();
    let checking = AuditPolicy {
        auditors: settings.auditors,
        secret: std::hash::RandomState::new().hash_one(std::process::id()),
        ..AuditPolicy::default()
    };
    let whereabouts = Arc::new(Whereabouts::default());
    {
        let (whereabouts, ledger) = (Arc::clone(&whereabouts), ledger.clone());
        let (address, stop) = (settings.address.clone(), stop_listening.clone());
        tasks.spawn(async move { whereabouts.keep(&ledger, address.as_deref(), &stop).await });
    }
    let lead = settings.lead;
    let core = Core::start(
        ledger.clone(),
        limits,
        checking,
        lead,
        views.clone(),
        metrics.clone(),
        shutdown.clone(),
    );
    let started = tokio::select! {
        started = core => started?,
        () = turn_away(&listener), if lead == Lead::StandBy => return Ok(()),
        () = shutdown.cancelled() => return Ok(()),
    };
    let (core, handle) = started;
    // Keys that were admitted or revoked while this one stood by.
    keyring.look().await?;
    if let Some(days) = settings.keep_move_days {
        let (ledger, stop) = (ledger.clone(), shutdown.clone());
        tasks.spawn(async move { forget_moves(&ledger, days, &stop).await });
    }
    // Streams end after the core has drained its sessions, pages at once.
    let streams = CancellationToken::new();

    let (health, health_service) = tonic_health::server::health_reporter();
    let worker_rpc = WorkerRpc::new(
        handle.clone(),
        whereabouts,
        tasks.clone(),
        streams.clone(),
        settings.traces.clone(),
    );
    let worker_service = WorkerServiceServer::new(worker_rpc)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    tasks.spawn(suspicion::keep(ledger.clone(), views.clone(), metrics.clone(), shutdown.clone()));
    let key_rpc = KeyRpc::new(ledger.clone(), keyring.clone());
    {
        let (keyring, handle, stop) = (keyring.clone(), handle.clone(), shutdown.clone());
        tasks.spawn(async move { keyring.keep(&handle, &stop).await });
    }
    let engine_rpc =
        EngineRpc::new(ledger.clone(), artefacts.clone(), tasks.clone(), shutdown.clone());
    // A chunk, and the little that stands around it.
    let engine_service =
        EngineServiceServer::new(engine_rpc).max_decoding_message_size(CHUNK + 4096);
    let trust_rpc = Arc::new(TrustRpc::new(handle.clone(), ledger.clone(), views.clone()));
    let trust_service = TrustServiceServer::from_arc(trust_rpc.clone())
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    let insight = Arc::new(Insight::new(ledger.clone(), views.clone()));
    let control_rpc = Arc::new(ControlRpc::new(
        handle.clone(),
        ledger.clone(),
        views.clone(),
        artefacts,
        tasks.clone(),
        shutdown.clone(),
    ));
    let desk = Arc::new(Desk::new(ledger, handle, trust_rpc, control_rpc.clone()));
    let control_service = ControlServiceServer::from_arc(control_rpc)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    health.set_serving::<WorkerServiceServer<WorkerRpc>>().await;
    health.set_serving::<ControlServiceServer<ControlRpc>>().await;
    health.set_serving::<KeyServiceServer<KeyRpc>>().await;
    health.set_serving::<EngineServiceServer<EngineRpc>>().await;
    health.set_serving::<TrustServiceServer<TrustRpc>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .build_v1()?;

    let mut routes = tonic::service::Routes::builder();
    routes
        .add_service(worker_service)
        .add_service(control_service)
        .add_service(KeyServiceServer::new(key_rpc))
        .add_service(engine_service)
        .add_service(trust_service)
        .add_service(health_service)
        .add_service(reflection);
    let grpc = routes.routes().prepare().into_axum_router();
    let grpc = grpc.route_layer(from_fn_with_state(keyring.clone(), access::check));
    let mut pages =
        web::router(Arc::new(Source(views)), Some(desk), Some(insight), shutdown.clone());
    if !settings.public_pages {
        pages = pages.route_layer(axum::middleware::from_fn(pages_for_this_machine));
    }
    let app = pages.merge(grpc).fallback(web::not_found);

    let fingerprint = settings.certificate.fingerprint();
    tracing::info!(address = %listener.local_addr()?, %fingerprint, "serving");
    let door = Door::open(listener, &settings.certificate, keyring, stop_listening.clone())?;
    let server = {
        let stop = stop_listening.clone();
        let serve = axum::serve(door, app.into_make_service_with_connect_info::<Peer>())
            .with_graceful_shutdown(async move { stop.cancelled().await });
        tasks.spawn(async move { serve.await })
    };
    let core = tokio::spawn(core.telling(settings.traces.clone()).run());
    let ended = core.await;
    // The core is done, by order or by an error: everything that hangs on it ends.
    shutdown.cancel();
    streams.cancel();
    stop_listening.cancel();
    tasks.close();
    if tokio::time::timeout(GRACE, tasks.wait()).await.is_err() {
        tracing::info!("some connections did not end in time and are dropped");
        server.abort();
    }
    settings.traces.flush().await;
    match ended {
        Ok(result) => Ok(result?),
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

/// Drops the moves of old days, again and again until told to stop.
async fn forget_moves(ledger: &Ledger, keep_days: u32, stop: &CancellationToken) {
    loop {
        match ledger.drop_days(keep_days).await {
            Ok(0) => {}
            Ok(days) => tracing::info!(days, "the moves of old days are dropped"),
            // Those who play come first; the next attempt is soon enough.
            Err(error) => tracing::debug!(error = %chain(&error), "no moves can be dropped now"),
        }
        tokio::select! {
            () = tokio::time::sleep(FORGET_EVERY) => {}
            () = stop.cancelled() => return,
        }
    }
}

/// Closes whatever connects, so that who asks a standby goes on to the leader at once. Does not end.
async fn turn_away(listener: &TcpListener) {
    loop {
        if let Err(error) = listener.accept().await {
            tracing::debug!(%error, "a connection could not be turned away");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Shows the pages to programs of this machine alone.
async fn pages_for_this_machine(
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    if peer.is_local() { next.run(request).await } else { web::not_public().await }
}

/// What the pages read.
struct Source(Arc<Views>);

impl web::Source for Source {
    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunView>, web::SourceError>> {
        Box::pin(async { self.0.runs(LISTED).await.map_err(unavailable) })
    }

    fn run(&self, id: RunId) -> BoxFuture<'_, Result<Option<Arc<RunView>>, web::SourceError>> {
        Box::pin(async move { self.0.run(id).await.map_err(unavailable) })
    }

    fn pair(
        &self,
        run: RunId,
        pair: PairIndex,
    ) -> BoxFuture<'_, Result<Option<PairView>, web::SourceError>> {
        Box::pin(async move { self.0.pair(run, pair).await.map_err(unavailable) })
    }

    fn workers(&self) -> BoxFuture<'_, Result<Vec<WorkerView>, web::SourceError>> {
        Box::pin(async { self.0.workers().await.map_err(unavailable) })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes()
    }
}

fn unavailable(error: impl std::error::Error + Send + Sync + 'static) -> web::SourceError {
    web::SourceError(Box::new(error))
}
