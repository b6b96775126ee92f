//! A pair of the ledger as texts that other programs read: PGN, a game each; EPD, a position each; and
//! the record of the game itself, where it has one.
//!
//! A game whose moves are not kept is a PGN game without moves and gives nothing else.

use crate::epd::{Operand, Record};
use crate::othello::{self, Othello};
use crate::pgn::{Outcome, Pgn};
use crate::{FenError, Game, MoveError, MoveText, for_game};
use model::evals::{MoveEval, MoveTime};
use model::lease::PairIndex;
use model::view::{GameView, PairView, RunView};
use model::{GameKind, GameScore};
use std::fmt::Write;

/// A stored game that is none.
#[derive(Debug, thiserror::Error)]
#[error("pair {pair}: {why}")]
pub struct RecordError {
    /// The pair.
    pub pair: PairIndex,
    /// What is wrong with it.
    #[source]
    pub why: NoGame,
}

/// What is wrong with a stored game.
#[derive(Debug, thiserror::Error)]
pub enum NoGame {
    /// Its opening is no position.
    #[error(transparent)]
    Opening(#[from] FenError),
    /// A move is none, or not legal.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A text cannot be written in this form.
    #[error("{0}")]
    Text(String),
}

/// Both games of a pair as PGN, each with an empty line after it.
///
/// # Errors
/// A game is none.
pub fn pgn(run: &RunView, pair: &PairView) -> Result<String, RecordError> {
    let game = |which| for_game!(run.spec.game, G => pgn_of::<G>(run, pair, which));
    both(pair, game)
}

/// A line for each position of both games that was played from.
///
/// # Errors
/// A game is none.
pub fn epd(run: &RunView, pair: &PairView) -> Result<String, RecordError> {
    let game = |which| for_game!(run.spec.game, G => epd_of::<G>(pair, which));
    both(pair, game)
}

/// Both games in the form that programs of their own kind exchange, a line each: GGF for othello, and
/// for the others the `position` line of their protocol (UCI, UCCI, USI).
///
/// # Errors
/// A game is none.
pub fn own(run: &RunView, pair: &PairView) -> Result<String, RecordError> {
    let game = |which: Side| match (&which.of(pair).moves, run.spec.game) {
        (None, _) => Ok(String::new()),
        (Some(moves), GameKind::Othello) => ggf(pair, which, moves),
        (Some(moves), game) => {
            let word = if game == GameKind::Shogi { "sfen" } else { "fen" };
            // As it was stored it need not be written as this crate writes it.
            let start = for_game!(game, G => G::from_fen(&pair.opening)?.to_fen());
            let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
            Ok(format!("position {word} {start}{moves}\n"))
        }
    };
    both(pair, game)
}

/// The positions of a game as texts, from its opening on: one more than moves.
///
/// # Errors
/// A game is none.
pub fn positions(game: GameKind, opening: &str, moves: &str) -> Result<Vec<String>, NoGame> {
    fn of<G: Game>(opening: &str, moves: &str) -> Result<Vec<String>, NoGame> {
        let mut position = G::from_fen(opening)?;
        let mut seen = vec![position.to_fen()];
        for text in moves.split_ascii_whitespace() {
            let mv = position.move_from_text(text)?;
            position.make(mv);
            seen.push(position.to_fen());
        }
        Ok(seen)
    }
    for_game!(game, G => of::<G>(opening, moves))
}

fn both(
    pair: &PairView,
    game: impl Fn(Side) -> Result<String, NoGame>,
) -> Result<String, RecordError> {
    let named = |why| RecordError { pair: pair.pair, why };
    Ok(game(Side::CandidateFirst).map_err(named)? + &game(Side::BaseFirst).map_err(named)?)
}

/// Which of the two games.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    CandidateFirst,
    BaseFirst,
}

impl Side {
    fn of(self, pair: &PairView) -> &GameView {
        match self {
            Side::CandidateFirst => &pair.candidate_first,
            Side::BaseFirst => &pair.base_first,
        }
    }

    fn number(self) -> u32 {
        match self {
            Side::CandidateFirst => 1,
            Side::BaseFirst => 2,
        }
    }

    /// Whether the candidate has the pieces of the side that begins in the initial position.
    fn candidate_is_white<G: MoveText>(self, opening: &G) -> bool {
        opening.first_to_move() == (self == Side::CandidateFirst)
    }
}

fn outcome(score: GameScore, candidate_is_white: bool) -> Outcome {
    match (score, candidate_is_white) {
        (GameScore::Draw, _) => Outcome::Draw,
        (GameScore::Win, true) | (GameScore::Loss, false) => Outcome::WhiteWins,
        (GameScore::Win, false) | (GameScore::Loss, true) => Outcome::BlackWins,
    }
}

fn pgn_of<G: MoveText>(run: &RunView, pair: &PairView, which: Side) -> Result<String, NoGame> {
    let game = which.of(pair);
    let mut pgn = Pgn::<G>::from_fen(&pair.opening)?;
    let white = which.candidate_is_white(pgn.start());
    let players = if white { ["candidate", "base"] } else { ["base", "candidate"] };
    let tags = [
        ("Event", format!("{} {}: {}", run.kind, run.id, model::printable(&run.spec.name, 120))),
        ("Site", format!("worker {}", pair.worker)),
        ("Date", day(pair.merged_at_unix_ms)),
        ("Round", format!("{}.{}", pair.pair, which.number())),
        ("White", players[0].to_owned()),
        ("Black", players[1].to_owned()),
        ("Termination", game.termination.name().to_owned()),
        ("PlyCount", game.plies.to_string()),
        ("Nodes", game.nodes.to_string()),
        match &run.spec.players {
            None => ("NodesPerMove", run.spec.limit.nodes.to_string()),
            Some(players) => ("Means", players.to_string()),
        },
    ];
    for (name, value) in tags {
        pgn.set_tag(name, &value).map_err(|e| NoGame::Text(e.to_string()))?;
    }
    pgn.set_outcome(outcome(game.score, white));
    match &game.moves {
        None => pgn.add_comment("the moves are not kept"),
        Some(moves) => {
            for (ply, text) in moves.split_ascii_whitespace().enumerate() {
                let mv = pgn.position().move_from_text(text)?;
                pgn.push(mv).map_err(|e| NoGame::Text(e.to_string()))?;
                if let Some(eval) = game.evals.get(ply) {
                    pgn.add_comment(&comment(eval, game.times.get(ply)));
                }
            }
        }
    }
    Ok(format!("{pgn}\n"))
}

/// Score in pawns for the side that moved, depth, nodes, time if it is known: `+0.35/12 1000n 0.0021s`.
fn comment(eval: &MoveEval, time: Option<&MoveTime>) -> String {
    let MoveEval { score, depth, nodes } = eval;
    let time = time.map_or_else(String::new, |time| format!(" {}s", time.seconds()));
    format!("{:+.2}/{depth} {nodes}n{time}", f64::from(score.0) / 100.0)
}

fn epd_of<G: MoveText>(pair: &PairView, which: Side) -> Result<String, NoGame> {
    let game = which.of(pair);
    let mut lines = String::new();
    let Some(moves) = &game.moves else { return Ok(lines) };
    let mut position = G::from_fen(&pair.opening)?;
    let result = outcome(game.score, which.candidate_is_white(&position)).token();
    let word = |text: String| vec![Operand::Word(text)];
    for (ply, text) in moves.split_ascii_whitespace().enumerate() {
        let mv = position.move_from_text(text)?;
        let mut record = Record::new(position.clone());
        let mut operations = vec![
            ("c0", vec![Operand::Quoted(result.to_owned())]),
            ("id", vec![Operand::Quoted(format!("{}.{}.{ply}", pair.pair, which.number()))]),
            ("sm", word(position.write_move(mv))),
        ];
        if let Some(MoveEval { score, depth, nodes }) = game.evals.get(ply) {
            operations.push(("acd", word(depth.to_string())));
            operations.push(("acn", word(nodes.to_string())));
            operations.push(("ce", word(score.0.to_string())));
        }
        for (opcode, operands) in operations {
            record.set(opcode, operands).map_err(|e| NoGame::Text(e.to_string()))?;
        }
        let _ = writeln!(lines, "{record}");
        position.make(mv);
    }
    Ok(lines)
}

/// A game of othello as GGF (M. Buro and I. Durdanovic): its board, who played, the difference of discs
/// for Black, and the moves with what the search said of them.
fn ggf(pair: &PairView, which: Side, moves: &str) -> Result<String, NoGame> {
    let game = which.of(pair);
    let mut position = Othello::from_fen(&pair.opening)?;
    let black = which.candidate_is_white(&position);
    let players = if black { ["candidate", "base"] } else { ["base", "candidate"] };
    let board = position.to_fen().replace('X', "*");
    let mut text = String::new();
    for (ply, word) in moves.split_ascii_whitespace().enumerate() {
        let mv = position.move_from_text(word)?;
        let side = if position.side_to_move() == othello::Side::Black { 'B' } else { 'W' };
        let place = if word == "pass" { "PA".to_owned() } else { word.to_uppercase() };
        let said =
            game.evals.get(ply).map(|eval| format!("/{:.2}", f64::from(eval.score.0) / 100.0));
        let took = game.times.get(ply).map(|time| format!("/{}", time.seconds()));
        let said = said.map(|said| said + took.as_deref().unwrap_or_default());
        let _ = write!(text, "{side}[{place}{}]", said.unwrap_or_default());
        position.make(mv);
    }
    let discs = |side| i64::from(position.discs(side).count_ones());
    let difference = discs(othello::Side::Black) - discs(othello::Side::White);
    Ok(format!(
        "(;GM[Othello]PC[Elomill]DT[{}]PB[{}]PW[{}]RE[{difference:+}]TY[8]BO[8 {board}]{text};)\n",
        day(pair.merged_at_unix_ms),
        players[0],
        players[1],
    ))
}

/// The day of a time in UTC, as PGN writes it: `2026.11.30`.
///
/// Days are counted into the eras of 400 years of the Gregorian calendar (H. Hinnant, 2013).
fn day(unix_ms: i64) -> String {
    let days = unix_ms.div_euclid(86_400_000) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chess::Chess, pgn};
    use model::spec::{Canaries, GameLimit, Job, Keep, RunSpec, TestSpec};
    use model::view::{LeaseCounts, ProgressView, RunState, TestView};
    use model::{Nodes, Pairs, ParameterSet, Ply, RunId, Score, Tally, Termination, WorkerId};

    const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1";

    /// Who begins mates in the first game; the moves of the second are not kept.
    fn pair(opening: &str, moves: &str) -> PairView {
        let eval = |score| MoveEval { score: Score(score), depth: 9, nodes: Nodes(1000) };
        let game = |score, moves: Option<&str>| GameView {
            score,
            termination: Termination::NoMove,
            plies: Ply(3),
            nodes: Nodes(3000),
            moves: moves.map(str::to_owned),
            evals: if moves.is_some() { vec![eval(35), eval(-120), eval(29_999)] } else { vec![] },
            // Of the last move nobody knows what it took.
            times: if moves.is_some() {
                vec![MoveTime(2_100), MoveTime(1_000_000)]
            } else {
                vec![]
            },
        };
        PairView {
            run: RunId(3),
            pair: PairIndex(7),
            worker: WorkerId(2),
            merged_at_unix_ms: 1_796_083_200_000,
            opening: opening.to_owned(),
            candidate_first: game(GameScore::Win, Some(moves)),
            base_first: game(GameScore::Loss, None),
        }
    }

    fn run(game: GameKind) -> RunView {
        let job = Job::Test(TestSpec {
            candidate: ParameterSet::default(),
            base: ParameterSet::default(),
            candidate_run: None,
            sprt: None,
            max_pairs: Pairs(100),
            futility: 0.0,
        });
        let limit = GameLimit::new(Nodes(1000), Ply(200), 64);
        RunView {
            id: RunId(3),
            kind: job.kind().to_owned(),
            spec: RunSpec {
                name: "t".to_owned(),
                game,
                seed: 1,
                weight: 1.0,
                limit,
                book: "0".repeat(64),
                book_order: model::spec::BookOrder::Random,
                lease_pairs: 8,
                lease_seconds: 60,
                keep: Keep::default(),
                players: None,
                canaries: Canaries::default(),
                job,
            },
            state: RunState::Running,
            state_reason: String::new(),
            created_at_unix_ms: 0,
            ended_at_unix_ms: None,
            asked_pairs: 100,
            counted_pairs: 8,
            leased_pairs: 0,
            tally: Tally::default(),
            pairs_per_second: 0.0,
            eta_seconds: None,
            leases: LeaseCounts::default(),
            reports: 1,
            excluded_pairs: 0,
            excluded_reports: 0,
            audited_pairs: 0,
            mismatched_pairs: 0,
            recorded_llr: None,
            warning: String::new(),
            progress: ProgressView::Test(TestView {
                llr: None,
                lower: None,
                upper: None,
                elo: 0.0,
                elo_low: 0.0,
                elo_high: 0.0,
                normalized_elo: 0.0,
                los: 0.5,
                corrected: None,
                outlook: None,
                verdict: None,
                trace: Vec::new(),
            }),
        }
    }

    #[test]
    fn a_pair_becomes_two_games_that_can_be_read_again() {
        let text = super::pgn(&run(GameKind::Chess), &pair(OPENING, "e7e5 g2g4 d8h4")).unwrap();
        assert!(text.contains("1... e5 {+0.35/9 1000n 0.0021s}"), "{text}");
        let games: Vec<_> = pgn::games::<Chess>(&text).collect::<Result<_, _>>().unwrap();
        let [first, second] = &games[..] else { panic!("two games, not {}", games.len()) };
        assert_eq!(first.outcome(), Outcome::BlackWins);
        assert_eq!((first.tag("Black"), first.tag("White")), (Some("candidate"), Some("base")));
        assert_eq!((first.moves().len(), first.tag("Round")), (3, Some("7.1")));
        assert_eq!(first.tag("Date"), Some("2026.12.01"));
        // The candidate is White there and lost.
        assert_eq!((second.outcome(), second.moves().len()), (Outcome::BlackWins, 0));
        assert_eq!(second.tag("White"), Some("candidate"));
    }

    #[test]
    fn positions_are_lines_with_the_move_its_value_and_the_result() {
        let text = super::epd(&run(GameKind::Chess), &pair(OPENING, "e7e5 g2g4 d8h4")).unwrap();
        let lines: Vec<_> = crate::epd::records::<Chess>(&text).collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[1].number::<i32>("ce"), Some(-120));
        assert_eq!(lines[1].operands("c0").unwrap()[0].text(), "0-1");
        let mut position = Chess::from_fen(OPENING).unwrap();
        position.make(position.move_from_text("e7e5").unwrap());
        assert_eq!(lines[1].moves("sm").unwrap(), [position.move_from_text("g2g4").unwrap()]);
    }

    #[test]
    fn each_game_has_a_record_that_its_own_programs_read() {
        let text = own(&run(GameKind::Chess), &pair(OPENING, "e7e5 g2g4 d8h4")).unwrap();
        assert_eq!(text, format!("position fen {OPENING} moves e7e5 g2g4 d8h4\n"));
        let start = crate::shogi::Shogi::start().to_fen();
        let text = own(&run(GameKind::Shogi), &pair(&start, "7g7f")).unwrap();
        assert_eq!(text, format!("position sfen {start} moves 7g7f\n"));
        let start = Othello::start().to_fen();
        let text = own(&run(GameKind::Othello), &pair(&start, "f5 d6 c3")).unwrap();
        assert!(text.contains("PB[candidate]PW[base]RE[+3]"), "{text}");
        assert!(text.contains("B[F5/0.35/0.0021]W[D6/-1.20/1]B[C3/299.99]"), "{text}");
        let read = othello::ggf::read(&text).unwrap();
        assert_eq!(read.record.moves.len(), 3, "{text}");
    }

    #[test]
    fn a_game_is_as_many_positions_as_moves_and_one_more() {
        let seen = positions(GameKind::Chess, OPENING, "e7e5 g2g4").unwrap();
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[0], OPENING);
        assert!(seen[2].starts_with("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/"), "{seen:?}");
        assert!(positions(GameKind::Chess, OPENING, "e7e4").is_err());
        assert!(positions(GameKind::Chess, "nothing", "").is_err());
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (unix_ms, expected) in [
            (0, "1970.01.01"),
            (-1, "1969.12.31"),
            (951_782_400_000, "2000.02.29"),
            (951_868_800_000, "2000.03.01"),
            (4_107_456_000_000, "2100.02.28"),
        ] {
            assert_eq!(day(unix_ms), expected);
        }
    }
}
