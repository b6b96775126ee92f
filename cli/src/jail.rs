//! Puts the programs of a match into the sandbox, and says how far that goes on this machine.

use crate::output::{hinted, say};
use anyhow::Context;
use arena::duel::{Entrant, Mind, Program};
use model::file::EngineFile;
use sandbox::{Level, Policy, Processes, Scratch};
use std::path::PathBuf;

/// `--sandbox`, for programs that are one's own or not.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct JailArgs {
    /// Shut the programs in: no network, no files but their own, so much memory beside their tables
    #[arg(long, value_name = "MIB", num_args = 0..=1, require_equals = true,
          default_missing_value = "4096", value_parser = clap::value_parser!(u64).range(64..=1 << 24))]
    sandbox: Option<u64>,
}

/// What must live as long as the programs do.
#[derive(Debug)]
pub(crate) struct Jail {
    /// How far they are shut in.
    pub(crate) level: Level,
    _scratch: Vec<Scratch>,
}

impl JailArgs {
    /// Shuts in what is a program; the engine built in is this project's own.
    ///
    /// # Errors
    /// The machine has no sandbox at all.
    pub(crate) fn shut_in(&self, entrants: &mut [Entrant; 2]) -> anyhow::Result<Option<Jail>> {
        let Some(memory_mib) = self.sandbox else { return Ok(None) };
        let mut programs: Vec<_> = entrants
            .iter_mut()
            .filter_map(|entrant| match &mut entrant.mind {
                Mind::Program(program) => Some(program),
                Mind::Builtin { .. } => None,
            })
            .collect();
        let policy = Policy { memory_mib, ..Policy::default() };
        let jail = Jail::of(&mut programs, &policy)?;
        say(format_args!("sandbox: {}", jail.level));
        Ok(Some(jail))
    }
}

impl Jail {
    /// The words before a command of another kind, and how far it is shut in.
    ///
    /// # Errors
    /// The machine has no sandbox at all.
    pub(crate) fn launcher(policy: &Policy) -> anyhow::Result<(Vec<PathBuf>, Level)> {
        let (host, level) = host()?;
        Ok((policy.launcher(&host, &level), level))
    }

    /// Shuts programs in, each with a scratch folder of its own; one that has no folder is started
    /// there.
    ///
    /// # Errors
    /// The machine has no sandbox at all, or no folder can be made.
    pub(crate) fn of(programs: &mut [&mut Program], policy: &Policy) -> anyhow::Result<Self> {
        let (host, level) = host()?;
        let mut scratches = Vec::new();
        for program in programs {
            let scratch = Scratch::new().context("cannot make a scratch folder")?;
            let policy = Policy {
                read: policy.read.iter().cloned().chain(program.folder.clone()).collect(),
                scratch: Some(scratch.path().to_owned()),
                memory_mib: policy.memory_mib + hash_mib(program),
                ..policy.clone()
            };
            program.launcher = policy.launcher(&host, &level);
            program.folder.get_or_insert_with(|| scratch.path().to_owned());
            scratches.push(scratch);
        }
        Ok(Self { level, _scratch: scratches })
    }
}

/// What the manifest of an engine allows it.
pub(crate) fn policy_of(file: &EngineFile) -> Policy {
    let processes = if file.starts_others { Processes::Many } else { Processes::One };
    Policy { memory_mib: file.memory_mib, processes, ..Policy::default() }
}

/// This program as a helper, and how far it shuts in.
fn host() -> anyhow::Result<(PathBuf, Level)> {
    let host = std::env::current_exe().context("this program's own file is not known")?;
    let level = sandbox::level(&host)?;
    if level.word() == "none" {
        return Err(hinted(
            format_args!("this machine has no sandbox: {level}"),
            "use without it what you trust, or Linux from 5.13 on",
        ));
    }
    Ok((host, level))
}

/// What its options say of its table.
fn hash_mib(program: &Program) -> u64 {
    let is_hash = |name: &str| {
        ["hash", "usi_hash", "hashsize"].iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    let values = program.options.iter().filter(|(name, _)| is_hash(name));
    values.filter_map(|(_, value)| value.parse::<u64>().ok()).max().unwrap_or(0)
}
