//! Two real workers of two owners check each other's games with the real engine, and the command says
//! whose results count.

use crate::joining::{Volunteer, coordinator, link};
use crate::support::{data_dir, elomill, file, good, object};
use serde_json::Value;
use std::path::Path;

const MATCH: &str = r#"name = "checked"
game = "xiangqi"
seed = 5
lease_pairs = 2
canaries = "20%"
[limit]
nodes = 40
max_plies = 40
[candidate]
lmr_base = 0.75
[base]
lmr_base = 0.5
[test]
pairs = 24
"#;

fn workers(folder: &Path) -> Vec<Value> {
    let text = good(folder, &["workers", "list", "--json"]);
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

fn shown(folder: &Path, run: &str) -> Value {
    let mut run = object(folder, &["runs", "show", run, "--json"]);
    // Live, or by another clock once it is read from the ledger.
    for moving in ["pairs_per_second", "created_at_unix_ms", "ended_at_unix_ms"] {
        run[moving] = Value::Null;
    }
    run
}

#[test]
fn workers_check_each_other_and_what_they_brought_goes_and_comes_back() {
    let folder = data_dir();
    let folder = folder.path();
    let house = coordinator(folder);
    let (one, two) = (data_dir(), data_dir());
    let mut anna = Volunteer::start(one.path(), &["join", &link(folder, &["--owner", "anna"])]);
    let mut bert = Volunteer::start(two.path(), &["join", &link(folder, &["--owner", "bert"])]);
    anna.says("connected");
    bert.says("connected");
    let path = file(folder, "match.toml", MATCH);
    let run = object(folder, &["test", path.to_str().expect("plain"), "--json"])["id"].to_string();
    let share = object(folder, &["runs", "explain", &run, "--json"]);
    assert_eq!((&share["due_share"], &share["able_workers"]), (&1.0.into(), &2.into()), "{share}");
    assert!(good(folder, &["runs", "explain", &run]).contains("100.0 % of all work"));
    good(folder, &["watch", &run, "--json"]);

    // Checks go on after the run: until each that had pairs has some that came out the same.
    let audited = |worker: &Value| worker["audited_pairs"].as_u64() > Some(0);
    while !workers(folder).iter().all(|w| w["counted_pairs"] == 0 || audited(w)) {
        std::thread::yield_now();
    }
    for worker in workers(folder) {
        assert_eq!((&worker["mismatched_pairs"], &worker["on_hold"]), (&0.into(), &"".into()));
    }
    let before = shown(folder, &run);
    assert_eq!(before["counted_pairs"], 24);
    assert!(before["audited_pairs"].as_u64() > Some(0), "{before}");
    assert!(good(folder, &["runs", "show", &run]).contains("came out the same when another"));

    let all = workers(folder);
    let most = all.iter().max_by_key(|worker| worker["counted_pairs"].as_u64()).expect("two");
    let worker = most["id"].to_string();
    let previewed =
        object(folder, &["workers", "exclude", &worker, "--run", &run, "--preview", "--json"]);
    let effect = &previewed["effects"][0];
    assert_eq!(effect["before"]["counted_pairs"], 24);
    assert_eq!(effect["after"]["excluded_pairs"], most["counted_pairs"]);
    let words = ["workers", "exclude", &worker, "--run", &run];
    let refused = elomill(folder, &words).output().expect("it starts");
    assert!(!refused.status.success(), "without a reason nothing is excluded");
    good(folder, &[&words[..], &["--reason", "to see what it does"]].concat());
    let without = shown(folder, &run);
    assert_eq!(without["excluded_pairs"], most["counted_pairs"]);
    assert_eq!(without["progress"]["test"]["elo"], effect["after"]["progress"]["test"]["elo"]);
    assert_eq!(object(folder, &["runs", "replay", &run, "--json"])["matches_stored"], true);
    let listed = good(folder, &["workers", "list"]);
    assert!(listed.contains("excluded, "), "{listed}");
    assert!(good(folder, &["workers", "exclusions"]).contains("to see what it does"));
    let dossier = good(folder, &["workers", "show", &worker]);
    assert!(dossier.contains("excluded     from run"), "{dossier}");

    good(folder, &["workers", "include", &worker, "--reason", "it was nothing"]);
    let (mut after, mut first) = (shown(folder, &run), before);
    for view in [&mut after, &mut first] {
        // More may have been checked meanwhile.
        view["audited_pairs"] = Value::Null;
    }
    assert_eq!(after, first);
    let held = elomill(folder, &["workers", "release", &worker, "--reason", "x"]).output();
    let held = String::from_utf8_lossy(&held.expect("it starts").stderr).into_owned();
    assert!(held.contains("is not on hold"), "{held}");
    drop((anna, bert));
    assert!(house.interrupt().success());
}
