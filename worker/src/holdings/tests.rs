//! Claims about the leases held, with a clock that only moves when told.

use super::*;
use model::lease::{GameRecord, PairIndex};
use model::{GameScore, Nodes, Pairs, Ply, Termination};

const INTERVAL: Duration = Duration::from_secs(5);

fn order(lease: i64, pairs: usize) -> WorkOrder {
    let wire = crate::convert::tests::good_lease();
    let mut order = crate::convert::work_order(wire, 4096).unwrap();
    order.lease = LeaseId(lease);
    order.openings = (0..pairs as u64)
        .map(|i| Opening { index: PairIndex(100 * lease as u64 + i), position: "x".into() })
        .collect();
    order
}

fn contest(order: &WorkOrder) -> Option<Arc<Contest>> {
    Some(Arc::new(Contest::inside(order).unwrap()))
}

fn pair(index: PairIndex, move_bytes: usize) -> PairRecord {
    let game = |score| GameRecord {
        score,
        termination: Termination::Board,
        plies: Ply(5),
        nodes: Nodes(50),
        moves: "a".repeat(move_bytes),
        evals: Vec::new(),
        times: Vec::new(),
    };
    PairRecord { index, candidate_first: game(GameScore::Win), base_first: game(GameScore::Draw) }
}

fn holding(orders: &[WorkOrder], now: Instant) -> Holdings {
    let mut holdings = Holdings::default();
    for order in orders {
        holdings.take(order, contest(order), now);
    }
    holdings
}

/// Plays the next `count` pairs to their end.
fn play(holdings: &mut Holdings, count: usize) -> LeaseKey {
    let mut last = None;
    for _ in 0..count {
        let (key, opening, ..) = holdings.next_pair().expect("a pair to play");
        holdings.pair_finished(key, pair(opening.index, 10));
        last = Some(key);
    }
    last.expect("at least one")
}

fn sent(holdings: &mut Holdings, now: Instant) -> Report {
    let (key, number) = holdings.begin_report(now, INTERVAL).expect("a report is due");
    let report = holdings.send_report(key, now).expect("the lease is held");
    assert_eq!(report.sequence, number);
    report
}

#[test]
fn pairs_come_from_the_oldest_lease_first() {
    let mut holdings = holding(&[order(2, 2), order(1, 1)], Instant::now());
    let leases: Vec<_> =
        std::iter::from_fn(|| holdings.next_pair().map(|(key, ..)| key.lease.0)).collect();
    assert_eq!(leases, [2, 2, 1]);
}

#[test]
fn one_lease_is_fetched_ahead_and_no_more() {
    let now = Instant::now();
    let mut holdings = Holdings::default();
    assert_eq!(holdings.wanted(4), 1);
    holdings.take(&order(1, 16), contest(&order(1, 16)), now);
    assert_eq!(holdings.wanted(4), 0);
    play(&mut holdings, 12);
    assert_eq!(holdings.wanted(4), 0);
    play(&mut holdings, 1);
    assert_eq!(holdings.wanted(4), 1);
    holdings.take(&order(2, 16), contest(&order(2, 16)), now);
    assert_eq!(holdings.wanted(4), 0);
}

#[test]
fn many_slots_want_enough_small_leases() {
    let mut holdings = holding(&[order(1, 1)], Instant::now());
    assert_eq!(holdings.wanted(8), 7);
    play(&mut holdings, 1);
    assert_eq!(holdings.wanted(8), 8);
}

#[test]
fn a_complete_lease_is_reported_at_once_and_a_running_one_at_the_interval() {
    let start = Instant::now();
    let mut holdings = holding(&[order(1, 3)], start);
    assert_eq!(holdings.next_due(INTERVAL), None);
    play(&mut holdings, 1);
    assert_eq!(holdings.begin_report(start, INTERVAL), None);
    assert_eq!(holdings.next_due(INTERVAL), Some(start + INTERVAL));
    let report = sent(&mut holdings, start + INTERVAL);
    assert_eq!((report.sequence, report.pairs.len()), (1, 1));
    play(&mut holdings, 2);
    assert_eq!(holdings.begin_report(start + INTERVAL, INTERVAL), None, "one report at a time");
    let key = LeaseKey { lease: report.lease, epoch: report.epoch };
    assert_eq!(holdings.acknowledge(key, 1), Settled::Pairs(1));
    let report = sent(&mut holdings, start + INTERVAL);
    assert_eq!((report.sequence, report.pairs.len()), (3, 2));
    assert_eq!(report.cumulative.pairs(), Pairs(3));
    assert_eq!(report.cumulative.wdl.wins, 3);
    assert_eq!(holdings.next_completed(), None);
    assert_eq!(holdings.acknowledge(key, 3), Settled::Pairs(2));
    assert_eq!(holdings.next_completed(), Some(key));
}

#[test]
fn an_unanswered_report_is_sent_again_as_it_was() {
    let start = Instant::now();
    let mut holdings = holding(&[order(1, 3)], start);
    play(&mut holdings, 2);
    let first = sent(&mut holdings, start + INTERVAL);
    play(&mut holdings, 1);
    holdings.unanswered();
    assert_eq!(sent(&mut holdings, start + INTERVAL), first);
    let later = start + INTERVAL + UNANSWERED;
    assert_eq!(holdings.begin_report(later - Duration::from_millis(1), INTERVAL), None);
    assert_eq!(sent(&mut holdings, later), first);
    let key = holdings.keys().next().unwrap();
    holdings.acknowledge(key, 2);
    assert_eq!(sent(&mut holdings, later).sequence, 3);
}

#[test]
fn acknowledgements_of_what_never_left_change_nothing() {
    let now = Instant::now();
    let mut holdings = holding(&[order(1, 2)], now);
    let key = play(&mut holdings, 2);
    assert_eq!(holdings.acknowledge(key, 2), Settled::Nothing);
    sent(&mut holdings, now);
    for bogus in [0, 3, u32::MAX] {
        assert_eq!(holdings.acknowledge(key, bogus), Settled::Nothing);
    }
    assert_eq!(holdings.acknowledge(key, 2), Settled::Pairs(2));
    assert_eq!(holdings.acknowledge(key, 2), Settled::Nothing);
    let other = LeaseKey { lease: LeaseId(9), epoch: 1 };
    assert_eq!(holdings.acknowledge(other, 2), Settled::Nothing);
}

#[test]
fn large_reports_are_cut_into_messages() {
    let now = Instant::now();
    let mut holdings = holding(&[order(1, 1000)], now);
    while let Some((key, opening, ..)) = holdings.next_pair() {
        holdings.pair_finished(key, pair(opening.index, 10_000));
    }
    let mut reported = 0;
    let mut reports = 0;
    while holdings.next_completed().is_none() {
        let report = sent(&mut holdings, now);
        let bytes: usize = report.pairs.iter().map(|p| 2 * p.base_first.moves.len()).sum();
        assert!(bytes < proto::MAX_MESSAGE_BYTES / 2, "{bytes}");
        assert_eq!(report.cumulative.pairs().0, u64::from(report.sequence));
        reported += report.pairs.len();
        reports += 1;
        let key = LeaseKey { lease: report.lease, epoch: report.epoch };
        holdings.acknowledge(key, report.sequence);
    }
    assert_eq!((reported, reports), (1000, 5));
}

#[test]
fn the_rest_goes_back_after_the_pairs_in_play_are_reported() {
    let now = Instant::now();
    let mut holdings = holding(&[order(1, 4)], now);
    let (key, opening, ..) = holdings.next_pair().unwrap();
    holdings.give_up(key, ReturnReason::Shutdown, "bye");
    assert!(holdings.next_pair().is_none());
    assert_eq!(holdings.next_return(), None, "one is in play");
    holdings.pair_finished(key, pair(opening.index, 5));
    assert_eq!(holdings.next_return(), None, "one is not reported");
    let report = sent(&mut holdings, now);
    assert_eq!(holdings.next_return(), None, "one is not acknowledged");
    holdings.acknowledge(key, report.sequence);
    assert_eq!(holdings.next_return().unwrap().1.detail, "bye");
}

#[test]
fn a_dropped_lease_stops_its_pairs_and_late_results_are_ignored() {
    let mut holdings = holding(&[order(1, 2)], Instant::now());
    let (key, opening, _, stop) = holdings.next_pair().unwrap();
    assert!(holdings.drop_lease(key));
    assert!(stop.load(Ordering::Relaxed));
    holdings.pair_finished(key, pair(opening.index, 5));
    assert!(holdings.is_empty());
    assert!(!holdings.drop_lease(key));
}

#[test]
fn a_recovered_lease_repeats_its_report_and_plays_the_rest() {
    let now = Instant::now();
    let order = order(1, 4);
    let recovered = |sent| Recovered {
        bench: Nodes(1),
        order: order.clone(),
        pairs: vec![pair(PairIndex(102), 5), pair(PairIndex(100), 5)],
        sent,
        acked: 0,
    };
    let mut holdings = Holdings::default();
    holdings.resume(recovered(1), Ok(contest(&order)), now);
    let report = sent(&mut holdings, now);
    assert_eq!((report.sequence, report.pairs[0].index), (1, PairIndex(102)));
    let left: Vec<_> =
        std::iter::from_fn(|| holdings.next_pair().map(|(_, o, ..)| o.index.0)).collect();
    assert_eq!(left, [101, 103]);

    let mut holdings = Holdings::default();
    let given_up = GivenUp { reason: ReturnReason::Restarted, detail: "new engine".into() };
    holdings.resume(recovered(0), Err(given_up.clone()), now);
    assert!(holdings.next_pair().is_none());
    let report = sent(&mut holdings, now);
    assert_eq!(report.pairs.len(), 2);
    let key = LeaseKey::of(&order);
    holdings.acknowledge(key, 2);
    assert_eq!(holdings.next_return(), Some((key, given_up)));
}
