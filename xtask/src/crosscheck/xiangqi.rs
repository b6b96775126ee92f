//! Xiangqi against Fairy-Stockfish, whose rules of repetition are the Asian ones.

use games::Game;
use games::xiangqi::Xiangqi;
use games::xiangqi::judge::{Reason, RuleSet, judge};
use model::Termination;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

use super::opinion::Outcome;
use super::subject::{Case, Subject};

/// Xiangqi as `ffish` and `pyffish` see it.
pub(super) struct FairyXiangqi;

/// The positions of the tests: of perft, and of the books on repetition.
static STARTS: LazyLock<Vec<Xiangqi>> = LazyLock::new(|| {
    let perft = include_str!("../../../crates/games/tests/data/perft_xiangqi.csv");
    let repetition = include_str!("../../../crates/games/tests/data/repetition_xiangqi.tsv");
    let perft = perft.lines().skip(1).filter_map(|line| line.split(',').nth(1));
    let repetition = repetition.lines().skip(1).filter_map(|line| line.split('\t').nth(1));
    perft.chain(repetition).filter_map(|fen| Xiangqi::from_fen(fen).ok()).collect()
});

impl Subject for FairyXiangqi {
    type Position = Xiangqi;

    /// As the scripts define it.
    fn variant(&self) -> &'static str {
        "xiangqi60"
    }

    fn start(&self, rng: &mut ChaCha8Rng) -> Xiangqi {
        if rng.random_bool(0.5) {
            return Xiangqi::start();
        }
        STARTS.choose(rng).cloned().unwrap_or_else(Xiangqi::start)
    }

    /// Ranks count from 1 there.
    fn move_text(&self, _: &Xiangqi, mv: games::xiangqi::Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        let place = |square: games::xiangqi::Square| {
            let file = char::from(b'a' + square.file());
            format!("{file}{}", square.rank() + 1)
        };
        format!("{}{}", place(from), place(to))
    }

    fn end(&self, position: &Xiangqi) -> Option<(Outcome, Termination)> {
        let verdict = judge(position, RuleSet::Asian)?;
        let reason = match verdict.reason {
            Reason::NoMove => Termination::NoMove,
            Reason::PerpetualCheck | Reason::MutualCheck => Termination::PerpetualCheck,
            Reason::PerpetualChase | Reason::MutualChase => Termination::PerpetualChase,
            Reason::Repetition => Termination::Repetition,
            Reason::MoveLimit => Termination::MoveLimit,
            Reason::DeadPosition => Termination::DeadPosition,
        };
        Some((Outcome::of(verdict.winner), reason))
    }

    fn explain(&self, _case: &Case<'_, Xiangqi>) -> Option<&'static str> {
        None
    }
}
