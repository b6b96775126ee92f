//! A sequential test as its ledger makes it, and a match of fixed length, which is a test without
//! hypotheses.

use model::view::{CorrectedView, OutlookView, TestPoint, TestView};
use model::{Pairs, Pentanomial, Tally};
use stats::{CorrectedElo, EloEstimate, Overshoot, SprtBounds};

/// A sequential test at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TestFold {
    pub(super) sprt: stats::SprtSpec,
    pub(super) futility: f64,
    pub(super) llr: f64,
    pub(super) overshoot: Overshoot,
}

impl TestFold {
    /// Where the test stops now.
    pub(super) fn bounds(&self) -> SprtBounds {
        self.overshoot.bounds(self.sprt.bounds())
    }

    /// Whether too little chance is left to pass within the budget. Judged after a report only: a
    /// test whose budget is too small from the start shows it by its first.
    pub(super) fn is_futile(&self, tally: &Tally, asked: Pairs) -> bool {
        let more = asked.0.saturating_sub(tally.pairs().0) as f64;
        self.futility > 0.0
            && tally.pairs().0 > 0
            && self.sprt.power_left(&tally.pentanomial, self.llr, &self.overshoot, more)
                < self.futility
    }

    /// The test for people, without its verdict and its way.
    pub(super) fn view(&self, counts: &Pentanomial, is_over: bool) -> TestView {
        let bounds = self.bounds();
        let outlook = (!is_over).then(|| {
            let outlook = self.sprt.outlook(counts, self.llr, &self.overshoot);
            OutlookView {
                pass_probability: outlook.pass_probability,
                mean_pairs: outlook.mean_pairs,
                median_pairs: outlook.median_pairs,
                q95_pairs: outlook.q95_pairs,
            }
        });
        TestView {
            llr: Some(self.sprt.llr(counts)),
            lower: Some(bounds.lower),
            upper: Some(bounds.upper),
            corrected: Some(corrected_view(&self.sprt.corrected(counts))),
            outlook,
            ..match_view(counts)
        }
    }
}

/// A match for people, without its way: the plain estimate, for all its pairs are played.
pub(super) fn match_view(counts: &Pentanomial) -> TestView {
    let EloEstimate { elo, low, high, normalized, los, .. } = stats::estimate(counts);
    TestView {
        llr: None,
        lower: None,
        upper: None,
        elo: elo.0,
        elo_low: low.0,
        elo_high: high.0,
        normalized_elo: normalized.0,
        los,
        corrected: None,
        outlook: None,
        verdict: None,
        trace: Vec::new(),
    }
}

/// A point on the way.
pub(super) fn point(tally: &Tally, llr: Option<f64>) -> TestPoint {
    let EloEstimate { elo, low, high, .. } = stats::estimate(&tally.pentanomial);
    TestPoint { pairs: tally.pairs().0, llr, elo: elo.0, elo_low: low.0, elo_high: high.0 }
}

/// Elo freed of the bias of stopping, for people.
pub(super) fn corrected_view(corrected: &CorrectedElo) -> CorrectedView {
    let CorrectedElo { elo, low, high, los } = *corrected;
    CorrectedView { elo: elo.0, elo_low: low.0, elo_high: high.0, los }
}
