//! Manifests: every version stands once, in the root; every member takes the common lints; a
//! folder's name is its package's name.

use super::Finding;
use super::tree::{File, Tree};
use toml::{Table, Value};

/// A package of the workspace.
pub(super) struct Member<'a> {
    pub(super) file: &'a File,
    pub(super) name: String,
    table: Table,
}

/// Which of a package's dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// By what it ships, build scripts included.
    Shipped,
    /// By its tests, examples and benchmarks.
    Tests,
}

impl Member<'_> {
    /// The names and entries of its dependencies, those of single systems included.
    pub(super) fn dependencies(&self, needed: Needed) -> Vec<(&str, &Value)> {
        let sections: &[&str] = match needed {
            Needed::Shipped => &["dependencies", "build-dependencies"],
            Needed::Tests => &["dev-dependencies"],
        };
        let systems = self.table.get("target").and_then(Value::as_table);
        let tables = systems.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        std::iter::once(&self.table)
            .chain(tables)
            .flat_map(|table| sections.iter().filter_map(|section| table.get(*section)?.as_table()))
            .flat_map(|section| section.iter().map(|(name, entry)| (name.as_str(), entry)))
            .collect()
    }

    /// The line on which a dependency stands.
    pub(super) fn line_of(&self, dependency: &str) -> usize {
        self.file.line_where(|line| {
            line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
        })
    }
}

/// The packages of the workspace; manifests that are no TOML are findings of [`check`]. A package that
/// is a workspace of its own (the fuzz targets) is none of them.
pub(super) fn members(tree: &Tree) -> Vec<Member<'_>> {
    manifests(tree)
        .filter_map(|file| {
            let table: Table = file.text.parse().ok()?;
            if table.contains_key("workspace") {
                return None;
            }
            let name = table.get("package")?.get("name")?.as_str()?.to_owned();
            Some(Member { file, name, table })
        })
        .collect()
}

fn manifests(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files().iter().filter(|file| file.is(&["/Cargo.toml"]))
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in manifests(tree) {
        if let Err(error) = file.text.parse::<Table>() {
            findings.push(Finding::new(&file.path, 0, "manifest", error.message()));
        }
    }
    for member in members(tree) {
        let path = &member.file.path;
        let folder = path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        if folder != member.name {
            let text = format!("package `{}` in the folder `{folder}`; one name", member.name);
            findings.push(Finding::new(path, member.line_of("name"), "manifest", text));
        }
        let inherits = |value: Option<&Value>| {
            value.and_then(|v| v.get("workspace")).and_then(Value::as_bool) == Some(true)
        };
        if !inherits(member.table.get("lints")) {
            let text = "no common lints; write `[lints]` and `workspace = true`";
            findings.push(Finding::new(path, 0, "manifest", text));
        }
        for needed in [Needed::Shipped, Needed::Tests] {
            for (name, entry) in member.dependencies(needed) {
                if !inherits(Some(entry)) {
                    let text = format!(
                        "`{name}` has a version of its own; put it into the root and write \
                         `{name}.workspace = true`"
                    );
                    findings.push(Finding::new(path, member.line_of(name), "one-version", text));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\n[lints]\nworkspace = true\n[dependencies]\n\
        b.workspace = true\n[target.'cfg(unix)'.dependencies]\nc = { workspace = true }\n\
        [dev-dependencies]\nd.workspace = true\n";

    #[test]
    fn each_breach_is_found_on_its_line() {
        let found = |path: &str, text: &str| -> Vec<usize> {
            check(&Tree::of(&[(path, text)])).iter().map(|f| f.line).collect()
        };
        assert!(found("a/Cargo.toml", GOOD).is_empty());
        assert_eq!(found("crates/e/Cargo.toml", GOOD), [2]);
        let apart =
            GOOD.replace("[lints]\nworkspace = true", "[workspace]").replace("b.w", "b = 1 #");
        assert_eq!(found("fuzz/Cargo.toml", &apart).len(), 0, "a workspace of its own");
        for (from, to, line) in [
            ("b.workspace = true", "b = \"1.0\"", 6),
            ("c = { workspace = true }", "c = { path = \"../c\" }", 8),
            ("d.workspace = true", "d = { version = \"2\" }", 10),
            ("[lints]\nworkspace = true\n", "\n\n", 0),
            ("[lints]", "[lints", 0),
        ] {
            assert_eq!(found("a/Cargo.toml", &GOOD.replace(from, to)), [line], "{to}");
        }
    }
}
