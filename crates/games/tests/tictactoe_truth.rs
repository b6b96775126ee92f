//! Tic-tac-toe, exhaustively: every game, every position, every symmetry, every value.

use std::collections::{BTreeMap, BTreeSet};

use games::tictactoe::{Place, TicTacToe, Truth, Value};
use games::{Game, MoveList, RuleWinner, Symmetry, perft};
use model::Termination;

fn legal(position: &TicTacToe) -> Vec<Place> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    moves.to_vec()
}

fn position(text: &str) -> TicTacToe {
    TicTacToe::from_fen(text).expect(text)
}

/// x, o or neither has won; `None` before the end.
fn winner(position: &TicTacToe) -> Option<char> {
    let result = position.result()?;
    assert_eq!(result.reason, Termination::Board);
    Some(match (result.winner, position.first_to_move()) {
        (RuleWinner::Draw, _) => '-',
        (RuleWinner::Opponent, false) => 'x',
        (RuleWinner::Opponent, true) => 'o',
        (RuleWinner::SideToMove, _) => panic!("the side to move cannot have a line"),
    })
}

/// Every game to its end, counted by winner and by length.
fn count_games(position: &mut TicTacToe, counts: &mut BTreeMap<(char, usize), u32>) {
    let moves = legal(position);
    if let Some(winner) = winner(position) {
        assert!(moves.is_empty(), "no move after the end of {}", position.to_fen());
        *counts.entry((winner, position.plies_made())).or_default() += 1;
        return;
    }
    for mv in moves {
        position.make(mv);
        count_games(position, counts);
        position.unmake();
    }
}

/// Every position that a game can reach, by code.
fn reachable() -> BTreeMap<u32, TicTacToe> {
    fn walk(position: &mut TicTacToe, seen: &mut BTreeMap<u32, TicTacToe>) {
        if seen.insert(position.code(), position.clone()).is_some() {
            return;
        }
        for mv in legal(position) {
            position.make(mv);
            walk(position, seen);
            position.unmake();
        }
    }
    let mut seen = BTreeMap::new();
    walk(&mut TicTacToe::start(), &mut seen);
    seen
}

#[test]
fn all_games_are_counted_by_winner_and_by_length() {
    let mut counts = BTreeMap::new();
    count_games(&mut TicTacToe::start(), &mut counts);
    let by_winner = |who| counts.iter().filter(|((w, _), _)| *w == who).map(|(_, n)| n).sum();
    let wins: [u32; 3] = ['x', 'o', '-'].map(by_winner);
    assert_eq!(wins, [131_184, 77_904, 46_080]);
    let by_length = |plies| counts.iter().filter(|((_, p), _)| *p == plies).map(|(_, n)| n).sum();
    let lengths: [u32; 5] = [5, 6, 7, 8, 9].map(by_length);
    assert_eq!(lengths, [1440, 5328, 47_952, 72_576, 127_872]);
    assert_eq!(counts.values().sum::<u32>(), 255_168);
}

#[test]
fn the_tree_has_the_known_width_at_every_ply() {
    let widths = [1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872];
    for (depth, width) in (0..).zip(widths) {
        assert_eq!(perft(&mut TicTacToe::start(), depth), width, "depth {depth}");
    }
    assert_eq!(perft(&mut TicTacToe::start(), 10), 0, "no game is longer than nine plies");
}

#[test]
fn positions_are_counted_with_and_without_symmetry() {
    let positions = reachable();
    assert_eq!(positions.len(), 5478);
    let ends = ['x', 'o', '-']
        .map(|who| positions.values().filter(|position| winner(position) == Some(who)).count());
    assert_eq!(ends, [626, 316, 16]);
    assert_eq!(ends.iter().sum::<usize>(), 958);
    let canonical: BTreeSet<_> =
        positions.values().map(|position| position.canonical().0.code()).collect();
    assert_eq!(canonical.len(), 765);
    assert!(canonical.iter().all(|code| positions.contains_key(code)));
    let canonical_ends = canonical.iter().filter(|code| positions[code].result().is_some());
    assert_eq!(canonical_ends.count(), 138);
}

#[test]
fn a_text_is_read_exactly_if_a_game_can_reach_it() {
    let positions = reachable();
    let mut read = 0;
    for code in 0..3_u32.pow(9) {
        let letter = |square: u32| ['.', 'x', 'o'][(code / 3_u32.pow(square) % 3) as usize];
        let rank = |rank: u32| (0..3).map(|file| letter(rank * 3 + file)).collect::<String>();
        let text = format!("{}/{}/{}", rank(2), rank(1), rank(0));
        let position = TicTacToe::from_fen(&text).ok();
        assert_eq!(position.as_ref(), positions.get(&code), "{text}");
        assert!(position.is_none_or(|position| position.code() == code));
        read += usize::from(positions.contains_key(&code));
    }
    assert_eq!(read, 5478);
}

#[test]
fn images_have_the_images_of_moves_and_one_canonical_position() {
    for position in reachable().into_values() {
        let (canonical, to_canonical) = position.canonical();
        assert_eq!(position.image(to_canonical), canonical);
        for symmetry in Symmetry::ALL {
            let image = position.image(symmetry);
            let fresh = TicTacToe::from_fen(&image.to_fen()).expect("the image is a position");
            assert_eq!((fresh.hash(), &fresh), (image.hash(), &image));
            assert_eq!(image.canonical().0, canonical);
            assert_eq!(image.image(symmetry.inverse()), position);
            assert_eq!(image.result(), position.result());
            let moves: BTreeSet<_> =
                legal(&position).into_iter().map(|mv| mv.image(symmetry)).collect();
            assert_eq!(legal(&image).into_iter().collect::<BTreeSet<_>>(), moves);
        }
    }
    assert_eq!(Place::default().image(Symmetry::ALL[1]), Place::default());
}

#[test]
fn best_play_draws() {
    let truth = Truth::new();
    assert_eq!(truth.value(&TicTacToe::start()), Some(Value::Draw));
    assert_eq!(truth.best_moves(&TicTacToe::start()).len(), 9, "every first move draws");
    // Replies to corner, side and centre.
    let cases =
        [("x../.../...", "b2"), (".x./.../...", "b1 b2 a3 c3"), (".../.x./...", "a1 c1 a3 c3")];
    for (text, replies) in cases {
        let best: Vec<_> = truth.best_moves(&position(text)).iter().map(Place::to_string).collect();
        assert_eq!(best.join(" "), replies, "{text}");
    }
}

#[test]
fn values_are_those_of_the_best_successor() {
    let truth = Truth::default();
    let positions = reachable();
    let codes: Vec<_> = truth.positions().map(|(code, _)| code).collect();
    assert!(codes.iter().eq(positions.keys()), "every position has a value, nothing else has");
    for position in positions.values() {
        let value = truth.value(position).expect("a position of a game");
        for symmetry in Symmetry::ALL {
            assert_eq!(truth.value(&position.image(symmetry)), Some(value));
        }
        let successors = legal(position).into_iter().map(|mv| {
            let mut next = position.clone();
            next.make(mv);
            truth.value(&next).expect("a position of a game").reversed()
        });
        let expected = successors.max().unwrap_or(match position.result() {
            Some(result) if result.winner == RuleWinner::Draw => Value::Draw,
            _ => Value::Loss,
        });
        assert_eq!(value, expected, "{}", position.to_fen());
        assert_eq!(truth.best_moves(position).is_empty(), position.result().is_some());
    }
}

#[test]
fn after_a_pass_there_is_no_value() {
    let truth = Truth::new();
    let mut passed = TicTacToe::start();
    passed.make_null();
    assert_eq!(truth.value(&passed), None);
    assert_eq!(truth.best_moves(&passed), []);
}
