//! What callers of a search rely on: mates, limits to the node, the same answer twice.

use crate::{Group, TunableDef};
use crate::{
    Limits, MATE, SearchGame, SearchParams, SearchResult, Searcher, StopSignal, TimeSource,
    mate_distance,
};
use games::chess::Chess;
use games::tictactoe::TicTacToe;
use games::xiangqi::Xiangqi;
use games::{Game, MoveList, RuleWinner};
use model::{GameKind, Nodes, ParameterSet};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Mates in so many moves of the side to move.
const MATES: [(u32, &str); 12] = [
    (1, "4k4/R8/9/9/9/9/9/9/9/1R1K5 w"),
    (1, "9/4R4/3k5/4c4/P3N3P/9/9/9/4A4/2BAK4 w"),
    (1, "2ba1k3/9/c3bc3/p3p4/8P/9/P3P1P2/4B3R/3rNN3/2rAKAC2 b"),
    (1, "3ak4/4a4/9/9/9/9/9/5n3/4A1r2/5K3 b"),
    (2, "4k4/9/R8/9/9/9/9/9/9/1R1K5 w"),
    (2, "9/4R4/3k1N3/1c7/P7P/9/9/9/4A4/2BAK4 w"),
    (2, "3R5/3P1k3/9/9/9/9/7p1/5r3/9/4KA3 w"),
    (2, "4k1P2/3Rr4/9/9/9/9/9/4B4/4A4/2B1KA3 w"),
    (3, "9/4R4/3k1N3/9/P7P/9/9/4B4/4A4/1c1AK4 w"),
    (3, "3k5/4P4/5N3/9/9/9/9/2n2A3/4K4/3p1A3 w"),
    (3, "2b3b2/3k5/9/3P1N3/9/9/3c5/4B4/3C5/2BAK4 w"),
    (3, "4k1P2/3R5/4P4/9/9/9/4r4/4B4/4A4/2B1KA3 w"),
];

fn read(fen: &str) -> Xiangqi {
    Xiangqi::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn search<G: SearchGame>(position: &mut G, limits: Limits) -> SearchResult<G::Move> {
    let stop = StopSignal::never();
    Searcher::new(1).search(position, &SearchParams::default(), &limits, &stop)
}

/// Whether the side to move mates within `moves`, by trying everything.
fn mates_within(position: &mut Xiangqi, moves: u32) -> bool {
    let mut list = MoveList::new();
    position.legal(&mut list);
    list.iter().any(|&mv| {
        position.make(mv);
        let mut replies = MoveList::new();
        position.legal(&mut replies);
        let mated = replies.iter().all(|&reply| {
            position.make(reply);
            let still = moves > 1 && mates_within(position, moves - 1);
            position.unmake();
            still
        });
        position.unmake();
        mated
    })
}

#[test]
fn short_mates_are_found_with_their_distance() {
    for (moves, fen) in MATES {
        let mut position = read(fen);
        assert!(mates_within(&mut position, moves), "{fen} is no mate in {moves}");
        assert!(moves == 1 || !mates_within(&mut position, moves - 1), "{fen} mates sooner");
        let plies = 2 * moves - 1;
        let limits = Limits { mate: Some(plies), depth: Some(24), ..Limits::default() };
        let found = search(&mut position, limits);
        assert_eq!(found.score.0, MATE - (2 * moves as i32 - 1), "{fen}");
        assert_eq!(mate_distance(found.score), Some(2 * moves as i32 - 1));
        let best = found.best.expect("there are moves");
        position.make(best);
        let mut replies = MoveList::new();
        position.legal(&mut replies);
        for &reply in replies.iter() {
            position.make(reply);
            assert!(mates_within(&mut position, moves - 1), "{fen}: {best} lets go");
            position.unmake();
        }
    }
}

#[test]
fn a_side_without_moves_has_lost() {
    // Not in check, yet every step of the king leads into an attack.
    let mut position = read("3k5/4P4/9/9/9/9/9/9/9/4K4 b");
    assert_eq!(position.result().map(|r| r.winner), Some(RuleWinner::Opponent));
    let found = search(&mut position, Limits::depth(4));
    assert_eq!((found.best, found.score.0), (None, -MATE));
}

#[test]
fn the_same_question_gets_the_same_answer() {
    for fen in Xiangqi::BENCH_POSITIONS {
        let ask = |searcher: &mut Searcher<Xiangqi>| {
            let params = SearchParams::default();
            searcher.search(&mut read(fen), &params, &Limits::nodes(5000), &StopSignal::never())
        };
        let mut used = Searcher::new(1);
        let first = ask(&mut used);
        ask(&mut used);
        used.new_game();
        assert_eq!(ask(&mut used), first, "{fen}");
        assert_eq!(ask(&mut Searcher::new(1)), first, "{fen}");
    }
}

#[test]
fn a_search_leaves_the_position_as_it_was() {
    let mut position = read(Xiangqi::BENCH_POSITIONS[4]);
    let (fen, hash) = (position.to_fen(), position.hash());
    search(&mut position, Limits::nodes(777));
    assert_eq!((position.to_fen(), position.hash(), position.plies_made()), (fen, hash, 0));
}

#[test]
fn a_node_limit_is_kept_to_the_node() {
    for fen in Xiangqi::BENCH_POSITIONS {
        for limit in [0, 1, 2, 3, 17, 500, 4999] {
            let mut position = read(fen);
            let found = search(&mut position, Limits::nodes(limit));
            // Unless a mate is found that cannot be improved upon: every line of its length was seen.
            let is_done = mate_distance(found.score).is_some_and(|plies| {
                plies.unsigned_abs() <= found.depth && found.nodes < Nodes(limit)
            });
            assert!(found.nodes == Nodes(limit) || is_done, "{fen}: {found:?}");
            let best = found.best.expect("a legal move exists");
            assert!(position.is_pseudo_legal(best) && position.is_legal(best), "{fen}");
            assert_eq!(found.pv.first(), Some(&best), "{fen}");
        }
    }
}

#[test]
fn more_nodes_do_not_change_what_came_before() {
    // A search of 2000 nodes passes through the state in which one of its depth would have ended.
    let mut position = read(Xiangqi::BENCH_POSITIONS[2]);
    let long = search(&mut position, Limits::nodes(2000));
    let exact = search(&mut position, Limits::depth(long.depth));
    assert!(exact.nodes <= long.nodes);
    let again = search(&mut position, Limits::nodes(exact.nodes.0));
    assert_eq!((again.best, again.score), (exact.best, exact.score));
}

#[test]
fn the_expected_line_can_be_played() {
    for fen in Xiangqi::BENCH_POSITIONS {
        let mut position = read(fen);
        let found = search(&mut position, Limits::depth(6));
        assert!(!found.pv.is_empty());
        for mv in found.pv {
            assert!(position.is_pseudo_legal(mv) && position.is_legal(mv), "{fen}: {mv}");
            position.make(mv);
        }
    }
}

#[test]
fn a_raised_signal_still_yields_a_move() {
    let flag = AtomicBool::new(true);
    let params = SearchParams::default();
    let found = Searcher::new(1).search(
        &mut Xiangqi::start(),
        &params,
        &Limits::default(),
        &StopSignal::when(&flag),
    );
    assert!(found.best.is_some());
    assert_eq!(found.nodes, Nodes(0));
}

#[test]
fn a_deadline_ends_the_search_by_the_clock_it_was_given() {
    /// Every look costs a second.
    struct Looks(Cell<u64>);
    impl TimeSource for Looks {
        fn elapsed(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            Duration::from_secs(self.0.get())
        }
    }
    let clock = Looks(Cell::new(0));
    let stop = StopSignal::never().or_after(&clock, Duration::from_secs(5));
    let params = SearchParams::default();
    let found = Searcher::new(1).search(&mut Xiangqi::start(), &params, &Limits::default(), &stop);
    assert_eq!(clock.0.get(), 5);
    assert_eq!(found.nodes, Nodes(4 * super::parallel::GRANT));
}

/// The names that change no answer on the bench positions, set to either end of their range.
fn without_effect(names: &[&'static str], limits: Limits) -> Vec<&'static str> {
    let answer = |fen: &str, params: &SearchParams<Xiangqi>| {
        Searcher::new(1).search(&mut read(fen), params, &limits, &StopSignal::never())
    };
    let positions = Xiangqi::BENCH_POSITIONS;
    // What tunes have switched off acts as well, once it is on.
    let with = |more: Option<(&str, f64)>| {
        let on = [("history_eval_scale", 8.0), ("order_pawns", 2.0)].into_iter();
        let set: ParameterSet = on.chain(more).map(|(name, v)| (name.to_owned(), v)).collect();
        SearchParams::from_set(&set).expect("values of the list")
    };
    let untouched: Vec<_> = positions.iter().map(|fen| answer(fen, &with(None))).collect();
    let differs = |name: &str, value: f64| {
        let params = with(Some((name, value)));
        positions.iter().zip(&untouched).any(|(fen, before)| answer(fen, &params) != *before)
    };
    let idle = |name: &&str| {
        let def = crate::definition(GameKind::Xiangqi, name)
            .unwrap_or_else(|| panic!("no tunable {name}"));
        !differs(name, def.min) && !differs(name, def.max)
    };
    names.iter().copied().filter(idle).collect()
}

#[test]
fn every_tunable_reaches_the_search() {
    // The decay acts from one search to the next.
    let acts = |def: &&TunableDef| {
        !matches!(def.group, Group::Time | Group::Eval) && def.name != "history_decay"
    };
    let list = crate::definitions(GameKind::Xiangqi);
    let names: Vec<&str> = list.iter().filter(acts).map(|def| &*def.name).collect();
    assert_eq!(without_effect(&names, Limits::nodes(20_000)), Vec::<&str>::new());
}

/// A thousand nodes reach four plies.
#[test]
fn what_a_short_tune_turns_acts_within_four_plies() {
    let names = [
        "aspiration_delta",
        "lmr_base",
        "lmr_divisor",
        "lmr_min_moves",
        "null_margin",
        "rfp_margin",
        "futility_base",
        "futility_margin",
        "lmp_base",
        "lmp_scale",
        "qs_delta",
    ];
    assert_eq!(without_effect(&names, Limits::depth(4)), Vec::<&str>::new());
}

/// In chess a side without a move that is not in check has not lost: the only move that keeps the win
/// is not the one that takes every move away.
#[test]
fn a_stalemate_in_chess_is_a_draw_and_no_win() {
    let read = |fen: &str| Chess::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    for depth in 1..=8 {
        // Every move of Black's draws or loses; here he is stalemated at once.
        let mut drawn = read("7k/5K2/8/6Q1/8/8/8/8 b - - 0 1");
        assert!(search(&mut drawn, Limits::depth(depth)).score.0 < 0);
        // The pawn cannot be held but by taking every move.
        let mut stuck = read("8/8/8/8/8/2k5/p7/K7 b - - 0 1");
        assert_eq!(search(&mut stuck, Limits::depth(depth.max(4))).score.0, 0, "depth {depth}");
    }
    let mut won = read("7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
    let best = search(&mut won, Limits::depth(6)).best.expect("there are moves");
    won.make(best);
    assert_ne!(won.result().map(|over| over.winner), Some(RuleWinner::Draw));
}

#[test]
fn a_finished_game_has_no_move() {
    let mut position = TicTacToe::from_fen("xxx/oo./... o").expect("a position");
    let found = search(&mut position, Limits::nodes(10));
    assert_eq!(found.best, None);
}
