//! Matches against real processes: the zoo of engines, and the engine built in.
//!
//! Where a verdict is one of time, only the engine that is to lose by it has a limit of time; whatever
//! else the machine does, nobody else can be late.

mod check;
mod conversations;
mod faults;
mod support;
