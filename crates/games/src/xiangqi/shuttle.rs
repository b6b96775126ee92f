//! The move by which a position of the line would stand again, found by the difference of two hashes
//! instead of by trying all moves (M. van Kervinck, "The design and implementation of the Rookie 2.0
//! chess playing program", 2013; here with open addressing in place of cuckoo hashing).

use super::zobrist::{self, BLACK_TO_MOVE};
use super::{Move, Piece, PieceKind, Side, Square, Xiangqi};
use std::sync::LazyLock;

/// A move there and back, by what it changes in the hash.
#[derive(Clone, Copy)]
struct Shuttle {
    key: u64,
    piece: Piece,
    mv: Move,
}

/// Some 4,000 are kept: a table that is half full.
const SLOTS: usize = 1 << 13;

static SHUTTLES: LazyLock<Vec<Option<Shuttle>>> = LazyLock::new(|| {
    let mut table = vec![None; SLOTS];
    for piece in
        Side::ALL.into_iter().flat_map(|side| PieceKind::ALL.map(|kind| Piece::new(side, kind)))
    {
        for from in Square::all() {
            for to in Square::all().filter(|to| to.index() > from.index()) {
                if !shuttles(piece.kind(), from, to) {
                    continue;
                }
                let key = zobrist::piece_key(piece, from) ^ zobrist::piece_key(piece, to);
                let free = places(key).find(|&slot| table[slot].is_none());
                if let Some(slot) = free {
                    table[slot] = Some(Shuttle { key, piece, mv: Move::new(from, to) });
                }
            }
        }
    }
    table
});

/// Whether a kind of piece may go from one point to the other and back, were the board empty; more
/// than that is asked once a move is found.
fn shuttles(kind: PieceKind, from: Square, to: Square) -> bool {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    match kind {
        PieceKind::Rook | PieceKind::Cannon => files == 0 || ranks == 0,
        PieceKind::Horse => files + ranks == 3 && files > 0 && ranks > 0,
        PieceKind::Elephant => files == 2 && ranks == 2,
        PieceKind::Advisor => files == 1 && ranks == 1,
        PieceKind::King => files + ranks == 1,
        PieceKind::Pawn => files == 1 && ranks == 0,
    }
}

/// Where a key may lie, the likely places first.
fn places(key: u64) -> impl Iterator<Item = usize> {
    let first = (key >> 51) as usize;
    (0..SLOTS).map(move |step| (first + step) % SLOTS)
}

fn find(key: u64) -> Option<Shuttle> {
    places(key).map_while(|slot| SHUTTLES[slot]).find(|shuttle| shuttle.key == key)
}

impl Xiangqi {
    /// [`crate::Game::repeating_move`].
    #[inline]
    pub(super) fn shuttle(&self) -> Option<Move> {
        let horizon = usize::from(self.reversible_plies).min(self.history.len());
        if horizon < 3 {
            return None;
        }
        let line = &self.history[self.history.len() - horizon..];
        line.iter().rev().skip(2).step_by(2).find_map(|undo| {
            let Shuttle { piece, mv, .. } = find(self.hash ^ undo.hash ^ BLACK_TO_MOVE)?;
            let there = if self.piece_on(mv.from()) == Some(piece) {
                mv
            } else {
                Move::new(mv.to(), mv.from())
            };
            let fits = self.piece_on(there.from()) == Some(piece)
                && self.piece_on(there.to()).is_none()
                && self.reaches(there);
            fits.then_some(there)
        })
    }
}
