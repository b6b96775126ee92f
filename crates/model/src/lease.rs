//! A lease, what is asked in it, and what comes back.

use crate::evals::{MoveEval, MoveTime};
use crate::{GameKind, GameScore, LeaseId, Nodes, PairOutcome, ParameterSet, Ply, RunId};
use crate::{Tally, Termination, spec::GameLimit, spec::Players};
use serde::{Deserialize, Serialize};

/// The place of a pair in its run, from 0. It alone decides the opening, so that no opening comes
/// twice before the book is exhausted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct PairIndex(pub u64);

impl std::fmt::Display for PairIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Consecutive pairs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairRange {
    /// The first pair.
    pub first: PairIndex,
    /// How many pairs; at least 1.
    pub count: u32,
}

impl PairRange {
    /// The place of a pair inside the range, if it is in it.
    #[must_use]
    pub fn offset_of(self, index: PairIndex) -> Option<usize> {
        let offset = index.0.checked_sub(self.first.0)?;
        (offset < u64::from(self.count)).then_some(usize::try_from(offset).ok()?)
    }

    /// The first pair after the range.
    #[must_use]
    pub fn end(self) -> PairIndex {
        PairIndex(self.first.0 + u64::from(self.count))
    }

    /// Every pair of the range.
    pub fn iter(self) -> impl Iterator<Item = PairIndex> {
        (self.first.0..self.end().0).map(PairIndex)
    }
}

/// How a lease ended; each ends in exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseEnd {
    /// Every pair was reported and merged.
    Completed,
    /// The worker gave the rest back.
    Returned,
    /// The worker went silent and the rest was leased to another.
    Expired,
    /// The run, or the candidate of a race that it played, was decided before the lease ended.
    Revoked,
}

impl LeaseEnd {
    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LeaseEnd::Completed => "completed",
            LeaseEnd::Returned => "returned",
            LeaseEnd::Expired => "expired",
            LeaseEnd::Revoked => "revoked",
        }
    }
}

/// One pair to play: its place in the run and the opening position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The pair.
    pub index: PairIndex,
    /// The position text from which both games start.
    pub position: String,
}

/// What a worker is asked to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkOrder {
    /// The lease.
    pub lease: LeaseId,
    /// Which issue of these pairs this is, from 1; a report of an older epoch is refused.
    pub epoch: u32,
    /// The run it belongs to.
    pub run: RunId,
    /// The game.
    pub game: GameKind,
    /// The pairs with their openings.
    pub openings: Vec<Opening>,
    /// Parameters of the candidate; in a tune, the upper probe.
    pub candidate: ParameterSet,
    /// Parameters of the base; in a tune, the lower probe.
    pub base: ParameterSet,
    /// How far a search may go.
    pub limit: GameLimit,
    /// Whether what the searches say shall come with the games.
    #[serde(default)]
    pub record_evals: bool,
    /// Who plays, where it is not the engine built in on both sides under `limit.nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
}

/// One game as it was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The result for the candidate.
    pub score: GameScore,
    /// Why the game ended.
    pub termination: Termination,
    /// Half-moves played from the opening.
    pub plies: Ply,
    /// Nodes searched by both sides.
    pub nodes: Nodes,
    /// The moves in UCI form, separated by one space.
    pub moves: String,
    /// What the search said of each of them; empty where that is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evals: Vec<MoveEval>,
    /// What each of them took; empty where that is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<MoveTime>,
}

/// One finished pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairRecord {
    /// Which pair.
    pub index: PairIndex,
    /// The game in which the candidate moved first.
    pub candidate_first: GameRecord,
    /// The game in which the base moved first.
    pub base_first: GameRecord,
}

impl PairRecord {
    /// The five-way score of the pair.
    #[must_use]
    pub fn outcome(&self) -> PairOutcome {
        PairOutcome { first: self.candidate_first.score, second: self.base_first.score }
    }
}

/// Why a report was refused and counts against its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// It contradicts its lease or itself: pairs that were not leased, sums that are none.
    Contradiction,
    /// A move is not legal from the leased opening on, or no move at all.
    IllegalMove,
    /// Moves follow where the game is over.
    AfterTheEnd,
    /// The game could go on where it stops.
    Unfinished,
    /// The game ends, and with another result.
    WrongResult,
    /// The game ends, and for another reason.
    WrongTermination,
    /// The moves are more or fewer than is said.
    WrongLength,
}

impl RefusalReason {
    /// The stable name used in the ledger and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RefusalReason::Contradiction => "contradiction",
            RefusalReason::IllegalMove => "illegal_move",
            RefusalReason::AfterTheEnd => "after_the_end",
            RefusalReason::Unfinished => "unfinished",
            RefusalReason::WrongResult => "wrong_result",
            RefusalReason::WrongTermination => "wrong_termination",
            RefusalReason::WrongLength => "wrong_length",
        }
    }
}

/// What came back for a lease: numbered, cumulative, and safe to send twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The lease.
    pub lease: LeaseId,
    /// Its epoch.
    pub epoch: u32,
    /// Number of the report within the lease, from 1, growing.
    pub sequence: u32,
    /// All pairs of the lease that are finished, those of earlier reports included.
    pub cumulative: Tally,
    /// The pairs that were not acknowledged when the report left.
    pub pairs: Vec<PairRecord>,
}

impl GameRecord {
    /// Where another record of what should be the same game differs, in words; none where it is the
    /// same game. Nodes, values and times are not compared: they say nothing of who won.
    #[must_use]
    pub fn differs(&self, other: &GameRecord) -> Option<String> {
        let moves =
            |game: &GameRecord| game.moves.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (mine, theirs) = (moves(self), moves(other));
        let place = mine.iter().zip(&theirs).position(|(mine, theirs)| mine != theirs);
        if let Some(place) = place {
            let text = |moves: &[String]| crate::printable(&moves[place], 12);
            return Some(format!(
                "half-move {} is {} and was {} when it was played again",
                place + 1,
                text(&mine),
                text(&theirs)
            ));
        }
        if mine.len() != theirs.len() {
            return Some(format!(
                "it has {} half-moves and had {} when it was played again",
                mine.len(),
                theirs.len()
            ));
        }
        if self.score != other.score || self.termination != other.termination {
            return Some(format!(
                "it is a {} by {} and was a {} by {} when it was played again",
                self.score.name(),
                self.termination.name(),
                other.score.name(),
                other.termination.name()
            ));
        }
        None
    }
}

impl PairRecord {
    /// Where another record of what should be the same pair differs, in words.
    #[must_use]
    pub fn differs(&self, other: &PairRecord) -> Option<String> {
        let first = self.candidate_first.differs(&other.candidate_first);
        let second = || self.base_first.differs(&other.base_first);
        first
            .map(|why| format!("candidate_first: {why}"))
            .or_else(|| second().map(|why| format!("base_first: {why}")))
    }
}
