//! Where the log goes: to a file for a command that talks to a person, to stderr for a service.

use std::fs::File;
use std::sync::Mutex;
use tracing_subscriber::EnvFilter;

/// Logs into a file.
pub(crate) fn to_file(file: File) {
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter("info")).with_ansi(false);
    // A second start in one process keeps the first log.
    let _ = subscriber.with_writer(Mutex::new(file)).try_init();
}

/// Logs to stderr; `default` is what is logged when the environment does not say.
pub(crate) fn to_stderr(default: &str) {
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter(default));
    let _ =
        subscriber.with_ansi(crate::output::is_watched()).with_writer(std::io::stderr).try_init();
}

fn filter(default: &str) -> EnvFilter {
    let wanted = std::env::var(crate::env::LOG).unwrap_or_default();
    let wanted = if wanted.trim().is_empty() { default } else { &wanted };
    EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new(default))
}
