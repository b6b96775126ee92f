//! Claims about networks: the same integers from every kernel and every way along a line, the symmetry of
//! what is seen, and files that come back or say what is wrong.

use crate::{Architecture, BoundError, FileError, Kernel, NetGame, Network, Parts};
use games::xiangqi::Xiangqi;
use games::{Game, MoveList};
use model::GameKind;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn below(rng: &mut ChaCha8Rng, of: usize) -> usize {
    (rng.next_u32() as usize) % of
}

/// Random numbers as large as a network may have them.
fn parts(seed: u64, king_buckets: u8, hidden: u16, output_buckets: u8) -> Parts {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let architecture =
        Architecture { game: GameKind::Xiangqi, king_buckets, hidden, output_buckets };
    let mut numbers = |count: usize, most: usize| -> Vec<i16> {
        (0..count).map(|_| (below(&mut rng, 2 * most + 1) as i32 - most as i32) as i16).collect()
    };
    let hidden = usize::from(hidden);
    let rows = numbers(architecture.inputs() * hidden, 400);
    let bias = numbers(hidden, 1000);
    let output = numbers(2 * hidden * usize::from(output_buckets), 40);
    let output_bias = (0..i32::from(output_buckets)).map(|bucket| bucket * 100_000).collect();
    Parts { architecture, scale: 400, origin: [7; 32], rows, bias, output, output_bias }
}

fn network(seed: u64, king_buckets: u8) -> Network {
    Network::new(parts(seed, king_buckets, 64, 4)).unwrap()
}

/// A random line of moves; the positions of it, the first included.
fn line(seed: u64, plies: usize) -> Vec<Xiangqi> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Xiangqi::start();
    let mut line = vec![position.clone()];
    for _ in 0..plies {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.make(moves[below(&mut rng, moves.len())]);
        line.push(position.clone());
    }
    line
}

/// The value in arithmetic that cannot overflow, from the numbers of the parts.
fn plainly(parts: &Parts, position: &Xiangqi) -> i32 {
    let shape = &parts.architecture;
    let hidden = usize::from(shape.hidden);
    let us = usize::from(!position.first_to_move());
    let bucket = shape.output_bucket::<Xiangqi>(position.piece_count());
    let mut sum = i64::from(parts.output_bias[bucket]);
    for (place, side) in [us, 1 - us].into_iter().enumerate() {
        let view = Xiangqi::view(side, position.king_point(side), shape.king_buckets);
        let mut values: Vec<i64> = parts.bias.iter().map(|&n| n.into()).collect();
        position.items(|item| {
            let input = usize::from(view.bucket) * Xiangqi::ITEMS
                + Xiangqi::input(side, view.mirrored, item);
            for (value, weight) in values.iter_mut().zip(&parts.rows[input * hidden..]) {
                *value += i64::from(*weight);
            }
        });
        let weights = &parts.output[(2 * bucket + place) * hidden..][..hidden];
        for (value, weight) in values.iter().zip(weights) {
            let clipped = (*value).clamp(0, 255);
            sum += clipped * clipped * i64::from(*weight);
        }
    }
    (sum * i64::from(parts.scale) / (255 * 255 * 64)) as i32
}

#[test]
fn every_kernel_gives_the_same_integers_as_plain_arithmetic() {
    for buckets in [1, 3, 6] {
        let network = network(u64::from(buckets), buckets);
        for position in line(3, 200) {
            let expected = plainly(network.parts(), &position);
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_here()) {
                let value = network.clone().with_kernel(kernel).evaluate(&position);
                assert_eq!(value, expected, "{kernel:?} {}", position.to_fen());
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    assert!(Kernel::Sse2.is_here());
}

/// Whatever stands in the memory, wrapping included.
#[test]
fn kernels_agree_on_numbers_that_no_network_has() {
    use crate::Block;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut blocks = |count: usize| -> Vec<Block> {
        (0..count).map(|_| Block(std::array::from_fn(|_| rng.next_u32() as i16))).collect()
    };
    for _ in 0..200 {
        let (rows, from, weights) = (blocks(3 * 8), blocks(3), blocks(3));
        let run = |kernel: Kernel| {
            let mut to = vec![Block::default(); 3];
            kernel.update(&mut to, &from, &rows, &[0, 7, 3], &[1, 5]);
            let output = kernel.output(&to, &weights);
            (to, output)
        };
        let expected = run(Kernel::Plain);
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_here()) {
            assert_eq!(run(kernel), expected, "{kernel:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Down and up a random tree, values asked for here and there, null moves among the moves.
    #[test]
    fn sums_kept_along_a_line_are_those_made_afresh(
        seed in any::<u64>(),
        buckets in prop::sample::select(vec![1_u8, 3, 6]),
    ) {
        let network = Arc::new(network(1, buckets));
        let mut sums = network.accumulators();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..2 {
            let mut position = line(seed, 20).pop().unwrap();
            sums.reset(&position);
            let mut depth: Vec<bool> = Vec::new();
            for _ in 0..300 {
                let mut moves = MoveList::new();
                position.legal(&mut moves);
                let back = below(&mut rng, 5) < 2 || moves.is_empty() || depth.len() > 60;
                if back && let Some(null) = depth.pop() {
                    sums.pop();
                    if null { position.unmake_null() } else { position.unmake() }
                } else if below(&mut rng, 9) == 0 && !position.in_check() {
                    sums.push(&position, None);
                    position.make_null();
                    depth.push(true);
                } else if !moves.is_empty() {
                    let mv = moves[below(&mut rng, moves.len())];
                    sums.push(&position, Some(mv));
                    position.make(mv);
                    depth.push(false);
                }
                if below(&mut rng, 3) == 0 {
                    prop_assert_eq!(sums.evaluate(&position), network.evaluate(&position));
                }
            }
        }
    }
}

/// Colours and sides of the board are names: the value for the side to move is the same.
#[test]
fn swapped_colours_and_a_mirrored_board_are_worth_the_same() {
    let mut compared = 0;
    for seed in 0..20 {
        let network = network(9, 3);
        for position in line(seed, 60) {
            let fen = position.to_fen();
            let mut fields = fen.split(' ');
            let (board, side) = (fields.next().unwrap(), fields.next().unwrap());
            let swap = |c: char| match c.is_ascii_uppercase() {
                true => c.to_ascii_lowercase(),
                false => c.to_ascii_uppercase(),
            };
            let ranks: Vec<String> =
                board.split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
            let swapped =
                format!("{} {} - - 0 1", ranks.join("/"), if side == "w" { "b" } else { "w" });
            let swapped = Xiangqi::from_fen(&swapped).unwrap();
            assert_eq!(network.evaluate(&swapped), network.evaluate(&position), "{fen}");
            // A king in the middle has no side to be put on.
            if (0..2).all(|side| position.king_point(side) % 9 != 4) {
                let ranks: Vec<String> =
                    board.split('/').map(|rank| rank.chars().rev().collect()).collect();
                let mirrored = format!("{} {side} - - 0 1", ranks.join("/"));
                let mirrored = Xiangqi::from_fen(&mirrored).unwrap();
                assert_eq!(network.evaluate(&mirrored), network.evaluate(&position), "{fen}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

#[test]
fn a_file_comes_back_and_damage_is_named() {
    let network = network(2, 1);
    let bytes = network.to_bytes();
    let read = Network::from_bytes(&bytes).unwrap();
    assert_eq!(read.parts(), network.parts());
    let wrong = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Network::from_bytes(&bytes).unwrap_err()
    };
    assert_eq!(wrong(&|b| b.clear()), FileError::Magic);
    assert_eq!(wrong(&|b| b[8] = 9), FileError::Version { found: 9 });
    assert_eq!(wrong(&|b| b[1000] ^= 1), FileError::Hash);
    assert_eq!(wrong(&|b| b[70] ^= 1), FileError::Hash);
    assert!(matches!(wrong(&|b| b.truncate(20)), FileError::Length { found: 20, .. }));
    assert!(matches!(wrong(&|b| b.truncate(5000)), FileError::Length { found: 5000, .. }));
    assert!(matches!(wrong(&|b| b.push(0)), FileError::Length { .. }));
    for (at, value, part) in [
        (10, 2, "game: found chess; allowed: xiangqi"),
        (10, 77, "game: found 77; allowed: 1 to 5"),
        (11, 2, "king_buckets: found 2; allowed: 1, 3, 6"),
        (12, 33, "hidden: found 33; allowed: a multiple of 32"),
        (14, 0, "output_buckets: found 0; allowed: 1 to 16"),
    ] {
        let error = wrong(&|b| b[at] = value).to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn numbers_whose_sums_could_overflow_are_refused() {
    let refuse = |change: &dyn Fn(&mut Parts)| {
        let mut parts = parts(1, 1, 32, 2);
        change(&mut parts);
        Network::new(parts).unwrap_err()
    };
    assert!(matches!(refuse(&|p| p.rows[5] = 900), BoundError::Neuron { neuron: 5, .. }));
    assert!(matches!(refuse(&|p| p.bias[3] = i16::MIN), BoundError::Neuron { neuron: 3, .. }));
    assert_eq!(refuse(&|p| p.output[1] = -129), BoundError::OutputWeight { found: -129 });
    let bias = |p: &mut Parts| p.output_bias[1] = i32::MAX;
    assert!(matches!(refuse(&bias), BoundError::Output { bucket: 1, .. }));
    assert_eq!(refuse(&|p| p.scale = 0), BoundError::Scale { found: 0 });
    assert!(matches!(refuse(&|p| p.bias.clear()), BoundError::Count { what: "bias", .. }));
}
