//! The complete specification of a run: what an author asks for, checked.
//!
//! `toml` reads the files of the author into it; the control service carries it; the ledger keeps
//! it as JSON. Every number that decides anything stands in it, so that a run can be recomputed.

mod canaries;
mod keep;
mod optimizer;
mod players;
mod race;
mod stored;

use crate::{
    Adjudication, Finding, FindingList, GameKind, LinearConstraint, MOST_CONSTRAINTS, Nodes, Pairs,
    ParameterDef, ParameterSet, Ply,
};
pub use canaries::{Canaries, UnknownCanaries};
pub use keep::{Keep, KeepMoves, UnknownShare};
pub use optimizer::{
    BQR_MOST_PARAMETERS, BqrSettings, GainRule, OptimizerKind, OptimizerSpec, SpsaSettings,
};
pub use players::{
    EngineSpec, ExternalEngine, MOST_ARTEFACT_BYTES, MOST_MANIFEST_BYTES, PlayerSpec, Players,
};
pub use race::{MOST_CANDIDATES, RaceCandidate, RaceSpec, RaceStop};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The parameters that a tune may move at most.
pub const MOST_PARAMETERS: usize = 10_000;

/// How far one search may go and how long a game may last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameLimit {
    /// Nodes for each move of either side; where [`RunSpec::players`] say what each may spend, about
    /// what a move costs.
    pub nodes: Nodes,
    /// A game that reaches this length is a draw.
    pub max_plies: Ply,
    /// Transposition table of each engine, in KiB.
    pub hash_kib: u32,
    /// What ends games before the rules do.
    #[serde(default, skip_serializing_if = "Adjudication::is_off")]
    pub adjudication: Adjudication,
}

impl GameLimit {
    /// Games that are played to their end.
    #[must_use]
    pub const fn new(nodes: Nodes, max_plies: Ply, hash_kib: u32) -> Self {
        Self { nodes, max_plies, hash_kib, adjudication: Adjudication::OFF }
    }
}

/// How a run takes its openings from its book; either way each once before any comes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BookOrder {
    /// In an order drawn from the seed, and in another each time through the book.
    #[default]
    Random,
    /// As they stand.
    Sequential,
}

impl BookOrder {
    /// Every order with its name.
    pub const ALL: [(&'static str, BookOrder); 2] =
        [("random", BookOrder::Random), ("sequential", BookOrder::Sequential)];

    fn is_usual(&self) -> bool {
        *self == BookOrder::Random
    }
}

/// A run as asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// For people; 1 to 120 characters.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// Everything random in the run comes from this.
    pub seed: u64,
    /// Share of the cluster against other runs; > 0.
    pub weight: f64,
    /// Limits of the games.
    pub limit: GameLimit,
    /// SHA-256 of the opening book, in lower-case hex.
    pub book: String,
    /// How the openings are taken from it.
    #[serde(default, skip_serializing_if = "BookOrder::is_usual")]
    pub book_order: BookOrder,
    /// Pairs of one lease; in a tune, the pairs that share one perturbation.
    pub lease_pairs: u32,
    /// How long a lease of a test, match or race shall take, in seconds: 30 to 120. A lease has fewer
    /// than `lease_pairs` where its worker would need longer.
    #[serde(default = "usual_lease_seconds", skip_serializing_if = "is_usual_lease")]
    pub lease_seconds: u32,
    /// What the ledger keeps of the games.
    #[serde(default)]
    pub keep: Keep,
    /// How often the base plays itself besides.
    #[serde(default, skip_serializing_if = "Canaries::is_usual")]
    pub canaries: Canaries,
    /// Who plays, where it is not the engine built in on both sides under `limit.nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// What the games are for.
    pub job: Job,
}

/// How long a lease shall take where nobody says it, in seconds.
pub const USUAL_LEASE_SECONDS: u32 = 60;

fn usual_lease_seconds() -> u32 {
    USUAL_LEASE_SECONDS
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_usual_lease(seconds: &u32) -> bool {
    *seconds == USUAL_LEASE_SECONDS
}

/// What the games of a run are for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Job {
    /// Move parameters uphill.
    Tune(TuneSpec),
    /// Accept or reject a candidate, or measure it.
    Test(TestSpec),
    /// Accept or reject several candidates, one family.
    Race(RaceSpec),
}

impl Job {
    /// `tune`, `test`, `match` (a test without hypotheses) or `race`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Job::Tune(_) => "tune",
            Job::Test(test) if test.sprt.is_none() => "match",
            Job::Test(_) => "test",
            Job::Race(_) => "race",
        }
    }

    /// The pairs asked for; a test or a race may end before.
    #[must_use]
    pub fn pairs_asked(&self) -> Pairs {
        match self {
            Job::Tune(tune) => tune.pairs,
            Job::Test(test) => test.max_pairs,
            Job::Race(race) => race.max_pairs,
        }
    }

    /// The same job with another budget.
    pub fn ask_pairs(&mut self, pairs: Pairs) {
        match self {
            Job::Tune(tune) => tune.pairs = pairs,
            Job::Test(test) => test.max_pairs = pairs,
            Job::Race(race) => race.max_pairs = pairs,
        }
    }
}

/// An optimiser at work on a parameter space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "stored::TuneJson", into = "stored::TuneJson")]
pub struct TuneSpec {
    /// Budget.
    pub pairs: Pairs,
    /// What the author asked to move the parameters with; [`TuneSpec::acting`] is what does.
    pub optimizer: OptimizerSpec,
    /// The parameters that move.
    pub parameters: Vec<ParameterDef>,
    /// What the point and both sides of every probe keep to.
    pub constraints: Vec<LinearConstraint>,
    /// Values of parameters that stay; what stands in neither list keeps the engine's default.
    pub fixed: ParameterSet,
    /// The run whose state this one began with, if it did not begin afresh.
    pub forked_from: Option<Fork>,
}

/// Where a tune branched off another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// The run that it continues.
    pub run: crate::RunId,
    /// Pairs of that run, and of those that it continues itself, in the state taken over. Gains that
    /// fall with the pairs go on from there.
    pub pairs: Pairs,
}

/// On which scale the two hypotheses of a test are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Normalised Elo: the length of a test does not depend on the draw ratio.
    Normalized,
    /// Logistic Elo.
    Logistic,
}

impl EloModel {
    /// `normalized` or `logistic`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EloModel::Normalized => "normalized",
            EloModel::Logistic => "logistic",
        }
    }
}

/// The hypotheses and error rates of a sequential probability ratio test (A. Wald, 1945).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtSpec {
    /// The candidate is not worth it at this strength.
    pub elo0: f64,
    /// The candidate is worth it at this strength; more than `elo0`.
    pub elo1: f64,
    /// Chance to accept at `elo0`.
    pub alpha: f64,
    /// Chance to reject at `elo1`.
    pub beta: f64,
    /// Scale of the two.
    pub model: EloModel,
}

/// A candidate against a base: a sequential test, or a match of fixed length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestSpec {
    /// Values of the candidate that differ from the engine's defaults.
    pub candidate: ParameterSet,
    /// Values of the base that differ from the engine's defaults.
    pub base: ParameterSet,
    /// The tune whose result the candidate is, if it is one.
    pub candidate_run: Option<crate::RunId>,
    /// Hypotheses; none in a match, which plays all its pairs and measures.
    pub sprt: Option<SprtSpec>,
    /// The test ends without a verdict here; the pairs of a match.
    pub max_pairs: Pairs,
    /// The test also ends without a verdict when a candidate as strong as `elo1` would be accepted
    /// within the budget with a probability below this; 0, which is never, to 0.5.
    #[serde(default)]
    pub futility: f64,
}

impl RunSpec {
    /// The share of its leases that are followed by one of the base against itself: what is asked for,
    /// else one in a hundred, and none where games are checked by playing them again.
    #[must_use]
    pub fn canary_share(&self) -> f64 {
        let usual = if self.is_repeatable() { 0 } else { 10_000 };
        f64::from(self.canaries.in_million().unwrap_or(usual)) / 1e6
    }

    /// Checks everything that can be checked without the engine and the book.
    ///
    /// # Errors
    /// Every finding, with its place in the author's file.
    pub fn check(&self) -> Result<(), FindingList> {
        let mut findings = Vec::new();
        let name_chars = self.name.chars().count();
        if !(1..=120).contains(&name_chars) || self.name.chars().any(char::is_control) {
            findings.push(Finding::new(
                "name",
                format!("`{}`", crate::printable(&self.name, 60)),
                "1 to 120 printable characters",
                "give the run a short name",
            ));
        }
        between(&mut findings, "weight", self.weight, 0.001, 1000.0);
        between(&mut findings, "limit.nodes", self.limit.nodes.0, 1, 1_000_000_000);
        between(&mut findings, "limit.max_plies", self.limit.max_plies.0, 2, 2_000);
        between(&mut findings, "limit.hash_kib", self.limit.hash_kib, 16, 4_194_304);
        self.limit.adjudication.check(self.game, &mut findings);
        between(&mut findings, "lease_pairs", self.lease_pairs, 1, 1_000);
        between(&mut findings, "lease_seconds", self.lease_seconds, 30, 120);
        if self.book.len() != 64 || !self.book.chars().all(|c| c.is_ascii_hexdigit()) {
            findings.push(Finding::new(
                "book",
                format!("`{}`", crate::printable(&self.book, 70)),
                "64 hexadecimal digits",
                "let the command line compute the hash of the book",
            ));
        }
        if let Some(players) = &self.players {
            players.check(self.game, &mut findings);
        }
        let alike = self.players.as_ref().is_none_or(Players::are_alike);
        match &self.job {
            Job::Tune(tune) => {
                tune.check(&mut findings);
                if !alike {
                    findings.push(Finding::new(
                        "base_engine",
                        "another engine or limit than the candidate's",
                        "the same on both sides of a tune",
                        "name one `engine` and one [limit]",
                    ));
                }
            }
            Job::Test(test) => test.check(alike, &mut findings),
            Job::Race(race) => race.check(alike, &mut findings),
        }
        if findings.is_empty() { Ok(()) } else { Err(FindingList(findings)) }
    }

    /// Every parameter name that the engine built into a worker must know to play this run. What
    /// programs of others know is for them to say.
    #[must_use]
    pub fn parameter_names(&self) -> BTreeSet<&str> {
        let is_builtin = |side: fn(&Players) -> &PlayerSpec| {
            let engine = self.players.as_ref().map(|players| &side(players).engine);
            engine.is_none_or(|engine| *engine == EngineSpec::Builtin)
        };
        fn keys(set: &ParameterSet) -> impl Iterator<Item = &str> {
            set.0.keys().map(String::as_str)
        }
        let mut names = BTreeSet::new();
        if is_builtin(|players| &players.candidate) {
            match &self.job {
                Job::Tune(tune) => {
                    names.extend(tune.parameters.iter().map(|p| p.name.as_str()));
                    names.extend(keys(&tune.fixed));
                }
                Job::Test(test) => names.extend(keys(&test.candidate)),
                Job::Race(race) => {
                    names.extend(race.candidates.iter().flat_map(|c| keys(&c.values)))
                }
            }
        }
        if is_builtin(|players| &players.base) {
            match &self.job {
                // Both sides of a tune are one engine.
                Job::Tune(_) => {}
                Job::Test(test) => names.extend(keys(&test.base)),
                Job::Race(race) => names.extend(keys(&race.base)),
            }
        }
        names
    }

    /// Who plays and with what means, in a line: `2000 nodes a move`, or what the players are.
    #[must_use]
    pub fn means(&self) -> String {
        let who = match &self.players {
            None => format!("{} nodes a move", self.limit.nodes),
            Some(players) => players.to_string(),
        };
        match self.limit.adjudication {
            rules if rules.is_off() => who,
            rules => format!("{who}; {rules}"),
        }
    }

    /// Whether reports must tell what was thought of each move: it is kept, or games end by it.
    #[must_use]
    pub fn needs_evals(&self) -> bool {
        self.keep.evals || self.limit.adjudication.is_by_score()
    }

    /// Whether it needs programs of others.
    #[must_use]
    pub fn has_externals(&self) -> bool {
        self.players.as_ref().is_some_and(|players| players.externals().next().is_some())
    }

    /// Whether its games are the same whenever and wherever they are played: the engine built in on
    /// both sides, and no limit of time.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        !self.has_externals() && self.players.as_ref().is_none_or(|players| !players.is_timed())
    }
}

impl TuneSpec {
    /// Pairs that were in the state with which the run began.
    #[must_use]
    pub fn pairs_before(&self) -> Pairs {
        self.forked_from.map_or(Pairs(0), |fork| fork.pairs)
    }

    /// The optimiser that moves the parameters: the one asked for or, with more than
    /// [`BQR_MOST_PARAMETERS`], `spsa` with its usual settings in place of `bqr`.
    #[must_use]
    pub fn acting(&self) -> OptimizerSpec {
        match self.optimizer {
            OptimizerSpec::Bqr(_) if self.parameters.len() > BQR_MOST_PARAMETERS => {
                OptimizerSpec::default()
            }
            asked => asked,
        }
    }

    /// Why another optimiser acts than the one asked for, in a sentence; none if it is the same.
    #[must_use]
    pub fn handed_over(&self) -> Option<String> {
        let (asked, acting) = (self.optimizer.kind(), self.acting().kind());
        (asked != acting).then(|| {
            format!(
                "{} parameters are moved by {acting}: {asked} takes at most {BQR_MOST_PARAMETERS}",
                self.parameters.len()
            )
        })
    }

    fn check(&self, findings: &mut Vec<Finding>) {
        between(findings, "tune.pairs", self.pairs.0, 1, 1_000_000_000);
        self.optimizer.check("tune", findings);
        if self.parameters.is_empty() || self.parameters.len() > MOST_PARAMETERS {
            findings.push(Finding::new(
                "parameter",
                format!("{} of them", self.parameters.len()),
                format!("1 to {MOST_PARAMETERS}"),
                "add [[parameter]] tables; `elomill params --game GAME --format toml` prints them",
            ));
        }
        let mut seen = BTreeSet::new();
        for (i, parameter) in self.parameters.iter().enumerate() {
            if let Err(mut wrong) = parameter.check(&format!("parameter[{i}]")) {
                findings.append(&mut wrong);
            }
            let twice = !seen.insert(parameter.name.as_str());
            if twice || self.fixed.get(&parameter.name).is_some() {
                findings.push(Finding::new(
                    format!("parameter[{i}].name"),
                    format!("`{}` a second time", crate::printable(&parameter.name, 40)),
                    "each parameter once, in [[parameter]] or in [fixed]",
                    "remove one of the two",
                ));
            }
        }
        check_set(findings, "fixed", &self.fixed);
        if self.constraints.len() > MOST_CONSTRAINTS {
            findings.push(Finding::new(
                "constraint",
                format!("{} of them", self.constraints.len()),
                format!("at most {MOST_CONSTRAINTS}"),
                "remove some",
            ));
        }
        for (i, constraint) in self.constraints.iter().enumerate().take(MOST_CONSTRAINTS) {
            constraint.check(&format!("constraint[{i}]"), &self.parameters, findings);
        }
    }
}

impl TestSpec {
    /// `alike`: both sides are the same engine with the same means.
    fn check(&self, alike: bool, findings: &mut Vec<Finding>) {
        let budget = if self.sprt.is_some() { "test.max_pairs" } else { "test.pairs" };
        between(findings, budget, self.max_pairs.0, 1, 1_000_000_000);
        between(findings, "test.futility", self.futility, 0.0, 0.5);
        check_set(findings, "candidate", &self.candidate);
        check_set(findings, "base", &self.base);
        if alike && self.candidate == self.base {
            findings.push(Finding::new(
                "candidate",
                "the same values as base",
                "at least one value that differs",
                "change the candidate; a test of a set against itself tells nothing",
            ));
        }
        match &self.sprt {
            Some(sprt) => sprt.check(findings),
            None if self.futility > 0.0 => findings.push(Finding::new(
                "test.futility",
                format!("{} in a match of fixed length", self.futility),
                "only with hypotheses",
                "remove it: all pairs of a match are played",
            )),
            None => {}
        }
    }
}

impl SprtSpec {
    fn check(&self, findings: &mut Vec<Finding>) {
        let SprtSpec { elo0, elo1, alpha, beta, .. } = *self;
        between(findings, "sprt.elo0", elo0, -400.0, 400.0);
        between(findings, "sprt.elo1", elo1, -400.0, 400.0);
        if elo0 >= elo1 {
            findings.push(Finding::new(
                "sprt.elo1",
                format!("{elo1} (elo0 is {elo0})"),
                "more than elo0",
                "0 and 5 suit a young engine, 0 and 2 a mature one",
            ));
        }
        between(findings, "sprt.alpha", alpha, 0.0001, 0.4);
        between(findings, "sprt.beta", beta, 0.0001, 0.4);
    }
}

fn check_set(findings: &mut Vec<Finding>, place: &str, set: &ParameterSet) {
    for (name, value) in &set.0 {
        let name_ok = !name.is_empty()
            && name.len() <= 64
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !name_ok || !value.is_finite() {
            findings.push(Finding::new(
                format!("{place}.{}", crate::printable(name, 40)),
                format!("{value}"),
                "a name of letters, digits and `_`, and a finite number",
                "use the names that `elomill params` prints",
            ));
        }
    }
}

fn between<T: PartialOrd + std::fmt::Display>(
    findings: &mut Vec<Finding>,
    place: &str,
    value: T,
    low: T,
    high: T,
) {
    // Written so that NaN fails.
    let inside = value >= low && value <= high;
    if !inside {
        findings.push(Finding::new(
            place,
            value.to_string(),
            format!("{low} to {high}"),
            "choose a value in this range",
        ));
    }
}
