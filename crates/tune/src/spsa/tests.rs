//! SPSA as the ledger sees it: pure, replayable, indifferent to the order of asking.

use super::*;
use crate::{Report, replay};
use model::{ParameterDef, ParameterKind};

fn parameter(name: &str, kind: ParameterKind) -> ParameterDef {
    ParameterDef {
        name: name.to_owned(),
        kind,
        start: 10.0,
        min: 0.0,
        max: 40.0,
        c_end: 2.0,
        r_end: 0.02,
    }
}

fn fresh() -> Spsa {
    let space = ParameterSpace::new(vec![
        parameter("margin", ParameterKind::Int),
        parameter("scale", ParameterKind::Float),
        parameter("depth", ParameterKind::Int),
    ])
    .unwrap();
    Spsa::new(space, SpsaConfig::new(Pairs(1000)), 7).unwrap()
}

/// A live tune of 60 blocks, each told in two parts and three blocks late.
fn live() -> (Spsa, Vec<Report>) {
    let mut spsa = fresh();
    let mut reports = Vec::new();
    let mut waiting = std::collections::VecDeque::new();
    for block in 0..60_u64 {
        waiting.push_back(spsa.ask(8 * block));
        if waiting.len() > 3 {
            let perturbation = waiting.pop_front().unwrap();
            let balance = (block as i64 * 37 % 15) - 7;
            for (pairs, balance) in [(5, balance / 2), (3, balance - balance / 2)] {
                spsa.tell(&perturbation, Pairs(pairs), balance).unwrap();
                reports.push(Report {
                    perturbation: perturbation.clone(),
                    pairs: Pairs(pairs),
                    balance,
                });
            }
        }
    }
    (spsa, reports)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn the_step_of_the_published_test() {
    // theta 10, R 0.5, c 2, flip +1, result +3 moves to 13.
    let mut spsa = fresh();
    let perturbation =
        Perturbation { r: vec![0.5; 3], c: vec![2.0; 3], flips: vec![1, -1, 1], ..spsa.ask(0) };
    spsa.tell(&perturbation, Pairs(2), 3).unwrap();
    assert_eq!(spsa.theta(), [13.0, 7.0, 13.0]);
    spsa.tell(&perturbation, Pairs(60), 100).unwrap();
    assert_eq!(spsa.theta(), [40.0, 0.0, 40.0], "held to the box");
    assert_eq!(spsa.state().pairs, Pairs(62));
}

#[test]
fn replay_of_the_ledger_gives_the_live_state_to_the_bit() {
    let (spsa, reports) = live();
    let json = serde_json::to_string(&reports).unwrap();
    let stored: Vec<Report> = serde_json::from_str(&json).unwrap();
    let replayed = replay(fresh(), &stored).unwrap();
    assert_eq!(bits(replayed.theta()), bits(spsa.theta()));
    assert_eq!(replayed, spsa);
    assert_ne!(bits(spsa.theta()), bits(fresh().theta()), "the tune has moved");
}

#[test]
fn a_state_survives_json_to_the_bit() {
    let (spsa, _) = live();
    let json = serde_json::to_string(spsa.state()).unwrap();
    let state: SpsaState = serde_json::from_str(&json).unwrap();
    assert_eq!(bits(&state.theta), bits(spsa.theta()));
    let restored = fresh().with_state(state).unwrap();
    assert_eq!(restored, spsa);
    assert_eq!(restored.ask(480), spsa.ask(480));
}

#[test]
fn asking_is_pure_and_blocks_differ() {
    let spsa = fresh();
    assert_eq!(spsa.ask(24), spsa.ask(24));
    let signs: std::collections::BTreeSet<Vec<i8>> =
        (0..64).map(|block| spsa.ask(8 * block).flips).collect();
    assert_eq!(signs.len(), 8, "all sign patterns of three parameters come up");
}

#[test]
fn gains_follow_the_leased_range_not_what_arrived_meanwhile() {
    let (advanced, _) = live();
    let (early, late) = (fresh().ask(480), advanced.ask(480));
    assert_eq!((&early.c, &early.r, &early.flips), (&late.c, &late.r, &late.flips));
    assert_ne!(early.plus, late.plus, "but the point is the present one");
    assert!(early.c[1] < fresh().ask(0).c[1]);
}

#[test]
fn parts_of_a_block_add_up() {
    let perturbation = fresh().ask(8);
    let (mut whole, mut parts) = (fresh(), fresh());
    whole.tell(&perturbation, Pairs(8), 5).unwrap();
    parts.tell(&perturbation, Pairs(3), -1).unwrap();
    parts.tell(&perturbation, Pairs(5), 6).unwrap();
    for (a, b) in whole.theta().iter().zip(parts.theta()) {
        assert!((a - b).abs() < 1e-12);
    }
    assert_eq!(whole.state().pairs, parts.state().pairs);
}

#[test]
fn what_cannot_be_true_is_refused_and_changes_nothing() {
    let mut spsa = fresh();
    let good = spsa.ask(0);
    let mut short = good.clone();
    short.r.pop();
    let mut flat = good.clone();
    flat.flips[2] = 0;
    let mut infinite = good.clone();
    infinite.c[0] = f64::INFINITY;
    assert!(matches!(
        spsa.tell(&short, Pairs(1), 0),
        Err(TuneError::Dimension { list: "r", found: 2, expected: 3 })
    ));
    assert!(matches!(
        spsa.tell(&flat, Pairs(1), 0),
        Err(TuneError::Value { list: "flips", index: 2, .. })
    ));
    assert!(matches!(
        spsa.tell(&infinite, Pairs(1), 0),
        Err(TuneError::Value { list: "c", index: 0, .. })
    ));
    assert!(matches!(spsa.tell(&good, Pairs(2), 5), Err(TuneError::Balance { .. })));
    assert!(matches!(spsa.tell(&good, Pairs(2), i64::MIN), Err(TuneError::Balance { .. })));
    assert_eq!(spsa, fresh());
    let outside =
        SpsaState { theta: vec![1.0, f64::NAN, 1.0], pairs: Pairs(0), scores: Vec::new() };
    assert!(fresh().with_state(outside).is_err());
}

#[test]
fn suggested_values_are_whole_where_they_must_be() {
    let state = SpsaState { theta: vec![12.5, 12.5, 39.7], pairs: Pairs(1), scores: Vec::new() };
    let set = fresh().with_state(state).unwrap().suggested();
    assert_eq!(set.get("margin"), Some(13.0));
    assert_eq!(set.get("scale"), Some(12.5));
    assert_eq!(set.get("depth"), Some(40.0));
}
