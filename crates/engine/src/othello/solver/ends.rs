//! The last four empty squares: no lists of moves, each square is simply tried. The last disc is not even
//! placed: how many it turns over is looked up line by line.

use super::INFINITE;
use super::parity::{Parity, quadrant_of};
use games::othello::{Board, Square, Squares};

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// [`last`] visits fewer nodes than this: 4 · 3 · 2 boards with one empty square, 12 with two, and twice
/// 5 with three and four, where sides pass.
pub(super) const MOST_NODES: u64 = 64;

/// The squares around each square.
const AROUND: [u64; 64] = {
    let mut around = [0; 64];
    let mut i = 0;
    while i < 64 {
        let mut j = 0;
        while j < 64 {
            let file_off = (i % 8) as i32 - (j % 8) as i32;
            let rank_off = (i / 8) as i32 - (j / 8) as i32;
            if i != j && -1 <= file_off && file_off <= 1 && -1 <= rank_off && rank_off <= 1 {
                around[i] |= 1 << j;
            }
            j += 1;
        }
        i += 1;
    }
    around
};

/// The two diagonals of each square.
const DIAGONALS: [[u64; 2]; 64] = {
    let mut lines = [[0; 2]; 64];
    let mut i = 0;
    while i < 64 {
        let mut j = 0;
        while j < 64 {
            if i % 8 + j / 8 == j % 8 + i / 8 {
                lines[i][0] |= 1 << j;
            }
            if i % 8 + i / 8 == j % 8 + j / 8 {
                lines[i][1] |= 1 << j;
            }
            j += 1;
        }
        i += 1;
    }
    lines
};

/// The discs that a disc at a place of a line of eight turns over, by the own discs of the line, the
/// rest being the other side's.
const TURNED: [[u8; 256]; 8] = {
    let mut turned = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let mut sum = 0;
            let mut step = 1;
            while step <= place {
                if own >> (place - step) & 1 == 1 {
                    sum += step - 1;
                    break;
                }
                step += 1;
            }
            let mut step = 1;
            while place + step < 8 {
                if own >> (place + step) & 1 == 1 {
                    sum += step - 1;
                    break;
                }
                step += 1;
            }
            turned[place][own] = sum as u8;
            own += 1;
        }
        place += 1;
    }
    turned
};

/// How many discs a disc of `own` on the only empty square turns over.
#[inline]
fn turned_by_last(own: u64, square: Square) -> i32 {
    let index = square.index();
    let (file, rank) = (index & 7, index >> 3);
    // Each line is gathered into a byte by a product (as in magic bitboards, L. Kannan, 2007).
    let along_rank = own >> (rank * 8) & 0xff;
    let along_file = (own >> file & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let [rising, falling] = DIAGONALS[index];
    let gather = |line: u64| ((own & line).wrapping_mul(FILE_A) >> 56) as usize;
    let count = TURNED[file][along_rank as usize]
        + TURNED[rank][along_file as usize]
        + TURNED[file][gather(rising)]
        + TURNED[file][gather(falling)];
    count.into()
}

/// The disc difference of a finished game, empty squares counted for the winner.
#[inline]
pub(super) fn final_score(board: Board) -> i32 {
    let own = board.own().count_ones() as i32;
    let other = board.other().count_ones() as i32;
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => 64 - 2 * other,
        std::cmp::Ordering::Less => 2 * own - 64,
        std::cmp::Ordering::Equal => 0,
    }
}

/// The discs that a disc on a square would turn over.
#[inline]
fn flips(board: Board, square: Square) -> u64 {
    if AROUND[square.index()] & board.other() == 0 { 0 } else { board.flips(square) }
}

/// The value of a board with at most four empty squares.
pub(super) fn last(board: Board, alpha: i32, beta: i32, parity: Parity, nodes: &mut u64) -> i32 {
    let mut squares = Squares(board.empty());
    let all = [squares.next(), squares.next(), squares.next(), squares.next()];
    match all {
        [Some(a), Some(b), Some(c), Some(d)] => {
            last_four(board, alpha, beta, [a, b, c, d], parity, nodes)
        }
        [Some(a), Some(b), Some(c), None] => {
            last_three(board, alpha, beta, [a, b, c], parity, nodes)
        }
        [Some(a), Some(b), None, None] => last_two(board, alpha, beta, [a, b], nodes),
        [Some(a), ..] => last_one(board, a, nodes),
        [None, ..] => final_score(board),
    }
}

/// One empty square: who can take it takes it.
#[inline]
fn last_one(board: Board, square: Square, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let own = board.own().count_ones() as i32;
    let turned = turned_by_last(board.own(), square);
    if turned > 0 {
        return 2 * (own + turned + 1) - 64;
    }
    let lost = turned_by_last(board.other(), square);
    if lost > 0 {
        return 2 * (own - lost) - 64;
    }
    final_score(board)
}

/// Two empty squares.
#[inline]
fn last_two(board: Board, alpha: i32, beta: i32, [a, b]: [Square; 2], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let score = try_two(board, beta, [a, b], nodes);
    if score > -INFINITE {
        return score;
    }
    let score = try_two(board.passed(), -alpha, [a, b], nodes);
    if score > -INFINITE { -score } else { final_score(board) }
}

/// The better of both squares; less than every score when none can be taken.
#[inline]
fn try_two(board: Board, beta: i32, [a, b]: [Square; 2], nodes: &mut u64) -> i32 {
    let mut best = -INFINITE;
    for (square, other) in [(a, b), (b, a)] {
        let flipped = flips(board, square);
        if flipped != 0 {
            best = best.max(-last_one(board.placed(square, flipped), other, nodes));
            if best >= beta {
                break;
            }
        }
    }
    best
}

/// Three empty squares, the one alone in its quadrant first.
fn last_three(
    board: Board,
    alpha: i32,
    beta: i32,
    [a, b, c]: [Square; 3],
    parity: Parity,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let squares = match (parity.is_odd(a), parity.is_odd(b), parity.is_odd(c)) {
        (false, true, false) => [b, a, c],
        (false, false, true) => [c, a, b],
        _ => [a, b, c],
    };
    let score = try_three(board, alpha, beta, squares, nodes);
    if score > -INFINITE {
        return score;
    }
    *nodes += 1;
    let score = try_three(board.passed(), -beta, -alpha, squares, nodes);
    if score > -INFINITE { -score } else { final_score(board) }
}

#[inline]
fn try_three(
    board: Board,
    mut alpha: i32,
    beta: i32,
    [a, b, c]: [Square; 3],
    nodes: &mut u64,
) -> i32 {
    let mut best = -INFINITE;
    for (square, rest) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        let flipped = flips(board, square);
        if flipped != 0 {
            let score = -last_two(board.placed(square, flipped), -beta, -alpha, rest, nodes);
            best = best.max(score);
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
    }
    best
}

/// Four empty squares, those in odd quadrants first.
fn last_four(
    board: Board,
    alpha: i32,
    beta: i32,
    squares: [Square; 4],
    parity: Parity,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let mut ordered = squares;
    // Either none, two or all four of the squares are in odd quadrants.
    let mut place = 0;
    for wanted in [true, false] {
        for square in squares {
            if parity.is_odd(square) == wanted {
                ordered[place] = square;
                place += 1;
            }
        }
    }
    let score = try_four(board, alpha, beta, ordered, parity, nodes);
    if score > -INFINITE {
        return score;
    }
    *nodes += 1;
    let score = try_four(board.passed(), -beta, -alpha, ordered, parity, nodes);
    if score > -INFINITE { -score } else { final_score(board) }
}

#[inline]
fn try_four(
    board: Board,
    mut alpha: i32,
    beta: i32,
    [a, b, c, d]: [Square; 4],
    parity: Parity,
    nodes: &mut u64,
) -> i32 {
    let mut best = -INFINITE;
    for (square, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
        let flipped = flips(board, square);
        if flipped != 0 {
            let child = board.placed(square, flipped);
            let after = parity.after(quadrant_of(square));
            let score = -last_three(child, -beta, -alpha, rest, after, nodes);
            best = best.max(score);
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_disc_turns_over_what_the_rules_say() {
        // Pseudo-random full boards with one square taken out.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for square in Square::all() {
            for _ in 0..200 {
                state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                let own = (state ^ state >> 29) & !square.bit();
                let board = Board::new(own, !own & !square.bit()).expect("no square twice");
                let counted = board.flips(square).count_ones() as i32;
                assert_eq!(turned_by_last(own, square), counted, "{own:#x} {square:?}");
            }
        }
    }
}
