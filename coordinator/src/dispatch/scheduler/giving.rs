//! Who gets which pairs: the run that has used least of its due first, and in it what came back
//! before what is fresh.

use super::checking::canary_after;
use super::{CancelReason, Idle, Lease, Push, Scheduler, Worker};
use crate::dispatch::Moment;
use crate::dispatch::run::Slice;
use model::lease::{LeaseEnd, WorkOrder};
use model::view::RunState;
use model::{LeaseId, RunId, Tally, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use store::NewLease;

/// Between two looks for overdue leases of which the first found none: a look reads every lease that is
/// out. Less where workers may be silent for a moment only.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A lease that may be taken from its holder.
struct OverdueLease {
    moved_at: Moment,
    id: LeaseId,
    /// Nothing came of it for too long, whatever its holder says.
    stuck: bool,
}

/// Those of one look around, by run. Leases that are given after it are not among them.
type Overdue = BTreeMap<RunId, VecDeque<OverdueLease>>;

impl Scheduler {
    /// Gives pairs to every worker that wants some, one lease at a time each, until nobody wants
    /// more or nothing is left.
    pub fn dispatch(&mut self, now: Moment) {
        if self.wanting.is_empty() {
            return;
        }
        let wanting: Vec<WorkerId> = self.wanting.iter().copied().collect();
        for worker in wanting {
            self.learn_playable(worker);
        }
        let mut overdue = match now < self.overdue_from {
            true => Overdue::new(),
            false => self.overdue(now),
        };
        if overdue.is_empty() && now >= self.overdue_from {
            self.overdue_from = now.plus(self.look_again());
        }
        self.expire_checks(now);
        loop {
            let mut gave = false;
            let wanting: Vec<WorkerId> = self.wanting.iter().copied().collect();
            for worker in wanting {
                if self.give_check(worker, now) {
                    gave = true;
                    continue;
                }
                match self.next_slice(worker, &mut overdue, now) {
                    Ok((run, slice)) => {
                        self.issue(worker, run, slice, now);
                        gave = true;
                    }
                    Err(idle) => self.say_idle(worker, idle),
                }
            }
            if !gave {
                return;
            }
        }
    }

    /// How long after a look that found nothing nobody looks for what is overdue.
    pub(super) fn look_again(&self) -> Duration {
        LOOK_AGAIN.min(self.limits.silence / 4)
    }

    /// Compares what a worker offers with the runs that it has not been compared with.
    fn learn_playable(&mut self, id: WorkerId) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        for run in self.runs.values() {
            let Worker { playable, offer, .. } = worker;
            playable.entry(run.id).or_insert_with(|| offer.lacks(run.id, &run.spec));
        }
    }

    /// Leases that may be taken from their holders, longest without news first.
    fn overdue(&self, now: Moment) -> Overdue {
        let mut overdue = Overdue::new();
        for (id, lease) in &self.leases {
            let Some(holder) = self.workers.get(&lease.worker) else { continue };
            let silent = holder.heard_at.plus(self.limits.silence) <= now;
            // Twice as long for each issue: pairs that take longer than the limit end all the same.
            let patience = 1_u32 << (lease.slice.epoch - 1).min(20);
            let standstill = self.limits.standstill.saturating_mul(patience);
            let stuck = lease.moved_at.plus(standstill) <= now;
            if silent || stuck {
                let entry = OverdueLease { moved_at: lease.moved_at, id: *id, stuck };
                overdue.entry(lease.run).or_default().push_back(entry);
            }
        }
        for leases in overdue.values_mut() {
            leases.make_contiguous().sort_by_key(|lease| (lease.moved_at, lease.id));
        }
        overdue
    }

    /// Chooses the run that has used least of its share and takes its next pairs.
    fn next_slice(
        &mut self,
        worker: WorkerId,
        overdue: &mut Overdue,
        now: Moment,
    ) -> Result<(RunId, Slice), Idle> {
        let Some(known) = self.workers.get(&worker) else { return Err(Idle::NoOpenRun) };
        if self.held.contains_key(&worker) {
            return Err(Idle::OnHold);
        }
        if known.on_hold_until > now {
            return Err(Idle::Refused);
        }
        let mut idle = Idle::NoOpenRun;
        let mut choices: Vec<RunId> = Vec::new();
        for run in self.runs.values().filter(|run| run.state == RunState::Running) {
            let lack = known.playable.get(&run.id).copied().unwrap_or(Some(Idle::NotOffered));
            if let Some(lack) = lack {
                idle = idle.nearer(lack);
                continue;
            }
            if self.exclusions.bars(run.id, worker) {
                idle = idle.nearer(Idle::Excluded);
                continue;
            }
            if known.cannot.contains(&run.id) {
                idle = idle.nearer(Idle::Unplayable);
                continue;
            }
            if self.is_too_slow(worker, run) {
                idle = idle.nearer(Idle::TooSlow);
                continue;
            }
            idle = Idle::BudgetSpent;
            choices.push(run.id);
        }
        for id in self.shares.order(choices) {
            self.expire_one(id, worker, overdue);
            let run = self.runs.get_mut(&id);
            if let Some(slice) = run.and_then(|run| run.take_slice(worker, self.connected)) {
                return Ok((id, slice));
            }
        }
        Err(idle)
    }

    /// Ends the longest overdue lease of a run whose pairs this worker can take now. A lease is
    /// expired at that moment and not before, so that a late report of work that nobody else has
    /// begun is still merged. From itself a worker takes only what stands still.
    fn expire_one(&mut self, run: RunId, taker: WorkerId, overdue: &mut Overdue) {
        if self.runs.get(&run).is_none_or(|run| !run.slices.is_empty()) {
            return;
        }
        let Some(overdue) = overdue.get_mut(&run) else { return };
        let place = overdue.iter().position(|entry| {
            let holder = self.leases.get(&entry.id).map(|lease| lease.worker);
            entry.stuck || holder.is_some_and(|holder| holder != taker)
        });
        let Some(lease) = place.and_then(|place| overdue.remove(place)) else { return };
        if let Some(held) = self.leases.get(&lease.id) {
            let (worker, epoch) = (held.worker, held.slice.epoch);
            self.end_lease(lease.id, LeaseEnd::Expired);
            let reason = CancelReason::LeasedElsewhere;
            self.outbox.push((worker, Push::Cancel { lease: lease.id, epoch, reason }));
        }
    }

    fn issue(&mut self, worker: WorkerId, run_id: RunId, slice: Slice, now: Moment) {
        let Some(run) = self.runs.get_mut(&run_id) else { return };
        self.ids.lease += 1;
        let id = LeaseId(self.ids.lease);
        let (candidate, base) = run.sets(&slice.played);
        let order = WorkOrder {
            lease: id,
            epoch: slice.epoch,
            run: run_id,
            game: run.spec.game,
            openings: run.openings.of(slice.range),
            candidate,
            base,
            limit: run.spec.limit,
            record_evals: run.spec.needs_evals(),
            players: run.spec.players.clone(),
        };
        self.batch.leases.push(NewLease {
            id,
            run: run_id,
            worker,
            epoch: slice.epoch,
            range: slice.range,
            block: slice.block,
            probe: run.fold.write_played(&slice.played),
            candidate: slice.played.candidate_number(),
        });
        let charged = run.nodes_of_pair();
        self.shares.give(run_id, charged * f64::from(slice.range.count));
        run.leases.insert(id);
        run.pairs_leave(&slice.played, u64::from(slice.range.count));
        run.counts.active += 1;
        let canary = canary_after(&self.audits.policy, run, id, slice.range);
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.canary_for = canary.or(worker.canary_for);
            worker.leases.insert(id);
        }
        self.got_one(worker);
        let lease = Lease {
            run: run_id,
            worker,
            slice,
            done: BTreeSet::new(),
            merged: Tally::default(),
            last_sequence: 0,
            moved_at: now,
            charged,
        };
        self.leases.insert(id, lease);
        self.outbox.push((worker, Push::Order(Box::new(order))));
    }

    /// A worker was given one of what it wants.
    pub(super) fn got_one(&mut self, id: WorkerId) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        worker.want = worker.want.saturating_sub(1);
        worker.idle = None;
        if worker.want == 0 {
            self.wanting.remove(&id);
        }
    }

    fn say_idle(&mut self, id: WorkerId, idle: Idle) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        if worker.idle != Some(idle) {
            worker.idle = Some(idle);
            self.outbox.push((id, Push::Idle(idle)));
        }
    }
}
