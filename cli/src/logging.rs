//! Where the log goes: to a file for a command that talks to a person, to stderr for a service.

use std::fs::File;
use std::sync::Mutex;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Logs into a file.
pub(crate) fn to_file(file: File) {
    let output = layer().with_ansi(false).with_writer(Mutex::new(file));
    // A second start in one process keeps the first log.
    let _ = tracing_subscriber::registry().with(output).with(filter("info")).try_init();
}

/// Logs to stderr; `default` is what is logged when the environment does not say.
pub(crate) fn to_stderr(default: &str) {
    let output = layer().with_ansi(crate::output::is_watched()).with_writer(std::io::stderr);
    // As above.
    let _ = tracing_subscriber::registry().with(output).with(filter(default)).try_init();
}

/// What the environment asks for, as `info` or `warn,coordinator=debug`; else the default.
fn filter(default: &str) -> Targets {
    let wanted = std::env::var(crate::env::LOG).unwrap_or_default();
    let wanted = if wanted.trim().is_empty() { default } else { &wanted };
    wanted.parse().or_else(|_| default.parse()).unwrap_or_default()
}
