//! What was found, as text for people and as JSON.

use serde_json::{Value, json};
use std::fmt::Write as _;

use super::Pairing;
use super::compare::Tally;

/// What was found for one game with one oracle.
pub(super) struct Row {
    pub(super) pairing: Pairing,
    /// What the oracle says it is.
    pub(super) version: String,
    pub(super) tally: Tally,
}

/// The differences in full, as far as they are shown, and then the table.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        for (class, shown) in &row.tally.shown {
            for difference in shown {
                let (game, version) = (row.pairing.game.name(), &row.version);
                writeln!(text, "{game} with {version}: {class}: {difference}\n").expect("a String");
            }
        }
    }
    let head = ["game", "oracle", "lines", "positions", "seconds", "differ", "ends of lines"];
    let mut table = vec![head.map(str::to_owned)];
    for row in rows {
        let tally = &row.tally;
        let counts = |counts: &std::collections::BTreeMap<&str, u64>| {
            let words: Vec<_> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
            if words.is_empty() { "0".into() } else { words.join(", ") }
        };
        table.push([
            row.pairing.game.name().into(),
            row.version.clone(),
            tally.lines.to_string(),
            tally.positions.to_string(),
            format!("{:.0}", tally.seconds),
            counts(&tally.differing),
            counts(&tally.ends),
        ]);
    }
    let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in &table {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let is_number = (2..5).contains(&column);
            let cell = if is_number { format!("{cell:>width$}") } else { format!("{cell:width$}") };
            line.push_str(&cell);
            line.push_str("  ");
        }
        writeln!(text, "{}", line.trim_end()).expect("a String");
    }
    text
}

/// The table and the differences that are shown.
pub(super) fn json(seed: u64, rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "game": row.pairing.game.name(),
            "oracle": row.version,
            "lines": row.tally.lines,
            "positions": row.tally.positions,
            "seconds": row.tally.seconds,
            "differing": row.tally.differing,
            "ends": row.tally.ends,
            "shown": row.tally.shown,
        })
    };
    json!({ "seed": seed, "rows": rows.iter().map(row).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::super::{Discipline, Program};
    use super::*;

    #[test]
    fn the_report_names_each_difference_and_counts() {
        let mut tally = Tally { lines: 2, positions: 30, seconds: 1.5, ..Tally::default() };
        tally.ends.insert("repetition", 2);
        tally.differing.insert("unexplained", 1);
        tally.shown.insert("unexplained", vec!["verdict of x".into()]);
        let pairing = Pairing { game: Discipline::Xiangqi, program: Program::Ffish };
        let rows = [Row { pairing, version: "ffish 1".into(), tally }];
        let expected = "\
xiangqi with ffish 1: unexplained: verdict of x

game     oracle   lines  positions  seconds  differ         ends of lines
xiangqi  ffish 1      2         30        2  unexplained 1  repetition 2
";
        assert_eq!(text(&rows), expected);
        let json = json(7, &rows);
        assert_eq!(json["seed"], 7);
        assert_eq!(json["rows"][0]["differing"]["unexplained"], 1);
    }
}
