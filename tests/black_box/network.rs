//! `elomill data` and `elomill train` as scripts use them: games that go on after Ctrl-C and are refused
//! when forged, a training that goes on to the bit.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn elomill(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
    command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, words: &str) -> Output {
    elomill(folder, words).output().expect("the command starts")
}

fn done(folder: &Path, words: &str) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(0), "{words}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn refused(folder: &Path, words: &str) -> String {
    let output = run(folder, words);
    assert!(!output.status.success(), "{words}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// Interrupts the command once this file is there; its exit status.
fn interrupted(folder: &Path, words: &str, once: &Path) -> Option<i32> {
    let mut child = elomill(folder, words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    while !once.exists() && child.try_wait().expect("a status").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    child.wait().expect("an end").code()
}

fn shards(folder: &Path) -> Vec<PathBuf> {
    let mut shards: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "shard"))
        .collect();
    shards.sort();
    shards
}

const GAMES: &str = "data generate --game xiangqi --nodes 40 --max-plies 80 --threads 2 --shard 8";

#[test]
fn games_go_on_after_an_end_and_forged_ones_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    done(folder, &format!("{GAMES} --games 40 --out whole"));
    // Ended when its first file is there, it goes on; what was made is the same games.
    let torn = format!("{GAMES} --games 40 --out torn");
    let status = interrupted(folder, &torn, &folder.join("torn/manifest.json"));
    assert!(status == Some(4) || status == Some(0), "{status:?}");
    done(folder, &torn);
    let export = |data: &str| done(folder, &format!("data export {data}"));
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines.dedup();
        lines
    };
    // Where a file ends has a say in which of equal positions are kept, in nothing else.
    assert_eq!(lines(&export("torn")), lines(&export("whole")));
    assert_eq!(done(folder, "data export whole --limit 3").lines().count(), 3);

    let stats: serde_json::Value =
        serde_json::from_str(&done(folder, "data stats whole --json")).expect("an object");
    let counts = &stats["stats"]["counts"];
    assert_eq!(counts["games"], 40);
    let (bytes, positions) = (stats["stats"]["bytes"].as_u64(), counts["positions"].as_u64());
    assert!(bytes < positions.map(|positions| 32 * positions), "{stats}");
    assert!(done(folder, "data list").contains("whole"));
    assert!(done(folder, "data verify whole --replay 5").contains("5 of them were played again"));

    let other = refused(folder, &format!("{GAMES} --games 40 --out whole --seed 2"));
    assert!(other.contains("games of another recipe") && other.contains("hint: "), "{other}");

    // One bit of one file.
    let shard = shards(&folder.join("whole")).remove(0);
    let bytes = std::fs::read(&shard).expect("a shard");
    let mut forged = bytes.clone();
    let middle = forged.len() / 2;
    forged[middle] ^= 1;
    std::fs::write(&shard, &forged).expect("forged");
    assert!(refused(folder, "data verify whole").contains("its SHA-256 is not its name"));
    std::fs::write(&shard, &bytes).expect("mended");
    done(folder, "data verify whole");
}

const TRAIN: &str = "train --data games --hidden 32 --epochs 5 --threads 2 --json";

#[test]
fn a_training_that_is_ended_goes_on_to_the_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    done(folder, &format!("{GAMES} --games 120 --out games"));
    let whole = done(folder, &format!("{TRAIN} --out whole.net"));
    let told: serde_json::Value =
        serde_json::from_str(whole.lines().last().expect("a line")).expect("an object");
    assert_eq!(told["history"].as_array().map(Vec::len), Some(5), "{told}");
    assert_eq!(whole.lines().count(), 6);
    let torn = format!("{TRAIN} --out torn.net");
    let status = interrupted(folder, &torn, &folder.join("torn.net.training"));
    assert!(status == Some(4) || status == Some(0), "{status:?}");
    done(folder, &torn.replace("--threads 2", "--threads 1"));
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a network");
    assert_eq!(read("torn.net"), read("whole.net"));
    assert!(!folder.join("torn.net.training").exists());
    assert!(folder.join("whole.net.json").exists());

    // The engine plays by it, and games can be made with it.
    let with = format!("{GAMES} --games 8 --out second --network whole.net");
    done(folder, &with);
    done(folder, "data verify second --replay 3 --network whole.net");
    let without = refused(folder, "data verify second --replay 3");
    assert!(without.contains("network: found none; the recipe has "), "{without}");
}

#[test]
fn faults_of_a_training_name_the_mend() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (words, part) in [
        ("train --data nowhere --out x.net", "hint: elomill data generate"),
        ("train --out x.net", "--data"),
        ("data stats .", "manifest.json"),
    ] {
        let error = refused(folder, words);
        assert!(error.contains(part), "{words}: {error}");
    }
    std::fs::write(folder.join("t.toml"), "data = [\"games\"]\nout = \"x\"\nepochs = 3\n").unwrap();
    assert!(refused(folder, "train t.toml").contains("unknown field `epochs`"));
    done(folder, "data generate --game chess --nodes 20 --games 4 --max-plies 30 --out chess");
    let chess = refused(folder, "train --data chess --out x.net");
    assert!(chess.contains("game: found chess; allowed: xiangqi"), "{chess}");
}
