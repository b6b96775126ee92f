//! Random lines of play that come to the corners of the rules: captures and checks down to bare kings,
//! moves to and fro, and cycles that are played until the rules end them, those with a winner first.

use games::{Game, MoveList};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

use super::opinion::Outcome;
use super::subject::{End, MoveOf, Subject};

/// Plies of the longest lines.
const LONGEST: usize = 400;
/// Cycles that are tried at one position.
const CYCLES_TRIED: usize = 60;
/// How often a cycle is played at most: shogi asks for the fourth occurrence.
const ROUNDS: usize = 4;

/// How the moves of a line are chosen.
#[derive(Clone, Copy)]
enum Temper {
    /// Each legal move is as likely as any other.
    Even,
    /// Half of the moves capture, if any do.
    Capturing,
    /// Most moves give check, if any do; otherwise captures are as likely as not.
    Checking,
    /// No captures, and often straight back.
    Shuttling,
    /// As `Even` or `Capturing` for a while, and then a cycle.
    Cycling,
}

/// A start and the moves from there.
pub(super) struct Line<P: Game> {
    pub(super) start: P,
    pub(super) moves: Vec<P::Move>,
}

/// Draws a line. It ends where the rules end it, or after some hundred plies.
pub(super) fn line<S: Subject>(subject: &S, rng: &mut ChaCha8Rng) -> Line<S::Position> {
    use Temper::{Capturing, Checking, Cycling, Even, Shuttling};
    let start = subject.start(rng);
    let mut position = start.clone();
    let tempers = [Even, Capturing, Checking, Shuttling, Cycling, Cycling, Cycling, Cycling];
    let temper = *tempers.choose(rng).unwrap_or(&Even);
    let longest = *[40, 80, 160, LONGEST].choose(rng).unwrap_or(&LONGEST);
    let mut moves: Vec<MoveOf<S>> = Vec::new();
    while moves.len() < longest && subject.end(&position).is_none() {
        if matches!(temper, Cycling) && rng.random_bool(0.1) {
            let played = cycle(subject, &position, rng);
            for &mv in &played {
                position.make(mv);
            }
            moves.extend(played);
        }
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        if legal.is_empty() || subject.end(&position).is_some() {
            break;
        }
        let before = moves.len().checked_sub(2).map(|index| moves[index]);
        let mv = choose(temper, &mut position, &legal, before, rng);
        position.make(mv);
        moves.push(mv);
    }
    Line { start, moves }
}

fn choose<G: Game>(
    temper: Temper,
    position: &mut G,
    legal: &[G::Move],
    before: Option<G::Move>,
    rng: &mut ChaCha8Rng,
) -> G::Move {
    let wanted: Vec<G::Move> = match temper {
        Temper::Capturing | Temper::Cycling if rng.random_bool(0.5) => {
            legal.iter().copied().filter(|&mv| position.is_noisy(mv)).collect()
        }
        Temper::Checking if rng.random_bool(0.8) => legal
            .iter()
            .copied()
            .filter(|&mv| {
                position.make(mv);
                let gives_check = position.in_check();
                position.unmake();
                gives_check
            })
            .collect(),
        Temper::Shuttling => {
            let back = before.and_then(|mv| reverse(position, mv));
            match back.filter(|_| rng.random_bool(0.4)) {
                Some(back) => vec![back],
                None => legal.iter().copied().filter(|&mv| !position.is_noisy(mv)).collect(),
            }
        }
        _ => Vec::new(),
    };
    let any = || legal.first().copied().unwrap_or_default();
    wanted.choose(rng).or_else(|| legal.choose(rng)).copied().unwrap_or_else(any)
}

/// A cycle of two or three moves for each side, as often as it takes to end the line: of those tried one
/// of each kind of end, and of these any, a winner before a draw. Empty where none was found.
fn cycle<S: Subject>(subject: &S, position: &S::Position, rng: &mut ChaCha8Rng) -> Vec<MoveOf<S>> {
    let mut found = BTreeMap::new();
    for _ in 0..CYCLES_TRIED {
        let Some(round) = round(position, rng) else { continue };
        let (moves, end) = repeat(subject, position, &round);
        let kind = end.map(|(outcome, reason)| (outcome, reason.name()));
        found.entry(kind).or_insert(moves);
    }
    let is_won = |kind: &Option<(Outcome, &str)>| {
        kind.is_some_and(|(outcome, _)| matches!(outcome, Outcome::Won | Outcome::Lost))
    };
    if found.keys().any(is_won) && rng.random_bool(0.8) {
        found.retain(|kind, _| is_won(kind));
    }
    let found: Vec<_> = found.into_values().collect();
    found.choose(rng).cloned().unwrap_or_default()
}

/// Moves that lead back to this very position: there and back for both sides, or by way of a third
/// place.
fn round<G: Game>(position: &G, rng: &mut ChaCha8Rng) -> Option<Vec<G::Move>> {
    let mut walker = position.clone();
    let mut moves = Vec::new();
    let legs = if rng.random_bool(0.75) { 2 } else { 3 };
    for ply in 0..2 * legs {
        let mut legal = MoveList::new();
        walker.legal(&mut legal);
        let mv = if ply < 2 {
            let temper = if rng.random_bool(0.5) { Temper::Checking } else { Temper::Even };
            if legal.is_empty() {
                return None;
            }
            choose(temper, &mut walker, &legal, None, rng)
        } else if ply < 2 * (legs - 1) {
            // The same piece goes on.
            let (_, place) = places(&walker, moves[ply - 2])?;
            let goes_on =
                |mv: &G::Move| places(&walker, *mv).is_some_and(|(from, _)| from == place);
            let on: Vec<_> = legal.iter().copied().filter(goes_on).collect();
            *on.choose(rng)?
        } else {
            let (home, _) = places(&walker, moves[ply % 2])?;
            let (_, place) = places(&walker, moves[ply - 2])?;
            walker.move_from_text(&format!("{place}{home}")).ok()?
        };
        if walker.is_noisy(mv) {
            return None;
        }
        walker.make(mv);
        moves.push(mv);
    }
    (walker.hash() == position.hash()).then_some(moves)
}

/// Plays a cycle until the line is over.
fn repeat<S: Subject>(
    subject: &S,
    position: &S::Position,
    round: &[MoveOf<S>],
) -> (Vec<MoveOf<S>>, End) {
    let mut walker = position.clone();
    let mut played = Vec::new();
    for &mv in round.iter().cycle().take(ROUNDS * round.len()) {
        walker.make(mv);
        played.push(mv);
        let end = subject.end(&walker);
        if end.is_some() {
            return (played, end);
        }
    }
    (played, None)
}

/// The move straight back, where it is legal.
fn reverse<G: Game>(position: &G, mv: G::Move) -> Option<G::Move> {
    let (from, to) = places(position, mv)?;
    position.move_from_text(&format!("{to}{from}")).ok()
}

/// From where to where a move goes, in games whose moves are written so.
fn places<G: Game>(position: &G, mv: G::Move) -> Option<(String, String)> {
    let text = position.move_to_text(mv);
    (text.len() == 4 && !text.contains('*')).then(|| (text[..2].to_owned(), text[2..].to_owned()))
}
