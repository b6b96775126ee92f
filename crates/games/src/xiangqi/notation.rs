//! Move texts of servers and books: ICCS, WXF and Chinese.
//!
//! ICCS (`H2-E2`) is the form of the Internet Chinese Chess Server. The other two name the piece, its
//! file and how it goes, with files counted from the mover's right: `C2=5` and 炮二平五. WXF is the
//! notation of the Asian Xiangqi Federation (C. W. Huang 1980, adopted by the World Xiangqi Federation
//! in 1997), with `=` for a move sideways, as most programs write it for the federation's full stop.
//! The Chinese text follows the specification of moves by the Xiangqi Encyclopedia (xqbase, 2006).
//! They differ in how they tell several pawns on one file apart.

use super::{Move, PieceKind, Side, Square, SquareSet, Xiangqi, tables};

impl Move {
    /// The move in ICCS form: `H2-E2`.
    #[must_use]
    pub fn to_iccs(self) -> String {
        format!("{}-{}", self.from(), self.to()).to_ascii_uppercase()
    }
}

impl Xiangqi {
    /// A legal move in WXF form, four characters for either side: `C2=5`, `C+=5` for the front one of
    /// two cannons on a file. `None` where no piece stands on the start of the move.
    #[must_use]
    pub fn move_to_wxf(&self, mv: Move) -> Option<String> {
        let words = Words::of(self, mv)?;
        let letter = b"KAEHRCP"[words.kind.index()] as char;
        let (file, number) = (digit(words.file), digit(words.number));
        let (first, second) = match words.place {
            Place::File => (letter, file),
            Place::Tandem { nth, count } => match (count.min(4), nth, count - 1 - nth) {
                (4, 0, _) => ('+', '+'),
                (4, _, 0) => ('-', '-'),
                (4, 1, _) | (_, 0, _) => (letter, '+'),
                (4, _, 1) | (_, _, 0) => (letter, '-'),
                _ => (letter, file),
            },
            Place::Crowd { nth: 0, .. } => (file, '+'),
            Place::Crowd { nth, count, .. } if nth + 1 == count => (file, '-'),
            Place::Crowd { .. } => (file, file),
        };
        let way = match words.way {
            Way::Forward => '+',
            Way::Back => '-',
            Way::Sideways => '=',
        };
        Some([first, second, way, number].into_iter().collect())
    }

    /// A legal move in Chinese, four simplified characters: 炮二平五 for Red, 炮２平５ for Black, 前炮平五
    /// for the front one of two on a file. `None` where no piece stands on the start of the move.
    #[must_use]
    pub fn move_to_chinese(&self, mv: Move) -> Option<String> {
        let words = Words::of(self, mv)?;
        let number = |number| match words.side {
            Side::Red => ordinal(number),
            Side::Black => full_width_digit(number),
        };
        let names = match words.side {
            Side::Red => ['帅', '仕', '相', '马', '车', '炮', '兵'],
            Side::Black => ['将', '士', '象', '马', '车', '炮', '卒'],
        };
        let name = names[words.kind.index()];
        let (first, second) = match words.place {
            Place::File => (name, number(words.file)),
            // These ordinals are Chinese for both sides.
            Place::Tandem { nth, count: 4.. } => (ordinal(nth as u8 + 1), name),
            Place::Tandem { nth: 0, .. } => ('前', name),
            Place::Tandem { nth, count } if nth + 1 == count => ('后', name),
            Place::Tandem { .. } => ('中', name),
            Place::Crowd { before, nth, .. } => (ordinal((before + nth) as u8 + 1), name),
        };
        let way = match words.way {
            Way::Forward => '进',
            Way::Back => '退',
            Way::Sideways => '平',
        };
        Some([first, second, way, number(words.number)].into_iter().collect())
    }
}

/// What both notations say about a move.
struct Words {
    side: Side,
    kind: PieceKind,
    /// The file of the start, 1 to 9 from the mover's right.
    file: u8,
    place: Place,
    way: Way,
    /// The steps of a piece that stays on its file; else the file of the end, 1 to 9.
    number: u8,
}

/// What tells a piece from its likes.
enum Place {
    /// Its file; also for kings, advisors and elephants, of which one can only advance where the
    /// other one can only retreat.
    File,
    /// It is the `nth` from the front, from 0, of `count` on the only file that holds several.
    Tandem { nth: usize, count: usize },
    /// The same for a pawn while another file holds several, too; `before` of them stand on files
    /// further to the mover's right.
    Crowd { nth: usize, count: usize, before: usize },
}

enum Way {
    Forward,
    Back,
    Sideways,
}

impl Words {
    fn of(position: &Xiangqi, mv: Move) -> Option<Self> {
        let (from, to) = (mv.from(), mv.to());
        let piece = position.piece_on(from)?;
        let (side, kind) = (piece.side(), piece.kind());
        let (start, end) = (rank_from(side, from), rank_from(side, to));
        let way = match end.cmp(&start) {
            std::cmp::Ordering::Greater => Way::Forward,
            std::cmp::Ordering::Less => Way::Back,
            std::cmp::Ordering::Equal => Way::Sideways,
        };
        let number =
            if from.file() == to.file() { start.abs_diff(end) } else { file_from(side, to) };
        let place = Place::of(position, side, kind, from);
        Some(Self { side, kind, file: file_from(side, from), place, way, number })
    }
}

impl Place {
    fn of(position: &Xiangqi, side: Side, kind: PieceKind, at: Square) -> Self {
        let likes = position.pieces(side, kind);
        let on_file = |file: u8| likes & SquareSet(tables::FILE_A << file);
        let here = on_file(at.file());
        let count = here.len() as usize;
        let one_way = matches!(kind, PieceKind::King | PieceKind::Advisor | PieceKind::Elephant);
        if count < 2 || one_way {
            return Self::File;
        }
        let nth = here.filter(|&like| rank_from(side, like) > rank_from(side, at)).count();
        let other = (0..9).find(|&file| file != at.file() && on_file(file).len() > 1);
        match other.and_then(|file| on_file(file).first()) {
            Some(like) if kind == PieceKind::Pawn => {
                let right = file_from(side, like) < file_from(side, at);
                let before = if right { on_file(like.file()).len() as usize } else { 0 };
                Self::Crowd { nth, count, before }
            }
            _ => Self::Tandem { nth, count },
        }
    }
}

/// The rank, 0 to 9, from a side's own back rank.
fn rank_from(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => 9 - square.rank(),
    }
}

/// The file, 1 to 9, from a side's right.
fn file_from(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => 9 - square.file(),
        Side::Black => square.file() + 1,
    }
}

/// The digit of a number from 1 to 9.
fn digit(number: u8) -> char {
    (b'0' + number) as char
}

/// The Chinese numeral of a number from 1 to 9.
fn ordinal(number: u8) -> char {
    ['一', '二', '三', '四', '五', '六', '七', '八', '九'][usize::from(number - 1)]
}

fn full_width_digit(number: u8) -> char {
    ['１', '２', '３', '４', '５', '６', '７', '８', '９'][usize::from(number - 1)]
}
