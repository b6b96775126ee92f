//! Migrations have names `NNNN_what.sql`, numbered from 1 without a gap, each listed in the store.

use super::Finding;
use super::tree::Tree;

/// Where the store lists them.
const LIST: &str = "crates/store/src/migrate.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let listed = tree.get(LIST).map_or("", |file| file.text.as_str());
    let mut expected = 1;
    for file in tree.files().iter().filter(|file| file.is(&[".sql"])) {
        let mut find =
            |text: String| findings.push(Finding::new(&file.path, 0, "migrations", text));
        let Some(name) = file.path.strip_prefix("migrations/") else {
            find("SQL outside of migrations/; move it there".into());
            continue;
        };
        let number = name
            .split_once('_')
            .filter(|(digits, _)| digits.len() == 4)
            .and_then(|(digits, _)| digits.parse::<u32>().ok());
        if number != Some(expected) {
            find(format!(
                "expected the number {expected:04}_; number without gaps, in four digits"
            ));
        }
        expected = number.unwrap_or(expected) + 1;
        if !listed.contains(&format!("\"../../../migrations/{name}\"")) {
            find(format!("not listed in {LIST}; add it"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_and_what_is_not_listed_are_found() {
        let list = "include_str!(\"../../../migrations/0001_a.sql\"), \
                    include_str!(\"../../../migrations/0003_c.sql\")";
        let found = |files: &[&str]| {
            let mut all = vec![(LIST, list)];
            all.extend(files.iter().map(|path| (*path, "")));
            check(&Tree::of(&all)).len()
        };
        assert_eq!(found(&["migrations/0001_a.sql"]), 0);
        assert_eq!(found(&["migrations/0001_a.sql", "migrations/0003_c.sql"]), 1);
        assert_eq!(found(&["migrations/0001_a.sql", "migrations/0002_b.sql"]), 1);
        assert_eq!(found(&["migrations/first.sql"]), 2);
        assert_eq!(found(&["coordinator/a.sql"]), 1);
    }
}
