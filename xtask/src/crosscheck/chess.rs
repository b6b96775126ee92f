//! Chess and Chess960 against `python-chess` and Fairy-Stockfish.

use games::Game;
use games::chess::Chess;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

use super::subject::{Subject, scatter};

/// How the pieces stand at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    Standard,
    /// One of 960, castling written as the king that takes its rook.
    Chess960,
}

/// Positions in which what is rare is near: the tests' for counts of moves.
static STARTS: LazyLock<Vec<Chess>> = LazyLock::new(|| {
    let perft = include_str!("../../../crates/games/tests/data/perft_chess.csv");
    let fens = perft.lines().skip(1).flat_map(|line| line.split(','));
    fens.filter_map(|fen| Chess::from_fen(fen).ok()).filter(|chess| !chess.is_chess960()).collect()
});

impl Subject for Setup {
    type Position = Chess;

    fn variant(&self) -> &'static str {
        match self {
            Self::Standard => "chess",
            Self::Chess960 => "chess960",
        }
    }

    /// The initial position, one of the tests', or kings with a few pieces. The clock of the move limit
    /// has often run for a while.
    fn start(&self, rng: &mut ChaCha8Rng) -> Chess {
        let kind = rng.random_range(0..4);
        let position = match self {
            Self::Chess960 if kind < 3 => Chess::chess960_start(rng.random_range(0..960)),
            Self::Standard if kind < 2 => Some(Chess::start()),
            Self::Standard if kind < 3 => STARTS.choose(rng).cloned(),
            _ => few_pieces(rng),
        };
        let position = position.unwrap_or_else(Chess::start);
        let position = match self {
            Self::Standard => position,
            Self::Chess960 => position.into_chess960(),
        };
        if rng.random_bool(0.7) {
            return position;
        }
        let fen = position.to_fen();
        let mut fields: Vec<&str> = fen.split(' ').collect();
        let clock = rng.random_range(60..100).to_string();
        fields[4] = &clock;
        // A pawn has not just stepped.
        fields[3] = "-";
        Chess::from_fen(&fields.join(" ")).map_or(position, |aged| match self {
            Self::Standard => aged,
            Self::Chess960 => aged.into_chess960(),
        })
    }
}

/// Kings and up to six pieces.
fn few_pieces(rng: &mut ChaCha8Rng) -> Option<Chess> {
    let pieces = ["K", "k", "P", "p", "N", "n", "B", "b", "B", "b", "R", "r", "Q", "q"];
    (0..50).find_map(|_| {
        let count = rng.random_range(0..=6);
        let extra = (0..count).map(|_| *pieces[2..].choose(rng).unwrap_or(&"N"));
        let all: Vec<&str> = pieces[..2].iter().copied().chain(extra).collect();
        let side = if rng.random_bool(0.5) { "w" } else { "b" };
        let board = scatter(&all, 8, 8, rng);
        Chess::from_fen(&format!("{board} {side} - - 0 1")).ok()
    })
}
