//! A walk through a tree that counts its own steps. The algorithms see a tree through this only.

use super::memory::{Bounds, Memory};
use super::tree::{Tree, child_id};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// What an algorithm has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Leaves evaluated, each as often as it was.
    pub leaves: u64,
    /// Different leaves evaluated, told apart by the path from the root.
    pub distinct_leaves: u64,
    /// Inner nodes expanded, each as often as it was.
    pub interior: u64,
    /// Searches of a node that was searched before: with another window, or by another pass.
    pub researches: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.distinct_leaves += other.distinct_leaves;
        self.interior += other.interior;
        self.researches += other.researches;
    }
}

/// How far an algorithm may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Visits of nodes, inner ones and leaves.
    pub visits: u64,
    /// Mebibytes of what it keeps beside a table: leaves seen, bounds of nodes, open nodes.
    pub megabytes: usize,
}

impl Default for Budget {
    /// 10⁹ visits, a gibibyte.
    fn default() -> Self {
        Self { visits: 1_000_000_000, megabytes: 1024 }
    }
}

/// Bytes for one leaf seen, one node with its bounds, one open node, about as the tables take them.
const BYTES_KEPT: [usize; 3] = [16, 40, 160];

/// Whoever watches is told the counts once in so many visits.
const WATCH_INTERVAL: u64 = 1 << 14;

/// One walk of one algorithm, standing on a node of the tree.
pub struct Walk<'a, T> {
    tree: &'a mut T,
    /// Names of the nodes from the root to the present one.
    path: Vec<u64>,
    counts: Counts,
    /// The leaves seen so far; `None` for an algorithm that never comes twice.
    seen: Option<HashSet<u64, Mixed>>,
    memory: Memory,
    /// Nodes on the list of an algorithm that keeps one.
    open: usize,
    budget: Budget,
    exhausted: bool,
    watch: &'a mut dyn FnMut(&Counts),
}

impl<'a, T: Tree> Walk<'a, T> {
    /// A walk that begins at the root, where the tree has to stand.
    pub fn new(tree: &'a mut T, memory: Memory, watch: &'a mut dyn FnMut(&Counts)) -> Self {
        Self {
            tree,
            path: vec![0],
            counts: Counts::default(),
            seen: Some(HashSet::default()),
            memory,
            open: 0,
            budget: Budget::default(),
            exhausted: false,
            watch,
        }
    }

    /// The same walk with other limits.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The same walk by an algorithm that evaluates no leaf twice: distinct leaves need no memory.
    #[must_use]
    pub fn straight(mut self) -> Self {
        self.seen = None;
        self
    }

    /// Expands the present node: its children, none at a leaf.
    pub fn children(&mut self) -> Range<usize> {
        if self.exhausted {
            return 0..0;
        }
        let width = self.tree.width();
        if width > 0 {
            self.counts.interior += 1;
            self.check();
        }
        if self.exhausted { 0..0 } else { 0..width }
    }

    /// Evaluates the present leaf, from the view of the side to move.
    pub fn value(&mut self) -> i32 {
        if self.exhausted {
            return 0;
        }
        self.counts.leaves += 1;
        let id = self.id();
        let new = self.seen.as_mut().is_none_or(|seen| seen.insert(id));
        self.counts.distinct_leaves += u64::from(new);
        self.check();
        self.tree.value()
    }

    /// What `search` says about a child.
    pub fn below<R>(&mut self, child: usize, search: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(child_id(self.id(), child));
        self.tree.descend(child);
        let result = search(self);
        self.tree.ascend();
        self.path.pop();
        result
    }

    /// Goes to the node at the end of a way from the root, from another node that was expanded or
    /// is a leaf, or from the untouched root to itself.
    pub fn go_to(&mut self, way: impl IntoIterator<Item = usize, IntoIter: Clone>) {
        let way = way.into_iter();
        // What the present path and the way have in common stays.
        let mut names = vec![0];
        for child in way.clone() {
            names.push(child_id(names[names.len() - 1], child));
        }
        let common = self.path.iter().zip(&names).take_while(|(a, b)| a == b).count();
        while self.path.len() > common {
            self.tree.ascend();
            self.path.pop();
        }
        let mut expanded = true;
        for (child, &name) in way.zip(&names[1..]).skip(common - 1) {
            if !expanded {
                self.tree.width();
            }
            self.tree.descend(child);
            self.path.push(name);
            expanded = false;
        }
    }

    /// Notes that a node is about to be searched again.
    pub fn again(&mut self) {
        self.counts.researches += 1;
    }

    /// Notes how many nodes the algorithm keeps on a list of its own.
    pub fn holds(&mut self, open: usize) {
        self.open = open;
    }

    /// As [`Tree::height`].
    #[must_use]
    pub fn height(&self) -> u32 {
        self.tree.height()
    }

    /// The name of the present node: a hash of the path from the root, 0 at the root.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.path.last().copied().unwrap_or(0)
    }

    /// What is known about the present node.
    #[must_use]
    pub fn recall(&self) -> Bounds {
        match &self.memory {
            Memory::Nothing => Bounds::UNKNOWN,
            Memory::Nodes(nodes) => nodes.0.get(&self.id()).copied().unwrap_or(Bounds::UNKNOWN),
            Memory::Table(table) => table.recall(self.tree.key()),
        }
    }

    /// Keeps what is known about the present node, if there is a memory.
    pub fn remember(&mut self, bounds: Bounds) {
        let id = self.id();
        match &mut self.memory {
            _ if self.exhausted => {}
            Memory::Nothing => {}
            Memory::Nodes(nodes) => {
                nodes.0.insert(id, bounds);
            }
            Memory::Table(table) => table.remember(self.tree.key(), bounds),
        }
    }

    /// Whether the budget ran out; whatever the algorithm returns then is void.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// What was done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The names of the different leaves evaluated.
    #[cfg(test)]
    pub(super) fn into_leaves(self) -> HashSet<u64, Mixed> {
        self.seen.unwrap_or_default()
    }

    fn check(&mut self) {
        let visits = self.counts.interior + self.counts.leaves;
        if visits.is_multiple_of(WATCH_INTERVAL) {
            (self.watch)(&self.counts);
        }
        let seen = self.seen.as_ref().map_or(0, HashSet::len);
        let kept = [seen, self.memory.nodes(), self.open];
        let bytes: usize = kept.iter().zip(BYTES_KEPT).map(|(kept, bytes)| kept * bytes).sum();
        self.exhausted |= visits > self.budget.visits || bytes >> 20 > self.budget.megabytes;
    }
}

/// Hashes numbers that are hashes already: not at all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// The hashing of tables whose keys are hashes.
pub(super) type Mixed = BuildHasherDefault<AsItIs>;
