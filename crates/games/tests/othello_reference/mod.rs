//! Othello once more, disc by disc and without bit sets, for tests to compare with.

use games::othello::{Othello, Side, Square};

/// Eight directions as steps of file and rank.
const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// A board of rows and columns and the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    pub(crate) rows: [[Option<Side>; 8]; 8],
    pub(crate) side: Side,
}

impl Reference {
    pub(crate) fn of(position: &Othello) -> Self {
        let mut rows = [[None; 8]; 8];
        for square in Square::all() {
            let row = &mut rows[usize::from(square.rank())];
            row[usize::from(square.file())] = position.disc_on(square);
        }
        Self { rows, side: position.side_to_move() }
    }

    fn disc(&self, file: i8, rank: i8) -> Option<Side> {
        let row = self.rows.get(usize::try_from(rank).ok()?)?;
        *row.get(usize::try_from(file).ok()?)?
    }

    /// The squares that turn over when a side places a disc; empty where it may not.
    pub(crate) fn flips(&self, side: Side, file: i8, rank: i8) -> Vec<(i8, i8)> {
        let mut flips = Vec::new();
        if self.disc(file, rank).is_some() {
            return flips;
        }
        for (file_step, rank_step) in DIRECTIONS {
            let mut run = Vec::new();
            let (mut f, mut r) = (file + file_step, rank + rank_step);
            while self.disc(f, r) == Some(side.other()) {
                run.push((f, r));
                (f, r) = (f + file_step, r + rank_step);
            }
            if self.disc(f, r) == Some(side) {
                flips.append(&mut run);
            }
        }
        flips
    }

    pub(crate) fn places(&self, side: Side) -> Vec<(i8, i8)> {
        let squares = (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)));
        squares.filter(|&(file, rank)| !self.flips(side, file, rank).is_empty()).collect()
    }

    /// The legal moves, a pass as `None`; nothing at the end of the game.
    pub(crate) fn moves(&self) -> Vec<Option<(i8, i8)>> {
        let places = self.places(self.side);
        if places.is_empty() && !self.places(self.side.other()).is_empty() {
            return vec![None];
        }
        places.into_iter().map(Some).collect()
    }

    pub(crate) fn after(&self, mv: Option<(i8, i8)>) -> Self {
        let mut next = self.clone();
        if let Some((file, rank)) = mv {
            for (f, r) in self.flips(self.side, file, rank).into_iter().chain([(file, rank)]) {
                next.rows[r as usize][f as usize] = Some(self.side);
            }
        }
        next.side = self.side.other();
        next
    }

    /// Discs of the side to move less those of the other, the empty squares to the winner.
    pub(crate) fn score(&self) -> i32 {
        let count = |of| self.rows.iter().flatten().filter(|&&disc| disc == of).count() as i32;
        let (own, other) = (count(Some(self.side)), count(Some(self.side.other())));
        match own.cmp(&other) {
            std::cmp::Ordering::Less => -64 + 2 * own,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 64 - 2 * other,
        }
    }
}
