//! Races and matches over the wire and the ledger: candidates are decided one by one, what they play
//! is in the ledger, and a replay gives the same bits.

use anyhow::{Context, Result};
use model::{GameScore, PairOutcome, RunId};
use proto::v1;
use std::collections::BTreeMap;
use testkit::{Database, House, Puppet, specs};

const WON: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Draw };
const LOST: PairOutcome = PairOutcome { first: GameScore::Loss, second: GameScore::Draw };
const LEVEL: PairOutcome = PairOutcome { first: GameScore::Win, second: GameScore::Loss };

/// Results of a candidate with this value: above 60 it wins, below 50 it loses.
fn outcome_of(value: f64, index: u64) -> PairOutcome {
    match index % 3 {
        0 if value > 60.0 => WON,
        0 if value < 50.0 => LOST,
        _ => LEVEL,
    }
}

fn value(lease: &v1::Lease) -> f64 {
    let set = lease.candidate.as_ref().expect("a set");
    set.values[0].value
}

/// Plays one lease whole.
async fn play(worker: &mut Puppet) -> Result<(f64, v1::AckOutcome)> {
    worker.want(1).await?;
    let lease = worker.lease().await?;
    let value = value(&lease);
    let report = specs::whole_report(&lease, |index| outcome_of(value, index));
    Ok((value, worker.report(report).await?))
}

fn progress(run: &v1::Run) -> Result<&v1::RaceProgress> {
    match &run.progress {
        Some(v1::run::Progress::Race(race)) => Ok(race),
        other => anyhow::bail!("a race was expected, not {other:?}"),
    }
}

fn states(race: &v1::RaceProgress) -> Vec<v1::CandidateState> {
    race.candidates.iter().map(v1::CandidateProgress::state).collect()
}

async fn is_over(house: &House, run: RunId) -> Result<bool> {
    Ok(house.run(run).await?.state() == v1::RunState::Finished)
}

#[tokio::test]
async fn a_race_drops_the_poor_and_ends_with_the_first_that_passes() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let spec = specs::race(&[40.0, 55.0, 70.0], v1::RaceStop::First, 30_000, 4);
    let race = house.create(spec, &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    let mut played: BTreeMap<u64, u64> = BTreeMap::new();
    while !is_over(&house, race).await? {
        let (value, outcome) = play(&mut worker).await?;
        assert_eq!(outcome, v1::AckOutcome::Merged);
        *played.entry(value as u64).or_default() += 4;
    }
    let run = house.run(race).await?;
    let found = progress(&run)?;
    assert_eq!((found.verdict(), found.winner), (v1::Verdict::Accepted, Some(2)));
    assert_eq!(states(found)[2], v1::CandidateState::Accepted);
    let pairs: Vec<u64> = found
        .candidates
        .iter()
        .map(|c| c.tally.as_ref().expect("a tally").pentanomial_pairs.iter().sum())
        .collect();
    let given = [40, 55, 70].map(|value| played.get(&value).copied().unwrap_or_default());
    assert_eq!(pairs, given, "each candidate has its own pairs");
    assert!(pairs[2] > pairs[0] && pairs[2] > pairs[1], "the promising play more: {pairs:?}");
    // α / 3 for the first of three: ln(0.95 · 3 / 0.05), less what the reports overshoot.
    let winner = &found.candidates[2];
    assert!(winner.llr >= winner.upper && winner.upper < 4.0431, "{winner:?}");
    let (matches, state) = house.replay(race).await?;
    assert!(matches, "{state}");
    let leased = database.number("SELECT count(*) FROM leases WHERE candidate IS NULL").await?;
    assert_eq!(leased, 0, "what a lease plays is in the ledger");
    house.stop().await
}

#[tokio::test]
async fn what_is_out_for_a_rejected_candidate_goes_to_others_through_a_kill() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    // A lease is so long that its report alone decides a poor candidate.
    let spec = specs::race(&[40.0, 55.0], v1::RaceStop::All, 3_000, 150);
    let race = house.create(spec, &specs::book_text()).await?;
    // One worker sits on a lease of each candidate.
    let mut slow = house.puppet(2).await?;
    slow.want(2).await?;
    let held = [slow.lease().await?, slow.lease().await?];
    assert_ne!(value(&held[0]), value(&held[1]), "candidates that are out are not next");
    let poor = held.iter().find(|lease| value(lease) < 50.0).context("one of each")?.clone();

    let mut worker = house.puppet(1).await?;
    assert_eq!(play(&mut worker).await?, (40.0, v1::AckOutcome::Merged));
    // What is shown follows what is merged a few times a second.
    let run = loop {
        let run = house.run(race).await?;
        if run.reports > 0 {
            break run;
        }
    };
    assert_eq!(
        states(progress(&run)?),
        [v1::CandidateState::Rejected, v1::CandidateState::Open],
        "{run:?}"
    );
    // The lease is called back; a report of it comes too late.
    let late = specs::whole_report(&poor, |index| outcome_of(40.0, index));
    assert_eq!(slow.report(late).await?, v1::AckOutcome::Stale);
    let before = house.run(race).await?;
    house.cut();

    let house = House::start(&database).await?;
    assert_eq!(house.run(race).await?.progress, before.progress, "to the bit");
    let mut worker = house.puppet(1).await?;
    let first = poor.openings[0].pair_index;
    let mut again = false;
    for _ in 0..3 {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        assert!(value(&lease) > 50.0, "a rejected candidate gets no more leases");
        again |= lease.openings.iter().any(|opening| opening.pair_index == first);
        let report = specs::whole_report(&lease, |index| outcome_of(55.0, index));
        worker.report(report).await?;
    }
    assert!(again, "pair {first} is played by the other candidate");
    assert!(house.replay(race).await?.0);

    // By hand, with one candidate still open: no verdict.
    let request = v1::StopRunRequest { run_id: race.0, reason: "enough".to_owned() };
    house.control().await?.stop_run(request).await?;
    let run = house.run(race).await?;
    assert_eq!(progress(&run)?.verdict(), v1::Verdict::Unspecified);
    house.stop().await
}

#[tokio::test]
async fn the_budget_of_a_race_ends_it_without_a_winner() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let spec = specs::race(&[52.0, 55.0], v1::RaceStop::First, 30, 4);
    let race = house.create(spec, &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    while !is_over(&house, race).await? {
        play(&mut worker).await?;
    }
    let run = house.run(race).await?;
    let found = progress(&run)?;
    assert_eq!((found.verdict(), found.winner), (v1::Verdict::Inconclusive, None));
    let pairs: u64 = run.tally.clone().expect("a tally").pentanomial_pairs.iter().sum();
    assert_eq!(pairs, 30);
    house.stop().await
}

#[tokio::test]
async fn a_match_plays_all_its_pairs_and_says_nothing_more() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let fixed = house.create(specs::fixed_match(50, 4), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    while !is_over(&house, fixed).await? {
        // So one-sided that any test would have ended.
        worker.play_one(|_| WON).await?;
    }
    let run = house.run(fixed).await?;
    let Some(v1::run::Progress::Test(found)) = &run.progress else { anyhow::bail!("no test") };
    assert_eq!(found.verdict(), v1::Verdict::Unspecified);
    assert!(found.corrected.is_none() && found.outlook.is_none(), "{found:?}");
    assert!(found.elo_low < found.elo && found.elo < found.elo_high, "{found:?}");
    let pairs: u64 = run.tally.clone().expect("a tally").pentanomial_pairs.iter().sum();
    assert_eq!(pairs, 50);
    assert!(house.replay(fixed).await?.0);
    let kinds = database.number("SELECT count(*) FROM runs WHERE kind = 'match'").await?;
    assert_eq!(kinds, 1);
    house.stop().await
}
