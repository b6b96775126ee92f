//! Who watches an evaluation: nobody in play, somebody who wants to know its parts otherwise. The
//! evaluation is written once, generic over the watcher.

use crate::searchable::Term;
use crate::taper::Pair;

/// Is told every part of a value while it is summed up.
pub(crate) trait Trace {
    /// So much of the value, from the first side's view, is due to this.
    fn part(&mut self, name: &'static str, sum: Pair);
}

/// Nobody.
pub(crate) struct Unwatched;

impl Trace for Unwatched {
    #[inline(always)]
    fn part(&mut self, _: &'static str, _: Pair) {}
}

/// Keeps the parts, those of one name together, in the order of their first coming.
#[derive(Default)]
pub(crate) struct Parts(Vec<(&'static str, Pair)>);

impl Trace for Parts {
    fn part(&mut self, name: &'static str, sum: Pair) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of_name)) => *of_name += sum,
            None => self.0.push((name, sum)),
        }
    }
}

impl Parts {
    /// The parts in centipawns, `blend` being what the evaluation does with the whole sum.
    pub(crate) fn terms(self, blend: impl Fn(Pair) -> i32) -> Vec<Term> {
        let term = |(name, sum)| Term { name, centipawns: blend(sum) };
        self.0.into_iter().map(term).collect()
    }
}
