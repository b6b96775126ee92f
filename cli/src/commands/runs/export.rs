//! `elomill runs export`: the way of a run, a row for each report, as CSV, JSON lines or Parquet.
//!
//! A file appears when it is whole: until then its rows are in one beside it, which is removed when
//! something goes wrong.

mod columns;

use super::One;
use crate::convert::HistoryRow;
use crate::output::hinted;
use anyhow::Context;
use clap::ValueEnum;
use columns::ColumnFile;
use model::spec::Job;
use model::view::RunView;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    one: One,
    /// For spreadsheets, one JSON object a line, or typed columns
    #[arg(long, value_enum, default_value_t = Format::Csv, conflicts_with = "json")]
    format: Format,
    /// Where the rows go; Parquet needs a file [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Json,
    Parquet,
}

/// A row as scripts read it.
#[derive(Serialize)]
struct Row<'a> {
    report: i64,
    pairs: u64,
    pentanomial: [u64; 5],
    wins: u64,
    draws: u64,
    losses: u64,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    theta: &'a [f64],
    /// Of a race: the place of the candidate that the report was of, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llr: Option<f64>,
}

/// The columns before the values of a run.
const COUNTS: [&str; 10] =
    ["report", "pairs", "ll", "ld", "dd", "dw", "ww", "wins", "draws", "losses"];

impl Row<'_> {
    /// The number of the report, then counts: the columns of [`COUNTS`].
    fn counts(&self) -> [i64; COUNTS.len()] {
        let [ll, ld, dd, dw, ww] = self.pentanomial;
        let counts = [self.pairs, ll, ld, dd, dw, ww, self.wins, self.draws, self.losses];
        let mut cells = [self.report; COUNTS.len()];
        for (cell, count) in cells[1..].iter_mut().zip(counts) {
            // Postgres keeps them as such.
            *cell = i64::try_from(count).unwrap_or(i64::MAX);
        }
        cells
    }

    /// The point of a tune, or the LLR of a test; in a race the candidate before it.
    fn values(&self) -> impl Iterator<Item = f64> {
        self.theta.iter().copied().chain(self.candidate.map(f64::from)).chain(self.llr)
    }
}

impl Export {
    /// # Errors
    /// There is no such run, no coordinator answers, or the file cannot be written.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let format = if self.one.json { Format::Json } else { self.format };
        if format == Format::Parquet && self.out.is_none() {
            return Err(hinted("Parquet is no text to print", "name a file: --out way.parquet"));
        }
        let mut control = self.one.connect().await?;
        let run = control.run(self.one.id).await?;
        let has_llr = !matches!(run.kind.as_str(), "tune" | "match");
        let mut draft = self.out.as_deref().map(Draft::new);
        let mut sheet = Sheet::open(&run, format, draft.as_ref())?;
        let each = |row: HistoryRow| {
            sheet.add(&Row {
                report: row.report,
                pairs: row.tally.pairs().0,
                pentanomial: row.tally.pentanomial.0,
                wins: row.tally.wdl.wins,
                draws: row.tally.wdl.draws,
                losses: row.tally.wdl.losses,
                theta: &row.theta,
                candidate: row.candidate,
                llr: has_llr.then_some(row.llr),
            })
        };
        control.export(run.id, each).await?;
        sheet.finish()?;
        if let Some(draft) = &mut draft {
            draft.publish()?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A file on its way.
struct Draft<'a> {
    path: &'a Path,
    part: PathBuf,
    is_published: bool,
}

impl<'a> Draft<'a> {
    fn new(path: &'a Path) -> Self {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        Self { path, part: part.into(), is_published: false }
    }

    fn create(&self) -> anyhow::Result<BufWriter<File>> {
        let file = File::create(&self.part);
        Ok(BufWriter::new(file.with_context(|| format!("--out {}", self.path.display()))?))
    }

    fn publish(&mut self) -> anyhow::Result<()> {
        std::fs::rename(&self.part, self.path)
            .with_context(|| format!("--out {}", self.path.display()))?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.is_published {
            // It may never have been created.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// Where rows go.
enum Sheet {
    Csv(Box<dyn Write>),
    Json(Box<dyn Write>),
    Parquet(Box<ColumnFile>),
}

impl Sheet {
    fn open(run: &RunView, format: Format, draft: Option<&Draft<'_>>) -> anyhow::Result<Self> {
        let out = || -> anyhow::Result<Box<dyn Write>> {
            match draft {
                Some(draft) => Ok(Box::new(draft.create()?)),
                None => Ok(Box::new(io::stdout())),
            }
        };
        match (format, draft) {
            (Format::Parquet, Some(draft)) => {
                let names = head(run);
                let file = ColumnFile::begin(draft.create()?, &names, COUNTS.len())?;
                Ok(Sheet::Parquet(Box::new(file)))
            }
            (Format::Json, _) => Ok(Sheet::Json(out()?)),
            (Format::Csv | Format::Parquet, _) => {
                let mut out = out()?;
                writeln!(out, "{}", head(run).join(","))?;
                Ok(Sheet::Csv(out))
            }
        }
    }

    fn add(&mut self, row: &Row<'_>) -> anyhow::Result<()> {
        match self {
            Sheet::Csv(out) => writeln!(out, "{}", csv(row))?,
            Sheet::Json(out) => writeln!(out, "{}", serde_json::to_string(row)?)?,
            Sheet::Parquet(file) => file.add(&row.counts(), row.values())?,
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Sheet::Csv(mut out) | Sheet::Json(mut out) => Ok(out.flush()?),
            Sheet::Parquet(file) => file.finish(),
        }
    }
}

/// The names of the columns. Parameter names are letters, digits and `_`: nothing to quote.
fn head(run: &RunView) -> Vec<&str> {
    let mut names = COUNTS.to_vec();
    match &run.spec.job {
        Job::Tune(tune) => names.extend(tune.parameters.iter().map(|p| p.name.as_str())),
        Job::Test(test) => names.extend(test.sprt.map(|_| "llr")),
        Job::Race(_) => names.extend(["candidate", "llr"]),
    }
    names
}

fn csv(row: &Row<'_>) -> String {
    let counts = row.counts().map(|count| count.to_string());
    // Numbers in full: they come back to the bit.
    let values = row.values().map(|value| value.to_string());
    counts.into_iter().chain(values).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{race, test, tune};
    use model::view::RunState;

    fn row(theta: &[f64]) -> Row<'_> {
        let pentanomial = [1, 0, 1, 0, 1];
        let (wins, draws, losses) = (2, 2, 2);
        let (candidate, llr) = (None, None);
        Row { report: 9, pairs: 3, pentanomial, wins, draws, losses, theta, candidate, llr }
    }

    #[test]
    fn lines_are_as_wide_as_their_head() {
        let run = tune(3, "t", RunState::Running, [0.5, 15.0]);
        assert!(head(&run).ends_with(&["losses", "alef", "bet"]));
        let point = row(&[0.1, -2.0]);
        assert_eq!(csv(&point), "9,3,1,0,1,0,1,2,2,2,0.1,-2");
        assert_eq!(csv(&point).split(',').count(), head(&run).len());
        let ratio = Row { llr: Some(1.25), ..row(&[]) };
        let run = test(4, "t", RunState::Running, None, None);
        assert_eq!(csv(&ratio).split(',').count(), head(&run).len());
        assert!(csv(&ratio).ends_with(",1.25"));
        let of_race = Row { candidate: Some(1), ..ratio };
        let run = race(5, RunState::Running, None);
        assert_eq!(csv(&of_race).split(',').count(), head(&run).len());
        assert!(csv(&of_race).ends_with(",1,1.25"));
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("way.csv");
        let run = test(4, "t", RunState::Running, None, None);
        let draft = Draft::new(&path);
        drop(Sheet::open(&run, Format::Csv, Some(&draft)).unwrap());
        assert!(draft.part.exists() && !path.exists());
        drop(draft);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut draft = Draft::new(&path);
        let mut sheet = Sheet::open(&run, Format::Csv, Some(&draft)).unwrap();
        sheet.add(&Row { llr: Some(0.5), ..row(&[]) }).unwrap();
        sheet.finish().unwrap();
        draft.publish().unwrap();
        drop(draft);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with(",0.5\n"), "{text}");
    }
}
