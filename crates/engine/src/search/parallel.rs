//! Lazy SMP: several threads search the same root, each with a memory of its own, and help one another
//! by the table alone.
//!
//! The first thread listens to the outside and decides when to end; the others search with windows of
//! other widths, every second one a ply deeper, and end with it. Then the threads vote on the move.

use super::frame::Frame;
use super::{Line, SearchResult};
use crate::SearchGame;
use crate::history::Histories;
use crate::value::{MATE_BOUND, MAX_PLY};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Nodes that a thread takes from the common limit at once; after so many it asks whether to end.
pub(super) const GRANT: u64 = 256;

/// What a thread keeps between searches of one game and reuses in every search.
pub(super) struct Memory<G: SearchGame> {
    pub(super) histories: Histories,
    pub(super) frames: Vec<Frame<G::Move>>,
    pub(super) eval: G::Eval,
}

impl<G: SearchGame> Memory<G> {
    pub(super) fn new() -> Self {
        Self {
            histories: Histories::new(G::MOVE_SLOTS, G::PIECE_SLOTS, G::VICTIMS),
            frames: (0..=MAX_PLY).map(|_| Frame::new()).collect(),
            eval: G::Eval::default(),
        }
    }

    /// Forgets the past.
    pub(super) fn new_game(&mut self) {
        self.histories.clear();
    }
}

/// What the threads of a search have in common beside the table. Relaxed: neither the flag nor the
/// count carries other data.
pub(super) struct Shared {
    ended: AtomicBool,
    granted: AtomicU64,
    limit: u64,
    threads: usize,
}

impl Shared {
    /// A search of at most so many nodes by all threads together.
    pub(super) fn new(limit: u64, threads: usize) -> Self {
        Self { ended: AtomicBool::new(false), granted: AtomicU64::new(0), limit, threads }
    }

    /// How many more nodes the asking thread may visit; 0: none.
    ///
    /// What is granted is taken from the limit at once, so that no thread goes beyond it; a search of
    /// several threads may end up to [`GRANT`] nodes for each of the others before it.
    pub(super) fn grant(&self) -> u64 {
        let before = self.granted.fetch_add(GRANT, Relaxed);
        self.limit.saturating_sub(before).min(GRANT)
    }

    /// What may be spent at once on something else than the search: what is left of a limit, or half
    /// of it where other threads want some as well; `None`: there is no limit.
    pub(super) fn left(&self) -> Option<u64> {
        let left = self.limit - self.granted();
        let part = if self.threads == 1 { left } else { left / 2 };
        (self.limit < u64::MAX).then_some(part)
    }

    /// Takes up to so many nodes at once; how many they are.
    pub(super) fn claim(&self, wanted: u64) -> u64 {
        let before = self.granted.fetch_add(wanted, Relaxed);
        let claimed = self.limit.saturating_sub(before).min(wanted);
        self.give_back(wanted - claimed);
        claimed
    }

    /// Gives nodes back that were claimed and not visited.
    pub(super) fn give_back(&self, nodes: u64) {
        self.granted.fetch_sub(nodes, Relaxed);
    }

    /// Nodes that all threads were granted so far.
    pub(super) fn granted(&self) -> u64 {
        self.granted.load(Relaxed).min(self.limit)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed)
    }

    /// Ends all threads when it is dropped, also by a panic.
    pub(super) fn end_when_dropped(&self) -> impl Drop {
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
        End(&self.ended)
    }
}

/// What a thread has found.
pub(super) struct Found<M> {
    pub(super) line: Line<M>,
    /// The last iteration that was completed.
    pub(super) depth: u32,
    pub(super) selective_depth: usize,
    pub(super) nodes: u64,
    /// The line is no opinion but the solved end of the game.
    pub(super) is_certain: bool,
}

/// Added to every vote, so that the lowest score is worth something too.
const LEAST_VOTE: i64 = 14;

/// Plies behind the deepest thread at which one has no say any more.
const LAG: u32 = 2;

/// The thread whose move is played, by its index.
///
/// Each thread votes for its move with its score above the lowest, times the depth that it has
/// completed. A proven mate beats every vote, the shorter the better; a move that is proven to lose is
/// not voted up.
pub(super) fn elect<M: Copy + Eq>(found: &[Found<M>]) -> usize {
    let first = |found: &Found<M>| found.line.pv.first().copied();
    let deepest = found.iter().map(|one| one.depth).max().unwrap_or(0);
    let has_say = |one: &&Found<M>| {
        let is_deep = one.depth + LAG >= deepest && (one.depth > 0 || deepest == 0);
        is_deep || one.line.score >= MATE_BOUND
    };
    let voters = || found.iter().filter(has_say);
    let lowest = voters().map(|one| one.line.score).min().unwrap_or(0);
    let weight =
        |one: &Found<M>| (i64::from(one.line.score - lowest) + LEAST_VOTE) * i64::from(one.depth);
    let votes =
        |of: &Found<M>| -> i64 { voters().filter(|one| first(one) == first(of)).map(weight).sum() };
    let mut candidates = found.iter().enumerate().filter(|(_, one)| has_say(one));
    let Some((mut best, _)) = candidates.next() else { return 0 };
    for (index, one) in candidates {
        let (own, leader) = (one.line.score, found[best].line.score);
        let is_better = if leader.abs() >= MATE_BOUND || own >= MATE_BOUND {
            // A longer way to be mated is better as well.
            own > leader
        } else if own <= -MATE_BOUND {
            false
        } else {
            let (own_votes, votes) = (votes(one), votes(&found[best]));
            own_votes > votes || own_votes == votes && one.depth > found[best].depth
        };
        if is_better {
            best = index;
        }
    }
    best
}

impl<M: Copy> Found<M> {
    /// The answer, `nodes` being those of all threads.
    pub(super) fn into_result(self, nodes: u64) -> SearchResult<M> {
        SearchResult {
            best: self.line.pv.first().copied(),
            score: model::Score(self.line.score),
            depth: self.depth,
            nodes: model::Nodes(nodes),
            pv: self.line.pv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MATE;

    fn found(mv: char, score: i32, depth: u32) -> Found<char> {
        let line = Line { score, pv: vec![mv] };
        Found { line, depth, selective_depth: 0, nodes: 0, is_certain: false }
    }

    #[test]
    fn the_move_of_most_votes_is_played() {
        assert_eq!(elect(&[found('a', 20, 8)]), 0);
        assert_eq!(elect(&[found('a', 20, 8), found('b', 22, 8), found('b', 21, 8)]), 1);
        assert_eq!(elect(&[found('a', 20, 8), found('b', 20, 9)]), 1, "the deeper");
        assert_eq!(elect(&[found('a', 20, 8), found('b', 300, 0)]), 0, "nothing completed");
        assert_eq!(elect(&[found('a', 20, 1), found('b', 300, 0)]), 0, "nothing completed");
        assert_eq!(elect(&[found('a', -90, 40), found('b', 300, 9)]), 0, "far behind");
        assert_eq!(elect(&[found('a', 300, 9), found('b', -90, 40)]), 1, "far behind");
    }

    #[test]
    fn a_proven_end_counts_more_than_votes() {
        let votes = |last| [found('a', 20, 8), found('a', 25, 8), last];
        assert_eq!(elect(&votes(found('b', MATE - 9, 5))), 2);
        assert_eq!(elect(&votes(found('b', -MATE + 9, 9))), 0);
        assert_eq!(elect(&[found('a', MATE - 5, 8), found('b', MATE - 3, 4)]), 1);
        assert_eq!(elect(&[found('a', MATE - 3, 4), found('b', MATE - 5, 9)]), 0);
        assert_eq!(elect(&[found('a', -MATE + 4, 8), found('b', -MATE + 8, 8)]), 1);
        assert_eq!(elect(&[found('a', -MATE + 4, 8), found('b', 0, 7)]), 1);
    }

    #[test]
    fn what_is_claimed_is_taken_from_the_limit_until_it_is_given_back() {
        let shared = Shared::new(1000, 2);
        assert_eq!((shared.left(), shared.claim(500), shared.left()), (Some(500), 500, Some(250)));
        shared.give_back(400);
        assert_eq!((shared.granted(), shared.claim(5000), shared.grant()), (100, 900, 0));
        assert_eq!(Shared::new(1000, 1).left(), Some(1000));
        assert_eq!(Shared::new(u64::MAX, 1).left(), None);
    }

    #[test]
    fn no_more_nodes_are_granted_than_the_limit_whoever_asks() {
        let shared = Shared::new(2 * GRANT + 7, 2);
        assert_eq!([(); 4].map(|()| shared.grant()), [GRANT, GRANT, 7, 0]);
        assert_eq!(shared.granted(), 2 * GRANT + 7);
        assert_eq!((shared.left(), shared.claim(5)), (Some(0), 0));
        let end = shared.end_when_dropped();
        assert!(!shared.has_ended());
        drop(end);
        assert!(shared.has_ended());
    }
}
