//! The contract on the wire: a number means one thing, an enum begins with its unknown, and every
//! message, enum, service and call says what it is; what goes into one call and comes out of it is
//! told with the call.

use super::Finding;
use super::tree::{File, Tree};
use std::collections::BTreeMap;

/// A block that is open.
struct Block<'a> {
    kind: &'a str,
    name: &'a str,
    /// Numbers taken, with the names that took them.
    numbers: BTreeMap<u32, &'a str>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| file.is(&[".proto"])) {
        file_findings(file, &mut findings);
    }
    findings
}

fn file_findings(file: &File, findings: &mut Vec<Finding>) {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut commented = false;
    for (index, line) in file.text.lines().enumerate() {
        let mut find =
            |text: String| findings.push(Finding::new(&file.path, index + 1, "proto", text));
        let code = line.split("//").next().unwrap_or_default().trim();
        let mut words = code.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let name = words.next().unwrap_or_default().split(['{', '(']).next().unwrap_or_default();
        let told = commented || name.ends_with("Request") || name.ends_with("Response");
        if ["message", "enum", "service", "rpc"].contains(&kind) && !told {
            find(format!("{kind} {name} without a comment; say above it what it is"));
        }
        if let Some((name, number)) = numbered(code)
            && let Some(owner) = blocks.iter_mut().rfind(|block| block.kind != "oneof")
        {
            if owner.kind == "enum" && owner.numbers.is_empty() {
                let unknown = name.ends_with("_UNSPECIFIED") && number == 0;
                if !unknown {
                    find(format!(
                        "enum {} begins with {name}; begin with …_UNSPECIFIED = 0",
                        owner.name
                    ));
                }
            }
            if let Some(earlier) = owner.numbers.insert(number, name) {
                let owner = owner.name;
                find(format!(
                    "{owner}: {number} is {earlier} and {name}; take the next free number"
                ));
            }
        }
        // A block that opens and closes on one line leaves the stack as it was.
        for character in code.chars() {
            match character {
                '{' => blocks.push(Block { kind, name, numbers: BTreeMap::new() }),
                '}' => drop(blocks.pop()),
                _ => {}
            }
        }
        commented = line.trim_start().starts_with("//");
    }
}

/// The name and the number of a field or an enum's value.
fn numbered(code: &str) -> Option<(&str, u32)> {
    let (left, right) = code.split_once('=')?;
    let number = right.split([';', '[']).next()?.trim().parse().ok()?;
    Some((left.split_whitespace().next_back()?, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "syntax = \"proto3\";\n// A.\nmessage A {\n  // X.\n  string x = 1;\n  \
        oneof y {\n    B b = 2;\n    C c = 3 [deprecated = true];\n  }\n  reserved 4;\n}\n\
        // D.\nenum D {\n  D_UNSPECIFIED = 0;\n  D_ONE = 1;\n}\n// E.\nmessage E {}\n\
        // F.\nservice F {\n  // G.\n  rpc G(GRequest) returns (GResponse);\n}\n\
        message GRequest {\n  string x = 1;\n}\n";

    #[test]
    fn each_breach_is_found_on_its_line() {
        let found = |text: &str| -> Vec<usize> {
            check(&Tree::of(&[("a.proto", text)])).iter().map(|f| f.line).collect()
        };
        assert!(found(GOOD).is_empty());
        assert_eq!(found(&GOOD.replace("b = 2", "b = 1")), [7]);
        assert_eq!(found(&GOOD.replace("c = 3", "c = 1")), [8]);
        assert_eq!(found(&GOOD.replace("D_ONE = 1", "D_ONE = 0")), [15]);
        assert_eq!(found(&GOOD.replace("D_UNSPECIFIED", "D_NONE")), [14]);
        assert_eq!(found(&GOOD.replace("// E.\n", "\n")), [18]);
        assert_eq!(found(&GOOD.replace("  // G.\n", "\n")), [22]);
    }
}
