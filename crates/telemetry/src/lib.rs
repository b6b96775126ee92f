//! What a program shows of itself to those who watch it: a port with what it counts, in the text
//! format of Prometheus, and whether it lives; [`Traces`], the steps of its work, by OTLP.
//!
//! What is counted, and under which names, is the matter of the program: it fills a [`Registry`].
//! The port is apart from every other and opened only where somebody asks for it: it knows neither
//! keys nor encryption, and shows numbers without names of people or machines.
//!
//! `/metrics` is for Prometheus, `/healthz` for supervisors of containers.

mod traces;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{Encoder, TextEncoder};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

pub use prometheus;
pub use prometheus::Registry;
pub use traces::{Collector, LeaseTrace, Place, Step, Traces, TracesError};

/// An address that is taken already, so that a wrong one is noticed at once and a program that
/// starts its parts again keeps it.
#[derive(Clone, Debug)]
pub struct Port(Arc<std::net::TcpListener>);

impl Port {
    /// Takes an address.
    ///
    /// # Errors
    /// It is taken by another program, or none of this machine.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self(Arc::new(listener)))
    }

    /// The address, with the port that the system chose for 0.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Serves until `shutdown` is there. `before` runs before each look, to bring figures up to
    /// date that nobody counts as they happen.
    ///
    /// # Errors
    /// The address cannot be served.
    pub async fn serve(
        self,
        registry: Registry,
        before: impl Fn() + Send + Sync + 'static,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let listener = TcpListener::from_std(self.0.try_clone()?)?;
        tracing::info!(address = %listener.local_addr()?, "metrics are shown");
        let page = Arc::new(Page { registry, before: Box::new(before) });
        let app = Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(|| async { "ok\n" }))
            .with_state(page);
        axum::serve(listener, app).with_graceful_shutdown(shutdown).await
    }
}

struct Page {
    registry: Registry,
    before: Box<dyn Fn() + Send + Sync>,
}

async fn metrics(State(page): State<Arc<Page>>) -> Response {
    (page.before)();
    let encoder = TextEncoder::new();
    let mut text = Vec::new();
    match encoder.encode(&page.registry.gather(), &mut text) {
        Ok(()) => {
            ([(header::CONTENT_TYPE, encoder.format_type().to_owned())], text).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
