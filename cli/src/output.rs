//! Data on stdout, talk on stderr, and errors that end in a hint.

use serde::Serialize;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Writes one line of data.
///
/// # Errors
/// As the stream says; a closed pipe is turned into success by `main`.
pub(crate) fn line(text: impl fmt::Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes one JSON object on a line of its own.
///
/// # Errors
/// As [`line`].
pub(crate) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    Ok(line(serde_json::to_string(value)?)?)
}

/// Says something to the person at the terminal. A closed stderr silences the talk, not the work.
pub(crate) fn say(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether a person looks at stderr.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// An error with its mend.
#[derive(Debug)]
struct Hinted {
    message: String,
    hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nhint: {}", self.message, self.hint)
    }
}

impl std::error::Error for Hinted {}

/// An error that says on its second line what to do.
pub(crate) fn hinted(message: impl fmt::Display, hint: impl fmt::Display) -> anyhow::Error {
    Hinted { message: message.to_string(), hint: hint.to_string() }.into()
}

/// Whether an error only says that the reader of stdout went away, as `head` does.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Text of many lines from elsewhere, made safe to show.
pub(crate) fn printable_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().take(60).map(|line| model::printable(line, 400)).collect();
    lines.join("\n")
}
