//! Texts of positions, moves and games: what is read, what is written, what is refused and how.

mod othello_games;

use games::Game;
use games::othello::{Move, Othello, Side, Square, ggf, obf, transcript};
use othello_games::{legal, random_game};

const START: &str = "---------------------------OX------XO--------------------------- X";

/// The first of a published endgame suite.
const FFO_40: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

/// The initial board with the letters of the Generic Game Format.
const BOARD: &str = "---------------------------O*------*O---------------------------";

#[test]
fn the_initial_position_has_the_usual_text() {
    assert_eq!(Othello::start().to_fen(), START);
    assert_eq!(Othello::from_fen(START), Ok(Othello::start()));
}

#[test]
fn letters_of_other_programs_are_read() {
    let texts = [
        START.replace('X', "*"),
        START.replace('X', "B").replace('O', "W"),
        START.to_lowercase(),
        START.replace('-', "."),
        START.replace('X', "b").replace('O', "w").replace('-', "."),
        format!("  {}\t\n", START.replace(' ', "  \t")),
    ];
    for text in texts {
        assert_eq!(Othello::from_fen(&text), Ok(Othello::start()), "{text}");
    }
    let white = START.replace(" X", " O");
    assert_eq!(Othello::from_fen(&white).map(|position| position.side_to_move()), Ok(Side::White));
}

#[test]
fn published_endgame_positions_are_read() {
    let position = Othello::from_fen(FFO_40).expect("position 40 of the FFO suite");
    assert_eq!(position.empties(), 20);
    assert_eq!(position.to_fen(), FFO_40);
    let a2 = position.move_from_text("A2").expect("the best move");
    assert_eq!(position.move_to_text(a2), "a2");
}

#[test]
fn wrong_positions_name_field_and_character() {
    let board = &START[..64];
    let cases = [
        (String::new(), "board", "nothing", "64 letters, not 0"),
        (board[1..].to_owned() + " X", "board", &board[1..61], "64 letters, not 63"),
        (format!("-{START}"), "board", "- at column 65", "after 64 letters"),
        (START.replacen('X', "q", 1), "board", "q at column 29", "X, * or B"),
        (START.replacen('X', "Х", 1), "board", "Х (U+0425) at column 29", "X, * or B"),
        (START.replacen('-', "\u{1b}", 1), "board", "U+001B at column 1", "X, * or B"),
        (START.replacen('-', "/", 1), "board", "/ at column 1", "- or ."),
        (board.to_owned(), "side to move", "nothing", "X, * or B"),
        (format!("{board} -"), "side to move", "-", "O or W"),
        (format!("{board} XO"), "side to move", "XO", "O or W"),
        (format!("{START} 1"), "text after the side to move", "1", "nothing"),
    ];
    for (text, field, found, allowed) in cases {
        let error = Othello::from_fen(&text).expect_err(&text);
        assert_eq!(error.field, field, "{error}");
        assert!(error.found.starts_with(found), "{error}");
        assert!(error.allowed.contains(allowed), "{error}");
    }
    let long = Othello::from_fen(&"X".repeat(1 << 20)).expect_err("too long");
    assert_eq!(long.found, "X at column 65");
}

#[test]
fn moves_are_read_in_either_case_and_written_in_lower_case() {
    for square in Square::all() {
        let mv = Move::place(square);
        let text = mv.to_string();
        assert_eq!(Move::from_text(&text), Some(mv));
        assert_eq!(Move::from_text(&text.to_uppercase()), Some(mv));
        assert_eq!(text, text.to_lowercase());
    }
    for text in ["pass", "PASS", "Pass", "PA", "pa", "ps", "PS"] {
        assert_eq!(Move::from_text(text), Some(Move::PASS), "{text}");
    }
    assert_eq!(Move::PASS.to_string(), "pass");
}

#[test]
fn moves_of_any_bits_are_a_square_a_pass_or_nothing() {
    for bits in 0..=u8::MAX {
        let mv = Move::from_bits(bits);
        assert!(mv == Move::default() || mv.bits() == bits);
        assert_eq!(mv.square().is_some(), (1..=64).contains(&bits));
        assert_eq!(mv == Move::PASS, bits == 65);
    }
}

#[test]
fn wrong_moves_are_told_apart() {
    let start = Othello::start();
    let cases = [
        ("", "no move text", ": the end at column 1", "a-h as the file, or pass"),
        ("d", "no move text", "d: the end at column 2", "1-8 as the rank"),
        ("d9", "no move text", "d9: 9 at column 2", "1-8 as the rank"),
        ("i3", "no move text", "i3: i at column 1", "a-h as the file, or pass"),
        ("d3x", "no move text", "d3x: x at column 3", "nothing more"),
        ("д3", "no move text", "д3: д (U+0434) at column 1", "a-h as the file, or pass"),
        ("--", "no move text", "--: - at column 1", "a-h as the file, or pass"),
        ("d4", "not legal here", "d4", "d3 c4 f5 e6"),
        ("a1", "not legal here", "a1", "d3 c4 f5 e6"),
        ("pass", "not legal here", "pass", "d3 c4 f5 e6"),
    ];
    for (text, problem, found, allowed) in cases {
        let error = start.move_from_text(text).expect_err(text);
        assert_eq!(error.problem, problem, "{error}");
        assert_eq!((error.found.as_str(), error.allowed.as_str()), (found, allowed), "{error}");
    }
    let full = Othello::from_fen(&format!("{} X", "X".repeat(64))).expect("a full board");
    let error = full.move_from_text("a1").expect_err("over");
    assert_eq!(error.allowed, "none, the game is over");
}

#[test]
fn transcripts_of_random_games_are_read_with_passes_written_or_not() {
    let mut passes = 0;
    for seed in 0..200 {
        let mut moves = Vec::new();
        let mut occupied = Vec::new();
        let end = random_game(seed, |position| {
            occupied.push((position.board().empty(), position.side_to_move()));
        });
        for pair in occupied.windows(2) {
            let placed = pair[0].0 & !pair[1].0;
            moves.push(Square::new(placed.trailing_zeros() as u8).map_or(Move::PASS, Move::place));
        }
        passes += moves.iter().filter(|mv| **mv == Move::PASS).count();
        let written: Vec<_> = moves.iter().map(Move::to_string).collect();
        let texts = [
            transcript::write(&moves),
            transcript::write(&moves).to_uppercase(),
            written.concat(),
            written.join(" "),
            written.join("\n").replace("pass", "PA"),
            written.concat().replace("pass", "ps"),
        ];
        for text in texts {
            let record = transcript::read(&text).expect(&text);
            assert_eq!(record.end(), end, "{text}");
            assert_eq!(record.moves, moves, "{text}");
        }
    }
    assert!(passes > 50, "{passes} passes");
}

#[test]
fn wrong_transcripts_name_the_place() {
    let cases = [
        ("f5d6x3", "move", 5, "x", "a-h as the file, or pass"),
        ("f5d6c", "move", 6, "the end", "1-8 as the rank"),
        ("f5 d6 c0", "move", 8, "0", "1-8 as the rank"),
        ("f5f5", "move", 3, "f5", "f4 d6 f6"),
        ("f5pass", "move", 3, "pass", "f4 d6 f6"),
        ("f5д6", "move", 3, "д (U+0434)", "a-h as the file, or pass"),
        ("f5p", "move", 3, "p", "a-h as the file, or pass"),
        ("\u{202e}", "move", 1, "U+202E", "a-h as the file, or pass"),
    ];
    for (text, field, column, found, allowed) in cases {
        let error = transcript::read(text).expect_err(text);
        assert_eq!((error.field, error.column), (field, column), "{error}");
        assert_eq!((error.found.as_str(), error.allowed.as_str()), (found, allowed), "{error}");
    }
    let long = " ".repeat(transcript::MAX_BYTES + 1);
    let error = transcript::read(&long).expect_err("too long");
    assert_eq!((error.field, error.found.as_str()), ("game", "2049 bytes"));
    assert_eq!(transcript::read("").map(|record| record.moves), Ok(vec![]));
}

#[test]
fn a_transcript_may_start_anywhere_and_stops_at_the_end_of_the_game() {
    let text = format!("XO-{} O", "-".repeat(61));
    let start = Othello::from_fen(&text).expect("a position");
    let record = transcript::read_from(start.clone(), "c1").expect("White passes");
    assert_eq!(record.start, start);
    assert_eq!(record.moves.len(), 2);
    let error = transcript::read_from(start, "c1d1").expect_err("over");
    assert_eq!(error.allowed, "none, the game is over");
}

fn game(properties: &str) -> String {
    format!(
        "(;GM[Othello]PC[server]DT[2003.1.1]PB[ann]PW[bob]RI[0]TI[15:00//02:00]TY[8]{properties};)"
    )
}

#[test]
fn a_game_in_ggf_is_read() {
    let moves = "B[F5//1.2]W[D6/-0.50/3]B[c3]W[d3//]B[ C4 /1]";
    let text = game(&format!("RE[+12.000:t]BO[8 {BOARD} *]{moves}"));
    let record = ggf::read(&text).expect("a game");
    assert_eq!((record.black.as_str(), record.white.as_str()), ("ann", "bob"));
    assert_eq!(record.result, "+12.000:t");
    assert_eq!(record.record.start, Othello::start());
    assert_eq!(record.record, transcript::read("f5d6c3d3c4").expect("the same game"));
    let spaced = text.replace(']', "]\n ").replace("*O---", "*O\n---").replace("(;", " ( ;\t");
    assert_eq!(ggf::read(&spaced), Ok(record.clone()));
    let without_board = game(moves).replace("[Othello]", "[othello]");
    assert_eq!(ggf::read(&without_board).map(|game| game.record), Ok(record.record));
}

#[test]
fn ggf_takes_the_board_and_the_passes() {
    let board = format!("XO-{}", "-".repeat(61));
    for moves in ["W[PA]B[C1]", "W[pass]B[C1]", "B[C1]"] {
        let text = game(&format!("BO[8 {board} O]{moves}"));
        let record = ggf::read(&text).expect(moves).record;
        assert_eq!(record.start.to_fen(), format!("{board} O"));
        assert_eq!(record.moves.len(), 2, "{moves}");
        assert_eq!(record.end().disc_difference(), -64);
    }
}

#[test]
fn random_games_in_ggf_are_those_of_their_transcripts() {
    for seed in 300..340 {
        let mut properties = format!("BO[8 {BOARD} *]");
        let mut before: Option<Othello> = None;
        let end = random_game(seed, |position| {
            if let Some(before) = before.replace(position.clone()) {
                let colour = if before.first_to_move() { 'B' } else { 'W' };
                let after = |mv: &Move| {
                    let mut next = before.clone();
                    next.make(*mv);
                    next == *position
                };
                let mv = legal(&before).into_iter().find(after).expect("one of the moves");
                let text = mv.to_string().to_uppercase().replace("PASS", "PA");
                properties += &format!("{colour}[{text}/1.25/0.5]");
            }
        });
        let record = ggf::read(&game(&properties)).expect("a game").record;
        assert_eq!(record.end(), end);
    }
}

#[test]
fn wrong_games_in_ggf_name_property_and_place() {
    let board = format!("BO[8 {BOARD} *]");
    let cases = [
        (String::new(), "game", "the end", "(; at the start"),
        ("GM[Othello]".into(), "game", "G", "(; at the start"),
        ("(GM[Othello];)".into(), "game", "G", "(; at the start"),
        ("(;GM[Othello]".into(), "property", "the end", "a name of 1-8 letters, or ;) at the end"),
        ("(;GM[Othello];".into(), "game", "the end", ";) at the end"),
        ("(;GM[Othello];)(;".into(), "game", "(", "one game"),
        ("(;GM[Othello".into(), "property", "Othello", "a value that ] ends"),
        ("(;GM:Othello;)".into(), "property", ":", "[ after its name"),
        ("(;GM[Chess];)".into(), "GM", "Chess", "Othello"),
        ("(;PB[a];)".into(), "GM", "nothing", "GM[Othello]"),
        ("(;\u{7}[a];)".into(), "property", "U+0007", "a name of 1-8 letters, or ;) at the end"),
        (
            "(;ABCDEFGHI[a];)".into(),
            "property",
            "ABCDEFGHI",
            "a name of 1-8 letters, or ;) at the end",
        ),
        (game("BO[10 ---]"), "BO", "10", "8 as the size of the board"),
        (game("BO[]"), "BO", "nothing", "8 as the size of the board"),
        (game("BO[8]"), "BO", "]", "64 letters and the side to move"),
        (game(&format!("BO[8 {BOARD}]")), "BO", "]", "64 letters and the side to move"),
        (game(&format!("BO[8 {BOARD} -]")), "BO", "-", "X, * or B for Black, O or W for White"),
        (game(&format!("BO[8 {BOARD} *O]")), "BO", "O", "the end of the board"),
        (
            game(&format!("BO[8 {} *]", BOARD.replace('O', "?"))),
            "BO",
            "?",
            "X, * or B for Black, O or W for White, - or . for an empty square",
        ),
        (game(&format!("{board}B[F5]{board}")), "BO", "8 --", "one board, before the moves"),
        (game(&format!("{board}{board}")), "BO", "8 --", "one board, before the moves"),
        (game("B[F5]B[D6]"), "move", "d6", "a move of White"),
        (game("B[F5]W[F5]"), "move", "f5", "f4 d6 f6"),
        (game("B[PA]"), "move", "pass", "d3 c4 f5 e6"),
        (game("B[Z5/1]"), "B", "Z", "a-h as the file, or pass"),
        (game("B[F5]W[ D]"), "W", "]", "1-8 as the rank"),
        (game("B[]"), "B", "]", "a-h as the file, or pass"),
    ];
    for (text, field, found, allowed) in cases {
        let error = ggf::read(&text).expect_err(&text);
        assert_eq!(error.field, field, "{error}");
        assert!(error.found.starts_with(found), "{error}");
        assert_eq!(error.allowed, allowed, "{error}");
        if let [character] = error.found.chars().collect::<Vec<_>>()[..] {
            assert_eq!(text.chars().nth(error.column - 1), Some(character), "{error}");
        }
    }
    let long = game(&format!("XX[{}]", "x".repeat(ggf::MAX_BYTES)));
    assert_eq!(ggf::read(&long).expect_err("too long").field, "game");
}

#[test]
fn lines_of_endgame_suites_are_read_with_their_scores() {
    let text = format!("{FFO_40}; A2:+38; C7:36 ;d8:+34;c1:-3; ");
    let problem = obf::read(&text).expect("a line");
    assert_eq!(problem.position.to_fen(), FFO_40);
    let scores: Vec<_> = problem.scores.iter().map(|(mv, n)| format!("{mv} {n}")).collect();
    assert_eq!(scores, ["a2 38", "c7 36", "d8 34", "c1 -3"]);
    assert_eq!(obf::read(FFO_40).map(|problem| problem.scores), Ok(vec![]));
}

#[test]
fn wrong_lines_of_endgame_suites_name_the_place() {
    let cases = [
        ("A2", "move", 69, "A2", "a move, a colon and its score"),
        ("A9:+1", "move", 70, "9", "1-8 as the rank"),
        ("A1:+1", "move", 69, "A1", "b1 c1 a2 a6 c6 c7 d7 f7 and 2 more"),
        ("A2:+1; a2:+1", "move", 76, "a2", "each move once"),
        ("A2:+65", "score", 72, "+65", "-64 to +64"),
        ("A2:", "score", 72, "nothing", "-64 to +64"),
        ("A2:9999999999", "score", 72, "9999999999", "-64 to +64"),
    ];
    for (rest, field, column, found, allowed) in cases {
        let error = obf::read(&format!("{FFO_40}; {rest}")).expect_err(rest);
        assert_eq!((error.field, error.column), (field, column), "{error}");
        assert_eq!(error.found, found, "{error}");
        assert_eq!(error.allowed, allowed, "{error}");
    }
    let error = obf::read("XO X; a1:+1").expect_err("no board");
    assert_eq!((error.field, error.column), ("board", 1));
    let long = format!("{FFO_40}{}", ";".repeat(obf::MAX_BYTES));
    assert_eq!(obf::read(&long).expect_err("too long").field, "game");
}
