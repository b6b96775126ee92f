//! Programs of others: a match of shut-in ones.

use crate::support::git;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The project's engine as others start it; a test of one package alone may have to build it.
pub(crate) fn engine() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_elomill")).with_file_name("elomill-engine");
    if !path.exists() {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "-p", "engine", "--bin", "elomill-engine"])
            .status();
        assert!(built.is_ok_and(|status| status.success()), "the engine is built");
    }
    path
}

fn elomill(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_elomill"))
        .args(words)
        .current_dir(folder)
        .env("ELOMILL_DATA_DIR", folder.join("data"))
        .stdin(Stdio::null())
        .output()
        .expect("the command starts")
}

/// I20: who behaves notices nothing of the sandbox.
#[cfg(target_os = "linux")]
#[test]
fn i20_a_match_in_the_sandbox_is_the_match_without_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = format!("cmd={}", engine().display());
    for game in ["xiangqi", "chess"] {
        let words = [
            "match",
            "--json",
            "--game",
            game,
            "--games",
            "4",
            "--concurrency",
            "2",
            "--max-plies",
            "80",
            "--engine",
            "name=a",
            &command,
            "--engine",
            "name=b",
            &command,
            "option.Hash=2",
            "--each",
            "nodes=300",
        ];
        let play = |more: &[&str]| {
            let output = elomill(folder.path(), &[&words[..], more].concat());
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{errors}");
            let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            (said["pentanomial"].clone(), said["endings"].clone(), errors)
        };
        let (free, shut_in) = (play(&[]), play(&["--sandbox"]));
        assert_eq!((&free.0, &free.1), (&shut_in.0, &shut_in.1));
        assert!(shut_in.2.contains("sandbox: full"), "{}", shut_in.2);
        assert!(!free.2.contains("sandbox"), "{}", free.2);
    }
}

fn sha256(path: &Path) -> String {
    use sha2::Digest;
    let bytes = std::fs::read(path).expect("a file");
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn object(output: &Output) -> serde_json::Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// From a manifest to a verdict, and what a manifest must not get past.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_is_kept_by_its_hash_and_looked_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = engine();
    std::fs::copy(&program, folder.path().join("mine")).expect("a copy");
    let hash = sha256(&program);
    let manifest = |hash: &str, more: &str| {
        let text = format!(
            "name = \"mine\"\ngame = \"xiangqi\"\nprotocol = \"uci\"\n[build]\nfile = \"mine\"\n\
             sha256 = \"{hash}\"\n[options]\nHash = 2\n{more}"
        );
        std::fs::write(folder.path().join("mine.toml"), text).expect("a file");
    };
    let add = || elomill(folder.path(), &["engine", "add", "mine.toml", "--json"]);
    let refused = |part: &str| {
        let output = add();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains(part), "{part}: {errors}");
    };
    manifest(&"0".repeat(64), "");
    refused("has the SHA-256");
    manifest(&hash, "[bench]\narguments = \"bench\"\nsignature = 1\n");
    refused("bench");
    let nothing = elomill(folder.path(), &["engine", "list", "--json"]);
    assert!(nothing.status.success() && nothing.stdout.is_empty(), "{nothing:?}");
    manifest(&hash, "");
    let added = object(&add());
    assert_eq!((&added["name"], &added["sha256"]), (&"mine".into(), &hash.as_str().into()));
    let listed = object(&elomill(folder.path(), &["engine", "list", "--json"]));
    assert_eq!(listed["options"]["Hash"], "2");
    let words = ["engine", "check", "mine", "--json", "--nodes", "3000", "--positions", "3"];
    let checked = elomill(folder.path(), &words);
    let said = object(&checked);
    assert!(checked.status.success() && said["sound"] == true, "{said:#}");
    let outcome = |check: &str| {
        let verdicts = said["verdicts"].as_array().expect("a list");
        let found = verdicts.iter().find(|verdict| verdict["check"] == check);
        found.map(|verdict| verdict["outcome"].clone()).unwrap_or_default()
    };
    for check in ["handshake", "options", "moves", "thoughts", "determinism", "ping"] {
        assert_eq!(outcome(check), "passed", "{check}: {said:#}");
    }
    assert_eq!(said["sandbox"]["level"], "full");
    let unknown = elomill(folder.path(), &["engine", "check", "yours"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("kept: mine"));
    // By its name it plays.
    let game = ["match", "--json", "--game", "xiangqi", "--games", "2", "--max-plies", "30"];
    let more = ["--engine", "mine", "--engine", "builtin", "name=b", "--each", "nodes=200"];
    let played = object(&elomill(folder.path(), &[&game[..], &more].concat()));
    assert_eq!((&played["engines"][0]["name"], &played["pairs"]), (&"mine".into(), &1.into()));
    // What is no engine is no engine by its check.
    let wrong = elomill(folder.path(), &["engine", "check", "cmd=/usr/bin/true", "--json"]);
    assert_eq!((wrong.status.code(), &object(&wrong)["sound"]), (Some(3), &false.into()));
    let gone = elomill(folder.path(), &["engine", "remove", "mine"]);
    assert!(gone.status.success(), "{gone:?}");
    assert!(elomill(folder.path(), &["engine", "list"]).stdout.is_empty());
}

/// A commit is built once, in the sandbox.
#[cfg(target_os = "linux")]
#[test]
fn i20_a_build_writes_its_source_alone_and_happens_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("source");
    std::fs::create_dir(&source).expect("a folder");
    let outside = folder.path().join("outside");
    let script = format!(
        "echo built\necho harm > {} || echo refused\nprintf '#!/bin/sh\\n' > out && chmod 755 out\n",
        outside.display()
    );
    std::fs::write(source.join("build.sh"), script).expect("a file");
    git(&source, &["init", "--quiet"]);
    git(&source, &["add", "."]);
    git(&source, &["commit", "--quiet", "-m", "first"]);
    let commit = git(&source, &["rev-parse", "HEAD"]);
    let manifest = |command: &str, commit: &str| {
        let text = format!(
            "name = \"built\"\ngame = \"chess\"\n[build]\ngit = \"source\"\ncommit = \"{commit}\"\n\
             command = {command}\nresult = \"out\"\n"
        );
        std::fs::write(folder.path().join("built.toml"), text).expect("a file");
        let output = elomill(folder.path(), &["engine", "add", "built.toml", "--json"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output, errors)
    };
    let good = "[\"/bin/sh\", \"build.sh\"]";
    let (first, errors) = manifest(good, &commit);
    assert!(first.status.success() && errors.contains("building"), "{errors}");
    assert!(!outside.exists());
    let hash = object(&first)["sha256"].clone();
    // What was built is not built again.
    let (again, errors) = manifest(good, &commit);
    assert!(errors.contains("was built before") && !errors.contains("building"), "{errors}");
    assert_eq!(object(&again)["sha256"], hash);
    let (failed, errors) = manifest("[\"/bin/sh\", \"-c\", \"echo no luck; exit 3\"]", &commit);
    assert!(!failed.status.success() && errors.contains("no luck"), "{errors}");
    let (unknown, errors) = manifest(good, &"0".repeat(40));
    assert!(
        !unknown.status.success() && errors.contains("cannot fetch") | errors.contains("no commit"),
        "{errors}"
    );
    // Nothing half-done stays behind.
    let left: Vec<_> = std::fs::read_dir(folder.path().join("data/engines"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("source"))
        .collect();
    assert_eq!(left, [""; 0]);
}

/// What a program declares comes through every form whole.
#[cfg(target_os = "linux")]
#[test]
fn the_numbers_of_a_program_make_the_round_of_all_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("engine.sh");
    let text = "#!/bin/sh\nwhile read -r word rest; do case $word in\nuci) echo id name script\n\
        echo option name Hash type spin default 16 min 1 max 64\n\
        echo option name lmr_base type spin default 75 min -100 max 300\n\
        echo option name razor type spin default 3 min 0 max 8\n\
        echo option name check_ext type check default true\n\
        echo option name two words type spin default 3 min 0 max 8\n\
        echo uciok;;\nquit) exit 0;; esac; done\n";
    std::fs::write(&script, text).expect("a file");
    let list = |format: &str| {
        let words =
            ["params", "--engine", "cmd=/bin/sh", "args=engine.sh", "dir=.", "--format", format];
        let output = elomill(folder.path(), &words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        String::from_utf8(output.stdout).expect("a text")
    };
    let convert = |text: &str, from: &str, to: &str| {
        std::fs::write(folder.path().join("list"), text).expect("a file");
        let words = ["params", "convert", "list", "--from", from, "--to", to];
        let output = elomill(folder.path(), &words);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("a text")
    };
    let toml = list("toml");
    assert_eq!(toml.matches("[[parameter]]").count(), 4);
    assert!(toml.contains("name = \"check_ext\"") && !toml.contains("Hash"), "{toml}");
    // A name of parameters has no blank.
    assert!(toml.contains("name = \"two_words\""), "{toml}");
    let fishtest = list("fishtest");
    assert!(fishtest.contains("lmr_base,75,-100,300,20,0.002\n"), "{fishtest}");
    assert_eq!(convert(&fishtest, "fishtest", "toml"), toml);
    let openbench = convert(&fishtest, "fishtest", "openbench");
    assert_eq!(convert(&openbench, "openbench", "fishtest"), fishtest);
    assert_eq!(convert(&list("spsa"), "openbench", "toml"), toml);
}
