//! Puts the parts together and serves them on one port until told to stop.

use crate::core::Core;
use crate::dispatch::scheduler::LeaseLimits;
use crate::metrics::Metrics;
use crate::recover::RecoverError;
use crate::rpc::control_service::ControlRpc;
use crate::rpc::worker_service::WorkerRpc;
use crate::views::Views;
use crate::web;
use futures_util::future::BoxFuture;
use model::RunId;
use model::view::{RunView, WorkerView};
use proto::v1::control_service_server::ControlServiceServer;
use proto::v1::worker_service_server::WorkerServiceServer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Ledger, StoreError};
use telemetry::Port;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections get this long to end once the coordinator stops.
const GRACE: Duration = Duration::from_secs(5);
/// Runs of the overview.
const LISTED: u32 = 200;

/// How a coordinator runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The ledger, as `postgres://USER@HOST/DATABASE`.
    pub database_url: String,
    /// A worker that is silent for longer may lose its leases to others.
    pub lease_silence: Duration,
    /// A lease of which nothing came for longer may be lost even by a worker that is there.
    pub lease_standstill: Duration,
    /// Where its metrics are shown, if anywhere.
    pub metrics: Option<Port>,
}

impl Settings {
    /// The usual times with this ledger.
    pub fn new(database_url: impl Into<String>) -> Self {
        let LeaseLimits { silence, standstill } = LeaseLimits::default();
        Self {
            database_url: database_url.into(),
            lease_silence: silence,
            lease_standstill: standstill,
            metrics: None,
        }
    }
}

/// Why a coordinator did not start, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address can be reached from other machines.
    #[error(
        "`{address}` can be reached from other machines; allowed: an address of this machine alone, \
         such as 127.0.0.1:8117, because the port has no encryption and asks for no key; let workers \
         on other machines come through an SSH tunnel"
    )]
    OpenAddress {
        /// The address.
        address: SocketAddr,
    },
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

/// Whether a coordinator may listen there. Whoever reaches the port can file runs and report games,
/// so only programs of the same machine may reach it.
///
/// # Errors
/// [`ServeError::OpenAddress`] for everything but loopback.
pub fn check_address(address: SocketAddr) -> Result<(), ServeError> {
    if address.ip().to_canonical().is_loopback() {
        Ok(())
    } else {
        Err(ServeError::OpenAddress { address })
    }
}

/// Serves until the token is cancelled: brings the schema up to date, takes the lead, goes on with
/// every open run, and answers on `listener`.
///
/// # Errors
/// The port is open to other machines, the ledger cannot be used, another coordinator leads it, or
/// the ledger was gone for too long.
pub async fn run(
    settings: Settings,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    check_address(listener.local_addr()?)?;
    let ledger = Ledger::open(&settings.database_url).await?;
    let views = Arc::new(Views::new(ledger.clone()));
    let limits =
        LeaseLimits { silence: settings.lease_silence, standstill: settings.lease_standstill };
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
    let core = Core::start(ledger.clone(), limits, views.clone(), metrics, shutdown.clone());
    let started = tokio::select! {
        started = core => started?,
        () = shutdown.cancelled() => return Ok(()),
    };
    let (core, handle) = started;
    // Streams end after the core has drained its sessions, pages at once.
    let streams = CancellationToken::new();

    let (health, health_service) = tonic_health::server::health_reporter();
    let worker_rpc = WorkerRpc::new(handle.clone(), tasks.clone(), streams.clone());
    let worker_service = WorkerServiceServer::new(worker_rpc)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    let control_rpc =
        ControlRpc::new(handle, ledger, views.clone(), tasks.clone(), shutdown.clone());
    let control_service = ControlServiceServer::new(control_rpc)
        .max_decoding_message_size(proto::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(proto::MAX_MESSAGE_BYTES);
    health.set_serving::<WorkerServiceServer<WorkerRpc>>().await;
    health.set_serving::<ControlServiceServer<ControlRpc>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .build_v1()?;

    let mut routes = tonic::service::Routes::builder();
    routes
        .add_service(worker_service)
        .add_service(control_service)
        .add_service(health_service)
        .add_service(reflection);
    let grpc = routes.routes().prepare().into_axum_router();
    let pages = web::router(Arc::new(Source(views)), shutdown.clone());
    let app = pages.merge(grpc).fallback(web::not_found);

    tracing::info!(address = %listener.local_addr()?, "serving");
    let server = {
        let stop = stop_listening.clone();
        let serve = axum::serve(listener, app)
            .with_graceful_shutdown(async move { stop.cancelled().await });
        tasks.spawn(async move { serve.await })
    };
    let core = tokio::spawn(core.run());
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
    match ended {
        Ok(result) => Ok(result?),
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
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

#[cfg(test)]
mod tests {
    use super::check_address;

    #[test]
    fn only_addresses_of_this_machine_are_listened_on() {
        for address in ["127.0.0.1:0", "127.9.9.9:80", "[::1]:8117", "[::ffff:127.0.0.1]:1"] {
            assert!(check_address(address.parse().unwrap()).is_ok(), "{address}");
        }
        for address in ["0.0.0.0:8117", "[::]:8117", "192.168.0.7:8117", "[::ffff:10.0.0.1]:1"] {
            let refused = check_address(address.parse().unwrap()).unwrap_err().to_string();
            assert!(refused.contains(address) && refused.contains("no key"), "{refused}");
        }
    }
}
