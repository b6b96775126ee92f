//! On which line of a file each field stands.

use crate::Finding;
use std::collections::BTreeMap;

/// Lines by place (`tune.pairs`, `parameter[2].max`), from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// Remembers where a field stands.
    pub(super) fn put(&mut self, place: &str, line: usize) {
        self.0.insert(place.to_owned(), line);
    }

    /// The line of a place or, where it was left out, of the table that it belongs to.
    pub(super) fn of(&self, place: &str) -> Option<usize> {
        let mut place = place;
        loop {
            if let Some(line) = self.0.get(place) {
                return Some(*line);
            }
            place = &place[..place.rfind(['.', '['])?];
        }
    }

    /// Gives findings that have no line theirs, and sorts them by line.
    pub(super) fn mark(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().filter(|finding| finding.line.is_none()) {
            finding.line = self.of(&finding.place);
        }
        findings.sort_by_key(|finding| finding.line);
    }
}

/// The line, from 1, of a byte of a text.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    1 + text.as_bytes().iter().take(byte).filter(|b| **b == b'\n').count()
}
