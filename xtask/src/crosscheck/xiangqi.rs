//! Xiangqi against Fairy-Stockfish, whose rules of repetition are the Asian ones.

use games::Game;
use games::xiangqi::{Move, RuleSet, Square, Xiangqi};
use model::Termination;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

use super::chase;
use super::opinion::{Difference, Outcome};
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
        let known = if rng.random_bool(0.5) { None } else { STARTS.choose(rng).cloned() };
        known.unwrap_or_else(Xiangqi::start).with_rules(RuleSet::Asian)
    }

    /// Ranks count from 1 there.
    fn move_text(&self, _: &Xiangqi, mv: Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        let place = |square: Square| {
            let file = char::from(b'a' + square.file());
            format!("{file}{}", square.rank() + 1)
        };
        format!("{}{}", place(from), place(to))
    }

    fn explain(&self, case: &Case<'_, Xiangqi>) -> Option<&'static str> {
        if case.difference != Difference::Outcome {
            return None;
        }
        let ((ours, reason), theirs) = (case.ours.end?, case.theirs.outcome?);
        match reason {
            Termination::MoveLimit if theirs == Outcome::GoesOn => {
                gave_many_checks(case.position).then_some("checks at the move limit")
            }
            Termination::PerpetualChase | Termination::Repetition if theirs != Outcome::GoesOn => {
                let them = case.position.side_to_move().other();
                chase::explain(case.position, ours, theirs, them)
            }
            _ => None,
        }
    }
}

/// Whether a side has given more than ten checks since the last capture: Fairy-Stockfish lets a game go
/// on for as many moves more as there were checks beyond ten.
fn gave_many_checks(position: &Xiangqi) -> bool {
    let mut position = position.clone();
    let mut checks = [0, 0];
    let mut ply = 0;
    while position.quiet_plies() > 0 && position.plies_made() > 0 {
        checks[ply % 2] += u32::from(position.in_check());
        position.unmake();
        ply += 1;
    }
    checks.into_iter().any(|checks| checks > 10)
}
