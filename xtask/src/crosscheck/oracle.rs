//! A program of others as a process that answers lines: what it may send and how long it may take is
//! bounded, so that one that dies, raves or sleeps is an error that names it.

use anyhow::{Context, anyhow, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// The longest answer; a line of 1000 plies takes less than 16 KiB.
const LONGEST_ANSWER: u64 = 1 << 20;
/// The longest request. It fits into the buffer of a pipe, so that writing it never waits.
const LONGEST_REQUEST: usize = 1 << 15;

/// What an oracle answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What stands behind `ok`.
    Given(String),
    /// Why it cannot answer.
    Refused(String),
}

/// A running oracle. It ends when this is dropped.
pub(super) struct Oracle {
    name: &'static str,
    /// What it says it is.
    version: String,
    child: Child,
    requests: ChildStdin,
    answers: Receiver<std::io::Result<String>>,
    patience: Duration,
}

impl Oracle {
    /// Starts the program and waits until it is ready.
    ///
    /// # Errors
    /// It cannot be started or says something else than `ready` and its version.
    pub(super) fn start(
        name: &'static str,
        command: &mut Command,
        patience: Duration,
    ) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the oracle {name}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, output) = pipes.ok_or_else(|| anyhow!("the oracle {name} has no pipes"))?;
        let (sender, answers) = sync_channel(1);
        std::thread::spawn(move || forward(output, &sender));
        let mut oracle = Self { name, version: String::new(), child, requests, answers, patience };
        let greeting = oracle.receive()?;
        let Some(version) = greeting.strip_prefix("ready\t") else {
            bail!("{} does not say `ready` but `{}`", oracle.name, model::printable(&greeting, 64));
        };
        oracle.version = version.to_owned();
        Ok(oracle)
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Sends a request of one line.
    ///
    /// # Errors
    /// The oracle ended, took too long or sent something that is no answer; its name is in front.
    pub(super) fn ask(&mut self, request: &str) -> anyhow::Result<Answer> {
        let name = self.name;
        if request.len() > LONGEST_REQUEST {
            bail!("a request to {name} has {} bytes; at most {LONGEST_REQUEST}", request.len());
        }
        let sent = self.requests.write_all(format!("{request}\n").as_bytes());
        sent.and_then(|()| self.requests.flush())
            .with_context(|| format!("{name} does not take requests any more"))?;
        let answer = self.receive()?;
        match answer.split_once('\t') {
            Some(("ok", rest)) => Ok(Answer::Given(rest.to_owned())),
            Some(("error", reason)) => Ok(Answer::Refused(model::printable(reason, 300))),
            _ => bail!("{name} answers `{}`, not `ok`", model::printable(&answer, 64)),
        }
    }

    fn receive(&mut self) -> anyhow::Result<String> {
        let name = self.name;
        match self.answers.recv_timeout(self.patience) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(error).with_context(|| format!("cannot hear {name}")),
            Err(RecvTimeoutError::Timeout) => {
                bail!("{name} has said nothing for {} s", self.patience.as_secs_f64())
            }
            Err(RecvTimeoutError::Disconnected) => bail!("{name} has ended"),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends on each line, up to the first that is too long or no text.
fn forward(output: ChildStdout, answers: &SyncSender<std::io::Result<String>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let answer = match output.by_ref().take(LONGEST_ANSWER).read_line(&mut line) {
            Ok(0) => return,
            Ok(_) if line.ends_with('\n') => {
                line.pop();
                Ok(line)
            }
            Ok(_) => Err(std::io::Error::other("a line that is too long or has no end")),
            Err(error) => Err(error),
        };
        let is_last = answer.is_err();
        // Nobody listens any more when the oracle was dropped.
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str, patience: Duration) -> anyhow::Result<Oracle> {
        Oracle::start("mock", Command::new("sh").args(["-c", text]), patience)
    }

    #[test]
    fn a_good_oracle_answers() {
        let text = "printf 'ready\\tmock 1\\n'; while read -r line; do printf 'ok\\t%s\\n' \"$line\"; done";
        let mut oracle = script(text, Duration::from_secs(60)).unwrap();
        assert_eq!(oracle.version(), "mock 1");
        assert_eq!(oracle.ask("a b").unwrap(), Answer::Given("a b".into()));
        assert_eq!(oracle.ask("c").unwrap(), Answer::Given("c".into()));
        let text = "printf 'ready\\tmock 1\\n'; read -r line; printf 'error\\tno such move\\n'";
        let mut oracle = script(text, Duration::from_secs(60)).unwrap();
        assert_eq!(oracle.ask("a").unwrap(), Answer::Refused("no such move".into()));
    }

    #[test]
    fn one_that_is_no_oracle_is_refused_by_name() {
        let patience = Duration::from_secs(60);
        let error = script("echo hello", patience).err().unwrap().to_string();
        assert_eq!(error, "mock does not say `ready` but `hello`");
        let error = script("exit 3", patience).err().unwrap().to_string();
        assert_eq!(error, "mock has ended");
        let mut command = Command::new("no-such-program-of-ours");
        let error = Oracle::start("mock", &mut command, patience).err().unwrap();
        assert_eq!(error.to_string(), "cannot start the oracle mock");
    }

    #[test]
    fn one_that_dies_raves_or_sleeps_is_an_error_that_names_it() {
        let ready = "printf 'ready\\tmock 1\\n'; read -r line; ";
        let patience = Duration::from_secs(60);
        for (then, expected) in [
            ("exit 1", "mock has ended"),
            ("printf 'what\\n'", "mock answers `what`, not `ok`"),
            ("printf '\\377\\n'", "cannot hear mock"),
            ("printf 'ok\\tcut off'", "cannot hear mock"),
            ("yes | tr -d '\\n'", "cannot hear mock"),
        ] {
            let mut oracle = script(&format!("{ready}{then}"), patience).unwrap();
            let error = oracle.ask("a").unwrap_err().to_string();
            assert_eq!(error, expected, "{then}");
        }
        let mut oracle = script(&format!("{ready}exec sleep 60"), patience).unwrap();
        oracle.patience = Duration::from_millis(1);
        let error = oracle.ask("a").unwrap_err().to_string();
        assert_eq!(error, "mock has said nothing for 0.001 s");
        let mut oracle = script(&format!("{ready}exec sleep 60"), patience).unwrap();
        let error = oracle.ask(&"a".repeat(LONGEST_REQUEST + 1)).unwrap_err().to_string();
        assert!(error.starts_with("a request to mock has"), "{error}");
    }
}
