//! Othello as the search sees it: a hundredth of a disc is its unit, mobility its first concern.
//!
//! Nothing is ever captured for good and nobody is in zugzwang by accident: there is no quiescence and no
//! null move.

mod ending;
mod eval;
mod probcut;
mod solver;

pub use ending::Endings;
pub use eval::{OthelloConstants, OthelloEval, OthelloTables, OthelloWeights};
pub use probcut::MultiProbCut;
pub use solver::{Attempt, Bounds, Solution, Solver};

use crate::{Ending, Forecast, SearchGame, StopSignal};
use games::othello::{Move, Othello, Square};
use games::{Game, RuleWinner};
use model::Nodes;

/// Squares by how early they are tried, in hundredths of a disc: a quarter of the board, from the
/// corner to the middle.
const SQUARES: [[i32; 4]; 4] =
    [[500, -120, 80, 50], [-120, -300, -20, -10], [80, -20, 40, 20], [50, -10, 20, 0]];

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
    const STALEMATE: RuleWinner = RuleWinner::Draw;
    const BENCH_POSITIONS: &'static [&'static str] = &BENCH;
    const BENCH_DEPTH: u32 = 9;

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

    fn noisy_order(&self, _: &OthelloTables, _: Move) -> i32 {
        0
    }

    fn noisy_gain(&self, _: &OthelloTables, _: Move) -> i32 {
        0
    }

    fn exchange_wins(&self, _: &OthelloTables, _: Move, threshold: i32) -> bool {
        threshold <= 0
    }

    fn same_target(a: Move, b: Move) -> bool {
        a == b
    }

    /// Good squares, and few answers for the other side.
    #[inline]
    fn quiet_order(&self, tables: &OthelloTables, mv: Move) -> i32 {
        let Some(square) = mv.square() else { return 0 };
        let board = self.board();
        let answers = board.placed(square, board.flips(square)).moves().count_ones() as i32;
        square_value(square) - tables.mobility(60) * answers
    }

    fn ending(
        &self,
        tables: &OthelloTables,
        left: Nodes,
        stop: &StopSignal<'_>,
    ) -> Option<Ending<Move>> {
        tables.endings.ask(self, left, stop)
    }

    /// A search that reaches the end of the game is exact, and nothing foretells that.
    #[inline]
    fn forecast(&self, tables: &OthelloTables, depth: i32) -> Option<Forecast> {
        (depth < self.empties() as i32).then(|| tables.probcut.forecast(depth)).flatten()
    }

    /// Whoever passes keeps the parity and the moves for later: no lower bound at all.
    fn null_move_is_sound(&self) -> bool {
        false
    }
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

    /// Boards of games of pseudo-random moves.
    pub(super) fn boards() -> Vec<Othello> {
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
