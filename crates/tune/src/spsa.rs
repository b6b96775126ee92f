//! Simultaneous perturbation stochastic approximation (J. C. Spall, 1992), for game pairs.
//!
//! The gains of a block depend on the index of its first pair alone, not on what was reported in
//! the meantime: a volunteer who is slow changes when a step is taken, never how large it is.

use crate::probe::Edge;
use crate::{Optimizer, ParameterSpace, Perturbation, SpsaConfig, TuneError};
use model::{FindingList, Pairs, ParameterSet};
use serde::{Deserialize, Serialize};

/// What a tune has learnt: all that changes while it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaState {
    /// The present point, one value for each parameter, inside the box, not rounded.
    pub theta: Vec<f64>,
    /// Pairs that have been taken in.
    pub pairs: Pairs,
}

/// A running SPSA tune.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    space: ParameterSpace,
    config: SpsaConfig,
    seed: u64,
    state: SpsaState,
}

impl Spsa {
    /// A tune that has seen nothing yet.
    ///
    /// # Errors
    /// What is wrong with the schedule.
    pub fn new(space: ParameterSpace, config: SpsaConfig, seed: u64) -> Result<Self, FindingList> {
        config.check("spsa").map_err(FindingList)?;
        let state = SpsaState { theta: space.start(), pairs: Pairs(0) };
        Ok(Self { space, config, seed, state })
    }

    /// The same tune at a stored state.
    ///
    /// # Errors
    /// If the state cannot be one of this space.
    pub fn with_state(self, state: SpsaState) -> Result<Self, TuneError> {
        let (found, expected) = (state.theta.len(), self.space.dimension());
        if found != expected {
            return Err(TuneError::Dimension { list: "theta", found, expected });
        }
        for (index, (value, p)) in state.theta.iter().zip(self.space.parameters()).enumerate() {
            if !(p.min..=p.max).contains(value) {
                return Err(TuneError::Value {
                    list: "theta",
                    index,
                    found: value.to_string(),
                    expected: "a value between min and max",
                });
            }
        }
        Ok(Self { state, ..self })
    }

    /// What changes while the tune runs.
    #[must_use]
    pub fn state(&self) -> &SpsaState {
        &self.state
    }

    /// The parameters.
    #[must_use]
    pub fn space(&self) -> &ParameterSpace {
        &self.space
    }

    /// The schedule.
    #[must_use]
    pub fn config(&self) -> &SpsaConfig {
        &self.config
    }
}

impl Optimizer for Spsa {
    fn ask(&self, first_pair: u64) -> Perturbation {
        Perturbation::draw(
            &self.space,
            &self.state.theta,
            |_, parameter| self.config.gains(parameter, first_pair),
            Edge::Inwards,
            self.seed,
            first_pair,
        )
    }

    fn tell(
        &mut self,
        perturbation: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError> {
        perturbation.check(self.space.dimension())?;
        if balance.unsigned_abs() > pairs.0.saturating_mul(2) {
            return Err(TuneError::Balance { balance, pairs });
        }
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            let step = perturbation.r[index]
                * perturbation.c[index]
                * balance as f64
                * f64::from(perturbation.flips[index]);
            let value = &mut self.state.theta[index];
            *value = (*value + step).clamp(parameter.min, parameter.max);
        }
        self.state.pairs = Pairs(self.state.pairs.0.saturating_add(pairs.0));
        Ok(())
    }

    fn theta(&self) -> &[f64] {
        &self.state.theta
    }

    fn suggested(&self) -> ParameterSet {
        self.space.nearest(&self.state.theta)
    }
}

#[cfg(test)]
mod tests;
