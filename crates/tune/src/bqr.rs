//! Bayesian quadratic regression: a local model of strength, fitted to every report of the tune.
//!
//! The probes are those of SPSA (J. C. Spall, 1992): all parameters at once, each by its scale up
//! or down, about a point that is itself scattered a little; their signs are balanced (`design`). What is learnt from them is more: a
//! quadratic response surface (G. Box, K. Wilson, "On the experimental attainment of optimum
//! conditions", 1951) with a cubic term for each parameter, by Bayesian linear regression with
//! learnt prior widths (D. MacKay, "Bayesian interpolation", 1992). A difference of a separable
//! cubic is linear in its coefficients for probes of any size, so every report enters with the two
//! points that were really played: it may be late, rounded, held to the box, in any order.
//!
//! How wide the probes are is the delicate part; what was tried for it stands in `docs/tuning.md`.
//!
//! Nothing but + − × ÷ √ and own `exp` and `ln` touches the state, in a fixed order: the same
//! reports lead to the same bits on every machine that keeps to IEEE 754 doubles.

mod fit;
mod state;

pub use state::BqrState;

use crate::config::Gains;
use crate::probe::{Block, Edge, Signs};
use crate::{
    Optimizer, ParameterSpace, Perturbation, SurveyedGain, TuneError, choices, design, scale,
};
use model::spec::{BQR_MOST_PARAMETERS, BqrSettings};
use model::{Elo, Finding, FindingList, Pairs, ParameterDef, ParameterKind, ParameterSet};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use state::{ELO_OF_POINT, Step, limits};

/// The widest range in units of `c_end`: cubes of it must keep their digits.
const WIDEST_RANGE: f64 = 1e6;
/// Deviation of the middle of a probe from the present point, in probe scales. It shows the
/// curvature early; more of it costs where parameters interact or the landscape flattens.
const JITTER: f64 = 0.15;
/// The same, and how much wider a probe is, where all the probes before it are still unanswered: with
/// a thousand workers the first thousand blocks know nothing of each other, and what they do not learn
/// of the curvature, no later block makes good within a short tune. In between by the share that is
/// unanswered.
const JITTER_IN_THE_DARK: f64 = 0.5;
const WIDER_IN_THE_DARK: f64 = 1.5;
/// How far a probe follows a curvature that is smaller than expected. 1, the published rule, lets
/// the probes run away on a landscape that flattens: wide probes make it look flatter still. Less
/// wastes pairs where `c_end` is too small.
const WIDENING: f64 = 0.8;
/// A fit is due when the reports have grown by this many, and by one in so many.
const LEAST_NEW_REPORTS: u64 = 8;
const NEW_REPORTS_PERCENT: u64 = 12;
/// Parts the stream of the jitter from that of the signs.
const JITTER_SEED: u64 = 0x6a69_7474_6572_0000;

/// A running regression tune.
///
/// What `elomill lab tuner` shows of its limits: at 8 parameters and 20,000 pairs it leaves about
/// half of SPSA's loss or less on every landscape there. At 30 parameters it is mostly 0.6 to 1.0 of
/// it, far less where `c_end` is wrong, and up to 1.06 where the games are noisy or the start is nearly
/// right. Flattening makes curvatures look small, and both the
/// remaining loss and the gain are then expected too small.
#[derive(Clone, Debug, PartialEq)]
pub struct Bqr {
    space: ParameterSpace,
    config: BqrSettings,
    /// Pairs of a whole block, ≥ 1: it tells which row of the design a block has.
    block: Pairs,
    seed: u64,
    state: BqrState,
    theta: Vec<f64>,
    limits: Vec<(f64, f64)>,
    /// Places of the parameters that the surface is about: all but the categorical ones.
    numbers: Vec<usize>,
}

/// Where a regression tune believes the optimum to be, and how sure it is.
#[derive(Clone, Debug, PartialEq)]
pub struct BqrEstimate {
    /// The best point known, one value for each parameter, inside the box, not rounded.
    pub centre: Vec<f64>,
    /// Posterior standard deviation of each parameter's optimum, in the parameter's unit; ≥ 0. 0 for
    /// a categorical one.
    pub deviation: Vec<f64>,
    /// The way of each parameter from its start to `centre` over its deviation, on its scale; ≥ 0.
    pub signal_to_noise: Vec<f64>,
    /// For each parameter the chance that one that does nothing would look so, by a likelihood ratio
    /// test of its slope and curvature; 1 for a categorical one.
    pub chance: Vec<f64>,
    /// Predicted strength of `centre`, rounded where it must be, above the start.
    pub gain: Elo,
    /// Standard deviation of `gain`, Elo; ≥ 0.
    pub gain_deviation: Elo,
    /// The strength that this uncertainty is expected to leave below the optimum; ≥ 0.
    ///
    /// In simulation it is right to within a factor of about 2 where the landscape is as modelled.
    pub remaining_loss: Elo,
    /// Standard deviation of the result of one pair, in Elo, as used by the fit.
    pub pair_deviation: Elo,
}

impl Bqr {
    /// A tune that has seen nothing yet. `block` is the number of pairs that share a perturbation.
    ///
    /// # Errors
    /// What is wrong with the settings; blocks without a pair; more than
    /// [`BQR_MOST_PARAMETERS`], whose statistics would grow with
    /// their square; a range above a million `c_end`.
    pub fn new(
        space: ParameterSpace,
        config: BqrSettings,
        block: Pairs,
        seed: u64,
    ) -> Result<Self, FindingList> {
        let mut findings = config.check("bqr").err().unwrap_or_default();
        if block.0 == 0 {
            findings.push(Finding::new(
                "bqr.block",
                block.to_string(),
                "at least 1",
                "state the pairs of a block",
            ));
        }
        if space.dimension() > BQR_MOST_PARAMETERS {
            findings.push(Finding::new(
                "parameter",
                format!("{} of them", space.dimension()),
                format!("at most {BQR_MOST_PARAMETERS} with bqr"),
                "use spsa, or tune them in groups",
            ));
        }
        for (index, parameter) in space.parameters().iter().enumerate() {
            let width = scale::width(parameter) / parameter.c_end;
            if width > WIDEST_RANGE && parameter.kind != ParameterKind::Categorical {
                findings.push(Finding::new(
                    format!("parameter[{index}].c_end"),
                    parameter.c_end.to_string(),
                    "at least a millionth of the range with bqr",
                    "raise c_end or narrow the range",
                ));
            }
        }
        if !findings.is_empty() {
            return Err(FindingList(findings));
        }
        let parameters = space.parameters();
        let is_number = |index: &usize| parameters[*index].kind != ParameterKind::Categorical;
        let numbers: Vec<usize> = (0..parameters.len()).filter(is_number).collect();
        let scores = choices::fresh(parameters);
        let state = BqrState { scores, ..BqrState::new(numbers.len(), &config) };
        let theta = space.start();
        let limits = numbers.iter().map(|&index| limits(&parameters[index])).collect();
        Ok(Self { space, config, block, seed, state, theta, limits, numbers })
    }

    /// The same tune at a stored state.
    ///
    /// # Errors
    /// If the state cannot be one of this space.
    pub fn with_state(self, state: BqrState) -> Result<Self, TuneError> {
        state.check(&self.space)?;
        let theta = self.point(&state);
        Ok(Self { state, theta, ..self })
    }

    /// What changes while the tune runs.
    #[must_use]
    pub fn state(&self) -> &BqrState {
        &self.state
    }

    /// The parameters.
    #[must_use]
    pub fn space(&self) -> &ParameterSpace {
        &self.space
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &BqrSettings {
        &self.config
    }

    /// The best point by all reports until now, and how sure it is. Fits the surface anew, which
    /// takes milliseconds at 30 parameters.
    #[must_use]
    pub fn estimate(&self) -> BqrEstimate {
        let last = self.refit(Step::Last);
        let curvatures = &last.surface[self.numbers.len()..];
        let centre = self.point(&last);
        let size = self.space.dimension();
        let (mut deviation, mut signal_to_noise) = (vec![0.0; size], vec![0.0; size]);
        for (place, &index) in self.numbers.iter().enumerate() {
            let p = &self.space.parameters()[index];
            let on_scale = p.c_end * last.slope_variance[place].sqrt() / curvatures[place];
            let way = (scale::place(p, centre[index]) - scale::place(p, p.start)).abs();
            signal_to_noise[index] = if way == 0.0 { 0.0 } else { way / on_scale.max(1e-12) };
            let unit = if p.kind.is_logarithmic() { centre[index] } else { 1.0 };
            deviation[index] = unit * on_scale;
        }
        let mut chance = vec![1.0; size];
        for (place, silent) in last.chances_of_nothing(&self.config).into_iter().enumerate() {
            chance[self.numbers[place]] = silent;
        }
        let start = vec![0.0; self.numbers.len()];
        let suggested = self.in_units(&self.space.rounded(&centre));
        let gain = last.gain(&self.config, &start, &suggested);
        BqrEstimate {
            centre,
            deviation,
            signal_to_noise,
            chance,
            gain: Elo(gain.mean),
            gain_deviation: Elo(gain.variance.sqrt()),
            remaining_loss: Elo(last.remaining_loss()),
            pair_deviation: Elo(self.state.pair_variance(&self.config).sqrt()),
        }
    }

    /// Predicted strength of a point above the start, the point rounded where it must be. Fits the
    /// surface anew.
    ///
    /// # Errors
    /// The point has another number of parameters.
    pub fn gain_of(&self, point: &[f64]) -> Result<SurveyedGain, TuneError> {
        let (found, expected) = (point.len(), self.space.dimension());
        if found != expected {
            return Err(TuneError::Dimension { list: "point", found, expected });
        }
        let start = vec![0.0; self.numbers.len()];
        let there = self.in_units(&self.space.rounded(point));
        let gain = self.refit(Step::Last).gain(&self.config, &start, &there);
        Ok(SurveyedGain { gain: Elo(gain.mean), deviation: Elo(gain.variance.sqrt()) })
    }

    /// The numbers among the values, in units of `c_end` from their starts.
    fn in_units(&self, values: &[f64]) -> Vec<f64> {
        let parameters = self.space.parameters();
        let one = |&index: &usize| scale::in_units(&parameters[index], values[index]);
        self.numbers.iter().map(one).collect()
    }

    /// The point of a state in the parameters' own units.
    fn point(&self, state: &BqrState) -> Vec<f64> {
        let parameters = self.space.parameters();
        let mut point = self.space.start();
        for (&index, origin) in self.numbers.iter().zip(&state.origin) {
            let p = &parameters[index];
            point[index] = scale::moved(p, p.start, origin * p.c_end);
        }
        for ((index, p), scores) in choices::categorical(parameters).zip(&state.scores) {
            point[index] = choices::best(p, scores);
        }
        self.space.constraints().project(parameters, &mut point, |_| 1.0);
        point
    }

    /// The next fit.
    fn refit(&self, step: Step) -> BqrState {
        let parameters = self.space.parameters();
        let constrain = |target: &mut [f64], curvatures: &[f64]| {
            let constraints = self.space.constraints();
            if constraints.is_empty() {
                return;
            }
            let mut values = self.space.start();
            let mut weights = vec![1.0; values.len()];
            for (place, &index) in self.numbers.iter().enumerate() {
                let p = &parameters[index];
                values[index] = scale::moved(p, p.start, target[place] * p.c_end);
                weights[index] = curvatures[place];
            }
            if constraints.holds(&values) {
                return;
            }
            constraints.project(parameters, &mut values, |index| weights[index]);
            for (place, &index) in self.numbers.iter().enumerate() {
                if constraints.involves(index) {
                    target[place] = scale::in_units(&parameters[index], values[index]);
                }
            }
        };
        self.state.refit(&self.config, &self.limits, step, WIDENING, &constrain)
    }

    /// Refuses what lies outside the box, and with it all that is not a number.
    fn check_inside(&self, list: &'static str, values: &[f64]) -> Result<(), TuneError> {
        let parameters = self.space.parameters().iter();
        match parameters.zip(values).position(|(p, value)| !(p.min..=p.max).contains(value)) {
            None => Ok(()),
            Some(index) => {
                let found = values[index].to_string();
                Err(TuneError::Value {
                    list,
                    index,
                    found,
                    expected: "a value between min and max",
                })
            }
        }
    }
}

impl Optimizer for Bqr {
    fn ask(&self, first_pair: u64) -> Perturbation {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ JITTER_SEED);
        rng.set_stream(first_pair);
        let dark = unanswered(first_pair, self.state.pairs);
        let jitter = between(JITTER, JITTER_IN_THE_DARK, dark);
        let wider = between(1.0, WIDER_IN_THE_DARK, dark);
        let parameters = self.space.parameters();
        let mut scales: Vec<f64> = parameters.iter().map(|p| p.c_end).collect();
        let mut centre = self.theta.clone();
        for (&index, scale) in self.numbers.iter().zip(&self.state.scale) {
            let p = &parameters[index];
            let c = probe_scale(p, centre[index], scale * wider);
            let by = jitter * c * nearly_normal(rng.next_u64());
            scales[index] = c;
            centre[index] = match p.kind.is_logarithmic() {
                true => scale::moved(p, centre[index], by),
                // Over a bound it stays there: the sides are clipped, not the middle.
                false => centre[index] + by,
            };
        }
        let gains = |index: usize, _: &ParameterDef| Gains { c: scales[index], r: 1.0 };
        let (space, scores) = (&self.space, &self.state.scores);
        let number = first_pair / self.block.0;
        let signs = Signs::Designed(design::signs(space.dimension(), number, self.seed));
        let block = Block { seed: self.seed, first_pair, edge: Edge::Clipped, signs };
        Perturbation::draw(space, &centre, scores, gains, block)
    }

    fn tell(
        &mut self,
        perturbation: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError> {
        perturbation.check(self.space.dimension())?;
        self.check_inside("plus", &perturbation.plus)?;
        self.check_inside("minus", &perturbation.minus)?;
        if balance.unsigned_abs() > pairs.0.saturating_mul(2) {
            return Err(TuneError::Balance { balance, pairs });
        }
        choices::check_point("plus", self.space.parameters(), &perturbation.plus)?;
        choices::check_point("minus", self.space.parameters(), &perturbation.minus)?;
        if pairs.0 == 0 {
            return Ok(());
        }
        let chosen = choices::categorical(self.space.parameters());
        for ((index, p), scores) in chosen.zip(&mut self.state.scores) {
            let sides = (perturbation.plus[index], perturbation.minus[index]);
            choices::learn(p, scores, sides, pairs.0 as f64, balance as f64);
            self.theta[index] = choices::best(p, scores);
        }
        let (plus, minus) = (self.in_units(&perturbation.plus), self.in_units(&perturbation.minus));
        let elo = balance as f64 / pairs.0 as f64 * ELO_OF_POINT;
        self.state.add(&plus, &minus, pairs.0 as f64, elo, self.config.forget);
        self.state.pairs = Pairs(self.state.pairs.0.saturating_add(pairs.0));
        if fit_is_due(&self.state) {
            self.state = self.refit(Step::Next);
            self.theta = self.point(&self.state);
        }
        Ok(())
    }

    /// The centre of the coming probes: the top of the surface at the last fit.
    fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The centre of [`Bqr::estimate`], rounded where it must be.
    fn suggested(&self) -> ParameterSet {
        self.space.nearest(&self.estimate().centre)
    }
}

/// Whether enough reports have come since the last fit.
fn fit_is_due(state: &BqrState) -> bool {
    let new = state.reports.saturating_sub(state.fitted);
    new >= LEAST_NEW_REPORTS
        && new.saturating_mul(100) >= state.fitted.saturating_mul(NEW_REPORTS_PERCENT)
}

/// Which part of the pairs before this one is in no report yet, 0 to 1. A fork, which begins with the
/// pairs of its source, counts none as missing.
fn unanswered(first_pair: u64, reported: Pairs) -> f64 {
    first_pair.saturating_sub(reported.0) as f64 / first_pair.max(1) as f64
}

/// From the first number to the second as the share goes from 0 to 1.
fn between(first: f64, second: f64, share: f64) -> f64 {
    first + (second - first) * share
}

/// Half the distance of the sides on the parameter's scale: enough for integers to differ after
/// rounding about this value, and at most half the range.
fn probe_scale(parameter: &ParameterDef, at: f64, scale: f64) -> f64 {
    let least = scale::least_half_distance(parameter, at);
    (scale * parameter.c_end).max(least).min(0.5 * scale::width(parameter))
}

/// A number of mean 0 and variance 1 between −3.5 and 3.5, the sum of four uniform ones: the
/// regression needs scatter, not its exact law, and sums are the same on every machine.
fn nearly_normal(word: u64) -> f64 {
    let quarters = (0..4).map(|quarter| (word >> (16 * quarter)) & 0xffff);
    let sum: u64 = quarters.sum();
    ((sum as f64 + 2.0) / 65_536.0 - 2.0) * 1.732_050_807_568_877_2
}

#[cfg(test)]
mod tests;
