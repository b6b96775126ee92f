//! Puts programs into the sandbox, and says how far that goes on this machine.

use crate::shelf::{Fault, ShelfError};
use arena::duel::Program;
use model::file::EngineFile;
use sandbox::{Layer, Level, Policy, Processes, Scratch, State};
use std::path::{Path, PathBuf};

/// How much sandbox has to be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Files, network, processes and memory are shut off, or nothing is started.
    #[default]
    Required,
    /// What the machine offers.
    Best,
    /// None: only for programs that are one's own.
    Off,
}

impl Mode {
    /// Every mode with its name.
    pub const ALL: [(&'static str, Mode); 3] =
        [("required", Mode::Required), ("best", Mode::Best), ("off", Mode::Off)];

    /// `required`, `best` or `off`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

impl std::str::FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|(name, _)| *name == text);
        known.map(|(_, mode)| mode).ok_or_else(|| "allowed: required, best, off".to_owned())
    }
}

/// What shuts programs in here: a helper, and how far it goes. Found out once.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The program that is the helper, and what is in force; `None` without a sandbox.
    helper: Option<(PathBuf, Level)>,
    /// Without a sandbox, what sees to it that programs end with this process.
    lifeline: Option<PathBuf>,
}

/// What must live as long as its programs do.
#[derive(Debug)]
pub struct Jail {
    _scratch: Vec<Scratch>,
}

impl Guard {
    /// A guard of this mode; `helper` is a program that calls [`sandbox::serve_if_called`] first
    /// thing, mostly the caller's own.
    ///
    /// # Errors
    /// The machine lacks what the mode asks for, or there is no helper.
    pub fn new(mode: Mode, helper: Option<&Path>) -> Result<Self, ShelfError> {
        if mode == Mode::Off {
            return Ok(Self { helper: None, lifeline: helper.map(Path::to_owned) });
        }
        let host = helper.map(Path::to_owned).ok_or_else(|| {
            let hint = "start it by its own program, or go without (--sandbox off)";
            ShelfError::new(Fault::Refused, "no program serves as the sandbox's helper", hint)
        })?;
        let level = sandbox::level(&host).map_err(|error| {
            ShelfError::new(Fault::Refused, error, "use the same version of every part")
        })?;
        let needed = [Layer::Files, Layer::Network, Layer::Processes, Layer::Memory];
        let lacks = level.standings().iter().any(|standing| {
            needed.contains(&standing.layer) && matches!(standing.state, State::Missing(_))
        });
        if lacks && mode == Mode::Required || level.word() == "none" {
            return Err(ShelfError::new(
                Fault::Refused,
                format_args!("this machine has no whole sandbox: {level}"),
                "go without it for what you trust (--sandbox best or off), or use Linux from 5.13 on",
            ));
        }
        Ok(Self { helper: Some((host, level)), lifeline: None })
    }

    /// How far it goes; `None` without a sandbox.
    #[must_use]
    pub fn level(&self) -> Option<&Level> {
        self.helper.as_ref().map(|(_, level)| level)
    }

    /// `full`, `partial` or `none`, with what is missing.
    #[must_use]
    pub fn describe(&self) -> String {
        self.level().map_or_else(|| "none: it is switched off".to_owned(), Level::to_string)
    }

    /// The words before a command that is to be shut in so; without a sandbox it only ends with this
    /// process, if there is a helper for that.
    #[must_use]
    pub fn launcher(&self, policy: &Policy) -> Vec<PathBuf> {
        match &self.helper {
            None => self.lifeline.as_deref().map(sandbox::lifeline).unwrap_or_default(),
            Some((host, level)) => policy.launcher(host, level),
        }
    }

    /// A command under a policy.
    pub(crate) fn command(&self, policy: &Policy, program: &Path) -> std::process::Command {
        let mut words = self.launcher(policy);
        words.push(program.to_owned());
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// Shuts programs in, each under its policy and with a scratch folder of its own, which is its
    /// folder where it has none.
    ///
    /// # Errors
    /// No folder can be made.
    pub fn shut_in<'a>(
        &self,
        programs: impl IntoIterator<Item = (&'a mut Program, &'a Policy)>,
    ) -> Result<Jail, ShelfError> {
        let mut scratches = Vec::new();
        for (program, policy) in programs {
            let io = ShelfError::io("cannot make a scratch folder");
            let scratch = Scratch::new().map_err(io)?;
            let policy = Policy {
                read: policy.read.iter().cloned().chain(program.folder.clone()).collect(),
                scratch: Some(scratch.path().to_owned()),
                memory_mib: policy.memory_mib + hash_mib(program),
                ..policy.clone()
            };
            program.launcher = self.launcher(&policy);
            program.folder.get_or_insert_with(|| scratch.path().to_owned());
            scratches.push(scratch);
        }
        Ok(Jail { _scratch: scratches })
    }
}

/// What the manifest of an engine allows it.
#[must_use]
pub fn policy_of(file: &EngineFile) -> Policy {
    let processes = if file.starts_others { Processes::Many } else { Processes::One };
    Policy { memory_mib: file.memory_mib, processes, ..Policy::default() }
}

/// What its options say of its table.
pub(crate) fn hash_mib(program: &Program) -> u64 {
    let is_hash = |name: &str| {
        ["hash", "usi_hash", "hashsize"].iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    let options = program.options.iter().filter(|(name, _)| is_hash(name));
    let said = options.filter_map(|(_, value)| value.parse::<u64>().ok());
    let numbers = program.parameters.iter().filter(|(name, _)| is_hash(name));
    let numbers = numbers.map(|(_, value)| value.clamp(0.0, 1e6) as u64);
    said.chain(numbers).chain(program.hash_mib).max().unwrap_or(0)
}
