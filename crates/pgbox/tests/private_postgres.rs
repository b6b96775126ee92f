//! The private Postgres against the real programs of this machine: first start, reuse, recovery
//! after kills, adoption, sharing, stopping, refusals.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests; a panic is a failed test")]

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use pgbox::{
    Binaries, Environment, Error, Found, Lifetime, Origin, PgBox, Released, Revival, Search,
    Settings, Version,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

/// A data directory that a server started by root can reach; in memory where that is possible,
/// because most tests are not about the disk.
fn data_dir() -> TempDir {
    let memory = Path::new("/dev/shm");
    let dir = tempfile::tempdir_in(memory).unwrap_or_else(|_| tempfile::tempdir().unwrap());
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711)).unwrap();
    dir
}

fn found() -> Found {
    Search::new(&Environment::read(), Path::new("/nonexistent")).find().unwrap()
}

fn settings(dir: &Path) -> Settings {
    Settings::new(&Environment::read(), dir, found())
}

/// Runs one statement and returns what it answered.
fn query(postgres: &PgBox, sql: &str) -> String {
    let mut psql = postgres.psql_command().expect("psql stands beside the server programs");
    let output = psql.args(["-X", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql]).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

fn exists(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok()
}

/// Waits for an event that must come.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Another process that holds a `PgBox`, to be killed. It runs the ignored test at the end of this
/// file, on the data directory in the environment, and prints its postmaster's process id.
fn other_process(dir: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "hold_a_server_until_killed", "--nocapture"])
        .env("PGBOX_TEST_HOLD", dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// The process id that the other process printed, once its server answers.
fn server_of(output: &mut impl BufRead) -> i32 {
    let line = output
        .lines()
        .map(Result::unwrap)
        .find_map(|line| Some(line.split_once("postmaster=")?.1.trim().to_owned()));
    line.expect("the holder prints its postmaster").parse().unwrap()
}

#[test]
fn a_first_start_answers_and_a_second_finds_the_data() {
    // On a real disk, with every sync.
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let start = Instant::now();
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    let first = start.elapsed();
    assert_eq!(postgres.origin(), Origin::Created);
    assert_eq!(query(&postgres, "SHOW server_encoding"), "UTF8");
    assert_eq!(query(&postgres, "SHOW listen_addresses"), "");
    assert_eq!(query(&postgres, "SHOW fsync"), "on");
    assert_eq!(query(&postgres, "SHOW data_checksums"), "on");
    assert_eq!(query(&postgres, "SELECT current_user"), postgres.user());
    query(&postgres, "CREATE TABLE t (x int); INSERT INTO t VALUES (42)");
    let pid = postgres.pid();
    assert_eq!(postgres.release().unwrap(), Released::Stopped);
    assert!(!exists(pid), "release waits until the server is gone");

    let start = Instant::now();
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    println!("first start {first:?}, second {:?}", start.elapsed());
    assert_eq!(postgres.origin(), Origin::Started);
    assert_eq!(query(&postgres, "SELECT x FROM t"), "42");
}

#[test]
fn a_killed_server_is_revived_with_what_was_committed() {
    let dir = data_dir();
    let mut postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!(postgres.restart_if_dead().unwrap(), Revival::Alive);
    query(&postgres, "CREATE TABLE t (x int)");
    query(&postgres, "INSERT INTO t VALUES (7)");
    let url = postgres.url("postgres");
    kill(postgres.pid(), Signal::KILL);
    wait_until("the server's death", || !postgres.is_alive());
    assert_eq!(postgres.restart_if_dead().unwrap(), Revival::Restarted);
    assert!(postgres.is_alive());
    assert_eq!(postgres.url("postgres"), url);
    assert_eq!(query(&postgres, "SELECT x FROM t"), "7");
}

#[test]
fn a_start_gets_past_backends_that_outlived_a_killed_postmaster() {
    let dir = data_dir();
    let mut postgres = PgBox::start(settings(dir.path())).unwrap();
    query(&postgres, "CREATE TABLE t (x int); INSERT INTO t VALUES (7)");
    // A backend in a long computation does not notice that its postmaster died.
    let sql = "SELECT count(*) FROM generate_series(1, 4000000000) g WHERE g % 7 = 0";
    let mut busy = postgres.psql_command().unwrap();
    let mut busy = busy
        .args(["-X", "-At", "-c", sql])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let count = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%' \
                 AND state = 'active' AND pid <> pg_backend_pid()";
    wait_until("the busy backend", || query(&postgres, count) == "1");
    kill(postgres.pid(), Signal::KILL);
    wait_until("the server's death", || !postgres.is_alive());
    assert_eq!(postgres.restart_if_dead().unwrap(), Revival::Restarted);
    assert_eq!(query(&postgres, "SELECT x FROM t"), "7");
    assert!(!busy.wait().unwrap().success(), "the session went down with its postmaster");
}

#[test]
fn the_server_of_a_killed_parent_is_adopted_and_stopped_by_the_adopter() {
    let dir = data_dir();
    let (mut parent, mut output) = other_process(dir.path());
    let pid = server_of(&mut output);
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(exists(pid));

    let mut postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!(postgres.origin(), Origin::Adopted);
    assert_eq!(postgres.pid(), pid);
    assert!(postgres.is_alive());
    assert_eq!(query(&postgres, "SELECT 1"), "1");
    drop(postgres);
    assert_eq!(pgbox::status(dir.path()).unwrap().running, None);
}

#[test]
fn an_adopted_server_that_is_killed_is_revived() {
    let dir = data_dir();
    let (mut parent, mut output) = other_process(dir.path());
    let pid = server_of(&mut output);
    parent.kill().unwrap();
    parent.wait().unwrap();
    let mut postgres = PgBox::start(settings(dir.path())).unwrap();
    kill(pid, Signal::KILL);
    wait_until("the server's death", || !postgres.is_alive());
    assert_eq!(postgres.restart_if_dead().unwrap(), Revival::Restarted);
    assert_ne!(postgres.pid(), pid);
    assert_eq!(query(&postgres, "SELECT 1"), "1");
}

#[test]
fn the_last_user_stops_a_shared_server() {
    let dir = data_dir();
    let (mut other, mut output) = other_process(dir.path());
    let pid = server_of(&mut output);
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!((postgres.origin(), postgres.pid()), (Origin::Adopted, pid));
    assert_eq!(postgres.release().unwrap(), Released::InUse);
    assert!(pgbox::status(dir.path()).unwrap().running.is_some());
    // The holder ends at the end of its input, and is the last.
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    assert_eq!(pgbox::status(dir.path()).unwrap().running, None);
}

#[test]
fn a_parent_killed_in_the_middle_of_initdb_leaves_nothing_in_the_way() {
    let dir = data_dir();
    let (mut parent, _output) = other_process(dir.path());
    let in_the_making = || {
        fs::read_dir(dir.path()).unwrap().filter_map(Result::ok).any(|entry| {
            let name = entry.file_name().into_string().unwrap();
            name.starts_with("pg.init-") && entry.path().join("base").exists()
        })
    };
    wait_until("initdb at work", in_the_making);
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(!dir.path().join("pg").exists());

    let postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!(postgres.origin(), Origin::Created);
    assert_eq!(query(&postgres, "SELECT 1"), "1");
}

#[test]
fn a_recorded_process_id_that_now_belongs_to_another_does_not_block() {
    let dir = data_dir();
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    postgres.release().unwrap();
    let file = dir.path().join("pg/postmaster.pid");
    let cluster = dir.path().canonicalize().unwrap().join("pg");
    // A process of the server's own user: Postgres by itself would take it for a running server.
    let another = PgBox::throwaway().unwrap();
    let text = format!("{}\n{}\n1\n5432\n/s\n\n1 2\n", another.pid(), cluster.display());
    fs::write(&file, text).unwrap();
    // As a crashed server would have left it: readable by its user.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!(postgres.origin(), Origin::Started);
    assert_eq!(query(&postgres, "SELECT 1"), "1");
    assert!(exists(another.pid()), "the innocent process is left alone");
}

#[test]
fn a_detached_server_stays_until_it_is_stopped_by_hand() {
    let dir = data_dir();
    assert_eq!(pgbox::status(dir.path()).unwrap().cluster_version, None);
    let postgres = PgBox::start(settings(dir.path()).lifetime(Lifetime::Detached)).unwrap();
    let pid = postgres.pid();
    assert_eq!(postgres.release().unwrap(), Released::Detached);

    let status = pgbox::status(dir.path()).unwrap();
    let running = status.running.unwrap();
    assert_eq!((running.pid, running.lifetime), (pid, Lifetime::Detached));
    assert!(running.answers);
    assert_eq!(status.cluster_version, Some(found().best().version.major));
    assert!(status.size_bytes > 1 << 20);

    // Somebody uses it in between; it stays.
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    assert_eq!((postgres.origin(), postgres.pid()), (Origin::Adopted, pid));
    drop(postgres);
    assert!(pgbox::status(dir.path()).unwrap().running.is_some());

    assert!(pgbox::stop(dir.path()).unwrap());
    assert_eq!(pgbox::status(dir.path()).unwrap().running, None);
    assert!(!pgbox::stop(dir.path()).unwrap());
}

#[test]
fn stop_stops_even_a_server_that_others_use() {
    let dir = data_dir();
    let first = PgBox::start(settings(dir.path())).unwrap();
    let mut second = PgBox::start(settings(dir.path())).unwrap();
    first.stop().unwrap();
    assert!(!second.is_alive());
    assert_eq!(second.restart_if_dead().unwrap(), Revival::Restarted);
    assert_eq!(query(&second, "SELECT 1"), "1");
}

#[test]
fn two_servers_run_side_by_side_and_vanish() {
    let one = PgBox::throwaway().unwrap();
    let two = PgBox::throwaway().unwrap();
    assert_ne!(one.socket_dir(), two.socket_dir());
    query(&one, "CREATE TABLE t (x int)");
    assert_eq!(query(&two, "SELECT to_regclass('t') IS NULL"), "t");
    assert_eq!(query(&one, "SHOW fsync"), "off");
    // A third is made from the template that the first may have left.
    let three = PgBox::throwaway().unwrap();
    assert_eq!(query(&three, "SELECT to_regclass('t') IS NULL"), "t");
    for postgres in [one, two, three] {
        let (dir, socket) = (postgres.data_dir().to_owned(), postgres.socket_dir().to_owned());
        let pid = postgres.pid();
        drop(postgres);
        assert!(!dir.exists() && !socket.exists() && !exists(pid));
    }
}

#[test]
fn a_throwaway_of_a_failed_test_is_kept() {
    let (send, receive) = std::sync::mpsc::channel();
    let test = std::thread::spawn(move || {
        let postgres = PgBox::throwaway().unwrap();
        send.send((postgres.data_dir().to_owned(), postgres.pid())).unwrap();
        panic!("a test fails, on purpose");
    });
    assert!(test.join().is_err());
    let (dir, pid): (PathBuf, i32) = receive.recv().unwrap();
    assert!(!exists(pid), "its server is stopped");
    assert!(dir.join("pg/PG_VERSION").exists() && dir.join("pg.log").exists());
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_cluster_of_another_major_version_is_refused_with_the_ways_out() {
    let dir = data_dir();
    PgBox::start(settings(dir.path())).unwrap().release().unwrap();
    let real = found().best().clone();
    let other = Version { major: real.version.major + 1, minor: 0 };
    let newer = Binaries { version: other, ..real.clone() };
    let asked = Settings::new(&Environment::read(), dir.path(), newer);
    let error = PgBox::start(asked).unwrap_err();
    assert!(matches!(error, Error::VersionMismatch { .. }), "{error}");
    let text = error.to_string();
    for expected in ["ELOMILL_PG_BIN", "pg_upgrade", &real.version.major.to_string()] {
        assert!(text.contains(expected), "{expected} not in {text}");
    }
}

#[test]
fn a_directory_that_is_no_cluster_is_left_alone() {
    let dir = data_dir();
    fs::create_dir(dir.path().join("pg")).unwrap();
    fs::write(dir.path().join("pg/thesis.tex"), "precious").unwrap();
    let error = PgBox::start(settings(dir.path())).unwrap_err();
    assert!(matches!(error, Error::NotACluster { .. }), "{error}");
    assert_eq!(fs::read_to_string(dir.path().join("pg/thesis.tex")).unwrap(), "precious");
}

#[test]
fn a_socket_directory_that_others_can_enter_is_refused() {
    let dir = data_dir();
    let postgres = PgBox::start(settings(dir.path())).unwrap();
    let socket_dir = postgres.socket_dir().to_owned();
    postgres.release().unwrap();
    fs::create_dir(&socket_dir).unwrap();
    fs::set_permissions(&socket_dir, fs::Permissions::from_mode(0o777)).unwrap();
    let error = PgBox::start(settings(dir.path())).unwrap_err();
    fs::remove_dir(&socket_dir).unwrap();
    assert!(matches!(error, Error::SocketDir { .. }), "{error}");
    assert!(error.to_string().contains("777"), "{error}");
}

#[test]
fn a_data_dir_that_the_server_cannot_reach_is_named() {
    if !rustix::process::geteuid().is_root() {
        // Nobody but root changes the user, so there is nothing to reach.
        return;
    }
    let dir = data_dir();
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    let error = PgBox::start(settings(&closed.join("data"))).unwrap_err();
    let Error::NotTraversable { path, .. } = &error else { panic!("{error}") };
    assert_eq!(*path, closed.canonicalize().unwrap());
    assert!(error.to_string().contains("chmod o+x"), "{error}");
}

#[test]
fn a_server_that_cannot_start_shows_its_log() {
    let dir = data_dir();
    PgBox::start(settings(dir.path())).unwrap().release().unwrap();
    let conf = dir.path().join("pg/postgresql.conf");
    let text = fs::read_to_string(&conf).unwrap();
    fs::write(&conf, format!("{text}\nno_such_setting = 1\n")).unwrap();
    let error = PgBox::start(settings(dir.path())).unwrap_err();
    assert!(matches!(error, Error::NotStarted { .. }), "{error}");
    assert!(error.to_string().contains("no_such_setting"), "{error}");
}

#[test]
fn the_throwaway_of_a_killed_process_is_removed_by_the_next() {
    let (mut other, mut output) = other_process(Path::new("throwaway"));
    let pid = server_of(&mut output);
    let cwd = format!("/proc/{pid}/cwd");
    let dir = fs::read_link(cwd).ok().and_then(|pg| Some(pg.parent()?.to_owned()));
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(exists(pid));
    let _next = PgBox::throwaway().unwrap();
    wait_until("the end of the orphaned server", || !exists(pid));
    if let Some(dir) = dir {
        wait_until("the removal of its directory", || !dir.exists());
    }
}

#[test]
#[ignore = "not a test of its own: the process that others kill"]
fn hold_a_server_until_killed() {
    let Some(dir) = std::env::var_os("PGBOX_TEST_HOLD") else { return };
    let postgres = match dir.to_str() {
        Some("throwaway") => PgBox::throwaway().unwrap(),
        _ => PgBox::start(settings(Path::new(&dir))).unwrap(),
    };
    println!("postmaster={}", postgres.pid());
    let mut line = String::new();
    // Ends with the input, when the other side closes it.
    while std::io::stdin().read_line(&mut line).unwrap() > 0 {}
}

#[test]
fn a_box_can_move_to_another_thread() {
    fn assert_send<T: Send + Sync>() {}
    assert_send::<PgBox>();
}
