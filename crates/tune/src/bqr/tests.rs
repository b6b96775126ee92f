//! The regression against the published vectors, and as the ledger sees it.

use super::*;
use crate::{Report, replay};
use proptest::prelude::*;
use serde::Deserialize;

fn parameter(name: &str, kind: ParameterKind) -> ParameterDef {
    ParameterDef {
        name: name.to_owned(),
        kind,
        start: 10.0,
        min: 0.0,
        max: 40.0,
        c_end: 2.0,
        r_end: 0.002,
    }
}

fn fresh() -> Bqr {
    let space = ParameterSpace::new(vec![
        parameter("margin", ParameterKind::Int),
        parameter("scale", ParameterKind::Float),
        parameter("depth", ParameterKind::Int),
    ])
    .unwrap();
    let settings = BqrSettings { forget: 0.25, reach: Some(2.0), ..BqrSettings::default() };
    Bqr::new(space, settings, Pairs(8), 7).unwrap()
}

/// A live tune of 60 blocks, each told in two parts and three blocks late.
fn live() -> (Bqr, Vec<Report>) {
    let mut bqr = fresh();
    let mut reports = Vec::new();
    let mut waiting = std::collections::VecDeque::new();
    for block in 0..60_u64 {
        waiting.push_back(bqr.ask(8 * block));
        if waiting.len() > 3 {
            let perturbation = waiting.pop_front().unwrap();
            let balance = (block as i64 * 37 % 15) - 7;
            for (pairs, balance) in [(5, balance / 2), (3, balance - balance / 2)] {
                bqr.tell(&perturbation, Pairs(pairs), balance).unwrap();
                let perturbation = perturbation.clone();
                reports.push(Report { perturbation, pairs: Pairs(pairs), balance });
            }
        }
    }
    (bqr, reports)
}

/// What a run of the reference implementation was told, and what it made of it after each fit.
#[derive(Deserialize)]
struct Vectors {
    data: Vec<Told>,
    refits: Vec<Refit>,
}

/// Fit before which it was told, both points in units, pairs, balance.
#[derive(Deserialize)]
struct Told(usize, Vec<f64>, Vec<f64>, u64, i64);

#[derive(Deserialize)]
struct Refit {
    centre: Vec<f64>,
    b: Vec<f64>,
    h: Vec<f64>,
    t: Vec<f64>,
    hyper: [f64; 4],
    c: Vec<f64>,
    predicted_remaining_loss: f64,
}

#[test]
fn six_fits_agree_with_the_reference_implementation() {
    let json = include_str!("../../tests/data/bqr_vectors.json");
    let vectors: Vectors = serde_json::from_str(json).unwrap();
    assert_eq!((vectors.data.len(), vectors.refits.len()), (252, 6));
    let config = BqrSettings {
        pair_deviation: Some(115.23),
        forget: 0.25,
        reach: Some(2.0),
        ..BqrSettings::default()
    };
    let mut state = BqrState::new(3, &config);
    for (round, expected) in vectors.refits.iter().enumerate() {
        for Told(_, plus, minus, pairs, balance) in vectors.data.iter().filter(|t| t.0 == round) {
            let elo = *balance as f64 / *pairs as f64 * ELO_OF_POINT;
            state.add(plus, minus, *pairs as f64, elo, config.forget);
        }
        let step = if round == 5 { Step::Last } else { Step::Next };
        state = state.refit(&config, &[(-10.0, 10.0); 3], step, 1.0, &|_, _| ());
        let hyper = state.hyper;
        let widths = [hyper.curvature, hyper.spread, hyper.reach, hyper.skew];
        for (what, found, expected) in [
            ("centre", &state.origin[..], &expected.centre[..]),
            ("slopes", &state.surface[..3], &expected.b),
            ("curvatures", &state.surface[3..6], &expected.h),
            ("skews", &state.surface[6..], &expected.t),
            ("widths", &widths, &expected.hyper),
            ("scales", &state.scale, &expected.c),
            ("loss", &[state.remaining_loss()], &[expected.predicted_remaining_loss]),
        ] {
            for (found, expected) in found.iter().zip(expected) {
                let error = (found - expected).abs();
                assert!(error < 1e-9, "{what} of fit {round}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn probes_follow_a_small_curvature_only_in_part() {
    use super::state::probe_curvature;
    for curvature in [0.01, 0.3, 1.0, 7.0] {
        assert!((probe_curvature(curvature, 1.0) / curvature - 1.0).abs() < 1e-14, "as published");
    }
    assert_eq!(probe_curvature(7.0, WIDENING), 7.0);
    assert!((probe_curvature(0.01, 0.5) - 0.1).abs() < 1e-15);
    // A quarter of the curvature asks for twice the width.
    let width = probe_curvature(0.25, WIDENING).sqrt().recip();
    assert!(1.5 < width && width < 2.0, "{width}");
}

#[test]
fn replay_of_the_ledger_gives_the_live_state_to_the_bit() {
    let (bqr, reports) = live();
    let json = serde_json::to_string(&reports).unwrap();
    let stored: Vec<Report> = serde_json::from_str(&json).unwrap();
    let replayed = replay(fresh(), &stored).unwrap();
    assert_eq!(
        serde_json::to_vec(replayed.state()).unwrap(),
        serde_json::to_vec(bqr.state()).unwrap()
    );
    assert_eq!(replayed, bqr);
    assert!(bqr.state().fitted > 0 && bqr.theta() != fresh().theta(), "the tune has moved");
}

#[test]
fn a_state_survives_json_to_the_bit() {
    let (bqr, _) = live();
    let json = serde_json::to_string(bqr.state()).unwrap();
    let state: BqrState = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&state).unwrap(), json);
    let restored = fresh().with_state(state).unwrap();
    assert_eq!(restored, bqr);
    assert_eq!(restored.ask(480), bqr.ask(480));
    assert_eq!(restored.estimate(), bqr.estimate());
}

/// Pinned, so that a changed formula cannot silently change the replay of old tunes.
#[test]
fn the_state_of_a_ledger_is_pinned() {
    let (bqr, _) = live();
    let bits: Vec<u64> = bqr.theta().iter().map(|value| value.to_bits()).collect();
    assert_eq!(bits, PINNED_THETA, "{:?}", bqr.theta());
}

const PINNED_THETA: [u64; 3] =
    [4_622_497_460_222_341_450, 4_622_507_998_376_091_899, 4_619_904_522_361_962_518];

#[test]
fn asking_is_pure_and_blocks_differ() {
    let bqr = fresh();
    assert_eq!(bqr.ask(24), bqr.ask(24));
    let signs: std::collections::BTreeSet<Vec<i8>> =
        (0..64).map(|block| bqr.ask(8 * block).flips).collect();
    assert_eq!(signs.len(), 8, "all sign patterns of three parameters come up");
    let scatter = |bqr: &Bqr| {
        let middles: Vec<f64> = (0..4000)
            .map(|block| bqr.ask(8 * block))
            .map(|asked| 0.5 * (asked.plus[1] + asked.minus[1]) - 10.0)
            .collect();
        let n = middles.len() as f64;
        let mean = middles.iter().sum::<f64>() / n;
        let deviation = (middles.iter().map(|m| m * m).sum::<f64>() / n).sqrt();
        assert!(mean.abs() < 0.08, "the scatter is fair: {mean}");
        deviation
    };
    let width = |bqr: &Bqr| {
        let asked = bqr.ask(8000);
        asked.plus[1] - asked.minus[1]
    };
    let dark = scatter(&bqr);
    assert!((dark - 1.5).abs() < 0.1, "0.5 of one and a half times the scale 2: {dark}");
    let answered = BqrState { pairs: Pairs(32_000), ..bqr.state().clone() };
    let answered = bqr.clone().with_state(answered).unwrap();
    let light = scatter(&answered);
    assert!((light - 0.3).abs() < 0.02, "0.15 of the scale 2: {light}");
    assert!((width(&bqr) / width(&answered) - 1.5).abs() < 1e-9);
}

#[test]
fn before_any_report_the_start_is_suggested() {
    let bqr = fresh();
    assert_eq!(bqr.suggested(), bqr.space().nearest(&[10.0; 3]));
    let estimate = bqr.estimate();
    assert!(estimate.deviation.iter().all(|d| *d > 1.0), "nothing is known: {estimate:?}");
    assert_eq!(estimate.pair_deviation, Elo(130.0));
}

#[test]
fn level_reports_change_no_opinion_of_the_direction() {
    let mut bqr = fresh();
    for block in 0..40 {
        let asked = bqr.ask(8 * block);
        bqr.tell(&asked, Pairs(8), 0).unwrap();
    }
    let moved = bqr.estimate().centre.iter().map(|v| (v - 10.0).abs()).fold(0.0, f64::max);
    assert!(moved < 1.0, "half a c_end at most: {:?}", bqr.estimate());
}

#[test]
fn no_pairs_are_no_report() {
    let mut bqr = fresh();
    let asked = bqr.ask(0);
    bqr.tell(&asked, Pairs(0), 0).unwrap();
    assert_eq!(bqr, fresh());
}

#[test]
fn what_cannot_be_true_is_refused_and_changes_nothing() {
    let mut bqr = fresh();
    let good = bqr.ask(0);
    let mut short = good.clone();
    short.minus.pop();
    let mut outside = good.clone();
    outside.plus[1] = 40.5;
    let mut nothing = good.clone();
    nothing.minus[2] = f64::NAN;
    assert!(matches!(
        bqr.tell(&short, Pairs(1), 0),
        Err(TuneError::Dimension { list: "minus", found: 2, expected: 3 })
    ));
    assert!(matches!(
        bqr.tell(&outside, Pairs(1), 0),
        Err(TuneError::Value { list: "plus", index: 1, .. })
    ));
    assert!(matches!(
        bqr.tell(&nothing, Pairs(1), 0),
        Err(TuneError::Value { list: "minus", index: 2, .. })
    ));
    assert!(matches!(bqr.tell(&good, Pairs(2), -5), Err(TuneError::Balance { .. })));
    assert_eq!(bqr, fresh());
}

#[test]
fn a_broken_state_is_refused() {
    let (bqr, _) = live();
    let break_it = |damage: &dyn Fn(&mut BqrState)| {
        let mut state = bqr.state().clone();
        damage(&mut state);
        fresh().with_state(state)
    };
    assert!(break_it(&|_| ()).is_ok());
    assert!(break_it(&|s| s.origin.push(0.0)).is_err());
    assert!(break_it(&|s| s.origin[0] = 1e3).is_err());
    assert!(break_it(&|s| s.scale[1] = 0.0).is_err());
    assert!(break_it(&|s| s.surface[3] = -1.0).is_err());
    assert!(break_it(&|s| s.slope_variance[0] = -1.0).is_err());
    assert!(break_it(&|s| s.products[5] = f64::NAN).is_err());
    assert!(break_it(&|s| s.responses.truncate(2)).is_err());
    assert!(break_it(&|s| s.noise = f64::INFINITY).is_err());
}

#[test]
fn wrong_settings_and_too_many_parameters_are_named() {
    let wrong = BqrSettings {
        pair_deviation: Some(0.0),
        probe_loss: Some(f64::NAN),
        scale_limit: 0.5,
        forget: -1.0,
        reach: Some(0.0),
    };
    let fine = |name: &str| parameter(name, ParameterKind::Float);
    let places = |parameters: Vec<ParameterDef>, config| -> Vec<String> {
        let space = ParameterSpace::new(parameters).unwrap();
        Bqr::new(space, config, Pairs(8), 1).unwrap_err().0.into_iter().map(|f| f.place).collect()
    };
    assert_eq!(
        places(vec![fine("x")], wrong),
        ["bqr.pair_deviation", "bqr.probe_loss", "bqr.scale_limit", "bqr.forget", "bqr.reach"]
    );
    let many = (0..=BQR_MOST_PARAMETERS).map(|i| fine(&format!("p{i}"))).collect();
    assert_eq!(places(many, BqrSettings::default()), ["parameter"]);
    let sliver = ParameterDef { c_end: 1e-6, ..fine("x") };
    assert_eq!(places(vec![sliver], BqrSettings::default()), ["parameter[0].c_end"]);
}

#[test]
fn the_order_of_reports_matters_little() {
    let asked: Vec<Perturbation> = (0..64).map(|block| fresh().ask(8 * block)).collect();
    let config = BqrSettings { forget: 0.0, ..BqrSettings::default() };
    let told = |order: Vec<usize>| {
        let mut state = BqrState::new(3, &config);
        let bqr = fresh();
        for index in order {
            let asked = &asked[index];
            let elo = (index as f64 * 37.0) % 31.0 - 15.0;
            let (plus, minus) = (bqr.in_units(&asked.plus), bqr.in_units(&asked.minus));
            state.add(&plus, &minus, 8.0, elo, 0.0);
        }
        state.refit(&config, &bqr.limits, Step::Last, WIDENING, &|_, _| ())
    };
    let (forwards, backwards) = (told((0..64).collect()), told((0..64).rev().collect()));
    for (a, b) in forwards.origin.iter().zip(&backwards.origin) {
        assert!((a - b).abs() < 1e-9, "nothing is lost by lateness: {a} {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_reports_leave_a_finite_state_inside_the_box(
        wide in 0.0..6.0_f64,
        whole in any::<bool>(),
        seed in any::<u64>(),
        told in proptest::collection::vec(
            (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 1_u64..2000, -1.0..=1.0_f64), 1..60),
    ) {
        let kind = if whole { ParameterKind::Int } else { ParameterKind::Float };
        let max = (2.0 * 10_f64.powf(wide)).floor().min(1e6);
        let wide = ParameterDef { start: 0.0, max, c_end: 1.0, ..parameter("wide", kind) };
        let space = ParameterSpace::new(vec![wide, parameter("plain", kind)]).unwrap();
        let mut bqr = Bqr::new(space.clone(), BqrSettings::default(), Pairs(8), seed).unwrap();
        for (index, (a, b, c, d, pairs, share)) in told.into_iter().enumerate() {
            let mut asked = bqr.ask(8 * index as u64);
            if index % 3 == 0 {
                asked.plus = vec![a * max, b * 40.0];
                asked.minus = vec![c * max, d * 40.0];
            }
            bqr.tell(&asked, Pairs(pairs), (share * 2.0 * pairs as f64) as i64).unwrap();
        }
        let estimate = bqr.estimate();
        for (p, value) in space.parameters().iter().zip(bqr.theta().iter().chain(&estimate.centre)) {
            prop_assert!((p.min..=p.max).contains(value));
        }
        prop_assert!(estimate.remaining_loss.0 >= 0.0 && estimate.remaining_loss.0.is_finite());
        prop_assert!(estimate.deviation.iter().all(|d| d.is_finite() && *d >= 0.0));
        prop_assert!(bqr.clone().with_state(bqr.state().clone()).is_ok());
        let asked = bqr.ask(1 << 40);
        for (p, (plus, minus)) in
            space.parameters().iter().zip(asked.plus.iter().zip(&asked.minus))
        {
            prop_assert!((p.min..=p.max).contains(plus) && (p.min..=p.max).contains(minus));
            prop_assert!(plus != minus);
        }
    }
}
