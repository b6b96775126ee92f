//! Checks of workers: pairs that another one plays again, and pairs of the base against itself.
//!
//! Both go out under the numbers of leases and look like them, and nothing of them counts in a run. A
//! pair that comes out otherwise puts its worker on hold: it gets nothing until a person releases it.

use super::{CancelReason, Lease, Merge, Push, Scheduler};
use crate::dispatch::Moment;
use crate::dispatch::audits::{Audit, AuditPolicy, Auditor, Audits, unit};
use crate::dispatch::run::Run;
use crate::judging::{Failures, Foul, Judged, Terms, Verdict};
use model::lease::{Opening, PairIndex, PairRange, PairRecord, RefusalReason, Report, WorkOrder};
use model::spec::RunSpec;
use model::view::RunState;
use model::{LeaseId, ParameterSet, RunId, Tally, WorkerId};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{AuditEnd, AuditIssue, Batch, CanaryMove, HoldMove, NewAudit, NewRefusal};

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
        held: Vec<WorkerId>,
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

    /// Whether a worker gets nothing until a person has looked at it.
    #[must_use]
    pub fn is_held(&self, worker: WorkerId) -> bool {
        self.held.contains(&worker)
    }

    /// How many workers are on hold.
    #[must_use]
    pub fn held_workers(&self) -> usize {
        self.held.len()
    }

    /// Gives a worker leases again. Whether it was on hold.
    pub fn release(&mut self, worker: WorkerId, author: &str, reason: &str) -> bool {
        let was_held = self.held.remove(&worker);
        if was_held {
            let (author, reason) = (author.to_owned(), reason.to_owned());
            self.batch.checks.holds.push(HoldMove::Release { worker, author, reason });
        }
        was_held
    }

    fn hold(&mut self, worker: WorkerId, reason: String) {
        if self.held.insert(worker) {
            self.batch.checks.holds.push(HoldMove::Hold { worker, reason });
        }
    }

    /// Gives a worker that wants work a check, if there is one for it and it plays none.
    pub(super) fn give_check(&mut self, id: WorkerId, now: Moment) -> bool {
        let Some(worker) = self.workers.get(&id) else { return false };
        if self.held.contains(&id) || worker.on_hold_until > now || !worker.checks.is_empty() {
            return false;
        }
        let (offer, cannot) = (&worker.offer, &worker.cannot);
        let (runs, exclusions) = (&self.runs, &self.exclusions);
        let lacks = |run: RunId, spec: &RunSpec| {
            let rests = runs.get(&run).is_some_and(|run| run.state == RunState::Paused);
            rests
                || offer.lacks(run, spec).is_some()
                || cannot.contains(&run)
                || exclusions.bars(run, id)
        };
        let auditor = Auditor { worker: id, bench: &offer.bench };
        if let Some(audit) = self.audits.take_for(auditor, lacks) {
            self.give_audit(id, audit, now);
            return true;
        }
        self.give_canary(id, now)
    }

    fn give_audit(&mut self, id: WorkerId, audit: Audit, now: Moment) {
        let openings = audit.claims.values().map(|(opening, _)| opening.clone()).collect();
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
            record_evals: spec.keep.evals,
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
        let holder = canary.or_else(|| self.audits.take_back(lease));
        if let Some(worker) = holder.and_then(|id| self.workers.get_mut(&id)) {
            worker.checks.remove(&lease);
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
                (&out.audit.spec, asked.map(|(opening, _)| opening.clone()).collect())
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

    fn audit_report(&mut self, of: WorkerId, report: &Report, now: Moment) -> Result<Merge, Foul> {
        let Some(out) = self.audits.out.get_mut(&report.lease) else { return Ok(Merge::NotOut) };
        if let Some(pair) = report.pairs.iter().find(|p| !out.audit.claims.contains_key(&p.index)) {
            let detail = format!("pair {} is not in the lease", pair.index);
            return Err(Foul { reason: RefusalReason::Contradiction, detail });
        }
        out.moved_at = now;
        let (run_id, worker) = (out.audit.run, out.audit.worker);
        let mut ends: Vec<(PairIndex, Option<(String, PairRecord)>)> = Vec::new();
        for pair in &report.pairs {
            let Some((_, claimed)) = out.audit.claims.get(&pair.index) else { continue };
            if out.done.insert(pair.index) {
                let otherwise = claimed.differs(pair).map(|why| (why, pair.clone()));
                ends.push((pair.index, otherwise));
            }
        }
        if out.done.len() == out.audit.claims.len() {
            self.drop_check(report.lease);
        }
        if ends.is_empty() {
            return Ok(Merge::Duplicate);
        }
        for (pair, otherwise) in ends {
            self.audits.ended(worker, otherwise.is_none());
            if let Some(run) = self.runs.get_mut(&run_id) {
                match otherwise {
                    None => run.audited.matched += 1,
                    Some(_) => run.audited.mismatched += 1,
                }
            }
            let (why, found) = otherwise.unzip();
            self.batch.checks.ended.push(AuditEnd { run: run_id, pair, found });
            if let Some(why) = why {
                let why =
                    format!("pair {pair} of run {run_id}, played again by worker {of}: {why}");
                self.hold(worker, why);
            }
        }
        Ok(Merge::Merged)
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
        claims.insert(pair.index, (run.openings.one(pair.index), claimed));
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
