//! What a hostile engine would try, one deed a call, for the tests: `sandbox-felon DEED [ARGUMENT]`.
//!
//! It prints `done`, or `refused` and why. It is its own helper, as the programs of the project are.

use std::io::Write;
use std::path::Path;

fn main() {
    sandbox::serve_if_called();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let said = match deed(word(0), word(1)) {
        Ok(said) => said,
        Err(error) => format!("refused: {error}"),
    };
    // The test has gone if nobody reads it.
    let _ = writeln!(std::io::stdout(), "{said}");
}

fn deed(name: &str, on: &str) -> std::io::Result<String> {
    let done = || Ok("done".to_owned());
    match name {
        "read" => std::fs::read(on).map(|_| "done".to_owned()),
        "list" => std::fs::read_dir(on).map(|_| "done".to_owned()),
        "write" => std::fs::write(on, b"I was here").and_then(|()| done()),
        "remove" => std::fs::remove_file(on).and_then(|()| done()),
        "cut" => {
            std::fs::OpenOptions::new().write(true).truncate(true).open(on).and_then(|_| done())
        }
        "mode" => {
            let permissions = std::fs::metadata(on)?.permissions();
            std::fs::set_permissions(on, permissions).and_then(|()| done())
        }
        "listen" => std::net::TcpListener::bind("127.0.0.1:0").and_then(|_| done()),
        "datagram" => std::net::UdpSocket::bind("127.0.0.1:0").and_then(|_| done()),
        "connect" => std::net::TcpStream::connect(on).and_then(|_| done()),
        "fork" => std::process::Command::new("/bin/true").status().and_then(|_| done()),
        "threads" => {
            let threads = (0..4).map(|_| std::thread::Builder::new().spawn(|| {}));
            let threads: Vec<_> = threads.collect::<std::io::Result<_>>()?;
            threads.into_iter().for_each(|thread| drop(thread.join()));
            done()
        }
        "memory" => {
            let bytes = on.parse::<usize>().unwrap_or(0) << 20;
            let mut hoard: Vec<u8> = Vec::new();
            hoard.try_reserve_exact(bytes).map_err(std::io::Error::other)?;
            done()
        }
        "environment" => {
            let mut names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            names.sort();
            Ok(names.join(" "))
        }
        "descriptors" => {
            let mut open = Vec::new();
            for entry in std::fs::read_dir("/proc/self/fd")? {
                if let Ok(target) = std::fs::read_link(entry?.path()) {
                    open.push(target.display().to_string());
                }
            }
            Ok(open.join(" "))
        }
        #[cfg(target_os = "linux")]
        "signal" | "trace" | "peek" | "limit" | "renice" => linux::meddle(name, on),
        #[cfg(target_os = "linux")]
        "linger" => linux::linger(),
        "start" => start(Path::new(on)),
        _ => Err(std::io::Error::other(format!("no deed `{name}`"))),
    }
}

/// Starts a lingering one in a sandbox, or without when told so, and waits for it.
fn start(host: &Path) -> std::io::Result<String> {
    let own = std::env::current_exe()?;
    let mut command = if host == Path::new("free") {
        std::process::Command::new(&own)
    } else {
        let level = sandbox::level(&own).map_err(std::io::Error::other)?;
        let words = sandbox::Policy::default().launcher(&own, &level);
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).arg(&own);
        command
    };
    command.arg("linger").status().map(|status| status.to_string())
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process, prlimit};
    use std::io::{Error, Write};

    /// Another process, which is the one that waits for this one's end.
    pub(super) fn meddle(how: &str, pid: &str) -> std::io::Result<String> {
        let number: i32 = pid.parse().map_err(Error::other)?;
        let pid = Pid::from_raw(number).ok_or_else(|| Error::other("no process"))?;
        match how {
            "signal" => kill_process(pid, Signal::CONT)?,
            "peek" => drop(std::fs::File::open(format!("/proc/{number}/mem"))?),
            "limit" => {
                prlimit(Some(pid), Resource::Core, getrlimit(Resource::Core))?;
            }
            "renice" => {
                rustix::process::setpriority_process(
                    Some(pid),
                    rustix::process::getpriority_process(Some(pid))?,
                )?;
            }
            _ => {
                // SAFETY: attaching and letting go touch no memory of this process.
                #[expect(unsafe_code, reason = "there is no safe ptrace")]
                let done = unsafe {
                    let done = libc::ptrace(libc::PTRACE_SEIZE, number, 0, 0);
                    let error = Error::last_os_error();
                    if done == 0 { Ok(()) } else { Err(error) }
                };
                done?;
            }
        }
        Ok("done".to_owned())
    }

    /// Wants to live on.
    pub(super) fn linger() -> std::io::Result<String> {
        let freed = rustix::process::set_parent_process_death_signal(None);
        let mut out = std::io::stdout();
        writeln!(out, "{} {}", std::process::id(), freed.is_ok())?;
        out.flush()?;
        loop {
            std::thread::park();
        }
    }
}
