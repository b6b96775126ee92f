//! The shapes of what is told: the JSON of the pages' questions.

use super::lineage::Strength;
use model::lease::PairIndex;
use model::view::{TuneView, WorkerView};
use model::{RunId, Tally, WorkerId};
use serde::Serialize;

/// What is told of one run.
#[derive(Debug, Serialize)]
pub struct Breakdown {
    /// By worker, who brought most first.
    pub workers: Vec<Share>,
    /// How games ended.
    pub terminations: Vec<Ended>,
    /// Which openings decide.
    pub openings: Openings,
    /// How late its reports are; none before the first.
    pub lateness: Option<Lateness>,
    /// What was done to it, oldest first.
    pub events: Vec<Done>,
}

/// What one worker brought to one run.
#[derive(Debug, Serialize)]
pub struct Share {
    /// The run.
    pub run: RunId,
    /// Its name.
    pub run_name: String,
    /// Its kind.
    pub kind: String,
    /// The worker.
    pub worker: WorkerId,
    /// Its name.
    pub worker_name: String,
    /// Whose it is, if its key is known.
    pub owner: Option<String>,
    /// Pairs and games.
    pub tally: Tally,
    /// Pairs.
    pub pairs: u64,
    /// Strength by these pairs alone; none in a tune, which has no two sides.
    pub strength: Option<Strength>,
    /// What the LLR is more than it were without these pairs, in a test.
    pub llr_moved: Option<f64>,
    /// Milliseconds since 1970, UTC.
    pub last_unix_ms: i64,
}

/// Games that ended for one reason.
#[derive(Debug, Serialize)]
pub struct Ended {
    /// Why.
    pub reason: &'static str,
    /// Won by the candidate.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// How the openings of a run came out.
#[derive(Debug, Default, Serialize)]
pub struct Openings {
    /// Positions of the book.
    pub book: usize,
    /// Those that were played.
    pub played: usize,
    /// Pairs that were looked at: the first ones of the run.
    pub pairs: u64,
    /// Openings both of whose games one side won with the same colours, over all pairs: won from both
    /// sides by who moved first, or second.
    pub even_pairs: u64,
    /// The best for the candidate and the worst, by the sum of their scores over a half.
    pub told: Vec<OpeningShare>,
}

/// One opening.
#[derive(Debug, Serialize)]
pub struct OpeningShare {
    /// Its position.
    pub opening: String,
    /// Pairs played from it.
    pub pairs: u64,
    /// Mean score of the candidate, 0 to 1.
    pub score: f64,
    /// One of its pairs, to be looked at.
    pub pair: PairIndex,
}

/// How many pairs of the run were merged between the lease of a report and the report, over the last
/// reports: in a tune the optimiser had moved on by so many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lateness {
    /// Reports looked at.
    pub reports: usize,
    /// Half of them saw no more.
    pub median_pairs: u64,
    /// Nine of ten saw no more.
    pub q90_pairs: u64,
    /// Mean time between lease and report, seconds.
    pub mean_seconds: f64,
}

/// Something that was done to a run.
#[derive(Debug, Serialize)]
pub struct Done {
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
    /// What.
    pub event: String,
    /// Why.
    pub reason: String,
}

/// A tune as it stood after some of its pairs.
#[derive(Debug, Serialize)]
pub struct Iteration {
    /// Pairs counted by then: the last report that fits.
    pub pairs: u64,
    /// Reports merged by then.
    pub reports: u64,
    /// How it stood, recomputed from the ledger; without its trace.
    pub state: TuneView,
    /// What the next report played; none after the last one.
    pub next: Option<NextReport>,
}

/// What a tune has won.
#[derive(Debug, Serialize)]
pub struct TuneGain {
    /// Pairs of this tune that it is read off; those of forks before it are seen as well.
    pub pairs: u64,
    /// The present point above the start; none where it is not known.
    pub strength: Option<Strength>,
    /// Why it is not.
    pub why: String,
}

/// The way of a candidate of a race.
#[derive(Debug, Serialize)]
pub struct CandidateCurve {
    /// The candidate.
    pub name: String,
    /// At most 257 points, the first at no pairs, the last the present one.
    pub points: Vec<CurvePoint>,
}

/// A point on the way of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Pairs of this candidate.
    pub pairs: u64,
    /// Its log-likelihood ratio then.
    pub llr: f64,
}

/// A report with the two points that it played.
#[derive(Debug, Serialize)]
pub struct NextReport {
    /// The worker.
    pub worker: WorkerId,
    /// First pair of its lease.
    pub first_pair: PairIndex,
    /// Its pairs and games, for the plus side.
    pub tally: Tally,
    /// The values of the plus side, in the order of the specification.
    pub plus: Vec<f64>,
    /// The values of the minus side.
    pub minus: Vec<f64>,
    /// Half their distance, on the scale of each parameter.
    pub c: Vec<f64>,
    /// +1 where plus stands above, −1 where it stands below.
    pub flips: Vec<i8>,
}

/// Workers of one owner, or a single one, with everything that is known of them.
#[derive(Debug, Serialize)]
pub struct Hands {
    /// Whose they are.
    pub owner: Option<String>,
    /// The workers.
    pub workers: Vec<WorkerView>,
    /// What they have out now.
    pub out: Vec<Out>,
    /// What they brought, newest run first.
    pub shares: Vec<Share>,
    /// Their newest refused reports.
    pub refusals: Vec<Refused>,
}

/// Leases that a worker has out.
#[derive(Debug, Serialize)]
pub struct Out {
    /// The worker.
    pub worker: WorkerId,
    /// The run.
    pub run: RunId,
    /// Its name.
    pub run_name: String,
    /// How many leases.
    pub leases: u64,
    /// Pairs of theirs that are not in the ledger yet.
    pub pairs: u64,
}

/// A report that was refused.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// The run.
    pub run: RunId,
    /// Milliseconds since 1970, UTC.
    pub at_unix_ms: i64,
    /// Why.
    pub reason: String,
}
