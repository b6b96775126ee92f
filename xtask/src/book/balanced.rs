//! A book of balanced positions: candidates from sensible walks, and what a position must be to stay.
//!
//! A candidate stays if it is out of check, quiet, balanced at a longer search, and if neither it nor
//! an image of it by a symmetry of the game is there already. Every length of walk gets the same share.

use super::walk::{Judge, PlyRange};
use crate::parallel;
use anyhow::ensure;
use engine::{Evaluate, SearchGame};
use games::Game;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::xiangqi::Xiangqi;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A position is quiet if the search sees within this many centipawns of what the board shows
/// before any move: less than a pawn, the least that a capture or a threat could win.
const QUIET_WINDOW: i32 = 60;
/// Candidates between two looks at what is still missing, at most. The book does not depend on it.
const WAVE: u64 = 500;
/// Give up after so many candidates for each position asked.
const MOST_CANDIDATES: u64 = 50;

/// A game whose openings are drawn from sensible walks.
pub(super) trait BookGame: SearchGame {
    /// What a position text has in common with those of its images by the symmetries of the game
    /// alone, without counters.
    fn twin_free(fen: &str) -> String;
}

/// What a book is a function of.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) plies: PlyRange,
    pub(super) count: usize,
    pub(super) seed: u64,
    pub(super) nodes: u64,
    pub(super) window: i32,
}

impl Rules {
    fn plies_of(&self, candidate: u64) -> usize {
        (candidate % self.plies.lengths() as u64) as usize
    }

    /// Positions asked of a length: even shares, the first lengths taking what is left over.
    fn share(&self, place: usize) -> usize {
        let lengths = self.plies.lengths();
        self.count / lengths + usize::from(place < self.count % lengths)
    }
}

/// The book with its header.
///
/// # Errors
/// Too few candidates pass.
pub(super) fn text<G: BookGame>(rules: &Rules, threads: usize) -> anyhow::Result<String> {
    let Rules { plies, count, seed, nodes, window } = rules;
    let positions = make::<G>(rules, threads)?;
    let signature = engine::bench::bench_game::<G>();
    let game = G::KIND;
    let mut text = String::new();
    let made = format!(
        "cargo xtask book --game {game} --plies {plies} --count {count} --seed {seed} \
         --nodes {nodes} --window {window}"
    );
    writeln!(text, "# {count} balanced positions, {plies} half-moves from the start of {game}")?;
    writeln!(text, "# made by: {made}")?;
    writeln!(text, "# engine: bench signature {signature}")?;
    for fen in positions {
        writeln!(text, "{fen}")?;
    }
    Ok(text)
}

fn make<G: BookGame>(rules: &Rules, threads: usize) -> anyhow::Result<Vec<String>> {
    let mut missing: Vec<usize> = (0..rules.plies.lengths()).map(|p| rules.share(p)).collect();
    let (mut kept, mut seen) = (Vec::new(), BTreeSet::new());
    let most = MOST_CANDIDATES * rules.count as u64;
    let mut candidate = 0;
    while kept.len() < rules.count {
        ensure!(
            candidate < most,
            "only {} of {} positions found among {candidate} candidates; widen --window or --plies, \
             or lower --count",
            kept.len(),
            rules.count
        );
        let end = most.min(candidate + WAVE.min(rules.count as u64));
        let wave: Vec<u64> =
            (candidate..end).filter(|&candidate| missing[rules.plies_of(candidate)] > 0).collect();
        let found =
            parallel::map(&wave, threads, Judge::<G>::new, |judge, &c| position(judge, rules, c));
        for (candidate, fen) in wave.into_iter().zip(found) {
            let Some(fen) = fen else { continue };
            let missing = &mut missing[rules.plies_of(candidate)];
            if *missing > 0 && seen.insert(G::twin_free(&fen)) {
                *missing -= 1;
                kept.push(fen);
            }
        }
        candidate = end;
        eprintln!("{candidate} candidates: {} of {} positions", kept.len(), rules.count);
    }
    Ok(kept)
}

/// The position of a candidate, if it is fit for the book.
fn position<G: BookGame>(judge: &mut Judge<G>, rules: &Rules, candidate: u64) -> Option<String> {
    let plies = rules.plies.length(rules.plies_of(candidate));
    let mut position = judge.walk(rules.seed, candidate, plies)?;
    if position.in_check() {
        return None;
    }
    let (best, score) = judge.ask(&mut position, rules.nodes);
    let mut eval = G::Eval::default();
    eval.reset(judge.params.eval(), &position);
    // Where nothing is captured, no static look could tell a quiet position.
    let quiet = !G::QUIESCENCE
        || (eval.evaluate(judge.params.eval(), &position) - score).abs() <= QUIET_WINDOW
            && !best.is_some_and(|mv| position.is_noisy(mv));
    (quiet && score.abs() <= rules.window).then(|| position.to_fen())
}

impl BookGame for Xiangqi {
    /// The mirror image, left for right: the smaller board of the two and the side to move.
    fn twin_free(fen: &str) -> String {
        let mut fields = fen.split(' ');
        let board = fields.next().unwrap_or_default();
        let ranks = board.split('/').map(|rank| rank.chars().rev().collect());
        let mirrored: Vec<String> = ranks.collect();
        let board = board.to_owned().min(mirrored.join("/"));
        format!("{board} {}", fields.next().unwrap_or_default())
    }
}

impl BookGame for Chess {
    /// Castling is on one side only, so no image is the same: everything but the counters.
    fn twin_free(fen: &str) -> String {
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    }
}

impl BookGame for Shogi {
    /// Bishop and rook stand on one side each, so no image is the same: everything but the counter.
    fn twin_free(fen: &str) -> String {
        fen.split(' ').take(3).collect::<Vec<_>>().join(" ")
    }
}

impl BookGame for Othello {
    /// The least of the eight images of the board as the side to move sees it.
    fn twin_free(fen: &str) -> String {
        let position = Othello::from_fen(fen).expect("a position of the book's own making");
        let (board, _) = position.board().canonical();
        format!("{:016x}{:016x}", board.own(), board.other())
    }
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    const BOOK: &str = include_str!("../../../books/xiangqi.epd");

    fn small() -> Rules {
        Rules { plies: "2..4".parse().unwrap(), count: 7, seed: 5, nodes: 300, window: 50 }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let book = make::<Xiangqi>(&small(), 1).unwrap();
        assert_eq!(book.len(), 7);
        assert_eq!(make::<Xiangqi>(&small(), 3).unwrap(), book);
        assert_ne!(make::<Xiangqi>(&Rules { seed: 6, ..small() }, 3).unwrap(), book);
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let none = Rules { plies: "1..1".parse().unwrap(), count: 1, window: -1, ..small() };
        let error = make::<Xiangqi>(&none, 2).unwrap_err().to_string();
        assert!(error.contains("only 0 of 1 positions") && error.contains("50 cand"), "{error}");
    }

    #[test]
    fn mirror_twins_are_one() {
        let a = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b - - 1 1";
        let b = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 3 7";
        assert_eq!(Xiangqi::twin_free(a), Xiangqi::twin_free(b));
        assert_ne!(Xiangqi::twin_free(a), Xiangqi::twin_free(&a.replace(" b ", " w ")));
        assert_ne!(Xiangqi::twin_free(a), Xiangqi::twin_free(&Xiangqi::start().to_fen()));
    }

    #[test]
    fn the_committed_book_keeps_its_promises() {
        let fens: Vec<&str> = positions(BOOK).collect();
        assert!(fens.len() >= 2000, "{}", fens.len());
        let distinct: BTreeSet<_> = fens.iter().map(|fen| Xiangqi::twin_free(fen)).collect();
        assert_eq!(distinct.len(), fens.len());
        let mut lengths = [0; 9];
        for fen in &fens {
            let position = Xiangqi::from_fen(fen).unwrap();
            assert!(!position.in_check() && position.result().is_none(), "{fen}");
            assert_eq!(position.to_fen(), **fen);
            let black = usize::from(!position.first_to_move());
            lengths[2 * (position.full_move() as usize - 1) + black] += 1;
        }
        let share = fens.len() / 5;
        assert!(lengths[..4] == [0; 4], "{lengths:?}");
        assert!(lengths[4..].iter().all(|n| (share..=share + 1).contains(n)), "{lengths:?}");
    }

    #[test]
    fn the_committed_book_names_its_command() {
        let header: Vec<_> = BOOK.lines().take_while(|line| line.starts_with('#')).collect();
        let text = header.join("\n");
        assert!(text.contains("made by: cargo xtask book --game xiangqi"), "{text}");
        assert!(text.contains("engine: bench signature "), "{text}");
    }
}
