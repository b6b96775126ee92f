//! Aspiration search: a window around a guess, opened on the side on which it fails.

use super::tree::{INFINITE, Tree};
use super::walk::Walk;

/// Aspiration search (Gillogly 1972; Baudet 1978 analyses it) with any search of a window,
/// fail-soft or fail-hard.
///
/// A failure bounds the value by what was returned, so only the part beyond is opened.
pub fn aspiration<'a, T: Tree>(
    walk: &mut Walk<'a, T>,
    guess: i32,
    margin: i32,
    search: impl Fn(&mut Walk<'a, T>, i32, i32) -> i32,
) -> i32 {
    let (alpha, beta) = (guess - margin, guess + margin);
    let value = search(walk, alpha, beta);
    if value <= alpha {
        walk.again();
        search(walk, -INFINITE, value)
    } else if value >= beta {
        walk.again();
        search(walk, value, INFINITE)
    } else {
        value
    }
}
