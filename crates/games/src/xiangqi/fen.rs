//! Position texts: strict reading, canonical writing.

use super::rules::MOVE_LIMIT_PLIES;
use super::{Piece, PieceKind, Side, Square, SquareSet, Xiangqi, tables};
use crate::FenError;
use crate::error::offset_in;

/// The initial position.
pub(super) const START: &str =
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Move numbers beyond this are refused; a longer game is written with this number.
const LAST_MOVE_NUMBER: u16 = 9999;

const FIELDS: [&str; 6] =
    ["board", "side to move", "third field", "fourth field", "quiet plies", "move number"];

/// Reads a position text.
pub(super) fn read(text: &str) -> Result<Xiangqi, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().unwrap_or("");
    let pieces = read_board(text, board)?;
    check_pieces(&pieces)?;
    let side = match fields.next() {
        None | Some("w" | "r") => Side::Red,
        Some("b") => Side::Black,
        Some(other) => {
            return Err(FenError::part("side to move", other, "w or r for Red, b for Black"));
        }
    };
    for name in &FIELDS[2..4] {
        match fields.next() {
            None | Some("-") => {}
            Some(other) => return Err(FenError::part(name, other, "-")),
        }
    }
    let quiet_plies = read_count(FIELDS[4], fields.next(), 0, u16::from(MOVE_LIMIT_PLIES))?;
    let full_move = read_count(FIELDS[5], fields.next(), 1, LAST_MOVE_NUMBER)?;
    if let Some(more) = fields.next() {
        return Err(FenError::part("text after the move number", more, "nothing"));
    }
    let position = Xiangqi::from_checked(&pieces, side, quiet_plies as u8, full_move.into());
    if position.king_attacked(side.other()) {
        let found = if side == Side::Red { "w" } else { "b" };
        let allowed = "a position in which the king of the side that has just moved is not \
                       attacked, also not by the other king on an open file";
        return Err(FenError::part("side to move", found, allowed));
    }
    Ok(position)
}

/// Writes a position text with all six fields.
pub(super) fn write(position: &Xiangqi) -> String {
    let mut text = String::with_capacity(80);
    for rank in (0..10).rev() {
        let mut empty = 0;
        for file in 0..9 {
            let piece = Square::at(file, rank).and_then(|square| position.piece_on(square));
            match piece {
                None => empty += 1,
                Some(piece) => {
                    push_empty(&mut text, empty);
                    empty = 0;
                    text.push(piece.letter());
                }
            }
        }
        push_empty(&mut text, empty);
        if rank > 0 {
            text.push('/');
        }
    }
    let side = if position.side_to_move() == Side::Red { 'w' } else { 'b' };
    let quiet_plies = position.quiet_plies();
    let full_move = position.full_move().min(LAST_MOVE_NUMBER.into());
    text + &format!(" {side} - - {quiet_plies} {full_move}")
}

fn push_empty(text: &mut String, empty: u8) {
    if empty > 0 {
        text.push((b'0' + empty) as char);
    }
}

/// The pieces of the first field of a text, rank 9 and file a first.
fn read_board(text: &str, board: &str) -> Result<Vec<(Square, Piece)>, FenError> {
    let ranks = board.split('/').count();
    if ranks != 10 {
        return Err(FenError::part("board", board, format!("10 ranks divided by /, not {ranks}")));
    }
    let mut pieces = Vec::with_capacity(32);
    for (rank_text, rank) in board.split('/').zip((0..10).rev()) {
        let mut file = 0;
        for (at, letter) in rank_text.char_indices() {
            match (letter, Piece::from_letter(letter)) {
                ('1'..='9', _) => file += letter as u8 - b'0',
                (_, Some(piece)) => {
                    if let Some(square) = Square::at(file, rank) {
                        pieces.push((square, piece));
                    }
                    file += 1;
                }
                _ => {
                    let at = offset_in(text, rank_text) + at;
                    let allowed = "the letters KABNRCP, EH and 1-9";
                    return Err(FenError::character("board", text, at, allowed));
                }
            }
            if file > 9 {
                break;
            }
        }
        if file != 9 {
            return Err(FenError::part("board", rank_text, format!("9 points on rank {rank}")));
        }
    }
    Ok(pieces)
}

/// Kings present, no more pieces than at the start, each on a point that it can reach.
fn check_pieces(pieces: &[(Square, Piece)]) -> Result<(), FenError> {
    for side in Side::ALL {
        for kind in PieceKind::ALL {
            let piece = Piece::new(side, kind);
            let count = pieces.iter().filter(|(_, other)| *other == piece).count();
            if count > kind.most() || kind == PieceKind::King && count == 0 {
                let least = if kind == PieceKind::King { "exactly" } else { "at most" };
                let found = format!("{count} of {}", piece.letter());
                return Err(FenError::part("board", &found, format!("{least} {}", kind.most())));
            }
            let home = SquareSet(tables::HOME[side.index()][kind.index()]);
            let lost = pieces.iter().find(|(at, other)| *other == piece && !home.has(*at));
            if let Some((at, _)) = lost {
                let found = format!("{} on {at}", piece.letter());
                let points: Vec<_> = home.map(|point| point.to_string()).collect();
                return Err(FenError::part("board", &found, points.join(" ")));
            }
        }
    }
    Ok(())
}

/// A counter between `least` and `most`, `least` if it is left out.
fn read_count(
    field: &'static str,
    text: Option<&str>,
    least: u16,
    most: u16,
) -> Result<u16, FenError> {
    let Some(text) = text else { return Ok(least) };
    let number = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| FenError::part(field, text, format!("{least}-{most}")))
}
