//! Which quiet moves have caused cutoffs: the butterfly history of J. Schaeffer (1983), with the
//! gravity that keeps every cell within a bound.

use crate::tunables::tunables;

tunables! {
    /// What quiet moves are remembered by.
    pub struct HistoryTunables in History {
        order_square: i32 = 4, 0 => 100, c_end 2,
            "Ordering: units of history for each centipawn that a quiet move's square is better by.";
        history_bonus: i32 = 32, 1 => 200, c_end 4,
            "History: bonus per squared ply of depth for the quiet move that failed high.";
        history_malus: i32 = 32, 0 => 200, c_end 4,
            "History: malus per squared ply of depth for the quiet moves tried before it.";
        history_max: i32 = 1200, 100 => 8000, c_end 150,
            "History: largest bonus or malus of one update.";
    }
}

/// No cell leaves `±LIMIT`.
pub(crate) const LIMIT: i32 = 8192;

/// One cell for each side and move slot.
pub(crate) struct History {
    cells: Vec<i16>,
    slots: usize,
}

impl History {
    pub(crate) fn new(slots: usize) -> Self {
        Self { cells: vec![0; 2 * slots], slots }
    }

    pub(crate) fn clear(&mut self) {
        self.cells.fill(0);
    }

    #[inline]
    pub(crate) fn get(&self, first_to_move: bool, slot: usize) -> i32 {
        i32::from(self.cells[usize::from(first_to_move) * self.slots + slot])
    }

    /// Moves a cell towards `±LIMIT` by at most `|delta|`, the less the nearer it is.
    #[inline]
    pub(crate) fn update(&mut self, first_to_move: bool, slot: usize, delta: i32) {
        let cell = &mut self.cells[usize::from(first_to_move) * self.slots + slot];
        let delta = delta.clamp(-LIMIT, LIMIT);
        let value = i32::from(*cell);
        *cell = (value + delta - value * delta.abs() / LIMIT) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_leave_the_limit_and_sides_do_not_mix() {
        let mut history = History::new(4);
        for _ in 0..1000 {
            history.update(true, 3, 5000);
            history.update(false, 3, -9_000_000);
        }
        assert!((LIMIT - 100..=LIMIT).contains(&history.get(true, 3)));
        assert!((-LIMIT..=100 - LIMIT).contains(&history.get(false, 3)));
        assert_eq!(history.get(true, 2), 0);
        history.clear();
        assert_eq!(history.get(true, 3), 0);
    }
}
