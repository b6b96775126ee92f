//! The properties that every game holds, for tic-tac-toe.

mod properties;

use games::tictactoe::{Place, TicTacToe};
use properties::{Subject, Symmetry};

#[test]
fn tictactoe_holds_the_properties_of_every_game() {
    Subject::<TicTacToe> {
        starts: &[".../.../... x", "x../.o./... x"],
        plies: 10,
        games: 200,
        any_move: |bits| Place::new(bits as u8 & 15),
        symmetries: &[
            Symmetry { position: mirror_files, mv: swap_files },
            Symmetry { position: mirror_ranks, mv: swap_ranks },
        ],
    }
    .check();
}

fn mirror_files(text: &str) -> String {
    let (board, side) = text.split_once(' ').expect("a position text has a side to move");
    let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
    format!("{} {side}", ranks.join("/"))
}

fn swap_files(mv: &str) -> String {
    let swap = |letter: char| match letter {
        'a' => 'c',
        'c' => 'a',
        other => other,
    };
    mv.chars().map(swap).collect()
}

fn mirror_ranks(text: &str) -> String {
    let (board, side) = text.split_once(' ').expect("a position text has a side to move");
    let ranks: Vec<_> = board.split('/').rev().collect();
    format!("{} {side}", ranks.join("/"))
}

fn swap_ranks(mv: &str) -> String {
    let swap = |letter: char| match letter {
        '1' => '3',
        '3' => '1',
        other => other,
    };
    mv.chars().map(swap).collect()
}
