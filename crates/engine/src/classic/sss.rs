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
use std::rc::Rc;

/// A step from a node to one of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// Which child, from the left.
    child: u32,
    /// How many children stand to the right of it.
    more: u32,
}

impl Step {
    /// The steps to `children` children, from the left.
    fn each(children: usize) -> impl Iterator<Item = Step> {
        let more = (0..children as u32).rev();
        (0..).zip(more).map(|(child, more)| Step { child, more })
    }

    /// The step to the next child.
    fn right(self) -> Option<Step> {
        Some(Step { child: self.child + 1, more: self.more.checked_sub(1)? })
    }
}

/// The way from the root to a node. Ways are ordered as their ends stand from left to right.
type Way = Rc<[Step]>;

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
    let mut open = Open::default();
    open.push(&[], State::Live, INFINITE);
    loop {
        let (way, state, merit) = open.pop_best();
        let is_max = way.len() % 2 == max_parity;
        match (state, way.split_last()) {
            (State::Live, _) => {
                walk.go_to(way.iter().map(|step| step.child as usize));
                let mut steps = Step::each(walk.children().len());
                // Max may choose any child, each the beginning of a solution tree of its own; the
                // answers of Min have to be met one after the other.
                let begun = if is_max { usize::MAX } else { 1 };
                let Some(first) = steps.next() else {
                    let value = if is_max { walk.value() } else { -walk.value() };
                    open.push(&way, State::Solved, merit.min(value));
                    continue;
                };
                for step in std::iter::once(first).chain(steps).take(begun) {
                    open.push(&[&way[..], &[step]].concat(), State::Live, merit);
                }
            }
            (State::Solved, None) => return merit,
            (State::Solved, Some((step, parent))) => match step.right() {
                Some(next) if is_max => {
                    open.push(&[parent, &[next]].concat(), State::Live, merit);
                }
                None if is_max => open.push(parent, State::Solved, merit),
                // The best of Max's children is solved first: the others are worth no more.
                _ => {
                    open.purge_below(parent);
                    open.push(parent, State::Solved, merit);
                }
            },
        }
        walk.holds(open.len());
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
    fn push(&mut self, way: &[Step], state: State, merit: i32) {
        let way = Way::from(way);
        self.by_merit.insert((Reverse(merit), way.clone()));
        self.by_way.insert(way, (state, merit));
    }

    fn pop_best(&mut self) -> (Way, State, i32) {
        let (_, way) = self.by_merit.pop_first().expect("some solution tree is always under way");
        let (state, merit) = self.by_way.remove(&way).expect("both maps hold the same nodes");
        (way, state, merit)
    }

    fn len(&self) -> usize {
        self.by_way.len()
    }

    fn purge_below(&mut self, way: &[Step]) {
        let below: Vec<Way> = self
            .by_way
            .range(Way::from(way)..)
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
