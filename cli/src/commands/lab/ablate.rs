//! `elomill lab ablate`: what each technique of the search is worth, by taking it away.

use crate::local_match::{MatchArgs, stop_flag};
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, table};
use engine::techniques::{TECHNIQUES, Technique, nodes_to_depth};
use model::{GameKind, Nodes, ParameterSet, Tally};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// xiangqi, chess, shogi or othello
    #[arg(long, default_value_t = GameKind::Xiangqi)]
    game: GameKind,
    /// Plies to which the bench positions are searched
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// Pairs of the match of the whole engine against the one without; 0 plays none
    #[arg(long, default_value_t = 400)]
    pairs: usize,
    /// Which techniques, divided by commas, by a part of their names [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    #[command(flatten)]
    matches: MatchArgs,
    /// Print one JSON object a line for each technique
    #[arg(long)]
    json: bool,
}

/// A row of the table.
struct Row {
    technique: &'static Technique,
    /// Nodes without it over nodes with it.
    nodes: f64,
    /// The match, from the whole engine's view.
    tally: Tally,
}

impl Args {
    /// # Errors
    /// No technique has such a name, or the book cannot be read.
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let chosen = self.chosen()?;
        let openings = self.matches.openings(self.game)?;
        let stop = stop_flag()?;
        let whole = self.count(&ParameterSet::default(), &stop)?;
        let mut rows = Vec::new();
        for (number, technique) in (1..).zip(&chosen) {
            let Some(set) = technique.without(self.game) else { continue };
            let label = format!("{number} of {}: without {}", chosen.len(), technique.name);
            let counts = self.count(&set, &stop)?;
            let tally = self.play(&set, &openings, &label, &stop)?;
            if stop.load(Ordering::Relaxed) {
                say("stopped; what was finished follows");
                break;
            }
            let row = Row { technique, nodes: ratio(&counts, &whole), tally };
            if self.json {
                json(&row.to_json())?;
            }
            rows.push(row);
        }
        if !self.json {
            self.print(&whole, &rows)?;
        }
        let stopped = stop.load(Ordering::Relaxed);
        Ok(if stopped { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn chosen(&self) -> anyhow::Result<Vec<&'static Technique>> {
        let is_asked = |technique: &&Technique| {
            self.only.is_empty() || self.only.iter().any(|part| technique.name.contains(part))
        };
        let chosen: Vec<_> = TECHNIQUES.iter().filter(is_asked).collect();
        let unknown =
            self.only.iter().find(|part| !TECHNIQUES.iter().any(|t| t.name.contains(*part)));
        if let Some(part) = unknown {
            let names: Vec<_> = TECHNIQUES.iter().map(|technique| technique.name).collect();
            return Err(hinted(
                format_args!("no technique is named `{}`", model::printable(part, 60)),
                format_args!("there are: {}", names.join(", ")),
            ));
        }
        Ok(chosen)
    }

    fn count(&self, set: &ParameterSet, stop: &AtomicBool) -> anyhow::Result<Vec<Nodes>> {
        Ok(nodes_to_depth(self.game, set, self.depth, stop)?)
    }

    /// The whole engine against the one with these constants.
    fn play(
        &self,
        set: &ParameterSet,
        openings: &[String],
        label: &str,
        stop: &AtomicBool,
    ) -> anyhow::Result<Tally> {
        let sets = [&ParameterSet::default(), set];
        self.matches.play(self.game, sets, self.pairs, openings, label, stop)
    }

    fn print(&self, whole: &[Nodes], rows: &[Row]) -> anyhow::Result<()> {
        let sum: u64 = whole.iter().map(|nodes| nodes.0).sum();
        line(format_args!(
            "{}: {sum} nodes to depth {} on {} positions with everything; matches of {} pairs at {} nodes a move",
            self.game,
            self.depth,
            whole.len(),
            self.pairs,
            self.matches.nodes
        ))?;
        let columns = [
            Column::Text("without"),
            Column::Number("nodes"),
            Column::Number("worth in Elo"),
            Column::Number("95 %"),
            Column::Text("verdict"),
        ];
        let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
        Ok(line(table(&columns, &cells))?)
    }
}

/// The geometric mean of the ratios, position by position.
fn ratio(counts: &[Nodes], whole: &[Nodes]) -> f64 {
    let logs = counts.iter().zip(whole).map(|(a, b)| (a.0.max(1) as f64 / b.0.max(1) as f64).ln());
    let (sum, number) = logs.fold((0.0, 0.0), |(sum, number), log| (sum + log, number + 1.0));
    if number > 0.0 { (sum / number).exp() } else { f64::NAN }
}

impl Row {
    fn estimate(&self) -> Option<stats::EloEstimate> {
        (self.tally.pairs().0 > 0).then(|| stats::estimate(&self.tally.pentanomial))
    }

    fn verdict(&self) -> &'static str {
        match self.estimate() {
            None => "",
            Some(estimate) if estimate.low.0 > 0.0 => "pays",
            Some(estimate) if estimate.high.0 < 0.0 => "costs",
            Some(_) => "not shown",
        }
    }

    fn cells(&self) -> Vec<String> {
        let nodes = format!("{:.2}", self.nodes);
        let (elo, range) = match self.estimate() {
            None => ("-".to_owned(), "-".to_owned()),
            Some(e) => (format!("{:+.1}", e.elo.0), format!("{:+.1} … {:+.1}", e.low.0, e.high.0)),
        };
        vec![self.technique.name.to_owned(), nodes, elo, range, self.verdict().to_owned()]
    }

    fn to_json(&self) -> serde_json::Value {
        let estimate = self.estimate();
        serde_json::json!({
            "without": self.technique.name,
            "constants": self.technique.off.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
            "nodes_ratio": self.nodes,
            "pairs": self.tally.pairs().0,
            "pentanomial": self.tally.pentanomial.0,
            "elo": estimate.as_ref().map(|e| e.elo.0),
            "low": estimate.as_ref().map(|e| e.low.0),
            "high": estimate.as_ref().map(|e| e.high.0),
            "verdict": self.verdict(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_means_of_ratios() {
        let nodes = |counts: &[u64]| counts.iter().map(|&n| Nodes(n)).collect::<Vec<_>>();
        let mean = ratio(&nodes(&[200, 50]), &nodes(&[100, 100]));
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert!(ratio(&[], &[]).is_nan());
    }
}
