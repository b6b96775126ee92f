//! What a board is worth, in hundredths of a disc for the side to move.
//!
//! The features are the classical ones (P. Rosenbloom, 1982: mobility, frontier, corners, stability), each
//! a difference between the sides. A weight changes in the course of the game: it is given for the
//! beginning, for the middle, and for the end, and runs straight between them. The numbers come from the
//! example `fit`.

use super::{Endings, MultiProbCut};
use crate::tunables::{groups, tunables};
use crate::{Evaluate, Term};
use games::othello::{Board, Move, Othello};
use std::sync::OnceLock;

pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;
const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const EDGES: u64 = 0xff81_8181_8181_81ff;
/// The four squares beside two corners' edges in the second rank and file, and what lies between them.
const SECOND: u64 = 0x007e_4242_4242_7e00;

/// A weight at sixty, thirty and no empty squares.
type Stages = [i32; 3];

tunables! {
    /// The weights, in hundredths of a disc.
    pub struct OthelloWeights in Eval {
        tempo: Stages = [37, -134, -52], -400 => 400, c_end 10,
            "The right to move.";
        mobility: Stages = [21, 57, 143], -200 => 400, c_end 6,
            "Each move more than the other side has.";
        frontier: Stages = [-30, -14, -14], -200 => 200, c_end 4,
            "Each empty square beside own discs, more than the other side has.";
        corner: Stages = [991, 762, -56], -500 => 3000, c_end 40,
            "Each corner.";
        corner_move: Stages = [113, 263, 112], -500 => 2000, c_end 30,
            "Each corner that can be taken.";
        x_square: Stages = [-692, -546, 194], -2000 => 1000, c_end 30,
            "Each disc beside an empty corner on the diagonal.";
        c_square: Stages = [-186, -129, -12], -1500 => 1000, c_end 15,
            "Each disc beside an empty corner on the edge.";
        anchored: Stages = [271, 97, 99], -500 => 1500, c_end 15,
            "Each disc of an edge in an unbroken row from an own corner.";
        edge: Stages = [-22, 34, -74], -500 => 800, c_end 10,
            "Each disc of an edge.";
        second: Stages = [-30, -58, 14], -500 => 500, c_end 8,
            "Each disc beside an edge.";
        discs: Stages = [-29, -21, 28], -200 => 300, c_end 4,
            "Each disc.";
        parity: Stages = [40, 59, 124], -400 => 1000, c_end 15,
            "The last move, if nobody passes.";
    }
}

groups! {
    /// What othello has beside the constants of every search.
    pub struct OthelloConstants {
        eval: OthelloWeights,
        endings: Endings,
        probcut: MultiProbCut,
    }
}

/// How many features there are.
const FEATURES: usize = 12;

/// Their names, in the order of the weights.
const NAMES: [&str; FEATURES] = [
    "tempo",
    "mobility",
    "frontier",
    "corners",
    "corners that can be taken",
    "x-squares",
    "c-squares",
    "anchored discs",
    "edges",
    "second rows",
    "discs",
    "parity",
];

/// The constants made ready.
pub struct OthelloTables {
    /// The weights for each number of empty squares.
    weights: [[i32; FEATURES]; 65],
    pub(super) endings: Endings,
    pub(super) probcut: MultiProbCut,
}

impl OthelloTables {
    fn new(constants: &OthelloConstants) -> Self {
        let weights = &constants.eval;
        let rows = [
            weights.tempo,
            weights.mobility,
            weights.frontier,
            weights.corner,
            weights.corner_move,
            weights.x_square,
            weights.c_square,
            weights.anchored,
            weights.edge,
            weights.second,
            weights.discs,
            weights.parity,
        ];
        let weight = |[first, middle, last]: Stages, empties: i32| match empties.min(60) {
            late @ 0..30 => (middle * late + last * (30 - late)) / 30,
            early => (first * (early - 30) + middle * (60 - early)) / 30,
        };
        Self {
            weights: std::array::from_fn(|empties| {
                rows.map(|stages| weight(stages, empties as i32))
            }),
            endings: constants.endings.clone(),
            probcut: constants.probcut.clone(),
        }
    }

    /// Those of an untuned engine.
    pub(super) fn standard() -> &'static Self {
        static STANDARD: OnceLock<OthelloTables> = OnceLock::new();
        STANDARD.get_or_init(|| Self::new(&OthelloConstants::default()))
    }

    /// What a move of the other side's costs, at this stage.
    #[inline]
    pub(super) fn mobility(&self, empties: u32) -> i32 {
        self.weights[empties.min(64) as usize][1]
    }

    /// Hundredths of a disc for the side to move.
    #[inline]
    pub(super) fn value(&self, board: Board) -> i32 {
        let weights = &self.weights[board.empty().count_ones() as usize];
        features(board).iter().zip(weights).map(|(count, weight)| count * weight).sum()
    }
}

/// What the side to move has more than the other side.
#[inline]
fn features(board: Board) -> [i32; FEATURES] {
    let passed = board.passed();
    let (own, other, empty) = (board.own(), board.other(), board.empty());
    let count = |a: u64, b: u64| a.count_ones() as i32 - b.count_ones() as i32;
    let open = CORNERS & empty;
    let diagonal = diagonal_steps(open);
    let beside = straight_steps(open) & EDGES;
    let (moves, answers) = (board.moves(), passed.moves());
    let is_odd = empty.count_ones() % 2 == 1;
    [
        1,
        count(moves, answers),
        count(around(own) & empty, around(other) & empty),
        count(own & CORNERS, other & CORNERS),
        count(moves & CORNERS, answers & CORNERS),
        count(own & diagonal, other & diagonal),
        count(own & beside, other & beside),
        count(anchored(own), anchored(other)),
        count(own & EDGES, other & EDGES),
        count(own & SECOND, other & SECOND),
        count(own, other),
        if is_odd { 1 } else { -1 },
    ]
}

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

/// The empty squares beside discs of the side to move: moves of the other side to come.
#[inline]
pub(super) fn frontier(board: Board) -> u64 {
    around(board.own()) & board.empty()
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

/// The classical features, looked at afresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct OthelloEval;

impl Evaluate<Othello> for OthelloEval {
    type Weights = OthelloConstants;
    type Tables = OthelloTables;

    fn tables(constants: &OthelloConstants) -> OthelloTables {
        OthelloTables::new(constants)
    }

    fn reset(&mut self, _: &OthelloTables, _: &Othello) {}

    fn push(&mut self, _: &OthelloTables, _: &Othello, _: Option<Move>) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, tables: &OthelloTables, position: &Othello) -> i32 {
        tables.value(position.board())
    }

    fn terms(&mut self, tables: &OthelloTables, position: &Othello) -> Vec<Term> {
        let weights = &tables.weights[position.empties() as usize];
        let shares = features(position.board()).into_iter().zip(weights);
        NAMES
            .into_iter()
            .zip(shares)
            .map(|(name, (count, weight))| Term { name, centipawns: count * weight })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::boards;
    use super::*;
    use games::Symmetry;

    #[test]
    fn no_symmetry_changes_the_evaluation() {
        let tables = OthelloTables::standard();
        for position in boards() {
            for symmetry in Symmetry::ALL {
                let image = position.board().image(symmetry);
                assert_eq!(tables.value(image), tables.value(position.board()));
            }
        }
    }

    #[test]
    fn what_is_good_for_one_side_is_bad_for_the_other() {
        // All but the right to move and the last move is the same from both sides.
        for position in boards() {
            let (own, other) = (features(position.board()), features(position.board().passed()));
            for feature in 1..FEATURES - 1 {
                assert_eq!(own[feature], -other[feature], "{}", NAMES[feature]);
            }
        }
    }

    #[test]
    fn the_terms_add_up_to_the_value() {
        let tables = OthelloTables::new(&OthelloConstants::default());
        for position in boards() {
            let terms = OthelloEval.terms(&tables, &position);
            let sum: i32 = terms.iter().map(|term| term.centipawns).sum();
            assert_eq!(sum, OthelloEval.evaluate(&tables, &position));
        }
    }

    #[test]
    fn rows_from_a_corner_are_anchored() {
        assert_eq!(anchored(0b1110_1111), 0b0110_1110);
        assert_eq!(anchored(0b0111_1110), 0);
        assert_eq!(anchored(u64::MAX), EDGES & !CORNERS);
    }
}
