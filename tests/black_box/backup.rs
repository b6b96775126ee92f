//! I19: a restored backup keeps what the ledger promises; and no program works on a schema that is
//! newer than itself.

use crate::kill;
use crate::support::{data_dir, elomill, good, object, up, workers_of};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// A command that must fail; what it says.
fn refused(folder: &Path, args: &[&str]) -> String {
    let output: Output = elomill(folder, args).output().expect("the command starts");
    assert!(!output.status.success(), "{args:?} succeeded");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a statement in the private Postgres.
fn psql(folder: &Path, statement: &str) {
    let done = Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["db", "--data-dir"])
        .arg(folder)
        .args(["psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statement])
        .output()
        .expect("the command starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn i19_a_restored_backup_goes_on_where_the_snapshot_stood() {
    let first = data_dir();
    let house = up(first.path());
    let (id, watch) = kill::begin(first.path());
    let kept = first.path().join("kept.backup");
    let kept_text = kept.to_str().expect("plain");
    let written = object(first.path(), &["backup", kept_text, "--json"]);
    assert!(written["pairs"].as_u64().is_some_and(|pairs| pairs >= kill::PAIRS / 3), "{written}");
    assert_eq!(written["bytes"], std::fs::metadata(&kept).expect("the file").len());
    let again = refused(first.path(), &["backup", kept_text]);
    assert!(again.contains("is there already"), "{again}");

    // The worker plays on, and is cut off with work that the backup knows nothing of.
    let workers = workers_of(house.pid());
    house.kill();
    drop(watch);
    for worker in workers {
        while Path::new(&format!("/proc/{worker}")).exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    good(first.path(), &["db", "stop"]);

    let second = data_dir();
    let restored = object(second.path(), &["restore", kept_text, "--json"]);
    for figure in ["schema", "runs", "reports", "pairs"] {
        assert_eq!(restored[figure], written[figure], "{figure}");
    }
    let again = refused(second.path(), &["restore", kept_text]);
    assert!(again.contains("not empty") && again.contains("\nhint: "), "{again}");

    // The same worker comes back, with leases and pairs from after the snapshot.
    std::fs::rename(first.path().join("worker"), second.path().join("worker")).expect("moved");
    let house = up(second.path());
    let watch = crate::support::Running::start(second.path(), &["watch", &id, "--json"]);
    assert_eq!(kill::counted(&kill::to_the_end(watch)), kill::PAIRS);
    kill::reconcile(second.path(), &id);
    kill::close(second.path(), house);
}

#[test]
fn a_ledger_of_a_later_version_is_refused_by_all() {
    let folder = data_dir();
    let folder = folder.path();
    let none = refused(folder, &["backup", folder.join("none").to_str().expect("plain")]);
    assert!(none.contains("holds no ledger"), "{none}");
    let house = up(folder);
    assert!(house.interrupt().success());
    psql(
        folder,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'of tomorrow', true, '', 0)",
    );
    let told = refused(folder, &["up", "--listen", "127.0.0.1:0"]);
    assert!(told.contains("later version") && told.contains("9999"), "{told}");
    let unwritten = folder.join("unwritten");
    let told = refused(folder, &["backup", unwritten.to_str().expect("plain")]);
    assert!(told.contains("later version"), "{told}");
    assert!(!unwritten.exists());

    // A file of that version, made by its own means.
    good(folder, &["db", "start"]);
    let status: Value = object(folder, &["db", "status", "--json"]);
    let search = pgbox::Search::new(&pgbox::Environment::read(), folder);
    let programs = search.find().expect("a Postgres");
    let newer = folder.join("newer.backup");
    let dumped = Command::new(programs.best().bin_dir.join("pg_dump"))
        .args(["--format=custom", "--username", pgbox::USER, "--host"])
        .arg(status["socket_dir"].as_str().expect("a socket"))
        .arg("--file")
        .arg(&newer)
        .arg(pgbox::DATABASE)
        .output()
        .expect("pg_dump is beside the server");
    assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
    good(folder, &["db", "stop"]);
    let fresh = data_dir();
    let told = refused(fresh.path(), &["restore", newer.to_str().expect("plain")]);
    assert!(told.contains("later version") && told.contains("9999"), "{told}");
    // Nothing half-done stays: the database is as empty as before.
    std::fs::write(folder.join("text"), "no backup").expect("written");
    let told = refused(fresh.path(), &["restore", folder.join("text").to_str().expect("plain")]);
    assert!(told.contains("no backup that this machine can read"), "{told}");
    let house = up(fresh.path());
    assert!(house.interrupt().success());
}
