//! `elomill params suggest`: what each parameter's `c_end` and range are worth, from short matches of
//! the defaults against the defaults with that parameter moved.
//!
//! The value is moved by one and by two `c_end` either way; where no loss shows, by four, eight and so on
//! until one does or the range ends.

mod advice;

use super::group;
use crate::local_match::{MatchArgs, stop_flag};
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, number, table};
use advice::{Advice, Declared, Probe, advise, shows_loss};
use engine::TunableDef;
use engine::tunables::Group;
use model::{GameKind, ParameterSet, Tally};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    #[arg(long)]
    game: GameKind,
    /// Only these groups: aspiration, lmr, pruning, extension, history, time, eval
    #[arg(long, value_delimiter = ',', value_parser = group)]
    group: Vec<Group>,
    /// Only these parameters, divided by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Pairs of each match
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    #[command(flatten)]
    matches: MatchArgs,
    /// Print one JSON object a line for each parameter
    #[arg(long)]
    json: bool,
}

/// A parameter with what was found.
#[derive(Serialize)]
struct Row {
    name: String,
    default: f64,
    min: f64,
    max: f64,
    c_end: f64,
    probes: Vec<Probe>,
    advice: Option<Advice>,
}

/// Doublings of the way, from one `c_end` on.
const WAYS: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
/// The first of them are played in any case.
const ALWAYS: usize = 2;

impl Args {
    /// # Errors
    /// No parameter has such a name, or the book cannot be read.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let chosen = self.chosen()?;
        let openings = self.matches.openings(self.game)?;
        let stop = stop_flag()?;
        let mut rows = Vec::new();
        for (place, def) in (1..).zip(&chosen) {
            let label = format!("{place} of {}: {}", chosen.len(), def.name);
            let Some(row) = self.probe(def, &openings, &label, &stop)? else {
                say("stopped; what was finished follows");
                break;
            };
            if self.json {
                json(&row)?;
            }
            rows.push(row);
        }
        if !self.json {
            self.print(&rows)?;
        }
        let stopped = rows.len() < chosen.len();
        Ok(if stopped { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn chosen(&self) -> anyhow::Result<Vec<&'static TunableDef>> {
        let all = engine::definitions(self.game);
        if let Some(name) = self.only.iter().find(|name| !all.iter().any(|def| def.name == **name))
        {
            return Err(hinted(
                format_args!("{} has no parameter `{}`", self.game, model::printable(name, 60)),
                format_args!("elomill params --game {} lists them", self.game),
            ));
        }
        // A clock has no part in games that are limited by nodes.
        let asked = |def: &&TunableDef| {
            let by_group = if self.group.is_empty() {
                self.only.is_empty() && def.group != Group::Time
            } else {
                self.group.contains(&def.group)
            };
            by_group || self.only.iter().any(|name| def.name == *name)
        };
        Ok(all.iter().filter(asked).collect())
    }

    /// All matches of a parameter; none if they were stopped.
    fn probe(
        &self,
        def: &TunableDef,
        openings: &[String],
        label: &str,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Row>> {
        let declared = Declared {
            default: def.default,
            min: def.min,
            max: def.max,
            c_end: def.c_end,
            whole: def.kind.is_whole(),
        };
        let mut probes: Vec<Probe> = Vec::new();
        for (round, way) in WAYS.into_iter().enumerate() {
            if round >= ALWAYS && shows_loss(&probes) {
                break;
            }
            for (asked, value) in declared.probes(way) {
                // Beside an end of the range, or of rounding, a wider way is the same value.
                if probes.iter().any(|probe| probe.value == value) {
                    continue;
                }
                let moved = ParameterSet::from_iter([(def.name.to_string(), value)]);
                let label = format!("{label} = {}", number(value));
                let sets = [&ParameterSet::default(), &moved];
                let pairs = self.pairs as usize;
                let tally = self.matches.play(self.game, sets, pairs, openings, &label, stop)?;
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                probes.push(probe(asked, value, declared.steps(value), &tally));
            }
        }
        let advice = advise(&declared, &probes);
        Ok(Some(Row {
            name: def.name.to_string(),
            default: def.default,
            min: def.min,
            max: def.max,
            c_end: def.c_end,
            probes,
            advice,
        }))
    }

    fn print(&self, rows: &[Row]) -> anyhow::Result<()> {
        line(format_args!(
            "{}: Elo lost by moving one parameter by its c_end, matches of {} pairs at {} nodes a move",
            self.game, self.pairs, self.matches.nodes
        ))?;
        let columns = [
            Column::Text("parameter"),
            Column::Number("c_end"),
            Column::Number("−2 c_end"),
            Column::Number("−1"),
            Column::Number("+1"),
            Column::Number("+2, 95 %"),
            Column::Number("Elo at one c_end"),
            Column::Text("verdict"),
            Column::Number("advised c_end"),
            Column::Text("advised range"),
        ];
        let cells: Vec<_> = rows.iter().map(Row::cells).collect();
        line(table(&columns, &cells))?;
        say(
            "fits: one c_end loses between 1/18 and 4.5 Elo by the fitted parabola. Advised is where half \
             an Elo is lost. The matches farther out are in --json",
        );
        Ok(())
    }
}

fn probe(asked: f64, value: f64, steps: f64, tally: &Tally) -> Probe {
    let estimate = stats::estimate(&tally.pentanomial);
    Probe {
        value,
        steps,
        asked,
        pairs: tally.pairs().0,
        loss: estimate.elo.0,
        low: estimate.low.0,
        high: estimate.high.0,
    }
}

/// Three digits, as advice has no more.
fn rough(value: f64) -> String {
    let digits = (2.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    number(format!("{value:.digits$}").parse().unwrap_or(value))
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.name.clone(), number(self.c_end)];
        cells.extend([-2.0, -1.0, 1.0, 2.0].map(|asked| {
            // None where the range ends, or where rounding has made it the value of a shorter way.
            let probe = self.probes.iter().find(|probe| probe.asked == asked);
            probe.map_or("–".to_owned(), |p| {
                format!("{:+.1} ({:+.0} … {:+.0})", p.loss, p.low, p.high)
            })
        }));
        let Some(advice) = &self.advice else {
            cells.extend(["–", "too few values", "–", ""].map(str::to_owned));
            return cells;
        };
        let margin = advice.curvature_high - advice.curvature;
        let range = advice.range.map_or_else(String::new, |(min, max)| {
            let narrow = if advice.is_narrow { ", narrow" } else { "" };
            format!("{} … {}{narrow}", rough(min), rough(max))
        });
        cells.extend([
            format!("{:.2} ± {:.2}", advice.curvature, margin),
            advice.verdict.text().to_owned(),
            advice.c_end.map_or("–".to_owned(), rough),
            range,
        ]);
        cells
    }
}
