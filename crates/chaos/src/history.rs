//! What the actors did and heard, one line of JSON for each event, written before anything follows
//! from it: what the checker believes.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Something that an actor did or heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// A lease came.
    Leased { lease: i64, epoch: u32, run: i64, pairs: Vec<u64> },
    /// A report is about to leave; from here on its pairs may be in the ledger.
    Reported { lease: i64, epoch: u32, sequence: u32, pairs: Vec<u64> },
    /// What became of a report.
    Acked { lease: i64, epoch: u32, sequence: u32, outcome: String },
    /// A lease is about to be given back.
    Returned { lease: i64, epoch: u32 },
    /// A fault was made.
    Fault { what: String },
}

/// An event with its time and its actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Since the beginning.
    pub(crate) ms: u64,
    pub(crate) actor: String,
    #[serde(flatten)]
    pub(crate) event: Event,
}

/// The file of the history.
pub(crate) struct History {
    began: Instant,
    file: Mutex<BufWriter<File>>,
}

impl History {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let file = Mutex::new(BufWriter::new(File::create(path)?));
        Ok(Self { began: Instant::now(), file })
    }

    pub(crate) fn note(&self, actor: &str, event: Event) -> anyhow::Result<()> {
        let ms = u64::try_from(self.began.elapsed().as_millis())?;
        let mut line = serde_json::to_vec(&Entry { ms, actor: actor.to_owned(), event })?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(file.write_all(&line)?)
    }

    pub(crate) fn flush(&self) -> anyhow::Result<()> {
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner).flush()?)
    }
}

/// Reads a history.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Entry>> {
    let lines = BufReader::new(File::open(path)?).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
