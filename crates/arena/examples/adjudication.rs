//! What ending games by their scores costs in wrong verdicts, and what it saves.
//!
//! `cargo run --release -p arena --example adjudication -- game=chess pairs=200 nodes=2000
//! book=books/chess.epd` plays pairs of the built-in engine to their ends, the first side with the nodes
//! that are said and the second with half as many again, and keeps what each search said. Then every rule
//! of a list is asked where it would have ended each game, and its verdict is compared with what the game
//! came to when it was played on. A verdict is wrong when the game ended otherwise.

use arena::{Matchup, PairPlayer};
use model::lease::{Opening, PairIndex};
use model::spec::GameLimit;
use model::{
    Adjudication, Adjudicator, DrawRule, GameKind, GameScore, Nodes, ParameterSet, Ply, ResignRule,
    Score, ScoreVerdict, Termination,
};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Games of more half-moves are left out: nobody has said how they end.
const MOST_PLIES: Ply = Ply(600);

/// `movenumber`, `movecount`, `score`.
const DRAWS: [(u32, u32, i32); 6] =
    [(40, 8, 10), (34, 8, 20), (20, 8, 10), (20, 4, 10), (0, 8, 20), (0, 4, 20)];

/// `movecount`, `score`, `twosided`.
const RESIGNS: [(u32, i32, bool); 8] = [
    (3, 400, false),
    (3, 400, true),
    (3, 600, false),
    (3, 600, true),
    (3, 1000, false),
    (3, 1000, true),
    (5, 1000, true),
    (1, 400, false),
];

struct Settings {
    game: GameKind,
    pairs: usize,
    nodes: u64,
    book: String,
}

/// A game that was played to its end.
struct Played {
    scores: Vec<Score>,
    result: ScoreVerdict,
}

fn settings() -> Result<Settings, String> {
    let mut settings =
        Settings { game: GameKind::Chess, pairs: 100, nodes: 2000, book: String::new() };
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

/// Plays every `step`-th opening from `first` on.
fn play(
    settings: &Settings,
    openings: &[&str],
    (first, step): (usize, usize),
) -> Result<Vec<Played>, String> {
    let limit = GameLimit::new(Nodes(settings.nodes), MOST_PLIES, 4096);
    let sets = ParameterSet::default();
    let matchup = Matchup::new(settings.game, limit, &sets, &sets).map_err(|e| e.to_string())?;
    let matchup = matchup.recording_evals(true);
    let mut player = PairPlayer::new(settings.game, limit.hash_kib);
    let never = AtomicBool::new(false);
    let nodes = [Nodes(settings.nodes), Nodes(settings.nodes * 3 / 2)];
    let mut played = Vec::new();
    for (index, position) in openings.iter().enumerate().skip(first).step_by(step) {
        let opening = Opening { index: PairIndex(index as u64), position: (*position).to_owned() };
        let pair =
            player.play_with(&matchup, &opening, nodes, &never).map_err(|e| e.to_string())?;
        let Some(pair) = pair else { continue };
        for (record, candidate_first) in [(pair.candidate_first, true), (pair.base_first, false)] {
            if record.termination == Termination::PlyLimit {
                continue;
            }
            let result = match (record.score, candidate_first) {
                (GameScore::Draw, _) => ScoreVerdict::Draw,
                (GameScore::Win, true) | (GameScore::Loss, false) => ScoreVerdict::FirstWins,
                _ => ScoreVerdict::SecondWins,
            };
            let scores = record.evals.iter().map(|eval| eval.score).collect();
            played.push(Played { scores, result });
        }
    }
    Ok(played)
}

/// A line of the table.
fn judge(name: &str, rules: Adjudication, played: &[Played]) {
    let (mut ended, mut wrong, mut saved, mut all) = (0_usize, 0_usize, 0_usize, 0_usize);
    for Played { scores, result } in played {
        all += scores.len();
        let mut adjudicator = Adjudicator::new(rules);
        let found = (1..)
            .zip(scores)
            .find_map(|(ply, score)| Some((ply, adjudicator.count(Some(*score))?)));
        // What ends a game with its last move ends nothing early.
        let Some((ply, verdict)) = found.filter(|(ply, _)| *ply < scores.len()) else { continue };
        ended += 1;
        wrong += usize::from(verdict != *result);
        saved += scores.len() - ply;
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / (whole.max(1)) as f64;
    println!(
        "| {name} | {:.1} % | {wrong} of {ended} | {:.2} % | {:.1} % |",
        share(ended, played.len()),
        share(wrong, ended),
        share(saved, all)
    );
}

fn run() -> Result<(), String> {
    let settings = settings()?;
    let text = std::fs::read_to_string(&settings.book)
        .map_err(|error| format!("{}: {error}", settings.book))?;
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let openings: Vec<&str> = lines.take(settings.pairs).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (settings, openings) = (&settings, &openings[..]);
    let played = std::thread::scope(|scope| {
        let slots: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || play(settings, openings, (first, threads))))
            .collect();
        let mut played = Vec::new();
        for slot in slots {
            played.extend(slot.join().map_err(|_| "a slot panicked".to_owned())??);
        }
        Ok::<_, String>(played)
    })?;
    let drawn = played.iter().filter(|game| game.result == ScoreVerdict::Draw).count();
    let Settings { game, nodes, .. } = settings;
    println!(
        "{game}: {} games at {nodes} and half as many nodes more, {drawn} drawn",
        played.len()
    );
    println!("| rule | ends | wrong | of its verdicts | half-moves saved |");
    println!("|---|---|---|---|---|");
    for (move_number, move_count, score) in DRAWS {
        let draw = Some(DrawRule { move_number, move_count, score });
        let name = format!("draw movenumber={move_number} movecount={move_count} score={score}");
        judge(&name, Adjudication { draw, ..Adjudication::OFF }, &played);
    }
    for (move_count, score, two_sided) in RESIGNS {
        let resign = Some(ResignRule { move_count, score, two_sided });
        let agreed = if two_sided { " twosided" } else { "" };
        let name = format!("resign movecount={move_count} score={score}{agreed}");
        judge(&name, Adjudication { resign, ..Adjudication::OFF }, &played);
    }
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
