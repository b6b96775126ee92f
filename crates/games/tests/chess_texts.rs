//! Texts of chess: what is read, what is written, and what is said about the rest.

use games::Game;
use games::chess::Chess;

const BARE: &str = "4k3/8/8/8/8/8/8/4K3";

fn position(fen: &str) -> Chess {
    Chess::from_fen(fen).expect("the test holds positions")
}

#[test]
fn position_texts_are_written_in_their_shortest_form() {
    let cases = [
        ("8/8/8/8/8/5k2/8/6K1 w - -", "8/8/8/8/8/5k2/8/6K1 w - - 0 1"),
        ("8/8/8/8/8/5k2/8/6K1  b - -  7", "8/8/8/8/8/5k2/8/6K1 b - - 7 1"),
        ("r3k2r/44/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("1r2k2r/8/8/8/8/8/8/RR2K2R w BHbh - 0 1", "1r2k2r/8/8/8/8/8/8/RR2K2R w KBkq - 0 1"),
        ("4k3/8/8/8/8/8/8/1R2KR1R w F - 0 1", "4k3/8/8/8/8/8/8/1R2KR1R w F - 0 1"),
        // No pawn can capture; the capture would leave the king attacked; a capture.
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("8/8/8/8/k3Pp1R/8/8/4K3 b - e3 0 1", "8/8/8/8/k3Pp1R/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1"),
    ];
    for (text, expected) in cases {
        let written = position(text).to_fen();
        assert_eq!(written, expected, "{text}");
        assert_eq!(position(&written), position(text));
    }
}

#[test]
fn a_malformed_position_text_names_field_character_and_column() {
    let cases = [
        ("", "board: found `nothing`; allowed: 8 ranks divided by /, not 1"),
        ("8/8 w - -", "board: found `8/8`; allowed: 8 ranks divided by /, not 2"),
        (
            "4k3/8/8/2x5/8/8/8/4K3 w - -",
            "board: found `x at column 10`; allowed: the letters KQRBNP, kqrbnp and 1-8",
        ),
        (
            "4k3/8/8/9/8/8/8/4K3 w - -",
            "board: found `9 at column 9`; allowed: the letters KQRBNP, kqrbnp and 1-8",
        ),
        (
            "4k3/ppppppppp/8/8/8/8/8/4K3 w - -",
            "board: found `p at column 13`; allowed: / or a smaller number: rank 7 has 8 squares",
        ),
        (
            "4k3/ppp/8/8/8/8/8/4K3 w - -",
            "board: found `/ at column 8`; allowed: 5 squares more on rank 7",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2 w - -",
            "board: found `a space at column 20`; allowed: 1 squares more on rank 1",
        ),
        ("8/8/8/8/8/8/8/4K3 w - -", "board: found `0 of k`; allowed: exactly 1"),
        ("4k3/8/8/8/8/8/8/3KK3 w - -", "board: found `2 of K`; allowed: exactly 1"),
        ("4k3/8/8/8/8/8/8/P3K3 w - -", "board: found `P on a1`; allowed: pawns on the ranks 2-7"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - -", "board: found `9 of p`; allowed: at most 8"),
        (
            "4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 w - -",
            "board: found `17 pieces of White`; allowed: at most 16",
        ),
        (
            "8/8/8/3kK3/8/8/8/8 w - -",
            "board: found `kings on e5 and d5`; allowed: kings that do not touch each other",
        ),
        (
            "4k3/8/3N1N2/8/8/8/8/4KR2 w - -",
            "side: found `w`; allowed: a position in which the king of the side that has just moved \
             is not attacked",
        ),
        (
            "4k3/8/3N1N2/8/8/8/8/4R1K1 b - -",
            "board: found `3 pieces that give check`; allowed: at most 2 of them",
        ),
        (BARE, "side: found `nothing`; allowed: w for White, b for Black"),
        ("4k3/8/8/8/8/8/8/4K3 W - -", "side: found `W`; allowed: w for White, b for Black"),
        (
            "4k3/8/8/8/8/8/8/4K3 w",
            "castling: found `nothing`; allowed: -, or letters such as KQkq or HAha",
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQxq - 0 1",
            "castling: found `x at column 29`; allowed: - alone, or the letters KQ, kq, A-H and a-h",
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w K- - 0 1",
            "castling: found `- at column 28`; allowed: - alone, or the letters KQ, kq, A-H and a-h",
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KH - 0 1",
            "castling: found `H at column 28`; allowed: one letter for each side of each king",
        ),
        (
            "r3k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "castling: found `k at column 28`; allowed: letters of sides whose king and rook stand \
             on their first rank",
        ),
        (
            "4k3/8/8/8/8/8/4K3/R6R w K - 0 1",
            "castling: found `K at column 25`; allowed: letters of sides whose king and rook stand \
             on their first rank",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K2R w B - 0 1",
            "castling: found `B at column 25`; allowed: letters of sides whose king and rook stand \
             on their first rank",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w -",
            "en passant: found `nothing`; allowed: - or a square on rank 6",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - x9", "en passant: found `x9`; allowed: - or a square on rank 6"),
        (
            "4k3/8/8/8/4P3/8/8/4K3 b - e6",
            "en passant: found `e6`; allowed: - or a square on rank 3",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - e3",
            "en passant: found `e3`; allowed: - or a square behind a pawn that may just have made a \
             double step",
        ),
        (
            "4k3/8/8/8/4P3/8/4B3/4K3 b - e3",
            "en passant: found `e3`; allowed: - or a square that is empty, like that from which the \
             pawn came",
        ),
        (
            "4k3/8/5N2/8/3pP3/8/8/4K3 b - e3",
            "en passant: found `e3`; allowed: -, or a position in which every check comes from the \
             pawn that has just stepped or through the square that it left",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move clock: found `x`; allowed: 0-9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - +1 1", "half-move clock: found `+1`; allowed: 0-9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "full-move number: found `0`; allowed: 1-9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 10000", "full-move number: found `10000`; allowed: 1-9999"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x",
            "text after the full-move number: found `x`; allowed: nothing",
        ),
    ];
    for (text, message) in cases {
        let error = Chess::from_fen(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn castling_is_written_in_the_way_of_the_game_and_read_in_both() {
    let castle = |position: &Chess, text: &str| {
        position.move_from_text(text).ok().map(|mv| position.move_to_text(mv))
    };
    let classical = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert!(!classical.is_chess960());
    let with_rooks = classical.clone().into_chess960();
    for (text, king_walks, king_takes) in
        [("e1g1", "e1g1", "e1h1"), ("e1h1", "e1g1", "e1h1"), ("e1a1", "e1c1", "e1a1")]
    {
        assert_eq!(castle(&classical, text).as_deref(), Some(king_walks));
        assert_eq!(castle(&with_rooks, text).as_deref(), Some(king_takes));
    }
    assert!(position("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1").is_chess960());

    // From f1, g1 is a step of the king; from b1, c1 is one, and from d1 neither.
    let near = position("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1");
    assert!(near.is_chess960());
    assert_eq!(castle(&near, "f1g1").as_deref(), Some("f1g1"));
    assert_eq!(castle(&near, "f1h1").as_deref(), Some("f1h1"));
    assert_eq!(castle(&near, "f1c1").as_deref(), Some("f1a1"));
    let castled = |text: &str| {
        let mut after = near.clone();
        after.make(near.move_from_text(text).expect("a legal move"));
        after.to_fen()
    };
    assert_eq!(castled("f1h1"), "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1");
    assert_eq!(castled("f1g1"), "4k3/8/8/8/8/8/8/R5KR b - - 1 1");
    assert_eq!(castled("f1c1"), "4k3/8/8/8/8/8/8/2KR3R b - - 1 1");
}

#[test]
fn a_malformed_move_text_names_character_and_column() {
    let form = [
        ("", "move `: the end at column 1` is no move text; allowed: a-h as the file of the start"),
        (
            "e9e4",
            "move `e9e4: 9 at column 2` is no move text; allowed: 1-8 as the rank of the start",
        ),
        (
            "e2e",
            "move `e2e: the end at column 4` is no move text; allowed: 1-8 as the rank of the end",
        ),
        (
            "e7e8k",
            "move `e7e8k: k at column 5` is no move text; allowed: nbrq as the piece that a pawn \
             becomes",
        ),
        ("e7e8qq", "move `e7e8qq: q at column 6` is no move text; allowed: nothing more"),
    ];
    let start = Chess::start();
    for (text, message) in form {
        assert_eq!(start.move_from_text(text).expect_err(text).to_string(), message);
    }
    let illegal = start.move_from_text("e2e5").expect_err("too far");
    assert_eq!(
        illegal.to_string(),
        "move `e2e5` is not legal here; allowed: b1a3 a2a3 b2b3 b1c3 c2c3 d2d3 e2e3 g1f3 and 12 more"
    );
}

#[test]
fn algebraic_notation_is_as_short_as_the_position_allows() {
    let cases = [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1 O-O, e1a1 O-O-O, a1b1 Rb1, e1d1 Kd1"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1 O-O+"),
        ("3k4/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1 Rad1+, h1g1 Rhg1"),
        ("7k/R7/8/8/8/8/4K3/R7 w - - 0 1", "a1a4 R1a4, a7a4 R7a4"),
        ("8/4Q2Q/8/k7/8/8/8/K6Q w - - 0 1", "h7e4 Qh7e4, h1e4 Q1e4, e7e4 Qee4"),
        // The other knight is pinned and so no rival.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2 Ne2"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q a8=Q+, a7a8n a8=N"),
        ("1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1", "a7b8r axb8=R+, e5d6 exd6"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8 Ra8#"),
    ];
    for (fen, moves) in cases {
        let position = position(fen);
        for pair in moves.split(", ") {
            let (uci, san) = pair.split_once(' ').expect("the test holds pairs");
            let mv = position.move_from_text(uci).expect("the test holds moves");
            assert_eq!(position.move_to_san(mv), san, "{fen}");
            assert_eq!(position.move_from_san(san), Ok(mv), "{fen}");
        }
    }
}

#[test]
fn algebraic_notation_is_read_in_its_many_forms() {
    let cases = [
        (
            "1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1",
            "a8=Q a8Q a8q a8(Q) a8=Q+ a8=Q!? a7a8=Q Pa8=Q a7-a8=Q",
            "a7a8q",
        ),
        (
            "1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1",
            "axb8=N axb8N ab8=N a7xb8=N a:b8=N",
            "a7b8n",
        ),
        ("1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1", "exd6 ed6 e5xd6 exd6! e5d6", "e5d6"),
        ("1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1", "O-O-O 0-0-0 O-O-O+ 0-0-0#??", "e1c1"),
        ("1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1", "Nf3 Ngf3 Ng1f3 Ng1-f3 N1f3 Nf3+", "g1f3"),
        (
            "1n2k2r/P7/8/3pP3/8/8/8/R3K1NR w KQk d6 0 1",
            "Rxh8+ Rxh8 Rh8 Rhxh8 Rh1xh8+ R1xh8",
            "h1h8",
        ),
    ];
    for (fen, texts, uci) in cases {
        let position = position(fen);
        let mv = position.move_from_text(uci);
        for text in texts.split(' ') {
            assert_eq!(position.move_from_san(text), mv, "{text}");
        }
    }
}

#[test]
fn a_text_that_is_no_algebraic_move_says_why() {
    let position = position("4k3/P7/8/3pP3/8/8/4K3/R6R w - d6 0 1");
    let cases = [
        ("", "move `: the end at column 1` is no move text; allowed: a square such as e4"),
        ("+", "move `+: + at column 1` is no move text; allowed: a square such as e4"),
        ("R", "move `R: the end at column 2` is no move text; allowed: a square such as e4"),
        (
            "Xd1",
            "move `Xd1: X at column 1` is no move text; allowed: K, Q, R, B, N or P, then a-h, 1-8, x",
        ),
        (
            "Rd9",
            "move `Rd9: 9 at column 3` is no move text; allowed: 1-8, or after it the piece that a pawn becomes",
        ),
        ("Ri1", "move `Ri1: i at column 2` is no move text; allowed: a-h"),
        (
            "Rd 1",
            "move `Rd 1: a space at column 3` is no move text; allowed: a move such as e4, Nf3, exd8=Q or O-O",
        ),
        (
            "Raxxd1",
            "move `Raxxd1: x at column 3` is no move text; allowed: K, Q, R, B, N or P, then a-h, 1-8, x",
        ),
        ("a8", "move `a8: the end at column 3` is no move text; allowed: =Q, =R, =B or =N"),
        ("Rd1", "move `Rd1` is ambiguous here; allowed: Rad1 Rhd1"),
        (
            "d6",
            "move `d6` is not legal here; allowed: e6 a8=Q+ a8=R+ a8=B a8=N exd6 Rab1 Rac1 and 30 more",
        ),
        (
            "O-O",
            "move `O-O` is not legal here; allowed: e6 a8=Q+ a8=R+ a8=B a8=N exd6 Rab1 Rac1 and 30 more",
        ),
        (
            "\u{434}5",
            "move `\u{434}5: \u{434} (U+0434) at column 1` is no move text; allowed: a move such as e4, Nf3, exd8=Q or O-O",
        ),
        (
            "Rd1????????????????",
            "move `Rd1?????????????…: ? at column 17` is no move text; allowed: a move in at most 16 characters",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(position.move_from_san(text).expect_err(text).to_string(), message);
    }
}

#[test]
fn no_text_makes_a_reader_panic() {
    let alphabet = "KQRBNPkqrbnpacfgh1238/-=xO0+# w\u{e9}\u{1f600}(";
    let letters: Vec<_> = alphabet.chars().collect();
    let mut seed = 1_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let game = Chess::start();
    let mut read = 0;
    for _ in 0..20_000 {
        let text: String = (0..next(12)).map(|_| letters[next(letters.len())]).collect();
        read += usize::from(game.move_from_san(&text).is_ok());
        read += usize::from(game.move_from_text(&text).is_ok());
        // A good text with one character changed, so that every field is reached.
        let mut fen: Vec<_> = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1".chars().collect();
        let at = next(fen.len());
        fen[at] = letters[next(letters.len())];
        let fen: String = fen.into_iter().collect();
        read += usize::from(Chess::from_fen(&fen).is_ok());
    }
    assert!(read > 100, "some of them are good");
}
