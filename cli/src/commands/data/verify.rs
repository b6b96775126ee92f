//! `elomill data verify`: whether the games of a folder are what they are said to be. Every file is
//! compared with its hash, every game with the rules and the recipe, and some games are played again.

use super::folder::{Folder, read_network};
use crate::books::{Book, Format};
use crate::local_match::stop_flag;
use crate::output::{hinted, json, line};
use anyhow::Context;
use data::{Generator, Shard, audit, play_again};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder
    path: PathBuf,
    /// Games that are played again, evenly chosen
    #[arg(long, value_name = "N", default_value_t = 20)]
    replay: u64,
    /// The openings that the games were made from [default: the book built in]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// The network that the games were made with
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The first thing that is not so.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let folder = Folder::open(&self.path)?;
        let recipe = &folder.manifest.recipe;
        let stop = stop_flag()?;
        let mut generator = if self.replay > 0 { Some(self.generator(&folder)?) } else { None };
        let every = folder.manifest.games().div_ceil(self.replay.max(1)).max(1);
        let mut replayed = 0_u64;
        for entry in &folder.manifest.shards {
            let shard: Shard = folder.read(entry)?;
            let name = || format!("shard {}", entry.sha256);
            audit(recipe, &shard).with_context(name)?;
            let Some(generator) = &mut generator else { continue };
            for game in shard.games.iter().filter(|game| game.index.is_multiple_of(every)) {
                if !play_again(generator, game, &stop).with_context(name)? {
                    anyhow::bail!("ended before the last file; nothing was found so far");
                }
                replayed += 1;
            }
        }
        let counts = folder.manifest.counts();
        if self.json {
            json(&serde_json::json!({ "counts": counts, "replayed": replayed }))?;
        } else {
            line(format_args!(
                "{} games of {} files are as the rules and the recipe want them; {replayed} of them \
                 were played again and are the same",
                counts.games,
                folder.manifest.shards.len()
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn generator(&self, folder: &Folder) -> anyhow::Result<Generator> {
        let recipe = &folder.manifest.recipe;
        let book = match &self.book {
            None => Book::builtin(recipe.game),
            Some(path) => Book::read(recipe.game, path, Some(Format::Epd), None)?,
        };
        if book.sha256 != recipe.book {
            let what = format_args!("the games are from another book, {}", recipe.book);
            return Err(hinted(what, "name it with --book, or --replay 0 plays nothing again"));
        }
        let bench = engine::bench::bench(recipe.game);
        if bench != recipe.engine {
            let what = format_args!(
                "the games are of another engine: its bench signature is {}, that of this one {bench}",
                recipe.engine
            );
            return Err(hinted(what, "--replay 0 compares them with the rules alone"));
        }
        let network = self.network.as_deref().map(read_network).transpose()?;
        let network = network.map(|(_, network)| network);
        Ok(Generator::new(recipe, &book.positions().into(), network.as_ref())?)
    }
}
