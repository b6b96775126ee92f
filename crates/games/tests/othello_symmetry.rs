//! The eight symmetries: images have the images of moves, and one canonical form.

mod othello_games;

use games::othello::{Board, Move, Othello, Square, map_squares};
use games::{Game, Symmetry, perft};
use othello_games::{legal, random_game};

fn image(at: Square, symmetry: Symmetry) -> Square {
    let (file, rank) = symmetry.map((at.file(), at.rank()), 8);
    Square::at(file, rank).expect("a symmetry stays on the board")
}

#[test]
fn sets_of_squares_go_where_their_squares_go() {
    for symmetry in Symmetry::ALL {
        for at in Square::all() {
            assert_eq!(map_squares(at.bit(), symmetry), image(at, symmetry).bit());
        }
        let set = 0x0123_4567_89ab_cdef;
        assert_eq!(map_squares(map_squares(set, symmetry), symmetry.inverse()), set);
    }
}

#[test]
fn moves_and_flips_of_an_image_are_the_images_of_moves_and_flips() {
    for seed in 0..40 {
        random_game(seed, |position| {
            let board = position.board();
            for symmetry in Symmetry::ALL {
                let turned = board.image(symmetry);
                assert_eq!(turned.moves(), map_squares(board.moves(), symmetry));
                for at in board.move_squares() {
                    let to = image(at, symmetry);
                    let flips = map_squares(board.flips(at), symmetry);
                    assert_eq!(turned.flips(to), flips);
                    let after = board.placed(at, board.flips(at));
                    assert_eq!(turned.placed(to, flips), after.image(symmetry));
                }
                let turned = Othello::new(turned, position.side_to_move());
                let passes = |position| legal(position).contains(&Move::PASS);
                assert_eq!(passes(&turned), passes(position));
                assert_eq!(turned.result(), position.result());
            }
        });
    }
}

#[test]
fn images_share_a_canonical_board_and_others_do_not() {
    let mut canonical: Vec<Board> = Vec::new();
    for seed in 0..20 {
        let end = random_game(seed, |position| {
            let (least, symmetry) = position.board().canonical();
            assert_eq!(position.board().image(symmetry), least);
            for symmetry in Symmetry::ALL {
                assert_eq!(position.board().image(symmetry).canonical().0, least);
            }
        });
        canonical.push(end.board().canonical().0);
    }
    canonical.sort();
    canonical.dedup();
    assert_eq!(canonical.len(), 20, "different games end differently");
}

#[test]
fn the_first_moves_are_one_up_to_symmetry() {
    let start = Othello::start();
    let mut after: Vec<_> = legal(&start)
        .into_iter()
        .map(|mv| {
            let mut position = start.clone();
            position.make(mv);
            assert_eq!(perft(&mut position, 5), 8200 / 4);
            position.board().canonical().0
        })
        .collect();
    after.dedup();
    assert_eq!(after.len(), 1);
}
