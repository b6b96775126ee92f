//! Where the evaluation puts what it finds: into one sum in play, into one for each part where
//! somebody asks what the value is made of.

use crate::taper::Pair;

/// What a weight is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Material,
    Squares,
    Balance,
    Rooks,
    Horses,
    Cannons,
    Pawns,
    Defence,
    Attack,
    Threats,
    Tempo,
}

impl Part {
    /// Their names, in order.
    pub(super) const NAMES: [&'static str; 11] = [
        "material", "squares", "balance", "rooks", "horses", "cannons", "pawns", "defence",
        "attack", "threats", "tempo",
    ];
}

/// One side's account.
pub(super) trait Sink {
    /// A weight counts so many times.
    fn add(&mut self, part: Part, weight: Pair, count: i32);
}

impl Sink for Pair {
    #[inline(always)]
    fn add(&mut self, _: Part, weight: Pair, count: i32) {
        *self += weight.times(count);
    }
}

/// A sum for each [`Part`].
#[derive(Default)]
pub(super) struct Parts(pub(super) [Pair; Part::NAMES.len()]);

impl Sink for Parts {
    fn add(&mut self, part: Part, weight: Pair, count: i32) {
        self.0[part as usize] += weight.times(count);
    }
}
