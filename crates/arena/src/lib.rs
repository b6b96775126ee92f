//! Plays game pairs: the referee between two players.
//!
//! A [`Matchup`] is what a lease asks for, made ready once; a [`PairPlayer`] holds the two engines
//! of one slot and plays pair after pair with them. A pair is a pure function of its opening and its
//! matchup: every game starts with empty tables, so that anybody can replay it. No I/O, no clock, no
//! threads; those are for [`duel`], which plays programs of others.

pub mod duel;
mod error;
mod matchup;
mod pair;
mod player;
mod referee;
mod tablebases;

#[cfg(test)]
mod tests;

pub use error::ArenaError;
pub use matchup::{Matchup, check_opening};
pub use pair::{PairPlayer, play_pair};
pub use player::{Choice, Clock, EnginePlayer, Player};
pub use referee::{GameEnd, PlayedGame, Seat, play_game};
pub use tablebases::{MOST_MEN, TablebaseError, TablebaseSettings, Tablebases};
