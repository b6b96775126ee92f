//! What the ledger keeps of the games of a run, besides how they ended.

use crate::lease::PairIndex;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which records stay. Whatever it says, the moves of every game are checked by the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Keep {
    /// Whose moves.
    pub moves: KeepMoves,
    /// Whether score, depth and nodes of each move stay with them.
    pub evals: bool,
}

/// The share of the pairs whose moves stay: `all`, `none`, or `sample=1%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeepMoves(u32);

/// Pairs of which a share is told.
const MILLION: u32 = 1_000_000;

impl KeepMoves {
    /// Of every pair.
    pub const ALL: Self = Self(MILLION);
    /// Of none.
    pub const NONE: Self = Self(0);

    /// Of so many in a million; `None` above a million.
    #[must_use]
    pub fn per_million(pairs: u32) -> Option<Self> {
        (pairs <= MILLION).then_some(Self(pairs))
    }

    /// Of how many in a million.
    #[must_use]
    pub fn in_million(self) -> u32 {
        self.0
    }

    /// Whether a pair's moves stay in a run of this seed: a sample that anybody can draw again.
    #[must_use]
    pub fn holds(self, seed: u64, pair: PairIndex) -> bool {
        // SplitMix64 (Steele, Lea, Flood 2014) of the pair, on a way of the run's own.
        let mut z = seed.rotate_left(32) ^ pair.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % u64::from(MILLION) < u64::from(self.0)
    }
}

impl Default for KeepMoves {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for KeepMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("none"),
            MILLION => f.write_str("all"),
            share => write!(f, "sample={}%", f64::from(share) / 10_000.0),
        }
    }
}

/// A text that names no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`; allowed: all, none, or sample=P% with P from 0.0001 to 100")]
pub struct UnknownShare {
    /// What was given, made printable.
    pub found: String,
}

impl FromStr for KeepMoves {
    type Err = UnknownShare;

    fn from_str(text: &str) -> Result<Self, UnknownShare> {
        let unknown = || UnknownShare { found: crate::printable(text, 40) };
        match text {
            "all" => return Ok(Self::ALL),
            "none" => return Ok(Self::NONE),
            _ => {}
        }
        let percent = text.strip_prefix("sample=").and_then(|t| t.strip_suffix('%'));
        let share = percent.and_then(|t| t.trim().parse::<f64>().ok()).ok_or_else(unknown)?;
        let pairs = (share * 10_000.0).round();
        if !(1.0..=f64::from(MILLION)).contains(&pairs) {
            return Err(unknown());
        }
        Ok(Self(pairs as u32))
    }
}

impl TryFrom<String> for KeepMoves {
    type Error = UnknownShare;

    fn try_from(text: String) -> Result<Self, UnknownShare> {
        text.parse()
    }
}

impl From<KeepMoves> for String {
    fn from(share: KeepMoves) -> Self {
        share.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        for text in ["all", "none", "sample=1%", "sample=0.0001%", "sample=99.5%"] {
            assert_eq!(text.parse::<KeepMoves>().unwrap().to_string(), text);
        }
        for text in ["", "sample", "sample=0%", "sample=101%", "sample=NaN%", "sample=-1%", "1%"] {
            let error = text.parse::<KeepMoves>().unwrap_err().to_string();
            assert!(error.contains("allowed: all, none"), "{error}");
        }
    }

    #[test]
    fn a_sample_has_its_size_and_is_the_same_again() {
        let share: KeepMoves = "sample=5%".parse().unwrap();
        let drawn = |seed| (0..20_000).filter(|i| share.holds(seed, PairIndex(*i))).collect();
        let once: Vec<u64> = drawn(7);
        assert!((800..1200).contains(&once.len()), "{}", once.len());
        assert_eq!(once, drawn(7));
        assert_ne!(once, drawn(8));
        assert!((0..1000).all(|i| KeepMoves::ALL.holds(1, PairIndex(i))));
        assert!((0..1000).all(|i| !KeepMoves::NONE.holds(1, PairIndex(i))));
    }
}
