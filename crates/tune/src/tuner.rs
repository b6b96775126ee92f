//! The optimiser that a specification names, whichever it is.

use crate::packed::{PACKED_ABOVE, Packed};
use crate::{
    Bqr, BqrEstimate, BqrState, Optimizer, ParameterSpace, Perturbation, Spsa, SpsaConfig,
    SpsaState, TuneError, Waypoint, verdict,
};
use model::spec::{OptimizerSpec, TuneSpec};
use model::view::TuneVerdict;
use model::{FindingList, Pairs, ParameterSet, Pentanomial};
use serde::{Deserialize, Serialize};

/// A row that is no perturbation of the tune.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadablePerturbation(String);

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
    /// For each categorical parameter, in order, the probability of each choice to be the best one,
    /// from the lowest value up.
    pub choices: Vec<Vec<f64>>,
}

impl Tuner {
    /// A tune that has seen nothing yet, moved by the optimiser that [`TuneSpec::acting`] names.
    /// `block` is the number of pairs that share a perturbation.
    ///
    /// # Errors
    /// What is wrong with the parameters or the settings.
    pub fn new(spec: &TuneSpec, block: Pairs, seed: u64) -> Result<Self, FindingList> {
        let space = ParameterSpace::constrained(spec.parameters.clone(), &spec.constraints)?;
        match spec.acting() {
            OptimizerSpec::Spsa(settings) => {
                let pairs_total = Pairs(spec.pairs.0.saturating_add(spec.pairs_before().0));
                let config = SpsaConfig { settings, pairs_total, block };
                Spsa::new(space, config, seed).map(Self::Spsa)
            }
            OptimizerSpec::Bqr(settings) => {
                Ok(Self::Bqr(Box::new(Bqr::new(space, settings, block, seed)?)))
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

    /// The names of the categorical parameters, in order.
    pub fn choice_names(&self) -> impl Iterator<Item = &str> {
        let space = match self {
            Self::Spsa(spsa) => spsa.space(),
            Self::Bqr(bqr) => bqr.space(),
        };
        crate::choices::categorical(space.parameters()).map(|(_, p)| p.name.as_str())
    }

    /// A perturbation as a row of the ledger keeps it: JSON, packed where there are more than a hundred
    /// parameters.
    ///
    /// # Panics
    /// If it is of another space: a fault of the caller.
    #[must_use]
    pub fn write(&self, perturbation: &Perturbation) -> String {
        let packed = match self {
            Self::Spsa(spsa) if spsa.space().dimension() > PACKED_ABOVE => {
                let moment = spsa.config().at(perturbation.first_pair);
                Packed::of(spsa.space(), &moment, perturbation)
            }
            Self::Spsa(_) | Self::Bqr(_) => None,
        };
        let json = match packed {
            Some(packed) => serde_json::to_string(&packed),
            None => serde_json::to_string(perturbation),
        };
        json.expect("a perturbation is plain data")
    }

    /// A perturbation as a row of the ledger keeps it.
    ///
    /// # Errors
    /// The text is none, or none of this tune.
    pub fn read(&self, json: &str) -> Result<Perturbation, UnreadablePerturbation> {
        let unreadable = |error: serde_json::Error| UnreadablePerturbation(error.to_string());
        let Self::Spsa(spsa) = self else { return serde_json::from_str(json).map_err(unreadable) };
        if !json.contains("\"packed\"") {
            return serde_json::from_str(json).map_err(unreadable);
        }
        let packed: Packed = serde_json::from_str(json).map_err(unreadable)?;
        let moment = spsa.config().at(packed.first_pair);
        packed
            .open(spsa.space(), &moment)
            .ok_or_else(|| UnreadablePerturbation("it was packed for another tune".to_owned()))
    }

    /// Where every parameter started.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        match self {
            Self::Spsa(spsa) => spsa.space().start(),
            Self::Bqr(bqr) => bqr.space().start(),
        }
    }

    /// Whether the tune has converged, and which parameters may as well do nothing; none without a
    /// report. `way` are points in order from the start to the present one; `counts` the pairs so far.
    #[must_use]
    pub fn verdict(
        &self,
        standing: &Standing,
        way: &[Waypoint<'_>],
        counts: &Pentanomial,
    ) -> Option<TuneVerdict> {
        match (self, &standing.estimate) {
            (Self::Spsa(spsa), _) => {
                let (parameters, scores) = (spsa.space().parameters(), &spsa.state().scores);
                verdict::of_way(parameters, scores, spsa.config(), way, counts)
            }
            (Self::Bqr(bqr), Some(estimate)) if bqr.state().reports > 0 => {
                let (parameters, scores) = (bqr.space().parameters(), &bqr.state().scores);
                Some(verdict::of_estimate(parameters, scores, estimate))
            }
            (Self::Bqr(_), _) => None,
        }
    }

    /// What the tune would hand over now, and how sure it is of it.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match self {
            Self::Spsa(spsa) => Standing {
                suggested: spsa.suggested(),
                estimate: None,
                choices: probabilities(&spsa.state().scores),
            },
            Self::Bqr(bqr) => {
                let estimate = bqr.estimate();
                let suggested = bqr.space().nearest(&estimate.centre);
                let choices = probabilities(&bqr.state().scores);
                Standing { suggested, estimate: Some(estimate), choices }
            }
        }
    }
}

fn probabilities(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    scores.iter().map(|scores| crate::choices::probabilities(scores)).collect()
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
