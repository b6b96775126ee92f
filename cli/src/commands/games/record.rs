//! A pair as texts that other programs read: PGN, a game each, and EPD, a position each.
//!
//! A game whose moves are not kept is a PGN game without moves and gives no EPD line.

use anyhow::Context;
use games::epd::{Operand, Record};
use games::pgn::{Outcome, Pgn};
use games::{MoveText, for_game};
use model::GameScore;
use model::evals::MoveEval;
use model::view::{GameView, PairView, RunView};
use std::io::Write;

/// Writes both games of a pair, each with an empty line after it.
///
/// # Errors
/// The stream fails, or a game is none.
pub(super) fn pgn(out: &mut impl Write, run: &RunView, pair: &PairView) -> anyhow::Result<()> {
    for game in Side::BOTH {
        for_game!(run.spec.game, G => write_pgn::<G>(out, run, pair, game))
            .with_context(|| format!("pair {}", pair.pair))?;
    }
    Ok(())
}

/// Writes a line for each position of both games that was played from.
///
/// # Errors
/// The stream fails, or a game is none.
pub(super) fn epd(out: &mut impl Write, run: &RunView, pair: &PairView) -> anyhow::Result<()> {
    for game in Side::BOTH {
        for_game!(run.spec.game, G => write_epd::<G>(out, pair, game))
            .with_context(|| format!("pair {}", pair.pair))?;
    }
    Ok(())
}

/// Which of the two games.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    CandidateFirst,
    BaseFirst,
}

impl Side {
    const BOTH: [Self; 2] = [Self::CandidateFirst, Self::BaseFirst];

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

fn write_pgn<G: MoveText>(
    out: &mut impl Write,
    run: &RunView,
    pair: &PairView,
    which: Side,
) -> anyhow::Result<()> {
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
        pgn.set_tag(name, &value).map_err(|e| anyhow::anyhow!("{e}"))?;
    }
    pgn.set_outcome(outcome(game.score, white));
    match &game.moves {
        None => pgn.add_comment("the moves are not kept"),
        Some(moves) => {
            for (ply, text) in moves.split_ascii_whitespace().enumerate() {
                let mv = pgn.position().move_from_text(text)?;
                pgn.push(mv)?;
                if let Some(eval) = game.evals.get(ply) {
                    pgn.add_comment(&comment(eval));
                }
            }
        }
    }
    Ok(writeln!(out, "{pgn}")?)
}

/// Score in pawns for the side that moved, depth, nodes: `+0.35/12 1000n`.
fn comment(eval: &MoveEval) -> String {
    let MoveEval { score, depth, nodes } = eval;
    format!("{:+.2}/{depth} {nodes}n", f64::from(score.0) / 100.0)
}

fn write_epd<G: MoveText>(
    out: &mut impl Write,
    pair: &PairView,
    which: Side,
) -> anyhow::Result<()> {
    let game = which.of(pair);
    let Some(moves) = &game.moves else { return Ok(()) };
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
            record.set(opcode, operands).map_err(|e| anyhow::anyhow!("{e}"))?;
        }
        writeln!(out, "{record}")?;
        position.make(mv);
    }
    Ok(())
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
    use crate::summary::tests::test;
    use games::{Game, chess::Chess, pgn};
    use model::lease::PairIndex;
    use model::view::RunState;
    use model::{GameKind, Nodes, Ply, RunId, Score, Termination, WorkerId};

    /// Black begins, and mates.
    fn pair() -> PairView {
        let eval = |score| MoveEval { score: Score(score), depth: 9, nodes: Nodes(1000) };
        let game = |score, moves: Option<&str>| GameView {
            score,
            termination: Termination::NoMove,
            plies: Ply(3),
            nodes: Nodes(3000),
            moves: moves.map(str::to_owned),
            evals: if moves.is_some() { vec![eval(35), eval(-120), eval(29_999)] } else { vec![] },
        };
        PairView {
            run: RunId(3),
            pair: PairIndex(7),
            worker: WorkerId(2),
            merged_at_unix_ms: 1_796_083_200_000,
            opening: "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1".to_owned(),
            candidate_first: game(GameScore::Win, Some("e7e5 g2g4 d8h4")),
            base_first: game(GameScore::Loss, None),
        }
    }

    fn run() -> RunView {
        let mut run = test(3, "t", RunState::Running, None, None);
        run.spec.game = GameKind::Chess;
        run
    }

    #[test]
    fn a_pair_becomes_two_games_that_can_be_read_again() {
        let mut text = Vec::new();
        super::pgn(&mut text, &run(), &pair()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("1... e5 {+0.35/9 1000n}"), "{text}");
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
        let mut text = Vec::new();
        super::epd(&mut text, &run(), &pair()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<_> = games::epd::records::<Chess>(&text).collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[1].number::<i32>("ce"), Some(-120));
        assert_eq!(lines[1].operands("c0").unwrap()[0].text(), "0-1");
        let mut position = Chess::from_fen(&pair().opening).unwrap();
        position.make(position.move_from_text("e7e5").unwrap());
        assert_eq!(lines[1].moves("sm").unwrap(), [position.move_from_text("g2g4").unwrap()]);
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
