//! The classical evaluation of chess: material and squares, mobility, pawns, kings.

use super::weights::{
    BISHOP_PAIR, DOUBLED, FULL_PHASE, ISOLATED, KING_DANGER, KING_DANGER_MOST, KING_UNITS,
    MOBILITY, PASSED, PASSED_KINGS, PAWN_THREAT, PHASE, ROOK_HALF_OPEN, ROOK_OPEN, SHELTER,
    SQUARES, SUPPORTED, TEMPO, USUAL,
};
use crate::Evaluate;
use crate::taper::Pair;
use games::chess::{
    BitBoard, Chess, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_rook_moves,
};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const NOT_A: u64 = !FILE_A;
const NOT_H: u64 = !(FILE_A << 7);

/// Everything is looked at afresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChessEval;

impl Evaluate<Chess> for ChessEval {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), _: &Chess) {}

    fn push(&mut self, (): &(), _: &Chess, _: Option<Move>) {}

    fn pop(&mut self) {}

    fn evaluate(&self, (): &(), position: &Chess) -> i32 {
        let mut sum = Pair::default();
        let mut phase = 0;
        for color in Color::ALL {
            for piece in Piece::ALL {
                let table = &SQUARES[color as usize][piece as usize];
                for square in position.pieces(color, piece) {
                    sum += table[square as usize];
                    phase += PHASE[piece as usize];
                }
            }
        }
        sum += side(position, Color::White);
        sum -= side(position, Color::Black);
        let phase = phase.min(FULL_PHASE);
        let white = (sum.middle() * phase + sum.end() * (FULL_PHASE - phase)) / FULL_PHASE;
        TEMPO + if position.side_to_move() == Color::White { white } else { -white }
    }
}

/// What one side has beyond its pieces and their squares.
fn side(position: &Chess, us: Color) -> Pair {
    let them = !us;
    let pawns = position.pieces(us, Piece::Pawn).0;
    let their_pawns = position.pieces(them, Piece::Pawn).0;
    let mut sum = pawn_structure(position, us, pawns, their_pawns);
    if position.pieces(us, Piece::Bishop).len() >= 2 {
        sum += BISHOP_PAIR;
    }
    let occupied = position.occupied();
    let their_king = position.king(them);
    let ring = get_king_moves(their_king) | their_king.bitboard();
    let guarded = BitBoard(pawn_attacks(their_pawns, them));
    let open = !(position.color(us) | guarded);
    let (mut units, mut attackers) = (0, 0);
    for (index, piece) in
        [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].into_iter().enumerate()
    {
        for square in position.pieces(us, piece) {
            let attacks = match piece {
                Piece::Knight => get_knight_moves(square),
                Piece::Bishop => get_bishop_moves(square, occupied),
                Piece::Rook => get_rook_moves(square, occupied),
                _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
            };
            sum += MOBILITY[index].times((attacks & open).len() as i32 - USUAL[index]);
            let pressure = (attacks & ring).len() as i32;
            attackers += i32::from(pressure > 0);
            units += KING_UNITS[index] * pressure;
            if piece == Piece::Rook {
                let file = FILE_A << (square as u64 % 8);
                if pawns & file == 0 {
                    sum += if their_pawns & file == 0 { ROOK_OPEN } else { ROOK_HALF_OPEN };
                }
            }
        }
    }
    if attackers >= 2 {
        let danger = (units * units * KING_DANGER / 64).min(KING_DANGER_MOST);
        sum += Pair::new(danger, danger / 8);
    }
    let pieces = position.color(them) & !position.kind(Piece::Pawn);
    let threatened = (BitBoard(pawn_attacks(pawns, us)) & pieces).len();
    sum += PAWN_THREAT.times(threatened as i32);
    sum += shelter(position.king(us), us, pawns);
    sum
}

fn pawn_structure(position: &Chess, us: Color, pawns: u64, their_pawns: u64) -> Pair {
    let mut sum = Pair::default();
    let supported = pawn_attacks(pawns, us) | (pawns & NOT_H) << 1 | (pawns & NOT_A) >> 1;
    sum += SUPPORTED.times((pawns & supported).count_ones() as i32);
    for square in BitBoard(pawns) {
        let file = square as u64 % 8;
        let own_file = FILE_A << file;
        let neighbours = (own_file & NOT_A) >> 1 | (own_file & NOT_H) << 1;
        let ahead = ahead_of(square, us);
        if pawns & own_file & ahead != 0 {
            sum += DOUBLED;
        } else if their_pawns & (own_file | neighbours) & ahead == 0 {
            let rank = square as usize / 8;
            let rank = if us == Color::White { rank } else { 7 - rank };
            sum += PASSED[rank];
            let before = BitBoard(ahead & own_file);
            let next = before.into_iter().min_by_key(|s| distance(*s, square)).unwrap_or(square);
            let kings = distance(position.king(!us), next) - distance(position.king(us), next);
            sum += PASSED_KINGS.times(kings * (rank as i32 - 1).max(0) / 2);
        }
        if pawns & neighbours == 0 {
            sum += ISOLATED;
        }
    }
    sum
}

/// The ranks before a square, seen from a side.
fn ahead_of(square: Square, us: Color) -> u64 {
    let rank = square as u32 / 8;
    match us {
        Color::White if rank == 7 => 0,
        Color::White => !0 << (8 * (rank + 1)),
        Color::Black => (1 << (8 * rank)) - 1,
    }
}

fn pawn_attacks(pawns: u64, us: Color) -> u64 {
    match us {
        Color::White => (pawns & NOT_H) << 9 | (pawns & NOT_A) << 7,
        Color::Black => (pawns & NOT_A) >> 9 | (pawns & NOT_H) >> 7,
    }
}

/// Steps of a king.
fn distance(a: Square, b: Square) -> i32 {
    let off = |a: i32, b: i32| (a - b).abs();
    let (a, b) = (a as i32, b as i32);
    off(a % 8, b % 8).max(off(a / 8, b / 8))
}

/// The pawns in front of a king.
fn shelter(king: Square, us: Color, pawns: u64) -> Pair {
    let king = king.bitboard().0;
    let front = |set: u64| match us {
        Color::White => set << 8,
        Color::Black => set >> 8,
    };
    let wide = king | (king & NOT_H) << 1 | (king & NOT_A) >> 1;
    let near = front(wide);
    let mut sum = SHELTER[0].times((near & pawns).count_ones() as i32);
    sum += SHELTER[1].times((front(near) & pawns).count_ones() as i32);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Game;

    fn value(fen: &str) -> i32 {
        let position = Chess::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        ChessEval.evaluate(&(), &position)
    }

    #[test]
    fn colours_swapped_it_is_the_same() {
        for (white, black) in [
            (
                "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
                "r1bq1rk1/pp2bppp/2n2n2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 b - - 0 9",
            ),
            ("8/5k2/3P4/8/8/2p5/6K1/8 w - - 0 1", "8/6k1/2P5/8/8/3p4/5K2/8 b - - 0 1"),
        ] {
            assert_eq!(value(white), value(black), "{white}");
        }
    }

    #[test]
    fn what_every_player_knows_counts() {
        let better = |good: &str, bad: &str| {
            assert!(value(good) > value(bad) + 10, "{good} {} {bad} {}", value(good), value(bad));
        };
        better("4k3/8/3P4/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/3P4/8/8/4K3 w - - 0 1");
        better("4k3/8/8/8/2PP4/8/8/4K3 w - - 0 1", "4k3/8/8/8/3P4/3P4/8/4K3 w - - 0 1");
        better("4k3/8/8/8/8/8/8/2BBK3 w - - 0 1", "4k3/8/8/8/8/8/8/2BNK3 w - - 0 1");
        better(
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR w KQkq - 0 1",
        );
    }
}
