//! What one side says of a position, in the words of `xtask/oracles/protocol.py`.

use anyhow::{Context, ensure};
use games::RuleWinner;
use model::Termination;

/// How the game stands for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    GoesOn,
    Won,
    Lost,
    Drawn,
}

impl Outcome {
    pub(super) const fn of(winner: RuleWinner) -> Self {
        match winner {
            RuleWinner::SideToMove => Self::Won,
            RuleWinner::Opponent => Self::Lost,
            RuleWinner::Draw => Self::Drawn,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GoesOn => "goes on",
            Self::Won => "win",
            Self::Lost => "loss",
            Self::Drawn => "draw",
        }
    }
}

/// The letter of a reason; none for a reason that no oracle names.
const fn letter(reason: Termination) -> char {
    match reason {
        Termination::NoMove => 'n',
        Termination::Stalemate => 's',
        Termination::Repetition => 'r',
        Termination::PerpetualCheck => 'c',
        Termination::MoveLimit => 'f',
        Termination::DeadPosition => 'm',
        Termination::Impasse => 'i',
        _ => '-',
    }
}

/// What an oracle says of a position. What it was not asked is `None` and agrees with everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Theirs {
    /// CRC-32 of the sorted legal moves.
    pub(super) moves: u32,
    pub(super) check: Option<bool>,
    pub(super) outcome: Option<Outcome>,
    /// The letters of the reasons that it knows; empty where it knows none.
    reasons: String,
}

/// What our rules say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ours {
    /// CRC-32 of the sorted legal moves in the oracle's notation.
    pub(super) moves: u32,
    pub(super) check: Option<bool>,
    pub(super) end: Option<(Outcome, Termination)>,
}

/// In what the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    Moves,
    Check,
    Outcome,
    Reason,
}

impl Theirs {
    /// Reads one word of an answer.
    ///
    /// # Errors
    /// The word is none; it is shown.
    pub(super) fn parse(word: &str) -> anyhow::Result<Self> {
        let wrong = || format!("`{}` is no opinion", model::printable(word, 32));
        ensure!(word.is_ascii() && (10..=16).contains(&word.len()), wrong());
        let moves = u32::from_str_radix(&word[..8], 16).with_context(wrong)?;
        let check = match &word[8..9] {
            "+" => Some(true),
            "." => Some(false),
            "?" => None,
            _ => anyhow::bail!(wrong()),
        };
        let outcome = match &word[9..10] {
            "-" => Some(Outcome::GoesOn),
            "w" => Some(Outcome::Won),
            "l" => Some(Outcome::Lost),
            "d" => Some(Outcome::Drawn),
            "?" => None,
            _ => anyhow::bail!(wrong()),
        };
        let reasons = word[10..].to_owned();
        ensure!(reasons.chars().all(|reason| "nsrcfmi".contains(reason)), wrong());
        Ok(Self { moves, check, outcome, reasons })
    }

    /// The first thing in which our rules say something else, if any.
    pub(super) fn differs_from(&self, ours: &Ours) -> Option<Difference> {
        let outcome = ours.end.map_or(Outcome::GoesOn, |(outcome, _)| outcome);
        if self.moves != ours.moves {
            return Some(Difference::Moves);
        }
        if self.check.zip(ours.check).is_some_and(|(theirs, ours)| theirs != ours) {
            return Some(Difference::Check);
        }
        if self.outcome.is_some_and(|theirs| theirs != outcome) {
            return Some(Difference::Outcome);
        }
        let knows = |(_, reason)| self.reasons.contains(letter(reason));
        let is_named = self.reasons.is_empty() || ours.end.is_none_or(knows);
        (!is_named).then_some(Difference::Reason)
    }

    /// The verdict in words.
    pub(super) fn verdict(&self) -> String {
        let outcome = self.outcome.map_or("not asked", Outcome::name);
        if self.reasons.is_empty() {
            outcome.into()
        } else {
            format!("{outcome} ({})", self.reasons)
        }
    }
}

impl Ours {
    /// The verdict in words.
    pub(super) fn verdict(&self) -> String {
        match self.end {
            None => Outcome::GoesOn.name().into(),
            Some((outcome, reason)) => format!("{} ({})", outcome.name(), reason.name()),
        }
    }
}

/// The checksum of legal moves.
pub(super) fn checksum(mut moves: Vec<String>) -> u32 {
    moves.sort_unstable();
    crc32(moves.join(" ").as_bytes())
}

/// CRC-32 as in ISO 3309 and zlib.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8)
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zlib() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn opinions_are_read_and_nothing_else() {
        let theirs = Theirs::parse("000000ff+drf").unwrap();
        assert_eq!((theirs.moves, theirs.check), (255, Some(true)));
        assert_eq!(theirs.outcome, Some(Outcome::Drawn));
        assert_eq!(theirs.verdict(), "draw (rf)");
        let theirs = Theirs::parse("000000ff??").unwrap();
        assert_eq!((theirs.check, theirs.outcome), (None, None));
        for word in
            ["", "000000ff", "000000ff+", "00000xff+d", "000000ff+q", "000000ff=d", "000000ff+dz"]
        {
            let error = Theirs::parse(word).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{word}`")), "{error}");
        }
        for word in ["000000f\u{e9}+d", "000000ff+drrrrrrrrrrrrrr", "\u{1f600}\u{1f600}\u{1f600}"] {
            assert!(Theirs::parse(word).is_err(), "{word}");
        }
    }

    #[test]
    fn every_difference_is_seen_and_what_was_not_asked_is_none() {
        let ours = |check, end| Ours { moves: 255, check, end };
        let draw = Some((Outcome::Drawn, Termination::Repetition));
        for (word, check, end, difference) in [
            ("000000ff.-", Some(false), None, None),
            ("000000fe.-", Some(false), None, Some(Difference::Moves)),
            ("000000ff+-", Some(false), None, Some(Difference::Check)),
            ("000000ff+-", None, None, None),
            ("000000ff?-", Some(false), None, None),
            ("000000ff.d", Some(false), None, Some(Difference::Outcome)),
            ("000000ff.-", Some(false), draw, Some(Difference::Outcome)),
            ("000000ff.w", Some(false), draw, Some(Difference::Outcome)),
            ("000000ff.?", Some(false), draw, None),
            ("000000ff.d", Some(false), draw, None),
            ("000000ff.dfr", Some(false), draw, None),
            ("000000ff.dfm", Some(false), draw, Some(Difference::Reason)),
        ] {
            let found = Theirs::parse(word).unwrap().differs_from(&ours(check, end));
            assert_eq!(found, difference, "{word} {check:?} {end:?}");
        }
    }
}
