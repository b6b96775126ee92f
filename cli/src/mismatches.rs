//! Pairs that came out otherwise when other workers played them, side by side for people.

use crate::convert::record_from_wire;
use model::lease::{GameRecord, PairRecord};
use model::{RunId, WorkerId, printable};
use proto::v1;
use serde::Serialize;

/// Records of one pair that differ.
#[derive(Debug, Serialize)]
pub(crate) struct Mismatch {
    run: RunId,
    worker: WorkerId,
    auditor: WorkerId,
    opening: String,
    difference: String,
    at_unix_ms: i64,
    claimed: PairRecord,
    found: PairRecord,
    /// Those that were asked then, in order.
    arbitrations: Vec<Arbitration>,
    /// No two have played it alike so far, and another worker is waited for.
    is_open: bool,
    /// Who played it otherwise than two others, who agree.
    refuted: Vec<WorkerId>,
}

/// How a worker played a pair about which two others differ.
#[derive(Debug, Serialize)]
struct Arbitration {
    worker: WorkerId,
    played: PairRecord,
}

impl Mismatch {
    /// From the wire.
    pub(crate) fn read(wire: v1::Mismatch) -> anyhow::Result<Self> {
        let record = |pair: Option<v1::PairRecord>| record_from_wire(pair.unwrap_or_default());
        let arbitration = |wire: v1::Arbitration| {
            let worker = WorkerId(wire.worker_id);
            anyhow::Ok(Arbitration { worker, played: record(wire.played)? })
        };
        let arbitrations = wire.arbitrations.into_iter().map(arbitration);
        Ok(Self {
            run: RunId(wire.run_id),
            worker: WorkerId(wire.worker_id),
            auditor: WorkerId(wire.auditor_id),
            opening: wire.opening,
            difference: wire.difference,
            at_unix_ms: wire.at_unix_ms,
            claimed: record(wire.claimed)?,
            found: record(wire.found)?,
            arbitrations: arbitrations.collect::<anyhow::Result<_>>()?,
            is_open: wire.is_open,
            refuted: wire.refuted_worker_ids.into_iter().map(WorkerId).collect(),
        })
    }

    /// For people, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let Self { run, worker, auditor, claimed, found, .. } = self;
        let mut lines = vec![
            format!(
                "pair {} of run {run}, reported by worker {worker}, played again by worker {auditor}:",
                claimed.index
            ),
            printable(&self.difference, 200),
            format!("from {}", printable(&self.opening, 120)),
        ];
        for (name, mine, theirs) in [
            ("candidate first", &claimed.candidate_first, &found.candidate_first),
            ("base first", &claimed.base_first, &found.base_first),
        ] {
            if mine.differs(theirs).is_some() {
                lines.extend(side_by_side(name, mine, theirs));
            }
        }
        for Arbitration { worker, played } in &self.arbitrations {
            let like = match (claimed.differs(played), found.differs(played)) {
                (None, _) => format!("as worker {} reported it", self.worker),
                (_, None) => format!("as worker {auditor} did"),
                (Some(why), _) => format!("otherwise than both: {}", printable(&why, 200)),
            };
            lines.push(format!("worker {worker} played it {like}"));
        }
        lines.push(self.standing());
        lines
    }

    fn standing(&self) -> String {
        if self.is_open {
            return "open: a worker of another owner is waited for, who can say which is right"
                .to_owned();
        }
        match &self.refuted[..] {
            [] => "closed by the release of the worker that reported it".to_owned(),
            refuted => {
                let names: Vec<String> = refuted.iter().map(ToString::to_string).collect();
                format!("settled: against worker {}", names.join(" and "))
            }
        }
    }
}

/// Half-moves before the first difference, and after it, that are shown.
const AROUND: usize = 10;

/// Two records of a game, a half-move a line, around the place where they part.
fn side_by_side(name: &str, mine: &GameRecord, theirs: &GameRecord) -> Vec<String> {
    let end = |game: &GameRecord| {
        format!("{} by {}, {}", game.score.name(), game.termination.name(), game.plies)
    };
    let moves = |game: &GameRecord| -> Vec<String> {
        game.moves.split(' ').map(|text| printable(text, 12)).collect()
    };
    let (mine_moves, their_moves) = (moves(mine), moves(theirs));
    let most = mine_moves.len().max(their_moves.len());
    let same = mine_moves.iter().zip(&their_moves).take_while(|(a, b)| a == b).count();
    let (first, last) = (same.saturating_sub(AROUND), (same + AROUND).min(most));
    let at = |moves: &[String], place: usize| moves.get(place).cloned().unwrap_or_default();
    let row = |place: usize| {
        let (left, right) = (at(&mine_moves, place), at(&their_moves, place));
        let mark = if left == right { "" } else { "  <" };
        format!("  {:>4}  {left:<12} {right}{mark}", place + 1).trim_end().to_owned()
    };
    let mut lines = vec![format!("  {name}: reported {}; again {}", end(mine), end(theirs))];
    lines.extend((first..last).map(row));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{GameScore, Nodes, Ply, Termination};

    #[test]
    fn games_that_part_are_shown_around_the_place() {
        let game = |moves: &str, score| GameRecord {
            score,
            termination: Termination::Board,
            plies: Ply(moves.split(' ').count() as u64),
            nodes: Nodes(1),
            moves: moves.to_owned(),
            evals: Vec::new(),
            times: Vec::new(),
        };
        let (mine, theirs) =
            (game("a1 b1 a2 c\u{1b}", GameScore::Win), game("a1 b1 c3", GameScore::Loss));
        let text = side_by_side("base first", &mine, &theirs).join("\n");
        assert!(text.contains("reported win by board, 4; again loss by board, 3"), "{text}");
        assert!(text.contains("     2  b1           b1\n"), "{text}");
        assert!(text.contains("     3  a2           c3  <"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
