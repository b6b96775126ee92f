//! The mistakes that people make in position and move texts, for every game: each is refused with the
//! name of the field and the very character or part that is wrong.

use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveText};

/// A text, the field that is named, and how what was found begins.
type Row = (&'static str, &'static str, &'static str);

/// Tries every row, so that a failure shows all that differ.
fn check(rows: &[Row], refuse: impl Fn(&str) -> Option<(String, String, String)>) {
    let mut wrong = Vec::new();
    for (text, field, found) in rows {
        match refuse(text) {
            None => wrong.push(format!("{text:?} is not refused")),
            Some(said) if said.2.is_empty() => wrong.push(format!("{text:?}: nothing allowed")),
            Some(said) if said.0 == *field && said.1.starts_with(found) => {}
            Some(said) => wrong.push(format!("{text:?}: {} `{}` ({})", said.0, said.1, said.2)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn positions<G: Game>(rows: &[Row]) {
    check(rows, |text| G::from_fen(text).err().map(|e| (e.field.into(), e.found, e.allowed)));
}

/// Moves from the start; the field is the problem.
fn moves<G: MoveText>(rows: &[Row]) {
    let start = G::start();
    check(rows, |text| {
        start.move_from_text(text).err().map(|e| (e.problem.into(), e.found, e.allowed))
    });
}

#[test]
fn position_texts_of_xiangqi() {
    positions::<Xiangqi>(&[
        ("", "board", "nothing"),
        ("rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR x - - 0 1", "side to move", "x"),
        ("rnbakqbnr/9/9/9/9/9/9/9/9/RNBAKABNR w - - 0 1", "board", "q at column 6"),
        ("rnbakabnrr/9/9/9/9/9/9/9/9/RNBAKABNR w", "board", "rnbakabnrr"),
        ("rnbakabnr/8/9/9/9/9/9/9/9/RNBAKABNR w", "board", "8"),
        ("rnbakabnr/9/9/9/9/9/9/9/RNBAKABNR w", "board", "rnbakabnr/9"),
        ("rnba1abnr/9/9/9/9/9/9/9/9/RNBAKABNR w", "board", "0 of k"),
        ("rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR w - - -1 1", "quiet plies", "-1"),
        ("rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR w - - 0 0", "move number", "0"),
        (
            "rnbakabnr/9/9/9/9/9/9/9/9/RNBAKABNR w - - 0 1 h2e2",
            "text after the move number",
            "h2e2",
        ),
        ("rnbakabnr/9/9/9/4\u{7}4/9/9/9/9/RNBAKABNR w", "board", "U+0007 at column 18"),
        ("rnb\u{430}kabnr/9/9/9/9/9/9/9/9/RNBAKABNR w", "board", "\u{430} (U+0430) at column 4"),
    ]);
}

#[test]
fn position_texts_of_chess() {
    positions::<Chess>(&[
        ("", "board", "nothing"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "side", "nothing"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W KQkq - 0 1", "side", "W"),
        ("rnbxkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "x at column 4"),
        ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "p at column 18"),
        ("rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "/ at column 20"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "9 at column 19"),
        ("rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board", "rnbqkbnr/"),
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "board", "0 of k"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1", "castling", "x at column 49"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1", "castling", "Q at column 48"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1", "en passant", "e4"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq z9 0 1", "en passant", "z9"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", "half-move clock", "x"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", "full-move number", "0"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e4",
            "text after the full-move number",
            "e4",
        ),
        ("rnbqkbnr/pppppppp/8/4\u{2654}3/8/8/PPPPPPPP/RNBQKBNR w", "board", "U+2654 at column 22"),
        ("\u{feff}rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "board", "U+FEFF at column 1"),
    ]);
}

#[test]
fn position_texts_of_shogi() {
    positions::<Shogi>(&[
        ("", "board", "nothing"),
        ("4k4/9/9/9/9/9/9/9/4K4 x - 1", "side to move", "x"),
        ("4k4/9/9/4x4/9/9/9/9/4K4 b - 1", "board", "x at column 10"),
        ("4k4/9/9/4+G4/9/9/9/9/4K4 b - 1", "board", "G at column 11"),
        ("4k4/9/9/9+/9/9/9/9/4K4 b - 1", "board", "/ at column 11"),
        ("4k5/9/9/9/9/9/9/9/4K4 b - 1", "board", "4k5"),
        ("4k4/9/9/9/9/9/9/4K4 b - 1", "board", "4k4/9"),
        ("9/9/9/9/9/9/9/9/4K4 b - 1", "board", "0 of k"),
        ("4k4/9/9/9/9/9/9/9/4K4 b X 1", "hands", "X at column 25"),
        ("4k4/9/9/9/9/9/9/9/4K4 b K 1", "hands", "K at column 25"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "hands", "19"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - x", "move number", "x"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 7g7f", "text after the move number", "7g7f"),
        ("4玉4/9/9/9/9/9/9/9/4K4 b - 1", "board", "玉 (U+7389) at column 2"),
        ("4k4/9/9/9/\u{1b}9/9/9/9/4K4 b - 1", "board", "U+001B at column 11"),
    ]);
}

#[test]
fn position_texts_of_othello_and_tictactoe() {
    positions::<Othello>(&[
        ("", "board", "nothing"),
        (
            "---------------------------OX------XO---------------------------",
            "side to move",
            "nothing",
        ),
        ("---------------------------OX------XO--------------------------- Z", "side to move", "Z"),
        (
            "---------------------------OX------XO---------------------------- X",
            "board",
            "- at column 65",
        ),
        ("---------------------------OX------XO-------------------------- X", "board", "-----"),
        (
            "----?----------------------OX------XO--------------------------- X",
            "board",
            "? at column 5",
        ),
        (
            "----\u{25cf}----------------------OX------XO--------------------------- X",
            "board",
            "U+25CF at column 5",
        ),
        (
            "---------------------------OX------XO--------------------------- X 1",
            "text after the side to move",
            "1",
        ),
    ]);
    positions::<TicTacToe>(&[
        ("", "board", "nothing"),
        (".../.../..", "board", ".../.../.."),
        (".../..../...", "board", ".../..../..."),
        (".../.a./... x", "board", "a at column 6"),
        (".../.\u{445}./... x", "board", "\u{445} (U+0445) at column 6"),
        (".../.../... o", "side to move", "o"),
        ("xx./.../... o", "board", "2 of x and 0 of o"),
        (".../.../... x 1", "text after the side to move", "1"),
    ]);
}

#[test]
fn move_texts() {
    let (no_text, illegal) = ("no move text", "not legal here");
    moves::<Xiangqi>(&[
        ("", no_text, ": the end at column 1"),
        ("j2e2", no_text, "j2e2: j at column 1"),
        ("h2", no_text, "h2: the end at column 3"),
        ("h2e2+", no_text, "h2e2+: + at column 5"),
        ("h\u{ff12}e2", no_text, "h\u{ff12}e2: \u{ff12} (U+FF12) at column 2"),
        ("h2h2", illegal, "h2h2"),
    ]);
    moves::<Chess>(&[
        ("", no_text, ": the end at column 1"),
        ("e2e9", no_text, "e2e9: 9 at column 4"),
        ("i2e4", no_text, "i2e4: i at column 1"),
        ("e7e8k", no_text, "e7e8k: k at column 5"),
        ("e7e8Q", no_text, "e7e8Q: Q at column 5"),
        ("e2e4 ", no_text, "e2e4 : a space at column 5"),
        ("e2e4\u{0}", no_text, "e2e4·: U+0000 at column 5"),
        ("e2e5", illegal, "e2e5"),
        ("e2e4q", illegal, "e2e4q"),
    ]);
    moves::<Shogi>(&[
        ("", no_text, ": the end at column 1"),
        ("7g7j", no_text, "7g7j: j at column 4"),
        ("0g7f", no_text, "0g7f: 0 at column 1"),
        ("7g7f*", no_text, "7g7f*: * at column 5"),
        ("K*5e", no_text, "K*5e: K at column 1"),
        ("P-5e", no_text, "P-5e: - at column 2"),
        ("7g7f+", illegal, "7g7f+"),
        ("P*5e", illegal, "P*5e"),
    ]);
    moves::<Othello>(&[
        ("", no_text, ": the end at column 1"),
        ("i5", no_text, "i5: i at column 1"),
        ("f9", no_text, "f9: 9 at column 2"),
        ("f5x", no_text, "f5x: x at column 3"),
        ("a1", illegal, "a1"),
        ("pass", illegal, "pass"),
    ]);
    moves::<TicTacToe>(&[
        ("", no_text, ": the end at column 1"),
        ("d1", no_text, "d1: d at column 1"),
        ("a4", no_text, "a4: 4 at column 2"),
        ("a1\n", no_text, "a1·: U+000A at column 3"),
    ]);
}

#[test]
fn san_texts() {
    let no_text = "no move text";
    let start = Chess::start();
    let rows = [
        ("", no_text, ": the end at column 1"),
        ("e", no_text, "e: the end at column 2"),
        ("e9", no_text, "e9: 9 at column 2"),
        ("Ni3", no_text, "Ni3: i at column 2"),
        ("Xe4", no_text, "Xe4: X at column 1"),
        ("\u{265e}f3", no_text, "\u{265e}f3: U+265E at column 1"),
        ("N f3", no_text, "N f3: a space at column 2"),
        ("Nf4", "not legal here", "Nf4"),
        ("O-O-O", "not legal here", "O-O-O"),
        ("e8=K", no_text, "e8=K: K at column 4"),
    ];
    check(&rows, |text| {
        start.read_move(text).err().map(|e| (e.problem.into(), e.found, e.allowed))
    });
    let promotes = Chess::from_fen("7k/4P3/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    let error = promotes.read_move("e8").unwrap_err();
    assert_eq!(error.found, "e8: the end at column 3");
    assert_eq!(error.allowed, "=Q, =R, =B or =N");
    let twins = Chess::from_fen("3k4/8/8/8/8/8/4K3/R6R w - - 0 1").unwrap();
    let error = twins.read_move("Rd1").unwrap_err();
    assert_eq!((error.problem, error.allowed.as_str()), ("ambiguous here", "Rad1+ Rhd1+"));
}
