//! When a game of xiangqi ends, why, and for whom; and the text of moves.

use games::xiangqi::{RuleSet, Xiangqi};
use games::{Game, MoveList, RuleWinner};
use model::Termination;

fn position(fen: &str) -> Xiangqi {
    Xiangqi::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn play(position: &mut Xiangqi, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = position.move_from_text(text).unwrap_or_else(|error| panic!("{error}"));
        position.make(mv);
    }
}

/// Winner and reason, by both functions of the trait.
type Verdict = Option<(RuleWinner, Termination)>;

fn verdicts(position: &Xiangqi) -> (Verdict, Verdict) {
    let pair = |result: games::RuleResult| (result.winner, result.reason);
    (position.result().map(pair), position.rule_draw_or_loss().map(pair))
}

#[test]
fn positions_end_for_the_right_reason() {
    let no_move = Some((RuleWinner::Opponent, Termination::NoMove));
    let limit = Some((RuleWinner::Draw, Termination::MoveLimit));
    let dead = Some((RuleWinner::Draw, Termination::DeadPosition));
    let cases = [
        (
            "the start goes on",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR",
            None,
            None,
        ),
        ("two rooks mate", "4k4/9/9/9/9/9/9/9/4r4/3K1r3 w", no_move, None),
        ("a stalemated king loses", "5k3/9/9/9/9/9/9/9/4r4/3K5 w - - 0 40", no_move, None),
        ("119 quiet plies go on", "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 99", None, None),
        ("120 quiet plies are a draw", "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 120 99", limit, limit),
        (
            "a mate with the 120th ply counts",
            "4k4/9/9/9/9/9/9/9/4r4/3K1r3 w - - 120 99",
            no_move,
            None,
        ),
        ("kings and guards are dead", "2bakab2/9/9/9/9/9/9/9/9/2BK1AB2 w", dead, dead),
        ("one pawn is alive", "2bakab2/9/9/9/9/9/9/9/4p4/2BK1AB2 w", None, None),
        ("an elephant more is not", "2bakab2/9/9/9/9/9/9/B8/9/2BK1A3 b", dead, dead),
    ];
    for (claim, fen, result, cheap) in cases {
        assert_eq!(verdicts(&position(fen)), (result, cheap), "{claim}: {fen}");
    }
}

#[test]
fn positions_are_dead_by_the_rule_set() {
    use RuleSet::{Asian, Computer};
    let both = [Asian, Computer];
    let computer = [Computer];
    let cases: [(&str, &[RuleSet], &str); 16] = [
        ("kings, advisors and elephants", &both, "2bakab2/9/9/9/9/9/9/9/9/2BK1AB2 w"),
        ("a cannon and no advisor", &computer, "2b1k1b2/9/9/9/9/4C4/9/4B4/9/3K5 w"),
        ("the same, the other side's", &computer, "5k3/9/4b4/9/4c4/9/9/4B4/9/4K4 w"),
        ("a bare cannon against one advisor", &computer, "3ak1b2/9/9/9/9/4C4/9/9/9/3K5 w"),
        ("its own elephant beside it", &computer, "3ak1b2/9/9/9/9/4C4/9/4B4/9/3K5 w"),
        ("a bare cannon against two advisors", &computer, "3aka3/9/9/9/9/C8/9/9/9/3K5 w"),
        ("which it mates at once", &[], "9/4a4/3ak4/9/9/9/2C6/3K5/9/9 w"),
        ("an elephant beside it, two advisors", &[], "3aka3/9/9/9/9/C8/9/4B4/9/3K5 w"),
        ("an advisor beside the cannon", &[], "4k4/9/9/9/9/4C4/9/9/4A4/3K5 w"),
        ("a cannon each and nothing else", &computer, "4k4/9/9/9/c8/8C/9/9/9/3K5 b"),
        ("a cannon each and an elephant", &computer, "4k4/9/4b4/9/c8/8C/9/9/9/3K5 b"),
        ("a cannon each and an advisor", &[], "4k4/9/9/9/c8/8C/9/9/4A4/3K5 b"),
        ("two cannons", &[], "4k4/9/9/9/9/C7C/9/9/9/3K5 w"),
        ("a pawn", &[], "4k4/9/9/9/9/p8/9/9/9/3K5 w"),
        ("a cannon and a pawn", &[], "4k4/9/9/9/9/p7C/9/9/9/3K5 w"),
        ("a horse", &[], "4k4/9/9/9/9/8n/9/9/9/3K5 w"),
    ];
    let dead = Some((RuleWinner::Draw, Termination::DeadPosition));
    for (claim, sets, fen) in cases {
        for rules in both {
            let expected = if sets.contains(&rules) { dead } else { None };
            let game = position(fen).with_rules(rules);
            assert_eq!(verdicts(&game), (expected, expected), "{claim}: {fen} {rules:?}");
        }
    }
}

#[test]
fn a_king_without_a_move_loses_out_of_check() {
    // The king on d0 may not step to e0, which faces e9, nor to d1, which the pawn on d2 attacks.
    let game = position("4k4/9/9/9/9/9/9/3p5/9/3K5 w");
    assert!(!game.in_check());
    assert_eq!(verdicts(&game), (Some((RuleWinner::Opponent, Termination::NoMove)), None));
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let mut game = Xiangqi::start();
    let cycle = "h0g2 h9g7 g2h0 g7h9";
    assert_eq!(game.repetitions(), 0);
    play(&mut game, cycle);
    assert_eq!((game.repetitions(), game.result()), (1, None));
    play(&mut game, "h0g2 h9g7 g2h0");
    assert_eq!((game.repetitions(), game.rule_draw_or_loss()), (1, None));
    play(&mut game, "g7h9");
    assert_eq!(game.repetitions(), 2);
    let draw = Some((RuleWinner::Draw, Termination::Repetition));
    assert_eq!(verdicts(&game), (draw, draw));
    game.unmake();
    assert_eq!((game.repetitions(), game.result()), (1, None));
}

#[test]
fn a_capture_or_a_pass_cuts_the_line_of_repetitions() {
    let mut game = Xiangqi::start();
    play(&mut game, "h0g2 h9g7 g2h0 g7h9");
    game.make_null();
    game.make_null();
    assert_eq!(game.repetitions(), 0, "the same board, but passed into");
    game.unmake_null();
    game.unmake_null();
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "b2b9 a9b9 h0g2 h9g7 g2h0 g7h9");
    assert_eq!((game.repetitions(), game.quiet_plies()), (1, 4));
}

#[test]
fn the_other_side_to_move_is_another_position() {
    let mut game = position("4k4/9/9/9/9/9/9/9/9/R2K5 w");
    // Red loses a move by a triangle: board as at the start, Black to move.
    play(&mut game, "a0a1 e9e8 a1a2 e8e9 a2a0");
    assert_eq!(game.repetitions(), 0);
    assert!(!game.first_to_move());
}

#[test]
fn the_move_limit_is_reached_by_playing() {
    let mut game = position("4k4/9/9/9/9/9/9/9/9/R2K5 w - - 117 80");
    play(&mut game, "a0a1 e9e8");
    assert_eq!((game.result(), game.plies_to_limit()), (None, Some(1)));
    play(&mut game, "a1a2");
    let limit = Some((RuleWinner::Draw, Termination::MoveLimit));
    assert_eq!((verdicts(&game), game.plies_to_limit()), ((limit, limit), Some(0)));
    assert_eq!(game.to_fen(), "9/4k4/9/9/9/9/9/R8/9/3K5 b - - 120 81");
}

#[test]
fn counters_follow_the_game() {
    let mut game = Xiangqi::start();
    play(&mut game, "h2e2 h9g7 e2e6");
    assert_eq!((game.quiet_plies(), game.full_move(), game.plies_made()), (0, 2, 3));
    assert!(!game.in_check(), "a cannon without a screen gives no check");
    assert!(game.to_fen().ends_with(" b - - 0 2"), "{}", game.to_fen());
    // An advisor on e8 would be the screen that the cannon waits for.
    assert!(game.move_from_text("d9e8").is_err());
    play(&mut game, "b9c7");
    assert_eq!((game.quiet_plies(), game.full_move()), (1, 3));
    assert!(game.to_fen().ends_with(" w - - 1 3"), "{}", game.to_fen());
}

#[test]
fn moves_are_read_and_written() {
    let game = Xiangqi::start();
    let mut moves = MoveList::new();
    game.legal(&mut moves);
    for &mv in moves.iter() {
        assert_eq!(game.move_from_text(&game.move_to_text(mv)), Ok(mv));
    }
    let cases = [
        ("", "no move text"),
        ("h2", "no move text"),
        ("h2e2q", "no move text"),
        ("H2E2", "no move text"),
        ("j0j1", "no move text"),
        ("将士", "no move text"),
        ("a0a0", "not legal here"),
        ("h2h9", "legal"),
        ("h2h8", "not legal here"),
        ("a9a8", "not legal here"),
        ("e4e5", "not legal here"),
    ];
    for (text, problem) in cases {
        let found = game.move_from_text(text).map_or_else(|error| error.problem, |_| "legal");
        assert_eq!(found, problem, "{text}");
    }
}

#[test]
fn a_refused_move_names_some_that_are_legal() {
    let game = position("4k4/9/9/9/9/9/9/9/9/3K5 w");
    let error = game.move_from_text("d0e0").expect_err("the kings would face each other");
    assert_eq!(error.to_string(), "move `d0e0` is not legal here; allowed: d0d1");
}

#[test]
fn a_text_that_is_no_move_names_the_character_and_its_place() {
    let game = Xiangqi::start();
    let cases = [
        ("", "`: the end at column 1`", "a-i as the file of the start"),
        ("h2z2", "`h2z2: z at column 3`", "a-i as the file of the end"),
        ("hhe2", "`hhe2: h at column 2`", "0-9 as the rank of the start"),
        ("h2e", "`h2e: the end at column 4`", "0-9 as the rank of the end"),
        ("h2e2q", "`h2e2q: q at column 5`", "nothing more"),
        ("h2車2", "`h2車2: 車 (U+8ECA) at column 3`", "a-i as the file of the end"),
    ];
    for (text, found, allowed) in cases {
        let error = game.move_from_text(text).expect_err(text).to_string();
        assert_eq!(error, format!("move {found} is no move text; allowed: {allowed}"));
    }
}
