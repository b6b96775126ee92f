//! Memory-enhanced test drivers: the value by nothing but tests, with a memory that keeps each of
//! them from beginning anew (Plaat, Schaeffer, Pijls, de Bruin 1994, 1996).
//!
//! The drivers differ in where they begin and on which side they stay.

use super::memory::alpha_beta;
use super::tree::{INFINITE, Tree};
use super::walk::Walk;

/// MT: is the value at least `beta`? Returns a lower bound of it if so, otherwise an upper one.
fn test<T: Tree>(walk: &mut Walk<'_, T>, beta: i32) -> i32 {
    alpha_beta(walk, beta - 1, beta)
}

/// MTD(f) (Plaat, Schaeffer, Pijls, de Bruin 1994): begins at a guess and goes where the value is.
pub fn mtd_f<T: Tree>(walk: &mut Walk<'_, T>, guess: i32) -> i32 {
    let (mut lower, mut upper) = (-INFINITE, INFINITE);
    let mut value = guess;
    while lower < upper {
        if (lower, upper) != (-INFINITE, INFINITE) {
            walk.again();
        }
        let beta = if value == lower { value + 1 } else { value };
        value = test(walk, beta);
        if value < beta {
            upper = value;
        } else {
            lower = value;
        }
    }
    value
}

/// MT-SSS*: from above. Evaluates the leaves that Stockman's SSS* evaluates.
pub fn mt_sss<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let mut value = test(walk, INFINITE);
    loop {
        let beta = value;
        walk.again();
        value = test(walk, beta);
        if value >= beta {
            return value;
        }
    }
}

/// MT-DUAL*: from below. Evaluates the leaves that DUAL* evaluates.
pub fn mt_dual<T: Tree>(walk: &mut Walk<'_, T>) -> i32 {
    let mut value = test(walk, 1 - INFINITE);
    loop {
        let beta = value + 1;
        walk.again();
        value = test(walk, beta);
        if value < beta {
            return value;
        }
    }
}
