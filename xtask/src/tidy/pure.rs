//! The pure crates do no I/O and know no clock: what they need is handed to them.

use super::Finding;
use super::rust;
use super::sources::has_word;
use super::tree::Tree;

/// Crates whose results are functions of their arguments alone.
pub(super) const PURE: [&str; 8] =
    ["model", "games", "net", "engine", "stats", "tune", "arena", "data"];

/// The one part of them that starts processes and reads clocks: matches against programs of others.
const DUEL: &str = "crates/arena/src/duel/";

/// Where a search may share its work among threads; with one thread it is a function of its arguments.
const THREADS: &str = "crates/engine/src/";

/// Names that reach outside.
const OUTSIDE: [&str; 14] = [
    "Instant",
    "SystemTime",
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "eprint!",
    "eprintln!",
    "print!",
    "println!",
    "thread_rng",
    "from_os_rng",
];

/// Modules of `std` that reach outside, as they stand in `use std::{…}`.
const MODULES: [&str; 6] = ["env", "fs", "io", "net", "process", "thread"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        let ours = PURE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
        if !ours
            || file.path.starts_with(DUEL)
            || !file.is(&[".rs"])
            || rust::is_test_file(&file.path)
        {
            continue;
        }
        for (index, line) in rust::lines(&file.text).iter().enumerate().filter(|(_, l)| !l.test) {
            let code = line.code.trim_start().trim_start_matches("pub ");
            let grouped = code.strip_prefix("use std::{").unwrap_or_default();
            let name = OUTSIDE.into_iter().find(|name| has_word(code, name)).or_else(|| {
                let parts = || grouped.split([',', '{', '}', ';', ':']).map(str::trim);
                MODULES.into_iter().find(|module| parts().any(|part| part == *module))
            });
            let shares_work = name == Some("std::thread") && file.path.starts_with(THREADS);
            if let Some(name) = name.filter(|_| !shares_work) {
                let text = format!("`{name}` in a pure crate; take what it gives as an argument");
                findings.push(Finding::new(&file.path, index + 1, "pure", text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_and_files_are_found_outside_of_tests_alone() {
        for (path, text, found) in [
            ("crates/engine/src/a.rs", "use std::time::{Duration, Instant};", true),
            ("crates/engine/src/a.rs", "use std::time::Duration;", false),
            ("crates/engine/src/a.rs", "use std::{fmt, fs};", true),
            ("crates/engine/src/a.rs", "use std::{fmt, path::Path};", false),
            ("crates/engine/src/a.rs", "println!(\"\");", true),
            ("crates/engine/src/a.rs", "// std::fs", false),
            ("crates/engine/src/a.rs", "#[cfg(test)]\nmod t { use std::fs; }", false),
            ("crates/engine/src/tests.rs", "use std::fs;", false),
            ("crates/engine/examples/a.rs", "use std::fs;", false),
            ("crates/pgbox/src/a.rs", "use std::fs;", false),
            ("crates/arena/src/a.rs", "use std::process::Child;", true),
            ("crates/arena/src/duel/a.rs", "use std::process::Child;", false),
            ("crates/engine/src/a.rs", "std::thread::scope(|scope| {", false),
            ("crates/tune/src/a.rs", "std::thread::scope(|scope| {", true),
        ] {
            assert_eq!(!check(&Tree::of(&[(path, text)])).is_empty(), found, "{path}: {text}");
        }
    }

    #[test]
    fn every_module_of_a_group_is_looked_for() {
        let tree = Tree::of(&[("crates/model/src/a.rs", "use std::{net::TcpStream, fmt};")]);
        assert_eq!(check(&tree).len(), 1);
    }
}
