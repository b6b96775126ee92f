//! Linux: puts every layer on the calling process, in the order in which each still can be.

mod calls;
mod files;

use crate::level::{Layer, Level, State};
use crate::limits;
use crate::policy::Order;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
use std::path::Path;

/// Puts everything in force and says what has worked.
pub(crate) fn enter(order: &Order, program: Option<&Path>) -> Level {
    let orphans = die_with(order.parent);
    let leftovers = close_at_exec();
    // What follows rests on it.
    let privileges = renounce();
    let files = files::restrict(&order.policy, program);
    let memory = limits::set(&order.policy);
    let calls = calls::restrict(order.policy.processes);
    Level::new(|layer| match layer {
        Layer::Privileges => privileges.clone(),
        Layer::Files => files.clone(),
        Layer::Network | Layer::Processes | Layer::Calls => calls.clone(),
        Layer::Memory => memory.clone(),
        Layer::Orphans => orphans.clone(),
        Layer::Leftovers => leftovers.clone(),
    })
}

fn missing(error: impl std::fmt::Display) -> State {
    State::Missing(error.to_string())
}

/// Ends with its parent; also with one that has ended before it could be said.
pub(crate) fn die_with(parent: Option<u32>) -> State {
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return missing(error);
    }
    let now = getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
    if parent.is_some() && now != parent {
        std::process::exit(0);
    }
    State::InForce
}

/// No rights are gained by what is started, and none kept beyond those of the user: root without
/// capabilities is nobody in particular.
fn renounce() -> State {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    match set_no_new_privs(true) {
        Err(error) => missing(error),
        Ok(()) => match set_capabilities(None, sets) {
            Ok(()) => State::InForce,
            Err(error) => State::Weaker(format!("capabilities are kept: {error}")),
        },
    }
}

/// Every descriptor but the three is closed when the command takes over.
fn close_at_exec() -> State {
    // SAFETY: takes three numbers and touches no memory; the descriptors stay open and valid here.
    #[expect(unsafe_code, reason = "no safe crate in use has close_range")]
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3 as libc::c_uint,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if done == 0 {
        State::InForce
    } else {
        let error = std::io::Error::last_os_error();
        State::Weaker(format!("descriptors are left to who starts it: {error}"))
    }
}
