//! I2: a kill -9 of any process in the middle of a tune loses no pair and counts none twice; the
//! same run goes on and ends.

use crate::support::{Running, data_dir, elomill, file, good, object, signal, up, workers_of};
use rustix::process::Signal;
use serde_json::Value;
use sqlx::{ConnectOptions, Connection, Row};
use std::path::Path;

pub(crate) const PAIRS: u64 = 1200;

/// Quick games, so that a kill falls among many leases.
const TUNE: &str = r#"name = "to be killed"
game = "tictactoe"
seed = 3
lease_pairs = 4
[limit]
nodes = 120
[tune]
pairs = 1200
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
[[parameter]]
name = "lmp_base"
c_end = 6
r_end = 0.02
"#;

/// Files the tune and watches it until a third is counted.
pub(crate) fn begin(folder: &Path) -> (String, Running) {
    let path = file(folder, "tune.toml", TUNE);
    let filed = object(folder, &["tune", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    let mut watch = Running::start(folder, &["watch", &id, "--json"]);
    loop {
        let state = watch.next_object().expect("the tune is not over yet");
        if counted(&state) >= PAIRS / 3 {
            assert_eq!(state["state"], "running", "the tune was too quick to be killed");
            return (id, watch);
        }
    }
}

pub(crate) fn counted(run: &Value) -> u64 {
    run["counted_pairs"].as_u64().expect("a count")
}

/// Watches on to the end of the run.
pub(crate) fn to_the_end(mut watch: Running) -> Value {
    let mut last = None;
    while let Some(state) = watch.next_object() {
        // What was shown once stays counted: acknowledged is durable.
        let before = last.as_ref().map_or(0, counted);
        assert!(counted(&state) >= before, "{} after {before}", counted(&state));
        last = Some(state);
    }
    assert!(watch.end().success());
    last.expect("at least one state")
}

/// The run as shown against the sums of the ledger, to the pair.
pub(crate) fn reconcile(folder: &Path, id: &str) {
    let run = object(folder, &["runs", "show", id, "--json"]);
    assert_eq!(run["state"], "finished", "{run}");
    assert_eq!(counted(&run), PAIRS);
    let status = object(folder, &["db", "status", "--json"]);
    let socket = status["socket_dir"].as_str().expect("a socket");
    let options = sqlx::postgres::PgConnectOptions::new_without_pgpass()
        .socket(socket)
        .username(pgbox::USER)
        .database(pgbox::DATABASE);
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let row = runtime.block_on(async {
        let mut ledger = options.connect().await.expect("the ledger answers");
        let row = sqlx::query(
            "SELECT
                (SELECT array[sum(ll), sum(ld), sum(dd), sum(dw), sum(ww)]::bigint[]
                   FROM reports WHERE run_id = $1) AS cells,
                (SELECT array[sum(wins), sum(draws), sum(losses)]::bigint[]
                   FROM reports WHERE run_id = $1) AS games,
                (SELECT count(*) FROM reports WHERE run_id = $1) AS reports,
                (SELECT count(*) FROM pairs WHERE run_id = $1) AS pairs,
                (SELECT count(DISTINCT pair_index) FROM pairs WHERE run_id = $1) AS different,
                (SELECT count(*) FROM leases WHERE run_id = $1 AND state = 'active') AS active",
        )
        .bind(id.parse::<i64>().expect("an id"))
        .fetch_one(&mut ledger)
        .await
        .expect("the sums");
        ledger.close().await.expect("closed");
        row
    });
    let shown = |value: &Value| -> Vec<i64> {
        value.as_array().expect("a list").iter().filter_map(Value::as_i64).collect()
    };
    let tally = &run["tally"];
    assert_eq!(row.get::<Vec<i64>, _>("cells"), shown(&tally["pentanomial"]));
    let wdl = &tally["wdl"];
    let games = ["wins", "draws", "losses"].map(|name| wdl[name].as_i64().expect("a count"));
    assert_eq!(row.get::<Vec<i64>, _>("games"), games);
    let pairs = i64::try_from(PAIRS).expect("small");
    assert_eq!(row.get::<i64, _>("pairs"), pairs);
    assert_eq!(row.get::<i64, _>("different"), pairs, "a pair was counted twice");
    assert_eq!(row.get::<i64, _>("active"), 0);
    assert_eq!(Some(row.get::<i64, _>("reports")), run["reports"].as_i64());
    let replay = object(folder, &["runs", "replay", id, "--json"]);
    assert_eq!(replay["matches_stored"], true);
}

/// A clean end leaves nothing running.
pub(crate) fn close(folder: &Path, house: Running) {
    let workers = workers_of(house.pid());
    assert!(house.interrupt().success());
    for worker in workers {
        assert!(!Path::new(&format!("/proc/{worker}")).exists(), "worker {worker} is left");
    }
    assert_eq!(object(folder, &["db", "status", "--json"])["running"], false);
    assert!(!folder.join("endpoint.json").exists());
}

#[test]
fn i2_a_killed_worker_is_replaced_and_the_tune_goes_on() {
    let folder = data_dir();
    let house = up(folder.path());
    let (id, watch) = begin(folder.path());
    let workers = workers_of(house.pid());
    assert_eq!(workers.len(), 1);
    signal(workers[0], Signal::KILL);
    assert_eq!(counted(&to_the_end(watch)), PAIRS);
    assert_ne!(workers_of(house.pid()), workers);
    reconcile(folder.path(), &id);
    close(folder.path(), house);
}

#[test]
fn i2_a_killed_postgres_is_started_again_and_the_tune_goes_on() {
    let folder = data_dir();
    let house = up(folder.path());
    let (id, watch) = begin(folder.path());
    let status = object(folder.path(), &["db", "status", "--json"]);
    let pid = status["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("a pid");
    signal(pid, Signal::KILL);
    assert_eq!(counted(&to_the_end(watch)), PAIRS);
    reconcile(folder.path(), &id);
    close(folder.path(), house);
}

#[test]
fn i2_a_killed_coordinator_is_followed_by_another_and_the_tune_goes_on() {
    let folder = data_dir();
    let house = up(folder.path());
    let (id, watch) = begin(folder.path());
    house.kill();
    // The same folder: what the ledger and the worker's spool have is taken up.
    let house = up(folder.path());
    assert_eq!(counted(&to_the_end(watch)), PAIRS);
    reconcile(folder.path(), &id);
    close(folder.path(), house);
}

#[test]
fn a_second_house_in_the_same_folder_is_refused_by_name() {
    let folder = data_dir();
    let house = up(folder.path());
    let output = elomill(folder.path(), &["up"]).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(error.contains(&format!("the process {} already runs", house.pid())), "{error}");
    assert!(error.contains("\nhint: "), "{error}");
    assert!(good(folder.path(), &["runs", "list", "--json"]).is_empty());
    close(folder.path(), house);
}
