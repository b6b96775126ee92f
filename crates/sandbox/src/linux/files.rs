//! Landlock: which files there are for a program. It also refuses TCP, signals and abstract sockets
//! past the sandbox, where the kernel is new enough, though [`calls`](super::calls) does so before it.

use crate::level::State;
use crate::policy::Policy;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use std::path::{Path, PathBuf};

/// The newest version that the rules below were written for; an older kernel gets what it knows.
const NEWEST: ABI = ABI::V9;

/// What every program may read and run: loaders, libraries, interpreters.
const SYSTEM: [&str; 9] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr",
    "/etc/alternatives",
    "/nix/store",
    "/gnu/store",
    "/run/current-system/sw",
];

/// What every program may read: of itself, of the machine, of the time.
const FACTS: [&str; 16] = [
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
];

pub(super) fn restrict(policy: &Policy, program: Option<&Path>) -> State {
    match apply(policy, program) {
        Err(error) => State::Missing(error.to_string()),
        Ok((_, LandlockStatus::NotEnabled)) => {
            State::Missing("Landlock is not switched on when this kernel starts".to_owned())
        }
        Ok((_, LandlockStatus::NotImplemented)) => {
            State::Missing("this kernel has no Landlock; Linux 5.13 brought it".to_owned())
        }
        Ok((RulesetStatus::NotEnforced, _)) => State::Missing("Landlock does nothing".to_owned()),
        // Truncating came third; what came later is refused by the filter of system calls.
        Ok((_, LandlockStatus::Available { effective_abi, .. })) if effective_abi < ABI::V3 => {
            let version = effective_abi as i32;
            State::Weaker(format!("Landlock {version} does not refuse to cut files off"))
        }
        Ok(_) => State::InForce,
    }
}

fn apply(
    policy: &Policy,
    program: Option<&Path>,
) -> Result<(RulesetStatus, LandlockStatus), RulesetError> {
    let look = BitFlags::from(AccessFs::ReadFile) | AccessFs::ReadDir;
    let run = look | AccessFs::Execute;
    // No devices, sockets or pipes with a name, and nothing that was written is run.
    let write = look
        | AccessFs::WriteFile
        | AccessFs::RemoveDir
        | AccessFs::RemoveFile
        | AccessFs::MakeDir
        | AccessFs::MakeReg
        | AccessFs::MakeSym
        | AccessFs::Refer
        | AccessFs::Truncate;
    let own = program.map(own_files).unwrap_or_default();
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, run))?
        .add_rules(path_beneath_rules(FACTS, look))?
        .add_rules(path_beneath_rules(["/dev/null"], look | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(own, run))?
        .add_rules(path_beneath_rules(&policy.read, run))?
        .add_rules(path_beneath_rules(&policy.scratch, write))?
        .restrict_self()?;
    Ok((status.ruleset, status.landlock))
}

/// The program and what lies beside it; but not where that would be somebody's home, or a place for
/// everybody's files.
fn own_files(program: &Path) -> Vec<PathBuf> {
    let Ok(program) = program.canonicalize() else { return vec![program.to_owned()] };
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let is_home = |folder: &Path| home.as_ref().is_some_and(|home| home.starts_with(folder));
    let is_shared = |folder: &Path| {
        ["/", "/home", "/root", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/var", "/proc", "/sys"]
            .iter()
            .any(|shared| folder == Path::new(shared))
    };
    match program.parent() {
        Some(folder) if !is_home(folder) && !is_shared(folder) => vec![folder.to_owned()],
        _ => vec![program],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_a_program_nobodys_home_lies_open() {
        let folder = tempfile::tempdir().expect("a folder").keep();
        let program = folder.join("engine");
        std::fs::write(&program, b"").expect("a file");
        let folder = folder.canonicalize().expect("it is there");
        assert_eq!(own_files(&program), [folder.as_path()]);
        std::fs::remove_dir_all(folder).expect("it can be removed");
        assert_eq!(own_files(Path::new("/etc/hostname")), [Path::new("/etc/hostname")]);
        let gone = Path::new("/no/such/engine");
        assert_eq!(own_files(gone), [gone]);
    }
}
