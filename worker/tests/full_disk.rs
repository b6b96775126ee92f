//! A disk that takes nothing more: the worker says so, wants nothing new, and loses nothing. The limit
//! of the size of files stands for the disk, and is this whole process's: hence a test of its own.
#![cfg(unix)]

#[allow(dead_code, reason = "other tests use the rest of it")]
mod script;

use proto::v1::{self, AckOutcome};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use script::{Coordinator, Player, event, tic_tac_toe};
use tokio::signal::unix::{SignalKind, signal};

/// The signal of a file that grows beyond the limit; unheard, it would end the process.
const XFSZ: i32 = 25;
const PAIRS: u64 = 60;
/// More than an order of so many pairs takes, less than with their games.
const ROOM: u64 = 6_000;

fn files_up_to(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum }).expect("the limit is one's own");
}

#[tokio::test]
async fn with_a_full_disk_what_is_leased_is_handed_in_and_nothing_new_is_wanted() {
    let _heard = signal(SignalKind::from_raw(XFSZ)).expect("signals can be heard");
    let (mut coordinator, dir) = (Coordinator::start().await, tempfile::tempdir().unwrap());
    let mut player = Player::start(&coordinator, dir.path(), 2);
    let (mut talk, _) = coordinator.welcome().await;
    talk.hear_want(1).await;
    files_up_to(Some(ROOM));
    talk.lease(tic_tac_toe(1, PAIRS)).await;
    assert_eq!(talk.merge_all(PAIRS as usize).await.len() as u64, PAIRS);
    let says = |status: &worker::Status| {
        status.idle_reason.as_deref().is_some_and(|why| why.contains("the disk takes nothing"))
    };
    event("word of the disk", player.status.wait_for(says)).await.unwrap();
    // One that comes unasked, from before it was full, goes to others.
    talk.say(v1::work_response::Message::Lease(tic_tac_toe(2, PAIRS))).await;
    let back = talk.hear_return().await;
    assert_eq!(back.lease_id, 2);
    assert!(back.detail.contains("the disk"), "{}", back.detail);

    files_up_to(None);
    talk.hear_want(1).await;
    talk.lease(tic_tac_toe(3, PAIRS)).await;
    let mut merged = 0;
    while merged < PAIRS {
        let report = talk.hear_report().await;
        merged = report.sequence.into();
        talk.ack(&report, AckOutcome::Merged).await;
    }
    player.shutdown.finish.cancel();
    while talk.hear_or_end().await.is_some() {}
    drop(talk);
    let summary = player.ended().await;
    assert_eq!((summary.played.0, summary.accepted.0), (2 * PAIRS, 2 * PAIRS));
    assert_eq!(summary.spooled.0, 0);
}
