//! The fields of every file that an author writes, as a page.

use model::file::{FieldReference, FileReference, references};
use std::fmt::Write;

const HEAD: &str = "# Files\n\n\
    Made from the readers of these files by `cargo xtask reference`. All are TOML. A field that is not \
    listed is refused with its line, and so is a value that is not allowed; `--check` says so without \
    filing anything. Ranges that depend on other fields are checked there, too.\n";

pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for FileReference { title, command, fields } in references() {
        // Writing into a text cannot fail.
        let _ = write!(page, "\n## {title}\n\n`{command}`\n");
        let mut tables: Vec<&str> = Vec::new();
        for field in &fields {
            if !tables.contains(&field.table.as_str()) {
                tables.push(&field.table);
            }
        }
        for table in tables {
            if !table.is_empty() {
                let _ = write!(page, "\n### `{table}`\n");
            }
            page.push_str(
                "\n| field | what may stand there | left out | meaning |\n|---|---|---|---|\n",
            );
            for field in fields.iter().filter(|field| field.table == table) {
                row(&mut page, field);
            }
        }
    }
    page
}

fn row(page: &mut String, field: &FieldReference) {
    let left_out = match field.default.as_deref() {
        None => "must be there".to_owned(),
        Some("") => "may be".to_owned(),
        Some(value) => format!("`{value}`"),
    };
    let FieldReference { name, allowed, meaning, .. } = field;
    let _ = writeln!(page, "| `{name}` | {allowed} | {left_out} | {meaning} |");
}
