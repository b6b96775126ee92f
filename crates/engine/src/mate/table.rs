//! What is known of positions in which a mate is looked for.

/// More than every proof number.
pub(super) const INFINITE: u32 = 1 << 30;

/// In place of a number of half-moves: however many.
pub(super) const NEVER: u32 = 254;

/// How much is left to be proven, and to be refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) refutation: u32,
}

impl Numbers {
    /// Those of a position that nobody has looked at.
    pub(super) const FRESH: Self = Self { proof: 1, refutation: 1 };
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// There is a mate in at most so many half-moves.
    Mate(u32),
    /// There is none in so many half-moves, or [`NEVER`].
    NoMate(u32),
    /// Neither is known.
    Open(Numbers),
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    numbers: Numbers,
    /// Nodes that this knowledge has cost.
    work: u32,
    /// The half-moves for which `numbers` hold.
    plies: u8,
    /// A mate in so many half-moves; 255: not known.
    mate: u8,
    /// No mate in one half-move less; 0: not known, 255: never.
    refuted: u8,
    /// The search in which it was found out.
    age: u8,
}

/// The smallest table: about a megabyte.
const LEAST_BUCKETS: usize = 1 << 13;

/// Four places to a bucket; what was dear stays longest.
pub(super) struct Table {
    buckets: Vec<[Slot; 4]>,
    age: u8,
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Self {
        let fitting = (megabytes << 20) / size_of::<[Slot; 4]>();
        // A search that cannot keep the numbers of a few lines goes in circles.
        let buckets = 1usize << fitting.max(LEAST_BUCKETS).ilog2();
        let empty = Slot {
            hash: 0,
            numbers: Numbers::FRESH,
            work: 0,
            plies: 0,
            mate: 255,
            refuted: 0,
            age: 0,
        };
        Self { buckets: vec![[empty; 4]; buckets], age: 0 }
    }

    pub(super) fn new_search(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn index(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.buckets.len() - 1)
    }

    /// What is known about a mate in so many half-moves.
    pub(super) fn probe(&self, hash: u64, plies: u32) -> Fact {
        let bucket = &self.buckets[self.index(hash)];
        let Some(slot) = bucket.iter().find(|slot| slot.hash == hash) else {
            return Fact::Open(Numbers::FRESH);
        };
        let refuted = u32::from(slot.refuted);
        if u32::from(slot.mate) <= plies {
            Fact::Mate(slot.mate.into())
        } else if refuted > plies {
            // As far as the slot says, which may be further than was asked.
            Fact::NoMate(refuted - 1)
        } else if u32::from(slot.plies) == plies {
            Fact::Open(slot.numbers)
        } else {
            Fact::Open(Numbers::FRESH)
        }
    }

    pub(super) fn store(&mut self, hash: u64, plies: u32, fact: Fact, work: u64) {
        let age = self.age;
        let index = self.index(hash);
        let bucket = &mut self.buckets[index];
        let place = bucket.iter().position(|slot| slot.hash == hash);
        let place = place.unwrap_or_else(|| {
            let worth = |slot: &Slot| (slot.age == age, slot.work);
            let (cheapest, _) = bucket
                .iter()
                .enumerate()
                .min_by_key(|(_, slot)| worth(slot))
                .expect("a bucket has places");
            bucket[cheapest] = Slot {
                hash,
                numbers: Numbers::FRESH,
                work: 0,
                plies: 0,
                mate: 255,
                refuted: 0,
                age,
            };
            cheapest
        });
        let slot = &mut bucket[place];
        slot.age = age;
        slot.work = slot.work.saturating_add(u32::try_from(work).unwrap_or(u32::MAX));
        // Lengths are at most 254, so that each fits beside its mark.
        match fact {
            Fact::Mate(length) => slot.mate = slot.mate.min(length.min(NEVER) as u8),
            Fact::NoMate(within) => slot.refuted = slot.refuted.max(within.min(NEVER) as u8 + 1),
            Fact::Open(numbers) => (slot.numbers, slot.plies) = (numbers, plies as u8),
        }
    }
}
