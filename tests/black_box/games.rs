//! The games of a run come out of the ledger in every form, with what the engine said of its moves.

use crate::support::{data_dir, file, good, object, up};
use serde_json::Value;

const TUNE: &str = r#"name = "to be kept"
game = "tictactoe"
lease_pairs = 4
keep_evals = "yes"
[limit]
nodes = 60
[tune]
pairs = 24
[[parameter]]
name = "lmr_base"
c_end = 1
r_end = 0.02
"#;

#[test]
fn games_are_listed_shown_and_exported() {
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    let path = file(folder, "tune.toml", TUNE);
    let path = path.to_str().expect("plain");
    good(folder, &["tune", path, "--follow"]);

    let listed = good(folder, &["games", "list", "1", "--json"]);
    let pairs: Vec<Value> =
        listed.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(pairs.len(), 20, "the first twenty");
    let shown = object(folder, &["games", "show", "1", "7", "--json"]);
    assert_eq!(shown, pairs[7]);
    let game = &shown["candidate_first"];
    let moves = game["moves"].as_str().expect("kept").split(' ').count();
    assert_eq!(game["plies"], moves);
    let evals = game["evals"].as_array().expect("a list");
    assert_eq!(evals.len(), moves, "an evaluation for each move");
    let nodes: u64 = evals.iter().map(|eval| eval[2].as_u64().expect("nodes")).sum();
    assert_eq!(game["nodes"], nodes);
    let times = game["times"].as_array().expect("a list");
    assert_eq!(times.len(), moves, "a time for each move");

    let pgn = good(folder, &["games", "export", "1", "--format", "pgn"]);
    type Ttt = games::tictactoe::TicTacToe;
    let read: Vec<_> = games::pgn::games::<Ttt>(&pgn).collect::<Result<_, _>>().expect("PGN");
    assert_eq!(read.len(), 48);
    let json = good(folder, &["games", "export", "1", "--format", "json"]);
    assert_eq!(json.lines().count(), 24);
    let epd = good(folder, &["games", "export", "1", "--format", "epd"]);
    let positions: Vec<_> =
        games::epd::records::<Ttt>(&epd).collect::<Result<_, _>>().expect("EPD");
    let plies: u64 = json
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object"))
        .flat_map(|pair| {
            [pair["candidate_first"]["plies"].clone(), pair["base_first"]["plies"].clone()]
        })
        .map(|plies| plies.as_u64().expect("a count"))
        .sum();
    assert_eq!(positions.len() as u64, plies);

    // The second run keeps nothing of its games but how they ended.
    good(folder, &["tune", path, "--follow", "--keep-moves", "none"]);
    let listed = good(folder, &["games", "list", "2"]);
    assert!(listed.contains("not kept"), "{listed}");
    assert_eq!(good(folder, &["games", "export", "2", "--format", "epd"]), "");
    assert!(house.interrupt().success());
}
