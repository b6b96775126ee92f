//! The figures of a test before it is played and after it has stopped, against published and
//! independently computed ones.

use model::Pentanomial;
use stats::{Correction, EloModel, PairLaw, Simulation, SprtSpec, forecast, simulate};
use std::num::NonZeroU32;

const SPEC: SprtSpec =
    SprtSpec { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };

/// Pairs of a leading engine's tests at a short time control, as shares.
const LEADING: Pentanomial = Pentanomial([59, 2267, 5348, 2267, 59]);

fn how(tests: u32, report_pairs: u32, correction: Correction) -> Simulation {
    let [tests, report_pairs] =
        [tests, report_pairs].map(|n| NonZeroU32::new(n).expect("not zero"));
    Simulation { tests, seed: 20_260_101, report_pairs, correction }
}

/// Pass share and thousands of games of 20,000 tests by another program, at a look per pair.
#[test]
fn simulated_tests_agree_with_the_table_and_the_formula() {
    for (truth, pass, games) in
        [(0.0, 0.0500, 25.851), (2.5, 0.4998, 42.029), (5.0, 0.9491, 25.535)]
    {
        let law = PairLaw::of_counts(&LEADING).at(truth, SPEC.model);
        let found = simulate(&SPEC, &law, &how(500, 1, Correction::None));
        let pass_error = (pass * (1.0_f64 - pass) / 500.0).sqrt();
        assert!((found.pass_share - pass).abs() < 3.0 * pass_error, "{truth}: {found:?}");
        let off = found.mean_pairs - 500.0 * games;
        assert!(off.abs() < 3.0 * found.mean_error, "{truth}: {found:?}");
        let expected = forecast(&SPEC, truth, law.deviation());
        assert!((found.pass_share - expected.pass_probability).abs() < 3.0 * pass_error + 0.001);
        assert!((found.mean_pairs - 1.01 * expected.mean_pairs).abs() < 3.0 * found.mean_error);
    }
}

/// At the bounds that engine projects use, as many tests err as were asked to, within three standard
/// errors of the simulation.
#[test]
fn the_promised_error_rates_hold_at_the_usual_bounds() {
    const TESTS: u32 = 400;
    let law = PairLaw::of_draw_ratio(0.6).unwrap();
    for (elo0, elo1) in [(0.0, 2.0), (0.0, 5.0), (-1.75, 0.25)] {
        let spec = SprtSpec { elo0, elo1, ..SPEC };
        let pass = |truth: f64| {
            let law = law.at(truth, spec.model);
            simulate(&spec, &law, &how(TESTS, 1, Correction::None)).pass_share
        };
        let (false_pass, false_fail) = (pass(elo0), 1.0 - pass(elo1));
        for (what, found, promised) in [("α", false_pass, spec.alpha), ("β", false_fail, spec.beta)]
        {
            let error = (promised * (1.0 - promised) / f64::from(TESTS)).sqrt();
            assert!(found < promised + 3.0 * error, "{what} at [{elo0}, {elo1}]: {found}");
        }
    }
}

/// With 128 pairs in a report a test plays longer; moved bounds take that back and keep the rates.
#[test]
fn the_dynamic_correction_saves_games_at_equal_error_rates() {
    for (truth, [plain_games, games], [plain_pass, pass]) in [
        (0.0, [27.2, 25.8], [0.048, 0.051]),
        (2.5, [46.4, 42.6], [0.5, 0.5]),
        (5.0, [27.2, 25.4], [0.958, 0.950]),
    ] {
        let law = PairLaw::of_counts(&LEADING).at(truth, SPEC.model);
        for (correction, games, pass) in
            [(Correction::None, plain_games, plain_pass), (Correction::Dynamic, games, pass)]
        {
            let found = simulate(&SPEC, &law, &how(1000, 128, correction));
            let error = (pass * (1.0_f64 - pass) / 1000.0).sqrt();
            assert!((found.pass_share - pass).abs() < 3.5 * error, "{truth}: {found:?}");
            // The table's own standard error is half of this one.
            let off = found.mean_pairs - 500.0 * games;
            assert!(off.abs() < 3.4 * found.mean_error, "{truth} {correction:?}: {found:?}");
        }
    }
}

/// Upper ends for which the other program has left its exact series (drift × width > 15) and takes
/// two terms of Mill's ratio for a normal tail; the exact ones lie this much lower.
const ONE_IMAGE: [(&str, f64); 3] = [
    ("4.268947310736108", 3.89e-4),
    ("4.348192071484819", 1.36e-4),
    ("7.014926493886218", 3.06e-4),
];

#[test]
fn corrected_estimates_agree_with_the_vectors() {
    let mut exceptions = 0;
    for line in include_str!("data/corrected.csv").lines().filter(|l| !l.starts_with('#')).skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        let spec = SprtSpec {
            elo0: number(6),
            elo1: number(7),
            model: if row[5] == "logistic" { EloModel::Logistic } else { EloModel::Normalized },
            ..SPEC
        };
        let counts = Pentanomial(std::array::from_fn(|i| row[i].parse().expect("a count")));
        let found = spec.corrected(&counts);
        let values = [found.elo.0, found.low.0, found.high.0, found.los];
        for (column, value) in (8..).zip(values) {
            let known = ONE_IMAGE.iter().find(|(printed, _)| *printed == row[column]);
            exceptions += u32::from(known.is_some());
            let (shift, tolerance) =
                known.map_or((0.0, 1e-8 + 1e-9 * value.abs()), |(_, shift)| (*shift, 1e-6));
            let off = value - (number(column) - shift);
            assert!(off.abs() < tolerance, "{line}: column {column} is {value}, off {off:e}");
        }
    }
    assert_eq!(exceptions, 3);
}
