//! Adds to a file what only its caller knows, and checks the file against it.

use super::players::KnownEngine;
use super::race::resolve_race;
use super::reader::nearest;
use super::{CandidateFile, JobFile, ParameterFile, RunFile, TestFile, TuneFile};
use crate::spec::{Job, OptimizerKind, OptimizerSpec, RunSpec, TestSpec, TuneSpec};
use crate::{
    Finding, FindingList, Nodes, ParameterDef, ParameterKind, ParameterSet, RunId, printable,
};
use std::collections::BTreeMap;

/// The learning rate of a parameter for which neither file nor engine names one: the usual choice
/// for long tunes.
const USUAL_R_END: f64 = 0.002;
/// The Elo that the best of several choices is expected to be ahead when the file does not say.
const USUAL_CHOICE_ELO: f64 = 5.0;

/// What a file is read against.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// Every parameter of the engine, with its default as `start`.
    pub known: &'a [ParameterDef],
    /// SHA-256 of the opening book, in lower-case hex.
    pub book_sha256: String,
    /// The tunes that [`RunFile::candidate_runs`] names.
    pub tuned: Vec<Tuned>,
    /// The published engines that [`RunFile::engine_names`] names, or all.
    pub engines: Vec<KnownEngine>,
    /// Nodes a second of the benchmark of the engine built in on this machine, for times for which
    /// the file names none.
    pub speed: Option<Nodes>,
}

/// What a test needs of the tune whose result it tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The tune.
    pub run: RunId,
    /// Where it started, its fixed values included.
    pub start: ParameterSet,
    /// What it suggests, its fixed values included.
    pub suggested: ParameterSet,
}

/// The engine's parameters by name: a tune may have thousands.
struct Known<'a>(BTreeMap<&'a str, &'a ParameterDef>);

impl<'a> Known<'a> {
    fn new(known: &'a [ParameterDef]) -> Self {
        Self(known.iter().map(|def| (def.name.as_str(), def)).collect())
    }

    fn get(&self, name: &str) -> Option<&'a ParameterDef> {
        self.0.get(name).copied()
    }
}

/// What the engines of both sides know.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) candidate: &'a [ParameterDef],
    pub(super) base: &'a [ParameterDef],
}

pub(super) fn resolve(file: &RunFile, around: &Surroundings<'_>) -> Result<RunSpec, FindingList> {
    let mut findings = Vec::new();
    let players = file.players.resolve(around, &mut findings);
    let known = Sides {
        candidate: around.known_by(&file.players.candidate),
        base: around.known_by(&file.players.base),
    };
    let job = match &file.job {
        JobFile::Tune(tune) => Job::Tune(resolve_tune(tune, known.candidate, &mut findings)),
        JobFile::Test(test) => Job::Test(resolve_test(test, around, known, &mut findings)),
        JobFile::Race(race) => Job::Race(resolve_race(race, around, known, &mut findings)),
    };
    let spec = RunSpec {
        name: file.name.clone(),
        game: file.game,
        seed: file.seed,
        weight: file.weight,
        limit: file.limit,
        book: around.book_sha256.clone(),
        book_order: file.book_order,
        lease_pairs: file.lease_pairs,
        lease_seconds: file.lease_seconds,
        keep: file.keep,
        canaries: file.canaries,
        players,
        job,
    };
    if let Err(FindingList(more)) = spec.check() {
        // What the engine already objected to is not said twice.
        let new = |finding: &Finding| !findings.iter().any(|old| old.place == finding.place);
        let more: Vec<Finding> = more.into_iter().filter(new).collect();
        findings.extend(more);
    }
    if findings.is_empty() {
        return Ok(spec);
    }
    file.lines.mark(&mut findings);
    Err(FindingList(findings))
}

fn resolve_tune(tune: &TuneFile, known: &[ParameterDef], findings: &mut Vec<Finding>) -> TuneSpec {
    let by_name = Known::new(known);
    let parameters = tune
        .parameters
        .iter()
        .enumerate()
        .map(|(i, parameter)| fill(&format!("parameter[{i}]"), parameter, &by_name, findings))
        .collect();
    check_values("fixed", &tune.fixed, known, findings);
    TuneSpec {
        pairs: tune.pairs,
        optimizer: match tune.optimizer {
            OptimizerKind::Spsa => OptimizerSpec::Spsa(tune.spsa),
            OptimizerKind::Bqr => OptimizerSpec::Bqr(tune.bqr),
        },
        parameters,
        constraints: tune.constraints.clone(),
        fixed: tune.fixed.clone(),
        forked_from: None,
    }
}

fn resolve_test(
    test: &TestFile,
    around: &Surroundings<'_>,
    known: Sides<'_>,
    findings: &mut Vec<Finding>,
) -> TestSpec {
    let (candidate, candidate_run, start) = match &test.candidate {
        CandidateFile::Values(values) => {
            check_values("candidate", values, known.candidate, findings);
            (values.clone(), None, ParameterSet::default())
        }
        CandidateFile::Run(run) => {
            let tuned = result_of(*run, "candidate_run", around, findings);
            let (suggested, start) = tuned
                .map(|tuned| (tuned.suggested.clone(), tuned.start.clone()))
                .unwrap_or_default();
            (suggested, Some(*run), start)
        }
    };
    let base = match &test.base {
        Some(values) => {
            check_values("base", values, known.base, findings);
            values.clone()
        }
        None => start,
    };
    TestSpec {
        candidate,
        base,
        candidate_run,
        sprt: test.sprt,
        max_pairs: test.max_pairs,
        futility: test.futility,
    }
}

/// What a tune suggests, of those that are known here.
pub(super) fn result_of<'a>(
    run: RunId,
    place: &str,
    around: &'a Surroundings<'_>,
    findings: &mut Vec<Finding>,
) -> Option<&'a Tuned> {
    let tuned = around.tuned.iter().find(|tuned| tuned.run == run);
    if tuned.is_none() {
        findings.push(Finding::new(
            place,
            format!("{run}, whose result is not known here"),
            "the id of a tune",
            "`elomill runs list` shows the ids",
        ));
    }
    tuned
}

/// The whole definition of a parameter. One that the engine does not know is a finding, and keeps
/// its place in the list with numbers that are no findings.
fn fill(
    place: &str,
    parameter: &ParameterFile,
    known: &Known<'_>,
    findings: &mut Vec<Finding>,
) -> ParameterDef {
    let Some(def) = known.get(&parameter.name) else {
        findings.push(unknown(format!("{place}.name"), &parameter.name, known));
        return ParameterDef {
            name: parameter.name.clone(),
            kind: ParameterKind::Float,
            start: 0.0,
            min: -1.0,
            max: 1.0,
            c_end: 0.1,
            r_end: USUAL_R_END,
        };
    };
    let kind = parameter.kind.unwrap_or(def.kind);
    let start = parameter.start.unwrap_or(def.start);
    // The engine's own is in the unit of the value.
    let usual_c_end = match kind {
        ParameterKind::Categorical => USUAL_CHOICE_ELO,
        kind if kind.is_logarithmic() && start > 0.0 => def.c_end / start,
        _ => def.c_end,
    };
    let filled = ParameterDef {
        name: parameter.name.clone(),
        kind,
        start,
        min: parameter.min.unwrap_or(def.min),
        max: parameter.max.unwrap_or(def.max),
        c_end: parameter
            .c_end
            .unwrap_or_else(|| usual_c_end * parameter.c_end_factor.unwrap_or(1.0)),
        r_end: parameter.r_end.unwrap_or(if def.r_end > 0.0 { def.r_end } else { USUAL_R_END }),
    };
    if filled.kind.in_engine() != def.kind {
        let fitting = ParameterKind::ALL.iter().filter(|(_, kind)| kind.in_engine() == def.kind);
        let names: Vec<&str> = fitting.map(|(name, _)| *name).collect();
        findings.push(Finding::new(
            format!("{place}.kind"),
            filled.kind.name(),
            format!("{}: the engine has {} here", names.join(", "), def.kind.name()),
            "leave `kind` out",
        ));
    }
    for (field, value) in [("min", filled.min), ("max", filled.max)] {
        if !(def.min..=def.max).contains(&value) {
            findings.push(Finding::new(
                format!("{place}.{field}"),
                value.to_string(),
                format!("{} to {}, the engine's range of `{}`", def.min, def.max, def.name),
                "stay in the range that `elomill params` prints",
            ));
        }
    }
    filled
}

/// Checks values against the engine's ranges.
pub(super) fn check_values(
    place: &str,
    values: &ParameterSet,
    known: &[ParameterDef],
    findings: &mut Vec<Finding>,
) {
    let known = &Known::new(known);
    for (name, &value) in &values.0 {
        let place = format!("{place}.{}", printable(name, 40));
        let Some(def) = known.get(name) else {
            findings.push(unknown(place, name, known));
            continue;
        };
        let whole = def.kind.is_whole();
        if !(def.min..=def.max).contains(&value) || (whole && value.fract() != 0.0) {
            findings.push(Finding::new(
                place,
                value.to_string(),
                format!(
                    "a{} number from {} to {}",
                    if whole { " whole" } else { "" },
                    def.min,
                    def.max
                ),
                "stay in the range that `elomill params` prints",
            ));
        }
    }
}

fn unknown(place: String, name: &str, known: &Known<'_>) -> Finding {
    let names: Vec<&str> = known.0.values().map(|def| def.name.as_str()).collect();
    let mend = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use a name that `elomill params` prints".to_owned(),
    };
    let found = format!("`{}`, which the engine does not have", printable(name, 40));
    Finding::new(place, found, names.join(", "), mend)
}
