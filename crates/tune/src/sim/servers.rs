//! SPSA as the testing servers of others compute it, to be compared with: not offered in a tune.
//!
//! The formulas are those of [`crate::SpsaConfig::gains`]. What differs is when they are taken: the
//! iteration of a block is the number of pairs that have come back when it is handed out, so that
//! all blocks that are out together have about the same gains, and with many of them the large ones
//! of the beginning. Each side of a probe is clipped to the range by itself, and the step keeps the
//! c that was meant.

use crate::probe::{Block, Edge, Signs};
use crate::{Optimizer, ParameterSpace, Perturbation, Spsa, SpsaConfig, TuneError};
use model::spec::{GainRule, SpsaSettings};
use model::{Pairs, ParameterSet};

/// A tune with their usual settings.
pub(super) struct Servers {
    spsa: Spsa,
    seed: u64,
}

impl Servers {
    pub(super) fn new(space: ParameterSpace, pairs: Pairs, seed: u64) -> Self {
        let settings = SpsaSettings { gains: GainRule::Fishtest, ..SpsaSettings::default() };
        let config = SpsaConfig { settings, ..SpsaConfig::new(pairs) };
        let spsa = Spsa::new(space, config, seed).expect("the usual settings");
        Self { spsa, seed }
    }
}

impl Optimizer for Servers {
    fn ask(&self, first_pair: u64) -> Perturbation {
        let (state, space) = (self.spsa.state(), self.spsa.space());
        let moment = self.spsa.config().at(state.pairs.0);
        let gains = |_: usize, parameter: &_| moment.gains(parameter);
        let block = Block { seed: self.seed, first_pair, edge: Edge::Clipped, signs: Signs::Drawn };
        Perturbation::draw(space, &state.theta, &state.scores, gains, block)
    }

    fn tell(
        &mut self,
        perturbation: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError> {
        self.spsa.tell(perturbation, pairs, balance)
    }

    fn theta(&self) -> &[f64] {
        self.spsa.theta()
    }

    fn suggested(&self) -> ParameterSet {
        self.spsa.suggested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ParameterDef, ParameterKind};

    #[test]
    fn gains_follow_what_came_back() {
        let parameter = ParameterDef {
            name: "x".to_owned(),
            kind: ParameterKind::Float,
            start: 0.0,
            min: -100.0,
            max: 100.0,
            c_end: 5.0,
            r_end: 0.002,
        };
        let space = ParameterSpace::new(vec![parameter.clone()]).unwrap();
        let mut servers = Servers::new(space, Pairs(30_000), 3);
        let expected = |told| {
            let settings = SpsaSettings { gains: GainRule::Fishtest, ..SpsaSettings::default() };
            let config = SpsaConfig { settings, ..SpsaConfig::new(Pairs(30_000)) };
            config.gains(&parameter, told)
        };
        let of = |asked: &Perturbation| (asked.c[0], asked.r[0]);
        let out: Vec<Perturbation> = (0..40).map(|block| servers.ask(8 * block)).collect();
        assert!(out.iter().all(|asked| of(asked) == (expected(0).c, expected(0).r)));
        assert!(out.iter().any(|asked| asked.flips != out[0].flips), "each has signs of its own");
        let step = expected(0).r * expected(0).c * 6.0 * f64::from(out[7].flips[0]);
        servers.tell(&out[7], Pairs(8), 6).unwrap();
        assert_eq!(servers.theta(), [step]);
        assert_eq!(of(&servers.ask(4000)), (expected(8).c, expected(8).r));
    }
}
