//! Files, memory, and what is handed down.

use crate::support::{FELON, command, free, level, refused, under};
use sandbox::{Policy, Scratch};
use std::path::Path;
use std::process::Stdio;

#[test]
fn i20_this_machine_shuts_in_fully() {
    // Where it does not, the reason is in the message.
    let level = level();
    assert_eq!(level.word(), "full", "{level}");
}

#[test]
fn i20_a_home_is_neither_read_nor_written() {
    let home = tempfile::tempdir().expect("a folder");
    let keys = home.path().join(".ssh");
    std::fs::create_dir(&keys).expect("a folder");
    let key = keys.join("id");
    std::fs::write(&key, b"secret").expect("a file");
    let (keys, key) = (keys.to_str().expect("a text"), key.to_str().expect("a text"));
    refused(&["list", keys]);
    refused(&["read", key]);
    refused(&["write", key]);
    refused(&["cut", key]);
    refused(&["mode", key]);
    refused(&["write", &format!("{key}-2")]);
    refused(&["read", "/etc/passwd"]);
    refused(&["read", &format!("/proc/{}/status", std::process::id())]);
    std::fs::write(key, b"secret").expect("a file");
    assert!(under(&Policy::default(), &["remove", key]).starts_with("refused"));
    assert_eq!(std::fs::read(key).expect("it is there"), b"secret");
    assert_eq!(free(&["remove", key]), "done");
    // What the policy names is read, and not written.
    let open = Policy { read: vec![home.path().to_owned()], ..Policy::default() };
    std::fs::write(key, b"no secret").expect("a file");
    assert_eq!(under(&open, &["read", key]), "done");
    assert!(under(&open, &["write", key]).starts_with("refused"));
}

#[test]
fn i20_the_scratch_folder_alone_is_written_and_each_file_bounded() {
    let scratch = Scratch::new().expect("a folder");
    let policy =
        Policy { scratch: Some(scratch.path().to_owned()), file_mib: 1, ..Policy::default() };
    let file = scratch.path().join("notes");
    let file = file.to_str().expect("a text");
    assert_eq!(under(&policy, &["write", file]), "done");
    assert_eq!(under(&policy, &["read", file]), "done");
    assert!(under(&policy, &["write", "/tmp/not-here"]).starts_with("refused"));
    // A program that is written there is not run.
    let copy = scratch.path().join("copy");
    std::fs::copy(FELON, &copy).expect("a copy");
    let mut escape = command(&policy, &[]);
    let words: Vec<_> = escape.get_args().map(std::ffi::OsStr::to_owned).collect();
    escape = std::process::Command::new(FELON);
    escape.args(&words[..words.len() - 1]).args(["/usr/bin/env", "--"]).arg(&copy).arg("threads");
    let output = escape.output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.stdout.is_empty() && errors.contains("Permission denied"), "{errors}");
    let hoard = scratch.path().join("hoard");
    let dd = |mib: &str| {
        let mut command = std::process::Command::new(FELON);
        command.args(&words[..words.len() - 1]).arg("dd").arg("if=/dev/zero").arg("bs=65536");
        command.arg(format!("of={}", hoard.display())).arg(format!("count={mib}"));
        command.stderr(Stdio::null()).status().expect("it starts").success()
    };
    assert!(dd("16"), "one MiB");
    assert!(!dd("17"), "more than one MiB");
    assert!(std::fs::metadata(&hoard).expect("it is there").len() <= 1 << 20);
}

#[test]
fn i20_memory_is_bounded() {
    // Reserved, not touched: the host must not pay for the comparison.
    assert_eq!(free(&["memory", "5000"]), "done");
    assert_eq!(under(&Policy::default(), &["memory", "500"]), "done");
    assert!(under(&Policy::default(), &["memory", "5000"]).starts_with("refused"));
    let more = Policy { memory_mib: 6000, ..Policy::default() };
    assert_eq!(under(&more, &["memory", "5000"]), "done");
}

#[test]
fn i20_nothing_is_handed_down() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    // As a caller that knows nothing of it would leave it open.
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).expect("a flag");
    let name = file.path().to_str().expect("a text");
    assert!(free(&["descriptors"]).contains(name));
    let mut inside = command(&Policy::default(), &["descriptors"]);
    let said = inside.env("TOKEN", "secret").output().expect("it starts");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("pipe:") && !said.contains(name), "{said}");
    let mut inside = command(&Policy::default(), &["environment"]);
    let said = inside.env("TOKEN", "secret").output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "HOME LANG PATH TMPDIR");
}

#[test]
fn i20_a_helper_that_cannot_do_as_it_is_told_starts_nothing() {
    let mut words = Policy::default().launcher(Path::new(FELON), &level());
    // As if another had started it, who is gone.
    let at = words.iter().position(|word| word == Path::new("parent")).expect("the word");
    words[at + 1] = "1".into();
    let output = std::process::Command::new(&words[0])
        .args(&words[1..])
        .args([FELON, "threads"])
        .output()
        .expect("it starts");
    assert!(output.stdout.is_empty(), "{output:?}");
    let wrong = std::process::Command::new(FELON)
        .args([sandbox::CALLED, "luck", "much", "--", FELON, "threads"])
        .output()
        .expect("it starts");
    assert_eq!(wrong.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("no word `luck`"));
    let none = under(&Policy::default(), &[]);
    assert!(none.contains("no deed"), "{none}");
}
