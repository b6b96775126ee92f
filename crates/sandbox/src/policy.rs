//! What a program may do, and the words in which a helper is told.

use crate::{Layer, Level, helper::CALLED};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether a program may start others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Processes {
    /// It has threads, and no process but its own.
    #[default]
    One,
    /// It may start others, and set modes of its user's files: a script around an engine, a build.
    /// What it starts is bound as it is and killed with its process group, by whoever started it; it
    /// outlives a caller who is killed.
    Many,
}

/// What one program may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Folders and files that it may read and run, besides the system's and its own folder.
    pub read: Vec<PathBuf>,
    /// The only folder that it may write; it is its home, too.
    pub scratch: Option<PathBuf>,
    /// MiB of address space.
    pub memory_mib: u64,
    /// MiB of the largest file that it may write.
    pub file_mib: u64,
    /// Seconds of processor time after which it is killed; `None`: no limit.
    pub cpu_seconds: Option<u64>,
    /// Whether it may start others.
    pub processes: Processes,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            read: Vec::new(),
            scratch: None,
            memory_mib: 4096,
            file_mib: 16,
            cpu_seconds: None,
            processes: Processes::One,
        }
    }
}

/// What the helper is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) policy: Policy,
    /// Who started it; it ends with them.
    pub(crate) parent: Option<u32>,
    /// It ends with who started it, and is free otherwise: nothing of the policy is put in force.
    pub(crate) free: bool,
    /// What must be in force before the command is started.
    pub(crate) required: Vec<Layer>,
    /// The command with its arguments; empty: say the level.
    pub(crate) command: Vec<PathBuf>,
}

impl Policy {
    /// The words to put before a command that is to be started under this policy by this process;
    /// `host` is a program that calls [`serve_if_called`](crate::serve_if_called), and `level` what
    /// [`level`](crate::level) said of it: what was in force then must be in force for the command.
    ///
    /// The thread that starts the command must live as long as the command shall: on Linux a program
    /// that dies with who started it dies with that thread.
    #[must_use]
    pub fn launcher(&self, host: &Path, level: &Level) -> Vec<PathBuf> {
        let required = level.in_force().collect();
        let order = Order {
            policy: self.clone(),
            parent: Some(std::process::id()),
            free: false,
            required,
            command: Vec::new(),
        };
        let mut words = vec![host.to_owned(), PathBuf::from(CALLED)];
        words.extend(order.words());
        words
    }
}

/// The words to put before a command that is trusted and shall all the same not outlive the thread of
/// this process that starts it, however that ends; `host` as for [`Policy::launcher`]. None where the
/// system has nothing for it.
#[must_use]
pub fn lifeline(host: &Path) -> Vec<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let order = Order { parent: Some(std::process::id()), free: true, ..Order::default() };
    let mut words = vec![host.to_owned(), PathBuf::from(CALLED)];
    words.extend(order.words());
    words
}

impl Order {
    /// Each word and each value stand alone, so that a path needs no quoting.
    pub(crate) fn words(&self) -> Vec<PathBuf> {
        let mut words: Vec<PathBuf> = Vec::new();
        let mut say = |word: &str, value: &OsStr| words.extend([word.into(), PathBuf::from(value)]);
        let number = |number: u64| number.to_string();
        for path in &self.policy.read {
            say("read", path.as_os_str());
        }
        if let Some(scratch) = &self.policy.scratch {
            say("scratch", scratch.as_os_str());
        }
        say("memory", number(self.policy.memory_mib).as_ref());
        say("file", number(self.policy.file_mib).as_ref());
        if let Some(seconds) = self.policy.cpu_seconds {
            say("cpu", number(seconds).as_ref());
        }
        if self.policy.processes == Processes::Many {
            say("processes", "many".as_ref());
        }
        if let Some(parent) = self.parent {
            say("parent", number(parent.into()).as_ref());
        }
        if self.free {
            say("free", "yes".as_ref());
        }
        for layer in &self.required {
            say("require", layer.name().as_ref());
        }
        words.push("--".into());
        words.extend(self.command.iter().cloned());
        words
    }

    /// Reads what [`Order::words`] writes.
    ///
    /// # Errors
    /// A word that is not known, or a value that is none; in words.
    pub(crate) fn parse(words: impl IntoIterator<Item = PathBuf>) -> Result<Self, String> {
        let mut order = Self::default();
        let mut words = words.into_iter();
        loop {
            let word = words.next().ok_or("no `--` before the command")?;
            let word = word.to_str().ok_or("a word that is no text")?;
            if word == "--" {
                order.command = words.collect();
                return Ok(order);
            }
            let value = words.next().ok_or_else(|| format!("`{word}` without a value"))?;
            let text = value.to_str();
            let number = || {
                let number = text.and_then(|text| text.parse::<u64>().ok());
                number.ok_or_else(|| format!("`{word}` takes a whole number"))
            };
            match word {
                "read" => order.policy.read.push(value),
                "scratch" => order.policy.scratch = Some(value),
                "memory" => order.policy.memory_mib = number()?,
                "file" => order.policy.file_mib = number()?,
                "cpu" => order.policy.cpu_seconds = Some(number()?),
                "processes" if text == Some("many") => order.policy.processes = Processes::Many,
                "free" if text == Some("yes") => order.free = true,
                "parent" => order.parent = u32::try_from(number()?).ok(),
                "require" => {
                    let layer = text.and_then(Layer::from_name);
                    order.required.push(layer.ok_or("`require` takes the name of a layer")?);
                }
                _ => return Err(format!("no word `{word}`")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_told_exactly_what_was_meant() {
        let policy = Policy {
            read: vec!["/opt/nets".into(), "-- /odd = path".into()],
            scratch: Some("/tmp/s".into()),
            memory_mib: 100,
            file_mib: 3,
            cpu_seconds: Some(9),
            processes: Processes::Many,
        };
        let order = Order {
            policy,
            parent: Some(77),
            free: true,
            required: Layer::ALL.into(),
            command: vec!["engine".into(), "--".into(), "read".into()],
        };
        assert_eq!(Order::parse(order.words()), Ok(order));
        let plain = Order::default();
        assert_eq!(Order::parse(plain.words()), Ok(plain));
        for (words, part) in [
            (&["memory", "4"][..], "no `--`"),
            (&["memory"], "without a value"),
            (&["memory", "much", "--"], "whole number"),
            (&["require", "luck", "--"], "name of a layer"),
            (&["processes", "some", "--"], "no word"),
            (&["engine", "x", "--"], "no word `engine`"),
        ] {
            let error = Order::parse(words.iter().map(PathBuf::from)).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
    }
}
