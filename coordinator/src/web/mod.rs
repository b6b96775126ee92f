//! The live pages: what the coordinator shows to people, on the port that it also speaks gRPC on.
//!
//! The pages are skeletons made here ([`pages`], [`run_page`]); numbers reach them by server-sent events
//! ([`events`]) and scripts by the same JSON shapes ([`api`]). Every asset is part of the binary
//! ([`assets`]) and the content policy forbids everything else, so a page never talks to another
//! host. What a page may read is one trait, [`Source`]; whatever changes something goes through the
//! [`Desk`] ([`signing`]).

mod api;
mod assets;
mod beliefs;
mod cards;
mod events;
mod holds;
mod insights;
mod more_pages;
mod pages;
mod race_page;
mod run_page;
mod run_parts;
mod signing;
#[cfg(test)]
mod tests;

use crate::desk::Desk;
use crate::insight::Insight;
use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::future::BoxFuture;
use model::RunId;
use model::lease::PairIndex;
use model::view::{PairView, RunView, WorkerView};
use std::sync::Arc;
use tokio::sync::{Mutex, Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// Open event streams at the same time; the next one is told to come back later.
const MAX_STREAMS: usize = 256;

/// Nothing but the coordinator's own assets, and no markup that carries code or style.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// What the pages read; the coordinator implements it.
pub trait Source: Send + Sync + 'static {
    /// Every run, newest first, with empty traces.
    ///
    /// # Errors
    /// When the runs cannot be read at the moment.
    fn runs(&self) -> BoxFuture<'_, Result<Vec<RunView>, SourceError>>;

    /// One run with its trace; none if there is no such run.
    ///
    /// # Errors
    /// When the run cannot be read at the moment.
    fn run(&self, id: RunId) -> BoxFuture<'_, Result<Option<Arc<RunView>>, SourceError>>;

    /// A pair of a run with its games; none if it is not in the ledger.
    ///
    /// # Errors
    /// When it cannot be read at the moment.
    fn pair(
        &self,
        run: RunId,
        pair: PairIndex,
    ) -> BoxFuture<'_, Result<Option<PairView>, SourceError>>;

    /// Every worker.
    ///
    /// # Errors
    /// When the workers cannot be read at the moment.
    fn workers(&self) -> BoxFuture<'_, Result<Vec<WorkerView>, SourceError>>;

    /// Counts up whenever anything shown may have changed.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// A [`Source`] that cannot answer at the moment. Its cause goes to the log, not to the visitor.
#[derive(Debug, thiserror::Error)]
#[error("the state of the cluster cannot be read")]
pub struct SourceError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// What the handlers share.
#[derive(Clone)]
struct Web {
    source: Arc<dyn Source>,
    /// None where nobody signs in.
    desk: Option<Arc<Desk>>,
    /// None where nothing but the source can be asked.
    insight: Option<Arc<Insight>>,
    shutdown: CancellationToken,
    /// One permit for each open event stream.
    seats: Arc<Semaphore>,
    /// The overview as JSON, made once for each change whatever the number of visitors.
    overview: Arc<Mutex<Option<OfChange>>>,
}

/// A text and the number of the change that it tells.
type OfChange = (u64, Arc<str>);

/// The routes of the pages. It sets no fallback, so that it can be merged with another router;
/// [`not_found`] is meant to be the fallback of the whole.
///
/// When `shutdown` is cancelled every event stream ends, so that open tabs do not hold up the end
/// of the server.
pub fn router(
    source: Arc<dyn Source>,
    desk: Option<Arc<Desk>>,
    insight: Option<Arc<Insight>>,
    shutdown: CancellationToken,
) -> Router {
    let web = Web {
        source,
        desk,
        insight,
        shutdown,
        seats: Arc::new(Semaphore::new(MAX_STREAMS)),
        overview: Arc::default(),
    };
    Router::new()
        .route("/", get(pages::overview))
        .route("/runs/{id}", get(pages::run))
        .route("/runs/{id}/{action}", post(signing::act))
        .route("/runs/{id}/games", get(more_pages::games))
        .route("/runs/{id}/games/{pair}", get(more_pages::board))
        .route("/progress", get(more_pages::progress))
        .route("/workers", get(more_pages::workers))
        .route("/workers/{id}", get(more_pages::worker))
        .route("/owners/{name}", get(more_pages::owner))
        .route("/workers/{id}/release", post(holds::release))
        .route("/workers/{id}/{belief}", get(beliefs::preview).post(beliefs::carry_out))
        .route("/sign-in", get(signing::how).post(signing::sign_in))
        .route("/sign-in/{token}", get(signing::offer))
        .route("/sign-out", post(signing::sign_out))
        .route("/api/runs", get(api::runs))
        .route("/api/runs/{id}", get(api::run))
        .route("/api/runs/{id}/pairs/{pair}", get(api::pair))
        .route("/api/runs/{id}/pairs/{pair}/{form}", get(insights::games))
        .route("/api/runs/{id}/breakdown", get(insights::breakdown))
        .route("/api/runs/{id}/at/{pairs}", get(insights::iteration))
        .route("/api/runs/{id}/gain", get(insights::gain))
        .route("/api/runs/{id}/curves", get(insights::curves))
        .route("/api/progress", get(insights::progress))
        .route("/api/workers", get(api::workers))
        .route("/api/workers/{id}", get(insights::worker))
        .route("/api/owners", get(insights::owners))
        .route("/api/owners/{name}", get(insights::owner))
        .route("/events", get(events::overview))
        .route("/events/runs/{id}", get(events::run))
        .route("/assets/{name}", get(assets::serve))
        .route("/healthz", get(|| async { "ok\n" }))
        .layer(map_response(guard))
        .with_state(web)
}

/// The answer to a path that nobody serves: a page for people, JSON under `/api/` and `/events`,
/// and the status that gRPC clients understand if the request speaks gRPC.
pub async fn not_found(uri: Uri, headers: HeaderMap) -> Response {
    let grpc = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    if grpc {
        const UNIMPLEMENTED: &str = "12";
        let status = HeaderName::from_static("grpc-status");
        return ([(header::CONTENT_TYPE, "application/grpc")], [(status, UNIMPLEMENTED)])
            .into_response();
    }
    let machine = uri.path().starts_with("/api/") || uri.path().starts_with("/events");
    let answer = if machine {
        api::missing("no such path")
    } else {
        pages::missing("There is no such page.")
    };
    guard(answer).await
}

/// The answer to somebody on another machine when the pages are not public.
pub async fn not_public() -> Response {
    let text = "The pages of this coordinator are shown on its own machine only. Its operator can \
                open them to everybody with --public-pages; `elomill runs list` and `elomill watch` \
                show the same to whoever has a key.\n";
    guard((axum::http::StatusCode::FORBIDDEN, text).into_response()).await
}

/// Puts the headers on that keep a browser from doing anything that the pages do not need.
async fn guard(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Numbers are never kept; assets say for themselves how long they are good.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The id in a path, if it is one; anything else names no run.
fn run_id(text: &str) -> Option<RunId> {
    text.parse().ok().map(RunId)
}
