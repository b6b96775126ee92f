//! Matches between programs of any kind: processes that speak UCI, UCCI, USI or XBoard's protocol,
//! and the engine built in, under clocks.
//!
//! This is the part of the arena that reads clocks and starts processes. A [`DuelPlayer`] holds the
//! two players of a slot and plays pairs with them; its caller owns the threads. Games of the engine
//! against itself under node limits are [`PairPlayer`](crate::PairPlayer)'s, which needs none of this.

mod check;
mod clock;
mod echo;
mod game;
mod lines;
mod notation;
mod options;
pub mod overhead;
mod pair;
mod player;
mod process;
mod session;
mod spec;
mod speech;
mod uci;
mod xboard;
mod xshogi;

pub use check::{Checkup, Outcome, Verdict, check, declared};
pub use clock::{Clock, Flag};
pub use echo::echo;
pub use game::{DuelGame, DuelRules, PlayedMove};
pub use model::{
    Adjudication, DrawRule, Protocol, ResignRule, SideLimit, TimeControl, TimeError, parse_seconds,
};
pub use options::{EngineOption, OptionError, OptionKind};
pub use pair::{Duel, DuelError, DuelPair, DuelPlayer, DuelRecord};
pub use session::StartError;
pub use spec::{Entrant, Mind, Program, Ranks};
pub use speech::Insight;
