//! The pairs of a group of reports in few bytes.
//!
//! Seven numbers for each pair, as LEB128: where it is, both ends with their results, both lengths, the
//! nodes of both. The function `unpack_pairs` of the schema reads the same, for whoever looks with SQL;
//! the migration that made it says the form.

use model::lease::{GameRecord, PairIndex, PairRecord};
use model::{GameScore, Nodes, Ply, Termination};

/// A game of a pair, without its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedGame {
    pub(crate) score: GameScore,
    pub(crate) termination: Termination,
    pub(crate) plies: Ply,
    pub(crate) nodes: Nodes,
}

/// A pair as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnpackedPair {
    /// Place of its report in the group, from 0.
    pub(crate) report: usize,
    pub(crate) index: PairIndex,
    pub(crate) games: [PackedGame; 2],
}

/// Packs the pairs of some reports, in their order.
pub(crate) fn pack<'a>(reports: impl Iterator<Item = &'a [PairRecord]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0_u64;
    for pairs in reports {
        for (place, pair) in pairs.iter().enumerate() {
            // Indices are below 2^63, so a step has a sign and room for two more bits.
            let step = (pair.index.0 as i64).wrapping_sub(before as i64);
            let folded = (u128::from(step.unsigned_abs()) << 1) - u128::from(step < 0);
            write(&mut bytes, folded << 1 | u128::from(place == 0));
            before = pair.index.0;
            let games = [&pair.candidate_first, &pair.base_first];
            for game in games {
                write(&mut bytes, end(game).into());
            }
            for game in games {
                write(&mut bytes, game.plies.0.into());
            }
            for game in games {
                write(&mut bytes, game.nodes.0.into());
            }
        }
    }
    bytes
}

/// Reads what [`pack`] wrote; `None` for bytes that it did not write.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<UnpackedPair>> {
    let mut pairs = Vec::new();
    let mut rest = bytes;
    let (mut reports, mut before) = (0_usize, 0_i64);
    while !rest.is_empty() {
        let mut next = || read(&mut rest);
        let place = next()?;
        reports += usize::from(place & 1 == 1);
        let folded = place >> 1;
        let half = i64::try_from(folded >> 1).ok()?;
        before = match folded & 1 {
            0 => before.checked_add(half)?,
            _ => before.checked_sub(half)?.checked_sub(1)?,
        };
        let (ends, plies, nodes) = ([next()?, next()?], [next()?, next()?], [next()?, next()?]);
        let game = |which: usize| {
            let place = usize::try_from(ends[which] / 3).ok()?;
            Some(PackedGame {
                score: GameScore::from_half_points(i32::try_from(ends[which] % 3).ok()?)?,
                termination: Termination::ALL.get(place)?.0,
                plies: Ply(u64::try_from(plies[which]).ok()?),
                nodes: Nodes(u64::try_from(nodes[which]).ok()?),
            })
        };
        pairs.push(UnpackedPair {
            report: reports.checked_sub(1)?,
            index: PairIndex(u64::try_from(before).ok()?),
            games: [game(0)?, game(1)?],
        });
    }
    Some(pairs)
}

/// How a game ended and for whom, as one number.
fn end(game: &GameRecord) -> u64 {
    let place = Termination::ALL.iter().position(|(known, _)| *known == game.termination);
    // Every termination is in the list.
    3 * place.unwrap_or(0) as u64 + u64::from(game.score.half_points())
}

fn write(bytes: &mut Vec<u8>, mut number: u128) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    // More digits than a number of 66 bits has are none of ours.
    for digit in 0..10 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(first & 0x7f) << (7 * digit);
        if *first < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(score: i32, end: usize, plies: u64, nodes: u64) -> GameRecord {
        GameRecord {
            score: GameScore::from_half_points(score).unwrap(),
            termination: Termination::ALL[end].0,
            plies: Ply(plies),
            nodes: Nodes(nodes),
            moves: String::new(),
            evals: Vec::new(),
            times: Vec::new(),
        }
    }

    fn game() -> impl Strategy<Value = GameRecord> {
        (0..3, 0..Termination::ALL.len(), 0..10_000_u64, 0..1_u64 << 63)
            .prop_map(|(score, end, plies, nodes)| record(score, end, plies, nodes))
    }

    fn pair() -> impl Strategy<Value = PairRecord> {
        let index = prop_oneof![0..1_000_u64, 0..1_u64 << 62];
        (index, game(), game()).prop_map(|(index, candidate_first, base_first)| PairRecord {
            index: PairIndex(index),
            candidate_first,
            base_first,
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(
            reports in prop::collection::vec(prop::collection::vec(pair(), 1..6), 0..8),
        ) {
            let read = unpack(&pack(reports.iter().map(Vec::as_slice))).unwrap();
            let mut written = Vec::new();
            for (report, pairs) in reports.iter().enumerate() {
                written.extend(pairs.iter().map(|pair| UnpackedPair {
                    report,
                    index: pair.index,
                    games: [&pair.candidate_first, &pair.base_first].map(|game| PackedGame {
                        score: game.score,
                        termination: game.termination,
                        plies: game.plies,
                        nodes: game.nodes,
                    }),
                }));
            }
            prop_assert_eq!(read, written);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes);
        }
    }

    /// A change of these bytes makes stored pairs unreadable.
    #[test]
    fn the_form_stays() {
        let pair = PairRecord {
            index: PairIndex(300),
            candidate_first: record(2, 0, 90, 5_000),
            base_first: record(1, 7, 160, 127),
        };
        let bytes = pack([&[pair][..]].into_iter());
        assert_eq!(bytes, [0xb1, 0x09, 2, 22, 90, 0xa0, 0x01, 0x88, 0x27, 127]);
        let names: Vec<&str> = Termination::ALL.iter().map(|(_, name)| *name).collect();
        let sql = include_str!("../../../migrations/0011_packed.sql");
        let (_, list) = sql.split_once("ARRAY[").unwrap();
        let (list, _) = list.split_once("];").unwrap();
        let of_schema: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
        assert_eq!(of_schema, names, "the schema's function reads the same");
    }
}
