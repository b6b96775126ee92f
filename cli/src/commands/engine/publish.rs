//! `elomill engine publish`: an engine of this machine is made known to a coordinator, for its runs.

use crate::client::Control;
use crate::commands::params::external;
use crate::endpoint::CoordinatorArgs;
use crate::jail::guard;
use crate::output::{hinted, is_watched, json, line, say};
use arena::duel::declared;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use worker::shelf::{Engine, Shelf, policy_of};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A name that is kept, or a manifest, which is added first
    #[arg(value_name = "NAME|FILE")]
    engine: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Args {
    /// # Errors
    /// There is no such engine, it does not start, or the coordinator does not take it.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let locator = self.coordinator.locator()?;
        let shelf = Shelf::at(&locator.folder().engines());
        let path = Path::new(&self.engine);
        let is_file = self.engine.contains('/') || path.extension().is_some_and(|e| e == "toml");
        let engine = if is_file {
            shelf.add(path, &guard()?, &|text| say(text))?
        } else {
            shelf.find(&self.engine)?
        };
        let parameters = numbers(&engine)?;
        let artefact = shelf.artefact(&engine)?;
        let mut control = Control::connect(&locator).await?;
        let bar = match is_watched() && !self.json {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4)),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes}") {
            bar.set_style(style);
        }
        let was_there = control.publish(&artefact, &parameters, &bar).await?;
        bar.finish_and_clear();
        let name = &engine.file.name;
        if self.json {
            json(&serde_json::json!({
                "name": name,
                "game": engine.file.game,
                "artefact": artefact.engine.artefact,
                "bytes": artefact.engine.bytes,
                "parameters": parameters.len(),
                "was_there": was_there,
            }))?;
        } else {
            line(&artefact.engine.artefact)?;
            say(format_args!(
                "{name} is published with {} parameters; a run plays it with `engine = \"{name}\"`",
                parameters.len()
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Every number that the engine declares, whether it should be tuned or not.
fn numbers(engine: &Engine) -> anyhow::Result<Vec<model::ParameterDef>> {
    let mut program = engine.program();
    let policy = policy_of(&engine.file);
    // As long as the program runs.
    let _jail = guard()?.shut_in([(&mut program, &policy)])?;
    let stop = AtomicBool::new(false);
    let (_, options) = declared(&program, engine.file.game, &stop)
        .map_err(|error| hinted(error, format!("elomill engine check {}", engine.file.name)))?;
    Ok(options.iter().filter_map(external::number).collect())
}
