//! Shuts in programs that this machine runs but did not write: engines of others.
//!
//! A program is not started itself but through a helper: the caller's own executable, called as
//! `sandbox-exec POLICY -- COMMAND …` ([`Policy::launcher`] makes these words). The helper, still
//! alone in its process, puts every restriction on itself, from which there is no way back, and then
//! becomes the command. So nothing has to happen between `fork` and `exec` of a process with many
//! threads, what is in force is known exactly, and a move costs nothing: the helper is gone before the
//! program says its first word.
//!
//! A program that wants to be such a helper calls [`serve_if_called`] first thing in its `main`.
//!
//! | layer | Linux | other Unix | elsewhere |
//! |---|---|---|---|
//! | privileges | no-new-privileges, no capabilities | – | – |
//! | files | Landlock: the system's libraries, the engine's folder, a scratch folder | – | – |
//! | network | seccomp: no socket; Landlock | – | – |
//! | processes | seccomp: no other process is started, signalled or looked into | – | – |
//! | calls | seccomp: none that an engine has no use for | – | – |
//! | memory | limits of address space, files, descriptors; no core | the same | – |
//! | orphans | dies with who started it | – | – |
//! | leftovers | a clean environment, no descriptor but the three | environment | – |
//!
//! What a machine does not offer is missing from its [`Level`], with the reason; a helper that cannot
//! keep what [`level`] has promised does not start the program.
//!
//! What it does not do: it counts no threads where it is run by root, whom Linux exempts from that
//! limit, and it does not ration the processor: that is for who hands out the games.

mod helper;
mod launch;
mod level;
#[cfg(unix)]
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod policy;
mod scratch;

pub use helper::{CALLED, serve_if_called};
pub use launch::{LaunchError, level};
pub use level::{Layer, Level, Standing, State};
pub use policy::{Policy, Processes, lifeline};
pub use scratch::Scratch;
