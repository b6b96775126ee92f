//! Moves, flips, passes, the end and the score, against a reference without bit sets.

mod othello_games;
mod othello_reference;

use games::othello::{Board, Move, Othello, Scoring, Side, Square};
use games::{Game, RuleResult, RuleWinner, perft};
use model::Termination;
use othello_games::{Random, legal, random_game};
use othello_reference::Reference;

fn square(file: i8, rank: i8) -> Square {
    Square::at(file as u8, rank as u8).expect("on the board")
}

fn set(squares: &[(i8, i8)]) -> u64 {
    squares.iter().map(|&(file, rank)| square(file, rank).bit()).sum()
}

fn position(text: &str) -> Othello {
    Othello::from_fen(text).expect(text)
}

/// A board as no game makes it: every square is drawn.
fn random_board(random: &mut Random) -> Board {
    let (a, b, c) = (random.next(), random.next(), random.next());
    let occupied = match random.next() % 3 {
        0 => a,
        1 => a | b,
        _ => a | b | random.next(),
    };
    Board::new(occupied & c, occupied & !c).expect("the sets are disjoint")
}

fn assert_same(position: &Othello, reference: &Reference) {
    let side = position.side_to_move();
    let expected: Vec<_> = reference
        .moves()
        .into_iter()
        .map(|mv| mv.map_or(Move::PASS, |(file, rank)| Move::place(square(file, rank))))
        .collect();
    assert_eq!(legal(position), expected, "{}", position.to_fen());
    assert_eq!(position.count_legal(), expected.len() as u64);
    for at in Square::all().filter(|at| position.disc_on(*at).is_none()) {
        let flips = reference.flips(side, at.file() as i8, at.rank() as i8);
        assert_eq!(position.board().flips(at), set(&flips), "{at} in {}", position.to_fen());
    }
    assert_eq!(position.disc_difference(), reference.score(), "{}", position.to_fen());
    assert_eq!(position.result().is_some(), expected.is_empty(), "{}", position.to_fen());
}

#[test]
fn moves_flips_and_scores_of_random_games_are_those_of_the_reference() {
    let (mut passes, mut early_ends) = (0, 0);
    for seed in 0..300 {
        let mut reference = Reference::of(&Othello::start());
        let mut random = Random(seed);
        let mut position = Othello::start();
        loop {
            assert_eq!(Reference::of(&position), reference);
            assert_same(&position, &reference);
            let moves = legal(&position);
            let Some(&first) = moves.first() else { break };
            passes += u32::from(first == Move::PASS);
            let mv = moves[(random.next() % moves.len() as u64) as usize];
            let place = mv.square().map(|at| (at.file() as i8, at.rank() as i8));
            reference = reference.after(place);
            position.make(mv);
        }
        early_ends += u32::from(position.empties() > 0);
    }
    assert!(passes > 100 && early_ends > 0, "{passes} passes, {early_ends} early ends");
}

#[test]
fn moves_and_flips_of_arbitrary_boards_are_those_of_the_reference() {
    let mut random = Random(7);
    for _ in 0..3000 {
        let board = random_board(&mut random);
        let side = Side::ALL[(random.next() % 2) as usize];
        let position = Othello::new(board, side);
        assert_same(&position, &Reference::of(&position));
    }
}

#[test]
fn black_begins_in_the_middle_with_four_moves() {
    let start = Othello::start();
    assert!(start.first_to_move());
    let disc = |text| start.disc_on(Square::from_text(text).expect("a square"));
    assert_eq!(["d5", "e4"].map(disc), [Some(Side::Black); 2]);
    assert_eq!(["d4", "e5"].map(disc), [Some(Side::White); 2]);
    let texts: Vec<_> = legal(&start).iter().map(Move::to_string).collect();
    assert_eq!(texts, ["d3", "c4", "f5", "e6"]);
    assert_eq!(start.empties(), 60);
    assert_eq!(start.result(), None);
}

#[test]
fn who_has_no_square_passes_once() {
    // White on b1 stands between Black and the empty c1; White itself has nothing to flank with.
    let mut position = position(&format!("XO-{} O", "-".repeat(61)));
    assert!(position.must_pass());
    assert_eq!(legal(&position), [Move::PASS]);
    assert_eq!(position.result(), None);
    assert_eq!(position.move_from_text("pass"), Ok(Move::PASS));
    position.make(Move::PASS);
    assert_eq!(position.side_to_move(), Side::Black);
    assert!(!position.is_pseudo_legal(Move::PASS), "Black can place a disc");
    position.make(position.move_from_text("c1").expect("legal"));
    assert_eq!(position.disc_difference(), -64, "White is wiped out");
    let result = RuleResult { winner: RuleWinner::Opponent, reason: Termination::Board };
    assert_eq!(position.result(), Some(result));
    assert_eq!(position.rule_draw_or_loss(), Some(result));
    assert!(legal(&position).is_empty(), "no pass where neither side can move");
    assert!(!position.is_pseudo_legal(Move::PASS));
    assert_eq!(position.plies_made(), 2);
}

#[test]
fn empties_count_for_the_winner_or_for_nobody() {
    let cases = [
        // Discs of Black and of White, difference with empties to the winner, without.
        (33, 31, 2, 2),
        (32, 32, 0, 0),
        (10, 0, 64, 10),
        (0, 10, -64, -10),
        (20, 20, 0, 0),
        (0, 0, 0, 0),
        (1, 2, -62, -1),
    ];
    for (black, white, to_winner, ignored) in cases {
        let discs = "X".repeat(black) + &"O".repeat(white);
        let text = format!("{discs:-<64}");
        for (side, sign) in [("X", 1), ("O", -1)] {
            let position = position(&format!("{text} {side}"));
            assert_eq!(position.scoring(), Scoring::EmptiesToWinner);
            assert_eq!(position.disc_difference(), sign * to_winner, "{black} {white} {side}");
            let plain = position.clone().with_scoring(Scoring::EmptiesIgnored);
            assert_eq!(plain.disc_difference(), sign * ignored, "{black} {white} {side}");
            assert_eq!(plain.result(), position.result(), "scoring never changes the winner");
        }
    }
}

#[test]
fn a_finished_game_is_one_leaf_of_any_depth() {
    let mut over = position(&format!("XO-{} X", "-".repeat(61)));
    for depth in 0..5 {
        assert_eq!(perft(&mut over, depth), 1, "c1 ends the game, depth {depth}");
    }
    let mut pass = position(&format!("XO-{} O", "-".repeat(61)));
    assert_eq!([1, 2, 3].map(|depth| perft(&mut pass, depth)), [1; 3], "a pass is one ply");
}

fn perft_reference(board: &Reference, depth: u32) -> u64 {
    let moves = board.moves();
    if depth == 0 || moves.is_empty() {
        return 1;
    }
    moves.into_iter().map(|mv| perft_reference(&board.after(mv), depth - 1)).sum()
}

#[test]
fn counts_of_other_positions_are_those_of_the_reference() {
    for seed in 500..520 {
        random_game(seed, |position| {
            let depth = match position.empties() {
                0..=8 => 4,
                n if n % 8 == 0 => 3,
                _ => return,
            };
            let expected = perft_reference(&Reference::of(position), depth);
            assert_eq!(perft(position, depth), expected, "{}", position.to_fen());
        });
    }
}

/// Negamax with alpha-beta by the rules under test.
fn solve(position: &mut Othello, mut alpha: i32, beta: i32) -> i32 {
    if position.rule_draw_or_loss().is_some() {
        return position.disc_difference();
    }
    let mut best = -64;
    for mv in legal(position) {
        position.make(mv);
        let score = -solve(position, -beta, -alpha);
        position.unmake();
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Negamax over the whole tree by the reference.
fn solve_reference(board: &Reference) -> i32 {
    let moves = board.moves();
    let scores = moves.into_iter().map(|mv| -solve_reference(&board.after(mv)));
    scores.max().unwrap_or_else(|| board.score())
}

#[test]
fn endgames_are_worth_what_the_reference_finds() {
    let mut solved = 0;
    for seed in 1000..1040 {
        random_game(seed, |position| {
            if position.empties() == 6 {
                let expected = solve_reference(&Reference::of(position));
                assert_eq!(solve(position, -64, 64), expected, "{}", position.to_fen());
                solved += 1;
            }
        });
    }
    assert!(solved >= 30, "{solved} endgames");
}
