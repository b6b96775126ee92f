//! The properties that every game holds, for othello.

mod properties;

use games::othello::{Move, Othello, Square};
use properties::{Subject, Symmetry};

#[test]
fn othello_holds_the_properties_of_every_game() {
    Subject::<Othello> {
        starts: &[
            "---------------------------OX------XO--------------------------- X",
            // White passes at once; ends of games with many empty squares and few.
            "XO-------------------------------------------------------------- O",
            "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
            "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O",
            "--OX-OO---OOOO-X-OOOO-OX-OOOOOXXXOOXXOXX-OOOOOOXXOXX-O-XO--XXXXX X",
        ],
        plies: 80,
        games: 80,
        any_move: |bits| Move::from_bits(bits as u8),
        symmetries: &[
            Symmetry { position: other_colours, mv: str::to_owned },
            Symmetry {
                position: |text| turn(text, |x, y| (7 - x, y)),
                mv: |mv| turn_move(mv, |x, y| (7 - x, y)),
            },
            Symmetry {
                position: |text| turn(text, |x, y| (x, 7 - y)),
                mv: |mv| turn_move(mv, |x, y| (x, 7 - y)),
            },
            Symmetry {
                position: |text| turn(text, |x, y| (7 - x, 7 - y)),
                mv: |mv| turn_move(mv, |x, y| (7 - x, 7 - y)),
            },
            Symmetry {
                position: |text| turn(text, |x, y| (y, x)),
                mv: |mv| turn_move(mv, |x, y| (y, x)),
            },
            Symmetry {
                position: |text| turn(text, |x, y| (7 - y, 7 - x)),
                mv: |mv| turn_move(mv, |x, y| (7 - y, 7 - x)),
            },
        ],
    }
    .check();
}

/// Black discs become white ones, the other side is to move.
fn other_colours(text: &str) -> String {
    let swap = |letter| match letter {
        'X' => 'O',
        'O' => 'X',
        other => other,
    };
    text.chars().map(swap).collect()
}

/// The position text with every square where `map` sends its file and rank; `map` is its own inverse.
fn turn(text: &str, map: fn(u8, u8) -> (u8, u8)) -> String {
    let (board, side) = text.split_once(' ').expect("a position text has a side to move");
    let letter = |to: Square| {
        let (file, rank) = map(to.file(), to.rank());
        &board[usize::from(rank * 8 + file)..][..1]
    };
    let board: String = Square::all().map(letter).collect();
    format!("{board} {side}")
}

fn turn_move(mv: &str, map: fn(u8, u8) -> (u8, u8)) -> String {
    let Some(square) = Square::from_text(mv) else { return mv.to_owned() };
    let (file, rank) = map(square.file(), square.rank());
    Square::at(file, rank).expect("on the board").to_string()
}
