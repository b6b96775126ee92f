//! What a network sees of xiangqi: fourteen kinds of pieces, own before other, on ninety points; the own
//! side sits at the low ranks, and its king never right of the middle.

use crate::{Change, NetGame, View};
use games::xiangqi::{Move, Piece, PieceKind, Side, Square, Xiangqi};

const POINTS: usize = Square::COUNT;
const KINDS: usize = PieceKind::ALL.len();

fn item(piece: Piece, square: Square) -> u16 {
    ((KINDS * piece.side().index() + piece.kind().index()) * POINTS + square.index()) as u16
}

/// The point of an index as a side sees it that sits at the low ranks.
const fn oriented(side: usize, mirrored: bool, index: usize) -> usize {
    let (file, rank) = (index % 9, index / 9);
    let rank = if side == 0 { rank } else { 9 - rank };
    let file = if mirrored { 8 - file } else { file };
    9 * rank + file
}

/// Where each item goes, by side and mirror.
static INPUTS: [[[u16; 2 * KINDS * POINTS]; 2]; 2] = {
    let mut inputs = [[[0; 2 * KINDS * POINTS]; 2]; 2];
    let mut at = 0;
    while at < 4 * 2 * KINDS * POINTS {
        let (view, item) = (at / (2 * KINDS * POINTS), at % (2 * KINDS * POINTS));
        let (side, mirrored) = (view / 2, view % 2);
        let (piece, point) = (item / POINTS, item % POINTS);
        let owner = (piece / KINDS) ^ side;
        let point = oriented(side, mirrored == 1, point);
        inputs[side][mirrored][item] = ((KINDS * owner + piece % KINDS) * POINTS + point) as u16;
        at += 1;
    }
    inputs
};

impl NetGame for Xiangqi {
    const ITEMS: usize = 2 * KINDS * POINTS;
    const MOST_PIECES: usize = 32;
    /// One for all places; one for each of home, beside it and the rest; one for each of six places.
    const BUCKETS: &'static [u8] = &[1, 3, 6];

    #[inline]
    fn items(&self, mut visit: impl FnMut(u16)) {
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                visit(item(piece, square));
            }
        }
    }

    #[inline]
    fn piece_count(&self) -> usize {
        self.occupied().len() as usize
    }

    #[inline]
    fn change(&self, mv: Move) -> Change {
        let mut change = Change::default();
        let Some(piece) = self.moved(mv) else { return change };
        change.off.push(item(piece, mv.from()));
        change.on.push(item(piece, mv.to()));
        if let Some(victim) = self.captured(mv) {
            change.off.push(item(victim, mv.to()));
        }
        if piece.kind() == PieceKind::King {
            change.king = Some((piece.side().index(), mv.to().index() as u8));
        }
        change
    }

    #[inline]
    fn king_point(&self, side: usize) -> u8 {
        self.king(Side::ALL[side]).index() as u8
    }

    #[inline]
    fn view(side: usize, king: u8, buckets: u8) -> View {
        let mirrored = king % 9 > 4;
        let king = oriented(side, mirrored, usize::from(king));
        // The palace: three ranks, and of its files the middle and the left one.
        let (rank, beside) = ((king / 9).min(2) as u8, u8::from(king % 9 != 4));
        let bucket = match (buckets, rank) {
            (3, 0) => beside,
            (3, _) => 2,
            (6, _) => 2 * rank + beside,
            _ => 0,
        };
        View { bucket, mirrored }
    }

    #[inline]
    fn input(side: usize, mirrored: bool, item: u16) -> usize {
        usize::from(INPUTS[side][usize::from(mirrored)][usize::from(item)])
    }
}
