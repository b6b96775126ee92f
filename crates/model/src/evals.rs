//! What searches said of the moves of a game, and the few bytes that this takes on the wire and in the
//! ledger.
//!
//! Packed, each move has three numbers: its score plus that of the move before, which is the other
//! side's and mostly of the other sign; its depth less the depth before; its nodes less the nodes
//! before. Each is written as a variable-length integer, the sign in the lowest bit, seven bits a byte.
//! Times stand apart, in the same integers without a sign: they alone differ when a game is played again.

use crate::{Nodes, Score};
use serde::{Deserialize, Serialize};

/// What a search said of the move that it chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Score, u32, Nodes)", into = "(Score, u32, Nodes)")]
pub struct MoveEval {
    /// The value of the position for the side that moved.
    pub score: Score,
    /// Half-moves that were searched to their end.
    pub depth: u32,
    /// Positions that were visited.
    pub nodes: Nodes,
}

impl From<(Score, u32, Nodes)> for MoveEval {
    fn from((score, depth, nodes): (Score, u32, Nodes)) -> Self {
        Self { score, depth, nodes }
    }
}

impl From<MoveEval> for (Score, u32, Nodes) {
    fn from(MoveEval { score, depth, nodes }: MoveEval) -> Self {
        (score, depth, nodes)
    }
}

/// What a search took for its move: microseconds on the clock of the machine that played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MoveTime(pub u64);

impl MoveTime {
    /// Times from here on are no times: no number of JSON holds them, and no game lasts 285 years.
    pub const END: u64 = 1 << 53;

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl From<std::time::Duration> for MoveTime {
    fn from(time: std::time::Duration) -> Self {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self(micros.min(Self::END - 1))
    }
}

/// Packs the times of the moves of one game.
#[must_use]
pub fn pack_times(times: &[MoveTime]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for time in times {
        write_unsigned(&mut bytes, time.0);
    }
    bytes
}

/// Times that were packed; `None` when these are no such bytes.
#[must_use]
pub fn unpack_times(bytes: &[u8]) -> Option<Vec<MoveTime>> {
    let mut rest = bytes;
    let mut times = Vec::new();
    while !rest.is_empty() {
        times.push(MoveTime(read_unsigned(&mut rest).filter(|&time| time < MoveTime::END)?));
    }
    Some(times)
}

/// Packs what was said of the moves of one game.
#[must_use]
pub fn pack(evals: &[MoveEval]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = MoveEval::default();
    for eval in evals {
        write(&mut bytes, i64::from(eval.score.0) + i64::from(before.score.0));
        write(&mut bytes, i64::from(eval.depth) - i64::from(before.depth));
        // Wraps both ways alike, so that every number of nodes comes back.
        write(&mut bytes, eval.nodes.0.wrapping_sub(before.nodes.0).cast_signed());
        before = *eval;
    }
    bytes
}

/// What was packed; `None` when these are no such bytes.
#[must_use]
pub fn unpack(bytes: &[u8]) -> Option<Vec<MoveEval>> {
    let mut rest = bytes;
    let mut evals = Vec::new();
    let mut before = MoveEval::default();
    while !rest.is_empty() {
        let score = read(&mut rest)?.checked_sub(i64::from(before.score.0))?;
        let depth = read(&mut rest)?.checked_add(i64::from(before.depth))?;
        let nodes = read(&mut rest)?.cast_unsigned().wrapping_add(before.nodes.0);
        before = MoveEval {
            score: Score(i32::try_from(score).ok()?),
            depth: u32::try_from(depth).ok()?,
            nodes: Nodes(nodes),
        };
        evals.push(before);
    }
    Some(evals)
}

fn write(bytes: &mut Vec<u8>, number: i64) {
    write_unsigned(bytes, (number << 1 ^ number >> 63).cast_unsigned());
}

fn write_unsigned(bytes: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read(bytes: &mut &[u8]) -> Option<i64> {
    let number = read_unsigned(bytes)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

fn read_unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        number |= part << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(score: i32, depth: u32, nodes: u64) -> MoveEval {
        MoveEval { score: Score(score), depth, nodes: Nodes(nodes) }
    }

    #[test]
    fn a_usual_game_takes_little_and_every_number_comes_back() {
        let usual: Vec<_> = (0..100_u64)
            .map(|ply| {
                let score = if ply % 2 == 0 { 30 } else { -25 } + (ply % 7) as i32;
                eval(score, 8 + (ply % 3) as u32, 1000 + ply % 5)
            })
            .collect();
        assert!(pack(&usual).len() <= 4 * usual.len());
        assert_eq!(unpack(&pack(&usual)), Some(usual));
        let extremes = vec![
            eval(i32::MIN, 0, u64::MAX),
            eval(i32::MAX, u32::MAX, 0),
            eval(i32::MAX, 0, u64::MAX / 2),
            eval(0, 1, 1),
        ];
        assert_eq!(unpack(&pack(&extremes)), Some(extremes));
        assert_eq!(unpack(&[]), Some(Vec::new()));
    }

    #[test]
    fn times_come_back_and_short_ones_take_two_bytes() {
        let times: Vec<MoveTime> =
            [0, 1, 127, 128, 900, 16_383, 60_000_000, MoveTime::END - 1].map(MoveTime).to_vec();
        assert_eq!(unpack_times(&pack_times(&times)), Some(times.clone()));
        assert_eq!(pack_times(&times[..6]).len(), 3 + 2 * 3);
        assert_eq!(MoveTime::from(std::time::Duration::from_millis(2)), MoveTime(2_000));
        assert_eq!(MoveTime::from(std::time::Duration::MAX), MoveTime(MoveTime::END - 1));
        assert_eq!(unpack_times(&pack_times(&[MoveTime(MoveTime::END)])), None);
        assert_eq!(unpack_times(&[0x80]), None);
        assert_eq!(unpack_times(&[]), Some(Vec::new()));
    }

    #[test]
    fn bytes_of_something_else_are_refused() {
        let torn = pack(&[eval(30, 8, 1000)]);
        assert_eq!(unpack(&torn[..torn.len() - 1]), None);
        // A negative depth, a score beyond 32 bits, a number without an end.
        assert_eq!(unpack(&[0, 1, 0]), None);
        assert_eq!(unpack(&[0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0]), None);
        assert_eq!(unpack(&[0x80; 30]), None);
        assert_eq!(unpack(&[0xff; 10]), None);
    }
}
