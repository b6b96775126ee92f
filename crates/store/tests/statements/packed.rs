//! Reports and pairs that came packed, beside those that are rows from before: SQL and the ledger's
//! readers find both.

use crate::fixture::{Fixture, RUN, WORKER, filled, lease, moved, report};
use model::lease::{LeaseEnd, PairIndex};
use model::{GameScore, Nodes, Ply, ReportId, Termination};
use store::{Batch, Snapshot, StoredMoves};

/// Two leases: the first with two reports as rows, as the version before wrote them, the other packed by
/// two commits, out of order and with a hole.
async fn mixed() -> Fixture {
    let fixture = filled().await;
    let given = Batch { leases: vec![lease(1, 1, 0, 4, 0)], ..Batch::default() };
    fixture.commit(given).await.expect("the set-up works");
    fixture
        .run(
            "INSERT INTO reports_by_row VALUES
                 (1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 3, 1, 0), (2, 1, 1, 1, 2, 0, 0, 2, 0, 0, 2, 0, 2);
             INSERT INTO pairs_by_row
             SELECT 1, n, 1 + n / 2, 1, 2, 'board', 5, 100, 'a1', n % 2, 'no_move', 7, 200, 'b1'
             FROM generate_series(0, 3) n;
             UPDATE leases SET merged_pairs = 4, state = 'completed', ended_at = now();
             UPDATE runs SET reports = 2;",
        )
        .await;
    let first = Batch {
        leases: vec![lease(2, 1, 4, 8, 4)],
        reports: vec![report(3, 2, 1, 1, &[9]), report(4, 2, 1, 2, &[4, 6])],
        lease_moves: vec![moved(2, 3, None)],
        ..Batch::default()
    };
    fixture.commit(first).await.expect("the set-up works");
    let second = Batch {
        reports: vec![report(5, 2, 1, 3, &[5])],
        lease_moves: vec![moved(2, 4, Some(LeaseEnd::Returned))],
        ..Batch::default()
    };
    fixture.commit(second).await.expect("the set-up works");
    fixture
}

#[tokio::test]
async fn readers_find_both_in_one_order() {
    let fixture = mixed().await;
    let ledger = &fixture.ledger;
    let pairs = ledger.pairs_from(RUN, PairIndex(2), 5).await.unwrap();
    let indices: Vec<u64> = pairs.iter().map(|pair| pair.index.0).collect();
    assert_eq!(indices, [2, 3, 4, 5, 6]);
    assert_eq!(pairs[0].games[0].moves, StoredMoves::Text("a1".to_owned()));
    let [first, second] = &pairs[3].games;
    assert_eq!((first.score, second.score), (GameScore::Win, GameScore::Loss));
    assert_eq!((first.termination, first.plies), (Termination::Board, Ply(5)));
    assert_eq!((first.nodes, &first.moves), (Nodes(100), &StoredMoves::Gone));
    assert_eq!(pairs[3].worker, WORKER);
    assert!(pairs[3].merged_at_unix_ms >= pairs[0].merged_at_unix_ms);
    let rest = ledger.pairs_from(RUN, PairIndex(7), 5).await.unwrap();
    assert_eq!(rest.iter().map(|pair| pair.index.0).collect::<Vec<_>>(), [9]);
    assert!(ledger.pairs_from(RUN, PairIndex(10), 5).await.unwrap().is_empty());

    // In pages that end within a row.
    let mut read = Vec::new();
    while let Some(entry) = ledger
        .ledger_after(RUN, read.last().copied().unwrap_or(ReportId(0)), 1)
        .await
        .unwrap()
        .pop()
    {
        read.push(entry.report);
    }
    assert_eq!(read, [1, 2, 3, 4, 5].map(ReportId));
    let entries = ledger.ledger_after(RUN, ReportId(3), 9).await.unwrap();
    assert_eq!(entries.iter().map(|e| e.tally.pairs().0).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(entries[0].tally, report(4, 2, 1, 2, &[4, 6]).tally);
    assert_eq!(ledger.highest_ids().await.unwrap().report, 5);
    assert_eq!(ledger.run(RUN).await.unwrap().unwrap().reports, 5);
    let (counts, last) = ledger.counts_since(Some(ReportId(2))).await.unwrap();
    assert_eq!((counts[0].counts.pairs().0, last), (4, ReportId(5)));

    let scores = ledger.pair_scores(RUN, 6).await.unwrap();
    let scores: Vec<(u64, u8)> = scores.iter().map(|(index, score)| (index.0, *score)).collect();
    assert_eq!(scores, [(0, 2), (1, 3), (2, 2), (3, 3), (4, 3), (5, 2)]);
    let ends = ledger.terminations(RUN).await.unwrap();
    let board_wins = ends.iter().find(|end| (end.0, end.1) == (Termination::Board, 2));
    assert_eq!(board_wins.map(|end| end.2), Some(8));
    assert_eq!(ends.iter().map(|end| end.2).sum::<u64>(), 16);
}

#[tokio::test]
async fn sql_finds_both_and_what_contradicts_itself() {
    let fixture = mixed().await;
    let number = |sql| fixture.number(sql);
    assert_eq!(number("SELECT count(*) FROM reports").await, 5);
    assert_eq!(
        number("SELECT sum(wins * 100 + draws * 10 + losses)::bigint FROM reports").await,
        934
    );
    assert_eq!(number("SELECT sum(pair_index * lease_id)::bigint FROM pairs").await, 54);
    let as_reported = "SELECT count(*) FROM pairs WHERE lease_id = 2 AND report_id = 4
        AND (first_score, first_termination, first_plies, first_nodes) = (2, 'board', 5, 100)
        AND (second_score, second_termination, second_plies, second_nodes) = (1, 'board', 5, 100)";
    assert_eq!(number(as_reported).await, 2);
    let mut snapshot = Snapshot::take(&fixture.url).await.unwrap();
    let held = snapshot.holdings().await.unwrap();
    assert_eq!((held.runs, held.reports, held.pairs), (1, 5, 8));
    // The row of the run was never moved, which the tests of the coordinator see to.
    let found = snapshot.contradictions().await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    snapshot.release().await;
    // A pair that another report has, too.
    let twice = "UPDATE report_groups SET packed = '\\x11171605056464' WHERE last_id = 5";
    fixture.run(twice).await;
    let mut snapshot = Snapshot::take(&fixture.url).await.unwrap();
    let found = snapshot.contradictions().await.unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&"run 1 counts pair 4 2 times".to_owned()), "{found:?}");
}
