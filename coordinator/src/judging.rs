//! Asks the rules about every game that a worker reports.
//!
//! A report comes from a stranger. Each of its games is played through from the opening that its pair
//! was leased with, and must end where the rules end it, with the result and for the reason that is
//! said. What passes comes out with the moves in the form in which the ledger keeps them. Pure and
//! slow beside everything else here, so that sessions do it and the core does not wait.

use games::replay::{self, ReplayError, Winner};
use model::lease::{GameRecord, Opening, PairIndex, PairRecord, RefusalReason, Report};
use model::{GameKind, GameScore, Ply};

/// What a lease says about the games of some of its pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The game.
    pub game: GameKind,
    /// A game of this length is a draw.
    pub max_plies: Ply,
    /// The pairs asked for that are in the lease, each with its opening.
    pub openings: Vec<Opening>,
}

/// What the rules say about a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They were not asked: its lease was not out.
    NotAsked,
    /// Every game is one: the moves of both games of each pair, in the order of the report.
    Fair(Vec<[Vec<u8>; 2]>),
    /// A game is none.
    Foul(Foul),
}

/// What is wrong with a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foul {
    /// What kind of thing.
    pub reason: RefusalReason,
    /// For people: which game, what was found, what the rules say.
    pub detail: String,
}

/// A report about which the rules were asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The report.
    pub report: Report,
    /// What they say.
    pub verdict: Verdict,
}

/// Judges the games of a report. Of pairs that are not in the lease nothing is said: that they are not
/// is for the scheduler to say.
#[must_use]
pub fn judge(terms: &Terms, report: Report) -> Judged {
    let moves: Result<Vec<_>, Foul> = report.pairs.iter().map(|pair| fair(terms, pair)).collect();
    let verdict = match moves {
        Ok(moves) => Verdict::Fair(moves),
        Err(foul) => Verdict::Foul(foul),
    };
    Judged { report, verdict }
}

fn fair(terms: &Terms, pair: &PairRecord) -> Result<[Vec<u8>; 2], Foul> {
    let Some(opening) = terms.openings.iter().find(|opening| opening.index == pair.index) else {
        return Ok([Vec::new(), Vec::new()]);
    };
    let side = |game, name, candidate| {
        fair_game(terms, opening, game, candidate)
            .map_err(|(reason, what)| Foul { reason, detail: detail(pair.index, name, &what) })
    };
    Ok([
        side(&pair.candidate_first, "candidate_first", Winner::First)?,
        side(&pair.base_first, "base_first", Winner::Second)?,
    ])
}

fn detail(pair: PairIndex, game: &str, what: &str) -> String {
    model::printable(&format!("pair {pair}, {game}: {what}"), 400)
}

/// The moves of a game in which the candidate moves as `candidate` says.
fn fair_game(
    terms: &Terms,
    opening: &Opening,
    game: &GameRecord,
    candidate: Winner,
) -> Result<Vec<u8>, (RefusalReason, String)> {
    let replayed = replay::replay(terms.game, &opening.position, &game.moves, terms.max_plies.0)
        .map_err(|error| {
            let reason = match error {
                ReplayError::Over { .. } => RefusalReason::AfterTheEnd,
                _ => RefusalReason::IllegalMove,
            };
            (reason, error.to_string())
        })?;
    let Some(ending) = replayed.ending else {
        let claimed = game.termination.name();
        let what = format!("found the end by {claimed} after {} half-moves", replayed.plies);
        return Err((RefusalReason::Unfinished, format!("{what}; by the rules the game goes on")));
    };
    if ending.reason != game.termination {
        let (found, rules) = (game.termination.name(), ending.reason.name());
        let what = format!("found the end by {found}; by the rules it is {rules}");
        return Err((RefusalReason::WrongTermination, what));
    }
    let score = match ending.winner {
        Winner::Nobody => GameScore::Draw,
        winner if winner == candidate => GameScore::Win,
        _ => GameScore::Loss,
    };
    if score != game.score {
        let what = format!(
            "found a {} of the candidate; by the rules it is a {}",
            game.score.name(),
            score.name()
        );
        return Err((RefusalReason::WrongResult, what));
    }
    if replayed.plies != game.plies.0 {
        let what = format!("found {} half-moves; there are {}", game.plies, replayed.plies);
        return Err((RefusalReason::WrongLength, what));
    }
    Ok(replayed.code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{LeaseId, Nodes, Tally, Termination};

    fn terms() -> Terms {
        // Naught has one stone; cross moves.
        let position = "x../.../..o x".to_owned();
        let openings = vec![Opening { index: PairIndex(4), position }];
        Terms { game: GameKind::TicTacToe, max_plies: Ply(20), openings }
    }

    fn game(score: GameScore, termination: Termination, moves: &str) -> GameRecord {
        let plies = Ply(moves.split(' ').count() as u64);
        GameRecord {
            score,
            termination,
            plies,
            nodes: Nodes(1),
            moves: moves.to_owned(),
            evals: Vec::new(),
        }
    }

    /// The first to move wins.
    const WON: &str = "a1 b1 a2";

    fn verdict(spoil: impl Fn(&mut PairRecord)) -> Verdict {
        let board = Termination::Board;
        let mut pair = PairRecord {
            index: PairIndex(4),
            candidate_first: game(GameScore::Win, board, WON),
            base_first: game(GameScore::Loss, board, WON),
        };
        spoil(&mut pair);
        let report = Report {
            lease: LeaseId(1),
            epoch: 1,
            sequence: 1,
            cumulative: Tally::default(),
            pairs: vec![pair],
        };
        judge(&terms(), report).verdict
    }

    #[test]
    fn an_honest_pair_passes_and_its_moves_come_back() {
        let Verdict::Fair(moves) = verdict(|_| ()) else { panic!("it is honest") };
        let text = replay::moves_text(GameKind::TicTacToe, "x../.../..o x", 3, &moves[0][0]);
        assert_eq!(text.unwrap(), WON);
        assert_eq!(moves[0][0], moves[0][1]);
    }

    #[test]
    fn every_lie_has_its_name() {
        type Spoil = fn(&mut PairRecord);
        let cases: [(RefusalReason, &str, Spoil); 8] = [
            (RefusalReason::IllegalMove, "candidate_first: half-move 2: ", |p| {
                p.candidate_first.moves = "a1 a1 a2".to_owned();
            }),
            (RefusalReason::IllegalMove, "base_first: half-move 1: ", |p| {
                p.base_first.moves = "a3 b1 a1".to_owned();
            }),
            (RefusalReason::AfterTheEnd, "half-move 4 comes after the end", |p| {
                p.candidate_first.moves = format!("{WON} b2");
            }),
            (RefusalReason::Unfinished, "by the rules the game goes on", |p| {
                p.candidate_first.moves = "a1 b1".to_owned();
            }),
            (RefusalReason::Unfinished, "end by time_forfeit", |p| {
                p.base_first = game(GameScore::Win, Termination::TimeForfeit, "a1 b1");
            }),
            (RefusalReason::WrongTermination, "found the end by resignation", |p| {
                p.base_first.termination = Termination::Resignation;
            }),
            (RefusalReason::WrongResult, "base_first: found a win of the candidate", |p| {
                p.base_first.score = GameScore::Win;
            }),
            (RefusalReason::WrongLength, "found 5 half-moves; there are 3", |p| {
                p.candidate_first.plies = Ply(5);
            }),
        ];
        for (reason, part, spoil) in cases {
            let Verdict::Foul(foul) = verdict(spoil) else { panic!("{reason:?} passed") };
            assert_eq!(foul.reason, reason, "{}", foul.detail);
            assert!(foul.detail.contains(part), "{}", foul.detail);
        }
        // A pair of another lease is for the scheduler to refuse.
        let other = verdict(|p| p.index = PairIndex(5));
        assert_eq!(other, Verdict::Fair(vec![[Vec::new(), Vec::new()]]));
    }
}
