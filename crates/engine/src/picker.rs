//! Hands out the moves of a node, the promising ones first, generating no more than is asked for.
//!
//! In order: the table's move; noisy moves whose exchange does not lose; killers; quiet moves by
//! history; noisy moves that lose; quiet moves with a bad record. In check everything at once.

use crate::history::{Context, Histories, QuietCell};
use crate::{SearchGame, SearchParams};
use arrayvec::ArrayVec;
use games::{MoveKind, MoveList};

/// Where a picker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    GenerateNoisy,
    Noisy,
    FirstKiller,
    SecondKiller,
    GenerateQuiet,
    Quiet,
    Losing,
    BadQuiet,
    GenerateAll,
    All,
    Done,
}

/// Which moves a node wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Good noisy moves, killers, quiet moves, losing noisy moves.
    Staged,
    /// Noisy moves only.
    Noisy,
    /// All at once: answers to a check.
    Evasions,
}

/// Ranks stay within `±MOST_RANK`; those of noisy moves among evasions in the upper half, above those
/// of quiet ones.
const MOST_RANK: i32 = (1 << 20) - 1;
const NOISY_FIRST: i32 = 1 << 19;

/// Bits of a key that tell which move it belongs to; a position has fewer moves.
const INDEX_BITS: u32 = 10;
const INDEX_MASK: i32 = (1 << INDEX_BITS) - 1;

/// The key of a move that has been handed out.
const TAKEN: i32 = i32::MIN;

/// Losing moves that can be put off.
const MOST_LOSING: usize = 64;

/// Rank and index in one number: of equal ranks, the move generated first is the greater.
#[inline]
fn key(rank: i32, index: usize) -> i32 {
    rank.clamp(-MOST_RANK, MOST_RANK) << INDEX_BITS | (INDEX_MASK - index as i32)
}

/// The moves of one node; lives in the frame of its ply and is reused.
pub(crate) struct Picker<M> {
    moves: MoveList<M>,
    /// By index of `moves`; [`TAKEN`] once handed out.
    keys: [i32; MoveList::<()>::CAPACITY],
    /// The rank of the move handed out last.
    rank: i32,
    /// Where the moves of the present stage begin.
    start: usize,
    /// Noisy moves that lose material, put off to the end.
    losing: ArrayVec<M, MOST_LOSING>,
    losing_next: usize,
    stage: Stage,
    wanted: Wanted,
    quiet: bool,
    /// What remains has too low a rank to be sorted.
    unsorted: bool,
    /// The first quiet move with a bad record.
    delayed: M,
    /// Noisy moves whose exchange is worth less are dropped, where only noisy ones are wanted.
    least_exchange: i32,
    /// Quiet moves below this are not sorted.
    least_sorted: i32,
    table_move: M,
    killers: [M; 2],
}

/// What a picker asks about moves.
pub(crate) struct Advice<'a, G: SearchGame> {
    pub(crate) histories: &'a Histories,
    pub(crate) params: &'a SearchParams<G>,
    pub(crate) node: &'a Context,
}

impl<M: Copy + Default + Eq> Picker<M> {
    pub(crate) fn new() -> Self {
        Self {
            moves: MoveList::new(),
            keys: [TAKEN; MoveList::<()>::CAPACITY],
            rank: 0,
            start: 0,
            losing: ArrayVec::new(),
            losing_next: 0,
            stage: Stage::Done,
            wanted: Wanted::Staged,
            quiet: true,
            unsorted: false,
            delayed: M::default(),
            least_exchange: 0,
            least_sorted: i32::MIN,
            table_move: M::default(),
            killers: [M::default(); 2],
        }
    }

    #[inline]
    fn start(&mut self, wanted: Wanted, table_move: M, killers: [M; 2]) {
        self.stage = Stage::Table;
        self.wanted = wanted;
        self.quiet = wanted != Wanted::Noisy;
        self.unsorted = false;
        self.delayed = M::default();
        self.table_move = table_move;
        self.killers = killers;
        self.least_exchange = 0;
        self.least_sorted = i32::MIN;
        self.losing.clear();
        self.losing_next = 0;
    }

    /// Starts a node in which every move is wanted, in stages; quiet moves ranked below `least_sorted`
    /// come in no order.
    #[inline]
    pub(crate) fn start_staged(&mut self, table_move: M, killers: [M; 2], least_sorted: i32) {
        self.start(Wanted::Staged, table_move, killers);
        self.least_sorted = least_sorted;
    }

    /// Starts a node in which every answer to a check is wanted.
    #[inline]
    pub(crate) fn start_evasions(&mut self, table_move: M) {
        self.start(Wanted::Evasions, table_move, [M::default(); 2]);
    }

    /// Starts a node in which noisy moves are wanted whose exchange wins at least so many centipawns.
    #[inline]
    pub(crate) fn start_noisy(&mut self, table_move: M, least_exchange: i32) {
        self.start(Wanted::Noisy, table_move, [M::default(); 2]);
        self.least_exchange = least_exchange;
    }

    /// From now on no quiet move comes any more.
    #[inline]
    pub(crate) fn skip_quiet(&mut self) {
        self.quiet = false;
    }

    /// The next pseudo-legal move.
    #[inline]
    pub(crate) fn next<G>(&mut self, position: &G, advice: &Advice<'_, G>) -> Option<M>
    where
        G: SearchGame<Move = M>,
    {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = match self.wanted {
                        Wanted::Evasions => Stage::GenerateAll,
                        _ => Stage::GenerateNoisy,
                    };
                    let mv = self.table_move;
                    if mv != M::default()
                        && position.is_pseudo_legal(mv)
                        && (self.wanted != Wanted::Noisy || position.is_noisy(mv))
                    {
                        return Some(mv);
                    }
                    self.table_move = M::default();
                }
                Stage::GenerateNoisy => {
                    self.moves.clear();
                    self.generate(position, MoveKind::Noisy);
                    for (index, &mv) in self.moves.iter().enumerate() {
                        self.keys[index] = key(noisy_rank(position, advice, mv), index);
                    }
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best(i32::MIN) {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) => {
                        let least = match self.wanted {
                            Wanted::Noisy => self.least_exchange,
                            _ => {
                                let part = advice.params.tunables().history.order_good_capture;
                                -(self.rank.max(0) / 64 * part / 16)
                            }
                        };
                        if position.exchange_wins(advice.params.eval(), mv, least) {
                            return Some(mv);
                        }
                        if self.wanted == Wanted::Staged && self.losing.try_push(mv).is_err() {
                            return Some(mv);
                        }
                    }
                    None if self.wanted == Wanted::Noisy => self.stage = Stage::Done,
                    None => self.stage = Stage::FirstKiller,
                },
                Stage::FirstKiller | Stage::SecondKiller | Stage::GenerateQuiet | Stage::Quiet
                    if !self.quiet =>
                {
                    self.stage = Stage::Losing;
                }
                Stage::FirstKiller => {
                    self.stage = Stage::SecondKiller;
                    if let Some(mv) = self.killer(position, 0) {
                        return Some(mv);
                    }
                }
                Stage::SecondKiller => {
                    self.stage = Stage::GenerateQuiet;
                    if let Some(mv) = self.killer(position, 1) {
                        return Some(mv);
                    }
                }
                Stage::GenerateQuiet => {
                    self.moves.clear();
                    self.generate(position, MoveKind::Quiet);
                    for (index, &mv) in self.moves.iter().enumerate() {
                        self.keys[index] = key(quiet_rank(position, advice, mv), index);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    let bad = -advice.params.tunables().history.order_bad_quiet;
                    match self.best(self.least_sorted) {
                        Some(mv) if mv == self.table_move || self.killers.contains(&mv) => {}
                        Some(mv) if self.unsorted || self.rank < bad => {
                            // It and what follows wait for the losing captures.
                            self.delayed = mv;
                            self.stage = Stage::Losing;
                        }
                        Some(mv) => return Some(mv),
                        None => self.stage = Stage::Losing,
                    }
                }
                Stage::Losing => {
                    if let Some(&mv) = self.losing.get(self.losing_next) {
                        self.losing_next += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::BadQuiet;
                    if self.quiet && self.delayed != M::default() {
                        return Some(self.delayed);
                    }
                }
                Stage::BadQuiet => {
                    if !self.quiet || self.delayed == M::default() {
                        self.stage = Stage::Done;
                        continue;
                    }
                    match self.best(self.least_sorted) {
                        Some(mv) if mv == self.table_move || self.killers.contains(&mv) => {}
                        other => return other,
                    }
                }
                Stage::GenerateAll => {
                    self.moves.clear();
                    self.generate(position, MoveKind::All);
                    let first = position.first_to_move();
                    let unit = advice.params.tunables().history.order_square;
                    for (index, &mv) in self.moves.iter().enumerate() {
                        let rank = if position.is_noisy(mv) {
                            NOISY_FIRST + noisy_rank(position, advice, mv)
                        } else {
                            let (piece, slot) = (position.piece_slot(mv), G::move_slot(mv));
                            let cell = QuietCell { first, mv: slot, piece };
                            advice.histories.evasion_order(advice.node, cell)
                                + unit * position.quiet_order(advice.params.eval(), mv)
                        };
                        self.keys[index] = key(rank, index);
                    }
                    self.stage = Stage::All;
                }
                Stage::All => match self.best(i32::MIN) {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) if !self.quiet && !position.is_noisy(mv) => return None,
                    other => return other,
                },
                Stage::Done => return None,
            }
        }
    }

    fn generate<G: SearchGame<Move = M>>(&mut self, position: &G, kind: MoveKind) {
        self.start = 0;
        self.unsorted = false;
        position.pseudo_legal(kind, &mut self.moves);
    }

    /// A killer that fits here; what does not fit is forgotten, so that `Quiet` will not skip it.
    fn killer<G: SearchGame<Move = M>>(&mut self, position: &G, index: usize) -> Option<M> {
        let mv = self.killers[index];
        let fits = mv != M::default()
            && mv != self.table_move
            && position.is_pseudo_legal(mv)
            && !position.is_noisy(mv);
        if fits {
            return Some(mv);
        }
        self.killers[index] = M::default();
        None
    }

    /// Takes the best of the remaining moves; of equals the one generated first. Once the best is too
    /// low to be sorted, simply the next.
    #[inline]
    fn best(&mut self, least_sorted: i32) -> Option<M> {
        let keys = &mut self.keys[..self.moves.len()];
        let best = if self.unsorted {
            let left = keys[self.start..].iter().position(|&key| key != TAKEN)?;
            self.start += left;
            keys[self.start]
        } else {
            let best = keys.iter().copied().max()?;
            if best == TAKEN {
                return None;
            }
            self.unsorted = best >> INDEX_BITS < least_sorted;
            best
        };
        let index = (INDEX_MASK - (best & INDEX_MASK)) as usize;
        keys[index] = TAKEN;
        self.rank = best >> INDEX_BITS;
        Some(self.moves[index])
    }
}

#[inline]
fn noisy_rank<G: SearchGame>(position: &G, advice: &Advice<'_, G>, mv: G::Move) -> i32 {
    let unit = advice.params.tunables().history.order_gain;
    unit * position.noisy_order(advice.params.eval(), mv)
        + advice.histories.capture(position.piece_slot(mv), position.victim(mv))
}

#[inline]
fn quiet_rank<G: SearchGame>(position: &G, advice: &Advice<'_, G>, mv: G::Move) -> i32 {
    let t = &advice.params.tunables().history;
    let cell = QuietCell {
        first: position.first_to_move(),
        mv: G::move_slot(mv),
        piece: position.piece_slot(mv),
    };
    let tables = advice.params.eval();
    let mut rank = advice.histories.order(t, advice.node, cell)
        + t.order_square * position.quiet_order(tables, mv);
    if position.checks_directly(mv) && position.exchange_wins(tables, mv, -t.order_check_loss) {
        rank += t.order_check;
    }
    rank
}
