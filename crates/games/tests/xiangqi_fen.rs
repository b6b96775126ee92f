//! Position texts of xiangqi: what is read, what is refused and how, and that nothing panics.

use games::Game;
use games::xiangqi::Xiangqi;
use proptest::prelude::*;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

#[test]
fn canonical_texts_come_back_unchanged() {
    let texts = [
        START,
        "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 b - - 7 33",
        "4k4/9/9/9/9/9/9/9/9/3K5 w - - 120 9999",
    ];
    for text in texts {
        let position = Xiangqi::from_fen(text).expect(text);
        assert_eq!(position.to_fen(), text);
    }
    assert_eq!(Xiangqi::start().to_fen(), START);
}

#[test]
fn other_letters_and_missing_fields_are_understood() {
    let cases = [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR",
        "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r",
        "rnbakabnr/54/1c23c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - -",
        "  rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR  w -  - 00 001\n",
    ];
    for text in cases {
        assert_eq!(Xiangqi::from_fen(text).map(|position| position.to_fen()).as_deref(), Ok(START));
    }
}

#[test]
fn wrong_texts_name_field_find_and_what_is_allowed() {
    let rank = |n: usize, with: &str| {
        let mut ranks: Vec<_> = "4k4/9/9/9/9/9/9/9/9/3K5".split('/').collect();
        ranks[9 - n] = with;
        ranks.join("/")
    };
    let tail = |tail: &str| format!("4k4/9/9/9/9/9/9/9/9/3K5 {tail}");
    let cases = [
        (String::new(), "board", "nothing", "10 ranks"),
        ("4k4/9/9".into(), "board", "4k4/9/9", "10 ranks divided by /, not 3"),
        (rank(3, "8"), "board", "8", "9 points on rank 3"),
        (rank(3, "91"), "board", "91", "9 points on rank 3"),
        (rank(3, "999999999999999999999999999999999"), "board", "9999", "9 points on rank 3"),
        (rank(3, "rrrrrrrrrr"), "board", "rrrr", "9 points on rank 3"),
        (rank(3, ""), "board", "nothing", "9 points on rank 3"),
        (rank(3, "4q4"), "board", "q at column 16", "KABNRCP"),
        (rank(3, "0r8"), "board", "0 at column 15", "KABNRCP"),
        (rank(3, "4\u{1b}4"), "board", "U+001B at column 16", "KABNRCP"),
        (rank(3, "4車4"), "board", "車 (U+8ECA) at column 16", "KABNRCP"),
        (rank(0, "9"), "board", "0 of K", "exactly 1"),
        (rank(9, "9"), "board", "0 of k", "exactly 1"),
        (rank(1, "3K5"), "board", "2 of K", "exactly 1"),
        (rank(3, "rrr6"), "board", "3 of r", "at most 2"),
        (rank(7, "PPPPPP3"), "board", "6 of P", "at most 5"),
        (rank(0, "2K6"), "board", "K on c0", "d0 e0 f0 d1 e1 f1 d2 e2 f2"),
        (rank(0, "3KA4"), "board", "A on e0", "d0 f0 e1 d2 f2"),
        (rank(8, "3a5"), "board", "a on d8", "d7 f7 e8 d9 f9"),
        (rank(1, "B8"), "board", "B on a1", "c0 g0 a2 e2 i2 c4 g4"),
        (rank(7, "B8"), "board", "B on a7", "c0 g0 a2 e2 i2 c4 g4"),
        (rank(2, "P8"), "board", "P on a2", "a3 c3 e3"),
        (rank(4, "1P7"), "board", "P on b4", "a3 c3 e3"),
        (rank(5, "1p7"), "board", "p on b5", "a0 b0"),
        (rank(9, "p3k4"), "board", "p on a9", "a0 b0"),
        (tail("x"), "side to move", "x", "w or r for Red, b for Black"),
        (tail("W"), "side to move", "W", "w or r for Red, b for Black"),
        (tail("w KQkq"), "third field", "KQkq", "-"),
        (tail("w - e3"), "fourth field", "e3", "-"),
        (tail("w - - -1"), "quiet plies", "-1", "0-120"),
        (tail("w - - +1"), "quiet plies", "+1", "0-120"),
        (tail("w - - 121"), "quiet plies", "121", "0-120"),
        (tail("w - - 99999999999999999999"), "quiet plies", "9999", "0-120"),
        (tail("w - - 0 0"), "move number", "0", "1-9999"),
        (tail("w - - 0 one"), "move number", "one", "1-9999"),
        (tail("w - - 0 1 moves"), "text after the move number", "moves", "nothing"),
        (rank(9, "3k5"), "side to move", "w", "not attacked, also not by the other king"),
        (rank(9, "3k5") + " b", "side to move", "b", "not attacked, also not by the other king"),
        (rank(1, "4R4"), "side to move", "w", "not attacked"),
        (rank(1, "3p5") + " b", "side to move", "b", "not attacked"),
    ];
    for (text, field, found, allowed) in cases {
        let error = Xiangqi::from_fen(&text).expect_err(&text);
        assert_eq!(error.field, field, "{text}: {error}");
        assert!(error.found.starts_with(found), "{text}: {error}");
        assert!(error.allowed.contains(allowed), "{text}: {error}");
    }
}

/// Reads, and if it is a position, uses it.
fn read_and_use(text: &str) {
    if let Ok(position) = Xiangqi::from_fen(text) {
        let again = Xiangqi::from_fen(&position.to_fen()).expect("written by ourselves");
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
    fn no_text_of_the_alphabet_panics(text in "[kabnrcpKABNRCPeEhH1-9/ wb-]{0,90}") {
        read_and_use(&text);
    }

    #[test]
    fn no_mutation_panics(edits in prop::collection::vec((0..70_usize, any::<u8>()), 1..5)) {
        let mut bytes = START.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            match byte {
                0..=63 => bytes[at] = b"kabnrcpKABNRCP123456789/ wb-"[usize::from(byte) % 28],
                64..=95 => drop(bytes.remove(at)),
                96..=127 => bytes.insert(at, bytes[at]),
                _ => bytes[at] = byte,
            }
        }
        read_and_use(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_move_text_panics(text in "\\PC{0,6}") {
        prop_assert!(Xiangqi::start().move_from_text(&text).is_err() || text.len() == 4);
    }
}
