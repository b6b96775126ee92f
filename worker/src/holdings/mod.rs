//! The leases that this worker holds: what is to be played next, what is to be reported, what is over.
//!
//! Pure: told what happened and what time it is, it answers what to do; the session does it. A lease
//! has at most one report under way. A report's number is the count of finished pairs that it sums
//! up: it grows, survives restarts, and the same number always means the same sum.

use crate::contest::Contest;
use crate::spool::Recovered;
use model::lease::{GameRecord, Opening, PairRecord, Report, WorkOrder};
use model::{LeaseId, RunId, Tally};
use proto::v1::ReturnReason;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pairs of one report are cut off near this size, well below the largest message.
const REPORT_BYTES: usize = 4 * 1024 * 1024;

/// A report that is not answered for so long is sent again.
const UNANSWERED: Duration = Duration::from_secs(30);

/// One lease at one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeaseKey {
    pub(crate) lease: LeaseId,
    pub(crate) epoch: u32,
}

impl LeaseKey {
    pub(crate) fn of(order: &WorkOrder) -> Self {
        Self { lease: order.lease, epoch: order.epoch }
    }
}

/// Where the report of a lease is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    Resting,
    /// Its pairs are being synchronised to disk.
    Preparing,
    /// Sent at this time and not answered.
    Sent(Instant),
}

/// The rest of a lease is given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenUp {
    pub(crate) reason: ReturnReason,
    pub(crate) detail: String,
}

struct Held {
    key: LeaseKey,
    run: RunId,
    asked: usize,
    /// `None` while the engines that it needs are on their way, or will not come.
    contest: Option<Arc<Contest>>,
    stop: Arc<AtomicBool>,
    queue: VecDeque<Opening>,
    playing: u32,
    finished: Vec<PairRecord>,
    acked: u32,
    sent: u32,
    delivery: Delivery,
    /// When the last report was begun, or the lease taken.
    reported_at: Instant,
    /// To be reported without waiting for the interval.
    urgent: bool,
    given_up: Option<GivenUp>,
}

impl Held {
    fn unacked(&self) -> u32 {
        self.finished.len() as u32 - self.acked
    }

    fn is_complete(&self) -> bool {
        self.finished.len() == self.asked
    }

    /// When a report is due; `None` when there is nothing to report or one is under way.
    fn report_due(&self, interval: Duration) -> Option<Instant> {
        match self.delivery {
            Delivery::Preparing => None,
            Delivery::Sent(since) => Some(since + UNANSWERED),
            Delivery::Resting if self.unacked() == 0 => None,
            Delivery::Resting => {
                let given_up = self.given_up.is_some() && self.playing == 0;
                let repeated = self.sent > self.acked;
                let now = repeated || given_up || self.urgent || self.is_complete();
                Some(if now { self.reported_at } else { self.reported_at + interval })
            }
        }
    }

    /// Fixes the next report's number: that of an unanswered one again, else all that is finished.
    fn number_report(&mut self) -> u32 {
        if self.sent == self.acked {
            let mut bytes = 0;
            let fits = self.finished[self.acked as usize..].iter().take_while(|pair| {
                let whole = bytes < REPORT_BYTES;
                bytes += 64 + bytes_of(&pair.candidate_first) + bytes_of(&pair.base_first);
                whole
            });
            self.sent += fits.count() as u32;
        }
        self.sent
    }
}

/// About what a game takes in a report.
fn bytes_of(game: &GameRecord) -> usize {
    /// Most that one evaluation is packed in: 5, 5 and 10 bytes.
    const EVAL: usize = 20;
    /// Most that a time is packed in: 53 bits, seven a byte.
    const TIME: usize = 8;
    game.moves.len() + EVAL * game.evals.len() + TIME * game.times.len()
}

/// What an acknowledgement changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// So many more pairs are acknowledged.
    Pairs(u32),
    /// It was said before, or speaks of a report that never left.
    Nothing,
}

/// Every lease held, oldest first.
#[derive(Default)]
pub(crate) struct Holdings {
    held: Vec<Held>,
    /// Pairs of the lease that was taken last: what one more lease may be expected to bring.
    usual_pairs: usize,
}

impl Holdings {
    /// Takes a new lease; without a contest it waits for [`Holdings::begin`].
    pub(crate) fn take(&mut self, order: &WorkOrder, contest: Option<Arc<Contest>>, now: Instant) {
        self.usual_pairs = order.openings.len();
        self.held.push(Held {
            key: LeaseKey::of(order),
            run: order.run,
            asked: order.openings.len(),
            contest,
            stop: Arc::default(),
            queue: order.openings.iter().cloned().collect(),
            playing: 0,
            finished: Vec::new(),
            acked: 0,
            sent: 0,
            delivery: Delivery::Resting,
            reported_at: now,
            urgent: false,
            given_up: None,
        });
    }

    /// A lease can be played now.
    pub(crate) fn begin(&mut self, key: LeaseKey, contest: Arc<Contest>) {
        if let Some(held) = self.find(key) {
            held.contest = Some(contest);
        }
    }

    /// Takes up a lease of an earlier process; with an error its rest is given back, without a
    /// contest it waits for [`Holdings::begin`].
    pub(crate) fn resume(
        &mut self,
        lease: Recovered,
        contest: Result<Option<Arc<Contest>>, GivenUp>,
        now: Instant,
    ) {
        let Recovered { order, pairs, sent, acked, .. } = lease;
        let (contest, given_up) = match contest {
            Ok(contest) => (contest, None),
            Err(given_up) => (None, Some(given_up)),
        };
        let left = |opening: &&Opening| !pairs.iter().any(|pair| pair.index == opening.index);
        let queue: VecDeque<_> = order.openings.iter().filter(left).cloned().collect();
        self.held.push(Held {
            key: LeaseKey::of(&order),
            run: order.run,
            asked: order.openings.len(),
            queue: if given_up.is_none() { queue } else { VecDeque::new() },
            contest,
            stop: Arc::default(),
            playing: 0,
            finished: pairs,
            acked,
            sent,
            delivery: Delivery::Resting,
            reported_at: now,
            urgent: true,
            given_up,
        });
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = LeaseKey> + '_ {
        self.held.iter().map(|held| held.key)
    }

    pub(crate) fn contains(&self, key: LeaseKey) -> bool {
        self.held.iter().any(|held| held.key == key)
    }

    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The run of the oldest lease.
    pub(crate) fn run(&self) -> Option<RunId> {
        self.held.first().map(|held| held.run)
    }

    /// Finished pairs that are not acknowledged.
    pub(crate) fn unacked(&self) -> u64 {
        self.held.iter().map(|held| u64::from(held.unacked())).sum()
    }

    /// The next pair to play: of the oldest lease that has one.
    pub(crate) fn next_pair(
        &mut self,
    ) -> Option<(LeaseKey, Opening, Arc<Contest>, Arc<AtomicBool>)> {
        for held in &mut self.held {
            let Some(contest) = &held.contest else { continue };
            if let Some(opening) = held.queue.pop_front() {
                held.playing += 1;
                return Some((held.key, opening, contest.clone(), held.stop.clone()));
            }
        }
        None
    }

    /// How many more leases would keep this many slots busy while the next one travels.
    ///
    /// None while every slot has a pair waiting and a quarter of a usual lease is left.
    pub(crate) fn wanted(&self, slots: usize) -> u32 {
        let waiting: usize = self.held.iter().map(|held| held.queue.len()).sum();
        let enough = slots.max(self.usual_pairs / 4);
        if waiting >= enough {
            return 0;
        }
        // Before the first lease its size is unknown: one tells.
        let missing = if self.usual_pairs == 0 { 1 } else { enough - waiting };
        missing.div_ceil(self.usual_pairs.max(1)) as u32
    }

    /// A pair ended without a record; it is not played again by this process.
    pub(crate) fn pair_stopped(&mut self, key: LeaseKey) {
        if let Some(held) = self.find(key) {
            held.playing -= 1;
        }
    }

    /// A pair is finished.
    pub(crate) fn pair_finished(&mut self, key: LeaseKey, pair: PairRecord) {
        if let Some(held) = self.find(key) {
            held.playing -= 1;
            held.finished.push(pair);
        }
    }

    /// Gives the rest of a lease back once its pairs in play are finished and reported.
    pub(crate) fn give_up(&mut self, key: LeaseKey, reason: ReturnReason, detail: &str) {
        if let Some(held) = self.find(key) {
            held.queue.clear();
            let detail = detail.to_owned();
            held.given_up.get_or_insert(GivenUp { reason, detail });
        }
    }

    /// Gives the rest of every lease back.
    pub(crate) fn give_up_all(&mut self, reason: ReturnReason, detail: &str) {
        for key in self.keys().collect::<Vec<_>>() {
            self.give_up(key, reason, detail);
        }
    }

    /// Forgets a lease and stops its pairs in play.
    pub(crate) fn drop_lease(&mut self, key: LeaseKey) -> bool {
        let Some(place) = self.held.iter().position(|held| held.key == key) else { return false };
        // Relaxed: the flag carries no data.
        self.held.remove(place).stop.store(true, Ordering::Relaxed);
        true
    }

    /// The key of a lease held at an older epoch than this.
    pub(crate) fn older_epoch(&self, key: LeaseKey) -> Option<LeaseKey> {
        self.keys().find(|held| held.lease == key.lease && held.epoch < key.epoch)
    }

    /// Stops every pair in play.
    pub(crate) fn stop_all(&mut self) {
        for held in &self.held {
            held.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Everything finished is to be reported without waiting for the interval.
    pub(crate) fn hurry(&mut self) {
        for held in &mut self.held {
            held.urgent = true;
        }
    }

    /// Whether a report is under way or waits without having to.
    pub(crate) fn is_delivering(&self) -> bool {
        self.held
            .iter()
            .any(|held| held.delivery != Delivery::Resting || (held.urgent && held.unacked() > 0))
    }

    /// Begins the next report that is due: its lease, and its number to be noted and synchronised.
    pub(crate) fn begin_report(
        &mut self,
        now: Instant,
        interval: Duration,
    ) -> Option<(LeaseKey, u32)> {
        let held = self
            .held
            .iter_mut()
            .find(|held| held.report_due(interval).is_some_and(|due| due <= now))?;
        held.delivery = Delivery::Preparing;
        held.reported_at = now;
        Some((held.key, held.number_report()))
    }

    /// The report that was begun, now to be sent.
    pub(crate) fn send_report(&mut self, key: LeaseKey, now: Instant) -> Option<Report> {
        let held = self.find(key)?;
        held.delivery = Delivery::Sent(now);
        let sum = &held.finished[..held.sent as usize];
        Some(Report {
            lease: key.lease,
            epoch: key.epoch,
            sequence: held.sent,
            cumulative: sum.iter().map(PairRecord::outcome).collect::<Tally>(),
            pairs: sum[held.acked as usize..].to_vec(),
        })
    }

    /// A report that was begun cannot be sent now.
    pub(crate) fn put_off(&mut self, key: LeaseKey) {
        if let Some(held) = self.find(key) {
            held.delivery = Delivery::Resting;
        }
    }

    /// What was sent will not be answered: it is to be sent again.
    pub(crate) fn unanswered(&mut self) {
        for held in &mut self.held {
            if let Delivery::Sent(_) = held.delivery {
                held.delivery = Delivery::Resting;
            }
        }
    }

    /// The pairs up to a report's number are merged.
    pub(crate) fn acknowledge(&mut self, key: LeaseKey, sequence: u32) -> Settled {
        let Some(held) = self.find(key) else { return Settled::Nothing };
        if sequence > held.sent || sequence <= held.acked {
            return Settled::Nothing;
        }
        let pairs = sequence - held.acked;
        held.acked = sequence;
        if sequence == held.sent {
            held.delivery = Delivery::Resting;
            held.urgent &= held.unacked() > 0;
        }
        Settled::Pairs(pairs)
    }

    /// A lease whose rest can be given back now: nothing of it is in play or unreported.
    pub(crate) fn next_return(&self) -> Option<(LeaseKey, GivenUp)> {
        self.held.iter().find_map(|held| {
            let given_up = held.given_up.as_ref()?;
            let ready = held.playing == 0 && held.unacked() == 0 && !held.is_complete();
            ready.then(|| (held.key, given_up.clone()))
        })
    }

    /// A lease of which everything is acknowledged.
    pub(crate) fn next_completed(&self) -> Option<LeaseKey> {
        self.held.iter().find(|held| held.is_complete() && held.unacked() == 0).map(|held| held.key)
    }

    /// When the next report is due.
    pub(crate) fn next_due(&self, interval: Duration) -> Option<Instant> {
        self.held.iter().filter_map(|held| held.report_due(interval)).min()
    }

    fn find(&mut self, key: LeaseKey) -> Option<&mut Held> {
        self.held.iter_mut().find(|held| held.key == key)
    }
}

#[cfg(test)]
mod tests;
