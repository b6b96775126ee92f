//! Claims about a search that evaluates by a network.

use engine::bench::bench_network;
use engine::{Limits, SearchParams, Searcher, StopSignal};
use games::chess::Chess;
use games::xiangqi::Xiangqi;
use games::{Game, MoveList};
use model::{GameKind, ParameterSet};
use net::{Architecture, Kernel, NetGame, Network, Parts};
use std::sync::Arc;

/// A network that counts the pieces, own for and other against, with a few sums that a move of each
/// kind changes.
fn network(seed: u64) -> Network {
    let architecture =
        Architecture { game: GameKind::Xiangqi, king_buckets: 3, hidden: 32, output_buckets: 2 };
    let mut state = seed;
    let mut below = |of: u64| {
        // The multiplier of MMIX (D. Knuth).
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % of
    };
    let worth = [0, 4, 4, 9, 18, 9, 3];
    let half = Xiangqi::ITEMS / 2;
    let row = |input: usize| -> Vec<i16> {
        let (owner, kind) = (input % Xiangqi::ITEMS / half, input % half / 90);
        (0..32).map(|_| if owner == 0 { worth[kind] } else { 0 } + below(7) as i16).collect()
    };
    let rows = (0..architecture.inputs()).flat_map(row).collect();
    let output = (0..128).map(|at| if at % 64 < 32 { 12 } else { -12 }).collect();
    let (bias, output_bias) = (vec![0; 32], vec![0; 2]);
    Network::new(Parts {
        architecture,
        scale: 400,
        origin: [0; 32],
        rows,
        bias,
        output,
        output_bias,
    })
    .expect("sums that fit")
}

fn params(network: Network) -> SearchParams<Xiangqi> {
    SearchParams::default().with_network(Some(Arc::new(network))).expect("of xiangqi")
}

#[test]
fn a_search_with_a_network_is_the_same_with_every_kernel() {
    let signatures: Vec<_> = Kernel::ALL
        .into_iter()
        .filter(|kernel| kernel.is_here())
        .map(|kernel| bench_network(Arc::new(network(1).with_kernel(kernel))).unwrap())
        .collect();
    assert!(signatures.iter().all(|nodes| *nodes == signatures[0]), "{signatures:?}");
    assert_ne!(bench_network(Arc::new(network(2))).unwrap(), signatures[0], "another network");
}

#[test]
fn without_a_network_everything_is_as_before() {
    let before = engine::bench::bench(GameKind::Xiangqi);
    let params = params(network(1)).with_network(None).unwrap();
    assert!(params.network().is_none());
    assert_eq!(engine::bench::bench_with(&params), before);
}

/// The searcher keeps its sums from search to search; another network, or none, begins anew.
#[test]
fn a_searcher_forgets_the_network_that_it_had() {
    let find = |searcher: &mut Searcher<Xiangqi>, params: &SearchParams<Xiangqi>| {
        searcher.new_game();
        let mut position = Xiangqi::start();
        let found =
            searcher.search(&mut position, params, &Limits::nodes(3000), &StopSignal::never());
        (found.best, found.score, found.nodes)
    };
    let sets = [params(network(1)), params(network(2)), SearchParams::default()];
    let mut searcher = Searcher::new(1);
    let mixed: Vec<_> =
        sets.iter().chain(sets.iter().rev()).map(|set| find(&mut searcher, set)).collect();
    let alone: Vec<_> = sets.iter().map(|set| find(&mut Searcher::new(1), set)).collect();
    for (place, found) in mixed.iter().enumerate() {
        assert_eq!(*found, alone[if place < 3 { place } else { 5 - place }], "{place}");
    }
    assert_eq!(find(&mut searcher, &sets[0].clone()), alone[0], "a clone has the network too");
}

#[test]
fn the_scale_of_a_network_is_a_constant_of_the_engine() {
    let value = |name: &str, number: f64| {
        let set = ParameterSet::from_iter([(name.to_owned(), number)]);
        let params = SearchParams::<Xiangqi>::from_set(&set)
            .unwrap()
            .with_network(Some(Arc::new(network(1))))
            .unwrap();
        let mut position = Xiangqi::start();
        // A pawn ahead in sums that are not level.
        let mut moves = MoveList::new();
        position.legal(&mut moves);
        position.make(moves[0]);
        let mut eval = <Xiangqi as engine::SearchGame>::Eval::default();
        engine::Evaluate::reset(&mut eval, params.eval(), &position);
        engine::Evaluate::evaluate(&mut eval, params.eval(), &position)
    };
    let usual = value("net_scale", 1024.0);
    assert_ne!(usual, 0);
    assert_eq!(value("net_scale", 2048.0), 2 * usual);
    // Twelve attackers at the start.
    assert_eq!(value("net_attackers", 64.0), (i64::from(usual) * (1024 + 12 * 64) / 1024) as i32);
}

#[test]
fn a_network_of_another_game_is_refused() {
    let error = SearchParams::<Chess>::default().with_network(Some(Arc::new(network(1))));
    let error = error.err().unwrap().to_string();
    assert!(error.starts_with("a network of xiangqi cannot evaluate chess"), "{error}");
}
