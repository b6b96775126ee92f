//! Statements about the family, on synthetic trees and on real games.

mod dominance;
mod games;
mod measured;
mod windows;

use super::memory::Memory;
use super::walk::{Budget, Counts, Walk};
use super::{Algorithm, Leaves, Order, Settings, Tree, Uniform};
use proptest::prelude::*;
use std::collections::HashSet;

/// What an algorithm did to a tree.
struct Done {
    value: i32,
    counts: Counts,
    leaves: HashSet<u64>,
}

fn settings(guess: i32) -> Settings {
    Settings { guess, margin: 5, table_mb: 0, budget: Budget::default() }
}

/// Runs an algorithm that tells its leaves, without a transposition table.
fn run(algorithm: Algorithm, tree: &mut impl Tree, guess: i32) -> Done {
    let memory = match algorithm {
        Algorithm::MtSss | Algorithm::MtDual | Algorithm::MtdF => Memory::of_nodes(),
        _ => Memory::Nothing,
    };
    let mut ignore = |_: &Counts| {};
    let mut walk = Walk::new(tree, memory, &mut ignore);
    let value = algorithm.search(&mut walk, &settings(guess), false);
    walk.go_to([]);
    Done { value, counts: walk.counts(), leaves: walk.into_leaves().into_iter().collect() }
}

/// A search of a window, with the leaves that it evaluated.
fn search<T: Tree>(
    tree: &mut T,
    memory: Memory,
    algorithm: impl FnOnce(&mut Walk<'_, T>) -> i32,
) -> Done {
    let mut ignore = |_: &Counts| {};
    let mut walk = Walk::new(tree, memory, &mut ignore);
    let value = algorithm(&mut walk);
    Done { value, counts: walk.counts(), leaves: walk.into_leaves().into_iter().collect() }
}

/// Small trees of every kind; few different values make many ties.
fn small_tree() -> impl Strategy<Value = Uniform> {
    let order = prop_oneof![Just(Order::Good), Just(Order::Random), Just(Order::Worst)];
    let leaves = (prop_oneof![1u32..6, Just(1000)], proptest::option::of(order)).prop_map(
        |(range, order)| match order {
            Some(order) => Leaves::Summed { range, order },
            None => Leaves::Independent { range },
        },
    );
    (1usize..6, 0u32..6, leaves, any::<u64>()).prop_map(|(branching, depth, leaves, number)| {
        Uniform::new(branching, depth, leaves, number)
    })
}

/// The same tree with the best child first at every node.
struct Perfect<T> {
    tree: T,
    /// For every ply, the children of the node on the line from the best to the worst.
    orders: Vec<Vec<usize>>,
    ply: usize,
}

impl<T: Tree> Perfect<T> {
    fn new(tree: T) -> Self {
        Self { tree, orders: Vec::new(), ply: 0 }
    }
}

fn true_value(tree: &mut impl Tree) -> i32 {
    let width = tree.width();
    if width == 0 {
        return tree.value();
    }
    let mut best = i32::MIN;
    for child in 0..width {
        tree.descend(child);
        best = best.max(-true_value(tree));
        tree.ascend();
    }
    best
}

impl<T: Tree> Tree for Perfect<T> {
    fn width(&mut self) -> usize {
        let width = self.tree.width();
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by_cached_key(|&child| {
            self.tree.descend(child);
            let value = true_value(&mut self.tree);
            self.tree.ascend();
            value
        });
        self.orders.truncate(self.ply);
        self.orders.push(order);
        // The look at the children may have left the tree's own notes about this node behind.
        self.tree.width()
    }

    fn descend(&mut self, child: usize) {
        self.tree.descend(self.orders[self.ply][child]);
        self.ply += 1;
    }

    fn ascend(&mut self) {
        self.ply -= 1;
        self.tree.ascend();
    }

    fn value(&mut self) -> i32 {
        self.tree.value()
    }

    fn height(&self) -> u32 {
        self.tree.height()
    }

    fn key(&self) -> u64 {
        self.tree.key()
    }
}
