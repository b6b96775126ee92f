//! SPSA finds strength in a simulated engine with the noise of real game pairs.

use model::{Pairs, ParameterDef, ParameterKind};
use tune::sim::{Bowl, PairNoise, Schedule, play};
use tune::{Optimizer, ParameterSpace, Spsa, SpsaConfig};

fn space(kind: ParameterKind, r_end: f64) -> ParameterSpace {
    let parameters = (0..8)
        .map(|index| ParameterDef {
            name: format!("p{index}"),
            kind,
            start: 100.0,
            min: 0.0,
            max: 200.0,
            c_end: 10.0,
            r_end,
        })
        .collect();
    ParameterSpace::new(parameters).expect("a plain box")
}

/// Elo below the optimum after each of twelve tunes that start 60 below.
fn lost(kind: ParameterKind, r_end: f64, saturation: f64, in_flight: usize) -> Vec<f64> {
    (0..12)
        .map(|seed| {
            let space = space(kind, r_end);
            let bowl = Bowl { saturation, ..Bowl::random(&space, 60.0, 5.0, seed) };
            let config = SpsaConfig::new(Pairs(3000));
            let mut spsa = Spsa::new(space.clone(), config, seed).expect("the usual schedule");
            let schedule = Schedule { pairs: Pairs(3000), block: Pairs(8), in_flight };
            play(&mut spsa, &bowl, &PairNoise::YOUNG, schedule, 1000 + seed);
            assert_eq!(spsa.state().pairs, Pairs(3000));
            let set = spsa.suggested();
            let point: Vec<f64> =
                space.parameters().iter().map(|p| set.get(&p.name).expect("a full set")).collect();
            -bowl.elo(&point).0
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn three_thousand_pairs_win_most_of_sixty_elo() {
    for kind in [ParameterKind::Int, ParameterKind::Float] {
        let lost = lost(kind, 0.02, f64::INFINITY, 1);
        assert!(lost.iter().all(|&lost| lost < 60.0), "every tune gains: {lost:?}");
        assert!(mean(&lost) < 15.0, "and on average 45 Elo: {lost:?}");
    }
}

#[test]
fn sixteen_blocks_in_flight_and_a_flat_landscape_still_gain() {
    let lost = lost(ParameterKind::Int, 0.02, 100.0, 16);
    let start = 100.0 * 0.6_f64.ln_1p();
    assert!(lost.iter().all(|&lost| lost < start), "every tune gains: {lost:?}");
    assert!(mean(&lost) < 0.5 * start, "and on average half of it: {lost:?}");
}

#[test]
fn the_customary_gain_is_too_slow_for_a_short_tune() {
    let slow = mean(&lost(ParameterKind::Float, 0.002, f64::INFINITY, 1));
    let fit = mean(&lost(ParameterKind::Float, 0.02, f64::INFINITY, 1));
    assert!(slow > 1.5 * fit, "r_end 0.002 leaves {slow}, 0.02 leaves {fit}");
}
