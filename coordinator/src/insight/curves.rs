//! The ways of the candidates of a race: the LLR of each over its own pairs, from the ledger.

use super::{CandidateCurve, CurvePoint, Insight};
use crate::dispatch::fold::Fold;
use crate::dispatch::fold::trace::{TRACE_POINTS, Trace};
use crate::recover::{self, RecoverError};
use model::RunId;
use model::spec::Job;

/// A race and the ways that led to it.
pub(super) struct Raced {
    fold: Fold,
    ways: Vec<Way>,
}

/// Of one candidate.
#[derive(Clone)]
struct Way {
    pairs: u64,
    last: CurvePoint,
    trace: Trace<CurvePoint>,
}

impl Insight {
    /// The way of each candidate of a race, in their order; none if there is no such race.
    ///
    /// # Errors
    /// The ledger does not answer, or cannot be read.
    pub async fn curves(&self, id: RunId) -> Result<Option<Vec<CandidateCurve>>, RecoverError> {
        let Some(run) = self.views.run(id).await? else { return Ok(None) };
        let Job::Race(race) = &run.spec.job else { return Ok(None) };
        // One at a time: the next one finds what this one has read.
        let mut kept = self.races.lock().await;
        let exclusions = self.ledger.exclusions_in_force().await?;
        let mut raced = match kept.take(id, &exclusions) {
            Some(raced) => raced,
            None => {
                let start = CurvePoint { pairs: 0, llr: 0.0 };
                let mut way = Way { pairs: 0, last: start, trace: Trace::new() };
                way.trace.push(0, TRACE_POINTS, || start);
                let fold = recover::begin(&self.ledger, id, &run.spec).await?;
                Raced { fold, ways: vec![way; race.candidates.len()] }
            }
        };
        let Raced { fold, ways } = &mut raced;
        loop {
            let mut before = fold.tally.pairs();
            let each = |fold: &Fold| {
                let now = fold.tally.pairs();
                if let Some((place, llr)) = fold.last_candidate()
                    && let Some(way) = ways.get_mut(place)
                {
                    way.pairs += now.0 - before.0;
                    way.last = CurvePoint { pairs: way.pairs, llr };
                    way.trace.push(way.pairs, TRACE_POINTS, || way.last);
                }
                before = now;
            };
            if !recover::each_of_page(&self.ledger, id, fold, &exclusions, each).await? {
                break;
            }
        }
        let named = race.candidates.iter().zip(&raced.ways);
        let curves = named.map(|(candidate, way)| {
            let mut points = way.trace.points().to_vec();
            if points.last() != Some(&way.last) {
                points.push(way.last);
            }
            CandidateCurve { name: candidate.name.clone(), points }
        });
        let curves = curves.collect();
        kept.put(id, exclusions, raced);
        Ok(Some(curves))
    }
}
