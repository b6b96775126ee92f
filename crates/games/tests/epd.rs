//! EPD lines: what is read and written, what is refused and how.

use games::epd::{self, EpdError, Operand, Record};
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveText};
use proptest::prelude::*;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - -";

fn read<G: Game>(line: &str) -> Record<G> {
    Record::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn operations_are_read_and_written_in_canonical_order() {
    let line = format!(
        "  {START}  id \"a \\\"quoted\\\" ; \\\\ name\"; bm h2e2   b2e2 ; acd 12; ce -35 ; fmvn 7; \
         hmvc 3; noop;"
    );
    let record = read::<Xiangqi>(&line);
    assert_eq!(record.position().to_fen(), format!("{START} 3 7"));
    let id = Operand::Quoted("a \"quoted\" ; \\ name".into());
    assert_eq!(record.operands("id"), Some(&[id][..]));
    assert_eq!(record.operands("noop"), Some(&[][..]));
    assert_eq!(record.operands("hmvc"), None, "a counter belongs to the position");
    assert_eq!(record.operands("am"), None);
    assert_eq!(record.number("acd"), Some(12_u32));
    assert_eq!(record.number("ce"), Some(-35_i32));
    assert_eq!(record.number::<u32>("ce"), None);
    assert_eq!(record.number::<u32>("id"), None);
    let canonical = format!(
        "{START} acd 12; bm h2e2 b2e2; ce -35; fmvn 7; hmvc 3; \
         id \"a \\\"quoted\\\" ; \\\\ name\"; noop;"
    );
    assert_eq!(record.to_string(), canonical);
    assert_eq!(read::<Xiangqi>(&canonical).to_string(), canonical);
}

#[test]
fn a_bare_position_with_or_without_counters_is_a_record() {
    for (line, fen, canonical) in [
        (format!("{START} 5 9"), format!("{START} 5 9"), format!("{START} fmvn 9; hmvc 5;")),
        (format!("{START} 5"), format!("{START} 5 1"), format!("{START} hmvc 5;")),
        (START.to_owned(), format!("{START} 0 1"), START.to_owned()),
        (
            format!("{START} 5 9 hmvc 5;"),
            format!("{START} 5 9"),
            format!("{START} fmvn 9; hmvc 5;"),
        ),
        (format!("{START} 5 fmvn 9;"), format!("{START} 5 9"), format!("{START} fmvn 9; hmvc 5;")),
        (START.trim_end_matches(" w - -").into(), format!("{START} 0 1"), START.to_owned()),
    ] {
        let record = read::<Xiangqi>(&line);
        assert_eq!(record.position().to_fen(), fen, "{line}");
        assert_eq!(record.to_string(), canonical, "{line}");
    }
    assert_eq!(read::<TicTacToe>("x.o/.../...").to_string(), "x.o/.../... x");
    assert_eq!(read::<TicTacToe>("x.o/.../... x bm b2;").to_string(), "x.o/.../... x bm b2;");
}

#[test]
fn moves_are_resolved_on_the_position() {
    let record = read::<Xiangqi>(&format!("{START} bm h2e2 B2-E2; pv h2e2 h9g7 h0g2; am i9i8;"));
    let position = Xiangqi::start();
    let texts: Vec<_> =
        record.moves("bm").unwrap().into_iter().map(|mv| position.move_to_text(mv)).collect();
    assert_eq!(texts, ["h2e2", "b2e2"]);
    assert_eq!(record.line_of_play("pv").unwrap().len(), 3);
    assert_eq!(record.moves("sm"), Ok(vec![]));
    let error = record.moves("pv").unwrap_err();
    assert_eq!((error.line, error.field.as_str()), (0, "pv"));
    assert!(error.found.contains("h9g7 (not legal here)"), "{error}");
    let error = record.moves("am").unwrap_err().to_string();
    assert!(error.starts_with("am: found `i9i8 (not legal here)`; allowed: a0a1 "), "{error}");
}

#[test]
fn a_file_gives_every_record_and_goes_on_after_a_bad_line() {
    let text =
        format!("# a book\n\n{START}\r\n  # more\nrubbish\n{START} bm h2e2\n{START} bm h2e2;");
    let found: Vec<_> = epd::records::<Xiangqi>(&text)
        .map(|record| record.map(|r| r.line()).map_err(|e| (e.line, e.field)))
        .collect();
    let expected = [Ok(3), Err((5, "board".to_owned())), Err((6, "bm".to_owned())), Ok(7)];
    assert_eq!(found, expected);
}

#[test]
fn the_books_of_this_repository_are_read() {
    let books = concat!(env!("CARGO_MANIFEST_DIR"), "/../../books");
    let open = |name| std::fs::read_to_string(format!("{books}/{name}")).unwrap();
    let xiangqi = open("xiangqi.epd");
    let lines = xiangqi.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for (record, line) in epd::records::<Xiangqi>(&xiangqi).zip(lines) {
        assert_eq!(record.unwrap().position().to_fen(), line);
        count += 1;
    }
    assert_eq!(count, 3000);
    let tictactoe = open("tictactoe.epd");
    assert_eq!(epd::records::<TicTacToe>(&tictactoe).filter(Result::is_ok).count(), 24);
}

#[test]
fn wrong_lines_name_the_field_and_the_character() {
    let at = |text: &str| START.chars().count() + 1 + text.chars().count() + 1;
    let column = |what: &str, before: &str| format!("{what} at column {}", at(before));
    let cases = [
        ("bm h2e2", "bm", column("the end", "bm h2e2"), "a semicolon"),
        ("bm h2e2; 3x;", "opcode", column("3", "bm h2e2; "), "a letter, then letters"),
        ("b-m h2e2;", "opcode", column("-", "b"), "a letter, then letters"),
        ("b車 h2e2;", "opcode", column("車 (U+8ECA)", "b"), "a letter, then letters"),
        ("abcdefghijklmnop 1;", "opcode", column("p", "abcdefghijklmno"), "15 characters"),
        ("bm h2e2;;", "opcode", column(";", "bm h2e2;"), "a letter"),
        ("id \"open;", "id", column("the end", "id \"open;"), "a quote at the end"),
        ("id a\"b\";", "id", column("\"", "id a"), "a word without quotes"),
        ("bm a0a1; bm a0a1;", "bm", "a second time".into(), "each opcode once"),
        ("id \"a\u{1b}b\";", "operations", column("U+001B", "id \"a"), "no control characters"),
        ("hmvc;", "hmvc", "no single number".into(), "one number"),
        ("hmvc 1 2;", "hmvc", "no single number".into(), "one number"),
        ("hmvc x;", "quiet plies", "x".into(), "0-120"),
        ("fmvn 0;", "move number", "0".into(), "1-9999"),
        ("-1 5", "quiet plies", "-1".into(), "0-120"),
        ("3 5 hmvc 4;", "hmvc", "4".into(), "3, as in the position's own counter"),
        ("3 5 7", "text after the move number", "7".into(), "nothing"),
    ];
    for (rest, field, found, allowed) in cases {
        let line = format!("{START} {rest}");
        let error = Record::<Xiangqi>::from_line(&line).expect_err(&line);
        assert_eq!((error.field.as_str(), &error.found), (field, &found), "{line}");
        assert!(error.allowed.contains(allowed), "{line}: {error}");
    }
    let board = Record::<Xiangqi>::from_line("4k4/9/9/9/9/9/4q4/9/9/3K5 w - - id \"x\";");
    assert_eq!(board.unwrap_err().found, "q at column 16");
    let long = format!("{START} id \"{}\";", "x".repeat(epd::MAX_LINE_BYTES));
    assert_eq!(Record::<Xiangqi>::from_line(&long).unwrap_err().field, "line");
    let many: String = (0..65).map(|i| format!(" a{i};")).collect();
    let error = Record::<Xiangqi>::from_line(&format!("{START}{many}")).unwrap_err();
    assert_eq!((error.field.as_str(), error.allowed.as_str()), ("a64", "at most 64 operations"));
    let numbered = epd::records::<Xiangqi>("\nx").next().unwrap().unwrap_err().to_string();
    assert_eq!(numbered, "line 2: board: found `x`; allowed: 10 ranks divided by /, not 1");
}

#[test]
fn only_what_can_be_read_back_can_be_set() {
    let mut record = Record::new(Xiangqi::start());
    let word = |text: &str| Operand::Word(text.into());
    let quoted = |text: &str| Operand::Quoted(text.into());
    record.set("c0", vec![quoted("with ; and \" and \\"), word("a")]).unwrap();
    let found = |error: EpdError| (error.field, error.found);
    for (opcode, operand, field, wrong) in [
        ("", word("a"), "opcode", "the end at column 1"),
        ("1a", word("a"), "opcode", "1 at column 1"),
        ("hmvc", word("1"), "opcode", "hmvc"),
        ("c1", word(""), "c1", "nothing"),
        ("c1", word("a b"), "c1", "a space at column 2"),
        ("c1", word("a;"), "c1", "; at column 2"),
        ("c1", word("a\""), "c1", "\" at column 2"),
        ("c1", quoted("a\nb"), "c1", "U+000A at column 2"),
    ] {
        let error = record.set(opcode, vec![operand]).unwrap_err();
        assert_eq!(found(error), (field.to_owned(), wrong.to_owned()));
    }
    assert_eq!(record.to_string(), format!("{START} c0 \"with ; and \\\" and \\\\\" a;"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_can_be_set_comes_back(
        operations in prop::collection::btree_map(
            "[a-zA-Z][a-zA-Z0-9_]{0,14}",
            prop::collection::vec(("[^\\s\";\\p{Cc}]{1,12}", "[^\\p{Cc}]{0,20}", any::<bool>()), 0..4),
            0..8,
        ),
        plies in 0..60_usize,
    ) {
        let mut position = Xiangqi::start();
        for i in 0..plies {
            let mut moves = games::MoveList::new();
            position.legal(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.make(moves[i * 7 % moves.len()]);
        }
        let mut record = Record::new(position);
        for (opcode, operands) in &operations {
            let operands = operands.iter().map(|(word, string, is_word)| {
                if *is_word { Operand::Word(word.clone()) } else { Operand::Quoted(string.clone()) }
            });
            let set = record.set(opcode, operands.collect());
            prop_assert_eq!(set.is_err(), ["hmvc", "fmvn"].contains(&opcode.as_str()));
        }
        let text = record.to_string();
        let again = Record::<Xiangqi>::from_line(&text).unwrap();
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again.position(), record.position());
        prop_assert!(again.operations().eq(record.operations()));
    }
}

#[test]
fn a_move_number_counts_pairs_of_half_moves() {
    let mut game = TicTacToe::from_fen("x../.../... o").unwrap();
    let mut numbers = Vec::new();
    for square in ["a1", "b1", "c1"] {
        numbers.push((game.first_to_move(), game.move_number()));
        game.make(game.read_move(square).unwrap());
    }
    assert_eq!(numbers, [(false, 1), (true, 2), (false, 2)]);
}
