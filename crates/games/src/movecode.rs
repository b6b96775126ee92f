//! The moves of a game in few bytes: which of the legal moves each one was.
//!
//! A move is its place among the legal moves of its position in the order of `Ord`, and a range coder
//! (G. N. N. Martin 1979) writes each place with as many bits as there is choice: log2 of the number of
//! legal moves, forced moves for nothing. Nothing but the opening and the number of moves is needed to
//! read it back, so that each game stands for itself. The order of moves is part of the format: a
//! change of a game's rules, or of the bits of its moves, makes stored games unreadable, and a test
//! fails then.

use crate::{Game, MoveList};

/// Below this the range takes in the next byte.
const BOTTOM: u32 = 1 << 24;

/// Writes the moves of one game.
#[derive(Clone, Debug)]
pub struct Encoder {
    low: u32,
    range: u32,
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { low: 0, range: u32::MAX, bytes: Vec::new() }
    }
}

impl Encoder {
    /// Appends a legal move of `position` and whether it was one: nothing is written otherwise.
    #[must_use]
    pub fn push<G: Game>(&mut self, position: &G, mv: G::Move) -> bool {
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        if !legal.contains(&mv) {
            return false;
        }
        let place = legal.iter().filter(|&&other| other < mv).count();
        // A list of moves is bounded far below 2^32.
        self.write(place as u32, legal.len() as u32);
        true
    }

    fn write(&mut self, place: u32, of: u32) {
        let step = self.range / of;
        let (low, carried) = self.low.overflowing_add(step * place);
        self.low = low;
        if carried {
            self.carry();
        }
        self.range = share(self.range, step, place, of);
        while self.range < BOTTOM {
            self.bytes.push((self.low >> 24) as u8);
            self.low <<= 8;
            self.range <<= 8;
        }
    }

    fn carry(&mut self) {
        for byte in self.bytes.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }

    /// The bytes: the shortest ones that say it, as zeros are read after their end.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let end = u64::from(self.low) + u64::from(self.range);
        for bits in [32, 24, 16, 8, 0] {
            let number =
                (u64::from(self.low) >> bits) + u64::from(self.low.trailing_zeros() < bits);
            if number << bits >= end {
                continue;
            }
            let number = number << bits;
            if number >> 32 > 0 {
                self.carry();
            }
            self.bytes.extend_from_slice(&(number as u32).to_be_bytes());
            break;
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

/// What is left of the range for a place; the last one has the rest of the division, too.
fn share(range: u32, step: u32, place: u32, of: u32) -> u32 {
    if place + 1 == of { range - step * place } else { step }
}

/// Moves that cannot be read back: the bytes are of another game, opening or version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game has no legal move after {plies} half-moves, and more of them are said to follow")]
pub struct CodeError {
    /// Half-moves that could be read.
    pub plies: u64,
}

/// Reads the moves of a game of this many half-moves.
///
/// # Errors
/// The line ends before. Bytes of something else may also give a wrong line.
pub fn decode<G: Game>(opening: &G, plies: u64, bytes: &[u8]) -> Result<Vec<G::Move>, CodeError> {
    let mut rest = bytes.iter().copied().chain(std::iter::repeat(0));
    let mut next = || u32::from(rest.next().unwrap_or(0));
    let mut code = (0..4).fold(0, |code, _| code << 8 | next());
    let mut range = u32::MAX;
    let mut position = opening.clone();
    let mut moves = Vec::new();
    for ply in 0..plies {
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        legal.sort_unstable();
        let of = legal.len() as u32;
        if of == 0 {
            return Err(CodeError { plies: ply });
        }
        let step = range / of;
        let place = (code / step).min(of - 1);
        code -= step * place;
        range = share(range, step, place, of);
        while range < BOTTOM {
            code = code << 8 | next();
            range <<= 8;
        }
        let mv = legal[place as usize];
        position.make(mv);
        moves.push(mv);
    }
    Ok(moves)
}
