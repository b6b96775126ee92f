//! Standard algebraic notation: `Nbd7`, `exd8=Q+`, `O-O#` (FIDE's Laws of Chess, appendix C, in the
//! form of the PGN standard).

use cozy_chess::{BitBoard, Color, File, Piece, Rank, Square};

use super::{Chess, Move, fen::letter_of};
use crate::{Game, MoveError, MoveList};

/// No move text is longer: `Qa1xa2=Q` with its marks.
const LONGEST: usize = 16;

const PROMOTIONS: &str = "=Q, =R, =B or =N";

/// What a text says of a move. Left-out parts fit any move.
struct Described {
    piece: Piece,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    promotion: Option<Piece>,
}

impl Chess {
    /// The move in standard algebraic notation, as short as the legal moves allow, with its `+` or `#`.
    /// A move that is not legal here is written as [`Move`] shows it.
    #[must_use]
    pub fn move_to_san(&self, mv: Move) -> String {
        if !self.is_pseudo_legal(mv) {
            return mv.to_string();
        }
        let mut text = self.san_without_mark(mv);
        let mut after = self.board().clone();
        after.play_unchecked(mv.to_cozy());
        if !after.checkers().is_empty() {
            text.push(if after.generate_moves(|_| true) { '+' } else { '#' });
        }
        text
    }

    fn san_without_mark(&self, mv: Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        if self.is_castling(mv) {
            return if to > from { "O-O" } else { "O-O-O" }.into();
        }
        let piece = self.moved(mv).unwrap_or(Piece::Pawn);
        let captures = self.captured(mv).is_some();
        let mut text = String::with_capacity(8);
        if piece == Piece::Pawn {
            if captures {
                text.push(char::from(from.file()));
            }
        } else {
            text.push(letter_of(piece, Color::White));
            let mut rivals = BitBoard::EMPTY;
            let same_kind = self.pieces(self.side_to_move(), piece) - from.bitboard();
            self.board().generate_moves_for(same_kind, |moves| {
                if moves.to.has(to) {
                    rivals |= moves.from.bitboard();
                }
                false
            });
            let file_tells = rivals.is_disjoint(from.file().bitboard());
            let rank_tells = rivals.is_disjoint(from.rank().bitboard());
            if !rivals.is_empty() && (file_tells || !rank_tells) {
                text.push(char::from(from.file()));
            }
            if !file_tells {
                text.push(char::from(from.rank()));
            }
        }
        if captures {
            text.push('x');
        }
        text += &to.to_string();
        if let Some(piece) = mv.promotion() {
            text.push('=');
            text.push(letter_of(piece, Color::White));
        }
        text
    }

    /// The legal move of a text in standard algebraic notation.
    ///
    /// Read are also texts with marks that are missing or wrong (`+#!?`), castling with zeros,
    /// promotion without `=` or in parentheses, captures without `x`, and more of the start than is
    /// needed, up to `Ng1-f3`.
    ///
    /// # Errors
    /// The text is no move, not legal here, or fits several legal moves.
    pub fn move_from_san(&self, text: &str) -> Result<Move, MoveError> {
        let mut legal = MoveList::new();
        self.legal(&mut legal);
        legal.sort_unstable();
        let core = text.trim_end_matches(['+', '#', '!', '?']);
        let castles_short = match core {
            "O-O" | "0-0" => Some(true),
            "O-O-O" | "0-0-0" => Some(false),
            _ => None,
        };
        if let Some(short) = castles_short {
            legal.retain_from(0, |mv| self.is_castling(mv) && (mv.to() > mv.from()) == short);
        } else {
            let described = describe(text, core)?;
            legal.retain_from(0, |mv| self.fits(mv, &described));
            if legal.len() > 1 && described.promotion.is_none() && self.all_promote(&legal) {
                return Err(MoveError::character(text, core.len(), PROMOTIONS));
            }
            if described.promotion.is_none() {
                legal.retain_from(0, |mv| mv.promotion().is_none());
            }
        }
        match legal[..] {
            [mv] => Ok(mv),
            [] => {
                self.legal(&mut legal);
                Err(MoveError::not_legal(text, legal.iter().map(|&mv| self.move_to_san(mv))))
            }
            _ => {
                let found = model::printable(text, LONGEST);
                let fitting: Vec<_> = legal.iter().map(|&mv| self.move_to_san(mv)).collect();
                let problem = "ambiguous here";
                Err(MoveError { found, problem, allowed: fitting.join(" ") })
            }
        }
    }

    fn all_promote(&self, moves: &MoveList<Move>) -> bool {
        moves.iter().all(|mv| mv.promotion().is_some())
    }

    /// Whether a legal move is one that a text describes, whatever it promotes to if the text does not
    /// say.
    fn fits(&self, mv: Move, described: &Described) -> bool {
        let from = mv.from();
        // Without its file a pawn goes straight on.
        let from_file = match (described.piece, described.from_file) {
            (Piece::Pawn, None) => Some(described.to.file()),
            (_, file) => file,
        };
        mv.to() == described.to
            && !self.is_castling(mv)
            && self.moved(mv) == Some(described.piece)
            && from_file.is_none_or(|file| file == from.file())
            && described.from_rank.is_none_or(|rank| rank == from.rank())
            && (described.promotion.is_none() || described.promotion == mv.promotion())
    }
}

/// Takes a text apart; `core` is its beginning, without marks.
fn describe(text: &str, core: &str) -> Result<Described, MoveError> {
    let refuse = |at: usize, allowed: &str| MoveError::character(text, at, allowed);
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        return Err(refuse(at, "a move in at most 16 characters"));
    }
    if let Some((at, _)) = text.char_indices().find(|(_, c)| !c.is_ascii_graphic()) {
        return Err(refuse(at, "a move such as e4, Nf3, exd8=Q or O-O"));
    }
    let (piece, begin) = match core.as_bytes().first().map(|&letter| (letter, piece_of(letter))) {
        Some((b'A'..=b'Z', Some(piece))) => (piece, 1),
        _ => (Piece::Pawn, 0),
    };
    let (promotion, end) = promotion_of(core);
    let rest = &core.as_bytes()[begin..end.max(begin)];
    let file =
        |at: usize| rest.get(at).and_then(|&byte| File::try_index(byte.wrapping_sub(b'a').into()));
    let rank =
        |at: usize| rest.get(at).and_then(|&byte| Rank::try_index(byte.wrapping_sub(b'1').into()));

    // The start, as much of it as there is, before the two characters of the end.
    let Some(to_at) = rest.len().checked_sub(2) else {
        return Err(refuse(begin + rest.len(), "a square such as e4"));
    };
    let to_rank = rank(to_at + 1).ok_or_else(|| {
        refuse(begin + to_at + 1, "1-8, or after it the piece that a pawn becomes")
    })?;
    let to_file = file(to_at).ok_or_else(|| refuse(begin + to_at, "a-h"))?;
    let between = usize::from(to_at > 0 && matches!(rest[to_at - 1], b'x' | b':' | b'-'));
    let start_len = to_at - between;
    let from_file = file(0).filter(|_| start_len > 0);
    let rank_at = usize::from(from_file.is_some());
    let from_rank = rank(rank_at).filter(|_| start_len > rank_at);
    let used = rank_at + usize::from(from_rank.is_some());
    if used < start_len {
        return Err(refuse(begin + used, "K, Q, R, B, N or P, then a-h, 1-8, x"));
    }
    let to = Square::new(to_file, to_rank);
    Ok(Described { piece, from_file, from_rank, to, promotion })
}

/// The piece of a letter, whether capital or small.
fn piece_of(letter: u8) -> Option<Piece> {
    char::from(letter.to_ascii_lowercase()).try_into().ok()
}

/// What the end of a text says of promotion, and where that begins: `e8=Q`, `e8Q`, `e8(Q)`.
fn promotion_of(core: &str) -> (Option<Piece>, usize) {
    let bare = core.strip_suffix(')').unwrap_or(core);
    let piece = bare.bytes().last().and_then(piece_of);
    match piece.filter(|piece| !matches!(piece, Piece::Pawn | Piece::King)) {
        Some(piece) => {
            let before = &bare[..bare.len() - 1];
            (Some(piece), before.trim_end_matches(['=', '(', '/']).len())
        }
        None => (None, core.len()),
    }
}
