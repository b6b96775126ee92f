//! The guide holds together: every page stands in its table of contents once, every link of a page
//! leads to a file of the repository and to a heading of it, and no link of a page leaves the book.

use super::Finding;
use super::tree::{File, Tree};

/// Where the pages are; links between them must stay inside.
const BOOK: &str = "docs/";
/// The table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let listed: Vec<(usize, String)> = match tree.get(SUMMARY) {
        Some(summary) => links(&summary.text).map(|(line, to)| (line, to.to_owned())).collect(),
        None => Vec::new(),
    };
    for page in tree.files().iter().filter(|file| is_page(file)) {
        let name = page.path.strip_prefix(BOOK).unwrap_or(&page.path);
        let places: Vec<_> = listed.iter().filter(|(_, to)| to == name).collect();
        if places.len() != 1 {
            let text = format!("stands {} times in {SUMMARY}; list it once", places.len());
            findings.push(Finding::new(&page.path, 0, "guide", text));
        }
    }
    for file in tree.files().iter().filter(|file| file.is(&[".md"])) {
        for (line, to) in links(&file.text) {
            if let Some(text) = fault(tree, file, to) {
                findings.push(Finding::new(&file.path, line, "guide", text));
            }
        }
    }
    findings
}

fn is_page(file: &File) -> bool {
    file.path.starts_with(BOOK) && file.is(&[".md"]) && file.path != SUMMARY
}

/// What is wrong with a link of a file; addresses elsewhere are not looked at.
fn fault(tree: &Tree, file: &File, to: &str) -> Option<String> {
    if to.contains("://") || to.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = to.split_once('#').map_or((to, None), |(p, h)| (p, Some(h)));
    let target = if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) };
    let Some(target) = target else {
        return Some(format!("`{to}` leaves the repository"));
    };
    if file.path.starts_with(BOOK) && !target.starts_with(BOOK) {
        return Some(format!("`{to}` leaves the book; name the file in words, or link a page"));
    }
    let found = tree.get(&target);
    // Pictures are no text, and so are not in the tree; their folder is.
    let is_picture = target.ends_with(".png");
    if found.is_none() && !is_picture && !tree.has_folder(&target) {
        return Some(format!("`{to}`: there is no {target}"));
    }
    let heading = heading?;
    let page = found.filter(|page| page.is(&[".md"]))?;
    let known = headings(&page.text).any(|known| known == heading);
    (!known).then(|| format!("`{to}`: {target} has no such heading"))
}

/// The path that a link means, from the root; `None` when it leaves the repository.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Lines that are no code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced && !line.starts_with("    ")
    })
}

/// Targets of links and pictures, `[text](target)`, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        line.split("](").skip(1).filter_map(move |rest| Some((number, rest.split_once(')')?.0)))
    })
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter_map(|(_, line)| {
        let words = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
        let kept = words.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed_once_and_links_lead_somewhere() {
        let summary = "# Summary\n- [A](a.md)\n- [B](deep/b.md)\n";
        let good = "# A page, of `x`\n[b](deep/b.md#its-end) ![p](pictures/p.png) [w](https://x)\n";
        let deep = "# B\n## Its end\n```text\n[not](a-link.md)\n```\n[a](../a.md#a-page-of-x)\n";
        let found = |files: &[(&str, &str)]| -> Vec<(String, usize)> {
            check(&Tree::of(files)).into_iter().map(|f| (f.file, f.line)).collect()
        };
        let whole = [(SUMMARY, summary), ("docs/a.md", good), ("docs/deep/b.md", deep)];
        assert_eq!(found(&whole), []);
        let more = [whole[0], whole[1], whole[2], ("docs/c.md", "# C\n")];
        assert_eq!(found(&more), [("docs/c.md".to_owned(), 0)]);
        let missing = [whole[0], whole[1]];
        assert_eq!(found(&missing), [(SUMMARY.to_owned(), 3), ("docs/a.md".to_owned(), 2)]);
        for (text, line) in [
            ("# A page of x\n\n[b](deep/b.md#its-start)\n", 3),
            ("# A page of x\n[r](../README.md)\n", 2),
            ("# A page of x\n[r](../../README.md) [s](nothing.csv)\n", 2),
        ] {
            let files = [whole[0], ("docs/a.md", text), whole[2], ("README.md", "# R\n")];
            assert!(found(&files).contains(&("docs/a.md".to_owned(), line)), "{text}");
        }
    }
}
