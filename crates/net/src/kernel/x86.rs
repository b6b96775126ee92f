//! The loops in vectors of x86-64.

#![expect(unsafe_code, reason = "vector instructions read and write memory by address")]

use super::Block;
use crate::QUANTUM_IN;
use std::arch::x86_64::*;

/// [`super::Kernel::is_here`] is asked before this kernel is chosen; asking again costs a load.
fn assert_avx2() {
    assert!(std::arch::is_x86_feature_detected!("avx2"), "AVX2 was chosen and is not here");
}

#[inline]
pub(super) fn update_avx2<'a>(
    to: &mut [Block],
    from: &[Block],
    on: impl Iterator<Item = &'a [Block]>,
    off: impl Iterator<Item = &'a [Block]>,
) {
    assert_avx2();
    // SAFETY: AVX2 is here.
    unsafe { update_wide(to, from, on, off) }
}

#[target_feature(enable = "avx2")]
fn update_wide<'a>(
    to: &mut [Block],
    from: &[Block],
    on: impl Iterator<Item = &'a [Block]>,
    off: impl Iterator<Item = &'a [Block]>,
) {
    to.copy_from_slice(&from[..to.len()]);
    for row in on {
        for (to, row) in to.iter_mut().zip(row) {
            let [low, high] = wide(to);
            let [row_low, row_high] = wide(row);
            store_wide(to, [_mm256_add_epi16(low, row_low), _mm256_add_epi16(high, row_high)]);
        }
    }
    for row in off {
        for (to, row) in to.iter_mut().zip(row) {
            let [low, high] = wide(to);
            let [row_low, row_high] = wide(row);
            store_wide(to, [_mm256_sub_epi16(low, row_low), _mm256_sub_epi16(high, row_high)]);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn wide(block: &Block) -> [__m256i; 2] {
    let at = block.0.as_ptr().cast::<__m256i>();
    // SAFETY: a block is 64 bytes on a boundary of 64.
    unsafe { [_mm256_load_si256(at), _mm256_load_si256(at.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_wide(block: &mut Block, [low, high]: [__m256i; 2]) {
    let at = block.0.as_mut_ptr().cast::<__m256i>();
    // SAFETY: a block is 64 bytes on a boundary of 64.
    unsafe {
        _mm256_store_si256(at, low);
        _mm256_store_si256(at.add(1), high);
    }
}

#[inline]
pub(super) fn output_avx2(values: &[Block], weights: &[Block]) -> i32 {
    assert_avx2();
    // SAFETY: AVX2 is here.
    unsafe { output_wide(values, weights) }
}

#[target_feature(enable = "avx2")]
fn output_wide(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QUANTUM_IN));
    let mut sums = [zero; 2];
    for (value, weight) in values.iter().zip(weights) {
        let halves = wide(value).into_iter().zip(wide(weight));
        for (sum, (value, weight)) in sums.iter_mut().zip(halves) {
            let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            let product = _mm256_mullo_epi16(clipped, weight);
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, clipped));
        }
    }
    let sum = _mm256_add_epi32(sums[0], sums[1]);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    add_lanes(sum)
}

/// The sum of the four lanes.
#[inline]
fn add_lanes(lanes: __m128i) -> i32 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let sum = _mm_add_epi32(lanes, _mm_shuffle_epi32::<0b01_00_11_10>(lanes));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
        _mm_cvtsi128_si32(sum)
    }
}

#[inline]
fn narrow(block: &Block) -> [__m128i; 4] {
    let at = block.0.as_ptr().cast::<__m128i>();
    // SAFETY: a block is 64 bytes on a boundary of 64; SSE2 is part of x86-64.
    std::array::from_fn(|part| unsafe { _mm_load_si128(at.add(part)) })
}

#[inline]
fn store_narrow(block: &mut Block, parts: [__m128i; 4]) {
    let at = block.0.as_mut_ptr().cast::<__m128i>();
    for (part, value) in parts.into_iter().enumerate() {
        // SAFETY: a block is 64 bytes on a boundary of 64; SSE2 is part of x86-64.
        unsafe { _mm_store_si128(at.add(part), value) };
    }
}

#[inline]
pub(super) fn update_sse2<'a>(
    to: &mut [Block],
    from: &[Block],
    on: impl Iterator<Item = &'a [Block]>,
    off: impl Iterator<Item = &'a [Block]>,
) {
    to.copy_from_slice(&from[..to.len()]);
    for row in on {
        for (to, row) in to.iter_mut().zip(row) {
            let (old, row) = (narrow(to), narrow(row));
            // SAFETY: SSE2 is part of x86-64.
            store_narrow(to, std::array::from_fn(|i| unsafe { _mm_add_epi16(old[i], row[i]) }));
        }
    }
    for row in off {
        for (to, row) in to.iter_mut().zip(row) {
            let (old, row) = (narrow(to), narrow(row));
            // SAFETY: SSE2 is part of x86-64.
            store_narrow(to, std::array::from_fn(|i| unsafe { _mm_sub_epi16(old[i], row[i]) }));
        }
    }
}

#[inline]
pub(super) fn output_sse2(values: &[Block], weights: &[Block]) -> i32 {
    // SAFETY: SSE2 is part of x86-64.
    let sum = unsafe {
        let (zero, one) = (_mm_setzero_si128(), _mm_set1_epi16(QUANTUM_IN));
        let mut sum = zero;
        for (value, weight) in values.iter().zip(weights) {
            for (value, weight) in narrow(value).into_iter().zip(narrow(weight)) {
                let clipped = _mm_min_epi16(_mm_max_epi16(value, zero), one);
                let product = _mm_mullo_epi16(clipped, weight);
                sum = _mm_add_epi32(sum, _mm_madd_epi16(product, clipped));
            }
        }
        sum
    };
    add_lanes(sum)
}
