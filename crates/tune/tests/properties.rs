//! What holds of any tune, whatever its parameters are and whatever it is told: nothing leaves the
//! ranges and the constraints, nothing is no number, a stored state is the state, no report is lost.

use model::spec::{BqrSettings, GainRule, OptimizerSpec, SpsaSettings, TuneSpec};
use model::{LinearConstraint, Pairs, ParameterDef, ParameterKind, ParameterSet, Pentanomial};
use proptest::prelude::*;
use tune::{Optimizer, Perturbation, Tuner, TunerState, Waypoint};

/// A parameter of any kind with any valid range.
fn parameter(index: usize) -> impl Strategy<Value = ParameterDef> {
    let kinds = prop::sample::select(ParameterKind::ALL.map(|(_, kind)| kind).to_vec());
    (kinds, 1_u32..60, 0.0..=1.0_f64, 0.001..=1.0_f64, 0.0001..=1.0_f64, 1_u32..16).prop_map(
        move |(kind, size, at, share, r_end, choices)| {
            let size = f64::from(size);
            let (min, max) = match kind {
                ParameterKind::Categorical => (3.0, 3.0 + f64::from(choices)),
                kind if kind.is_logarithmic() => (size, size * (1.0 + size)),
                _ => (-size, size),
            };
            let start = match kind {
                ParameterKind::Categorical => (min + at * (max - min)).round(),
                _ => min + at * (max - min),
            };
            let c_end = match kind {
                ParameterKind::Categorical => 0.1 + 99.0 * share,
                kind if kind.is_logarithmic() => 0.5 * share * f64::ln(max / min),
                _ => 0.5 * share * (max - min),
            };
            let name = format!("p{index}");
            ParameterDef { name, kind, start: start.clamp(min, max), min, max, c_end, r_end }
        },
    )
}

/// Either optimiser with any settings that its check lets pass.
fn optimizer() -> impl Strategy<Value = OptimizerSpec> {
    let gains = prop::sample::select(GainRule::ALL.map(|(_, rule)| rule).to_vec());
    let spsa = (0.1..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, gains).prop_map(
        |(alpha, share, a_ratio, gains)| {
            // gamma is above 0 and below alpha.
            let gamma = alpha * share.clamp(0.01, 0.99);
            OptimizerSpec::Spsa(SpsaSettings { alpha, gamma, a_ratio, gains })
        },
    );
    let maybe = |range| prop::option::of(range);
    let bqr = (
        maybe(1.0..=500.0_f64),
        maybe(0.5..=40.0_f64),
        1.0..=10.0_f64,
        0.0..=1.0_f64,
        maybe(0.5..=20.0_f64),
    )
        .prop_map(|(pair_deviation, probe_loss, scale_limit, forget, reach)| {
            OptimizerSpec::Bqr(BqrSettings {
                pair_deviation,
                probe_loss,
                scale_limit,
                forget,
                reach,
            })
        });
    let usual =
        [OptimizerSpec::Spsa(SpsaSettings::default()), OptimizerSpec::Bqr(BqrSettings::default())];
    prop_oneof![prop::sample::select(usual.to_vec()), spsa, bqr]
}

/// Up to five parameters, with constraints that leave room about the start; budgets down to one pair.
fn tune() -> impl Strategy<Value = TuneSpec> {
    let parameters =
        (1_usize..6).prop_flat_map(|count| (0..count).map(parameter).collect::<Vec<_>>());
    let factors = prop::collection::vec(prop::collection::vec(-3.0..3.0_f64, 5), 0..4);
    let budgets = prop_oneof![Just(1_u64), 1_u64..5000];
    (parameters, factors, optimizer(), budgets).prop_map(
        |(parameters, factors, optimizer, pairs)| {
            let numbers: Vec<&ParameterDef> = parameters
                .iter()
                .filter(|p| matches!(p.kind, ParameterKind::Int | ParameterKind::Float))
                .collect();
            let constraint = |factors: &Vec<f64>| {
                let terms = numbers.iter().zip(factors).filter(|(_, factor)| factor.abs() > 0.1);
                let terms: Vec<(&&ParameterDef, f64)> = terms.map(|(p, f)| (p, *f)).collect();
                // A whole step of each parameter away from the start: rounding stays inside.
                let at_most =
                    terms.iter().map(|(p, f)| f * p.start + f.abs() * (1.0 + 0.1 * p.c_end)).sum();
                let sum = terms.into_iter().map(|(p, factor)| (p.name.clone(), factor)).collect();
                LinearConstraint { sum, at_most }
            };
            let constraints: Vec<LinearConstraint> =
                factors.iter().map(constraint).filter(|c| !c.sum.0.is_empty()).collect();
            TuneSpec {
                pairs: Pairs(pairs),
                optimizer,
                parameters,
                constraints,
                fixed: ParameterSet::default(),
                forked_from: None,
            }
        },
    )
}

/// Inside the ranges, whole where it must be, and within the constraints up to rounding.
fn inside(spec: &TuneSpec, point: &[f64], playable: bool) -> Result<(), String> {
    for (p, value) in spec.parameters.iter().zip(point) {
        let whole = p.kind == ParameterKind::Categorical || (playable && p.kind.is_whole());
        if !(p.min..=p.max).contains(value) || (whole && value.fract() != 0.0) {
            return Err(format!("{value} of {p:?}"));
        }
    }
    for constraint in &spec.constraints {
        let value = |name: &String| {
            spec.parameters.iter().position(|p| p.name == *name).map_or(f64::NAN, |i| point[i])
        };
        let sum: f64 = constraint.sum.0.iter().map(|(name, factor)| factor * value(name)).sum();
        if sum.is_nan() || sum > constraint.at_most + 1e-6 {
            return Err(format!("{sum} over {constraint:?} at {point:?}"));
        }
    }
    Ok(())
}

fn check(spec: &TuneSpec, tuner: &Tuner, counts: &Pentanomial) -> Result<(), String> {
    inside(spec, tuner.theta(), false)?;
    let standing = tuner.standing();
    let start = tuner.start();
    let way = [(0, &start[..]), (counts.pairs().0, tuner.theta())]
        .map(|(pairs, theta)| Waypoint { pairs, theta });
    if let Some(verdict) = tuner.verdict(&standing, &way, counts) {
        let known = verdict.chance.iter().all(|chance| (0.0..=1.0).contains(chance));
        if !known {
            return Err(format!("chances {:?}", verdict.chance));
        }
    }
    let suggested: Vec<f64> = spec
        .parameters
        .iter()
        .map(|p| standing.suggested.get(&p.name).unwrap_or(f64::NAN))
        .collect();
    inside(spec, &suggested, true)?;
    if let Some(estimate) = standing.estimate {
        inside(spec, &estimate.centre, false)?;
        let figures = [estimate.gain, estimate.gain_deviation, estimate.remaining_loss];
        let lists = estimate.deviation.iter().chain(&estimate.signal_to_noise);
        if !figures.iter().map(|elo| &elo.0).chain(lists).all(|figure| figure.is_finite()) {
            return Err("a figure that is no number".to_owned());
        }
    }
    for choices in &standing.choices {
        let total: f64 = choices.iter().sum();
        if (total - 1.0).abs() > 1e-9 {
            return Err(format!("probabilities {choices:?}"));
        }
    }
    Ok(())
}

/// Pairs of each report, the share of their points, and whether it comes late; in some tunes nobody
/// ever wins or no pair is ever finished.
fn told() -> impl Strategy<Value = Vec<(u64, f64, bool)>> {
    let report = (0_u64..40, -1.0..=1.0_f64, any::<bool>());
    let reports = prop::collection::vec(report, 1..40);
    (reports, 0..6).prop_map(|(mut reports, kind)| {
        for (pairs, share, _) in &mut reports {
            match kind {
                0 => *pairs = 0,
                1 => *share = 0.0,
                2 => *pairs = 1,
                3 => *share = 1.0,
                _ => {}
            }
        }
        reports
    })
}

/// Counts with this balance: won and level pairs.
fn counts(pairs: u64, balance: i64) -> Pentanomial {
    let (won, ahead) = (balance.unsigned_abs() / 2, balance.unsigned_abs() % 2);
    let level = pairs - won - ahead;
    match balance < 0 {
        true => Pentanomial([won, ahead, level, 0, 0]),
        false => Pentanomial([0, 0, level, ahead, won]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nothing_escapes_and_a_stored_state_is_the_state(
        spec in tune(),
        seed in any::<u64>(),
        told in told(),
    ) {
        let mut tuner = match Tuner::new(&spec, Pairs(8), seed) {
            Ok(tuner) => tuner,
            // Several constraints may leave no room; nothing else is wrong with it.
            Err(findings) => {
                prop_assert!(findings.0.iter().all(|f| f.place == "constraint"), "{findings}");
                return Ok(());
            }
        };
        let fresh = tuner.clone();
        let mut late: Option<Perturbation> = None;
        let mut all = Pentanomial::default();
        prop_assert_eq!(check(&spec, &tuner, &all), Ok(()), "before any report");
        for (index, (pairs, share, keep)) in told.into_iter().enumerate() {
            let asked = tuner.ask(8 * index as u64);
            for side in [&asked.plus, &asked.minus] {
                prop_assert_eq!(inside(&spec, side, true), Ok(()));
            }
            let balance = (share * 2.0 * pairs as f64) as i64;
            let json = serde_json::to_string(&asked).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Perturbation>(&json).unwrap(), &asked);
            let asked = if keep { late.replace(asked.clone()).unwrap_or(asked) } else { asked };
            prop_assert!(tuner.tell(&asked, Pairs(pairs), balance).is_ok());
            all += counts(pairs, balance);
            prop_assert_eq!(check(&spec, &tuner, &all), Ok(()));
        }
        let json = serde_json::to_string(&tuner.state()).unwrap();
        let state: TunerState = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(serde_json::to_string(&state).unwrap(), json);
        let again = fresh.with_state(state).unwrap();
        prop_assert_eq!(again.ask(1 << 30), tuner.ask(1 << 30));
        prop_assert_eq!(again, tuner);
    }

    /// The sums of `bqr` are looked at in `order`; the steps of `spsa` simply add up.
    #[test]
    fn spsa_is_at_the_same_point_in_any_order(
        order in Just((0..48_usize).collect::<Vec<_>>()).prop_shuffle(),
        balances in prop::collection::vec(-6_i64..=6, 48),
    ) {
        let wide = |name: &str| ParameterDef {
            name: name.to_owned(),
            kind: ParameterKind::Float,
            start: 0.0,
            min: -1000.0,
            max: 1000.0,
            c_end: 1.0,
            r_end: 0.002,
        };
        let spec = TuneSpec {
            pairs: Pairs(1000),
            optimizer: OptimizerSpec::Spsa(SpsaSettings::default()),
            parameters: vec![wide("a"), wide("b"), wide("c")],
            constraints: Vec::new(),
            fixed: ParameterSet::default(),
            forked_from: None,
        };
        let fresh = Tuner::new(&spec, Pairs(8), 5).unwrap();
        let asked: Vec<Perturbation> = (0..48).map(|block| fresh.ask(8 * block)).collect();
        let told = |order: &mut dyn Iterator<Item = usize>| {
            let mut tuner = fresh.clone();
            for index in order {
                tuner.tell(&asked[index], Pairs(8), balances[index]).unwrap();
            }
            tuner
        };
        let (one, other) = (told(&mut (0..48)), told(&mut order.iter().copied()));
        let pairs = |tuner: &Tuner| match tuner.state() {
            TunerState::Spsa(state) => Some(state.pairs),
            TunerState::Bqr(_) => None,
        };
        prop_assert_eq!([pairs(&one), pairs(&other)], [Some(Pairs(384)); 2]);
        for (a, b) in one.theta().iter().zip(other.theta()) {
            prop_assert!((a - b).abs() < 1e-9, "{a} and {b}");
        }
    }
}

/// A tune of very many parameters of all kinds: what a row keeps of a probe is the probe.
#[test]
fn ten_thousand_parameters_come_back_from_their_rows_to_the_bit() {
    let parameter = |index: usize| {
        let (name, r_end) = (format!("p{index}"), 0.002);
        let size = 1.0 + (index % 97) as f64;
        match index % 5 {
            0 => (name, ParameterKind::Int, size, (-9.0 * size, 9.0 * size), size),
            1 => (name, ParameterKind::Float, 0.1 * size, (-size, size), 0.07 * size),
            2 => (name, ParameterKind::LogInt, size, (1.0, 50.0 * size), 0.1),
            3 => (name, ParameterKind::LogFloat, 0.3 * size, (0.01 * size, 7.0 * size), 0.1),
            _ => (name, ParameterKind::Categorical, 1.0, (0.0, 3.0), 5.0),
        }
        .into_def(r_end)
    };
    let parameters: Vec<ParameterDef> = (0..10_000).map(parameter).collect();
    let face = ["p0", "p5", "p1"].map(|name| (name.to_owned(), 1.0)).into_iter().collect();
    let spec = TuneSpec {
        pairs: Pairs(100_000),
        optimizer: OptimizerSpec::Spsa(SpsaSettings::default()),
        parameters,
        constraints: vec![LinearConstraint { sum: face, at_most: 9.0 }],
        fixed: ParameterSet::default(),
        forked_from: None,
    };
    let mut tuner = Tuner::new(&spec, Pairs(8), 3).unwrap();
    for block in 0..12_u64 {
        let asked = tuner.ask(8 * block);
        let row = tuner.write(&asked);
        assert!(row.len() < 110_000, "{} bytes", row.len());
        assert_eq!(tuner.read(&row), Ok(asked.clone()));
        // Rows from before there was a packed form.
        assert_eq!(tuner.read(&serde_json::to_string(&asked).unwrap()), Ok(asked.clone()));
        tuner.tell(&asked, Pairs(8), 5 - block as i64).unwrap();
    }
    assert_eq!(check(&spec, &tuner, &counts(96, -6)), Ok(()));
    let row = tuner.write(&tuner.ask(8));
    for (from, to) in [("packed\":\"", "packed\":\"A"), ("packed", "pucked"), ("\"}", "\"")] {
        assert!(tuner.read(&row.replacen(from, to, 1)).is_err(), "{from} to {to}");
    }
}

trait IntoDef {
    fn into_def(self, r_end: f64) -> ParameterDef;
}

impl IntoDef for (String, ParameterKind, f64, (f64, f64), f64) {
    fn into_def(self, r_end: f64) -> ParameterDef {
        let (name, kind, start, (min, max), c_end) = self;
        ParameterDef { name, kind, start, min, max, c_end, r_end }
    }
}
