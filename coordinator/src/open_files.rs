//! The limit of open files: each connection is one, and what a login shell allows a process to begin
//! with is a thousand.

/// Raises the limit of this process to what the system lets it have, and says how many that are;
/// `None` where there is no such limit.
#[cfg(unix)]
#[must_use]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // Refused only where the system has a lower limit of its own: then the old one stays.
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// The same where there is no such limit.
#[cfg(not(unix))]
#[must_use]
pub fn raise_open_files() -> Option<u64> {
    None
}
