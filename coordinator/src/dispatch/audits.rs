//! Which pairs are played again by whom.
//!
//! A run at a node limit is deterministic, so that a worker's games can be asked of another one and
//! must come out the same, move by move. Of each worker the first pairs are all asked for, then fewer
//! and fewer down to one in so many; a mismatch begins anew. A pair that comes out otherwise goes to a
//! third worker, and on, until two have played it alike. Pure: which pair is chosen follows from a
//! secret number, the run and the pair.

use crate::dispatch::Moment;
use model::lease::{Opening, PairIndex, PairRecord};
use model::spec::RunSpec;
use model::{LeaseId, ParameterSet, RunId, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::str::FromStr;
use std::sync::Arc;

/// Who plays the games of a worker again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auditors {
    /// Workers of other owners; where all workers have one owner, other workers of that owner.
    #[default]
    Auto,
    /// Workers of other owners.
    Owners,
    /// Any other worker.
    Workers,
    /// Nobody: nothing is played again.
    Nobody,
}

impl Auditors {
    /// Every choice with its name.
    pub const ALL: [(Auditors, &'static str); 4] = [
        (Auditors::Auto, "auto"),
        (Auditors::Owners, "owners"),
        (Auditors::Workers, "workers"),
        (Auditors::Nobody, "off"),
    ];
}

impl FromStr for Auditors {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|(_, name)| *name == text);
        known.map(|(auditors, _)| auditors).ok_or("allowed: auto, owners, workers, off")
    }
}

/// How games are chosen to be played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditPolicy {
    /// By whom.
    pub auditors: Auditors,
    /// Of each worker, and again after each mismatch, so many pairs are all asked for.
    pub first: u64,
    /// In the long run, one pair in so many; at least 1.
    pub one_in: u64,
    /// What no worker knows.
    pub secret: u64,
}

impl Default for AuditPolicy {
    fn default() -> Self {
        Self { auditors: Auditors::default(), first: 10, one_in: 50, secret: 0 }
    }
}

impl AuditPolicy {
    /// The share of a worker's pairs that are asked for, given those that came out the same since the
    /// last mismatch: all of the first, then a half, a third and so on with each one that passes.
    #[must_use]
    pub fn rate(&self, passed: u64) -> f64 {
        match passed.checked_sub(self.first) {
            None => 1.0,
            Some(more) => (1.0 / (more + 2) as f64).max(1.0 / self.one_in.max(1) as f64),
        }
    }

    fn asks_for(&self, run: RunId, pair: PairIndex, record: Record) -> bool {
        if record.passed + record.waiting < self.first {
            return true;
        }
        let place = self.secret ^ run.0.cast_unsigned().rotate_left(32) ^ pair.0;
        unit(place) < self.rate(record.passed.max(self.first))
    }
}

/// A number in [0, 1) that depends on all bits of `seed` (the finaliser of SplitMix64: G. Steele,
/// D. Lea and C. Flood, 2014).
pub(crate) fn unit(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 53) as f64
}

/// Pairs of one lease that are to be played again, all by the same workers so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The run.
    pub run: RunId,
    /// Its specification.
    pub spec: Arc<RunSpec>,
    /// The lease for which they were reported.
    pub lease: LeaseId,
    /// Who reported them.
    pub worker: WorkerId,
    /// The fingerprint of the engine that it said it plays with, if it said.
    pub bench: Option<u64>,
    /// What the candidate plays with.
    pub candidate: ParameterSet,
    /// What the base plays with.
    pub base: ParameterSet,
    /// Who has played them since, each otherwise than all before: nobody in a first check.
    pub others: Vec<WorkerId>,
    /// The pairs.
    pub claims: BTreeMap<PairIndex, Claim>,
}

/// A pair as it was played so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Where both games begin.
    pub opening: Opening,
    /// As it was reported, then as each of the others played it.
    pub records: Vec<PairRecord>,
}

impl Claim {
    /// Whose record this one repeats, by its place; nobody's while no two agree.
    #[must_use]
    pub fn repeated_by(&self, record: &PairRecord) -> Option<usize> {
        self.records.iter().position(|earlier| earlier.differs(record).is_none())
    }
}

impl Audit {
    /// Who has played the pairs, in the order of their records.
    pub fn voices(&self) -> impl Iterator<Item = WorkerId> {
        [self.worker].into_iter().chain(self.others.iter().copied())
    }

    /// Whether words stand against each other.
    #[must_use]
    pub fn is_dispute(&self) -> bool {
        !self.others.is_empty()
    }
}

/// What is known of a worker's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Pairs that came out the same since the last mismatch.
    pub passed: u64,
    /// Pairs that are to be played again.
    pub waiting: u64,
}

/// Who might play something again.
#[derive(Clone, Copy, Debug)]
pub struct Auditor<'a> {
    /// The worker.
    pub worker: WorkerId,
    /// The fingerprint of its engine for a game, if it said.
    pub bench: &'a BTreeMap<model::GameKind, u64>,
}

/// A place among the audits that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Among those that nobody has played again.
    First(usize),
    /// Among those about which workers differ.
    Dispute(usize),
}

/// Pairs waiting of one worker at most: a worker that nobody can check shall not fill the memory.
const MOST_WAITING: u64 = 32;
/// Pairs waiting in all at most.
const MOST_IN_ALL: usize = 5_000;

/// An audit that is out.
#[derive(Clone, Debug, PartialEq)]
pub struct OutAudit {
    /// What.
    pub audit: Audit,
    /// Who plays it.
    pub auditor: WorkerId,
    /// When it was given, or something of it came last.
    pub moved_at: Moment,
    /// Pairs that came back.
    pub done: BTreeSet<PairIndex>,
}

/// Everything that is to be played again.
#[derive(Clone, Debug, Default)]
pub struct Audits {
    /// How they are chosen.
    pub policy: AuditPolicy,
    waiting: VecDeque<Audit>,
    /// Those about which workers differ.
    disputes: VecDeque<Audit>,
    /// Those that are out, by the number of their lease.
    pub out: BTreeMap<LeaseId, OutAudit>,
    records: BTreeMap<WorkerId, Record>,
    /// Whose each known worker is.
    owners: BTreeMap<WorkerId, Arc<str>>,
    /// How many workers each owner has.
    machines: BTreeMap<Arc<str>, usize>,
}

impl Audits {
    /// Notes whose a worker is.
    pub fn know(&mut self, worker: WorkerId, owner: &Arc<str>) {
        let before = self.owners.insert(worker, owner.clone());
        *self.machines.entry(owner.clone()).or_default() += 1;
        if let Some(before) = before
            && let Some(machines) = self.machines.get_mut(&before)
        {
            *machines -= 1;
            if *machines == 0 {
                self.machines.remove(&before);
            }
        }
    }

    /// Whose a worker is, if that is known.
    #[must_use]
    pub fn owner(&self, worker: WorkerId) -> Option<&Arc<str>> {
        self.owners.get(&worker)
    }

    /// How many owners have workers.
    #[must_use]
    pub fn owners(&self) -> usize {
        self.machines.len()
    }

    /// Puts back how many pairs of a worker came out the same.
    pub fn restore_record(&mut self, worker: WorkerId, passed: u64) {
        self.records.entry(worker).or_default().passed = passed;
    }

    /// Puts an audit in the queue.
    pub fn put(&mut self, audit: Audit) {
        self.records.entry(audit.worker).or_default().waiting += audit.claims.len() as u64;
        self.queue(&audit).push_back(audit);
    }

    fn queue(&mut self, audit: &Audit) -> &mut VecDeque<Audit> {
        if audit.is_dispute() { &mut self.disputes } else { &mut self.waiting }
    }

    /// Disputes that nobody plays just now.
    pub fn waiting_disputes(&self) -> impl Iterator<Item = &Audit> {
        self.disputes.iter()
    }

    fn open_disputes(&self) -> impl Iterator<Item = &Audit> {
        let out = self.out.values().map(|out| &out.audit).filter(|audit| audit.is_dispute());
        self.disputes.iter().chain(out)
    }

    /// Whether others differ from what this worker reported, and nobody has settled it.
    #[must_use]
    pub fn is_disputed(&self, worker: WorkerId) -> bool {
        self.open_disputes().any(|audit| audit.worker == worker)
    }

    /// Whether the word of this worker, or of another one of its owner, stands against another's: until
    /// that is settled they judge nobody else, so that one who lies puts few others on hold.
    fn is_accusing(&self, auditor: WorkerId) -> bool {
        let owner = self.owners.get(&auditor);
        let is_theirs = |other: &WorkerId| {
            *other == auditor || (owner.is_some() && self.owners.get(other) == owner)
        };
        self.owners() > 1 && self.open_disputes().any(|audit| audit.others.iter().any(is_theirs))
    }

    /// Takes away the disputes about what this worker reported, as if it had been wrong.
    pub fn drop_disputes(&mut self, worker: WorkerId) -> Vec<(RunId, PairIndex)> {
        let all = std::mem::take(&mut self.disputes);
        let (its, others) = all.into_iter().partition(|audit| audit.worker == worker);
        self.disputes = others;
        let its: VecDeque<Audit> = its;
        let pairs: Vec<_> = its
            .iter()
            .flat_map(|audit| audit.claims.keys().map(|pair| (audit.run, *pair)))
            .collect();
        pairs.iter().for_each(|_| self.ended(worker, false));
        pairs
    }

    /// What is known of a worker's games.
    #[must_use]
    pub fn record(&self, worker: WorkerId) -> Record {
        self.records.get(&worker).copied().unwrap_or_default()
    }

    /// Pairs that are to be played again, those that are out included.
    #[must_use]
    pub fn waiting_pairs(&self) -> u64 {
        self.records.values().map(|record| record.waiting).sum()
    }

    /// Whether a worker may say who of those that have played an audit is right.
    #[must_use]
    pub fn may_settle(&self, arbiter: WorkerId, audit: &Audit) -> bool {
        audit.voices().all(|voice| self.may_judge(arbiter, voice))
    }

    /// Whether another worker may judge this one.
    fn may_judge(&self, auditor: WorkerId, worker: WorkerId) -> bool {
        if auditor == worker {
            return false;
        }
        let by_owner = || match (self.owners.get(&auditor), self.owners.get(&worker)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        };
        match self.policy.auditors {
            Auditors::Nobody => false,
            Auditors::Workers => true,
            Auditors::Owners => by_owner(),
            Auditors::Auto => by_owner() || self.owners() < 2,
        }
    }

    /// Whether somebody is known who may judge this worker.
    fn is_judged(&self, worker: WorkerId) -> bool {
        let others = self.owners.len() - usize::from(self.owners.contains_key(&worker));
        let by_owner = self.owners.contains_key(&worker) && self.machines.len() > 1;
        match self.policy.auditors {
            Auditors::Nobody => false,
            Auditors::Workers => others > 0,
            Auditors::Owners => by_owner,
            Auditors::Auto => by_owner || (self.machines.len() < 2 && others > 0),
        }
    }

    /// The pairs of a report that are to be played again.
    #[must_use]
    pub fn chosen(&self, run: RunId, worker: WorkerId, pairs: &[PairIndex]) -> Vec<PairIndex> {
        let mut record = self.record(worker);
        let in_all = self.waiting.len() + self.disputes.len() + self.out.len();
        if in_all >= MOST_IN_ALL || !self.is_judged(worker) {
            return Vec::new();
        }
        let mut chosen = Vec::new();
        for &pair in pairs {
            if record.waiting < MOST_WAITING && self.policy.asks_for(run, pair, record) {
                record.waiting += 1;
                chosen.push(pair);
            }
        }
        chosen
    }

    /// The first audit that this worker may play, disputes before others; `lacks` says whether it lacks
    /// something for a run.
    pub fn find_for(
        &self,
        auditor: Auditor<'_>,
        lacks: impl Fn(RunId, &RunSpec) -> bool,
    ) -> Option<Waiting> {
        // Those that nobody here may play would be looked at by everybody each time.
        const LOOK: usize = 256;
        let is_for_it = |audit: &Audit| {
            self.may_settle(auditor.worker, audit)
                && auditor.bench.get(&audit.spec.game).copied() == audit.bench
                && !lacks(audit.run, &audit.spec)
        };
        if let Some(place) = self.disputes.iter().take(LOOK).position(is_for_it) {
            return Some(Waiting::Dispute(place));
        }
        if self.waiting.is_empty() || self.is_accusing(auditor.worker) {
            return None;
        }
        self.waiting.iter().take(LOOK).position(is_for_it).map(Waiting::First)
    }

    /// Takes what was found there just now.
    pub fn take(&mut self, place: Waiting) -> Option<Audit> {
        match place {
            Waiting::First(place) => self.waiting.remove(place),
            Waiting::Dispute(place) => self.disputes.remove(place),
        }
    }

    /// Notes that an audit is out.
    pub fn give(&mut self, lease: LeaseId, audit: Audit, auditor: WorkerId, now: Moment) {
        let out = OutAudit { audit, auditor, moved_at: now, done: BTreeSet::new() };
        self.out.insert(lease, out);
    }

    /// Takes one back that is out: what has not come waits again.
    pub fn take_back(&mut self, lease: LeaseId) -> Option<WorkerId> {
        let OutAudit { mut audit, auditor, done, .. } = self.out.remove(&lease)?;
        audit.claims.retain(|pair, _| !done.contains(pair));
        if !audit.claims.is_empty() {
            self.queue(&audit).push_front(audit);
        }
        Some(auditor)
    }

    /// Notes what came of a pair.
    pub fn ended(&mut self, worker: WorkerId, matched: bool) {
        let record = self.records.entry(worker).or_default();
        record.waiting = record.waiting.saturating_sub(1);
        record.passed = if matched { record.passed + 1 } else { 0 };
    }

    /// Notes that a pair of this worker came back undecided.
    pub fn stop_waiting(&mut self, worker: WorkerId) {
        let record = self.records.entry(worker).or_default();
        record.waiting = record.waiting.saturating_sub(1);
    }

    /// Notes that a worker played a pair of another one wrongly: its own are looked at anew.
    pub fn erred(&mut self, worker: WorkerId) {
        self.records.entry(worker).or_default().passed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_falls_from_all_to_one_in_so_many_and_a_mismatch_begins_anew() {
        let policy = AuditPolicy::default();
        let rates: Vec<f64> = (0..200).map(|passed| policy.rate(passed)).collect();
        assert!(rates[..10].iter().all(|rate| *rate == 1.0));
        assert_eq!((rates[10], rates[11]), (0.5, 1.0 / 3.0));
        assert!(rates.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(rates[199], 0.02);
        let mut audits = Audits::default();
        let worker = WorkerId(1);
        audits.restore_record(worker, 500);
        audits.ended(worker, false);
        assert_eq!(audits.record(worker).passed, 0);
    }

    #[test]
    fn in_the_long_run_as_many_are_chosen_as_the_rate_says() {
        let mut audits = Audits::default();
        let (one, two) = (WorkerId(1), WorkerId(2));
        audits.know(one, &"a".into());
        audits.know(two, &"b".into());
        audits.restore_record(one, 1_000);
        let chosen = (0..100_000)
            .filter(|pair| !audits.chosen(RunId(3), one, &[PairIndex(*pair)]).is_empty())
            .count();
        // Deviation of a binomial of 100,000 at 0.02: 44.
        assert!((1_780..2_220).contains(&chosen), "{chosen}");
    }

    #[test]
    fn who_may_judge_whom_follows_from_the_owners() {
        let mut audits = Audits::default();
        let ids = [WorkerId(1), WorkerId(2), WorkerId(3)];
        audits.know(ids[0], &"a".into());
        audits.know(ids[1], &"a".into());
        let judges = |audits: &Audits, auditors| {
            let mut audits = audits.clone();
            audits.policy.auditors = auditors;
            [(0, 0), (1, 0), (2, 0)].map(|(a, b)| audits.may_judge(ids[a], ids[b]))
        };
        assert_eq!(judges(&audits, Auditors::Auto), [false, true, true], "one owner has them all");
        assert_eq!(judges(&audits, Auditors::Owners), [false, false, false]);
        audits.know(ids[2], &"b".into());
        for (auditors, expected) in [
            (Auditors::Auto, [false, false, true]),
            (Auditors::Owners, [false, false, true]),
            (Auditors::Workers, [false, true, true]),
            (Auditors::Nobody, [false, false, false]),
        ] {
            assert_eq!(judges(&audits, auditors), expected, "{auditors:?}");
            audits.policy.auditors = auditors;
            for worker in ids {
                let somebody = ids.iter().any(|other| audits.may_judge(*other, worker));
                assert_eq!(audits.is_judged(worker), somebody, "{auditors:?}, {worker}");
            }
        }
        // A key may pass to another owner.
        audits.know(ids[2], &"a".into());
        assert_eq!(audits.owners(), 1);
        // Where nobody may judge, nothing is asked for.
        audits.policy.auditors = Auditors::Nobody;
        assert!(audits.chosen(RunId(1), ids[0], &[PairIndex(0)]).is_empty());
    }

    #[test]
    fn who_accuses_judges_nobody_else_until_it_is_settled() {
        let mut audits = Audits::default();
        for (id, owner) in [(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "a")] {
            audits.know(WorkerId(id), &owner.into());
        }
        let spec = crate::convert::spec(testkit::specs::fixed_match(4, 4)).expect("a valid one");
        let spec = Arc::new(spec);
        let audit = |worker, others: &[i64]| Audit {
            run: RunId(1),
            spec: Arc::clone(&spec),
            lease: LeaseId(worker),
            worker: WorkerId(worker),
            bench: None,
            candidate: ParameterSet::default(),
            base: ParameterSet::default(),
            others: others.iter().map(|id| WorkerId(*id)).collect(),
            claims: BTreeMap::new(),
        };
        audits.put(audit(5, &[]));
        let bench = BTreeMap::new();
        let find = |audits: &Audits, id| {
            let auditor = Auditor { worker: WorkerId(id), bench: &bench };
            audits.find_for(auditor, |_, _| false)
        };
        assert_eq!([1, 2, 3, 4].map(|id| find(&audits, id).is_some()), [false, true, true, true]);
        audits.put(audit(1, &[2]));
        assert_eq!(find(&audits, 2), None);
        assert_eq!(find(&audits, 3), None, "one of its owner");
        assert_eq!(find(&audits, 4), Some(Waiting::Dispute(0)), "what is open comes first");
        assert!(audits.is_disputed(WorkerId(1)));
        assert!(audits.take(Waiting::Dispute(0)).is_some());
        assert_eq!(find(&audits, 2), Some(Waiting::First(0)));
    }

    #[test]
    fn a_worker_that_nobody_checks_waits_with_few_pairs() {
        let mut audits = Audits::default();
        audits.know(WorkerId(1), &"a".into());
        audits.know(WorkerId(2), &"b".into());
        let pairs: Vec<PairIndex> = (0..1_000).map(PairIndex).collect();
        assert_eq!(audits.chosen(RunId(1), WorkerId(1), &pairs).len() as u64, MOST_WAITING);
    }
}
