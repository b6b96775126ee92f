//! What every optimiser offers: ask for a pair of points, tell their result.

use crate::Perturbation;
use model::{Pairs, ParameterSet};
use serde::{Deserialize, Serialize};

/// An optimiser that learns from matches between two points near its own.
///
/// Neither order nor freshness of the reports is assumed beyond the ledger's own order: a block may
/// be told long after it was asked for, and in several parts.
pub trait Optimizer {
    /// The two sides for the block of pairs that begins at this index, counted from 0.
    ///
    /// A pure function of the present state, the seed and the index: nothing changes by asking.
    fn ask(&self, first_pair: u64) -> Perturbation;

    /// Takes in `pairs` finished pairs of this perturbation. `balance` is what `plus` scored above
    /// `minus` over them: wins − losses of the single games, [`model::Pentanomial::balance`].
    ///
    /// # Errors
    /// If the perturbation cannot have come from this space, or the balance not from these pairs;
    /// the state is then unchanged.
    fn tell(
        &mut self,
        perturbation: &Perturbation,
        pairs: Pairs,
        balance: i64,
    ) -> Result<(), TuneError>;

    /// The present point, one value for each parameter, not rounded.
    fn theta(&self) -> &[f64];

    /// The values that the tune would hand over now: integers rounded, all inside the box.
    fn suggested(&self) -> ParameterSet;
}

/// One accepted report as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The perturbation that was leased.
    pub perturbation: Perturbation,
    /// Pairs in this report.
    pub pairs: Pairs,
    /// Points of `plus` above `minus` over them.
    pub balance: i64,
}

/// The optimiser that the ordered reports of a ledger lead to, from the start.
///
/// # Errors
/// The first report that the optimiser refuses.
pub fn replay<'a, O: Optimizer>(
    fresh: O,
    reports: impl IntoIterator<Item = &'a Report>,
) -> Result<O, TuneError> {
    reports.into_iter().try_fold(fresh, |mut optimizer, report| {
        optimizer.tell(&report.perturbation, report.pairs, report.balance)?;
        Ok(optimizer)
    })
}

/// Why an optimiser refuses what it is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TuneError {
    /// A list has not one entry for each parameter.
    #[error("`{list}` has {found} entries, expected {expected}, one for each parameter")]
    Dimension {
        /// Which list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// The number of parameters.
        expected: usize,
    },
    /// A value is outside what an optimiser can have produced.
    #[error("`{list}[{index}]` is {found}, expected {expected}")]
    Value {
        /// Which list.
        list: &'static str,
        /// The entry, from 0.
        index: usize,
        /// What stood there.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A stored state is one of another optimiser.
    #[error("a state of {found}, expected one of {expected}")]
    Foreign {
        /// Whose state it is.
        found: &'static str,
        /// Whose it has to be.
        expected: &'static str,
    },
    /// More points than the pairs can give.
    #[error("a balance of {balance} from {pairs} pairs; a pair gives at most 2")]
    Balance {
        /// The balance told.
        balance: i64,
        /// The pairs told.
        pairs: Pairs,
    },
}
