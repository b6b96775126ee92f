//! Hostile texts for every parser: nothing panics, every refusal says why, what is read can be written
//! and played, and long texts take a time in proportion to their length.

#[expect(unreachable_pub, reason = "the fuzz targets, another crate, use the claims too")]
mod claims;
mod mutate;

use claims::{epd, ggf, moves, pgn, position, transcript};
use games::MoveText;
use games::othello::Othello;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use mutate::{Random, mutated, noise};

/// Tries a claim on the texts themselves, on mutations of them, on noise and on long texts.
fn try_all(texts: &[&str], mutations: usize, claim: impl Fn(&str)) {
    let mut random = Random(0x0e10_3111);
    texts.iter().copied().for_each(&claim);
    for _ in 0..mutations {
        claim(&mutated(texts, &mut random));
    }
    for _ in 0..mutations / 10 {
        claim(&noise(&mut random));
    }
    // A reader that is quadratic in the length of its text would take hours here.
    const LONG: usize = 1 << 20;
    for piece in
        ["/", "9", "x", "X", " ", "w ", "\"", "\\", "(", "[", "\n", ";", "車", "a1", "+", "1."]
    {
        claim(&piece.repeat(LONG / piece.len()));
        for text in texts {
            claim(&format!("{text}{}", piece.repeat(LONG / piece.len() / 16)));
        }
    }
    for text in texts.iter().filter(|text| !text.is_empty()) {
        claim(&text.repeat(LONG / text.len() / 16));
    }
}

const XIANGQI: [&str; 4] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 b - - 7 33",
    "4k4/9/9/9/9/9/9/9/9/3K5 w - - 9999 9999",
    "2bakab2/9/9/9/9/9/9/9/9/RNBAKABNR b",
];

const OTHELLO: [&str; 3] = [
    "---------------------------OX------XO--------------------------- X",
    "..XXXXX..OOXXX.OOOOOOXOOOOXXXOOOOOXXOOOOOOOXOOO.OOOOOO..OOO.OO.. O",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- X",
];

const TICTACTOE: [&str; 4] = [".../.../... x", "x.o/.x./o.. x", "xox/oxo/... x", "xxx/oo./... o"];

#[test]
fn position_texts_of_xiangqi() {
    try_all(&XIANGQI, 30000, position::<Xiangqi>);
}

#[test]
fn position_texts_of_othello() {
    try_all(&OTHELLO, 30000, position::<Othello>);
}

#[test]
fn position_texts_of_tictactoe() {
    try_all(&TICTACTOE, 30000, position::<TicTacToe>);
}

fn try_moves<G: MoveText>(texts: &[&str]) {
    let start = G::start();
    try_all(texts, 20000, |text| moves(&start, text));
}

#[test]
fn move_texts() {
    try_moves::<Xiangqi>(&["h2e2 h9g7 h0g2 i9h9", "H2-E2 b9c7 i0h0", "a0a1 e9e8 a1d1"]);
    try_moves::<Othello>(&["f5 d6 c3 d3 c4", "F5 f6 E6", "pass d3 -- PA"]);
    try_moves::<TicTacToe>(&["a1 b2 c3", "a1 a2 b1 b2 c1"]);
}

#[test]
fn games_of_othello() {
    let game = "(;GM[Othello]PC[here]DT[now]PB[a]PW[b]RE[+4.00]TI[15:00]TY[8]BO[8 \
                ---------------------------O*------*O--------------------------- *]\
                B[F5//1.2]W[d6/0.5]B[C3]W[D3//]B[C4];)";
    try_all(&[game, "(;GM[Othello]B[f5]W[f6]B[PA];)"], 30000, ggf);
    try_all(&["f5d6c3d3c4", "F5 F6 E6 f4", "f5pass", "c4c3\nd3c5"], 30000, transcript);
}

#[test]
fn epd_lines() {
    let start = XIANGQI[0].trim_end_matches(" 0 1");
    let xiangqi = format!("{} 5 9 bm h2e2 b2e2; id \"a \\\"b\\\" ; \\\\\";", start);
    let counted = format!("{} acd 12; ce -35; fmvn 7; hmvc 3; noop;", start);
    let line = format!("# file\n\n{} pv h2e2 h9g7 h0g2; c0 \"\";\n{}", start, XIANGQI[1]);
    try_all(&[&xiangqi, &counted, &line], 25000, epd::<Xiangqi>);
    let othello = format!("{} bm f5 d3; id \"start\";", OTHELLO[0]);
    try_all(&[&othello, OTHELLO[1]], 15000, epd::<Othello>);
    try_all(&[".../.../... x bm b2; sm a1;", TICTACTOE[1]], 15000, epd::<TicTacToe>);
}

#[test]
fn pgn_files() {
    let game = "[Event \"a \\\"b\\\" \\\\\"]\n[Result \"1-0\"]\n[Variant \"xiangqi\"]\n\n{begin [%x 1]} 1. \
                h2e2 h9g7 $1 (1... b9c7 {x} (1... a9a8)) 2. H0-G2! ; rest\n% out\ni9h9 1-0\n\n";
    let start = "[FEN \"4k4/9/9/9/9/9/9/9/9/3K1R3 b - - 3 40\"]\n[SetUp \"1\"]\n\n40... e9e8 *\n";
    try_all(&[game, start], 20000, pgn::<Xiangqi>);
    let othello = "[Event \"?\"]\n\n1. f5 d6 2. c3 d3 {a\nb} 3. c4 1/2-1/2 [Event \"2\"]\n*";
    try_all(&[othello], 10000, pgn::<Othello>);
    let small = "[White \"x\"]\n\n1. a1 b2 2. c3 *\n[White \"y\"]\n\n1. a1 b2 (1... c3) 0-1";
    try_all(&[small], 15000, pgn::<TicTacToe>);
}
