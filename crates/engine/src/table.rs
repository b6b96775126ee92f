//! The transposition table: what earlier visits of a position found out.
//!
//! Fixed size, four slots to a bucket. A slot belongs to a game by its epoch, so that a new game
//! costs one addition instead of clearing megabytes: slots of other epochs read as empty.

use crate::value::NONE;

/// What a stored score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Bound {
    /// Nothing: the slot keeps a move and an evaluation only.
    None = 0,
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The true score.
    Exact = 3,
}

/// What a visit leaves behind. Scores count mates from the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<M> {
    pub(crate) mv: M,
    pub(crate) score: i32,
    /// Static evaluation, [`NONE`] in check.
    pub(crate) eval: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
}

#[derive(Clone, Copy)]
struct Slot<M> {
    key: u32,
    epoch: u16,
    /// Six bits of age, two of bound.
    age_bound: u8,
    depth: u8,
    score: i16,
    eval: i16,
    mv: M,
}

const BUCKET: usize = 4;
const AGES: u8 = 64;

pub(crate) struct Table<M> {
    slots: Vec<Slot<M>>,
    bucket_mask: usize,
    epoch: u16,
    age: u8,
    /// Reference tests take an entry for its own depth only, never for a shallower one.
    #[cfg(test)]
    pub(crate) same_depth_only: bool,
    /// Reference tests do without.
    #[cfg(test)]
    pub(crate) disabled: bool,
}

impl<M: Copy + Default + Eq> Table<M> {
    /// A table of at most `megabytes` MiB, at least one bucket; 0 makes the smallest.
    pub(crate) fn new(megabytes: usize) -> Self {
        let bytes = megabytes.saturating_mul(1 << 20);
        let bucket_bytes = BUCKET * size_of::<Slot<M>>();
        let fitting = (bytes / bucket_bytes).max(1);
        let buckets = 1usize << fitting.ilog2();
        Self {
            slots: vec![Self::empty(); buckets * BUCKET],
            bucket_mask: buckets - 1,
            epoch: 1,
            age: 0,
            #[cfg(test)]
            same_depth_only: false,
            #[cfg(test)]
            disabled: false,
        }
    }

    fn empty() -> Slot<M> {
        Slot {
            key: 0,
            epoch: 0,
            age_bound: 0,
            depth: 0,
            score: 0,
            eval: NONE as i16,
            mv: M::default(),
        }
    }

    /// Forgets everything.
    pub(crate) fn new_game(&mut self) {
        self.age = 0;
        if self.epoch == u16::MAX {
            self.slots.fill(Self::empty());
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Starts a search: what is there counts as older from now on.
    pub(crate) fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// How much of the table the search under way has written, in thousandths, by a sample.
    pub(crate) fn permille(&self) -> u32 {
        let sample = &self.slots[..self.slots.len().min(4000)];
        let is_ours = |slot: &&Slot<M>| {
            slot.epoch == self.epoch && slot.key != 0 && slot.age_bound >> 2 == self.age
        };
        (sample.iter().filter(is_ours).count() * 1000 / sample.len()) as u32
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        (hash as usize & self.bucket_mask) * BUCKET
    }

    /// What is known about the position of this hash.
    #[inline]
    pub(crate) fn probe(&self, hash: u64) -> Option<Entry<M>> {
        #[cfg(test)]
        if self.disabled {
            return None;
        }
        let key = (hash >> 32) as u32;
        let start = self.bucket(hash);
        let slot = self.slots[start..start + BUCKET]
            .iter()
            .find(|slot| slot.key == key && slot.epoch == self.epoch)?;
        Some(Entry {
            mv: slot.mv,
            score: i32::from(slot.score),
            eval: i32::from(slot.eval),
            depth: i32::from(slot.depth),
            bound: match slot.age_bound & 3 {
                0 => Bound::None,
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        })
    }

    /// Whether an entry of `stored` plies may stand for a search of `wanted` plies.
    #[inline]
    pub(crate) fn deep_enough(&self, stored: i32, wanted: i32) -> bool {
        #[cfg(test)]
        if self.same_depth_only {
            return stored == wanted;
        }
        stored >= wanted
    }

    /// Keeps an entry, over the least valuable slot of its bucket.
    #[inline]
    pub(crate) fn store(&mut self, hash: u64, entry: Entry<M>) {
        let key = (hash >> 32) as u32;
        let start = self.bucket(hash);
        let (age, epoch) = (self.age, self.epoch);
        let bucket = &mut self.slots[start..start + BUCKET];
        let mut victim = 0;
        let mut least = i32::MAX;
        for (i, slot) in bucket.iter().enumerate() {
            if slot.epoch == epoch && slot.key == key {
                victim = i;
                break;
            }
            let worth = if slot.epoch == epoch {
                let years = (AGES + age - (slot.age_bound >> 2)) % AGES;
                i32::from(slot.depth) - 4 * i32::from(years)
            } else {
                i32::MIN
            };
            if worth < least {
                least = worth;
                victim = i;
            }
        }
        let slot = &mut bucket[victim];
        let same = slot.epoch == epoch && slot.key == key;
        let fresh = same && slot.age_bound >> 2 == age;
        if fresh && entry.bound != Bound::Exact && entry.depth + 3 < i32::from(slot.depth) {
            return;
        }
        let mv = if same && entry.mv == M::default() { slot.mv } else { entry.mv };
        *slot = Slot {
            key,
            epoch,
            age_bound: age << 2 | entry.bound as u8,
            depth: entry.depth.clamp(0, 255) as u8,
            score: entry.score as i16,
            eval: entry.eval as i16,
            mv,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mv: u16, depth: i32, bound: Bound) -> Entry<u16> {
        Entry { mv, score: -29_990, eval: 17, depth, bound }
    }

    #[test]
    fn a_stored_entry_is_found_by_its_hash_alone() {
        let mut table = Table::new(1);
        let hash = 0xdead_beef_0000_1234;
        table.store(hash, entry(7, 5, Bound::Lower));
        assert_eq!(table.probe(hash), Some(entry(7, 5, Bound::Lower)));
        assert_eq!(table.probe(hash ^ 1 << 40), None);
    }

    #[test]
    fn a_new_game_finds_nothing_of_the_old_ones_even_when_epochs_wrap() {
        let mut table = Table::new(0);
        for game in 0..=u64::from(u16::MAX) + 2 {
            assert_eq!(table.probe(1 << 33), None, "game {game}");
            if !(3..=65_530).contains(&game) {
                table.store(1 << 33, entry(1, 1, Bound::Exact));
            }
            table.new_game();
        }
    }

    #[test]
    fn deep_and_recent_entries_outlive_shallow_and_old_ones() {
        let mut table = Table::new(0);
        let hash = |n: u64| n << 32;
        for n in 1..=4 {
            table.store(hash(n), entry(n as u16, 10 * n as i32, Bound::Exact));
        }
        table.store(hash(5), entry(5, 3, Bound::Exact));
        assert_eq!(table.probe(hash(1)), None, "the shallowest made room");
        for _ in 0..3 {
            table.new_search();
        }
        table.store(hash(2), entry(2, 2, Bound::Exact));
        for n in 6..=8 {
            table.store(hash(n), entry(n as u16, 1, Bound::Exact));
        }
        assert!(table.probe(hash(2)).is_some(), "refreshed this year");
        assert!(table.probe(hash(5)).is_none(), "shallow and old");
    }

    #[test]
    fn a_visit_without_a_move_keeps_the_known_one() {
        let mut table = Table::new(0);
        table.store(9 << 32, entry(77, 4, Bound::Lower));
        table.store(9 << 32, entry(0, 4, Bound::Upper));
        assert_eq!(table.probe(9 << 32), Some(entry(77, 4, Bound::Upper)));
    }

    #[test]
    fn the_size_is_a_power_of_two_within_the_budget() {
        for megabytes in [1, 3, 16] {
            let table = Table::<u16>::new(megabytes);
            assert!(table.slots.len().is_power_of_two());
            assert!(table.slots.len() * size_of::<Slot<u16>>() <= megabytes << 20);
        }
    }
}
