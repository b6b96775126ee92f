//! A run and a worker as people see them: one shape for the page, for `--json` and for the watch.
//!
//! Every number here is a fold over the ledger, or is said to be live. The JSON of these types is
//! stable: scripts read it.

use crate::evals::{MoveEval, MoveTime};
use crate::lease::PairIndex;
use crate::spec::{Job, RunSpec};
use crate::trust::Suspicion;
use crate::{GameScore, Nodes, ParameterSet, Ply, RunId, Tally, Termination, WorkerId};
use serde::{Deserialize, Serialize};

/// Where a run is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Leases are given.
    Running,
    /// No leases are given; those out go on. Reversible.
    Paused,
    /// Ended by its own rule: budget or verdict.
    Finished,
    /// Ended by hand.
    Stopped,
}

impl RunState {
    /// Every state.
    pub const ALL: [RunState; 4] =
        [RunState::Running, RunState::Paused, RunState::Finished, RunState::Stopped];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Finished => "finished",
            RunState::Stopped => "stopped",
        }
    }

    /// The state of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        RunState::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether nothing can change any more.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, RunState::Finished | RunState::Stopped)
    }
}

/// What a test or a race said. One stopped by hand has none, and a match never has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The LLR crossed the upper bound; that of some candidate, in a race.
    Accepted,
    /// The LLR crossed the lower bound; that of every candidate, in a race.
    Rejected,
    /// The budget ended between the bounds, or too little chance was left that it would not.
    Inconclusive,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 3] = [Verdict::Accepted, Verdict::Rejected, Verdict::Inconclusive];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// The verdict of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Leases of a run by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseCounts {
    /// Being played.
    pub active: u64,
    /// Every pair merged.
    pub completed: u64,
    /// Given back.
    pub returned: u64,
    /// Leased again after silence.
    pub expired: u64,
    /// Ended with their run.
    pub revoked: u64,
}

/// One point on the way of a tune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunePoint {
    /// Pairs counted by then.
    pub pairs: u64,
    /// The parameters, in the order of the specification.
    pub theta: Vec<f64>,
}

/// One point on the way of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestPoint {
    /// Pairs counted by then.
    pub pairs: u64,
    /// Log-likelihood ratio; none in a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llr: Option<f64>,
    /// Logistic Elo.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_low: f64,
    /// Upper end of its 95 % interval.
    pub elo_high: f64,
}

/// Where a tune stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneView {
    /// The present point, in the order of the specification.
    pub theta: Vec<f64>,
    /// What a user would set: the present point with integers rounded.
    pub suggested: ParameterSet,
    /// How sure the optimiser is; none from one that does not know.
    #[serde(default)]
    pub estimate: Option<TuneEstimate>,
    /// Whether it has converged; none before the first report, and in lists.
    #[serde(default)]
    pub verdict: Option<TuneVerdict>,
    /// What is known of each categorical parameter, in the order of the specification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceOdds>,
    /// The way, thinned out; empty in lists.
    pub trace: Vec<TunePoint>,
}

/// What is known of a parameter with choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChoiceOdds {
    /// The parameter.
    pub name: String,
    /// The probability of each choice to be the best one, from the lowest value up; sum 1.
    pub probabilities: Vec<f64>,
}

/// The chance from which on a parameter is called a placebo.
pub const PLACEBO_CHANCE: f64 = 0.01;

/// How far a tune has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convergence {
    /// Noise alone would look the same.
    NothingShown,
    /// It is on its way.
    Moves,
    /// It has moved, and there is little left or nothing to be seen of it.
    Converged,
}

impl Convergence {
    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Convergence::NothingShown => "nothing shown",
            Convergence::Moves => "still moves",
            Convergence::Converged => "converged",
        }
    }
}

/// Whether a tune has converged, by the rule of its optimiser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneVerdict {
    /// In a word.
    pub convergence: Convergence,
    /// In a line.
    pub why: String,
    /// For each parameter, in the order of the specification, the chance that one that does nothing
    /// would look so; 0 to 1. At [`PLACEBO_CHANCE`] and above it is called a placebo.
    pub chance: Vec<f64>,
    /// For each parameter, the standard deviation of the way that noise alone would have moved it by
    /// now, on the scale of its `c_end`; 0 where that is not known. Empty from an optimiser that says how
    /// sure it is instead, and from a coordinator that does not compute it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<f64>,
}

impl TuneVerdict {
    /// Whether the parameter at this place cannot be told from one that does nothing.
    #[must_use]
    pub fn is_placebo(&self, index: usize) -> bool {
        self.chance.get(index).is_some_and(|chance| *chance >= PLACEBO_CHANCE)
    }
}

/// What an optimiser with a model of the surface knows of its own result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneEstimate {
    /// Standard deviation of each parameter's optimum, in the parameter's own unit and the order of
    /// the specification; ≥ 0.
    pub deviation: Vec<f64>,
    /// The way of each parameter from its start to the suggested value over its deviation; ≥ 0.
    pub signal_to_noise: Vec<f64>,
    /// Predicted strength of the suggested values above the start, Elo.
    pub gain: f64,
    /// What it is at least with 97.5 %.
    pub gain_low: f64,
    /// What it is at most with 97.5 %, if the landscape is as modelled; one that flattens away from
    /// its top gives more.
    pub gain_high: f64,
    /// The Elo that the suggested values are expected to lie below the optimum; ≥ 0.
    pub remaining_loss: f64,
    /// Standard deviation of the result of one pair, Elo; > 0.
    pub pair_deviation: f64,
}

/// Where a test or a match stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestView {
    /// Log-likelihood ratio; none in a match, as the two bounds.
    pub llr: Option<f64>,
    /// Reject at or below: the bound of the error rates, moved inwards by what the reports overshoot.
    pub lower: Option<f64>,
    /// Accept at or above: likewise.
    pub upper: Option<f64>,
    /// Logistic Elo, naive: not corrected for the stopping rule. A match has none to correct for.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_low: f64,
    /// Upper end of its 95 % interval.
    pub elo_high: f64,
    /// Normalised Elo.
    pub normalized_elo: f64,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
    /// Elo freed of the bias of stopping; none in a match, or from a coordinator that does not
    /// compute it.
    #[serde(default)]
    pub corrected: Option<CorrectedView>,
    /// What to expect of the rest; none once the test is over, and in a match.
    #[serde(default)]
    pub outlook: Option<OutlookView>,
    /// What the test said, once it has.
    pub verdict: Option<Verdict>,
    /// The way, thinned out; empty in lists.
    pub trace: Vec<TestPoint>,
}

/// Logistic Elo as a test that stops at its bounds shows it, without bias in the median.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedView {
    /// The estimate.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_low: f64,
    /// Upper end of its 95 % interval.
    pub elo_high: f64,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
}

/// How a running test will probably go on, if its budget does not end it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutlookView {
    /// Probability of acceptance, 0 to 1.
    pub pass_probability: f64,
    /// Mean number of pairs until the verdict.
    pub mean_pairs: f64,
    /// In half of all cases it takes fewer.
    pub median_pairs: f64,
    /// In 95 of 100 cases it takes fewer.
    pub q95_pairs: f64,
}

/// Where a candidate of a race is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateState {
    /// Undecided.
    #[default]
    Open,
    /// Its LLR crossed the upper bound.
    Accepted,
    /// Its LLR crossed the lower bound; it plays no more.
    Rejected,
}

impl CandidateState {
    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CandidateState::Open => "open",
            CandidateState::Accepted => "accepted",
            CandidateState::Rejected => "rejected",
        }
    }
}

/// Where a candidate of a race stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateView {
    /// Its name.
    pub name: String,
    /// Whether it is decided.
    pub state: CandidateState,
    /// Its pairs and games against the base.
    pub tally: Tally,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Reject at or below, the overshoot of its reports taken off.
    pub lower: f64,
    /// Accept at or above: likewise, at the level that its family leaves it.
    pub upper: f64,
    /// Logistic Elo, naive: not corrected for the stopping rule.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub elo_low: f64,
    /// Upper end of its 95 % interval.
    pub elo_high: f64,
    /// Elo freed of the bias of its own stopping.
    pub corrected: CorrectedView,
}

/// Where a race stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceView {
    /// In the order of the specification.
    pub candidates: Vec<CandidateView>,
    /// The accepted candidate with the highest corrected Elo, by its place in `candidates`; none
    /// while no candidate is accepted.
    pub winner: Option<usize>,
    /// What the race said, once it has.
    pub verdict: Option<Verdict>,
}

impl RaceView {
    /// The candidate to name first: the winner or, while there is none, the open one nearest to its
    /// acceptance, or the one that was. None in a race without candidates.
    #[must_use]
    pub fn first(&self) -> Option<&CandidateView> {
        let nearness = |candidate: &CandidateView| {
            let open = candidate.state == CandidateState::Open;
            (u8::from(open), candidate.llr)
        };
        let nearest = || {
            self.candidates.iter().max_by(|a, b| {
                let ((a_open, a_llr), (b_open, b_llr)) = (nearness(a), nearness(b));
                a_open.cmp(&b_open).then(a_llr.total_cmp(&b_llr))
            })
        };
        self.winner.and_then(|place| self.candidates.get(place)).or_else(nearest)
    }
}

/// Tune, test or race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressView {
    /// Of a tune.
    Tune(TuneView),
    /// Of a test or a match.
    Test(TestView),
    /// Of a race.
    Race(RaceView),
}

impl ProgressView {
    /// Leaves the curves out, as lists do.
    pub fn clear_traces(&mut self) {
        match self {
            ProgressView::Tune(tune) => tune.trace.clear(),
            ProgressView::Test(test) => test.trace.clear(),
            ProgressView::Race(_) => {}
        }
    }

    /// What a test or a race said.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            ProgressView::Tune(_) => None,
            ProgressView::Test(test) => test.verdict,
            ProgressView::Race(race) => race.verdict,
        }
    }
}

/// A run as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// Its id.
    pub id: RunId,
    /// `tune`, `test`, `match` or `race`.
    pub kind: String,
    /// Everything that was asked.
    pub spec: RunSpec,
    /// Where it is in its life.
    pub state: RunState,
    /// Why it was paused or stopped; empty otherwise.
    pub state_reason: String,
    /// Milliseconds since 1970, UTC.
    pub created_at_unix_ms: i64,
    /// Milliseconds since 1970, UTC; none while it runs.
    pub ended_at_unix_ms: Option<i64>,
    /// Pairs asked for.
    pub asked_pairs: u64,
    /// Pairs in the ledger.
    pub counted_pairs: u64,
    /// Pairs leased and not in the ledger yet (live).
    pub leased_pairs: u64,
    /// Pairs and games by result.
    pub tally: Tally,
    /// Over the last half minute (live); over its whole life once the run is over.
    pub pairs_per_second: f64,
    /// Seconds until the budget is played at this rate (live); none without a rate.
    pub eta_seconds: Option<f64>,
    /// Leases by state.
    pub leases: LeaseCounts,
    /// Merged reports that count.
    pub reports: u64,
    /// Pairs in the ledger that do not count, because their workers are excluded.
    #[serde(default)]
    pub excluded_pairs: u64,
    /// Reports that do not count.
    #[serde(default)]
    pub excluded_reports: u64,
    /// Its pairs that came out the same when another worker played them.
    #[serde(default)]
    pub audited_pairs: u64,
    /// Its pairs that came out otherwise.
    #[serde(default)]
    pub mismatched_pairs: u64,
    /// The log-likelihood ratio with which a test ended that shows another one now, because reports
    /// were excluded since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_llr: Option<f64>,
    /// What a reader of the figures has to know; empty as a rule.
    #[serde(default)]
    pub warning: String,
    /// Where its job stands.
    pub progress: ProgressView,
}

/// The parameters that lists, pages and the terminal show of one tune at most.
pub const MOST_SHOWN: usize = 200;

impl RunView {
    /// Places of the parameters that moved farthest from their starts, in the order of the
    /// specification; none where there are no more than [`MOST_SHOWN`], or the run is no tune.
    #[must_use]
    pub fn farthest(&self) -> Option<Vec<usize>> {
        let (Job::Tune(spec), ProgressView::Tune(view)) = (&self.spec.job, &self.progress) else {
            return None;
        };
        if spec.parameters.len() <= MOST_SHOWN {
            return None;
        }
        let steps: Vec<f64> =
            spec.parameters.iter().zip(&view.theta).map(|(p, now)| p.steps(*now).abs()).collect();
        let mut places: Vec<usize> = (0..steps.len()).collect();
        places.sort_by(|&a, &b| steps[b].total_cmp(&steps[a]).then(a.cmp(&b)));
        places.truncate(MOST_SHOWN);
        places.sort_unstable();
        Some(places)
    }

    /// The same tune with these of its parameters alone; places that it does not have are passed
    /// over.
    #[must_use]
    pub fn narrowed(&self, places: &[usize]) -> Self {
        let mut run = self.clone();
        if let (Job::Tune(spec), ProgressView::Tune(view)) = (&mut run.spec.job, &mut run.progress)
        {
            fn at<T: Clone>(places: &[usize], list: &[T]) -> Vec<T> {
                places.iter().filter_map(|&place| list.get(place).cloned()).collect()
            }
            spec.parameters = at(places, &spec.parameters);
            view.theta = at(places, &view.theta);
            for point in &mut view.trace {
                point.theta = at(places, &point.theta);
            }
            let suggested = |p: &crate::ParameterDef| {
                view.suggested.get(&p.name).map(|value| (p.name.clone(), value))
            };
            view.suggested = spec.parameters.iter().filter_map(suggested).collect();
            if let Some(estimate) = &mut view.estimate {
                estimate.deviation = at(places, &estimate.deviation);
                estimate.signal_to_noise = at(places, &estimate.signal_to_noise);
            }
            if let Some(verdict) = &mut view.verdict {
                verdict.chance = at(places, &verdict.chance);
                verdict.noise = at(places, &verdict.noise);
            }
            view.choices.retain(|odds| spec.parameters.iter().any(|p| p.name == odds.name));
        }
        run
    }
}

/// The terms by which an open run gets work. Authors with a run that could use work share evenly, the
/// runs of one author by their weights; whoever has used least of its due comes next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareView {
    /// The run.
    pub run: RunId,
    /// Where it is in its life.
    pub state: RunState,
    /// Who filed it; empty for one from before that was written down.
    pub owner: String,
    /// Its weight.
    pub weight: f64,
    /// Authors that share now, this one included.
    pub authors: u32,
    /// The weights of this author's runs that could use work, this one included, together.
    pub author_weight: f64,
    /// The share of all work that follows, 0 to 1.
    pub due_share: f64,
    /// Nodes that it has used since the coordinator began.
    pub used_nodes: f64,
    /// Nodes that all open runs have used since then.
    pub all_nodes: f64,
    /// How far the author is behind one that always had its due, nodes; below 0 when ahead.
    pub author_behind_nodes: f64,
    /// How far the run is behind those of its author, nodes over weight; below 0 when ahead.
    pub run_behind_nodes: f64,
    /// Pairs that can be given now.
    pub open_pairs: u64,
    /// Pairs that are out.
    pub leased_pairs: u64,
    /// Workers with a session.
    pub workers: u32,
    /// Those of them that could play it.
    pub able_workers: u32,
    /// Why others could not, for people, with how many.
    pub hindrances: Vec<(String, u32)>,
}

/// A worker as the coordinator knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerView {
    /// Its id.
    pub id: WorkerId,
    /// For people.
    pub name: String,
    /// Operating system and architecture.
    pub platform: String,
    /// Version of its program.
    pub software_version: String,
    /// Logical cores.
    pub cores: u32,
    /// Games at the same time.
    pub slots: u32,
    /// Whether a session is open.
    pub connected: bool,
    /// Milliseconds since 1970, UTC.
    pub first_seen_unix_ms: i64,
    /// Milliseconds since 1970, UTC.
    pub last_seen_unix_ms: i64,
    /// Of all slots together, as the worker says (live).
    pub nodes_per_second: u64,
    /// Games being played (live).
    pub playing_games: u32,
    /// Leases that it holds.
    pub active_leases: u32,
    /// Its pairs in the ledger.
    pub counted_pairs: u64,
    /// Why it is idle; empty when it is not.
    pub idle_reason: String,
    /// Reports of it that were refused because they contradict their lease, themselves or the rules.
    #[serde(default)]
    pub refused_reports: u64,
    /// What was wrong with the last of them; empty without one.
    #[serde(default)]
    pub last_refusal: String,
    /// Whose it is; empty where its key is not known.
    #[serde(default)]
    pub owner: String,
    /// Why it gets nothing until a person releases it; empty as a rule.
    #[serde(default)]
    pub on_hold: String,
    /// Its pairs that came out the same when another worker played them.
    #[serde(default)]
    pub audited_pairs: u64,
    /// Its pairs that came out otherwise.
    #[serde(default)]
    pub mismatched_pairs: u64,
    /// Whether it is excluded from some run or from all.
    #[serde(default)]
    pub excluded: bool,
    /// What its results say beside those of others (live); none before they were compared.
    #[serde(default)]
    pub suspicion: Option<Suspicion>,
}

/// A game of the ledger with everything that is kept of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameView {
    /// The result for the candidate.
    pub score: GameScore,
    /// Why it ended.
    pub termination: Termination,
    /// Half-moves from the opening.
    pub plies: Ply,
    /// Nodes of both sides.
    pub nodes: Nodes,
    /// The moves in UCI form, separated by one space; none where the run does not keep them.
    pub moves: Option<String>,
    /// What the search said of each move; empty where the run does not keep that.
    pub evals: Vec<MoveEval>,
    /// What each move took, microseconds; empty where the run does not keep that, or the worker did not
    /// say it.
    #[serde(default)]
    pub times: Vec<MoveTime>,
}

/// A pair of the ledger with its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairView {
    /// The run.
    pub run: RunId,
    /// Its place in the run.
    pub pair: PairIndex,
    /// Who played it.
    pub worker: WorkerId,
    /// When it came into the ledger; milliseconds since 1970, UTC.
    pub merged_at_unix_ms: i64,
    /// Where both games start.
    pub opening: String,
    /// The game in which the candidate made the first move.
    pub candidate_first: GameView,
    /// The game in which the base made the first move.
    pub base_first: GameView,
}
