//! Black-box tests: they drive the built `elomill` command as a user or a script does.

#[cfg(target_os = "linux")]
mod backup;
mod books;
#[cfg(unix)]
mod campaign;
#[cfg(target_os = "linux")]
mod cluster_dialects;
#[cfg(target_os = "linux")]
mod cluster_engines;
mod command_line;
#[cfg(unix)]
mod defaults;
mod demo;
mod engines;
mod examples;
#[cfg(unix)]
mod games;
#[cfg(unix)]
mod guide;
#[cfg(unix)]
mod joining;
#[cfg(target_os = "linux")]
mod kill;
mod matches;
#[cfg(unix)]
mod network;
#[cfg(target_os = "linux")]
mod observed;
#[cfg(unix)]
mod races;
#[cfg(target_os = "linux")]
mod standby;
#[cfg(unix)]
mod support;
#[cfg(unix)]
mod traced;
#[cfg(unix)]
mod trust;
