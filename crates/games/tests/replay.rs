//! Games of strangers: what is taken, what is refused, and that stored moves come back.

use games::replay::{Ending, ReplayError, Winner, moves_text, replay};
use games::{Game, MoveList, movecode};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::{GameKind, Termination};
use proptest::prelude::*;

/// The end of a chess game from the initial position.
fn chess(moves: &str) -> Result<Option<Ending>, ReplayError> {
    replay(GameKind::Chess, &Chess::start().to_fen(), moves, 300).map(|game| game.ending)
}

#[test]
fn a_game_ends_as_the_rules_say() {
    let mate = chess("f2f3 e7e5 g2g4 d8h4").unwrap().unwrap();
    assert_eq!(mate, Ending { winner: Winner::Second, reason: Termination::NoMove });
    assert_eq!(chess("f2f3 e7e5 g2g4").unwrap(), None);
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let draw = chess(shuffle).unwrap().unwrap();
    assert_eq!(draw, Ending { winner: Winner::Nobody, reason: Termination::Repetition });
    // Black to move in the opening: Black is the first.
    let game = replay(GameKind::TicTacToe, "x../.o./... x", "a2 b2 a1", 20);
    assert!(game.is_err(), "b2 is taken");
}

#[test]
fn a_game_that_reaches_its_limit_is_a_draw_by_it() {
    let start = Chess::start().to_fen();
    let game = replay(GameKind::Chess, &start, "e2e4 e7e5", 2).unwrap();
    let ending = Ending { winner: Winner::Nobody, reason: Termination::PlyLimit };
    assert_eq!((game.ending, game.plies), (Some(ending), 2));
    let longer = replay(GameKind::Chess, &start, "e2e4 e7e5 d2d4", 2).unwrap_err();
    assert_eq!(longer, ReplayError::Over { ply: 3, reason: Termination::PlyLimit });
}

#[test]
fn what_is_no_game_is_refused_with_its_place() {
    for (moves, message) in [
        ("e2e5", "half-move 1: move `e2e5` is not legal here"),
        ("e2e4 e2e4", "half-move 2: move `e2e4` is not legal here"),
        ("e2e4  e7e5", "half-move 2: "),
        (" ", "half-move 1: "),
        ("e2e4 \u{1b}[2J", "half-move 2: "),
        ("f2f3 e7e5 g2g4 d8h4 e1f2", "half-move 5 comes after the end of the game by no_move"),
    ] {
        let error = chess(moves).unwrap_err().to_string();
        assert!(error.starts_with(message), "{moves:?}: {error}");
        assert!(!error.contains('\u{1b}'));
    }
    let error = replay(GameKind::Xiangqi, "nonsense", "", 9).unwrap_err();
    assert!(matches!(error, ReplayError::Opening(_)));
}

/// The format of stored games. These bytes were written once; they must be read for ever.
#[test]
fn stored_moves_mean_the_same_for_ever() {
    let cases = [
        (GameKind::Xiangqi, Xiangqi::start().to_fen(), "h2e2 h9g7 h0g2 i9h9"),
        (GameKind::Chess, Chess::start().to_fen(), "e2e4 c7c5 g1f3 d7d6 d2d4"),
        (GameKind::Shogi, Shogi::start().to_fen(), "7g7f 3c3d 8h2b+ 3a2b B*5e"),
        (GameKind::Othello, Othello::start().to_fen(), "d3 c5 d6 e3 f4"),
        (GameKind::TicTacToe, TicTacToe::start().to_fen(), "b2 a1 c3 a3 a2"),
    ];
    let codes: Vec<Vec<u8>> = cases
        .iter()
        .map(|(game, opening, moves)| replay(*game, opening, moves, 300).unwrap().code)
        .collect();
    assert_eq!(codes, GOLDEN);
    for ((game, opening, moves), code) in cases.iter().zip(GOLDEN) {
        let plies = moves.split(' ').count() as u64;
        assert_eq!(moves_text(*game, opening, plies, code).unwrap(), *moves);
    }
}

const GOLDEN: [&[u8]; 5] =
    [&[114, 224, 232], &[206, 89, 167], &[206, 126, 61, 39], &[52, 178], &[117, 51]];

/// A random game, as texts and as moves.
fn random_game<G: Game>(choices: &[u16]) -> (G, Vec<G::Move>, String) {
    let mut position = G::start();
    let (mut moves, mut texts) = (Vec::new(), Vec::new());
    for choice in choices {
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        if position.result().is_some() || legal.is_empty() {
            break;
        }
        let mv = legal[usize::from(*choice) % legal.len()];
        texts.push(position.move_to_text(mv));
        moves.push(mv);
        position.make(mv);
    }
    (G::start(), moves, texts.join(" "))
}

fn comes_back<G: Game>(choices: &[u16]) {
    let (start, moves, text) = random_game::<G>(choices);
    let fen = start.to_fen();
    let game = replay(G::KIND, &fen, &text, 10_000).expect("a legal game");
    assert_eq!(game.plies, moves.len() as u64);
    assert_eq!(movecode::decode(&start, game.plies, &game.code).expect("its own code"), moves);
    assert_eq!(moves_text(G::KIND, &fen, game.plies, &game.code).expect("its own code"), text);
    // Ten bits name one of 593 moves, the most that any position has.
    assert!(game.code.len() <= moves.len() * 10 / 8 + 1, "{} bytes", game.code.len());
}

proptest! {
    #[test]
    fn every_game_comes_back_as_it_was(choices in prop::collection::vec(any::<u16>(), 0..250)) {
        comes_back::<Xiangqi>(&choices);
        comes_back::<Chess>(&choices);
        comes_back::<Shogi>(&choices);
        comes_back::<Othello>(&choices);
        comes_back::<TicTacToe>(&choices);
    }

    #[test]
    fn bytes_of_something_else_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        plies in 0_u64..300,
    ) {
        for game in GameKind::ALL {
            let opening = match game {
                GameKind::Xiangqi => Xiangqi::start().to_fen(),
                GameKind::Chess => Chess::start().to_fen(),
                GameKind::Shogi => Shogi::start().to_fen(),
                GameKind::Othello => Othello::start().to_fen(),
                GameKind::TicTacToe => TicTacToe::start().to_fen(),
            };
            if let Ok(text) = moves_text(game, &opening, plies, &bytes) {
                prop_assert_eq!(text.split(' ').filter(|word| !word.is_empty()).count() as u64, plies);
            }
        }
    }
}
