//! A program as a child: its pipes, read and written up to a deadline, and its certain end.
//!
//! No thread and no lock stands between the caller and the pipes: one write, one `poll`, one read
//! for a move. The child leads a process group of its own, which is killed with everything that it
//! has started; Ctrl-C at the terminal does not reach it.

use super::Program;
use super::lines::Lines;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of one read.
const CHUNK: usize = 16 * 1024;

/// Last bytes of stderr that are kept for the report of a failure.
const NOISE: usize = 16 * 1024;

/// How often a long wait looks at the stop signal.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a program that has closed its pipe may take to end by itself, so that its own status
/// can be told.
const LAST_BREATH: Duration = Duration::from_millis(100);

/// What came of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Something was read.
    Heard,
    /// The deadline has passed.
    Late,
    /// The pipe is closed: nothing more will come.
    Gone,
    /// The caller's signal was raised.
    Stopped,
}

/// A running program.
pub(super) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// What it has said.
    pub(super) lines: Lines,
    noise: VecDeque<u8>,
    chunk: Box<[u8]>,
    at_end: bool,
    buried: Option<ExitStatus>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// The system does not start it.
    pub(super) fn start(program: &Program) -> io::Result<Self> {
        let mut words = program.launcher.iter().chain(std::iter::once(&program.command));
        let mut command = Command::new(words.next().unwrap_or(&program.command));
        command.args(words).args(&program.arguments);
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let process = Self {
            child,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            lines: Lines::default(),
            noise: VecDeque::new(),
            chunk: vec![0; CHUNK].into(),
            at_end: false,
            buried: None,
        };
        if let Some(stdin) = &process.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(process)
    }

    /// Sends everything, reading meanwhile, so that two full pipes do not wait for each other.
    pub(super) fn write(&mut self, mut text: &[u8], deadline: Instant) -> Result<(), Event> {
        while !text.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Err(Event::Gone) };
            match stdin.write(text) {
                Ok(0) => return Err(Event::Gone),
                Ok(written) => text = &text[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.poll(deadline, Direction::Both)?;
                }
                Err(_) => return Err(Event::Gone),
            }
        }
        Ok(())
    }

    /// Forgets what has been said so far, also what is still in the pipe: nobody has asked for it.
    pub(super) fn forget(&mut self) {
        let until = Instant::now() + Duration::from_millis(20);
        let ready = |process: &Self| {
            let mut fds = [PollFd::new(&process.stdout, PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            matches!(poll(&mut fds, Some(&now)), Ok(1))
        };
        while !self.at_end && ready(self) && Instant::now() < until {
            self.read();
            while self.lines.next().is_some() {}
        }
        self.lines.clear();
    }

    /// Waits until something has come into `lines`.
    pub(super) fn wait(&mut self, deadline: Instant, stop: &AtomicBool) -> Event {
        loop {
            // Relaxed: the flag carries no data.
            if stop.load(Ordering::Relaxed) {
                return Event::Stopped;
            }
            let glance = Instant::now() + GLANCE;
            match self.poll(deadline.min(glance), Direction::In) {
                Ok(Some(event)) | Err(event @ (Event::Gone | Event::Heard | Event::Stopped)) => {
                    return event;
                }
                Err(Event::Late) if Instant::now() >= deadline => return Event::Late,
                // Its pipe may be kept open by what it has started.
                Err(Event::Late) if self.await_end(Duration::ZERO) => return self.last_words(),
                Ok(None) | Err(Event::Late) => {}
            }
        }
    }

    /// What a program that has ended had said before.
    fn last_words(&mut self) -> Event {
        match self.poll(Instant::now() + Duration::from_millis(1), Direction::In) {
            Ok(Some(event)) => event,
            _ => Event::Gone,
        }
    }

    /// One look at the pipes; reads what has come. `Err(Late)` once the deadline has passed.
    fn poll(&mut self, deadline: Instant, direction: Direction) -> Result<Option<Event>, Event> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Event::Late);
        }
        let timeout = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let (mut heard, mut noisy) = (false, false);
        {
            let mut fds = arrayvec::ArrayVec::<PollFd<'_>, 3>::new();
            if !self.at_end {
                fds.push(PollFd::new(&self.stdout, PollFlags::IN));
            }
            if let Some(stderr) = &self.stderr {
                fds.push(PollFd::new(stderr, PollFlags::IN));
            }
            if let (Some(stdin), Direction::Both) = (&self.stdin, direction) {
                fds.push(PollFd::new(stdin, PollFlags::OUT));
            }
            match poll(&mut fds, Some(&timeout)) {
                Ok(0) => return Err(Event::Late),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Err(Event::Gone),
            }
            let mut fds = fds.iter();
            if !self.at_end {
                heard = fds.next().is_some_and(|fd| !fd.revents().is_empty());
            }
            if self.stderr.is_some() {
                noisy = fds.next().is_some_and(|fd| !fd.revents().is_empty());
            }
        }
        if noisy {
            self.read_noise();
        }
        if heard {
            return Ok(Some(self.read()));
        }
        match (self.at_end, direction) {
            (true, Direction::In) => Ok(Some(Event::Gone)),
            _ => Ok(None),
        }
    }

    fn read(&mut self) -> Event {
        match self.stdout.read(&mut self.chunk) {
            Ok(0) => {
                self.at_end = true;
                if self.lines.rest().is_some() {
                    // The last words of a program that ends without a line end.
                    self.lines.feed(b"\n");
                    return Event::Heard;
                }
                Event::Gone
            }
            Ok(read) => {
                self.lines.feed(&self.chunk[..read]);
                Event::Heard
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Event::Heard,
            Err(_) => {
                self.at_end = true;
                Event::Gone
            }
        }
    }

    fn read_noise(&mut self) {
        let Some(stderr) = &mut self.stderr else { return };
        match stderr.read(&mut self.chunk) {
            Ok(0) | Err(_) => self.stderr = None,
            Ok(read) => {
                self.noise.extend(&self.chunk[..read]);
                let surplus = self.noise.len().saturating_sub(NOISE);
                self.noise.drain(..surplus);
            }
        }
    }

    /// Ends it and everything that it has started, and says how it ended: by itself, if it had
    /// ended or ends within a moment.
    pub(super) fn bury(&mut self) -> String {
        self.stdin = None;
        self.await_end(LAST_BREATH);
        for _ in 0..4 {
            // What it wrote to stderr last, which may say why.
            if self.poll(Instant::now() + Duration::from_millis(1), Direction::Noise).is_err() {
                break;
            }
        }
        let status = self.kill();
        let mut epitaph = status.map_or_else(|| "is gone".to_owned(), epitaph);
        let noise: Vec<u8> = self.noise.iter().copied().collect();
        let noise = String::from_utf8_lossy(&noise);
        if let Some(last) = noise.lines().rev().find(|line| !line.trim().is_empty()) {
            epitaph = format!("{epitaph}; its last words: {}", model::printable(last.trim(), 200));
        }
        epitaph
    }

    /// Asks it to leave and lets it go; `await_end` and the drop see to it that it does.
    pub(super) fn dismiss(&mut self, farewell: &[u8]) {
        let _ = self.write(farewell, Instant::now() + Duration::from_millis(50));
        self.stdin = None;
    }

    /// Waits a while for the end of the program, without taking note of it.
    pub(super) fn await_end(&mut self, at_most: Duration) -> bool {
        let Some(pid) = self.pid() else { return true };
        let until = Instant::now() + at_most;
        let mut pause = Duration::from_micros(200);
        loop {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if !matches!(waitid(WaitId::Pid(pid), options), Ok(None)) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Kills the group while its leader is not buried yet: until then its number is nobody else's.
    fn kill(&mut self) -> Option<ExitStatus> {
        if self.buried.is_none() {
            if let Some(pid) = self.pid() {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            self.buried = self.child.wait().ok();
        }
        self.buried
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a look at the pipes is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// Something to read.
    In,
    /// Room to write, or something to read.
    Both,
    /// Only what stderr has left.
    Noise,
}

fn epitaph(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(9)) => "closed its pipe and was killed".to_owned(),
        (None, Some(signal)) => format!("died of signal {signal}"),
        (None, None) => "is gone".to_owned(),
    }
}
