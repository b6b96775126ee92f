//! What a session knows of the leases that went out through it, so that the games of their reports are
//! judged without asking the core. What it does not know, the core does: leases of an earlier session,
//! pairs that come again.

use crate::core::Outbound;
use crate::dispatch::scheduler::Push;
use crate::judging::{Failures, Terms};
use model::lease::{Opening, PairIndex, Report, WorkOrder};
use model::{Adjudication, GameKind, LeaseId, Ply};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Leases that are remembered; a worker has fewer out at a time.
const MOST: usize = 32;

/// The leases of one session.
#[derive(Debug, Default)]
pub(crate) struct OnHand(Mutex<BTreeMap<LeaseId, Lease>>);

#[derive(Debug)]
struct Lease {
    epoch: u32,
    game: GameKind,
    max_plies: Ply,
    adjudication: Adjudication,
    failures: Failures,
    /// Of the pairs that were not reported yet.
    openings: BTreeMap<PairIndex, String>,
}

impl OnHand {
    /// Something goes out to the worker.
    pub(crate) fn note(&self, message: &Outbound) {
        match message {
            Outbound::Push(Push::Order(order)) => self.given(order),
            Outbound::Push(Push::Cancel { lease, .. }) => {
                self.leases().remove(lease);
            }
            _ => {}
        }
    }

    fn given(&self, order: &WorkOrder) {
        let openings = order.openings.iter().map(|o| (o.index, o.position.clone())).collect();
        let lease = Lease {
            epoch: order.epoch,
            game: order.game,
            max_plies: order.limit.max_plies,
            adjudication: order.limit.adjudication,
            failures: Failures::between(order.players.as_ref()),
            openings,
        };
        let mut leases = self.leases();
        if leases.len() == MOST {
            leases.pop_first();
        }
        leases.insert(order.lease, lease);
    }

    /// What the lease of a report says about its games, each of which is told once.
    pub(crate) fn terms(&self, report: &Report) -> Option<Terms> {
        let mut leases = self.leases();
        let lease = leases.get_mut(&report.lease)?;
        let is_known = |index| lease.openings.contains_key(&index);
        if lease.epoch != report.epoch || !report.pairs.iter().all(|p| is_known(p.index)) {
            return None;
        }
        let told = report.pairs.iter().filter_map(|pair| lease.openings.remove_entry(&pair.index));
        let terms = Terms {
            openings: told.map(|(index, position)| Opening { index, position }).collect(),
            game: lease.game,
            max_plies: lease.max_plies,
            adjudication: lease.adjudication,
            failures: lease.failures,
        };
        if lease.openings.is_empty() {
            leases.remove(&report.lease);
        }
        Some(terms)
    }

    fn leases(&self) -> std::sync::MutexGuard<'_, BTreeMap<LeaseId, Lease>> {
        // Each change is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::scheduler::CancelReason;
    use model::lease::{GameRecord, PairRecord};
    use model::spec::GameLimit;
    use model::{GameScore, Nodes, ParameterSet, RunId, Tally, Termination};

    fn order(lease: i64, pairs: u64) -> Outbound {
        let opening = |index| Opening { index: PairIndex(index), position: format!("p{index}") };
        Outbound::Push(Push::Order(Box::new(WorkOrder {
            lease: LeaseId(lease),
            epoch: 2,
            run: RunId(1),
            game: GameKind::TicTacToe,
            openings: (0..pairs).map(opening).collect(),
            candidate: ParameterSet::default(),
            base: ParameterSet::default(),
            limit: GameLimit::new(Nodes(1), Ply(9), 64),
            record_evals: false,
            players: None,
        })))
    }

    fn report(lease: i64, epoch: u32, pairs: &[u64]) -> Report {
        let game = GameRecord {
            score: GameScore::Draw,
            termination: Termination::Board,
            plies: Ply(9),
            nodes: Nodes(1),
            moves: String::new(),
            evals: Vec::new(),
            times: Vec::new(),
        };
        let pair = |index: &u64| PairRecord {
            index: PairIndex(*index),
            candidate_first: game.clone(),
            base_first: game.clone(),
        };
        Report {
            lease: LeaseId(lease),
            epoch,
            sequence: 1,
            cumulative: Tally::default(),
            pairs: pairs.iter().map(pair).collect(),
        }
    }

    #[test]
    fn a_pair_that_went_out_is_known_once_and_all_else_is_for_the_core() {
        let on_hand = OnHand::default();
        on_hand.note(&order(7, 3));
        assert_eq!(on_hand.terms(&report(8, 2, &[0])), None, "another session's lease");
        assert_eq!(on_hand.terms(&report(7, 1, &[0])), None, "an older epoch");
        assert_eq!(on_hand.terms(&report(7, 2, &[0, 3])), None, "no pair of the lease");
        let terms = on_hand.terms(&report(7, 2, &[1, 0])).unwrap();
        let positions: Vec<&str> = terms.openings.iter().map(|o| o.position.as_str()).collect();
        assert_eq!((positions, terms.max_plies), (vec!["p1", "p0"], Ply(9)));
        assert_eq!(on_hand.terms(&report(7, 2, &[1])), None, "it comes again");
        assert!(on_hand.terms(&report(7, 2, &[2])).is_some());
        on_hand.note(&order(9, 1));
        let reason = CancelReason::RunEnded;
        on_hand.note(&Outbound::Push(Push::Cancel { lease: LeaseId(9), epoch: 2, reason }));
        assert_eq!(on_hand.terms(&report(9, 2, &[0])), None, "called back");
        (0..100).for_each(|lease| on_hand.note(&order(lease, 1)));
        assert_eq!(on_hand.leases().len(), MOST);
    }
}
