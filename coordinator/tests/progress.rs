//! What a run shows of itself besides its counts: how sure an optimiser is, where a test stops and
//! how it will go on. Against a real Postgres over real gRPC, through restarts.

use anyhow::Result;
use model::{GameScore, PairOutcome};
use proto::v1;
use testkit::{Database, House, Puppet, specs};

const ALL_WON: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Win };
const ALL_LOST: PairOutcome = PairOutcome { first: GameScore::Loss, second: GameScore::Loss };

fn tune_of(run: &v1::Run) -> &v1::TuneProgress {
    match &run.progress {
        Some(v1::run::Progress::Tune(tune)) => tune,
        other => panic!("a tune was expected, not {other:?}"),
    }
}

fn test_of(run: &v1::Run) -> &v1::TestProgress {
    match &run.progress {
        Some(v1::run::Progress::Test(test)) => test,
        other => panic!("a test was expected, not {other:?}"),
    }
}

#[tokio::test]
async fn i8_the_regression_replays_to_the_same_bytes_and_says_how_sure_it_is() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let tune = house.create(specs::regression(500, 2), &specs::book_text()).await?;
    // Higher values of the first parameter win one pair of each block, the second does nothing. (Were
    // it a pair of every other block, the balanced signs of a run of blocks would not tell them apart.)
    let mut worker = house.puppet(1).await?;
    let play = async |worker: &mut Puppet| {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        let first = |set: &Option<v1::ParameterSet>| {
            let values = &set.as_ref().expect("both sides have values").values;
            values.iter().find(|v| v.name == specs::PARAMETERS[0]).expect("it moves").value
        };
        let wins = first(&lease.candidate) > first(&lease.base);
        let outcome = |index: u64| match (index % 2, wins) {
            (0, true) => ALL_WON,
            (0, false) => ALL_LOST,
            _ => level(index),
        };
        worker.report(specs::whole_report(&lease, outcome)).await
    };
    for _ in 0..220 {
        assert_eq!(play(&mut worker).await?, v1::AckOutcome::Merged);
    }
    let (matches, before) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(database.number("SELECT count(*) FROM snapshots").await?, 1);
    // The surface is expanded about the present point, in c_end from the start.
    let state: serde_json::Value = serde_json::from_str(&before)?;
    let origin: Vec<f64> = serde_json::from_value(state["job"]["tune"]["bqr"]["origin"].clone())?;
    let at_cut: Vec<f64> = origin.iter().map(|x| (50.0 + 5.0 * x).clamp(0.0, 100.0)).collect();
    house.cut();

    let house = House::start(&database).await?;
    let (matches, after) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(before, after);
    assert_eq!(tune_of(&house.run(tune).await?).theta, at_cut, "from the snapshot and the tail");
    let mut worker = house.puppet(1).await?;
    for _ in 0..30 {
        play(&mut worker).await?;
    }
    let (matches, last) = house.replay(tune).await?;
    assert!(matches);
    assert_eq!(house.replay(tune).await?.1, last, "the same bytes each time");
    let run = house.run(tune).await?;
    assert_eq!(run.state(), v1::RunState::Finished);
    let progress = tune_of(&run);
    let estimate = progress.estimate.as_ref().expect("a regression knows how sure it is");
    assert!(progress.theta[0] > 60.0, "{progress:?}");
    let noise = &estimate.signal_to_noise;
    assert!(
        noise[0] > 2.0 && noise[0] > noise[1] + 1.0,
        "the one that matters stands out: {estimate:?}"
    );
    assert!(0.0 < estimate.gain_low && estimate.gain_low < estimate.gain, "{estimate:?}");
    assert!(estimate.gain < estimate.gain_high && estimate.pair_deviation > 50.0, "{estimate:?}");

    // The row in the ledger changes with any bit of the state: another hash is another state.
    let mut connection = database.connection().await?;
    sqlx::query(
        "UPDATE runs SET point = replace(point, 'state_sha256\":\"', 'state_sha256\":\"0')",
    )
    .execute(&mut connection)
    .await?;
    assert!(!house.replay(tune).await?.0);
    house.stop().await
}

#[tokio::test]
async fn more_parameters_than_the_regression_takes_are_moved_by_spsa() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut spec = specs::regression(8, 2);
    if let Some(v1::run_spec::Job::Tune(tune)) = &mut spec.job {
        let one = tune.parameters[0].clone();
        tune.parameters = (0..=model::spec::BQR_MOST_PARAMETERS)
            .map(|i| v1::ParameterDef { name: format!("p{i}"), ..one.clone() })
            .collect();
    }
    let tune = house.create(spec, &specs::book_text()).await?;
    let run = house.run(tune).await?;
    assert!(tune_of(&run).estimate.is_none());
    let (matches, state) = house.replay(tune).await?;
    assert!(matches && state.contains("\"spsa\":"), "{state}");
    house.stop().await
}

/// A third of the pairs each drawn, won and lost, in no order.
fn level(index: u64) -> PairOutcome {
    // The leading digit in base 3 of a multiplicative hash.
    match index.wrapping_mul(0x9E37_79B9_7F4A_7C15) / 0x5555_5555_5555_5556 {
        0 => PairOutcome { first: GameScore::Draw, second: GameScore::Draw },
        1 => ALL_WON,
        _ => ALL_LOST,
    }
}

#[tokio::test]
async fn a_test_tells_what_to_expect_and_stops_where_its_overshoot_says() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let test = house.create(specs::test(5_000, 3), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..210 {
        worker.play_one(level).await?;
    }
    assert_eq!(database.number("SELECT count(*) FROM snapshots").await?, 1);
    house.cut();
    let house = House::start(&database).await?;
    let before = house.run(test).await?;
    let shown = test_of(&before);
    // Wald's bounds at 5 % are ±2.944; reports of three pairs step over them.
    assert!(shown.upper < 2.93 && shown.lower > -2.93, "{shown:?}");
    let outlook = shown.outlook.as_ref().expect("it goes on");
    assert!((0.0..=1.0).contains(&outlook.pass_probability), "{outlook:?}");
    assert!(outlook.median_pairs < outlook.mean_pairs, "{outlook:?}");
    assert!(outlook.mean_pairs < outlook.q95_pairs, "{outlook:?}");
    let corrected = shown.corrected.as_ref().expect("always there");
    assert!(corrected.elo_low < corrected.elo && corrected.elo < corrected.elo_high);
    house.cut();

    // A snapshot from before the bounds followed the overshoot: the whole ledger gives the same.
    let mut connection = database.connection().await?;
    sqlx::query("UPDATE snapshots SET state = (state::jsonb #- '{job,test,overshoot}')::text")
        .execute(&mut connection)
        .await?;
    let house = House::start(&database).await?;
    assert_eq!(house.run(test).await?.progress, before.progress, "to the bit");

    // It ends inside Wald's bounds, at its own, and then there is nothing more to expect.
    let mut worker = house.puppet(1).await?;
    while house.run(test).await?.state() != v1::RunState::Finished {
        let one = |index: u64| match index % 3 {
            0 => PairOutcome { first: GameScore::Win, second: GameScore::Draw },
            _ => PairOutcome { first: GameScore::Draw, second: GameScore::Draw },
        };
        worker.play_one(one).await?;
    }
    let run = house.run(test).await?;
    let ended = test_of(&run);
    assert_eq!(ended.verdict(), v1::Verdict::Accepted);
    assert!(ended.llr >= ended.upper && ended.outlook.is_none(), "{ended:?}");
    let (naive, corrected) = (ended.elo, ended.corrected.as_ref().expect("always there").elo);
    assert!(corrected < naive, "a pass shows too much: {naive} against {corrected}");
    assert!(house.replay(test).await?.0);
    house.stop().await
}

#[tokio::test]
async fn a_test_stopped_by_hand_says_nothing_however_good_it_stands() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let test = house.create(specs::test(5_000, 4), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    worker.want(1).await?;
    let lease = worker.lease().await?;
    let winning = specs::whole_report(&lease, |_| ALL_WON);
    worker.report(winning).await?;
    let request = v1::StopRunRequest { run_id: test.0, reason: "enough".to_owned() };
    house.control().await?.stop_run(request).await?;
    let run = house.run(test).await?;
    assert_eq!(
        (run.state(), test_of(&run).verdict()),
        (v1::RunState::Stopped, v1::Verdict::Unspecified)
    );
    assert!(test_of(&run).outlook.is_none() && test_of(&run).llr > 0.0);
    house.stop().await
}

#[tokio::test]
async fn a_futile_test_ends_without_a_verdict_only_if_it_was_asked_to() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let patient = house.create(specs::test(120, 4), &specs::book_text()).await?;
    let mut spec = specs::test(120, 4);
    if let Some(v1::run_spec::Job::Test(test)) = &mut spec.job {
        test.futility = 0.1;
    }
    let futile = house.create(spec, &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    while house.run(patient).await?.state() != v1::RunState::Finished
        || house.run(futile).await?.state() != v1::RunState::Finished
    {
        worker.play_one(level).await?;
    }
    for (run, least, most) in [(patient, 120, 120), (futile, 4, 60)] {
        let run = house.run(run).await?;
        assert_eq!(test_of(&run).verdict(), v1::Verdict::Inconclusive);
        let pairs: u64 = run.tally.clone().expect("a tally").pentanomial_pairs.iter().sum();
        assert!((least..=most).contains(&pairs), "{pairs} pairs of {run:?}");
    }
    assert!(house.replay(futile).await?.0);
    house.stop().await
}

/// The optimiser's state in a replay.
fn state_in(json: &str, optimizer: &str) -> Result<serde_json::Value> {
    let state: serde_json::Value = serde_json::from_str(json)?;
    Ok(state["job"]["tune"][optimizer].clone())
}

#[tokio::test]
async fn a_fork_goes_on_with_the_state_that_its_source_had_there() -> Result<()> {
    for (spec, optimizer) in [(specs::tune(60, 2), "spsa"), (specs::regression(60, 2), "bqr")] {
        let database = Database::start().await?;
        let house = House::start(&database).await?;
        let source = house.create(spec, &specs::book_text()).await?;
        let mut worker = house.puppet(1).await?;
        for _ in 0..10 {
            worker.play_one(level).await?;
        }
        let at_twenty = state_in(&house.replay(source).await?.1, optimizer)?;
        for _ in 0..20 {
            worker.play_one(level).await?;
        }
        // 21 pairs: the report that would make 22 does not belong to it.
        let request = v1::ForkRunRequest {
            run_id: source.0,
            at_pairs: 21,
            pairs: 40,
            seed: 99,
            idempotency_key: "a-fork-of-the-first".to_owned(),
        };
        let mut control = house.control().await?;
        let forked = control.fork_run(request.clone()).await?.into_inner();
        assert_eq!(forked.at_pairs, 20);
        let again = control.fork_run(request).await?.into_inner();
        assert_eq!(again.run_id, forked.run_id, "the same key, the same run");
        let fork = model::RunId(forked.run_id);
        let (matches, state) = house.replay(fork).await?;
        assert!(matches);
        assert_eq!(state_in(&state, optimizer)?, at_twenty);

        for _ in 0..20 {
            worker.play_one(level).await?;
        }
        let (matches, live) = house.replay(fork).await?;
        assert!(matches);
        house.cut();
        let house = House::start(&database).await?;
        assert_eq!(
            house.replay(fork).await?,
            (true, live),
            "from its first state, not from nothing"
        );
        let run = house.run(fork).await?;
        assert_eq!(run.state(), v1::RunState::Finished);
        let Some(v1::run_spec::Job::Tune(tune)) = run.spec.and_then(|spec| spec.job) else {
            panic!("a tune")
        };
        assert_eq!(tune.forked_from, Some(v1::Fork { run_id: source.0, pairs: 20 }));
        house.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_larger_budget_is_played_and_a_smaller_one_refused() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let tune = house.create(specs::tune(8, 2), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    worker.play_one(level).await?;
    let mut control = house.control().await?;
    let ask = |asked_pairs| v1::ExtendRunRequest { run_id: tune.0, asked_pairs };
    control.extend_run(ask(16)).await?;
    let refused = control.extend_run(ask(12)).await.unwrap_err();
    assert!(refused.message().contains("allowed: 16 or more"), "{refused}");
    house.cut();
    let house = House::start(&database).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..7 {
        worker.play_one(level).await?;
    }
    let run = house.run(tune).await?;
    assert_eq!((run.state(), run.asked_pairs), (v1::RunState::Finished, 16));
    assert!(house.replay(tune).await?.0);
    let late = house.control().await?.extend_run(ask(99)).await.unwrap_err();
    assert!(late.message().contains("finished"), "{late}");
    let events = "SELECT count(*) FROM run_events WHERE event = 'extended'";
    assert_eq!(database.number(events).await?, 1);
    house.stop().await
}

#[tokio::test]
async fn the_history_of_a_run_comes_out_report_by_report() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let tune = house.create(specs::tune(500, 2), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    for _ in 0..230 {
        worker.play_one(level).await?;
    }
    let request = v1::ExportRunRequest { run_id: tune.0 };
    let mut stream = house.control().await?.export_run(request).await?.into_inner();
    let (mut rows, mut messages) = (Vec::new(), 0);
    while let Some(message) = stream.message().await? {
        rows.extend(message.rows);
        messages += 1;
    }
    assert_eq!((rows.len(), messages), (230, 2));
    for (index, row) in rows.iter().enumerate() {
        let pairs: u64 = row.tally.as_ref().expect("a tally").pentanomial_pairs.iter().sum();
        assert_eq!(pairs, 2 * (index as u64 + 1));
    }
    let state = state_in(&house.replay(tune).await?.1, "spsa")?;
    let last: Vec<f64> = serde_json::from_value(state["theta"].clone())?;
    assert_eq!(rows[229].theta, last);
    assert_ne!(rows[0].theta, last);
    house.stop().await
}
