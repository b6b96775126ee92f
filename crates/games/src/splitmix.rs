//! SplitMix64 (Steele, Lea, Flood 2014): constant-seeded hash keys, equal on every machine.

/// One step: the next state and the number drawn from it.
pub(crate) const fn next(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

#[cfg(test)]
mod tests {
    #[test]
    fn draws_the_published_sequence_of_seed_zero() {
        let (state, first) = super::next(0);
        let (_, second) = super::next(state);
        assert_eq!((first, second), (0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4));
    }
}
