//! What it costs to check games and to keep their moves, measured on real games of self-play.
//!
//! `cargo run --release -p arena --example records -- game=xiangqi pairs=50 nodes=1000
//! book=books/xiangqi.epd` plays pairs of the built-in engine against itself, lets the rules judge each
//! game again from its texts, and prints the microseconds that this takes and the bytes that the moves
//! are kept in. The figures of speed are those of one thread.

use arena::{Matchup, PairPlayer};
use games::replay;
use model::lease::{Opening, PairIndex};
use model::spec::GameLimit;
use model::{GameKind, Nodes, ParameterSet, Ply};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Times that each game is judged: the fastest time counts, as everything else is the machine's.
const ROUNDS: u32 = 5;

struct Settings {
    game: GameKind,
    pairs: usize,
    nodes: u64,
    book: String,
}

fn settings() -> Result<Settings, String> {
    let mut settings =
        Settings { game: GameKind::Xiangqi, pairs: 20, nodes: 1000, book: String::new() };
    for argument in std::env::args().skip(1) {
        let wrong = |e: &dyn std::fmt::Display| format!("`{argument}`: {e}");
        match argument.split_once('=') {
            Some(("game", value)) => settings.game = value.parse().map_err(|e| wrong(&e))?,
            Some(("pairs", value)) => settings.pairs = value.parse().map_err(|e| wrong(&e))?,
            Some(("nodes", value)) => settings.nodes = value.parse().map_err(|e| wrong(&e))?,
            Some(("book", value)) => value.clone_into(&mut settings.book),
            _ => return Err(wrong(&"allowed: game=, pairs=, nodes=, book=")),
        }
    }
    if settings.book.is_empty() {
        settings.book = format!("books/{}.epd", settings.game);
    }
    Ok(settings)
}

fn run() -> Result<(), String> {
    let Settings { game, pairs, nodes, book } = settings()?;
    let text = std::fs::read_to_string(&book).map_err(|e| format!("{book}: {e}"))?;
    let openings = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let limit = GameLimit::new(Nodes(nodes), Ply(400), 4096);
    let sets = ParameterSet::default();
    let matchup = Matchup::new(game, limit, &sets, &sets).map_err(|e| e.to_string())?;
    let mut player = PairPlayer::new(game, limit.hash_kib);
    let never = AtomicBool::new(false);
    let mut played = Vec::new();
    for (index, position) in openings.take(pairs).enumerate() {
        let opening = Opening { index: PairIndex(index as u64), position: position.to_owned() };
        let pair = player.play(&matchup, &opening, &never).map_err(|e| e.to_string())?;
        let Some(pair) = pair else { continue };
        for record in [pair.candidate_first, pair.base_first] {
            played.push((position.to_owned(), record.moves));
        }
    }
    let (mut plies, mut coded, mut text_bytes, mut seconds) = (0, 0, 0, 0.0);
    for (opening, moves) in &played {
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let judged = replay::replay(game, opening, moves, limit.max_plies.0);
            best = best.min(begun.elapsed().as_secs_f64());
            let judged = judged.map_err(|e| e.to_string())?;
            if judged.ending.is_none() {
                return Err(format!("a game without an end: {moves}"));
            }
            std::hint::black_box(&judged);
        }
        let judged = replay::replay(game, opening, moves, limit.max_plies.0);
        let judged = judged.map_err(|e| e.to_string())?;
        plies += judged.plies;
        coded += judged.code.len();
        text_bytes += moves.len();
        seconds += best;
    }
    let (count, moves) = (played.len() as f64, plies as f64);
    println!("{game}: {count} games at {nodes} nodes, {:.1} half-moves each", moves / count);
    println!(
        "judged in {:.1} us a game, {:.2} us a move: {:.0} games/s on one thread",
        1e6 * seconds / count,
        1e6 * seconds / moves,
        count / seconds
    );
    println!(
        "kept in {:.3} bytes a move, {:.1} bytes a game (as text {:.2} bytes a move)",
        coded as f64 / moves,
        coded as f64 / count,
        text_bytes as f64 / moves
    );
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
