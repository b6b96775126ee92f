//! What a campaign has done so far: a JSON file beside the campaign's own, replaced whole at each
//! change, so that a kill leaves the one before or the one after.

use crate::books::hex;
use crate::client::fresh_key;
use crate::output::hinted;
use anyhow::Context;
use model::view::CorrectedView;
use model::{ParameterSet, RunId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The form of the file.
const VERSION: u32 = 1;

/// A campaign's past.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    version: u32,
    /// Begins the key of every run of this campaign.
    pub(super) key: String,
    /// Of the campaign's file, in lower-case hex.
    file_sha256: String,
    /// What has to be beaten.
    pub(super) champion: ParameterSet,
    /// Steps that were begun, in order.
    pub(super) steps: Vec<Step>,
    /// Matches of a champion against the baseline, in order.
    #[serde(default)]
    pub(super) regressions: Vec<Regression>,
    #[serde(skip)]
    path: PathBuf,
}

/// One group's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) group: String,
    /// From 1.
    pub(super) round: usize,
    pub(super) tune: Option<RunId>,
    pub(super) test: Option<RunId>,
    /// What the tune suggested, in the champion's place.
    pub(super) candidate: Option<ParameterSet>,
    pub(super) outcome: Option<Outcome>,
    /// Of the test.
    pub(super) elo: Option<CorrectedView>,
}

/// A match of a champion against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Regression {
    pub(super) champion: ParameterSet,
    pub(super) run: Option<RunId>,
    /// Once it is over.
    pub(super) gain: Option<Gain>,
}

/// What such a match says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gain {
    /// Pairs played: those of the file, fewer where it was stopped by hand.
    pub(super) pairs: u64,
    /// Logistic Elo above the baseline, with its 95 % interval.
    pub(super) elo: f64,
    pub(super) elo_low: f64,
    pub(super) elo_high: f64,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    /// The candidate was accepted and is the champion.
    Crowned,
    /// It was not accepted: rejected, inconclusive, or stopped by hand.
    Kept,
    /// The tune suggested what there was.
    Unmoved,
}

impl Outcome {
    pub(super) fn text(self) -> &'static str {
        match self {
            Outcome::Crowned => "crowned",
            Outcome::Kept => "the champion stays",
            Outcome::Unmoved => "nothing moved",
        }
    }
}

impl Step {
    pub(super) fn new(group: &str, round: usize) -> Self {
        Self {
            group: group.to_owned(),
            round,
            tune: None,
            test: None,
            candidate: None,
            outcome: None,
            elo: None,
        }
    }
}

impl Journal {
    /// The journal beside a campaign's file, a fresh one if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is one of another text.
    pub(super) fn open(file: &Path, text: &str, champion: &ParameterSet) -> anyhow::Result<Self> {
        let path = file.with_extension("campaign.json");
        let file_sha256 = hex(&Sha256::digest(text.as_bytes()));
        let stored = match std::fs::read_to_string(&path) {
            Ok(stored) => stored,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self {
                    version: VERSION,
                    key: fresh_key(&file_sha256),
                    file_sha256,
                    champion: champion.clone(),
                    steps: Vec::new(),
                    regressions: Vec::new(),
                    path,
                });
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let journal: Self = serde_json::from_str(&stored)
            .with_context(|| format!("{} is no journal of a campaign", path.display()))?;
        if journal.version != VERSION || journal.file_sha256 != file_sha256 {
            return Err(hinted(
                format_args!("{} belongs to another text of {}", path.display(), file.display()),
                "put the old text back to go on, or move the journal away to begin anew with the \
                 champion of `elomill campaign show` below [champion]",
            ));
        }
        Ok(Self { path, ..journal })
    }

    /// Writes it in place of the one before.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save(&self) -> anyhow::Result<()> {
        let new = self.path.with_extension("json.new");
        let write = || -> std::io::Result<()> {
            let mut file = std::fs::File::create(&new)?;
            file.write_all(serde_json::to_string_pretty(self)?.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_comes_back_and_knows_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        let champion = ParameterSet::from_iter([("a".to_owned(), 0.1)]);
        let mut journal = Journal::open(&file, "text", &champion).unwrap();
        let other = Journal::open(&file, "text", &champion).unwrap();
        assert_ne!(journal.key, other.key, "nothing is written yet");
        journal.steps.push(Step { tune: Some(RunId(4)), ..Step::new("g", 1) });
        let regression = Regression { champion: champion.clone(), run: None, gain: None };
        journal.regressions.push(regression);
        journal.save().unwrap();
        let again = Journal::open(&file, "text", &ParameterSet::default()).unwrap();
        assert_eq!(again, journal);
        let error = Journal::open(&file, "other text", &champion).unwrap_err().to_string();
        assert!(error.contains("belongs to another text"), "{error}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "no half-written file stays: {left:?}");
    }
}
