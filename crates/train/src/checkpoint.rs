//! A training in bytes, to go on from as if it had never stopped.
//!
//! `elo-train`, a version, the settings with the counters as JSON after their length, then numbers of 32
//! bits: for each slice and for the output the values with the means and squared means of their slopes, then
//! the best network if there is one; at the end the SHA-256 of all before. The lowest byte comes first.

use crate::settings::{Settings, SettingsError};
use crate::trainer::{Epoch, Trainer};
use crate::weights::Weights;
use model::GameKind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 9] = b"elo-train";
const VERSION: u8 = 1;
const HASH: usize = 32;

/// What is not an array.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    game: GameKind,
    settings: Settings,
    origin: [u8; 32],
    scale: i32,
    steps: u64,
    epoch: u32,
    batch: u64,
    /// The bits of the sum of squared errors.
    error: u64,
    history: Vec<Epoch>,
    has_best: bool,
}

/// Bytes that are no training.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Another kind of file, or one of another version.
    #[error("this is no checkpoint of a training that this program can read")]
    Magic,
    /// The content is not what was written.
    #[error("its SHA-256 is not the one at its end: the file is damaged or torn")]
    Hash,
    /// Its head cannot be read.
    #[error("its head cannot be read: {0}")]
    Head(#[from] serde_json::Error),
    /// A setting that training cannot have.
    #[error("its settings: {0}")]
    Settings(#[from] SettingsError),
    /// Fewer or more numbers than its shape has.
    #[error("it has fewer or more numbers than its shape")]
    Count,
}

impl Trainer {
    /// The training as it is now.
    #[must_use]
    pub fn checkpoint(&self) -> Vec<u8> {
        let head = Head {
            game: self.shape.game,
            settings: self.settings.clone(),
            origin: self.origin,
            scale: self.scale,
            steps: self.steps,
            epoch: self.epoch,
            batch: self.batch,
            error: self.error.to_bits(),
            history: self.history.clone(),
            has_best: self.best.is_some(),
        };
        let head = serde_json::to_vec(&head).unwrap_or_default();
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        out.extend_from_slice(&(head.len() as u32).to_le_bytes());
        out.extend_from_slice(&head);
        let learnt = self.slices.iter().map(|slice| &slice.learnt).chain([&self.output_bias]);
        for learnt in learnt {
            for numbers in [&learnt.values, &learnt.means, &learnt.squares] {
                write(&mut out, numbers);
            }
        }
        if let Some(best) = &self.best {
            best.slices.iter().for_each(|numbers| write(&mut out, numbers));
            write(&mut out, &best.output_bias);
        }
        let hash = Sha256::digest(&out);
        out.extend_from_slice(&hash);
        out
    }

    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// It is none, or damaged.
    pub fn resume(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let start = MAGIC.len() + 1;
        if !bytes.starts_with(MAGIC) || bytes.get(start - 1) != Some(&VERSION) {
            return Err(CheckpointError::Magic);
        }
        let body = bytes.len().checked_sub(HASH).filter(|body| *body >= start + 4);
        let (said, hash) = bytes.split_at(body.ok_or(CheckpointError::Hash)?);
        if Sha256::digest(said)[..] != *hash {
            return Err(CheckpointError::Hash);
        }
        let (length, rest) = said[start..].split_at(4);
        let length = length.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let (head, mut rest) = rest.split_at_checked(length).ok_or(CheckpointError::Count)?;
        let head: Head = serde_json::from_slice(head)?;
        let mut trainer = Self::new(head.game, head.settings, head.scale, head.origin)?;
        trainer.steps = head.steps;
        trainer.epoch = head.epoch;
        trainer.batch = head.batch;
        trainer.error = f64::from_bits(head.error);
        trainer.history = head.history;
        let slices = trainer.slices.iter_mut().map(|slice| &mut slice.learnt);
        for learnt in slices.chain([&mut trainer.output_bias]) {
            for numbers in [&mut learnt.values, &mut learnt.means, &mut learnt.squares] {
                read(&mut rest, numbers)?;
            }
        }
        if head.has_best {
            let mut best: Weights = trainer.weights();
            for numbers in best.slices.iter_mut().chain([&mut best.output_bias]) {
                read(&mut rest, numbers)?;
            }
            trainer.best = Some(best);
        }
        if rest.is_empty() { Ok(trainer) } else { Err(CheckpointError::Count) }
    }
}

fn write(out: &mut Vec<u8>, numbers: &[f32]) {
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

fn read(rest: &mut &[u8], numbers: &mut [f32]) -> Result<(), CheckpointError> {
    let (taken, left) = rest.split_at_checked(4 * numbers.len()).ok_or(CheckpointError::Count)?;
    *rest = left;
    for (number, bytes) in numbers.iter_mut().zip(taken.chunks_exact(4)) {
        *number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    Ok(())
}
