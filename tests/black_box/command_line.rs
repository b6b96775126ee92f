//! The command as scripts see it: data on stdout, exit status, errors that name the mend.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn elomill(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(args)
        .env_remove("ELOMILL_COORDINATOR")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn good(args: &[&str]) -> String {
    let output = elomill(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("stdout is text")
}

fn bad(args: &[&str]) -> String {
    let output = elomill(args);
    assert!(!output.status.success(), "{args:?} should fail");
    assert!(output.stdout.is_empty(), "{args:?} wrote data and failed");
    String::from_utf8(output.stderr).expect("stderr is text")
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn perft_prints_the_count_last() {
    // Xiangqi from the start: 44 and 1920 are the figures that every program gives. Tic-tac-toe:
    // 9 · 8 · 7.
    for (args, count) in [
        (vec!["--game", "xiangqi", "--depth", "1"], "44"),
        (vec!["--game", "xiangqi", "--depth", "2", "--divide"], "1920"),
        (vec!["--game", "tictactoe", "--depth", "3"], "504"),
        (vec!["--game", "tictactoe", "--depth", "0"], "1"),
        (vec!["--game", "tictactoe", "--depth", "2", "--fen", "xo./.../... x"], "42"),
    ] {
        let out = good(&[vec!["perft"], args.clone()].concat());
        assert_eq!(out.lines().last(), Some(count), "{args:?}");
    }
    let out = good(&["perft", "--game", "xiangqi", "--depth", "2", "--divide", "--json"]);
    let out = json(&out);
    assert_eq!(out["nodes"], 1920);
    let divide = out["divide"].as_object().expect("an object");
    assert_eq!(divide.len(), 44);
    let sum: u64 = divide.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(sum, 1920);
}

#[test]
fn a_bad_position_names_its_field() {
    let error = bad(&["perft", "--game", "xiangqi", "--depth", "1", "--fen", "nonsense"]);
    assert!(error.contains("--fen") && error.contains("allowed"), "{error}");
}

#[test]
fn bench_gives_the_same_signature_twice() {
    let signature = || json(&good(&["bench", "--game", "tictactoe", "--json"]))["nodes"].clone();
    let first = signature();
    assert!(first.as_u64().is_some_and(|nodes| nodes > 0));
    assert_eq!(signature(), first);
    let text = good(&["bench", "--game", "tictactoe"]);
    assert!(text.contains(&format!("signature  {first} nodes")), "{text}");
}

#[test]
fn the_lab_compares_the_family() {
    let game =
        ["lab", "--game", "tictactoe", "--depth", "6", "--order", "random", "--table", "1MB"];
    let out = json(&good(&[&game[..], &["--json"]].concat()));
    let rows = out["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &out["agree"]), (15, &true.into()));
    let of = |name: &str, key: &str| {
        let row = rows.iter().find(|row| row["algorithm"] == name).expect("every algorithm");
        row[key].as_u64().unwrap_or_else(|| panic!("no {key} of {name}"))
    };
    // 9 · 8 · 7 · 6 · 5 · 4 lines of six half-moves, but 1440 games end after five of them.
    assert_eq!(of("minimax", "leaves"), 56_160);
    assert!(of("mtdf", "leaves") < of("alphabeta-hard", "leaves"));
    let text = good(&game);
    assert!(text.starts_with("tictactoe, depth 6, order random, table 1 MB"), "{text}");
    assert_eq!(text.lines().count(), 17, "{text}");

    let tree = ["lab", "tree", "--branching", "5", "--depth", "5", "--leaves", "independent"];
    let tree = [&tree[..], &["--range", "1000", "--order", "random", "--trees", "20"]].concat();
    let text = good(&[&tree[..], &["--algorithms", "alphabeta,sss"]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("minimal tree 149 leaves"), "{text}");
    assert!(lines[2].contains("855.6") && lines[3].contains("646.7"), "{text}");
}

#[test]
fn the_lab_says_what_is_wrong() {
    for (args, named) in [
        ("", "--game"),
        ("--game tictactoe", "--depth"),
        ("--game tictactoe --depth 61", "0..=60"),
        ("--game tictactoe --depth 3 --table 3GB", "allowed: 0, or 1MB to"),
        ("--game tictactoe --depth 3 --fen x", "--fen"),
        ("--game tictactoe --depth 3 --algorithms pvs,mtd", "mtdf"),
        ("--game xiangqi --depth 3 tree --branching 2 --depth 2", "cannot be used"),
        ("tree --branching 0 --depth 3", "1..=1000"),
        ("tree --branching 3 --depth 3 --leaves independent", "hint: --order random"),
    ] {
        let words = args.split_whitespace();
        let error = bad(&["lab"].into_iter().chain(words).collect::<Vec<_>>());
        assert!(error.contains(named), "{args}: {error}");
    }
}

/// A search too long to wait for says how far it is, and ends by Ctrl-C; or gives up by itself.
#[cfg(unix)]
#[test]
fn the_lab_can_be_interrupted() {
    use std::io::BufRead;
    use std::os::unix::process::ExitStatusExt;
    let long = ["lab", "--game", "xiangqi", "--depth", "12", "--algorithms", "minimax"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(long)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let talk = std::io::BufReader::new(child.stderr.take().expect("piped"));
    let first = talk.lines().next().expect("it says something").expect("text");
    assert!(first.starts_with("minimax: ") && first.contains(" leaves after "), "{first}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(2), "{status}");

    let output = elomill(&[&long[..], &["--nodes", "1000"]].concat());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && talk.starts_with("minimax gave up"), "{talk}");
}

#[test]
fn every_form_of_the_parameters_is_read_again() {
    let json_lines = good(&["params", "--game", "xiangqi", "--json"]);
    let known: Vec<model::ParameterDef> = json_lines
        .lines()
        .map(|line| {
            let mut row: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let more = ["group", "meaning"].map(|name| row.remove(name));
            assert!(more.iter().flatten().all(serde_json::Value::is_string), "{line}");
            serde_json::from_value(row.into()).unwrap_or_else(|error| panic!("{error}: {line}"))
        })
        .collect();
    assert!(known.len() >= 100, "{} parameters", known.len());
    let lmr = good(&["params", "--game", "xiangqi", "--json", "--group", "lmr,aspiration"]);
    assert!(lmr.lines().count() > 10 && lmr.lines().count() < known.len() / 4);
    assert!(
        lmr.lines()
            .all(|line| line.contains(r#""group":"lmr""#)
                || line.contains(r#""group":"aspiration""#))
    );

    let head = "name = \"all\"\ngame = \"xiangqi\"\n[limit]\nnodes = 100\n[tune]\npairs = 8\n";
    let text = head.to_owned() + &good(&["params", "--game", "xiangqi", "--format", "toml"]);
    let surroundings = model::file::Surroundings {
        known: &known,
        book_sha256: "0".repeat(64),
        tuned: Vec::new(),
        engines: Vec::new(),
        speed: None,
    };
    let spec = model::file::RunFile::parse(&text)
        .and_then(|file| file.resolve(&surroundings))
        .unwrap_or_else(|findings| panic!("{findings}"));
    let model::spec::Job::Tune(tune) = spec.job else { panic!("no tune") };
    assert_eq!(tune.parameters, known);

    let spsa = good(&["params", "--game", "xiangqi", "--format", "spsa"]);
    for (line, def) in spsa.lines().zip(&known) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), 7, "{line}");
        assert_eq!(fields[0], def.name);
        assert!(["int", "float"].contains(&fields[1]), "{line}");
        let numbers: Vec<f64> = fields[2..].iter().filter_map(|field| field.parse().ok()).collect();
        assert_eq!(numbers, [def.start, def.min, def.max, def.c_end, def.r_end], "{line}");
    }
    assert_eq!(spsa.lines().count(), known.len());
}

#[test]
fn a_sequential_test_is_computed_from_counts() {
    let args = ["stats", "sprt", "--ptnml", "3,40,112,51,6", "--elo1", "10", "--json"];
    let out = json(&good(&args));
    let of = |key: &str| out[key].as_f64().unwrap_or_else(|| panic!("no {key}"));
    assert!((of("upper") - (0.95_f64 / 0.05).ln()).abs() < 1e-12);
    assert!(of("elo_low") < of("elo") && of("elo") < of("elo_high"));
    assert!(of("los") > 0.5 && of("llr").is_finite());
    assert!(of("corrected_elo_low") < of("corrected_elo") && of("corrected_los") > 0.5);
    let error = bad(&["stats", "sprt", "--ptnml", "1,2,3"]);
    assert!(error.contains("five counts"), "{error}");
    let error = bad(&["stats", "sprt", "--ptnml", "1,2,3,2,1", "--elo1", "-3"]);
    assert!(error.contains("elo0 must be less than elo1") && error.contains("\nhint: "), "{error}");
}

#[test]
fn a_sequential_test_is_planned_by_formula_and_by_simulation() {
    let out = json(&good(&["stats", "plan", "--elo1", "40", "--simulate", "300", "--json"]));
    let rows = out["rows"].as_array().expect("rows");
    let at = |elo: f64| rows.iter().find(|row| row["elo"] == elo).expect("the strength is shown");
    for (elo, passes) in [(0.0, 0.05), (20.0, 0.5), (40.0, 0.95)] {
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        let formula = number(&at(elo)["pass_probability"]);
        let simulated = number(&at(elo)["simulated"]["pass_share"]);
        assert!((formula - passes).abs() < 1e-9, "{out}");
        assert!((simulated - passes).abs() < 0.1, "{out}");
    }
    let presets = good(&["stats", "presets"]);
    assert!(presets.contains("young") && presets.contains("11.4"), "{presets}");
    let error = bad(&["stats", "plan", "--draw-ratio", "1"]);
    assert!(error.contains("between 0 and 1") && error.contains("\nhint: "), "{error}");
    let error = bad(&["stats", "plan", "--elo1", "0.01", "--simulate", "1000"]);
    assert!(error.contains("would play") && error.contains("\nhint: "), "{error}");
}

#[test]
fn a_bad_file_is_refused_with_file_line_and_mend() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.toml");
    let text = "name = \"x\"\ngame = \"xiangqi\"\n[limit]\nnodes = 0\n[tune]\npiars = 3\n\
                [[parameter]]\nname = \"lmr_bass\"\n";
    std::fs::write(&path, text).expect("the file is written");
    let path = path.to_str().expect("a path of plain letters");
    let error = bad(&["tune", path, "--check"]);
    for part in [
        "has 3 mistakes",
        &format!("{path}: line 4, `limit.nodes`: found 0; allowed: "),
        &format!("{path}: line 6, `tune.piars`: found an unknown field"),
        "hint: did you mean `pairs`?",
    ] {
        assert!(error.contains(part), "{part:?} is not in\n{error}");
    }
    std::fs::write(path, text.replace("piars", "pairs").replace("= 0", "= 9")).expect("written");
    let error = bad(&["tune", path, "--check"]);
    assert!(error.contains("has a mistake") && error.contains("line 8"), "{error}");
    assert!(error.contains("did you mean `lmr_base`?"), "{error}");
}

#[test]
fn a_bad_book_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("b.epd"), "x../.../... o\nxx./.../... o\n").expect("written");
    let path = folder.path().join("t.toml");
    let text = "name = \"x\"\ngame = \"tictactoe\"\nbook = \"b.epd\"\n[limit]\nnodes = 5\n[tune]\n\
                pairs = 3\n[[parameter]]\nname = \"lmr_base\"\n";
    std::fs::write(&path, text).expect("written");
    let error = bad(&["tune", path.to_str().expect("plain"), "--check"]);
    assert!(error.contains("b.epd: line 2") && error.contains("\nhint: "), "{error}");
}

#[test]
fn the_wrong_command_for_a_file_says_the_right_one() {
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
    let path = examples.join("tictactoe-test.toml");
    let error = bad(&["tune", path.to_str().expect("plain")]);
    assert!(error.contains("describes a test") && error.contains("hint: elomill test "), "{error}");
}

#[test]
fn without_a_coordinator_the_error_says_how_to_start_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().to_str().expect("plain");
    for command in [vec!["runs", "list"], vec!["runs"], vec!["workers"], vec!["watch", "1"]] {
        let error = bad(&[command, vec!["--data-dir", dir]].concat());
        assert!(
            error.contains("no coordinator runs in") && error.contains("`elomill up`"),
            "{error}"
        );
    }
    // A port that nothing listens on: bound here for a moment, so that it is free after.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port();
    let error = bad(&["runs", "list", "--coordinator", &format!("http://127.0.0.1:{port}")]);
    assert!(error.contains("no coordinator answers at") && error.contains("\nhint: "), "{error}");
    let error = bad(&["runs", "list", "--coordinator", "not an address"]);
    assert!(error.contains("https://HOST:PORT"), "{error}");
}

#[test]
fn the_database_of_an_empty_folder_is_said_to_be_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().to_str().expect("plain");
    let out = json(&good(&["db", "status", "--json", "--data-dir", dir]));
    assert_eq!(out["running"], false);
    assert_eq!(out["cluster_version"], serde_json::Value::Null);
}

#[test]
fn completions_name_the_subcommands() {
    let script = good(&["completions", "bash"]);
    assert!(script.contains("demo") && script.contains("perft"), "{script}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["params", "--game", "xiangqi", "--format", "toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Closed before it can be written to the end; a pipe takes less than the whole list only when
    // its reader is gone.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn advice_on_parameters_comes_with_every_match_that_it_rests_on() {
    let args = ["params", "suggest", "--game", "tictactoe", "--pairs", "6", "--nodes", "40"];
    let only = ["--only", "lmr_base,rfp_depth", "--threads", "2"];
    let out = good(&[&args[..], &only, &["--json"]].concat());
    let rows: Vec<_> = out.lines().map(json).collect();
    assert_eq!(rows.len(), 2, "{out}");
    for row in &rows {
        let probes = row["probes"].as_array().expect("matches");
        assert!(probes.len() >= 2, "{row}");
        for probe in probes {
            assert_eq!(probe["pairs"], 6);
            let number = |at: &str| probe[at].as_f64().expect("a number");
            assert!(number("low") <= number("loss") && number("loss") <= number("high"));
            let steps = (number("value") - row["default"].as_f64().expect("a number"))
                / row["c_end"].as_f64().expect("a number");
            assert!((number("steps") - steps).abs() < 1e-9 && steps != 0.0, "{probe}");
        }
        let verdicts = ["too-small", "fits", "too-large", "slope", "dead", "not-shown"];
        let verdict = row["advice"]["verdict"].as_str().expect("a verdict");
        assert!(verdicts.contains(&verdict), "{row}");
    }
    let table = good(&[&args[..], &only].concat());
    assert!(table.contains("lmr_base") && table.contains("advised c_end"), "{table}");
    let error = bad(&[&args[..], &["--only", "lmr_bass"]].concat());
    assert!(error.contains("has no parameter `lmr_bass`") && error.contains("hint:"), "{error}");
}
