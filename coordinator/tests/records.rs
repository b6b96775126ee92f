//! What the ledger keeps of games, and that they come out as they went in.

use anyhow::{Context, Result};
use model::evals::{self, MoveEval, MoveTime};
use model::{Nodes, Score};
use proto::v1;
use testkit::{Database, House, specs};

async fn export(house: &House, run: i64, first: u64, pairs: u64) -> Result<Vec<v1::PlayedPair>> {
    let request = v1::ExportGamesRequest { run_id: run, first_pair: first, pairs };
    let mut stream = house.control().await?.export_games(request).await?.into_inner();
    let mut played = Vec::new();
    while let Some(message) = stream.message().await? {
        played.extend(message.pairs);
    }
    Ok(played)
}

/// Puts something to say of each move into the games of a report.
fn with_evals(mut report: v1::Report) -> v1::Report {
    for pair in &mut report.pairs {
        for game in [&mut pair.candidate_first, &mut pair.base_first].into_iter().flatten() {
            let said = |ply: u32| MoveEval {
                score: Score(ply as i32 * 11 - 40),
                depth: ply,
                nodes: Nodes(50 + u64::from(ply)),
            };
            game.evals = evals::pack(&(0..game.plies).map(said).collect::<Vec<_>>()).into();
            let took = |ply: u32| MoveTime(90 + 100 * u64::from(ply));
            game.times = evals::pack_times(&(0..game.plies).map(took).collect::<Vec<_>>()).into();
        }
    }
    report
}

fn keeping(moves_per_million: u32, evals: bool) -> v1::RunSpec {
    v1::RunSpec { keep: Some(v1::Keep { moves_per_million, evals }), ..specs::test(300, 50) }
}

#[tokio::test]
async fn every_game_comes_out_as_it_was_reported() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let run = house.create(keeping(1_000_000, true), &specs::book_text()).await?;
    let mut worker = house.puppet(1).await?;
    let mut reported = Vec::new();
    for _ in 0..3 {
        worker.want(1).await?;
        let lease = worker.lease().await?;
        assert!(lease.record_evals);
        let report = with_evals(specs::whole_report(&lease, specs::outcome));
        let openings = lease.openings.iter().map(|opening| opening.position.clone());
        reported.extend(openings.zip(report.pairs.clone()));
        assert_eq!(worker.report(report.clone()).await?, v1::AckOutcome::Merged);
        assert_eq!(worker.report(report).await?, v1::AckOutcome::Duplicate);
    }
    let played = export(&house, run.0, 0, 0).await?;
    assert_eq!(played.len(), 150, "once each, over more than one page");
    for (played, (opening, pair)) in played.iter().zip(&reported) {
        assert_eq!((&played.opening, played.pair.as_ref()), (opening, Some(pair)));
        assert_eq!((played.worker_id, played.moves_kept), (worker.worker_id, true));
        assert!(played.merged_at_unix_ms > 0);
    }
    let part = export(&house, run.0, 120, 7).await?;
    assert_eq!(part, played[120..127]);
    // A row from before there was another form than texts.
    let pair = played[0].pair.clone().context("a pair")?;
    let moves = pair.candidate_first.context("a game")?.moves;
    let mut connection = database.connection().await?;
    sqlx::query(
        "WITH of AS (SELECT run_id, id FROM leases ORDER BY id LIMIT 1),
              told AS (
                  INSERT INTO reports_by_row
                  SELECT 1000, run_id, id, 1, 1000, 0, 0, 0, 0, 1, 2, 0, 0 FROM of RETURNING id)
         INSERT INTO pairs_by_row
         SELECT of.run_id, 150, told.id, of.id, 2, 'board', 9, 1, $1, 2, 'board', 9, 1, $1
         FROM of, told",
    )
    .bind(&moves)
    .execute(&mut connection)
    .await?;
    let old = export(&house, run.0, 150, 1).await?[0].pair.clone().context("a pair")?;
    assert_eq!(old.candidate_first.context("a game")?.moves, moves);
    let unknown = export(&house, run.0 + 1, 0, 0).await.unwrap_err();
    assert!(unknown.to_string().contains("there is no run"), "{unknown}");
    house.stop().await
}

#[tokio::test]
async fn a_run_keeps_the_moves_that_its_specification_names() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let mut worker = house.puppet(1).await?;
    for (share, least, most) in [(0, 0, 0), (200_000, 10, 60), (1_000_000, 150, 150)] {
        let run = house.create(keeping(share, false), &specs::book_text()).await?;
        for _ in 0..3 {
            worker.want(1).await?;
            let lease = worker.lease().await?;
            assert!(!lease.record_evals);
            // Said without being asked: not kept.
            let report = with_evals(specs::whole_report(&lease, specs::outcome));
            assert_eq!(worker.report(report).await?, v1::AckOutcome::Merged);
        }
        let played = export(&house, run.0, 0, 0).await?;
        assert_eq!(played.len(), 150);
        let kept = played.iter().filter(|pair| pair.moves_kept).count();
        assert!((least..=most).contains(&kept), "{kept} of 150 at {share} in a million");
        for played in played {
            let game = played.pair.and_then(|pair| pair.base_first).context("a game")?;
            assert_eq!((game.moves.is_empty(), game.evals.len()), (!played.moves_kept, 0));
            assert_eq!(game.times.len(), 0);
        }
        let request = v1::StopRunRequest { run_id: run.0, reason: "enough".to_owned() };
        house.control().await?.stop_run(request).await?;
    }
    let wrong = house.create(keeping(1_000_001, false), &specs::book_text()).await.unwrap_err();
    assert!(format!("{wrong:#}").contains("keep_moves"), "{wrong:#}");
    house.stop().await
}

#[tokio::test]
async fn what_is_said_of_moves_is_of_each_or_of_none() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    house.create(keeping(1_000_000, true), &specs::book_text()).await?;
    let of_one = evals::pack(&[MoveEval::default()]);
    for (number, garbage) in [(1, vec![0x80]), (2, vec![0, 1, 0]), (3, of_one), (4, vec![1])] {
        let mut worker = house.puppet(number).await?;
        worker.want(1).await?;
        let lease = worker.lease().await?;
        let mut report = specs::whole_report(&lease, specs::outcome);
        let game = report.pairs[0].candidate_first.as_mut().context("a game")?;
        // The last one is the time of one move.
        *(if number == 4 { &mut game.times } else { &mut game.evals }) = garbage.into();
        assert!(worker.report(report).await.is_err(), "the session ends");
    }
    assert_eq!(database.number("SELECT count(*) FROM pairs").await?, 0);
    house.stop().await
}
