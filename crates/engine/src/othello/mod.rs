//! Othello as the search sees it: a hundredth of a disc is its unit, mobility its first concern.
//!
//! The features are the classical ones (P. Rosenbloom, 1982: mobility, frontier, corners, stability)
//! and weighed by the stage of the game. Nothing is ever captured for good and nobody is in zugzwang
//! by accident: there is no quiescence and no null move.

mod solver;

pub use solver::{Bounds, Solution, Solver};

use crate::{Evaluate, SearchGame};
use games::othello::{Board, Move, Othello, Square};
use games::{Game, RuleWinner};

const CORNERS: u64 = 0x8100_0000_0000_0081;
const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// A weight at the start of the game and at its end, in hundredths of a disc.
type Weight = [i32; 2];

/// For each move more than the other side has.
const MOBILITY: Weight = [90, 60];
/// For each empty square beside discs of one's own: moves of the other side to come.
const FRONTIER: Weight = [-35, -15];
const CORNER: Weight = [700, 500];
/// Discs beside an empty corner, on the diagonal and on the edges.
const X_SQUARE: Weight = [-400, -200];
const C_SQUARE: Weight = [-120, -60];
/// Discs of an edge in an unbroken row from an own corner: they stay for ever.
const ANCHORED: Weight = [250, 200];
/// Discs beyond those of the other side: a burden first, the score in the end.
const DISCS: Weight = [-12, 60];
/// For the side that is to make the last move if nobody passes.
const PARITY: Weight = [0, 200];
/// For the right to move.
const TEMPO: i32 = 40;

/// Squares by how early they are tried, in hundredths of a disc: a quarter of the board, from the
/// corner to the middle.
const SQUARES: [[i32; 4]; 4] =
    [[500, -120, 80, 50], [-120, -300, -20, -10], [80, -20, 40, 20], [50, -10, 20, 0]];

/// The classical features, looked at afresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct OthelloEval;

impl Evaluate<Othello> for OthelloEval {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), _: &Othello) {}

    fn push(&mut self, (): &(), _: &Othello, _: Option<Move>) {}

    fn pop(&mut self) {}

    fn evaluate(&self, (): &(), position: &Othello) -> i32 {
        value(position.board())
    }
}

/// Hundredths of a disc for the side to move.
fn value(board: Board) -> i32 {
    let passed = board.passed();
    let (own, other, empty) = (board.own(), board.other(), board.empty());
    let empties = empty.count_ones() as i32;
    let late = 60 - empties;
    let weigh =
        |weight: Weight, count: i32| count * (weight[0] * (60 - late) + weight[1] * late) / 60;
    let count = |a: u64, b: u64| a.count_ones() as i32 - b.count_ones() as i32;
    let open = CORNERS & empty;
    let diagonal = diagonal_steps(open);
    let beside = (straight_steps(open)) & EDGES;
    let parity = if empties % 2 == 1 { 1 } else { -1 };
    TEMPO
        + weigh(MOBILITY, count(board.moves(), passed.moves()))
        + weigh(FRONTIER, count(around(own) & empty, around(other) & empty))
        + weigh(CORNER, count(own & CORNERS, other & CORNERS))
        + weigh(X_SQUARE, count(own & diagonal, other & diagonal))
        + weigh(C_SQUARE, count(own & beside, other & beside))
        + weigh(ANCHORED, count(anchored(own), anchored(other)))
        + weigh(DISCS, count(own, other))
        + weigh(PARITY, parity)
}

const EDGES: u64 = 0xff81_8181_8181_81ff;

/// The neighbours along ranks and files.
const fn straight_steps(set: u64) -> u64 {
    (set & NOT_H) << 1 | (set & NOT_A) >> 1 | set << 8 | set >> 8
}

/// The neighbours along diagonals.
const fn diagonal_steps(set: u64) -> u64 {
    (set & NOT_H) << 9 | (set & NOT_A) << 7 | (set & NOT_H) >> 7 | (set & NOT_A) >> 9
}

const fn around(set: u64) -> u64 {
    straight_steps(set) | diagonal_steps(set)
}

/// The discs of the edges that an unbroken row of the same colour joins to a corner, the corners not
/// among them.
const fn anchored(own: u64) -> u64 {
    let edge = own & EDGES;
    let mut found = own & CORNERS;
    let mut step = 0;
    while step < 6 {
        found |= straight_steps(found) & edge;
        step += 1;
    }
    found & !CORNERS
}

impl SearchGame for Othello {
    type Eval = OthelloEval;

    /// The unit is a hundredth of a disc, nothing is ever taken for good, and the value of a position
    /// turns with a single disc: what is left out is little, and margins are wide.
    const DEFAULTS: &'static [(&'static str, f64)] = &[
        ("razor_depth", 2.0),
        ("razor_margin", 600.0),
        ("rfp_depth", 4.0),
        ("rfp_margin", 250.0),
        ("futility_depth", 3.0),
        ("futility_base", 300.0),
        ("futility_margin", 300.0),
        ("see_quiet_depth", 0.0),
        ("history_prune_depth", 0.0),
        ("lmp_depth", 3.0),
        ("lmr_base", 0.2),
        ("lmr_cut", 700.0),
        ("hindsight_margin", 400.0),
        ("alpha_raise_reduction", 0.0),
    ];

    const MOVE_SLOTS: usize = 66;
    const PIECE_SLOTS: usize = 2 * 66;
    const VICTIMS: usize = 1;
    const QUIESCENCE: bool = false;
    /// Never asked: a pass is a move, and where neither side has one the board has decided.
    const NO_MOVE: RuleWinner = RuleWinner::Draw;
    const BENCH_POSITIONS: &'static [&'static str] = &BENCH;
    const BENCH_DEPTH: u32 = 10;

    #[inline]
    fn pack(mv: Move) -> u16 {
        u16::from(mv.bits())
    }

    #[inline]
    fn unpack(bits: u16) -> Move {
        u8::try_from(bits).map_or(Move::default(), Move::from_bits)
    }

    #[inline]
    fn move_slot(mv: Move) -> usize {
        usize::from(mv.bits())
    }

    #[inline]
    fn piece_slot(&self, mv: Move) -> usize {
        66 * usize::from(self.first_to_move()) + usize::from(mv.bits())
    }

    fn victim(&self, _: Move) -> usize {
        0
    }

    fn noisy_order(&self, (): &(), _: Move) -> i32 {
        0
    }

    fn noisy_gain(&self, (): &(), _: Move) -> i32 {
        0
    }

    fn exchange_wins(&self, (): &(), _: Move, threshold: i32) -> bool {
        threshold <= 0
    }

    fn same_target(a: Move, b: Move) -> bool {
        a == b
    }

    /// Good squares, and few answers for the other side.
    #[inline]
    fn quiet_order(&self, (): &(), mv: Move) -> i32 {
        let Some(square) = mv.square() else { return 0 };
        let board = self.board();
        let answers = board.placed(square, board.flips(square)).moves().count_ones() as i32;
        square_value(square) - MOBILITY[0] * answers
    }

    /// Whoever passes keeps the parity and the moves for later: no lower bound at all.
    fn null_move_is_sound(&self) -> bool {
        false
    }
}

/// The empty squares beside discs of the side to move: moves of the other side to come.
#[inline]
fn frontier(board: Board) -> u64 {
    around(board.own()) & board.empty()
}

#[inline]
fn square_value(square: Square) -> i32 {
    let fold = |line: u8| usize::from(line.min(7 - line));
    SQUARES[fold(square.file())][fold(square.rank())]
}

/// Openings, middle games and endings of games that this engine played against itself.
const BENCH: [&str; 14] = [
    "---------------------------OX------XO--------------------------- X",
    "--------------------OX---OOOX-----OXX-------X------------------- X",
    "------------------OOOO----XXXO----OXOO------XO------------------ X",
    "----------OOOO---XXXOO---XXXXO----OXX-------X------------------- X",
    "-----------X----OO-X----OOOXX---OOOXXX--OOOO----O---O--------O-- X",
    "----------------XXX-O---XXOOO---XOOXXX--XOOXXX--X--XXX-----X---- X",
    "----------------OXXXO---XOOOOO--OXOXO---OOXO-X----OOOO---OOOOO-- X",
    "-----------XX----XXXXX--XXXXXXO---OOOXOO--OOOOO---OOOO----OOOOO- X",
    "----------XXXX-XOOOXOXXX--XOXXXX-XOXXXOX-OOOOOXX---OOO-X-----O-- X",
    "----O-------OO--OOXXOOX-OOOOXXXXOOOOOOX-OOOOOXX-O-OOXX---O-XXXX- X",
    "OOOOOOOX--XOOOOXO-OOOOOXOOXXOXOXOOXXXXXXO-OXXXXX----X--X-------- X",
    "-XXXXX--O-XOOOO-OOOXXOOOOXXXOXXOOOXOXXOOOOOOOOOOO-XXXX----X--X-- X",
    "--OOO---O-OOO--X-OOOOOXXXXOOXXOXXXOOXXOXXOOXXOOXXOOOOOO-XXXXXXX- O",
    "---XXX----OOXXO-XOOOOOOOXOXXOXOXXOOOXOOXXOOXOXOXXOOOOOOXX-XXXXOX O",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, MATE, SearchParams, Searcher, StopSignal};
    use games::Symmetry;

    /// Boards of games of pseudo-random moves.
    fn boards() -> Vec<Othello> {
        let mut state = 7u32;
        let mut found = Vec::new();
        for _ in 0..40 {
            let mut position = Othello::start();
            while position.result().is_none() {
                let mut moves = games::MoveList::new();
                position.legal(&mut moves);
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                position.make(moves[(state >> 16) as usize % moves.len()]);
                found.push(position.clone());
            }
        }
        found
    }

    #[test]
    fn no_symmetry_changes_the_evaluation() {
        for position in boards() {
            for symmetry in Symmetry::ALL {
                assert_eq!(value(position.board().image(symmetry)), value(position.board()));
            }
        }
    }

    #[test]
    fn what_is_good_for_one_side_is_bad_for_the_other() {
        for position in boards() {
            let empties = position.board().empty().count_ones();
            // All but the right to move and the last move is the same from both sides.
            let sum = value(position.board()) + value(position.board().passed());
            let late = 60 - empties as i32;
            let parity = PARITY[1] * late / 60 * if empties % 2 == 1 { 1 } else { -1 };
            assert!((sum - 2 * TEMPO - 2 * parity).abs() <= 16, "{sum} {}", position.to_fen());
        }
    }

    #[test]
    fn rows_from_a_corner_are_anchored() {
        assert_eq!(anchored(0b1110_1111), 0b0110_1110);
        assert_eq!(anchored(0b0111_1110), 0);
        assert_eq!(anchored(0x0001_0101), 0x0001_0100);
    }

    #[test]
    fn the_last_moves_are_played_out_exactly() {
        let boards = boards();
        let late = boards.iter().filter(|p| (1..=7).contains(&p.empties()) && p.result().is_none());
        for position in late.step_by(5) {
            let mut position = position.clone();
            let best = exact(&mut position);
            let found = Searcher::<Othello>::new(1).search(
                &mut position,
                &SearchParams::default(),
                &Limits::depth(16),
                &StopSignal::never(),
            );
            let won = i32::from(found.score.0 >= MATE - 96) - i32::from(found.score.0 <= 96 - MATE);
            assert_eq!(won, best.signum(), "{} {found:?}", position.to_fen());
        }
    }

    /// The disc difference by trying everything.
    fn exact(position: &mut Othello) -> i32 {
        if position.result().is_some() {
            return position.disc_difference();
        }
        let mut moves = games::MoveList::new();
        position.legal(&mut moves);
        let tried = moves.iter().map(|&mv| {
            position.make(mv);
            let value = -exact(position);
            position.unmake();
            value
        });
        tried.max().expect("a game that is not over has a move")
    }
}
