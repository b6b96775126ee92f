//! Hands out the moves of a node, the promising ones first, generating no more than is asked for.

use crate::{SearchGame, SearchParams, history::History};
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
    GenerateAll,
    All,
    Done,
}

/// Which moves a node wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Good noisy moves, killers, quiet moves, losing noisy moves.
    Staged,
    /// Noisy moves only.
    Noisy,
    /// All at once: answers to a check.
    Evasions,
}

/// Ranks of noisy moves stay below, those of quiet ones are history scores.
const NOISY_FIRST: i32 = 1 << 20;

/// The moves of one node; lives in the frame of its ply and is reused.
pub(crate) struct Picker<M> {
    moves: MoveList<M>,
    ranks: [i32; MoveList::<()>::CAPACITY],
    next: usize,
    /// Noisy moves that lose material, put off to the end; they fill the front of `moves`.
    losing: usize,
    losing_next: usize,
    stage: Stage,
    wanted: Wanted,
    quiet: bool,
    /// Noisy moves whose exchange is worth less are put off, or dropped where only noisy ones are
    /// wanted.
    least_exchange: i32,
    table_move: M,
    killers: [M; 2],
}

impl<M: Copy + Default + Eq> Picker<M> {
    pub(crate) fn new() -> Self {
        Self {
            moves: MoveList::new(),
            ranks: [0; MoveList::<()>::CAPACITY],
            next: 0,
            losing: 0,
            losing_next: 0,
            stage: Stage::Done,
            wanted: Wanted::Staged,
            quiet: true,
            least_exchange: 0,
            table_move: M::default(),
            killers: [M::default(); 2],
        }
    }

    /// Starts a node in which every move is wanted: staged, or all at once to answer a check.
    #[inline]
    pub(crate) fn start(&mut self, wanted: Wanted, table_move: M, killers: [M; 2]) {
        self.stage = Stage::Table;
        self.wanted = wanted;
        self.quiet = wanted != Wanted::Noisy;
        self.table_move = table_move;
        self.killers = killers;
        self.least_exchange = 0;
        self.losing = 0;
        self.losing_next = 0;
    }

    /// Starts a node in which noisy moves are wanted that lose no more than `most_lost` centipawns.
    #[inline]
    pub(crate) fn start_noisy(&mut self, table_move: M, most_lost: i32) {
        self.start(Wanted::Noisy, table_move, [M::default(); 2]);
        self.least_exchange = -most_lost;
    }

    /// From now on no quiet move comes any more.
    #[inline]
    pub(crate) fn skip_quiet(&mut self) {
        self.quiet = false;
    }

    /// The next pseudo-legal move.
    #[inline]
    pub(crate) fn next<G>(
        &mut self,
        position: &G,
        history: &History,
        params: &SearchParams<G>,
    ) -> Option<M>
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
                    for (rank, &mv) in self.ranks.iter_mut().zip(self.moves.iter()) {
                        *rank = position.noisy_order(params.eval(), mv);
                    }
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best() {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) if !position.exchange_wins(params.eval(), mv, self.least_exchange) => {
                        // What is before `next` has been handed out and may be overwritten.
                        self.moves[self.losing] = mv;
                        self.losing += 1;
                    }
                    Some(mv) => return Some(mv),
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
                    // Appended, as the losing moves at the front wait for their turn.
                    let start = self.moves.len();
                    self.generate(position, MoveKind::Quiet);
                    let first = position.first_to_move();
                    let unit = params.tunables().history.order_square;
                    for i in start..self.moves.len() {
                        let mv = self.moves[i];
                        self.ranks[i] = history.get(first, G::move_slot(mv))
                            + unit * position.quiet_order(params.eval(), mv);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best() {
                    Some(mv) if mv == self.table_move || self.killers.contains(&mv) => {}
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Losing,
                },
                Stage::Losing => {
                    if self.losing_next == self.losing {
                        return None;
                    }
                    self.losing_next += 1;
                    return Some(self.moves[self.losing_next - 1]);
                }
                Stage::GenerateAll => {
                    self.moves.clear();
                    self.generate(position, MoveKind::All);
                    let first = position.first_to_move();
                    let unit = params.tunables().history.order_square;
                    for (rank, &mv) in self.ranks.iter_mut().zip(self.moves.iter()) {
                        *rank = if position.is_noisy(mv) {
                            NOISY_FIRST + position.noisy_order(params.eval(), mv)
                        } else {
                            history.get(first, G::move_slot(mv))
                                + unit * position.quiet_order(params.eval(), mv)
                        };
                    }
                    self.stage = Stage::All;
                }
                Stage::All => match self.best() {
                    Some(mv) if mv == self.table_move => {}
                    other => return other,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Appends moves and points `next` at the first of them.
    fn generate<G: SearchGame<Move = M>>(&mut self, position: &G, kind: MoveKind) {
        self.next = self.moves.len();
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

    /// Takes the best of the remaining moves; of equals the one generated first.
    #[inline]
    fn best(&mut self) -> Option<M> {
        let len = self.moves.len();
        if self.next == len {
            return None;
        }
        let mut best = self.next;
        for i in self.next + 1..len {
            if self.ranks[i] > self.ranks[best] {
                best = i;
            }
        }
        self.ranks.swap(self.next, best);
        self.moves.swap(self.next, best);
        self.next += 1;
        Some(self.moves[self.next - 1])
    }
}
