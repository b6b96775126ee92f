//! The state of a run as a fold over its ledger.
//!
//! Live merging, recovery after a crash and `runs replay` all go through [`Fold::apply`] and
//! nothing else, so they cannot differ. Its result depends on the specification and the order of
//! the reports alone.

mod race;
mod test;
pub(crate) mod trace;

use super::played::Played;
use model::spec::{Job, RunSpec, TuneSpec};
use model::view::{
    ChoiceOdds, ProgressView, TestPoint, TestView, TuneEstimate, TunePoint, TuneView, Verdict,
};
use model::{FindingList, Pairs, ReportId, Tally};
use race::{RaceFold, RaceSnapshot};
use serde::{Deserialize, Serialize};
use stats::{NORMAL_95, Overshoot, SprtDecision};
use test::TestFold;
use trace::{TRACE_POINTS, Trace};
use tune::{
    BqrEstimate, Optimizer, Perturbation, Standing, TuneError, Tuner, TunerState, Waypoint,
};

/// A run as its ledger makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// What counts.
    pub tally: Tally,
    /// How many reports made it.
    pub reports: u64,
    /// The last of the ledger so far, whether it counts or not.
    pub last_report: ReportId,
    /// What of the ledger so far does not count.
    pub excluded: Excluded,
    job: JobFold,
}

/// Reports that were passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    /// How many.
    pub reports: u64,
    /// Their pairs.
    pub pairs: Pairs,
}

impl Excluded {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Debug, PartialEq)]
enum JobFold {
    /// `before` are the pairs in the state with which a fork began.
    Tune {
        tuner: Tuner,
        before: u64,
        trace: Trace<TunePoint>,
    },
    Test {
        test: TestFold,
        trace: Trace<TestPoint>,
    },
    Match {
        trace: Trace<TestPoint>,
    },
    Race(RaceFold),
}

/// What is stored of a fold: enough to go on from, with the specification at hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    tally: Tally,
    reports: u64,
    last_report: ReportId,
    #[serde(default, skip_serializing_if = "Excluded::is_nothing")]
    excluded: Excluded,
    job: JobSnapshot,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum JobSnapshot {
    Tune {
        #[serde(flatten)]
        state: TunerState,
        trace: Trace<TunePoint>,
    },
    Test {
        llr: f64,
        /// None in a snapshot from before the bounds followed the overshoot.
        #[serde(default)]
        overshoot: Option<Overshoot>,
        trace: Trace<TestPoint>,
    },
    Match {
        trace: Trace<TestPoint>,
    },
    Race(RaceSnapshot),
}

/// The parameters of a point that the row of a run keeps at most.
const MOST_WHOLE: usize = 1_000;

/// Why a stored run cannot be folded.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// The specification is none that this version accepts.
    #[error("the specification is not valid: {0}")]
    Spec(FindingList),
    /// A snapshot or a probe is not what this version writes.
    #[error("{what} cannot be read: {found}")]
    Unreadable {
        /// Which.
        what: &'static str,
        /// Why.
        found: String,
    },
    /// A snapshot lacks what this version needs: the ledger has it.
    #[error("the snapshot of a run is from an older version")]
    Outdated,
    /// A report does not fit the optimiser.
    #[error("a report does not fit the optimiser")]
    Tune(#[from] TuneError),
}

/// What ends a run by its own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What a test or a race said; none for a tune and a match.
    pub verdict: Option<Verdict>,
}

impl Fold {
    /// A run without any report.
    ///
    /// # Errors
    /// The specification is not valid.
    pub fn new(spec: &RunSpec) -> Result<Self, FoldError> {
        let job = match &spec.job {
            Job::Tune(tune) => {
                let block = Pairs(u64::from(spec.lease_pairs));
                let tuner = Tuner::new(tune, block, spec.seed).map_err(FoldError::Spec)?;
                let mut trace = Trace::new();
                trace.push(0, most_points(tuner.theta()), || TunePoint {
                    pairs: 0,
                    theta: tuner.theta().to_vec(),
                });
                JobFold::Tune { tuner, before: tune.pairs_before().0, trace }
            }
            Job::Test(test) => match test.sprt {
                Some(sprt) => {
                    let (sprt, futility, overshoot) =
                        (sprt.into(), test.futility, Overshoot::default());
                    let test = TestFold { sprt, futility, llr: 0.0, overshoot };
                    JobFold::Test { test, trace: Trace::new() }
                }
                None => JobFold::Match { trace: Trace::new() },
            },
            Job::Race(race) => JobFold::Race(RaceFold::new(race)),
        };
        Ok(Self::empty(job))
    }

    fn empty(job: JobFold) -> Self {
        let (tally, excluded) = (Tally::default(), Excluded::default());
        Self { tally, reports: 0, last_report: ReportId(0), excluded, job }
    }

    /// A run that begins with the state of this one, as the specification of the fork says.
    ///
    /// # Errors
    /// The state does not fit the specification, or is none of a tune.
    pub fn fork(&self, spec: &RunSpec) -> Result<Self, FoldError> {
        let (JobFold::Tune { tuner: old, .. }, JobFold::Tune { tuner, before, .. }) =
            (&self.job, Self::new(spec)?.job)
        else {
            return Err(not_of_this_kind());
        };
        let tuner = tuner.with_state(old.state())?;
        let mut trace = Trace::new();
        trace.push(0, most_points(tuner.theta()), || TunePoint {
            pairs: 0,
            theta: tuner.theta().to_vec(),
        });
        Ok(Self::empty(JobFold::Tune { tuner, before, trace }))
    }

    /// The same run with another budget, as it is recovered from the ledger with it.
    ///
    /// # Errors
    /// The specification is one of another run.
    pub fn respecified(&self, spec: &RunSpec) -> Result<Self, FoldError> {
        Self::from_snapshot(spec, &self.to_json())
    }

    /// A run at a stored state.
    ///
    /// # Errors
    /// The state is none of this specification.
    pub fn from_snapshot(spec: &RunSpec, json: &str) -> Result<Self, FoldError> {
        let unreadable =
            |found: String| FoldError::Unreadable { what: "the snapshot of a run", found };
        let stored: Snapshot = serde_json::from_str(json).map_err(|e| unreadable(e.to_string()))?;
        let fresh = Self::new(spec)?;
        let job = match (fresh.job, stored.job) {
            (JobFold::Tune { tuner, before, .. }, JobSnapshot::Tune { state, trace }) => {
                JobFold::Tune { tuner: tuner.with_state(state)?, before, trace }
            }
            (JobFold::Test { test, .. }, JobSnapshot::Test { llr, overshoot, trace }) => {
                let overshoot = overshoot.ok_or(FoldError::Outdated)?;
                JobFold::Test { test: TestFold { llr, overshoot, ..test }, trace }
            }
            (JobFold::Match { .. }, JobSnapshot::Match { trace }) => JobFold::Match { trace },
            (JobFold::Race(race), JobSnapshot::Race(state)) => {
                JobFold::Race(race.with_state(state)?)
            }
            _ => return Err(not_of_this_kind()),
        };
        Ok(Self {
            tally: stored.tally,
            reports: stored.reports,
            last_report: stored.last_report,
            excluded: stored.excluded,
            job,
        })
    }

    /// The state as JSON: the same bytes for the same state.
    #[must_use]
    pub fn to_json(&self) -> String {
        let job = match &self.job {
            JobFold::Tune { tuner, trace, .. } => {
                JobSnapshot::Tune { state: tuner.state(), trace: trace.clone() }
            }
            JobFold::Test { test, trace } => JobSnapshot::Test {
                llr: test.llr,
                overshoot: Some(test.overshoot),
                trace: trace.clone(),
            },
            JobFold::Match { trace } => JobSnapshot::Match { trace: trace.clone() },
            JobFold::Race(race) => JobSnapshot::Race(race.state()),
        };
        let snapshot = Snapshot {
            tally: self.tally,
            reports: self.reports,
            last_report: self.last_report,
            excluded: self.excluded,
            job,
        };
        // Numbers, strings and lists only: no map with foreign keys, nothing that can fail.
        serde_json::to_string(&snapshot).expect("a snapshot is plain data")
    }

    /// Takes in one report: what was new in it, and what its pairs played.
    ///
    /// # Errors
    /// The probe of a tune or the candidate of a race is missing or does not fit; the state is then
    /// unchanged.
    pub fn apply(
        &mut self,
        report: ReportId,
        new: &Tally,
        played: &Played,
    ) -> Result<(), FoldError> {
        let mut tally = self.tally;
        tally += *new;
        let pairs = tally.pairs().0;
        match &mut self.job {
            JobFold::Tune { tuner, trace, .. } => {
                let Played::Probe(probe) = played else {
                    let found = "there is none".to_owned();
                    return Err(FoldError::Unreadable { what: "the probe of a lease", found });
                };
                tuner.tell(probe, new.pairs(), new.pentanomial.balance())?;
                let most = most_points(tuner.theta());
                trace.push(pairs, most, || TunePoint { pairs, theta: tuner.theta().to_vec() });
            }
            JobFold::Test { test, trace } => {
                test.llr = test.sprt.llr(&tally.pentanomial);
                test.overshoot = test.overshoot.seen(pairs, test.llr);
                trace.push(pairs, TRACE_POINTS, || test::point(&tally, Some(test.llr)));
            }
            JobFold::Match { trace } => {
                trace.push(pairs, TRACE_POINTS, || test::point(&tally, None))
            }
            JobFold::Race(race) => race.apply(new, played.candidate())?,
        }
        self.tally = tally;
        self.reports += 1;
        self.last_report = report;
        Ok(())
    }

    /// Passes over a report that does not count.
    pub fn skip(&mut self, report: ReportId, tally: &Tally) {
        self.excluded.reports += 1;
        self.excluded.pairs += tally.pairs();
        self.last_report = report;
    }

    /// Every report of the ledger so far, those that do not count too.
    #[must_use]
    pub fn ledger_reports(&self) -> u64 {
        self.reports + self.excluded.reports
    }

    /// Whether the run is over by its own rule, and how.
    #[must_use]
    pub fn ended(&self, asked: Pairs) -> Option<Ended> {
        let spent = self.tally.pairs() >= asked;
        match &self.job {
            JobFold::Tune { .. } | JobFold::Match { .. } => {
                spent.then_some(Ended { verdict: None })
            }
            JobFold::Race(race) => race.ended(spent),
            JobFold::Test { test, .. } => {
                let verdict = match stats::decide(test.llr, test.bounds()) {
                    SprtDecision::AcceptH1 => Verdict::Accepted,
                    SprtDecision::AcceptH0 => Verdict::Rejected,
                    SprtDecision::Continue if spent => Verdict::Inconclusive,
                    SprtDecision::Continue if test.is_futile(&self.tally, asked) => {
                        Verdict::Inconclusive
                    }
                    SprtDecision::Continue => return None,
                };
                Some(Ended { verdict: Some(verdict) })
            }
        }
    }

    /// What fresh pairs play: the probe of their block in a tune; in a race the candidate that is next,
    /// given the pairs of each that are out. None when no candidate is left to play.
    #[must_use]
    pub fn next(&self, block: u64, pairs_out: impl Fn(usize) -> u64) -> Option<Played> {
        match &self.job {
            JobFold::Tune { tuner, .. } => Some(Played::Probe(tuner.ask(block))),
            JobFold::Test { .. } | JobFold::Match { .. } => Some(Played::AsAsked),
            JobFold::Race(race) => race.next(pairs_out).map(Played::Candidate),
        }
    }

    /// Whether pairs that play this still tell something: not those of a candidate that is decided.
    #[must_use]
    pub fn is_open(&self, played: &Played) -> bool {
        match (&self.job, played) {
            (JobFold::Race(race), Played::Candidate(candidate)) => race.is_open(*candidate),
            _ => true,
        }
    }

    /// The candidate of the last report of a race, by its place, and its ratio after it.
    #[must_use]
    pub fn last_candidate(&self) -> Option<(usize, f64)> {
        match &self.job {
            JobFold::Race(race) => race.last(),
            _ => None,
        }
    }

    /// The probe of a lease as its row keeps it, in a tune.
    #[must_use]
    pub fn write_played(&self, played: &Played) -> Option<String> {
        match (&self.job, played) {
            (JobFold::Tune { tuner, .. }, Played::Probe(probe)) => Some(tuner.write(probe)),
            _ => None,
        }
    }

    /// What a lease plays, as its row keeps it.
    ///
    /// # Errors
    /// The probe is none of this run.
    pub fn read_played(
        &self,
        probe: Option<&str>,
        candidate: Option<u32>,
    ) -> Result<Played, FoldError> {
        let unreadable =
            |found: String| FoldError::Unreadable { what: "the probe of a lease", found };
        let probe = match (&self.job, probe) {
            (_, None) => None,
            (JobFold::Tune { tuner, .. }, Some(json)) => {
                Some(tuner.read(json).map_err(|error| unreadable(error.to_string()))?)
            }
            (_, Some(_)) => return Err(unreadable("only a tune has one".to_owned())),
        };
        Ok(Played::of(probe, candidate))
    }

    /// The log-likelihood ratio, in a test.
    #[must_use]
    pub fn llr(&self) -> Option<f64> {
        match &self.job {
            JobFold::Test { test, .. } => Some(test.llr),
            JobFold::Tune { .. } | JobFold::Match { .. } | JobFold::Race(_) => None,
        }
    }

    /// The optimiser's point as JSON, in a tune: the whole state where it is no more than that,
    /// otherwise with the hash of the state, so that a row of it changes when any bit of it does. The
    /// point itself is left out where it has more than [`MOST_WHOLE`] parameters: every commit writes
    /// the row. In a race, its candidates.
    #[must_use]
    pub fn point(&self) -> Option<String> {
        let tuner = match &self.job {
            JobFold::Tune { tuner, .. } => tuner,
            JobFold::Race(race) => return Some(race.row()),
            JobFold::Test { .. } | JobFold::Match { .. } => return None,
        };
        let json = match tuner {
            Tuner::Spsa(spsa) if spsa.theta().len() > MOST_WHOLE => {
                serde_json::to_string(spsa.state()).and_then(|state| {
                    serde_json::to_string(&HashedPoint {
                        theta: &[],
                        pairs: spsa.state().pairs,
                        state_sha256: crate::book::sha256(state.as_bytes()),
                    })
                })
            }
            Tuner::Spsa(spsa) => serde_json::to_string(spsa.state()),
            Tuner::Bqr(bqr) => serde_json::to_string(bqr.state()).and_then(|state| {
                serde_json::to_string(&HashedPoint {
                    theta: bqr.theta(),
                    pairs: bqr.state().pairs,
                    state_sha256: crate::book::sha256(state.as_bytes()),
                })
            }),
        };
        Some(json.expect("a state is plain data"))
    }

    /// The present point of a tune, in the order of the specification; empty in a test.
    #[must_use]
    pub fn theta(&self) -> &[f64] {
        match &self.job {
            JobFold::Tune { tuner, .. } => tuner.theta(),
            JobFold::Test { .. } | JobFold::Match { .. } | JobFold::Race(_) => &[],
        }
    }

    /// The state for people; `is_over` says whether anything can still come.
    #[must_use]
    pub fn view(&self, verdict: Option<Verdict>, is_over: bool) -> ProgressView {
        match &self.job {
            JobFold::Tune { tuner, before, trace } => {
                let standing = tuner.standing();
                let counted = self.tally.pairs().0;
                let mut way: Vec<Waypoint<'_>> = trace
                    .points()
                    .iter()
                    .map(|point| Waypoint { pairs: before + point.pairs, theta: &point.theta })
                    .collect();
                way.push(Waypoint { pairs: before + counted, theta: tuner.theta() });
                let verdict = tuner.verdict(&standing, &way, &self.tally.pentanomial);
                let Standing { suggested, estimate, choices } = standing;
                ProgressView::Tune(TuneView {
                    theta: tuner.theta().to_vec(),
                    suggested,
                    estimate: estimate.as_ref().map(estimate_view),
                    verdict,
                    choices: tuner
                        .choice_names()
                        .zip(choices)
                        .map(|(name, probabilities)| ChoiceOdds {
                            name: name.to_owned(),
                            probabilities,
                        })
                        .collect(),
                    trace: trace.points().to_vec(),
                })
            }
            JobFold::Test { test, trace } => ProgressView::Test(TestView {
                verdict,
                trace: trace.points().to_vec(),
                ..test.view(&self.tally.pentanomial, is_over)
            }),
            JobFold::Match { trace } => ProgressView::Test(TestView {
                trace: trace.points().to_vec(),
                ..test::match_view(&self.tally.pentanomial)
            }),
            JobFold::Race(race) => ProgressView::Race(race.view(verdict)),
        }
    }
}

/// The points that the way of so many parameters keeps: as many as of a test, fewer where each of
/// them is long.
fn most_points(theta: &[f64]) -> usize {
    const MOST_NUMBERS: usize = 1 << 18;
    (MOST_NUMBERS / theta.len().max(1)).clamp(16, TRACE_POINTS)
}

fn not_of_this_kind() -> FoldError {
    let found = "it is of another kind of run".to_owned();
    FoldError::Unreadable { what: "the snapshot of a run", found }
}

/// The parameter sets that a probe plays.
pub(crate) fn probe_sets(
    tune: &TuneSpec,
    probe: &Perturbation,
) -> (model::ParameterSet, model::ParameterSet) {
    let set = |values: &[f64]| {
        let mut set = tune.fixed.clone();
        for (parameter, &value) in tune.parameters.iter().zip(values) {
            set.set(parameter.name.clone(), value);
        }
        set
    };
    (set(&probe.plus), set(&probe.minus))
}

/// What a row keeps of an optimiser whose state is large.
#[derive(Serialize)]
struct HashedPoint<'a> {
    theta: &'a [f64],
    pairs: Pairs,
    state_sha256: String,
}

fn estimate_view(estimate: &BqrEstimate) -> TuneEstimate {
    let margin = NORMAL_95 * estimate.gain_deviation.0;
    TuneEstimate {
        deviation: estimate.deviation.clone(),
        signal_to_noise: estimate.signal_to_noise.clone(),
        gain: estimate.gain.0,
        gain_low: estimate.gain.0 - margin,
        gain_high: estimate.gain.0 + margin,
        remaining_loss: estimate.remaining_loss.0,
        pair_deviation: estimate.pair_deviation.0,
    }
}
