//! `elomill lab tuner`: the optimisers of a tune against each other on simulated engines: the Elo
//! that each leaves below the optimum, and what it knew of that itself.

use crate::output::{hinted, json, line};
use crate::tables::{Column, table};
use clap::ValueEnum;
use model::Pairs;
use model::spec::BQR_MOST_PARAMETERS;
use serde::Serialize;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::process::ExitCode;
use tune::sim::{Method, Outcome, WORLDS, World};

/// The most seeds of one row.
const MOST_SEEDS: u32 = 10_000;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Which worlds, divided by commas; --list names them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    world: Vec<String>,
    /// Numbers of parameters
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "8,30")]
    parameters: Vec<NonZeroUsize>,
    /// Budgets
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "20000,60000")]
    pairs: Vec<NonZeroU64>,
    /// Landscapes of each kind, and as many tunes of each optimiser
    #[arg(long, default_value = "16")]
    seeds: NonZeroU32,
    /// Tunes at a time
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
    /// For people, for spreadsheets, for scripts
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// One JSON object a line: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Only name the worlds
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Csv,
    Json,
}

/// One kind of tune, by both optimisers, and where blocks are in flight by the servers' own `spsa`.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    world: &'static str,
    parameters: usize,
    pairs: u64,
    seeds: u32,
    /// Elo left below the optimum by each: lower quartile, median, upper quartile.
    spsa_left: [f64; 3],
    /// None where nothing is in flight: the gains are then those of `spsa`.
    spsa_servers_left: Option<[f64; 3]>,
    bqr_left: [f64; 3],
    /// Median of what the regression said it would leave.
    bqr_said: f64,
    /// Share of tunes whose gain was inside the interval that the regression gave.
    bqr_covered: f64,
    /// Share of tunes whose gain fell short of that interval.
    bqr_short: f64,
}

impl Args {
    /// # Errors
    /// There is no such world, or too much is asked.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.list {
            WORLDS.iter().try_for_each(|world| line(world.name))?;
            return Ok(ExitCode::SUCCESS);
        }
        let worlds = self.worlds()?;
        if self.seeds.get() > MOST_SEEDS {
            return Err(hinted(
                format_args!("{} seeds are too many", self.seeds),
                format_args!("at most {MOST_SEEDS}; 64 give good medians"),
            ));
        }
        if let Some(many) = self.parameters.iter().find(|n| n.get() > BQR_MOST_PARAMETERS) {
            return Err(hinted(
                format_args!("bqr does not take {many} parameters"),
                format_args!("at most {BQR_MOST_PARAMETERS}"),
            ));
        }
        let format = if self.json { Format::Json } else { self.format };
        let mut rows = Vec::new();
        if format == Format::Csv {
            line(CSV_HEAD)?;
        }
        for &parameters in &self.parameters {
            for &pairs in &self.pairs {
                for world in &worlds {
                    let row = self.row(world, parameters.get(), pairs.get());
                    match format {
                        Format::Table => rows.push(row),
                        Format::Csv => line(row.csv())?,
                        Format::Json => json(&row)?,
                    }
                }
            }
        }
        if format == Format::Table {
            line(people(&rows))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn worlds(&self) -> anyhow::Result<Vec<World>> {
        if self.world.iter().any(|name| name == "all") {
            return Ok(WORLDS.to_vec());
        }
        let one = |name: &String| {
            WORLDS.iter().find(|world| world.name == *name).copied().ok_or_else(|| {
                let names: Vec<&str> = WORLDS.iter().map(|world| world.name).collect();
                hinted(
                    format_args!("there is no world `{}`", model::printable(name, 40)),
                    format_args!("one of all, {}", names.join(", ")),
                )
            })
        };
        self.world.iter().map(one).collect()
    }

    fn row(&self, world: &World, parameters: usize, pairs: u64) -> Row {
        let outcomes = |by| self.outcomes(world, by, parameters, pairs);
        let (spsa, bqr) = (outcomes(Method::Spsa), outcomes(Method::Bqr));
        let left = |of: &[Outcome]| quartiles(of.iter().map(|outcome| outcome.left).collect());
        let said: Vec<f64> = bqr.iter().filter_map(|o| o.said).map(|said| said.left.0).collect();
        // In standard deviations above what was said.
        let beyond: Vec<f64> = bqr
            .iter()
            .filter_map(|outcome| {
                let said = outcome.said?;
                Some((outcome.gain - said.gain.0) / said.gain_deviation.0)
            })
            .collect();
        let share = |of: &dyn Fn(f64) -> bool| {
            beyond.iter().filter(|z| of(**z)).count() as f64 / bqr.len() as f64
        };
        Row {
            world: world.name,
            parameters,
            pairs,
            seeds: self.seeds.get(),
            spsa_left: left(&spsa),
            spsa_servers_left: (world.in_flight > 1)
                .then(|| left(&outcomes(Method::SpsaOfServers))),
            bqr_left: left(&bqr),
            bqr_said: quartiles(said)[1],
            bqr_covered: share(&|z| z.abs() <= stats::NORMAL_95),
            bqr_short: share(&|z| z < -stats::NORMAL_95),
        }
    }

    /// The outcomes of all seeds, in the order of the seeds.
    fn outcomes(&self, world: &World, by: Method, parameters: usize, pairs: u64) -> Vec<Outcome> {
        let seeds: Vec<u64> = (0..u64::from(self.seeds.get())).collect();
        let share = seeds.len().div_ceil(self.threads.get());
        std::thread::scope(|scope| {
            let parts: Vec<_> = seeds
                .chunks(share)
                .map(|seeds| {
                    scope.spawn(move || {
                        let tune = |&seed| world.tune(by, parameters, Pairs(pairs), seed);
                        seeds.iter().map(tune).collect::<Vec<_>>()
                    })
                })
                .collect();
            let joined = parts.into_iter().map(|part| {
                // A tune that panics has said why; there is nothing to print in its place.
                part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.flatten().collect()
        })
    }
}

const CSV_HEAD: &str = "parameters,pairs,world,seeds,spsa_q1,spsa_median,spsa_q3,\
                        spsa_servers_q1,spsa_servers_median,spsa_servers_q3,bqr_q1,\
                        bqr_median,bqr_q3,bqr_said,bqr_covered,bqr_short";

impl Row {
    fn csv(&self) -> String {
        let quartiles = |[a, b, c]: [f64; 3]| format!("{a:.3},{b:.3},{c:.3}");
        format!(
            "{},{},{},{},{},{},{},{:.3},{:.3},{:.3}",
            self.parameters,
            self.pairs,
            self.world,
            self.seeds,
            quartiles(self.spsa_left),
            self.spsa_servers_left.map_or(",,".to_owned(), quartiles),
            quartiles(self.bqr_left),
            self.bqr_said,
            self.bqr_covered,
            self.bqr_short
        )
    }
}

fn people(rows: &[Row]) -> String {
    use Column::{Number, Text};
    let columns = [
        Number("parameters"),
        Number("pairs"),
        Text("world"),
        Number("spsa leaves"),
        Number("spsa (servers)"),
        Number("bqr leaves"),
        Number("share"),
        Number("of servers'"),
        Number("bqr said"),
        Number("covered"),
        Number("short"),
    ];
    let quartiles = |[low, middle, high]: [f64; 3]| format!("{middle:.2} [{low:.2}, {high:.2}]");
    let cells = |row: &Row| {
        vec![
            row.parameters.to_string(),
            row.pairs.to_string(),
            row.world.to_owned(),
            quartiles(row.spsa_left),
            row.spsa_servers_left.map_or("as spsa".to_owned(), quartiles),
            quartiles(row.bqr_left),
            format!("{:.2}", row.bqr_left[1] / row.spsa_left[1]),
            format!("{:.2}", row.bqr_left[1] / row.spsa_servers_left.unwrap_or(row.spsa_left)[1]),
            format!("{:.2}", row.bqr_said),
            format!("{:.0} %", 100.0 * row.bqr_covered),
            format!("{:.0} %", 100.0 * row.bqr_short),
        ]
    };
    table(&columns, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// Lower quartile, median and upper quartile of numbers, by linear interpolation.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        below + place.fract() * (above - below)
    };
    [at(0.25), at(0.5), at(0.75)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(threads: usize) -> Args {
        Args {
            world: vec!["reference".to_owned(), "c_end/3".to_owned()],
            parameters: vec![NonZeroUsize::new(4).unwrap()],
            pairs: vec![NonZeroU64::new(400).unwrap()],
            seeds: NonZeroU32::new(5).unwrap(),
            threads: NonZeroUsize::new(threads).unwrap(),
            format: Format::Csv,
            json: false,
            list: false,
        }
    }

    #[test]
    fn threads_change_no_number() {
        let (one, three) = (args(1), args(3));
        let world = one.worlds().unwrap()[1];
        assert_eq!(one.row(&world, 4, 400), three.row(&world, 4, 400));
    }

    #[test]
    fn an_unknown_world_is_named_with_those_that_are_known() {
        let args = Args { world: vec!["moon\u{1b}".to_owned()], ..args(1) };
        let said = args.worlds().unwrap_err().to_string();
        assert!(said.contains("`moon") && said.contains("half-dead"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
    }

    #[test]
    fn rows_are_as_wide_as_their_head() {
        let args = args(2);
        let row = args.row(&args.worlds().unwrap()[0], 4, 400);
        assert_eq!(row.csv().split(',').count(), CSV_HEAD.split(',').count());
        let (said, there) = (people(std::slice::from_ref(&row)), row.spsa_servers_left);
        assert!(said.contains("reference") && said.contains("as spsa") && there.is_none());
        let away = WORLDS.iter().find(|world| world.in_flight == 100).unwrap();
        let row = args.row(away, 4, 2000);
        assert_eq!(row.csv().split(',').count(), CSV_HEAD.split(',').count());
        assert!(row.spsa_servers_left.is_some_and(|servers| servers != row.spsa_left));
    }

    #[test]
    fn quartiles_by_hand() {
        assert_eq!(quartiles(vec![4.0, 1.0, 3.0, 2.0]), [1.75, 2.5, 3.25]);
        assert_eq!(quartiles(vec![7.0]), [7.0; 3]);
    }
}
