//! Claims about a worker and its coordinator, over real gRPC, through outages, kills and goodbyes.

mod script;

use proto::v1::work_request::Message as Said;
use proto::v1::work_response::Message as Answer;
use proto::v1::{self, AckOutcome, ReturnReason};
use script::{Coordinator, Player, event, tic_tac_toe, xiangqi};
use std::path::Path;
use std::sync::atomic::Ordering;

fn spool_files(state_dir: &Path) -> usize {
    std::fs::read_dir(state_dir.join("spool")).expect("a spool").count()
}

fn lease_ref(lease_id: i64) -> v1::LeaseRef {
    v1::LeaseRef { lease_id, epoch: 1 }
}

#[tokio::test]
async fn a_lease_is_played_reported_and_forgotten() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let mut player = Player::start(&coordinator, dir.path(), 2);
    let (mut talk, hello) = coordinator.welcome().await;
    assert_eq!(hello.protocol_version, proto::PROTOCOL_VERSION);
    assert_eq!(hello.slots, 2);
    assert_eq!(hello.held_leases, []);
    let games: Vec<_> = hello.engines.iter().map(v1::EngineOffer::game).collect();
    assert_eq!(
        games,
        [
            v1::Game::Xiangqi,
            v1::Game::Chess,
            v1::Game::Shogi,
            v1::Game::Othello,
            v1::Game::TicTacToe
        ]
    );
    for offer in &hello.engines {
        assert!(offer.bench_nodes > 0 && offer.parameters.iter().any(|p| p == "rfp_margin"));
    }
    talk.hear_want(1).await;
    talk.lease(tic_tac_toe(1, 4)).await;
    let pairs = talk.merge_all(4).await;
    let places: Vec<_> = pairs.iter().map(|pair| pair.pair_index).collect();
    assert_eq!(places, [0, 1, 2, 3]);
    talk.hear_want(1).await;
    talk.say(Answer::Idle(v1::Idle { reason: v1::IdleReason::NoOpenRun.into() })).await;
    let idle = player.status.wait_for(|s| s.idle_reason.as_deref() == Some("no run is open"));
    let status = event("idleness", idle).await.unwrap().clone();
    assert_eq!((status.accepted.0, status.spooled.0, status.connected), (4, 0, true));
    assert_eq!(status.worker, Some(model::WorkerId(17)));
    player.shutdown.finish.cancel();
    while talk.hear_or_end().await.is_some() {}
    drop(talk);
    let summary = player.ended().await;
    assert_eq!((summary.played.0, summary.accepted.0, summary.spooled.0), (4, 4, 0));
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn a_report_without_an_answer_is_said_again_on_the_next_connection() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, first_hello) = coordinator.welcome().await;
    talk.lease(xiangqi(5, 2, 200)).await;
    let report = talk.hear_report().await;
    drop(talk);
    let (mut talk, hello) = coordinator.welcome().await;
    assert_eq!(hello.name, first_hello.name);
    assert_eq!(hello.held_leases, [lease_ref(5)]);
    assert_eq!(talk.hear_report().await, report);
    talk.ack(&report, AckOutcome::Duplicate).await;
    if report.sequence < 2 {
        let rest = talk.hear_report().await;
        assert_eq!((rest.sequence, rest.pairs.len()), (2, 1));
        talk.ack(&rest, AckOutcome::Merged).await;
    }
    talk.hear_want(1).await;
}

#[tokio::test]
async fn a_refusing_coordinator_is_asked_until_it_gives_in() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    coordinator.refusals.store(3, Ordering::Relaxed);
    let mut player = Player::start(&coordinator, dir.path(), 1);
    let (_talk, _) = coordinator.welcome().await;
    assert_eq!(coordinator.refusals.load(Ordering::Relaxed), 0);
    event("a connection", player.status.wait_for(|s| s.connected)).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_lease_frees_its_slot() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let mut player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.hear_want(1).await;
    talk.lease(xiangqi(1, 3, 1_000_000_000)).await;
    talk.hear_playing(1).await;
    talk.say(Answer::Cancel(v1::Cancel {
        lease_id: 1,
        epoch: 1,
        reason: v1::CancelReason::RunEnded.into(),
    }))
    .await;
    talk.hear_want(1).await;
    talk.lease(tic_tac_toe(2, 2)).await;
    assert_eq!(talk.merge_all(2).await.len(), 2);
    event("acceptance", player.status.wait_for(|s| s.accepted.0 == 2)).await.unwrap();
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn a_refused_report_ends_its_lease() {
    for outcome in [AckOutcome::Stale, AckOutcome::RunEnded, AckOutcome::Invalid] {
        let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
        let _player = Player::start(&coordinator, dir.path(), 1);
        let (mut talk, _) = coordinator.welcome().await;
        talk.lease(tic_tac_toe(1, 1)).await;
        let report = talk.hear_report().await;
        talk.ack(&report, outcome).await;
        talk.lease(tic_tac_toe(2, 1)).await;
        assert_eq!(talk.hear_report().await.lease_id, 2);
        assert_eq!(spool_files(dir.path()), 1, "{outcome:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_played_goes_back_with_the_reason() {
    type Spoil = fn(&mut v1::Lease);
    let cases: [(&str, Spoil); 4] = [
        ("engine: found `gnu`;", |l| l.engine = "gnu".into()),
        ("parameters of the candidate: unknown parameter `brilliance`", |l| {
            l.candidate.as_mut().unwrap().values[0].name = "brilliance".into();
        }),
        ("pair 11: opening `hello` is no position", |l| l.openings[1].position = "hello".into()),
        ("limit.hash_kib: found 4000000000", |l| {
            l.limit.as_mut().unwrap().hash_kib = 4_000_000_000
        }),
    ];
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    for (lease_id, (expected, spoil)) in (1..).zip(cases) {
        let mut lease = xiangqi(lease_id, 3, 10);
        spoil(&mut lease);
        talk.lease(lease).await;
        let back = talk.hear_return().await;
        assert_eq!((back.lease_id, back.reason()), (lease_id, ReturnReason::Unplayable));
        assert!(back.detail.starts_with(expected), "{}", back.detail);
    }
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn the_first_interrupt_finishes_pairs_reports_them_and_gives_the_rest_back() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let player = Player::start(&coordinator, dir.path(), 2);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(xiangqi(9, 200, 300)).await;
    let report = talk.hear_report().await;
    talk.ack(&report, AckOutcome::Merged).await;
    let mut merged = report.sequence;
    player.shutdown.interrupt();
    let back = loop {
        match talk.hear().await {
            Said::Report(report) => {
                assert_eq!(report.pairs.len() as u32, report.sequence - merged);
                merged = report.sequence;
                talk.ack(&report, AckOutcome::Merged).await;
            }
            Said::ReturnLease(back) => break back,
            Said::Progress(_) | Said::Want(_) => {}
            Said::Hello(_) => panic!("a second Hello"),
        }
    };
    assert_eq!((back.lease_id, back.reason()), (9, ReturnReason::Shutdown));
    while talk.hear_or_end().await.is_some() {}
    drop(talk);
    let summary = player.ended().await;
    assert_eq!((summary.played.0, summary.accepted.0), (merged.into(), merged.into()));
    assert!(merged < 200);
    assert_eq!((summary.returned_leases, summary.spooled.0), (1, 0));
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn the_second_interrupt_stops_the_pairs_in_play() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let player = Player::start(&coordinator, dir.path(), 2);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(xiangqi(9, 5, 1_000_000_000)).await;
    talk.hear_playing(2).await;
    player.shutdown.interrupt();
    talk.hear_playing(2).await;
    player.shutdown.interrupt();
    let back = talk.hear_return().await;
    assert_eq!((back.lease_id, back.reason()), (9, ReturnReason::Shutdown));
    let summary = player.ended().await;
    assert_eq!((summary.played.0, summary.returned_leases), (0, 1));
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn a_worker_without_a_coordinator_ends_too() {
    let (coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    coordinator.refusals.store(u32::MAX, Ordering::Relaxed);
    let mut player = Player::start(&coordinator, dir.path(), 1);
    let refused =
        player.status.wait_for(|s| s.idle_reason.as_ref().is_some_and(|r| r.contains("not now")));
    event("a refusal", refused).await.unwrap();
    player.shutdown.interrupt();
    assert_eq!(player.ended().await, worker::Summary::default());
}

#[tokio::test]
async fn a_killed_worker_delivers_every_pair_once_and_plays_the_rest() {
    let undisturbed = {
        let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
        let _player = Player::start(&coordinator, dir.path(), 1);
        let (mut talk, _) = coordinator.welcome().await;
        talk.lease(xiangqi(4, 4, 300)).await;
        talk.merge_all(4).await
    };
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(xiangqi(4, 4, 300)).await;
    let report = talk.hear_report().await;
    player.kill().await;
    drop(talk);

    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, hello) = coordinator.welcome().await;
    assert_eq!(hello.held_leases, [lease_ref(4)]);
    let again = talk.hear_report().await;
    assert_eq!(again, report);
    talk.ack(&again, AckOutcome::Duplicate).await;
    let mut pairs = again.pairs;
    while pairs.len() < 4 {
        let report = talk.hear_report().await;
        pairs.extend(report.pairs.iter().cloned());
        assert_eq!(report.sequence as usize, pairs.len());
        talk.ack(&report, AckOutcome::Merged).await;
    }
    pairs.sort_by_key(|pair| pair.pair_index);
    assert_eq!(pairs, undisturbed);
}

#[tokio::test]
async fn leases_of_an_earlier_start_that_are_over_are_not_played_on() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(xiangqi(4, 3, 1_000_000_000)).await;
    talk.hear_playing(1).await;
    player.kill().await;
    drop(talk);
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, hello) = coordinator.welcome().await;
    assert_eq!(hello.held_leases, [lease_ref(4)]);
    let reason = v1::CancelReason::UnknownLease.into();
    talk.say(Answer::Cancel(v1::Cancel { lease_id: 4, epoch: 1, reason })).await;
    talk.hear_want(1).await;
    assert_eq!(spool_files(dir.path()), 0);
}

#[tokio::test]
async fn a_draining_coordinator_is_left_and_found_again() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(xiangqi(4, 3, 5_000)).await;
    talk.hear_playing(1).await;
    talk.say(Answer::Drain(v1::Drain { reconnect_after_ms: 20 })).await;
    let mut merged = 0;
    while let Some(said) = talk.hear_or_end().await {
        if let Said::Report(report) = said {
            talk.ack(&report, AckOutcome::Merged).await;
            merged = report.sequence;
        }
    }
    drop(talk);
    let (mut talk, hello) = coordinator.welcome().await;
    if merged < 3 {
        assert_eq!(hello.held_leases, [lease_ref(4)]);
        let report = talk.hear_report().await;
        assert_eq!(report.pairs.len() as u32, report.sequence - merged);
    }
}

#[tokio::test]
async fn a_busy_coordinator_hears_the_same_report_later() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.lease(tic_tac_toe(1, 2)).await;
    let mut report = talk.hear_report().await;
    for _ in 0..2 {
        talk.say(Answer::Busy(v1::Busy { retry_after_ms: 20, leases_only: false })).await;
        let again = talk.hear_report().await;
        assert_eq!(again, report);
        report = again;
    }
}

#[tokio::test]
async fn a_coordinator_too_busy_for_leases_still_hears_reports() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let (mut talk, _) = coordinator.welcome().await;
    talk.hear_want(1).await;
    talk.lease(tic_tac_toe(1, 40)).await;
    // For a minute: longer than the worker needs for the lease.
    talk.say(Answer::Busy(v1::Busy { retry_after_ms: 60_000, leases_only: true })).await;
    let mut merged = 0;
    while merged < 40 {
        match talk.hear().await {
            Said::Report(report) => {
                merged = report.sequence;
                talk.ack(&report, AckOutcome::Merged).await;
            }
            Said::Want(want) => assert_eq!(want.leases, 0),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_busy_answer_to_hello_means_another_try() {
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let _player = Player::start(&coordinator, dir.path(), 1);
    let mut talk = coordinator.talk().await;
    assert!(matches!(talk.hear().await, Said::Hello(_)));
    talk.say(Answer::Busy(v1::Busy { retry_after_ms: 20, leases_only: false })).await;
    assert_eq!(talk.hear_or_end().await, None);
    drop(talk);
    let (mut talk, _) = coordinator.welcome().await;
    talk.hear_want(1).await;
}
