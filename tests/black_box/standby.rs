//! A leader and a standby on one database: whatever happens to the leader, the other serves, the
//! workers find it, and no pair is lost or counted twice.

use crate::support::{Running, data_dir, elomill, file, good, object, signal};
use rustix::process::Signal;
use sqlx::{Connection, PgConnection};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TUNE: &str = r#"name = "to be handed over"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 120
[tune]
pairs = 100000
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
"#;

/// A port that nobody has; the same after a restart, as for a service.
fn port() -> String {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr());
    free.expect("a free port").to_string()
}

/// `elomill up --standby` there; `told` is read by whoever waits for it to lead.
fn standby(folder: &Path, database: &str, listen: &str) -> Running {
    let args = ["up", "--standby", "--json", "--listen", listen, "--database-url", database];
    Running::start(folder, &args)
}

fn counted(folder: &Path, id: &str) -> u64 {
    let run = object(folder, &["runs", "show", id, "--json"]);
    run["counted_pairs"].as_u64().expect("a count")
}

/// Waits until more pairs are counted, seen through the coordinator of this folder.
fn goes_on(folder: &Path, id: &str) {
    let before = counted(folder, id);
    until("more pairs", || counted(folder, id) > before);
}

/// Waits for something that comes within seconds, and fails when it never does.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "never came: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn number(database: &str, sql: &'static str) -> i64 {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let mut ledger = PgConnection::connect(database).await.expect("the ledger answers");
        sqlx::query_scalar(sql).fetch_one(&mut ledger).await.expect("a number")
    })
}

#[test]
fn a_standby_takes_over_from_a_leader_that_is_killed_or_stopped_and_workers_find_it() {
    let postgres = pgbox::PgBox::throwaway().expect("a throw-away Postgres");
    let database = postgres.url(pgbox::DATABASE);
    let (first, second, state) = (data_dir(), data_dir(), data_dir());
    let ports = [port(), port()];
    let mut leader = standby(first.path(), &database, &ports[0]);
    assert!(leader.next_object().expect("it leads at once")["grpc"].is_string());
    let mut other = standby(second.path(), &database, &ports[1]);

    let link = good(first.path(), &["invite"]);
    let worker = Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["worker", "join", link.trim(), "--slots", "2", "--state-dir"])
        .arg(state.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("the worker starts");
    let worker = Guard(worker);
    let path = file(first.path(), "tune.toml", TUNE);
    let filed = object(first.path(), &["tune", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    goes_on(first.path(), &id);
    // It hears of the standby, and remembers it.
    until("word of the standby", || state.path().join("coordinators").exists());

    let began = Instant::now();
    leader.kill();
    assert!(other.next_object().expect("the standby leads")["grpc"].is_string());
    println!("the standby served {} ms after the kill", began.elapsed().as_millis());
    goes_on(second.path(), &id);

    // The first comes back as a standby, and the leader is only stopped: it still holds everything.
    let mut back = standby(first.path(), &database, &ports[0]);
    let paused = other.pid();
    signal(paused, Signal::STOP);
    assert!(
        back.next_object().expect("the lead is taken from a silent leader")["grpc"].is_string()
    );
    let epoch = number(&database, "SELECT epoch FROM leadership");
    signal(paused, Signal::CONT);
    goes_on(first.path(), &id);
    assert_eq!(
        number(&database, "SELECT epoch FROM leadership"),
        epoch,
        "the old leader leads no more"
    );

    // The one that was stopped is the standby now.
    back.kill();
    let show = ["runs", "show", &id, "--json"];
    until("the one that was stopped leads again", || {
        elomill(second.path(), &show).output().expect("the command starts").status.success()
    });
    goes_on(second.path(), &id);
    good(second.path(), &["runs", "stop", &id, "--reason", "seen enough"]);
    let replay = object(second.path(), &["runs", "replay", &id, "--json"]);
    assert_eq!(replay["matches_stored"], true, "{replay}");
    let contradictions = number(
        &database,
        "SELECT (SELECT ll + ld + dd + dw + ww FROM runs LIMIT 1) - (SELECT count(*) FROM pairs)",
    );
    assert_eq!(contradictions, 0, "every counted pair is in the ledger, once");
    drop(worker);
    assert!(other.interrupt().success());
    postgres.stop().expect("it stops");
}

/// A worker that does not outlive a failed test.
struct Guard(std::process::Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // Gone already, perhaps.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
