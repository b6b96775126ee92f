//! The same facts as JSON, for scripts: the shapes of `model::view`, errors as `{"error": …}`.

use super::{SourceError, Web, run_id};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::lease::PairIndex;
use model::view::RunView;
use serde_json::json;

/// `GET /api/runs`: every run, newest first, without traces; of a tune of very many parameters those
/// that moved farthest.
pub(super) async fn runs(State(web): State<Web>) -> Response {
    match web.source.runs().await {
        Ok(runs) => {
            let narrow = |run: RunView| match run.farthest() {
                Some(places) => run.narrowed(&places),
                None => run,
            };
            Json(runs.into_iter().map(narrow).collect::<Vec<_>>()).into_response()
        }
        Err(error) => unreadable(&error),
    }
}

/// `GET /api/runs/{id}`: one run with its trace.
pub(super) async fn run(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let Some(id) = run_id(&id) else { return missing("no such run") };
    match web.source.run(id).await {
        Ok(Some(run)) => Json(&*run).into_response(),
        Ok(None) => missing("no such run"),
        Err(error) => unreadable(&error),
    }
}

/// `GET /api/runs/{id}/pairs/{pair}`: the two games of a pair, with the moves that are kept.
pub(super) async fn pair(
    State(web): State<Web>,
    Path((run, pair)): Path<(String, String)>,
) -> Response {
    let (Some(run), Ok(pair)) = (run_id(&run), pair.parse()) else {
        return missing("no such pair");
    };
    match web.source.pair(run, PairIndex(pair)).await {
        Ok(Some(pair)) => Json(pair).into_response(),
        Ok(None) => missing("no such pair"),
        Err(error) => unreadable(&error),
    }
}

/// `GET /api/workers`: every worker.
pub(super) async fn workers(State(web): State<Web>) -> Response {
    match web.source.workers().await {
        Ok(workers) => Json(workers).into_response(),
        Err(error) => unreadable(&error),
    }
}

/// 404 as JSON.
pub(super) fn missing(what: &str) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "error": what }))).into_response()
}

/// 503 as JSON; the cause goes to the log.
pub(super) fn unreadable(error: &SourceError) -> Response {
    tracing::error!(cause = %error.0, "a request for the pages failed: {error}");
    busy(&error.to_string())
}

/// 503 as JSON, with the time after which to try again.
pub(super) fn busy(why: &str) -> Response {
    let body = Json(json!({ "error": why }));
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], body).into_response()
}
