//! The state of a run as a fold over its ledger.
//!
//! Live merging, recovery after a crash and `runs replay` all go through [`Fold::apply`] and
//! nothing else, so they cannot differ. Its result depends on the specification and the order of
//! the reports alone.

use model::spec::{Job, RunSpec, TuneSpec};
use model::view::{ProgressView, TestPoint, TestView, TunePoint, TuneView, Verdict};
use model::{FindingList, Pairs, ReportId, Tally};
use serde::{Deserialize, Serialize};
use stats::{SprtDecision, SprtReport};
use tune::{Optimizer, ParameterSpace, Perturbation, Spsa, SpsaConfig, SpsaState, TuneError};

/// Points that a curve keeps at most. When it is full every second point goes.
const TRACE_POINTS: usize = 256;

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
    Tune { spsa: Spsa, trace: Trace<TunePoint> },
    Test { sprt: stats::SprtSpec, llr: f64, trace: Trace<TestPoint> },
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
    Tune { spsa: SpsaState, trace: Trace<TunePoint> },
    Test { llr: f64, trace: Trace<TestPoint> },
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
                let spsa = spsa(tune, spec.seed).map_err(FoldError::Spec)?;
                let mut trace = Trace::new();
                trace.push(0, || TunePoint { pairs: 0, theta: spsa.theta().to_vec() });
                JobFold::Tune { spsa, trace }
            }
            Job::Test(test) => {
                JobFold::Test { sprt: test.sprt.into(), llr: 0.0, trace: Trace::new() }
            }
        };
        Ok(Self { tally: Tally::default(), reports: 0, last_report: ReportId(0), job })
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
            (JobFold::Tune { spsa, .. }, JobSnapshot::Tune { spsa: state, trace }) => {
                JobFold::Tune { spsa: spsa.with_state(state)?, trace }
            }
            (JobFold::Test { sprt, .. }, JobSnapshot::Test { llr, trace }) => {
                JobFold::Test { sprt, llr, trace }
            }
            _ => return Err(unreadable("it is of another kind of run".to_owned())),
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
            JobFold::Tune { spsa, trace } => {
                JobSnapshot::Tune { spsa: spsa.state().clone(), trace: trace.clone() }
            }
            JobFold::Test { llr, trace, .. } => {
                JobSnapshot::Test { llr: *llr, trace: trace.clone() }
            }
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
            JobFold::Tune { spsa, trace } => {
                let probe = probe.ok_or(FoldError::Unreadable {
                    what: "the probe of a lease",
                    found: "there is none".to_owned(),
                })?;
                spsa.tell(probe, new.pairs(), new.pentanomial.balance())?;
                trace.push(pairs, || TunePoint { pairs, theta: spsa.theta().to_vec() });
            }
            JobFold::Test { sprt, llr, trace } => {
                let SprtReport { llr: now, elo, elo_low, elo_high, .. } =
                    sprt.report(&tally.pentanomial);
                *llr = now;
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
            JobFold::Test { sprt, llr, .. } => {
                let verdict = match stats::decide(*llr, sprt.bounds()) {
                    SprtDecision::AcceptH1 => Verdict::Accepted,
                    SprtDecision::AcceptH0 => Verdict::Rejected,
                    SprtDecision::Continue if spent => Verdict::Inconclusive,
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
            JobFold::Tune { spsa, .. } => Some(spsa.ask(block)),
            JobFold::Test { .. } => None,
        }
    }

    /// The log-likelihood ratio, in a test.
    #[must_use]
    pub fn llr(&self) -> Option<f64> {
        match &self.job {
            JobFold::Tune { .. } => None,
            JobFold::Test { llr, .. } => Some(*llr),
        }
    }

    /// The optimiser's state as JSON, in a tune.
    #[must_use]
    pub fn point(&self) -> Option<String> {
        match &self.job {
            JobFold::Tune { spsa, .. } => {
                Some(serde_json::to_string(spsa.state()).expect("a state is plain data"))
            }
            JobFold::Test { .. } => None,
        }
    }

    /// The state for people.
    #[must_use]
    pub fn view(&self, verdict: Option<Verdict>) -> ProgressView {
        match &self.job {
            JobFold::Tune { spsa, trace } => ProgressView::Tune(TuneView {
                theta: spsa.theta().to_vec(),
                suggested: spsa.suggested(),
                trace: trace.points.clone(),
            }),
            JobFold::Test { sprt, trace, .. } => {
                let now = sprt.report(&self.tally.pentanomial);
                ProgressView::Test(TestView {
                    llr: now.llr,
                    lower: now.lower,
                    upper: now.upper,
                    elo: now.elo.0,
                    elo_low: now.elo_low.0,
                    elo_high: now.elo_high.0,
                    normalized_elo: now.normalized.0,
                    los: now.los,
                    verdict,
                    trace: trace.points.clone(),
                })
            }
        }
    }
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

fn spsa(tune: &TuneSpec, seed: u64) -> Result<Spsa, FindingList> {
    let config = SpsaConfig {
        alpha: tune.alpha,
        gamma: tune.gamma,
        a_ratio: tune.a_ratio,
        pairs_total: tune.pairs,
    };
    Spsa::new(ParameterSpace::new(tune.parameters.clone())?, config, seed)
}

/// A curve of bounded length: points at least `spacing` pairs apart, and always the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Trace<P> {
    spacing: u64,
    next_at: u64,
    points: Vec<P>,
}

impl<P> Trace<P> {
    fn new() -> Self {
        Self { spacing: 1, next_at: 0, points: Vec::new() }
    }

    fn push(&mut self, pairs: u64, point: impl FnOnce() -> P) {
        if pairs < self.next_at {
            return;
        }
        if self.points.len() == TRACE_POINTS {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.spacing = (2 * self.spacing).max(pairs / TRACE_POINTS as u64);
        }
        self.points.push(point());
        self.next_at = pairs + self.spacing;
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn a_curve_stays_short_and_keeps_its_first_point() {
        let mut trace = Trace::new();
        for pairs in 0..100_000 {
            trace.push(pairs, || pairs);
        }
        assert!(trace.points.len() <= super::TRACE_POINTS);
        assert!(trace.points.len() >= super::TRACE_POINTS / 4);
        assert_eq!(trace.points[0], 0);
        assert!(trace.points.is_sorted());
    }
}
