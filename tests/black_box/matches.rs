//! `elomill match` as scripts use it: words in, one object out, a file that a killed match goes on
//! from, an exit status that tells the verdict.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The engine built in against itself, with other words.
fn play(folder: &Path, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["match", "--game", "xiangqi", "--json"])
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

fn object(output: &Output) -> serde_json::Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

const SELF: &str = "--engine name=a builtin option.rfp_margin=60 --engine name=b builtin --each nodes=40 --max-plies 60";

#[test]
fn a_match_is_played_kept_and_not_played_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = format!("{SELF} --games 6 --concurrency 2 --file m --pgn games.pgn");
    let first = play(folder.path(), &words);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let first = object(&first);
    assert_eq!((&first["pairs"], &first["asked_pairs"]), (&3.into(), &3.into()));
    let pgn = std::fs::read_to_string(folder.path().join("games.pgn")).expect("games");
    assert_eq!(pgn.matches("[White ").count(), 6);
    // A kill in the middle of a line: that pair is played again, and comes out the same.
    let kept = std::fs::read(folder.path().join("m")).expect("the match");
    std::fs::write(folder.path().join("m"), &kept[..kept.len() - 9]).expect("cut");
    let again = object(&play(folder.path(), &words));
    for key in ["pentanomial", "wins", "draws", "losses", "elo", "endings"] {
        assert_eq!(again[key], first[key], "{key}");
    }
    let lines = |bytes: &[u8]| {
        let mut lines: Vec<_> = bytes.split(|b| *b == b'\n').map(<[u8]>::len).collect();
        lines.sort_unstable();
        lines.len()
    };
    let again = std::fs::read(folder.path().join("m")).expect("the match");
    assert_eq!(lines(&again), lines(&kept));
    let other = play(folder.path(), &words.replace("nodes=40", "nodes=41"));
    let errors = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && errors.contains("another match is kept there"), "{errors}");
}

#[test]
fn the_exit_status_tells_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let strong = "--engine name=strong builtin nodes=400 --engine name=weak builtin depth=1";
    let weak = "--engine name=weak builtin depth=1 --engine name=strong builtin nodes=400";
    let test = "--max-plies 300 --sprt elo0=-50,elo1=50 alpha=0.1 beta=0.1 --games 400";
    let accepted = play(folder.path(), &format!("{strong} {test}"));
    assert_eq!(
        (accepted.status.code(), &object(&accepted)["verdict"]),
        (Some(0), &"accepted".into())
    );
    let rejected = play(folder.path(), &format!("{weak} {test}"));
    assert_eq!(
        (rejected.status.code(), &object(&rejected)["verdict"]),
        (Some(3), &"rejected".into())
    );
    let open = play(folder.path(), &format!("{SELF} --games 2 --sprt elo0=0,elo1=1"));
    assert_eq!(
        (open.status.code(), &object(&open)["verdict"]),
        (Some(4), &serde_json::Value::Null)
    );
}

#[test]
fn words_that_make_no_sense_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, part) in [
        ("--engine builtin --engine builtin", "no limit for its moves"),
        ("--engine builtin nodes=1 --engine nodes=1", "--engine, the second: no command"),
        ("--engine builtin nodes=1", "1 engines"),
        ("--engine builtin --engine builtin --each nodes=x", "`nodes=x`: allowed: a whole number"),
        ("--engine builtin --engine builtin --each nods=1", "`nods=1`: no such word"),
        ("--engine builtin --engine builtin --each tc=1+x", "`tc=1+x`: found `1+x`"),
        (
            "--engine builtin nodes=1 option.lmr_bass=1 --engine builtin nodes=1",
            "parameters of the first engine: unknown parameter `lmr_bass`",
        ),
        ("--engine builtin nodes=1 --engine ./nobody nodes=1", "cannot start"),
        ("--engine builtin nodes=1 --engine builtin nodes=1 --draw score=1", "movecount"),
        ("--engine builtin nodes=1 --engine builtin nodes=1 --openings none", "openings none"),
        ("--each nodes=1 --engine builtin --engine builtin --openings plies=4", "no file"),
        ("--each nodes=1 --engine builtin --engine builtin --openings start=0", "1 for the first"),
        (
            "--each nodes=1 --engine builtin --engine builtin --openings format=epub",
            "epd, pgn, moves",
        ),
        ("--each nodes=1 --engine builtin --engine builtin --openings polcy=x", "no such word"),
    ] {
        let output = play(folder.path(), words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words}: {errors}");
        assert!(errors.contains(part) && output.stdout.is_empty(), "{words}: {errors}");
    }
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    whole.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn openings_come_from_games_in_the_order_asked_for_and_records_tell_every_thought() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let game = |moves: &str| format!("[Variant \"xiangqi\"]\n\n{moves} *\n\n");
    let pgn = [game("1. h2e2 h9g7 2. h0g2"), game("1. b2e2 b9c7"), game("1. c3c4 g6g5 2. b2c2")];
    std::fs::write(folder.join("openings.pgn"), pgn.concat()).expect("written");
    std::fs::write(folder.join("lines.moves"), "h2e2 h9g7\nb2e2 b9c7\nc3c4 g6g5\n")
        .expect("written");
    let played = |words: &str| {
        let words = format!("{SELF} --games 4 --record games.json --openings {words}");
        let output = play(folder, &words);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let games = lines(&folder.join("games.json"));
        std::fs::remove_file(folder.join("games.json")).expect("removed");
        games
    };
    let of_games = played("file=openings.pgn format=pgn order=sequential plies=2 start=2");
    let openings: Vec<_> = of_games.iter().map(|game| &game["opening"]).collect();
    assert_eq!(openings.len(), 4);
    assert!(openings[0] == openings[1] && openings[2] == openings[3] && openings[1] != openings[2]);
    let cannons = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR";
    assert!(openings.iter().all(|opening| !opening.as_str().expect("text").starts_with(cannons)));
    // All but the time that a move took.
    let untimed = |mut games: Vec<serde_json::Value>| {
        for mv in games.iter_mut().flat_map(|g| g["moves"].as_array_mut().expect("moves")) {
            mv["seconds"].take();
        }
        games
    };
    let of_lines = played("lines.moves order=sequential start=2");
    assert_eq!(untimed(of_games.clone()), untimed(of_lines), "the same openings and games");
    let first = &of_games[0];
    assert_eq!(
        (&first["first"], &first["second"], &first["game"]),
        (&"a".into(), &"b".into(), &1.into())
    );
    assert_eq!((&of_games[1]["first"], &of_games[1]["pair"]), (&"b".into(), &0.into()));
    let moves = first["moves"].as_array().expect("moves");
    assert!(!moves.is_empty());
    for mv in moves {
        assert!(mv["nodes"].is_u64() && mv["depth"].is_u64() && mv["seconds"].is_number(), "{mv}");
    }
}

/// An engine that obeys, but for a move: then it does what is said here.
#[cfg(unix)]
fn broken_engine(folder: &Path, at_go: &str) -> String {
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; \
         go*) {at_go};; quit) exit 0;; esac; done\n"
    );
    std::fs::write(folder.join("broken.sh"), script).expect("written");
    "--engine name=broken cmd=sh args=broken.sh --engine name=b builtin".to_owned()
}

#[cfg(unix)]
#[test]
fn a_match_goes_on_after_failures_unless_they_are_too_many() {
    let folder = tempfile::tempdir().expect("a folder");
    let engines = broken_engine(folder.path(), "exit 3");
    let words = format!("{engines} --each nodes=40 --games 6 --file m");
    let ended = play(folder.path(), &format!("{words} --max-failures 3"));
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{errors}");
    assert!(errors.contains("broken has lost 4 games by a failure"), "{errors}");
    assert!(errors.contains("ended with status 3"), "{errors}");
    // What was played is kept, and without the limit the match goes on to its end.
    let output = play(folder.path(), &words);
    let done = object(&output);
    assert_eq!((output.status.code(), &done["losses"]), (Some(0), &6.into()), "{done}");
    assert_eq!(done["endings"]["disconnect"], 6, "{done}");
}

/// The first Ctrl-C finishes the pairs under way, kill -9 loses only them; either way the same command
/// goes on.
#[cfg(unix)]
#[test]
fn a_match_goes_on_after_ctrl_c_and_after_a_kill() {
    use rustix::process::Signal;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let words = |games: usize| {
        format!("{SELF} --concurrency 2 --file m --games {games}").replace("nodes=40", "nodes=400")
    };
    let kept = || lines(&folder.join("m")).len().saturating_sub(1);
    let mut before = 0;
    for (signal, code) in [(Signal::INT, Some(4)), (Signal::KILL, None), (Signal::TERM, Some(4))] {
        let mut running = start(folder, &words(100_000));
        while kept() < before + 2 {
            assert!(running.try_wait().expect("it is there").is_none(), "it has ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        crate::support::signal(running.id(), signal);
        let ended = running.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), code, "{errors}");
        assert_eq!(errors.contains("finishing the pairs under way"), code.is_some(), "{errors}");
        assert_eq!(
            errors.contains(&format!("going on after {before} pairs")),
            before > 0,
            "{errors}"
        );
        assert!(kept() >= before + 2);
        if code.is_some() {
            assert_eq!(object(&ended)["pairs"], kept(), "{errors}");
        }
        before = kept();
    }
    let done = play(folder, &words(2 * before + 4));
    assert_eq!((done.status.code(), &object(&done)["pairs"]), (Some(0), &(before + 2).into()));
    let mut indices: Vec<_> =
        lines(&folder.join("m"))[1..].iter().map(|pair| pair["index"].clone()).collect();
    indices.sort_by_key(serde_json::Value::as_u64);
    indices.dedup();
    assert_eq!(indices.len(), before + 2, "each pair once");
}

/// Nothing is left of a match that is killed, not even an engine that listens to nobody.
#[cfg(target_os = "linux")]
#[test]
fn engines_end_with_a_match_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at_go = "echo $$ > its-own; mv its-own started; exec sleep 3600";
    let engines = broken_engine(folder.path(), at_go);
    let mut running = start(folder.path(), &format!("{engines} --each st=36000 --games 2"));
    let pid = loop {
        assert!(running.try_wait().expect("it is there").is_none(), "it has ended by itself");
        if let Ok(pid) = std::fs::read_to_string(folder.path().join("started")) {
            break pid.trim().to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    running.kill().expect("killed");
    running.wait().expect("it ends");
    let line = || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let began = std::time::Instant::now();
    while line().starts_with("sleep") {
        assert!(began.elapsed().as_secs() < 120, "it still sleeps");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The second Ctrl-C does not wait for an engine that never answers.
#[cfg(unix)]
#[test]
fn the_second_ctrl_c_abandons_what_is_under_way() {
    use rustix::process::Signal;
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().expect("a folder");
    let engines = broken_engine(folder.path(), "echo thinking > started");
    let mut running = start(folder.path(), &format!("{engines} --each st=36000 --games 2"));
    while !folder.path().join("started").exists() {
        assert!(running.try_wait().expect("it is there").is_none(), "it has ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    crate::support::signal(running.id(), Signal::INT);
    let mut errors = BufReader::new(running.stderr.take().expect("a pipe")).lines();
    let told = errors.find(|line| line.as_ref().is_ok_and(|line| line.contains("Ctrl-C again")));
    assert!(told.is_some(), "the first one is told");
    crate::support::signal(running.id(), Signal::INT);
    let ended = running.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), &object(&ended)["pairs"]), (Some(4), &0.into()));
}

#[cfg(unix)]
fn start(folder: &Path, words: &str) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(["match", "--game", "xiangqi", "--json"])
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}
