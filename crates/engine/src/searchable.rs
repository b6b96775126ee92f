//! What the search asks of a game beyond its rules, and what an evaluation is.

use games::{Game, RuleResult, RuleWinner};

/// A static evaluation that may keep state along the line of moves.
///
/// The search calls `reset` at the root, `push` before every move or null move and `pop` after
/// taking one back, strictly nested.
pub trait Evaluate<G: Game>: Default + Send {
    /// Forgets everything and starts from this position.
    fn reset(&mut self, position: &G);

    /// A legal move is about to be made in `position`; `None` is the null move.
    fn push(&mut self, position: &G, mv: Option<G::Move>);

    /// The last move was taken back.
    fn pop(&mut self);

    /// Centipawns from the view of the side to move.
    fn evaluate(&self, position: &G) -> i32;
}

/// A game that the search can play.
pub trait SearchGame: Game {
    /// Its evaluation.
    type Eval: Evaluate<Self>;

    /// How many different values [`SearchGame::move_slot`] has.
    const MOVE_SLOTS: usize;

    /// Whether unquiet leaves are searched on; `false` in games without captures.
    const QUIESCENCE: bool;

    /// Who wins when the side to move, its game not over by [`SearchGame::over`], has no move.
    const NO_MOVE: RuleWinner;

    /// Positions on which speed and behaviour are measured.
    const BENCH_POSITIONS: &'static [&'static str];

    /// Depth in plies to which each of them is searched.
    const BENCH_DEPTH: u32;

    /// The index of a move in tables that are kept per move.
    fn move_slot(mv: Self::Move) -> usize;

    /// How early a noisy move is tried: most valuable victim first, then least valuable attacker.
    fn noisy_order(&self, mv: Self::Move) -> i32;

    /// The centipawns that a noisy move wins at most at once.
    fn noisy_gain(&self, mv: Self::Move) -> i32;

    /// The centipawns that the exchange begun by a noisy move wins; only its sign and rough size
    /// matter, and what cannot lose may be given as 0.
    fn exchange(&self, mv: Self::Move) -> i32;

    /// What a quiet move is thought to gain beforehand, in centipawns; orders the untried.
    fn quiet_order(&self, mv: Self::Move) -> i32;

    /// Whether passing can be trusted to be no better than the best move here.
    fn null_move_is_sound(&self) -> bool;

    /// The result by rule that a search must see at an inner node, where it also asks
    /// [`Game::repetition`]: results by repetition may be left to that.
    #[inline]
    fn over(&self) -> Option<RuleResult> {
        self.rule_draw_or_loss()
    }
}
