//! The files that the rules look at: what git tracks, or every file where there is no git.

use anyhow::{Context, bail};
use std::path::Path;
use std::process::Command;

/// Folders that no walk enters.
const NOT_OURS: [&str; 3] = [".git", "target", "node_modules"];

/// One text file.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// From the root, with `/` on every system.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    /// Whether the name ends with one of these.
    pub(super) fn is(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    /// Whether it is code of others, carried along.
    pub(super) fn is_vendored(&self) -> bool {
        self.path.split('/').any(|part| part == "vendor")
    }

    /// The number of the first line that satisfies a test, 0 if none does.
    pub(super) fn line_where(&self, test: impl Fn(&str) -> bool) -> usize {
        self.text.lines().position(test).map_or(0, |index| index + 1)
    }
}

/// Every text file of the repository, in the order of their paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree(Vec<File>);

impl Tree {
    /// Reads the tracked files below `root`; files that are no UTF-8 text are left out.
    ///
    /// # Errors
    /// A file or folder cannot be read, or there is none.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut paths = match tracked(root) {
            Some(paths) => paths,
            None => {
                let mut paths = Vec::new();
                walk(root, "", &mut paths)?;
                paths
            }
        };
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            let full = root.join(&path);
            // What is deleted but not yet committed so, and links to elsewhere.
            if !full.symlink_metadata().is_ok_and(|data| data.is_file()) {
                continue;
            }
            let bytes =
                std::fs::read(&full).with_context(|| format!("cannot read {}", full.display()))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(File { path, text });
            }
        }
        if files.is_empty() {
            bail!("there is no file in {}", root.display());
        }
        Ok(Self(files))
    }

    pub(super) fn files(&self) -> &[File] {
        &self.0
    }

    pub(super) fn get(&self, path: &str) -> Option<&File> {
        self.0.iter().find(|file| file.path == path)
    }

    /// Whether there are files below this folder.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        let inside = |file: &File| file.path.strip_prefix(path).is_some_and(|r| r.starts_with('/'));
        self.0.iter().any(inside)
    }

    /// A tree of these paths and texts.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        Self(files.iter().map(file).collect())
    }
}

/// What git tracks; `None` where git cannot say or `root` is not its working copy.
fn tracked(root: &Path) -> Option<Vec<String>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().ok()?;
    let text = String::from_utf8(listed.stdout).ok()?;
    let paths: Vec<String> =
        text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (listed.status.success() && !paths.is_empty()).then_some(paths)
}

fn walk(root: &Path, below: &str, paths: &mut Vec<String>) -> anyhow::Result<()> {
    let folder = root.join(below);
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if !NOT_OURS.contains(&name.as_str()) {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_git_every_text_file_outside_of_target_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in [
            ("a.rs", &b"//! A."[..]),
            ("b/c.md", b"c"),
            ("b/picture.png", b"\x89PNG\xff"),
            ("target/d.rs", b"d"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let tree = Tree::read(folder.path()).unwrap();
        let paths: Vec<&str> = tree.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "b/c.md"]);
    }
}
