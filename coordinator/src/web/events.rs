//! Server-sent events: the pages' only way to new numbers.
//!
//! A stream begins with `snapshot`, which a client takes in place of all it has: a browser
//! reconnects by itself, and a stream that only appended would then draw everything twice. After it
//! come `update`s: for the overview again the whole; for a run `{"keep": n, "run": …}`, where `run`
//! is the view without its specification and its trace holds only what follows the first `n` points
//! that the client has. `id:` is the change number of the source.
//!
//! A client gets at most three events a second; changes in between are folded into the next one.

use super::{Source, SourceError, Web, api, cards, run_id};
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use model::RunId;
use model::spec::Job;
use model::view::{MOST_SHOWN, ProgressView, RunView};
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

/// Between two events to one client.
const GAP: Duration = Duration::from_millis(340);
/// Before a source that could not answer is asked again.
const AFTER_ERROR: Duration = Duration::from_secs(2);
/// Proxies close streams that stay silent.
const PING: Duration = Duration::from_secs(15);
/// What a browser waits before it reconnects.
const RECONNECT: Duration = Duration::from_secs(2);

/// `GET /events`: the overview.
pub(super) async fn overview(State(web): State<Web>) -> Response {
    open(web, Subject::Overview { sent: None })
}

/// Which parameters of a tune a page wants to see.
#[derive(Deserialize)]
pub(super) struct Wanted {
    /// A part of their names, in either case.
    #[serde(default)]
    filter: String,
    /// `moved`, `signal` or `file`: which come first where they are too many.
    #[serde(default)]
    order: String,
}

/// `GET /events/runs/{id}`: one run.
pub(super) async fn run(
    State(web): State<Web>,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let Some(id) = run_id(&id) else { return api::missing("no such run") };
    match web.source.run(id).await {
        Ok(Some(run)) => open(web, Subject::Run { id, shown: wanted.places(&run), sent: None }),
        Ok(None) => api::missing("no such run"),
        Err(error) => api::unreadable(&error),
    }
}

impl Wanted {
    /// Places of the parameters to show, in the order of the specification; none for all of them.
    fn places(&self, run: &RunView) -> Option<Vec<usize>> {
        let filter = self.filter.trim().to_lowercase();
        if filter.is_empty() && matches!(self.order.as_str(), "" | "moved") {
            return run.farthest();
        }
        let (Job::Tune(spec), ProgressView::Tune(view)) = (&run.spec.job, &run.progress) else {
            return None;
        };
        let moved = |place: usize| {
            let way = view.theta.get(place).map_or(0.0, |now| spec.parameters[place].steps(*now));
            way.abs()
        };
        let noise = view.verdict.as_ref().map(|verdict| &verdict.noise);
        let signal = |place: usize| {
            let known = view.estimate.as_ref().and_then(|e| e.signal_to_noise.get(place).copied());
            let noise = noise.and_then(|noise| noise.get(place)).filter(|noise| **noise > 0.0);
            let over_noise =
                || noise.map(|noise| moved(place) * spec.parameters[place].c_end / noise);
            known.or_else(over_noise).unwrap_or(0.0)
        };
        let mut places: Vec<usize> = (0..spec.parameters.len())
            .filter(|place| spec.parameters[*place].name.to_lowercase().contains(&filter))
            .collect();
        match self.order.as_str() {
            "file" => {}
            "signal" => places.sort_by(|a, b| signal(*b).total_cmp(&signal(*a)).then(a.cmp(b))),
            _ => places.sort_by(|a, b| moved(*b).total_cmp(&moved(*a)).then(a.cmp(b))),
        }
        places.truncate(MOST_SHOWN);
        places.sort_unstable();
        Some(places)
    }
}

fn open(web: Web, subject: Subject) -> Response {
    let Ok(seat) = Arc::clone(&web.seats).try_acquire_owned() else {
        return api::busy("too many open pages");
    };
    let feed = Feed {
        changes: web.source.changes(),
        wake: Wake::Now,
        not_before: Instant::now(),
        web,
        subject,
        _seat: seat,
    };
    let events = stream::unfold(feed, async |mut feed| {
        let shutdown = feed.web.shutdown.clone();
        let event = shutdown.run_until_cancelled(feed.next()).await??;
        Some((Ok::<_, Infallible>(event.retry(RECONNECT)), feed))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(PING)).into_response()
}

/// What a stream waits for before it looks at the source again.
enum Wake {
    Now,
    Change,
    ChangeOrRetry,
}

/// One client's stream.
struct Feed {
    web: Web,
    subject: Subject,
    changes: watch::Receiver<u64>,
    wake: Wake,
    not_before: Instant,
    _seat: OwnedSemaphorePermit,
}

impl Feed {
    /// The next event; none when there is nothing more to come.
    async fn next(&mut self) -> Option<Event> {
        loop {
            match self.wake {
                Wake::Now => {}
                Wake::Change => self.changes.changed().await.ok()?,
                Wake::ChangeOrRetry => {
                    // Either way the source is asked again; an end of it shows in the next round.
                    let _ = tokio::time::timeout(AFTER_ERROR, self.changes.changed()).await;
                }
            }
            tokio::time::sleep_until(self.not_before).await;
            // Read before the source is asked: what it then says is at least as new.
            let change = *self.changes.borrow_and_update();
            self.wake = Wake::Change;
            match self.subject.event(&self.web, change).await {
                Ok(Next::Event(event)) => {
                    self.not_before = Instant::now() + GAP;
                    return Some(event.id(change.to_string()));
                }
                Ok(Next::Same) => {}
                Ok(Next::Gone) => return None,
                Err(error) => {
                    tracing::warn!(cause = %error.0, "an event stream waits: {error}");
                    self.not_before = Instant::now() + GAP;
                    self.wake = Wake::ChangeOrRetry;
                }
            }
        }
    }
}

enum Next {
    Event(Event),
    Same,
    Gone,
}

/// What a stream tells about, and what of it the client has.
enum Subject {
    Overview {
        sent: Option<Arc<str>>,
    },
    /// Of a tune of very many parameters, `shown` are the places of those that had moved farthest when
    /// the page was opened, or that it asked for: a browser draws no ten thousand lines.
    Run {
        id: RunId,
        shown: Option<Vec<usize>>,
        sent: Option<Arc<RunView>>,
    },
}

impl Subject {
    async fn event(&mut self, web: &Web, change: u64) -> Result<Next, SourceError> {
        match self {
            Subject::Overview { sent } => {
                let text = overview_text(web, change).await?;
                if sent.as_ref() == Some(&text) {
                    return Ok(Next::Same);
                }
                let name = if sent.is_some() { "update" } else { "snapshot" };
                let event = Event::default().event(name).data(&*text);
                *sent = Some(text);
                Ok(Next::Event(event))
            }
            Subject::Run { id, shown, sent } => {
                let Some(now) = web.source.run(*id).await? else { return Ok(Next::Gone) };
                let now = match shown {
                    Some(places) => Arc::new(now.narrowed(places)),
                    None => now,
                };
                let event = match sent {
                    Some(before) if *before == now => return Ok(Next::Same),
                    Some(before) => {
                        Event::default().event("update").data(update_text(before, &now)?)
                    }
                    None => Event::default().event("snapshot").data(text(&*now)?),
                };
                *sent = Some(now);
                Ok(Next::Event(event))
            }
        }
    }
}

/// The overview as JSON, from the shared copy if that is of this change.
async fn overview_text(web: &Web, change: u64) -> Result<Arc<str>, SourceError> {
    let mut shared = web.overview.lock().await;
    if let Some((of, text)) = &*shared
        && *of == change
    {
        return Ok(Arc::clone(text));
    }
    let source: &dyn Source = &*web.source;
    let (runs, workers) = (source.runs().await?, source.workers().await?);
    let fresh: Arc<str> = text(&cards::overview(&runs, &workers))?.into();
    *shared = Some((change, Arc::clone(&fresh)));
    Ok(fresh)
}

/// What changed from `before` to `now`, without what the client has.
fn update_text(before: &RunView, now: &RunView) -> Result<String, SourceError> {
    let mut rest = now.clone();
    let keep = match (&before.progress, &mut rest.progress) {
        (ProgressView::Tune(old), ProgressView::Tune(new)) => cut(&old.trace, &mut new.trace),
        (ProgressView::Test(old), ProgressView::Test(new)) => cut(&old.trace, &mut new.trace),
        // A run does not change its kind; if it did, the client keeps nothing.
        _ => 0,
    };
    let mut run = serde_json::to_value(rest).map_err(unspoken)?;
    if let Some(fields) = run.as_object_mut() {
        fields.remove("spec");
    }
    text(&json!({ "keep": keep, "run": run }))
}

/// Takes the points that both traces begin with out of `new`, and says how many they are.
fn cut<T: PartialEq>(old: &[T], new: &mut Vec<T>) -> usize {
    let same = old.iter().zip(new.iter()).take_while(|(a, b)| a == b).count();
    new.drain(..same);
    same
}

fn text(value: &impl serde::Serialize) -> Result<String, SourceError> {
    serde_json::to_string(value).map_err(unspoken)
}

fn unspoken(error: serde_json::Error) -> SourceError {
    SourceError(error.into())
}
