//! When a search asks the solver of endings, and what it makes of the answer.

use super::solver::{Attempt, Solver};
use crate::StopSignal;
use crate::searchable::Ending;
use crate::tunables::tunables;
use crate::value::{DRAW, MATE};
use games::othello::Othello;
use model::Nodes;

tunables! {
    /// When the solver is asked.
    pub struct Endings in Pruning {
        ending_share: i32 = 50, 0 => 90, c_end 8,
            "Percent of the nodes left that the solver of endings may spend; 0: it is never asked.";
        ending_base: f64 = 2.0, -20.0 => 20.0, c_end 0.5,
            "Empty squares about which the solver is asked if it may spend a single node.";
        ending_slope: f64 = 0.8, 0.1 => 3.0, c_end 0.05,
            "Further empty squares for each doubling of these nodes.";
    }
}

/// A solver's table has room for a board in so many nodes, up to a most.
const NODES_PER_MEGABYTE: u64 = 1 << 17;
const MOST_MEGABYTES: u64 = 128;

impl Endings {
    /// Asks the solver if its share of so many nodes has a prospect of being enough.
    pub(super) fn ask(
        &self,
        position: &Othello,
        left: Nodes,
        stop: &StopSignal<'_>,
    ) -> Option<Ending<games::othello::Move>> {
        let empties = position.empties();
        let budget = Nodes((u128::from(left.0) * self.ending_share as u128 / 100) as u64);
        let doublings = f64::from(budget.0.checked_ilog2()?);
        if f64::from(empties) > self.ending_base + self.ending_slope * doublings {
            return None;
        }
        let megabytes = (budget.0 / NODES_PER_MEGABYTE).min(MOST_MEGABYTES);
        let attempt = Solver::new(megabytes as usize).attempt(position, budget, stop);
        Some(Ending {
            outcome: outcome(&attempt, empties as i32),
            plies: empties,
            nodes: attempt.bounds.nodes,
        })
    }
}

/// A move with what it is sure to bring. A loss by an unknown number of discs says of no move that it is
/// the best.
fn outcome(attempt: &Attempt, empties: i32) -> Option<(games::othello::Move, i32)> {
    let score = match attempt.score() {
        Some(score) => score,
        None if attempt.bounds.low > 0 => attempt.bounds.low,
        None => return None,
    };
    let value = match score.signum() {
        1 => MATE - empties,
        0 => DRAW,
        _ => empties - MATE,
    };
    attempt.best.map(|mv| (mv, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::tests::boards;
    use crate::{Limits, MATE_BOUND, SearchParams, Searcher};
    use games::Game;

    #[test]
    fn the_budget_is_kept_and_the_winner_right() {
        let mut known = 0;
        for position in boards().iter().filter(|p| (1..=9).contains(&p.empties())).step_by(7) {
            if position.result().is_some() {
                continue;
            }
            let exact =
                Solver::new(1).solve(position, &StopSignal::never()).expect("no stop").score;
            for budget in [1, 100, 1000, 100_000] {
                let stop = StopSignal::never();
                let Some(found) = Endings::default().ask(position, Nodes(budget), &stop) else {
                    continue;
                };
                assert!(found.nodes.0 <= budget);
                if let Some((mv, value)) = found.outcome {
                    assert_eq!(value.signum(), exact.signum(), "{}", position.to_fen());
                    assert!(position.is_pseudo_legal(mv));
                    known += 1;
                }
            }
        }
        assert!(known > 10, "{known}");
    }

    #[test]
    fn a_search_with_the_solver_keeps_its_limits_and_repeats() {
        let params = SearchParams::default();
        for position in boards().iter().filter(|p| (4..=12).contains(&p.empties())).step_by(23) {
            if position.result().is_some() {
                continue;
            }
            let exact =
                Solver::new(1).solve(position, &StopSignal::never()).expect("no stop").score;
            for nodes in [0, 1, 200, 3000, 100_000] {
                let search = || {
                    let mut position = position.clone();
                    let limits = Limits::nodes(nodes);
                    Searcher::new(1).search(&mut position, &params, &limits, &StopSignal::never())
                };
                let found = search();
                assert!(found.nodes.0 <= nodes && found.best.is_some());
                assert_eq!(found, search());
                if found.score.0.abs() >= MATE_BOUND {
                    assert_eq!(found.score.0.signum(), exact.signum(), "{}", position.to_fen());
                }
            }
        }
    }

    #[test]
    fn too_few_nodes_are_not_spent_at_all() {
        let stop = StopSignal::never();
        let start = Othello::start();
        assert!(Endings::default().ask(&start, Nodes(1_000_000), &stop).is_none());
        assert!(Endings::default().ask(&start, Nodes(0), &stop).is_none());
    }
}
