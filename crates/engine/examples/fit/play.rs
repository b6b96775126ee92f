//! Games of the engine against itself, and the quiet positions of them.

use crate::Words;
use engine::{Limits, MATE_BOUND, SearchGame, SearchParams, Searcher, StopSignal};
use games::{MoveKind, MoveList, RuleWinner};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

/// Longer games are draws.
const PLY_LIMIT: usize = 320;
/// A side that sees itself so far ahead for so many moves in a row has won.
const DECIDED_CENTIPAWNS: i32 = 2500;
const DECIDED_PLIES: u32 = 8;
/// Positions that the search holds to be further from level teach nothing.
const OPEN_CENTIPAWNS: i32 = 1200;
/// One quiet position of so many is kept: neighbours are nearly the same.
const KEPT: u64 = 2;

/// Plays the games and writes a line for each position kept: the result for the first side (1, 0.5 or
/// 0), the search's score for it in centipawns, the position.
pub(crate) fn positions<G: SearchGame>(words: &Words) -> Result<(), String> {
    let openings = match &words.book {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|e| format!("{}: {e}", path.display()))?;
            let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
            lines.map(str::to_owned).collect()
        }
        None => vec![G::start().to_fen()],
    };
    let file = std::fs::File::create(&words.output);
    let file = file.map_err(|e| format!("{}: {e}", words.output.display()))?;
    let mut file = std::io::BufWriter::new(file);
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..words.threads {
            let (sender, next, openings) = (sender.clone(), &next, &openings);
            scope.spawn(move || {
                let mut player = Searcher::<G>::new(2);
                loop {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    let text = (game < words.games).then(|| {
                        let opening = &openings[(game % openings.len() as u64) as usize];
                        play(words, &mut player, opening, game)
                    });
                    let Some(text) = text else { break };
                    if sender.send((game, text)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // In the order of the games, whoever finished first.
        let mut waiting = std::collections::BTreeMap::new();
        let mut due = 0;
        for (game, text) in receiver {
            waiting.insert(game, text);
            while let Some(text) = waiting.remove(&due) {
                let text: String = text?;
                file.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
                due += 1;
            }
        }
        file.flush().map_err(|e| e.to_string())
    })
}

/// The lines of one game; none if it was over before it began.
fn play<G: SearchGame>(
    words: &Words,
    player: &mut Searcher<G>,
    opening: &str,
    game: u64,
) -> Result<String, String> {
    let params = SearchParams::<G>::default();
    let mut state = words.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ game.wrapping_mul(0xd1b5_4a32);
    let mut position = G::from_fen(opening).map_err(|e| format!("{opening}: {e}"))?;
    for _ in 0..words.plies {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() || position.result().is_some() {
            return Ok(String::new());
        }
        position.make(moves[(splitmix(&mut state) % moves.len() as u64) as usize]);
    }
    player.new_game();
    let mut kept = Vec::new();
    let mut decided = (0, 0u32);
    let mut result = 0.5;
    for _ in 0..PLY_LIMIT {
        let first = position.first_to_move();
        if let Some(over) = position.result() {
            result = match over.winner {
                RuleWinner::Draw => 0.5,
                RuleWinner::SideToMove => f64::from(u8::from(first)),
                RuleWinner::Opponent => f64::from(u8::from(!first)),
            };
            break;
        }
        let limits = Limits::nodes(words.nodes);
        let found = player.search(&mut position, &params, &limits, &StopSignal::never());
        let Some(best) = found.best else { break };
        let score = if first { found.score.0 } else { -found.score.0 };
        let sign = if score.abs() < DECIDED_CENTIPAWNS { 0 } else { score.signum() };
        decided = (sign, if sign == decided.0 { decided.1 + 1 } else { 1 });
        if sign != 0 && (decided.1 >= DECIDED_PLIES || score.abs() >= MATE_BOUND) {
            result = f64::from(u8::from(sign > 0));
            break;
        }
        let open = score.abs() <= OPEN_CENTIPAWNS && splitmix(&mut state).is_multiple_of(KEPT);
        if open && is_quiet(&position, best, &params) {
            kept.push((score, position.to_fen()));
        }
        position.make(best);
    }
    let mut text = String::new();
    for (score, fen) in kept {
        writeln!(text, "{result} {score} {fen}").map_err(|e| e.to_string())?;
    }
    Ok(text)
}

/// Neither check nor a capture that wins something.
fn is_quiet<G: SearchGame>(position: &G, best: G::Move, params: &SearchParams<G>) -> bool {
    if !G::QUIESCENCE {
        return true;
    }
    if position.in_check() || position.is_noisy(best) {
        return false;
    }
    let mut noisy = MoveList::new();
    position.pseudo_legal(MoveKind::Noisy, &mut noisy);
    let wins =
        |&mv: &G::Move| position.exchange_wins(params.eval(), mv, 1) && position.is_legal(mv);
    !noisy.iter().any(wins)
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
