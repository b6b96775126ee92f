//! The promises I1 to I9 of the design, each by its number, against a real Postgres over real gRPC.
//!
//! Kills of whole processes are tried in the end-to-end tests; here a coordinator is cut off inside
//! the process and Postgres is killed for real.

use anyhow::{Context, Result};
use model::{GameScore, PairOutcome};
use proto::v1;
use proto::v1::work_request::Message as Request;
use proto::v1::work_response::Message as Response;
use sqlx::Row;
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::{Database, House, Puppet, specs};

const ALL_WON: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Win };

fn lease_ref(lease: &v1::Lease) -> v1::LeaseRef {
    v1::LeaseRef { lease_id: lease.lease_id, epoch: lease.epoch }
}

fn theta(run: &v1::Run) -> Vec<f64> {
    match &run.progress {
        Some(v1::run::Progress::Tune(tune)) => tune.theta.clone(),
        other => panic!("a tune was expected, not {other:?}"),
    }
}

/// The point in a replayed state.
fn point_in(state: &str) -> Result<Vec<f64>> {
    let state: serde_json::Value = serde_json::from_str(state)?;
    Ok(serde_json::from_value(state["job"]["tune"]["spsa"]["theta"].clone())?)
}

fn test_of(run: &v1::Run) -> &v1::TestProgress {
    match &run.progress {
        Some(v1::run::Progress::Test(test)) => test,
        other => panic!("a test was expected, not {other:?}"),
    }
}

/// The pages and watches show a run a few times a second; the ledger is what counts.
async fn counted(database: &Database) -> Result<i64> {
    database.number("SELECT count(*) FROM pairs").await
}

/// Every figure that is stored twice must agree.
async fn reconcile(database: &Database) -> Result<()> {
    let disagreements = database
        .number(
            "SELECT count(*) FROM runs r
             LEFT JOIN LATERAL (
                 SELECT coalesce(sum(ll), 0) AS ll, coalesce(sum(ld), 0) AS ld,
                        coalesce(sum(dd), 0) AS dd, coalesce(sum(dw), 0) AS dw,
                        coalesce(sum(ww), 0) AS ww, coalesce(sum(wins), 0) AS wins,
                        coalesce(sum(draws), 0) AS draws, coalesce(sum(losses), 0) AS losses
                 FROM reports WHERE run_id = r.id) p ON true
             LEFT JOIN LATERAL (
                 SELECT count(*) AS pairs,
                        count(*) FILTER (WHERE first_score + second_score = 0) AS ll,
                        count(*) FILTER (WHERE first_score + second_score = 4) AS ww
                 FROM pairs WHERE run_id = r.id) g ON true
             LEFT JOIN LATERAL (
                 SELECT coalesce(sum(merged_pairs), 0) AS merged
                 FROM leases WHERE run_id = r.id) l ON true
             WHERE (r.ll, r.ld, r.dd, r.dw, r.ww, r.wins, r.draws, r.losses)
                   IS DISTINCT FROM
                   (p.ll, p.ld, p.dd, p.dw, p.ww, p.wins, p.draws, p.losses)
                OR g.pairs <> r.ll + r.ld + r.dd + r.dw + r.ww
                OR g.ll <> r.ll OR g.ww <> r.ww
                OR l.merged <> g.pairs",
        )
        .await?;
    assert_eq!(disagreements, 0, "runs whose sums disagree");
    Ok(())
}

#[tokio::test]
async fn i1_an_acknowledged_pair_is_in_the_ledger_once_however_often_it_is_sent() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(8, 8), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    worker.want(1).await?;
    let lease = worker.lease().await?;

    let part = specs::report(&lease, 3, 0, specs::outcome);
    assert_eq!(worker.report(part.clone()).await?, v1::AckOutcome::Merged);
    assert_eq!(counted(&database).await?, 3);
    assert_eq!(worker.report(part).await?, v1::AckOutcome::Duplicate);
    // The acknowledgement was lost: the next report carries the same pairs again.
    let more = specs::report(&lease, 5, 0, specs::outcome);
    assert_eq!(worker.report(more).await?, v1::AckOutcome::Merged);
    assert_eq!(counted(&database).await?, 5);
    let rest = specs::report(&lease, 8, 5, specs::outcome);
    assert_eq!(worker.report(rest.clone()).await?, v1::AckOutcome::Merged);
    // The lease is complete and forgotten; its last report comes again over a new session.
    drop(worker);
    let mut again = house.puppet(1).await?;
    assert_eq!(again.report(rest).await?, v1::AckOutcome::Duplicate);
    assert_eq!(counted(&database).await?, 8);
    reconcile(&database).await?;
    let run = house.run(run).await?;
    assert_eq!(run.state(), v1::RunState::Finished);
    house.stop().await
}

#[tokio::test]
async fn i2_what_was_acknowledged_survives_the_coordinator_and_postgres() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(64, 4), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..3 {
        assert_eq!(worker.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    }
    worker.want(1).await?;
    let open = worker.lease().await?;
    let half = specs::report(&open, 2, 0, specs::outcome);
    assert_eq!(worker.report(half).await?, v1::AckOutcome::Merged);
    house.cut();
    drop(worker);

    let house = House::start(&database).await?;
    assert_eq!(counted(&database).await?, 14);
    assert_eq!(house.run(run).await?.tally.context("a tally")?.pentanomial_pairs.len(), 5);
    // The worker still has the lease and goes on with it.
    let mut worker = Puppet::join(house.url(), 1, &[lease_ref(&open)]).await?;
    let rest = specs::report(&open, 4, 2, specs::outcome);
    assert_eq!(worker.report(rest).await?, v1::AckOutcome::Merged);
    assert_eq!(counted(&database).await?, 16);
    drop(worker);

    // Postgres dies under a running coordinator, which goes on once it is back.
    let database = database.kill_and_revive().await?;
    let mut worker = loop {
        // Refused while the ledger is gone.
        if let Ok(worker) = house.puppet(1).await {
            break worker;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(counted(&database).await?, 16);
    assert_eq!(worker.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    assert_eq!(counted(&database).await?, 20);
    reconcile(&database).await?;
    let (matches, _) = house.replay(run).await?;
    assert!(matches, "the stored state equals the fold of the ledger");
    house.stop().await
}

#[tokio::test]
async fn i3_every_lease_ends_in_exactly_one_way() -> Result<()> {
    let database = Database::start().await?;
    let mut settings = testkit::settings(database.url())?;
    settings.lease_silence = Duration::ZERO;
    let house = House::start_with(settings).await?;
    house.create(specs::tune(12, 4), &specs::book_text()).await?;
    let mut one = house.puppet(1).await?;
    one.want(3).await?;
    let (completed, returned, expired) =
        (one.lease().await?, one.lease().await?, one.lease().await?);
    one.report(specs::whole_report(&completed, specs::outcome)).await?;
    one.report(specs::report(&returned, 1, 0, specs::outcome)).await?;
    let back = v1::ReturnLease {
        lease_id: returned.lease_id,
        epoch: returned.epoch,
        reason: v1::ReturnReason::Shutdown.into(),
        detail: String::new(),
    };
    one.say(Request::ReturnLease(back)).await?;
    one.report(specs::report(&expired, 1, 0, specs::outcome)).await?;
    drop(one);
    // The second worker gets what came back, then what the silent one has.
    let mut two = house.puppet(2).await?;
    two.want(2).await?;
    let (again, taken) = (two.lease().await?, two.lease().await?);
    assert_eq!((again.epoch, again.openings.len()), (2, 3));
    assert_eq!((taken.epoch, taken.openings.len()), (2, 3));
    two.report(specs::whole_report(&again, specs::outcome)).await?;
    // The run ends by hand with a lease out.
    let request = v1::StopRunRequest { run_id: again.run_id, reason: "enough".to_owned() };
    house.control().await?.stop_run(request).await?;
    let Response::Cancel(cancel) = two.hear().await? else { panic!("a cancel was expected") };
    assert_eq!(cancel.lease_id, taken.lease_id);

    let mut connection = database.connection().await?;
    let rows = sqlx::query("SELECT state, count(*) FROM leases GROUP BY state ORDER BY state")
        .fetch_all(&mut connection)
        .await?;
    let states: Vec<(String, i64)> =
        rows.iter().map(|r| Ok((r.try_get(0)?, r.try_get(1)?))).collect::<Result<_>>()?;
    let expected = [("completed", 2), ("expired", 1), ("returned", 1), ("revoked", 1)]
        .map(|(s, n)| (s.to_owned(), n));
    assert_eq!(states, expected);
    // The schema itself refuses a second end.
    let second = sqlx::query("UPDATE leases SET state = 'returned' WHERE state = 'completed'")
        .execute(&mut connection)
        .await;
    let refused = second.unwrap_err().to_string();
    assert!(refused.contains("ended as completed before"), "{refused}");
    reconcile(&database).await?;
    house.stop().await
}

#[tokio::test]
async fn i4_a_late_report_counts_only_while_nobody_else_has_its_pairs() -> Result<()> {
    let database = Database::start().await?;
    let mut settings = testkit::settings(database.url())?;
    settings.lease_silence = Duration::ZERO;
    let house = House::start_with(settings).await?;
    house.create(specs::test(8, 4), &specs::book_text()).await?;
    let mut late = house.puppet(1).await?;
    late.want(2).await?;
    let (first, second) = (late.lease().await?, late.lease().await?);
    drop(late);

    // Overdue, but nobody has taken it: merged.
    let held = [lease_ref(&first), lease_ref(&second)];
    let mut late = Puppet::join(house.url(), 1, &held).await?;
    let report = specs::whole_report(&first, specs::outcome);
    assert_eq!(late.report(report).await?, v1::AckOutcome::Merged);
    drop(late);

    // Another takes the second one: the late report is refused, whoever is first.
    let mut other = house.puppet(2).await?;
    other.want(1).await?;
    let taken = other.lease().await?;
    assert_eq!(taken.openings, second.openings);
    assert_eq!(taken.epoch, second.epoch + 1);
    let mut late = Puppet::join(house.url(), 1, &[lease_ref(&second)]).await?;
    let Response::Cancel(cancel) = late.hear().await? else { panic!("a cancel was expected") };
    assert_eq!(cancel.lease_id, second.lease_id);
    let report = specs::whole_report(&second, specs::outcome);
    assert_eq!(late.report(report.clone()).await?, v1::AckOutcome::Stale);
    assert_eq!(counted(&database).await?, 4);
    assert_eq!(
        other.report(specs::whole_report(&taken, specs::outcome)).await?,
        v1::AckOutcome::Merged
    );
    assert_ne!(late.report(report).await?, v1::AckOutcome::Merged);
    assert_eq!(counted(&database).await?, 8);
    reconcile(&database).await?;
    house.stop().await
}

#[tokio::test]
async fn i5_no_more_pairs_than_asked_and_a_test_stops_once() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let tune = house.create(specs::tune(21, 4), &specs::book_text()).await?;
    let mut workers = Vec::new();
    for number in 1..=4 {
        let worker = house.puppet(number).await?;
        worker.want(16).await?;
        workers.push(worker);
    }
    // 21 pairs in leases of 4: six leases, the last of one pair, whoever gets them.
    let mut played = 0;
    for worker in &mut workers {
        let mut leases = Vec::new();
        loop {
            match worker.hear().await? {
                Response::Lease(lease) => leases.push(lease),
                Response::Idle(_) => break,
                other => panic!("a lease was expected, not {other:?}"),
            }
        }
        for lease in &leases {
            played += lease.openings.len();
            let report = specs::whole_report(lease, specs::outcome);
            assert_eq!(worker.report(report).await?, v1::AckOutcome::Merged);
        }
    }
    assert_eq!(played, 21);
    assert_eq!(house.run(tune).await?.state(), v1::RunState::Finished);

    let test = house.create(specs::test(10_000, 10), &specs::book_text()).await?;
    let mut leases = Vec::new();
    for worker in &mut workers {
        worker.want(16).await?;
        for _ in 0..16 {
            leases.push(worker.lease().await?);
        }
    }
    let mut outcomes = Vec::new();
    for (i, lease) in leases.iter().enumerate() {
        let outcome =
            |index: u64| if index.is_multiple_of(7) { specs::outcome(index) } else { ALL_WON };
        let report = specs::whole_report(lease, outcome);
        outcomes.push(workers[i / 16].report(report).await?);
    }
    let merged = outcomes.iter().filter(|o| **o == v1::AckOutcome::Merged).count();
    assert!((1..64).contains(&merged), "the test ended in the middle: {merged} of 64 merged");
    // Merged up to the verdict, refused after it.
    assert!(outcomes[..merged].iter().all(|o| *o == v1::AckOutcome::Merged));
    assert!(outcomes[merged..].iter().all(|o| *o == v1::AckOutcome::RunEnded));
    let run = house.run(test).await?;
    assert_eq!(run.state(), v1::RunState::Finished);
    assert_eq!(test_of(&run).verdict(), v1::Verdict::Accepted);
    let ends = database.number(
        "SELECT count(*) FROM run_events WHERE event = 'finished' AND run_id =
             (SELECT max(id) FROM runs)",
    );
    assert_eq!(ends.await?, 1);
    reconcile(&database).await?;
    house.stop().await
}

#[tokio::test]
async fn i6_only_leased_pairs_count_and_no_opening_comes_twice_in_a_round() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let book = specs::book_text();
    let round = book.lines().count();
    house.create(specs::tune(2 * round as u64, 8), &book).await?;
    let mut worker = house.puppet(1).await?;
    let mut openings = Vec::new();
    while openings.len() < 2 * round {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        // A pair that was not leased, and a game without its partner, are refused whole.
        let mut foreign = specs::whole_report(&lease, specs::outcome);
        foreign.pairs[0].pair_index = 1_000_000;
        assert_eq!(worker.report(foreign).await?, v1::AckOutcome::Invalid);
        // The lease is over by that; its pairs come again.
        worker.want(1).await?;
        let again = worker.lease().await?;
        assert_eq!((again.epoch, &again.openings), (lease.epoch + 1, &lease.openings));
        let lease = again;
        openings.extend(lease.openings.iter().map(|o| (o.pair_index, o.position.clone())));
        let whole = specs::whole_report(&lease, specs::outcome);
        assert_eq!(worker.report(whole).await?, v1::AckOutcome::Merged);
    }
    openings.sort();
    for (number, half) in openings.chunks(round).enumerate() {
        let distinct: BTreeSet<&String> = half.iter().map(|(_, position)| position).collect();
        assert_eq!(distinct.len(), round, "round {number}");
    }

    house.create(specs::tune(8, 8), &book).await?;
    worker.want(1).await?;
    let lease = worker.lease().await?;
    let mut half = specs::whole_report(&lease, specs::outcome);
    half.pairs[3].base_first = None;
    worker.say(Request::Report(half)).await?;
    assert!(worker.ack().await.is_err(), "a session that breaks the contract ends");
    assert_eq!(counted(&database).await?, 2 * round as i64);
    house.stop().await
}

#[tokio::test]
async fn i7_llr_and_verdict_are_recomputed_to_the_bit() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let test = house.create(specs::test(600, 6), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..20 {
        worker.play_one(specs::outcome).await?;
        let (matches, _) = house.replay(test).await?;
        assert!(matches);
    }
    house.cut();
    let house = House::start(&database).await?;
    let mut worker = house.puppet(1).await?;
    let losing = |index: u64| match index % 5 {
        0 => specs::outcome(index),
        _ => PairOutcome { first: GameScore::Loss, second: GameScore::Draw },
    };
    loop {
        worker.play_one(losing).await?;
        if house.run(test).await?.state() == v1::RunState::Finished {
            break;
        }
    }
    let run = house.run(test).await?;
    assert_eq!(test_of(&run).verdict(), v1::Verdict::Rejected);
    let (matches, state) = house.replay(test).await?;
    assert!(matches);
    // Independently of the fold: from the sums that SQL gives.
    let mut connection = database.connection().await?;
    let row = sqlx::query(
        "SELECT sum(ll)::bigint, sum(ld)::bigint, sum(dd)::bigint, sum(dw)::bigint,
                sum(ww)::bigint, (SELECT llr FROM runs WHERE id = $1)
         FROM reports WHERE run_id = $1",
    )
    .bind(test.0)
    .fetch_one(&mut connection)
    .await?;
    let cells: Vec<u64> =
        (0..5).map(|i| Ok(u64::try_from(row.try_get::<i64, _>(i)?)?)).collect::<Result<_>>()?;
    let stored: f64 = row.try_get(5)?;
    let counts = model::Pentanomial(cells.try_into().expect("five"));
    let fresh = stats::llr(&counts, 0.0, 10.0, stats::EloModel::Normalized);
    assert_eq!(fresh.to_bits(), stored.to_bits());
    assert!(state.contains(&format!("{stored}")), "{state}");
    house.stop().await
}

#[tokio::test]
async fn i8_the_optimiser_replays_to_the_same_bytes_whatever_happened() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    // More reports than lie between two snapshots, so that recovery uses one.
    let tune = house.create(specs::tune(500, 2), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..220 {
        worker.play_one(specs::outcome).await?;
    }
    let (matches, before) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(database.number("SELECT count(*) FROM snapshots").await?, 1);
    let at_cut = point_in(&before)?;
    house.cut();
    let house = House::start(&database).await?;
    let (matches, after) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(before, after);
    assert_eq!(theta(&house.run(tune).await?), at_cut, "from the snapshot and the tail");
    let mut worker = house.puppet(1).await?;
    for _ in 0..30 {
        worker.play_one(specs::outcome).await?;
    }
    let (matches, last) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(house.run(tune).await?.state(), v1::RunState::Finished);
    assert_eq!(house.replay(tune).await?.1, last, "the same bytes each time");
    house.stop().await
}

#[tokio::test]
async fn i9_a_gradient_is_applied_once_to_the_point_it_was_drawn_for() -> Result<()> {
    let database = Database::start().await?;
    let mut settings = testkit::settings(database.url())?;
    settings.lease_silence = Duration::ZERO;
    let house = House::start_with(settings).await?;
    let tune = house.create(specs::tune(64, 8), &specs::book_text()).await?;
    let mut one = house.puppet(1).await?;
    one.want(1).await?;
    let lease = one.lease().await?;
    let winning = |_: u64| ALL_WON;
    one.report(specs::report(&lease, 3, 0, winning)).await?;
    one.report(specs::report(&lease, 3, 0, winning)).await?;
    drop(one);

    // What is left of the block goes to another worker with the probe that the block was drawn for.
    let mut two = house.puppet(2).await?;
    two.want(1).await?;
    let rest = two.lease().await?;
    assert_eq!(rest.openings, lease.openings[3..]);
    assert_eq!((&rest.candidate, &rest.base), (&lease.candidate, &lease.base));
    two.report(specs::whole_report(&rest, winning)).await?;
    two.report(specs::whole_report(&rest, winning)).await?;

    // The same block in one piece, in a run that nothing disturbed: the same point.
    let calm = house.create(specs::tune(64, 8), &specs::book_text()).await?;
    let request = v1::PauseRunRequest { run_id: tune.0, reason: "for the other".to_owned() };
    house.control().await?.pause_run(request).await?;
    two.want(1).await?;
    let whole = two.lease().await?;
    assert_eq!(whole.run_id, calm.0);
    assert_eq!((&whole.candidate, &whole.base), (&lease.candidate, &lease.base));
    two.report(specs::whole_report(&whole, winning)).await?;
    let (_, disturbed) = house.replay(tune).await?;
    let (_, undisturbed) = house.replay(calm).await?;
    let (a, b) = (point_in(&disturbed)?, point_in(&undisturbed)?);
    assert_ne!(a, [50.0, 50.0], "the point moved");
    for (a, b) in a.iter().zip(&b) {
        // Two steps of 3 and 5 pairs against one of 8: equal up to rounding.
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
    house.stop().await
}
