//! When a worker rests though it could play: it was paused by hand, or it is not its hour.
//!
//! A pause is a file in the state directory, so that it outlives the worker and needs no signal:
//! `elomill worker pause` makes it, `resume` takes it away.

use chrono::Timelike;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The file that pauses a worker.
const PAUSED: &str = "paused";
/// Minutes of a day.
const DAY: u32 = 24 * 60;

/// The hours of the day in which a worker plays, by the clock on the wall. Over midnight when they
/// end before they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// Minutes since midnight.
    from: u32,
    /// Minutes since midnight, not played any more.
    to: u32,
}

/// Text that names no hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed: FROM-TO in local time, as 22-07 or 08:30-17:00")]
pub struct NoHours;

impl Hours {
    /// Whether this minute of the day is one of them.
    #[must_use]
    pub fn contains(self, minute: u32) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

impl FromStr for Hours {
    type Err = NoHours;

    fn from_str(text: &str) -> Result<Self, NoHours> {
        let time = |text: &str| {
            let (hour, minute) = text.split_once(':').unwrap_or((text, "0"));
            let number = |text: &str, below: u32| {
                let plain = (1..=2).contains(&text.len());
                text.parse().ok().filter(|n: &u32| plain && *n < below)
            };
            // 24 is the midnight at the end of a day.
            match (number(hour, 25), number(minute, 60)) {
                (Some(24), Some(0)) => Ok(DAY),
                (Some(hour @ 0..24), Some(minute)) => Ok(60 * hour + minute),
                _ => Err(NoHours),
            }
        };
        let (from, to) = text.split_once('-').ok_or(NoHours)?;
        let hours = Self { from: time(from.trim())?, to: time(to.trim())? };
        if hours.from == hours.to || hours.from == DAY { Err(NoHours) } else { Ok(hours) }
    }
}

/// Why a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Paused,
    NotItsHour,
}

impl Rest {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Paused => "paused; `elomill worker resume` ends it",
            Self::NotItsHour => "not its hours (--hours)",
        }
    }
}

/// What keeps a worker from playing now, if something does.
pub(crate) fn rest(state_dir: &Path, hours: Option<Hours>) -> Option<Rest> {
    if is_paused(state_dir) {
        return Some(Rest::Paused);
    }
    let now = chrono::Local::now();
    let minute = 60 * now.hour() + now.minute();
    hours.filter(|hours| !hours.contains(minute)).map(|_| Rest::NotItsHour)
}

/// Whether the worker of this directory is paused by hand.
#[must_use]
pub fn is_paused(state_dir: &Path) -> bool {
    paused(state_dir).exists()
}

/// Pauses the worker of this directory, whether it runs or not, until it is resumed.
///
/// # Errors
/// The directory cannot be written.
pub fn pause(state_dir: &Path) -> io::Result<()> {
    fs::create_dir_all(state_dir)?;
    File::create(paused(state_dir)).map(|_| ())
}

/// Lets a paused worker play again.
///
/// # Errors
/// The directory cannot be written.
pub fn resume(state_dir: &Path) -> io::Result<()> {
    match fs::remove_file(paused(state_dir)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn paused(state_dir: &Path) -> PathBuf {
    state_dir.join(PAUSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_may_go_over_midnight() {
        let night: Hours = "22-07".parse().unwrap();
        let at = |hour: u32, minute: u32| night.contains(60 * hour + minute);
        assert!(at(22, 0) && at(23, 59) && at(0, 0) && at(6, 59));
        assert!(!at(7, 0) && !at(12, 0) && !at(21, 59));
        let day: Hours = "08:30-17:00".parse().unwrap();
        assert!(day.contains(510) && !day.contains(509) && !day.contains(1020));
        assert!("18-24".parse::<Hours>().unwrap().contains(1439));
        for text in ["", "7", "22-22", "25-3", "3-25", "1:60-2", "24-3", "a-b", "-1-3", "007-9"] {
            assert_eq!(text.parse::<Hours>(), Err(NoHours), "{text}");
        }
    }

    #[test]
    fn a_pause_outlives_the_worker() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        assert_eq!(rest(&state, None), None);
        pause(&state).unwrap();
        pause(&state).unwrap();
        assert_eq!(rest(&state, None), Some(Rest::Paused));
        resume(&state).unwrap();
        resume(&state).unwrap();
        assert_eq!(rest(&state, None), None);
    }
}
