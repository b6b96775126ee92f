//! `elomill stats plan`: how long a sequential test will take and how it will end, at several true
//! strengths, by formula and, if asked for, by simulated tests.

use crate::output::{hinted, json, line};
use crate::tables::{Column, number, table};
use model::Pentanomial;
use serde::Serialize;
use stats::{Correction, PairLaw, Simulation, SprtSpec};
use std::num::NonZeroU32;

/// The true strengths that are shown: parts of the way from elo0 to elo1.
const WAY: [f64; 9] = [-0.2, 0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2];

/// Some minutes of simulation.
const MOST_PAIRS: f64 = 2e10;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    test: super::Test,
    /// Share of drawn games between equals with balanced openings
    #[arg(long, default_value_t = 0.6)]
    draw_ratio: f64,
    /// Pairs by score of an earlier run, LL,LD,LW+DD,DW,WW; also tells the effect of the openings
    #[arg(
        long,
        value_name = "A,B,C,D,E",
        value_parser = super::pentanomial,
        conflicts_with = "draw_ratio"
    )]
    ptnml: Option<Pentanomial>,
    /// Play this many tests at each strength with simulated pairs
    #[arg(long, value_name = "TESTS")]
    simulate: Option<NonZeroU32>,
    /// Pairs between two looks of a simulated test
    #[arg(long, default_value = "1", requires = "simulate")]
    report_pairs: NonZeroU32,
    /// Move the bounds of a simulated test by what its reports overshoot
    #[arg(long, requires = "simulate")]
    overshoot: bool,
    /// Seed of the simulated tests
    #[arg(long, default_value_t = 1, requires = "simulate")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Plan {
    lower: f64,
    upper: f64,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    elo: f64,
    pass_probability: f64,
    mean_pairs: f64,
    median_pairs: f64,
    q95_pairs: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<Simulated>,
}

#[derive(Serialize)]
struct Simulated {
    tests: u32,
    pass_share: f64,
    pass_error: f64,
    mean_pairs: f64,
    mean_error: f64,
    median_pairs: u64,
    q95_pairs: u64,
}

impl Args {
    /// # Errors
    /// A number is none, or the simulation would take hours.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let spec = self.test.spec()?;
        let equals = match &self.ptnml {
            Some(counts) => PairLaw::of_counts(counts),
            None => PairLaw::of_draw_ratio(self.draw_ratio).ok_or_else(|| {
                hinted(
                    format_args!(
                        "the draw ratio must lie strictly between 0 and 1, found {}",
                        self.draw_ratio
                    ),
                    "chess engines of equal strength draw 0.5 to 0.9 of their games",
                )
            })?,
        };
        let mut rows: Vec<Row> = WAY.iter().map(|way| row(&spec, &equals, *way)).collect();
        if let Some(tests) = self.simulate {
            let pairs: f64 = rows.iter().map(|row| row.mean_pairs * f64::from(tests.get())).sum();
            if pairs > MOST_PAIRS {
                return Err(hinted(
                    format_args!("this simulation would play {pairs:.1e} pairs"),
                    format_args!("fewer tests, or bounds further apart; at most {MOST_PAIRS:.0e}"),
                ));
            }
            let how = Simulation {
                tests,
                seed: self.seed,
                report_pairs: self.report_pairs,
                correction: if self.overshoot { Correction::Dynamic } else { Correction::None },
            };
            for row in &mut rows {
                row.simulated = Some(simulated(&spec, &equals.at(row.elo, spec.model), &how));
            }
        }
        let stats::SprtBounds { lower, upper } = spec.bounds();
        let plan = Plan { lower, upper, rows };
        if self.json {
            return json(&plan);
        }
        line(format_args!(
            "Stops at an LLR of {:.3} or {:.3}; games, two to a pair",
            plan.lower, plan.upper
        ))?;
        Ok(line(plan.table())?)
    }
}

/// The forecast at a strength on the way from elo0 to elo1.
fn row(spec: &SprtSpec, equals: &PairLaw, way: f64) -> Row {
    let elo = spec.elo0 + way * (spec.elo1 - spec.elo0);
    let deviation = equals.at(elo, spec.model).deviation();
    let forecast = stats::forecast(spec, elo, deviation);
    Row {
        elo,
        pass_probability: forecast.pass_probability,
        mean_pairs: forecast.mean_pairs,
        median_pairs: forecast.median_pairs,
        q95_pairs: forecast.q95_pairs,
        simulated: None,
    }
}

fn simulated(spec: &SprtSpec, law: &PairLaw, how: &Simulation) -> Simulated {
    let found = stats::simulate(spec, law, how);
    Simulated {
        tests: how.tests.get(),
        pass_share: found.pass_share,
        pass_error: found.pass_error,
        mean_pairs: found.mean_pairs,
        mean_error: found.mean_error,
        median_pairs: found.median_pairs,
        q95_pairs: found.q95_pairs,
    }
}

impl Plan {
    fn table(&self) -> String {
        let mut columns = vec![
            Column::Number("true Elo"),
            Column::Number("passes"),
            Column::Number("mean"),
            Column::Number("median"),
            Column::Number("95 %"),
        ];
        if self.rows.iter().any(|row| row.simulated.is_some()) {
            columns.extend([
                Column::Number("simulated"),
                Column::Number("mean"),
                Column::Number("median"),
                Column::Number("95 %"),
            ]);
        }
        let games = |pairs: f64| format!("{:.0}", 2.0 * pairs);
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let mut cells = vec![
                    number(row.elo),
                    format!("{:.4}", row.pass_probability),
                    games(row.mean_pairs),
                    games(row.median_pairs),
                    games(row.q95_pairs),
                ];
                if let Some(found) = &row.simulated {
                    cells.extend([
                        format!("{:.4} ± {:.4}", found.pass_share, found.pass_error),
                        format!("{} ± {}", games(found.mean_pairs), games(found.mean_error)),
                        (2 * found.median_pairs).to_string(),
                        (2 * found.q95_pairs).to_string(),
                    ]);
                }
                cells
            })
            .collect();
        table(&columns, &rows)
    }
}
