//! `cargo xtask tidy`: the house rules as a check of every file of the repository.
//!
//! A rule is a pure function of the files; what it finds says where, which rule, and the mend. The
//! test below runs all of them, so that `cargo test` fails where the command would.

mod dependencies;
mod guide;
mod manifest;
mod migrations;
mod places;
mod proto;
mod pure;
mod rust;
mod sources;
mod tree;

use anyhow::Context;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    /// From 1; 0 where the whole file is meant.
    line: usize,
    rule: &'static str,
    /// What was found and how to mend it.
    text: String,
}

impl Finding {
    fn new(file: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}: {}", self.rule, self.text)
    }
}

/// Checks the repository and prints what it finds.
///
/// # Errors
/// The files cannot be listed or read.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    let tree = Tree::read(root).context("cannot read the repository")?;
    let findings = check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    let files = tree.files().len();
    if findings.is_empty() {
        eprintln!("tidy: {files} files, nothing found");
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("tidy: {files} files, {} found", findings.len());
    Ok(ExitCode::FAILURE)
}

/// Everything that every rule finds, in the order of the files.
fn check(tree: &Tree) -> Vec<Finding> {
    let rules = [
        manifest::check,
        dependencies::check,
        sources::check,
        pure::check,
        places::check,
        migrations::check,
        proto::check,
        guide::check,
    ];
    let mut findings: Vec<Finding> = rules.into_iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let tree = Tree::read(crate::root()).unwrap();
        let found: Vec<String> = check(&tree).iter().map(Finding::to_string).collect();
        assert!(found.is_empty(), "cargo xtask tidy finds:\n{}", found.join("\n"));
        // The rules saw the repository and not an empty folder.
        for file in ["Cargo.toml", "xtask/src/tidy/mod.rs", "crates/store/Cargo.toml"] {
            assert!(tree.get(file).is_some(), "{file}");
        }
    }
}
