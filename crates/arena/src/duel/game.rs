//! One game between players of any kind, with clocks: the referee of a match.
//!
//! The rules of the game alone decide what is legal and what is over; whatever a program claims is
//! not believed.

use super::player::{Player, Turn};
use super::{Adjudication, Clock, Insight, SideLimit, StartError};
use crate::{Seat, Tablebases};
use engine::SearchGame;
use games::{MoveText, RuleWinner};
use model::{Adjudicator, ScoreVerdict, Termination};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A move with what it cost and what its player thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove<M> {
    /// The move.
    pub mv: M,
    /// What the player thought.
    pub insight: Insight,
    /// How long it took.
    pub elapsed: Duration,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuelGame<M> {
    /// Who won; `None` is a draw.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// More words about the end, where a player was at fault.
    pub note: String,
    /// The moves.
    pub moves: Vec<PlayedMove<M>>,
}

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuelRules {
    /// A game of so many half-moves from its opening is a draw.
    pub max_plies: Option<u64>,
    /// Ends by score.
    pub adjudication: Adjudication,
}

/// Who has won, where this seat is to move.
fn won_by(winner: RuleWinner, to_move: Seat) -> Option<Seat> {
    match winner {
        RuleWinner::SideToMove => Some(to_move),
        RuleWinner::Opponent => Some(to_move.other()),
        RuleWinner::Draw => None,
    }
}

/// Plays from `opening`, whose side to move is the first player's; `None` when `stop` came first.
///
/// # Errors
/// A program cannot be started, or cannot play this opening: whose it is.
pub(super) fn play<G: SearchGame + MoveText>(
    opening: &G,
    players: [&mut Player<G>; 2],
    limits: [SideLimit; 2],
    rules: &DuelRules,
    tablebases: Option<&Tablebases>,
    stop: &AtomicBool,
) -> Result<Option<DuelGame<G::Move>>, (Seat, StartError)> {
    let [first, second] = players;
    let mut clocks = limits.map(Clock::new);
    let mut game = DuelGame {
        winner: None,
        termination: Termination::PlyLimit,
        note: String::new(),
        moves: Vec::new(),
    };
    let lost = |game: &mut DuelGame<G::Move>, seat: Seat, termination, note| {
        (game.winner, game.termination, game.note) = (Some(seat.other()), termination, note);
    };
    let mut position = opening.clone();
    let swapped = |clocks: &[Clock; 2]| [clocks[1], clocks[0]];
    let mut failed = None;
    for (seat, player) in [(Seat::First, &mut *first), (Seat::Second, &mut *second)] {
        let view = if seat == Seat::First { clocks } else { swapped(&clocks) };
        match player.new_game(opening, &view, stop).map_err(|error| (seat, error))? {
            None => {}
            Some(Turn::Lost { termination, note }) => {
                failed = failed.or(Some((seat, termination, note)));
            }
            Some(_) => return Ok(None),
        }
    }
    if let Some((seat, termination, note)) = failed {
        lost(&mut game, seat, termination, note);
    } else {
        let mut adjudicator = Adjudicator::new(rules.adjudication);
        let mut seat = Seat::First;
        loop {
            if let Some(result) = position.result() {
                game.termination = result.reason;
                game.winner = won_by(result.winner, seat);
                break;
            }
            if rules.max_plies.is_some_and(|most| game.moves.len() as u64 >= most) {
                break;
            }
            let (mover, waiter) = match seat {
                Seat::First => (&mut *first, &mut *second),
                Seat::Second => (&mut *second, &mut *first),
            };
            let view = if seat == Seat::First { clocks } else { swapped(&clocks) };
            let (mv, insight, elapsed) = match mover.choose(&mut position, &view, stop) {
                Turn::Move { mv, insight, elapsed } => (mv, insight, elapsed),
                Turn::Lost { termination, note } => {
                    lost(&mut game, seat, termination, note);
                    break;
                }
                Turn::Stopped => return Ok(None),
            };
            if let Err(flag) = clocks[seat as usize].spend(elapsed) {
                let note = format!("{:.3} s over its time", flag.over.as_secs_f64());
                lost(&mut game, seat, Termination::TimeForfeit, note);
                break;
            }
            mover.note(&position, mv, true);
            waiter.note(&position, mv, false);
            position.make(mv);
            game.moves.push(PlayedMove { mv, insight, elapsed });
            let verdict = adjudicator.count(insight.score);
            // Rules, and the limit of length, come first.
            let is_full = rules.max_plies.is_some_and(|most| game.moves.len() as u64 >= most);
            let goes_on = |position: &G| !is_full && position.result().is_none();
            let known = tablebases.and_then(|tables| tables.verdict(&position));
            if let Some(winner) = known.filter(|_| goes_on(&position)) {
                game.termination = Termination::Tablebase;
                game.winner = won_by(winner, seat.other());
                break;
            }
            if let Some(verdict) = verdict.filter(|_| goes_on(&position)) {
                game.termination = Termination::Adjudication;
                game.winner = match verdict {
                    ScoreVerdict::Draw => None,
                    ScoreVerdict::FirstWins => Some(Seat::First),
                    ScoreVerdict::SecondWins => Some(Seat::Second),
                };
                break;
            }
            seat = seat.other();
        }
    }
    let first_side = if opening.first_to_move() { Seat::First } else { Seat::Second };
    let first_side_won = game.winner.map(|winner| winner == first_side);
    for (seat, player) in [(Seat::First, first), (Seat::Second, second)] {
        let half_points = game.winner.map_or(1, |winner| if winner == seat { 2 } else { 0 });
        player.game_over(half_points, first_side_won);
    }
    Ok(Some(game))
}
