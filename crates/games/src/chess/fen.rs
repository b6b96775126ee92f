//! Position texts: FEN, X-FEN and Shredder-FEN in, X-FEN out.

use cozy_chess::{BitBoard, Board, BoardBuilder, BoardBuilderError, Color, File};
use cozy_chess::{Piece, Rank, Square, get_king_moves};

use super::{Chess, position};
use crate::FenError;
use crate::error::offset_in;

/// The initial position.
pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Counters beyond this are refused; a longer game is written with this number.
const MOST_COUNTED: u16 = 9999;

/// Reads a position text.
pub(super) fn read(text: &str) -> Result<Chess, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let mut builder = BoardBuilder::empty();
    let board_text = fields.next().unwrap_or("");
    read_board(text, board_text, &mut builder)?;
    check_pieces(board_text, &builder)?;
    let side = fields.next().unwrap_or("");
    builder.side_to_move = match side {
        "w" => Color::White,
        "b" => Color::Black,
        other => return Err(FenError::part("side", other, "w for White, b for Black")),
    };
    let board = build(&builder, text)?;
    if board.checkers().len() > 2 {
        let found = format!("{} pieces that give check", board.checkers().len());
        return Err(FenError::part("board", &found, "at most 2 of them"));
    }
    let chess960 = read_castling(text, fields.next().unwrap_or(""), &mut builder)?;
    read_en_passant(fields.next().unwrap_or(""), &mut builder)?;
    let clock = read_count("half-move clock", fields.next(), 0)?;
    let full_move = read_count("full-move number", fields.next(), 1)?;
    if let Some(more) = fields.next() {
        return Err(FenError::part("text after the full-move number", more, "nothing"));
    }
    let mut board = build(&builder, text)?;
    if builder.en_passant.is_some() && !position::can_capture_en_passant(&board) {
        builder.en_passant = None;
        board = build(&builder, text)?;
    }
    Ok(Chess::from_checked(board, clock, full_move, chess960))
}

/// The board of checked parts. What they cannot see each for itself is refused here: check to the side
/// that has just moved, and check that a double step of a pawn cannot have left.
fn build(builder: &BoardBuilder, text: &str) -> Result<Board, FenError> {
    builder.build().map_err(|error| match error {
        BoardBuilderError::InvalidBoard => {
            let found = if builder.side_to_move == Color::White { "w" } else { "b" };
            let allowed =
                "a position in which the king of the side that has just moved is not attacked";
            FenError::part("side", found, allowed)
        }
        BoardBuilderError::InvalidEnPassant => {
            let found = builder.en_passant.map_or_else(String::new, |square| square.to_string());
            let allowed = "-, or a position in which every check comes from the pawn that has just \
                           stepped or through the square that it left";
            FenError::part("en passant", &found, allowed)
        }
        // The readers of these fields have refused what the builder would.
        BoardBuilderError::InvalidCastlingRights
        | BoardBuilderError::InvalidHalfMoveClock
        | BoardBuilderError::InvalidFullmoveNumber => {
            FenError::part("board", text, "a position that can arise")
        }
    })
}

/// The first field, rank 8 and file a first.
fn read_board(text: &str, board: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    let ranks = board.split('/').count();
    if ranks != 8 {
        return Err(FenError::part("board", board, format!("8 ranks divided by /, not {ranks}")));
    }
    for (rank_text, &rank) in board.split('/').zip(Rank::ALL.iter().rev()) {
        let mut file = 0;
        for (at, letter) in rank_text.char_indices() {
            let at = offset_in(text, rank_text) + at;
            if let '1'..='8' = letter {
                file += letter as usize - '0' as usize;
            } else {
                let piece = read_piece(letter).ok_or_else(|| {
                    FenError::character("board", text, at, "the letters KQRBNP, kqrbnp and 1-8")
                })?;
                if let Some(file) = File::try_index(file) {
                    *builder.square_mut(Square::new(file, rank)) = Some(piece);
                }
                file += 1;
            }
            if file > 8 {
                let allowed = format!("/ or a smaller number: rank {rank} has 8 squares");
                return Err(FenError::character("board", text, at, allowed));
            }
        }
        if file < 8 {
            let at = offset_in(text, rank_text) + rank_text.len();
            let allowed = format!("{} squares more on rank {rank}", 8 - file);
            return Err(FenError::character("board", text, at, allowed));
        }
    }
    Ok(())
}

/// The piece of a letter, White's in capitals.
fn read_piece(letter: char) -> Option<(Piece, Color)> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let piece = Piece::ALL.iter().find(|&&piece| letter_of(piece, color) == letter)?;
    Some((*piece, color))
}

/// The letter of a piece, White's in capitals.
pub(super) fn letter_of(piece: Piece, color: Color) -> char {
    let letter = char::from(piece);
    if color == Color::White { letter.to_ascii_uppercase() } else { letter }
}

/// One king each, not side by side; no more pieces than at the start; pawns where pawns can be.
fn check_pieces(text: &str, builder: &BoardBuilder) -> Result<(), FenError> {
    let placed = |color, piece| {
        let squares = Square::ALL.iter();
        squares.filter(move |&&square| builder.square(square) == Some((piece, color)))
    };
    for (color, side) in [(Color::White, "White"), (Color::Black, "Black")] {
        let count = |piece| placed(color, piece).count();
        let kings = count(Piece::King);
        if kings != 1 {
            let found = format!("{kings} of {}", letter_of(Piece::King, color));
            return Err(FenError::part("board", &found, "exactly 1"));
        }
        let pawns = count(Piece::Pawn);
        if pawns > 8 {
            let found = format!("{pawns} of {}", letter_of(Piece::Pawn, color));
            return Err(FenError::part("board", &found, "at most 8"));
        }
        let pieces: usize = Piece::ALL.iter().map(|&piece| count(piece)).sum();
        if pieces > 16 {
            return Err(FenError::part(
                "board",
                &format!("{pieces} pieces of {side}"),
                "at most 16",
            ));
        }
        let lost = placed(color, Piece::Pawn)
            .find(|square| matches!(square.rank(), Rank::First | Rank::Eighth));
        if let Some(square) = lost {
            let found = format!("{} on {square}", letter_of(Piece::Pawn, color));
            return Err(FenError::part("board", &found, "pawns on the ranks 2-7"));
        }
    }
    let mut white = placed(Color::White, Piece::King);
    let mut black = placed(Color::Black, Piece::King);
    match (white.next(), black.next()) {
        (Some(&white), Some(&black)) if get_king_moves(white).has(black) => {
            let found = format!("kings on {white} and {black}");
            Err(FenError::part("board", &found, "kings that do not touch each other"))
        }
        (Some(_), Some(_)) => Ok(()),
        _ => Err(FenError::part("board", text, "a king of each side")),
    }
}

/// The rights to castle; whether they are of Chess960 or written in its way.
fn read_castling(text: &str, field: &str, builder: &mut BoardBuilder) -> Result<bool, FenError> {
    if field.is_empty() {
        return Err(FenError::part("castling", "", "-, or letters such as KQkq or HAha"));
    }
    if field == "-" {
        return Ok(false);
    }
    let mut chess960 = false;
    for (at, letter) in field.char_indices() {
        let refuse = |allowed: &str| {
            FenError::character("castling", text, offset_in(text, field) + at, allowed)
        };
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rank = Rank::First.relative_to(color);
        let holds = |file, piece| builder.square(Square::new(file, rank)) == Some((piece, color));
        let king = File::ALL.iter().copied().find(|&file| holds(file, Piece::King));
        let mut files = File::ALL.iter().copied();
        let rook = match letter.to_ascii_lowercase() {
            'k' => files.rfind(|&file| king < Some(file) && holds(file, Piece::Rook)),
            'q' => files.find(|&file| Some(file) < king && holds(file, Piece::Rook)),
            letter @ 'a'..='h' => {
                chess960 = true;
                files.find(|&file| char::from(file) == letter && holds(file, Piece::Rook))
            }
            _ => return Err(refuse("- alone, or the letters KQ, kq, A-H and a-h")),
        };
        let (Some(king), Some(rook)) = (king, rook) else {
            return Err(refuse("letters of sides whose king and rook stand on their first rank"));
        };
        let (right, usual) = {
            let rights = builder.castle_rights_mut(color);
            if rook > king { (&mut rights.short, File::H) } else { (&mut rights.long, File::A) }
        };
        if right.replace(rook).is_some() {
            return Err(refuse("one letter for each side of each king"));
        }
        chess960 |= king != File::E || rook != usual;
    }
    Ok(chess960)
}

/// The square over which a pawn has just stepped.
fn read_en_passant(field: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    if field == "-" {
        return Ok(());
    }
    let stepped = !builder.side_to_move;
    let rank = Rank::Third.relative_to(stepped);
    let refuse = |allowed: String| FenError::part("en passant", field, allowed);
    let square = field.parse().ok().filter(|square: &Square| square.rank() == rank);
    let square = square.ok_or_else(|| refuse(format!("- or a square on rank {rank}")))?;
    let on = |rank: Rank| builder.square(Square::new(square.file(), rank.relative_to(stepped)));
    if on(Rank::Fourth) != Some((Piece::Pawn, stepped)) {
        return Err(refuse(
            "- or a square behind a pawn that may just have made a double step".into(),
        ));
    }
    if on(Rank::Second).is_some() || on(Rank::Third).is_some() {
        return Err(refuse(
            "- or a square that is empty, like that from which the pawn came".into(),
        ));
    }
    builder.en_passant = Some(square);
    Ok(())
}

/// A counter between `least` and [`MOST_COUNTED`], `least` if it is left out.
fn read_count(field: &'static str, text: Option<&str>, least: u16) -> Result<u16, FenError> {
    let Some(text) = text else { return Ok(least) };
    let number = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    match number {
        Some(number) if (least..=MOST_COUNTED).contains(&number) => Ok(number),
        _ => Err(FenError::part(field, text, format!("{least}-{MOST_COUNTED}"))),
    }
}

/// Writes a position text with all six fields.
pub(super) fn write(position: &Chess) -> String {
    let mut text = String::with_capacity(90);
    for &rank in Rank::ALL.iter().rev() {
        let mut empty = 0;
        for &file in &File::ALL {
            let square = Square::new(file, rank);
            match position.piece_on(square).zip(position.color_on(square)) {
                None => empty += 1,
                Some((piece, color)) => {
                    push_empty(&mut text, empty);
                    empty = 0;
                    text.push(letter_of(piece, color));
                }
            }
        }
        push_empty(&mut text, empty);
        if rank != Rank::First {
            text.push('/');
        }
    }
    let side = if position.side_to_move() == Color::White { 'w' } else { 'b' };
    let castling = write_castling(position.board());
    let en_passant = position.en_passant().map_or("-".to_owned(), |square| square.to_string());
    let clock = position.halfmove_clock().min(MOST_COUNTED);
    let full_move = position.full_move().min(u32::from(MOST_COUNTED));
    text + &format!(" {side} {castling} {en_passant} {clock} {full_move}")
}

fn push_empty(text: &mut String, empty: u8) {
    if empty > 0 {
        text.push((b'0' + empty) as char);
    }
}

/// `KQkq` for the outermost rooks, file letters for others.
fn write_castling(board: &Board) -> String {
    let mut text = String::new();
    for &color in &Color::ALL {
        let rank = Rank::First.relative_to(color).bitboard();
        let rooks = board.colored_pieces(color, Piece::Rook) & rank;
        let rights = board.castle_rights(color);
        let outside = |rook: File, side: char| {
            File::ALL
                .iter()
                .filter(move |&&file| if side == 'k' { file > rook } else { file < rook })
        };
        for (right, side) in [(rights.short, 'k'), (rights.long, 'q')] {
            let Some(rook) = right else { continue };
            let further =
                outside(rook, side).fold(BitBoard::EMPTY, |all, file| all | file.bitboard());
            let letter = if rooks.is_disjoint(further) { side } else { char::from(rook) };
            text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.is_empty() { "-".into() } else { text }
}
