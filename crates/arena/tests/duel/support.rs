//! Duels of the zoo.

use arena::duel::{
    Duel, DuelError, DuelPair, DuelPlayer, DuelRules, Entrant, Mind, Program, Protocol, SideLimit,
};
use games::Game;
use games::xiangqi::RuleSet;
use model::lease::{Opening, PairIndex};
use model::{GameKind, ParameterSet, Termination};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) static RUNNING: AtomicBool = AtomicBool::new(false);

/// So long no test waits.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// An animal with these habits.
pub(crate) fn animal(protocol: Protocol, habits: &[&str]) -> Program {
    let mut program = Program::new(env!("CARGO_BIN_EXE_arena-zoo"), protocol);
    program.arguments = habits.iter().map(|&habit| habit.to_owned()).collect();
    program.start_within = LONG;
    program.patience = LONG;
    program
}

pub(crate) fn nodes(nodes: u64) -> SideLimit {
    SideLimit { nodes: Some(nodes), ..SideLimit::default() }
}

/// A limit of time that nobody reaches.
pub(crate) fn any_time() -> SideLimit {
    SideLimit { movetime: Some(LONG), ..SideLimit::default() }
}

/// A limit of time that whoever does not answer reaches soon.
pub(crate) fn a_moment() -> SideLimit {
    SideLimit { movetime: Some(Duration::from_millis(150)), ..SideLimit::default() }
}

pub(crate) fn outside(name: &str, program: Program, limit: SideLimit) -> Entrant {
    Entrant { name: name.to_owned(), mind: Mind::Program(program), limit }
}

pub(crate) fn builtin() -> Entrant {
    let mind = Mind::Builtin { parameters: ParameterSet::default(), hash_mb: 1 };
    Entrant { name: "builtin".to_owned(), mind, limit: nodes(50) }
}

pub(crate) fn duel(game: GameKind, entrants: [Entrant; 2]) -> Duel {
    let rules = DuelRules { max_plies: Some(40), ..DuelRules::default() };
    Duel { game, entrants, rules, rule_set: RuleSet::Computer, tablebases: None, pgn_tags: None }
}

/// The pair from the initial position.
pub(crate) fn pair(duel: &Duel) -> Result<DuelPair, DuelError> {
    let position = match duel.game {
        GameKind::Xiangqi => games::xiangqi::Xiangqi::start().to_fen(),
        GameKind::Shogi => games::shogi::Shogi::start().to_fen(),
        _ => games::chess::Chess::start().to_fen(),
    };
    from(duel, &position)
}

/// The pair from a position.
pub(crate) fn from(duel: &Duel, position: &str) -> Result<DuelPair, DuelError> {
    let opening = Opening { index: PairIndex(0), position: position.to_owned() };
    let mut player = DuelPlayer::new(duel)?;
    Ok(player.play(&opening, &RUNNING)?.expect("nothing stops it"))
}

/// How both games of an animal against a good one end.
pub(crate) fn endings(duel: &Duel) -> [(model::GameScore, Termination); 2] {
    let pair = pair(duel).expect("the match can be played");
    pair.games.map(|game| (game.score, game.termination))
}
