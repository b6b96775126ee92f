//! A tune as JSON, in the ledger and for scripts: the settings of SPSA stand beside the budget, as
//! they did before there was a choice, so that old rows still read.

use super::{BqrSettings, Fork, GainRule, OptimizerKind, OptimizerSpec, SpsaSettings, TuneSpec};
use crate::{LinearConstraint, Pairs, ParameterDef, ParameterSet};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct TuneJson {
    pairs: Pairs,
    #[serde(default)]
    optimizer: OptimizerKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gamma: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    a_ratio: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gains: Option<GainRule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bqr: Option<BqrSettings>,
    parameters: Vec<ParameterDef>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<LinearConstraint>,
    fixed: ParameterSet,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forked_from: Option<Fork>,
}

impl From<TuneSpec> for TuneJson {
    fn from(spec: TuneSpec) -> Self {
        let TuneSpec { pairs, optimizer, parameters, constraints, fixed, forked_from } = spec;
        let (spsa, bqr) = match optimizer {
            OptimizerSpec::Spsa(settings) => (Some(settings), None),
            OptimizerSpec::Bqr(settings) => (None, Some(settings)),
        };
        Self {
            pairs,
            optimizer: optimizer.kind(),
            alpha: spsa.map(|s| s.alpha),
            gamma: spsa.map(|s| s.gamma),
            a_ratio: spsa.map(|s| s.a_ratio),
            gains: spsa.map(|s| s.gains),
            bqr,
            parameters,
            constraints,
            fixed,
            forked_from,
        }
    }
}

impl From<TuneJson> for TuneSpec {
    fn from(json: TuneJson) -> Self {
        let usual = SpsaSettings::default();
        let optimizer = match json.optimizer {
            OptimizerKind::Spsa => OptimizerSpec::Spsa(SpsaSettings {
                alpha: json.alpha.unwrap_or(usual.alpha),
                gamma: json.gamma.unwrap_or(usual.gamma),
                a_ratio: json.a_ratio.unwrap_or(usual.a_ratio),
                gains: json.gains.unwrap_or_default(),
            }),
            OptimizerKind::Bqr => OptimizerSpec::Bqr(json.bqr.unwrap_or_default()),
        };
        Self {
            pairs: json.pairs,
            optimizer,
            parameters: json.parameters,
            constraints: json.constraints,
            fixed: json.fixed,
            forked_from: json.forked_from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_from_before_the_choice_is_an_spsa_tune() {
        let old = r#"{"pairs":9,"alpha":0.7,"gamma":0.1,"a_ratio":0.2,"parameters":[],"fixed":{}}"#;
        let spec: TuneSpec = serde_json::from_str(old).unwrap();
        let OptimizerSpec::Spsa(settings) = spec.optimizer else { panic!("not spsa") };
        assert_eq!((settings.alpha, settings.gamma, settings.a_ratio), (0.7, 0.1, 0.2));
        assert_eq!(settings.gains, GainRule::Elomill);
        assert_eq!(spec.constraints, []);
    }

    #[test]
    fn both_optimisers_come_back_as_they_went() {
        let bqr = BqrSettings { probe_loss: Some(3.25), forget: 0.125, ..BqrSettings::default() };
        let spsa = SpsaSettings { gains: GainRule::OpenBench, ..SpsaSettings::default() };
        for optimizer in [OptimizerSpec::Bqr(bqr), OptimizerSpec::Spsa(spsa)] {
            let spec = TuneSpec {
                pairs: Pairs(5),
                optimizer,
                parameters: Vec::new(),
                constraints: vec![LinearConstraint {
                    sum: ParameterSet::from_iter([("a".to_owned(), -1.5)]),
                    at_most: 0.25,
                }],
                fixed: ParameterSet::default(),
                forked_from: Some(Fork { run: crate::RunId(3), pairs: Pairs(40) }),
            };
            let json = serde_json::to_string(&spec).unwrap();
            assert!(json.contains(&format!("\"optimizer\":\"{}\"", optimizer.kind())), "{json}");
            assert_eq!(serde_json::from_str::<TuneSpec>(&json).unwrap(), spec);
        }
    }
}
