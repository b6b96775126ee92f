//! A volunteer joins by a link: real processes, real TLS, a real ledger.

use crate::support::{Running, data_dir, elomill, file, good, object};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const TUNE: &str = r#"name = "for volunteers"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 60
[tune]
pairs = 40
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
"#;

/// A house that only coordinates.
pub(crate) fn coordinator(folder: &Path) -> Running {
    let mut house =
        Running::start(folder, &["up", "--json", "--no-worker", "--listen", "127.0.0.1:0"]);
    let told = house.next_object().expect("the house says where it is");
    assert!(told["grpc"].as_str().is_some_and(|url| url.starts_with("https://127.")), "{told}");
    house
}

pub(crate) fn link(folder: &Path, options: &[&str]) -> String {
    let invited = object(folder, &[&["invite", "--json"], options].concat());
    invited["link"].as_str().expect("a link").to_owned()
}

/// A worker with a state directory of its own, and what it says on stderr.
pub(crate) struct Volunteer {
    child: Child,
    said: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Volunteer {
    pub(crate) fn start(state: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
        for name in ["ELOMILL_COORDINATOR", "ELOMILL_WORKER_STATE", "ELOMILL_LOG"] {
            command.env_remove(name);
        }
        let mut child = command
            .arg("worker")
            .args(args)
            .args(["--slots", "1", "--state-dir"])
            .arg(state)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the worker starts");
        let said = BufReader::new(child.stderr.take().expect("stderr is a pipe")).lines();
        Self { child, said }
    }

    /// Everything up to a line that holds this text; fails when the worker ends before.
    pub(crate) fn says(&mut self, text: &str) -> String {
        let mut heard = String::new();
        for line in self.said.by_ref() {
            let line = line.expect("stderr is text");
            heard.push_str(&line);
            heard.push('\n');
            if line.contains(text) {
                return heard;
            }
        }
        panic!("`{text}` was never said: {heard}");
    }

    /// Why it gave up.
    fn refusal(mut self) -> String {
        let status = self.child.wait().expect("it ends");
        let said: Vec<String> = self.said.by_ref().map_while(Result::ok).collect();
        assert!(!status.success(), "{said:?}");
        said.join("\n")
    }
}

impl Drop for Volunteer {
    fn drop(&mut self) {
        // One that has ended is only reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_volunteer_joins_by_a_link_plays_is_remembered_and_is_revoked() {
    let folder = data_dir();
    let house = coordinator(folder.path());
    let state = data_dir();
    let mut volunteer = Volunteer::start(state.path(), &["join", &link(folder.path(), &[])]);
    volunteer.says("joined as key");
    volunteer.says("connected");
    let path = file(folder.path(), "tune.toml", TUNE);
    let filed = object(folder.path(), &["tune", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    let mut watch = Running::start(folder.path(), &["watch", &id, "--json"]);
    let mut last = Value::Null;
    while let Some(state) = watch.next_object() {
        last = state;
    }
    assert_eq!((&last["state"], &last["counted_pairs"]), (&"finished".into(), &40.into()));
    assert!(watch.end().success());
    drop(volunteer);
    #[cfg(unix)]
    for secret in [state.path().join("key.pem"), folder.path().join("control.key")] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&secret).expect("the key is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", secret.display());
    }

    // Without a link the second time.
    let mut volunteer = Volunteer::start(state.path(), &[]);
    volunteer.says("connected");
    let keys = good(folder.path(), &["keys", "list", "--json"]);
    let keys: Vec<Value> =
        keys.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let worker = keys.iter().find(|key| key["owner"] == "volunteers").expect("its key");
    assert_eq!(worker["role"], "worker");
    assert!(worker["worker"].is_i64(), "{worker}");
    let number = worker["id"].to_string();
    good(folder.path(), &["keys", "revoke", &number, "--reason", "sold the machine"]);
    let said = volunteer.says("was revoked");
    assert!(said.contains("sold the machine"), "{said}");
    assert!(house.interrupt().success());
}

#[test]
fn a_link_that_is_wrong_says_how() {
    let folder = data_dir();
    let house = coordinator(folder.path());
    let state = data_dir();
    let good = link(folder.path(), &[]);
    let (front, fingerprint) = good.split_once('#').expect("a pinned link");
    let flipped: String = fingerprint.chars().rev().collect();
    let wrong = format!("{front}#{flipped}");
    let refused = Volunteer::start(state.path(), &["join", &wrong]).refusal();
    assert!(refused.contains(&format!("has the fingerprint {fingerprint}")), "{refused}");
    assert!(!state.path().join("coordinator").exists());

    let torn = Volunteer::start(state.path(), &["join", &good[..good.len() - 1]]).refusal();
    assert!(torn.contains("fingerprint behind # is not of 64"), "{torn}");

    let one = data_dir();
    Volunteer::start(one.path(), &["join", &good]).says("joined as key");
    let used_up = Volunteer::start(state.path(), &["join", &good]).refusal();
    assert!(used_up.contains("used up: 1 of 1 keys"), "{used_up}");
    let nowhere = Volunteer::start(data_dir().path(), &[]).refusal();
    assert!(nowhere.contains("elomill worker join LINK"), "{nowhere}");
    assert!(house.interrupt().success());
}

#[test]
fn a_guest_sees_and_steers_nothing() {
    let folder = data_dir();
    let house = coordinator(folder.path());
    let path = file(folder.path(), "tune.toml", TUNE);
    let filed = object(folder.path(), &["tune", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    let guest = data_dir();
    let url = object(folder.path(), &["invite", "--json", "--role", "read-only"]);
    let link = url["link"].as_str().expect("a link").to_owned();
    let address = link.replace("elomill://", "https://");
    let address = format!(
        "{}#{}",
        address.rsplit_once('/').expect("a token").0,
        address.rsplit_once('#').expect("a pin").1
    );
    // Before it has logged in nobody knows it.
    let output = elomill(guest.path(), &["runs", "list", "--coordinator", &address]).output();
    let error = String::from_utf8(output.expect("it starts").stderr).expect("text");
    assert!(error.contains("does not know the key") && error.contains("\nhint: "), "{error}");
    good(guest.path(), &["login", &link]);
    assert!(good(guest.path(), &["runs", "list"]).contains("for volunteers"));
    for args in [vec!["runs", "pause", &id], vec!["keys", "list"], vec!["invite"]] {
        let output = elomill(guest.path(), &args).output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{args:?}");
        assert!(error.contains("has the role read-only; this needs"), "{args:?}: {error}");
    }
    assert_eq!(object(folder.path(), &["runs", "show", &id, "--json"])["state"], "running");
    assert!(house.interrupt().success());
}

/// What `worker doctor` finds for a state directory.
fn doctor(state: &Path, options: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
    let output = command
        .args(["worker", "doctor", "--json", "--slots", "1"])
        .args(options)
        .arg("--state-dir")
        .arg(state)
        .env_remove("ELOMILL_COORDINATOR")
        .output()
        .expect("it starts");
    let text = crate::support::said(&["doctor"], &output);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_doctor_tells_the_reason_that_the_coordinator_has() {
    let folder = data_dir();
    let house = coordinator(folder.path());
    let state = data_dir();
    let mut volunteer = Volunteer::start(state.path(), &["join", &link(folder.path(), &[])]);
    volunteer.says("no run is open");
    let found = doctor(state.path(), &[]);
    assert_eq!(found["speeds"].as_array().map(Vec::len), Some(5), "{found}");
    let asked = &found["coordinator"]["Ok"];
    assert_eq!((&asked["idle_reason"], &asked["connected"]), (&"no_open_run".into(), &true.into()));
    assert_eq!(asked["owner"], "volunteers");

    let pause = |what: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
        let done = command.args(["worker", what, "--state-dir"]).arg(state.path()).status();
        assert!(done.expect("it starts").success());
    };
    pause("pause");
    volunteer.says("resting");
    let path = file(
        folder.path(),
        "tune.toml",
        &TUNE.replace("nodes = 60", "nodes = 60\nhash_kib = 16384"),
    );
    let filed = object(folder.path(), &["tune", path.to_str().expect("plain"), "--json"]);
    let id = filed["id"].to_string();
    let reason = |options: &[&str]| {
        doctor(state.path(), options)["coordinator"]["Ok"]["idle_reason"].clone()
    };
    assert_eq!(reason(&["--only", "chess"]), "not_offered");
    assert_eq!(reason(&["--only", "99"]), "not_offered");
    assert_eq!(reason(&["--memory", "2"]), "memory");
    let found = doctor(state.path(), &[]);
    assert_eq!(found["coordinator"]["Ok"]["idle_reason"], "");
    assert!(found["rests"].as_str().is_some_and(|why| why.starts_with("paused")), "{found}");
    let run = object(folder.path(), &["runs", "show", &id, "--json"]);
    assert_eq!((&run["counted_pairs"], &run["leased_pairs"]), (&0.into(), &0.into()), "{run}");
    pause("resume");
    volunteer.says("playing again");
    let mut watch = Running::start(folder.path(), &["watch", &id, "--json"]);
    let mut last = Value::Null;
    while let Some(state) = watch.next_object() {
        last = state;
    }
    assert_eq!(last["counted_pairs"], 40);
    assert_eq!(reason(&[]), "no_open_run");
    assert!(house.interrupt().success());
}
