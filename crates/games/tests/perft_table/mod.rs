//! Tables of perft counts: one position a line, its text and the number of leaves at each depth.

use games::Game;

/// One position of a table.
pub(crate) struct Row {
    /// The column `name`, or the position text where there is none.
    pub(crate) name: String,
    /// The position text; `start` is the initial position.
    pub(crate) text: String,
    /// Depths with their counts, shallow first. A count that nobody published is left out.
    pub(crate) counts: Vec<(u32, u64)>,
}

impl Row {
    /// The position of this row.
    pub(crate) fn position<G: Game>(&self) -> G {
        match self.text.as_str() {
            "start" => G::start(),
            text => G::from_fen(text).expect("the table holds positions"),
        }
    }
}

/// The rows of a table of commas. Its first line names the columns: `name` may be left out, `d1`,
/// `d2`, … hold counts or nothing, and the column that is none of these holds the position.
pub(crate) fn rows(table: &str) -> Vec<Row> {
    let mut lines = table.lines();
    let columns: Vec<_> = lines.next().unwrap_or_default().split(',').collect();
    lines.map(|line| row(&columns, line)).collect()
}

fn row(columns: &[&str], line: &str) -> Row {
    let mut row = Row { name: String::new(), text: String::new(), counts: Vec::new() };
    for (column, field) in columns.iter().zip(line.split(',')) {
        match column.strip_prefix('d').and_then(|depth| depth.parse().ok()) {
            Some(_) if field.is_empty() => {}
            Some(depth) => {
                row.counts.push((depth, field.parse().expect("the table holds numbers")));
            }
            None if *column == "name" => field.clone_into(&mut row.name),
            None => field.clone_into(&mut row.text),
        }
    }
    if row.name.is_empty() {
        row.name.clone_from(&row.text);
    }
    row
}
