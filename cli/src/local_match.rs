//! A match of two parameter sets on this machine, without a cluster: what the commands that compare
//! sets of the engine play.

use crate::books::Book;
use crate::interrupt::Interrupt;
use arena::{Matchup, PairPlayer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::file::BookChoice;
use model::lease::{Opening, PairIndex};
use model::spec::GameLimit;
use model::{GameKind, Nodes, PairOutcome, ParameterSet, Ply, Tally};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer games are drawn.
const MOST_PLIES: Ply = Ply(300);
/// Table of each player.
const HASH_KIB: u32 = 4096;

/// How such matches are played.
#[derive(Debug, clap::Args)]
pub(crate) struct MatchArgs {
    /// Nodes for each move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: u64,
    /// Games at a time [default: one for each processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Openings, one position a line [default: the book built in]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// The first opening of the book that is played
    #[arg(long, default_value_t = 0)]
    first_opening: usize,
}

/// Raised by the first Ctrl-C.
///
/// # Errors
/// As [`Interrupt::listen`].
pub(crate) fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let interrupt = Interrupt::listen()?;
    tokio::spawn(async move {
        interrupt.finish.cancelled().await;
        // Relaxed: the flag carries no data.
        raised.store(true, Ordering::Relaxed);
    });
    Ok(stop)
}

impl MatchArgs {
    /// The openings of the matches.
    ///
    /// # Errors
    /// The book cannot be read, or is none of this game.
    pub(crate) fn openings(&self, game: GameKind) -> anyhow::Result<Vec<String>> {
        let choice = match &self.book {
            Some(path) => BookChoice::File(path.display().to_string()),
            None => BookChoice::Builtin,
        };
        Ok(Book::open(&choice, game, Path::new(""))?.positions())
    }

    /// So many pairs between two sets, with a bar of this label; what was finished when `stop` was
    /// raised, else all. The result is from the view of `first`.
    ///
    /// # Errors
    /// A set or an opening that the engine does not take.
    pub(crate) fn play(
        &self,
        game: GameKind,
        [first, second]: [&ParameterSet; 2],
        pairs: usize,
        openings: &[String],
        label: &str,
        stop: &AtomicBool,
    ) -> anyhow::Result<Tally> {
        let limit = GameLimit::new(Nodes(self.nodes), MOST_PLIES, HASH_KIB);
        let matchup = Matchup::new(game, limit, first, second)?;
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let bar = ProgressBar::with_draw_target(
            Some(pairs as u64),
            ProgressDrawTarget::stderr_with_hz(4),
        );
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} pairs {eta}") {
            bar.set_style(style);
        }
        bar.set_message(label.to_owned());
        let next = AtomicUsize::new(0);
        let outcomes: Mutex<Vec<PairOutcome>> = Mutex::new(Vec::new());
        let failure: Mutex<Option<arena::ArenaError>> = Mutex::new(None);
        let slot = || {
            let mut player = PairPlayer::new(game, HASH_KIB);
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= pairs {
                    return;
                }
                let position = openings[(self.first_opening + index) % openings.len()].clone();
                let opening = Opening { index: PairIndex(index as u64), position };
                match player.play(&matchup, &opening, stop) {
                    Ok(Some(pair)) => {
                        outcomes
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(pair.outcome());
                        bar.inc(1);
                    }
                    Ok(None) => return,
                    Err(error) => {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(slot);
            }
        });
        bar.finish_and_clear();
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.into());
        }
        let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(outcomes.into_iter().collect())
    }
}
