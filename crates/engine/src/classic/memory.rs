//! Memory between visits: alpha-beta and NegaScout that remember the bounds of every node.
//!
//! Plaat, Schaeffer, Pijls and de Bruin (1996) call the first of them alpha-beta with memory; with a
//! window of one point it is their MT, the building block of [`super::mtd`].

use super::tree::{INFINITE, Tree};
use super::walk::{Mixed, Walk};
use std::collections::HashMap;

/// What is known about a node's value, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
}

impl Bounds {
    /// Nothing.
    pub const UNKNOWN: Bounds = Bounds { lower: -INFINITE, upper: INFINITE };

    /// The value itself.
    #[must_use]
    pub const fn exactly(value: i32) -> Self {
        Self { lower: value, upper: value }
    }
}

/// Where bounds are kept.
#[derive(Debug, Default)]
pub enum Memory {
    /// Nowhere.
    #[default]
    Nothing,
    /// For every node of the tree, by its path, without loss.
    Nodes(Nodes),
    /// By position, in a table of fixed size: a transposition is known again.
    Table(Table),
}

impl Memory {
    /// An empty memory of all nodes.
    #[must_use]
    pub fn of_nodes() -> Self {
        Memory::Nodes(Nodes::default())
    }

    /// An empty table.
    #[must_use]
    pub fn table(megabytes: usize) -> Self {
        Memory::Table(Table::new(megabytes))
    }

    /// How many nodes are kept one by one.
    pub(super) fn nodes(&self) -> usize {
        match self {
            Memory::Nothing | Memory::Table(_) => 0,
            Memory::Nodes(Nodes(nodes)) => nodes.len(),
        }
    }
}

/// The bounds of each node.
#[derive(Debug, Default)]
pub struct Nodes(pub(super) HashMap<u64, Bounds, Mixed>);

/// A transposition table in which the newer entry always wins.
#[derive(Debug)]
pub struct Table {
    slots: Vec<(u64, Bounds)>,
}

impl Table {
    /// The most slots of 16 bytes in this many MiB of which the number is a power of two, at
    /// least one.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        let fitting = (megabytes.saturating_mul(1 << 20) / size_of::<(u64, Bounds)>()).max(1);
        Self { slots: vec![(0, Bounds::UNKNOWN); 1 << fitting.ilog2()] }
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    pub(super) fn recall(&self, key: u64) -> Bounds {
        let (stored, bounds) = self.slots[self.slot(key)];
        if stored == key { bounds } else { Bounds::UNKNOWN }
    }

    pub(super) fn remember(&mut self, key: u64, bounds: Bounds) {
        let slot = self.slot(key);
        self.slots[slot] = (key, bounds);
    }
}

/// Searches a node unless its bounds already answer, and keeps what comes out.
///
/// `search` gets the part of the window that is still open, and is fail-soft.
fn remembering<T: Tree>(
    walk: &mut Walk<'_, T>,
    alpha: i32,
    beta: i32,
    search: impl FnOnce(&mut Walk<'_, T>, i32, i32) -> i32,
) -> i32 {
    let known = walk.recall();
    if known.lower >= beta || known.lower == known.upper {
        return known.lower;
    }
    if known.upper <= alpha {
        return known.upper;
    }
    let (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));
    let value = search(walk, alpha, beta);
    walk.remember(match value {
        _ if walk.height() == 0 => Bounds::exactly(value),
        _ if value <= alpha => Bounds { upper: value, ..known },
        _ if value >= beta => Bounds { lower: value, ..known },
        _ => Bounds::exactly(value),
    });
    value
}

/// Fail-soft alpha-beta with memory (Plaat, Schaeffer, Pijls, de Bruin 1996).
pub fn alpha_beta<T: Tree>(walk: &mut Walk<'_, T>, alpha: i32, beta: i32) -> i32 {
    remembering(walk, alpha, beta, |walk, alpha, beta| {
        let children = walk.children();
        if children.is_empty() {
            return walk.value();
        }
        let mut best = -INFINITE;
        for child in children {
            let alpha = alpha.max(best);
            best = best.max(-walk.below(child, |walk| alpha_beta(walk, -beta, -alpha)));
            if best >= beta {
                break;
            }
        }
        best
    })
}

/// NegaScout with memory (Reinefeld 1983 over the memory above).
pub fn nega_scout<T: Tree>(walk: &mut Walk<'_, T>, alpha: i32, beta: i32) -> i32 {
    remembering(walk, alpha, beta, |walk, alpha, beta| {
        let children = walk.children();
        if children.is_empty() {
            return walk.value();
        }
        let mut best = -INFINITE;
        let mut bound = beta;
        for child in children {
            let alpha = alpha.max(best);
            let value = -walk.below(child, |walk| nega_scout(walk, -bound, -alpha));
            if child > 0 && value > alpha && value < beta && walk.height() > 2 {
                walk.again();
                best = -walk.below(child, |walk| nega_scout(walk, -beta, -value));
            } else {
                best = best.max(value);
            }
            if best >= beta {
                break;
            }
            bound = alpha.max(best) + 1;
        }
        best
    })
}
