//! Every kind of parameter is tuned in a simulated engine: logarithmic scales, choices, constraints.

use model::spec::{BqrSettings, OptimizerKind, OptimizerSpec, SpsaSettings, TuneSpec};
use model::{Elo, LinearConstraint, Pairs, ParameterDef, ParameterKind, ParameterSet};
use tune::sim::{PairNoise, Schedule, play};
use tune::{Optimizer, Tuner};

const PAIRS: Pairs = Pairs(20_000);
const BLOCK: Pairs = Pairs(8);
const SEEDS: u64 = 12;
const BOTH: [OptimizerKind; 2] = [OptimizerKind::Spsa, OptimizerKind::Bqr];

fn parameter(
    name: &str,
    kind: ParameterKind,
    start: f64,
    range: (f64, f64),
    c_end: f64,
) -> ParameterDef {
    let (min, max) = range;
    ParameterDef { name: name.to_owned(), kind, start, min, max, c_end, r_end: 0.005 }
}

fn spec(
    by: OptimizerKind,
    parameters: Vec<ParameterDef>,
    constraints: Vec<LinearConstraint>,
) -> TuneSpec {
    TuneSpec {
        pairs: PAIRS,
        optimizer: match by {
            OptimizerKind::Spsa => OptimizerSpec::Spsa(SpsaSettings::default()),
            OptimizerKind::Bqr => OptimizerSpec::Bqr(BqrSettings::default()),
        },
        parameters,
        constraints,
        fixed: ParameterSet::default(),
        forked_from: None,
    }
}

/// The suggested values after a tune of this landscape, in the order of the specification.
fn tuned(spec: &TuneSpec, landscape: &impl Fn(&[f64]) -> Elo, seed: u64) -> Vec<f64> {
    let mut tuner = Tuner::new(spec, BLOCK, seed).expect("a good specification");
    let schedule = Schedule { pairs: PAIRS, block: BLOCK, in_flight: 4 };
    play(&mut tuner, landscape, &PairNoise::REFERENCE, schedule, 500 + seed);
    let set = tuner.suggested();
    spec.parameters.iter().map(|p| set.get(&p.name).expect("a full set")).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Six parameters whose right values are factors away: the start is 22 Elo below the optimum.
#[test]
fn factors_are_found_on_a_logarithmic_scale() {
    let factors = [1.6, 0.6, 1.4, 0.75, 0.5, 1.2];
    let parameters: Vec<ParameterDef> = (0..6)
        .map(|index| match index % 2 {
            0 => parameter(&format!("p{index}"), ParameterKind::LogFloat, 0.02, (0.001, 0.4), 0.1),
            _ => parameter(&format!("p{index}"), ParameterKind::LogInt, 40.0, (2.0, 900.0), 0.1),
        })
        .collect();
    let starts: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let landscape = |point: &[f64]| {
        let steps = point.iter().zip(&starts).zip(factors);
        let lost = steps.map(|((value, start), factor)| {
            let steps = (value / start / factor).ln() / 0.1;
            0.2 * steps * steps
        });
        Elo(-lost.sum::<f64>())
    };
    let at_start = landscape(&starts).0;
    assert!((-25.0..-20.0).contains(&at_start), "{at_start}");
    for (by, most) in BOTH.into_iter().zip([6.0, 1.5]) {
        let spec = spec(by, parameters.clone(), Vec::new());
        let left = (0..SEEDS).map(|seed| -landscape(&tuned(&spec, &landscape, seed)).0).collect();
        let left = median(left);
        assert!(left < most, "{by} leaves {left}");
    }
}

/// Four choices of which the last is 6 Elo better, a switch that is worth 4, and two plain numbers.
#[test]
fn the_best_choices_are_found_beside_numbers() {
    let parameters = vec![
        parameter("formula", ParameterKind::Categorical, 0.0, (0.0, 3.0), 5.0),
        parameter("margin", ParameterKind::Int, 100.0, (0.0, 200.0), 10.0),
        parameter("switch", ParameterKind::Categorical, 0.0, (0.0, 1.0), 5.0),
        parameter("scale", ParameterKind::Float, 1.0, (0.0, 2.0), 0.1),
    ];
    let landscape = |point: &[f64]| {
        let formula = [0.0, 1.5, -2.0, 6.0][point[0] as usize];
        let [a, b] = [(point[1] - 130.0) / 10.0, (point[3] - 0.7) / 0.1];
        Elo(formula + 4.0 * point[2] - 0.5 * a * a - 0.5 * b * b)
    };
    for by in BOTH {
        let spec = spec(by, parameters.clone(), Vec::new());
        let (mut formulas, mut switches, mut lost) = (0, 0, Vec::new());
        for seed in 0..SEEDS {
            let point = tuned(&spec, &landscape, seed);
            formulas += u32::from(point[0] == 3.0);
            switches += u32::from(point[2] == 1.0);
            let numbers = [3.0, point[1], 1.0, point[3]];
            lost.push(10.0 - landscape(&numbers).0);
        }
        assert!(formulas >= 11 && switches >= 11, "{by}: {formulas} and {switches} of {SEEDS}");
        assert!(median(lost) < 2.0, "{by}: and the numbers are tuned all the same");
    }
}

/// Alike choices: nothing is lost by any of them, and the numbers beside them are tuned.
#[test]
fn choices_that_are_alike_do_no_harm() {
    let parameters = vec![
        parameter("alike", ParameterKind::Categorical, 2.0, (0.0, 7.0), 5.0),
        parameter("margin", ParameterKind::Float, 0.0, (-10.0, 10.0), 1.0),
    ];
    let landscape = |point: &[f64]| Elo(-(point[1] - 3.0) * (point[1] - 3.0));
    for by in BOTH {
        let spec = spec(by, parameters.clone(), Vec::new());
        let left = (0..SEEDS).map(|seed| -landscape(&tuned(&spec, &landscape, seed)).0).collect();
        assert!(median(left) < 1.0, "{by}");
    }
}

fn at_most(terms: &[(&str, f64)], at_most: f64) -> LinearConstraint {
    let sum = terms.iter().map(|(name, factor)| ((*name).to_owned(), *factor)).collect();
    LinearConstraint { sum, at_most }
}

/// The free optimum has `low` above `high`, which the constraint forbids, and more of `a` and `b`
/// than it allows.
#[test]
fn the_best_point_of_an_active_constraint_is_found() {
    let constraints = vec![
        at_most(&[("low", 1.0), ("high", -1.0)], 0.0),
        at_most(&[("a", 1.0), ("b", 2.0)], 3.0),
    ];
    for (kind, c_end) in [(ParameterKind::Float, 1.0), (ParameterKind::Int, 1.0)] {
        let parameters = ["low", "high", "a", "b"]
            .map(|name| parameter(name, kind, 0.0, (-10.0, 10.0), c_end))
            .to_vec();
        let landscape = |point: &[f64]| {
            let tops = [4.0, -1.0, 3.0, 3.0];
            let losses = [0.5, 0.5, 0.5, 0.5];
            let lost = point.iter().zip(tops).zip(losses);
            Elo(-lost.map(|((x, top), loss)| loss * (x - top) * (x - top)).sum::<f64>())
        };
        // On the faces: low = high = 1.5; (a, b) = (3, 3) − 6/5 (1, 2) = (1.8, 0.6).
        let best = match kind {
            ParameterKind::Int => {
                let whole = [[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 3.0, 0.0], [1.0, 1.0, 3.0, 0.0]];
                whole.iter().map(|point| landscape(point).0).fold(f64::NEG_INFINITY, f64::max)
            }
            _ => landscape(&[1.5, 1.5, 1.8, 0.6]).0,
        };
        for by in BOTH {
            let spec = spec(by, parameters.clone(), constraints.clone());
            let mut left = Vec::new();
            for seed in 0..SEEDS {
                let point = tuned(&spec, &landscape, seed);
                assert!(
                    point[0] <= point[1] + 1e-6 && point[2] + 2.0 * point[3] <= 3.0 + 1e-6,
                    "{point:?}"
                );
                left.push(best - landscape(&point).0);
            }
            let left = median(left);
            assert!(left < 1.2, "{by} {}: {left}", kind.name());
        }
    }
}
