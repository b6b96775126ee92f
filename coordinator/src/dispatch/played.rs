//! What the pairs of a lease play: it is drawn or chosen when they are first given and stays with
//! them in the ledger.

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
    #[must_use]
    pub fn of(probe: Option<Perturbation>, candidate: Option<u32>) -> Self {
        match (probe, candidate) {
            (Some(probe), _) => Self::Probe(probe),
            (None, Some(place)) => Self::Candidate(place as usize),
            (None, None) => Self::AsAsked,
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
