//! Where a test, a match or a race stands, from the wire.

use super::{WireError, missing, tally_from_wire, unknown};
use model::spec::{RaceSpec, TestSpec};
use model::view::{
    CandidateState, CandidateView, CorrectedView, OutlookView, RaceView, TestPoint, TestView,
    Verdict,
};
use proto::v1;

/// Of a test or, without hypotheses, a match.
pub(super) fn test_view(test: &v1::TestProgress, spec: &TestSpec) -> Result<TestView, WireError> {
    let of_a_test = |number: f64| spec.sprt.is_some().then_some(number);
    let point = |point: &v1::TestPoint| {
        let v1::TestPoint { pairs, llr, elo, elo_low, elo_high } = *point;
        TestPoint { pairs, llr: of_a_test(llr), elo, elo_low, elo_high }
    };
    Ok(TestView {
        llr: of_a_test(test.llr),
        lower: of_a_test(test.lower),
        upper: of_a_test(test.upper),
        elo: test.elo,
        elo_low: test.elo_low,
        elo_high: test.elo_high,
        normalized_elo: test.normalized_elo,
        los: test.los,
        corrected: test.corrected.as_ref().map(corrected_view),
        outlook: test.outlook.map(|outlook| OutlookView {
            pass_probability: outlook.pass_probability,
            mean_pairs: outlook.mean_pairs,
            median_pairs: outlook.median_pairs,
            q95_pairs: outlook.q95_pairs,
        }),
        verdict: verdict(test.verdict, "test.verdict")?,
        trace: test.trace.iter().map(point).collect(),
    })
}

/// Of a race: as many candidates as were asked for.
pub(super) fn race_view(race: &v1::RaceProgress, spec: &RaceSpec) -> Result<RaceView, WireError> {
    let candidates = &race.candidates;
    if candidates.len() != spec.candidates.len() {
        return Err(unknown("race.candidates"));
    }
    let winner = race.winner.map(|place| place as usize);
    if winner.is_some_and(|place| place >= candidates.len()) {
        return Err(unknown("race.winner"));
    }
    Ok(RaceView {
        candidates: candidates.iter().map(candidate_view).collect::<Result<_, _>>()?,
        winner,
        verdict: verdict(race.verdict, "race.verdict")?,
    })
}

fn candidate_view(candidate: &v1::CandidateProgress) -> Result<CandidateView, WireError> {
    let corrected = candidate.corrected.as_ref().ok_or(missing("candidate.corrected"))?;
    Ok(CandidateView {
        name: candidate.name.clone(),
        state: match v1::CandidateState::try_from(candidate.state) {
            Ok(v1::CandidateState::Open) => CandidateState::Open,
            Ok(v1::CandidateState::Accepted) => CandidateState::Accepted,
            Ok(v1::CandidateState::Rejected) => CandidateState::Rejected,
            Ok(v1::CandidateState::Unspecified) | Err(_) => {
                return Err(unknown("candidate.state"));
            }
        },
        tally: tally_from_wire(candidate.tally.as_ref().ok_or(missing("candidate.tally"))?)?,
        llr: candidate.llr,
        lower: candidate.lower,
        upper: candidate.upper,
        elo: candidate.elo,
        elo_low: candidate.elo_low,
        elo_high: candidate.elo_high,
        corrected: corrected_view(corrected),
    })
}

fn corrected_view(corrected: &v1::TestCorrected) -> CorrectedView {
    let v1::TestCorrected { elo, elo_low, elo_high, los } = *corrected;
    CorrectedView { elo, elo_low, elo_high, los }
}

fn verdict(verdict: i32, field: &'static str) -> Result<Option<Verdict>, WireError> {
    match v1::Verdict::try_from(verdict) {
        // While the run goes on, and forever when it was stopped by hand.
        Ok(v1::Verdict::Unspecified) => Ok(None),
        Ok(v1::Verdict::Accepted) => Ok(Some(Verdict::Accepted)),
        Ok(v1::Verdict::Rejected) => Ok(Some(Verdict::Rejected)),
        Ok(v1::Verdict::Inconclusive) => Ok(Some(Verdict::Inconclusive)),
        Err(_) => Err(unknown(field)),
    }
}
