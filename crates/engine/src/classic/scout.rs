//! SCOUT and what came of it: guess that the first child is best, and only ask of the others
//! whether they are better.
//!
//! Asking costs less than evaluating, as the window is empty; a child that is better has to be
//! searched again. The better the order, the fewer of them.

use super::tree::{INFINITE, Tree};
use super::walk::Walk;

/// SCOUT (Pearl 1980): evaluates the first child, tests the others, evaluates those that pass.
pub fn scout<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    let mut best = -INFINITE;
    for child in children {
        if child == 0 {
            best = -walk.below(child, scout);
        } else if !walk.below(child, |walk| exceeds(walk, -best - 1)) {
            walk.again();
            best = -walk.below(child, scout);
        }
    }
    best
}

/// Pearl's TEST: whether the value is more than `bound`. The value of a child, negated, exceeds it
/// when the child's own does not exceed `-bound - 1`, values being whole numbers.
pub fn exceeds<T: Tree>(walk: &mut Walk<'_, T>, bound: i32) -> bool {
    let children = walk.children();
    if children.is_empty() {
        return walk.value() > bound;
    }
    for child in children {
        if !walk.below(child, |walk| exceeds(walk, -bound - 1)) {
            return true;
        }
    }
    false
}

/// NegaScout (Reinefeld 1983): SCOUT inside a window, with the test done by the search itself. At
/// the last two plies the test has already found the value.
pub fn nega_scout<T: Tree>(walk: &mut Walk<'_, T>, alpha: i32, beta: i32) -> i32 {
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
}

/// Principal variation search (Marsland, Campbell 1982): the first child takes the whole window,
/// every other one a window of one point, and the whole again when that fails high.
pub fn pvs<T: Tree>(walk: &mut Walk<'_, T>, alpha: i32, beta: i32) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    let mut best = -INFINITE;
    for child in children {
        if child == 0 {
            best = -walk.below(child, |walk| pvs(walk, -beta, -alpha));
        } else {
            let alpha = alpha.max(best);
            let mut value = -walk.below(child, |walk| pvs(walk, -alpha - 1, -alpha));
            if value > alpha && value < beta {
                walk.again();
                value = -walk.below(child, |walk| pvs(walk, -beta, -value));
            }
            best = best.max(value);
        }
        if best >= beta {
            break;
        }
    }
    best
}

/// Principal variation search in the form that many programs use: the window of one point begins
/// only after a child has raised alpha, that is, after a principal variation was found.
pub fn pvs_found<T: Tree>(walk: &mut Walk<'_, T>, mut alpha: i32, beta: i32) -> i32 {
    let children = walk.children();
    if children.is_empty() {
        return walk.value();
    }
    let mut best = -INFINITE;
    let mut found = false;
    for child in children {
        let bound = if found { alpha + 1 } else { beta };
        let mut value = -walk.below(child, |walk| pvs_found(walk, -bound, -alpha));
        if found && value > alpha && value < beta {
            walk.again();
            value = -walk.below(child, |walk| pvs_found(walk, -beta, -alpha));
        }
        best = best.max(value);
        if best >= beta {
            break;
        }
        if best > alpha {
            (alpha, found) = (best, true);
        }
    }
    best
}
