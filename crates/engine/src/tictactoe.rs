//! Tic-tac-toe as the search sees it: no captures, no kings, the truth within nine plies.

use crate::{Evaluate, SearchGame};
use games::tictactoe::{Place, TicTacToe};
use games::{Game, RuleWinner};

/// No knowledge: every open position counts as level.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicTacToeEval;

impl Evaluate<TicTacToe> for TicTacToeEval {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), _: &TicTacToe) {}

    fn push(&mut self, (): &(), _: &TicTacToe, _: Option<Place>) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, (): &(), _: &TicTacToe) -> i32 {
        0
    }
}

impl SearchGame for TicTacToe {
    type Eval = TicTacToeEval;

    /// Without knowledge a margin says nothing, and nine plies are soon searched.
    const DEFAULTS: &'static [(&'static str, f64)] = &[
        ("razor_depth", 0.0),
        ("rfp_depth", 0.0),
        ("futility_depth", 0.0),
        ("see_quiet_depth", 0.0),
        ("history_prune_depth", 0.0),
        ("lmp_depth", 3.0),
        ("lmp_base", 3.0),
        ("lmp_worsening", 100.0),
        ("lmr_min_depth", 3.0),
        ("lmr_min_moves", 3.0),
        ("lmr_base", 0.0),
        ("lmr_cut", 0.0),
        ("lmr_cut_no_move", 0.0),
        ("lmr_cutoffs", 0.0),
        ("lmr_worsening", 0.0),
        ("lmr_late_one", 9000.0),
        ("singular_depth", 64.0),
        ("hindsight_deeper", 64.0),
        ("hindsight_shallower", 64.0),
        ("alpha_raise_reduction", 0.0),
    ];

    const MOVE_SLOTS: usize = 9;
    const PIECE_SLOTS: usize = 2 * 9;
    const VICTIMS: usize = 1;
    const QUIESCENCE: bool = false;
    /// Never asked: a board without a free square is a result of its own.
    const STALEMATE: RuleWinner = RuleWinner::Draw;
    const BENCH_POSITIONS: &'static [&'static str] =
        &[".../.../... x", ".../.x./... o", "x../.../... o", "x../.o./... x", "x.o/.x./..o x"];
    const BENCH_DEPTH: u32 = 9;

    #[inline]
    fn pack(mv: Place) -> u16 {
        mv.index().map_or(0, |index| u16::from(index) + 1)
    }

    #[inline]
    fn unpack(bits: u16) -> Place {
        let index = bits.checked_sub(1).and_then(|index| u8::try_from(index).ok());
        index.map_or(Place::default(), Place::new)
    }

    #[inline]
    fn move_slot(mv: Place) -> usize {
        mv.index().map_or(0, usize::from)
    }

    #[inline]
    fn piece_slot(&self, mv: Place) -> usize {
        9 * usize::from(Game::first_to_move(self)) + Self::move_slot(mv)
    }

    fn victim(&self, _: Place) -> usize {
        0
    }

    fn noisy_order(&self, (): &(), _: Place) -> i32 {
        0
    }

    fn noisy_gain(&self, (): &(), _: Place) -> i32 {
        0
    }

    fn exchange_wins(&self, (): &(), _: Place, threshold: i32) -> bool {
        threshold <= 0
    }

    fn same_target(a: Place, b: Place) -> bool {
        a == b
    }

    fn quiet_order(&self, (): &(), _: Place) -> i32 {
        0
    }

    /// A free move is worth more than anything here, so passing proves nothing.
    fn null_move_is_sound(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, SearchParams, Searcher, StopSignal};
    use games::MoveList;

    struct Player {
        searcher: Searcher<TicTacToe>,
        params: SearchParams<TicTacToe>,
    }

    impl Player {
        fn new() -> Self {
            Self { searcher: Searcher::new(1), params: SearchParams::default() }
        }

        fn choose(&mut self, position: &mut TicTacToe) -> Place {
            let limits = Limits::depth(9);
            let found = self.searcher.search(position, &self.params, &limits, &StopSignal::never());
            found.best.expect("the game is not over")
        }

        /// Plays against every possible opponent; returns (wins, draws) and panics on a loss.
        fn meet_everybody(&mut self, position: &mut TicTacToe, our_turn: bool) -> (u32, u32) {
            if let Some(result) = position.result() {
                let lost = match result.winner {
                    RuleWinner::Draw => return (0, 1),
                    RuleWinner::SideToMove => !our_turn,
                    RuleWinner::Opponent => our_turn,
                };
                assert!(!lost, "lost in {}", position.to_fen());
                return (1, 0);
            }
            let mut moves = MoveList::new();
            if our_turn {
                self.searcher.new_game();
                moves.push(self.choose(position));
            } else {
                position.legal(&mut moves);
            }
            let mut sum = (0, 0);
            for &mv in moves.iter() {
                position.make(mv);
                let (wins, draws) = self.meet_everybody(position, !our_turn);
                position.unmake();
                sum = (sum.0 + wins, sum.1 + draws);
            }
            sum
        }
    }

    #[test]
    fn perfect_play_is_a_draw() {
        let mut searcher = Searcher::<TicTacToe>::new(1);
        let found = searcher.search(
            &mut TicTacToe::start(),
            &SearchParams::default(),
            &Limits::depth(9),
            &StopSignal::never(),
        );
        assert_eq!((found.score.0, found.depth), (0, 9));
    }

    #[test]
    fn no_opponent_whatsoever_beats_it_from_either_side() {
        for first in [true, false] {
            let (wins, draws) = Player::new().meet_everybody(&mut TicTacToe::start(), first);
            assert!(wins > 0 && draws > 0, "{wins} wins, {draws} draws");
        }
    }

    #[test]
    fn a_line_that_can_be_closed_is_closed() {
        let mut position = TicTacToe::from_fen("oo./.../xx. x").expect("a position");
        let best = Player::new().choose(&mut position);
        assert_eq!(position.move_to_text(best), "c1");
    }
}
