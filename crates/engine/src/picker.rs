//! Hands out the moves of a node, the promising ones first, generating no more than is asked for.

use crate::{SearchGame, history::History};
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
    GenerateAll,
    All,
    Done,
}

/// Which moves a node wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Noisy moves, killers, quiet moves.
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
    stage: Stage,
    wanted: Wanted,
    table_move: M,
    killers: [M; 2],
}

impl<M: Copy + Default + Eq> Picker<M> {
    pub(crate) fn new() -> Self {
        Self {
            moves: MoveList::new(),
            ranks: [0; MoveList::<()>::CAPACITY],
            next: 0,
            stage: Stage::Done,
            wanted: Wanted::Staged,
            table_move: M::default(),
            killers: [M::default(); 2],
        }
    }

    /// Starts a node. Killers are used by [`Wanted::Staged`] only.
    #[inline]
    pub(crate) fn start(&mut self, wanted: Wanted, table_move: M, killers: [M; 2]) {
        self.stage = Stage::Table;
        self.wanted = wanted;
        self.table_move = table_move;
        self.killers = killers;
    }

    /// From now on no quiet move comes any more.
    #[inline]
    pub(crate) fn skip_quiet(&mut self) {
        if self.stage != Stage::Noisy && self.stage != Stage::GenerateNoisy {
            self.stage = Stage::Done;
        }
        self.wanted = Wanted::Noisy;
    }

    /// The next pseudo-legal move.
    #[inline]
    pub(crate) fn next<G>(&mut self, position: &G, history: &History) -> Option<M>
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
                    self.generate(position, MoveKind::Noisy);
                    for (rank, &mv) in self.ranks.iter_mut().zip(self.moves.iter()) {
                        *rank = position.noisy_order(mv);
                    }
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best() {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) => return Some(mv),
                    None if self.wanted == Wanted::Noisy => self.stage = Stage::Done,
                    None => self.stage = Stage::FirstKiller,
                },
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
                    self.generate(position, MoveKind::Quiet);
                    let first = position.first_to_move();
                    for (rank, &mv) in self.ranks.iter_mut().zip(self.moves.iter()) {
                        *rank = history.get(first, G::move_slot(mv));
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best() {
                    Some(mv) if mv == self.table_move || self.killers.contains(&mv) => {}
                    other => return other,
                },
                Stage::GenerateAll => {
                    self.generate(position, MoveKind::All);
                    let first = position.first_to_move();
                    for (rank, &mv) in self.ranks.iter_mut().zip(self.moves.iter()) {
                        *rank = if position.is_noisy(mv) {
                            NOISY_FIRST + position.noisy_order(mv)
                        } else {
                            history.get(first, G::move_slot(mv))
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

    fn generate<G: SearchGame<Move = M>>(&mut self, position: &G, kind: MoveKind) {
        self.moves.clear();
        self.next = 0;
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
