//! The same statements on real games.

use super::super::GameTree;
use super::{Algorithm, Order, Settings, Tree, run, settings};
use crate::SearchGame;
use Algorithm::{
    AlphaBeta, AspirationNegaScout, Dual, Minimax, MtDual, MtSss, MtdF, NegaScout, Sss,
};
use games::{
    Game, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};

fn xiangqi(fen: &str, depth: u32, order: Order) -> GameTree<Xiangqi> {
    let position = Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    GameTree::new(position, depth, order, 1)
}

fn tic_tac_toe(fen: &str, depth: u32, order: Order) -> GameTree<TicTacToe> {
    let position = TicTacToe::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    GameTree::new(position, depth, order, 1)
}

const ORDERS: [Order; 3] = [Order::Good, Order::Random, Order::Worst];

/// Every algorithm on one tree, with a table and without, and who is a part of whom.
fn assert_family(tree: &mut impl Tree, guess: i32, name: &str) {
    let value = run(Minimax, tree, 0).value;
    for algorithm in Algorithm::ALL {
        for table_mb in [0, 1] {
            let settings = Settings { table_mb, ..settings(guess) };
            let found = algorithm.run(tree, &settings, &mut |_| {}).value;
            assert_eq!(found, Some(value), "{name}: {algorithm:?}, table {table_mb}");
        }
    }
    let [minimax, alpha_beta, nega_scout, sss, mt_sss, dual, mt_dual] =
        [Minimax, AlphaBeta, NegaScout, Sss, MtSss, Dual, MtDual].map(|a| run(a, tree, 0).leaves);
    assert!(alpha_beta.is_subset(&minimax), "{name}");
    assert!(nega_scout.is_subset(&alpha_beta), "{name}");
    assert!(sss.is_subset(&alpha_beta) && dual.is_subset(&alpha_beta), "{name}");
    assert!(sss == mt_sss && dual == mt_dual, "{name}");
}

#[test]
fn the_family_agrees_on_xiangqi() {
    let positions = Xiangqi::BENCH_POSITIONS.iter().skip(2).step_by(4);
    for (fen, order) in positions.zip(ORDERS) {
        for depth in 0..=2 {
            assert_family(&mut xiangqi(fen, depth, order), 30, fen);
        }
    }
    for order in ORDERS {
        // Mates, and repetitions that the tree has to overlook.
        assert_family(&mut xiangqi("4k4/9/R8/9/9/9/9/9/9/1R1K5 w", 3, order), 0, "two rooks");
        assert_family(&mut xiangqi("3ak4/4a4/9/9/9/9/9/3A5/5K3/6r2 b", 4, order), 0, "a rook");
    }
}

/// A middle game, one with a pass at hand, and the last empty squares, where the game ends early.
#[test]
fn the_family_agrees_on_othello() {
    for (fen, depth) in [
        ("---------------------------OX------XO--------------------------- X", 4),
        ("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", 3),
        ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 3),
    ] {
        for order in ORDERS {
            let position = Othello::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
            assert_family(&mut GameTree::new(position, depth, order, 1), 0, fen);
        }
    }
}

/// The start, checks and castling, en passant, promotions, and a mate in two.
#[test]
fn the_family_agrees_on_chess() {
    let positions = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 3),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 3),
    ];
    for ((fen, depth), order) in positions.into_iter().zip(ORDERS.into_iter().cycle()) {
        let position = Chess::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        assert_family(&mut GameTree::new(position, depth, order, 1), 0, fen);
    }
}

#[test]
fn the_family_agrees_on_shogi() {
    for fen in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    ] {
        let position = Shogi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        assert_family(&mut GameTree::new(position, 2, Order::Good, 1), 0, fen);
    }
}

#[test]
fn the_family_agrees_on_tic_tac_toe() {
    for fen in [".../.../... x", "x../.o./... x", "x.o/.x./..o x", "xxx/oo./... o"] {
        for order in ORDERS {
            for depth in [3, 6] {
                assert_family(&mut tic_tac_toe(fen, depth, order), 0, fen);
            }
        }
    }
}

/// 255168 games of tic-tac-toe there are, and the value of the first position is a draw.
#[test]
fn tic_tac_toe_is_solved() {
    let mut tree = tic_tac_toe(".../.../... x", 9, Order::Random);
    let minimax = Minimax.run(&mut tree, &settings(0), &mut |_| {});
    assert_eq!((minimax.value, minimax.counts.leaves), (Some(0), 255_168));
    for algorithm in [AlphaBeta, NegaScout, Sss, MtdF] {
        let found = algorithm.run(&mut tree, &settings(0), &mut |_| {});
        assert_eq!(found.value, Some(0), "{algorithm:?}");
        assert!(found.counts.leaves < 40_000, "{algorithm:?}: {:?}", found.counts);
    }
}

#[test]
fn a_mate_is_worth_more_the_sooner_it_comes() {
    let fen = "4k4/9/R8/9/9/9/9/9/9/1R1K5 w";
    for (depth, plies) in [(1, None), (3, Some(3)), (4, Some(3))] {
        let value = run(AlphaBeta, &mut xiangqi(fen, depth, Order::Good), 0).value;
        assert_eq!((value > 20_000).then_some(crate::MATE - value), plies, "depth {depth}");
    }
}

/// A table joins transpositions: fewer visits for the same value.
#[test]
fn a_table_joins_transpositions() {
    let mut tree = tic_tac_toe(".../.../... x", 9, Order::Random);
    for algorithm in Algorithm::ALL.into_iter().filter(|a| a.takes_table()) {
        let [without, with] = [0, 16].map(|table_mb| {
            algorithm.run(&mut tree, &Settings { table_mb, ..settings(0) }, &mut |_| {}).counts
        });
        assert!(4 * with.leaves < without.leaves, "{algorithm:?}: {with:?}, {without:?}");
    }
}

/// Plaat and others (1996) measured 5 to 10 % fewer leaves in three tournament programs.
#[test]
fn with_a_table_mtd_f_evaluates_fewer_leaves_than_aspiration_nega_scout() {
    let mut sums = [0; 2];
    for fen in Xiangqi::BENCH_POSITIONS {
        let guess = run(AlphaBeta, &mut xiangqi(fen, 1, Order::Good), 0).value;
        let settings = Settings { table_mb: 4, margin: 25, ..settings(guess) };
        for (sum, algorithm) in sums.iter_mut().zip([MtdF, AspirationNegaScout]) {
            let mut tree = xiangqi(fen, 3, Order::Good);
            *sum += algorithm.run(&mut tree, &settings, &mut |_| {}).counts.leaves;
        }
    }
    assert!(sums[0] < sums[1], "{sums:?}");
}

#[test]
fn the_order_good_costs_alpha_beta_least_and_worst_most() {
    let mut sums = [0; 3];
    for fen in &Xiangqi::BENCH_POSITIONS[..6] {
        for (sum, order) in sums.iter_mut().zip(ORDERS) {
            *sum += run(AlphaBeta, &mut xiangqi(fen, 3, order), 0).counts.leaves;
        }
    }
    assert!(sums[0] < sums[1] && sums[1] < sums[2], "{sums:?}");
}
