//! The posterior of the surface: what the reports and the prior together say of each parameter.
//!
//! The strength near the point is `Σ b x − h x²/2 + t x³`, one slope b, curvature h > 0 and skew t
//! for each parameter, x in units of `c_end` from the present origin. Prior: `ln h` is normal about
//! a common level; the optimum `b/h` is normal about the start; `t/h` is normal about 0. Their four
//! widths are learnt from the data (empirical Bayes). Parameters are updated in turn with the
//! others at their means (mean-field variational inference, as in C. Bishop, "Pattern Recognition
//! and Machine Learning", 2006, chapter 10). The curvature is integrated over a grid, never
//! plugged in: a point estimate of it makes the steps of a poorly known parameter far too long.

use model::portable::{exp, ln};
use serde::{Deserialize, Serialize};

/// Points of the grid over `ln h`, and how many prior deviations it reaches either way.
const GRID: usize = 49;
const GRID_REACH: f64 = 3.6;
/// Rounds over all parameters, at most.
const SWEEPS: usize = 6;

/// The widths of the prior, learnt along with the surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hyper {
    /// The median curvature, Elo per `c_end²`.
    pub(crate) curvature: f64,
    /// Deviation of `ln h` between parameters.
    pub(crate) spread: f64,
    /// Deviation of the optimum about the start, in `c_end`.
    pub(crate) reach: f64,
    /// Deviation of `t/h`.
    pub(crate) skew: f64,
}

impl Hyper {
    pub(crate) fn new(reach: f64) -> Self {
        Self { curvature: 1.0, spread: 0.8, reach, skew: 0.1 }
    }

    fn log_prior(&self, reach: f64) -> f64 {
        let square = |z: f64| z * z;
        -0.5 * (square(ln(self.curvature) / 2.0)
            + square(ln(self.spread / 0.8) / 0.35)
            + square(ln(self.reach / reach) / 0.7)
            + square(ln(self.skew / 0.1) / 0.5))
    }

    /// The curvatures of the grid.
    fn grid(&self) -> [f64; GRID] {
        std::array::from_fn(|point| self.curvature * exp(self.spread * z(point)))
    }

    fn allowed(&self) -> bool {
        (0.3..=2.0).contains(&self.spread) && (0.02..=0.3).contains(&self.skew)
    }

    fn scaled(mut self, which: usize, factor: f64) -> Self {
        let field = match which {
            0 => &mut self.curvature,
            1 => &mut self.spread,
            2 => &mut self.reach,
            _ => &mut self.skew,
        };
        *field *= factor;
        self
    }
}

/// A point of the grid in prior deviations.
fn z(point: usize) -> f64 {
    -GRID_REACH + 2.0 * GRID_REACH * point as f64 / (GRID - 1) as f64
}

/// What the data say: the normal equations `A β = v` of the regression, weighted by the noise.
pub(super) struct Evidence<'a> {
    /// Number of parameters D; there are 3 D unknowns: all b, then all h, then all t.
    pub(super) dimension: usize,
    /// Row-major, 3 D × 3 D, symmetric.
    pub(super) a: Vec<f64>,
    /// 3 D.
    pub(super) v: Vec<f64>,
    /// Where x = 0 lies, in `c_end` from the start.
    pub(super) origin: &'a [f64],
    /// The expected distance of the optimum, the middle of the prior of [`Hyper::reach`].
    pub(super) reach: f64,
}

/// The fitted surface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Surface {
    /// Posterior means: all b, then all h, then all t.
    pub(super) beta: Vec<f64>,
    /// Posterior variance of each b.
    pub(super) slope_variance: Vec<f64>,
    pub(super) hyper: Hyper,
}

/// The posterior of one parameter, the others given.
struct Marginal {
    slope: f64,
    curvature: f64,
    skew: f64,
    slope_variance: f64,
    log_evidence: f64,
}

/// Mean and variance of a figure under the posterior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// The posterior of one parameter at one point of the grid: (b, t) is normal there.
#[derive(Clone, Copy, Default)]
struct Conditional {
    slope: f64,
    curvature: f64,
    skew: f64,
    slope_variance: f64,
    skew_variance: f64,
    covariance: f64,
}

impl Evidence<'_> {
    /// Fits the surface, from the one before.
    pub(super) fn fit(&self, surface: &mut Surface) {
        // Each residual as it was met inside the last sweep: the widths are judged by those.
        let residuals = self.sweep(surface);
        surface.hyper = self.search(surface.hyper, &residuals);
        self.sweep(surface);
    }

    fn sweep(&self, surface: &mut Surface) -> Vec<[f64; 3]> {
        let size = self.dimension;
        let grid = surface.hyper.grid();
        let mut residuals = Vec::new();
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            residuals.clear();
            for index in 0..size {
                let residual = self.residual(&surface.beta, index);
                residuals.push(residual);
                let m = self.marginal(index, residual, &surface.hyper, &grid);
                let beta = &mut surface.beta;
                change = change
                    .max((m.slope - beta[index]).abs() + (m.curvature - beta[size + index]).abs());
                beta[index] = m.slope;
                beta[size + index] = m.curvature;
                beta[2 * size + index] = m.skew;
                surface.slope_variance[index] = m.slope_variance;
            }
            if change < 1e-5 * surface.hyper.curvature {
                break;
            }
        }
        residuals
    }

    /// What the other parameters leave to explain to this one's three unknowns.
    fn residual(&self, beta: &[f64], index: usize) -> [f64; 3] {
        let size = self.dimension;
        [index, size + index, 2 * size + index].map(|row| {
            let coefficients = &self.a[row * 3 * size..(row + 1) * 3 * size];
            let explained: f64 = (0..3 * size)
                .filter(|column| column % size != index)
                .map(|column| coefficients[column] * beta[column])
                .sum();
            self.v[row] - explained
        })
    }

    /// The chance that a parameter without slope and curvature, the others as fitted, would leave as
    /// much unexplained: the log-likelihood that both win is half of a χ² with two degrees of freedom.
    pub(super) fn chance_of_nothing(&self, surface: &Surface, index: usize) -> f64 {
        let size = self.dimension;
        let a = |row: usize, column: usize| {
            self.a[(row * size + index) * 3 * size + column * size + index]
        };
        let [slope, curvature, _] = self.residual(&surface.beta, index);
        let (a00, a01, a11) = (a(0, 0), a(0, 1), a(1, 1));
        if a00 <= 0.0 {
            return 1.0;
        }
        // What the slope wins, then what the curvature wins beside it, where it was probed at all.
        let rest = a11 - a01 * a01 / a00;
        let beside = curvature - a01 * slope / a00;
        let more = if rest > 1e-9 * a11 { beside * beside / rest } else { 0.0 };
        exp(-0.5 * (slope * slope / a00 + more)).min(1.0)
    }

    /// The posterior of (b, h, t): h on the grid, (b, t) normal for each h in closed form.
    fn marginal(
        &self,
        index: usize,
        residual: [f64; 3],
        hyper: &Hyper,
        grid: &[f64; GRID],
    ) -> Marginal {
        let (weights, points, most) = self.conditionals(index, residual, hyper, grid);
        let total: f64 = weights.iter().sum();
        let mean = |of: &dyn Fn(&Conditional) -> f64| {
            weights.iter().zip(&points).map(|(weight, m)| weight * of(m)).sum::<f64>() / total
        };
        let slope = mean(&|m| m.slope);
        Marginal {
            slope,
            curvature: mean(&|m| m.curvature),
            skew: mean(&|m| m.skew),
            slope_variance: (mean(&|m| m.slope * m.slope + m.slope_variance) - slope * slope)
                .max(0.0),
            log_evidence: ln(total) + most,
        }
    }

    /// Mean and variance of `Σ g · (b, h, t)` over all parameters, for the weights `g` of each
    /// parameter's three unknowns.
    pub(super) fn moments_of(&self, surface: &Surface, weights: &[[f64; 3]]) -> Moments {
        let grid = surface.hyper.grid();
        let mut sum = Moments { mean: 0.0, variance: 0.0 };
        for (index, [gb, gh, gt]) in weights.iter().enumerate() {
            let residual = self.residual(&surface.beta, index);
            let (masses, points, _) = self.conditionals(index, residual, &surface.hyper, &grid);
            let total: f64 = masses.iter().sum();
            let (mut first, mut second) = (0.0, 0.0);
            for (mass, m) in masses.iter().zip(&points) {
                let value = gb * m.slope + gh * m.curvature + gt * m.skew;
                let spread = gb * gb * m.slope_variance
                    + 2.0 * gb * gt * m.covariance
                    + gt * gt * m.skew_variance;
                first += mass * value;
                second += mass * (value * value + spread);
            }
            let mean = first / total;
            sum.mean += mean;
            sum.variance += (second / total - mean * mean).max(0.0);
        }
        sum
    }

    /// The posterior at every point of the grid, the weight of each, and the logarithm by which the
    /// weights are scaled down.
    fn conditionals(
        &self,
        index: usize,
        residual: [f64; 3],
        hyper: &Hyper,
        grid: &[f64; GRID],
    ) -> ([f64; GRID], [Conditional; GRID], f64) {
        let size = self.dimension;
        let a = |row: usize, column: usize| {
            self.a[(row * size + index) * 3 * size + column * size + index]
        };
        let (a00, a01, a11, a02, a12, a22) = (a(0, 0), a(0, 1), a(1, 1), a(0, 2), a(1, 2), a(2, 2));
        let start = -self.origin[index];
        let mut logs = [0.0; GRID];
        let mut points = [Conditional::default(); GRID];
        for point in 0..GRID {
            let (z, h) = (z(point), grid[point]);
            let slope_precision = 1.0 / (hyper.reach * hyper.reach * h * h);
            let expected = h * start;
            let q = a00 + slope_precision;
            let l0 = residual[0] - a01 * h + slope_precision * expected;
            let skew_precision = 1.0 / (hyper.skew * hyper.skew * h * h);
            let w = a22 + skew_precision;
            let l2 = residual[2] - a12 * h;
            // Above 0 in exact arithmetic; the floor holds where the digits have run out.
            let determinant = (q * w - a02 * a02).max(1e-15 * q * w);
            let slope = (w * l0 - a02 * l2) / determinant;
            let skew = (q * l2 - a02 * l0) / determinant;
            logs[point] = -0.5 * a11 * h * h + residual[1] * h
                - 0.5 * z * z
                - 0.5 * slope_precision * expected * expected
                + 0.5 * (l0 * slope + l2 * skew)
                - 0.5 * ln(determinant / (slope_precision * skew_precision));
            points[point] = Conditional {
                slope,
                curvature: h,
                skew,
                slope_variance: w / determinant,
                skew_variance: q / determinant,
                covariance: -a02 / determinant,
            };
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (logs.map(|log| exp(log - most)), points, most)
    }

    fn log_evidence(&self, hyper: &Hyper, residuals: &[[f64; 3]]) -> f64 {
        let grid = hyper.grid();
        let parameters: f64 = residuals
            .iter()
            .enumerate()
            .map(|(index, residual)| self.marginal(index, *residual, hyper, &grid).log_evidence)
            .sum();
        hyper.log_prior(self.reach) + parameters
    }

    /// Climbs in each width in turn, by steps of a quarter, while the evidence grows.
    fn search(&self, mut hyper: Hyper, residuals: &[[f64; 3]]) -> Hyper {
        let mut best = self.log_evidence(&hyper, residuals);
        for which in 0..4 {
            for factor in [1.25, 0.8] {
                let mut moved = false;
                for _ in 0..6 {
                    let candidate = hyper.scaled(which, factor);
                    if !candidate.allowed() {
                        break;
                    }
                    let evidence = self.log_evidence(&candidate, residuals);
                    if evidence <= best + 1e-9 {
                        break;
                    }
                    (best, hyper, moved) = (evidence, candidate, true);
                }
                if moved {
                    break;
                }
            }
        }
        hyper
    }
}
