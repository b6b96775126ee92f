//! What is wrong with something that came from outside: place, finding, what is allowed, the mend.

use std::fmt;

/// One thing wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The field, as the author would write it: `sprt.elo1`, `parameter[2].max`.
    pub place: String,
    /// What stood there.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
    /// What to do about it.
    pub mend: String,
    /// The line of the file, from 1, where it is known.
    pub line: Option<usize>,
}

impl Finding {
    /// A finding without a line.
    pub fn new(
        place: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            found: found.into(),
            allowed: allowed.into(),
            mend: mend.into(),
            line: None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "`{}`: found {}; allowed: {}", self.place, self.found, self.allowed)?;
        write!(f, "\n  hint: {}", self.mend)
    }
}

/// Everything that is wrong with one input; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingList(pub Vec<Finding>);

impl fmt::Display for FindingList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FindingList {}
