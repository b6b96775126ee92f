//! The loops in plain arithmetic: what the others must equal.

use super::Block;
use crate::QUANTUM_IN;

pub(super) fn update<'a>(
    to: &mut [Block],
    from: &[Block],
    on: impl Iterator<Item = &'a [Block]>,
    off: impl Iterator<Item = &'a [Block]>,
) {
    to.copy_from_slice(&from[..to.len()]);
    for row in on {
        change(to, row, i16::wrapping_add);
    }
    for row in off {
        change(to, row, i16::wrapping_sub);
    }
}

fn change(to: &mut [Block], row: &[Block], by: impl Fn(i16, i16) -> i16) {
    for (to, row) in to.iter_mut().zip(row) {
        for (to, row) in to.0.iter_mut().zip(row.0) {
            *to = by(*to, row);
        }
    }
}

pub(super) fn output(values: &[Block], weights: &[Block]) -> i32 {
    let pairs = values.iter().zip(weights).flat_map(|(v, w)| v.0.into_iter().zip(w.0));
    pairs.fold(0_i32, |sum, (value, weight)| {
        let clipped = value.clamp(0, QUANTUM_IN);
        // As in vectors: the product with the weight first, which fits 16 bits.
        let product = clipped.wrapping_mul(weight);
        sum.wrapping_add(i32::from(product) * i32::from(clipped))
    })
}
