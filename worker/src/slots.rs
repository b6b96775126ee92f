//! One thread for each game that is played at a time.
//!
//! A slot takes one pair, plays it with engines of its own and hands the record back. A panic inside
//! a game costs that pair only: the engines are made anew and the fault is handed back like an error.

use crate::WorkerError;
use crate::contest::{Contest, Refused};
use crate::holdings::LeaseKey;
use crate::tables::Tables;
use arena::PairPlayer;
use model::Nodes;
use model::lease::{Opening, PairRecord};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::mpsc as async_mpsc;

/// One pair to play.
pub(crate) struct PairJob {
    pub(crate) key: LeaseKey,
    pub(crate) contest: Arc<Contest>,
    pub(crate) opening: Opening,
    /// Raised when the pair can no longer count.
    pub(crate) stop: Arc<AtomicBool>,
}

/// What became of a pair.
#[derive(Debug)]
pub(crate) enum PairEnd {
    Played(PairRecord),
    Stopped,
    Failed(Refused),
}

/// A slot is free again.
#[derive(Debug)]
pub(crate) struct SlotDone {
    pub(crate) slot: usize,
    pub(crate) key: LeaseKey,
    pub(crate) end: PairEnd,
    pub(crate) elapsed: Duration,
}

struct Slot {
    jobs: mpsc::SyncSender<PairJob>,
    thread: JoinHandle<()>,
    busy: bool,
    /// Speed of its last pair.
    nodes_per_second: u64,
}

/// All slots of a worker.
pub(crate) struct Slots {
    slots: Vec<Slot>,
}

impl Slots {
    /// Starts the threads, each of which keeps programs of so many MiB running that it has no game for.
    /// Results come through the receiver: at most one waits for each slot, so
    /// that its bound never holds a slot up.
    pub(crate) fn start(
        count: u32,
        nice: Option<i32>,
        most_idle_mib: u64,
    ) -> Result<(Self, async_mpsc::Receiver<SlotDone>), WorkerError> {
        let (done, results) = async_mpsc::channel(count.max(1) as usize);
        let mut slots = Vec::new();
        for slot in 0..count as usize {
            let (jobs, inbox) = mpsc::sync_channel(1);
            let done = done.clone();
            let thread = thread::Builder::new()
                .name(format!("slot-{slot}"))
                .spawn(move || {
                    if let Some(level) = nice {
                        be_nice(level);
                    }
                    serve(slot, &inbox, &done, most_idle_mib);
                })
                .map_err(|source| WorkerError::Thread { slot, source })?;
            slots.push(Slot { jobs, thread, busy: false, nodes_per_second: 0 });
        }
        Ok((Self { slots }, results))
    }

    pub(crate) fn count(&self) -> u32 {
        self.slots.len() as u32
    }

    pub(crate) fn playing(&self) -> u32 {
        self.slots.iter().filter(|slot| slot.busy).count() as u32
    }

    pub(crate) fn free(&self) -> Option<usize> {
        self.slots.iter().position(|slot| !slot.busy)
    }

    /// Nodes per second of the playing slots together, each by its last pair.
    pub(crate) fn nodes_per_second(&self) -> Nodes {
        Nodes(self.slots.iter().filter(|s| s.busy).map(|s| s.nodes_per_second).sum())
    }

    /// Gives a free slot a pair.
    pub(crate) fn play(&mut self, slot: usize, job: PairJob) {
        let slot = &mut self.slots[slot];
        debug_assert!(!slot.busy, "a slot plays one pair at a time");
        slot.busy = true;
        // A slot thread ends only with this sender: its inbox of one is empty and open here.
        let _ = slot.jobs.try_send(job);
    }

    /// Notes that a slot is free again.
    pub(crate) fn note(&mut self, done: &SlotDone) {
        let slot = &mut self.slots[done.slot];
        slot.busy = false;
        if let PairEnd::Played(pair) = &done.end {
            let nodes = (pair.candidate_first.nodes + pair.base_first.nodes).0;
            slot.nodes_per_second = (nodes as f64 / done.elapsed.as_secs_f64().max(1e-6)) as u64;
        }
    }

    /// Ends the threads. One that still plays is left to itself: it ends after its pair.
    pub(crate) fn end(self) {
        for Slot { jobs, thread, busy, .. } in self.slots {
            drop(jobs);
            if !busy {
                // A panic of the thread was handed in as a failed pair already.
                let _ = thread.join();
            }
        }
    }
}

/// Puts this thread behind others. Where that cannot be done the games are played all the same.
#[cfg(target_os = "linux")]
fn be_nice(level: i32) {
    // On Linux a nice level is a thread's own.
    let now = rustix::process::nice(0).unwrap_or(0);
    if let Err(error) = rustix::process::nice((level - now).max(0)) {
        tracing::warn!(%error, "the nice level cannot be set");
    }
}

#[cfg(not(target_os = "linux"))]
fn be_nice(_: i32) {
    tracing::warn!("--nice is of Linux; start the worker itself at a low priority");
}

fn serve(
    slot: usize,
    inbox: &mpsc::Receiver<PairJob>,
    done: &async_mpsc::Sender<SlotDone>,
    most_idle_mib: u64,
) {
    let new_seat = || Seat { inside: None, tables: Tables::new(most_idle_mib) };
    let mut seat = new_seat();
    loop {
        let job = match seat.tables.next_end() {
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(end) => inbox.recv_timeout(end.saturating_duration_since(Instant::now())),
        };
        let PairJob { key, contest, opening, stop } = match job {
            Ok(job) => job,
            Err(RecvTimeoutError::Timeout) => {
                seat.tables.end_idle(Instant::now());
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let begun = Instant::now();
        let played = catch_unwind(AssertUnwindSafe(|| seat.play(&contest, &opening, &stop)));
        let of_pair = |refused: Refused| Refused {
            detail: format!("pair {}: {}", opening.index, refused.detail),
            ..refused
        };
        let end = match played {
            Ok(Ok(Some(record))) => PairEnd::Played(record),
            Ok(Ok(None)) => PairEnd::Stopped,
            Ok(Err(refused)) => PairEnd::Failed(of_pair(refused)),
            Err(panic) => {
                // What the panic left half-done is not played with again.
                seat = new_seat();
                let message = panic_message(&*panic);
                let refused = Refused::unplayable(format!("the engine panicked: {message}"));
                PairEnd::Failed(of_pair(refused))
            }
        };
        if done.blocking_send(SlotDone { slot, key, end, elapsed: begun.elapsed() }).is_err() {
            return;
        }
    }
}

/// What a slot plays with, from pair to pair and from lease to lease.
struct Seat {
    inside: Option<PairPlayer>,
    tables: Tables,
}

impl Seat {
    fn play(
        &mut self,
        contest: &Arc<Contest>,
        opening: &Opening,
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, Refused> {
        match &**contest {
            Contest::Inside(matchup) => self
                .inside
                .get_or_insert_with(|| PairPlayer::new(matchup.game, matchup.limit.hash_kib))
                .play(matchup, opening, stop)
                .map_err(Refused::unplayable),
            Contest::Duel(plan) => self.tables.play(contest, plan, opening, stop),
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::Matchup;
    use model::lease::PairIndex;
    use model::spec::GameLimit;
    use model::{GameKind, LeaseId, ParameterSet, Ply};
    use std::sync::atomic::Ordering;

    fn job(game: GameKind, position: &str, nodes: u64) -> PairJob {
        let limit = GameLimit::new(Nodes(nodes), Ply(40), 1024);
        let default = ParameterSet::default();
        PairJob {
            key: LeaseKey { lease: LeaseId(1), epoch: 1 },
            contest: Arc::new(Contest::Inside(
                Matchup::new(game, limit, &default, &default).unwrap(),
            )),
            opening: Opening { index: PairIndex(4), position: position.to_owned() },
            stop: Arc::default(),
        }
    }

    #[tokio::test]
    async fn a_slot_plays_one_pair_after_another_and_survives_a_bad_one() {
        let (mut slots, mut results) = Slots::start(1, Some(5), 0).unwrap();
        for (position, plays) in
            [(".../.../... x", true), ("nonsense", false), ("x../.../... o", true)]
        {
            let slot = slots.free().unwrap();
            slots.play(slot, job(GameKind::TicTacToe, position, 30));
            assert_eq!((slots.playing(), slots.free()), (1, None));
            let done = results.recv().await.unwrap();
            slots.note(&done);
            assert_eq!(matches!(done.end, PairEnd::Played(_)), plays, "{:?}", done.end);
        }
        slots.end();
        assert!(results.recv().await.is_none());
    }

    #[tokio::test]
    async fn a_raised_flag_frees_the_slot() {
        let (mut slots, mut results) = Slots::start(2, None, 0).unwrap();
        let endless = job(
            GameKind::Xiangqi,
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            u64::MAX,
        );
        let stop = endless.stop.clone();
        slots.play(1, endless);
        assert_eq!(slots.free(), Some(0));
        stop.store(true, Ordering::Relaxed);
        let done = results.recv().await.unwrap();
        assert!(matches!((done.slot, &done.end), (1, PairEnd::Stopped)), "{done:?}");
    }

    #[test]
    fn panics_are_told_by_their_message() {
        let panic = catch_unwind(|| panic!("square {} is off the board", 97)).unwrap_err();
        assert_eq!(panic_message(&*panic), "square 97 is off the board");
    }
}
