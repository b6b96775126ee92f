//! `elomill book` as scripts use it: a measurement that goes on after Ctrl-C, openings picked from it, and
//! faults told by their lines.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn book(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
    command.arg("book").args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, words: &str) -> Output {
    book(folder, words).output().expect("the command starts")
}

fn objects(output: &Output) -> Vec<serde_json::Value> {
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    let read =
        |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}: {errors}"));
    text.lines().map(read).collect()
}

const MEASURE: &str =
    "measure --game tictactoe --nodes 30 --pairs-per-opening 4 --threads 2 --json";

#[test]
fn openings_are_measured_kept_and_picked() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let first = run(folder, MEASURE);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let rows = objects(&first);
    assert_eq!(rows.len(), 24);
    assert!(rows.iter().all(|row| row["games"] == 8), "{rows:?}");
    // What is kept is the same whoever plays it, and is not played again.
    let kept = std::fs::read_to_string(folder.join("tictactoe.measured")).expect("kept");
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let other = run(folder, &format!("{MEASURE} --threads 1 --out one").replace("--threads 2", ""));
    assert_eq!(other.stdout, first.stdout);
    let one = std::fs::read_to_string(folder.join("one")).expect("kept");
    assert_eq!(sorted(&one), sorted(&kept));
    let again = run(folder, MEASURE);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(std::fs::read_to_string(folder.join("tictactoe.measured")).expect("kept"), kept);
    // Cut off in the middle, it goes on.
    let half = kept.len() / 2;
    std::fs::write(folder.join("tictactoe.measured"), &kept[..half]).expect("cut");
    assert_eq!(run(folder, MEASURE).stdout, first.stdout);
    let table = run(folder, &MEASURE.replace("--json", ""));
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("deviation of a pair, Elo") && table.contains("by expected variance"));

    let pick = "pick tictactoe.measured --count 6 --out small.epd --json";
    let picked = objects(&run(folder, pick)).remove(0);
    assert_eq!(
        (&picked["picked"]["openings"], &picked["measured"]["openings"]),
        (&6.into(), &24.into())
    );
    let number = |part: &str, key: &str| picked[part][key].as_f64().expect("a number");
    assert!(number("picked", "information") >= number("measured", "information"), "{picked}");
    let census = objects(&run(folder, "stats small.epd --game tictactoe --json")).remove(0);
    assert_eq!((&census["openings"], &census["distinct"]), (&6.into(), &6.into()));
    assert_eq!(
        (&census["plies"], &census["sha256"]),
        (&serde_json::json!({"2": 6}), &picked["sha256"])
    );
    let too_many = run(folder, "pick tictactoe.measured --count 25");
    let errors = String::from_utf8_lossy(&too_many.stderr).into_owned();
    assert!(!too_many.status.success() && errors.contains("only 24 of 24"), "{errors}");
}

#[test]
fn faults_of_a_book_are_told_by_their_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text = "# mine\nx../.../... o\nnonsense\nx../.../... o\nxxx/oo./... o\n";
    std::fs::write(folder.join("b.epd"), text).expect("written");
    let stats = run(folder, "stats b.epd --game tictactoe");
    let said = String::from_utf8_lossy(&stats.stdout).into_owned();
    assert_eq!(stats.status.code(), Some(1));
    for part in ["openings      2, 1 distinct", "line 4 is line 2 again", "line 3: ", "line 5: "] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let refused = run(folder, "measure b.epd --game tictactoe");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{errors}");
    assert!(errors.contains("line 3: ") && errors.contains("line 5: "), "{errors}");
    for (words, part) in [
        ("measure --game tictactoe --odds 0.5", "--odds 0.5: allowed: 1 to 100"),
        ("measure --game tictactoe --jitter NaN", "--jitter NaN: allowed: 0 to 0.9"),
        ("measure none --game tictactoe", "cannot read the openings none"),
        ("pick b.epd --count 1", "b.epd is no measurement"),
        ("pick none --count 1", "cannot read none"),
    ] {
        let output = run(folder, words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains(part), "{words}: {errors}");
    }
    assert!(!folder.join("tictactoe.measured").exists(), "a refused command leaves nothing behind");
}

/// The first Ctrl-C ends a measurement; what was played is kept, and the same command goes on.
#[cfg(unix)]
#[test]
fn a_measurement_goes_on_after_ctrl_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let words =
        "measure --game xiangqi --nodes 200 --openings 6 --pairs-per-opening 40 --max-plies 60";
    let mut running = book(folder, words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let lines = || {
        let text = std::fs::read_to_string(folder.join("xiangqi.measured")).unwrap_or_default();
        text.lines().count()
    };
    while lines() < 4 {
        assert!(
            running.try_wait().expect("it is there").is_none(),
            "it ended before it was told to"
        );
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = i32::try_from(running.id()).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::INT).expect("told");
    let ended = running.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("the same command goes on"));
    let kept = lines();
    assert!(kept < 1 + 6 * 40, "all was played before the signal came");
    assert_eq!(
        run(folder, &words.replace("per-opening 40", "per-opening 2")).status.code(),
        Some(0)
    );
    assert!(lines() >= kept, "nothing is lost");
}
