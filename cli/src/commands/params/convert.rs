//! `elomill params convert`: a list of parameters from one form into another, so that the tunes of
//! other testing servers can be run here and the other way round.

use crate::filing;
use crate::output::{hinted, json, line, say};
use anyhow::Context;
use clap::ValueEnum;
use model::FindingList;
use model::exchange::Dialect;
use model::spec::Job;
use model::{ParameterDef, ParameterKind};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The list; `-` is stdin
    file: PathBuf,
    /// What the file has: lines of one of the two servers, or a run file of Elomill
    #[arg(long, value_enum)]
    from: Form,
    /// What to print
    #[arg(long, value_enum, default_value_t = Form::Toml)]
    to: Form,
    /// One JSON object a line in place of --to
    #[arg(long, conflicts_with = "to")]
    json: bool,
}

/// A form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// name,start,min,max,c_end,r_end
    Fishtest,
    /// name, int|float, value, min, max, c_end, r_end
    Openbench,
    /// A tune of Elomill, its [[parameter]] tables
    Toml,
}

impl Args {
    /// # Errors
    /// The file cannot be read or has mistakes, or the other form has no word for a parameter.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let parameters = match self.from {
            Form::Fishtest => lines(&self.file, Dialect::Fishtest)?,
            Form::Openbench => lines(&self.file, Dialect::OpenBench)?,
            Form::Toml => tune(&self.file)?,
        };
        if self.json {
            parameters.iter().try_for_each(json)?;
            return Ok(ExitCode::SUCCESS);
        }
        match self.to {
            Form::Fishtest => print(&parameters, Dialect::Fishtest)?,
            Form::Openbench => print(&parameters, Dialect::OpenBench)?,
            Form::Toml => {
                let tables: Vec<_> = parameters.iter().map(super::toml_table).collect();
                line(tables.join("\n\n"))?;
            }
        }
        if let (Form::Fishtest | Form::Openbench, Form::Toml) = (self.from, self.to) {
            let name = if self.from == Form::Fishtest { "fishtest" } else { "openbench" };
            say(format_args!("for the gains of that server write gains = \"{name}\" below [tune]"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn lines(path: &Path, dialect: Dialect) -> anyhow::Result<Vec<ParameterDef>> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
        text
    } else {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
    };
    dialect.parse(&text).map_err(|FindingList(findings)| filing::refused(path, &findings))
}

fn tune(path: &Path) -> anyhow::Result<Vec<ParameterDef>> {
    let file = filing::read(path)?;
    match filing::resolve(path, &file, Vec::new())?.0.job {
        Job::Tune(tune) if !tune.constraints.is_empty() => Err(hinted(
            format_args!("{} has constraints, for which no other form has a word", path.display()),
            "take the [[constraint]] tables out of a copy of the file, and convert that",
        )),
        Job::Tune(tune) => Ok(tune.parameters),
        Job::Test(_) | Job::Race(_) => Err(hinted(
            format_args!("{} describes a test", path.display()),
            "only a tune has parameters that move",
        )),
    }
}

pub(super) fn print(parameters: &[ParameterDef], dialect: Dialect) -> anyhow::Result<()> {
    let one = |parameter: &ParameterDef| {
        dialect.line(parameter).ok_or_else(|| {
            let name = &parameter.name;
            hinted(
                match (parameter.kind, dialect) {
                    (ParameterKind::Float, Dialect::Fishtest) => {
                        format!("`{name}` is a float, and fishtest has whole numbers only")
                    }
                    (kind, _) => {
                        format!(
                            "`{name}` is a {} parameter, for which no server has a word",
                            kind.name()
                        )
                    }
                },
                match parameter.kind {
                    ParameterKind::Float => "scale it in the engine, or convert to openbench",
                    _ => "take it out of the list, or keep to --to toml",
                },
            )
        })
    };
    // All or nothing: a list that lacks a parameter would tune another engine.
    let lines = parameters.iter().map(one).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(line(lines.join("\n"))?)
}
