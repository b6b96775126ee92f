//! How games of chess end, and what a search is told of it.

use games::chess::{Chess, Color, Move, Piece};
use games::{Game, MoveKind, MoveList, Repetition, RuleResult, RuleWinner};
use model::Termination;

fn position(fen: &str) -> Chess {
    Chess::from_fen(fen).expect("the test holds positions")
}

fn play(position: &mut Chess, line: &str) {
    for text in line.split_whitespace() {
        let mv = position.move_from_text(text).expect("the test holds moves");
        position.make(mv);
    }
}

fn draw(reason: Termination) -> Option<RuleResult> {
    Some(RuleResult { winner: RuleWinner::Draw, reason })
}

const MATE: Option<RuleResult> =
    Some(RuleResult { winner: RuleWinner::Opponent, reason: Termination::NoMove });

#[test]
fn checkmate_wins_and_stalemate_draws() {
    let mut game = Chess::start();
    play(&mut game, "f2f3 e7e5 g2g4");
    assert_eq!(game.result(), None);
    play(&mut game, "d8h4");
    assert_eq!((game.result(), game.in_check()), (MATE, true));
    assert_eq!(game.rule_draw_or_loss(), None, "the absence of moves shows itself");

    let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(stalemate.result(), draw(Termination::Stalemate));
    assert_eq!(stalemate.rule_draw_or_loss(), None);
}

#[test]
fn the_third_occurrence_draws() {
    let mut game = Chess::start();
    let there_and_back = "g1f3 g8f6 f3g1 f6g8";
    play(&mut game, there_and_back);
    assert_eq!((game.repetitions(), game.result()), (1, None));
    play(&mut game, there_and_back);
    assert_eq!((game.repetitions(), game.result()), (2, draw(Termination::Repetition)));
    assert_eq!(game.rule_draw_or_loss(), draw(Termination::Repetition));
    game.unmake();
    assert_eq!((game.repetitions(), game.result()), (1, None), "f3g1 stood once before");
}

#[test]
fn lost_rights_to_castle_make_another_position() {
    let mut game = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    let there_and_back = "e1d1 e8d8 d1e1 d8e8";
    play(&mut game, there_and_back);
    assert_eq!(game.repetitions(), 0, "the right is gone");
    play(&mut game, there_and_back);
    assert_eq!(game.result(), None);
    play(&mut game, there_and_back);
    assert_eq!(game.result(), draw(Termination::Repetition));
}

/// FIDE's Laws of Chess, 9.2.3.1: positions differ if a pawn could have been captured en passant.
#[test]
fn an_en_passant_square_counts_only_where_a_capture_is_legal() {
    let shuffle = "e8d8 e1d1 d8e8 d1e1 ";
    let cases = [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", 1, "no pawn beside"),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", 0, "a capture"),
        ("4k3/8/8/8/KP4pr/8/5P2/8 w - - 0 1", "f2f4", 0, "a capture that opens no line"),
        ("8/8/8/8/k4p1R/8/4P3/4K3 w - - 0 1", "e2e4", 1, "both pawns leave the king's rank"),
    ];
    for (fen, double_step, expected, why) in cases {
        let mut game = position(fen);
        play(&mut game, double_step);
        let (hash, text) = (game.hash(), game.to_fen());
        let field = text.split(' ').nth(3).unwrap();
        assert_eq!(field == "-", expected == 1, "{why}: {text}");
        assert_eq!(position(&text).hash(), hash);
        let line = match why {
            "a capture that opens no line" => "e8d8 a4a3 d8e8 a3a4",
            "both pawns leave the king's rank" => "a4a3 e1d1 a3a4 d1e1",
            _ => shuffle,
        };
        play(&mut game, line);
        assert_eq!(game.repetitions(), expected, "{why}");
    }
}

#[test]
fn fifty_moves_of_each_side_draw_unless_they_mate() {
    let mut game = position("7k/8/6K1/8/8/8/8/R7 w - - 98 80");
    play(&mut game, "a1b1");
    assert_eq!((game.halfmove_clock(), game.result()), (99, None));
    assert_eq!(game.plies_to_limit(), Some(1));
    play(&mut game, "h8g8");
    assert_eq!(game.result(), draw(Termination::MoveLimit));
    assert_eq!(game.rule_draw_or_loss(), draw(Termination::MoveLimit));

    let mut game = position("7k/8/6K1/8/8/8/8/R7 w - - 99 80");
    play(&mut game, "a1a8");
    assert_eq!((game.halfmove_clock(), game.result()), (100, MATE));
    assert_eq!(game.rule_draw_or_loss(), None);

    let mut game = position("7k/8/6K1/8/8/8/P7/R7 w - - 99 80");
    play(&mut game, "a2a3");
    assert_eq!((game.halfmove_clock(), game.result()), (0, None));
    let late = position("7k/8/6K1/8/8/8/8/R7 w - - 4711 5000");
    assert_eq!((late.halfmove_clock(), late.plies_to_limit()), (4711, Some(0)));
}

#[test]
fn bare_kings_a_single_minor_and_bishops_of_one_colour_are_dead() {
    let dead = ["8/8", "8/N7", "8/n7", "8/B7", "8/1b6", "b7/1B6", "8/B1B1B3", "7b/B1b5"];
    let alive = ["8/NN6", "8/Nn6", "8/Nb6", "8/BB6", "8/Bb6", "8/P7", "8/r7", "8/Q7"];
    for (boards, expected) in [(dead, true), (alive, false)] {
        for board in boards {
            let position = position(&format!("7k/8/8/{board}/8/8/7K w - - 0 1"));
            assert_eq!(position.is_dead(), expected, "{board}");
            let result = if expected { draw(Termination::DeadPosition) } else { None };
            assert_eq!(position.result(), result, "{board}");
            assert_eq!(position.rule_draw_or_loss(), result, "{board}");
        }
    }
    let stalemate = position("8/8/8/8/8/6K1/5B2/7k b - - 0 1");
    assert_eq!(stalemate.result(), draw(Termination::Stalemate));
    assert_eq!(stalemate.rule_draw_or_loss(), None, "a side without a move decides");
}

#[test]
fn an_earlier_occurrence_at_the_root_or_below_is_a_provisional_draw() {
    let mut game = Chess::start();
    play(&mut game, "g1f3 g8f6 f3g1 f6g8");
    let draw =
        |plies_ago, is_final| Some(Repetition { winner: RuleWinner::Draw, plies_ago, is_final });
    assert_eq!(game.repetition(3), None, "the first occurrence stands above the root");
    assert_eq!(game.repetition(4), draw(4, false), "the first occurrence is the root");
    play(&mut game, "b1c3");
    assert_eq!(game.repetition(100), None);
    game.unmake();
    play(&mut game, "g1f3 g8f6 f3g1 f6g8");
    assert_eq!(game.repetition(0), draw(4, true), "the third occurrence ends the game");
}

#[test]
fn a_pass_gives_the_turn_away_and_ends_the_counting_of_repetitions() {
    let mut game = Chess::start();
    play(&mut game, "e2e4 d7d5 e4e5 f7f5");
    let before = (game.to_fen(), game.hash());
    assert_eq!(game.en_passant().map(|square| square.to_string()), Some("f6".into()));
    game.make_null();
    assert!(!game.first_to_move() && game.en_passant().is_none() && game.last_move().is_none());
    game.unmake_null();
    assert_eq!((game.to_fen(), game.hash()), before);

    let mut game = position("4k3/8/8/8/8/8/8/R3K3 w - - 10 20");
    play(&mut game, "e1d1 e8d8 d1e1");
    game.make_null();
    play(&mut game, "a1a2");
    assert_eq!(game.repetitions(), 0);
}

#[test]
fn noisy_are_captures_en_passant_and_promotions() {
    let fen = "r3k2r/1P6/8/4Pp2/8/8/8/R3K2R w KQkq f6 0 1";
    let game = position(fen);
    let texts = |kind| {
        let mut moves = MoveList::new();
        game.pseudo_legal(kind, &mut moves);
        let mut texts: Vec<_> = moves.iter().map(|&mv| game.move_to_san(mv)).collect();
        texts.sort();
        texts
    };
    let noisy = "Rxa8+ Rxh8+ b8=B b8=N b8=Q+ b8=R+ bxa8=B bxa8=N bxa8=Q+ bxa8=R+ exf6";
    assert_eq!(texts(MoveKind::Noisy).join(" "), noisy);
    let quiet = texts(MoveKind::Quiet);
    assert!(["O-O", "O-O-O", "e6"].iter().all(|text| quiet.contains(&(*text).to_owned())));
    let mv = |text: &str| game.move_from_san(text).expect("a legal move");
    assert_eq!(game.captured(mv("exf6")), Some(Piece::Pawn));
    assert_eq!(game.captured(mv("O-O")), None);
    assert_eq!(game.captured(mv("bxa8=N")), Some(Piece::Rook));
    assert_eq!(mv("bxa8=N").promotion(), Some(Piece::Knight));
    assert!(game.is_castling(mv("O-O-O")) && game.is_en_passant(mv("exf6")));
}

#[test]
fn the_initial_positions_of_chess960_are_numbered_as_usual() {
    assert_eq!(Chess::chess960_start(518), Some(Chess::start()));
    let text = |number| Chess::chess960_start(number).map(|game| game.to_fen());
    let first = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";
    let last = "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1";
    assert_eq!((text(0).as_deref(), text(959).as_deref()), (Some(first), Some(last)));
    assert_eq!(text(960), None);
}

#[test]
fn moves_survive_their_bits() {
    let game = position("r3k2r/1P6/8/4Pp2/8/8/8/R3K2R w KQkq f6 0 1");
    let mut moves = MoveList::new();
    game.legal(&mut moves);
    for &mv in moves.iter() {
        assert_eq!(Move::from_bits(mv.bits()), mv);
    }
    assert_eq!(Move::from_bits(0x5000), Move::default());
    assert_eq!(Move::promoting(mv_from(moves[0]), mv_from(moves[0]), Piece::King), Move::default());
    assert_eq!(
        game.king(Color::White),
        moves.iter().find(|&&mv| game.is_castling(mv)).unwrap().from()
    );
}

fn mv_from(mv: Move) -> games::chess::Square {
    mv.from()
}
