//! Plays sequential tests with simulated pairs and counts how often they err.

use model::Pentanomial;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stats::{EloModel, Overshoot, SprtDecision, SprtSpec, decide, forecast};

const TESTS: u32 = 1500;

/// Draws a cell from a law by one uniform number.
fn draw(rng: &mut ChaCha8Rng, law: &[f64; 5]) -> usize {
    let mut u = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    for (cell, p) in law.iter().enumerate() {
        if u < *p {
            return cell;
        }
        u -= p;
    }
    4
}

/// A symmetric law tilted so that its mean lies `t` deviations above one half.
fn law_at(t: f64) -> [f64; 5] {
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    loop {
        let tilt = 0.5 * (low + high);
        let weights = [(0.03, -2.0), (0.22, -1.0), (0.5, 0.0), (0.22, 1.0), (0.03, 2.0)]
            .map(|(p, step): (f64, f64)| p * (step * tilt).exp());
        let total: f64 = weights.iter().sum();
        let law = weights.map(|w| w / total);
        let mean: f64 = law.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
        let variance: f64 =
            law.iter().enumerate().map(|(i, p)| p * (i as f64 / 4.0 - mean).powi(2)).sum();
        if high - low < 1e-12 {
            return law;
        }
        if (mean - 0.5) / variance.sqrt() < t { low = tilt } else { high = tilt }
    }
}

/// Share of passes and mean pairs over many tests at one true strength.
fn play(spec: &SprtSpec, truth: f64) -> (f64, f64) {
    let law = law_at(std::f64::consts::SQRT_2 * truth / stats::ELO_PER_T);
    let mut rng = ChaCha8Rng::seed_from_u64(20_240_229);
    let (mut passes, mut pairs) = (0_u32, 0_u64);
    for _ in 0..TESTS {
        let mut counts = Pentanomial::default();
        loop {
            for _ in 0..4 {
                counts.0[draw(&mut rng, &law)] += 1;
            }
            match decide(spec.llr(&counts), spec.bounds()) {
                SprtDecision::Continue => {}
                SprtDecision::AcceptH0 => break,
                SprtDecision::AcceptH1 => {
                    passes += 1;
                    break;
                }
            }
        }
        pairs += counts.pairs().0;
    }
    (f64::from(passes) / f64::from(TESTS), pairs as f64 / f64::from(TESTS))
}

/// Wide bounds keep the tests short: about 120 pairs each.
#[test]
fn error_rates_and_length_are_as_forecast() {
    let spec =
        SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.1, model: EloModel::Normalized };
    spec.check().unwrap();
    for truth in [0.0, 25.0, 50.0] {
        let (passes, pairs) = play(&spec, truth);
        let expected = forecast(&spec, truth, 0.2);
        let p = expected.pass_probability;
        // Three standard errors, and the small loss or gain of stepping over a bound.
        let slack = 3.0 * (p * (1.0 - p) / f64::from(TESTS)).sqrt() + 0.015;
        assert!((passes - p).abs() < slack, "at {truth}: {passes} passed, expected {p}");
        let ratio = pairs / expected.mean_pairs;
        assert!((0.95..1.25).contains(&ratio), "at {truth}: {pairs} pairs, {expected:?}");
    }
}

/// A test as the cluster plays it: reports of 1 to 32 pairs, looked at one by one.
fn play_reports(
    spec: &SprtSpec,
    truth: f64,
    corrected: bool,
    futility: Option<(f64, u64)>,
) -> (f64, f64) {
    let law = law_at(std::f64::consts::SQRT_2 * truth / stats::ELO_PER_T);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut passes, mut pairs) = (0_u32, 0_u64);
    for _ in 0..TESTS {
        let (mut counts, mut overshoot) = (Pentanomial::default(), Overshoot::default());
        loop {
            for _ in 0..=rng.next_u64() % 32 {
                counts.0[draw(&mut rng, &law)] += 1;
            }
            let (llr, played) = (spec.llr(&counts), counts.pairs().0);
            overshoot = overshoot.seen(played, llr);
            let bounds = if corrected { overshoot.bounds(spec.bounds()) } else { spec.bounds() };
            match decide(llr, bounds) {
                SprtDecision::Continue => {}
                decision => {
                    passes += u32::from(decision == SprtDecision::AcceptH1);
                    break;
                }
            }
            if let Some((least, budget)) = futility {
                let more = budget.saturating_sub(played) as f64;
                if more == 0.0 || spec.power_left(&counts, llr, &overshoot, more) < least {
                    break;
                }
            }
        }
        pairs += counts.pairs().0;
    }
    (f64::from(passes) / f64::from(TESTS), pairs as f64 / f64::from(TESTS))
}

/// Steps of every size over the bounds cost pairs; the correction takes them back and keeps the
/// error rates.
#[test]
fn bounds_that_follow_the_overshoot_keep_the_error_rates() {
    let spec =
        SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.1, model: EloModel::Normalized };
    for truth in [0.0, 50.0] {
        let p = forecast(&spec, truth, 0.2).pass_probability;
        let (plain, long) = play_reports(&spec, truth, false, None);
        let (passes, short) = play_reports(&spec, truth, true, None);
        let slack = 3.0 * (p * (1.0 - p) / f64::from(TESTS)).sqrt() + 0.015;
        assert!((passes - p).abs() < slack, "at {truth}: {passes} passed, expected {p}");
        assert!(short < 0.97 * long, "at {truth}: {short} pairs against {long}");
        // Without it a test errs less than it was asked to, and plays for that.
        let err = |share: f64| if truth == 0.0 { share } else { 1.0 - share };
        assert!(err(plain) < err(passes) + 0.005, "at {truth}: {plain} against {passes}");
    }
}

/// β/(1 − g) is what a rule of futility may cost; it passes nothing that would have failed.
#[test]
fn futility_costs_no_more_than_it_says() {
    let spec =
        SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.1, model: EloModel::Normalized };
    let budget = (6.0 * forecast(&spec, 25.0, 0.2).mean_pairs) as u64;
    let least = 0.3;
    let (false_passes, _) = play_reports(&spec, 0.0, true, Some((least, budget)));
    assert!(false_passes < 0.05 + 0.02, "{false_passes}");
    let (passes, _) = play_reports(&spec, 50.0, true, Some((least, budget)));
    let lost = 1.0 - passes;
    assert!(lost < spec.beta / (1.0 - least) + 0.025, "{lost} of good candidates are lost");
    // A budget that ends soon ends a middling test sooner still.
    let budget = (0.6 * forecast(&spec, 25.0, 0.2).mean_pairs) as u64;
    let (_, patient) = play_reports(&spec, 10.0, true, Some((0.0, budget)));
    let (_, short) = play_reports(&spec, 10.0, true, Some((least, budget)));
    assert!(short < 0.9 * patient, "{short} pairs against {patient}");
}
