//! `elomill data generate`: plays games of a recipe into a folder, in the order of their numbers, whoever
//! finishes first.

use super::folder::{Folder, read_network};
use crate::books::{Book, Format};
use crate::interrupt::Interrupt;
use crate::output::{hinted, json, line, say};
use data::{Filters, Generator, MOST_GAMES, Played, Recipe, Shard, Verdicts};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{GameKind, Nodes, ParameterSet};
use net::Network;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

/// Table of the engine.
const HASH_KIB: u32 = 2048;

/// Exit status when it was ended before its last game.
const UNFINISHED: u8 = 4;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is played
    #[arg(long)]
    game: GameKind,
    /// The folder that the games go to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Games of the folder in the end
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Ends before the last game once the folder has so many positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Nodes for each move
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Fewest half-moves played at random after the opening
    #[arg(long, value_name = "N", default_value_t = 2)]
    random_least: u32,
    /// Most half-moves played at random after the opening
    #[arg(long, value_name = "N", default_value_t = 6)]
    random_most: u32,
    /// Longer games are drawn
    #[arg(long, value_name = "PLIES", default_value_t = 300)]
    max_plies: u32,
    /// A network that the engine evaluates with [default: its own evaluation]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Openings, one position a line [default: the book built in]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Of openings and random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time [default: one for each processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Games of a file; what is not in a file yet is lost when the machine fails
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_GAMES)))]
    shard: u32,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The folder holds other games, or cannot be written; the book or the network cannot be read.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let book = match &self.book {
            None => Book::builtin(self.game),
            Some(path) => Book::read(self.game, path, Some(Format::Epd), None)?,
        };
        let network = self.network.as_deref().map(read_network).transpose()?;
        let recipe = self.recipe(&book, network.as_ref().map(|(name, _)| name.clone()));
        recipe.check().map_err(|error| {
            hinted(error, "elomill data generate --help names the ranges of its options")
        })?;
        let network = network.map(|(_, network)| network);
        // Before the first file stands: the first Ctrl-C lets games end, the second ends them.
        let flags = flags()?;
        let mut folder = Folder::go_on(&self.out, &recipe)?;
        let openings: Arc<[String]> = book.positions().into();
        // Refused before anything is played.
        drop(Generator::new(&recipe, &openings, network.as_ref())?);
        let is_complete = self.play(&mut folder, &openings, network.as_ref(), flags)?;
        let counts = folder.manifest.counts();
        if !is_complete {
            say(format_args!("ended; the same command goes on from game {}", counts.games));
        }
        if self.json {
            json(&serde_json::json!({ "complete": is_complete, "counts": counts }))?;
        } else {
            line(format_args!(
                "{}: {} games, {} positions of {} half-moves",
                folder.path().display(),
                counts.games,
                counts.positions,
                counts.plies
            ))?;
        }
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(UNFINISHED) })
    }

    fn recipe(&self, book: &Book, network: Option<String>) -> Recipe {
        Recipe {
            game: self.game,
            engine: engine::bench::bench(self.game),
            parameters: ParameterSet::default(),
            network,
            book: book.sha256.clone(),
            nodes: Nodes(self.nodes),
            hash_kib: HASH_KIB,
            random_plies: [self.random_least, self.random_most],
            max_plies: self.max_plies,
            verdicts: Verdicts::default(),
            filters: Filters::default(),
            seed: self.seed,
        }
    }

    /// Plays what is missing; whether all was played.
    fn play(
        &self,
        folder: &mut Folder,
        openings: &Arc<[String]>,
        network: Option<&Arc<Network>>,
        (finish, hurry): Flags,
    ) -> anyhow::Result<bool> {
        let recipe = folder.manifest.recipe.clone();
        let counts = folder.manifest.counts();
        let enough = |positions: u64| self.positions.is_some_and(|most| positions >= most);
        if counts.games >= self.games || enough(counts.positions) {
            return Ok(true);
        }
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let bar = self.bar(counts.games, counts.positions);
        let next = AtomicU64::new(counts.games);
        let (sender, receiver) = mpsc::sync_channel(4 * threads);
        let mut positions = counts.positions;
        let mut due = counts.games;
        let mut ready: Vec<Played> = Vec::new();
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next, recipe) = (sender.clone(), &next, &recipe);
                let (finish, hurry) = (&finish, &hurry);
                scope.spawn(move || {
                    let mut generator = match Generator::new(recipe, openings, network) {
                        Ok(generator) => generator,
                        Err(error) => return drop(sender.send((0, Err(error)))),
                    };
                    // Relaxed: the flags carry no data.
                    while !finish.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= self.games {
                            break;
                        }
                        let played = match generator.play(index, hurry) {
                            Ok(Some(played)) => Ok(played),
                            Ok(None) => break,
                            Err(error) => Err(error),
                        };
                        if sender.send((index, played)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            for (index, played) in receiver {
                let played = match played {
                    Ok(played) => played,
                    Err(error) => {
                        failure = Some(anyhow::Error::from(error));
                        break;
                    }
                };
                waiting.insert(index, played);
                while let Some(played) = waiting.remove(&due) {
                    due += 1;
                    positions += played.game.positions();
                    bar.set_position(if self.positions.is_some() { positions } else { due });
                    ready.push(played);
                    if ready.len() as u32 >= self.shard {
                        let games = std::mem::take(&mut ready);
                        let first = due - games.len() as u64;
                        if let Err(error) = folder.add(&Shard::new(&recipe, first, games)) {
                            failure = Some(error);
                            break;
                        }
                    }
                }
                if failure.is_some() {
                    break;
                }
                if enough(positions) {
                    finish.store(true, Ordering::Relaxed);
                }
            }
            // Whoever still plays ends, and finds nobody to tell.
            finish.store(true, Ordering::Relaxed);
        });
        bar.finish_and_clear();
        if let Some(error) = failure {
            return Err(error);
        }
        if !ready.is_empty() {
            let first = due - ready.len() as u64;
            folder.add(&Shard::new(&recipe, first, ready))?;
        }
        let counts = folder.manifest.counts();
        Ok(counts.games >= self.games || enough(positions))
    }

    fn bar(&self, games: u64, positions: u64) -> ProgressBar {
        let (of, now, unit) = match self.positions {
            Some(most) => (most, positions, "positions"),
            None => (self.games, games, "games"),
        };
        let bar = ProgressBar::with_draw_target(Some(of), ProgressDrawTarget::stderr_with_hz(4));
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{per_sec}}  {{eta}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.set_position(now);
        bar.reset_eta();
        bar
    }
}

/// Raised by the first Ctrl-C and by the second.
type Flags = (Arc<AtomicBool>, Arc<AtomicBool>);

/// Listens from now on.
fn flags() -> anyhow::Result<Flags> {
    let flags = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let interrupt = Interrupt::listen()?;
    let (finish, hurry) = flags.clone();
    tokio::spawn(async move {
        interrupt.finish.cancelled().await;
        finish.store(true, Ordering::Relaxed);
        interrupt.hurry.cancelled().await;
        hurry.store(true, Ordering::Relaxed);
    });
    Ok(flags)
}
