//! Every statement against a real Postgres: what goes in comes out, and what the schema forbids
//! leaves nothing behind.

mod fixture;
mod packed;
mod standing_by;

use fixture::{
    Fixture, RUN, WORKER, book, filled, lease, moved, range, report, run, run_move, spec, start,
    worker,
};
use model::lease::{LeaseEnd, PairIndex};
use model::view::{LeaseCounts, RunState, Verdict};
use model::{GameKind, LeaseId, ReportId, RunId, WorkerId};
use store::{Batch, Ledger, NewLease, NewSnapshot, RunEvent, StoreError};

fn refused(result: Result<(), StoreError>) -> String {
    match result {
        Err(StoreError::Refused { constraint, .. }) => constraint,
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

#[tokio::test]
async fn the_schema_is_brought_up_to_date_once_and_one_coordinator_leads() {
    let Fixture { ledger, leader, url, server: _server } = start().await;
    let again = Ledger::open(&url).await.unwrap();
    again.ping().await.unwrap();
    assert!(matches!(again.take_lead().await, Err(StoreError::LeadTaken)));
    assert_eq!(leader.number(), 1);
    leader.release().await;
    let mut second = again.take_lead().await.unwrap();
    assert_eq!(second.number(), 2);
    second.check().await.unwrap();
    // Dropped, not released: free once the server notices.
    drop(second);
    loop {
        match ledger.take_lead().await {
            Ok(third) => break assert_eq!(third.number(), 3),
            Err(StoreError::LeadTaken) => tokio::task::yield_now().await,
            Err(other) => panic!("{other}"),
        }
    }
    ledger.close().await;
    assert!(matches!(Ledger::open("nonsense").await, Err(StoreError::Url { .. })));
}

#[tokio::test]
async fn an_old_leader_writes_nothing() {
    let Fixture { ledger, leader, url, server: _server } = filled().await;
    // Its session is lost, which it does not know; another takes the lead.
    let other = sqlx::PgPool::connect(&url).await.unwrap();
    sqlx::query("UPDATE leadership SET epoch = epoch + 1").execute(&other).await.unwrap();
    let batch = Batch { runs: vec![run(RunId(2), "second")], ..Batch::default() };
    let result = ledger.commit(&leader, &batch).await;
    assert!(matches!(result, Err(StoreError::NotLeader { ours: 1 })), "{result:?}");
    assert_eq!(ledger.run(RunId(2)).await.unwrap(), None);
    let batch = Batch { workers: vec![worker(2, 2)], ..Batch::default() };
    let result = ledger.commit(&leader, &batch).await;
    assert!(matches!(result, Err(StoreError::NotLeader { ours: 1 })), "{result:?}");
    assert_eq!(ledger.workers().await.unwrap().len(), 1);
}

#[tokio::test]
async fn workers_and_books_come_back_as_they_were() {
    let fixture = filled().await;
    let ledger = &fixture.ledger;
    // A known key keeps its id, whatever is proposed; another's id is refused.
    let mut renamed = worker(77, 1);
    renamed.name = "renamed".to_owned();
    let greet = |worker| Batch { workers: vec![worker], ..Batch::default() };
    fixture.commit(greet(renamed.clone())).await.unwrap();
    assert_eq!(refused(fixture.commit(greet(worker(1, 9))).await), "workers_pkey");
    ledger.touch_workers(&[WORKER, WorkerId(404)]).await.unwrap();
    let workers = ledger.workers().await.unwrap();
    assert_eq!(workers.len(), 1);
    assert_eq!((workers[0].worker.id, &workers[0].worker.name), (WORKER, &renamed.name));
    assert!(workers[0].first_seen_unix_ms <= workers[0].last_seen_unix_ms);
    assert_eq!(workers[0].counted_pairs, 0);

    ledger.add_book(&book(), GameKind::TicTacToe, 1, "another").await.unwrap();
    let (game, text) = ledger.book(&book()).await.unwrap().unwrap();
    assert_eq!((game, text.as_str()), (GameKind::TicTacToe, "one\ntwo"), "the first stays");
    assert_eq!(ledger.book("none").await.unwrap(), None);
    let wrong = ledger.add_book("none", GameKind::TicTacToe, 1, "x").await;
    assert_eq!(refused(wrong), "books_sha256_is_hex");
}

#[tokio::test]
async fn a_run_comes_back_to_the_bit() {
    let fixture = filled().await;
    let ledger = &fixture.ledger;
    let stored = ledger.run(RUN).await.unwrap().unwrap();
    assert_eq!(stored.spec, spec());
    assert_eq!(
        serde_json::to_string(&stored.spec).unwrap(),
        serde_json::to_string(&spec()).unwrap(),
        "every float to the bit"
    );
    assert_eq!((stored.state, stored.ended_at_unix_ms), (RunState::Running, None));
    assert_eq!(ledger.run_of_key("first").await.unwrap(), Some(RUN));
    assert_eq!(ledger.run_of_key("other").await.unwrap(), None);

    let mut run_moves = vec![run_move(RunState::Finished, 1)];
    run_moves[0].llr = Some(0.1 + 0.2);
    run_moves[0].point = Some("{\"theta\":[0.30000000000000004]}".to_owned());
    run_moves[0].verdict = Some(Verdict::Accepted);
    let reports = vec![report(1, 1, 1, 1, &[0, 1, 2])];
    run_moves[0].tally = reports[0].tally;
    let tally = reports[0].tally;
    let batch = Batch {
        runs: vec![run(RunId(2), "second")],
        // Given and over within one commit.
        leases: vec![lease(1, 1, 0, 8, 0)],
        lease_moves: vec![moved(1, 3, Some(LeaseEnd::Revoked))],
        events: vec![RunEvent { run: RUN, event: "finished", reason: "accepted".to_owned() }],
        reports,
        run_moves,
        ..Batch::default()
    };
    fixture.commit(batch).await.unwrap();
    let stored = ledger.run(RUN).await.unwrap().unwrap();
    assert_eq!(stored.llr.map(f64::to_bits), Some((0.1_f64 + 0.2).to_bits()));
    assert_eq!(stored.point.as_deref(), Some("{\"theta\":[0.30000000000000004]}"));
    assert_eq!((stored.state, stored.verdict), (RunState::Finished, Some(Verdict::Accepted)));
    assert_eq!((stored.tally, stored.reports, stored.last_report), (tally, 1, ReportId(1)));
    assert_eq!(stored.leases, LeaseCounts { revoked: 1, ..LeaseCounts::default() });
    assert!(stored.ended_at_unix_ms >= Some(stored.created_at_unix_ms));
    let open: Vec<RunId> = ledger.open_runs().await.unwrap().iter().map(|r| r.id).collect();
    assert_eq!(open, [RunId(2)]);
    let newest: Vec<RunId> = ledger.newest_runs(9).await.unwrap().iter().map(|r| r.id).collect();
    assert_eq!(newest, [RunId(2), RUN]);
    assert_eq!(ledger.newest_runs(1).await.unwrap().len(), 1);
    let ids = ledger.highest_ids().await.unwrap();
    assert_eq!((ids.run, ids.worker, ids.lease, ids.report), (2, 1, 1, 1));
    let over = ledger.lease(LeaseId(1)).await.unwrap().unwrap();
    assert_eq!((over.worker, over.epoch, over.merged_pairs), (WORKER, 1, 3));
    assert_eq!(over.run_state, RunState::Finished);
    assert_eq!(ledger.lease(LeaseId(2)).await.unwrap(), None);
    assert_eq!(ledger.workers().await.unwrap()[0].counted_pairs, 3);
}

/// A history with every turn: what is out, what waits, and at which epoch.
#[tokio::test]
async fn what_is_out_and_what_waits_is_read_from_the_last_lease_of_each_pair() {
    let fixture = filled().await;
    let ledger = &fixture.ledger;
    assert_eq!(ledger.first_fresh_pair(RUN).await.unwrap(), PairIndex(0));
    // Block 0: expired with a hole; its parts given again; one part returned, then given a third
    // time and returned again with a pair done.
    let first = Batch {
        leases: vec![lease(1, 1, 0, 8, 0), lease(2, 1, 8, 8, 8), lease(3, 1, 16, 4, 16)],
        reports: vec![report(1, 1, 1, 1, &[3]), report(2, 2, 1, 4, &[8, 9])],
        lease_moves: vec![
            moved(1, 1, Some(LeaseEnd::Expired)),
            moved(2, 2, None),
            moved(3, 0, Some(LeaseEnd::Returned)),
        ],
        ..Batch::default()
    };
    fixture.commit(first).await.unwrap();
    let waiting = |slices: Vec<store::OpenSlice>| -> Vec<(u64, u32, u32, u64)> {
        let terms = |s: &store::OpenSlice| (s.range.first.0, s.range.count, s.next_epoch, s.block);
        slices.iter().map(terms).collect()
    };
    let slices = ledger.unplayed(RUN).await.unwrap();
    assert_eq!(slices[0].probe.as_deref(), Some("probe of 0"));
    assert_eq!(waiting(slices), [(0, 3, 2, 0), (4, 4, 2, 0), (16, 4, 2, 16)]);

    let second = Batch {
        leases: vec![lease(4, 2, 0, 3, 0), lease(5, 2, 4, 4, 0)],
        reports: vec![report(3, 4, 2, 1, &[1])],
        lease_moves: vec![moved(4, 1, Some(LeaseEnd::Returned))],
        ..Batch::default()
    };
    fixture.commit(second).await.unwrap();
    let slices = ledger.unplayed(RUN).await.unwrap();
    assert_eq!(waiting(slices), [(0, 1, 3, 0), (2, 1, 3, 0), (16, 4, 2, 16)]);

    let third = Batch {
        leases: vec![lease(6, 3, 0, 1, 0), lease(7, 3, 2, 1, 0)],
        reports: vec![report(4, 7, 3, 1, &[2])],
        lease_moves: vec![
            moved(6, 0, Some(LeaseEnd::Returned)),
            moved(7, 1, Some(LeaseEnd::Completed)),
        ],
        ..Batch::default()
    };
    fixture.commit(third).await.unwrap();
    assert_eq!(waiting(ledger.unplayed(RUN).await.unwrap()), [(0, 1, 4, 0), (16, 4, 2, 16)]);
    assert_eq!(ledger.first_fresh_pair(RUN).await.unwrap(), PairIndex(20));

    let open = ledger.open_leases().await.unwrap();
    let ids: Vec<LeaseId> = open.iter().map(|lease| lease.id).collect();
    assert_eq!(ids, [LeaseId(2), LeaseId(5)]);
    assert_eq!((open[0].last_sequence, open[0].merged.pairs().0), (4, 2));
    assert_eq!(open[0].merged_pairs, [PairIndex(8), PairIndex(9)]);
    assert_eq!((open[1].last_sequence, open[1].merged_pairs.len()), (0, 0));
    assert_eq!((open[1].range, open[1].epoch, open[1].block), (range(4, 4), 2, 0));

    // The ledger in pages, each entry with the probe of its lease.
    let mut pages = Vec::new();
    let mut after = ReportId(0);
    loop {
        let page = ledger.ledger_after(RUN, after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.report;
        pages.push(page);
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(pages[0][1].probe.as_deref(), Some("probe of 8"));
    assert_eq!(pages[0][1].tally.pairs().0, 2);
}

/// A lease that is called back because its candidate was decided leaves its pairs to others; what a
/// lease plays comes back with it.
#[tokio::test]
async fn the_candidate_of_a_lease_is_kept_and_revoked_pairs_of_an_open_run_wait() {
    let fixture = filled().await;
    let ledger = &fixture.ledger;
    let of = |id, epoch, first, count, block, candidate| NewLease {
        probe: None,
        candidate: Some(candidate),
        ..lease(id, epoch, first, count, block)
    };
    let batch = Batch {
        leases: vec![of(1, 1, 0, 4, 0, 0), of(2, 1, 4, 4, 4, 3)],
        reports: vec![report(1, 1, 1, 1, &[0]), report(2, 2, 1, 1, &[4])],
        lease_moves: vec![moved(1, 1, Some(LeaseEnd::Revoked)), moved(2, 1, None)],
        ..Batch::default()
    };
    fixture.commit(batch).await.unwrap();
    let waiting = ledger.unplayed(RUN).await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].range, waiting[0].candidate), (range(1, 3), Some(0)));
    // Its parts are given to two candidates, and come back apart.
    let batch = Batch {
        leases: vec![of(3, 2, 1, 1, 0, 3), of(4, 2, 2, 2, 0, 2)],
        lease_moves: vec![
            moved(3, 0, Some(LeaseEnd::Returned)),
            moved(4, 0, Some(LeaseEnd::Returned)),
        ],
        ..Batch::default()
    };
    fixture.commit(batch).await.unwrap();
    let waiting = ledger.unplayed(RUN).await.unwrap();
    let terms: Vec<_> = waiting.iter().map(|slice| (slice.range, slice.candidate)).collect();
    assert_eq!(terms, [(range(1, 1), Some(3)), (range(2, 2), Some(2))]);
    assert_eq!(ledger.open_leases().await.unwrap()[0].candidate, Some(3));
    let page = ledger.ledger_after(RUN, ReportId(0), 9).await.unwrap();
    let played: Vec<_> = page.iter().map(|entry| entry.candidate).collect();
    assert_eq!(played, [Some(0), Some(3)]);
}

#[tokio::test]
async fn the_last_two_snapshots_are_kept() {
    let fixture = filled().await;
    assert_eq!(fixture.ledger.snapshot(RUN).await.unwrap(), None);
    for (report, state) in [(3, "three"), (7, "seven"), (9, "nine"), (9, "nine again")] {
        let snapshot = NewSnapshot { run: RUN, report: ReportId(report), state: state.to_owned() };
        let batch = Batch { snapshots: vec![snapshot], ..Batch::default() };
        fixture.commit(batch).await.unwrap();
    }
    let last = fixture.ledger.snapshot(RUN).await.unwrap().unwrap();
    assert_eq!((last.report, last.state.as_str()), (ReportId(9), "nine again"));
    assert_eq!(fixture.number("SELECT count(*) FROM snapshots").await, 2);
    assert_eq!(fixture.number("SELECT min(report_id) FROM snapshots").await, 7);
}

#[tokio::test]
async fn what_the_schema_forbids_is_named_and_leaves_nothing_behind() {
    let fixture = filled().await;
    let given = Batch {
        leases: vec![lease(1, 1, 0, 4, 0), lease(2, 1, 4, 4, 4)],
        reports: vec![report(1, 1, 1, 1, &[0, 1])],
        lease_moves: vec![moved(1, 2, None)],
        ..Batch::default()
    };
    fixture.commit(given).await.unwrap();
    let ended =
        Batch { lease_moves: vec![moved(2, 0, Some(LeaseEnd::Returned))], ..Batch::default() };
    fixture.commit(ended.clone()).await.unwrap();

    let with = |change: fn(&mut Batch)| {
        let mut batch = Batch { leases: vec![lease(3, 1, 8, 4, 8)], ..Batch::default() };
        change(&mut batch);
        batch
    };
    let finished = || run_move(RunState::Finished, 1);
    let stopped_with_verdict = || {
        let mut stopped = run_move(RunState::Stopped, 1);
        stopped.verdict = Some(Verdict::Accepted);
        stopped
    };
    let cases: Vec<(&str, Batch)> = vec![
        // I1: a pair counts once.
        ("leases_pairs_once", with(|b| b.reports = vec![report(2, 1, 1, 2, &[2, 1])])),
        ("leases_pairs_once", with(|b| b.reports = vec![report(2, 1, 1, 2, &[3, 3])])),
        (
            "leases_pairs_once",
            with(|b| b.reports = vec![report(2, 1, 1, 2, &[3]), report(3, 1, 1, 3, &[2, 3])]),
        ),
        ("leases_own_pairs", with(|b| b.reports = vec![report(2, 3, 1, 1, &[8, 1])])),
        ("leases_given_once", with(|b| b.leases.push(lease(4, 1, 0, 2, 0)))),
        ("leases_sequence_grows", with(|b| b.reports = vec![report(2, 1, 1, 1, &[2])])),
        ("report_groups_pkey", with(|b| b.reports = vec![report(1, 1, 1, 2, &[2])])),
        ("report_groups_not_empty", with(|b| b.reports = vec![report(2, 1, 1, 2, &[])])),
        ("leases_known", with(|b| b.reports = vec![report(2, 9, 1, 1, &[2])])),
        ("leases_pkey", with(|b| b.leases.push(lease(1, 2, 0, 4, 0)))),
        ("leases_epoch_positive", with(|b| b.leases.push(lease(4, 0, 0, 4, 0)))),
        ("leases_pairs_positive", with(|b| b.leases.push(lease(4, 1, 0, 0, 0)))),
        ("leases_merged_within", with(|b| b.lease_moves = vec![moved(1, 5, None)])),
        (
            "leases_completed_is_whole",
            with(|b| b.lease_moves = vec![moved(1, 2, Some(LeaseEnd::Completed))]),
        ),
        // I3: a lease ends once.
        ("leases_end_once", Batch { leases: vec![lease(3, 1, 8, 4, 8)], ..ended }),
        ("runs_pkey", with(|b| b.runs = vec![run(RUN, "second")])),
        ("runs_idempotency_key_unique", with(|b| b.runs = vec![run(RunId(2), "first")])),
        (
            "runs_verdict_needs_finish",
            Batch { run_moves: vec![stopped_with_verdict()], ..with(|_| {}) },
        ),
        (
            "run_events_run_id_fkey",
            Batch {
                run_moves: vec![finished()],
                events: vec![RunEvent { run: RunId(9), event: "x", reason: String::new() }],
                ..with(|_| {})
            },
        ),
    ];
    for (constraint, batch) in cases {
        assert_eq!(refused(fixture.commit(batch).await), constraint);
        let left = fixture.number(
            "SELECT (SELECT count(*) FROM leases) * 1000 + (SELECT count(*) FROM pairs) * 100
                  + (SELECT count(*) FROM reports) * 10
                  + (SELECT count(*) FROM runs WHERE state = 'running')",
        );
        assert_eq!(left.await, 2211, "{constraint}: nothing of the batch is written");
    }
    // The connections are as good as before.
    fixture.commit(with(|_| {})).await.unwrap();
    fixture.commit(Batch::default()).await.unwrap();
}

#[tokio::test]
async fn a_fork_keeps_its_first_state_and_a_budget_can_grow() {
    let fixture = filled().await;
    let Fixture { ledger, .. } = &fixture;
    assert_eq!(ledger.first_state(RUN).await.unwrap(), None);
    let snapshot = |report: i64| NewSnapshot {
        run: RUN,
        report: ReportId(report),
        state: format!("state {report}"),
    };
    let mut spec = run(RUN, "first").spec;
    if let model::spec::Job::Tune(tune) = &mut spec.job {
        tune.pairs = model::Pairs(5_000);
    }
    let batch = Batch {
        snapshots: [0, 3, 5, 9].map(snapshot).to_vec(),
        respecified: vec![(RUN, spec.clone())],
        ..Batch::default()
    };
    fixture.commit(batch).await.unwrap();
    assert_eq!(ledger.first_state(RUN).await.unwrap().as_deref(), Some("state 0"));
    assert_eq!(fixture.number("SELECT count(*) FROM snapshots").await, 3);
    let last = ledger.snapshot(RUN).await.unwrap().unwrap();
    assert_eq!((last.report, last.state.as_str()), (ReportId(9), "state 9"));
    assert_eq!(ledger.run(RUN).await.unwrap().unwrap().spec, spec);
}
