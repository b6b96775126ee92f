//! What is asked of the ledger on demand, as JSON: breakdowns, iterations, lineages, hands; and the
//! games of a pair, to be replayed or taken away.

use super::api::{missing, unreadable};
use super::{SourceError, Web, run_id};
use crate::recover::RecoverError;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use games::record::{self, NoGame};
use model::lease::PairIndex;
use model::view::{PairView, RunView};
use model::{Pairs, WorkerId};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

/// A pair with every position of its games.
#[derive(Serialize)]
struct Replay {
    game: model::GameKind,
    #[serde(flatten)]
    pair: PairView,
    /// Of the game that the candidate began, then of the other; nothing where no moves are kept.
    positions: [Vec<String>; 2],
}

/// `GET /api/runs/{id}/breakdown`.
pub(super) async fn breakdown(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let (Some(insight), Some(id)) = (&web.insight, run_id(&id)) else {
        return missing("no such run");
    };
    told(insight.breakdown(id).await, "no such run")
}

/// `GET /api/runs/{id}/at/{pairs}`: a tune as it stood then.
pub(super) async fn iteration(
    State(web): State<Web>,
    Path((id, pairs)): Path<(String, String)>,
) -> Response {
    let (Some(insight), Some(id), Ok(pairs)) = (&web.insight, run_id(&id), pairs.parse()) else {
        return missing("no such tune");
    };
    told(insight.iteration(id, Pairs(pairs)).await, "no such tune")
}

/// `GET /api/runs/{id}/gain`: what a tune by slopes has won.
pub(super) async fn gain(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let (Some(insight), Some(id)) = (&web.insight, run_id(&id)) else {
        return missing("no such tune");
    };
    told(insight.gain(id).await, "no such tune by spsa; what bqr expects is in its progress")
}

/// `GET /api/runs/{id}/curves`: the ways of the candidates of a race.
pub(super) async fn curves(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let (Some(insight), Some(id)) = (&web.insight, run_id(&id)) else {
        return missing("no such race");
    };
    told(insight.curves(id).await, "no such race")
}

/// `GET /api/progress`.
pub(super) async fn progress(State(web): State<Web>) -> Response {
    let Some(insight) = &web.insight else { return missing("no such path") };
    told(insight.lineages().await.map(Some), "")
}

/// `GET /api/workers/{id}`.
pub(super) async fn worker(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let (Some(insight), Ok(id)) = (&web.insight, id.parse()) else {
        return missing("no such worker");
    };
    told(insight.worker(WorkerId(id)).await, "no such worker")
}

/// `GET /api/owners`: the owner of each worker, by its number.
pub(super) async fn owners(State(web): State<Web>) -> Response {
    let Some(insight) = &web.insight else { return missing("no such path") };
    told(insight.owners().await.map(Some), "")
}

/// `GET /api/owners/{name}`.
pub(super) async fn owner(State(web): State<Web>, Path(name): Path<String>) -> Response {
    let Some(insight) = &web.insight else { return missing("no such owner") };
    told(insight.owner(&name).await, "no such owner")
}

/// `GET /api/runs/{id}/pairs/{pair}/{form}`: `replay` as JSON, `pgn` and `record` as texts to keep.
pub(super) async fn games(
    State(web): State<Web>,
    Path((id, pair, form)): Path<(String, String, String)>,
) -> Response {
    let (Some(id), Ok(index)) = (run_id(&id), pair.parse()) else {
        return missing("no such pair");
    };
    let found = match web.source.run(id).await {
        Ok(Some(run)) => {
            web.source.pair(id, PairIndex(index)).await.map(|pair| Some(run).zip(pair))
        }
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    let (run, pair) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return missing("no such pair"),
        Err(error) => return unreadable(&error),
    };
    let made = tokio::task::spawn_blocking(move || match form.as_str() {
        "replay" => replay(&run, pair).map(|replay| Some(Json(replay).into_response())),
        "pgn" => record::pgn(&run, &pair).map(|text| Some(file(&run, &pair, "pgn", text))),
        "record" => {
            let end = if run.spec.game == model::GameKind::Othello { "ggf" } else { "txt" };
            record::own(&run, &pair).map(|text| Some(file(&run, &pair, end, text)))
        }
        _ => Ok(None),
    });
    match made.await {
        Ok(Ok(Some(answer))) => answer,
        Ok(Ok(None)) => missing("no such form; allowed: replay, pgn, record"),
        Ok(Err(error)) => {
            tracing::error!(run.id = id.0, %error, "a game of the ledger cannot be replayed");
            let why = json!({ "error": "the stored game cannot be replayed" });
            (StatusCode::INTERNAL_SERVER_ERROR, Json(why)).into_response()
        }
        Err(error) => unreadable(&SourceError(error.into())),
    }
}

fn replay(run: &Arc<RunView>, pair: PairView) -> Result<Replay, record::RecordError> {
    let game = run.spec.game;
    let of = |moves: &Option<String>| match moves {
        Some(moves) => record::positions(game, &pair.opening, moves),
        None => Ok(Vec::new()),
    };
    let named = |why: NoGame| record::RecordError { pair: pair.pair, why };
    let positions = [
        of(&pair.candidate_first.moves).map_err(named)?,
        of(&pair.base_first.moves).map_err(named)?,
    ];
    Ok(Replay { game, pair, positions })
}

fn file(run: &RunView, pair: &PairView, end: &str, text: String) -> Response {
    let name = format!("attachment; filename=\"run-{}-pair-{}.{end}\"", run.id, pair.pair);
    let name = HeaderValue::from_str(&name).expect("numbers and plain words");
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], text).into_response()
}

fn told<T: Serialize>(found: Result<Option<T>, RecoverError>, none: &str) -> Response {
    match found {
        Ok(Some(found)) => Json(found).into_response(),
        Ok(None) => missing(none),
        Err(error) => unreadable(&SourceError(Box::new(error))),
    }
}
