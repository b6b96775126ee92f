//! What a network sees of a position.

use arrayvec::ArrayVec;
use games::Game;

/// How one side looks at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The set of rows that the place of its king chooses.
    pub bucket: u8,
    /// Whether left and right are swapped.
    pub mirrored: bool,
}

/// What a move does to the board: pieces that leave a point and pieces that come to one, as items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What stands there no longer.
    pub off: ArrayVec<u16, 2>,
    /// What stands there now.
    pub on: ArrayVec<u16, 2>,
    /// The side whose king has moved, 0 or 1, and the point that it stands on now.
    pub king: Option<(usize, u8)>,
}

/// A game whose positions a network can look at.
///
/// An *item* is a piece of a side on a point, one number below [`NetGame::ITEMS`] that does not depend
/// on who looks. Sides are 0, who moves first in the initial position, and 1.
pub trait NetGame: Game {
    /// How many different items there are.
    const ITEMS: usize;

    /// Most pieces on a board.
    const MOST_PIECES: usize;

    /// The numbers of king buckets that networks of this game may have.
    const BUCKETS: &'static [u8];

    /// Visits every item of the position, in an order that is equal on every machine.
    fn items(&self, visit: impl FnMut(u16));

    /// Pieces on the board.
    fn piece_count(&self) -> usize;

    /// What a legal move, not yet made, changes.
    fn change(&self, mv: Self::Move) -> Change;

    /// The point of a side's king.
    fn king_point(&self, side: usize) -> u8;

    /// How a side looks at the board when its king stands there, with so many buckets.
    fn view(side: usize, king: u8, buckets: u8) -> View;

    /// Which of [`NetGame::ITEMS`] inputs of a bucket an item sets.
    fn input(side: usize, mirrored: bool, item: u16) -> usize;
}
