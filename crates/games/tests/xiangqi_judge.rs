//! Verdicts on repetitions against known cases.
//!
//! `data/repetition_xiangqi.tsv` holds the diagrams 4 to 110 of the rule book of the Asian Xiangqi
//! Federation and some positions on which engines are tested, each with a line of moves and two
//! verdicts for the side to move at its end: that of the book, and that of a strong public engine
//! under the rules of computer tournaments after the last cycle was repeated until it ruled. Every
//! verdict is that of `Game::result` as well.

use games::xiangqi::Xiangqi;
use games::xiangqi::judge::{Reason, RuleSet, judge, judge_repetition};
use games::{Game, RuleResult, RuleWinner};
use model::Termination;

struct Case {
    row: usize,
    fen: &'static str,
    moves: Vec<&'static str>,
    asian: &'static str,
    computer: &'static str,
}

fn cases() -> Vec<Case> {
    let table = include_str!("data/repetition_xiangqi.tsv");
    let row = |(row, line): (usize, &'static str)| {
        let fields: Vec<_> = line.split('\t').collect();
        let moves = fields[2].split_whitespace().collect();
        Case { row, fen: fields[1], moves, asian: fields[3], computer: fields[4] }
    };
    (1..).zip(table.lines().skip(1)).map(row).collect()
}

fn play(position: &mut Xiangqi, moves: &[&str]) {
    for text in moves {
        let mv = position.move_from_text(text).unwrap_or_else(|error| panic!("{error}"));
        position.make(mv);
    }
}

fn word(winner: RuleWinner) -> &'static str {
    match winner {
        RuleWinner::SideToMove => "Win",
        RuleWinner::Opponent => "Loss",
        RuleWinner::Draw => "Draw",
    }
}

/// What the trait says where the judge has this reason.
fn termination(reason: Reason) -> Termination {
    match reason {
        Reason::NoMove => Termination::NoMove,
        Reason::PerpetualCheck => Termination::PerpetualCheck,
        Reason::PerpetualChase => Termination::PerpetualChase,
        Reason::MutualCheck | Reason::MutualChase | Reason::Repetition => Termination::Repetition,
        Reason::MoveLimit => Termination::MoveLimit,
        Reason::DeadPosition => Termination::DeadPosition,
    }
}

/// Plays the moves and repeats the last cycle until a position stands for the third time.
fn verdict(fen: &str, moves: &[&str], rules: RuleSet) -> &'static str {
    let Ok(position) = Xiangqi::from_fen(fen) else { return "Refused" };
    let mut position = position.with_rules(rules);
    let mut hashes = vec![position.hash()];
    let mut moves = moves.to_vec();
    let mut made = 0;
    loop {
        for text in &moves[made..] {
            play(&mut position, &[text]);
            hashes.push(position.hash());
        }
        made = moves.len();
        if let Some(verdict) = judge_repetition(&position, rules) {
            let result = RuleResult { winner: verdict.winner, reason: termination(verdict.reason) };
            assert_eq!(position.result(), Some(result), "{fen} {moves:?} {rules:?}");
            assert_eq!(position.rule_draw_or_loss(), Some(result), "{fen} {moves:?} {rules:?}");
            let in_search = position.repetition(0).map(|found| (found.winner, found.is_final));
            assert_eq!(in_search, Some((verdict.winner, true)), "{fen} {moves:?} {rules:?}");
            return word(verdict.winner);
        }
        let mut earlier = hashes.iter().rev().skip(1);
        match earlier.position(|&hash| hash == position.hash()) {
            Some(before_last) => moves.extend_from_within(made - before_last - 1..),
            None => return "Undecided",
        }
    }
}

/// Row, verdict expected, verdict found.
type Disagreement = (usize, &'static str, &'static str);

fn disagreements(rules: RuleSet) -> Vec<Disagreement> {
    let compare = |case: &Case| {
        let expected = if rules == RuleSet::Asian { case.asian } else { case.computer };
        (case.row, expected, verdict(case.fen, &case.moves, rules))
    };
    let all = cases();
    assert_eq!(all.len(), 124);
    all.iter().map(compare).filter(|(_, expected, found)| expected != found).collect()
}

#[test]
fn computer_verdicts_are_the_known_ones() {
    let known = [
        // A black pawn on i7, where none can come: no position here. Its repaired twin is below.
        (61, "Win", "Refused"),
        // The engine was shown no closed cycle; the book has a draw, too.
        (71, "Undecided", "Draw"),
        // The line already stands for the third time, and a draw is the verdict of the book. The
        // engine saw the last four plies once more and ruled on these alone: below.
        (73, "Loss", "Draw"),
    ];
    assert_eq!(disagreements(RuleSet::Computer), known);
}

#[test]
fn asian_verdicts_are_the_known_ones() {
    assert_eq!(disagreements(RuleSet::Asian), [(61, "Win", "Refused")]);
}

#[test]
fn what_the_table_could_not_show_is_as_expected() {
    let cases = cases();
    let twin = cases[60].fen.replace("/8p/7P1/", "/9/7Pp/");
    assert_ne!(twin, cases[60].fen);
    let mut longer = cases[72].moves.clone();
    longer.extend_from_within(longer.len() - 4..);
    for rules in [RuleSet::Asian, RuleSet::Computer] {
        assert_eq!(verdict(&twin, &cases[60].moves, rules), "Win", "{rules:?}");
        assert_eq!(verdict(cases[72].fen, &longer, rules), "Loss", "{rules:?}");
    }
}

/// Positions on which Fairy-Stockfish is tested and which the table lacks: a cycle, and the verdict for
/// the side to move at its end by either book.
#[test]
fn variants_of_the_table_are_draws() {
    let cases = [
        // Without the cannon on a0 it is the pawn that chases.
        ("2bakabr1/9/9/r1p1p1p2/p7R/P8/9/9/9/1C1AKA3 w", "a4a5 a6b6 a5b5 b6a6 b5a5 a6b6"),
        // Two horses protect the pinned rook.
        ("4ck3/9/9/9/9/2r1R1N2/6N2/9/4A4/3AK4 w", "e4e3 c4c3 e3e4 c3c4"),
        // The king alone protects the horse; with another black horse on d6 it must not capture.
        ("3k5/9/9/3n5/9/9/3r5/9/9/3NK4 w", "d0c2 d3c3 c2d0 c3d3"),
    ];
    for (fen, cycle) in cases {
        let moves: Vec<_> = cycle.split(' ').collect();
        for rules in [RuleSet::Asian, RuleSet::Computer] {
            assert_eq!(verdict(fen, &moves, rules), "Draw", "{fen} {rules:?}");
        }
    }
}

/// The lines by which the README explains how the books, and another program, differ: the verdict by
/// Asian rules, then by computer rules.
#[test]
fn disputed_lines_are_judged_as_explained() {
    let cases = [
        (
            "3akabC1/9/4b4/r3p4/p1p6/4P4/P1P5n/NCr1B4/4A4/R2AK1B2 w",
            "h9h2 i3g2 e2g4 g2h4 g4e2 h4g2 e2g4 g2h4 g4e2",
            ["Win", "Draw"],
        ),
        (
            "2c1kab2/4a4/4b4/9/9/9/P1p5P/2r1N1cC1/4A4/3ACK3 w",
            "e2d4 g2g1 d4e2 g1g2",
            ["Loss", "Draw"],
        ),
        (
            "3akab2/c2R1R2c/4b4/9/9/9/9/4B4/4K4/2B6 w",
            "d8d6 d9e8 d6d8 e8d9 f8f6 f9e8 f6f8 e8f9",
            ["Draw", "Loss"],
        ),
        // The king on f0 could not recapture on e0: a second rook stands behind the first.
        (
            "n4ab2/4a4/b3k4/2p3p2/p3p2P1/P1P4n1/1RCRr2C1/3A4r/3N5/4NKB2 b",
            "i2e2 f0f1 e2i2 f1f0",
            ["Loss", "Draw"],
        ),
        // With c5e5 the rook frees the horse on e3 from a pin.
        (
            "1nbakabn1/8r/4r2c1/p2P5/4R3p/P1p3C2/2P1N1c1P/BC6B/9/2NAKA1R1 w",
            "e5c5 e9e8 c5e5 e8e9",
            ["Loss", "Draw"],
        ),
        // The cannon on d7 stands alone between the kings.
        (
            "rn1a1ab2/2ck3r1/1C1Cb1n2/4p4/p1p6/1cP1P1p1p/6P1P/B1N4R1/3KA4/R4ABN1 b",
            "h8h4 d7d3 h4h8 d3d7",
            ["Draw", "Draw"],
        ),
        // The rook on h8 attacks the horse on h9 before it goes down the file.
        (
            "1nbaka1n1/r3r4/4R4/8p/p3p3P/2p3P2/P3P4/3AcA1R1/8c/2BNK2N1 b",
            "h9f8 h2h8 f8h9 h8h2",
            ["Draw", "Draw"],
        ),
    ];
    for (fen, line, expected) in cases {
        let moves: Vec<_> = line.split(' ').collect();
        let found = [RuleSet::Asian, RuleSet::Computer].map(|rules| verdict(fen, &moves, rules));
        assert_eq!(found, expected, "{fen} {line}");
    }
}

#[test]
fn a_second_occurrence_below_the_root_has_a_provisional_verdict() {
    let cases = [
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            "h0g2 h9g7 g2h0 g7h9",
            "Draw",
        ),
        ("4k4/9/9/9/9/9/9/4R4/9/3K5 b", "e9f9 e2f2 f9e9 f2e2", "Win"),
        ("9/3kc4/3a5/3P5/9/4p4/9/4K4/9/3C5 w", "d6e6 e4d4 e6d6 d4e4", "Win"),
        ("4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w", "e4e3 c4c3 e3e4 c3c4", "Win"),
    ];
    for (fen, cycle, expected) in cases {
        let mut position = Xiangqi::from_fen(fen).expect("a position");
        let moves: Vec<_> = cycle.split(' ').collect();
        play(&mut position, &moves[..3]);
        assert_eq!(position.repetition(3), None, "{fen}");
        play(&mut position, &moves[3..]);
        assert_eq!((position.result(), position.repetition(3)), (None, None), "{fen}");
        for ply in [4, 5, 90] {
            let found = position.repetition(ply).expect("the position stood at the root or below");
            assert_eq!((word(found.winner), found.plies_ago, found.is_final), (expected, 4, false));
        }
        play(&mut position, &moves);
        let found = position.repetition(0).expect("the third occurrence");
        assert_eq!((word(found.winner), found.plies_ago, found.is_final), (expected, 4, true));
    }
}

#[test]
fn a_line_is_judged_by_any_book_whichever_it_was_played_by() {
    // Thirty checks with their replies, and a king's walk of sixty plies.
    let check = "i2e2 e9f9".to_owned() + &" e2f2 f9e9 f2e2 e9f9".repeat(14) + " e2f2 f9e9";
    let walk = " d0d1 e9e8 d1d0 e8e9".repeat(15);
    let moves = check + &walk;
    let moves: Vec<_> = moves.split_whitespace().collect();
    let start = Xiangqi::from_fen("4k4/9/9/9/9/9/9/8R/9/3K5 w").expect("a position");
    for rules in [RuleSet::Asian, RuleSet::Computer] {
        let mut position = start.clone().with_rules(rules);
        assert_eq!(position.rules(), rules);
        play(&mut position, &moves);
        let plies = |rules| position.clone().with_rules(rules).quiet_plies();
        assert_eq!((plies(RuleSet::Asian), plies(RuleSet::Computer)), (120, 80), "{rules:?}");
        assert_eq!(position.quiet_plies(), plies(rules));
        let same_line = position.clone().with_rules(RuleSet::Asian).with_rules(rules);
        assert_eq!(same_line, position);
        assert_eq!(same_line.repetitions(), position.repetitions());
    }
}

/// The same position with colours swapped: ranks turned over, the other side to move.
fn swap_colours(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let turned: Vec<_> = fields[0].split('/').rev().collect();
    let swap = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    fields[0] = turned.join("/").chars().map(swap).collect();
    fields[1] = if fields[1] == "w" { "b" } else { "w" }.to_owned();
    fields.join(" ")
}

/// The same position with left and right swapped.
fn swap_sides(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect("a position has several fields");
    let turned: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {rest}", turned.join("/"))
}

#[test]
fn mirrored_lines_have_the_same_verdict() {
    let map_move = |text: &&str, file: fn(u8) -> u8, rank: fn(u8) -> u8| -> String {
        let bytes = text.bytes().enumerate();
        let point = |(at, byte)| char::from(if at % 2 == 0 { file(byte) } else { rank(byte) });
        bytes.map(point).collect()
    };
    for case in cases() {
        for rules in [RuleSet::Asian, RuleSet::Computer] {
            let expected = verdict(case.fen, &case.moves, rules);
            let same = |byte| byte;
            let colours: Vec<_> =
                case.moves.iter().map(|mv| map_move(mv, same, |rank| b'0' + b'9' - rank)).collect();
            let colours: Vec<_> = colours.iter().map(String::as_str).collect();
            assert_eq!(verdict(&swap_colours(case.fen), &colours, rules), expected, "{}", case.row);
            let sides: Vec<_> =
                case.moves.iter().map(|mv| map_move(mv, |file| b'a' + b'i' - file, same)).collect();
            let sides: Vec<_> = sides.iter().map(String::as_str).collect();
            assert_eq!(verdict(&swap_sides(case.fen), &sides, rules), expected, "{}", case.row);
        }
    }
}

#[test]
fn every_end_has_its_reason() {
    use RuleSet::{Asian, Computer};
    let twice = |cycle: &str| format!("{cycle} {cycle}");
    let start = Xiangqi::start().to_fen();
    let cases = [
        (
            "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w",
            twice("f0e0 e8f8 e0f0 f8e8"),
            Computer,
            Some(("Loss", Reason::PerpetualCheck)),
        ),
        (
            "9/3kc4/3a5/3P5/9/4p4/9/4K4/9/3C5 w",
            twice("d6e6 e4d4 e6d6 d4e4"),
            Computer,
            Some(("Win", Reason::PerpetualCheck)),
        ),
        (
            "9/4c4/3k5/3r5/9/9/4C4/9/4K4/3R5 w",
            twice("e3d3 d6e6 d3e3 e6d6"),
            Asian,
            Some(("Draw", Reason::MutualCheck)),
        ),
        (
            "3k5/9/9/9/9/9/3r5/9/9/3NK4 w",
            twice("d0c2 d3c3 c2d0 c3d3"),
            Computer,
            Some(("Win", Reason::PerpetualChase)),
        ),
        (
            "3aka3/C4rN2/4b1n2/N7p/2p3p2/8P/2P3P2/9/4A4/4KA3 w",
            twice("a6b8 f9e8 b8a6 e8f9"),
            Computer,
            Some(("Draw", Reason::MutualChase)),
        ),
        (
            "3aka3/C4rN2/4b1n2/N7p/2p3p2/8P/2P3P2/9/4A4/4KA3 w",
            twice("a6b8 f9e8 b8a6 e8f9"),
            Asian,
            Some(("Loss", Reason::PerpetualChase)),
        ),
        (&start, twice("h0g2 h9g7 g2h0 g7h9"), Computer, Some(("Draw", Reason::Repetition))),
        (&start, "h0g2 h9g7 g2h0 g7h9 h0g2 h9g7 g2h0".to_owned(), Computer, None),
        (
            "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 99",
            "a0a1".to_owned(),
            Asian,
            Some(("Draw", Reason::MoveLimit)),
        ),
        ("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 118 99", "a0a1".to_owned(), Asian, None),
        ("3k1a3/9/9/9/9/9/9/9/9/4K4 w", String::new(), Asian, Some(("Draw", Reason::DeadPosition))),
        (
            "4k4/9/9/9/9/9/9/9/4r4/3K1r3 w - - 120 99",
            String::new(),
            Computer,
            Some(("Loss", Reason::NoMove)),
        ),
    ];
    for (fen, moves, rules, expected) in cases {
        let mut position = Xiangqi::from_fen(fen).expect("a position");
        play(&mut position, &moves.split_whitespace().collect::<Vec<_>>());
        let found = judge(&position, rules).map(|verdict| (word(verdict.winner), verdict.reason));
        assert_eq!(found, expected, "{fen} {moves}");
    }
}
