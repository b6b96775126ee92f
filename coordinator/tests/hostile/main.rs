//! Workers that lie about their games: nothing of it counts, it counts against them, and the pairs go
//! to somebody else. And bytes that nobody has checked, to whoever reads them.

mod bytes;

use anyhow::{Context, Result};
use proto::v1;
use proto::v1::work_response::Message as Response;
use testkit::{Database, House, Puppet, specs};

/// Spoils the first game of a whole report.
type Lie = fn(&mut v1::GameRecord);

/// Each with the reason that is written down.
const LIES: [(&str, Lie); 7] = [
    ("illegal_move", |game| game.moves = "a1 a1 a1".to_owned()),
    ("illegal_move", |game| game.moves = "Pwn; rm -rf".to_owned()),
    ("unfinished", |game| game.moves.clear()),
    ("unfinished", |game| game.set_termination(v1::Termination::Resignation)),
    ("after_the_end", |game| game.moves.push_str(" a1")),
    ("wrong_termination", |game| game.set_termination(v1::Termination::Stalemate)),
    ("wrong_length", |game| game.plies += 1),
];

async fn worker(house: &House, id: i64) -> Result<v1::Worker> {
    let list = house.control().await?.list_workers(v1::ListWorkersRequest {}).await?;
    let workers = list.into_inner().workers;
    workers.into_iter().find(|worker| worker.worker_id == id).context("a known worker")
}

async fn lease(worker: &mut Puppet) -> Result<v1::Lease> {
    worker.want(1).await?;
    worker.lease().await
}

#[tokio::test]
async fn every_lie_is_refused_counted_and_played_by_somebody_else() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::test(4, 4), &specs::book_text()).await?;
    for (number, (reason, lie)) in (1..).zip(LIES) {
        let mut liar = house.puppet(number).await?;
        let lease = lease(&mut liar).await?;
        assert_eq!(lease.epoch, u32::from(number), "the same pairs, given back each time");
        let mut report = specs::whole_report(&lease, specs::outcome);
        if reason == "unfinished" && report.pairs[0].candidate_first.is_some() {
            // A claim of an end that no rule gives, before the end.
            let game = report.pairs[0].candidate_first.as_mut().context("a game")?;
            game.moves.truncate(2);
        }
        lie(report.pairs[0].candidate_first.as_mut().context("a game")?);
        assert_eq!(liar.report(report.clone()).await?, v1::AckOutcome::Invalid, "{reason}");
        let known = worker(&house, liar.worker_id).await?;
        assert_eq!((known.refused_reports, known.counted_pairs), (1, 0));
        assert!(known.last_refusal.starts_with(&format!("{reason}: pair 0, candidate_first: ")));
        // Said again it is about a lease that is over.
        assert_eq!(liar.report(report).await?, v1::AckOutcome::Stale);
    }
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 0);
    assert_eq!(database.number("SELECT count(*) FROM refusals").await?, LIES.len() as i64);

    let mut honest = house.puppet(99).await?;
    let lease = lease(&mut honest).await?;
    // A draw that is told as a win: the moves are right, the result is not.
    let mut report = specs::whole_report(&lease, |_| specs::outcome(4));
    let told = specs::whole_report(&lease, |_| specs::outcome(8));
    report.cumulative = told.cumulative.clone();
    for (pair, told) in report.pairs.iter_mut().zip(told.pairs) {
        for (game, told) in [
            (&mut pair.candidate_first, told.candidate_first),
            (&mut pair.base_first, told.base_first),
        ] {
            game.as_mut().context("a game")?.score = told.context("a game")?.score;
        }
    }
    assert_eq!(honest.report(report).await?, v1::AckOutcome::Invalid);
    let known = worker(&house, honest.worker_id).await?;
    assert!(known.last_refusal.starts_with("wrong_result: "), "{}", known.last_refusal);

    assert_eq!(honest.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    assert_eq!(house.run(run).await?.state(), v1::RunState::Finished);
    assert!(house.replay(run).await?.0);
    house.stop().await
}

#[tokio::test]
async fn who_lies_again_and_again_gets_no_work_and_takes_none_from_others() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(specs::tune(8, 4), &specs::book_text()).await?;
    let mut liar = house.puppet(1).await?;
    for _ in 0..3 {
        let lease = lease(&mut liar).await?;
        let mut report = specs::whole_report(&lease, specs::outcome);
        report.pairs[2].base_first.as_mut().context("a game")?.moves = "zz".to_owned();
        assert_eq!(liar.report(report).await?, v1::AckOutcome::Invalid);
    }
    liar.want(1).await?;
    let Response::Idle(idle) = liar.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::Refused);
    // A new session is no way round it.
    drop(liar);
    let mut liar = house.puppet(1).await?;
    liar.want(1).await?;
    let Response::Idle(idle) = liar.hear().await? else { panic!("it gets work") };
    assert_eq!(idle.reason(), v1::IdleReason::Refused);
    assert_eq!(worker(&house, liar.worker_id).await?.refused_reports, 3);

    let mut honest = house.puppet(2).await?;
    for _ in 0..2 {
        assert_eq!(honest.play_one(specs::outcome).await?, v1::AckOutcome::Merged);
    }
    assert_eq!(house.run(run).await?.state(), v1::RunState::Finished);
    assert_eq!(worker(&house, honest.worker_id).await?.refused_reports, 0);
    house.stop().await
}
