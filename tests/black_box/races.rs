//! A race and a match from their files to what scripts and people read of them, played by the built
//! engine.

use crate::support::{data_dir, file, good, object, said, up};
use serde_json::Value;

/// Hypotheses so low that even equals pass soon.
const RACE: &str = r#"name = "takes"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 60
[[candidate]]
name = "low, with a comma"
values = { lmr_base = 0.25 }
[[candidate]]
name = "high"
values = { lmr_base = 0.75 }
[base]
lmr_base = 0.5
[sprt]
elo0 = -300
elo1 = -100
[race]
max_pairs = 2000
stop = "all"
"#;

#[test]
fn a_race_is_filed_decided_shown_replayed_and_written_out() {
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    let path = file(folder, "race.toml", RACE);
    let path = path.to_str().expect("plain");
    let id = object(folder, &["test", path, "--json"])["id"].to_string();
    good(folder, &["watch", &id, "--json"]);
    let run = object(folder, &["runs", "show", &id, "--json"]);
    assert_eq!((&run["kind"], &run["state"]), (&"race".into(), &"finished".into()));
    let race = &run["progress"]["race"];
    assert_eq!(race["verdict"], "accepted");
    let candidates = race["candidates"].as_array().expect("a list");
    let names: Vec<&Value> = candidates.iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["low, with a comma", "high"]);
    let pairs = |counts: &Value| -> u64 {
        counts.as_array().expect("five").iter().filter_map(Value::as_u64).sum()
    };
    let each: u64 = candidates.iter().map(|c| pairs(&c["tally"]["pentanomial"])).sum();
    assert_eq!(run["counted_pairs"], each, "every pair is of a candidate");
    assert!(candidates.iter().all(|c| c["state"] == "accepted"), "{race}");
    let shown = good(folder, &["runs", "show", &id]);
    assert!(shown.contains("verdict      accepted: low, with a comma, high;"), "{shown}");

    let replay = object(folder, &["runs", "replay", &id, "--json"]);
    assert_eq!(replay["matches_stored"], true);
    let csv = good(folder, &["runs", "export", &id]);
    let (head, rows) = csv.split_once('\n').expect("rows");
    assert!(head.ends_with(",losses,candidate,llr"), "{head}");
    let of = |row: &str| row.rsplit(',').nth(1).map(str::to_owned);
    let played: std::collections::BTreeSet<_> = rows.lines().filter_map(of).collect();
    assert_eq!(Vec::from_iter(&played), ["0", "1"], "{rows}");
    // What won can be tested further, here in a match of fixed length.
    let text = format!(
        "name = \"m\"\ngame = \"tictactoe\"\nlease_pairs = 4\ncandidate_run = {id}\n\
         [limit]\nnodes = 60\n[test]\npairs = 30\n"
    );
    let path = file(folder, "match.toml", &text);
    let path = path.to_str().expect("plain");
    let id = object(folder, &["test", path, "--json"])["id"].to_string();
    good(folder, &["watch", &id, "--json"]);
    let run = object(folder, &["runs", "show", &id, "--json"]);
    assert_eq!((&run["kind"], &run["counted_pairs"]), (&"match".into(), &30.into()));
    let winner = usize::try_from(race["winner"].as_u64().expect("a winner")).expect("a place");
    let values = [0.25, 0.75][winner];
    assert_eq!(run["spec"]["job"]["test"]["candidate"]["lmr_base"], values);
    assert_eq!(run["spec"]["job"]["test"]["base"]["lmr_base"], 0.5);
    let test = &run["progress"]["test"];
    assert!(test["llr"].is_null() && test["verdict"].is_null() && test["elo"].is_number());
    let shown = good(folder, &["runs", "show", &id]);
    assert!(shown.contains("match        played to its end: Elo"), "{shown}");
    assert!(house.interrupt().success());
}

/// The defaults of the command: all at elo0, then one at elo1.
#[test]
fn a_simulated_race_says_what_it_errs_and_costs() {
    let args =
        ["stats", "race", "--candidates", "4", "--elo1", "60", "--simulate", "100", "--json"];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_elomill"));
    let output = command.args(args).output().expect("the command starts");
    let report: Value = serde_json::from_str(&said(&args, &output)).expect("an object");
    let rows = report["rows"].as_array().expect("a list");
    assert_eq!(rows[1]["truth"], serde_json::json!([0.0, 0.0, 60.0, 0.0]));
    let number = |row: usize, field: &str| rows[row][field].as_f64().expect("a number");
    assert!(number(0, "error_share") < 0.12 && number(1, "pass_share") > 0.85, "{report}");
    assert!((number(0, "separate_error") - 0.185).abs() < 0.01, "1 - 0.95^4: {report}");
    assert!(number(1, "mean_pairs") < number(1, "separate_pairs"), "{report}");
}
