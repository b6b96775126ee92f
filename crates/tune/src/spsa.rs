//! Simultaneous perturbation stochastic approximation (J. C. Spall, 1992), for game pairs.
//!
//! The gains of a block depend on the index of its first pair alone, not on what was reported in
//! the meantime: a volunteer who is slow changes when a step is taken, never how large it is.

use crate::probe::{Block, Edge, Signs};
use crate::{Optimizer, ParameterSpace, Perturbation, SpsaConfig, TuneError, choices, scale};
use model::{FindingList, Pairs, ParameterKind, ParameterSet};
use serde::{Deserialize, Serialize};

/// What a tune has learnt: all that changes while it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaState {
    /// The present point, one value for each parameter, inside the box and the constraints, not
    /// rounded; of a categorical parameter the most probable choice.
    pub theta: Vec<f64>,
    /// Pairs that have been taken in.
    pub pairs: Pairs,
    /// For each categorical parameter the logarithm of each choice's probability to be the best one,
    /// over that of the most probable: from -30 to 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Vec<f64>>,
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
        let scores = choices::fresh(space.parameters());
        let state = SpsaState { theta: space.start(), pairs: Pairs(0), scores };
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
        choices::check(self.space.parameters(), &state.scores)?;
        choices::check_point("theta", self.space.parameters(), &state.theta)?;
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
        let moment = self.config.at(first_pair);
        let block = Block { seed: self.seed, first_pair, edge: Edge::Inwards, signs: Signs::Drawn };
        Perturbation::draw(
            &self.space,
            &self.state.theta,
            &self.state.scores,
            |index, parameter| moment.about(parameter, self.state.theta[index]),
            block,
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
        choices::check_point("plus", self.space.parameters(), &perturbation.plus)?;
        choices::check_point("minus", self.space.parameters(), &perturbation.minus)?;
        let mut scores = self.state.scores.iter_mut();
        for (index, parameter) in self.space.parameters().iter().enumerate() {
            if parameter.kind == ParameterKind::Categorical {
                if let Some(scores) = scores.next() {
                    let sides = (perturbation.plus[index], perturbation.minus[index]);
                    choices::learn(parameter, scores, sides, pairs.0 as f64, balance as f64);
                    self.state.theta[index] = choices::best(parameter, scores);
                }
                continue;
            }
            let step = perturbation.r[index]
                * perturbation.c[index]
                * balance as f64
                * f64::from(perturbation.flips[index]);
            let value = &mut self.state.theta[index];
            *value = scale::moved(parameter, *value, step);
        }
        let constraints = self.space.constraints();
        constraints.project(self.space.parameters(), &mut self.state.theta, |_| 1.0);
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
