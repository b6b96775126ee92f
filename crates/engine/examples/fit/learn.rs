//! The descent: how the value of every position depends on every weight, and which weights make the
//! values foretell the results.

use crate::Words;
use engine::{Declared, Evaluate, Group, SearchGame, Weights, definitions};

/// One in so many games is left out of the fit, to see whether what was learnt holds elsewhere.
const HELD_OUT: usize = 10;
/// Lines that one game has on average: a hold-out takes neighbours together.
const BLOCK: usize = 40;
/// Rates of the moment estimates, and the size of a step in units of `c_end` (D. Kingma and J. Ba,
/// "Adam", 2015).
const RATES: (f64, f64) = (0.9, 0.999);
const STEP: f64 = 0.25;

/// What is tried for the strength that keeps the weights at their defaults, in multiples of the given
/// one; the hold-out decides.
const PULLS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];

/// A position and what came of it, from the view of the first side.
struct Sample<G> {
    position: G,
    result: f64,
    score: f64,
}

/// What the values are at some weights, and by how much each weight moves each of them.
struct Linear {
    /// Centipawns, first side's view.
    values: Vec<f64>,
    /// The weights that move the value of a position, with centipawns for each unit.
    slopes: Vec<Vec<(u16, f32)>>,
}

/// Reads the positions, fits, and prints every weight.
pub(crate) fn weights<G: SearchGame + Sync>(words: &Words) -> Result<(), String> {
    let samples = read::<G>(words)?;
    let list = definitions(G::KIND);
    let list: Vec<_> = list.iter().filter(|def| def.group == Group::Eval).collect();
    if list.is_empty() || samples.is_empty() {
        return Err(format!(
            "{} positions for {} weights of {}",
            samples.len(),
            list.len(),
            G::KIND
        ));
    }
    let start: Vec<f64> = list.iter().map(|def| def.default).collect();
    let units: Vec<f64> = list.iter().map(|def| def.c_end).collect();
    let mut now = start.clone();
    let mut scale = None;
    for round in 0..words.rounds {
        let linear = linearise(words, &samples, &now, &units);
        // The scale is that of the first weights: it fixes what a centipawn is.
        let scale = *scale.get_or_insert_with(|| best_scale(&linear.values, &samples));
        let targets: Vec<f64> = samples.iter().map(|s| target(s, scale, words.trust)).collect();
        let offset: Vec<f64> = now.iter().zip(&start).map(|(n, s)| n - s).collect();
        let (fitted, held) = losses(&linear.values, &targets, scale);
        eprintln!("round {round}: {} positions, scale {scale:.1}", samples.len());
        eprintln!("  before: loss {fitted:.6}, held out {held:.6}");
        let mut best = (held, vec![0.0; now.len()]);
        for pull in PULLS.map(|pull| pull * words.pull) {
            let change = descend(words, pull, &linear, &targets, scale, &units, &offset);
            let (fitted, held) = losses(&moved(&linear, &change), &targets, scale);
            eprintln!("  pull {pull:.1e}: loss {fitted:.6}, held out {held:.6}");
            if held < best.0 {
                best = (held, change);
            }
        }
        let change = best.1;
        for ((value, by), def) in now.iter_mut().zip(&change).zip(&list) {
            *value = (*value + by).round().clamp(def.min, def.max);
        }
    }
    for (def, value) in list.iter().zip(&now) {
        println!("{} {value} {}", def.name, def.default);
    }
    Ok(())
}

fn read<G: SearchGame>(words: &Words) -> Result<Vec<Sample<G>>, String> {
    let mut samples = Vec::new();
    for path in &words.input {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        for (index, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("{name}:{}: {what}: {line}", index + 1);
            let mut parts = line.splitn(3, ' ');
            let mut number = |what| {
                let number = parts.next().and_then(|word| word.parse::<f64>().ok());
                number.ok_or_else(|| wrong(what))
            };
            let (result, score) = (number("no result")?, number("no score")?);
            let position = G::from_fen(parts.next().unwrap_or(""));
            let position = position.map_err(|e| wrong(&e.to_string()))?;
            samples.push(Sample { position, result, score });
        }
    }
    Ok(samples)
}

/// What the value of a position ought to foretell.
fn target<G>(sample: &Sample<G>, scale: f64, trust: f64) -> f64 {
    trust * sample.result + (1.0 - trust) * expected(sample.score, scale)
}

/// The points that so many centipawns are worth on average.
fn expected(centipawns: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-centipawns / scale).exp())
}

fn held_out(index: usize) -> bool {
    (index / BLOCK).is_multiple_of(HELD_OUT)
}

/// The mean cross-entropy of what is fitted and of what is held out.
fn losses(values: &[f64], targets: &[f64], scale: f64) -> (f64, f64) {
    let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
    for (index, (&value, &target)) in values.iter().zip(targets).enumerate() {
        let p = expected(value, scale).clamp(1e-9, 1.0 - 1e-9);
        let part = usize::from(held_out(index));
        sums[part] -= target * p.ln() + (1.0 - target) * (1.0 - p).ln();
        counts[part] += 1.0;
    }
    (sums[0] / counts[0], sums[1] / counts[1])
}

/// The scale at which the present values foretell the results best, by golden sections.
fn best_scale<G>(values: &[f64], samples: &[Sample<G>]) -> f64 {
    let results: Vec<f64> = samples.iter().map(|s| s.result).collect();
    let loss = |scale: f64| losses(values, &results, scale).0;
    let (mut low, mut high) = (50.0, 1500.0);
    for _ in 0..40 {
        let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if loss(a) < loss(b) { high = b } else { low = a }
    }
    f64::midpoint(low, high)
}

/// Every value, and the slope along every weight by central differences: the evaluation is asked what
/// it does, and nothing has to be said twice.
fn linearise<G: SearchGame + Sync>(
    words: &Words,
    samples: &[Sample<G>],
    at: &[f64],
    units: &[f64],
) -> Linear {
    let tables = |weight: usize, by: f64| {
        let mut values = at.to_vec();
        values[weight] += by;
        let mut weights = Weights::<G>::default();
        weights.write(&mut values.into_iter());
        G::Eval::tables(&weights)
    };
    let value = |eval: &mut G::Eval, tables: &_, position: &G| {
        eval.reset(tables, position);
        let value = f64::from(eval.evaluate(tables, position));
        if position.first_to_move() { value } else { -value }
    };
    let here = tables(0, 0.0);
    let chunk = samples.len().div_ceil(words.threads).max(1);
    let (mut values, mut slopes) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let parts: Vec<_> = samples
            .chunks(chunk)
            .map(|samples| {
                scope.spawn(|| {
                    let mut eval = G::Eval::default();
                    let values: Vec<f64> =
                        samples.iter().map(|s| value(&mut eval, &here, &s.position)).collect();
                    let mut slopes = vec![Vec::new(); samples.len()];
                    for (weight, unit) in units.iter().enumerate() {
                        // Wide enough for the rounding to a centipawn not to count.
                        let by = 4.0 * unit;
                        let (more, less) = (tables(weight, by), tables(weight, -by));
                        for (sample, slopes) in samples.iter().zip(&mut slopes) {
                            let above = value(&mut eval, &more, &sample.position);
                            let below = value(&mut eval, &less, &sample.position);
                            if above != below {
                                let slope = (above - below) / (2.0 * by);
                                slopes.push((weight as u16, slope as f32));
                            }
                        }
                    }
                    (values, slopes)
                })
            })
            .collect();
        for part in parts {
            let (some_values, some_slopes) = part.join().expect("an evaluation does not panic");
            values.extend(some_values);
            slopes.extend(some_slopes);
        }
    });
    Linear { values, slopes }
}

/// The values after a change of the weights.
fn moved(linear: &Linear, change: &[f64]) -> Vec<f64> {
    let with = |(value, slopes): (&f64, &Vec<(u16, f32)>)| {
        let by = |&(weight, slope): &(u16, f32)| f64::from(slope) * change[usize::from(weight)];
        value + slopes.iter().map(by).sum::<f64>()
    };
    linear.values.iter().zip(&linear.slopes).map(with).collect()
}

/// The change of the weights that lowers the loss, kept near the start by the square of the distance.
fn descend(
    words: &Words,
    pull: f64,
    linear: &Linear,
    targets: &[f64],
    scale: f64,
    units: &[f64],
    offset: &[f64],
) -> Vec<f64> {
    let mut change = vec![0.0; units.len()];
    let (mut first, mut second) = (change.clone(), change.clone());
    for step in 1..=words.steps {
        let mut gradient = vec![0.0; units.len()];
        let mut count = 0.0;
        for (index, value) in moved(linear, &change).into_iter().enumerate() {
            if held_out(index) {
                continue;
            }
            count += 1.0;
            let error = (expected(value, scale) - targets[index]) / scale;
            for &(weight, slope) in &linear.slopes[index] {
                gradient[usize::from(weight)] += error * f64::from(slope);
            }
        }
        // From the full step down to none.
        let rate = STEP * (1.0 - f64::from(step - 1) / f64::from(words.steps));
        for weight in 0..units.len() {
            let unit = units[weight];
            let from_start = (offset[weight] + change[weight]) / unit;
            let slope = gradient[weight] * unit / count + 2.0 * pull * from_start;
            first[weight] = RATES.0 * first[weight] + (1.0 - RATES.0) * slope;
            second[weight] = RATES.1 * second[weight] + (1.0 - RATES.1) * slope * slope;
            let mean = first[weight] / (1.0 - RATES.0.powi(step as i32));
            let size = (second[weight] / (1.0 - RATES.1.powi(step as i32))).sqrt() + 1e-12;
            change[weight] -= rate * unit * mean / size;
        }
    }
    change
}
