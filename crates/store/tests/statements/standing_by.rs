//! Who leads next: a standby gets the lead when it is free, and takes it from a leader that is silent
//! with a transaction open, but from nobody else.

use crate::fixture::{Fixture, filled, run, start};
use model::RunId;
use std::time::Duration;
use store::{Batch, Ledger, StoreError};

const NEVER: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_standby_waits_for_a_leader_that_is_there() {
    let Fixture { ledger: _first, mut leader, url, server: _server } = start().await;
    let standby = Ledger::open(&url).await.unwrap();
    let waiting = standby.wait_for_lead(NEVER);
    tokio::pin!(waiting);
    // It looks at the leader many times meanwhile, who goes on saying something.
    for _ in 0..3 {
        let waited = tokio::time::timeout(Duration::from_millis(500), &mut waiting).await;
        assert!(waited.is_err(), "two lead");
        leader.check().await.unwrap();
    }
    leader.release().await;
    assert_eq!(waiting.await.unwrap().number(), 2);
}

#[tokio::test]
async fn a_silent_leader_loses_the_lead_with_whatever_it_has_open() {
    let Fixture { ledger, leader, url, server: _server } = filled().await;
    // As one that is stopped in the middle of a commit: the row of the lead is locked.
    let name: String = sqlx::query_scalar(
        "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'elomill %' LIMIT 1",
    )
    .fetch_one(&sqlx::PgPool::connect(&url).await.unwrap())
    .await
    .unwrap();
    let options = url.parse::<sqlx::postgres::PgConnectOptions>().unwrap().application_name(&name);
    let half = sqlx::PgPool::connect_with(options).await.unwrap();
    let mut open = half.begin().await.unwrap();
    sqlx::query("SELECT epoch FROM leadership FOR SHARE").execute(&mut *open).await.unwrap();

    let standby = Ledger::open(&url).await.unwrap();
    let next = standby.wait_for_lead(Duration::ZERO).await.unwrap();
    assert_eq!(next.number(), 2);
    let batch = Batch { runs: vec![run(RunId(2), "second")], ..Batch::default() };
    let late = loop {
        // Its connections are gone; the pool makes others.
        match ledger.commit(&leader, &batch).await {
            Err(error @ StoreError::NotLeader { .. }) => break error,
            Err(_) => {}
            Ok(()) => panic!("an old leader has written"),
        }
    };
    assert!(matches!(late, StoreError::NotLeader { ours: 1 }), "{late:?}");
    assert_eq!(standby.run(RunId(2)).await.unwrap(), None);
}

#[tokio::test]
async fn coordinators_say_where_they_are() {
    let Fixture { ledger, url, server: _server, .. } = start().await;
    for address in ["https://b:1", "https://a:1", "https://b:1"] {
        ledger.announce(address).await.unwrap();
    }
    assert_eq!(ledger.coordinators().await.unwrap(), ["https://a:1", "https://b:1"]);
    let other = sqlx::PgPool::connect(&url).await.unwrap();
    let ages =
        "UPDATE coordinators SET seen_at = now() - interval '25 hours' WHERE address LIKE '%a:1'";
    sqlx::query(ages).execute(&other).await.unwrap();
    assert_eq!(ledger.coordinators().await.unwrap(), ["https://b:1"]);
    let mut snapshot = store::Snapshot::take(&url).await.unwrap();
    assert!(snapshot.sizes().await.unwrap().ledger > 0);
}

#[tokio::test]
async fn moves_of_old_days_go_and_those_of_today_stay() {
    let Fixture { ledger, url, server: _server, .. } = start().await;
    let other = sqlx::PgPool::connect(&url).await.unwrap();
    for back in [1, 2, 40] {
        let made = format!(
            "DO $$ DECLARE d date := (now() AT TIME ZONE 'UTC')::date - {back}; BEGIN
                 EXECUTE format('CREATE TABLE %I PARTITION OF pair_moves FOR VALUES FROM (%L) TO (%L)',
                                'pair_moves_' || to_char(d, 'YYYYMMDD'), d, d + 1); END $$"
        );
        sqlx::query(sqlx::AssertSqlSafe(made)).execute(&other).await.unwrap();
    }
    assert_eq!(ledger.drop_days(40).await.unwrap(), 0);
    assert_eq!(ledger.drop_days(1).await.unwrap(), 2);
    assert_eq!(ledger.drop_days(0).await.unwrap(), 1);
    assert_eq!(ledger.drop_days(0).await.unwrap(), 0, "today and the days to come stay");
    // Who reads them is waited for a second, and not longer.
    let mut reading = other.begin().await.unwrap();
    sqlx::query("LOCK TABLE pair_moves IN ACCESS SHARE MODE").execute(&mut *reading).await.unwrap();
    ledger.drop_days(0).await.unwrap();
}

#[tokio::test]
async fn a_reader_reads_and_writes_nothing() {
    let Fixture { ledger, url: _url, server: _server, .. } = filled().await;
    let reader = ledger.reader();
    assert_eq!(reader.known_workers().await.unwrap().len(), 1);
    assert_eq!(reader.workers().await.unwrap().len(), 1);
    assert!(reader.announce("https://a:1").await.is_err());
    assert_eq!(ledger.coordinators().await.unwrap(), Vec::<String>::new());
}
