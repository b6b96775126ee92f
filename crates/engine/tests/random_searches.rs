//! Small searches of random positions with random constants: whatever is in range, the search ends
//! within its limit, answers with a legal move and leaves the position as it was.
//!
//! `ELOMILL_RANDOM_SEARCHES=200000 cargo test -p engine --test random_searches` makes a million of
//! them; without the variable it is a few thousand.

use engine::{Limits, Question, SearchGame, SearchParams, Searcher, StopSignal, definitions};
use games::MoveList;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use model::{Nodes, ParameterKind, ParameterSet};

/// Searches of each game when nothing else is said.
const SEARCHES: u64 = 2000;
/// Searches with the same constants.
const SAME_CONSTANTS: u64 = 100;

/// splitmix64 (S. Vigna, 2015).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Every constant somewhere in its range, every tenth at one of its ends.
fn constants<G: SearchGame>(random: &mut Random) -> ParameterSet {
    let draw = |def: &engine::TunableDef| {
        let share = match random.below(20) {
            0 => 0.0,
            1 => 1.0,
            _ => random.below(1001) as f64 / 1000.0,
        };
        let value = def.min + share * (def.max - def.min);
        let value = if def.kind == ParameterKind::Int { value.round() } else { value };
        (def.name.to_string(), value.clamp(def.min, def.max))
    };
    definitions(G::KIND).iter().map(draw).collect()
}

fn searches<G: SearchGame>(seed: u64) {
    let count = std::env::var("ELOMILL_RANDOM_SEARCHES").map_or(SEARCHES, |text| {
        text.parse().unwrap_or_else(|_| panic!("ELOMILL_RANDOM_SEARCHES={text}: no number"))
    });
    let mut random = Random(seed);
    let mut searcher = Searcher::<G>::new(1);
    let mut params = SearchParams::<G>::default();
    let mut position = G::start();
    for number in 0..count {
        if number % SAME_CONSTANTS == SAME_CONSTANTS - 1 {
            let set = constants::<G>(&mut random);
            params = SearchParams::from_set(&set).unwrap_or_else(|error| panic!("{error}"));
            searcher.new_game();
        }
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        if moves.is_empty() || position.result().is_some() {
            position = G::start();
            continue;
        }
        let (hash, fen) = (position.hash(), position.to_fen());
        let nodes = random.below(400);
        let limits = Limits { nodes: Some(Nodes(nodes)), depth: Some(20), mate: None };
        let lines = if random.below(8) == 0 { 3 } else { 1 };
        let question = Question { limits, only: &[], lines };
        let found = searcher.search_reporting(
            &mut position,
            &params,
            &question,
            &StopSignal::never(),
            &mut |_| {},
        );
        assert!(found.nodes.0 <= nodes, "{fen}: {} nodes of {nodes}", found.nodes);
        assert_eq!((position.hash(), position.to_fen()), (hash, fen.clone()));
        let best = found.best.unwrap_or_else(|| panic!("{fen}: no move"));
        assert!(moves.contains(&best), "{fen}: {best:?}");
        let mut line = position.clone();
        for &mv in &found.pv {
            assert!(line.is_pseudo_legal(mv) && line.is_legal(mv), "{fen}: {:?}", found.pv);
            line.make(mv);
        }
        let any = moves[random.below(moves.len() as u64) as usize];
        position.make(if random.below(2) == 0 { best } else { any });
    }
}

#[test]
fn xiangqi() {
    searches::<Xiangqi>(1);
}

#[test]
fn chess() {
    searches::<Chess>(2);
}

#[test]
fn shogi() {
    searches::<Shogi>(3);
}

#[test]
fn othello() {
    searches::<Othello>(4);
}

#[test]
fn tictactoe() {
    searches::<TicTacToe>(5);
}
