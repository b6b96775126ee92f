//! Counts of the legal move tree against published figures.

mod perft_table;

use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::xiangqi::Xiangqi;
use games::{Game, perft};

/// Checks every count up to a number of leaves, and says how many it checked.
fn check<G: Game>(table: &str, most_leaves: u64) -> usize {
    let mut checked = 0;
    for row in perft_table::rows(table) {
        let mut position: G = row.position();
        for &(depth, count) in row.counts.iter().filter(|(_, count)| *count <= most_leaves) {
            assert_eq!(perft(&mut position, depth), count, "{} at depth {depth}", row.name);
            checked += 1;
        }
    }
    checked
}

#[test]
fn xiangqi_counts_are_those_published() {
    let checked = check::<Xiangqi>(include_str!("data/perft_xiangqi.csv"), 5_000_000);
    assert_eq!(checked, 39, "nine positions at four or five depths, one count unpublished");
}

#[test]
fn othello_counts_are_those_published() {
    let checked = check::<Othello>(include_str!("data/perft_othello.csv"), 300_000_000);
    assert_eq!(checked, 11, "the last two depths are for the bench");
}

#[test]
fn shogi_counts_are_those_published() {
    let checked = check::<Shogi>(include_str!("data/perft_shogi.csv"), 60_000_000);
    assert_eq!(checked, 14, "four positions, the deepest count of two of them left to the bench");
}

#[test]
fn chess_counts_are_those_published() {
    let checked = check::<Chess>(include_str!("data/perft_chess.csv"), 5_000_000);
    assert_eq!(checked, 66, "sixteen positions at three to five depths");
}
