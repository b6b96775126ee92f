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
