//! The results of the algorithms next to each other: measured, compared, printed.

use crate::output::{line, say};
use crate::tables::{Column, duration, number, table};
use engine::classic::{Algorithm, Counts, Settings, Tree};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// So often a long search says how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// What one algorithm found.
struct Row {
    algorithm: Algorithm,
    /// The value of each tree; `None` where it gave up.
    values: Vec<Option<i32>>,
    /// The sums over the trees.
    counts: Counts,
    seconds: f64,
}

/// All the results.
#[derive(Default)]
pub(super) struct Sheet {
    rows: Vec<Row>,
}

/// What a long search says on stderr while it is under way.
pub(super) struct Progress {
    name: &'static str,
    began: Instant,
    said: Instant,
}

impl Progress {
    pub(super) fn of(name: &'static str) -> Self {
        let now = Instant::now();
        Self { name, began: now, said: now }
    }

    /// So many leaves were evaluated by now.
    pub(super) fn at(&mut self, leaves: u64) {
        if self.said.elapsed() >= PROGRESS_INTERVAL {
            self.said = Instant::now();
            let seconds = duration(self.began.elapsed().as_secs_f64());
            say(format_args!("{}: {leaves} leaves after {seconds}", self.name));
        }
    }
}

/// To what the leaves are compared.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    /// The smallest number of leaves by which the value of a tree can be known.
    Minimal(u64),
    /// The leaves of alpha-beta, if it was among the algorithms.
    AlphaBeta,
}

impl Sheet {
    /// Runs an algorithm on every tree.
    pub(super) fn measure<T: Tree>(
        &mut self,
        algorithm: Algorithm,
        trees: impl IntoIterator<Item = (T, Settings)>,
    ) {
        let mut progress = Progress::of(algorithm.name());
        let mut row =
            Row { algorithm, values: Vec::new(), counts: Counts::default(), seconds: 0.0 };
        for (mut tree, settings) in trees {
            let before = row.counts;
            let run = algorithm.run(&mut tree, &settings, &mut |counts| {
                progress.at(before.leaves + counts.leaves);
            });
            row.values.push(run.value);
            row.counts += run.counts;
        }
        row.seconds = progress.began.elapsed().as_secs_f64();
        self.rows.push(row);
    }

    /// Whether all that came to an end found the same values.
    pub(super) fn agrees(&self) -> bool {
        let trees = self.rows.first().map_or(0, |row| row.values.len());
        (0..trees).all(|tree| {
            let mut values = self.rows.iter().filter_map(|row| row.values[tree]);
            let first = values.next();
            values.all(|value| Some(value) == first)
        })
    }

    /// Success when the values agree; otherwise, and about whoever gave up, a word on stderr.
    pub(super) fn verdict(&self) -> ExitCode {
        for row in &self.rows {
            if row.values.contains(&None) {
                let name = row.algorithm.name();
                say(format_args!(
                    "{name} gave up: it came to the end of --nodes or kept a gibibyte"
                ));
            }
        }
        if self.agrees() {
            return ExitCode::SUCCESS;
        }
        say("error: the values do not agree");
        ExitCode::FAILURE
    }

    /// As a list of JSON objects; counts are sums over the trees.
    pub(super) fn to_json(&self) -> Vec<Value> {
        let object = |row: &Row| {
            json!({
                "algorithm": row.algorithm.name(),
                "source": row.algorithm.source(),
                "values": row.values,
                "leaves": row.counts.leaves,
                "distinct_leaves": row.counts.distinct_leaves,
                "interior": row.counts.interior,
                "researches": row.counts.researches,
                "seconds": row.seconds,
            })
        };
        self.rows.iter().map(object).collect()
    }

    /// Prints it for people; counts are means over the trees.
    pub(super) fn print(&self, measure: Measure) -> anyhow::Result<()> {
        let floor = match measure {
            Measure::Minimal(leaves) => Some(leaves as f64),
            Measure::AlphaBeta => {
                let mut rows = self.rows.iter();
                let row = rows.find(|row| row.algorithm == Algorithm::AlphaBeta);
                row.filter(|row| !row.values.contains(&None)).map(|row| row.mean(row.counts.leaves))
            }
        };
        let columns = [
            Column::Text("algorithm"),
            Column::Number("value"),
            Column::Number("leaves"),
            Column::Number("distinct"),
            Column::Number("inner nodes"),
            Column::Number("again"),
            Column::Number(match measure {
                Measure::Minimal(_) => "÷ minimal",
                Measure::AlphaBeta => "÷ alphabeta",
            }),
            Column::Number("seconds"),
        ];
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.cells(floor)).collect();
        Ok(line(table(&columns, &rows))?)
    }
}

impl Row {
    fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.values.len().max(1) as f64
    }

    fn cells(&self, floor: Option<f64>) -> Vec<String> {
        let Counts { leaves, distinct_leaves, interior, researches } = self.counts;
        let complete: Option<Vec<i32>> = self.values.iter().copied().collect();
        let value = complete.map(|values| {
            values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len().max(1) as f64
        });
        let ratio = floor.map(|floor| format!("{:.2}", self.mean(leaves) / floor));
        let none = || "-".to_owned();
        let mut cells = vec![self.algorithm.name().to_owned()];
        cells.push(value.map_or_else(none, tenths));
        let counts = [leaves, distinct_leaves, interior, researches];
        cells.extend(counts.map(|count| tenths(self.mean(count))));
        cells.push(ratio.unwrap_or_else(none));
        cells.push(format!("{:.3}", self.seconds));
        cells
    }
}

/// With one decimal, or none where there is none.
fn tenths(value: f64) -> String {
    number((value * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[Option<i32>]) -> Row {
        let counts = Counts { leaves: 7, distinct_leaves: 5, interior: 4, researches: 1 };
        Row { algorithm: Algorithm::Pvs, values: values.to_vec(), counts, seconds: 0.5 }
    }

    #[test]
    fn values_are_compared_tree_by_tree_and_whoever_gave_up_is_left_out() {
        let sheet = |rows: &[&[Option<i32>]]| Sheet { rows: rows.iter().map(|r| row(r)).collect() };
        assert!(sheet(&[]).agrees());
        assert!(sheet(&[&[Some(1), Some(2)], &[Some(1), Some(2)]]).agrees());
        assert!(!sheet(&[&[Some(1), Some(2)], &[Some(2), Some(1)]]).agrees());
        assert!(sheet(&[&[Some(1), None], &[None, Some(2)]]).agrees());
        assert!(!sheet(&[&[None], &[Some(2)], &[Some(3)]]).agrees());
    }

    #[test]
    fn people_read_means() {
        let cells = row(&[Some(1), Some(-4)]).cells(Some(2.0));
        assert_eq!(cells, ["pvs", "-1.5", "3.5", "2.5", "2", "0.5", "1.75", "0.500"]);
        assert_eq!(row(&[None, Some(3)]).cells(None)[1], "-");
    }
}
