//! Xiangqi, Chinese chess.
//!
//! [`Xiangqi`] holds a mailbox, bitboards over the 90 points and the occupancy of each file; tables
//! of constants answer every attack. Rules that end a game are in `rules`, the rest of the files are
//! named after what they know. A side without a legal move loses, whether it is in check or not.

mod attacks;
mod chase;
mod fen;
pub mod judge;
mod movegen;
mod moves;
mod notation;
mod piece;
mod position;
mod rules;
mod safety;
mod shuttle;
mod square;
mod tables;
#[cfg(test)]
mod tests;
mod zobrist;

pub use moves::Move;
pub use piece::{Piece, PieceKind, Side};
pub use position::Xiangqi;
pub use rules::RuleSet;
pub use square::{Square, SquareSet};

use model::GameKind;

use crate::{FenError, Game, MoveError, MoveKind, MoveList, Repetition, RuleResult};

impl Game for Xiangqi {
    const KIND: GameKind = GameKind::Xiangqi;

    type Move = Move;

    fn start() -> Self {
        fen::read(fen::START).expect("the initial position is valid")
    }

    /// Five to six fields as in chess: board, side (`w` or `r` for Red, `b` for Black), two dashes,
    /// plies since the last capture (0 to 120; those that count towards the move limit), number of the
    /// full move (1 to 9999). The rule set is not part of it. Fields left out at the end count as
    /// `w - - 0 1`.
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        fen::read(fen)
    }

    fn to_fen(&self) -> String {
        fen::write(self)
    }

    fn first_to_move(&self) -> bool {
        self.side_to_move() == Side::Red
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.hash
    }

    #[inline]
    fn hash_after(&self, mv: Move) -> Option<u64> {
        self.moved(mv).map(|piece| self.hash_after_taking(piece, self.captured(mv), mv))
    }

    /// Passes count as half-moves.
    fn plies_made(&self) -> usize {
        self.history.len()
    }

    #[inline]
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        self.generate(kind, moves);
    }

    fn is_pseudo_legal(&self, mv: Move) -> bool {
        self.reaches(mv)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.leaves_king_safe(mv)
    }

    #[inline]
    fn count_legal(&self) -> u64 {
        self.count_legal_moves()
    }

    /// Captures are noisy.
    #[inline]
    fn is_noisy(&self, mv: Move) -> bool {
        self.captured(mv).is_some()
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
        self.safety.in_check
    }

    #[inline]
    fn repetitions(&self) -> u32 {
        self.count_repetitions()
    }

    /// Provisional where the nearest earlier occurrence is the root or below it.
    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        self.judge_repetition_in_search(ply)
    }

    #[inline]
    fn repeating_move(&self) -> Option<Move> {
        self.shuttle()
    }

    #[inline]
    fn plies_to_limit(&self) -> Option<u32> {
        Some(u32::from(rules::MOVE_LIMIT_PLIES - self.quiet_plies))
    }

    fn result(&self) -> Option<RuleResult> {
        judge::judge_by_own_rules(self).map(judge::Verdict::result)
    }

    #[inline]
    fn rule_draw_or_loss(&self) -> Option<RuleResult> {
        // A repeated position had a legal move when it stood first, so it is no mate.
        judge::judge_repetition(self, self.rules)
            .map(judge::Verdict::result)
            .or_else(|| self.over_apart_from_repetition())
    }

    fn move_to_text(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn move_from_text(&self, text: &str) -> Result<Move, MoveError> {
        let mv = Move::from_text(text).ok_or_else(|| {
            let (files, ranks) = ("abcdefghi", "0123456789");
            let places = [
                (files, "the file of the start"),
                (ranks, "the rank of the start"),
                (files, "the file of the end"),
                (ranks, "the rank of the end"),
            ];
            MoveError::form(text, &places)
        })?;
        if self.is_pseudo_legal(mv) && self.is_legal(mv) {
            return Ok(mv);
        }
        let mut legal = MoveList::new();
        self.legal(&mut legal);
        legal.sort_unstable();
        Err(MoveError::not_legal(text, legal.iter().map(Move::to_string)))
    }
}
