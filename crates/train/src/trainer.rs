//! The way through the positions, batch by batch and epoch by epoch.

use crate::optimiser::{Learnt, Step};
use crate::samples::{Samples, sigmoid};
use crate::settings::{Settings, SettingsError};
use crate::slice::{MOST_WEIGHT, Slice};
use crate::weights::Weights;
use net::{Architecture, BLOCK};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

/// An epoch that is over.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Epoch {
    /// Which, from 1.
    pub epoch: u32,
    /// Mean squared error of the expected points over what was learnt from, as the weights moved.
    pub loss: f64,
    /// The same over what is held out, at the end of the epoch.
    pub held_out: f64,
    /// The learning rate of its last step.
    pub rate: f64,
}

/// What a step has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// The epoch goes on.
    Step,
    /// It is over.
    Epoch(Epoch),
    /// So is the training: all epochs are done, or the network has not become better for long enough.
    Done,
}

/// A training under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainer {
    pub(crate) settings: Settings,
    pub(crate) shape: Architecture,
    /// SHA-256 of what it is trained from.
    pub(crate) origin: [u8; 32],
    /// Centipawns of an output of 1.
    pub(crate) scale: i32,
    pub(crate) slices: Vec<Slice>,
    pub(crate) output_bias: Learnt,
    /// Steps done, over all epochs.
    pub(crate) steps: u64,
    /// Epochs done, and batches of the present one.
    pub(crate) epoch: u32,
    pub(crate) batch: u64,
    /// Squared errors of the present epoch.
    pub(crate) error: f64,
    pub(crate) history: Vec<Epoch>,
    /// The best network so far, by what is held out.
    pub(crate) best: Option<Weights>,
    /// The order of the present epoch; empty: not made yet.
    order: Vec<u32>,
}

impl Trainer {
    /// A network of random weights. `scale` is the logistic scale of the scores in centipawns, `origin`
    /// what the samples are known by.
    ///
    /// # Errors
    /// A setting that training cannot have.
    pub fn new(
        game: model::GameKind,
        settings: Settings,
        scale: i32,
        origin: [u8; 32],
    ) -> Result<Self, SettingsError> {
        settings.check(game)?;
        let shape = settings.architecture(game);
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        // So that the sums of some thirty inputs, and their sum over all neurons, are of the order of 1.
        let (rows, outputs) = (0.15, 1.0 / f32::from(shape.hidden).sqrt());
        let mut even = |most: f32| ((rng.next_u32() >> 8) as f32 / 8_388_608.0 - 1.0) * most;
        let slices = (0..shape.blocks())
            .map(|_| {
                let numbers = (0..BLOCK * Slice::blocks(&shape)).map(|at| {
                    let block = at / BLOCK;
                    match block.cmp(&shape.inputs()) {
                        std::cmp::Ordering::Less => even(rows),
                        std::cmp::Ordering::Equal => 0.3 + even(rows),
                        std::cmp::Ordering::Greater => even(outputs),
                    }
                });
                Slice::new(&shape, Learnt::new(numbers.collect()))
            })
            .collect();
        let output_bias = Learnt::new(vec![0.0; usize::from(shape.output_buckets)]);
        Ok(Self {
            settings,
            shape,
            origin,
            scale,
            slices,
            output_bias,
            steps: 0,
            epoch: 0,
            batch: 0,
            error: 0.0,
            history: Vec::new(),
            best: None,
            order: Vec::new(),
        })
    }

    /// How it trains.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Centipawns of an output of 1.
    #[must_use]
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// What its samples are known by.
    #[must_use]
    pub fn origin(&self) -> [u8; 32] {
        self.origin
    }

    /// The epochs that are over.
    #[must_use]
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// Batches of an epoch over so many positions.
    #[must_use]
    pub fn batches(&self, samples: usize) -> u64 {
        (samples as u64).div_ceil(u64::from(self.settings.batch)).max(1)
    }

    /// Batches done and all that there are, over so many positions.
    #[must_use]
    pub fn progress(&self, samples: usize) -> (u64, u64) {
        let of = self.batches(samples);
        (u64::from(self.epoch) * of + self.batch, u64::from(self.settings.epochs) * of)
    }

    /// The epoch of the best network so far, and whether the training is over.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let best = self.best_epoch().map_or(0, |best| best.epoch);
        self.epoch >= self.settings.epochs || self.epoch - best >= self.settings.patience
    }

    /// The epoch with the least error over what is held out, the first of equals.
    #[must_use]
    pub fn best_epoch(&self) -> Option<Epoch> {
        self.history.iter().copied().min_by(|a, b| a.held_out.total_cmp(&b.held_out))
    }

    /// The best network so far, or the present one while no epoch is over.
    #[must_use]
    pub fn best(&self) -> Weights {
        self.best.clone().unwrap_or_else(|| self.weights())
    }

    /// The present network.
    #[must_use]
    pub fn weights(&self) -> Weights {
        Weights {
            architecture: self.shape,
            slices: self.slices.iter().map(|slice| slice.learnt.values.clone()).collect(),
            output_bias: self.output_bias.values.clone(),
        }
    }

    /// Learns from one batch, with so many threads; the numbers do not depend on them.
    pub fn step(&mut self, learnt: &Samples, held: &Samples, threads: usize) -> Progress {
        if self.is_done() || learnt.is_empty() {
            return Progress::Done;
        }
        if self.order.len() != learnt.len() {
            self.order = order(self.settings.seed, self.epoch, learnt.len());
        }
        let order = std::mem::take(&mut self.order);
        let of = self.batches(learnt.len());
        let start = (self.batch * u64::from(self.settings.batch)) as usize;
        let end = (start + self.settings.batch as usize).min(order.len());
        let batch = &order[start..end];
        let rate = self.settings.rate_at(self.steps, u64::from(self.settings.epochs) * of);
        self.error += self.learn(learnt, batch, rate, threads);
        self.batch += 1;
        if self.batch < of {
            self.order = order;
            return Progress::Step;
        }
        let loss = self.error / learnt.len() as f64;
        self.epoch += 1;
        (self.batch, self.error) = (0, 0.0);
        let held_out = self.loss(held, threads);
        let epoch = Epoch { epoch: self.epoch, loss, held_out, rate };
        let is_best = self.best_epoch().is_none_or(|best| held_out < best.held_out);
        self.history.push(epoch);
        if is_best {
            self.best = Some(self.weights());
        }
        Progress::Epoch(epoch)
    }

    /// One step; the squared errors before it.
    fn learn(&mut self, samples: &Samples, batch: &[u32], rate: f64, threads: usize) -> f64 {
        let outputs = self.outputs(samples, batch, threads);
        let mut error = 0.0;
        let mut slopes = Vec::with_capacity(batch.len());
        for (&index, output) in batch.iter().zip(outputs) {
            let (off, along) = self.miss(samples, index, output);
            error += off * off;
            let slope = (2.0 * off * along / batch.len() as f64) as f32;
            self.output_bias.slopes[samples.get(index as usize).bucket] += slope;
            slopes.push(slope);
        }
        self.steps += 1;
        let step = Step::new(self.steps, rate, self.settings.decay);
        each(&mut self.slices, threads, |slice| {
            slice.backward(samples, batch, &slopes);
            slice.step(step);
        });
        self.output_bias.step(step, 8.0 * MOST_WEIGHT);
        error
    }

    /// How far an output is from the target in expected points, and how these grow with the output.
    fn miss(&self, samples: &Samples, index: u32, output: f32) -> (f64, f64) {
        let target =
            samples.target(index as usize, self.settings.result_share, f64::from(self.scale));
        let points = sigmoid(f64::from(output));
        (points - target, points * (1.0 - points))
    }

    /// The outputs for these positions.
    fn outputs(&mut self, samples: &Samples, batch: &[u32], threads: usize) -> Vec<f32> {
        each(&mut self.slices, threads, |slice| slice.forward(samples, batch));
        let bias = &self.output_bias.values;
        let output = |(place, &index): (usize, &u32)| {
            let begin = bias[samples.get(index as usize).bucket];
            self.slices.iter().fold(begin, |sum, slice| sum + slice.shares[place])
        };
        batch.iter().enumerate().map(output).collect()
    }

    /// Mean squared error of the expected points over some positions.
    pub(crate) fn loss(&mut self, samples: &Samples, threads: usize) -> f64 {
        let all: Vec<u32> = (0..samples.len() as u32).collect();
        let mut error = 0.0;
        for batch in all.chunks(self.settings.batch as usize) {
            let outputs = self.outputs(samples, batch, threads);
            for (&index, output) in batch.iter().zip(outputs) {
                error += self.miss(samples, index, output).0.powi(2);
            }
        }
        error / samples.len().max(1) as f64
    }

    /// The mean squared error of a batch and its slope along a number of a slice: for tests.
    #[cfg(test)]
    pub(crate) fn slope(&mut self, samples: &Samples, slice: usize, number: usize) -> f64 {
        let batch: Vec<u32> = (0..samples.len() as u32).collect();
        let outputs = self.outputs(samples, &batch, 1);
        let by: Vec<f32> = batch
            .iter()
            .zip(outputs)
            .map(|(&index, output)| {
                let (off, along) = self.miss(samples, index, output);
                (2.0 * off * along / batch.len() as f64) as f32
            })
            .collect();
        let slice = &mut self.slices[slice];
        slice.learnt.slopes.fill(0.0);
        slice.backward(samples, &batch, &by);
        f64::from(slice.learnt.slopes[number])
    }
}

/// Does something with every slice, each by one thread.
fn each(slices: &mut [Slice], threads: usize, work: impl Fn(&mut Slice) + Sync) {
    let threads = threads.clamp(1, slices.len().max(1));
    if threads == 1 {
        slices.iter_mut().for_each(work);
        return;
    }
    let queue = Mutex::new(slices.iter_mut());
    let take = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let run = || {
        while let Some(slice) = take() {
            work(slice);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}

/// A random order of so many positions, by seed and epoch (R. Durstenfeld, 1964).
fn order(seed: u64, epoch: u32, count: usize) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1 + u64::from(epoch));
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..count).rev() {
        let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    order
}
