//! Black-box tests: they drive the built `elomill` command as a user or a script does.

mod books;
#[cfg(unix)]
mod campaign;
mod command_line;
#[cfg(unix)]
mod defaults;
mod demo;
mod examples;
#[cfg(target_os = "linux")]
mod kill;
mod matches;
#[cfg(unix)]
mod support;
