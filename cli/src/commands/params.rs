//! `elomill params`: every tunable constant of the built-in engine, or of a program that declares its
//! own as options, in forms that others read, and lists of others from one form into another; and the
//! way back, from an accepted set into the sources.

mod apply;
mod convert;
pub(crate) mod external;
mod suggest;

use crate::commands::engine::Which;
use crate::data_dir::DataDirArgs;
use crate::output::{json, line};
use crate::tables::{Column, number, table};
use clap::ValueEnum;
use engine::TunableDef;
use engine::tunables::Group;
use model::exchange::Dialect;
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
    #[arg(long, required_unless_present = "engine")]
    game: Option<GameKind>,
    /// Of a program in place of the engine built in: a name that `elomill engine` keeps, or words as
    /// cmd=PATH args="…"; its numbers are the options that it declares
    #[arg(long, num_args = 1.., value_name = "NAME|WORDS", conflicts_with = "group")]
    engine: Vec<String>,
    #[command(flatten)]
    folder: DataDirArgs,
    /// Only these groups: aspiration, lmr, pruning, extension, history, time, eval
    #[arg(long, value_delimiter = ',', value_parser = group)]
    group: Vec<Group>,
    /// For people, for run files (toml), for OpenBench (spsa), for fishtest, for scripts (json)
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
    #[value(alias = "openbench")]
    Spsa,
    Fishtest,
    Json,
}

impl Args {
    /// # Errors
    /// The list cannot be written, or not be read.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let format = if self.json { Format::Json } else { self.format };
        if !self.engine.is_empty() {
            let game = self.game.unwrap_or(GameKind::Chess);
            let which = Which { engine: self.engine, game, folder: self.folder };
            return print(&external::parameters(&which)?, format);
        }
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
        match format {
            Format::Table => line(people(&definitions))?,
            Format::Toml => {
                line(format_args!("# Parameters of the built-in engine, for {game}"))?;
                for def in definitions {
                    line(toml(def))?;
                }
            }
            Format::Spsa | Format::Fishtest => {
                let all: Vec<_> = definitions.into_iter().map(ParameterDef::from).collect();
                return print(&all, format);
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

/// Parameters of which no more is known than their numbers.
fn print(parameters: &[ParameterDef], format: Format) -> anyhow::Result<ExitCode> {
    match format {
        Format::Table => {
            use Column::{Number, Text};
            let columns =
                [Text("parameter"), Number("start"), Number("min"), Number("max"), Number("c_end")];
            let row = |def: &ParameterDef| {
                let numbers = [def.start, def.min, def.max, def.c_end].map(number);
                std::iter::once(def.name.clone()).chain(numbers).collect()
            };
            line(table(&columns, &parameters.iter().map(row).collect::<Vec<Vec<_>>>()))?;
        }
        Format::Toml => {
            let tables: Vec<_> = parameters.iter().map(toml_table).collect();
            line(tables.join("\n\n"))?;
        }
        Format::Spsa => parameters.iter().try_for_each(|def| line(spsa(def)))?,
        Format::Fishtest => convert::print(parameters, Dialect::Fishtest)?,
        Format::Json => parameters.iter().try_for_each(json)?,
    }
    Ok(ExitCode::SUCCESS)
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
