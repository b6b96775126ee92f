//! Othello, also known as reversi, on eight by eight squares.
//!
//! [`Othello`] is a position with its history, [`Board`] the two sets of discs without it. Black
//! begins. A disc is placed so that it flips, or not at all; who cannot place one passes, and where
//! neither can the game is over and discs are counted. A pass is a move like any other: one half-move,
//! and the only legal one where it is legal. [`ggf`] and [`transcript`] read whole games, [`obf`] endgame suites.

mod board;
pub mod ggf;
mod moves;
pub mod obf;
mod position;
mod record;
mod rules;
mod text;
pub mod transcript;

pub use board::{Board, map_squares};
pub use moves::{Move, Square, Squares};
pub use position::{Othello, Side};
pub use record::{Record, RecordError};
pub use rules::Scoring;

use model::GameKind;

use crate::{FenError, Game, MoveError, MoveKind, MoveList, MoveText, RuleResult};

impl Game for Othello {
    const KIND: GameKind = GameKind::Othello;

    /// Bik's and others' counts take a finished game as one leaf.
    const PERFT_COUNTS_FINISHED: bool = true;

    type Move = Move;

    fn start() -> Self {
        text::read(text::START).expect("the initial position is valid")
    }

    /// 64 letters, a1 to h1 first, then a2, and the side to move: `X`, `*` or `B` is Black, `O` or `W`
    /// White, in either case, `-` or `.` an empty square. Every board is a position.
    fn from_fen(fen: &str) -> Result<Self, FenError> {
        text::read(fen)
    }

    fn to_fen(&self) -> String {
        text::write(self)
    }

    fn first_to_move(&self) -> bool {
        self.side_to_move() == Side::Black
    }

    /// Mixed from the board when asked for, not kept.
    #[inline]
    fn hash(&self) -> u64 {
        self.mixed()
    }

    /// Passes count as half-moves.
    fn plies_made(&self) -> usize {
        self.made()
    }

    /// Every move is quiet, a pass too: each flips discs, so there is no calm to search for.
    #[inline]
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        if kind == MoveKind::Noisy {
            return;
        }
        let squares = self.board().moves();
        for square in Squares(squares) {
            moves.push(Move::place(square));
        }
        if squares == 0 && self.board().passed().can_move() {
            moves.push(Move::PASS);
        }
    }

    #[inline]
    fn is_pseudo_legal(&self, mv: Move) -> bool {
        match mv.square() {
            Some(square) => self.board().moves() & square.bit() != 0,
            None => mv == Move::PASS && self.must_pass(),
        }
    }

    #[inline]
    fn is_legal(&self, _: Move) -> bool {
        true
    }

    #[inline]
    fn legal(&self, moves: &mut MoveList<Move>) {
        self.pseudo_legal(MoveKind::All, moves);
    }

    #[inline]
    fn count_legal(&self) -> u64 {
        match self.board().moves() {
            0 => self.board().passed().can_move().into(),
            squares => squares.count_ones().into(),
        }
    }

    #[inline]
    fn is_noisy(&self, _: Move) -> bool {
        false
    }

    #[inline]
    fn make(&mut self, mv: Move) {
        self.apply(mv);
    }

    #[inline]
    fn unmake(&mut self) {
        self.revert();
    }

    /// Passes also where that is not legal.
    fn make_null(&mut self) {
        self.apply(Move::PASS);
    }

    fn unmake_null(&mut self) {
        self.revert();
    }

    #[inline]
    fn in_check(&self) -> bool {
        false
    }

    /// Never: every move but a pass adds a disc, and nobody passes twice in a row.
    #[inline]
    fn repetitions(&self) -> u32 {
        0
    }

    fn result(&self) -> Option<RuleResult> {
        self.result_at_end()
    }

    /// The same as [`Game::result`]: the board decides this game, not the absence of moves.
    #[inline]
    fn rule_draw_or_loss(&self) -> Option<RuleResult> {
        self.result_at_end()
    }

    /// The square in lower case, `d3`, or `pass`.
    fn move_to_text(&self, mv: Move) -> String {
        mv.to_string()
    }

    /// A square or `pass`, `pa`, `ps`, in either case.
    fn move_from_text(&self, text: &str) -> Result<Move, MoveError> {
        let mv = Move::from_text(text).ok_or_else(|| {
            let (at, allowed) = moves::fault(text);
            MoveError::character(text, at, allowed)
        })?;
        if self.is_pseudo_legal(mv) {
            return Ok(mv);
        }
        let mut legal = MoveList::new();
        self.legal(&mut legal);
        Err(MoveError::not_legal(text, legal.iter().map(Move::to_string)))
    }
}

impl MoveText for Othello {}
