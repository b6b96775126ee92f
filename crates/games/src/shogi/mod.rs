//! Shogi, Japanese chess.
//!
//! [`Shogi`] holds a mailbox, bitboards over the 81 squares and the hands; checkers and pinned pieces are
//! known for the side to move, so legality needs no trial. Rules that end a game are in `rules`, the line
//! of moves is in `line`, the rest of the files are named after what they know.

mod attacks;
mod hand;
mod line;
mod movegen;
mod moves;
mod piece;
mod position;
mod rules;
mod sfen;
mod square;
mod tables;
mod zobrist;

pub use attacks::{attacks, bishop_attacks, lance_attacks, rook_attacks};
pub use hand::Hand;
pub use moves::Move;
pub use piece::{Piece, PieceKind, Side};
pub use position::Shogi;
pub use square::{Square, SquareSet, Squares};

use model::GameKind;

use crate::{FenError, Game, MoveError, MoveKind, MoveList, MoveText, Repetition, RuleResult};

impl Game for Shogi {
    const KIND: GameKind = GameKind::Shogi;

    type Move = Move;

    fn start() -> Self {
        sfen::read(sfen::START).expect("the initial position is valid")
    }

    /// SFEN: board, side (`b` or `w`), hands (`-` for empty ones), number of the next move. Fields left
    /// out at the end count as `b - 1`. Each side must have exactly one king, so mate problems without
    /// Black's are refused.
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        sfen::read(fen)
    }

    fn to_fen(&self) -> String {
        sfen::write(self)
    }

    fn first_to_move(&self) -> bool {
        self.side_to_move() == Side::Black
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.hash
    }

    /// Passes count as half-moves.
    fn plies_made(&self) -> usize {
        self.line.len()
    }

    /// Nothing is left out that is legal, also no move without a promotion that has no drawback. In check
    /// only those moves of other pieces than the king are pseudo-legal that capture the checking piece or
    /// step between; a second pawn on a file never is.
    #[inline]
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        self.generate(kind, moves);
    }

    fn is_pseudo_legal(&self, mv: Move) -> bool {
        self.yields(mv)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.is_legal_move(mv)
    }

    fn legal(&self, moves: &mut MoveList<Move>) {
        self.generate_legal(moves);
    }

    fn count_legal(&self) -> u64 {
        self.count()
    }

    /// Captures are noisy, and promotions of pawns, bishops and rooks: those of lances, knights and
    /// silvers gain little. Drops are quiet.
    #[inline]
    fn is_noisy(&self, mv: Move) -> bool {
        self.changes_material(mv)
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
        !self.checkers.is_empty()
    }

    #[inline]
    fn repetitions(&self) -> u32 {
        self.count_repetitions()
    }

    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        self.repetition_below_root(ply)
    }

    fn result(&self) -> Option<RuleResult> {
        self.rule_result()
    }

    #[inline]
    fn rule_draw_or_loss(&self) -> Option<RuleResult> {
        self.result_without_mate()
    }

    /// The USI form: `7g7f`, `8h2b+`, `P*5e`.
    fn move_to_text(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn move_from_text(&self, text: &str) -> Result<Move, MoveError> {
        let mv = Move::from_text(text).ok_or_else(|| moves::form_error(text))?;
        if self.is_pseudo_legal(mv) && self.is_legal(mv) {
            return Ok(mv);
        }
        let mut legal = MoveList::new();
        self.legal(&mut legal);
        legal.sort_unstable();
        Err(MoveError::not_legal(text, legal.iter().map(Move::to_string)))
    }
}

/// USI text.
impl MoveText for Shogi {
    fn move_number(&self) -> u32 {
        // Black has the odd numbers, unless the position text began with White, as in handicap games.
        let number = Shogi::move_number(self);
        let began_with_black = self.first_to_move() != number.is_multiple_of(2);
        number.saturating_add(if began_with_black { 1 } else { 2 }) / 2
    }
}
