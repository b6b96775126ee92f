//! What a coordinator does when its ledger is gone or another's, and how it stops meanwhile.

use anyhow::{Context, Result};
use model::PairOutcome;
use proto::v1;
use std::time::Duration;
use testkit::{Database, House, specs};

/// A test that takes longer than this has failed; far above what it takes.
const LIMIT: Duration = Duration::from_secs(10);

/// The whole story of an error in one line.
fn story(error: &anyhow::Error) -> String {
    format!("{error:#}")
}

#[tokio::test]
async fn a_stop_ends_promptly_while_postgres_is_dead() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(specs::tune(64, 8), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    assert_eq!(worker.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    worker.want(1).await?;
    let lease = worker.lease().await?;
    database.kill()?;
    // A report that cannot be written: the coordinator is in the middle of its recovery, or about
    // to begin it, when it is told to stop.
    let report = specs::whole_report(&lease, specs::outcome);
    worker.say(v1::work_request::Message::Report(report)).await?;
    tokio::time::timeout(LIMIT, house.stop()).await.context("it still runs")??;
    Ok(())
}

#[tokio::test]
async fn sessions_end_and_commands_are_refused_while_the_ledger_is_gone() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(64, 8), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    worker.want(1).await?;
    let lease = worker.lease().await?;
    let mut control = house.control().await?;
    database.kill()?;

    // Never acknowledged, so never lost: the session ends, and the worker knows what to say again.
    let whole = specs::whole_report(&lease, specs::outcome);
    worker.say(v1::work_request::Message::Report(whole.clone())).await?;
    let end = loop {
        match worker.hear().await {
            Ok(v1::work_response::Message::Ack(ack)) => panic!("acknowledged: {ack:?}"),
            Ok(_) => {}
            Err(end) => break story(&end),
        }
    };
    assert!(!end.contains("says nothing"), "the session must end, not fall silent: {end}");
    let pause = v1::PauseRunRequest { run_id: run.0, reason: String::new() };
    let refused = tokio::time::timeout(LIMIT, control.pause_run(pause.clone())).await;
    let refused = refused.context("a command hangs while the ledger is gone")?.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Unavailable, "{refused}");
    let refused = tokio::time::timeout(LIMIT, house.puppet(2)).await;
    assert!(refused.context("a hello hangs while the ledger is gone")?.is_err());

    let database = database.revive().await?;
    loop {
        match control.pause_run(pause.clone()).await {
            Ok(_) => break,
            Err(status) => assert_eq!(status.code(), tonic::Code::Unavailable, "{status}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(house.run(run).await?.state(), v1::RunState::Paused, "seen as soon as answered");
    let held = [v1::LeaseRef { lease_id: lease.lease_id, epoch: lease.epoch }];
    let mut worker = testkit::Puppet::join(house.url(), 1, &held).await?;
    assert_eq!(worker.report(whole).await?, v1::AckOutcome::Merged);
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 8);
    house.stop().await
}

#[tokio::test]
async fn a_second_coordinator_is_refused_and_the_first_goes_on() -> Result<()> {
    let database = Database::start().await?;
    let first = House::start(&database).await?;
    first.create(specs::tune(64, 8), &specs::book_text()).await?;
    let mut worker = first.puppet(1).await?;
    let Err(refused) = House::start(&database).await else { panic!("two lead one ledger") };
    let refused = story(&refused);
    assert!(refused.contains("another coordinator leads this ledger; stop that one"), "{refused}");
    let outcome = |_: u64| -> PairOutcome { specs::outcome(1) };
    assert_eq!(worker.play_one(outcome).await?, v1::AckOutcome::Merged);
    first.stop().await?;
    // The lead was given up in order: the next has it.
    House::start(&database).await?.stop().await
}

#[tokio::test]
async fn who_reads_the_ledger_for_long_keeps_the_lead_before_a_standby() -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(6);
    let database = Database::start().await?;
    House::start(&database).await?.stop().await?;
    let epoch = "SELECT epoch FROM leadership";
    let before = database.number(epoch).await?;
    // As a large ledger on a slow disk: the runs cannot be read for a while.
    let mut held = database.connection().await?;
    let lock = "BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(lock).execute(&mut held).await?;
    let standby = async {
        while database.number(epoch).await? == before {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let ledger = store::Ledger::open(database.url()).await?;
        let waited = tokio::time::timeout(PATIENCE * 3 / 2, ledger.wait_for_lead(PATIENCE)).await;
        sqlx::raw_sql("ROLLBACK").execute(&mut held).await?;
        anyhow::Ok(waited.is_err())
    };
    let (house, waits) = tokio::join!(House::start(&database), standby);
    assert!(waits?, "the lead was taken from a coordinator that was reading");
    assert_eq!(database.number(epoch).await?, before + 1);
    house?.stop().await
}

#[tokio::test]
async fn a_session_gives_way_to_the_next_of_the_same_worker() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut old = house.puppet(1).await?;
    let _new = house.puppet(1).await?;
    let end = old.hear().await.unwrap_err();
    assert!(!story(&end).contains("says nothing"), "{end:#}");
    house.stop().await
}

#[tokio::test]
async fn with_too_much_to_do_wants_are_put_off_before_signs_of_life_and_reports_are_taken()
-> Result<()> {
    use proto::v1::work_request::Message as Said;
    use proto::v1::work_response::Message as Heard;

    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(specs::tune(64, 8), &specs::book_text()).await?;
    let (mut worker, mut other) = (house.puppet(1).await?, house.puppet(2).await?);
    let mut talkers = Vec::new();
    for number in 3..7 {
        talkers.push(house.puppet(number).await?);
    }
    worker.want(1).await?;
    let lease = worker.lease().await?;
    // Commits wait, and with them the core.
    let mut blocking = database.connection().await?;
    sqlx::query("BEGIN").execute(&mut blocking).await?;
    sqlx::query("UPDATE leadership SET epoch = epoch").execute(&mut blocking).await?;
    worker.say(Said::Report(specs::whole_report(&lease, specs::outcome))).await?;
    let progress = v1::Progress { playing_games: 1, nodes_per_second: 1, spooled_pairs: 0 };
    // Far more than the queue holds: those beyond are passed over, so that this does not block. Each
    // stays within what its stream may say at once.
    for talker in &mut talkers {
        for _ in 0..900 {
            talker.say(Said::Progress(progress)).await?;
        }
    }
    other.want(1).await?;
    loop {
        if let Heard::Busy(busy) = other.hear().await? {
            assert!(busy.leases_only && busy.retry_after_ms >= 1000, "{busy:?}");
            break;
        }
    }
    sqlx::query("ROLLBACK").execute(&mut blocking).await?;
    assert_eq!(worker.ack().await?.outcome(), v1::AckOutcome::Merged);
    other.want(1).await?;
    other.lease().await?;
    Ok(())
}
