//! Plays a match: a thread for each game at a time, and one place where finished pairs come
//! together.

use super::journal::Journal;
use super::standing::{Live, Standing};
use super::{Order, Plan};
use crate::interrupt::Interrupt;
use crate::output::{hinted, say};
use arena::duel::{DuelError, DuelPair, DuelPlayer};
use coordinator::dispatch::openings::Openings;
use model::lease::{Opening, PairIndex, PairRange};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often the display is renewed while nothing comes.
const TICK: Duration = Duration::from_millis(500);

/// Pairs on their way from the threads; few, for they are taken at once.
const QUEUE: usize = 64;

/// A match that is over.
pub(super) struct Done {
    pub(super) standing: Standing,
    pub(super) is_complete: bool,
    pub(super) seconds: f64,
}

/// What the threads share.
struct Table {
    /// Hands out what nobody has taken yet.
    dealer: Mutex<Dealer>,
    /// No pair is begun any more.
    closing: AtomicBool,
    /// What is being played is abandoned.
    stop: AtomicBool,
}

impl Table {
    fn next(&self) -> Option<Opening> {
        // Relaxed: the flag carries no data.
        if self.closing.load(Ordering::Relaxed) {
            return None;
        }
        self.dealer.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn close(&self, abandon: bool) {
        self.closing.store(true, Ordering::Relaxed);
        if abandon {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Plays what is left of a match, to its end, its verdict or the second Ctrl-C.
///
/// # Errors
/// An engine does not start, or a file cannot be written.
pub(super) async fn play(
    plan: &Plan,
    mut journal: Journal,
    interrupt: &Interrupt,
) -> anyhow::Result<Done> {
    let mut standing = Standing::default();
    for pair in std::mem::take(&mut journal.pairs) {
        standing.add(&pair);
    }
    if standing.pairs() > 0 {
        say(format_args!("going on after {} pairs", standing.pairs()));
    }
    let table = Arc::new(Table {
        dealer: Mutex::new(Dealer::new(plan, standing.played.clone())),
        closing: AtomicBool::new(standing.decision(plan.sprt.as_ref()).is_some()),
        stop: AtomicBool::new(false),
    });
    let (sender, mut finished) = mpsc::channel(QUEUE);
    let began = Instant::now();
    let threads: Vec<_> = (0..plan.concurrency)
        .map(|_| {
            let (table, sender, duel) = (Arc::clone(&table), sender.clone(), plan.duel.clone());
            std::thread::spawn(move || sit(&duel, &table, &sender))
        })
        .collect();
    drop(sender);
    let mut live = Live::new(plan, &standing);
    let mut failure = None;
    let (mut finishing, mut hurrying) = (false, false);
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            message = finished.recv() => match message {
                None => break,
                Some(Ok(pair)) => {
                    // What was under way when the test ended does not count: long games would be
                    // missing among the rest.
                    if standing.decision(plan.sprt.as_ref()).is_some() {
                        continue;
                    }
                    if let Err(error) = journal.add(&pair) {
                        failure = failure.or(Some(error));
                        table.close(true);
                    }
                    for note in standing.add(&pair) {
                        live.note(&format!("{}: {note}", plan.duel.entrants[note.at].name));
                    }
                    live.update(plan, &standing, began.elapsed());
                    if let Some((at, count)) = standing.broken(plan.max_failures) {
                        let name = &plan.duel.entrants[at].name;
                        let what = format!("{name} has lost {count} games by a failure");
                        let hint = "see what it said above, or raise --max-failures; with --file, the \
                                    same command goes on";
                        failure = failure.or_else(|| Some(hinted(what, hint)));
                        table.close(true);
                    }
                    if standing.decision(plan.sprt.as_ref()).is_some() {
                        table.close(true);
                    }
                }
                Some(Err(error)) => {
                    failure = failure.or(Some(error.into()));
                    table.close(true);
                }
            },
            () = interrupt.finish.cancelled(), if !finishing => {
                finishing = true;
                live.note("finishing the pairs under way; Ctrl-C again abandons them");
                table.close(false);
            }
            () = interrupt.hurry.cancelled(), if !hurrying => {
                hurrying = true;
                table.close(true);
            }
            _ = tick.tick() => live.update(plan, &standing, began.elapsed()),
        }
    }
    live.close();
    for thread in threads {
        if thread.join().is_err() {
            failure = failure.or_else(|| Some(anyhow::anyhow!("a thread of the match broke down")));
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    let is_complete = standing.pairs() >= plan.pairs;
    Ok(Done { standing, is_complete, seconds: began.elapsed().as_secs_f64() })
}

/// Deals the openings of the pairs that are not played yet.
struct Dealer {
    next: u64,
    end: u64,
    /// Openings that are passed over.
    skipped: u64,
    played: BTreeSet<u64>,
    positions: Arc<[String]>,
    /// The order of the book; `None`: as it stands.
    book: Option<Openings>,
}

impl Dealer {
    fn new(plan: &Plan, played: BTreeSet<u64>) -> Self {
        let positions: Arc<[String]> = plan.positions.clone().into();
        let book = match plan.order {
            Order::Random => Some(Openings::new(Arc::clone(&positions), plan.seed)),
            Order::Sequential => None,
        };
        Self { next: 0, end: plan.pairs, skipped: plan.skipped, played, positions, book }
    }

    fn next(&mut self) -> Option<Opening> {
        while self.played.contains(&self.next) {
            self.next += 1;
        }
        let index = PairIndex(self.next);
        if index.0 >= self.end {
            return None;
        }
        self.next += 1;
        let place = PairIndex(index.0 + self.skipped);
        let position = match &mut self.book {
            Some(book) => book.of(PairRange { first: place, count: 1 }).pop()?.position,
            None => {
                let place = usize::try_from(place.0).ok()? % self.positions.len();
                self.positions[place].clone()
            }
        };
        Some(Opening { index, position })
    }
}

/// One place at which games are played.
fn sit(
    duel: &arena::duel::Duel,
    table: &Table,
    finished: &mpsc::Sender<Result<DuelPair, DuelError>>,
) {
    let play = || -> Result<(), DuelError> {
        let mut player = DuelPlayer::new(duel)?;
        while let Some(opening) = table.next() {
            let Some(pair) = player.play(&opening, &table.stop)? else { break };
            if finished.blocking_send(Ok(pair)).is_err() {
                break;
            }
        }
        Ok(())
    };
    if let Err(error) = play() {
        // A closed channel means that the match is over.
        let _ = finished.blocking_send(Err(error));
    }
}
