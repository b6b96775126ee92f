//! PGN of chess: SAN in the movetext, games that start elsewhere, Chess960, mistakes of strangers.

use games::chess::Chess;
use games::epd::Record;
use games::pgn::{Outcome, Pgn, PgnError, games};
use games::{Game, MoveText};

/// A game as a hasty writer keeps it: no blanks after numbers, zeros for castling, a variation.
const LOOSE: &str =
    "[Event \"club evening\"]\n[White \"Berg \"B\" A.\"]\n[Black \"Tal, O.\"]\n[Result \"*\"]
[WhiteElo \"1712\"]\n\n1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6?! {two knights} 4.Ng5 (4.d3 Bc5 (4...h6 $1)
5.0-0) d5 5.exd5 Na5 6.Bb5+ c6 7.dxc6 bxc6 8.Be2 h6 9.Nf3 e4 10.Ne5 Bd6 11.d4 exd3 e.p. 12.Nxd3
0-0 13.0-0 ; both are safe now\nRe8 1/2-1/2\n";

fn one(text: &str) -> Result<Pgn<Chess>, PgnError> {
    games(text).next().expect("a game")
}

#[test]
fn a_loose_game_is_written_in_export_format() {
    let text = LOOSE.replace(" e.p.", "");
    let game = one(&text).unwrap();
    assert_eq!(game.moves().len(), 26);
    assert_eq!(game.outcome(), Outcome::Draw);
    assert_eq!(
        game.position().to_fen(),
        "r1bqr1k1/p4pp1/2pb1n1p/n7/8/3N4/PPP1BPPP/RNBQ1RK1 w - - 3 14"
    );
    // Many writers leave quotes within a value as they are.
    assert_eq!(game.tag("White"), Some("Berg \"B\" A."));
    let movetext = "
1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 $6 {two knights} 4. Ng5 d5 5. exd5 Na5 6. Bb5+
c6 7. dxc6 bxc6 8. Be2 h6 9. Nf3 e4 10. Ne5 Bd6 11. d4 exd3 12. Nxd3 O-O 13.
O-O {both are safe now} 13... Re8 1/2-1/2
";
    let written = game.to_string();
    assert!(written.ends_with(movetext), "{written}");
    assert!(written.contains("[Result \"1/2-1/2\"]\n[WhiteElo \"1712\"]\n\n"), "{written}");
    assert_eq!(one(&written).unwrap().to_string(), written);
    let error = one(LOOSE).unwrap_err();
    assert_eq!((error.line, error.column, error.field.as_str()), (8, 84, "move 12."));
    assert!(error.found.starts_with("e.p.: "), "{error}");
}

#[test]
fn a_game_from_elsewhere_ends_with_mate() {
    let fen = "6k1/1P3ppp/8/8/8/8/5PPP/6K1 w - - 0 31";
    let text = format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n31. b8=Q# 1-0");
    let game = one(&text).unwrap();
    assert_eq!(game.start().to_fen(), fen);
    assert!(game.position().result().is_some());
    assert!(game.to_string().ends_with("\n31. b8=Q# 1-0\n"));
    let after = one(&text.replace("1-0", "h6")).unwrap_err();
    assert_eq!(after.field, "move 31...");
    assert!(after.to_string().contains("allowed: none, the game is over"), "{after}");
}

#[test]
fn chess960_is_named_and_castles() {
    let fen = "bqnrkbrn/pppppppp/8/8/8/8/PPPPPPPP/BQNRKBRN w DGdg - 0 1";
    let text = format!(
        "[FEN \"{fen}\"]\n[SetUp \"1\"]\n[Variant \"fischerandom\"]\n\n1. Nb3 Nb6 2. O-O-O *"
    );
    let game = one(&text).unwrap();
    assert_eq!(game.position().piece_on("c1".parse().unwrap()), "k".parse().ok());
    let written = game.to_string();
    assert!(written.contains("[Variant \"Chess960\"]"), "{written}");
    assert_eq!(one(&written).unwrap().to_string(), written);
}

#[test]
fn mistakes_are_named() {
    let fen = "[FEN \"rnbqkbnr/pppppppp/8/8/8/7x/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]";
    let cases = [
        ("1. e4 e5 2. Nf6", 1, 13, "move 2.", "Nf6 (not legal here)"),
        ("1. e4 e5 2. Nf9", 1, 13, "move 2.", "Nf9: 9 at column 3 (no move text)"),
        ("1. e4 e5 2. Zf3", 1, 13, "move 2.", "Zf3: Z at column 1 (no move text)"),
        ("1. e4 e5\n2. Ñf3", 2, 4, "move 2.", "Ñf3: Ñ (U+00D1) at column 1 (no move text)"),
        ("1. e4 O-O", 1, 7, "move 1...", "O-O (not legal here)"),
        ("1. e4 e9=Q", 1, 7, "move 1...", "e9=Q: 9 at column 2 (no move text)"),
        (fen, 1, 1, "tag FEN, board", "x at column 26"),
        ("[Variant \"Crazyhouse\"]", 1, 1, "tag Variant", "Crazyhouse"),
    ];
    for (text, line, column, field, found) in cases {
        let error = one(text).expect_err(text);
        assert_eq!(
            (error.line, error.column, error.field.as_str()),
            (line, column, field),
            "{text}"
        );
        assert_eq!(error.found, found, "{text}");
    }
}

#[test]
fn epd_moves_are_san_or_uci() {
    let line = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - bm O-O Nxf7 d5e6; fmvn 9; \
                pv O-O hxg2 Kxg2; id \"a test\";";
    let record = Record::<Chess>::from_line(line).unwrap();
    assert_eq!(record.position().move_number(), 9);
    let san: Vec<_> =
        record.moves("bm").unwrap().iter().map(|mv| record.position().write_move(*mv)).collect();
    assert_eq!(san, ["O-O", "Nxf7", "dxe6"]);
    assert_eq!(record.line_of_play("pv").unwrap().len(), 3);
    let error = Record::<Chess>::from_line(&line.replace("Nxf7", "Nxf8")).unwrap();
    assert!(error.moves("bm").unwrap_err().found.contains("Nxf8 (not legal here)"));
    let error = Record::<Chess>::from_line(&line.replace("KQkq", "KQkx")).unwrap_err();
    assert_eq!((error.field.as_str(), error.found.as_str()), ("castling", "x at column 62"));
}
