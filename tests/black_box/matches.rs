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
    ] {
        let output = play(folder.path(), words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words}: {errors}");
        assert!(errors.contains(part) && output.stdout.is_empty(), "{words}: {errors}");
    }
}
