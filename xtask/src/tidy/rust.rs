//! Rust text cut into code and comments, so that a rule does not stumble over a string.
//!
//! No parser: enough of a lexer to know strings, characters, comments and where tests begin.

/// One line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Without comments; strings and characters are empty, their quotes remain.
    pub(super) code: String,
    /// Inside an item under `#[cfg(test)]`.
    pub(super) test: bool,
}

/// Whether a whole file serves tests, benchmarks or examples by its place or name.
pub(super) fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|part| ["tests", "benches", "examples"].contains(&part))
        || name == "tests.rs"
        || name.ends_with("_tests.rs")
}

/// The lines of a file.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> =
        strip(text).split('\n').map(|code| Line { code: code.to_owned(), test: false }).collect();
    mark_tests(&mut lines);
    lines
}

/// Marks the items that follow `#[cfg(test)]`, to the end of their braces or to their semicolon.
fn mark_tests(lines: &mut [Line]) {
    let (mut waiting, mut depth) = (false, 0);
    for line in lines {
        let start = if depth > 0 || waiting { Some(0) } else { line.code.find("#[cfg(test)]") };
        let Some(start) = start else { continue };
        line.test = true;
        waiting |= depth == 0;
        // The attribute itself has no brace or semicolon.
        for character in line.code[start..].chars() {
            match character {
                '{' => (depth, waiting) = (depth + 1, false),
                '}' => depth -= 1,
                ';' if depth == 0 => waiting = false,
                _ => {}
            }
        }
    }
}

/// The text without comments and without what stands in strings; line breaks stay.
fn strip(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_name = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let (length, keep) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), "")
        } else if rest.starts_with("/*") {
            (block_comment(rest), "")
        } else if let Some(length) = raw_string(rest).filter(|_| !in_name) {
            (length, "\"\"")
        } else if first == '"' {
            (1 + quoted(&rest[1..], '"'), "\"\"")
        } else if let Some(length) = character(rest) {
            (length, "''")
        } else {
            (first.len_utf8(), &rest[..first.len_utf8()])
        };
        let (gone, later) = rest.split_at(length);
        code.push_str(keep);
        if keep != gone {
            code.extend(gone.chars().filter(|c| *c == '\n'));
        }
        rest = later;
    }
    code
}

/// The length of a comment that may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            match rest.chars().next() {
                Some(character) => at += character.len_utf8(),
                None => return at,
            }
        }
    }
}

/// The length of `r"…"`, `r#"…"#`, also with `b` or `c` before it.
fn raw_string(text: &str) -> Option<usize> {
    let start = ["r", "br", "cr"].iter().find(|start| {
        text.strip_prefix(**start).is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
    })?;
    let hashes = text[start.len()..].find('"')?;
    let body = start.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = text[body..].find(&end).map_or(text.len(), |at| body + at + end.len());
    Some(length)
}

/// The length to the closing quote and with it.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character in quotes; `None` for a lifetime and for anything else.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    let first = inner.chars().next()?;
    if first == '\\' {
        return Some(1 + quoted(inner, '\''));
    }
    inner[first.len_utf8()..].starts_with('\'').then_some(first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_no_code() {
        for (text, code) in [
            ("a(\"b // c\"); // d", "a(\"\"); "),
            ("a /* b /* c */ d */ e", "a  e"),
            ("let x = r#\"a \" b\"#;", "let x = \"\";"),
            ("f(b\"\\\"x\", 'y', '\\'', '\"')", "f(b\"\", '', '', '')"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("bar\"x\"", "bar\"\""),
            ("a\n\"b\nc\"\nd", "a\n\"\"\n\nd"),
            ("/* ü\n */x", "\nx"),
        ] {
            assert_eq!(strip(text), code, "{text}");
        }
    }

    #[test]
    fn items_under_cfg_test_are_tests() {
        let text = "a\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nc\n#[cfg(test)]\nmod t;\nd\n";
        let tests: Vec<bool> = lines(text).iter().map(|line| line.test).collect();
        assert_eq!(tests, [false, true, true, true, true, false, true, true, false, false]);
        for (path, is) in [
            ("crates/a/tests/b.rs", true),
            ("crates/a/src/b/tests.rs", true),
            ("crates/a/src/reference_tests.rs", true),
            ("crates/a/src/contests.rs", false),
            ("crates/testkit/src/lib.rs", false),
        ] {
            assert_eq!(is_test_file(path), is, "{path}");
        }
    }
}
