//! What was read of a few runs, so that a question that is asked again reads only what is new.

use model::RunId;
use model::trust::Exclusions;

/// Runs of which something is kept; those that were asked for longest ago go.
const MOST: usize = 8;

/// Readings of the ledgers of runs, each made with the exclusions of its time.
pub(super) struct Kept<T>(Vec<(RunId, Exclusions, T)>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Kept<T> {
    /// What was read of a run; nothing if other exclusions are in force since.
    pub(super) fn take(&mut self, run: RunId, exclusions: &Exclusions) -> Option<T> {
        let place = self.0.iter().position(|(kept, ..)| *kept == run)?;
        let (_, then, reading) = self.0.remove(place);
        (then == *exclusions).then_some(reading)
    }

    /// Keeps what was read of a run.
    pub(super) fn put(&mut self, run: RunId, exclusions: Exclusions, reading: T) {
        self.0.push((run, exclusions, reading));
        if self.0.len() > MOST {
            self.0.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_kept_and_the_last_ones() {
        let mut kept = Kept::default();
        let none = Exclusions::default();
        for run in 0..10 {
            kept.put(RunId(run), none.clone(), run);
        }
        assert_eq!(kept.take(RunId(1), &none), None);
        assert_eq!(kept.take(RunId(9), &none), Some(9));
        assert_eq!(kept.take(RunId(9), &none), None, "it was taken");
    }
}
