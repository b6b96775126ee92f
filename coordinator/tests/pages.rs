//! What pages ask of the ledger, against a real one: breakdowns add up to the run, a tune at any time is
//! what it was then, contributions and champions are told, and games can be taken away.

use anyhow::{Context, Result};
use model::{GameScore, PairOutcome};
use proto::v1;
use serde_json::Value;
use testkit::{Database, House, Puppet, specs};

async fn json(house: &House, path: &str) -> Result<Value> {
    let (status, body) = house.page(path).await?;
    anyhow::ensure!(status == 200, "{path} answers {status}: {body}");
    serde_json::from_str(&body).with_context(|| format!("{path}: {body}"))
}

/// The run once so many pairs are shown: what was merged is seen a moment later.
async fn shown(house: &House, run: model::RunId, pairs: u64) -> Result<Value> {
    loop {
        let told = json(house, &format!("/api/runs/{run}")).await?;
        if told["counted_pairs"] == pairs {
            return Ok(told);
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// The candidate wins three pairs of four, and loses none.
fn strong(index: u64) -> PairOutcome {
    let second = if index.is_multiple_of(4) { GameScore::Loss } else { GameScore::Draw };
    PairOutcome { first: GameScore::Win, second }
}

async fn play(puppet: &mut Puppet, leases: usize, outcome: fn(u64) -> PairOutcome) -> Result<()> {
    for _ in 0..leases {
        assert_eq!(puppet.play_one(outcome).await?, v1::AckOutcome::Merged);
    }
    Ok(())
}

#[tokio::test]
async fn a_breakdown_adds_up_to_the_run() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::test(100_000, 8), &specs::book_text()).await?;
    let (mut first, mut second) = (house.puppet(1).await?, house.puppet(2).await?);
    play(&mut first, 3, specs::outcome).await?;
    play(&mut second, 1, specs::outcome).await?;

    let whole = shown(&house, run, 32).await?;
    let told = json(&house, &format!("/api/runs/{run}/breakdown")).await?;
    let workers = told["workers"].as_array().context("workers")?;
    assert_eq!(workers.len(), 2);
    assert_eq!((&workers[0]["pairs"], &workers[1]["pairs"]), (&24.into(), &8.into()));
    assert_eq!(workers[0]["owner"], "tests");
    for cell in 0..5 {
        let sum: u64 =
            workers.iter().filter_map(|w| w["tally"]["pentanomial"][cell].as_u64()).sum();
        assert_eq!(Some(sum), whole["tally"]["pentanomial"][cell].as_u64(), "cell {cell}");
    }
    // Without the pairs of one the LLR is that of the other.
    let sprt = stats::SprtSpec {
        elo0: 0.0,
        elo1: 10.0,
        alpha: 0.05,
        beta: 0.05,
        model: stats::EloModel::Normalized,
    };
    let cells = |value: &Value| -> Result<model::Pentanomial> {
        Ok(model::Pentanomial(serde_json::from_value(value["tally"]["pentanomial"].clone())?))
    };
    let expected = sprt.llr(&cells(&whole)?) - sprt.llr(&cells(&workers[1])?);
    let moved = workers[0]["llr_moved"].as_f64().context("a number")?;
    assert!((moved - expected).abs() < 1e-12, "{moved} {expected}");

    let ends = told["terminations"].as_array().context("ends")?;
    assert_eq!(ends.len(), 1, "{ends:?}");
    let games = ["wins", "draws", "losses"].map(|of| ends[0][of].as_u64().unwrap_or_default());
    assert_eq!(games.iter().sum::<u64>(), 64);
    assert_eq!(Some(games[0]), whole["tally"]["wdl"]["wins"].as_u64());
    assert_eq!(told["openings"]["pairs"], 32);
    assert_eq!(told["openings"]["book"], 72);
    let shares = told["openings"]["told"].as_array().context("openings")?;
    assert_eq!(shares.len() as u64, told["openings"]["played"].as_u64().context("played")?);
    assert_eq!(shares.iter().filter_map(|o| o["pairs"].as_u64()).sum::<u64>(), 32);
    assert_eq!(told["lateness"]["reports"], 4);
    assert_eq!(told["events"][0]["event"], "created");

    // An owner sees what their workers did.
    let hands = json(&house, "/api/owners/tests").await?;
    assert_eq!(hands["workers"].as_array().map(Vec::len), Some(2));
    assert_eq!(hands["shares"].as_array().map(Vec::len), Some(2));
    let one = json(&house, &format!("/api/workers/{}", second.worker_id)).await?;
    assert_eq!((&one["shares"][0]["pairs"], &one["owner"]), (&8.into(), &"tests".into()));
    second.want(1).await?;
    second.lease().await?;
    let one = json(&house, &format!("/api/workers/{}", second.worker_id)).await?;
    assert_eq!((&one["out"][0]["leases"], &one["out"][0]["pairs"]), (&1.into(), &8.into()));
    for missing in ["/api/workers/99", "/api/owners/nobody", "/api/runs/99/breakdown"] {
        assert_eq!(house.page(missing).await?.0, 404, "{missing}");
    }
    for page in
        ["/workers", "/progress", "/owners/tests", &format!("/workers/{}", one["workers"][0]["id"])]
    {
        assert_eq!(house.page(page).await?.0, 200, "{page}");
    }
    house.stop().await
}

#[tokio::test]
async fn a_tune_at_any_time_is_what_it_was_then() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(1_000, 4), &specs::book_text()).await?;
    let mut puppet = house.puppet(1).await?;
    let mut way = Vec::new();
    for step in 0..5 {
        way.push(shown(&house, run, 4 * step).await?["progress"]["tune"]["theta"].clone());
        play(&mut puppet, 1, strong).await?;
    }
    for (place, theta) in way.iter().enumerate() {
        // Between two reports it is as after the first of them.
        for pairs in [4 * place, 4 * place + 3] {
            let told = json(&house, &format!("/api/runs/{run}/at/{pairs}")).await?;
            assert_eq!(&told["state"]["theta"], theta, "after {pairs} pairs");
            assert_eq!((&told["pairs"], &told["reports"]), (&(4 * place).into(), &place.into()));
            let next = &told["next"];
            assert_eq!(next["first_pair"], 4 * place);
            let (plus, minus, c) = (&next["plus"][0], &next["minus"][0], &next["c"][0]);
            let distance = plus.as_f64().context("plus")? - minus.as_f64().context("minus")?;
            let flip = next["flips"][0].as_f64().context("a side")?;
            assert!((distance - 2.0 * flip * c.as_f64().context("c")?).abs() < 1e-9, "{next}");
        }
    }
    let last = json(&house, &format!("/api/runs/{run}/at/1000000")).await?;
    assert_eq!((&last["pairs"], &last["next"]), (&20.into(), &Value::Null));
    assert_eq!(house.page(&format!("/api/runs/{run}/at/x")).await?.0, 404);
    house.stop().await
}

#[tokio::test]
async fn champions_are_told_with_their_tests_and_games_can_be_taken_away() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    assert_eq!(json(&house, "/api/progress").await?, Value::Array(vec![]));
    let mut puppet = house.puppet(1).await?;
    // 60 beats 50, 70 beats 60, and a match of 70 against 50 measures both.
    let set = |value: f64| {
        let name = specs::PARAMETERS[0].to_owned();
        Some(v1::ParameterSet { values: vec![v1::ParameterValue { name, value }] })
    };
    let mut runs = Vec::new();
    for (candidate, base) in [(60.0, 50.0), (70.0, 60.0), (70.0, 50.0)] {
        let mut spec = match runs.len() {
            2 => specs::fixed_match(16, 8),
            _ => specs::test(10_000, 8),
        };
        let Some(v1::run_spec::Job::Test(test)) = &mut spec.job else { anyhow::bail!("a test") };
        (test.candidate, test.base) = (set(candidate), set(base));
        let run = house.create(spec, &specs::book_text()).await?;
        while house.run(run).await?.state() == v1::RunState::Running {
            play(&mut puppet, 1, strong).await?;
        }
        runs.push(run.0);
    }
    let lines = json(&house, "/api/progress").await?;
    assert_eq!(lines.as_array().map(Vec::len), Some(1), "{lines}");
    let (steps, regressions) = (&lines[0]["steps"], &lines[0]["regressions"]);
    assert_eq!((&steps[0]["run"], &steps[1]["run"]), (&runs[0].into(), &runs[1].into()));
    let gain = |step: &Value, of: &str| step[of]["elo"].as_f64().unwrap_or(f64::NAN);
    let sum = gain(&steps[0], "gain") + gain(&steps[1], "gain");
    assert!((gain(&steps[1], "total") - sum).abs() < 1e-9);
    assert_eq!(
        (&regressions[0]["run"], &regressions[0]["champion"]),
        (&runs[2].into(), &runs[1].into())
    );

    // The games of the match.
    let run = runs[2];
    let (status, list) = house.page(&format!("/runs/{run}/games")).await?;
    assert_eq!(status, 200);
    assert_eq!(
        list.matches("candidate wins").count(),
        16,
        "one win of each pair, and no loss of it"
    );
    assert!(list.contains(&format!("/runs/{run}/games/15?game=2")), "{list}");
    assert!(
        house
            .page(&format!("/runs/{run}/games?from=16"))
            .await?
            .1
            .contains("no pairs from here on")
    );
    let replay = json(&house, &format!("/api/runs/{run}/pairs/3/replay")).await?;
    let moves = replay["candidate_first"]["moves"].as_str().context("moves")?;
    let positions = replay["positions"][0].as_array().context("positions")?;
    assert_eq!(positions.len(), moves.split(' ').count() + 1);
    assert_eq!(positions[0], replay["opening"]);
    let (_, pgn) = house.page(&format!("/api/runs/{run}/pairs/3/pgn")).await?;
    assert_eq!(pgn.matches("[Event ").count(), 2, "{pgn}");
    let (_, record) = house.page(&format!("/api/runs/{run}/pairs/3/record")).await?;
    assert_eq!(record.matches("position fen ").count(), 2, "{record}");
    for missing in ["pairs/16/pgn", "pairs/3/nothing", "pairs/x/replay"] {
        assert_eq!(house.page(&format!("/api/runs/{run}/{missing}")).await?.0, 404, "{missing}");
    }
    assert_eq!(house.page(&format!("/runs/{run}/games/3")).await?.0, 200);
    assert_eq!(house.page(&format!("/runs/{run}/games/16")).await?.0, 404);
    house.stop().await
}

/// Plays leases of a tune whose plus side wins a pair of each block where its first value is higher.
async fn climb(puppet: &mut Puppet, leases: usize) -> Result<()> {
    const WON: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Win };
    const LOST: PairOutcome = PairOutcome { first: GameScore::Loss, second: GameScore::Loss };
    for _ in 0..leases {
        puppet.want(1).await?;
        let lease = puppet.lease().await?;
        let first = |set: &Option<v1::ParameterSet>| -> Result<f64> {
            let values = &set.as_ref().context("a set")?.values;
            Ok(values.iter().find(|v| v.name == specs::PARAMETERS[0]).context("it moves")?.value)
        };
        let wins = first(&lease.candidate)? > first(&lease.base)?;
        let report = specs::whole_report(&lease, |index| match (index % 4, wins) {
            (0, true) => WON,
            (0, false) => LOST,
            _ => specs::outcome(index),
        });
        assert_eq!(puppet.report(report).await?, v1::AckOutcome::Merged);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_tune_by_slopes_has_won_is_read_off_its_reports() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(1_000, 4), &specs::book_text()).await?;
    let path = format!("/api/runs/{run}/gain");
    let told = json(&house, &path).await?;
    assert_eq!((&told["pairs"], &told["strength"]["elo"]), (&0.into(), &0.0.into()));
    let mut puppet = house.puppet(1).await?;
    climb(&mut puppet, 40).await?;
    shown(&house, run, 160).await?;
    assert_eq!(json(&house, &path).await?["pairs"], 160);
    climb(&mut puppet, 160).await?;
    shown(&house, run, 800).await?;
    let told = json(&house, &path).await?;
    let of = |told: &Value, name: &str| told["strength"][name].as_f64().context("a number");
    assert_eq!(told["pairs"], 800);
    // Beyond what the surface itself takes for noise; the interval is wider than that.
    let beyond = (of(&told, "high")? - of(&told, "elo")?) / 1.6;
    assert!(of(&told, "elo")? > beyond, "a gain is seen: {told}");
    assert!(of(&told, "low")? < of(&told, "elo")? && of(&told, "elo")? < of(&told, "high")?);

    // A fork that has played nothing stands where its source stands.
    let request = v1::ForkRunRequest {
        run_id: run.0,
        at_pairs: 800,
        pairs: 100,
        seed: 3,
        idempotency_key: "fork-of-a-test".to_owned(),
    };
    let forked = house.control().await?.fork_run(request).await?.into_inner().run_id;
    let fork = json(&house, &format!("/api/runs/{forked}/gain")).await?;
    assert_eq!((&fork["pairs"], &fork["strength"]), (&0.into(), &told["strength"]));
    // Read on from where it was left, or from the start: the same.
    house.stop().await?;
    let house = House::start(&database).await?;
    assert_eq!(json(&house, &path).await?, told);
    let other = house.create(specs::regression(100, 4), &specs::book_text()).await?;
    for missing in [format!("/api/runs/{other}/gain"), "/api/runs/99/gain".to_owned()] {
        assert_eq!(house.page(&missing).await?.0, 404, "{missing}");
    }
    house.stop().await
}

#[tokio::test]
async fn each_candidate_of_a_race_has_its_way() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let spec = specs::race(&[40.0, 55.0, 70.0], v1::RaceStop::All, 100_000, 4);
    let race = house.create(spec, &specs::book_text()).await?;
    let path = format!("/api/runs/{race}/curves");
    let mut puppet = house.puppet(1).await?;
    for leases in [5, 10] {
        for _ in 0..leases {
            puppet.want(1).await?;
            let lease = puppet.lease().await?;
            let value = lease.candidate.as_ref().context("a set")?.values[0].value;
            let outcome = |index| if value > 60.0 { strong(index) } else { specs::outcome(index) };
            puppet.report(specs::whole_report(&lease, outcome)).await?;
        }
        // Asked in between, so that the second time it is read on.
        json(&house, &path).await?;
    }
    let whole = shown(&house, race, 60).await?;
    let told = json(&house, &path).await?;
    let curves = told.as_array().context("curves")?;
    let candidates = whole["progress"]["race"]["candidates"].as_array().context("candidates")?;
    assert_eq!(curves.len(), 3);
    for (curve, candidate) in curves.iter().zip(candidates) {
        let points = curve["points"].as_array().context("points")?;
        let last = points.last().context("one")?;
        assert_eq!((&curve["name"], &last["llr"]), (&candidate["name"], &candidate["llr"]));
        let cells: Vec<u64> = serde_json::from_value(candidate["tally"]["pentanomial"].clone())?;
        assert_eq!(last["pairs"], cells.iter().sum::<u64>());
        assert_eq!((&points[0]["pairs"], &points[0]["llr"]), (&0.into(), &0.0.into()));
        assert!(points.len() > 1 && points.iter().map(|p| p["pairs"].as_u64()).is_sorted());
    }
    house.stop().await?;
    let house = House::start(&database).await?;
    assert_eq!(json(&house, &path).await?, told, "from the start it is the same");
    let test = house.create(specs::test(500, 8), &specs::book_text()).await?;
    assert_eq!(house.page(&format!("/api/runs/{test}/curves")).await?.0, 404);
    house.stop().await
}
