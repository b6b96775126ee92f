//! Which opening a pair plays: a seeded order of the book, a new one for each time through it, or the
//! book's own.
//!
//! The order is a function of (seed, pair) alone, so that no opening comes twice in a run before
//! the book is exhausted, whoever leases what and however often. The orders of two times through it
//! are kept, because leases lie across the border between them.

use model::lease::{Opening, PairIndex, PairRange};
use model::spec::BookOrder;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The streams of the run's seed that orders of the book use lie above all that probes use.
const STREAM_BASE: u64 = 1 << 63;

/// A book in the order of a run.
#[derive(Clone, Debug)]
pub struct Openings {
    positions: Arc<[String]>,
    seed: u64,
    order: BookOrder,
    /// The two orders that were made last, each with the time through the book that it is for.
    orders: [(u64, Vec<u32>); 2],
}

impl Openings {
    /// The order of a book for a seed. `positions` must not be empty.
    #[must_use]
    pub fn new(positions: Arc<[String]>, seed: u64) -> Self {
        let order = shuffled(positions.len(), seed, 0);
        let orders = [(0, order), (u64::MAX, Vec::new())];
        Self { positions, seed, order: BookOrder::Random, orders }
    }

    /// The same in the order that a run asks for.
    #[must_use]
    pub fn in_order(self, order: BookOrder) -> Self {
        Self { order, ..self }
    }

    /// How many positions the book has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the book has no position, which no accepted book has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The openings of these pairs.
    pub fn of(&mut self, range: PairRange) -> Vec<Opening> {
        range.iter().map(|index| self.one(index)).collect()
    }

    /// The opening of a pair.
    pub fn one(&mut self, index: PairIndex) -> Opening {
        Opening { index, position: self.position(index).to_owned() }
    }

    fn position(&mut self, index: PairIndex) -> &str {
        let len = self.positions.len() as u64;
        let (round, place) = (index.0 / len, index.0 % len);
        if self.order == BookOrder::Sequential {
            // Less than the book's length.
            return &self.positions[place as usize];
        }
        if self.orders[0].0 != round {
            self.orders.swap(0, 1);
            if self.orders[0].0 != round {
                self.orders[0] = (round, shuffled(self.positions.len(), self.seed, round));
            }
        }
        let chosen = self.orders[0].1[usize::try_from(place).expect("less than the book's length")];
        &self.positions[chosen as usize]
    }
}

/// Fisher and Yates, with a stream of its own for each round.
fn shuffled(len: usize, seed: u64, round: u64) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM_BASE + round);
    let mut order: Vec<u32> = (0..u32::try_from(len).unwrap_or(u32::MAX)).collect();
    for i in (1..order.len()).rev() {
        // The bias of taking a 64-bit word modulo a book's length is below 2^-40.
        let j = usize::try_from(rng.next_u64() % (i as u64 + 1)).expect("at most i");
        order.swap(i, j);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn openings(len: usize, seed: u64) -> Openings {
        Openings::new((0..len).map(|i| format!("p{i}")).collect(), seed)
    }

    fn positions(openings: &mut Openings, first: u64, count: u32) -> Vec<String> {
        let range = PairRange { first: PairIndex(first), count };
        openings.of(range).into_iter().map(|o| o.position).collect()
    }

    /// I6: no opening twice before the book is exhausted; then another order.
    #[test]
    fn i6_every_round_plays_each_opening_once_in_another_order() {
        let mut book = openings(97, 5);
        let rounds: Vec<Vec<String>> = (0..4).map(|r| positions(&mut book, 97 * r, 97)).collect();
        for round in &rounds {
            assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), 97);
        }
        assert_ne!(rounds[0], rounds[1]);
        assert_ne!(positions(&mut openings(97, 6), 0, 97), rounds[0]);
    }

    #[test]
    fn the_opening_of_a_pair_does_not_depend_on_who_asks_when() {
        let mut forward = openings(10, 1);
        let all = positions(&mut forward, 0, 40);
        let mut backward = openings(10, 1);
        for index in (0..40).rev() {
            assert_eq!(positions(&mut backward, index, 1)[0], all[index as usize]);
        }
    }

    #[test]
    fn a_book_in_its_own_order_comes_as_it_stands() {
        let mut openings = openings(3, 7).in_order(BookOrder::Sequential);
        assert_eq!(positions(&mut openings, 0, 5), ["p0", "p1", "p2", "p0", "p1"]);
    }
}
