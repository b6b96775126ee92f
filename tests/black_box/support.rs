//! A house of real processes for black-box tests, and the means to look at it and to hurt it.

use serde_json::Value;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use tempfile::TempDir;

/// A data folder of its own, which the unprivileged user of the database can enter.
pub(crate) fn data_dir() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("elomill-test-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o755));
    }
    builder.tempdir().expect("a folder")
}

/// The command, on a data folder, with nothing from the tester's own environment.
pub(crate) fn elomill(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elomill"));
    command.args(args).arg("--data-dir").arg(folder);
    for name in ["ELOMILL_COORDINATOR", "ELOMILL_DATABASE_URL", "ELOMILL_WORKER_STATE"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// What a command that succeeds writes to stdout.
pub(crate) fn good(folder: &Path, args: &[&str]) -> String {
    let output = elomill(folder, args).output().expect("the command starts");
    said(args, &output)
}

/// Stdout of a command that must have succeeded.
pub(crate) fn said(args: &[&str], output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The one JSON object that a command writes.
pub(crate) fn object(folder: &Path, args: &[&str]) -> Value {
    let text = good(folder, args);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"))
}

/// Sends a signal to one process.
pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
    rustix::process::kill_process(pid, signal).expect("the process is there");
}

/// A command that runs, with its stdout read line by line.
pub(crate) struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child =
            elomill(folder, args).stdout(Stdio::piped()).spawn().expect("the command starts");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        Self { child, lines: BufReader::new(stdout).lines() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next object; `None` at the end.
    pub(crate) fn next_object(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("stdout is text");
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Waits for its end by itself.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    /// Asks it to end as Ctrl-C does.
    pub(crate) fn interrupt(self) -> ExitStatus {
        signal(self.pid(), rustix::process::Signal::INT);
        self.end()
    }

    /// Ends it as no program can notice.
    pub(crate) fn kill(self) {
        signal(self.pid(), rustix::process::Signal::KILL);
        let status = self.end();
        assert!(!status.success());
    }
}

impl Drop for Running {
    /// A failed test leaves no house behind: it is asked to end, in a hurry.
    fn drop(&mut self) {
        while matches!(self.child.try_wait(), Ok(None)) {
            signal(self.pid(), rustix::process::Signal::INT);
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    }
}

/// `elomill up` with a worker of two slots, on a free port; answers when this comes back.
pub(crate) fn up(folder: &Path) -> Running {
    let mut house =
        Running::start(folder, &["up", "--json", "--slots", "2", "--listen", "127.0.0.1:0"]);
    let told = house.next_object().expect("the house says where it is");
    assert!(told["url"].as_str().is_some_and(|url| url.starts_with("http://127.0.0.1:")), "{told}");
    assert_eq!(told["pid"], house.pid());
    house
}

/// Writes a run file into the folder.
pub(crate) fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file is written");
    path
}

/// Process ids of the worker children of a process.
#[cfg(target_os = "linux")]
pub(crate) fn workers_of(parent: u32) -> Vec<u32> {
    let mut workers = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("a process list").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let read =
            |name: &str| std::fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        // After the name in brackets come the state and the parent.
        let stat = read("stat");
        let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split(' ').nth(2));
        let is_worker = read("cmdline").split('\0').nth(1) == Some("worker");
        if is_worker && parent_of == Some(parent.to_string().as_str()) {
            workers.push(pid);
        }
    }
    workers
}

/// What git says in this folder, as an author of its own.
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
