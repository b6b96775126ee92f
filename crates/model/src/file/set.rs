//! A set of values on its own, as `elomill campaign show --format toml` writes it.

use super::reader::Reader;
use crate::{FindingList, ParameterSet};

/// The names that the table of such a file may have.
const TABLES: [&str; 2] = ["champion", "candidate"];

/// Reads a file whose only table is `[champion]` or `[candidate]`: names and numbers.
///
/// # Errors
/// Everything that is wrong in it, with lines. Whether an engine has the names is not looked at.
pub fn parse_set(text: &str) -> Result<ParameterSet, FindingList> {
    let mut reader = Reader::new(text);
    let Some(document) = reader.document() else { return Err(reader.into_findings()) };
    let mut root = reader.root(&document);
    let mut sets = Vec::new();
    for table in TABLES {
        sets.extend(root.values(&mut reader, table));
    }
    match sets.len() {
        1 => {}
        0 => {
            reader.missing(&root, "champion", "one table of values", "[champion]\n  lmr_base = 0.8")
        }
        _ => {
            reader.wrong(&root, "candidate", "a second table", "one table of values", "remove one")
        }
    }
    root.finish(&mut reader);
    match sets.pop() {
        Some(set) if reader.is_clean() => Ok(set),
        _ => Err(reader.into_findings()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_set;
    use crate::{FindingList, ParameterSet};

    #[test]
    fn one_table_of_numbers_is_a_set() {
        let set = parse_set("[champion]\na = 1\nb = -0.5\n").unwrap();
        let expected = [("a".to_owned(), 1.0), ("b".to_owned(), -0.5)];
        assert_eq!(set, ParameterSet::from_iter(expected));
        for (text, place) in [
            ("", "champion"),
            ("[champion]\na = 1\n[candidate]\na = 2\n", "candidate"),
            ("[champion]\na = \"1\"\n", "champion.a"),
            ("a = 1\n[champion]\n", "a"),
        ] {
            let FindingList(found) = parse_set(text).unwrap_err();
            assert!(found.iter().any(|finding| finding.place == place), "{text}: {found:#?}");
        }
    }
}
