//! PGN: what is read and written, what is refused and how, and that the next game is found.

use games::pgn::{self, Outcome, Pgn, PgnError, games};
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveList, MoveText};
use proptest::prelude::*;

const XIANGQI: &str = "\u{feff}% made for this test\r
[Event \"A \\\"quoted\\\" event \\\\ match\"]\r
[White \"Red player\"]
[Black \"\u{9ed1}\"] [Result \"0-1\"]
 [ Annotator  \"None\" ]
[Variant \"xiangqi\"]

{Both sides begin
  [%clk 1:00] slowly.} 1. h2e2 h9g7 $1 $14 ; not } closed
2.H0-G2 (2. b0c2 {worse} (2. b2c2 b9c7) b9c7 1-0) ... i9h9! 3. i0h0
% an escape with ( and {
3... h7h3?? 0-1
";

fn one<G: MoveText>(text: &str) -> Result<Pgn<G>, PgnError> {
    let mut all = games(text);
    let first = all.next().expect("a game");
    assert!(all.next().is_none(), "one game: {text}");
    first
}

fn texts<G: MoveText>(game: &Pgn<G>) -> Vec<String> {
    let mut position = game.start().clone();
    let text = |played: &pgn::Played<G::Move>| {
        let text = position.move_to_text(played.mv);
        position.make(played.mv);
        text
    };
    game.moves().iter().map(text).collect()
}

#[test]
fn a_loose_text_is_read_and_written_strictly() {
    let game = one::<Xiangqi>(XIANGQI).unwrap();
    assert_eq!(texts(&game), ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "h7h3"]);
    assert_eq!(game.tag("Event"), Some("A \"quoted\" event \\ match"));
    assert_eq!(game.tag("Date"), Some("????.??.??"));
    assert_eq!(game.tag("Result"), None);
    assert_eq!(game.outcome(), Outcome::BlackWins);
    assert_eq!(game.comment(), "Both sides begin [%clk 1:00] slowly.");
    assert_eq!(game.moves()[1].glyphs, [1, 14]);
    assert_eq!(game.moves()[1].comment, "not ) closed");
    assert_eq!((game.moves()[3].glyphs[0], game.moves()[5].glyphs[0]), (1, 4));
    assert_eq!(game.position().plies_made(), 6);
    let written = "[Event \"A \\\"quoted\\\" event \\\\ match\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"?\"]
[White \"Red player\"]
[Black \"\u{9ed1}\"]
[Result \"0-1\"]
[Annotator \"None\"]
[Variant \"Xiangqi\"]

{Both sides begin [%clk 1:00] slowly.} 1. h2e2 h9g7 $1 $14 {not ) closed} 2.
h0g2 i9h9 $1 3. i0h0 h7h3 $4 0-1
";
    assert_eq!(game.to_string(), written);
    assert_eq!(one::<Xiangqi>(written).unwrap().to_string(), written);
}

#[test]
fn a_game_that_starts_elsewhere_carries_its_position() {
    let fen = "4k4/9/9/9/9/9/9/9/9/3K1R3 b - - 3 40";
    let mut game = Pgn::<Xiangqi>::from_fen(fen).unwrap();
    for text in ["e9d9", "f0f5"] {
        let legal = game.position().read_move(text);
        assert_eq!(legal.is_ok(), text != "e9d9", "the kings would face each other");
        let mv = legal.unwrap_or_else(|_| game.position().read_move("e9e8").unwrap());
        game.push(mv).unwrap();
    }
    game.set_outcome(Outcome::Draw);
    let text = game.to_string();
    let tail = format!(
        "[Result \"1/2-1/2\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n[Variant \"Xiangqi\"]\n\n\
         40... e9e8 41. f0f5 1/2-1/2\n"
    );
    assert!(text.ends_with(&tail), "{text}");
    let again = one::<Xiangqi>(&text).unwrap();
    assert_eq!((again.start(), again.position()), (game.start(), game.position()));
}

#[test]
fn several_games_come_in_turn_and_an_error_costs_one_game_alone() {
    let text = "[Event \"1\"]\n\n1. a1 b1 *\n\n[Event \"2\"]\n[Bad\n[Site \"x\"]\n\n1. a1 *\n
[Event \"3\"]\n1. a1 {no end\n[%clk 1] 2. *\n [Event \"4\"]\n\n1. a1 a1 b1 *\n[Event \"5\"]
1. b2\n\n[Event \"6\"]\n\n* 1. c3 1-0 1. c1 (2. *\n";
    let found: Vec<_> = games::<TicTacToe>(text)
        .map(|game| match game {
            Ok(game) => Ok((game.tag("Event").unwrap().to_owned(), texts(&game).join(" "))),
            Err(error) => Err((error.game, error.line, error.column, error.field)),
        })
        .collect();
    let good = |event: &str, moves: &str| Ok((event.to_owned(), moves.to_owned()));
    let bad = |game, line, column, field: &str| Err((game, line, column, field.to_owned()));
    assert_eq!(
        found,
        [
            good("1", "a1 b1"),
            bad(2, 7, 1, "tag Bad"),
            bad(3, 12, 7, "comment"),
            bad(4, 16, 7, "move 1..."),
            good("5", "b2"),
            good("6", ""),
            good("?", "c3"),
            bad(8, 22, 19, "variation"),
        ]
    );
    assert_eq!(games::<TicTacToe>(" \n% only an escape").count(), 0);
}

#[test]
fn wrong_texts_name_game_line_column_field_and_character() {
    let fen = "[FEN \"x.o/.q./... x\"]";
    let nested = format!("1. a1 {}", "( ".repeat(33));
    let tags: String = (0..65).map(|i| format!("[T{i} \"\"]\n")).collect();
    let value = format!("[A \"{}\"]", "x".repeat(1025));
    let comment = format!("{{{}}}", "x".repeat(16 * 1024 + 1));
    let word = "x".repeat(256);
    let cases = [
        ("1. a1 z9 *", 1, 7, "move 1...", "z9: z at column 1 (no move text)", "a-c as the file"),
        ("1. a1 a1 *", 1, 7, "move 1...", "a1 (not legal here)", "b1 c1"),
        ("1. a1\n b1!!! *", 2, 2, "move 1...", "b1!!!", "!, ?, !!, ??, !? and ?!"),
        ("1. a1 \u{1b} *", 1, 7, "move 1...", "·: U+001B at column 1 (no move text)", "a-c as"),
        ("1. a1 車1", 1, 7, "move 1...", "車1: 車 (U+8ECA) at column 1 (no move text)", "a-c"),
        ("1. a1 <b1>", 1, 7, "movetext", "<", "a move, a comment, a variation"),
        ("1. a1 } b1", 1, 7, "movetext", "}", "a move, a comment"),
        ("1. a1 [A]", 1, 7, "movetext", "[", "a move, a comment"),
        ("1. a1 $256", 1, 7, "annotation glyph", "$256", "$0 to $255"),
        ("1. a1 $x", 1, 7, "annotation glyph", "$", "$0 to $255"),
        ("1. a1 (b1", 1, 7, "variation", "no end of it", "a ) after the moves"),
        ("1. a1 ) b1", 1, 7, "variation", ")", "a ( before it"),
        ("(1. a1)", 1, 1, "variation", "(", "a move before its variation"),
        (&nested, 1, 71, "variation", "one more", "at most 32 within each other"),
        ("1. a1 {no end", 1, 7, "comment", "no end of it", "a } after the comment"),
        (&comment, 1, 1, "comment", "a longer one", "at most 16384 bytes"),
        (&word, 1, 1, "movetext", "a longer one", "at most 255 bytes"),
        ("[Result \"1-0\"]\n0-1", 2, 1, "result", "0-1", "1-0, as the tag Result says"),
        ("[Result \"win\"]", 1, 1, "tag Result", "win", "1-0, 0-1, 1/2-1/2 and *"),
        ("[Variant \"Atomic\"]", 1, 1, "tag Variant", "Atomic", "TicTacToe"),
        ("[SetUp \"1\"] *", 1, 1, "tag SetUp", "1", "0, without a tag FEN"),
        (fen, 1, 1, "tag FEN, board", "q at column 6", "x, o and ."),
        ("[A \"b\"]\n[A \"c\"]", 2, 1, "tag A", "a second time", "each tag once"),
        (&tags, 65, 1, "tag T64", "one more", "at most 64 tags"),
        (&value, 1, 5, "tag A", "a longer one", "at most 1024 bytes"),
        ("[]", 1, 2, "tag name", "]", "letters, digits and _"),
        ("[A-B \"c\"]", 1, 3, "tag A", "-", "a blank and the value in quotes"),
        ("[A b]", 1, 4, "tag A", "b", "a blank and the value in quotes"),
        ("[A \"b]\n", 1, 7, "tag A", "U+000A", "a quote at the end"),
        ("[A \"b", 1, 6, "tag A", "the end", "a quote at the end"),
        ("[A \"b\"\n x]", 2, 2, "tag A", "x", "] after the value"),
        ("[A \"b\" x] [B \"c\"]", 1, 8, "tag A", "x", "] after the value"),
        ("[A \"b\u{0}\"]", 1, 6, "tag A", "U+0000", "a quote at the end"),
    ];
    for (text, line, column, field, found, allowed) in cases {
        let error = one::<TicTacToe>(text).expect_err(text);
        let place = (error.game, error.line, error.column, error.field.as_str());
        assert_eq!(place, (1, line, column, field), "{text}: {error}");
        assert_eq!(error.found, found, "{text}");
        assert!(error.allowed.contains(allowed), "{text}: {error}");
    }
    let error = one::<TicTacToe>("\n1. a1 z9").unwrap_err().to_string();
    let place = "game 1, line 2, column 7: move 1...: found `z9: z at column 1 (no move text)`; ";
    assert_eq!(error, format!("{place}allowed: a-c as the file"));
}

#[test]
fn only_what_can_be_read_back_can_be_set() {
    let mut game = Pgn::<TicTacToe>::new();
    for (name, value, field) in [
        ("", "x", "tag name"),
        ("A-B", "x", "tag name"),
        ("FEN", "x", "tag name"),
        ("A", "x\ny", "tag A"),
    ] {
        assert_eq!(game.set_tag(name, value).unwrap_err().field, field);
    }
    assert_eq!(game.set_tag("A", &"x".repeat(1025)).unwrap_err().found, "1025 bytes");
    assert_eq!(game.set_tag(&"A".repeat(256), "").unwrap_err().found, "256 bytes");
    let set = (0..64).filter(|i| game.set_tag(&format!("T{i}"), "x").is_ok()).count();
    assert_eq!(set, 64 - 10, "the roster and the derived tags count");
    let a1 = game.position().read_move("a1").unwrap();
    game.add_glyph(1);
    game.push(a1).unwrap();
    assert_eq!(game.push(a1).unwrap_err().found, "a1");
    game.add_comment(" \n ");
    game.add_comment("a\tb");
    game.add_comment("{c} \u{7f} %d [e \"f\"]");
    assert_eq!(game.moves()[0].comment, "a b {c) %d [e \"f\"]");
    (0..20).for_each(|glyph| game.add_glyph(glyph));
    let again = one::<TicTacToe>(&game.to_string()).unwrap();
    assert_eq!(again.moves(), game.moves());
    assert!(again.tags().eq(game.tags()));
}

/// A random game by the choices, with what a stranger could say about it.
fn random_game<G: MoveText>(choices: &[u16], comments: &[String]) -> Pgn<G> {
    let mut game = Pgn::<G>::new();
    for (i, choice) in choices.iter().enumerate() {
        let mut moves = MoveList::new();
        game.position().legal(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.push(moves[usize::from(*choice) % moves.len()]).expect("legal");
        if choice % 5 == 0 {
            game.add_glyph(*choice as u8);
        }
        if let Some(comment) = comments.get(i) {
            game.add_comment(comment);
        }
    }
    game
}

/// Writes, reads, and compares; lines are short but for what cannot be broken.
fn round_trip<G: MoveText>(game: &Pgn<G>) {
    let text = game.to_string();
    let again = one::<G>(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_string(), text);
    assert_eq!(again.moves(), game.moves());
    assert_eq!(again.comment(), game.comment());
    assert_eq!(again.position().hash(), game.position().hash());
    let bound = |line: &str| line.split(' ').any(|word| word.starts_with(['%', '[']));
    for line in text.lines().filter(|line| !bound(line)) {
        assert!(line.chars().count() < 80 || !line.contains(' '), "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_comes_back(
        choices in prop::collection::vec(any::<u16>(), 0..120),
        comments in prop::collection::vec("[^\\p{Cc}]{0,60}|[%;{}\\[\\]()a \"\n]{0,90}", 0..20),
    ) {
        round_trip(&random_game::<Xiangqi>(&choices, &comments));
        round_trip(&random_game::<TicTacToe>(&choices, &comments));
    }
}

#[test]
fn a_text_of_many_bad_games_takes_time_in_proportion() {
    let first = "[A \"b\"]";
    // Each would be slow in the square of its length if an error looked at the whole rest.
    for piece in
        ["[A \"b\"]\n{", "{[A \"", "1. a1 (", "[", "%\n", "x\n", "[A \"b\"]\n;", "\"", "x ", "((("]
    {
        let text = first.to_owned() + &piece.repeat(2_000_000 / piece.len());
        let found = games::<TicTacToe>(&text).count();
        assert!(found <= text.len() / piece.len(), "{piece}: {found}");
    }
}
