//! What a measurement says: of each opening, of the whole book, and of its fifths when half of the pairs
//! rank the openings and the other half say what the ranking is worth.
//!
//! That they are different pairs matters: among many openings with few games some look good by chance,
//! and by the same games they would go on looking good. Pure.

use super::record::{PlayedPair, Setup};
use clap::ValueEnum;
use model::{GameScore, Tally, Wdl};
use serde::Serialize;
use stats::{OpeningPrior, OpeningWorth};
use std::collections::BTreeSet;

/// By what openings are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// What a game tells: how far its score moves with strength, squared, over its variance
    Information,
    /// The variance of a pair alone, lowest first
    Variance,
}

impl By {
    pub(super) fn name(self) -> &'static str {
        match self {
            By::Information => "information",
            By::Variance => "variance",
        }
    }

    /// The higher, the better.
    pub(super) fn merit(self, worth: &OpeningWorth) -> f64 {
        match self {
            By::Information => worth.information,
            By::Variance => -worth.pair_variance,
        }
    }
}

/// The games of one opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Played {
    /// As the side to move in the opening sees them.
    pub(super) first: Wdl,
    /// As the stronger side sees them.
    pub(super) tally: Tally,
}

/// An opening with what is expected of it, as scripts read it.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub(super) opening: usize,
    pub(super) position: &'a str,
    pub(super) games: u64,
    /// Measured: score of the side to move, draws, pairs that did not end level.
    pub(super) first_score: f64,
    pub(super) draw_rate: f64,
    pub(super) decided_pairs: f64,
    /// Expected, drawn towards the book.
    pub(super) expected_first_score: f64,
    /// Of the score of a pair, and the same as a deviation in Elo.
    pub(super) expected_pair_variance: f64,
    pub(super) expected_pair_deviation: f64,
    /// Of a game, in 1 / (100 Elo)².
    pub(super) expected_information: f64,
}

/// A group of openings by pairs that had no say in the grouping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) openings: usize,
    pub(super) tally: Tally,
    /// Mean distance of the expected score of the side to move from one half.
    pub(super) bias: f64,
}

/// Groups into which a book is cut.
const GROUPS: usize = 5;

/// The games of each opening among the pairs that pass.
pub(super) fn collect(
    setup: &Setup,
    pairs: &[PlayedPair],
    passes: impl Fn(&PlayedPair) -> bool,
) -> Vec<Played> {
    let mut all = vec![Played::default(); setup.openings.len()];
    for pair in pairs.iter().filter(|pair| passes(pair)) {
        let played = &mut all[pair.opening];
        let [first, second] = pair.scores;
        played.tally.add(model::PairOutcome { first, second });
        played.first.add(first);
        // In the second game the other side had the first move.
        played.first.add(match second {
            GameScore::Win => GameScore::Loss,
            GameScore::Draw => GameScore::Draw,
            GameScore::Loss => GameScore::Win,
        });
    }
    all
}

/// What the openings have in common.
pub(super) fn prior(played: &[Played]) -> OpeningPrior {
    let games: Vec<Wdl> =
        played.iter().map(|one| one.first).filter(|one| *one != Wdl::default()).collect();
    OpeningPrior::of(&games)
}

/// Every opening that was played.
pub(super) fn rows<'a>(setup: &'a Setup, played: &[Played]) -> Vec<Row<'a>> {
    let prior = prior(played);
    let openings = setup.openings.iter().zip(played).enumerate();
    openings
        .filter(|(_, (_, played))| played.first != Wdl::default())
        .map(|(opening, (position, played))| {
            let worth = prior.worth(&played.first);
            let games = played.tally.pairs().games().0;
            let points = played.first.wins as f64 + 0.5 * played.first.draws as f64;
            Row {
                opening,
                position,
                games,
                first_score: points / games as f64,
                draw_rate: stats::draw_ratio(&played.first),
                decided_pairs: decided(&played.tally),
                expected_first_score: worth.first_score,
                expected_pair_variance: worth.pair_variance,
                expected_pair_deviation: worth.pair_deviation().0,
                expected_information: 1e4 * worth.information,
            }
        })
        .collect()
}

/// Share of the pairs that did not end level.
pub(super) fn decided(tally: &Tally) -> f64 {
    1.0 - stats::middle_ratio(&tally.pentanomial)
}

/// The book in fifths, best first: even pairs rank for odd ones and the other way round.
pub(super) fn groups(setup: &Setup, pairs: &[PlayedPair], by: By) -> Vec<Group> {
    let empty = Group { openings: 0, tally: Tally::default(), bias: 0.0 };
    let mut groups = vec![empty; GROUPS];
    for rank in 0..2 {
        let ranking = collect(setup, pairs, |pair| pair.pair % 2 == rank);
        let judged = collect(setup, pairs, |pair| pair.pair % 2 != rank);
        let prior = prior(&ranking);
        let mut order: Vec<(OpeningWorth, usize)> = (0..ranking.len())
            .filter(|&opening| ranking[opening].first != Wdl::default())
            .map(|opening| (prior.worth(&ranking[opening].first), opening))
            .collect();
        // Stable, so that equal ones stay in the order of the book.
        order.sort_by(|(a, _), (b, _)| by.merit(b).total_cmp(&by.merit(a)));
        let count = order.len().max(1);
        for (place, (worth, opening)) in order.into_iter().enumerate() {
            let group = &mut groups[place * GROUPS / count];
            group.openings += 1;
            group.tally += judged[opening].tally;
            group.bias += (worth.first_score - 0.5).abs();
        }
    }
    for group in &mut groups {
        group.bias /= group.openings.max(1) as f64;
        // Each opening was ranked twice.
        group.openings = group.openings.div_ceil(2);
    }
    groups
}

/// Share of the games that no other game from the same opening equals.
pub(super) fn distinct_games(pairs: &[PlayedPair]) -> f64 {
    let games = pairs.iter().flat_map(|pair| pair.games.iter().map(|game| (pair.opening, game)));
    let distinct: BTreeSet<_> = games.collect();
    distinct.len() as f64 / (2 * pairs.len()).max(1) as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::GameKind;

    /// Two openings: from the first the side to move always wins, the second is open.
    pub(in super::super) fn example() -> (Setup, Vec<PlayedPair>) {
        let setup = Setup {
            game: GameKind::TicTacToe,
            book: "00".to_owned(),
            engine: 1,
            nodes: 10,
            odds: 1.0,
            jitter: 0.1,
            max_plies: 9,
            seed: 1,
            openings: vec!["x../.../... o".to_owned(), ".x./.../... o".to_owned()],
        };
        use GameScore::{Draw, Loss, Win};
        let mut pairs = Vec::new();
        for pair in 0..40 {
            for (opening, scores) in [
                (0, [Win, Loss]),
                (1, [[Win, Win], [Loss, Draw], [Draw, Draw], [Loss, Win]][pair % 4]),
            ] {
                let games = [format!("{pair}a"), format!("{}b", pair / 2)];
                let pair = pair as u32;
                pairs.push(PlayedPair { opening, pair, scores, plies: [5, 6], games });
            }
        }
        (setup, pairs)
    }

    #[test]
    fn the_side_to_move_is_counted_in_both_games() {
        let (setup, pairs) = example();
        let played = collect(&setup, &pairs, |_| true);
        assert_eq!(played[0].first, Wdl { wins: 80, draws: 0, losses: 0 });
        assert_eq!(played[0].tally.wdl, Wdl { wins: 40, draws: 0, losses: 40 });
        let rows = rows(&setup, &played);
        assert_eq!((rows[0].games, rows[0].decided_pairs), (80, 0.0));
        assert!(rows[0].first_score == 1.0 && rows[0].expected_first_score > 0.9);
        assert!(rows[0].expected_pair_variance < 0.3 * rows[1].expected_pair_variance);
        assert_eq!(distinct_games(&pairs), 0.75);
    }

    #[test]
    fn ranks_are_judged_by_other_pairs() {
        let (setup, pairs) = example();
        let groups = groups(&setup, &pairs, By::Variance);
        // The first opening is best in both halves, and its pairs are all level.
        assert_eq!(groups[0].tally.pairs().0, 40);
        assert_eq!(groups[0].tally.pentanomial.0, [0, 0, 40, 0, 0]);
        let all: u64 = groups.iter().map(|group| group.tally.pairs().0).sum();
        assert_eq!(all, 80);
        // Even pairs of the second opening say one thing, odd ones another: neither is lost.
        let lowest: u64 = groups[1..].iter().map(|group| group.tally.pairs().0).sum();
        assert_eq!(lowest, 40);
    }
}
