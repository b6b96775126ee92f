//! Checks of workers: pairs that another one plays again, and pairs of the base against itself.
//!
//! Both go out under the numbers of leases and look like them, and nothing of them counts in a run.
//! What follows from a pair that comes out otherwise is in `disputing.rs`.

use super::{CancelReason, Hold, Lease, Merge, Push, Scheduler, Worker};
use crate::dispatch::Moment;
use crate::dispatch::audits::{Audit, AuditPolicy, Auditor, Audits, Claim, unit};
use crate::dispatch::run::Run;
use crate::judging::{Failures, Foul, Judged, Terms, Verdict};
use model::lease::{Opening, PairIndex, PairRange, PairRecord, Report, WorkOrder};
use model::spec::RunSpec;
use model::view::RunState;
use model::{LeaseId, ParameterSet, RunId, Tally, WorkerId};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{AuditIssue, Batch, CanaryMove, NewAudit, NewRefusal};

/// The epoch of everything here: what is given again has another number.
const EPOCH: u32 = 1;

/// Pairs of the base against itself that are out.
#[derive(Clone, Debug)]
pub(super) struct Canary {
    worker: WorkerId,
    spec: Arc<RunSpec>,
    moved_at: Moment,
    /// Those that have not come back.
    open: BTreeMap<PairIndex, Opening>,
    tally: Tally,
}

impl Scheduler {
    /// How games are chosen to be played again.
    pub fn set_audit_policy(&mut self, policy: AuditPolicy) {
        self.audits.policy = policy;
    }

    /// Notes whose a worker is.
    pub fn know_owner(&mut self, worker: WorkerId, owner: &Arc<str>) {
        self.audits.know(worker, owner);
    }

    /// Puts back what the ledger knows of checks.
    pub fn restore_checks(
        &mut self,
        passed: &[(WorkerId, u64)],
        held: Vec<(WorkerId, Hold)>,
        waiting: Vec<Audit>,
    ) {
        for (worker, passed) in passed {
            self.audits.restore_record(*worker, *passed);
        }
        waiting.into_iter().for_each(|audit| self.audits.put(audit));
        self.held.extend(held);
    }

    /// Everything that is to be played again.
    #[must_use]
    pub fn audits(&self) -> &Audits {
        &self.audits
    }

    /// Gives a worker that wants work a check, if there is one for it and it plays none.
    pub(super) fn give_check(&mut self, id: WorkerId, now: Moment) -> bool {
        let Some(worker) = self.workers.get(&id) else { return false };
        if self.held.contains_key(&id) || worker.on_hold_until > now || !worker.checks.is_empty() {
            return false;
        }
        let lacks = |run: RunId, spec: &RunSpec| self.lacks_for_check(id, worker, run, spec);
        let auditor = Auditor { worker: id, bench: &worker.offer.bench };
        let found = self.audits.find_for(auditor, lacks);
        if let Some(audit) = found.and_then(|place| self.audits.take(place)) {
            self.give_audit(id, audit, now);
            return true;
        }
        self.give_canary(id, now)
    }

    /// Whether a worker cannot, or may not, play again what belongs to this run.
    pub(super) fn lacks_for_check(
        &self,
        id: WorkerId,
        worker: &Worker,
        run: RunId,
        spec: &RunSpec,
    ) -> bool {
        self.runs.get(&run).is_some_and(|run| run.state == RunState::Paused)
            || worker.offer.lacks(run, spec).is_some()
            || worker.cannot.contains(&run)
            || self.exclusions.bars(run, id)
    }

    fn give_audit(&mut self, id: WorkerId, audit: Audit, now: Moment) {
        let openings = audit.claims.values().map(|claim| claim.opening.clone()).collect();
        let (candidate, base) = (audit.candidate.clone(), audit.base.clone());
        let order = self.check_order(audit.run, &audit.spec, openings, candidate, base);
        let lease = order.lease;
        let issued = audit.claims.keys().map(|pair| AuditIssue {
            run: audit.run,
            pair: *pair,
            lease,
            auditor: id,
        });
        self.batch.checks.issued.extend(issued);
        self.audits.give(lease, audit, id, now);
        self.give_order(id, order);
    }

    fn give_canary(&mut self, id: WorkerId, now: Moment) -> bool {
        let due = self.workers.get_mut(&id).and_then(|worker| worker.canary_for.take());
        let Some((run_id, range)) = due else { return false };
        let running = self.runs.get_mut(&run_id).filter(|run| run.state == RunState::Running);
        let Some(run) = running else { return false };
        let base = run.base();
        let openings = run.openings.of(range);
        let mut spec = (*run.spec).clone();
        if let Some(players) = &mut spec.players {
            players.candidate = players.base.clone();
        }
        let spec = Arc::new(spec);
        let order = self.check_order(run_id, &spec, openings.clone(), base.clone(), base);
        let lease = order.lease;
        let open = openings.into_iter().map(|opening| (opening.index, opening)).collect();
        let canary = Canary { worker: id, spec, moved_at: now, open, tally: Tally::default() };
        self.canaries.insert(lease, canary);
        let issued = CanaryMove::Issued { id: lease, run: run_id, worker: id };
        self.batch.checks.canaries.push(issued);
        self.give_order(id, order);
        true
    }

    fn check_order(
        &mut self,
        run: RunId,
        spec: &RunSpec,
        openings: Vec<Opening>,
        candidate: ParameterSet,
        base: ParameterSet,
    ) -> WorkOrder {
        self.ids.lease += 1;
        WorkOrder {
            lease: LeaseId(self.ids.lease),
            epoch: EPOCH,
            run,
            game: spec.game,
            openings,
            candidate,
            base,
            limit: spec.limit,
            players: spec.players.clone(),
            record_evals: spec.needs_evals(),
        }
    }

    /// A run pays for its checks with its own share.
    fn give_order(&mut self, id: WorkerId, order: WorkOrder) {
        if let Some(run) = self.runs.get(&order.run) {
            let pairs = u32::try_from(order.openings.len()).unwrap_or(u32::MAX);
            let nodes = run.nodes_of_pair() * f64::from(pairs);
            self.shares.give(order.run, nodes);
        }
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.checks.insert(order.lease);
        }
        self.got_one(id);
        self.outbox.push((id, Push::Order(Box::new(order))));
    }

    /// Whether a lease of this number and epoch is a check that is out with this worker.
    pub(super) fn has_check(&self, worker: WorkerId, lease: LeaseId, epoch: u32) -> bool {
        epoch == EPOCH && self.workers.get(&worker).is_some_and(|w| w.checks.contains(&lease))
    }

    /// Takes a check back: what has not come of an audit waits for others, a canary is forgotten.
    pub(super) fn drop_check(&mut self, lease: LeaseId) {
        let canary = self.canaries.remove(&lease).map(|canary| canary.worker);
        let was_dispute = self.audits.out.get(&lease).is_some_and(|out| out.audit.is_dispute());
        let holder = canary.or_else(|| self.audits.take_back(lease));
        if let Some(worker) = holder.and_then(|id| self.workers.get_mut(&id)) {
            worker.checks.remove(&lease);
        }
        if was_dispute {
            self.hold_undecided();
        }
    }

    /// Takes checks back from workers that are silent, or from which nothing came for too long.
    pub(super) fn expire_checks(&mut self, now: Moment) {
        if now < self.checks_overdue_from {
            return;
        }
        let out = self.audits.out.iter().map(|(id, out)| (*id, out.auditor, out.moved_at));
        let out = out.chain(self.canaries.iter().map(|(id, c)| (*id, c.worker, c.moved_at)));
        let overdue: Vec<(LeaseId, WorkerId)> = out
            .filter(|(_, holder, moved_at)| {
                let heard = self.workers.get(holder).map(|worker| worker.heard_at);
                heard.is_none_or(|heard| heard.plus(self.limits.silence) <= now)
                    || moved_at.plus(self.limits.standstill) <= now
            })
            .map(|(id, holder, _)| (id, holder))
            .collect();
        if overdue.is_empty() {
            self.checks_overdue_from = now.plus(self.look_again());
        }
        for (lease, holder) in overdue {
            self.drop_check(lease);
            let reason = CancelReason::LeasedElsewhere;
            self.outbox.push((holder, Push::Cancel { lease, epoch: EPOCH, reason }));
        }
    }

    /// What a check says about the games of a report.
    pub(super) fn check_terms(&self, report: &Report) -> Option<Terms> {
        let (spec, openings) = match self.audits.out.get(&report.lease) {
            Some(out) => {
                let asked = report.pairs.iter().filter_map(|p| out.audit.claims.get(&p.index));
                (&out.audit.spec, asked.map(|claim| claim.opening.clone()).collect())
            }
            None => {
                let canary = self.canaries.get(&report.lease)?;
                let asked = report.pairs.iter().filter_map(|p| canary.open.get(&p.index));
                (&canary.spec, asked.cloned().collect())
            }
        };
        Some(Terms {
            game: spec.game,
            max_plies: spec.limit.max_plies,
            openings,
            adjudication: spec.limit.adjudication,
            failures: Failures::of(spec),
        })
    }

    /// Takes in a report of a check that is out with this worker.
    pub(super) fn check_report(&mut self, of: WorkerId, judged: &Judged, now: Moment) -> Merge {
        let Judged { report, verdict } = judged;
        let checked = match verdict {
            Verdict::NotAsked => return Merge::NotOut,
            Verdict::Foul(foul) => Err(foul.clone()),
            Verdict::Fair(_) if self.canaries.contains_key(&report.lease) => {
                Ok(self.canary_report(report, now))
            }
            Verdict::Fair(_) => self.audit_report(of, report, now),
        };
        match checked {
            Ok(merge) => merge,
            Err(foul) => self.refuse_check(of, report, foul, now),
        }
    }

    /// Refuses a report of a check as one of a lease.
    fn refuse_check(&mut self, of: WorkerId, report: &Report, foul: Foul, now: Moment) -> Merge {
        let Foul { reason, detail } = foul;
        // A canary has no lease to name.
        if let Some(out) = self.audits.out.get(&report.lease) {
            self.batch.refusals.push(NewRefusal {
                worker: of,
                run: out.audit.run,
                lease: out.audit.lease,
                epoch: report.epoch,
                sequence: report.sequence,
                reason,
                detail: detail.clone(),
            });
        }
        self.drop_check(report.lease);
        self.count_refusal(of, now);
        Merge::Invalid(detail)
    }

    fn canary_report(&mut self, report: &Report, now: Moment) -> Merge {
        let Some(canary) = self.canaries.get_mut(&report.lease) else { return Merge::NotOut };
        let mut news = false;
        for pair in &report.pairs {
            if canary.open.remove(&pair.index).is_some() {
                canary.tally.add(pair.outcome());
                news = true;
            }
        }
        canary.moved_at = now;
        if canary.open.is_empty() {
            let ended = CanaryMove::Ended { id: report.lease, tally: canary.tally };
            self.batch.checks.canaries.push(ended);
            self.drop_check(report.lease);
        }
        if news { Merge::Merged } else { Merge::Duplicate }
    }
}

/// Asks for some of the fresh pairs of a report to be played again, where they must come out the same.
pub(super) fn choose_audits(
    audits: &mut Audits,
    batch: &mut Batch,
    run: &mut Run,
    (id, lease): (LeaseId, &Lease),
    bench: Option<u64>,
    fresh: &[&PairRecord],
) {
    if !run.spec.is_repeatable() {
        return;
    }
    let pairs: Vec<PairIndex> = fresh.iter().map(|pair| pair.index).collect();
    let chosen = audits.chosen(run.id, lease.worker, &pairs);
    if chosen.is_empty() {
        return;
    }
    let mut claims = BTreeMap::new();
    for pair in fresh.iter().filter(|pair| chosen.contains(&pair.index)) {
        let claimed = (*pair).clone();
        batch.checks.wanted.push(NewAudit {
            run: run.id,
            lease: id,
            worker: lease.worker,
            bench,
            claimed: claimed.clone(),
        });
        let opening = run.openings.one(pair.index);
        claims.insert(pair.index, Claim { opening, records: vec![claimed] });
    }
    let (candidate, base) = run.sets(&lease.slice.played);
    audits.put(Audit {
        run: run.id,
        spec: run.spec.clone(),
        lease: id,
        worker: lease.worker,
        bench,
        candidate,
        base,
        others: Vec::new(),
        claims,
    });
}

/// The pairs of a canary that is due after a lease, if one is.
pub(super) fn canary_after(
    policy: &AuditPolicy,
    run: &Run,
    lease: LeaseId,
    range: PairRange,
) -> Option<(RunId, PairRange)> {
    let seed = policy.secret ^ lease.0.cast_unsigned().rotate_left(17);
    (unit(seed) < run.spec.canary_share()).then_some((run.id, range))
}
