//! The transposition table: what earlier visits of a position found out.
//!
//! All threads of a search read and write one table without a lock, after R. Hyatt and T. Mann ("A
//! lock-less transposition table implementation for parallel search", 2002): a slot is two words, the
//! second is the data, the first the key of the position XOR the data. Two threads that write a slot
//! at the same time may leave a word of each; the words then give a key that nobody asks for, and the
//! slot is as good as empty.
//!
//! Fixed size, four slots of sixteen bytes to a bucket, which is one line of a cache. The key holds
//! the epoch of a game beside 48 bits of the hash, so that a new game costs one addition instead of
//! clearing megabytes: slots of other epochs read as empty.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
pub(crate) struct Entry {
    /// The best move as [`crate::SearchGame::pack`] has it; 0: none is known.
    pub(crate) mv: u16,
    /// Within 16 bits.
    pub(crate) score: i32,
    /// Static evaluation, [`crate::value::NONE`] in check.
    pub(crate) eval: i32,
    /// Plies, 0 to 255.
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether the node was once part of a principal variation.
    pub(crate) pv: bool,
}

/// Searches after which an age comes again.
const AGES: u8 = 32;

/// An entry and the age of its search in one word. From the low end: 16 bits each of move, score and
/// evaluation, 8 of depth, 2 of bound, 1 of pv, 5 of age.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn new(entry: &Entry, age: u8) -> Self {
        let low = u64::from(entry.mv)
            | u64::from(entry.score as i16 as u16) << 16
            | u64::from(entry.eval as i16 as u16) << 32;
        let flags = entry.bound as u8 | u8::from(entry.pv) << 2 | age << 3;
        Self(low | (entry.depth.clamp(0, 255) as u64) << 48 | u64::from(flags) << 56)
    }

    fn mv(self) -> u16 {
        self.0 as u16
    }

    fn depth(self) -> i32 {
        i32::from((self.0 >> 48) as u8)
    }

    fn age(self) -> u8 {
        (self.0 >> 59) as u8
    }

    fn entry(self) -> Entry {
        Entry {
            mv: self.mv(),
            score: i32::from((self.0 >> 16) as i16),
            eval: i32::from((self.0 >> 32) as i16),
            depth: self.depth(),
            bound: match self.0 >> 56 & 3 {
                0 => Bound::None,
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            pv: self.0 >> 58 & 1 != 0,
        }
    }
}

/// 48 bits of a hash over 16 of the epoch.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u64);

impl Key {
    fn epoch(self) -> u16 {
        self.0 as u16
    }
}

/// Relaxed throughout: a slot promises nothing about any other.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    #[inline]
    fn read(&self) -> (Key, Data) {
        let data = self.data.load(Relaxed);
        (Key(self.check.load(Relaxed) ^ data), Data(data))
    }

    #[inline]
    fn write(&self, key: Key, data: Data) {
        self.check.store(key.0 ^ data.0, Relaxed);
        self.data.store(data.0, Relaxed);
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

pub(crate) struct Table {
    buckets: Vec<Bucket>,
    mask: usize,
    /// Never 0, which is the epoch of a slot that nobody has written.
    epoch: u16,
    age: u8,
    /// Reference tests take an entry for its own depth only, never for a shallower one.
    #[cfg(test)]
    pub(crate) same_depth_only: bool,
    /// Reference tests do without.
    #[cfg(test)]
    pub(crate) disabled: bool,
}

impl Table {
    /// A table of at most `megabytes` MiB, at least one bucket; 0 makes the smallest.
    pub(crate) fn new(megabytes: usize) -> Self {
        let bytes = megabytes.saturating_mul(1 << 20);
        let fitting = (bytes / size_of::<Bucket>()).max(1);
        let buckets = 1usize << fitting.ilog2();
        Self {
            buckets: std::iter::repeat_with(Bucket::default).take(buckets).collect(),
            mask: buckets - 1,
            epoch: 1,
            age: 0,
            #[cfg(test)]
            same_depth_only: false,
            #[cfg(test)]
            disabled: false,
        }
    }

    /// Forgets everything.
    pub(crate) fn new_game(&mut self) {
        self.age = 0;
        if self.epoch == u16::MAX {
            self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0).for_each(Slot::clear);
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
        let sample = &self.buckets[..self.buckets.len().min(1000)];
        let is_ours = |slot: &&Slot| {
            let (key, data) = slot.read();
            key.epoch() == self.epoch && data.age() == self.age
        };
        let ours = sample.iter().flat_map(|bucket| &bucket.0).filter(is_ours).count();
        (ours * 1000 / (4 * sample.len())) as u32
    }

    #[inline]
    fn bucket(&self, hash: u64) -> &[Slot; 4] {
        &self.buckets[hash as usize & self.mask].0
    }

    #[inline]
    fn key(&self, hash: u64) -> Key {
        Key(hash >> 16 << 16 | u64::from(self.epoch))
    }

    /// Asks for the line of this hash, so that a probe soon after does not wait for the memory.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const [Slot; 4] = self.bucket(hash);
            #[expect(unsafe_code, reason = "there is no safe prefetch")]
            // SAFETY: a prefetch is a hint that reads nothing; the pointer is to a live bucket anyway.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// What is known about the position of this hash.
    #[inline]
    pub(crate) fn probe(&self, hash: u64) -> Option<Entry> {
        #[cfg(test)]
        if self.disabled {
            return None;
        }
        let wanted = self.key(hash);
        self.bucket(hash).iter().find_map(|slot| {
            let (key, data) = slot.read();
            (key == wanted).then(|| data.entry())
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

    /// Keeps an entry, over the least valuable slot of its bucket: one of another game, or else the
    /// shallowest, every search that has begun since counting as four plies less.
    ///
    /// What this search has stored about the position more deeply stays, unless the new score is
    /// exact; and a visit that knows no move keeps the one that was known.
    #[inline]
    pub(crate) fn store(&self, hash: u64, mut entry: Entry) {
        let wanted = self.key(hash);
        let bucket = self.bucket(hash);
        let mut victim = 0;
        let mut least = i32::MAX;
        for (i, slot) in bucket.iter().enumerate() {
            let (key, data) = slot.read();
            if key == wanted {
                let is_fresh = data.age() == self.age;
                if is_fresh && entry.bound != Bound::Exact && entry.depth + 3 < data.depth() {
                    return;
                }
                if entry.mv == 0 {
                    entry.mv = data.mv();
                }
                victim = i;
                break;
            }
            let worth = if key.epoch() == self.epoch {
                let years = (AGES + self.age - data.age()) % AGES;
                data.depth() - 4 * i32::from(years)
            } else {
                i32::MIN
            };
            if worth < least {
                least = worth;
                victim = i;
            }
        }
        bucket[victim].write(wanted, Data::new(&entry, self.age));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mv: u16, depth: i32, bound: Bound) -> Entry {
        Entry { mv, score: -29_990, eval: 17, depth, bound, pv: depth % 2 == 0 }
    }

    #[test]
    fn a_stored_entry_is_found_by_its_hash_alone() {
        let table = Table::new(1);
        let hash = 0xdead_beef_0000_1234;
        table.store(hash, entry(7, 5, Bound::Lower));
        assert_eq!(table.probe(hash), Some(entry(7, 5, Bound::Lower)));
        assert_eq!(table.probe(hash ^ 1 << 40), None);
    }

    #[test]
    fn an_entry_comes_back_as_it_went_whatever_its_age() {
        let mut table = Table::new(0);
        for (number, bound) in [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact]
            .into_iter()
            .cycle()
            .take(70)
            .enumerate()
        {
            let number = number as i32;
            let kept = Entry {
                mv: u16::MAX - number as u16,
                score: number * 800 - 28_000,
                eval: 32_000 - number * 900,
                depth: number * 3,
                bound,
                pv: number % 3 == 0,
            };
            table.store(1 << 20, kept);
            assert_eq!(table.probe(1 << 20), Some(kept));
            table.new_search();
        }
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
        let table = Table::new(0);
        table.store(9 << 32, entry(77, 4, Bound::Lower));
        table.store(9 << 32, entry(0, 4, Bound::Upper));
        assert_eq!(table.probe(9 << 32), Some(entry(77, 4, Bound::Upper)));
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_entry_of_the_same_search() {
        let mut table = Table::new(0);
        table.store(9 << 32, entry(77, 8, Bound::Lower));
        table.store(9 << 32, entry(5, 4, Bound::Upper));
        assert_eq!(table.probe(9 << 32), Some(entry(77, 8, Bound::Lower)));
        table.store(9 << 32, entry(6, 4, Bound::Exact));
        assert_eq!(table.probe(9 << 32), Some(entry(6, 4, Bound::Exact)));
        table.store(9 << 32, entry(77, 8, Bound::Lower));
        table.new_search();
        table.store(9 << 32, entry(5, 4, Bound::Upper));
        assert_eq!(table.probe(9 << 32), Some(entry(5, 4, Bound::Upper)));
    }

    #[test]
    fn the_size_is_a_power_of_two_within_the_budget() {
        for megabytes in [1, 3, 16] {
            let table = Table::new(megabytes);
            assert!(table.buckets.len().is_power_of_two());
            assert!(table.buckets.len() * size_of::<Bucket>() <= megabytes << 20);
        }
        assert_eq!(size_of::<Bucket>(), 64);
    }

    #[test]
    fn the_share_that_is_written_counts_this_search_alone() {
        let mut table = Table::new(0);
        table.store(1 << 32, entry(1, 1, Bound::Exact));
        assert_eq!(table.permille(), 250);
        table.new_search();
        assert_eq!(table.permille(), 0);
    }

    /// The entry that belongs to a hash: every part of it follows from the hash, so that the words of
    /// two entries put together are found out.
    fn entry_of(hash: u64, variant: u64) -> Entry {
        let mixed = (hash ^ variant).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Entry {
            mv: (mixed >> 48) as u16 | 1,
            score: i32::from((mixed >> 32) as i16),
            eval: i32::from((mixed >> 16) as i16),
            depth: i32::from(mixed as u8),
            bound: Bound::Exact,
            pv: variant == 1,
        }
    }

    #[test]
    fn threads_that_write_the_same_slots_never_make_an_entry_that_none_of_them_wrote() {
        // Twelve positions fight for four slots, each with two entries of its own.
        let table = Table::new(0);
        let hammer = |seed: u64| {
            let mut state = seed;
            let mut found = 0;
            for _ in 0..200_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
                let hash = (state >> 60) % 12 * 0x0123_4567_89ab_0000 + 0x00ff_0000;
                table.store(hash, entry_of(hash, state >> 59 & 1));
                let other = (state >> 50 & 15) % 12 * 0x0123_4567_89ab_0000 + 0x00ff_0000;
                if let Some(entry) = table.probe(other) {
                    found += 1;
                    let own = [entry_of(other, 0), entry_of(other, 1)];
                    assert!(own.contains(&entry), "{other:x}: {entry:?}");
                }
            }
            found
        };
        let found: u32 = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=4).map(|seed| scope.spawn(move || hammer(seed))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no torn entry")).sum()
        });
        assert!(found > 1000, "{found} found: nothing was tried");
    }
}
