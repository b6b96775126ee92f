//! The speed of the rules, game by game: `cargo bench -p games`.
//!
//! For each position of a game's perft table: the leaves per second of one thread's processor time,
//! with the last ply counted in bulk; then the time of one make with its unmake. A count that differs
//! from the published one fails the run. Words after `--` choose games by a part of their name;
//! `--deep` counts the depths of more than 200 million leaves, too.

#[path = "../tests/perft_table/mod.rs"]
mod perft_table;

use std::process::ExitCode;
use std::time::Duration;

use cozy_chess::Board;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveList, perft};
use perft_table::Row;
use rustix::time::{ClockId, clock_gettime};

/// Counts beyond this need `--deep`.
const MOST_LEAVES: u64 = 200_000_000;

/// A figure is the best of several runs, which take at least this long together.
const LEAST_TOTAL: Duration = Duration::from_millis(600);

const SHOGI: &str = include_str!("../tests/data/perft_shogi.csv");

const TICTACTOE: &str = "name,position,d1,d2,d3,d4,d5,d6,d7,d8,d9
start,start,9,72,504,3024,15120,54720,148176,200448,127872";

/// Few leaves, since each of them is made.
const CHESS_MADE: &str = "name,position,d4,d5
start,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,197281,4865609
castling both sides,r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1,4085603,";

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    bench.game::<Xiangqi>("xiangqi", include_str!("../tests/data/perft_xiangqi.csv"));
    let chess = include_str!("../tests/data/perft_chess.csv");
    bench.game::<Chess>("chess", chess);
    // What the crate under it does alone: the difference is what the line of moves and the hash by
    // rule cost.
    let board = |row: &Row| row.text.parse::<Board>().expect("the table holds positions");
    bench.counter("chess: cozy-chess alone", chess, |row, depth| bare(&board(row), depth, 1));
    bench.counter("chess: every leaf made", CHESS_MADE, |row, depth| {
        made(&mut row.position::<Chess>(), depth)
    });
    bench.counter("chess: cozy-chess, made", CHESS_MADE, |row, depth| bare(&board(row), depth, 0));
    bench.game::<Othello>("othello", include_str!("../tests/data/perft_othello.csv"));
    bench.game::<Shogi>("shogi", SHOGI);
    bench
        .counter("shogi by the crate haitaka", SHOGI, |row, depth| haitaka_perft(&row.text, depth));
    bench.game::<TicTacToe>("tictactoe", TICTACTOE);
    if bench.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What was asked for, and whether a count was wrong.
struct Bench {
    names: Vec<String>,
    deep: bool,
    failed: bool,
}

impl Bench {
    fn from_arguments() -> Self {
        // Cargo adds `--bench`.
        let (options, names): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
        Self { names, deep: options.iter().any(|option| option == "--deep"), failed: false }
    }

    fn chosen(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }

    /// Measures a game of this crate.
    fn game<G: Game>(&mut self, name: &str, table: &str) {
        if !self.chosen(name) {
            return;
        }
        self.counter(name, table, |row, depth| perft(&mut row.position::<G>(), depth));
        let (mut moves, mut total) = (0, Duration::ZERO);
        for row in perft_table::rows(table) {
            let (count, time) = make_unmake(&mut row.position::<G>());
            moves += count;
            total += time;
        }
        println!("make + unmake {:>52.1} ns", total.as_nanos() as f64 / moves as f64);
    }

    /// Measures any function that counts the leaves below a position of a table.
    fn counter(&mut self, name: &str, table: &str, count: impl Fn(&Row, u32) -> u64) {
        if !self.chosen(name) {
            return;
        }
        println!("\n{name:<29}{:>6}{:>14}{:>10}{:>13}", "depth", "leaves", "CPU ms", "M leaves/s");
        let mut all = (0, Duration::ZERO);
        for row in perft_table::rows(table) {
            let small = |count: &&(u32, u64)| count.1 <= MOST_LEAVES;
            let deepest = row.counts.iter().rev().find(small);
            let deeper = row.counts.iter().filter(|count| self.deep && !small(count));
            for &(depth, leaves) in deepest.into_iter().chain(deeper) {
                let (found, time) = best(|| count(&row, depth));
                line(&row.name, depth, leaves, time);
                if found != leaves {
                    println!("{:<29}WRONG: counted {found}", "");
                    self.failed = true;
                }
                all = (all.0 + leaves, all.1 + time);
            }
        }
        println!("all {:>45}{:>10.1}{:>13.1}", all.0, millis(all.1), speed(all.0, all.1));
    }
}

fn line(name: &str, depth: u32, leaves: u64, time: Duration) {
    let name: String = name.chars().take(28).collect();
    let speed = speed(leaves, time);
    println!("{name:<29}{depth:>6}{leaves:>14}{:>10.1}{speed:>13.1}", millis(time));
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Millions of leaves per second.
fn speed(leaves: u64, time: Duration) -> f64 {
    leaves as f64 / time.as_secs_f64() / 1e6
}

/// The processor time that this process has used: other processes do not disturb it much.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// The result of a function and the processor time of its best run.
fn best<T>(mut run: impl FnMut() -> T) -> (T, Duration) {
    let mut total = Duration::ZERO;
    let mut best = Duration::MAX;
    loop {
        let began = cpu_time();
        let result = std::hint::black_box(run());
        let time = cpu_time() - began;
        best = best.min(time);
        total += time;
        if total >= LEAST_TOTAL {
            return (result, best);
        }
    }
}

/// Makes and unmakes each legal move of a position, again and again: how many pairs, and the time
/// that they took.
fn make_unmake<G: Game>(position: &mut G) -> (u64, Duration) {
    const ROUNDS: u64 = 2_000;
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let (_, time) = best(|| {
        let mut hashes = 0;
        for _ in 0..ROUNDS {
            for &mv in moves.iter() {
                position.make(mv);
                hashes ^= position.hash();
                position.unmake();
            }
        }
        hashes
    });
    (ROUNDS * moves.len() as u64, time)
}

/// The leaves below a position of shogi as the crate haitaka counts them. Its groups of moves know how
/// many targets they hold, but not how many promotions, so the last ply is walked over.
fn haitaka_perft(sfen: &str, depth: u32) -> u64 {
    fn count(board: &haitaka::Board, depth: u32) -> u64 {
        let mut leaves = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                leaves += moves.into_iter().count() as u64;
            } else {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    leaves += count(&child, depth - 1);
                }
            }
            false
        });
        leaves
    }
    let board = haitaka::Board::from_sfen(sfen).expect("the table holds positions");
    count(&board, depth)
}

/// Counts leaves as [`perft`] does, but makes and unmakes the last move, too.
fn made<G: Game>(position: &mut G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let mut leaves = 0;
    for &mv in moves.iter() {
        position.make(mv);
        leaves += made(position, depth - 1);
        position.unmake();
    }
    leaves
}

/// Counts leaves with cozy-chess alone, the last `bulk` plies without making their moves.
fn bare(board: &Board, depth: u32, bulk: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == bulk {
            leaves += moves.len() as u64;
            return false;
        }
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            leaves += if depth == 1 { 1 } else { bare(&next, depth - 1, bulk) };
        }
        false
    });
    leaves
}
