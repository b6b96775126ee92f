//! Tunes of every kind of parameter, and of very many, against a real Postgres over real gRPC.

use anyhow::Result;
use model::{GameScore, PairOutcome, ParameterKind};
use prost::Message;
use proto::v1;
use testkit::{Database, House, Puppet, specs};

const MANY: usize = 10_000;

fn job_of(spec: &mut v1::RunSpec) -> &mut v1::TuneSpec {
    match &mut spec.job {
        Some(v1::run_spec::Job::Tune(tune)) => tune,
        other => panic!("a tune was expected, not {other:?}"),
    }
}

fn tune_of(run: &v1::Run) -> &v1::TuneProgress {
    match &run.progress {
        Some(v1::run::Progress::Tune(tune)) => tune,
        other => panic!("a tune was expected, not {other:?}"),
    }
}

fn parameter(
    name: &str,
    kind: v1::ParameterKind,
    start: f64,
    (min, max): (f64, f64),
    c_end: f64,
) -> v1::ParameterDef {
    v1::ParameterDef {
        name: name.to_owned(),
        kind: kind.into(),
        start,
        min,
        max,
        c_end,
        r_end: 0.01,
    }
}

/// A new worker that offers these parameters.
async fn worker(house: &House, number: u8, names: Vec<String>) -> Result<Puppet> {
    testkit::admit(house.url(), &testkit::key(number), v1::Role::Worker).await?;
    let mut hello = specs::hello(number);
    hello.engines[0].parameters = names;
    Puppet::join_as(house.url(), number, hello).await
}

fn value(set: Option<&v1::ParameterSet>, name: &str) -> f64 {
    let values = &set.expect("both sides have values").values;
    values.iter().find(|value| value.name == name).expect("it moves").value
}

#[tokio::test]
async fn i8_every_kind_of_parameter_is_tuned_within_its_constraint_and_replays() -> Result<()> {
    use v1::ParameterKind::{Categorical, Float, Int, LogFloat, LogInt};
    for (number, optimizer) in [(1, v1::Optimizer::Spsa), (2, v1::Optimizer::Bqr)] {
        // The runs would share the worker.
        let database = Database::start().await?;
        let house = House::start(&database).await?;
        let is_spsa = optimizer == v1::Optimizer::Spsa;
        let mut spec = if is_spsa { specs::tune(400, 2) } else { specs::regression(400, 2) };
        let tune = job_of(&mut spec);
        tune.parameters = vec![
            parameter("low", Int, 10.0, (0.0, 40.0), 2.0),
            parameter("high", Int, 10.0, (0.0, 40.0), 2.0),
            parameter("scale", Float, 1.0, (0.0, 2.0), 0.1),
            parameter("nodes", LogInt, 64.0, (1.0, 4096.0), 0.2),
            parameter("rate", LogFloat, 0.01, (1e-4, 1.0), 0.2),
            parameter("formula", Categorical, 0.0, (0.0, 3.0), 5.0),
        ];
        let names = tune.parameters.iter().map(|p| p.name.clone()).collect();
        let term = |name: &str, value| v1::ParameterValue { name: name.to_owned(), value };
        let sum = v1::ParameterSet { values: vec![term("high", -1.0), term("low", 1.0)] };
        tune.constraints = vec![v1::LinearConstraint { sum: Some(sum), at_most: 0.0 }];
        let run = house.create(spec.clone(), &specs::book_text()).await?;
        let mut puppet = worker(&house, number, names).await?;
        for _ in 0..60 {
            puppet.want(1).await?;
            let lease = puppet.lease().await?;
            let (plus, minus) = (lease.candidate.as_ref(), lease.base.as_ref());
            for side in [plus, minus] {
                assert!(value(side, "low") <= value(side, "high"), "{side:?}");
                assert!(value(side, "nodes").fract() == 0.0 && value(side, "formula") <= 3.0);
            }
            let better = value(plus, "formula") > value(minus, "formula");
            let score = if better { GameScore::Win } else { GameScore::Loss };
            let report =
                specs::whole_report(&lease, |_| PairOutcome { first: score, second: score });
            assert_eq!(puppet.report(report).await?, v1::AckOutcome::Merged);
        }
        // What is shown follows a few times a second.
        let before = loop {
            let shown = house.run(run).await?;
            let counted: u64 =
                shown.tally.clone().unwrap_or_default().pentanomial_pairs.iter().sum();
            if counted == 120 {
                break shown;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        let progress = tune_of(&before);
        let verdict = progress.verdict.as_ref().expect("there are reports");
        assert_eq!(verdict.chance.len(), 6);
        let odds = &progress.choices[0];
        assert_eq!((odds.name.as_str(), odds.probabilities.len()), ("formula", 4));
        assert!(odds.probabilities[3] > 0.5, "the highest always won: {odds:?}");
        assert_eq!(value(progress.suggested.as_ref(), "formula"), 3.0);
        assert!(
            value(progress.suggested.as_ref(), "low") <= value(progress.suggested.as_ref(), "high")
        );
        let (matches, state) = house.replay(run).await?;
        assert!(matches);
        house.cut();

        let house = House::start(&database).await?;
        assert_eq!(house.replay(run).await?, (true, state));
        let after = house.run(run).await?;
        assert_eq!(tune_of(&after), progress);
        let mut stored = after.spec.clone().expect("a specification");
        let (stored, asked) = (job_of(&mut stored), job_of(&mut spec));
        assert_eq!(stored.parameters, asked.parameters);
        assert_eq!(stored.constraints, asked.constraints);
        house.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn constraints_that_cannot_be_kept_are_refused_with_their_place() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let [a, b] = specs::PARAMETERS;
    for (terms, at_most, part) in [
        (vec![(a, 1.0), ("gamma", 1.0)], 0.0, "constraint[0].sum.gamma"),
        (vec![(a, f64::NAN)], 0.0, "constraint[0].sum.alpha_margin"),
        (vec![(a, 1.0), (b, 1.0)], -1.0, "within the ranges the sum is at least 0"),
        (vec![(a, 1.0), (b, 1.0)], 90.0, "at the start the sum is 100"),
        (vec![(a, 1.0)], f64::INFINITY, "constraint[0].at_most"),
        (vec![], 0.0, "constraint[0].sum"),
    ] {
        let mut spec = specs::tune(100, 2);
        let value =
            |(name, value): (&str, f64)| v1::ParameterValue { name: name.to_owned(), value };
        let sum = Some(v1::ParameterSet { values: terms.into_iter().map(value).collect() });
        job_of(&mut spec).constraints = vec![v1::LinearConstraint { sum, at_most }];
        let error = house.create(spec, &specs::book_text()).await.expect_err(part).to_string();
        assert!(error.contains(part), "{part:?} is not in {error}");
    }
    // Two that hold at the start and leave no room for a probe.
    let mut spec = specs::tune(100, 2);
    let value = |name: &str, value| v1::ParameterValue { name: name.to_owned(), value };
    job_of(&mut spec).constraints = [1.0, -1.0]
        .map(|sign| v1::LinearConstraint {
            sum: Some(v1::ParameterSet { values: vec![value(a, sign), value(b, -sign)] }),
            at_most: 0.0,
        })
        .to_vec();
    let error = house.create(spec, &specs::book_text()).await.expect_err("no room").to_string();
    assert!(error.contains("too little room"), "{error}");
    house.stop().await
}

/// A real run of as many parameters as a tune may have: every message fits, every row is short, and
/// what is recomputed from the rows is the state.
#[tokio::test]
async fn ten_thousand_parameters_fit_every_message_and_row() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut spec = specs::tune(10_000, 2);
    job_of(&mut spec).parameters = (0..MANY)
        .map(|index| {
            let kind =
                if index % 4 == 0 { v1::ParameterKind::Float } else { v1::ParameterKind::Int };
            parameter(&format!("weight_of_{index}"), kind, 100.0, (-1000.0, 1000.0), 8.0)
        })
        .collect();
    let names: Vec<String> = job_of(&mut spec).parameters.iter().map(|p| p.name.clone()).collect();
    let run = house.create(spec, &specs::book_text()).await?;
    let mut puppet = worker(&house, 1, names.clone()).await?;
    let mut lease_bytes = 0;
    for _ in 0..230 {
        puppet.want(1).await?;
        let lease = puppet.lease().await?;
        lease_bytes = lease_bytes.max(lease.encoded_len());
        let report = specs::whole_report(&lease, specs::outcome);
        assert_eq!(puppet.report(report).await?, v1::AckOutcome::Merged);
    }
    // One is out when the coordinator is cut off.
    puppet.want(1).await?;
    let open = puppet.lease().await?;
    let shown = house.run(run).await?;
    assert_eq!(tune_of(&shown).theta.len(), MANY);
    let list =
        house.control().await?.list_runs(v1::ListRunsRequest { limit: 0 }).await?.into_inner();
    assert_eq!(tune_of(&list.runs[0]).theta.len(), 200);
    let most = |what: &'static str| {
        let database = &database;
        async move { database.number(what).await }
    };
    let probe = most("SELECT max(octet_length(probe))::bigint FROM leases").await?;
    let point = most("SELECT max(octet_length(point))::bigint FROM runs").await?;
    let snapshot = most("SELECT max(octet_length(state))::bigint FROM snapshots").await?;
    let whole = shown.encoded_len();
    println!(
        "bytes: lease {lease_bytes}, run {whole}, in a list {}, probe {probe}, point {point}, snapshot \
         {snapshot}",
        list.encoded_len()
    );
    assert!(lease_bytes < 1_000_000 && whole < 8_000_000 && list.encoded_len() < 100_000);
    assert!(probe < 100_000 && point < 1_000 && snapshot < 12_000_000);
    let (matches, state) = house.replay(run).await?;
    assert!(matches);
    house.cut();

    let house = House::start(&database).await?;
    assert_eq!(house.replay(run).await?, (true, state));
    let held = v1::LeaseRef { lease_id: open.lease_id, epoch: open.epoch };
    let mut hello = specs::hello(1);
    hello.engines[0].parameters = names;
    hello.held_leases = vec![held];
    let mut puppet = Puppet::join_as(house.url(), 1, hello).await?;
    let late = specs::whole_report(&open, specs::outcome);
    assert_eq!(puppet.report(late).await?, v1::AckOutcome::Merged);
    assert!(house.replay(run).await?.0);
    house.stop().await
}

/// Every kind has a word on the wire.
#[test]
fn kinds_have_words() {
    for (_, kind) in ParameterKind::ALL {
        let mut spec = specs::tune(10, 2);
        let tune = job_of(&mut spec);
        let wire = match kind {
            ParameterKind::Int => v1::ParameterKind::Int,
            ParameterKind::Float => v1::ParameterKind::Float,
            ParameterKind::LogInt => v1::ParameterKind::LogInt,
            ParameterKind::LogFloat => v1::ParameterKind::LogFloat,
            ParameterKind::Categorical => v1::ParameterKind::Categorical,
        };
        tune.parameters = vec![parameter("a", wire, 1.0, (1.0, 5.0), 0.5)];
        let model::spec::Job::Tune(read) = coordinator::convert::spec(spec).expect("valid").job
        else {
            panic!("a tune")
        };
        assert_eq!(read.parameters[0].kind, kind);
    }
}
