//! The trait that every game implements and every search and referee uses.

use arrayvec::ArrayVec;
use model::{GameKind, Termination};

use crate::{FenError, MoveError};

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Every pseudo-legal move.
    All,
    /// Moves that change the material: what quiescence looks at.
    Noisy,
    /// The rest: `Noisy` and `Quiet` together are `All`, without overlap.
    Quiet,
}

/// Who won by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleWinner {
    /// The side to move.
    SideToMove,
    /// The side that has just moved.
    Opponent,
    /// Neither.
    Draw,
}

/// A game that is over by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleResult {
    /// Who won.
    pub winner: RuleWinner,
    /// Why.
    pub reason: Termination,
}

/// What the repetition of a position says about a line of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Who wins by it.
    pub winner: RuleWinner,
    /// Half-moves back to the nearest earlier occurrence.
    pub plies_ago: usize,
    /// The game is over. Otherwise the verdict is *provisional*: the sides may still leave the cycle,
    /// so a win or loss only bounds the value of a node from one side of a draw, and never proves a
    /// mate.
    pub is_final: bool,
}

/// Moves of one position in a fixed buffer: no allocation in the search.
#[derive(Clone)]
pub struct MoveList<M>(ArrayVec<M, { MoveList::<()>::CAPACITY }>);

impl MoveList<()> {
    /// More than any position of any game here has pseudo-legal moves; shogi has up to 593 legal
    /// ones.
    pub const CAPACITY: usize = 768;
}

impl<M> Default for MoveList<M> {
    #[inline]
    fn default() -> Self {
        Self(ArrayVec::new_const())
    }
}

impl<M: Copy> MoveList<M> {
    /// An empty list.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a move.
    ///
    /// # Panics
    /// When more than [`MoveList::CAPACITY`] moves are pushed, which no generator does.
    #[inline]
    pub fn push(&mut self, mv: M) {
        self.0.push(mv);
    }

    /// Removes those moves from index `start` on that are not to be kept; the order stays.
    #[inline]
    pub fn retain_from(&mut self, start: usize, mut keep: impl FnMut(M) -> bool) {
        let mut kept = start;
        for i in start..self.0.len() {
            let mv = self.0[i];
            self.0[kept] = mv;
            kept += usize::from(keep(mv));
        }
        self.0.truncate(kept);
    }

    /// Removes every move.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<M> std::ops::Deref for MoveList<M> {
    type Target = [M];
    #[inline]
    fn deref(&self) -> &[M] {
        &self.0
    }
}

impl<M> std::ops::DerefMut for MoveList<M> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [M] {
        &mut self.0
    }
}

/// A position of a game together with the history that its rules need.
///
/// Moves are *pseudo-legal* when the piece may move so, and *legal* when the mover's king is not
/// left to be taken. `make` and `unmake` are exact inverses, the hash included.
pub trait Game: Clone + Send + 'static {
    /// Which game this is.
    const KIND: GameKind;

    /// Whether [`perft`] counts a game that ended before the last ply as one leaf, as the published
    /// counts of the game do; otherwise as none.
    const PERFT_COUNTS_FINISHED: bool = false;

    /// One move, small enough for a transposition table. `Default` is a value that is never legal.
    type Move: Copy + Default + Eq + Ord + std::hash::Hash + std::fmt::Debug + Send + Sync + 'static;

    /// The initial position.
    fn start() -> Self;

    /// Reads a position text; everything that a stranger can write wrong is an error.
    ///
    /// # Errors
    /// The field, what was found and what is allowed. A position in which the side *not* to move is
    /// in check, or which lacks a king, is refused.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position text; `from_fen(to_fen())` gives back an equal position without its history.
    fn to_fen(&self) -> String;

    /// Whether the side that moves first in the initial position is to move.
    fn first_to_move(&self) -> bool;

    /// Incremental 64-bit hash of the position and the side to move; equal on every machine.
    fn hash(&self) -> u64;

    /// The hash once a pseudo-legal move is made, where it can be told for less than making it.
    #[inline]
    fn hash_after(&self, _: Self::Move) -> Option<u64> {
        None
    }

    /// Half-moves made since this value was created from a text or as the start.
    fn plies_made(&self) -> usize;

    /// Appends the pseudo-legal moves of a kind, in an order that is equal on every machine.
    fn pseudo_legal(&self, kind: MoveKind, moves: &mut MoveList<Self::Move>);

    /// Whether a move from elsewhere (a table, a killer slot) is pseudo-legal here.
    fn is_pseudo_legal(&self, mv: Self::Move) -> bool;

    /// Whether a pseudo-legal move is legal.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// Appends the legal moves.
    fn legal(&self, moves: &mut MoveList<Self::Move>) {
        let start = moves.len();
        self.pseudo_legal(MoveKind::All, moves);
        moves.retain_from(start, |mv| self.is_legal(mv));
    }

    /// How many legal moves there are, without making a list of them where the game can do so.
    #[inline]
    fn count_legal(&self) -> u64 {
        let mut moves = MoveList::new();
        self.legal(&mut moves);
        moves.len() as u64
    }

    /// Whether a pseudo-legal move is of [`MoveKind::Noisy`].
    fn is_noisy(&self, mv: Self::Move) -> bool;

    /// Makes a legal move and remembers how to take it back.
    fn make(&mut self, mv: Self::Move);

    /// Takes back the last move made.
    fn unmake(&mut self);

    /// Passes the turn without a move (null move); not called in check.
    fn make_null(&mut self);

    /// Takes back the last null move.
    fn unmake_null(&mut self);

    /// Whether the king of the side to move is attacked; `false` in games without kings.
    fn in_check(&self) -> bool;

    /// How often the present position stood before in the line of moves made; 0 when it is new.
    fn repetitions(&self) -> u32;

    /// What a search may conclude from repetition at a node `ply` half-moves below its root: the final
    /// verdict where the rules end the game, or a provisional one where the present position stood
    /// before *at the root or below it*. `None` where the position is new, and in games that never
    /// repeat.
    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        let _ = ply;
        None
    }

    /// A pseudo-legal move by which a position of the line of moves made would stand again, where the
    /// game can tell one for less than trying all; what the rules then say is for
    /// [`Game::repetition`].
    #[inline]
    fn repeating_move(&self) -> Option<Self::Move> {
        None
    }

    /// After how many half-moves from here a rule may end the game merely because so many were made:
    /// what was found out about the position without regard to that is void from there on. `None` in
    /// games without such a rule.
    #[inline]
    fn plies_to_limit(&self) -> Option<u32> {
        None
    }

    /// The result if the game is over here by rule, the absence of legal moves included.
    fn result(&self) -> Option<RuleResult>;

    /// The result by repetition, a move limit or the board (a dead position, a line of three): cheap,
    /// for use inside a search, where the absence of moves shows itself. Where a draw by limit or
    /// board meets a side without a move it is `None`. A two-fold repetition is *not* a result.
    fn rule_draw_or_loss(&self) -> Option<RuleResult>;

    /// The move in UCI form (xiangqi ranks 0–9, `h2e2`; tic-tac-toe: the square, `b2`).
    fn move_to_text(&self, mv: Self::Move) -> String;

    /// The legal move of this text.
    ///
    /// # Errors
    /// The text is no move, or the move is not legal here.
    fn move_from_text(&self, text: &str) -> Result<Self::Move, MoveError>;
}

/// Counts the leaf positions of the legal move tree of this depth. What a game that ended before
/// counts, [`Game::PERFT_COUNTS_FINISHED`] says.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count_last_ply(position),
        _ => {
            let mut moves = MoveList::new();
            position.legal(&mut moves);
            if moves.is_empty() {
                return u64::from(G::PERFT_COUNTS_FINISHED);
            }
            let mut leaves = 0;
            for &mv in moves.iter() {
                position.make(mv);
                // Most calls would be for one ply: they are saved here.
                leaves += match depth {
                    2 => count_last_ply(position),
                    _ => perft(position, depth - 1),
                };
                position.unmake();
            }
            leaves
        }
    }
}

#[inline]
fn count_last_ply<G: Game>(position: &G) -> u64 {
    position.count_legal().max(u64::from(G::PERFT_COUNTS_FINISHED))
}
