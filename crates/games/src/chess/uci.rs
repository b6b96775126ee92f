//! Moves in the form of the Universal Chess Interface: `e2e4`, `e7e8q`.

use cozy_chess::{File, Piece, Rank, Square};

use super::{Chess, Move};
use crate::{Game, MoveError, MoveList};

/// The places of a move text and what may stand there; the last may be left out.
const FORM: [(&str, &str); 5] = [
    ("abcdefgh", "the file of the start"),
    ("12345678", "the rank of the start"),
    ("abcdefgh", "the file of the end"),
    ("12345678", "the rank of the end"),
    ("nbrq", "the piece that a pawn becomes"),
];

/// The text of a legal move.
pub(super) fn write(position: &Chess, mv: Move) -> String {
    if position.is_castling(mv) && !position.is_chess960() {
        return Move::new(mv.from(), king_target(mv)).to_string();
    }
    mv.to_string()
}

/// Where the king stands after castling: on the g-file, or the c-file if the rook stood on its left.
pub(super) fn king_target(castling: Move) -> Square {
    let (king, rook) = (castling.from(), castling.to());
    Square::new(if rook > king { File::G } else { File::C }, king.rank())
}

/// The legal move of a text.
///
/// Castling may be written by the rook's square or by that on which the king ends. Where the latter
/// is also a step of the king, the text means the step.
pub(super) fn read(position: &Chess, text: &str) -> Result<Move, MoveError> {
    let mv = parse(text).ok_or_else(|| {
        let places = if text.len() > 4 { &FORM[..] } else { &FORM[..4] };
        MoveError::form(text, places)
    })?;
    if position.is_pseudo_legal(mv) {
        return Ok(mv);
    }
    let mut legal = MoveList::new();
    position.legal(&mut legal);
    let castling = legal.iter().find(|&&castling| {
        position.is_castling(castling) && Move::new(castling.from(), king_target(castling)) == mv
    });
    if let Some(&castling) = castling {
        return Ok(castling);
    }
    legal.sort_unstable();
    Err(MoveError::not_legal(text, legal.iter().map(|&mv| write(position, mv))))
}

/// The move that a text names.
fn parse(text: &str) -> Option<Move> {
    let bytes = text.as_bytes();
    let square = |at: usize| {
        let file = bytes.get(at)?.checked_sub(b'a').filter(|&file| file < 8)?;
        let rank = bytes.get(at + 1)?.checked_sub(b'1').filter(|&rank| rank < 8)?;
        Some(Square::new(File::index(file.into()), Rank::index(rank.into())))
    };
    let (from, to) = (square(0)?, square(2)?);
    let piece = match bytes.get(4..)? {
        [] => return Some(Move::new(from, to)),
        b"n" => Piece::Knight,
        b"b" => Piece::Bishop,
        b"r" => Piece::Rook,
        b"q" => Piece::Queen,
        _ => return None,
    };
    Some(Move::promoting(from, to, piece))
}
