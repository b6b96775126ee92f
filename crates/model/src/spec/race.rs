//! Several candidates against one base, as one sequential family.

use super::{SprtSpec, between, check_set};
use crate::{Finding, Pairs, ParameterSet, RunId, printable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Candidates of one race: enough for every idea of a night, few enough to tell apart on a page.
pub const MOST_CANDIDATES: usize = 64;

/// When a race is over, if its budget does not end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RaceStop {
    /// With the first candidate that is accepted, or when all are rejected.
    #[default]
    First,
    /// When every candidate is accepted or rejected.
    All,
}

impl RaceStop {
    /// Every rule with its stable name.
    pub const ALL: [(&'static str, RaceStop); 2] =
        [("first", RaceStop::First), ("all", RaceStop::All)];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RaceStop::First => "first",
            RaceStop::All => "all",
        }
    }
}

/// One of the candidates of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceCandidate {
    /// For people; 1 to 40 characters, once in its race.
    pub name: String,
    /// Its values that differ from the engine's defaults.
    pub values: ParameterSet,
    /// The tune whose result it is, if it is one.
    pub run: Option<RunId>,
}

/// Several candidates against one base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceSpec {
    /// Who shall be better than the base; 2 to [`MOST_CANDIDATES`].
    pub candidates: Vec<RaceCandidate>,
    /// Values of the base that differ from the engine's defaults.
    pub base: ParameterSet,
    /// Hypotheses of each candidate. `alpha` is that of the whole family: the chance to accept any
    /// candidate that is no better than `elo0`. `beta` is that of each candidate.
    pub sprt: SprtSpec,
    /// When it is over.
    pub stop: RaceStop,
    /// Pairs of all candidates together; the race ends here.
    pub max_pairs: Pairs,
}

impl RaceSpec {
    /// `alike`: both sides are the same engine with the same means.
    pub(super) fn check(&self, alike: bool, findings: &mut Vec<Finding>) {
        between(findings, "race.max_pairs", self.max_pairs.0, 1, 1_000_000_000);
        self.sprt.check(findings);
        check_set(findings, "base", &self.base);
        if !(2..=MOST_CANDIDATES).contains(&self.candidates.len()) {
            findings.push(Finding::new(
                "candidate",
                format!("{} of them", self.candidates.len()),
                format!("2 to {MOST_CANDIDATES}"),
                "add [[candidate]] tables; a single one is a test, with [candidate]",
            ));
        }
        let mut names = BTreeSet::new();
        for (i, candidate) in self.candidates.iter().enumerate() {
            let place = format!("candidate[{i}]");
            let chars = candidate.name.chars().count();
            let printable_name = !candidate.name.chars().any(char::is_control);
            if !(1..=40).contains(&chars) || !printable_name || !names.insert(&candidate.name) {
                findings.push(Finding::new(
                    format!("{place}.name"),
                    format!("`{}`", printable(&candidate.name, 40)),
                    "1 to 40 printable characters that no other candidate has",
                    "give each candidate a name of its own",
                ));
            }
            check_set(findings, &format!("{place}.values"), &candidate.values);
            let same_as = if alike && candidate.values == self.base {
                Some("base".to_owned())
            } else {
                let twin = |other: &&RaceCandidate| other.values == candidate.values;
                let twin = self.candidates[..i].iter().find(twin);
                twin.map(|twin| format!("candidate `{}`", printable(&twin.name, 40)))
            };
            if let Some(same_as) = same_as {
                findings.push(Finding::new(
                    format!("{place}.values"),
                    format!("the same values as {same_as}"),
                    "at least one value that differs",
                    "change the candidate or take it out",
                ));
            }
        }
    }
}
