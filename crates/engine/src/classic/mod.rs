//! The family that principal variation search stands in, to be read: each algorithm as its authors
//! wrote it down, over one small notion of a [`Tree`].
//!
//! They run on synthetic trees ([`Uniform`]) and on any game to a fixed depth ([`GameTree`]). Every
//! one finds the same value; [`Counts`] says what it cost. The engine's own search is elsewhere and
//! shares nothing with them.

pub mod alpha_beta;
pub mod aspiration;
mod game_tree;
mod lab;
pub mod memory;
pub mod minimax;
pub mod mtd;
pub mod scout;
pub mod sss;
mod tree;
mod uniform;
mod walk;

#[cfg(test)]
mod tests;

pub use game_tree::GameTree;
pub use lab::{Algorithm, Run, Settings};
pub use tree::{INFINITE, Order, Tree};
pub use uniform::{Leaves, Uniform};
pub use walk::{Budget, Counts, Walk};
