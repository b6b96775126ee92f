//! How often a run has its base play itself.
//!
//! Such pairs say nothing of the candidate and something of the worker: whatever it brings to them, an
//! honest one wins as often as it loses.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A share of the pairs of a run, on top of those that it asks for; the run's limits decide where
/// nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Canaries(Option<u32>);

/// The most that is allowed: one pair in five.
const MOST: u32 = 200_000;

impl Canaries {
    /// So many of a million pairs; `None` above 200,000.
    #[must_use]
    pub fn per_million(pairs: u32) -> Option<Self> {
        (pairs <= MOST).then_some(Self(Some(pairs)))
    }

    /// Of how many in a million, if it is said.
    #[must_use]
    pub fn in_million(self) -> Option<u32> {
        self.0
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Display for Canaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("as usual"),
            Some(0) => f.write_str("none"),
            Some(share) => write!(f, "{}%", f64::from(share) / 10_000.0),
        }
    }
}

/// A text that names no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`; allowed: none, or P% with P from 0.0001 to 20")]
pub struct UnknownCanaries {
    /// What was given, made printable.
    pub found: String,
}

impl FromStr for Canaries {
    type Err = UnknownCanaries;

    fn from_str(text: &str) -> Result<Self, UnknownCanaries> {
        let unknown = || UnknownCanaries { found: crate::printable(text, 40) };
        if text == "none" {
            return Ok(Self(Some(0)));
        }
        let percent = text.strip_suffix('%').and_then(|share| share.trim().parse::<f64>().ok());
        let pairs = (percent.ok_or_else(unknown)? * 10_000.0).round();
        if !(1.0..=f64::from(MOST)).contains(&pairs) {
            return Err(unknown());
        }
        Ok(Self(Some(pairs as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        for text in ["none", "1%", "0.0001%", "20%"] {
            assert_eq!(text.parse::<Canaries>().unwrap().to_string(), text);
        }
        for text in ["", "0%", "21%", "NaN%", "-1%", "1", "as usual"] {
            let error = text.parse::<Canaries>().unwrap_err().to_string();
            assert!(error.contains("allowed: none, or P%"), "{error}");
        }
        assert_eq!(serde_json::to_string(&Canaries::default()).unwrap(), "null");
    }
}
