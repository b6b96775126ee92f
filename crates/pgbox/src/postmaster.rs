//! The server process as `postmaster.pid` and the system know it.
//!
//! A process id in a file proves nothing: the process may be gone and its number taken. So a
//! server counts as running only when the process's command line is a postmaster's on this very
//! directory.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::Error;

/// How long a server gets to obey one signal.
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// How often a process is looked at while waiting for it.
const POLL: Duration = Duration::from_millis(10);

/// What a postmaster wrote about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Postmaster {
    pub(crate) pid: i32,
    pub(crate) socket_dir: Option<PathBuf>,
}

/// The server that runs on a cluster, if one does.
pub(crate) fn running(cluster: &Path) -> Option<Postmaster> {
    let text = fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    parse(&text).filter(|postmaster| is_running(postmaster.pid, cluster))
}

/// Lines: process id, directory, start time, port, socket directory, address, shared memory,
/// state. The later ones come while the server starts.
fn parse(text: &str) -> Option<Postmaster> {
    let mut lines = text.lines();
    let pid = lines.next()?.trim().parse().ok().filter(|pid| *pid > 0)?;
    let socket_dir = lines.nth(3).filter(|line| line.starts_with('/')).map(PathBuf::from);
    Some(Postmaster { pid, socket_dir })
}

/// Whether `pid` is a postmaster on `cluster`. A dead child that nobody has waited for yet has no
/// command line and does not count.
pub(crate) fn is_running(pid: i32, cluster: &Path) -> bool {
    command_line(pid).is_some_and(|line| is_postmaster(&line, cluster))
        || (fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == cluster)
            && command_line(pid).is_some_and(|line| is_postgres(&line)))
}

fn is_postmaster(line: &str, cluster: &Path) -> bool {
    is_postgres(line) && format!("{line} ").contains(&format!(" -D {} ", cluster.display()))
}

/// Backends call themselves `postgres: something`.
fn is_postgres(line: &str) -> bool {
    line.contains("postgres") && !line.starts_with("postgres: ")
}

#[cfg(target_os = "linux")]
fn command_line(pid: i32) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&bytes).replace('\0', " ");
    Some(line.trim_end().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(not(target_os = "linux"))]
fn command_line(pid: i32) -> Option<String> {
    let output = std::process::Command::new("ps")
        .args(["-ww", "-o", "command=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Some(line).filter(|line| !line.is_empty())
}

/// Makes a stale `postmaster.pid` harmless, when the process it names is not a server of this
/// cluster.
///
/// Postgres refuses to start while any process of its user has that number. Removing the file
/// would also remove the number of the shared memory block by which Postgres notices backends that
/// outlived a killed postmaster, so only the process id is replaced, by one beyond what any system
/// gives out.
pub(crate) fn defuse_stale(cluster: &Path) -> Result<(), Error> {
    let path = cluster.join("postmaster.pid");
    let Ok(text) = fs::read_to_string(&path) else { return Ok(()) };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    fs::write(&path, format!("{}\n{rest}", i32::MAX)).map_err(Error::io("write", path))
}

/// Ends the backends that outlived a killed postmaster of this cluster, so that a new one can have
/// the shared memory. Their sessions are lost with the postmaster in any case, and SIGQUIT leaves
/// nothing that recovery does not mend. Elsewhere than on Linux they are left to end by themselves,
/// which they do at the latest when their statement is done.
pub(crate) fn end_orphans(cluster: &Path) {
    for entry in fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok) {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == cluster);
        if here && command_line(pid).is_some_and(|line| line.starts_with("postgres: ")) {
            // It fails on one that has just ended.
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::QUIT));
        }
    }
}

/// How to end a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shutdown {
    /// Ends sessions, writes a checkpoint.
    Fast,
    /// Ends at once; the next start recovers.
    Immediate,
}

/// Stops the server that runs on `cluster`, if one does, and waits until it is gone. `child` is
/// the caller's own child process: usually that server, or one that died before.
pub(crate) fn stop(
    cluster: &Path,
    child: Option<&mut Child>,
    shutdown: Shutdown,
) -> Result<(), Error> {
    if let Some(child) = child
        && matches!(child.try_wait(), Ok(None))
    {
        let pid = i32::try_from(child.id()).expect("process ids fit in pid_t");
        end(pid, shutdown, || !matches!(child.try_wait(), Ok(None)))?;
    }
    match running(cluster) {
        Some(Postmaster { pid, .. }) => end(pid, shutdown, || !is_running(pid, cluster)),
        None => Ok(()),
    }
}

/// Signals a postmaster until `is_gone`.
fn end(pid: i32, shutdown: Shutdown, mut is_gone: impl FnMut() -> bool) -> Result<(), Error> {
    let signals: &[Signal] = match shutdown {
        Shutdown::Fast => &[Signal::INT, Signal::QUIT],
        Shutdown::Immediate => &[Signal::QUIT],
    };
    for signal in signals {
        // It fails on a process that is gone already, which is what is wanted.
        let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, *signal));
        let start = Instant::now();
        while start.elapsed() < STOP_PATIENCE {
            if is_gone() {
                return Ok(());
            }
            thread::sleep(POLL);
        }
    }
    Err(Error::NotStopped { pid, seconds: STOP_PATIENCE.as_secs() * signals.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pid_files_are_read_at_every_stage() {
        let full = "4711\n/d/pg\n1700000000\n5432\n/run/elomill-1\n\n  123  456\nready   \n";
        let parsed = parse(full).unwrap();
        assert_eq!(parsed.pid, 4711);
        assert_eq!(parsed.socket_dir, Some("/run/elomill-1".into()));
        assert_eq!(parse("4711\n/d/pg\n17\n5432\n").unwrap().socket_dir, None);
        for broken in ["", "\n", "-5\n/d\n", "word\n", "0\n"] {
            assert_eq!(parse(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn only_a_postmaster_of_this_cluster_counts() {
        let cluster = Path::new("/var/lib/elomill/pg");
        for (line, expected) in [
            ("/usr/lib/postgresql/15/bin/postgres -D /var/lib/elomill/pg -c port=5432", true),
            ("/usr/lib/postgresql/15/bin/postgres -D /var/lib/elomill/pg", true),
            ("/usr/lib/postgresql/15/bin/postgres -D /var/lib/elomill/pg2 -c x=y", false),
            ("postgres: checkpointer -D /var/lib/elomill/pg", false),
            ("sleep -D /var/lib/elomill/pg", false),
            ("", false),
        ] {
            assert_eq!(is_postmaster(line, cluster), expected, "{line}");
        }
    }

    #[test]
    fn another_process_with_the_recorded_number_is_no_server() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("postmaster.pid");
        fs::write(&file, format!("{}\n{}\n1\n5432\n/s\n\n1 2\n", std::process::id(), "/d"))
            .unwrap();
        assert_eq!(running(dir.path()), None);
        defuse_stale(dir.path()).unwrap();
        let expected = format!("{}\n/d\n1\n5432\n/s\n\n1 2\n", i32::MAX);
        assert_eq!(fs::read_to_string(file).unwrap(), expected);
    }
}
