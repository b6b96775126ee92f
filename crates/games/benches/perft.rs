//! The speed of the rules: perft of two positions, and make with unmake.

use divan::counter::ItemsCount;
use games::xiangqi::Xiangqi;
use games::{Game, MoveKind, MoveList, perft};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
const MIDGAME: &str = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1";
const ROOKS: &str =
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1";

fn main() {
    divan::main();
}

fn position(fen: &str) -> Xiangqi {
    Xiangqi::from_fen(fen).expect("the benchmark holds positions")
}

/// Items are leaves.
#[divan::bench(args = [START, MIDGAME, ROOKS], sample_count = 5)]
fn perft_4(bencher: divan::Bencher<'_, '_>, fen: &str) {
    let mut position = position(fen);
    let leaves = perft(&mut position, 4);
    bencher.counter(ItemsCount::new(leaves)).bench_local(|| perft(&mut position, 4));
}

/// Deeper counts, for comparison with the published table. Items are leaves.
#[divan::bench(args = [START, MIDGAME], sample_count = 1, sample_size = 1)]
fn perft_5(bencher: divan::Bencher<'_, '_>, fen: &str) {
    let mut position = position(fen);
    let leaves = if fen == START { 133_312_995_u64 } else { 53_112_976 };
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft(&mut position, 5), leaves));
}

/// Every pseudo-legal move of a position, filtered by legality. Items are moves.
#[divan::bench(args = [START, MIDGAME, ROOKS])]
fn generate(bencher: divan::Bencher<'_, '_>, fen: &str) {
    let position = position(fen);
    let mut moves = MoveList::new();
    position.pseudo_legal(MoveKind::All, &mut moves);
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        moves
    });
}

/// Makes and unmakes each legal move of a position. Items are moves.
#[divan::bench(args = [START, MIDGAME, ROOKS])]
fn make_unmake(bencher: divan::Bencher<'_, '_>, fen: &str) {
    let mut position = position(fen);
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        let mut hashes = 0;
        for &mv in moves.iter() {
            position.make(mv);
            hashes ^= position.hash();
            position.unmake();
        }
        hashes
    });
}
