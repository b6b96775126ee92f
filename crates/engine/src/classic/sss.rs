//! SSS*: the best of all partial solutions is always worked on first, as in A*.
//!
//! A *solution tree* of Max holds one move for Max and every answer of Min: its value is the least
//! of its leaves, and the game's value is that of the best solution tree. SSS* keeps a list OPEN of
//! nodes, each standing for a solution tree under way, with its *merit*, a bound from above on what
//! it can be worth.

use super::tree::{INFINITE, Tree};
use super::walk::Walk;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A step from a node to one of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// Which child, from the left.
    child: usize,
    /// How many children stand to the right of it.
    more: usize,
}

/// The way from the root to a node. Ways are ordered as their ends stand from left to right.
type Way = Vec<Step>;

/// Whether a node's part of the solution tree is still to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    Solved,
}

/// SSS* (Stockman 1979): Max is the side to move at the root.
pub fn sss<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    best_first(walk, 0)
}

/// DUAL* (Marsland, Reinefeld, Schaeffer 1987): SSS* for the other side, so that the bound rises
/// from below.
pub fn dual<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    -best_first(walk, 1)
}

/// The value for Max, who moves after an even number of plies (`max_parity` 0) or an odd one (1).
///
/// The cases are those of Stockman's operator Γ.
fn best_first<T: Tree>(walk: &mut Walk<'_, T>, max_parity: usize) -> i32 {
    let is_max = |way: &Way| way.len() % 2 == max_parity;
    let mut open = Open::default();
    open.push(Way::new(), State::Live, INFINITE);
    loop {
        let (mut way, state, merit) = open.pop_best();
        if state == State::Live {
            walk.go_to(way.iter().map(|step| step.child));
            let children = walk.children();
            let last = children.end.saturating_sub(1);
            if children.is_empty() {
                let value = if is_max(&way) { walk.value() } else { -walk.value() };
                open.push(way, State::Solved, merit.min(value));
            } else if is_max(&way) {
                // Max may choose any: each child begins a solution tree of its own.
                for child in children {
                    let step = Step { child, more: last - child };
                    open.push([&way[..], &[step]].concat(), State::Live, merit);
                }
            } else {
                // Every answer of Min has to be met, one after the other.
                way.push(Step { child: 0, more: last });
                open.push(way, State::Live, merit);
            }
        } else {
            let was_max = is_max(&way);
            match way.pop() {
                None => return merit,
                Some(Step { child, more }) if was_max && more > 0 => {
                    way.push(Step { child: child + 1, more: more - 1 });
                    open.push(way, State::Live, merit);
                }
                Some(_) if was_max => open.push(way, State::Solved, merit),
                Some(_) => {
                    // The best of Max's children is solved first: the others are worth no more.
                    open.purge_below(&way);
                    open.push(way, State::Solved, merit);
                }
            }
        }
        if walk.is_exhausted() {
            return merit;
        }
    }
}

/// The list OPEN: the best merit first, and the leftmost of equals.
#[derive(Debug, Default)]
struct Open {
    by_merit: BTreeSet<(Reverse<i32>, Way)>,
    by_way: BTreeMap<Way, (State, i32)>,
}

impl Open {
    fn push(&mut self, way: Way, state: State, merit: i32) {
        self.by_merit.insert((Reverse(merit), way.clone()));
        self.by_way.insert(way, (state, merit));
    }

    fn pop_best(&mut self) -> (Way, State, i32) {
        let (_, way) = self.by_merit.pop_first().expect("some solution tree is always under way");
        let (state, merit) = self.by_way.remove(&way).expect("both maps hold the same nodes");
        (way, state, merit)
    }

    fn purge_below(&mut self, way: &Way) {
        let below: Vec<Way> = self
            .by_way
            .range(way.clone()..)
            .map(|(node, _)| node)
            .take_while(|node| node.starts_with(way))
            .cloned()
            .collect();
        for node in below {
            if let Some((_, merit)) = self.by_way.remove(&node) {
                self.by_merit.remove(&(Reverse(merit), node));
            }
        }
    }
}
