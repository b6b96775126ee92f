//! The state of a run as a fold over its ledger.
//!
//! Live merging, recovery after a crash and `runs replay` all go through [`Fold::apply`] and
//! nothing else, so they cannot differ. Its result depends on the specification and the order of
//! the reports alone.

mod trace;

use model::spec::{Job, RunSpec, TuneSpec};
use model::view::{
    CorrectedView, OutlookView, ProgressView, TestPoint, TestView, TuneEstimate, TunePoint,
    TuneView, Verdict,
};
use model::{FindingList, Pairs, ReportId, Tally};
use serde::{Deserialize, Serialize};
use stats::{NORMAL_95, Overshoot, SprtBounds, SprtDecision, SprtReport};
use trace::Trace;
use tune::{BqrEstimate, Optimizer, Perturbation, Standing, TuneError, Tuner, TunerState};

/// A run as its ledger makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// What counts.
    pub tally: Tally,
    /// How many reports made it.
    pub reports: u64,
    /// The last of them.
    pub last_report: ReportId,
    job: JobFold,
}

#[derive(Clone, Debug, PartialEq)]
enum JobFold {
    Tune { tuner: Tuner, trace: Trace<TunePoint> },
    Test { test: TestFold, trace: Trace<TestPoint> },
}

/// A sequential test at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TestFold {
    sprt: stats::SprtSpec,
    futility: f64,
    llr: f64,
    overshoot: Overshoot,
}

/// What is stored of a fold: enough to go on from, with the specification at hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    tally: Tally,
    reports: u64,
    last_report: ReportId,
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
}

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
    /// What a test said; none for a tune.
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
                trace.push(0, || TunePoint { pairs: 0, theta: tuner.theta().to_vec() });
                JobFold::Tune { tuner, trace }
            }
            Job::Test(test) => {
                let (sprt, futility) = (test.sprt.into(), test.futility);
                let test = TestFold { sprt, futility, llr: 0.0, overshoot: Overshoot::default() };
                JobFold::Test { test, trace: Trace::new() }
            }
        };
        Ok(Self { tally: Tally::default(), reports: 0, last_report: ReportId(0), job })
    }

    /// A run that begins with the state of this one, as the specification of the fork says.
    ///
    /// # Errors
    /// The state does not fit the specification, or is none of a tune.
    pub fn fork(&self, spec: &RunSpec) -> Result<Self, FoldError> {
        let (JobFold::Tune { tuner: old, .. }, Self { tally, reports, last_report, job }) =
            (&self.job, Self::new(spec)?)
        else {
            return Err(not_of_this_kind());
        };
        let JobFold::Tune { tuner, .. } = job else { return Err(not_of_this_kind()) };
        let tuner = tuner.with_state(old.state())?;
        let mut trace = Trace::new();
        trace.push(0, || TunePoint { pairs: 0, theta: tuner.theta().to_vec() });
        Ok(Self { tally, reports, last_report, job: JobFold::Tune { tuner, trace } })
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
            (JobFold::Tune { tuner, .. }, JobSnapshot::Tune { state, trace }) => {
                JobFold::Tune { tuner: tuner.with_state(state)?, trace }
            }
            (JobFold::Test { test, .. }, JobSnapshot::Test { llr, overshoot, trace }) => {
                let overshoot = overshoot.ok_or(FoldError::Outdated)?;
                JobFold::Test { test: TestFold { llr, overshoot, ..test }, trace }
            }
            _ => return Err(not_of_this_kind()),
        };
        Ok(Self {
            tally: stored.tally,
            reports: stored.reports,
            last_report: stored.last_report,
            job,
        })
    }

    /// The state as JSON: the same bytes for the same state.
    #[must_use]
    pub fn to_json(&self) -> String {
        let job = match &self.job {
            JobFold::Tune { tuner, trace } => {
                JobSnapshot::Tune { state: tuner.state(), trace: trace.clone() }
            }
            JobFold::Test { test, trace } => JobSnapshot::Test {
                llr: test.llr,
                overshoot: Some(test.overshoot),
                trace: trace.clone(),
            },
        };
        let snapshot = Snapshot {
            tally: self.tally,
            reports: self.reports,
            last_report: self.last_report,
            job,
        };
        // Numbers, strings and lists only: no map with foreign keys, nothing that can fail.
        serde_json::to_string(&snapshot).expect("a snapshot is plain data")
    }

    /// Takes in one report: what was new in it, and the probe that its pairs played.
    ///
    /// # Errors
    /// The probe is missing in a tune or does not fit it; the state is then unchanged.
    pub fn apply(
        &mut self,
        report: ReportId,
        new: &Tally,
        probe: Option<&Perturbation>,
    ) -> Result<(), FoldError> {
        let mut tally = self.tally;
        tally += *new;
        let pairs = tally.pairs().0;
        match &mut self.job {
            JobFold::Tune { tuner, trace } => {
                let probe = probe.ok_or(FoldError::Unreadable {
                    what: "the probe of a lease",
                    found: "there is none".to_owned(),
                })?;
                tuner.tell(probe, new.pairs(), new.pentanomial.balance())?;
                trace.push(pairs, || TunePoint { pairs, theta: tuner.theta().to_vec() });
            }
            JobFold::Test { test, trace } => {
                let SprtReport { llr: now, elo, elo_low, elo_high, .. } =
                    test.sprt.report(&tally.pentanomial);
                test.llr = now;
                test.overshoot = test.overshoot.seen(pairs, now);
                trace.push(pairs, || TestPoint {
                    pairs,
                    llr: now,
                    elo: elo.0,
                    elo_low: elo_low.0,
                    elo_high: elo_high.0,
                });
            }
        }
        self.tally = tally;
        self.reports += 1;
        self.last_report = report;
        Ok(())
    }

    /// Whether the run is over by its own rule, and how.
    #[must_use]
    pub fn ended(&self, asked: Pairs) -> Option<Ended> {
        let spent = self.tally.pairs() >= asked;
        match &self.job {
            JobFold::Tune { .. } => spent.then_some(Ended { verdict: None }),
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

    /// The probe of a block, in a tune.
    #[must_use]
    pub fn probe(&self, block: u64) -> Option<Perturbation> {
        match &self.job {
            JobFold::Tune { tuner, .. } => Some(tuner.ask(block)),
            JobFold::Test { .. } => None,
        }
    }

    /// The log-likelihood ratio, in a test.
    #[must_use]
    pub fn llr(&self) -> Option<f64> {
        match &self.job {
            JobFold::Tune { .. } => None,
            JobFold::Test { test, .. } => Some(test.llr),
        }
    }

    /// The optimiser's point as JSON, in a tune: the whole state where it is no more than that,
    /// otherwise with the hash of the state, so that a row of it changes when any bit of it does.
    #[must_use]
    pub fn point(&self) -> Option<String> {
        let JobFold::Tune { tuner, .. } = &self.job else { return None };
        let json = match tuner {
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
            JobFold::Test { .. } => &[],
        }
    }

    /// The state for people; `is_over` says whether anything can still come.
    #[must_use]
    pub fn view(&self, verdict: Option<Verdict>, is_over: bool) -> ProgressView {
        match &self.job {
            JobFold::Tune { tuner, trace } => {
                let Standing { suggested, estimate } = tuner.standing();
                let start = tuner.start();
                ProgressView::Tune(TuneView {
                    theta: tuner.theta().to_vec(),
                    suggested,
                    estimate: estimate.map(|estimate| estimate_view(&start, &estimate)),
                    trace: trace.points().to_vec(),
                })
            }
            JobFold::Test { test, trace } => {
                let counts = &self.tally.pentanomial;
                let now = test.sprt.report(counts);
                let corrected = test.sprt.corrected(counts);
                let outlook = (!is_over).then(|| {
                    let outlook = test.sprt.outlook(counts, test.llr, &test.overshoot);
                    OutlookView {
                        pass_probability: outlook.pass_probability,
                        mean_pairs: outlook.mean_pairs,
                        median_pairs: outlook.median_pairs,
                        q95_pairs: outlook.q95_pairs,
                    }
                });
                let bounds = test.bounds();
                ProgressView::Test(TestView {
                    llr: now.llr,
                    lower: bounds.lower,
                    upper: bounds.upper,
                    corrected: Some(CorrectedView {
                        elo: corrected.elo.0,
                        elo_low: corrected.low.0,
                        elo_high: corrected.high.0,
                        los: corrected.los,
                    }),
                    outlook,
                    elo: now.elo.0,
                    elo_low: now.elo_low.0,
                    elo_high: now.elo_high.0,
                    normalized_elo: now.normalized.0,
                    los: now.los,
                    verdict,
                    trace: trace.points().to_vec(),
                })
            }
        }
    }
}

impl TestFold {
    /// Where the test stops now.
    fn bounds(&self) -> SprtBounds {
        self.overshoot.bounds(self.sprt.bounds())
    }

    /// Whether too little chance is left to pass within the budget. Judged after a report only: a
    /// test whose budget is too small from the start shows it by its first.
    fn is_futile(&self, tally: &Tally, asked: Pairs) -> bool {
        let more = asked.0.saturating_sub(tally.pairs().0) as f64;
        self.futility > 0.0
            && tally.pairs().0 > 0
            && self.sprt.power_left(&tally.pentanomial, self.llr, &self.overshoot, more)
                < self.futility
    }
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

fn estimate_view(start: &[f64], estimate: &BqrEstimate) -> TuneEstimate {
    let margin = NORMAL_95 * estimate.gain_deviation.0;
    let way = estimate.centre.iter().zip(start).map(|(centre, start)| (centre - start).abs());
    TuneEstimate {
        deviation: estimate.deviation.clone(),
        signal_to_noise: way
            .zip(&estimate.deviation)
            .map(|(way, deviation)| if way == 0.0 { 0.0 } else { way / deviation.max(1e-12) })
            .collect(),
        gain: estimate.gain.0,
        gain_low: estimate.gain.0 - margin,
        gain_high: estimate.gain.0 + margin,
        remaining_loss: estimate.remaining_loss.0,
        pair_deviation: estimate.pair_deviation.0,
    }
}
