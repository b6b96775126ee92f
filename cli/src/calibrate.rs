//! How many pairs a second this machine plays: a few real ones, on all cores.

use crate::books::Book;
use anyhow::Context;
use arena::{Matchup, PairPlayer};
use model::ParameterSet;
use model::lease::{Opening, PairIndex};
use model::spec::RunSpec;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a measurement takes.
const MEASURE_FOR: Duration = Duration::from_secs(4);

/// Pairs per second of `slots` slots, with the start values on both sides.
///
/// # Errors
/// The engine refuses the values or an opening.
pub(crate) fn pairs_per_second(
    spec: &RunSpec,
    start: &ParameterSet,
    book: &Book,
    slots: usize,
) -> anyhow::Result<f64> {
    let matchup = Matchup::new(spec.game, spec.limit, start, start)?;
    let positions = book.positions();
    let (next, played, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let began = Instant::now();
    let play = || -> anyhow::Result<()> {
        let mut player = PairPlayer::new(spec.game, spec.limit.hash_kib);
        while began.elapsed() < MEASURE_FOR {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let place = usize::try_from(index)? % positions.len();
            let opening = Opening { index: PairIndex(index), position: positions[place].clone() };
            player.play(&matchup, &opening, &stop)?;
            played.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..slots.max(1)).map(|_| scope.spawn(play)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a slot panicked"))?)
    })
    .context("cannot measure the speed of this machine")?;
    // Each slot ends with its last pair whole, so that the count is fair to slow pairs.
    Ok(played.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64())
}

/// The pairs that fit into a time, in whole leases, at least one for each slot.
pub(crate) fn pairs_for(rate: f64, minutes: f64, lease_pairs: u32, slots: usize) -> u64 {
    let lease = u64::from(lease_pairs.max(1));
    let wanted = (rate * minutes * 60.0).max(0.0) as u64;
    (wanted / lease).max(slots.max(1) as u64) * lease
}

#[cfg(test)]
mod tests {
    use super::pairs_for;

    #[test]
    fn a_budget_comes_in_whole_leases_and_is_never_empty() {
        assert_eq!(pairs_for(10.0, 1.0, 8, 2), 600);
        assert_eq!(pairs_for(10.09, 1.0, 8, 2), 600);
        assert_eq!(pairs_for(0.0, 1.0, 8, 2), 16);
        assert_eq!(pairs_for(f64::NAN, 1.0, 8, 2), 16);
    }
}
