//! AdamW (I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019).

/// Rates at which the means of slope and squared slope forget.
const RATES: (f32, f32) = (0.9, 0.999);
/// Keeps the step finite where slopes vanish.
const LEAST: f32 = 1e-8;

/// What one step is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    rate: f32,
    decay: f32,
    /// What the means, which begin at zero, fall short by.
    first: f32,
    second: f32,
}

impl Step {
    /// The step of this number, from 1.
    pub(crate) fn new(number: u64, rate: f64, decay: f64) -> Self {
        let short = |rate: f32| {
            // By multiplication: powers of the platform may differ.
            let (mut power, mut base, mut left) = (1.0_f64, f64::from(rate), number);
            while left > 0 {
                if left & 1 != 0 {
                    power *= base;
                }
                base *= base;
                left >>= 1;
            }
            (1.0 - power) as f32
        };
        let (first, second) = (short(RATES.0), short(RATES.1));
        Self { rate: rate as f32, decay: (rate * decay) as f32, first, second }
    }
}

/// Numbers that are learnt, with what the optimiser knows of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Learnt {
    pub(crate) values: Vec<f32>,
    pub(crate) slopes: Vec<f32>,
    pub(crate) means: Vec<f32>,
    pub(crate) squares: Vec<f32>,
}

impl Learnt {
    pub(crate) fn new(values: Vec<f32>) -> Self {
        let zeros = vec![0.0; values.len()];
        Self { values, slopes: zeros.clone(), means: zeros.clone(), squares: zeros }
    }

    /// Moves every number against its slope, keeps it within `most` on either side, and forgets the
    /// slopes.
    pub(crate) fn step(&mut self, step: Step, most: f32) {
        let moments = self.means.iter_mut().zip(&mut self.squares);
        let numbers = self.values.iter_mut().zip(&mut self.slopes).zip(moments);
        for ((value, slope), (mean, square)) in numbers {
            *mean = RATES.0 * *mean + (1.0 - RATES.0) * *slope;
            *square = RATES.1 * *square + (1.0 - RATES.1) * *slope * *slope;
            let by = (*mean / step.first) / ((*square / step.second).sqrt() + LEAST);
            *value = (*value - step.rate * by - step.decay * *value).clamp(-most, most);
            *slope = 0.0;
        }
    }
}
