//! The line of moves that led to a position: the way back, and where a position stood before.
//!
//! Captures are no horizon in shogi, since what was captured can be dropped again: a position may repeat
//! one of any age. So the positions of the line are chained by a few bits of their hash, and finding the
//! earlier occurrences of a position is a look at a chain that is nearly always empty.

use super::{Move, Piece, SquareSet};

/// Chains; a power of two.
const CHAINS: usize = 1024;

/// What a move or a pass destroys, and the position before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub(super) hash: u64,
    pub(super) checkers: SquareSet,
    pub(super) pinned: SquareSet,
    pub(super) checks: [u16; 2],
    /// The default move for a pass.
    pub(super) mv: Move,
    pub(super) captured: Option<Piece>,
    /// Where repetitions were sought from, before.
    start: u32,
    /// One more than the index of the next older position in the same chain; 0 at its end.
    older: u32,
}

/// The moves made since the position was created from a text or as the start.
#[derive(Clone)]
pub(super) struct Line {
    undos: Vec<Undo>,
    /// One more than the index of the newest position in each chain; 0 for none.
    newest: Box<[u32; CHAINS]>,
    /// The index of the oldest position that the present one may repeat.
    start: u32,
}

impl Line {
    pub(super) fn new() -> Self {
        Self { undos: Vec::new(), newest: Box::new([0; CHAINS]), start: 0 }
    }

    /// Half-moves made, passes included.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.undos.len()
    }

    /// The last move or pass.
    #[inline]
    pub(super) fn last(&self) -> Option<&Undo> {
        self.undos.last()
    }

    /// Appends the position that is about to change by a move.
    #[inline]
    pub(super) fn push(
        &mut self,
        hash: u64,
        (checkers, pinned): (SquareSet, SquareSet),
        checks: [u16; 2],
        mv: Move,
        captured: Option<Piece>,
    ) {
        let newest = &mut self.newest[chain(hash)];
        let (start, older) = (self.start, *newest);
        self.undos.push(Undo { hash, checkers, pinned, checks, mv, captured, start, older });
        *newest = self.undos.len() as u32;
    }

    /// Lets no position up to now count as an earlier occurrence.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.start = self.undos.len() as u32;
    }

    /// Takes the last position off again.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Undo> {
        let undo = self.undos.pop()?;
        self.newest[chain(undo.hash)] = undo.older;
        self.start = undo.start;
        Some(undo)
    }

    /// How many half-moves ago a position of this hash stood, newest first.
    #[inline]
    pub(super) fn occurrences(&self, hash: u64) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.newest[chain(hash)];
        std::iter::from_fn(move || {
            while next > self.start {
                let index = next as usize - 1;
                let undo = &self.undos[index];
                next = undo.older;
                if undo.hash == hash {
                    return Some(self.undos.len() - index);
                }
            }
            None
        })
    }
}

/// Shows the chains that hold something.
impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { undos, newest, start } = self;
        let chains: Vec<_> = newest.iter().enumerate().filter(|(_, newest)| **newest > 0).collect();
        f.debug_struct("Line")
            .field("undos", undos)
            .field("newest", &chains)
            .field("start", start)
            .finish()
    }
}

#[inline]
const fn chain(hash: u64) -> usize {
    hash as usize & (CHAINS - 1)
}
