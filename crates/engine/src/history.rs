//! What a search learns of moves and of its evaluation: tables of numbers with gravity.
//!
//! Each table counts how often something caused cutoffs: the butterfly history of J. Schaeffer (1983),
//! the same by the moves made one, two, four and six plies before (continuation history, from
//! countermoves by J. Uiterwijk, 1992), by the pawns on the board, by what is taken, and near the root.
//! The correction tables keep how far the static evaluation was off on positions of the same make.
//!
//! A table is cleared by the rows that were written: a game of a few thousand nodes does not pay for
//! megabytes.

use crate::searchable::Structure;
use crate::tunables::tunables;

tunables! {
    /// What moves are remembered by, and their order.
    pub struct HistoryTunables in History {
        history_bonus: i32 = 160, 10 => 500, c_end 15,
            "History: bonus per ply of depth for the move that failed high.";
        history_bonus_offset: i32 = 60, -200 => 500, c_end 25,
            "History: taken off the bonus.";
        history_bonus_max: i32 = 1600, 100 => 6000, c_end 150,
            "History: largest bonus.";
        history_malus: i32 = 200, 0 => 900, c_end 30,
            "History: malus per ply of depth for the moves tried before it.";
        history_malus_offset: i32 = 60, -200 => 500, c_end 25,
            "History: taken off the malus.";
        history_malus_max: i32 = 1400, 0 => 6000, c_end 150,
            "History: largest malus.";
        history_main: i32 = 1024, 0 => 2048, c_end 80,
            "History: share of an update that the table of moves takes, in 1024ths.";
        history_cont_1: i32 = 1024, 0 => 2048, c_end 80,
            "History: share that the table by the last move takes, in 1024ths.";
        history_cont_2: i32 = 768, 0 => 2048, c_end 80,
            "History: share that the table by the own last move takes, in 1024ths.";
        history_cont_4: i32 = 384, 0 => 2048, c_end 80,
            "History: share that the table by the move four plies before takes, in 1024ths.";
        history_cont_6: i32 = 256, 0 => 2048, c_end 80,
            "History: share that the table by the move six plies before takes, in 1024ths.";
        history_pawns: i32 = 768, 0 => 2048, c_end 80,
            "History: share that the table by the pawns takes, in 1024ths.";
        history_low_ply: i32 = 768, 0 => 2048, c_end 80,
            "History: share that the table near the root takes, in 1024ths.";
        history_capture: i32 = 1024, 0 => 2048, c_end 80,
            "History: share that the table of captures takes, in 1024ths.";
        history_refuted: i32 = 600, 0 => 2048, c_end 80,
            "History: share of the malus that goes to the first move of the other side, refuted here, in 1024ths.";
        history_all_node: i32 = 500, 0 => 2048, c_end 80,
            "History: share of the bonus that goes to the move before a node without a good answer, in 1024ths.";
        history_eval_scale: i32 = 8, 0 => 40, c_end 2,
            "History: units for the move made, for each centipawn that the evaluation rose by it.";
        history_eval_max: i32 = 120, 0 => 500, c_end 20,
            "History: most centipawns that count for that.";
        history_decay: i32 = 768, 0 => 1024, c_end 40,
            "History: what the table of moves keeps from one search to the next, in 1024ths.";
        order_main: i32 = 2, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table of moves.";
        order_pawns: i32 = 2, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table by the pawns.";
        order_cont_1: i32 = 2, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table by the last move.";
        order_cont_2: i32 = 1, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table by the own last move.";
        order_cont_4: i32 = 1, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table by the move four plies before.";
        order_cont_6: i32 = 1, 0 => 8, c_end 0.7,
            "Ordering of quiet moves: weight of the table by the move six plies before.";
        order_low_ply: i32 = 8, 0 => 32, c_end 2,
            "Ordering of quiet moves: weight of the table near the root, over one more than the ply.";
        order_square: i32 = 16, 0 => 200, c_end 5,
            "Ordering: units of history for each centipawn that a quiet move's square is better by.";
        order_check: i32 = 6000, 0 => 30000, c_end 1000,
            "Ordering: units for a quiet move that gives check and loses little.";
        order_check_loss: i32 = 75, 0 => 500, c_end 20,
            "Ordering: centipawns that such a check may lose.";
        order_gain: i32 = 24, 1 => 100, c_end 4,
            "Ordering of captures: units of history for each centipawn won at once.";
        order_bad_quiet: i32 = 10000, 0 => 40000, c_end 1000,
            "Ordering: a quiet move below minus so many units waits for the captures that lose.";
        order_sorted: i32 = 3000, 0 => 20000, c_end 400,
            "Ordering: quiet moves below minus so many units per ply of depth are not sorted.";
        order_good_capture: i32 = 20, 0 => 100, c_end 4,
            "Ordering: units of a capture, in 1024ths, that its exchange may lose in centipawns.";
        order_killers: i32 = 1, 0 => 1, c_end 0.5,
            "Ordering: whether killer moves come before the other quiet ones.";
        correction_pawns: i32 = 35, 0 => 400, c_end 15,
            "Correction of the evaluation: weight of the table by the pawns.";
        correction_minor: i32 = 30, 0 => 400, c_end 15,
            "Correction of the evaluation: weight of the table by the pieces of little value.";
        correction_pieces: i32 = 40, 0 => 400, c_end 15,
            "Correction of the evaluation: weight of the tables by the pieces of either side.";
        correction_moves: i32 = 40, 0 => 400, c_end 15,
            "Correction of the evaluation: weight of the table by the last two moves.";
        correction_rate: i32 = 128, 0 => 512, c_end 15,
            "Correction: part of error times depth that is learnt, in 1024ths.";
        correction_max: i32 = 256, 1 => 1024, c_end 25,
            "Correction: most that is learnt at once.";
    }
}

/// No cell leaves `±LIMIT`.
const LIMIT: i32 = 16_384;

/// No cell of a correction leaves `±CORRECTION_LIMIT`.
const CORRECTION_LIMIT: i32 = 1024;

/// Plies from the root that have a table of their own.
pub(crate) const LOW_PLIES: usize = 4;

/// Rows of the table by pawns.
const PAWN_ROWS: usize = 512;

/// Rows and columns of a correction table, for each side.
const CORRECTION_ROWS: usize = 256;
const CORRECTION_COLUMNS: usize = 64;

/// How many plies before the move was made by which the table of the same number is indexed.
pub(crate) const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// A table of cells in rows.
struct Grid {
    cells: Vec<i16>,
    width: usize,
    limit: i32,
    written: Vec<bool>,
    /// The rows that were written since the last clearing.
    rows: Vec<u32>,
}

impl Grid {
    fn new(rows: usize, width: usize, limit: i32) -> Self {
        Self {
            cells: vec![0; rows * width],
            width,
            limit,
            written: vec![false; rows],
            rows: Vec::new(),
        }
    }

    #[inline]
    fn get(&self, row: usize, column: usize) -> i32 {
        i32::from(self.cells[row * self.width + column])
    }

    /// Moves a cell towards the limit by at most `|delta|`, the less the nearer it is.
    #[inline]
    fn update(&mut self, row: usize, column: usize, delta: i32) {
        if !self.written[row] {
            self.written[row] = true;
            self.rows.push(row as u32);
        }
        let cell = &mut self.cells[row * self.width + column];
        let delta = delta.clamp(-self.limit, self.limit);
        let value = i32::from(*cell);
        *cell = (value + delta - value * delta.abs() / self.limit) as i16;
    }

    fn clear(&mut self) {
        self.scale(0);
        self.rows.iter().for_each(|&row| self.written[row as usize] = false);
        self.rows.clear();
    }

    /// Leaves `kept` 1024ths of every cell.
    fn scale(&mut self, kept: i32) {
        for &row in &self.rows {
            let start = row as usize * self.width;
            for cell in &mut self.cells[start..start + self.width] {
                *cell = (i32::from(*cell) * kept / 1024) as i16;
            }
        }
    }
}

/// Which cells belong to a quiet move at a node.
#[derive(Clone, Copy)]
pub(crate) struct QuietCell {
    /// Whether the side that begins the game makes the move.
    pub(crate) first: bool,
    /// Its move slot.
    pub(crate) mv: usize,
    /// Its piece slot.
    pub(crate) piece: usize,
}

/// What a node is to the tables.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// Piece slots of the moves made before, by [`CONTINUATIONS`]; the row behind the last one where
    /// there was none.
    pub(crate) before: [usize; 4],
    /// The row of the pawns on the board.
    pub(crate) pawns: usize,
    /// Half-moves from the root.
    pub(crate) ply: usize,
}

/// Everything that is learnt.
pub(crate) struct Histories {
    moves: Grid,
    low_ply: Grid,
    captures: Grid,
    continuation: Grid,
    pawns: Grid,
    /// By pawns, minor pieces, pieces of either side; then by moves.
    corrections: [Grid; 5],
    piece_slots: usize,
}

impl Histories {
    /// Empty tables for so many move slots, piece slots and kinds of victims.
    pub(crate) fn new(move_slots: usize, piece_slots: usize, victims: usize) -> Self {
        let correction = || Grid::new(2 * CORRECTION_ROWS, CORRECTION_COLUMNS, CORRECTION_LIMIT);
        Self {
            moves: Grid::new(2, move_slots, LIMIT),
            low_ply: Grid::new(LOW_PLIES, move_slots, LIMIT),
            captures: Grid::new(piece_slots, victims, LIMIT),
            continuation: Grid::new(piece_slots + 1, piece_slots, LIMIT),
            pawns: Grid::new(PAWN_ROWS, piece_slots, LIMIT),
            corrections: std::array::from_fn(|_| correction()),
            piece_slots,
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let Self { moves, low_ply, captures, continuation, pawns, corrections, .. } = self;
        for grid in [moves, low_ply, captures, continuation, pawns] {
            grid.clear();
        }
        corrections.iter_mut().for_each(Grid::clear);
    }

    /// What is left for the next search of the game.
    pub(crate) fn age(&mut self, kept: i32) {
        self.moves.scale(kept);
        self.low_ply.clear();
    }

    /// The row of a move that was not made.
    pub(crate) fn no_move(&self) -> usize {
        self.piece_slots
    }

    /// The row of these pawns.
    #[inline]
    pub(crate) fn pawn_row(structure: Structure) -> usize {
        structure.pawns as usize % PAWN_ROWS
    }

    /// How early a quiet move is tried.
    #[inline]
    pub(crate) fn order(&self, t: &HistoryTunables, node: &Context, cell: QuietCell) -> i32 {
        let QuietCell { first, mv, piece } = cell;
        let cont = |index: usize| self.continuation.get(node.before[index], piece);
        let mut rank = t.order_main * self.moves.get(usize::from(first), mv)
            + t.order_pawns * self.pawns.get(node.pawns, piece)
            + t.order_cont_1 * cont(0)
            + t.order_cont_2 * cont(1)
            + t.order_cont_4 * cont(2)
            + t.order_cont_6 * cont(3);
        if node.ply < LOW_PLIES {
            rank += t.order_low_ply * self.low_ply.get(node.ply, mv) / (1 + node.ply as i32);
        }
        rank
    }

    /// How early a quiet answer to a check is tried.
    #[inline]
    pub(crate) fn evasion_order(&self, node: &Context, cell: QuietCell) -> i32 {
        self.moved(cell.first, cell.mv) + self.continuation.get(node.before[0], cell.piece)
    }

    /// The table of moves alone.
    #[inline]
    pub(crate) fn moved(&self, first: bool, mv: usize) -> i32 {
        self.moves.get(usize::from(first), mv)
    }

    /// What a move has done after the last two moves, and with these pawns.
    #[inline]
    pub(crate) fn continuation(&self, node: &Context, piece: usize) -> [i32; 3] {
        let cont = |index: usize| self.continuation.get(node.before[index], piece);
        [cont(0), cont(1), self.pawns.get(node.pawns, piece)]
    }

    /// The table of captures.
    #[inline]
    pub(crate) fn capture(&self, piece: usize, victim: usize) -> i32 {
        self.captures.get(piece, victim)
    }

    /// Bonus or malus for a quiet move.
    pub(crate) fn learn_quiet(
        &mut self,
        t: &HistoryTunables,
        node: &Context,
        cell: QuietCell,
        delta: i32,
    ) {
        let share = |part: i32| delta * part / 1024;
        self.moves.update(usize::from(cell.first), cell.mv, share(t.history_main));
        self.pawns.update(node.pawns, cell.piece, share(t.history_pawns));
        if node.ply < LOW_PLIES {
            self.low_ply.update(node.ply, cell.mv, share(t.history_low_ply));
        }
        self.learn_continuation(t, node, cell.piece, delta);
    }

    /// Bonus or malus for a quiet move in the tables by the moves before it alone.
    pub(crate) fn learn_continuation(
        &mut self,
        t: &HistoryTunables,
        node: &Context,
        piece: usize,
        delta: i32,
    ) {
        let parts = [t.history_cont_1, t.history_cont_2, t.history_cont_4, t.history_cont_6];
        for (row, part) in node.before.into_iter().zip(parts) {
            if row != self.piece_slots {
                self.continuation.update(row, piece, delta * part / 1024);
            }
        }
    }

    /// Bonus or malus for a move in the table of moves alone.
    #[inline]
    pub(crate) fn learn_move(&mut self, first: bool, mv: usize, delta: i32) {
        self.moves.update(usize::from(first), mv, delta);
    }

    /// Bonus or malus for a noisy move.
    #[inline]
    pub(crate) fn learn_capture(
        &mut self,
        t: &HistoryTunables,
        piece: usize,
        victim: usize,
        delta: i32,
    ) {
        self.captures.update(piece, victim, delta * t.history_capture / 1024);
    }

    /// Cells of the corrections of a position.
    fn correction_cells(first: bool, structure: Structure, node: &Context) -> [(usize, usize); 5] {
        let moves = (node.before[0] as u32).wrapping_mul(0x9e37_79b1)
            ^ (node.before[1] as u32).wrapping_mul(0x85eb_ca6b);
        let [own, other] = structure.pieces;
        [structure.pawns, structure.minor, own, other, moves ^ (moves >> 15)].map(|key| {
            let key = key as usize;
            let row = key / CORRECTION_COLUMNS % CORRECTION_ROWS;
            (usize::from(first) * CORRECTION_ROWS + row, key % CORRECTION_COLUMNS)
        })
    }

    /// Centipawns by which the static evaluation is thought to be too low, times 1024.
    #[inline]
    pub(crate) fn correction(
        &self,
        t: &HistoryTunables,
        first: bool,
        structure: Structure,
        node: &Context,
    ) -> i32 {
        let cells = Self::correction_cells(first, structure, node);
        let cell = |index: usize| {
            let (row, column) = cells[index];
            self.corrections[index].get(row, column)
        };
        t.correction_pawns * cell(0)
            + t.correction_minor * cell(1)
            + t.correction_pieces * (cell(2) + cell(3))
            + t.correction_moves * cell(4)
    }

    /// Learns from a search whose value differed from the corrected evaluation by `error` centipawns.
    pub(crate) fn learn_correction(
        &mut self,
        t: &HistoryTunables,
        first: bool,
        structure: Structure,
        node: &Context,
        error: i32,
        depth: i32,
    ) {
        let delta = error.clamp(-2000, 2000) * depth.min(16) * t.correction_rate / 1024;
        let delta = delta.clamp(-t.correction_max, t.correction_max);
        let cells = Self::correction_cells(first, structure, node);
        for (grid, (row, column)) in self.corrections.iter_mut().zip(cells) {
            grid.update(row, column, delta);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_leave_the_limit_and_rows_do_not_mix() {
        let mut grid = Grid::new(2, 4, LIMIT);
        for _ in 0..1000 {
            grid.update(1, 3, 5000);
            grid.update(0, 3, -9_000_000);
        }
        assert!((LIMIT - 100..=LIMIT).contains(&grid.get(1, 3)));
        assert!((-LIMIT..=100 - LIMIT).contains(&grid.get(0, 3)));
        assert_eq!(grid.get(1, 2), 0);
        grid.scale(512);
        assert!((LIMIT / 2 - 100..=LIMIT / 2).contains(&grid.get(1, 3)));
        grid.clear();
        assert_eq!((grid.get(1, 3), grid.get(0, 3)), (0, 0));
    }

    #[test]
    fn what_is_cleared_is_as_new() {
        let t = HistoryTunables::default();
        let mut histories = Histories::new(10, 6, 3);
        let node = Context { before: [1, 2, 6, 6], pawns: 3, ply: 0 };
        let cell = QuietCell { first: true, mv: 4, piece: 5 };
        histories.learn_quiet(&t, &node, cell, 900);
        histories.learn_capture(&t, 5, 2, 900);
        let structure = Structure { pawns: 77, minor: 5, pieces: [1, 2] };
        histories.learn_correction(&t, true, structure, &node, 50, 8);
        assert!(histories.order(&t, &node, cell) > 0);
        assert!(histories.capture(5, 2) > 0);
        assert!(histories.correction(&t, true, structure, &node) > 0);
        assert_eq!(histories.correction(&t, false, structure, &node), 0);
        histories.clear();
        assert_eq!(histories.order(&t, &node, cell), 0);
        assert_eq!(histories.capture(5, 2), 0);
        assert_eq!(histories.correction(&t, true, structure, &node), 0);
    }
}
