//! The optimiser that a specification names, whichever it is.

use crate::{
    Bqr, BqrEstimate, BqrState, Optimizer, ParameterSpace, Perturbation, Spsa, SpsaConfig,
    SpsaState, TuneError,
};
use model::spec::{OptimizerSpec, TuneSpec};
use model::{FindingList, Pairs, ParameterSet};
use serde::{Deserialize, Serialize};

/// A running tune.
#[derive(Clone, Debug, PartialEq)]
pub enum Tuner {
    /// Follows slopes.
    Spsa(Spsa),
    /// Fits a surface. Its statistics are large.
    Bqr(Box<Bqr>),
}

/// What changes while a tune runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TunerState {
    /// Of [`Tuner::Spsa`].
    Spsa(SpsaState),
    /// Of [`Tuner::Bqr`].
    Bqr(Box<BqrState>),
}

/// What a tune would hand over now.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The values: integers rounded, all inside the box.
    pub suggested: ParameterSet,
    /// How sure the optimiser is, if it knows.
    pub estimate: Option<BqrEstimate>,
}

impl Tuner {
    /// A tune that has seen nothing yet, moved by the optimiser that [`TuneSpec::acting`] names.
    /// `block` is the number of pairs that share a perturbation.
    ///
    /// # Errors
    /// What is wrong with the parameters or the settings.
    pub fn new(spec: &TuneSpec, block: Pairs, seed: u64) -> Result<Self, FindingList> {
        let space = ParameterSpace::new(spec.parameters.clone())?;
        match spec.acting() {
            OptimizerSpec::Spsa(settings) => {
                let pairs_total = Pairs(spec.pairs.0.saturating_add(spec.pairs_before().0));
                let config = SpsaConfig { settings, pairs_total, block };
                Spsa::new(space, config, seed).map(Self::Spsa)
            }
            OptimizerSpec::Bqr(settings) => {
                Ok(Self::Bqr(Box::new(Bqr::new(space, settings, seed)?)))
            }
        }
    }

    /// The same tune at a stored state.
    ///
    /// # Errors
    /// If the state cannot be one of this tune.
    pub fn with_state(self, state: TunerState) -> Result<Self, TuneError> {
        match (self, state) {
            (Self::Spsa(spsa), TunerState::Spsa(state)) => spsa.with_state(state).map(Self::Spsa),
            (Self::Bqr(bqr), TunerState::Bqr(state)) => {
                bqr.with_state(*state).map(|bqr| Self::Bqr(Box::new(bqr)))
            }
            (Self::Spsa(_), TunerState::Bqr(_)) => {
                Err(TuneError::Foreign { found: "bqr", expected: "spsa" })
            }
            (Self::Bqr(_), TunerState::Spsa(_)) => {
                Err(TuneError::Foreign { found: "spsa", expected: "bqr" })
            }
        }
    }

    /// What changes while the tune runs.
    #[must_use]
    pub fn state(&self) -> TunerState {
        match self {
            Self::Spsa(spsa) => TunerState::Spsa(spsa.state().clone()),
            Self::Bqr(bqr) => TunerState::Bqr(Box::new(bqr.state().clone())),
        }
    }

    /// Where every parameter started.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        match self {
            Self::Spsa(spsa) => spsa.space().start(),
            Self::Bqr(bqr) => bqr.space().start(),
        }
    }

    /// What the tune would hand over now, and how sure it is of it.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match self {
            Self::Spsa(spsa) => Standing { suggested: spsa.suggested(), estimate: None },
            Self::Bqr(bqr) => {
                let estimate = bqr.estimate();
                let suggested = bqr.space().nearest(&estimate.centre);
                Standing { suggested, estimate: Some(estimate) }
            }
        }
    }
}

impl Optimizer for Tuner {
    fn ask(&self, first_pair: u64) -> Perturbation {
        match self {
            Self::Spsa(spsa) => spsa.ask(first_pair),
            Self::Bqr(bqr) => bqr.ask(first_pair),
        }
    }

    fn tell(
        &mut self,
        perturbation: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError> {
        match self {
            Self::Spsa(spsa) => spsa.tell(perturbation, pairs, balance),
            Self::Bqr(bqr) => bqr.tell(perturbation, pairs, balance),
        }
    }

    fn theta(&self) -> &[f64] {
        match self {
            Self::Spsa(spsa) => spsa.theta(),
            Self::Bqr(bqr) => bqr.theta(),
        }
    }

    fn suggested(&self) -> ParameterSet {
        self.standing().suggested
    }
}
