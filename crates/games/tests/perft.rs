//! Counts of the legal move tree against published figures.

use games::xiangqi::Xiangqi;
use games::{Game, perft};

/// Name, position and the counts at depths 1, 2, …; a count that nobody published is `None`.
fn rows() -> Vec<(String, String, Vec<Option<u64>>)> {
    let table = include_str!("data/perft_xiangqi.csv");
    let row = |line: &str| {
        let fields: Vec<_> = line.split(',').collect();
        let counts = fields[2..].iter().map(|count| {
            (!count.is_empty()).then(|| count.parse().expect("the table holds numbers"))
        });
        (fields[0].to_owned(), fields[1].to_owned(), counts.collect())
    };
    table.lines().skip(1).map(row).collect()
}

#[test]
fn xiangqi_counts_are_those_published() {
    let mut checked = 0;
    for (name, fen, counts) in rows() {
        let mut position = Xiangqi::from_fen(&fen).expect("the table holds positions");
        for (depth, count) in (1..=4).zip(counts) {
            let Some(count) = count else { continue };
            assert_eq!(perft(&mut position, depth), count, "{name} at depth {depth}");
            checked += 1;
        }
    }
    assert_eq!(checked, 35, "nine positions at four depths, one count unpublished");
}
