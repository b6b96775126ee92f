//! A race as its author writes it: `[[candidate]]` tables against one `[base]`.

use super::reader::{Reader, Section};
use super::resolve::{Sides, check_values, result_of};
use super::{CandidateFile, Surroundings, hypotheses, run_field};
use crate::spec::{RaceCandidate, RaceSpec, RaceStop, SprtSpec};
use crate::{Finding, Pairs, ParameterSet, RunId};

/// Pairs for each candidate when the file names no budget: as those of a test.
const USUAL_PAIRS: u64 = 20_000;

/// A race, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceFile {
    /// Who shall be better.
    pub candidates: Vec<RaceCandidateFile>,
    /// Whom to beat. `None`: the point where the tunes of the candidates started, or the engine's
    /// defaults when no candidate comes from a tune.
    pub base: Option<ParameterSet>,
    /// Hypotheses, with the α of the whole family.
    pub sprt: SprtSpec,
    /// When it is over.
    pub stop: RaceStop,
    /// Pairs of all candidates together; the race ends here.
    pub max_pairs: Pairs,
}

/// One `[[candidate]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceCandidateFile {
    /// For people.
    pub name: String,
    /// Where its values come from.
    pub from: CandidateFile,
}

impl RaceFile {
    /// The tunes whose results its candidates are.
    pub(super) fn runs(&self) -> Vec<RunId> {
        let run = |candidate: &RaceCandidateFile| match candidate.from {
            CandidateFile::Run(run) => Some(run),
            CandidateFile::Values(_) => None,
        };
        self.candidates.iter().filter_map(run).collect()
    }
}

pub(super) fn race(reader: &mut Reader<'_>, root: &mut Section<'_>) -> RaceFile {
    let sprt = hypotheses(reader, root);
    let candidates: Vec<RaceCandidateFile> = root
        .sections(reader, "candidate")
        .into_iter()
        .map(|section| candidate(reader, section))
        .collect();
    let mut section = root.section(reader, "race").unwrap_or_else(|| Section::absent("race"));
    let usual = USUAL_PAIRS * candidates.len().max(1) as u64;
    let max_pairs = Pairs(section.whole(reader, "max_pairs", Some(usual), 1..=1_000_000_000));
    let stop = section.choice(reader, "stop", Some(RaceStop::First), &RaceStop::ALL);
    section.finish(reader);
    let base = root.values(reader, "base");
    RaceFile { candidates, base, sprt, stop: stop.unwrap_or_default(), max_pairs }
}

fn candidate(reader: &mut Reader<'_>, mut section: Section<'_>) -> RaceCandidateFile {
    let name = section.required_text(reader, "name", "name = \"deeper razoring\"");
    let values = section.values(reader, "values");
    let run = run_field(reader, &mut section, "run");
    let allowed = "values or run, one of the two";
    let from = match (values, run) {
        (Some(values), None) => CandidateFile::Values(values),
        (None, Some(run)) => CandidateFile::Run(run),
        (Some(_), Some(run)) => {
            reader.wrong(&section, "run", "beside values", allowed, "remove one of them");
            CandidateFile::Run(run)
        }
        (None, None) => {
            let mend = "write `values = { lmr_base = 1.25 }`, or `run = 7` with the id of a tune";
            reader.missing(&section, "values", allowed, mend);
            CandidateFile::Values(ParameterSet::default())
        }
    };
    section.finish(reader);
    RaceCandidateFile { name, from }
}

pub(super) fn resolve_race(
    race: &RaceFile,
    around: &Surroundings<'_>,
    known: Sides<'_>,
    findings: &mut Vec<Finding>,
) -> RaceSpec {
    let mut starts: Vec<&ParameterSet> = Vec::new();
    let mut candidates = Vec::new();
    for (i, RaceCandidateFile { name, from }) in race.candidates.iter().enumerate() {
        let (values, run) = match from {
            CandidateFile::Values(values) => {
                let place = format!("candidate[{i}].values");
                check_values(&place, values, known.candidate, findings);
                (values.clone(), None)
            }
            CandidateFile::Run(run) => {
                let tuned = result_of(*run, &format!("candidate[{i}].run"), around, findings);
                starts.extend(tuned.map(|tuned| &tuned.start));
                (tuned.map(|tuned| tuned.suggested.clone()).unwrap_or_default(), Some(*run))
            }
        };
        candidates.push(RaceCandidate { name: name.clone(), values, run });
    }
    let base = match (&race.base, starts.first()) {
        (Some(values), _) => {
            check_values("base", values, known.base, findings);
            values.clone()
        }
        (None, Some(&start)) => {
            if starts.iter().any(|other| *other != start) {
                findings.push(Finding::new(
                    "base",
                    "nothing, and the tunes of the candidates started at different points",
                    "a [base] table",
                    "write [base] with the values that all candidates have to beat",
                ));
            }
            start.clone()
        }
        (None, None) => ParameterSet::default(),
    };
    RaceSpec { candidates, base, sprt: race.sprt, stop: race.stop, max_pairs: race.max_pairs }
}
