//! Synthetic trees: every inner node has the same number of children, every leaf the same depth.
//!
//! The values come from hashes of the paths, so a tree is a few numbers and equal on every machine.

use super::tree::{Order, Tree, child_id, mix};

/// What the leaves of a synthetic tree are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Independent of each other: uniform in `0..range`, from the view of the first player.
    /// Nothing can be known about them before, so their order is random.
    Independent {
        /// How many values there are; 1 to [`Uniform::MAX_RANGE`].
        range: u32,
    },
    /// The sum of the arcs on the way from the root, each uniform in `0..range` for the side that
    /// moved: near leaves are alike, and the sum so far says which child looks best.
    Summed {
        /// How many values an arc has; 1 to [`Uniform::MAX_RANGE`].
        range: u32,
        /// How the children are ordered by their sum so far.
        order: Order,
    },
}

/// One node of the line from the root to the present node.
#[derive(Clone, Debug, Default)]
struct Node {
    id: u64,
    /// The sum of arcs so far, from the view of the side to move.
    sum: i32,
    /// Names and sums of the children in their order.
    children: Vec<(u64, i32)>,
}

/// A synthetic tree.
#[derive(Clone, Debug)]
pub struct Uniform {
    branching: usize,
    leaves: Leaves,
    /// A place for every ply.
    line: Vec<Node>,
    ply: usize,
}

impl Uniform {
    /// The greatest range of values.
    pub const MAX_RANGE: u32 = 1_000_000;

    /// The greatest depth.
    pub const MAX_DEPTH: u32 = 64;

    /// The tree of this number among those of its kind. What is out of range is taken as the
    /// nearest that is in it; `branching` is at least 1.
    #[must_use]
    pub fn new(branching: usize, depth: u32, leaves: Leaves, number: u64) -> Self {
        let clamp = |range: u32| range.clamp(1, Self::MAX_RANGE);
        let leaves = match leaves {
            Leaves::Independent { range } => Leaves::Independent { range: clamp(range) },
            Leaves::Summed { range, order } => Leaves::Summed { range: clamp(range), order },
        };
        let depth = depth.min(Self::MAX_DEPTH);
        let mut line = vec![Node::default(); depth as usize + 1];
        line[0].id = mix(number.wrapping_add(1000));
        Self { branching: branching.max(1), leaves, line, ply: 0 }
    }

    /// The leaves that every algorithm has to evaluate at least: b^⌈d/2⌉ + b^⌊d/2⌋ − 1
    /// (Knuth, Moore 1975). Too large a number is [`u64::MAX`].
    #[must_use]
    pub fn minimal_leaves(branching: usize, depth: u32) -> u64 {
        let power = |exponent| (branching as u64).saturating_pow(exponent);
        power(depth.div_ceil(2)).saturating_add(power(depth / 2) - 1)
    }

    /// All the leaves: b^d. Too large a number is [`u64::MAX`].
    #[must_use]
    pub fn all_leaves(branching: usize, depth: u32) -> u64 {
        (branching as u64).saturating_pow(depth)
    }
}

impl Tree for Uniform {
    fn width(&mut self) -> usize {
        if self.height() == 0 {
            return 0;
        }
        let Node { id, sum, children } = &mut self.line[self.ply];
        children.clear();
        children.extend((0..self.branching).map(|child| {
            let child = child_id(*id, child);
            let arc = match self.leaves {
                Leaves::Independent { .. } => 0,
                Leaves::Summed { range, .. } => (mix(child ^ 0x55) % u64::from(range)) as i32,
            };
            (child, -(*sum + arc))
        }));
        match self.leaves {
            Leaves::Summed { order: Order::Good, .. } => children.sort_by_key(|(_, sum)| *sum),
            Leaves::Summed { order: Order::Worst, .. } => children.sort_by_key(|(_, sum)| -*sum),
            Leaves::Summed { order: Order::Random, .. } | Leaves::Independent { .. } => {}
        }
        self.branching
    }

    fn descend(&mut self, child: usize) {
        let (id, sum) = self.line[self.ply].children[child];
        self.ply += 1;
        let node = &mut self.line[self.ply];
        (node.id, node.sum) = (id, sum);
    }

    fn ascend(&mut self) {
        self.ply -= 1;
    }

    fn value(&mut self) -> i32 {
        let Node { id, sum, .. } = self.line[self.ply];
        match self.leaves {
            Leaves::Independent { range } => {
                let value = (mix(id ^ 0x00ab_cdef) % u64::from(range)) as i32;
                if self.ply.is_multiple_of(2) { value } else { -value }
            }
            Leaves::Summed { .. } => sum,
        }
    }

    fn height(&self) -> u32 {
        (self.line.len() - 1 - self.ply) as u32
    }

    fn key(&self) -> u64 {
        self.line[self.ply].id
    }
}
