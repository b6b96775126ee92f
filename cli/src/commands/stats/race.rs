//! `elomill stats race`: what a race of several candidates errs and costs, by simulation, against a
//! test for each of them.

use crate::output::{hinted, json, line};
use crate::tables::{Column, number, table};
use clap::ValueEnum;
use model::spec::{MOST_CANDIDATES, RaceStop};
use serde::Serialize;
use stats::{PairLaw, Race, RaceSimulation, SprtSpec};
use std::num::NonZeroU32;

/// Some minutes of simulation.
const MOST_PAIRS: f64 = 2e9;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    test: super::Test,
    /// Candidates of the race
    #[arg(long, default_value_t = 8, conflicts_with = "truth")]
    candidates: usize,
    /// True strengths of the candidates, in the unit of the hypotheses; without them all at elo0, and
    /// then one at elo1
    #[arg(long, value_name = "ELO,…", value_delimiter = ',', allow_hyphen_values = true)]
    truth: Vec<f64>,
    /// When a race is over
    #[arg(long, value_enum, default_value_t = Stop::First)]
    stop: Stop,
    /// Share of drawn games between equals with balanced openings
    #[arg(long, default_value_t = 0.6)]
    draw_ratio: f64,
    /// Races to play
    #[arg(long, value_name = "RACES", default_value = "300")]
    simulate: NonZeroU32,
    /// Pairs of a lease, which come back in one report
    #[arg(long, default_value = "8")]
    lease_pairs: NonZeroU32,
    /// Leases that are out at a time
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    leases_out: u32,
    /// Seed of the simulated races
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stop {
    First,
    All,
}

#[derive(Serialize)]
struct Report {
    /// Bounds of the first acceptance.
    lower: f64,
    upper: f64,
    races: u32,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    truth: Vec<f64>,
    /// Share of races that accepted any candidate.
    pass_share: f64,
    /// Share of races that accepted a candidate which is no better than elo0.
    error_share: f64,
    error_error: f64,
    mean_pairs: f64,
    mean_error: f64,
    /// A test for each candidate, by formula, at the α of the whole family each.
    separate_pairs: f64,
    /// The chance that one of those accepts a candidate which is no better than elo0.
    separate_error: f64,
    accepted: Vec<f64>,
    candidate_pairs: Vec<f64>,
}

impl Args {
    /// # Errors
    /// A number is none, or the simulation would take hours.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let spec = self.test.spec()?;
        let equals = PairLaw::of_draw_ratio(self.draw_ratio).ok_or_else(|| {
            hinted(
                format_args!(
                    "the draw ratio must lie strictly between 0 and 1, found {}",
                    self.draw_ratio
                ),
                "chess engines of equal strength draw 0.5 to 0.9 of their games",
            )
        })?;
        let count = if self.truth.is_empty() { self.candidates } else { self.truth.len() };
        let is_number = |truth: &f64| (-300.0..=300.0).contains(truth);
        if !(2..=MOST_CANDIDATES).contains(&count) || !self.truth.iter().all(is_number) {
            return Err(hinted(
                format_args!("a race has 2 to {MOST_CANDIDATES} candidates, within 300 Elo"),
                "a single candidate has a test: elomill stats plan",
            ));
        }
        let scenarios = if self.truth.is_empty() {
            let poor = vec![spec.elo0; count];
            let mut one = poor.clone();
            one[count / 2] = spec.elo1;
            vec![poor, one]
        } else {
            vec![self.truth.clone()]
        };
        let expected: f64 = scenarios.iter().map(|truth| separate(&spec, &equals, truth).0).sum();
        let pairs = expected * f64::from(self.simulate.get());
        if pairs > MOST_PAIRS {
            return Err(hinted(
                format_args!("this simulation would play up to {pairs:.1e} pairs"),
                format_args!("fewer races, or bounds further apart; at most {MOST_PAIRS:.0e}"),
            ));
        }
        let rows = scenarios.iter().map(|truth| self.row(&spec, &equals, truth)).collect();
        let stats::SprtBounds { lower, upper } = self.race(&spec, count).bounds_of(0);
        let report = Report { lower, upper, races: self.simulate.get(), rows };
        if self.json {
            return json(&report);
        }
        line(format_args!(
            "{count} candidates, α {} in all: the first is accepted at an LLR of {:.3} (α/{count}) and \
             each is rejected at {:.3}",
            number(spec.alpha),
            report.upper,
            report.lower
        ))?;
        Ok(line(report.table())?)
    }

    fn race(&self, spec: &SprtSpec, candidates: usize) -> Race {
        let stop = match self.stop {
            Stop::First => RaceStop::First,
            Stop::All => RaceStop::All,
        };
        Race::new(*spec, stop, candidates)
    }

    fn row(&self, spec: &SprtSpec, equals: &PairLaw, truth: &[f64]) -> Row {
        let how = RaceSimulation {
            races: self.simulate,
            seed: self.seed,
            lease_pairs: self.lease_pairs,
            leases_out: NonZeroU32::new(self.leases_out).unwrap_or(NonZeroU32::MIN),
        };
        let laws: Vec<_> =
            truth.iter().map(|&truth| (equals.at(truth, spec.model), truth <= spec.elo0)).collect();
        let found = stats::simulate_race(&self.race(spec, truth.len()), &laws, &how);
        let (separate_pairs, separate_error) = separate(spec, equals, truth);
        Row {
            truth: truth.to_vec(),
            pass_share: found.pass_share,
            error_share: found.error_share,
            error_error: found.error_error,
            mean_pairs: found.mean_pairs,
            mean_error: found.mean_error,
            separate_pairs,
            separate_error,
            accepted: found.accepted,
            candidate_pairs: found.pairs,
        }
    }
}

/// Pairs of a test for each candidate, and the chance that any of those errs, by formula.
fn separate(spec: &SprtSpec, equals: &PairLaw, truth: &[f64]) -> (f64, f64) {
    let (mut pairs, mut right) = (0.0, 1.0);
    for &truth in truth {
        let deviation = equals.at(truth, spec.model).deviation();
        let forecast = stats::forecast(spec, truth, deviation);
        pairs += forecast.mean_pairs;
        if truth <= spec.elo0 {
            right *= 1.0 - forecast.pass_probability;
        }
    }
    (pairs, 1.0 - right)
}

impl Report {
    fn table(&self) -> String {
        let columns = [
            Column::Text("true Elo"),
            Column::Number("passes"),
            Column::Number("errs"),
            Column::Number("games"),
            Column::Number("separate tests err"),
            Column::Number("games"),
            Column::Number("saved"),
        ];
        let games = |pairs: f64| format!("{:.0}", 2.0 * pairs);
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                vec![
                    row.truth.iter().map(|elo| number(*elo)).collect::<Vec<_>>().join(" "),
                    format!("{:.3}", row.pass_share),
                    format!("{:.3} ± {:.3}", row.error_share, row.error_error),
                    format!("{} ± {}", games(row.mean_pairs), games(row.mean_error)),
                    format!("{:.3}", row.separate_error),
                    games(row.separate_pairs),
                    format!("{:.0} %", 100.0 * (1.0 - row.mean_pairs / row.separate_pairs)),
                ]
            })
            .collect();
        table(&columns, &rows)
    }
}
