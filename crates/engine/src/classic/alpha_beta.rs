//! Alpha-beta: what lies at or beyond a bound need not be known exactly.
//!
//! Both forms answer a window (alpha, beta) around the value v of a node:
//! inside it they return v; at or below alpha, v is at most what they return; at or above beta, at
//! least. Knuth and Moore (1975) prove it, and that the least number of leaves of a uniform tree
//! is b^⌈d/2⌉ + b^⌊d/2⌋ − 1, reached when the best child comes first.

use super::tree::{INFINITE, Tree};
use super::walk::Walk;

/// Fail-hard alpha-beta (Knuth, Moore 1975, their F2): never returns a value outside the window.
pub fn fail_hard<T: Tree>(walk: &mut Walk<'_, T>, mut alpha: i32, beta: i32) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value().clamp(alpha, beta);
    }
    for child in children {
        alpha = alpha.max(-walk.below(child, |walk| fail_hard(walk, -beta, -alpha)));
        if alpha >= beta {
            return beta;
        }
    }
    alpha
}

/// Fail-soft alpha-beta (Fishburn 1983): outside the window the tightest bound that was seen.
pub fn fail_soft<T: Tree>(walk: &mut Walk<'_, T>, alpha: i32, beta: i32) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    let mut best = -INFINITE;
    for child in children {
        let alpha = alpha.max(best);
        best = best.max(-walk.below(child, |walk| fail_soft(walk, -beta, -alpha)));
        if best >= beta {
            break;
        }
    }
    best
}
