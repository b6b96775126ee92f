//! Puts the programs of a match into the sandbox, and says how far that goes on this machine.

use crate::output::say;
use anyhow::Context;
use arena::duel::{Entrant, Mind, Program};
use sandbox::Policy;
use worker::shelf::{Guard, Jail, Mode};

/// `--sandbox`, for programs that are one's own or not.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct JailArgs {
    /// Shut the programs in: no network, no files but their own, so much memory beside their tables
    #[arg(long, value_name = "MIB", num_args = 0..=1, require_equals = true,
          default_missing_value = "4096", value_parser = clap::value_parser!(u64).range(64..=1 << 24))]
    sandbox: Option<u64>,
}

impl JailArgs {
    /// Shuts in what is a program; the engine built in is this project's own. Without a sandbox it only
    /// ends with this process, however that ends.
    ///
    /// # Errors
    /// The machine has no sandbox at all.
    pub(crate) fn shut_in(&self, entrants: &mut [Entrant; 2]) -> anyhow::Result<Option<Jail>> {
        let Some(memory_mib) = self.sandbox else {
            let host = std::env::current_exe().context("this program's own file is not known")?;
            for entrant in entrants {
                if let Mind::Program(program) = &mut entrant.mind {
                    program.launcher = sandbox::lifeline(&host);
                }
            }
            return Ok(None);
        };
        let policy = Policy { memory_mib, ..Policy::default() };
        let guard = guard()?;
        let programs = entrants.iter_mut().filter_map(|entrant| match &mut entrant.mind {
            Mind::Program(program) => Some((program, &policy)),
            Mind::Builtin { .. } => None,
        });
        let jail = guard.shut_in(programs)?;
        say(format_args!("sandbox: {}", guard.describe()));
        Ok(Some(jail))
    }
}

/// What the machine offers, with this program as the helper.
///
/// # Errors
/// It offers nothing at all.
pub(crate) fn guard() -> anyhow::Result<Guard> {
    let host = std::env::current_exe().context("this program's own file is not known")?;
    Ok(Guard::new(Mode::Best, Some(&host))?)
}

/// Shuts one program in; what comes back must live as long as it runs.
///
/// # Errors
/// As [`guard`], or no folder can be made.
pub(crate) fn shut_in(program: &mut Program, policy: &Policy) -> anyhow::Result<(Guard, Jail)> {
    let guard = guard()?;
    let jail = guard.shut_in([(program, policy)])?;
    Ok((guard, jail))
}
