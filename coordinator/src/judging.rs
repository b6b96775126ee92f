//! Asks the rules about every game that a worker reports.
//!
//! A report comes from a stranger. Each of its games is played through from the opening that its pair
//! was leased with, and must end where the rules end it, with the result and for the reason that is
//! said. Where games end by their scores, those that the moves came with must bear it out; whether they
//! are what was thought, nobody can see. Where a side is a program of somebody else, or has a limit of time, it can also lose by a
//! failure that no rule sees: that is believed, if it is the one to move who has failed. What passes
//! comes out with the moves in the form in which the ledger keeps them. Pure and
//! slow beside everything else here, so that sessions do it and the core does not wait.

use games::Game;
use games::chess::{Chess, Color};
use games::replay::{self, ReplayError, Replayed, Winner};
use model::lease::{GameRecord, Opening, PairIndex, PairRecord, RefusalReason, Report};
use model::spec::{PlayerSpec, Players, RunSpec};
use model::{Adjudication, GameKind, GameScore, Ply, Score, ScoreVerdict, Termination};

/// What a lease says about the games of some of its pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The game.
    pub game: GameKind,
    /// A game of this length is a draw.
    pub max_plies: Ply,
    /// The pairs asked for that are in the lease, each with its opening.
    pub openings: Vec<Opening>,
    /// What ends games by their scores.
    pub adjudication: Adjudication,
    /// By what each side can lose against no rule.
    pub failures: Failures,
}

/// By what the sides of a run can lose against no rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    candidate: SideFailures,
    base: SideFailures,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SideFailures {
    /// It can be late.
    time: bool,
    /// It is a program that can crash, fall silent, give up or say what is no move.
    program: bool,
}

impl Failures {
    /// Those of a run; none where the engine built in plays itself under a number of nodes.
    #[must_use]
    pub fn of(spec: &RunSpec) -> Self {
        Self::between(spec.players.as_ref())
    }

    /// Those of these players.
    #[must_use]
    pub fn between(players: Option<&Players>) -> Self {
        let side = |side: &PlayerSpec| SideFailures {
            time: side.limit.is_timed(),
            program: side.engine.external().is_some(),
        };
        let of = |Players { candidate, base, .. }: &Players| Self {
            candidate: side(candidate),
            base: side(base),
        };
        players.map(of).unwrap_or_default()
    }

    /// Whether it can be that a game that could go on after so many half-moves ended as is said, the
    /// candidate moving as `candidate` says: its loser had to move, or could not begin.
    fn can_end(&self, game: &GameRecord, candidate: Winner, plies: u64) -> bool {
        let candidate_lost = match game.score {
            GameScore::Loss => true,
            GameScore::Win => false,
            GameScore::Draw => return false,
        };
        let loser = if candidate_lost { self.candidate } else { self.base };
        let loser_moves_first = candidate_lost == (candidate == Winner::First);
        if plies > 0 && loser_moves_first != plies.is_multiple_of(2) {
            return false;
        }
        match game.termination {
            Termination::TimeForfeit => loser.time,
            Termination::Stall
            | Termination::Disconnect
            | Termination::IllegalMove
            | Termination::Resignation => loser.program,
            _ => false,
        }
    }
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
        if game.termination == Termination::Adjudication {
            by_score(terms.adjudication, game, candidate, replayed.plies)
                .map_err(|what| (RefusalReason::Unfinished, what))?;
            return whole(game, replayed);
        }
        if game.termination == Termination::Tablebase {
            by_table(terms, opening, game).map_err(|what| (RefusalReason::Unfinished, what))?;
            return whole(game, replayed);
        }
        if terms.failures.can_end(game, candidate, replayed.plies) {
            return whole(game, replayed);
        }
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
    whole(game, replayed)
}

/// Whether the scores of a game that could go on bear out that it was ended by them.
fn by_score(
    rules: Adjudication,
    game: &GameRecord,
    candidate: Winner,
    plies: u64,
) -> Result<(), String> {
    let verdict = match (game.score, candidate) {
        (GameScore::Draw, _) => ScoreVerdict::Draw,
        (GameScore::Win, Winner::First) | (GameScore::Loss, Winner::Second) => {
            ScoreVerdict::FirstWins
        }
        _ => ScoreVerdict::SecondWins,
    };
    let scores: Vec<Score> = game.evals.iter().map(|eval| eval.score).collect();
    if scores.len() as u64 == plies && rules.allows(verdict, &scores) {
        return Ok(());
    }
    let told = if scores.is_empty() { "no scores are told" } else { "its scores do not allow it" };
    Err(format!("found the end by adjudication after {plies} half-moves; {told}"))
}

/// Whether a table can have ended a game that could go on: few enough men, no rights to castle and, if it
/// is won, no move without progress before. What stands in the table is believed.
fn by_table(terms: &Terms, opening: &Opening, game: &GameRecord) -> Result<(), String> {
    let refuse = |what: &str| Err(format!("found the end by tablebase; {what}"));
    let Some(men) = terms.adjudication.tablebases.filter(|_| terms.game == GameKind::Chess) else {
        return refuse("the run has no tables");
    };
    let mut position = Chess::from_fen(&opening.position).map_err(|e| e.to_string())?;
    for text in game.moves.split(' ').filter(|text| !text.is_empty()) {
        let mv = position.move_from_text(text).map_err(|e| e.to_string())?;
        position.make(mv);
    }
    let found = position.occupied().len();
    if found > men {
        return refuse(&format!("{found} men are on the board; allowed: {men}"));
    }
    let castles = |color| {
        let rights = position.castle_rights(color);
        rights.short.is_some() || rights.long.is_some()
    };
    if castles(Color::White) || castles(Color::Black) {
        return refuse("there are rights to castle");
    }
    if game.score != GameScore::Draw && position.halfmove_clock() > 0 {
        return refuse("a win needs a capture or a move of a pawn just before");
    }
    Ok(())
}

/// The moves of a game whose end is right.
fn whole(game: &GameRecord, replayed: Replayed) -> Result<Vec<u8>, (RefusalReason, String)> {
    if replayed.plies != game.plies.0 {
        let what = format!("found {} half-moves; there are {}", game.plies, replayed.plies);
        return Err((RefusalReason::WrongLength, what));
    }
    Ok(replayed.code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::evals::MoveEval;
    use model::{DrawRule, LeaseId, Nodes, ResignRule, Tally};

    fn terms() -> Terms {
        // Naught has one stone; cross moves.
        let position = "x../.../..o x".to_owned();
        let openings = vec![Opening { index: PairIndex(4), position }];
        Terms {
            game: GameKind::TicTacToe,
            max_plies: Ply(20),
            openings,
            adjudication: Adjudication::default(),
            failures: Failures::default(),
        }
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
            times: Vec::new(),
        }
    }

    /// The first to move wins.
    const WON: &str = "a1 b1 a2";

    fn verdict(spoil: impl Fn(&mut PairRecord)) -> Verdict {
        verdict_on(&terms(), spoil)
    }

    fn verdict_on(terms: &Terms, spoil: impl Fn(&mut PairRecord)) -> Verdict {
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
        judge(terms, report).verdict
    }

    #[test]
    fn an_honest_pair_passes_and_its_moves_come_back() {
        let Verdict::Fair(moves) = verdict(|_| ()) else { panic!("it is honest") };
        let text = replay::moves_text(GameKind::TicTacToe, "x../.../..o x", 3, &moves[0][0]);
        assert_eq!(text.unwrap(), WON);
        assert_eq!(moves[0][0], moves[0][1]);
    }

    #[test]
    fn failures_are_believed_of_who_can_fail_and_had_to_move() {
        let (program, time) = (
            SideFailures { program: true, time: false },
            SideFailures { program: false, time: true },
        );
        let terms = Terms { failures: Failures { candidate: program, base: time }, ..terms() };
        let fair = |score, termination, moves: &str| {
            let moves = moves.to_owned();
            let verdict = verdict_on(&terms, |pair| {
                pair.candidate_first = game(score, termination, &moves);
                if moves.is_empty() {
                    pair.candidate_first.plies = Ply(0);
                }
            });
            matches!(verdict, Verdict::Fair(_))
        };
        let (won, lost) = (GameScore::Win, GameScore::Loss);
        use Termination::{Disconnect, IllegalMove, Resignation, Stall, TimeForfeit};
        for reason in [Disconnect, IllegalMove, Resignation, Stall] {
            // The candidate moves first; after two half-moves it has to move, after one the base.
            assert!(fair(lost, reason, "a1 b1"), "{reason:?}");
            assert!(!fair(lost, reason, "a1"), "{reason:?}: the base had to move");
            assert!(!fair(won, reason, "a1"), "{reason:?}: the base is built in");
            assert!(!fair(GameScore::Draw, reason, "a1 b1"), "{reason:?}");
            assert!(!fair(lost, reason, WON), "{reason:?}: the game is over by rule");
        }
        assert!(fair(won, TimeForfeit, "a1"));
        assert!(!fair(lost, TimeForfeit, "a1 b1"), "the candidate has no clock");
        // Who cannot begin loses before the first move, whoever had to make it.
        assert!(fair(lost, Disconnect, ""));
        assert!(fair(won, TimeForfeit, ""));
    }

    #[test]
    fn an_end_by_score_needs_the_rule_and_the_scores() {
        let resign = ResignRule { move_count: 1, score: 300, two_sided: false };
        let draw = DrawRule { move_number: 0, move_count: 1, score: 5 };
        let rules = Adjudication { draw: Some(draw), resign: Some(resign), tablebases: None };
        let ruled = Terms { adjudication: rules, ..terms() };
        let fair = |terms: &Terms, score, moves: &str, scores: &[i32]| {
            let eval = |score: &i32| MoveEval { score: Score(*score), ..MoveEval::default() };
            let evals: Vec<MoveEval> = scores.iter().map(eval).collect();
            let verdict = verdict_on(terms, |pair| {
                pair.candidate_first = game(score, Termination::Adjudication, moves);
                pair.candidate_first.evals.clone_from(&evals);
            });
            matches!(verdict, Verdict::Fair(_))
        };
        use GameScore::{Draw, Loss, Win};
        assert!(fair(&ruled, Loss, "a1", &[-300]));
        assert!(fair(&ruled, Win, "a1 b1", &[0, -400]));
        assert!(fair(&ruled, Draw, "a1 b1", &[5, -5]));
        assert!(!fair(&terms(), Loss, "a1", &[-300]), "the run has no such rule");
        assert!(!fair(&ruled, Loss, "a1", &[-299]));
        assert!(!fair(&ruled, Win, "a1", &[-300]), "the other side has won");
        assert!(!fair(&ruled, Draw, "a1 b1", &[6, 0]));
        assert!(!fair(&ruled, Loss, "a1", &[]), "without scores it is not believed");
        // Over by rule, whatever was thought.
        assert!(!fair(&ruled, Loss, WON, &[0, 0, -300]));
    }

    #[test]
    fn an_end_by_table_needs_few_men_and_a_fresh_count() {
        let verdict = |men, position: &str, score, moves: &str| {
            let openings = vec![Opening { index: PairIndex(4), position: position.to_owned() }];
            let adjudication = Adjudication { tablebases: men, ..Adjudication::OFF };
            let terms = Terms { game: GameKind::Chess, openings, adjudication, ..terms() };
            let game = game(score, Termination::Tablebase, moves);
            matches!(
                verdict_on(&terms, |pair| {
                    pair.candidate_first = game.clone();
                    pair.base_first = game.clone();
                }),
                Verdict::Fair(_)
            )
        };
        use GameScore::{Draw, Win};
        // A rook takes the last pawn, or steps aside.
        let (takes, quiet, ending) = ("a1a7", "a1b1", "8/p7/8/8/8/4k3/8/R3K3 w - - 0 1");
        assert!(verdict(Some(3), ending, Win, takes));
        assert!(verdict(Some(4), ending, Draw, quiet), "whatever is drawn fresh is drawn later");
        assert!(!verdict(Some(4), ending, Win, quiet), "the count is not fresh");
        assert!(!verdict(Some(3), ending, Draw, quiet), "four men are left");
        assert!(!verdict(None, ending, Win, takes), "the run has no tables");
        let castles = "8/p7/8/8/8/4k3/8/R3K2R w K - 0 1";
        assert!(!verdict(Some(5), castles, Win, takes));
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
