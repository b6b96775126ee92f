//! A sensible walk from the start: at each turn one of the moves that a short search holds to be
//! nearly as good as the best, every one of them equally likely.

use engine::{Limits, SearchGame, SearchParams, Searcher, StopSignal};
use games::MoveList;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Nodes of the search after each legal move.
const MOVE_NODES: u64 = 200;
/// A move may look this much worse than the best, in centipawns.
const MOVE_WINDOW: i32 = 60;
/// Enough for every search here; small, because it is cleared before each.
const HASH_MB: usize = 1;

/// Half-moves from the start: `4..8` has both ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlyRange {
    least: u32,
    most: u32,
}

impl PlyRange {
    /// How many lengths there are.
    pub(super) fn lengths(self) -> usize {
        (self.most - self.least + 1) as usize
    }

    /// The length of a place, `0..lengths()`.
    pub(super) fn length(self, place: usize) -> u32 {
        self.least + place as u32
    }
}

impl std::fmt::Display for PlyRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.least, self.most)
    }
}

impl std::str::FromStr for PlyRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text.split_once("..").and_then(|(least, most)| {
            Some(Self { least: least.parse().ok()?, most: most.parse().ok()? })
        });
        ends.filter(|range| 1 <= range.least && range.least <= range.most && range.most <= 40)
            .ok_or_else(|| "allowed: LEAST..MOST, from 1 to 40, such as 4..8".to_owned())
    }
}

/// An engine that remembers nothing from one question to the next.
pub(super) struct Judge<G: SearchGame> {
    searcher: Searcher<G>,
    pub(super) params: SearchParams<G>,
}

impl<G: SearchGame> Judge<G> {
    pub(super) fn new() -> Self {
        Self { searcher: Searcher::new(HASH_MB), params: SearchParams::default() }
    }

    /// The best move and the centipawns for the side to move.
    pub(super) fn ask(&mut self, position: &mut G, nodes: u64) -> (Option<G::Move>, i32) {
        self.searcher.new_game();
        let limits = Limits::nodes(nodes);
        let found = self.searcher.search(position, &self.params, &limits, &StopSignal::never());
        (found.best, found.score.0)
    }

    /// Walks `plies` half-moves from the start with the stream `stream` of `seed`; `None` when the
    /// walk comes to an end of the game or to a position that it has passed before.
    pub(super) fn walk(&mut self, seed: u64, stream: u64, plies: u32) -> Option<G> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mut position = G::start();
        for _ in 0..plies {
            let moves = self.sensible(&mut position);
            if moves.is_empty() {
                return None;
            }
            // The bias of the remainder is below 2^-50.
            position.make(moves[(rng.next_u64() % moves.len() as u64) as usize]);
            if position.repetitions() > 0 {
                return None;
            }
        }
        position.result().is_none().then_some(position)
    }

    fn sensible(&mut self, position: &mut G) -> Vec<G::Move> {
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        let scored: Vec<(G::Move, i32)> = legal
            .iter()
            .map(|&mv| {
                position.make(mv);
                let score = -self.ask(position, MOVE_NODES).1;
                position.unmake();
                (mv, score)
            })
            .collect();
        let best = scored.iter().map(|(_, score)| *score).max().unwrap_or(0);
        scored.into_iter().filter(|(_, s)| *s >= best - MOVE_WINDOW).map(|(mv, _)| mv).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Game, xiangqi::Xiangqi};

    #[test]
    fn a_range_is_two_numbers_in_order() {
        let range: PlyRange = "4..8".parse().unwrap();
        assert_eq!((range.lengths(), range.length(4), range.to_string()), (5, 8, "4..8".into()));
        for wrong in ["", "4", "8..4", "0..3", "4..99", "4..x", "4...8"] {
            assert!(wrong.parse::<PlyRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_walk_depends_on_seed_and_stream_alone() {
        let mut judge = Judge::<Xiangqi>::new();
        let first = judge.walk(3, 7, 4).unwrap().to_fen();
        judge.walk(3, 8, 5);
        assert_eq!(judge.walk(3, 7, 4).unwrap().to_fen(), first);
        assert_eq!(Judge::new().walk(3, 7, 4).map(|p: Xiangqi| p.to_fen()), Some(first.clone()));
        let others: std::collections::BTreeSet<_> =
            (0..5).filter_map(|stream| Some(judge.walk(4, stream, 3)?.to_fen())).collect();
        assert!(others.len() >= 3 && !others.contains(&first), "{others:?}");
    }

    #[test]
    fn a_walk_gives_nothing_away() {
        let hung = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C4C2/9/RNBAKABNR b - - 0 1";
        let mut judge = Judge::<Xiangqi>::new();
        for fen in [&Xiangqi::start().to_fen(), hung] {
            let mut position = Xiangqi::from_fen(fen).unwrap();
            let sensible = judge.sensible(&mut position);
            let mut legal = MoveList::new();
            position.legal(&mut legal);
            assert!(!sensible.is_empty() && sensible.len() < legal.len(), "{fen}: {sensible:?}");
            // A cannon that takes a horse on the back rank is taken by the rook.
            for loses in ["b2b9", "h2h9", "b7b0"] {
                if let Ok(mv) = position.move_from_text(loses) {
                    assert!(!sensible.contains(&mv), "{fen}: {loses}");
                }
            }
        }
    }
}
