//! Imports point down only: which package may depend on which.
//!
//! Words at the bottom, then rules and statistics, then search and optimisers; the roles stand on
//! top and do not know each other. Tests may look anywhere.

use super::Finding;
use super::manifest::{self, Needed};
use super::pure::PURE;
use super::tree::Tree;

/// What a package may ship with, of this workspace; [`ALL`] is everything that is not for tests.
const MAY: [(&str, &[&str]); 21] = [
    ("model", &[]),
    ("games", &["model"]),
    ("net", &["games", "model"]),
    ("engine", &["games", "model", "net"]),
    ("stats", &["model"]),
    ("tune", &["model", "stats"]),
    ("arena", &["engine", "games", "model"]),
    ("data", &["engine", "games", "model", "net"]),
    ("train", &["data", "games", "model", "net"]),
    ("pgbox", &[]),
    ("sandbox", &[]),
    ("store", &["model"]),
    ("telemetry", &[]),
    ("keys", &[]),
    ("proto", &["keys"]),
    ("coordinator", &["games", "keys", "model", "proto", "stats", "store", "telemetry", "tune"]),
    ("worker", &["arena", "engine", "games", "keys", "model", "proto", "sandbox", "telemetry"]),
    ("cli", ALL),
    ("testkit", ALL),
    ("chaos", TESTS),
    ("xtask", &PURE),
];

const ALL: &[&str] = &[
    "arena",
    "coordinator",
    "data",
    "engine",
    "games",
    "keys",
    "model",
    "net",
    "pgbox",
    "proto",
    "sandbox",
    "stats",
    "store",
    "telemetry",
    "train",
    "tune",
    "worker",
];

/// For a program that is a test.
const TESTS: &[&str] =
    &["coordinator", "keys", "model", "pgbox", "proto", "store", "testkit", "worker"];

/// Packages of others that a pure crate must not ship with: I/O, clocks, logs. Whole families.
const NOT_PURE: [&str; 10] =
    ["axum", "http", "hyper", "reqwest", "rustix", "sqlx", "tempfile", "tokio", "tonic", "tracing"];

/// What one pure crate may ship with all the same: the arena's matches wait for pipes.
const EXCEPT: [(&str, &str); 1] = [("arena", "rustix")];

/// Packages of others that one part of the house keeps to itself, and who may ship with them.
const RESERVED: [(&str, &[&str]); 7] = [
    ("sqlx", &["chaos", "store", "testkit"]),
    ("axum", &["coordinator", "telemetry"]),
    ("maud", &["coordinator"]),
    ("prometheus", &["telemetry"]),
    ("opentelemetry", &["telemetry"]),
    ("opentelemetry-otlp", &["telemetry"]),
    ("opentelemetry_sdk", &["telemetry"]),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let members = manifest::members(tree);
    let is_member = |name: &str| members.iter().any(|member| member.name == name);
    let mut findings = Vec::new();
    for member in &members {
        let name = member.name.as_str();
        let path = &member.file.path;
        let Some((_, may)) = MAY.into_iter().find(|(known, _)| *known == name) else {
            let text = format!("`{name}` has no place yet; give it one in the table `MAY` of tidy");
            findings.push(Finding::new(path, member.line_of("name"), "direction", text));
            continue;
        };
        for (dependency, _) in member.dependencies(Needed::Shipped) {
            let line = member.line_of(dependency);
            if is_member(dependency) && !may.contains(&dependency) {
                let allowed = if may.is_empty() { "none".into() } else { may.join(", ") };
                let text = format!(
                    "`{name}` must not depend on `{dependency}`; allowed of this workspace: {allowed}"
                );
                findings.push(Finding::new(path, line, "direction", text));
            }
            let family = |known: &str| {
                dependency.strip_prefix(known).is_some_and(|r| r.is_empty() || r.starts_with('-'))
            };
            let may_all_the_same = EXCEPT.contains(&(name, dependency));
            if PURE.contains(&name)
                && !may_all_the_same
                && NOT_PURE.iter().any(|known| family(known))
            {
                let text = format!("`{dependency}` in a pure crate; leave I/O to who calls it");
                findings.push(Finding::new(path, line, "pure", text));
            }
            let reserved = RESERVED.into_iter().find(|(known, _)| *known == dependency);
            if let Some((_, users)) = reserved.filter(|(_, users)| !users.contains(&name)) {
                let text = format!("`{dependency}` belongs to {} alone", users.join(" and "));
                findings.push(Finding::new(path, line, "reserved", text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str, dependency: &str, section: &str) -> Vec<&'static str> {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
        let text = manifest(name, &format!("[{section}]\n{dependency}.workspace = true\n"));
        let mut files = vec![(format!("{name}/Cargo.toml"), text)];
        for (other, _) in MAY.into_iter().filter(|(other, _)| *other != name) {
            files.push((format!("{other}/Cargo.toml"), manifest(other, "")));
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
        let found = check(&Tree::of(&files));
        let no_place = |f: &Finding| f.text.contains("no place");
        assert!(found.iter().all(|f| f.line == if no_place(f) { 2 } else { 4 }), "{found:?}");
        found.iter().map(|f| f.rule).collect()
    }

    #[test]
    fn imports_point_down_only() {
        let shipped = "dependencies";
        for (name, dependency, section, found) in [
            ("games", "model", shipped, vec![]),
            ("model", "games", shipped, vec!["direction"]),
            ("games", "engine", shipped, vec!["direction"]),
            ("stats", "tune", shipped, vec!["direction"]),
            ("coordinator", "engine", shipped, vec!["direction"]),
            ("coordinator", "arena", shipped, vec!["direction"]),
            ("coordinator", "worker", shipped, vec!["direction"]),
            ("coordinator", "testkit", shipped, vec!["direction"]),
            ("coordinator", "testkit", "dev-dependencies", vec![]),
            ("worker", "coordinator", shipped, vec!["direction"]),
            ("worker", "store", "target.'cfg(unix)'.dependencies", vec!["direction"]),
            ("worker", "sqlx", shipped, vec!["reserved"]),
            ("worker", "axum", shipped, vec!["reserved"]),
            ("cli", "sqlx", shipped, vec!["reserved"]),
            ("cli", "sqlx", "dev-dependencies", vec![]),
            ("store", "sqlx", shipped, vec![]),
            ("engine", "tokio-util", shipped, vec!["pure"]),
            ("engine", "rustix", shipped, vec!["pure"]),
            ("arena", "rustix", shipped, vec![]),
            ("arena", "tokio", shipped, vec!["pure"]),
            ("engine", "tracing", "build-dependencies", vec!["pure"]),
            ("engine", "tokiomatic", shipped, vec![]),
            ("arena", "sqlx", shipped, vec!["pure", "reserved"]),
            ("newcomer", "model", shipped, vec!["direction"]),
        ] {
            assert_eq!(rules(name, dependency, section), found, "{name}: {dependency}");
        }
    }
}
