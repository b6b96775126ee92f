//! What the classic algorithms ask of a tree: children in an order, values at the leaves.

/// More than every value of every tree; its negation is less than every value.
pub const INFINITE: i32 = 1 << 30;

/// A finite tree with somebody standing on one of its nodes, at first on the root.
///
/// The tree is the same however it is walked: a node's children, their order and the values depend
/// on the node alone. That is what makes the counts of two algorithms comparable.
pub trait Tree {
    /// How many children the present node has; 0 makes it a leaf. Asked once on every arrival,
    /// before any [`Tree::descend`] from here or [`Tree::value`].
    fn width(&mut self) -> usize;

    /// Goes down to a child, counted from 0.
    fn descend(&mut self, child: usize);

    /// Goes back up to the parent.
    fn ascend(&mut self);

    /// The value of the present leaf from the view of the side to move there, below [`INFINITE`]
    /// in size.
    fn value(&mut self) -> i32;

    /// Plies below the present node at most; 0 at a leaf. Asked after [`Tree::width`].
    fn height(&self) -> u32;

    /// A hash that is equal for nodes with equal subtrees: by it a table joins transpositions.
    fn key(&self) -> u64;
}

/// How the children of a node are ordered, as far as can be told before they are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those that look best come first.
    Good,
    /// By chance.
    Random,
    /// Those that look worst come first.
    Worst,
}

/// SplitMix64 (Steele, Lea, Flood 2014) as a hash of one number.
#[inline]
pub(crate) const fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The name of a child, by the name of its parent: a hash of the path from the root.
#[inline]
pub(crate) const fn child_id(parent: u64, child: usize) -> u64 {
    mix(parent.wrapping_mul(0x0100_0000_01b3).wrapping_add(child as u64 + 1))
}
