//! One game: asks for moves in turn, admits legal ones only, and ends it by rule alone.

use crate::{ArenaError, Player};
use games::{Game, RuleWinner};
use model::evals::{MoveEval, MoveTime};
use model::spec::GameLimit;
use model::{Adjudicator, Nodes, Ply, ScoreVerdict, Termination};
use std::sync::atomic::{AtomicBool, Ordering};

/// A place at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Makes the first move from the opening.
    First,
    /// Makes the second.
    Second,
}

impl Seat {
    pub(crate) fn other(self) -> Self {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// Who won; `None` is a draw.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// Half-moves from the opening.
    pub plies: Ply,
    /// Nodes of both players.
    pub nodes: Nodes,
    /// Moves in UCI form, separated by one space.
    pub moves: String,
    /// What the players said of each of them.
    pub evals: Vec<MoveEval>,
    /// What each of them took; empty where nobody looked at a clock.
    pub times: Vec<MoveTime>,
}

/// How the referee left the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// By rule or by the limit of length.
    Played(PlayedGame),
    /// The stop signal came first; the game counts for nothing.
    Stopped,
}

/// Plays from `opening`, whose side to move is [`Seat::First`], to an end.
///
/// A game that reaches `limit.max_plies` without an end by rule is a draw; before that the scores of
/// the players may end it as `limit.adjudication` says.
///
/// # Errors
/// A player chose no move or an illegal one.
pub fn play_game<G: Game>(
    opening: &G,
    first: &mut dyn Player<G>,
    second: &mut dyn Player<G>,
    limit: &GameLimit,
    stop: &AtomicBool,
) -> Result<GameEnd, ArenaError> {
    first.new_game();
    second.new_game();
    let mut position = opening.clone();
    let mut seat = Seat::First;
    let mut adjudicator = Adjudicator::new(limit.adjudication);
    let mut verdict = None;
    let mut game = PlayedGame {
        winner: None,
        termination: Termination::PlyLimit,
        plies: Ply(0),
        nodes: Nodes(0),
        moves: String::new(),
        evals: Vec::new(),
        times: Vec::new(),
    };
    loop {
        if let Some(result) = position.result() {
            game.termination = result.reason;
            game.winner = match result.winner {
                RuleWinner::SideToMove => Some(seat),
                RuleWinner::Opponent => Some(seat.other()),
                RuleWinner::Draw => None,
            };
            return Ok(GameEnd::Played(game));
        }
        if game.plies >= limit.max_plies {
            return Ok(GameEnd::Played(game));
        }
        if let Some(verdict) = verdict {
            game.termination = Termination::Adjudication;
            game.winner = match verdict {
                ScoreVerdict::Draw => None,
                ScoreVerdict::FirstWins => Some(Seat::First),
                ScoreVerdict::SecondWins => Some(Seat::Second),
            };
            return Ok(GameEnd::Played(game));
        }
        let player: &mut dyn Player<G> = match seat {
            Seat::First => &mut *first,
            Seat::Second => &mut *second,
        };
        let choice = player.choose(&mut position, limit.nodes, stop);
        // Relaxed: the flag carries no data; a choice made before it was raised is still whole.
        if stop.load(Ordering::Relaxed) {
            return Ok(GameEnd::Stopped);
        }
        let mv = admit(&position, choice.mv, game.plies.0)?;
        if !game.moves.is_empty() {
            game.moves.push(' ');
        }
        game.moves.push_str(&position.move_to_text(mv));
        position.make(mv);
        game.plies += Ply(1);
        game.nodes += choice.eval.nodes;
        game.evals.push(choice.eval);
        game.times.extend(choice.time);
        verdict = adjudicator.count(Some(choice.eval.score));
        seat = seat.other();
    }
}

/// The chosen move, if the rules allow it.
fn admit<G: Game>(position: &G, choice: Option<G::Move>, ply: u64) -> Result<G::Move, ArenaError> {
    let Some(mv) = choice else {
        return Err(ArenaError::NoMove { ply, position: position.to_fen() });
    };
    if position.is_pseudo_legal(mv) && position.is_legal(mv) {
        return Ok(mv);
    }
    let (found, position) = (format!("{mv:?}"), position.to_fen());
    Err(ArenaError::IllegalMove { ply, found, position })
}
