//! What the moves of the root have cost and scored: the running average that the window of an iteration
//! centres on, and the share of the nodes that tells how much a best move is in doubt.

use super::Aspiration;

/// A move of the root.
#[derive(Clone, Debug)]
struct RootMove<M> {
    mv: M,
    /// Nodes below it.
    nodes: u64,
    /// Those of them that are in the average.
    averaged: u64,
    average: Option<Average>,
}

/// The running average of a move's scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Average {
    /// In centipawns.
    pub(super) score: f64,
    /// The same of the squares, each with the sign of its score.
    pub(super) square: f64,
}

/// All moves of the root that are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct RootMoves<M> {
    moves: Vec<RootMove<M>>,
    /// The move under way, and the nodes when it began.
    open: Option<(usize, u64)>,
}

impl<M: Copy + Eq> RootMoves<M> {
    pub(super) fn new(moves: &[M]) -> Self {
        let fresh = |&mv| RootMove { mv, nodes: 0, averaged: 0, average: None };
        Self { moves: moves.iter().map(fresh).collect(), open: None }
    }

    /// The nodes that are visited from now on are this move's; `nodes` is the count so far.
    pub(super) fn begin(&mut self, mv: M, nodes: u64) {
        self.end(nodes);
        let index = self.moves.iter().position(|root| root.mv == mv);
        self.open = index.map(|index| (index, nodes));
    }

    /// The move under way is done.
    pub(super) fn end(&mut self, nodes: u64) {
        if let Some((index, since)) = self.open.take() {
            self.moves[index].nodes += nodes - since;
        }
    }

    /// Takes the score of an iteration into a move's average, with the more weight the more of the
    /// move's nodes are new.
    pub(super) fn score(&mut self, mv: M, score: i32, tunables: &Aspiration) {
        let Some(root) = self.moves.iter_mut().find(|root| root.mv == mv) else { return };
        let fresh = (root.nodes - root.averaged).max(1) as f64;
        let past = tunables.aspiration_past * root.averaged as f64;
        root.averaged = root.nodes;
        let score = f64::from(score);
        let square = score * score.abs();
        root.average = Some(match root.average {
            None => Average { score, square },
            Some(average) => {
                let weight = fresh / (fresh + past);
                let weight = weight.max(tunables.aspiration_least).min(tunables.aspiration_most);
                Average {
                    score: average.score + weight * (score - average.score),
                    square: average.square + weight * (square - average.square),
                }
            }
        });
    }

    /// The running average of a move; `None` before its first score.
    pub(super) fn average(&self, mv: M) -> Option<Average> {
        self.moves.iter().find(|root| root.mv == mv).and_then(|root| root.average)
    }

    /// The share of all nodes that were spent on a move, 0 to 1.
    pub(super) fn effort(&self, mv: M) -> f64 {
        let all: u64 = self.moves.iter().map(|root| root.nodes).sum();
        let own = self.moves.iter().find(|root| root.mv == mv).map_or(0, |root| root.nodes);
        own as f64 / all.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted_for_the_move_under_way() {
        let mut moves = RootMoves::new(&['a', 'b', 'c']);
        moves.begin('a', 0);
        moves.begin('b', 60);
        moves.begin('x', 80);
        moves.begin('a', 90);
        moves.end(110);
        moves.end(500);
        assert_eq!((moves.effort('a'), moves.effort('b')), (0.8, 0.2));
        assert_eq!((moves.effort('c'), moves.effort('x')), (0.0, 0.0));
    }

    #[test]
    fn an_average_follows_new_scores_faster_the_more_they_cost() {
        let tunables = Aspiration::default();
        let after = |nodes: u64| {
            let mut moves = RootMoves::new(&['a']);
            moves.begin('a', 0);
            moves.end(100);
            moves.score('a', 0, &tunables);
            moves.begin('a', 100);
            moves.end(100 + nodes);
            moves.score('a', 100, &tunables);
            moves.average('a').expect("scored").score
        };
        assert_eq!(after(1), 100.0 * tunables.aspiration_least);
        assert!(after(1) < after(150) && after(150) < after(1_000_000));
        assert_eq!(after(1_000_000), 100.0 * tunables.aspiration_most);
    }

    #[test]
    fn squares_keep_the_sign_and_tell_of_restless_scores() {
        let mut moves = RootMoves::new(&['a']);
        moves.score('a', -50, &Aspiration::default());
        assert_eq!(moves.average('a'), Some(Average { score: -50.0, square: -2500.0 }));
        assert_eq!(moves.average('b'), None);
    }
}
