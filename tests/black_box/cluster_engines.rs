//! Engines of others in runs of the cluster: published by their author, fetched, built and shut in by a
//! worker, and what becomes of those that misbehave.

use crate::support::{data_dir, file, good, object, up};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So long nothing here takes.
const LONG: Duration = Duration::from_secs(240);

/// An engine for tic-tac-toe that plays the first free square, or does what its argument says.
pub(crate) const SCRIPT: &str = r#"#!/usr/bin/python3
import sys, time
habit = sys.argv[1] if len(sys.argv) > 1 else "good"
say = lambda text: print(text, flush=True)
taken = set()
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    if words[0] == "uci":
        say("id name scripted")
        say("option name Hash type spin default 1 min 1 max 1024")
        say("option name Skill Level type spin default 5 min 0 max 9")
        say("option name Manner type combo default calm var calm var wild")
        say("uciok")
    elif words[0] == "isready":
        if habit == "dies":
            sys.exit(3)
        say("readyok")
    elif words[0] == "position":
        rows = words[2].split("/") if words[1] == "fen" else ["..."] * 3
        taken = {"abc"[x] + str(3 - y) for y in range(3) for x in range(3) if rows[y][x] != "."}
        taken |= set(words[words.index("moves") + 1:]) if "moves" in words else set()
    elif words[0] == "go":
        free = [f + r for f in "abc" for r in "123" if f + r not in taken]
        if habit == "good":
            say("info depth 1 score cp 3 nodes 7")
            say("bestmove " + free[0])
        elif habit == "cheats":
            say("bestmove " + sorted(taken)[0] if taken else "bestmove a9")
        elif habit == "crashes":
            sys.exit(4)
    elif words[0] == "stop" and habit == "late":
        say("bestmove " + free[0])
    elif words[0] == "quit":
        break
"#;

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "{what}: not within {LONG:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Files a run and waits for its end.
pub(crate) fn played(folder: &Path, command: &str, text: &str) -> Value {
    let path = file(folder, "run.toml", text);
    let path = path.to_str().expect("plain");
    let id = object(folder, &[command, path, "--json"])["id"].to_string();
    good(folder, &["watch", &id, "--json"]);
    object(folder, &["runs", "show", &id, "--json"])
}

/// How the games of a run have ended.
pub(crate) fn endings(folder: &Path, run: &Value) -> Vec<String> {
    let text = good(folder, &["games", "export", &run["id"].to_string(), "--format", "json"]);
    let mut endings = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let of = |value: &Value| value["termination"].as_str().map(str::to_owned);
        let both = [&record["candidate_first"], &record["base_first"]];
        endings.extend(both.into_iter().filter_map(of).chain(of(&record)));
    }
    endings
}

pub(crate) fn manifest(folder: &Path, name: &str, game: &str, more: &str) -> PathBuf {
    file(folder, &format!("{name}.toml"), &format!("name = \"{name}\"\ngame = \"{game}\"\n{more}"))
}

pub(crate) fn sha256(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg(path).output().expect("sha256sum");
    String::from_utf8_lossy(&output.stdout).split(' ').next().expect("a hash").to_owned()
}

/// A program that lies on the disk, as it is installed.
#[test]
fn stockfish_is_published_tuned_and_tested() {
    let program = Path::new("/usr/games/stockfish");
    assert!(program.exists(), "install stockfish: the test plays it");
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    let build =
        format!("[build]\nfile = \"{}\"\nsha256 = \"{}\"\n", program.display(), sha256(program));
    let path = manifest(folder, "stockfish", "chess", &build);
    let said = object(folder, &["engine", "publish", path.to_str().expect("plain"), "--json"]);
    assert_eq!((&said["name"], &said["was_there"]), (&"stockfish".into(), &false.into()));
    // What is there is not sent again.
    let again = object(folder, &["engine", "publish", "stockfish", "--json"]);
    assert_eq!(again["was_there"], true);
    let listed = good(folder, &["engine", "list"]);
    assert!(listed.contains("published") && listed.contains("house"), "{listed}");

    let run = played(
        folder,
        "tune",
        "name = \"skill\"\ngame = \"chess\"\nseed = 3\nlease_pairs = 2\nengine = \"stockfish\"\n\
         [limit]\nnodes = 300\nmax_plies = 60\n\
         [tune]\npairs = 6\noptimizer = \"spsa\"\n\
         [[parameter]]\nname = \"Skill_Level\"\nstart = 10\nc_end = 2\n\
         [fixed]\nHash = 4\n",
    );
    assert_eq!((&run["state"], &run["counted_pairs"]), (&"finished".into(), &6.into()), "{run}");
    assert_eq!(run["spec"]["players"]["base"]["limit"]["nodes"], 300);
    let replay = object(folder, &["runs", "replay", &run["id"].to_string(), "--json"]);
    assert_eq!(replay["matches_stored"], true);

    let run = played(
        folder,
        "test",
        "name = \"under a clock\"\ngame = \"chess\"\nseed = 4\nlease_pairs = 1\n\
         engine = \"stockfish\"\n[limit]\nclock = \"0.4+0.02\"\nmargin = 2\nmax_plies = 80\n\
         [candidate]\nSkill_Level = 20\n[base]\nSkill_Level = 0\n[test]\npairs = 3\n",
    );
    assert_eq!((&run["state"], &run["counted_pairs"]), (&"finished".into(), &3.into()), "{run}");
    let speed = &run["spec"]["players"]["reference_speed"];
    assert!(speed.as_u64().is_some_and(|speed| speed > 1000), "{run}");
    let endings = endings(folder, &run);
    assert_eq!(endings.len(), 6);
    let faults = ["illegal_move", "stall", "disconnect"];
    assert!(!endings.iter().any(|ending| faults.contains(&ending.as_str())), "{endings:?}");
    assert!(house.interrupt().success());
}

/// A source that each worker builds, and what its manners come to.
#[test]
fn a_script_is_built_by_the_worker_and_bad_manners_lose_by_their_names() {
    let folder = data_dir();
    let folder = folder.path();
    let house = up(folder);
    std::fs::create_dir(folder.join("source")).expect("a folder");
    file(&folder.join("source"), "engine.py", SCRIPT);
    file(
        &folder.join("source"),
        "build.sh",
        "sed s/scripted/built/ engine.py > out\nchmod 755 out\n",
    );
    let build =
        "[build]\nfolder = \"source\"\ncommand = [\"/bin/sh\", \"build.sh\"]\nresult = \"out\"\n";
    let publish = |name: &str, more: &str| {
        let path = manifest(folder, name, "tictactoe", &format!("{more}{build}"));
        object(folder, &["engine", "publish", path.to_str().expect("plain"), "--json"])
    };
    let said = publish("scripted", "");
    assert_eq!(said["parameters"], 3, "{said}");
    let run = played(
        folder,
        "test",
        "name = \"built\"\ngame = \"tictactoe\"\nseed = 5\nlease_pairs = 2\nengine = \"scripted\"\n\
         keep_evals = \"yes\"\n[limit]\nnodes = 50\n[candidate]\nSkill_Level = 7\nManner = 1\n\
         [base]\nSkill_Level = 2\n[test]\npairs = 6\n",
    );
    assert_eq!((&run["state"], &run["counted_pairs"]), (&"finished".into(), &6.into()), "{run}");
    assert!(endings(folder, &run).iter().all(|ending| ending == "board"));

    // A book of games, of which the first half-moves count, in its own order.
    file(folder, "lines.moves", "a1 b1 c1\nb2 a1\nc3 a3 b3\n");
    let run = played(
        folder,
        "test",
        "name = \"lines\"\ngame = \"tictactoe\"\nseed = 5\nlease_pairs = 1\nengine = \"scripted\"\n\
         book = \"lines.moves\"\nbook_plies = 2\nbook_order = \"sequential\"\n\
         [limit]\nnodes = 50\n[candidate]\nHash = 2\n[base]\n[test]\npairs = 4\n",
    );
    assert_eq!((&run["state"], &run["counted_pairs"]), (&"finished".into(), &4.into()), "{run}");
    let played_from =
        good(folder, &["games", "export", &run["id"].to_string(), "--format", "json"]);
    let boards = [".../.../xo. x", ".../.x./o.. x", "o.x/.../... x", ".../.../xo. x"];
    for board in boards {
        assert!(played_from.contains(board), "{board}: {played_from}");
    }

    // It says of every move that it is level, and so does everybody within three hundred pawns.
    for (players, score) in [("engine = \"scripted\"\n", 5), ("", 30_000)] {
        let values = match players {
            "" => "[candidate]\nrfp_margin = 70\n[base]\n",
            _ => "[candidate]\nHash = 2\n[base]\n",
        };
        let run = played(
            folder,
            "test",
            &format!(
                "name = \"level\"\ngame = \"tictactoe\"\nseed = 5\nlease_pairs = 2\n{players}\
                 [limit]\nnodes = 50\n[adjudication.draw]\nmovecount = 1\nscore = {score}\n\
                 {values}[test]\npairs = 2\n"
            ),
        );
        assert_eq!(
            (&run["state"], &run["counted_pairs"]),
            (&"finished".into(), &2.into()),
            "{run}"
        );
        assert_eq!(endings(folder, &run), ["adjudication"; 4], "{players}");
        assert_eq!(run["tally"]["pentanomial"], serde_json::json!([0, 0, 2, 0, 0]));
    }

    // Each loses both games of each pair to the engine built in, which plays against it.
    for (habit, ending) in [
        ("silent", "stall"),
        ("late", "time_forfeit"),
        ("crashes", "disconnect"),
        ("cheats", "illegal_move"),
    ] {
        publish(habit, &format!("arguments = \"{habit}\"\n"));
        let run = played(
            folder,
            "test",
            &format!(
                "name = \"{habit}\"\ngame = \"tictactoe\"\nseed = 6\nlease_pairs = 2\n\
                 candidate_engine = \"{habit}\"\n[limit]\nmovetime = 0.1\nmargin = 0.4\n\
                 [candidate]\nHash = 2\n[base]\n[test]\npairs = 2\n"
            ),
        );
        let test = &run["progress"]["test"];
        assert_eq!(run["counted_pairs"], 2, "{habit}: {run}");
        assert_eq!(
            run["tally"]["pentanomial"],
            serde_json::json!([2, 0, 0, 0, 0]),
            "{habit}: {test}"
        );
        assert_eq!(endings(folder, &run), [ending; 4], "{habit}");
    }

    // One that cannot begin is no opponent: the pairs go back, and nothing counts.
    publish("dies", "arguments = \"dies\"\n");
    let path = file(
        folder,
        "run.toml",
        "name = \"dies\"\ngame = \"tictactoe\"\nseed = 6\nlease_pairs = 2\nengine = \"dies\"\n\
         [limit]\nnodes = 50\n[candidate]\nHash = 2\n[base]\nHash = 3\n[test]\npairs = 2\n",
    );
    let path = path.to_str().expect("plain");
    let id = object(folder, &["test", path, "--json"])["id"].to_string();
    let show = || object(folder, &["runs", "show", &id, "--json"]);
    wait_until("the lease comes back", || show()["leases"]["returned"].as_u64() >= Some(1));
    let run = show();
    assert_eq!(run["counted_pairs"], 0, "{run}");
    assert!(house.interrupt().success());
}
