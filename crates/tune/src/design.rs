//! The signs of a regression's probes: those of any two parameters agree as often as they differ.
//!
//! With signs drawn for each block, what one parameter does to the results is noise to another until
//! the regression has told them apart, and they are never quite as many alike as unlike. Blocks are
//! therefore taken in runs of so many as a Hadamard matrix has rows (R. Plackett, J. Burman, "The
//! design of optimum multifactorial experiments", 1946; the matrix is that of J. Sylvester, 1867),
//! each parameter has a column, and over a run every two columns are orthogonal. Which column, which
//! way up, in which order the rows come and which side of a whole block is called plus is drawn anew
//! for each run: whatever a design of so few rows confounds with a parameter, such as a product of
//! three others, is another one in the next run.
//!
//! A block that is cut short or leased again has its row once more or in parts, which costs a little
//! of the balance and nothing else: what was played is what the regression is told.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Parts the stream of the designs from those of roundings and scatter.
const DESIGN_SEED: u64 = 0x6465_7369_676e_0000;

/// The rows of a run of blocks with so many parameters: a power of two above their number.
fn rows(parameters: usize) -> u64 {
    (parameters as u64 + 1).next_power_of_two()
}

/// For each parameter whether plus stands above minus in the block of this number.
pub(crate) fn signs(parameters: usize, block: u64, seed: u64) -> Vec<bool> {
    let rows = rows(parameters);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ DESIGN_SEED);
    rng.set_stream(block / rows);
    // The order of the rows: a place in the run is another row by a mask, which a group allows.
    let row = (block % rows) ^ (rng.next_u64() % rows);
    let mut columns: Vec<u64> = (0..rows).collect();
    for last in (1..columns.len()).rev() {
        // A remainder of 64 bits by at most 128 favours none by more than 2⁻⁵⁷.
        columns.swap(last, (rng.next_u64() % (last as u64 + 1)) as usize);
    }
    let words: Vec<u64> = (0..rows).map(|_| rng.next_u64()).collect();
    let whole = words[row as usize] & 1 == 1;
    let sign = |(column, word): (&u64, &u64)| {
        let entry = (column & row).count_ones() & 1 == 1;
        entry ^ (word & 2 == 2) ^ whole
    };
    columns.iter().zip(&words).take(parameters).map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_a_run_every_two_parameters_agree_as_often_as_not() {
        for parameters in [1, 2, 7, 8, 30, 31, 100] {
            let rows = rows(parameters);
            for run in [0, 5] {
                let blocks: Vec<Vec<bool>> = (run * rows..(run + 1) * rows)
                    .map(|block| signs(parameters, block, 9))
                    .collect();
                for one in 0..parameters {
                    for other in 0..one {
                        let alike =
                            blocks.iter().filter(|signs| signs[one] == signs[other]).count();
                        assert_eq!(alike as u64 * 2, rows, "{one} and {other} of {parameters}");
                    }
                }
            }
        }
    }

    /// Products of three are confounded with a fourth in one run and with none in the long run.
    #[test]
    fn in_the_long_run_signs_are_fair_alone_and_in_products() {
        let n = 64_000_u64;
        let mut sums = [0_i64; 3];
        for block in 0..n {
            let signs: Vec<i64> =
                signs(8, block, 3).into_iter().map(|above| if above { 1 } else { -1 }).collect();
            sums[0] += signs[4];
            sums[1] += signs[0] * signs[1] * signs[2] * signs[3];
            sums[2] += signs[5] * signs[6] * signs[7];
        }
        for sum in sums {
            // In each run of 16 a product is 0 or ±16: a deviation of 16 √(4000/13) over 64,000.
            assert!((sum as f64 / n as f64).abs() < 0.02, "{sums:?}");
        }
    }

    /// Pinned, so that another generator is seen.
    #[test]
    fn the_design_of_a_seed_is_pinned() {
        let text = |block| -> String {
            signs(12, block, 42).into_iter().map(|above| if above { '+' } else { '-' }).collect()
        };
        assert_eq!([text(0), text(1), text(16)], PINNED);
    }

    const PINNED: [&str; 3] = ["+-+-++++---+", "-++-+--+-+-+", "+++-++--++--"];
}
