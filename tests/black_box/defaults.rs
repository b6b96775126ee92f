//! An accepted set on its way into the engine's sources, in a copy of them that git keeps.

use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program);
    // What the tester has set for git is not asked.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.args(args).current_dir(folder).output().expect("it starts")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder of sources").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn an_accepted_set_becomes_the_defaults_of_a_committed_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/engine/src");
    copy(&engine, &folder.join("crates/engine/src"));
    let set = folder.join("champion.toml");
    std::fs::write(&set, "[champion]\nlmr_base = 0.123\nrfp_depth = 2\n").expect("a file");
    let set = set.to_str().expect("plain");
    let elomill = env!("CARGO_BIN_EXE_elomill");
    let apply = |more: &[&str]| {
        let args = [&["params", "apply", set, "--game", "xiangqi"], more].concat();
        run(elomill, &args, folder)
    };
    let errors = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let unknown = apply(&[]);
    assert!(!unknown.status.success() && errors(&unknown).contains("is not kept by git"));
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "all"],
    ] {
        let output = run("git", args, folder);
        assert!(output.status.success(), "{}", errors(&output));
    }
    let dry = apply(&["--dry-run"]);
    assert!(dry.status.success(), "{}", errors(&dry));
    assert!(run("git", &["status", "--porcelain"], folder).stdout.is_empty());
    std::fs::write(folder.join("change.diff"), &dry.stdout).expect("a file");

    let done = apply(&[]);
    assert!(done.status.success(), "{}", errors(&done));
    let diff = run("git", &["diff", "--unified=0"], folder);
    let diff = String::from_utf8_lossy(&diff.stdout).into_owned();
    let new: Vec<_> = diff.lines().filter(|l| l.starts_with('+') && !l.starts_with("++")).collect();
    assert_eq!(new.len(), 2, "{diff}");
    assert!(new.iter().any(|line| line.ends_with("(\"lmr_base\", 0.123),")), "{diff}");
    assert!(new.iter().any(|line| line.ends_with("(\"rfp_depth\", 2.0),")), "{diff}");
    let dirty = apply(&[]);
    assert!(!dirty.status.success() && errors(&dirty).contains("not committed"));

    // What --dry-run printed is this very change: taken back as a patch, nothing is left of it.
    let back = run("git", &["apply", "--reverse", "change.diff"], folder);
    assert!(back.status.success(), "{}", errors(&back));
    assert!(run("git", &["diff"], folder).stdout.is_empty());
}
