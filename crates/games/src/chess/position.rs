//! The position: the board, what the rules need beside it, and the way back.

use cozy_chess::{BitBoard, Board, CastleRights, Color, Piece, Rank, Square, get_pawn_attacks};

use super::Move;

/// A position of chess with the line of moves that led to it.
///
/// Two positions are equal when placement, side to move, rights to castle, the legal en-passant
/// square and both counters are; the line is not compared, nor how castling is written.
#[derive(Clone, Debug)]
pub struct Chess {
    now: State,
    /// What stood before each move or pass, the oldest first.
    line: Vec<State>,
    /// Castling is written as the king taking its own rook.
    chess960: bool,
    /// The full-move number at the start of `line`, times two, plus one for Black.
    first_half_move: u32,
}

/// A position without its past. To copy it is cheaper than to take a move back.
#[derive(Clone, Debug)]
struct State {
    /// Its own counters are not used, since they stop at 100 and 65,535; that it keeps an en-passant
    /// file after every double step is hidden by `hash`.
    board: Board,
    /// The board's hash without an en-passant file on which no capture is legal.
    hash: u64,
    /// Plies since the last capture or pawn's move.
    clock: u16,
    /// Plies since the last capture, pawn's move or pass: the horizon of repetitions.
    reversible_plies: u16,
    /// The move that led here; the default move after a pass and at the start.
    mv: Move,
}

impl State {
    #[inline]
    fn of(board: Board, clock: u16, reversible_plies: u16, mv: Move) -> Self {
        let hash = hash_by_rule(&board);
        Self { board, hash, clock, reversible_plies, mv }
    }
}

/// The hash that counts an en-passant file only where a capture is legal.
#[inline]
fn hash_by_rule(board: &Board) -> u64 {
    if board.en_passant().is_none() || can_capture_en_passant(board) {
        board.hash()
    } else {
        board.hash_without_ep()
    }
}

/// Whether a capture onto the board's en-passant file is legal.
pub(super) fn can_capture_en_passant(board: &Board) -> bool {
    let Some(file) = board.en_passant() else { return false };
    let mover = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let pawns = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    pawns.into_iter().any(|from| board.is_legal(cozy_chess::Move { from, to, promotion: None }))
}

impl PartialEq for Chess {
    fn eq(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.board(), other.board());
        Color::ALL.iter().all(|&color| {
            ours.colors(color) == theirs.colors(color)
                && ours.castle_rights(color) == theirs.castle_rights(color)
        }) && Piece::ALL.iter().all(|&piece| ours.pieces(piece) == theirs.pieces(piece))
            && ours.side_to_move() == theirs.side_to_move()
            && self.en_passant() == other.en_passant()
            && self.halfmove_clock() == other.halfmove_clock()
            && self.full_move() == other.full_move()
    }
}

impl Eq for Chess {}

impl Chess {
    /// The start of a line of moves.
    pub(super) fn from_checked(board: Board, clock: u16, full_move: u16, chess960: bool) -> Self {
        let first_half_move =
            2 * u32::from(full_move) + u32::from(board.side_to_move() == Color::Black);
        let now = State::of(board, clock, 0, Move::default());
        Self { now, line: Vec::new(), chess960, first_half_move }
    }

    /// The initial position of Chess960 with this number (Scharnagl 2004), 518 being that of chess;
    /// `None` from 960 on. Castling is written as the king taking its own rook.
    #[must_use]
    pub fn chess960_start(number: u16) -> Option<Self> {
        (number < 960)
            .then(|| Self::from_checked(Board::chess960_startpos(u32::from(number)), 0, 1, true))
    }

    /// The same position, with castling written as in Chess960 from now on.
    #[must_use]
    pub fn into_chess960(self) -> Self {
        Self { chess960: true, ..self }
    }

    /// Whether castling is written as the king taking its own rook. A position whose rights to castle
    /// are not those of classical chess is always of Chess960.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// The board alone. Its counters are not those of the game, and it names an en-passant file after
    /// every double step of a pawn.
    #[inline]
    pub(super) fn board(&self) -> &Board {
        &self.now.board
    }

    /// The piece on a square.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board().piece_on(square)
    }

    /// The side whose piece stands on a square.
    #[inline]
    #[must_use]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        self.board().color_on(square)
    }

    /// Where a side's pieces of a kind stand.
    #[inline]
    #[must_use]
    pub fn pieces(&self, color: Color, piece: Piece) -> BitBoard {
        self.board().colored_pieces(color, piece)
    }

    /// Where the pieces of a kind of both sides stand.
    #[inline]
    #[must_use]
    pub fn kind(&self, piece: Piece) -> BitBoard {
        self.board().pieces(piece)
    }

    /// Where a side's pieces stand.
    #[inline]
    #[must_use]
    pub fn color(&self, color: Color) -> BitBoard {
        self.board().colors(color)
    }

    /// Every occupied square.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> BitBoard {
        self.board().occupied()
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.board().side_to_move()
    }

    /// Where a side's king stands.
    #[inline]
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.board().king(color)
    }

    /// The files of the rooks with which a side may still castle.
    #[inline]
    #[must_use]
    pub fn castle_rights(&self, color: Color) -> CastleRights {
        *self.board().castle_rights(color)
    }

    /// The pieces that give check to the side to move.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> BitBoard {
        self.board().checkers()
    }

    /// The pieces of either side that alone stand between the king of the side to move and an attacker.
    #[inline]
    #[must_use]
    pub fn pinned(&self) -> BitBoard {
        self.board().pinned()
    }

    /// The piece that a move would move.
    #[inline]
    #[must_use]
    pub fn moved(&self, mv: Move) -> Option<Piece> {
        self.piece_on(mv.from())
    }

    /// The piece that a move would capture: a pawn in en passant, none in castling.
    #[inline]
    #[must_use]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        let board = self.board();
        if board.colors(!board.side_to_move()).has(mv.to()) {
            return board.piece_on(mv.to());
        }
        self.is_en_passant(mv).then_some(Piece::Pawn)
    }

    /// Whether a legal move is an en-passant capture: the captured pawn does not stand where the move
    /// ends.
    #[inline]
    #[must_use]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        let board = self.board();
        board.en_passant() == Some(mv.to().file())
            && mv.to().rank() == Rank::Sixth.relative_to(board.side_to_move())
            && board.pieces(Piece::Pawn).has(mv.from())
    }

    /// Whether a legal move castles.
    #[inline]
    #[must_use]
    pub fn is_castling(&self, mv: Move) -> bool {
        self.board().colors(self.side_to_move()).has(mv.to())
    }

    /// The square of an en-passant capture, where one is legal.
    #[must_use]
    pub fn en_passant(&self) -> Option<Square> {
        let file = self.board().en_passant()?;
        (self.now.hash == self.board().hash())
            .then(|| Square::new(file, Rank::Sixth.relative_to(self.side_to_move())))
    }

    /// Plies since the last capture or pawn's move; 100 of them are a draw.
    #[inline]
    #[must_use]
    pub fn halfmove_clock(&self) -> u16 {
        self.now.clock
    }

    /// The number of the full move, from 1, one more after each of Black's turns.
    #[must_use]
    pub fn full_move(&self) -> u32 {
        (self.first_half_move + self.line.len() as u32) / 2
    }

    /// The last move made, if it was no pass.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        Some(self.now.mv).filter(|&mv| mv != Move::default())
    }

    #[inline]
    pub(super) fn position_hash(&self) -> u64 {
        self.now.hash
    }

    #[inline]
    pub(super) fn plies(&self) -> usize {
        self.line.len()
    }

    /// How many plies ago the present position stood, the nearest occurrence first, as far back as no
    /// move is final and no side has passed.
    #[inline]
    pub(super) fn earlier_occurrences(&self) -> impl Iterator<Item = usize> {
        // The same side is to move after an even number of plies, and two are too few to return.
        let horizon = usize::from(self.now.reversible_plies);
        let line = self.line.iter().rev().take(horizon).enumerate().skip(3).step_by(2);
        line.filter(|(_, state)| state.hash == self.now.hash)
            .map(|(before_last, _)| before_last + 1)
    }

    /// Makes a legal move.
    #[inline]
    pub(super) fn apply(&mut self, mv: Move) {
        self.line.push(self.now.clone());
        let now = &mut self.now;
        let quiet = (now.clock.saturating_add(1), now.reversible_plies.saturating_add(1));
        now.board.play_unchecked(mv.to_cozy());
        let final_move = now.board.halfmove_clock() == 0;
        (now.clock, now.reversible_plies) = if final_move { (0, 0) } else { quiet };
        now.hash = hash_by_rule(&now.board);
        now.mv = mv;
    }

    /// Gives the turn away. In check, where nobody may, the board stays as it is.
    pub(super) fn pass(&mut self) {
        self.line.push(self.now.clone());
        if let Some(board) = self.board().null_move() {
            self.now = State::of(board, self.now.clock, 0, Move::default());
        }
    }

    /// Takes back the last move or pass; without one nothing happens.
    #[inline]
    pub(super) fn revert(&mut self) {
        if let Some(before) = self.line.last() {
            // Copied in place, which `pop` does not achieve.
            self.now.clone_from(before);
            self.line.truncate(self.line.len() - 1);
        }
    }
}
