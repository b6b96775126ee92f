//! Random games of othello, the same in every run.

use games::othello::{Move, Othello};
use games::{Game, MoveList};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub(crate) fn legal(position: &Othello) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    moves.to_vec()
}

/// Plays a random game to its end and hands over every position of it, the last included.
pub(crate) fn random_game(seed: u64, mut visit: impl FnMut(&mut Othello)) -> Othello {
    let mut random = Random(seed);
    let mut position = Othello::start();
    loop {
        visit(&mut position);
        let moves = legal(&position);
        if moves.is_empty() {
            return position;
        }
        position.make(moves[(random.next() % moves.len() as u64) as usize]);
    }
}
