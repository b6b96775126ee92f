//! Chess, Chess960 included.
//!
//! The crate [`cozy_chess`] carries the board and the generation of legal moves; its words for
//! squares, pieces and sets of squares are those of this module too. [`Chess`] adds what its board
//! does not know: the line of moves, the hash by which FIDE's rules count repetitions, the results,
//! and the notations. Every move generated here is legal, so *pseudo-legal* and *legal* are one.

mod fen;
mod movegen;
mod moves;
mod position;
mod rules;
mod san;
mod uci;

pub use cozy_chess::{
    BitBoard, CastleRights, Color, File, Piece, Rank, Square, get_between_rays, get_bishop_moves,
    get_bishop_rays, get_king_moves, get_knight_moves, get_line_rays, get_pawn_attacks,
    get_rook_moves, get_rook_rays,
};
pub use moves::Move;
pub use position::Chess;

use model::GameKind;

use crate::{FenError, Game, MoveError, MoveKind, MoveList, Repetition, RuleResult};

impl Game for Chess {
    const KIND: GameKind = GameKind::Chess;

    type Move = Move;

    fn start() -> Self {
        fen::read(fen::START).expect("the initial position is valid")
    }

    /// Four to six fields: board, side to move, castling, en passant, half-move clock (0 if left out),
    /// full-move number (1 if left out).
    ///
    /// Castling in any of three ways: FEN, X-FEN (a letter of `KQkq` means the outermost rook on that
    /// side of the king, a file letter any other), or Shredder-FEN (`HAha`). A right that classical
    /// chess does not know and a file letter both make [`Chess::is_chess960`] true.
    ///
    /// An en-passant square must be one over which a pawn may just have stepped; it is dropped when no
    /// capture on it is legal. Refused are also: a side without exactly one king, with more than 16
    /// pieces or 8 pawns; a pawn on the first or last rank; kings side by side; more than two pieces
    /// that give check; a right to castle without king and rook in place.
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        fen::read(fen)
    }

    /// X-FEN with six fields. The en-passant square stands only where a capture on it is legal.
    fn to_fen(&self) -> String {
        fen::write(self)
    }

    fn first_to_move(&self) -> bool {
        self.side_to_move() == Color::White
    }

    /// Placement, side to move, rights to castle, and the file of an en-passant capture if one is
    /// legal: what FIDE's Laws of Chess (2023, article 9.2) compare.
    #[inline]
    fn hash(&self) -> u64 {
        self.position_hash()
    }

    /// Passes count as half-moves.
    fn plies_made(&self) -> usize {
        self.plies()
    }

    /// The legal moves of a kind. Noisy are captures, en passant and promotions; castling is quiet.
    #[inline]
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        self.generate(kind, moves);
    }

    /// Whether the move is legal: nothing is left for [`Game::is_legal`] to find.
    fn is_pseudo_legal(&self, mv: Move) -> bool {
        self.allows(mv)
    }

    /// Always true, since every move generated or passed by [`Game::is_pseudo_legal`] is legal.
    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        let _ = mv;
        true
    }

    #[inline]
    fn legal(&self, moves: &mut MoveList<Move>) {
        self.generate(MoveKind::All, moves);
    }

    #[inline]
    fn count_legal(&self) -> u64 {
        self.count_moves()
    }

    /// Captures, en passant and promotions are noisy.
    #[inline]
    fn is_noisy(&self, mv: Move) -> bool {
        mv.promotion().is_some() || self.captured(mv).is_some()
    }

    #[inline]
    fn make(&mut self, mv: Move) {
        self.apply(mv);
    }

    #[inline]
    fn unmake(&mut self) {
        self.revert();
    }

    fn make_null(&mut self) {
        self.pass();
    }

    fn unmake_null(&mut self) {
        self.revert();
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    #[inline]
    fn repetitions(&self) -> u32 {
        self.count_repetitions()
    }

    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        self.judge_repetition(ply)
    }

    #[inline]
    fn plies_to_limit(&self) -> Option<u32> {
        Some(self.plies_to_move_limit())
    }

    fn result(&self) -> Option<RuleResult> {
        self.rule_result()
    }

    #[inline]
    fn rule_draw_or_loss(&self) -> Option<RuleResult> {
        self.result_without_mate()
    }

    /// Castling is the king's move (`e1g1`), in Chess960 the king takes its own rook (`e1h1`).
    fn move_to_text(&self, mv: Move) -> String {
        uci::write(self, mv)
    }

    /// Both ways to write castling are read, in chess and in Chess960.
    fn move_from_text(&self, text: &str) -> Result<Move, MoveError> {
        uci::read(self, text)
    }
}
