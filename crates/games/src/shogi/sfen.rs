//! Position texts (SFEN): strict reading, canonical writing.

use super::{Hand, Piece, PieceKind, Shogi, Side, Square, SquareSet, movegen, tables};
use crate::FenError;
use crate::error::offset_in;

/// The initial position.
pub(super) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Move numbers beyond this are refused; a longer game is written with this number.
const MOST_COUNTED: u32 = 9999;

/// The order in which hands are written.
const HAND_ORDER: [PieceKind; 7] = [
    PieceKind::Rook,
    PieceKind::Bishop,
    PieceKind::Gold,
    PieceKind::Silver,
    PieceKind::Knight,
    PieceKind::Lance,
    PieceKind::Pawn,
];

/// Reads a position text.
pub(super) fn read(text: &str) -> Result<Shogi, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().unwrap_or("");
    let pieces = read_board(text, board)?;
    check_squares(&pieces)?;
    let side = match fields.next() {
        None | Some("b") => Side::Black,
        Some("w") => Side::White,
        Some(other) => {
            return Err(FenError::part("side to move", other, "b for Black (sente), w for White"));
        }
    };
    let hands = match fields.next() {
        None | Some("-") => [Hand::default(); 2],
        Some(hands) => read_hands(text, hands)?,
    };
    check_counts(&pieces, hands)?;
    let move_number = read_move_number(fields.next())?;
    if let Some(more) = fields.next() {
        return Err(FenError::part("text after the move number", more, "nothing"));
    }
    let position = Shogi::from_checked(&pieces, hands, side, move_number);
    if !position.king_state(side.other(), position.occupied()).0.is_empty() {
        let found = if side == Side::Black { "b" } else { "w" };
        let allowed =
            "a position in which the king of the side that has just moved is not attacked";
        return Err(FenError::part("side to move", found, allowed));
    }
    Ok(position)
}

/// Writes a position text with all four fields.
pub(super) fn write(position: &Shogi) -> String {
    let mut text = String::with_capacity(96);
    for rank in 0..9 {
        let mut empty = 0;
        for file in (0..9).rev() {
            let piece = Square::at(file, rank).and_then(|square| position.piece_on(square));
            match piece {
                None => empty += 1,
                Some(piece) => {
                    push_count(&mut text, empty, 1);
                    empty = 0;
                    text.push_str(&piece.to_string());
                }
            }
        }
        push_count(&mut text, empty, 1);
        if rank < 8 {
            text.push('/');
        }
    }
    text.push_str(if position.side_to_move() == Side::Black { " b " } else { " w " });
    let hands_at = text.len();
    for side in Side::ALL {
        for kind in HAND_ORDER {
            let count = position.hand(side).count(kind);
            if count > 0 {
                push_count(&mut text, count, 2);
                text.push_str(&Piece::new(side, kind).to_string());
            }
        }
    }
    if text.len() == hands_at {
        text.push('-');
    }
    text + &format!(" {}", position.move_number().min(MOST_COUNTED))
}

/// Writes a number if it is at least so large.
fn push_count(text: &mut String, count: u32, least: u32) {
    if count >= least {
        text.push_str(&count.to_string());
    }
}

/// The piece of a letter, unpromoted.
fn piece_of(letter: char) -> Option<Piece> {
    let kind = PieceKind::from_letter(u8::try_from(letter.to_ascii_uppercase()).ok()?)?;
    let side = if letter.is_ascii_uppercase() { Side::Black } else { Side::White };
    Some(Piece::new(side, kind))
}

/// The pieces of the first field of a text, rank a and file 9 first.
fn read_board(text: &str, board: &str) -> Result<Vec<(Square, Piece)>, FenError> {
    let ranks = board.split('/').count();
    if ranks != 9 {
        return Err(FenError::part("board", board, format!("9 ranks divided by /, not {ranks}")));
    }
    let mut pieces = Vec::with_capacity(40);
    for (rank_text, rank) in board.split('/').zip(0..9) {
        let name = (b'a' + rank) as char;
        let mut filled = 0;
        let mut letters = rank_text.char_indices();
        while let Some((at, letter)) = letters.next() {
            let wrong = |at, allowed: &str| {
                FenError::character("board", text, offset_in(text, rank_text) + at, allowed)
            };
            if let '1'..='9' = letter {
                filled += letter as u8 - b'0';
            } else {
                let piece = if letter == '+' {
                    let (at, letter) = letters.next().unwrap_or((rank_text.len(), '/'));
                    let unpromoted = piece_of(letter);
                    unpromoted
                        .and_then(|piece| Some(Piece::new(piece.side(), piece.kind().promoted()?)))
                        .ok_or_else(|| wrong(at, "one of the letters PLNSBR or plnsbr after +"))?
                } else {
                    piece_of(letter)
                        .ok_or_else(|| wrong(at, "the letters PLNSGBRK or plnsgbrk, + and 1-9"))?
                };
                filled += 1;
                if let Some(square) =
                    9_u8.checked_sub(filled).and_then(|file| Square::at(file, rank))
                {
                    pieces.push((square, piece));
                }
            }
            if filled > 9 {
                break;
            }
        }
        if filled != 9 {
            return Err(FenError::part("board", rank_text, format!("9 squares on rank {name}")));
        }
    }
    Ok(pieces)
}

/// One king for each side, every piece on a square from which it could move on, one pawn for each side
/// and file.
fn check_squares(pieces: &[(Square, Piece)]) -> Result<(), FenError> {
    for side in Side::ALL {
        let king = Piece::new(side, PieceKind::King);
        let count = pieces.iter().filter(|(_, piece)| *piece == king).count();
        if count != 1 {
            return Err(FenError::part("board", &format!("{count} of {king}"), "exactly 1"));
        }
    }
    let mut pawns = [SquareSet::EMPTY; 2];
    for &(square, piece) in pieces {
        let (side, kind) = (piece.side(), piece.kind());
        if movegen::must_promote(side, kind).is_some_and(|last| last.has(square)) {
            let found = format!("{piece} on {square}");
            let ranks = match (side, kind) {
                (Side::Black, PieceKind::Knight) => "ranks c-i, where it could move on",
                (Side::Black, _) => "ranks b-i, where it could move on",
                (Side::White, PieceKind::Knight) => "ranks a-g, where it could move on",
                (Side::White, _) => "ranks a-h, where it could move on",
            };
            return Err(FenError::part("board", &found, ranks));
        }
        if kind == PieceKind::Pawn {
            let same_file = tables::LINES[square.index()].file;
            if let Some(other) = (pawns[side.index()] & same_file).first() {
                let found = format!("{piece} on {other} and {square}");
                return Err(FenError::part(
                    "board",
                    &found,
                    "one unpromoted pawn of a side on a file",
                ));
            }
            pawns[side.index()] |= SquareSet::of(square);
        }
    }
    Ok(())
}

/// The hands of a field such as `RB2G10p`: an optional number, 2–18, before each letter, in any order,
/// each letter once.
fn read_hands(text: &str, field: &str) -> Result<[Hand; 2], FenError> {
    const LETTERS: &str =
        "the letters RBGSNLP or rbgsnlp, each once, after a number from 2 to 18 or none";
    let wrong = |at| FenError::character("hands", text, offset_in(text, field) + at, LETTERS);
    let mut hands = [Hand::default(); 2];
    let mut number: Option<(usize, u32)> = None;
    for (at, letter) in field.char_indices() {
        if let Some(digit) = letter.to_digit(10) {
            let (from, value) =
                number.map_or((at, digit), |(from, value)| (from, 10 * value + digit));
            if value > 18 || value == 0 {
                return Err(FenError::part("hands", &field[from..=at], "a number from 2 to 18"));
            }
            number = Some((from, value));
            continue;
        }
        let count = match number.take() {
            None => 1,
            Some((from, 1)) => {
                return Err(FenError::part("hands", &field[from..at], "a number from 2 to 18"));
            }
            Some((_, value)) => value,
        };
        let piece = piece_of(letter).filter(|piece| piece.kind() != PieceKind::King);
        let piece = piece.ok_or_else(|| wrong(at))?;
        let hand = &mut hands[piece.side().index()];
        if hand.count(piece.kind()) > 0 {
            return Err(wrong(at));
        }
        for _ in 0..count {
            hand.add(piece.kind());
        }
    }
    if number.is_some() {
        return Err(wrong(field.len()));
    }
    Ok(hands)
}

/// No more pieces of a kind, promoted ones and those in hand included, than a set holds.
fn check_counts(pieces: &[(Square, Piece)], hands: [Hand; 2]) -> Result<(), FenError> {
    for kind in PieceKind::HAND {
        let on_board = pieces.iter().filter(|(_, piece)| piece.kind().unpromoted() == kind).count();
        let count = on_board as u32 + hands[0].count(kind) + hands[1].count(kind);
        if count > kind.most() {
            let found = format!("{count} of {} on the board and in the hands", kind.letter());
            return Err(FenError::part("board", &found, format!("at most {}", kind.most())));
        }
    }
    Ok(())
}

/// The number of the next move, 1 if it is left out.
fn read_move_number(text: Option<&str>) -> Result<u32, FenError> {
    let Some(text) = text else { return Ok(1) };
    let number = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    match number {
        Some(number) if (1..=MOST_COUNTED).contains(&number) => Ok(number),
        _ => Err(FenError::part("move number", text, format!("1-{MOST_COUNTED}"))),
    }
}
