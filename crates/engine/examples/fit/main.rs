//! Fits the weights of an evaluation to the results of games (P. Österlund, "Texel's tuning method",
//! 2014): the engine plays against itself, and the weights move so that the value of a quiet position
//! foretells the result.
//!
//! ```text
//! cargo run --release -p engine --example fit -- games chess book=books/chess.epd out=chess.fit \
//!     games=4000 nodes=1500 seed=1
//! cargo run --release -p engine --example fit -- weights chess in=chess.fit
//! ```
//!
//! The first writes quiet positions with the results, the second prints the weights by name; the games
//! depend on the seed alone, the weights on the positions alone. Further words stand with [`Words`].

mod learn;
mod play;

use engine::SearchGame;
use games::{chess::Chess, othello::Othello, shogi::Shogi, xiangqi::Xiangqi};
use std::path::PathBuf;

/// What the command line says.
pub(crate) struct Words {
    /// `book`: a file with an opening on each line, as in `books/`.
    pub(crate) book: Option<PathBuf>,
    /// `in`: files of positions, with commas between them.
    pub(crate) input: Vec<PathBuf>,
    /// `out`: where the positions go.
    pub(crate) output: PathBuf,
    /// `games` to play.
    pub(crate) games: u64,
    /// `nodes` of each move.
    pub(crate) nodes: u64,
    /// `seed` of openings and samples.
    pub(crate) seed: u64,
    /// `plies` played at random after an opening.
    pub(crate) plies: u64,
    /// `threads` that play or compute; the outcome does not depend on them.
    pub(crate) threads: usize,
    /// `rounds` in which the values are taken as linear in the weights, at the weights of the last.
    pub(crate) rounds: u32,
    /// `steps` of the descent in each round.
    pub(crate) steps: u32,
    /// `pull`: what keeps a weight at its default, per squared step `c_end` and position; multiples of
    /// it are tried too.
    pub(crate) pull: f64,
    /// `trust` in the result of a game, 0 to 1; the rest is the score that the search gave.
    pub(crate) trust: f64,
}

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let usage = "the first two words are games or weights, and chess, shogi, xiangqi or othello";
    let (task, game) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?);
    let words = read_words(args)?;
    match game.as_str() {
        "chess" => run::<Chess>(&task, &words),
        "shogi" => run::<Shogi>(&task, &words),
        "xiangqi" => run::<Xiangqi>(&task, &words),
        "othello" => run::<Othello>(&task, &words),
        _ => Err(format!("`{game}`: {usage}")),
    }
}

fn run<G: SearchGame + Sync>(task: &str, words: &Words) -> Result<(), String> {
    match task {
        "games" => play::positions::<G>(words),
        "weights" => learn::weights::<G>(words),
        _ => Err(format!("`{task}` is neither games nor weights")),
    }
}

fn read_words(args: impl Iterator<Item = String>) -> Result<Words, String> {
    let mut words = Words {
        book: None,
        input: Vec::new(),
        output: "positions.fit".into(),
        games: 1000,
        nodes: 1500,
        seed: 1,
        plies: 2,
        threads: 2,
        rounds: 2,
        steps: 200,
        pull: 4e-6,
        trust: 0.7,
    };
    for word in args {
        let (name, value) = word.split_once('=').ok_or(format!("`{word}` is no name=value"))?;
        let whole = || value.parse::<u64>().map_err(|e| format!("{word}: {e}"));
        let real = || value.parse::<f64>().map_err(|e| format!("{word}: {e}"));
        match name {
            "book" => words.book = Some(value.into()),
            "in" => words.input = value.split(',').map(PathBuf::from).collect(),
            "out" => words.output = value.into(),
            "games" => words.games = whole()?,
            "nodes" => words.nodes = whole()?,
            "seed" => words.seed = whole()?,
            "plies" => words.plies = whole()?,
            "threads" => words.threads = whole()?.max(1) as usize,
            "rounds" => words.rounds = whole()? as u32,
            "steps" => words.steps = whole()? as u32,
            "pull" => words.pull = real()?,
            "trust" => words.trust = real()?,
            _ => return Err(format!("unknown word `{word}`")),
        }
    }
    Ok(words)
}
