//! The definition of the value of a game, and the first program for it.

use super::tree::{INFINITE, Tree};
use super::walk::Walk;

/// Minimax (von Neumann 1928; as a program Shannon 1950): the first player takes the greatest of
/// its values, the second the least.
pub fn minimax<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    children.fold(-INFINITE, |best, child| best.max(walk.below(child, minimum)))
}

/// The same where the second player is to move.
fn minimum<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return -walk.value();
    }
    children.fold(INFINITE, |best, child| best.min(walk.below(child, minimax)))
}

/// Negamax (Knuth, Moore 1975): both players maximise, each its own view.
pub fn negamax<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    children.fold(-INFINITE, |best, child| best.max(-walk.below(child, negamax)))
}
