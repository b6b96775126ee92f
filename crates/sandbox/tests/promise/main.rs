//! Promise I20: a hostile engine cannot harm its host. Each deed is tried without the sandbox first,
//! where it succeeds, and in it, where it is refused.
#![cfg(target_os = "linux")]

mod files;
mod others;
mod support;
