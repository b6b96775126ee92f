//! What a regression tune has learnt: the statistics of all reports, and the last fit to them.
//!
//! The reports themselves are not kept. Their squared features are summed, and when the point
//! moves the sums are re-expressed about the new one, which is exact: a cubic stays a cubic.

use super::fit::{Evidence, Hyper, Moments, Surface};
use crate::{ParameterSpace, TuneError, scale};
use model::portable::{exp, ln};
use model::spec::BqrSettings;
use model::{Pairs, ParameterDef, ParameterKind};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;

/// Elo of one point of difference in a pair: half of 800/ln 10, the slope of the logistic curve.
pub(super) const ELO_OF_POINT: f64 = 400.0 / LN_10;

/// Before anything is measured: deviation of a pair in Elo, and the reports that this is worth.
const USUAL_DEVIATION: f64 = 130.0;
const USUAL_WEIGHT: f64 = 20.0;
/// The probes change by this factor at most between fits, and the point by this many probes.
const SCALE_STEP: f64 = 1.5;
const POINT_STEP: f64 = 2.0;

/// All that changes while a regression tune runs. Lengths and distances are in units of each
/// parameter's `c_end`, counted from its start; strength is in Elo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BqrState {
    /// Pairs that have been taken in.
    pub pairs: Pairs,
    /// Reports that have been taken in.
    pub reports: u64,
    /// Reports that the last fit has seen.
    pub fitted: u64,
    /// The present point, inside the box; the surface is expanded about it.
    pub origin: Vec<f64>,
    /// Half the distance of the two sides; > 0.
    pub scale: Vec<f64>,
    /// The fitted surface: all slopes, all curvatures (> 0), all skews.
    pub surface: Vec<f64>,
    /// Posterior variance of each slope; ≥ 0.
    pub slope_variance: Vec<f64>,
    /// The fitted widths of the prior.
    pub(crate) hyper: Hyper,
    /// Weighted sums of the products of features, the lower triangle row by row; pairs as weights.
    pub products: Vec<f64>,
    /// Weighted sums of feature times result.
    pub responses: Vec<f64>,
    /// Squared deviations of the reports from what was predicted, per pair; Elo².
    pub noise: f64,
    /// The reports that `noise` is worth.
    pub noise_weight: f64,
    /// For each categorical parameter, which the surface knows nothing of, the logarithm of each
    /// choice's probability to be the best one, over that of the most probable: from -30 to 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Vec<f64>>,
}

/// Where the last fit may move the point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The tune goes on: a cautious move.
    Next,
    /// The values are handed over: twice as far.
    Last,
}

impl BqrState {
    pub(super) fn new(dimension: usize, config: &BqrSettings) -> Self {
        let size = 3 * dimension;
        let mut surface = vec![0.0; size];
        surface[dimension..2 * dimension].fill(1.0);
        Self {
            pairs: Pairs(0),
            reports: 0,
            fitted: 0,
            origin: vec![0.0; dimension],
            scale: vec![1.0; dimension],
            surface,
            slope_variance: vec![0.0; dimension],
            hyper: Hyper::new(expected_reach(config, dimension)),
            products: vec![0.0; size * (size + 1) / 2],
            responses: vec![0.0; size],
            noise: 0.0,
            noise_weight: 0.0,
            scores: Vec::new(),
        }
    }

    /// Takes in one report: the two points in units, the pairs (> 0) and the Elo they showed.
    pub(super) fn add(&mut self, plus: &[f64], minus: &[f64], pairs: f64, elo: f64, forget: f64) {
        if forget > 0.0 && self.reports > 0 {
            let reports = self.reports as f64;
            let kept = exp(forget * ln(reports / (reports + 1.0)));
            for sum in self.products.iter_mut().chain(&mut self.responses) {
                *sum *= kept;
            }
            self.noise *= kept;
            self.noise_weight *= kept;
        }
        let features = self.features(plus, minus);
        let predicted: f64 = features.iter().zip(&self.surface).map(|(x, b)| x * b).sum();
        self.noise += pairs * (elo - predicted) * (elo - predicted);
        self.noise_weight += 1.0;
        let mut cell = self.products.iter_mut();
        for (row, x) in features.iter().enumerate() {
            self.responses[row] += pairs * x * elo;
            for (other, product) in features[..=row].iter().zip(cell.by_ref()) {
                *product += pairs * x * other;
            }
        }
        self.reports += 1;
    }

    /// What multiplies b, h and t in the expected difference of two points; exact for a cubic.
    fn features(&self, plus: &[f64], minus: &[f64]) -> Vec<f64> {
        let size = self.origin.len();
        let mut features = vec![0.0; 3 * size];
        for index in 0..size {
            let apart = plus[index] - minus[index];
            let middle = 0.5 * (plus[index] + minus[index]) - self.origin[index];
            features[index] = apart;
            features[size + index] = -apart * middle;
            features[2 * size + index] = apart * (3.0 * middle * middle + 0.25 * apart * apart);
        }
        features
    }

    /// Variance of the result of one pair, Elo²; > 0.
    pub(super) fn pair_variance(&self, config: &BqrSettings) -> f64 {
        match config.pair_deviation {
            Some(deviation) => deviation * deviation,
            None => {
                (USUAL_WEIGHT * USUAL_DEVIATION * USUAL_DEVIATION + self.noise)
                    / (USUAL_WEIGHT + self.noise_weight)
            }
        }
    }

    /// Fits the surface to all reports, moves the point to its top and sets the next probes.
    ///
    /// `limits` are the box in units; `widening` is that of [`probe_curvature`]; `constrain` moves a
    /// point in units to the best one that the constraints allow, by these curvatures. A fit that has
    /// left the range of the numbers is not taken.
    pub(super) fn refit(
        &self,
        config: &BqrSettings,
        limits: &[(f64, f64)],
        step: Step,
        widening: f64,
        constrain: &dyn Fn(&mut [f64], &[f64]),
    ) -> Self {
        let size = self.origin.len();
        let mut surface = self.fitted_surface();
        self.evidence(config).fit(&mut surface);
        let mut next = Self { fitted: self.reports, ..self.clone() };
        next.surface = surface.beta;
        next.slope_variance = surface.slope_variance;
        next.hyper = surface.hyper;
        let reach = match step {
            Step::Next => POINT_STEP,
            Step::Last => 2.0 * POINT_STEP,
        };
        let mut moves: Vec<f64> = (0..size)
            .map(|index| {
                let (low, high) = limits[index];
                let farthest = reach * self.scale[index];
                next.top(index)
                    .max((low - self.origin[index]).max(-farthest))
                    .min((high - self.origin[index]).min(farthest))
            })
            .collect();
        let mut target: Vec<f64> = self.origin.iter().zip(&moves).map(|(x, by)| x + by).collect();
        let free = target.clone();
        constrain(&mut target, &next.surface[size..2 * size]);
        for (by, (held, free)) in moves.iter_mut().zip(target.iter().zip(&free)) {
            // Nothing is added where nothing is held, so that the last bit stays.
            if held != free {
                *by += held - free;
            }
        }
        next.move_by(&moves);
        let loss = probe_loss(config, size);
        for (index, &(low, high)) in limits.iter().enumerate() {
            let curvature = probe_curvature(next.surface[size + index].max(1e-9), widening);
            let before = self.scale[index];
            next.scale[index] = (2.0 * loss / (size as f64 * curvature))
                .sqrt()
                .max(before / SCALE_STEP)
                .min(before * SCALE_STEP)
                .max(1.0 / config.scale_limit)
                .min(config.scale_limit)
                .min(0.5 * (high - low));
        }
        if next.is_finite() { next } else { Self { fitted: self.reports, ..self.clone() } }
    }

    fn fitted_surface(&self) -> Surface {
        Surface {
            beta: self.surface.clone(),
            slope_variance: self.slope_variance.clone(),
            hyper: self.hyper,
        }
    }

    fn evidence(&self, config: &BqrSettings) -> Evidence<'_> {
        let variance = self.pair_variance(config);
        Evidence {
            dimension: self.origin.len(),
            a: self.square().iter().map(|product| product / variance).collect(),
            v: self.responses.iter().map(|response| response / variance).collect(),
            origin: &self.origin,
            reach: expected_reach(config, self.origin.len()),
        }
    }

    /// Strength of one point above another by the fitted surface, Elo. Points are in units.
    pub(super) fn gain(&self, config: &BqrSettings, from: &[f64], to: &[f64]) -> Moments {
        let weights: Vec<[f64; 3]> = self
            .origin
            .iter()
            .zip(from.iter().zip(to))
            .map(|(origin, (from, to))| {
                let (x, y) = (from - origin, to - origin);
                [y - x, -0.5 * (y * y - x * x), y * y * y - x * x * x]
            })
            .collect();
        self.evidence(config).moments_of(&self.fitted_surface(), &weights)
    }

    /// For each parameter the chance that one without slope and curvature would have given such
    /// reports.
    pub(super) fn chances_of_nothing(&self, config: &BqrSettings) -> Vec<f64> {
        let (evidence, surface) = (self.evidence(config), self.fitted_surface());
        (0..self.origin.len()).map(|index| evidence.chance_of_nothing(&surface, index)).collect()
    }

    /// Where one parameter's slice of the surface is highest, on the branch that curves down; its
    /// inflection if the slice climbs for ever.
    fn top(&self, index: usize) -> f64 {
        let size = self.origin.len();
        let [b, h, t] = [index, size + index, 2 * size + index].map(|row| self.surface[row]);
        let discriminant = h * h - 12.0 * t * b;
        if t == 0.0 {
            b / h
        } else if discriminant <= 0.0 {
            h / (6.0 * t)
        } else {
            2.0 * b / (h + discriminant.sqrt())
        }
    }

    /// Expands everything about a point that lies this far from the present one.
    fn move_by(&mut self, moves: &[f64]) {
        let size = self.origin.len();
        let full = 3 * size;
        // The features about the new point are sums of those about the old one: row by row, then
        // column by column.
        let mix = |values: &mut [f64], at: &dyn Fn(usize) -> usize| {
            for (index, by) in moves.iter().enumerate() {
                let [b, h, t] = [index, size + index, 2 * size + index].map(at);
                values[t] += 6.0 * by * values[h] + 3.0 * by * by * values[b];
                values[h] += by * values[b];
            }
        };
        let mut square = self.square();
        for fixed in 0..full {
            mix(&mut square, &|row| row * full + fixed);
        }
        for fixed in 0..full {
            mix(&mut square, &|column| fixed * full + column);
        }
        let mut cell = self.products.iter_mut();
        for row in 0..full {
            for (value, product) in square[row * full..=row * full + row].iter().zip(cell.by_ref())
            {
                *product = *value;
            }
        }
        mix(&mut self.responses, &|row| row);
        for (index, by) in moves.iter().enumerate() {
            let (h, t) = (self.surface[size + index], self.surface[2 * size + index]);
            self.surface[index] += -h * by + 3.0 * t * by * by;
            self.surface[size + index] = (h - 6.0 * t * by).max(0.05 * h);
            self.origin[index] += by;
        }
    }

    /// The products as a full symmetric matrix, row-major.
    fn square(&self) -> Vec<f64> {
        let full = self.responses.len();
        let mut square = vec![0.0; full * full];
        let mut cell = self.products.iter();
        for row in 0..full {
            for (column, product) in (0..=row).zip(cell.by_ref()) {
                square[row * full + column] = *product;
                square[column * full + row] = *product;
            }
        }
        square
    }

    /// The Elo by which the point is expected to lie below the optimum.
    pub(super) fn remaining_loss(&self) -> f64 {
        let curvatures = &self.surface[self.origin.len()..];
        self.slope_variance.iter().zip(curvatures).map(|(v, h)| 0.5 * v / h).sum()
    }

    fn lists(&self) -> [(&'static str, &[f64], usize); 6] {
        let size = self.origin.len();
        [
            ("origin", &self.origin, size),
            ("scale", &self.scale, size),
            ("surface", &self.surface, 3 * size),
            ("slope_variance", &self.slope_variance, size),
            ("products", &self.products, 3 * size * (3 * size + 1) / 2),
            ("responses", &self.responses, 3 * size),
        ]
    }

    fn is_finite(&self) -> bool {
        let Hyper { curvature, spread, reach, skew } = self.hyper;
        self.lists().iter().all(|(_, values, _)| values.iter().all(|value| value.is_finite()))
            && [curvature, spread, reach, skew].iter().all(|w| w.is_finite() && *w > 0.0)
            && self.surface[self.origin.len()..2 * self.origin.len()].iter().all(|h| *h > 0.0)
    }

    /// Checks that this can be a state of the space.
    pub(super) fn check(&self, space: &ParameterSpace) -> Result<(), TuneError> {
        crate::choices::check(space.parameters(), &self.scores)?;
        let numbers = || space.parameters().iter().filter(|p| p.kind != ParameterKind::Categorical);
        let size = numbers().count();
        if self.origin.len() != size {
            let (list, found) = ("origin", self.origin.len());
            return Err(TuneError::Dimension { list, found, expected: size });
        }
        for (list, values, expected) in self.lists() {
            if values.len() != expected {
                return Err(TuneError::Dimension { list, found: values.len(), expected });
            }
        }
        let Hyper { curvature, spread, reach, skew } = self.hyper;
        let widths = [curvature, spread, reach, skew];
        let inside: Vec<(f64, f64)> = numbers().map(limits).collect();
        let in_box = |i: usize, v: f64| inside[i].0 - 1e-6 <= v && v <= inside[i].1 + 1e-6;
        require("origin", &self.origin, "a point inside the box", in_box)?;
        require("scale", &self.scale, "a finite number above 0", |_, v| v > 0.0)?;
        let curved = |i: usize, v: f64| !(size..2 * size).contains(&i) || v > 0.0;
        require("surface", &self.surface, "a finite number, above 0 if a curvature", curved)?;
        require("slope_variance", &self.slope_variance, "a number from 0", |_, v| v >= 0.0)?;
        require("products", &self.products, "a finite number", |_, _| true)?;
        require("responses", &self.responses, "a finite number", |_, _| true)?;
        require("hyper", &widths, "a finite number above 0", |_, v| v > 0.0)?;
        let noise = [self.noise, self.noise_weight];
        require("noise", &noise, "a finite number from 0", |_, v| v >= 0.0)
    }
}

/// The curvature by which a probe is made as wide as its share of the loss allows.
///
/// One that is larger than the 1 that the prior expects of a right `c_end` narrows the probe in full,
/// a smaller one widens it as if its logarithm were only `widening` times as large; 0 to 1. A small
/// curvature may come of a small `c_end`, but a landscape that flattens far out looks just so, and
/// the more the wider its probes are.
pub(super) fn probe_curvature(curvature: f64, widening: f64) -> f64 {
    if curvature < 1.0 { exp(widening * ln(curvature)) } else { curvature }
}

/// How far from the start the optimum of each of so many parameters is expected, in `c_end`. A parabola
/// of curvature 1 loses half of the square of that for each.
fn expected_reach(config: &BqrSettings, dimension: usize) -> f64 {
    config.reach.unwrap_or_else(|| (120.0 / dimension as f64).sqrt().clamp(2.0, 5.0))
}

/// The Elo that a probe of this many parameters may lose.
fn probe_loss(config: &BqrSettings, dimension: usize) -> f64 {
    let size = dimension as f64;
    config.probe_loss.unwrap_or_else(|| (1.2 * size).min(15.0).max(0.5 * size).min(40.0))
}

/// Refuses a list with an entry that is not finite or breaks the rule.
fn require(
    list: &'static str,
    values: &[f64],
    expected: &'static str,
    holds: impl Fn(usize, f64) -> bool,
) -> Result<(), TuneError> {
    match values.iter().enumerate().find(|&(i, &v)| !(v.is_finite() && holds(i, v))) {
        None => Ok(()),
        Some((index, value)) => {
            Err(TuneError::Value { list, index, found: value.to_string(), expected })
        }
    }
}

/// The box of a parameter in units of `c_end` from its start.
pub(super) fn limits(parameter: &ParameterDef) -> (f64, f64) {
    (scale::in_units(parameter, parameter.min), scale::in_units(parameter, parameter.max))
}
