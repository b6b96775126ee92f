//! Positions with a known best move or a known mate, and positions in which the rules decide.
//!
//! The files beside this one hold the positions; those that they do not mark as `unsolved` are solved.
//! Node limits make every answer repeatable. A change to the search that loses a position fails here and
//! names it; `docs/engine.md` publishes the counts, and is held to them.

mod best_moves;
mod mates;
mod perpetual;
mod suite;
mod zugzwang;
