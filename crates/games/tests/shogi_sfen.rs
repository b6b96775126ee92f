//! Position texts of shogi: what is read, what is refused and how, and that nothing panics.

use games::Game;
use games::shogi::Shogi;
use proptest::prelude::*;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[test]
fn canonical_texts_come_back_unchanged() {
    let texts = [
        START,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 9999",
        "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 30",
        "+P+L+N+S+B+R3/9/4k4/9/9/9/4K4/9/3+p+l+n+s+b+r b - 1",
    ];
    for text in texts {
        let position = Shogi::from_fen(text).expect(text);
        assert_eq!(position.to_fen(), text);
    }
    assert_eq!(Shogi::start().to_fen(), START);
}

#[test]
fn hands_in_any_order_and_missing_fields_are_understood() {
    let cases = [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL", START),
        ("lnsgkgsnl/1r5b1/ppppppppp/45/9/333/PPPPPPPPP/1B5R1/LNSGKGSNL b", START),
        ("  lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL\tb -  0001\n", START),
        ("4k4/9/9/9/9/9/9/9/4K4 w p10PbrR 3", "4k4/9/9/9/9/9/9/9/4K4 w R10Prbp 3"),
    ];
    for (text, canonical) in cases {
        let written = Shogi::from_fen(text).map(|position| position.to_fen());
        assert_eq!(written.as_deref(), Ok(canonical));
    }
}

#[test]
fn wrong_texts_name_field_find_and_what_is_allowed() {
    let rank = |name: char, with: &str| {
        let mut ranks: Vec<_> = "4k4/9/9/9/9/9/9/9/4K4".split('/').collect();
        ranks[name as usize - 'a' as usize] = with;
        ranks.join("/")
    };
    let tail = |tail: &str| format!("4k4/9/9/9/9/9/9/9/4K4 {tail}");
    let cases = [
        (String::new(), "board", "nothing", "9 ranks divided by /, not 1"),
        ("4k4/9/9".into(), "board", "4k4/9/9", "9 ranks divided by /, not 3"),
        (rank('c', "8"), "board", "8", "9 squares on rank c"),
        (rank('c', "91"), "board", "91", "9 squares on rank c"),
        (rank('c', "999999999999999999999999999999999"), "board", "9999", "9 squares on rank c"),
        (rank('c', "rrrrrrrrrr"), "board", "rrrr", "9 squares on rank c"),
        (rank('c', ""), "board", "nothing", "9 squares on rank c"),
        (rank('c', "4q4"), "board", "q at column 8", "PLNSGBRK"),
        (rank('c', "0r8"), "board", "0 at column 7", "PLNSGBRK"),
        (rank('c', "4\u{1b}4"), "board", "U+001B at column 8", "PLNSGBRK"),
        (rank('c', "4歩4"), "board", "歩 (U+6B69) at column 8", "PLNSGBRK"),
        (rank('c', "4+G4"), "board", "G at column 9", "PLNSBR or plnsbr after +"),
        (rank('c', "4+k4"), "board", "k at column 9", "PLNSBR or plnsbr after +"),
        (rank('c', "4++P4"), "board", "+ at column 9", "PLNSBR or plnsbr after +"),
        (rank('c', "8+"), "board", "/ at column 9", "PLNSBR or plnsbr after +"),
        (rank('i', "8+"), "board", "the end at column 21", "PLNSBR or plnsbr after +"),
        (rank('i', "9"), "board", "0 of K", "exactly 1"),
        (rank('a', "9"), "board", "0 of k", "exactly 1"),
        (rank('h', "3K5"), "board", "2 of K", "exactly 1"),
        (rank('a', "P3k4"), "board", "P on 9a", "ranks b-i"),
        (rank('a', "4k3L"), "board", "L on 1a", "ranks b-i"),
        (rank('b', "4N4"), "board", "N on 5b", "ranks c-i"),
        (rank('i', "p3K4"), "board", "p on 9i", "ranks a-h"),
        (rank('i', "l3K4"), "board", "l on 9i", "ranks a-h"),
        (rank('h', "n8"), "board", "n on 9h", "ranks a-g"),
        (
            "4k4/9/P8/9/9/9/P8/9/4K4".into(),
            "board",
            "P on 9c and 9g",
            "one unpromoted pawn of a side on a file",
        ),
        (
            "4k4/9/2p6/2P6/2p6/9/9/9/4K4".into(),
            "board",
            "p on 7c and 7e",
            "one unpromoted pawn of a side on a file",
        ),
        // A pawn on another file between the two.
        (
            "4k4/9/P8/9/4P4/9/P8/9/4K4".into(),
            "board",
            "P on 9c and 9g",
            "one unpromoted pawn of a side on a file",
        ),
        (rank('c', "rR+r6"), "board", "3 of R on the board and in the hands", "at most 2"),
        (rank('c', "gG7") + " b 2Gg 1", "board", "5 of G on the board and in", "at most 4"),
        (rank('c', "8+P") + " b 17Pp 1", "board", "19 of P", "at most 18"),
        (tail("x"), "side to move", "x", "b for Black (sente), w for White"),
        (tail("B"), "side to move", "B", "b for Black (sente), w for White"),
        (tail("b x"), "hands", "x at column 25", "RBGSNLP"),
        (tail("b K"), "hands", "K at column 25", "RBGSNLP"),
        (tail("b P+R"), "hands", "+ at column 26", "RBGSNLP"),
        (tail("b -P"), "hands", "- at column 25", "RBGSNLP"),
        (tail("b PRP"), "hands", "P at column 27", "each once"),
        (tail("b 2"), "hands", "the end at column 26", "RBGSNLP"),
        (tail("b 0P"), "hands", "0", "a number from 2 to 18"),
        (tail("b 1P"), "hands", "1", "a number from 2 to 18"),
        (tail("b R019P"), "hands", "0", "a number from 2 to 18"),
        (tail("b R19P"), "hands", "19", "a number from 2 to 18"),
        (tail("b 99999999999999999999P"), "hands", "99", "a number from 2 to 18"),
        (tail("b - 0"), "move number", "0", "1-9999"),
        (tail("b - +1"), "move number", "+1", "1-9999"),
        (tail("b - 10000"), "move number", "10000", "1-9999"),
        (tail("b - 99999999999999999999"), "move number", "9999", "1-9999"),
        (tail("b - 1 moves"), "text after the move number", "moves", "nothing"),
        (rank('h', "4R4"), "side to move", "b", "not attacked"),
        (rank('h', "4p4") + " w", "side to move", "w", "not attacked"),
    ];
    for (text, field, found, allowed) in cases {
        let error = Shogi::from_fen(&text).expect_err(&text);
        assert_eq!(error.field, field, "{text}: {error}");
        assert!(error.found.starts_with(found), "{text}: {error}");
        assert!(error.allowed.contains(allowed), "{text}: {error}");
    }
}

#[test]
fn wrong_move_texts_name_the_place_and_what_is_allowed() {
    let cases = [
        ("", "no move text", ": the end at column 1", "1-9 as the file of the start, or PLNSBRG"),
        ("7g7", "no move text", "7g7: the end at column 4", "a-i as the rank of the end"),
        ("7g0f", "no move text", "7g0f: 0 at column 3", "1-9 as the file of the end"),
        (
            "7g7fx",
            "no move text",
            "7g7fx: x at column 5",
            "+ as the sign of a promotion, or nothing",
        ),
        ("7g7f++", "no move text", "7g7f++: + at column 6", "nothing more"),
        ("K*5e", "no move text", "K*5e: K at column 1", "PLNSBRG as the dropped piece"),
        ("p*5e", "no move text", "p*5e: p at column 1", "PLNSBRG as the dropped piece"),
        ("P5e", "no move text", "P5e: 5 at column 2", "* as the sign of a drop"),
        ("P*5e+", "no move text", "P*5e+: + at column 5", "nothing more"),
        ("7g7e", "not legal here", "7g7e", "and 22 more"),
        ("7g7f+", "not legal here", "7g7f+", "and 22 more"),
        ("P*5e", "not legal here", "P*5e", "and 22 more"),
    ];
    for (text, problem, found, allowed) in cases {
        let error = Shogi::start().move_from_text(text).expect_err(text);
        assert_eq!(error.problem, problem, "{text}: {error}");
        assert_eq!(error.found, found, "{text}: {error}");
        assert!(error.allowed.ends_with(allowed), "{text}: {error}");
    }
}

/// Reads, and if it is a position, uses it.
fn read_and_use(text: &str) {
    if let Ok(position) = Shogi::from_fen(text) {
        let again = Shogi::from_fen(&position.to_fen()).expect("written by ourselves");
        assert_eq!(again, position);
        assert_eq!(again.hash(), position.hash());
        let _verdict = position.result();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics(text in "\\PC*") {
        read_and_use(&text);
    }

    #[test]
    fn no_text_of_the_alphabet_panics(text in "[plnsgbrkPLNSGBRK+1-9/ wb-]{0,90}") {
        read_and_use(&text);
    }

    #[test]
    fn no_hands_panic(hands in "[plnsgbrkPLNSGBRK+0-9-]{0,12}", number in "[0-9]{0,12}") {
        read_and_use(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} {number}"));
    }

    #[test]
    fn no_mutation_panics(edits in prop::collection::vec((0..70_usize, any::<u8>()), 1..5)) {
        let mut bytes = START.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            match byte {
                0..=63 => bytes[at] = b"plnsgbrkPLNSGBRK123456789/ wb+-"[usize::from(byte) % 31],
                64..=95 => drop(bytes.remove(at)),
                96..=127 => bytes.insert(at, bytes[at]),
                _ => bytes[at] = byte,
            }
        }
        read_and_use(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_move_text_panics(text in "\\PC{0,6}") {
        prop_assert!(Shogi::start().move_from_text(&text).is_err() || text.len() == 4);
    }
}
