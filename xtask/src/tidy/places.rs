//! The repository stands by itself: it names no folder of a workplace and no host of a package
//! registry. Cargo's lock files must name their registry and may.

use super::Finding;
use super::tree::Tree;

/// Folders of workplaces, in pieces so that this file does not hold them.
const FOLDERS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];

/// Hosts of registries, in pieces likewise.
const HOSTS: [&str; 5] = [
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.npm", "js.org"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| !file.is(&["Cargo.lock"])) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(folder) = FOLDERS.into_iter().find(|folder| line.contains(folder)) {
                let text = format!("`{folder}` is a folder of one machine; write a relative path");
                findings.push(Finding::new(&file.path, index + 1, "workplace", text));
            }
            if let Some(host) = HOSTS.into_iter().find(|host| line.contains(host)) {
                let text = format!("`{host}`; name the package, not the host that carries it");
                findings.push(Finding::new(&file.path, index + 1, "registry", text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_hosts_are_found_everywhere_but_in_the_lock_file() {
        for pattern in FOLDERS.into_iter().chain(HOSTS) {
            let text = format!("first\nsee x{pattern}y\n");
            let found = check(&Tree::of(&[("docs/a.md", &text)]));
            assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [2], "{pattern}");
            assert_eq!(check(&Tree::of(&[("Cargo.lock", &text)])), []);
        }
        assert_eq!(check(&Tree::of(&[("docs/a.md", "a worker, rooted in a farm")])), []);
    }
}
