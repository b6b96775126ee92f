//! The life of a worker: one event loop between the connection, the slots, the disk and the clock.
//!
//! Whatever happens is noted first; then [`Session::settle`] does everything that has become
//! possible: pairs to free slots, reports, returns, wants. So no event needs to know what it enables.

mod inbound;
mod outbound;

use crate::backoff::Backoff;
use crate::contest::{self, Contest, Refused};
use crate::engines::{self, Engines, Look};
use crate::holdings::{GivenUp, Holdings, LeaseKey};
use crate::identity::StateDir;
use crate::link::{self, LinkEvent};
use crate::metrics;
use crate::offer::{self, Offer};
use crate::places::Places;
use crate::rest::{self, Rest};
use crate::slots::{PairEnd, PairJob, SlotDone, Slots};
use crate::spool::{Line, Recovered, Spool};
use crate::status::GameRate;
use crate::traces::Steps;
use crate::{Settings, Shutdown, Status, Summary, WorkerError};
use model::lease::{PairIndex, WorkOrder};
use model::{GameKind, Games, Nodes, Pairs, WorkerId};
use outbound::Connection;
use proto::v1::ReturnReason;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Events of the connection that wait for the loop; a full channel only slows the stream down.
const LINK_EVENTS: usize = 64;

/// How long a worker that is going away waits for a connection and for acknowledgements.
const FAREWELL: Duration = Duration::from_secs(10);

/// The same after the second interrupt; with the closing of the stream it stays below five seconds.
const HASTY_FAREWELL: Duration = Duration::from_secs(3);

/// Between two looks at whether a disk that took nothing takes something again.
const DISK_LOOK: Duration = Duration::from_secs(5);

/// What is said while it does not.
const DISK_FULL: &str =
    "the disk takes nothing: no new leases until there is room in the state directory";

/// Between two looks at whether to rest.
const REST_LOOK: Duration = Duration::from_secs(1);

/// Where a worker is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// The first stage: pairs in play are finished. The time is when waiting for the coordinator
    /// ends, set once nothing is in play.
    Finishing(Option<Instant>),
    /// The second stage, until this time.
    Aborting(Instant),
}

struct Session {
    settings: Settings,
    /// Keeps the directory this process's alone.
    _state: StateDir,
    offers: Vec<Offer>,
    spool: Spool,
    holdings: Holdings,
    /// Engines of others, and the leases that wait for some.
    engines: Engines,
    waiting: Vec<WorkOrder>,
    slots: Slots,
    steps: Steps,
    /// Files being synchronised, each for the report of its lease.
    syncs: JoinSet<(LeaseKey, io::Result<()>)>,
    connection: Option<Connection>,
    phase: Phase,
    /// Why it rests, and when that is looked at again.
    rest: Option<Rest>,
    rest_due: Instant,
    /// The disk does not take what is finished; when that is looked at again.
    disk_full: Option<Instant>,
    worker: Option<WorkerId>,
    last_pair: Option<PairIndex>,
    idle_reason: Option<&'static str>,
    /// Reasons of idleness are logged when they change, not each time they come back.
    last_idle: &'static str,
    /// Reasons of an outage are logged when they change.
    last_outage: String,
    rate: GameRate,
    summary: Summary,
}

/// Plays for a coordinator until told to end, through every outage on the way.
///
/// # Errors
/// The state directory cannot be used or is in use, the coordinator's address is none, or a thread
/// cannot be started.
pub async fn run(mut settings: Settings, shutdown: Shutdown) -> Result<Summary, WorkerError> {
    let state = StateDir::open(&settings.state_dir)?;
    let spool_dir = state.spool_dir();
    let (spool, recovered) = Spool::open(&spool_dir).map_err(|source| WorkerError::StateDir {
        action: "read",
        path: spool_dir,
        source,
    })?;
    let externals = settings.externals.clone();
    let (offers, guard) =
        tokio::task::spawn_blocking(move || (offer::offers(), engines::guard(&externals)))
            .await
            .expect("the benchmark is a fixed search that a test runs");
    match &guard {
        Ok(guard) => tracing::info!(sandbox = guard.describe(), "engines of others are played"),
        Err(why) => tracing::info!(%why, "engines of others are not played"),
    }
    let engines = Engines::new(
        &settings.externals,
        guard,
        &settings.state_dir,
        &settings.coordinator_url,
        state.key(),
    );
    let (slots, results) =
        Slots::start(settings.slots, settings.nice, settings.externals.memory_mib)?;
    let backoff = Backoff::new(settings.backoff_base, settings.backoff_cap);
    let (events_in, mut events) = mpsc::channel(LINK_EVENTS);
    // Dropped, and so ended, with this function; the metrics likewise.
    let mut link = JoinSet::new();
    link.spawn(link::run(
        Places::open(&settings.state_dir, settings.coordinator_url.clone()),
        state.key().clone(),
        backoff,
        events_in,
    ));
    if let Some(port) = settings.metrics.take() {
        let status = settings.status.get_or_insert_with(|| watch::Sender::new(Status::default()));
        link.spawn(metrics::serve(port, status.subscribe()));
    }
    let now = Instant::now();
    let traces = settings.traces.clone();
    let steps = Steps::new(traces.clone(), state.key().public());
    let mut session = Session {
        settings,
        _state: state,
        offers,
        spool,
        holdings: Holdings::default(),
        engines,
        waiting: Vec::new(),
        slots,
        steps,
        syncs: JoinSet::new(),
        connection: None,
        phase: Phase::Running,
        rest: None,
        rest_due: now,
        disk_full: None,
        worker: None,
        last_pair: None,
        idle_reason: None,
        last_idle: "",
        last_outage: String::new(),
        rate: GameRate::new(now),
        summary: Summary::default(),
    };
    for lease in recovered {
        session.recover(lease, now);
    }
    let served = session.serve(&mut events, results, &shutdown).await;
    session.part(&mut events).await;
    traces.flush().await;
    served?;
    Ok(session.summarise())
}

impl Session {
    async fn serve(
        &mut self,
        events: &mut mpsc::Receiver<LinkEvent>,
        mut results: mpsc::Receiver<SlotDone>,
        shutdown: &Shutdown,
    ) -> Result<(), WorkerError> {
        loop {
            self.settle(Instant::now());
            self.tell_status();
            if self.is_over(Instant::now()) {
                return Ok(());
            }
            let wake = tokio::time::Instant::from_std(self.next_deadline(Instant::now()));
            let running = self.phase == Phase::Running;
            let aborting = matches!(self.phase, Phase::Aborting(_));
            tokio::select! {
                Some(event) = events.recv() => self.on_link(event, Instant::now())?,
                Some(done) = results.recv() => self.on_slot(done, Instant::now()),
                Some(synced) = self.syncs.join_next() => {
                    let (key, result) = synced.expect("synchronising a file does not panic");
                    self.on_synced(key, result, Instant::now());
                }
                () = self.engines.changed() => self.begin_waiting(Instant::now()),
                () = shutdown.finish.cancelled(), if running => self.finish(),
                () = shutdown.abort.cancelled(), if !aborting => self.abort(Instant::now()),
                () = tokio::time::sleep_until(wake) => {}
            }
        }
    }

    /// Does everything that is possible now.
    fn settle(&mut self, now: Instant) {
        if let Phase::Finishing(until @ None) = &mut self.phase
            && self.slots.playing() == 0
        {
            *until = Some(now + FAREWELL);
        }
        self.look_at_rest(now);
        self.look_at_disk(now);
        self.play_on();
        self.speak(now);
        while let Some(key) = self.holdings.next_completed() {
            self.forget(key);
        }
    }

    /// Rests or plays on, as a pause and the hours say: the pairs in play are finished, the rest of
    /// the leases goes back, and nothing more is wanted until the rest is over.
    fn look_at_rest(&mut self, now: Instant) {
        if self.phase != Phase::Running || now < self.rest_due {
            return;
        }
        self.rest_due = now + REST_LOOK;
        let rest = rest::rest(&self.settings.state_dir, self.settings.hours);
        if rest == self.rest {
            return;
        }
        match rest {
            Some(rest) => {
                tracing::info!(reason = rest.text(), "resting; the pairs in play are finished");
                self.holdings.give_up_all(ReturnReason::Shutdown, rest.text());
                self.holdings.hurry();
            }
            None => tracing::info!("playing again"),
        }
        self.rest = rest;
    }

    /// Wants leases again once the disk has room.
    fn look_at_disk(&mut self, now: Instant) {
        if self.disk_full.is_none_or(|due| now < due) {
            return;
        }
        match self.spool.probe() {
            Ok(()) => {
                tracing::info!("the disk has room again; leases are wanted again");
                self.disk_full = None;
            }
            Err(error) => {
                tracing::debug!(%error, "the disk still takes nothing");
                self.disk_full = Some(now + DISK_LOOK);
            }
        }
    }

    /// Gives free slots their next pair. Leases of an earlier process wait for the first welcome,
    /// as most of what is wrong with them is said right after it.
    fn play_on(&mut self) {
        if self.phase != Phase::Running || self.rest.is_some() || self.summary.sessions == 0 {
            return;
        }
        while let Some(slot) = self.slots.free() {
            let Some((key, opening, contest, stop)) = self.holdings.next_pair() else { return };
            self.last_pair = Some(opening.index);
            self.slots.play(slot, PairJob { key, contest, opening, stop });
        }
    }

    fn on_slot(&mut self, done: SlotDone, now: Instant) {
        self.slots.note(&done);
        match done.end {
            PairEnd::Played(pair) => {
                self.summary.played += Pairs(1);
                self.steps.played(done.key, &pair, done.elapsed);
                self.rate.add(now, Games(2));
                if self.holdings.contains(done.key) {
                    self.write(done.key, &Line::Pair(pair.clone()));
                    self.holdings.pair_finished(done.key, pair);
                }
            }
            PairEnd::Stopped => self.holdings.pair_stopped(done.key),
            PairEnd::Failed(Refused { reason, detail }) => {
                tracing::error!(lease.id = done.key.lease.0, %detail, "a pair could not be played");
                self.holdings.pair_stopped(done.key);
                self.holdings.give_up(done.key, reason, &detail);
            }
        }
    }

    /// First stage of going away.
    fn finish(&mut self) {
        tracing::info!(
            playing.pairs = self.slots.playing(),
            "finishing the pairs in play; interrupt again to stop them"
        );
        self.phase = Phase::Finishing(None);
        self.holdings.give_up_all(ReturnReason::Shutdown, "the worker is going away");
        self.holdings.hurry();
    }

    /// Second stage.
    fn abort(&mut self, now: Instant) {
        tracing::info!("stopping the pairs in play and giving the leases back");
        self.phase = Phase::Aborting(now + HASTY_FAREWELL);
        self.holdings.give_up_all(ReturnReason::Shutdown, "the worker is going away");
        self.holdings.hurry();
        self.holdings.stop_all();
    }

    /// Whether nothing is left to wait for.
    fn is_over(&self, now: Instant) -> bool {
        let until = match self.phase {
            Phase::Running | Phase::Finishing(None) => return false,
            Phase::Finishing(Some(until)) => until,
            Phase::Aborting(until) => until,
        };
        let playing = self.slots.playing() > 0;
        let in_vain = !self.is_welcome() && self.holdings.unacked() == 0;
        now >= until || (!playing && (self.holdings.is_empty() || in_vain))
    }

    fn next_deadline(&self, now: Instant) -> Instant {
        let phase = match self.phase {
            Phase::Running | Phase::Finishing(None) => None,
            Phase::Finishing(Some(until)) => Some(until),
            Phase::Aborting(until) => Some(until),
        };
        // Without anything else to do, a status line is brought up to date and a pause looked for.
        let idle = now + REST_LOOK;
        [phase, self.next_word(now)].into_iter().flatten().fold(idle, Instant::min)
    }

    /// Takes up a lease that an earlier process left behind.
    fn recover(&mut self, lease: Recovered, now: Instant) {
        let order = &lease.order;
        let restarted = |detail: String| GivenUp { reason: ReturnReason::Restarted, detail };
        let contest = if lease.bench != self.bench(order.game) {
            Err(restarted("the engine has changed since the lease began".to_owned()))
        } else if order.limit.hash_kib > self.settings.max_hash_kib {
            Err(restarted("the worker now allows smaller tables only".to_owned()))
        } else {
            let order = order.clone();
            self.contest(&order, now).map_err(|refused| GivenUp {
                reason: ReturnReason::Restarted,
                detail: refused.detail,
            })
        };
        let order = &lease.order;
        if matches!(contest, Ok(None)) {
            self.waiting.push(order.clone());
        }
        tracing::info!(
            lease.id = order.lease.0,
            run.id = order.run.0,
            finished.pairs = lease.pairs.len(),
            goes_on = contest.is_ok(),
            "a lease of an earlier start is taken up"
        );
        self.holdings.resume(lease, contest, now);
    }

    /// What a lease is played with; `None`: engines that it needs are on their way.
    fn contest(
        &mut self,
        order: &WorkOrder,
        now: Instant,
    ) -> Result<Option<Arc<Contest>>, Refused> {
        let Some(players) = &order.players else {
            let contest = match order.limit.adjudication.tablebases {
                None => Contest::inside(order)?,
                Some(_) => {
                    let players = contest::builtin_players(order.limit.nodes);
                    let tables = self.settings.tablebases.as_ref();
                    Contest::duel(order, &players, [None, None], None, Nodes(0), tables)?
                }
            };
            return Ok(Some(Arc::new(contest)));
        };
        contest::check(players, &self.settings.externals, order.limit.hash_kib)?;
        let programs = match self.engines.look(players, now) {
            Look::Ready(programs) => programs,
            Look::Wait => return Ok(None),
            Look::Never(refused) => return Err(refused),
        };
        let offer = self.offers.iter().find(|offer| offer.game == order.game);
        let speed = offer.map_or(Nodes(0), |offer| offer.speed);
        let guard = self.engines.guard().ok();
        let tables = self.settings.tablebases.as_ref();
        let contest = Contest::duel(order, players, programs, guard, speed, tables)?;
        Ok(Some(Arc::new(contest)))
    }

    /// Begins the leases whose engines have come, and gives back those whose engines will not.
    fn begin_waiting(&mut self, now: Instant) {
        for order in std::mem::take(&mut self.waiting) {
            let key = LeaseKey::of(&order);
            if !self.holdings.contains(key) {
                continue;
            }
            match self.contest(&order, now) {
                Ok(Some(contest)) => self.holdings.begin(key, contest),
                Ok(None) => self.waiting.push(order),
                Err(Refused { reason, detail }) => {
                    tracing::warn!(lease.id = key.lease.0, %detail, "a lease cannot be played");
                    self.holdings.give_up(key, reason, &detail);
                }
            }
        }
    }

    /// The fingerprint of this build's engine.
    fn bench(&self, game: GameKind) -> Nodes {
        self.offers.iter().find(|offer| offer.game == game).map_or(Nodes(0), |offer| offer.bench)
    }

    /// Appends to a lease's file. Without disk what is leased is played on in memory and handed in, and
    /// nothing new is wanted: what a crash loses then is leased and played again.
    fn write(&mut self, key: LeaseKey, line: &Line) {
        if let Err(error) = self.spool.append(key, line) {
            self.distrust(key, &error);
        }
    }

    fn distrust(&mut self, key: LeaseKey, error: &io::Error) {
        tracing::error!(lease.id = key.lease.0, %error, "cannot spool; this lease stays in memory");
        if self.disk_full.is_none() {
            tracing::error!("{DISK_FULL}");
            self.disk_full = Some(Instant::now() + DISK_LOOK);
        }
        // The file is incomplete: better none than half of it.
        if let Err(error) = self.spool.remove(key) {
            tracing::warn!(lease.id = key.lease.0, %error, "cannot delete its spool file");
        }
    }

    /// Drops a lease with its file; its pairs in play are stopped.
    fn forget(&mut self, key: LeaseKey) {
        self.holdings.drop_lease(key);
        self.steps.forget(key);
        if let Err(error) = self.spool.remove(key) {
            tracing::warn!(lease.id = key.lease.0, %error, "cannot delete a spool file");
        }
    }

    /// Closes the connection so that everything written still arrives.
    async fn part(&mut self, events: &mut mpsc::Receiver<LinkEvent>) {
        if self.hang_up() {
            while let Some(event) = events.recv().await {
                match event {
                    LinkEvent::Closed { .. } | LinkEvent::BadAddress(_) => return,
                    LinkEvent::Opening { .. } | LinkEvent::Message(_) => {}
                }
            }
        }
    }

    fn summarise(self) -> Summary {
        let spooled = Pairs(self.holdings.unacked());
        self.slots.end();
        Summary { spooled, ..self.summary }
    }
}
