//! The rules of shogi, one by one.

use games::shogi::{Move, PieceKind, Shogi, Side, Square};
use games::{Game, MoveKind, MoveList, MoveText, RuleResult, RuleWinner};
use model::Termination;

fn position(sfen: &str) -> Shogi {
    Shogi::from_fen(sfen).expect(sfen)
}

fn legal(position: &Shogi) -> Vec<String> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    let mut texts: Vec<_> = moves.iter().map(Move::to_string).collect();
    texts.sort();
    texts
}

fn legal_with(position: &Shogi, part: &str) -> Vec<String> {
    legal(position).into_iter().filter(|mv| mv.contains(part)).collect()
}

fn play(position: &mut Shogi, line: &str) {
    for text in line.split_whitespace() {
        let mv = position.move_from_text(text).expect("the line is legal");
        position.make(mv);
    }
}

fn over(winner: RuleWinner, reason: Termination) -> Option<RuleResult> {
    Some(RuleResult { winner, reason })
}

#[test]
fn a_piece_promotes_when_it_enters_leaves_or_moves_in_the_camp() {
    let cases = [
        ("4k4/9/9/5S3/9/9/9/9/4K4 b - 1", "4d", "4d3c 4d3c+ 4d3e 4d4c 4d4c+ 4d5c 4d5c+ 4d5e"),
        (
            "4k4/9/5S3/9/9/9/9/9/4K4 b - 1",
            "4c",
            "4c3b 4c3b+ 4c3d 4c3d+ 4c4b 4c4b+ 4c5b 4c5b+ 4c5d 4c5d+",
        ),
        (
            "4k4/9/9/9/9/9/9/5s3/K8 w - 1",
            "4h",
            "4h3g 4h3g+ 4h3i 4h3i+ 4h4i 4h4i+ 4h5g 4h5g+ 4h5i 4h5i+",
        ),
        ("4k4/9/5G3/9/9/9/9/9/4K4 b - 1", "4c", "4c3b 4c3c 4c4b 4c4d 4c5b 4c5c"),
    ];
    for (sfen, part, moves) in cases {
        assert_eq!(legal_with(&position(sfen), part).join(" "), moves, "{sfen}");
    }
}

#[test]
fn promotion_is_forced_where_a_piece_could_never_move_again() {
    let cases = [
        ("k8/4P4/9/9/9/9/9/9/K8 b - 1", "5b", "5b5a+"),
        ("k8/9/4P4/9/9/9/9/9/K8 b - 1", "5c", "5c5b 5c5b+"),
        ("k8/9/4L4/9/9/9/9/9/K8 b - 1", "5c", "5c5a+ 5c5b 5c5b+"),
        ("k8/9/9/4N4/9/9/9/9/K8 b - 1", "5d", "5d4b+ 5d6b+"),
        ("k8/9/9/9/4N4/9/9/9/K8 b - 1", "5e", "5e4c 5e4c+ 5e6c 5e6c+"),
        ("k8/9/9/9/9/4n4/9/9/K8 w - 1", "5f", "5f4h+ 5f6h+"),
        ("k8/9/9/9/9/9/4l4/9/K8 w - 1", "5g", "5g5h 5g5h+ 5g5i+"),
        ("k8/9/9/9/9/9/9/4p4/K8 w - 1", "5h", "5h5i+"),
    ];
    for (sfen, part, moves) in cases {
        assert_eq!(legal_with(&position(sfen), part).join(" "), moves, "{sfen}");
    }
}

#[test]
fn drops_go_where_the_piece_could_move_on() {
    let position = position("4k4/9/9/9/9/9/9/9/4K4 b PLNSBRG 1");
    let count = |kind: &str| legal_with(&position, kind).len();
    assert_eq!(count("P*"), 71, "8 ranks of 9 squares but Black's king's");
    assert_eq!(count("L*"), 71);
    assert_eq!(count("N*"), 62);
    assert_eq!(["S*", "B*", "R*", "G*"].map(count), [79; 4]);
    assert!(legal_with(&position, "+").is_empty(), "nothing is dropped promoted");
}

#[test]
fn a_second_pawn_on_a_file_is_refused_but_not_beside_a_promoted_one() {
    let sfen = "k8/9/6p2/9/4+P4/2P6/9/9/K8 b P 1";
    let drops = legal_with(&position(sfen), "P*");
    assert!(drops.iter().all(|mv| !mv.starts_with("P*7")), "{drops:?}");
    assert!(drops.contains(&"P*5f".into()) && drops.contains(&"P*3g".into()), "{drops:?}");
    // Eight ranks on eight files, without a king, the promoted pawn and White's pawn.
    assert_eq!(drops.len(), 8 * 8 - 3);
}

#[test]
fn a_dropped_pawn_gives_no_mate() {
    let cases = [
        // The gold protects the pawn and covers 2b; the king escapes to 2a.
        ("8k/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b", true),
        // A silver there can capture the pawn.
        ("7sk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b", true),
        // So can a gold that is not pinned,
        ("7gk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b", true),
        // but not one that is pinned along the rank.
        ("R6gk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b", false),
        // A knight there can not.
        ("7nk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b", false),
        // Unprotected, the pawn is captured by the king.
        ("7nk/7p1/9/9/9/9/9/9/K8 b P 1", "P*1b", true),
        // White's turn, seen from the other side.
        ("k8/9/9/9/9/9/1g7/9/KN7 w p 1", "P*9h", false),
        ("k8/9/9/9/9/9/1g7/9/K8 w p 1", "P*9h", true),
    ];
    for (sfen, drop, is_legal) in cases {
        let position = position(sfen);
        assert_eq!(position.move_from_text(drop).is_ok(), is_legal, "{drop} in {sfen}");
        assert_eq!(legal(&position).contains(&drop.to_owned()), is_legal, "{drop} in {sfen}");
    }
}

#[test]
fn a_pawn_that_walks_to_mate_and_other_dropped_mates_are_legal() {
    let mut walked = position("7nk/9/7GP/9/9/9/9/9/K8 b - 1");
    play(&mut walked, "1c1b");
    assert_eq!(walked.result(), over(RuleWinner::Opponent, Termination::NoMove));
    let mut dropped = position("7nk/9/7G1/9/9/9/9/9/K8 b L 1");
    play(&mut dropped, "L*1b");
    assert_eq!(dropped.result(), over(RuleWinner::Opponent, Termination::NoMove));
}

#[test]
fn a_side_without_a_move_loses_in_check_or_not() {
    let stalemate = position("k8/9/1G7/9/9/9/9/9/K8 w - 1");
    assert_eq!(stalemate.result(), None, "the king steps to 8a");
    let stalemate = position("k8/2R6/1S7/9/9/9/9/9/K8 w - 1");
    assert!(!stalemate.in_check());
    assert_eq!(legal(&stalemate), ["9a8a"]);
    let stalemate = position("k8/2+R6/1S7/9/9/9/9/9/K8 w - 1");
    assert!(!stalemate.in_check());
    assert_eq!(stalemate.result(), over(RuleWinner::Opponent, Termination::NoMove));
    assert_eq!(stalemate.rule_draw_or_loss(), None, "left to the search");
}

#[test]
fn checks_are_answered_by_capture_interposition_or_flight() {
    // A rook on the file: block, capture or step aside.
    let one = position("4k4/9/9/9/4r4/9/3G5/9/4K4 b Pb 1");
    assert_eq!(legal(&one).join(" "), "5i4h 5i4i 5i6h 5i6i 6g5f 6g5g P*5f P*5g P*5h");
    // A knight's check cannot be blocked.
    let knight = position("4k4/9/9/9/9/9/3n5/9/4K4 b RP 1");
    assert!(knight.in_check());
    assert!(legal(&knight).iter().all(|mv| mv.starts_with("5i")));
    // Two checks at once leave the king's moves.
    let double = position("4k4/9/9/9/9/4r4/3n5/9/4K4 b RP 1");
    assert_eq!(double.checkers().len(), 2);
    assert_eq!(legal(&double).join(" "), "5i4h 5i4i 5i6h 5i6i");
    // The king does not step along the line of the checking lance.
    let lance = position("4k4/9/9/9/4l4/9/4K4/9/9 b - 1");
    assert_eq!(legal(&lance).join(" "), "5g4f 5g4g 5g4h 5g6f 5g6g 5g6h");
}

#[test]
fn pinned_pieces_stay_on_the_line() {
    let file = position("4k4/9/4r4/9/9/9/4S4/9/4K4 b - 1");
    assert_eq!(file.pinned().len(), 1);
    assert_eq!(legal_with(&file, "5g"), ["5g5f"]);
    let diagonal = position("4k4/9/9/9/b8/9/2P6/9/4K4 b - 1");
    assert!(legal_with(&diagonal, "7g").is_empty());
    let rank = position("4k4/9/9/9/9/9/9/9/r2L2K2 b - 1");
    assert!(legal_with(&rank, "6i").is_empty());
    let two_between = position("4k4/9/4l4/9/4P4/9/4S4/9/4K4 b - 1");
    assert!(two_between.pinned().is_empty());
}

#[test]
fn the_fourth_occurrence_is_a_draw() {
    let mut game = Shogi::start();
    let cycle = "2h3h 8b7b 3h2h 7b8b";
    for earlier in 1..=3 {
        play(&mut game, "2h3h 8b7b 3h2h");
        assert_eq!(game.result(), None);
        play(&mut game, "7b8b");
        assert_eq!(game.repetitions(), earlier);
        assert_eq!(game.result().is_some(), earlier == 3, "after {earlier} of {cycle}");
    }
    assert_eq!(game.result(), over(RuleWinner::Draw, Termination::Repetition));
    assert_eq!(game.rule_draw_or_loss(), game.result());
    let verdict = game.repetition(0).expect("final verdicts count at every ply");
    assert_eq!((verdict.winner, verdict.plies_ago, verdict.is_final), (RuleWinner::Draw, 4, true));
    game.unmake();
    assert_eq!((game.result(), game.repetitions()), (None, 2));
}

#[test]
fn a_repetition_with_other_hands_is_none() {
    // White's rook takes a dropped pawn and returns; White's king loses a move on the way.
    let mut game = position("4k4/9/9/9/r8/9/9/9/4K4 b 2P 1");
    play(&mut game, "P*8e 9e8e 5i4i 8e9e 4i5i 5a5b 5i4i 5b4a 4i5i 4a5a");
    assert_eq!(game.to_fen(), "4k4/9/9/9/r8/9/9/9/4K4 b Pp 11");
    assert_eq!(game.repetitions(), 0);
}

#[test]
fn captures_do_not_hide_a_repetition() {
    // The silvers are exchanged and dropped again.
    let mut game = position("k8/9/4g4/4s4/4S4/9/9/9/8K b - 1");
    play(&mut game, "5e5d 5c5d S*5e 5d5c 1i1h S*5d 1h1i 9a9b 1i1h 9b8a 1h1i 8a9a");
    assert_eq!(game.to_fen(), "k8/9/4g4/4s4/4S4/9/9/9/8K b - 13");
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn perpetual_check_loses() {
    // Black's rook checks from two files for ever.
    let mut game = position("4k4/9/9/9/9/9/9/R8/4K4 w - 1");
    play(&mut game, "5a4a");
    let cycle = "9h4h 4a5a 4h5h 5a4a 5h4h 4a5a 4h5h 5a4a";
    play(&mut game, "9h4h 4a5a");
    for _ in 0..3 {
        assert_eq!(game.result(), None, "{cycle}");
        play(&mut game, "4h5h 5a4a 5h4h 4a5a");
    }
    assert!(!game.in_check());
    assert_eq!(game.result(), over(RuleWinner::Opponent, Termination::PerpetualCheck));
    // Seen one half-move earlier in the cycle, by the side in check, the same side loses.
    let mut checked = position("4k4/9/9/9/9/9/9/R8/4K4 w - 1");
    play(&mut checked, "5a4a 9h4h");
    for _ in 0..3 {
        assert_eq!(checked.result(), None);
        play(&mut checked, "4a5a 4h5h 5a4a 5h4h");
    }
    assert!(checked.in_check());
    assert_eq!(checked.result(), over(RuleWinner::SideToMove, Termination::PerpetualCheck));
}

#[test]
fn one_quiet_move_between_the_occurrences_makes_a_draw() {
    let mut game = position("4k4/9/9/9/9/9/9/R8/4K4 w - 1");
    play(&mut game, "5a4a 9h4h 4a5a");
    play(&mut game, "4h5h 5a4a 5h4h 4a5a 4h3h 5a4a 3h4h 4a5a 4h5h 5a4a 5h4h 4a5a");
    assert_eq!(game.repetitions(), 3);
    assert_eq!(game.result(), over(RuleWinner::Draw, Termination::Repetition));
}

#[test]
fn a_repetition_below_the_root_is_a_provisional_verdict() {
    let mut game = position("4k4/9/9/9/9/9/9/R8/4K4 w - 1");
    play(&mut game, "5a4a 9h4h 4a5a 4h5h 5a4a 5h4h 4a5a");
    assert_eq!(game.repetition(4), None, "the earlier occurrence is the root itself");
    let verdict = game.repetition(5).expect("one earlier occurrence below the root");
    assert_eq!((verdict.winner, verdict.plies_ago), (RuleWinner::Opponent, 4));
    assert!(!verdict.is_final);
    assert_eq!(game.rule_draw_or_loss(), None, "twice is no result");
}

#[test]
fn a_pass_is_a_horizon_of_repetitions() {
    let mut game = Shogi::start();
    play(&mut game, "2h3h 8b7b 3h2h");
    game.make_null();
    play(&mut game, "2h3h 7b8b 3h2h");
    assert_eq!(game.repetitions(), 0);
    for _ in 0..3 {
        game.unmake();
    }
    game.unmake_null();
    play(&mut game, "7b8b");
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn impasse_needs_king_pieces_and_points_and_no_check() {
    let cases = [
        // Ten pieces, 18 points on the board, 10 in hand: 28.
        ("K+P+P+P+P+P+P+P1/+P+R+B6/9/9/9/9/9/9/8k b 10P 1", true),
        ("K+P+P+P+P+P+P+P1/+P+R+B6/9/9/9/9/9/9/8k b 9P 1", false),
        ("K+P+P+P+P+P+P+P1/+P+R+B6/9/9/9/9/9/9/8k b RB 1", true),
        // Nine pieces are too few, whatever the hand holds.
        ("K+P+P+P+P+P+P2/+P+R+B6/9/9/9/9/9/9/8k b RB9P 1", false),
        // The king stands outside the camp.
        ("1+P+P+P+P+P+P+P1/+P+R+B6/9/K8/9/9/9/9/8k b 10P 1", false),
        // Pieces outside the camp do not count.
        ("K+P+P+P+P+P+P+P1/+P+R7/9/2+B6/9/9/9/9/8k b 10P 1", false),
        // In check nobody declares.
        ("K+P+P+P+P+P+P+P1/1+P+R+B5/9/9/9/9/9/r8/8k b 10P 1", false),
        // White needs one point less.
        ("8K/9/9/9/9/9/9/+p+r+b6/k+p+p+p+p+p+p+p1 w 9p 1", true),
        ("8K/9/9/9/9/9/9/+p+r+b6/k+p+p+p+p+p+p+p1 w 8p 1", false),
        // The other side's turn.
        ("K+P+P+P+P+P+P+P1/+P+R+B6/9/9/9/9/9/9/8k w 10P 1", false),
    ];
    for (sfen, declares) in cases {
        let position = position(sfen);
        assert_eq!(position.can_declare_win(), declares, "{sfen}");
        let win = over(RuleWinner::SideToMove, Termination::Impasse);
        assert_eq!(position.result() == win, declares, "{sfen}");
        assert_eq!(position.rule_draw_or_loss() == win, declares, "{sfen}");
    }
}

#[test]
fn captures_and_the_promotions_of_pawn_bishop_and_rook_are_noisy() {
    let position = position("4k4/9/p8/P1S1N1P1L/9/9/B8/9/4K2R1 b P 1");
    let texts = |kind| {
        let mut moves = MoveList::new();
        position.pseudo_legal(kind, &mut moves);
        moves.iter().map(Move::to_string).collect::<Vec<_>>()
    };
    let (noisy, quiet) = (texts(MoveKind::Noisy), texts(MoveKind::Quiet));
    for mv in ["9d9c", "9d9c+", "3d3c+", "9g5c+", "2i2c+", "2i2a+"] {
        assert!(noisy.contains(&mv.into()), "{mv}: {noisy:?}");
    }
    for mv in ["3d3c", "9g5c", "2i2c", "7d7c+", "5d4b+", "1d1a+", "P*2e", "5i5h"] {
        assert!(quiet.contains(&mv.into()), "{mv}: {quiet:?}");
    }
}

/// Plays random games and hands each position on the way to a check.
fn random_positions(check: impl Fn(&Shogi)) {
    let starts = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "3g1ks2/6g2/4Sp3/9/9/9/9/4R4/4K4 w 2P2b2g3n 90",
        "7nk/9/7G1/9/9/9/9/9/K8 b 9P2R2B3Gp4s 1",
        "8k/6+P2/6S2/9/9/9/9/9/K8 b 9P2R2B3G7psn 1",
    ];
    let mut state = 7_u64;
    for game in 0..60 {
        let mut game = position(starts[game % starts.len()]);
        for _ in 0..80 {
            check(&game);
            let mut moves = MoveList::new();
            game.legal(&mut moves);
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let Some(index) = ((state >> 33) as usize).checked_rem(moves.len()) else { break };
            game.make(moves[index]);
        }
    }
}

/// Whether a side's king is attacked, by looking from every piece.
fn is_attacked(position: &Shogi, side: Side) -> bool {
    position
        .side(side.other())
        .into_iter()
        .any(|square| position.attacks_from(square).has(position.king(side)))
}

#[test]
fn legality_is_what_a_trial_says() {
    random_positions(|position| {
        let us = position.side_to_move();
        assert_eq!(position.in_check(), is_attacked(position, us));
        let mut moves = MoveList::new();
        position.pseudo_legal(MoveKind::All, &mut moves);
        for &mv in moves.iter() {
            let mut after = position.clone();
            after.make(mv);
            let is_pawn_drop = mv.dropped() == Some(PieceKind::Pawn);
            let mates = is_pawn_drop && after.in_check() && after.count_legal() == 0;
            let expected = !is_attacked(&after, us) && !mates;
            assert_eq!(position.is_legal(mv), expected, "{mv} in {}", position.to_fen());
        }
    });
}

#[test]
fn all_that_is_left_out_in_check_would_not_end_it() {
    random_positions(|position| {
        if !position.in_check() {
            return;
        }
        let us = position.side_to_move();
        for from in position.side(us) {
            for to in position.attacks_from(from).without(position.side(us)) {
                let mv = Move::new(from, to);
                let kind = position.piece_on(from).map(|piece| piece.kind());
                let may_stay = kind != Some(PieceKind::Pawn)
                    && kind != Some(PieceKind::Lance)
                    && kind != Some(PieceKind::Knight);
                if may_stay && !position.is_pseudo_legal(mv) {
                    let mut after = position.clone();
                    after.make(mv);
                    assert!(is_attacked(&after, us), "{mv} in {}", position.to_fen());
                }
            }
        }
    });
}

#[test]
fn game_records_count_full_moves_from_whoever_begins() {
    let numbers = |sfen: &str| {
        let mut game = position(sfen);
        let mut numbers = vec![MoveText::move_number(&game)];
        let line = match game.first_to_move() {
            true => ["5i5h", "5a5b", "5h5i"],
            false => ["5a5b", "5i5h", "5b5a"],
        };
        for mv in line {
            play(&mut game, mv);
            numbers.push(MoveText::move_number(&game));
        }
        numbers
    };
    assert_eq!(numbers("4k4/9/9/9/9/9/9/9/4K4 b - 1"), [1, 1, 2, 2]);
    assert_eq!(numbers("4k4/9/9/9/9/9/9/9/4K4 w - 1"), [1, 2, 2, 3]);
    assert_eq!(numbers("4k4/9/9/9/9/9/9/9/4K4 w - 2"), [1, 2, 2, 3]);
    assert_eq!(numbers("4k4/9/9/9/9/9/9/9/4K4 b - 7"), [4, 4, 5, 5]);
}

#[test]
fn hostile_bits_are_no_moves() {
    for bits in 0..=u16::MAX {
        let mv = Move::from_bits(bits);
        assert!(mv == Move::default() || mv.bits() == bits);
        let text = mv.to_string();
        assert_eq!(mv.from().is_none(), mv.dropped().is_some(), "{text}");
        assert!(!mv.is_promotion() || mv.dropped().is_none(), "{text}");
    }
    let start = Shogi::start();
    let count = (0..=u16::MAX).filter(|&bits| {
        let mv = Move::from_bits(bits);
        mv != Move::default() && start.is_pseudo_legal(mv)
    });
    assert_eq!(count.count(), 30);
}

#[test]
fn an_evaluator_sees_hands_pieces_and_attackers() {
    let position = position("4k4/4r4/9/9/4p4/3PS4/4L4/9/4K4 b R2P 1");
    let at = |text: &str| {
        let bytes = text.as_bytes();
        Square::at(bytes[0] - b'1', bytes[1] - b'a').expect("a square")
    };
    let attackers = position.attackers_to(at("5e"), position.occupied());
    assert_eq!(
        attackers.len(),
        2,
        "the silver, and the rook behind its pawn; the lance stands behind"
    );
    let opened = position.occupied().without(games::shogi::SquareSet::of(at("5f")));
    let attackers: Vec<_> = position.attackers_to(at("5e"), opened).into_iter().collect();
    assert_eq!(attackers, [at("5b"), at("5g")]);
    let hand = position.hand(Side::Black);
    assert_eq!((hand.len(), hand.count(PieceKind::Pawn), hand.count(PieceKind::Rook)), (3, 2, 1));
    assert_eq!(position.king(Side::White), at("5a"));
    assert_eq!(position.pieces(Side::Black, PieceKind::Lance).first(), Some(at("5g")));
}

#[test]
fn hashes_never_change() {
    assert_eq!(Shogi::start().hash(), 15_390_647_414_439_479_944);
    let hands = position("4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 30");
    assert_eq!(hands.hash(), 14_244_704_568_387_397_158);
}
