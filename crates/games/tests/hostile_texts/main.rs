//! Hostile texts for every parser: nothing panics, every refusal says why, what is read can be written
//! and played, and long texts take a time in proportion to their length.

#[expect(unreachable_pub, reason = "the fuzz targets, another crate, use the claims too")]
mod claims;
mod mutate;

use claims::{epd, ggf, moves, obf, pgn, position, transcript};
use games::MoveText;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
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

const CHESS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
    "rn1qkb1r/pp1bpppp/5n2/2pp4/8/8/PPPPPPPP/1RKR4 w DBhq - 3 9",
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 1",
    "8/8/8/8/4k3/8/4K3/8 w - - 99 9999",
];

const SHOGI: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "4k4/9/4+P4/9/9/9/9/9/4K4 w RB2G10p 77",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "9/9/9/9/9/9/9/k8/2K6 b 2r2b4g4s4n4l18p 9999",
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
fn position_texts_of_chess() {
    try_all(&CHESS, 20000, position::<Chess>);
}

#[test]
fn position_texts_of_shogi() {
    // Full hands have hundreds of moves, each of which is made.
    try_all(&SHOGI, 4000, position::<Shogi>);
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
    try_all(texts, 8000, |text| moves(&start, text));
}

#[test]
fn move_texts() {
    try_moves::<Xiangqi>(&["h2e2 h9g7 h0g2 i9h9", "H2-E2 b9c7 i0h0", "a0a1 e9e8 a1d1"]);
    try_moves::<Chess>(&[
        "e4 e5 Nf3 Nc6 Bb5 a6 O-O b5 Bb3 h5 Bxf7+",
        "e2e4 d7d5 e4d5 c7c5 d5c6 Qxd2+",
    ]);
    try_moves::<Shogi>(&["7g7f 3c3d 8h2b+ 3a2b B*4e", "P*5e 2g2f"]);
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
    let suite = format!("{}; F5:+2; d3:-64; ", OTHELLO[0]);
    try_all(&[&suite, OTHELLO[1]], 15000, obf);
}

#[test]
fn epd_lines() {
    let start = XIANGQI[0].trim_end_matches(" 0 1");
    let xiangqi = format!("{} 5 9 bm h2e2 b2e2; id \"a \\\"b\\\" ; \\\\\";", start);
    let counted = format!("{} acd 12; ce -35; fmvn 7; hmvc 3; noop;", start);
    let line = format!("# file\n\n{} pv h2e2 h9g7 h0g2; c0 \"\";\n{}", start, XIANGQI[1]);
    try_all(&[&xiangqi, &counted, &line], 25000, epd::<Xiangqi>);
    let chess = format!("{} bm O-O Nxf7; fmvn 3; c0 \"x\";", CHESS[1].trim_end_matches(" 0 1"));
    try_all(&[&chess, CHESS[2]], 15000, epd::<Chess>);
    let shogi = format!("{} bm 7g7f P*5e; acd 3;", SHOGI[0]);
    try_all(&[&shogi, SHOGI[1]], 15000, epd::<Shogi>);
    let othello = format!("{} bm f5 d3; id \"start\";", OTHELLO[0]);
    try_all(&[&othello, OTHELLO[1]], 15000, epd::<Othello>);
    try_all(&[".../.../... x bm b2; sm a1;", TICTACTOE[1]], 15000, epd::<TicTacToe>);
}

#[test]
fn pgn_files() {
    let game = "[Event \"a \\\"b\\\" \\\\\"]\n[Result \"1-0\"]\n[Variant \"xiangqi\"]\n\n{begin [%x 1]} 1. \
                h2e2 h9g7 $1 (1... b9c7 {x} (1... a9a8)) 2. H0-G2! ; rest\n% out\ni9h9 1-0\n\n";
    let start = "[FEN \"4k4/9/9/9/9/9/9/9/9/3K1R3 b - - 3 40\"]\n[SetUp \"1\"]\n\n40... e9e8 *\n";
    try_all(&[game, start], 8000, pgn::<Xiangqi>);
    let chess =
        "[White \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O?! Nf6 (4... b5 $1) 5. Bxc6 dxc6 1-0";
    let set_up =
        "[FEN \"8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 1\"]\n[SetUp \"1\"]\n\n1... f1=Q+ 2. Ke3 *";
    try_all(&[chess, set_up], 4000, pgn::<Chess>);
    let shogi = "1. 7g7f 3c3d 2. 8h2b+ 3a2b {c} 3. B*4e 1-0";
    try_all(&[shogi], 4000, pgn::<Shogi>);
    let othello = "[Event \"?\"]\n\n1. f5 d6 2. c3 d3 {a\nb} 3. c4 1/2-1/2 [Event \"2\"]\n*";
    try_all(&[othello], 4000, pgn::<Othello>);
    let small = "[White \"x\"]\n\n1. a1 b2 2. c3 *\n[White \"y\"]\n\n1. a1 b2 (1... c3) 0-1";
    try_all(&[small], 8000, pgn::<TicTacToe>);
}
