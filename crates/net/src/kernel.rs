//! The two inner loops, for what the processor can do; whichever runs gives the same integers.
//!
//! Sums of 16 and 32 bits wrap in all of them, and wrap in none with a network whose bounds were checked
//! ([`crate::Network::new`]). On aarch64 the plain loops stand, which its compiler makes vectors of.

mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Neurons of a block.
pub const BLOCK: usize = 32;

/// Values of 32 neighbouring neurons, in one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; BLOCK]);

impl Default for Block {
    fn default() -> Self {
        Self([0; BLOCK])
    }
}

/// What the inner loops are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// One number at a time, as far as the source says.
    Plain,
    /// 128 bits; every x86-64 has it.
    Sse2,
    /// 256 bits.
    Avx2,
}

impl Kernel {
    /// All of them, the fastest last.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Sse2, Self::Avx2];

    /// Whether this machine has it.
    #[must_use]
    pub fn is_here(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Sse2 | Self::Avx2 => false,
        }
    }

    /// The fastest that this machine has.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_here()).unwrap_or(Self::Plain)
    }

    /// `to` becomes `from` with some rows added and others taken away. `rows` holds rows as long as `to`,
    /// one after another; a row is named by its number.
    ///
    /// # Panics
    /// `from` is shorter than `to`, or there is no such row.
    #[inline]
    pub(crate) fn update(
        self,
        to: &mut [Block],
        from: &[Block],
        rows: &[Block],
        on: &[usize],
        off: &[usize],
    ) {
        let blocks = to.len();
        let row = |&number: &usize| &rows[number * blocks..][..blocks];
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::update_avx2(to, from, on.iter().map(row), off.iter().map(row)),
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => x86::update_sse2(to, from, on.iter().map(row), off.iter().map(row)),
            _ => plain::update(to, from, on.iter().map(row), off.iter().map(row)),
        }
    }

    /// The sum of `clamp(value, 0, 255)² × weight` over all neurons.
    ///
    /// # Panics
    /// The two differ in length.
    #[inline]
    pub(crate) fn output(self, values: &[Block], weights: &[Block]) -> i32 {
        assert_eq!(values.len(), weights.len(), "a weight for each neuron");
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::output_avx2(values, weights),
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => x86::output_sse2(values, weights),
            _ => plain::output(values, weights),
        }
    }
}
