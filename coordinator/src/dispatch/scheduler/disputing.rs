//! What follows when another worker has played a pair again.
//!
//! Where it comes out otherwise one word stands against another, and a third worker is asked, of yet
//! another owner where the policy says so. As soon as two have played the pair alike, everybody who
//! played it otherwise is put on hold: it gets nothing until a person releases it. While somebody who
//! can be asked is there, nobody is held meanwhile. Where nobody is, the worker that reported the pair
//! is, and is released again should somebody come who plays the pair like it.

use super::{Hold, Merge, Scheduler};
use crate::dispatch::Moment;
use crate::dispatch::audits::{Audit, Claim};
use crate::judging::Foul;
use model::lease::{PairIndex, PairRecord, RefusalReason, Report};
use model::{RunId, WorkerId};
use std::collections::BTreeMap;
use store::{AuditMove, AuditOutcome, HoldMove};

/// Who releases a worker that others have proven right.
const BY_ITSELF: &str = "elomill";

impl Scheduler {
    /// Whether a worker gets nothing until a person has looked at it.
    #[must_use]
    pub fn is_held(&self, worker: WorkerId) -> bool {
        self.held.contains_key(&worker)
    }

    /// How many workers are on hold.
    #[must_use]
    pub fn held_workers(&self) -> usize {
        self.held.len()
    }

    /// Gives a worker leases again, by a person's word, which closes what is open about its pairs.
    /// Whether it was on hold.
    pub fn release(&mut self, worker: WorkerId, author: &str, reason: &str) -> bool {
        if !self.is_held(worker) {
            return false;
        }
        self.free(worker, author, reason);
        for (run, pair) in self.audits.drop_disputes(worker) {
            self.batch.checks.moved.push(AuditMove { run, pair, what: AuditOutcome::Refuted });
        }
        true
    }

    fn free(&mut self, worker: WorkerId, author: &str, reason: &str) {
        self.held.remove(&worker);
        let (author, reason) = (author.to_owned(), reason.to_owned());
        self.batch.checks.holds.push(HoldMove::Release { worker, author, reason });
    }

    fn hold(&mut self, worker: WorkerId, hold: Hold, reason: String) {
        let is_news = match self.held.get(&worker) {
            None => true,
            Some(before) => (*before, hold) == (Hold::Disputed, Hold::Refuted),
        };
        if is_news {
            self.held.insert(worker, hold);
            let disputed = hold == Hold::Disputed;
            self.batch.checks.holds.push(HoldMove::Hold { worker, reason, disputed });
        }
    }

    /// Takes in pairs that a worker has played again.
    pub(super) fn audit_report(
        &mut self,
        of: WorkerId,
        report: &Report,
        now: Moment,
    ) -> Result<Merge, Foul> {
        let Some(out) = self.audits.out.get_mut(&report.lease) else { return Ok(Merge::NotOut) };
        if let Some(pair) = report.pairs.iter().find(|p| !out.audit.claims.contains_key(&p.index)) {
            let detail = format!("pair {} is not in the lease", pair.index);
            return Err(Foul { reason: RefusalReason::Contradiction, detail });
        }
        out.moved_at = now;
        let mut asked = out.audit.clone();
        let fresh: Vec<&PairRecord> =
            report.pairs.iter().filter(|pair| out.done.insert(pair.index)).collect();
        if out.done.len() == out.audit.claims.len() {
            self.drop_check(report.lease);
        }
        if fresh.is_empty() {
            return Ok(Merge::Duplicate);
        }
        let mut claims = std::mem::take(&mut asked.claims);
        let mut open = BTreeMap::new();
        for record in fresh {
            let Some(mut claim) = claims.remove(&record.index) else { continue };
            if asked.is_dispute() {
                let what = AuditOutcome::Heard { arbiter: of, played: Box::new(record.clone()) };
                self.note(asked.run, record.index, what);
            }
            if let Some(right) = claim.repeated_by(record) {
                self.settle(&asked, &claim, right, (of, record));
                continue;
            }
            if !asked.is_dispute() {
                let what = AuditOutcome::Disputed { auditor: of, found: Box::new(record.clone()) };
                self.note(asked.run, record.index, what);
                if let Some(run) = self.runs.get_mut(&asked.run) {
                    run.audited.mismatched += 1;
                }
            }
            // It waits on, as one more time that it is played.
            self.audits.stop_waiting(asked.worker);
            claim.records.push(record.clone());
            open.insert(record.index, claim);
        }
        if !open.is_empty() {
            asked.others.push(of);
            asked.claims = open;
            self.audits.put(asked);
            self.hold_undecided();
        }
        Ok(Merge::Merged)
    }

    fn note(&mut self, run: RunId, pair: PairIndex, what: AuditOutcome) {
        self.batch.checks.moved.push(AuditMove { run, pair, what });
    }

    /// Somebody has played a pair like the one at this place of those before: the others were wrong.
    fn settle(
        &mut self,
        asked: &Audit,
        claim: &Claim,
        right: usize,
        (of, record): (WorkerId, &PairRecord),
    ) {
        let (run_id, pair, worker) = (asked.run, record.index, asked.worker);
        let is_right = right == 0;
        self.audits.ended(worker, is_right);
        if let Some(run) = self.runs.get_mut(&run_id) {
            run.audited.matched += u64::from(is_right);
            if is_right && asked.is_dispute() {
                run.audited.mismatched = run.audited.mismatched.saturating_sub(1);
            }
        }
        self.note(
            run_id,
            pair,
            match (is_right, asked.is_dispute()) {
                (true, false) => AuditOutcome::Matched,
                (true, true) => AuditOutcome::Confirmed,
                (false, _) => AuditOutcome::Refuted,
            },
        );
        let voices: Vec<WorkerId> = asked.voices().collect();
        for (place, voice) in voices.iter().enumerate().filter(|(place, _)| *place != right) {
            let how = claim.records.get(place).and_then(|wrong| wrong.differs(record));
            let why = format!(
                "pair {pair} of run {run_id}, played alike by workers {} and {of} and otherwise by \
                 this one: {}",
                voices[right],
                how.unwrap_or_default()
            );
            self.hold(*voice, Hold::Refuted, why);
            if place > 0 {
                self.audits.erred(*voice);
            }
        }
        let is_cleared = is_right
            && self.held.get(&worker) == Some(&Hold::Disputed)
            && !self.audits.is_disputed(worker);
        if is_cleared {
            let why = format!("worker {of} played pair {pair} of run {run_id} like it");
            self.free(worker, BY_ITSELF, &why);
        }
    }

    /// Holds those whose word stands against another's while nobody is there who could be asked.
    pub(super) fn hold_undecided(&mut self) {
        let undecided: Vec<(WorkerId, String)> = self
            .audits
            .waiting_disputes()
            .filter(|audit| !self.held.contains_key(&audit.worker) && !self.can_be_settled(audit))
            .filter_map(|audit| Some((audit.worker, undecided(audit)?)))
            .collect();
        for (worker, why) in undecided {
            self.hold(worker, Hold::Disputed, why);
        }
    }

    /// Whether a worker is connected that can be asked who is right.
    fn can_be_settled(&self, audit: &Audit) -> bool {
        self.workers.iter().any(|(id, worker)| {
            worker.connected
                && !self.held.contains_key(id)
                && self.audits.may_settle(*id, audit)
                && worker.offer.bench.get(&audit.spec.game).copied() == audit.bench
                && !self.lacks_for_check(*id, worker, audit.run, &audit.spec)
        })
    }
}

/// Why somebody is held about whom nobody can decide.
fn undecided(audit: &Audit) -> Option<String> {
    let (pair, claim) = audit.claims.first_key_value()?;
    let [claimed, found, ..] = &claim.records[..] else { return None };
    let other = audit.others.first()?;
    Some(format!(
        "pair {pair} of run {}, played again by worker {other}: {}; nobody else is there who could \
         say which is right",
        audit.run,
        claimed.differs(found)?
    ))
}
