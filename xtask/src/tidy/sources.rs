//! Rules of every source file: a file tells its story, nothing is left unfinished or silenced
//! without a reason, and statements of the database stand in one crate.

use super::Finding;
use super::rust::{self, Line};
use super::tree::{File, Tree};

/// Macros of unfinished work.
const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
/// Words of unfinished work, in pieces so that this file does not hold them.
const WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
/// Crates that may speak to the database besides tests.
const SQL_CRATES: [&str; 3] = ["crates/store/", "crates/testkit/", "crates/chaos/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| !file.is_vendored()) {
        if file.is(&[".rs", ".js", ".mjs", ".css", ".sql", ".proto"]) {
            words(file, &mut findings);
        }
        if file.is(&[".rs"]) {
            module_doc(file, &mut findings);
            let lines = rust::lines(&file.text);
            unfinished(file, &lines, &mut findings);
            attributes(file, &lines, &mut findings);
            sql(file, &lines, &mut findings);
        }
    }
    findings
}

fn words(file: &File, findings: &mut Vec<Finding>) {
    for (index, line) in file.text.lines().enumerate() {
        let mut parts = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        if let Some(word) = parts.find(|part| WORDS.contains(part)) {
            let text = format!("`{word}`; do it, or file it where the team looks");
            findings.push(Finding::new(&file.path, index + 1, "unfinished", text));
        }
    }
}

fn module_doc(file: &File, findings: &mut Vec<Finding>) {
    if !file.text.starts_with("//!") {
        let text = "no `//!` on the first line; say what the file is for";
        findings.push(Finding::new(&file.path, 1, "module-doc", text));
    }
}

fn unfinished(file: &File, lines: &[Line], findings: &mut Vec<Finding>) {
    for (index, line) in lines.iter().enumerate() {
        for name in UNFINISHED.into_iter().filter(|name| has_word(&line.code, name)) {
            let text = format!("`{name}`; write the code that belongs here");
            findings.push(Finding::new(&file.path, index + 1, "unfinished", text));
        }
    }
}

/// Attributes that hide something give a reason.
fn attributes(file: &File, lines: &[Line], findings: &mut Vec<Finding>) {
    for (index, line) in lines.iter().enumerate() {
        if line.code.contains("#[ignore]") {
            let text = "an ignored test; run it, or write `#[ignore = \"reason\"]`";
            findings.push(Finding::new(&file.path, index + 1, "reason", text));
        }
        for name in ["allow(", "expect("] {
            let begin = ["#[", "#!["].iter().find_map(|open| {
                line.code.find(&format!("{open}{name}")).map(|at| &line.code[at..])
            });
            let Some(begin) = begin else { continue };
            let mut attribute = begin.to_owned();
            for next in &lines[index + 1..] {
                if attribute.contains(")]") {
                    break;
                }
                attribute.push_str(&next.code);
            }
            let attribute = attribute.split(")]").next().unwrap_or_default();
            if !has_word(attribute, "reason") {
                let text =
                    format!("`{name}…)` without `reason = \"…\"`; give it, or mend the code");
                findings.push(Finding::new(&file.path, index + 1, "reason", text));
            }
        }
    }
}

fn sql(file: &File, lines: &[Line], findings: &mut Vec<Finding>) {
    let allowed = SQL_CRATES.iter().any(|folder| file.path.starts_with(folder));
    if allowed || rust::is_test_file(&file.path) {
        return;
    }
    for (index, line) in lines.iter().enumerate() {
        if !line.test && has_word(&line.code, "sqlx") {
            let text = "the database outside of crates/store; add a function there and call it";
            findings.push(Finding::new(&file.path, index + 1, "sql-in-store", text));
        }
    }
}

/// Whether a name stands in the code by itself and not as a part of a longer one.
pub(super) fn has_word(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        !code[..at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<(usize, &'static str)> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|f| (f.line, f.rule)).collect()
    }

    #[test]
    fn each_breach_is_found_on_its_line() {
        let path = "worker/src/a.rs";
        let word = WORDS[0];
        for (text, found) in [
            ("//! A.\nfn a() {}\n".to_owned(), vec![]),
            ("fn a() {}\n".into(), vec![(1, "module-doc")]),
            ("//! A.\nfn a() { todo!() }\n".into(), vec![(2, "unfinished")]),
            ("//! A.\nfn a() { b(\"todo!()\") }\n".into(), vec![]),
            ("//! A.\nfn a() { mytodo!() }\n".into(), vec![]),
            (format!("//! A.\n// {word}: more\n"), vec![(2, "unfinished")]),
            (format!("//! A.\n// {word}S are fine\n"), vec![]),
            ("//! A.\n#[ignore]\n".into(), vec![(2, "reason")]),
            ("//! A.\n#[ignore = \"slow\"]\n".into(), vec![]),
            ("//! A.\n#[allow(dead_code)]\n".into(), vec![(2, "reason")]),
            ("//! A.\n#![expect(\n    dead_code\n)]\n".into(), vec![(2, "reason")]),
            ("//! A.\n#[expect(\n    dead_code,\n    reason = \"b\"\n)]\n".into(), vec![]),
            ("//! A.\nfn a() { sqlx::query(b) }\n".into(), vec![(2, "sql-in-store")]),
            ("//! A.\n#[cfg(test)]\nmod t { use sqlx::Row; }\n".into(), vec![]),
        ] {
            assert_eq!(rules(path, &text), found, "{text}");
        }
        assert_eq!(rules("crates/store/src/a.rs", "//! A.\nuse sqlx::Row;\n"), []);
        assert_eq!(rules("tests/black_box/a.rs", "//! A.\nuse sqlx::Row;\n"), []);
        let script = format!("// {}\n", WORDS[1]);
        assert_eq!(rules("dashboards/web/a.js", &script), [(1, "unfinished")]);
        assert_eq!(rules("dashboards/web/vendor/a.js", &script), []);
    }
}
