//! seccomp: which system calls a program may make.
//!
//! Engines are built with every language and library there is, so the list says what is refused: what
//! reaches other processes, the network, the machine's settings, and the ways round these. A call that
//! is refused fails with `EPERM`, as it would without rights; calls that are newer than the list, and
//! `clone3`, whose arguments a filter cannot see, with `ENOSYS`, as on an older kernel, for which
//! libraries have a way without them. The kernel keeps a table of calls that are always allowed, so
//! reading, writing and waiting cost nothing more.

use crate::level::State;
use crate::policy::Processes;
use libc as c;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};
use std::collections::BTreeMap;

/// The last call that was looked at for the list: `mseal` of Linux 6.10. From 424 on all machines
/// number alike.
const NEWEST: u32 = 462;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Refused = Result<(), seccompiler::Error>;

/// Never for an engine: others' memory and signals, names and time of the machine, its devices, its
/// namespaces, memory that no limit counts, and the queue that makes calls past the filter.
const REFUSED: &[c::c_long] = &[
    // The network. `socketpair` stays: it reaches nobody else.
    c::SYS_socket,
    c::SYS_connect,
    c::SYS_bind,
    c::SYS_listen,
    c::SYS_accept,
    c::SYS_accept4,
    // Other processes.
    c::SYS_ptrace,
    c::SYS_process_vm_readv,
    c::SYS_process_vm_writev,
    c::SYS_process_madvise,
    c::SYS_process_mrelease,
    c::SYS_kcmp,
    c::SYS_pidfd_open,
    c::SYS_pidfd_getfd,
    c::SYS_pidfd_send_signal,
    c::SYS_tkill,
    c::SYS_setpriority,
    c::SYS_ioprio_set,
    c::SYS_sched_setscheduler,
    c::SYS_sched_setparam,
    c::SYS_sched_setattr,
    c::SYS_migrate_pages,
    c::SYS_move_pages,
    c::SYS_setpgid,
    c::SYS_setsid,
    // Memory and messages that outlive it or are counted nowhere.
    c::SYS_memfd_create,
    c::SYS_memfd_secret,
    c::SYS_shmget,
    c::SYS_shmat,
    c::SYS_shmctl,
    c::SYS_msgget,
    c::SYS_semget,
    c::SYS_mq_open,
    c::SYS_add_key,
    c::SYS_request_key,
    c::SYS_keyctl,
    // Past the filter, or into the kernel.
    c::SYS_io_uring_setup,
    c::SYS_io_uring_enter,
    c::SYS_io_uring_register,
    c::SYS_bpf,
    c::SYS_perf_event_open,
    c::SYS_userfaultfd,
    c::SYS_fanotify_init,
    c::SYS_open_by_handle_at,
    c::SYS_name_to_handle_at,
    c::SYS_lookup_dcookie,
    c::SYS_init_module,
    c::SYS_finit_module,
    c::SYS_delete_module,
    c::SYS_kexec_load,
    c::SYS_vhangup,
    // The machine.
    c::SYS_mount,
    c::SYS_umount2,
    c::SYS_pivot_root,
    c::SYS_chroot,
    c::SYS_fsopen,
    c::SYS_fsconfig,
    c::SYS_fsmount,
    c::SYS_fspick,
    c::SYS_open_tree,
    c::SYS_move_mount,
    c::SYS_mount_setattr,
    c::SYS_unshare,
    c::SYS_setns,
    c::SYS_swapon,
    c::SYS_swapoff,
    c::SYS_reboot,
    c::SYS_sethostname,
    c::SYS_setdomainname,
    c::SYS_settimeofday,
    c::SYS_clock_settime,
    c::SYS_clock_adjtime,
    c::SYS_adjtimex,
    c::SYS_acct,
    c::SYS_quotactl,
    c::SYS_quotactl_fd,
    c::SYS_syslog,
    c::SYS_nfsservctl,
];

/// Owners, modes, times and notes of files, which are no concern of Landlock: a program could lock its
/// user out. What starts others, a build for one, sets modes.
const MODES: &[c::c_long] = &[
    c::SYS_fchmod,
    c::SYS_fchmodat,
    c::SYS_fchmodat2,
    c::SYS_fchown,
    c::SYS_fchownat,
    c::SYS_setxattr,
    c::SYS_lsetxattr,
    c::SYS_fsetxattr,
    c::SYS_removexattr,
    c::SYS_lremovexattr,
    c::SYS_fremovexattr,
    c::SYS_utimensat,
];

/// The same in their old forms.
#[cfg(target_arch = "x86_64")]
const OLD_MODES: &[c::c_long] =
    &[c::SYS_chmod, c::SYS_chown, c::SYS_lchown, c::SYS_utime, c::SYS_utimes, c::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const OLD_MODES: &[c::c_long] = &[];

/// Calls that only the oldest of the machines has.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c::c_long] = &[
    c::SYS_iopl,
    c::SYS_ioperm,
    c::SYS_modify_ldt,
    c::SYS_uselib,
    c::SYS_ustat,
    c::SYS_sysfs,
    c::SYS__sysctl,
    c::SYS_kexec_file_load,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c::c_long] = &[];

/// `fork` in its old forms.
#[cfg(target_arch = "x86_64")]
const FORKS: &[c::c_long] = &[c::SYS_fork, c::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[c::c_long] = &[];

pub(super) fn restrict(processes: Processes) -> State {
    let Ok(machine) = TargetArch::try_from(std::env::consts::ARCH) else {
        let here = std::env::consts::ARCH;
        return State::Missing(format!("no filter of system calls is known for {here}"));
    };
    match apply(processes, machine) {
        Ok(()) => State::InForce,
        Err(error) => State::Missing(error.to_string()),
    }
}

fn apply(processes: Processes, machine: TargetArch) -> Refused {
    let unknown: Rules = [(c::SYS_clone3, Vec::new())].into();
    let mut unknown = program(unknown, c::ENOSYS, machine)?;
    // Also the numbers of x32, which begin at 2^30.
    unknown.splice(0..0, newer());
    let known = program(rules(processes)?, c::EPERM, machine)?;
    // The stricter of two answers counts.
    apply_filter(&unknown)?;
    apply_filter(&known)
}

fn program(
    rules: Rules,
    error: c::c_int,
    machine: TargetArch,
) -> Result<BpfProgram, seccompiler::Error> {
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?.try_into()?)
}

/// Refuses every call past the list: loads the number, compares, returns.
fn newer() -> [sock_filter; 3] {
    let code = |code: u32| u16::try_from(code).unwrap_or_default();
    let load = code(c::BPF_LD | c::BPF_W | c::BPF_ABS);
    let is_greater = code(c::BPF_JMP | c::BPF_JGT | c::BPF_K);
    let answer = code(c::BPF_RET | c::BPF_K);
    let errno = c::SECCOMP_RET_ERRNO | c::ENOSYS.unsigned_abs();
    [
        sock_filter { code: load, jt: 0, jf: 0, k: 0 },
        sock_filter { code: is_greater, jt: 0, jf: 1, k: NEWEST },
        sock_filter { code: answer, jt: 0, jf: 0, k: errno },
    ]
}

fn rules(processes: Processes) -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = BTreeMap::new();
    for call in REFUSED.iter().chain(REFUSED_HERE) {
        rules.insert(*call, Vec::new());
    }
    let when = |argument: u8, operator: SeccompCmpOp, value: u64| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        SeccompRule::new(vec![condition])
    };
    // Characters put into a terminal are typed by its user.
    let requests = [c::TIOCSTI, c::TIOCLINUX, c::TIOCSCTTY].into_iter();
    // The type of a request is another with each libc; 32 bits of it are compared.
    let requests = requests.map(|request| when(1, SeccompCmpOp::Eq, u64::from(request as u32)));
    rules.insert(c::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // It ends with its parent, whatever it wishes.
    let mourn = c::PR_SET_PDEATHSIG.unsigned_abs().into();
    rules.insert(c::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, mourn)?]);
    // Its own limits and processors, not another's.
    for call in [c::SYS_prlimit64, c::SYS_sched_setaffinity] {
        rules.insert(call, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    }
    if processes == Processes::One {
        for call in FORKS.iter().chain(MODES).chain(OLD_MODES) {
            rules.insert(*call, Vec::new());
        }
        let thread = c::CLONE_THREAD.unsigned_abs().into();
        rules.insert(c::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
        // It keeps this process's number when the command takes over.
        let own = std::process::id().into();
        for call in [c::SYS_kill, c::SYS_tgkill, c::SYS_rt_sigqueueinfo, c::SYS_rt_tgsigqueueinfo] {
            rules.insert(call, vec![when(0, SeccompCmpOp::Ne, own)?]);
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_one_that_the_filter_can_hold() {
        for processes in [Processes::One, Processes::Many] {
            let rules = rules(processes).expect("rules");
            assert!(rules.keys().all(|call| *call <= i64::from(NEWEST)), "{rules:?}");
            let machine = std::env::consts::ARCH.try_into().expect("a machine that is known");
            assert!(program(rules, c::EPERM, machine).is_ok_and(|program| program.len() > 200));
        }
    }
}
