//! Tables for people: no borders, numbers to the right.

use comfy_table::{Cell, CellAlignment, Table, presets::NOTHING};

/// How a column is set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// Words, to the left.
    Text(&'static str),
    /// Numbers, to the right.
    Number(&'static str),
}

/// A table of these columns; cells are made printable.
pub(crate) fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let cell = |column: &Column, text: &str| {
        let alignment = match column {
            Column::Text(_) => CellAlignment::Left,
            Column::Number(_) => CellAlignment::Right,
        };
        Cell::new(model::printable(text, 120)).set_alignment(alignment)
    };
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(columns.iter().map(|column| {
        let (Column::Text(title) | Column::Number(title)) = column;
        cell(column, title)
    }));
    for row in rows {
        table.add_row(columns.iter().zip(row).map(|(column, text)| cell(column, text)));
    }
    table.trim_fmt()
}

/// A number with as many decimals as it needs, at most four.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Seconds as people say them: `48 s`, `3 min 05 s`, `2 h 14 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = if seconds.is_finite() { seconds.max(0.0).round() as u64 } else { 0 };
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours} h {minutes:02} min")
    } else if minutes > 0 {
        format!("{minutes} min {seconds:02} s")
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_text_cannot_break_out() {
        let columns = [Column::Text("name"), Column::Number("pairs")];
        let rows = [
            vec!["a\u{1b}[2J".to_owned(), "7".to_owned()],
            vec!["b".to_owned(), "1234".to_owned()],
        ];
        let text = table(&columns, &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("pairs") && lines[1].ends_with("    7"), "{text}");
        assert!(lines[2].ends_with(" 1234") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn numbers_and_times_are_short() {
        assert_eq!([0.3, 12.0, -0.00001, 1.23456].map(number), ["0.3", "12", "0", "1.2346"]);
        assert_eq!([47.6, 185.0, 8040.0].map(duration), ["48 s", "3 min 05 s", "2 h 14 min"]);
    }
}
