//! A campaign from its file to its champion, through a kill in the middle; and a tune that goes on
//! beyond its end.

use crate::support::{Running, data_dir, file, good, object, up};
use serde_json::Value;

/// Small steps: a tune that moves a parameter by whole units, and a test that a coin might pass.
const CAMPAIGN: &str = r#"name = "small"
game = "tictactoe"
seed = 5
lease_pairs = 4
[limit]
nodes = 60
[tune]
pairs = 400
[sprt]
elo0 = -200
elo1 = 0
[test]
max_pairs = 40
[regression]
pairs = 30
[champion]
lmr_base = 0.5
[[group]]
name = "pruning"
parameters = ["lmp_base", "rfp_depth"]
[[group]]
name = "reduction"
parameters = ["lmr_base"]
"#;

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn a_campaign_goes_on_after_a_kill_and_files_nothing_twice() {
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    let path = file(folder, "small.toml", CAMPAIGN);
    let path = path.to_str().expect("plain");
    // Killed as soon as its first tune is there: the journal may or may not know its id.
    let campaign = Running::start(folder, &["campaign", "start", path, "--json"]);
    while good(folder, &["runs", "list", "--json"]).is_empty() {
        std::thread::yield_now();
    }
    campaign.kill();

    let steps = objects(&good(folder, &["campaign", "start", path, "--json"]));
    assert_eq!(steps.len(), 3, "two steps and the champion: {steps:?}");
    let runs = objects(&good(folder, &["runs", "list", "--json"]));
    let filed: u64 = steps[..2].iter().map(|step| 1 + u64::from(!step["test"].is_null())).sum();
    let regression = &steps[2]["regression"];
    assert_eq!(runs.len() as u64, filed + u64::from(!regression.is_null()), "{steps:?}");

    let journal: Value = serde_json::from_str(
        &std::fs::read_to_string(folder.join("small.campaign.json")).expect("a journal"),
    )
    .expect("it is JSON");
    assert_eq!(journal["champion"], steps[2]["champion"]);
    // Crowned is what its test accepted, and nothing else; the champion has its values.
    let mut champion: Value = serde_json::json!({ "lmr_base": 0.5 });
    for step in &steps[..2] {
        let accepted = runs.iter().any(|run| {
            run["id"] == step["test"] && run["progress"]["test"]["verdict"] == "accepted"
        });
        assert_eq!(step["outcome"] == "crowned", accepted, "{step}");
        if accepted {
            champion = step["candidate"].clone();
        }
    }
    assert_eq!(steps[2]["champion"], champion);

    // Once more changes nothing, and the champion comes out in the forms of others.
    let again = objects(&good(folder, &["campaign", "start", path, "--json"]));
    assert_eq!(again, steps[2..]);
    assert_eq!(objects(&good(folder, &["runs", "list", "--json"])).len(), runs.len());
    let show = |format: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_elomill"));
        let output = command.args(["campaign", "show", path, "--format", format]).output();
        let args = ["campaign", "show"];
        crate::support::said(&args, &output.expect("the command starts"))
    };
    let value = champion["lmr_base"].as_f64().expect("a number");
    assert!(show("toml").contains(&format!("lmr_base = {value}\n")), "{}", show("toml"));
    assert!(show("uci").contains(&format!("setoption name lmr_base value {value}\n")));
    assert!(show("table").contains("pruning"));

    // The gain is that of a match of its own, with all its pairs, against where the campaign began.
    if champion == serde_json::json!({ "lmr_base": 0.5 }) {
        assert!(regression.is_null());
        assert!(show("table").contains("the champion is the baseline"), "{}", show("table"));
    } else {
        let run = object(folder, &["runs", "show", &regression["run"].to_string(), "--json"]);
        assert_eq!((&run["counted_pairs"], &regression["gain"]["pairs"]), (&30.into(), &30.into()));
        let test = &run["spec"]["job"]["test"];
        assert_eq!((&test["candidate"], &test["base"]["lmr_base"]), (&champion, &0.5.into()));
        assert_eq!(regression["gain"]["elo"], run["progress"]["test"]["elo"]);
        let of_run = format!("by 30 pairs of run {}", run["id"]);
        assert!(show("table").contains(&of_run), "{}", show("table"));
        // Once more on demand, with a run of its own.
        let again = object(folder, &["campaign", "regress", path, "--json"]);
        assert!(again["run"].as_u64() > run["id"].as_u64(), "{again}");
        assert_eq!(again["gain"]["pairs"], 30);
    }
    assert!(house.interrupt().success());
}

#[test]
fn a_tune_is_extended_forked_and_written_out() {
    const TUNE: &str = "name = \"t\"\ngame = \"tictactoe\"\nlease_pairs = 4\n[limit]\nnodes = 40\n\
                        [tune]\npairs = 100\n[[parameter]]\nname = \"lmr_base\"\n";
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    let path = file(folder, "tune.toml", TUNE);
    let path = path.to_str().expect("plain");
    let filed = object(folder, &["tune", path, "--optimizer", "bqr", "--json"]);
    let id = filed["id"].to_string();
    // Whether or not the run is over by now, it can go on.
    let extended = crate::support::elomill(folder, &["runs", "extend", &id, "--pairs", "20"])
        .output()
        .expect("the command starts");
    let asked = if extended.status.success() { 120 } else { 100 };
    good(folder, &["watch", &id, "--json"]);
    let run = object(folder, &["runs", "show", &id, "--json"]);
    assert_eq!(run["asked_pairs"], asked);
    assert_eq!(run["spec"]["job"]["tune"]["optimizer"], "bqr");
    assert!(run["progress"]["tune"]["estimate"]["gain"].is_number(), "{run}");
    let shown = good(folder, &["runs", "show", &id]);
    assert!(shown.contains("optimizer    bqr") && shown.contains("signal/noise"), "{shown}");

    let fork = object(folder, &["runs", "fork", &id, "--at", "50", "--pairs", "12", "--json"]);
    assert!(fork["at_pairs"].as_u64().is_some_and(|at| (40..=50).contains(&at)), "{fork}");
    let fork_id = fork["id"].to_string();
    good(folder, &["watch", &fork_id, "--json"]);
    let replay = object(folder, &["runs", "replay", &fork_id, "--json"]);
    assert_eq!(replay["matches_stored"], true);

    let csv = good(folder, &["runs", "export", &id, "--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("report,pairs,ll,ld,dd,dw,ww,") && lines[0].ends_with("lmr_base"));
    let last: Vec<&str> = lines.last().expect("rows").split(',').collect();
    assert_eq!((last.len(), last[1]), (lines[0].split(',').count(), asked.to_string().as_str()));
    assert_eq!(run["reports"], lines.len() - 1);
    let printed = folder.join("way.csv");
    let printed_text = printed.to_str().expect("plain");
    good(folder, &["runs", "export", &id, "--out", printed_text]);
    assert_eq!(std::fs::read_to_string(&printed).expect("written"), csv);
    assert_eq!(parquet_as_csv(folder, &id), csv);
    let refused = crate::support::elomill(folder, &["runs", "export", &id, "--format", "parquet"])
        .output()
        .expect("the command starts");
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
    assert!(house.interrupt().success());
}

/// What a run is as Parquet, read back and printed as the CSV is: names, types and every bit.
fn parquet_as_csv(folder: &std::path::Path, id: &str) -> String {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let path = folder.join("way.parquet");
    let out = path.to_str().expect("plain");
    good(folder, &["runs", "export", id, "--format", "parquet", "--out", out]);
    let file = std::fs::File::open(&path).expect("written");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr();
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
    let mut text = names.join(",") + "\n";
    for row in reader.get_row_iter(None).expect("rows") {
        let row = row.expect("a row");
        let cells: Vec<String> = row
            .get_column_iter()
            .enumerate()
            .map(|(place, (_, cell))| match cell {
                Field::Long(count) if place < 10 => count.to_string(),
                Field::Double(value) if place >= 10 => value.to_string(),
                other => panic!("{other:?} in column {place}"),
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}
