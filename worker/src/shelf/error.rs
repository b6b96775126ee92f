//! Why an engine cannot be had or used.

use std::fmt;
use std::io;

/// Whose fault it is, for whoever decides what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Of this machine: its disk, its folders. Another one may do better at once.
    Machine,
    /// What was fetched is not what its hash says, or is no archive.
    Unavailable,
    /// It does not build.
    Unbuildable,
    /// It is another build than its manifest means.
    Signature,
    /// It cannot be played with.
    Unusable,
    /// It is not wanted here: too large, no sandbox.
    Refused,
}

/// An engine that cannot be had or used; says what is the matter and how to mend it.
#[derive(Debug)]
pub struct ShelfError {
    /// Whose fault it is.
    pub fault: Fault,
    message: String,
    hint: String,
    source: Option<io::Error>,
}

impl ShelfError {
    /// An error with its mend.
    pub fn new(fault: Fault, message: impl fmt::Display, hint: impl fmt::Display) -> Self {
        Self { fault, message: message.to_string(), hint: hint.to_string(), source: None }
    }

    /// What is the matter, without the mend.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// An error of the system while `what` was done.
    pub(crate) fn io(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        let message = what.to_string();
        move |source| Self {
            fault: Fault::Machine,
            message: format!("{message}: {source}"),
            hint: String::new(),
            source: Some(source),
        }
    }
}

impl fmt::Display for ShelfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, "\nhint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for ShelfError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // Its words stand in the message already; its kind may be of use.
        self.source.as_ref().and_then(io::Error::source)
    }
}
