//! Who is right when two workers have played one pair otherwise.

use super::{ALL_WON, audited_house, of_owner, play_all, trust, worker};
use anyhow::{Context, Result};
use coordinator::dispatch::audits::Auditors;
use model::{GameScore, PairOutcome, RunId};
use proto::v1;
use testkit::{Database, House, Puppet, specs};

const ALL_DRAWN: PairOutcome = PairOutcome { first: GameScore::Draw, second: GameScore::Draw };

/// A run of four pairs, reported by one worker and played otherwise by a second of another owner.
async fn quarrel(
    house: &House,
    reported: fn(u64) -> PairOutcome,
) -> Result<(RunId, Puppet, Puppet)> {
    let mut one = house.puppet(1).await?;
    let mut two = of_owner(house, 2, "the second").await?;
    let run = house.create(specs::fixed_match(4, 4), &specs::book_text()).await?;
    one.play_one(reported).await?;
    assert_eq!(play_all(&mut two, |_| ALL_WON).await?, 1);
    Ok((run, one, two))
}

async fn held(house: &House, id: i64) -> Result<String> {
    Ok(worker(house, id).await?.on_hold)
}

async fn counts(house: &House, run: RunId) -> Result<(u64, u64)> {
    let run = house.run(run).await?;
    Ok((run.audited_pairs, run.mismatched_pairs))
}

async fn of_run(house: &House, run: RunId) -> Result<Vec<v1::Mismatch>> {
    let request = v1::ListMismatchesRequest { run_id: run.0, from_pair: 0, limit: 0 };
    Ok(trust(house).await?.list_mismatches(request).await?.into_inner().mismatches)
}

#[tokio::test]
async fn a_third_owner_decides_and_the_auditor_that_lied_is_held() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Auto).await?;
    let mut three = of_owner(&house, 3, "the third").await?;
    let (run, one, two) = quarrel(&house, specs::outcome).await?;
    // Somebody is there to be asked: nobody is held for it.
    assert_eq!(held(&house, one.worker_id).await?, "");
    assert_eq!(held(&house, two.worker_id).await?, "");
    assert_eq!(counts(&house, run).await?, (0, 4));
    assert!(of_run(&house, run).await?.iter().all(|mismatch| mismatch.is_open));
    // A kill forgets nothing of the quarrel.
    house.cut();
    let house = audited_house(&database, Auditors::Auto).await?;
    drop(three);
    three = house.puppet(3).await?;
    assert_eq!(play_all(&mut three, specs::outcome).await?, 1);
    assert_eq!(held(&house, one.worker_id).await?, "");
    let why = held(&house, two.worker_id).await?;
    let alike = format!("played alike by workers {} and {}", one.worker_id, three.worker_id);
    assert!(why.contains(&alike), "{why}");
    assert_eq!(counts(&house, run).await?, (4, 0));
    let known = worker(&house, one.worker_id).await?;
    assert_eq!((known.audited_pairs, known.mismatched_pairs), (4, 0));
    // All three records are shown, with the pair and with each of the two.
    let shown = of_run(&house, run).await?;
    assert_eq!(shown.len(), 4);
    for id in [one.worker_id, two.worker_id] {
        let request = v1::GetWorkerRequest { worker_id: id };
        let of_worker = trust(&house).await?.get_worker(request).await?.into_inner();
        assert_eq!(of_worker.mismatches.len(), 4);
    }
    let first = shown.first().context("a mismatch")?;
    assert_eq!((first.worker_id, first.auditor_id), (one.worker_id, two.worker_id));
    assert_eq!((first.is_open, &first.refuted_worker_ids[..]), (false, &[two.worker_id][..]));
    assert_eq!(first.arbitrations.len(), 1);
    assert_eq!(first.arbitrations[0].played, first.claimed);
    house.stop().await
}

#[tokio::test]
async fn while_nobody_can_be_asked_the_reporter_waits_and_is_cleared_when_somebody_comes()
-> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Auto).await?;
    let (run, one, two) = quarrel(&house, specs::outcome).await?;
    let why = held(&house, one.worker_id).await?;
    assert!(why.contains("nobody else is there"), "{why}");
    assert_eq!(held(&house, two.worker_id).await?, "");
    house.cut();
    let house = audited_house(&database, Auditors::Auto).await?;
    assert_eq!(held(&house, one.worker_id).await?, why);
    let mut three = of_owner(&house, 3, "the third").await?;
    assert_eq!(play_all(&mut three, specs::outcome).await?, 1);
    assert_eq!(held(&house, one.worker_id).await?, "");
    assert!(held(&house, two.worker_id).await?.contains("played alike"));
    assert_eq!(counts(&house, run).await?, (4, 0));
    let released = "SELECT count(*) FROM holds WHERE disputed AND released_by = 'elomill'";
    assert_eq!(database.number(released).await?, 1);
    house.stop().await
}

#[tokio::test]
async fn a_worker_that_lied_stays_held_when_a_third_has_played_as_its_auditor() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Auto).await?;
    // The second one's word is true this time.
    let (run, one, two) = quarrel(&house, |_| ALL_DRAWN).await?;
    let mut three = of_owner(&house, 3, "the third").await?;
    assert_eq!(play_all(&mut three, |_| ALL_WON).await?, 1);
    let why = held(&house, one.worker_id).await?;
    let alike = format!("played alike by workers {} and {}", two.worker_id, three.worker_id);
    assert!(why.contains(&alike), "{why}");
    assert_eq!(held(&house, two.worker_id).await?, "");
    assert_eq!(counts(&house, run).await?, (0, 4));
    assert_eq!(database.number("SELECT count(*) FROM holds WHERE NOT disputed").await?, 1);
    // A person's word ends it, and it is checked from the first pair on again.
    let release = v1::ReleaseWorkerRequest {
        worker_id: one.worker_id,
        reason: "its memory was replaced".to_owned(),
    };
    trust(&house).await?.release_worker(release).await?;
    assert_eq!(held(&house, one.worker_id).await?, "");
    house.stop().await
}

#[tokio::test]
async fn three_that_differ_wait_for_a_fourth_and_who_stands_alone_is_held() -> Result<()> {
    let database = Database::start().await?;
    let house = audited_house(&database, Auditors::Auto).await?;
    let (run, one, two) = quarrel(&house, specs::outcome).await?;
    let mut three = of_owner(&house, 3, "the third").await?;
    assert_eq!(play_all(&mut three, |_| ALL_DRAWN).await?, 1);
    assert_eq!(counts(&house, run).await?, (0, 4));
    assert!(of_run(&house, run).await?.iter().all(|mismatch| mismatch.is_open));
    house.cut();
    let house = audited_house(&database, Auditors::Auto).await?;
    let mut friend = of_owner(&house, 5, "the third").await?;
    assert_eq!(play_all(&mut friend, specs::outcome).await?, 0, "its owner has spoken");
    let mut four = of_owner(&house, 4, "the fourth").await?;
    assert_eq!(play_all(&mut four, specs::outcome).await?, 1);
    assert_eq!(held(&house, one.worker_id).await?, "");
    for liar in [two.worker_id, three.worker_id] {
        assert!(held(&house, liar).await?.contains("played alike"), "worker {liar}");
    }
    let shown = of_run(&house, run).await?;
    assert_eq!(shown[0].refuted_worker_ids, [two.worker_id, three.worker_id]);
    assert_eq!(counts(&house, run).await?, (4, 0));
    house.stop().await
}
