//! The last four empty squares: no lists of moves, each square is simply tried.

use super::INFINITE;
use games::othello::{Board, Square, Squares};

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
pub(super) fn last(board: Board, alpha: i32, beta: i32, empties: u32, nodes: &mut u64) -> i32 {
    match empties {
        0 => final_score(board),
        1 => last_one(board, nodes),
        _ => last_few(board, alpha, beta, false, nodes),
    }
}

/// One empty square: who can take it takes it.
#[inline]
fn last_one(board: Board, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let Some(square) = Squares(board.empty()).next() else { return final_score(board) };
    let own = board.own().count_ones() as i32;
    let turned = flips(board, square).count_ones() as i32;
    if turned > 0 {
        return 2 * (own + turned + 1) - 64;
    }
    let lost = flips(board.passed(), square).count_ones() as i32;
    if lost > 0 {
        return 2 * (own - lost) - 64;
    }
    final_score(board)
}

/// Two to four empty squares, those alone in their quadrant first.
fn last_few(board: Board, mut alpha: i32, beta: i32, passed: bool, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let empty = board.empty();
    let odd = super::odd_quadrants(empty);
    let mut best = -INFINITE;
    for part in [empty & odd, empty & !odd] {
        for square in Squares(part) {
            let flipped = flips(board, square);
            if flipped == 0 {
                continue;
            }
            let child = board.placed(square, flipped);
            let score = if empty.count_ones() == 2 {
                -last_one(child, nodes)
            } else {
                -last_few(child, -beta, -alpha, false, nodes)
            };
            if score > best {
                best = score;
                if score >= beta {
                    return score;
                }
                alpha = alpha.max(score);
            }
        }
    }
    if best > -INFINITE {
        return best;
    }
    if passed {
        return final_score(board);
    }
    -last_few(board.passed(), -beta, -alpha, true, nodes)
}
