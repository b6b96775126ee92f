//! `elomill engine`: the engines of others that this machine keeps, and whether they are sound.

mod check;
mod publish;

pub(crate) use check::Which;

use crate::client::Control;
use crate::convert::PublishedEngine;
use crate::data_dir::DataDirArgs;
use crate::endpoint::{CoordinatorArgs, Locator};
use crate::jail::guard;
use crate::output::{json, line, say};
use crate::tables::{Column, table};
use serde_json::{Value, json as object};
use std::path::PathBuf;
use std::process::ExitCode;
use worker::shelf::{Engine, Shelf};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Builds or copies what a manifest describes and keeps it under its name
    #[command(after_help = MANIFEST)]
    Add {
        /// The manifest, a TOML file as below
        file: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        folder: DataDirArgs,
    },
    /// Makes an engine known to the coordinator: runs play it with `engine = "NAME"`
    #[command(long_about = PUBLISH)]
    Publish(publish::Args),
    /// Lists what is kept here, and what the coordinator knows
    List {
        /// Print one JSON object an engine
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        coordinator: CoordinatorArgs,
    },
    /// Forgets a name
    Remove {
        /// The name
        name: String,
        #[command(flatten)]
        folder: DataDirArgs,
    },
    /// Looks an engine over: its protocol, its options, whether it answers alike, its speed
    Check(check::Args),
}

const PUBLISH: &str = "\
Makes an engine known to the coordinator: runs play it with `engine = \"NAME\"`

A program that is ready (`file`) is sent as it is; of a folder or a commit the source is sent, packed \
by this machine, and every worker builds it in its sandbox, once. The engine's numbers are sent with \
it: they are the parameters of its runs. Publishing a name again gives it to the new content; runs \
that were filed keep what they were filed with.";

const MANIFEST: &str = "\
A manifest:
  name = \"my-engine\"
  game = \"chess\"
  protocol = \"uci\"                  # or ucci, usi, xboard
  arguments = \"\"                    # behind its command
  threads = 1
  memory = 1024                     # MiB beside its hash table
  processes = \"one\"                 # or many, for a script around an engine
  [build]                           # one of three sources:
  file = \"my-engine\"                #   a program that is ready,
  sha256 = \"<64 digits>\"            #   and the hash that it must have
  # git = \"https://…\"               #   a commit of a repository
  # commit = \"<40 digits>\"
  # folder = \"../my-engine\"         #   a folder of this machine
  # command = [\"make\", \"-C\", \"src\"] #   how both are built, in the sandbox
  # result = \"src/my-engine\"        #   what comes out
  [options]
  Hash = 16
  [bench]                           # by which the build is recognised
  arguments = \"bench\"
  signature = 1234567";

impl Args {
    /// # Errors
    /// As the subcommand.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Add { file, json: as_json, folder } => {
                let shelf = Shelf::at(&folder.resolve()?.engines());
                let engine = shelf.add(&file, &guard()?, &|text| say(text))?;
                if as_json {
                    json(&described(&engine))?;
                } else {
                    line(&engine.kept.sha256)?;
                    let name = &engine.file.name;
                    say(format_args!("{name} is kept; look it over: elomill engine check {name}"));
                }
                Ok(ExitCode::SUCCESS)
            }
            What::Publish(args) => args.run().await,
            What::List { json: as_json, coordinator } => {
                let locator = coordinator.locator()?;
                let engines = Shelf::at(&locator.folder().engines()).list()?;
                let published = published(&locator).await;
                if as_json {
                    engines.iter().try_for_each(|engine| json(&described(engine)))?;
                    published.iter().try_for_each(|engine| json(&described_there(engine)))?;
                    return Ok(ExitCode::SUCCESS);
                }
                if engines.is_empty() && published.is_empty() {
                    say("no engine is kept; elomill engine add FILE takes one in");
                }
                if !engines.is_empty() {
                    line(listing(&engines))?;
                }
                if !published.is_empty() {
                    line(listing_there(&published))?;
                }
                Ok(ExitCode::SUCCESS)
            }
            What::Remove { name, folder } => {
                Shelf::at(&folder.resolve()?.engines()).remove(&name)?;
                Ok(ExitCode::SUCCESS)
            }
            What::Check(args) => args.run(),
        }
    }
}

/// What the coordinator knows. Without one there is what is here.
async fn published(locator: &Locator) -> Vec<PublishedEngine> {
    if locator.url().is_err() {
        return Vec::new();
    }
    let asked = async { Control::connect(locator).await?.engines().await };
    asked.await.unwrap_or_else(|error| {
        say(format_args!("what is published is not known: {error:#}"));
        Vec::new()
    })
}

fn described(engine: &Engine) -> Value {
    object!({
        "where": "here",
        "name": engine.file.name,
        "game": engine.file.game,
        "protocol": engine.file.protocol.name(),
        "sha256": engine.kept.sha256,
        "bytes": engine.kept.bytes,
        "added": engine.kept.added,
        "threads": engine.file.threads,
        "memory_mib": engine.file.memory_mib,
        "options": engine.file.options.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "signature": engine.file.bench.as_ref().map(|bench| bench.signature),
    })
}

fn described_there(engine: &PublishedEngine) -> Value {
    let known = &engine.known;
    object!({
        "where": "coordinator",
        "name": known.name,
        "game": engine.game,
        "artefact": known.engine.artefact,
        "bytes": known.engine.bytes,
        "parameters": known.parameters.len(),
        "owner": engine.owner,
        "published_at_unix_ms": engine.published_at_unix_ms,
    })
}

fn listing_there(engines: &[PublishedEngine]) -> String {
    use Column::{Number, Text};
    let columns = [
        Text("published"),
        Text("game"),
        Number("parameters"),
        Number("MiB"),
        Text("owner"),
        Text("artefact"),
    ];
    let rows: Vec<_> = engines
        .iter()
        .map(|PublishedEngine { game, known, owner, .. }| {
            vec![
                known.name.clone(),
                game.to_string(),
                known.parameters.len().to_string(),
                format!("{:.1}", known.engine.bytes as f64 / f64::from(1 << 20)),
                owner.clone(),
                known.engine.artefact.chars().take(16).collect(),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn listing(engines: &[Engine]) -> String {
    use Column::{Number, Text};
    let columns = [
        Text("name"),
        Text("game"),
        Text("protocol"),
        Number("threads"),
        Number("memory MiB"),
        Number("program MiB"),
        Number("signature"),
        Text("sha256"),
    ];
    let rows: Vec<_> = engines
        .iter()
        .map(|Engine { file, kept, .. }| {
            let signature = file.bench.as_ref().map(|bench| bench.signature.to_string());
            vec![
                file.name.clone(),
                file.game.to_string(),
                file.protocol.name().to_owned(),
                file.threads.to_string(),
                file.memory_mib.to_string(),
                format!("{:.1}", kept.bytes as f64 / f64::from(1 << 20)),
                signature.unwrap_or_else(|| "-".to_owned()),
                kept.sha256.chars().take(16).collect(),
            ]
        })
        .collect();
    table(&columns, &rows)
}
