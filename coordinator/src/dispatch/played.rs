//! What the pairs of a lease play: it is drawn or chosen when they are first given and stays with
//! them in the ledger.

use super::fold::FoldError;
use tune::Perturbation;

/// What pairs play beyond what the specification says.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Played {
    /// Candidate and base of a test.
    #[default]
    AsAsked,
    /// A probe of a tune.
    Probe(Perturbation),
    /// A candidate of a race, by its place in the specification.
    Candidate(usize),
}

impl Played {
    /// What a lease has in the ledger.
    ///
    /// # Errors
    /// The probe is not what this version writes.
    pub fn read(probe: Option<&str>, candidate: Option<u32>) -> Result<Self, FoldError> {
        match (probe, candidate) {
            (Some(json), _) => serde_json::from_str(json).map(Self::Probe).map_err(|e| {
                FoldError::Unreadable { what: "the probe of a lease", found: e.to_string() }
            }),
            (None, Some(place)) => Ok(Self::Candidate(place as usize)),
            (None, None) => Ok(Self::AsAsked),
        }
    }

    /// The probe as JSON, in a tune.
    #[must_use]
    pub fn probe_json(&self) -> Option<String> {
        match self {
            Played::Probe(probe) => {
                Some(serde_json::to_string(probe).expect("a probe is plain data"))
            }
            Played::AsAsked | Played::Candidate(_) => None,
        }
    }

    /// The place of the candidate, in a race.
    #[must_use]
    pub fn candidate(&self) -> Option<usize> {
        match self {
            Played::Candidate(place) => Some(*place),
            Played::AsAsked | Played::Probe(_) => None,
        }
    }

    /// The same as the ledger keeps it.
    #[must_use]
    pub fn candidate_number(&self) -> Option<u32> {
        // A race has some dozens of candidates.
        self.candidate().and_then(|place| u32::try_from(place).ok())
    }
}
