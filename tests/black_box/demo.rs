//! The main job, end to end, at a tiny budget: a real engine, real gRPC, a real Postgres.

use crate::support::{data_dir, elomill, file, good, object, said, signal, up};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const TINY: [&str; 6] = ["demo", "--nodes", "60", "--listen", "127.0.0.1:0", "--no-download"];

fn with(more: &[&'static str]) -> Vec<&'static str> {
    [TINY.as_slice(), more].concat()
}

#[test]
fn the_demo_tunes_tests_and_says_what_came_of_it() {
    let folder = data_dir();
    let args = with(&["--pairs", "24", "--seed", "5"]);
    let output = elomill(folder.path(), &args).output().expect("it starts");
    let data = said(&args, &output);
    for part in ["lmr_base", "moved by c_end", "pentanomial  [", "LLR ", "Elo ", "verdict "] {
        assert!(data.contains(part), "{part:?} is not in\n{data}");
    }
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("tuning 8 parameters") && talk.contains("/runs/1"), "{talk}");
    let next = talk.split_once("what to type next:").expect("what comes next").1;
    assert_eq!(next.trim().lines().filter(|line| line.contains("elomill ")).count(), 3, "{talk}");

    // It is over: the next demo is a new one, and its result is one object.
    let result = object(folder.path(), &with(&["--pairs", "16", "--json"]));
    let (tune, test) = (&result["tune"], &result["test"]);
    assert_eq!((&tune["id"], &tune["state"]), (&Value::from(3), &Value::from("finished")));
    assert_eq!(tune["counted_pairs"], 16);
    assert_eq!(tune["spec"]["job"]["tune"]["parameters"].as_array().map(Vec::len), Some(8));
    assert_eq!((&test["id"], &test["state"]), (&Value::from(4), &Value::from("finished")));
    assert_eq!(test["spec"]["job"]["test"]["candidate_run"], 3);
    let verdict = test["progress"]["test"]["verdict"].as_str().expect("a verdict");
    assert!(["accepted", "rejected", "inconclusive"].contains(&verdict), "{verdict}");
    assert_eq!(object(folder.path(), &["db", "status", "--json"])["running"], false);
}

#[test]
fn an_interrupted_demo_goes_on_at_the_next_start() {
    let folder = data_dir();
    let mut demo = elomill(folder.path(), &with(&["--pairs", "400"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut talk = BufReader::new(demo.stderr.take().expect("a pipe")).lines();
    let mut line = || talk.next().and_then(Result::ok);
    while let Some(text) = line() {
        // The first state of the tune: it is filed, and it plays.
        if text.starts_with("tune 1: 0 of 400 pairs") {
            signal(demo.id(), Signal::INT);
        }
        if text.starts_with("hint: ") {
            assert!(text.contains("goes on with it"), "{text}");
        }
    }
    assert!(!demo.wait().expect("it ends").success());
    let args = with(&["--json"]);
    let output = elomill(folder.path(), &args).output().expect("it starts");
    let result: Value = serde_json::from_str(&said(&args, &output)).expect("an object");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("going on with the demo of an earlier start (run 1)"), "{talk}");
    assert_eq!((&result["tune"]["id"], &result["tune"]["counted_pairs"]), (&1.into(), &400.into()));
}

#[test]
fn the_small_examples_run_to_their_end() {
    let folder = data_dir();
    let house = up(folder.path());
    for (kind, name) in [("tune", "tictactoe-tune.toml"), ("test", "tictactoe-test.toml")] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
        let path = path.to_str().expect("plain").to_owned();
        let args = [kind, path.as_str(), "--follow"];
        let text = good(folder.path(), &args);
        assert!(text.contains("state        finished"), "{text}");
    }
    // The candidate of a test may be the result of a tune.
    let text = "name = \"from a tune\"\ngame = \"tictactoe\"\ncandidate_run = 1\n[limit]\n\
                nodes = 60\n[test]\nmax_pairs = 8\n";
    let path = file(folder.path(), "from.toml", text);
    let filed = object(folder.path(), &["test", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    good(folder.path(), &["watch", &id]);
    let run = object(folder.path(), &["runs", "show", &id, "--json"]);
    let job = &run["spec"]["job"]["test"];
    assert_eq!(job["candidate_run"], 1);
    assert_eq!(job["base"]["lmr_base"], 0.5);
    assert_eq!(job["base"]["razor_depth"], job["candidate"]["razor_depth"]);

    // Steering: a run that is over cannot be paused, and an unknown one is not found.
    for (args, part) in [
        (["runs", "pause", "1"], "finished"),
        (["runs", "stop", "99"], "99"),
        (["runs", "show", "99"], "99"),
    ] {
        let output = elomill(folder.path(), &args).output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(part), "{args:?}: {error}");
        assert!(error.contains("hint: "), "{args:?}: {error}");
    }
    let listed = good(folder.path(), &["runs", "--json"]);
    assert_eq!(listed.lines().count(), 3);
    let workers = object(folder.path(), &["workers", "--json"]);
    assert_eq!((&workers["slots"], &workers["connected"]), (&2.into(), &true.into()));
    assert!(house.interrupt().success());
}
