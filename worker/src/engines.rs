//! The engines of others that this worker has, fetches or has given up on.
//!
//! What a lease needs is fetched from the coordinator in chunks, over a connection of its own that goes
//! on where the last one broke; then it is built and proven by a thread, one engine at a time. Leases
//! wait meanwhile; the session asks again whenever something has become ready.

use crate::backoff::{Backoff, random_share};
use crate::contest::Refused;
use crate::settings::Externals;
use crate::shelf::{Cache, Fault, Guard, Ready, ShelfError};
use arena::Tablebases;
use keys::SecretKey;
use model::printable;
use model::spec::{ExternalEngine, Players};
use proto::v1::engine_service_client::EngineServiceClient;
use proto::v1::{self, ReturnReason};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tonic::Code;

/// How long a failure stands before the same engine is tried again.
const STANDS: Duration = Duration::from_secs(15 * 60);

/// Between two attempts to fetch, at first and at most.
const WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// Engines whose state is remembered.
const MOST_KNOWN: usize = 256;

/// An engine is its bytes and how they are made ready.
type Key = (String, String);

#[derive(Debug)]
enum State {
    Preparing,
    Ready(Arc<Ready>),
    Failed(Refused, Instant),
}

/// What becomes of a lease by the engines that it needs.
pub(crate) enum Look {
    /// All are there: the candidate's, the base's, `None` for the engine built in.
    Ready([Option<Arc<Ready>>; 2]),
    /// Some are on their way.
    Wait,
    /// One cannot be had.
    Never(Refused),
}

/// Everything about engines of others.
pub(crate) struct Engines {
    /// What shuts them in, or why there is nothing that does.
    guard: Result<Arc<Guard>, String>,
    cache: Result<Arc<Cache>, String>,
    coordinator_url: String,
    key: SecretKey,
    known: BTreeMap<Key, State>,
    tasks: JoinSet<(Key, Result<Ready, Refused>)>,
    /// Held by whoever builds.
    workshop: Arc<Mutex<()>>,
}

/// What shuts programs of others in here, or why none is played.
///
/// # Errors
/// It is switched off, or the machine has no sandbox of the wanted kind.
pub(crate) fn guard(externals: &Externals) -> Result<Guard, String> {
    if !externals.allowed {
        return Err("this worker plays the engine built in alone".to_owned());
    }
    Guard::new(externals.sandbox, externals.helper.as_deref()).map_err(|error| error.to_string())
}

/// Whether programs of others are played under these settings, and how far they are shut in; in a line
/// for people. Starts the helper to find out.
#[must_use]
pub fn describe(externals: &Externals) -> String {
    match guard(externals) {
        Ok(guard) => format!("engines of others are played; sandbox: {}", guard.describe()),
        Err(why) => format!("engines of others are not played: {why}"),
    }
}

/// What is offered of all this in `Hello`.
pub(crate) fn offer(
    guard: Result<&Guard, &str>,
    externals: &Externals,
    tablebases: Option<&Tablebases>,
) -> v1::ArenaOffer {
    v1::ArenaOffer {
        externals: guard.is_ok(),
        max_memory_mib: externals.memory_mib,
        sandbox: match guard {
            Ok(guard) => printable(&guard.describe(), 200),
            Err(why) => printable(why, 200),
        },
        adjudicates: true,
        tablebase_men: tablebases.map_or(0, Tablebases::complete_men),
    }
}

impl Engines {
    /// Nothing is known yet; `guard` is what [`guard`] has found.
    pub(crate) fn new(
        externals: &Externals,
        guard: Result<Guard, String>,
        state_dir: &Path,
        coordinator_url: &str,
        key: &SecretKey,
    ) -> Self {
        let cache = Cache::open(&state_dir.join("engines"), externals.cache_mib << 20);
        Self {
            guard: guard.map(Arc::new),
            cache: cache.map(Arc::new).map_err(|error| error.to_string()),
            coordinator_url: coordinator_url.to_owned(),
            key: key.clone(),
            known: BTreeMap::new(),
            tasks: JoinSet::new(),
            workshop: Arc::default(),
        }
    }

    /// What shuts programs in.
    pub(crate) fn guard(&self) -> Result<&Arc<Guard>, Refused> {
        self.guard.as_ref().map_err(|why| refused(ReturnReason::EngineRefused, why))
    }

    /// What is offered of all this in `Hello`.
    pub(crate) fn offer(
        &self,
        externals: &Externals,
        tablebases: Option<&Tablebases>,
    ) -> v1::ArenaOffer {
        offer(self.guard.as_deref().map_err(String::as_str), externals, tablebases)
    }

    /// What these players need, which is fetched if it is not here.
    pub(crate) fn look(&mut self, players: &Players, now: Instant) -> Look {
        let mut found = [None, None];
        let mut waits = false;
        for (place, side) in found.iter_mut().zip(players.sides()) {
            let Some(engine) = side.engine.external() else { continue };
            match self.look_for(engine, now) {
                Ok(Some(ready)) => *place = Some(ready),
                Ok(None) => waits = true,
                Err(refused) => return Look::Never(refused),
            }
        }
        if waits { Look::Wait } else { Look::Ready(found) }
    }

    fn look_for(
        &mut self,
        engine: &ExternalEngine,
        now: Instant,
    ) -> Result<Option<Arc<Ready>>, Refused> {
        let guard = Arc::clone(self.guard()?);
        let broken = |why: &String| refused(ReturnReason::EngineRefused, why);
        let cache = Arc::clone(self.cache.as_ref().map_err(broken)?);
        let key = (engine.artefact.clone(), engine.manifest.clone());
        match self.known.get(&key) {
            Some(State::Preparing) => return Ok(None),
            // Others may have needed its room meanwhile.
            Some(State::Ready(ready)) if ready.is_there() => return Ok(Some(Arc::clone(ready))),
            Some(State::Failed(refused, since)) if now < *since + STANDS => {
                return Err(refused.clone());
            }
            _ => {}
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.retain(|_, state| matches!(state, State::Preparing));
        }
        self.known.insert(key.clone(), State::Preparing);
        let (url, secret) = (self.coordinator_url.clone(), self.key.clone());
        let (engine, workshop) = (engine.clone(), Arc::clone(&self.workshop));
        self.tasks.spawn(async move {
            let made = prepare(&url, &secret, engine, cache, guard, workshop).await;
            (key, made)
        });
        Ok(None)
    }

    /// Waits until something is ready or given up; for ever while nothing is under way. Cancel safe.
    pub(crate) async fn changed(&mut self) {
        let Some(done) = self.tasks.join_next().await else {
            return std::future::pending().await;
        };
        // A task that panicked has no key; its leases are given back when they stand still.
        let Ok((key, made)) = done else { return };
        let state = match made {
            Ok(ready) => State::Ready(Arc::new(ready)),
            Err(refused) => {
                tracing::warn!(detail = refused.detail, "an engine cannot be had");
                State::Failed(refused, Instant::now())
            }
        };
        self.known.insert(key, state);
    }
}

fn refused(reason: ReturnReason, detail: impl ToString) -> Refused {
    Refused { reason, detail: detail.to_string() }
}

/// Fetches what is missing, then has a thread make the engine ready.
async fn prepare(
    url: &str,
    key: &SecretKey,
    engine: ExternalEngine,
    cache: Arc<Cache>,
    guard: Arc<Guard>,
    workshop: Arc<Mutex<()>>,
) -> Result<Ready, Refused> {
    let mut backoff = Backoff::new(WAITS.0, WAITS.1);
    while let Some(held) = cache.missing_from(&engine).map_err(of_shelf)? {
        match fetch(url, key, &engine, &cache, held).await {
            Ok(()) => {}
            Err(Broken::For(refused)) => return Err(refused),
            Err(Broken::Now(why)) => {
                tracing::info!(%why, "an engine is fetched later");
                tokio::time::sleep(backoff.next(random_share())).await;
            }
        }
    }
    let (done, made) = oneshot::channel();
    // A thread of its own: the worker does not wait for it when it goes away.
    let build = move || {
        let _held = workshop.lock().unwrap_or_else(PoisonError::into_inner);
        let tell = |text: &str| tracing::info!("{text}");
        // Nobody waits any more if the worker is gone.
        let _ = done.send(cache.make_ready(&engine, &guard, &tell));
    };
    std::thread::Builder::new()
        .name("engine".to_owned())
        .spawn(build)
        .map_err(|error| refused(ReturnReason::EngineRefused, error))?;
    match made.await {
        Ok(made) => made.map_err(of_shelf),
        Err(_) => Err(refused(ReturnReason::EngineUnbuildable, "the build was cut off")),
    }
}

/// Why an artefact has not come.
enum Broken {
    /// It may come later.
    Now(String),
    /// It will not.
    For(Refused),
}

/// Fetches the rest of an artefact, and looks whether it is the right one.
async fn fetch(
    url: &str,
    key: &SecretKey,
    engine: &ExternalEngine,
    cache: &Cache,
    mut held: u64,
) -> Result<(), Broken> {
    let later = |why: String| Broken::Now(printable(&why, 200));
    if held < engine.bytes {
        let channel = proto::connect(url, Some(key)).await.map_err(|e| later(e.to_string()))?;
        let mut client = EngineServiceClient::new(channel);
        let sha256 = engine.artefact.clone();
        let request = v1::DownloadArtefactRequest { sha256, offset: held };
        let mut stream = client.download_artefact(request).await.map_err(status)?.into_inner();
        while let Some(message) = stream.message().await.map_err(status)? {
            held =
                cache.append(engine, held, &message.chunk).map_err(|e| Broken::For(of_shelf(e)))?;
        }
        if held < engine.bytes {
            return Err(later("the artefact ended early".to_owned()));
        }
    }
    cache.complete(engine).map_err(|error| Broken::For(of_shelf(error)))
}

fn status(status: tonic::Status) -> Broken {
    let why = printable(status.message(), 200);
    match status.code() {
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition | Code::Unimplemented => {
            Broken::For(refused(ReturnReason::EngineUnavailable, why))
        }
        _ => Broken::Now(why),
    }
}

fn of_shelf(error: ShelfError) -> Refused {
    let reason = match error.fault {
        Fault::Machine | Fault::Refused => ReturnReason::EngineRefused,
        Fault::Unavailable => ReturnReason::EngineUnavailable,
        Fault::Unbuildable => ReturnReason::EngineUnbuildable,
        Fault::Signature => ReturnReason::EngineSignature,
        Fault::Unusable => ReturnReason::EngineUnusable,
    };
    refused(reason, error.message())
}
