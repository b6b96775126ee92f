//! Limits that the kernel counts: address space, files, descriptors, processor time.

use crate::{Policy, Processes, State};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors at a time. Together with the largest file it bounds what a program can keep of files
/// that it has removed.
const DESCRIPTORS: u64 = 128;

/// The same for what starts others: a build opens many files.
const MANY_DESCRIPTORS: u64 = 4096;

/// Processes and threads of the user altogether, where the user is not root: half of what a system
/// has numbers for unless it is told otherwise.
const TASKS: u64 = 16_384;

/// Sets every limit, for good.
pub(crate) fn set(policy: &Policy) -> State {
    let mib = |mib: u64| mib.saturating_mul(1024 * 1024);
    let descriptors = match policy.processes {
        Processes::One => DESCRIPTORS,
        Processes::Many => MANY_DESCRIPTORS,
    };
    let wanted = [
        (Resource::Core, Some(0)),
        (Resource::Fsize, Some(mib(policy.file_mib))),
        (Resource::Nofile, Some(descriptors)),
        (Resource::Cpu, policy.cpu_seconds),
        (Resource::Nproc, Some(TASKS)),
        // Last: what comes before it needs memory itself.
        (Resource::As, Some(mib(policy.memory_mib))),
    ];
    let mut refused = Vec::new();
    for (resource, wanted) in wanted {
        let Some(wanted) = wanted else { continue };
        // A limit that stands already is only ever lowered.
        let most = getrlimit(resource).maximum.map_or(wanted, |most| most.min(wanted));
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        if let Err(error) = setrlimit(resource, limit) {
            refused.push(format!("{resource:?}: {error}"));
        }
    }
    if refused.is_empty() { State::InForce } else { State::Weaker(refused.join("; ")) }
}
