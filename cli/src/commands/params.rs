//! `elomill params`: every tunable constant of the built-in engine, in forms that others read, and
//! lists of others from one form into another; and the way back, from an accepted set into its sources.

mod apply;
mod convert;
mod suggest;

use crate::output::{json, line};
use crate::tables::{Column, number, table};
use clap::ValueEnum;
use engine::TunableDef;
use engine::tunables::Group;
use model::{GameKind, ParameterDef};
use serde::Serialize;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// xiangqi, chess, shogi, othello or tictactoe: the search is the same, the evaluation is not
    #[arg(long, required = true)]
    game: Option<GameKind>,
    /// Only these groups: aspiration, lmr, pruning, extension, history, time, eval
    #[arg(long, value_delimiter = ',', value_parser = group)]
    group: Vec<Group>,
    /// For people, for run files (toml), for chess testers' tools (spsa), for scripts (json)
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// One JSON object a line: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Turns a list of parameters into another form: fishtest, OpenBench, TOML
    Convert(convert::Args),
    /// Makes an accepted set the defaults of the built-in engine, in its sources
    Apply(apply::Args),
    /// Probes the c_end and range of each parameter in short matches and advises on them
    Suggest(suggest::Args),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Toml,
    Spsa,
    Json,
}

impl Args {
    /// # Errors
    /// The list cannot be written, or not be read.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let game = match (self.what, self.game) {
            (Some(What::Convert(args)), _) => return args.run(),
            (Some(What::Apply(args)), _) => return args.run(),
            (Some(What::Suggest(args)), _) => return args.run(),
            (None, Some(game)) => game,
            // Clap asks for the game where there is no subcommand.
            (None, None) => return Ok(ExitCode::FAILURE),
        };
        let wanted = |def: &&TunableDef| self.group.is_empty() || self.group.contains(&def.group);
        let definitions: Vec<&TunableDef> =
            engine::definitions(game).iter().filter(wanted).collect();
        match if self.json { Format::Json } else { self.format } {
            Format::Table => line(people(&definitions))?,
            Format::Toml => {
                line(format_args!("# Parameters of the built-in engine, for {game}"))?;
                for def in definitions {
                    line(toml(def))?;
                }
            }
            Format::Spsa => {
                for def in definitions {
                    line(spsa(&ParameterDef::from(def)))?;
                }
            }
            Format::Json => {
                for def in definitions {
                    json(&Listed::new(def))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A parameter with what is known of it besides.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    parameter: ParameterDef,
    group: &'static str,
    meaning: &'a str,
}

impl<'a> Listed<'a> {
    fn new(def: &'a TunableDef) -> Self {
        Self { parameter: def.into(), group: def.group.name(), meaning: &def.doc }
    }
}

fn group(text: &str) -> Result<Group, String> {
    Group::ALL.into_iter().find(|group| group.name() == text).ok_or_else(|| {
        format!("there is no group `{text}`; there are {}", Group::ALL.map(Group::name).join(", "))
    })
}

fn people(definitions: &[&TunableDef]) -> String {
    use Column::{Number, Text};
    let columns = [
        Text("parameter"),
        Text("group"),
        Number("default"),
        Number("min"),
        Number("max"),
        Number("c_end"),
        Text("meaning"),
    ];
    let rows: Vec<_> = definitions
        .iter()
        .map(|def| {
            let numbers = [def.default, def.min, def.max, def.c_end].map(number);
            let mut row = vec![def.name.to_string(), def.group.to_string()];
            row.extend(numbers);
            row.push(def.doc.to_string());
            row
        })
        .collect();
    table(&columns, &rows)
}

/// A table of a run file, with what it does above it.
fn toml(def: &TunableDef) -> String {
    format!("\n# {}\n{}", def.doc, toml_table(&def.into()))
}

/// A table of a run file.
fn toml_table(def: &ParameterDef) -> String {
    let ParameterDef { name, kind, start, min, max, c_end, r_end } = def;
    let kind = kind.name();
    format!(
        "[[parameter]]\nname = \"{name}\"\nkind = \"{kind}\"\nstart = {start}\nmin = {min}\n\
         max = {max}\nc_end = {c_end}\nr_end = {r_end}"
    )
}

/// `name,kind,start,min,max,c_end,r_end`: what OpenBench takes in its form.
fn spsa(def: &ParameterDef) -> String {
    let ParameterDef { name, kind, start, min, max, c_end, r_end } = def;
    let kind = kind.name();
    format!("{name},{kind},{start},{min},{max},{c_end},{r_end}")
}
