//! Whole games in every protocol, and the oddities that no good game may founder on.

use crate::support::*;
use arena::duel::{Protocol, SideLimit};
use model::{GameKind, GameScore, Termination};

#[test]
fn oddities_of_form_do_not_matter() {
    let plain = [
        outside("odd", animal(Protocol::Uci, &[]), any_time()),
        outside("good", animal(Protocol::Uci, &[]), nodes(1)),
    ];
    let expected = pair(&duel(GameKind::Chess, plain)).expect("a pair");
    assert_eq!(expected.games[0].plies.0, 40);
    for habits in [
        &["crlf"][..],
        &["tabs"],
        &["indented"],
        &["banner", "noisy"],
        &["babbles"],
        &["surplus"],
        &["shouts"],
        &["slow"],
        &["never-leaves"],
        &["early"],
        &["odd-options"],
        &["wordless"],
        &["crlf", "tabs", "banner", "early", "odd-options", "noisy", "surplus"],
    ] {
        let entrants = [
            outside("odd", animal(Protocol::Uci, habits), any_time()),
            outside("good", animal(Protocol::Uci, &[]), nodes(1)),
        ];
        let pair = pair(&duel(GameKind::Chess, entrants)).expect("a pair");
        for (game, plain) in pair.games.iter().zip(&expected.games) {
            assert_eq!(
                (&game.moves, game.termination),
                (&plain.moves, plain.termination),
                "{habits:?}"
            );
        }
    }
}

#[test]
fn every_protocol_plays_whole_games_against_the_engine_built_in() {
    for (game, protocol, habits) in [
        (GameKind::Chess, Protocol::Uci, &[][..]),
        (GameKind::Xiangqi, Protocol::Uci, &["xiangqi"]),
        (GameKind::Xiangqi, Protocol::Ucci, &[]),
        (GameKind::Shogi, Protocol::Usi, &[]),
        (GameKind::Chess, Protocol::Xboard, &[]),
        (GameKind::Chess, Protocol::Xboard, &["bare-moves"]),
        (GameKind::Chess, Protocol::Xboard, &["san"]),
        (GameKind::Chess, Protocol::Xboard, &["edits"]),
        (GameKind::Chess, Protocol::Xboard, &["drowsy"]),
    ] {
        let entrants = [outside("zoo", animal(protocol, habits), any_time()), builtin()];
        let pair = pair(&duel(game, entrants)).expect("a pair");
        for record in &pair.games {
            let by_rule = record.termination == Termination::PlyLimit
                || (record.note.is_empty() && record.score == GameScore::Loss);
            assert!(by_rule && record.plies.0 > 4, "{game} {protocol:?} {habits:?}: {record:?}");
        }
    }
}

#[test]
fn a_clock_is_kept_in_every_protocol() {
    let clock = arena::duel::TimeControl::parse("30/600+2").expect("a time control");
    let limit = SideLimit { clock: Some(clock), ..SideLimit::default() };
    for (game, protocol) in [
        (GameKind::Chess, Protocol::Uci),
        (GameKind::Xiangqi, Protocol::Ucci),
        (GameKind::Chess, Protocol::Xboard),
    ] {
        let entrants = [outside("zoo", animal(protocol, &[]), limit), builtin()];
        let pair = pair(&duel(game, entrants)).expect("a pair");
        assert!(pair.games.iter().all(|game| game.plies.0 > 4), "{protocol:?}: {pair:?}");
    }
}

#[test]
fn what_a_protocol_cannot_do_is_refused_with_words() {
    let clock = arena::duel::TimeControl::parse("30/600").expect("a time control");
    let clock = SideLimit { clock: Some(clock), ..SideLimit::default() };
    for (game, protocol, habits, limit, part) in [
        (GameKind::Shogi, Protocol::Usi, &[][..], clock, "no moves to a time control"),
        (GameKind::Chess, Protocol::Xboard, &[], nodes(5), "no limit of nodes"),
        (GameKind::Xiangqi, Protocol::Xboard, &[], any_time(), "chess and shogi are played"),
    ] {
        let entrants = [outside("zoo", animal(protocol, habits), limit), builtin()];
        let error = pair(&duel(game, entrants)).expect_err("refused").to_string();
        assert!(error.contains(part), "{error}");
    }
    let chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    for (protocol, part) in
        [(Protocol::Uci, "does not play Chess960"), (Protocol::Xboard, "Chess960 is not played")]
    {
        let entrants = [outside("zoo", animal(protocol, &[]), any_time()), builtin()];
        let error = from(&duel(GameKind::Chess, entrants), chess960).expect_err("refused");
        assert!(error.to_string().contains(part), "{error}");
    }
    let entrants = [outside("zoo", animal(Protocol::Xboard, &["edits"]), any_time()), builtin()];
    let fen = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
    let error = from(&duel(GameKind::Chess, entrants), fen).expect_err("refused").to_string();
    assert!(error.contains("en-passant"), "{error}");
}

#[test]
fn options_are_set_before_the_first_game() {
    let mut program = animal(Protocol::Uci, &["picky"]);
    program.options = vec![("hash".to_owned(), "32".to_owned())];
    let entrants = [outside("zoo", program, any_time()), builtin()];
    let pair = pair(&duel(GameKind::Chess, entrants)).expect("a pair");
    assert!(pair.games.iter().all(|game| game.termination != Termination::Disconnect), "{pair:?}");
}

#[test]
fn records_carry_what_the_engines_thought() {
    let entrants = [outside("zoo", animal(Protocol::Uci, &[]), any_time()), builtin()];
    let mut duel = duel(GameKind::Chess, entrants);
    duel.pgn_tags = Some(vec![("Event".to_owned(), "a test".to_owned())]);
    duel.rules.max_plies = Some(6);
    let pair = pair(&duel).expect("a pair");
    let pgn = pair.games[1].pgn.as_deref().expect("asked for");
    for part in ["[Event \"a test\"]", "[White \"builtin\"]", "[Black \"zoo\"]", "{+0.17/3 "] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    let read = games::pgn::games::<games::chess::Chess>(pgn).next();
    let read = read.expect("a game").expect("reads back");
    assert_eq!(read.moves().len(), 6);
    assert_eq!(pair.games[0].nodes[0], 3000, "the line of the best move counts, not the second");
    let (insight, _) = pair.games[0].thoughts[0];
    assert_eq!(insight.score, Some(model::Score(17)), "neither line 10 to 19 nor a bound counts");
    assert_eq!(pair.games[0].thoughts.len(), 6);
    assert!(pgn.contains(", n=1000}"), "{pgn}");
}

#[test]
fn scores_end_games_where_both_or_one_say_so() {
    use arena::duel::{Adjudication, DrawRule, ResignRule};
    let scored = |habit: &str| outside(habit, animal(Protocol::Uci, &[habit]), any_time());
    let ending = |first: &str, second: &str, adjudication| {
        let mut duel = duel(GameKind::Chess, [scored(first), scored(second)]);
        duel.rules.adjudication = adjudication;
        let game = pair(&duel).expect("a pair").games[0].clone();
        (game.score, game.termination, game.plies.0)
    };
    let resign = |two_sided| Adjudication {
        resign: Some(ResignRule { move_count: 3, score: 400, two_sided }),
        ..Adjudication::OFF
    };
    let draw = Adjudication {
        draw: Some(DrawRule { move_number: 6, move_count: 2, score: 10 }),
        ..Adjudication::OFF
    };
    let (adjudicated, limit) = (Termination::Adjudication, Termination::PlyLimit);
    for (first, second, rules, expected) in [
        ("score=-500", "score=0", resign(false), (GameScore::Loss, adjudicated, 5)),
        ("score=-500", "score=0", resign(true), (GameScore::Draw, limit, 40)),
        ("score=450", "score=-500", resign(true), (GameScore::Win, adjudicated, 6)),
        ("score=-10", "score=10", draw, (GameScore::Draw, adjudicated, 12)),
        ("score=-10", "score=11", draw, (GameScore::Draw, limit, 40)),
        ("wordless", "score=0", draw, (GameScore::Draw, limit, 40)),
        ("score=-500", "score=500", Adjudication::default(), (GameScore::Draw, limit, 40)),
    ] {
        assert_eq!(ending(first, second, rules), expected, "{first} {second}");
    }
}
