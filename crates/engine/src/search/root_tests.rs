//! What the root promises: threads that work together, mates that are not forgotten, moves without a
//! choice.

use crate::{
    Limits, MATE_BOUND, Question, Report, SearchGame, SearchParams, SearchResult, Searcher,
    StopSignal, TimePlan, TimeSource, mate_distance,
};
use games::chess::Chess;
use games::xiangqi::{Move, Xiangqi};
use games::{Game, MoveList};
use model::Nodes;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn ask<G: SearchGame>(
    searcher: &mut Searcher<G>,
    fen: &str,
    limits: Limits,
) -> SearchResult<G::Move> {
    let mut position = G::from_fen(fen).expect("a position");
    searcher.search(&mut position, &SearchParams::default(), &limits, &StopSignal::never())
}

fn threads_agree_on_a_line<G: SearchGame>() {
    let mut searcher = Searcher::<G>::new(1);
    searcher.set_threads(4);
    for fen in G::BENCH_POSITIONS {
        for limit in [0, 1, 100, 5000] {
            let found = ask(&mut searcher, fen, Limits::nodes(limit));
            let is_done = mate_distance(found.score).is_some();
            let short = limit - found.nodes.0.min(limit);
            assert!(found.nodes <= Nodes(limit), "{fen}: {found:?}");
            assert!(is_done || short <= 3 * super::parallel::GRANT, "{fen}: {found:?}");
            assert_eq!(found.pv.first(), found.best.as_ref());
            let mut position = G::from_fen(fen).expect("a position");
            for mv in found.pv {
                assert!(position.is_pseudo_legal(mv) && position.is_legal(mv), "{fen}: {mv:?}");
                position.make(mv);
            }
        }
    }
}

#[test]
fn threads_keep_a_node_limit_together_and_give_a_line_that_can_be_played() {
    threads_agree_on_a_line::<Xiangqi>();
    threads_agree_on_a_line::<Chess>();
}

#[test]
fn one_thread_after_several_answers_as_one_always_did() {
    let fen = Xiangqi::BENCH_POSITIONS[3];
    let alone = ask(&mut Searcher::<Xiangqi>::new(1), fen, Limits::nodes(4000));
    let mut searcher = Searcher::<Xiangqi>::new(1);
    searcher.set_threads(3);
    ask(&mut searcher, fen, Limits::depth(5));
    searcher.set_threads(0);
    searcher.new_game();
    assert_eq!(ask(&mut searcher, fen, Limits::nodes(4000)), alone);
    searcher.resize(1);
    searcher.new_game();
    assert_eq!(ask(&mut searcher, fen, Limits::nodes(4000)), alone);
}

#[test]
fn all_threads_end_with_the_first() {
    let mut searcher = Searcher::<Xiangqi>::new(1);
    searcher.set_threads(3);
    // A depth is asked of the first thread; the others would go on.
    let found = ask(&mut searcher, Xiangqi::BENCH_POSITIONS[0], Limits::depth(4));
    assert_eq!(found.depth, 4);
    let flag = AtomicBool::new(true);
    let (mut position, params) = (Xiangqi::start(), SearchParams::default());
    let stop = StopSignal::when(&flag);
    let found = searcher.search(&mut position, &params, &Limits::default(), &stop);
    assert!(found.best.is_some());
}

/// The scores of the best line that are told, and the result.
fn follow(fen: &str, limits: Limits) -> (Vec<i32>, SearchResult<Move>) {
    let mut position = Xiangqi::from_fen(fen).expect("a position");
    let mut scores = Vec::new();
    let mut hear = |report: &Report<'_, Move>| scores.push(report.score.0);
    let (params, stop) = (SearchParams::default(), StopSignal::never());
    let question = Question::new(limits);
    let found =
        Searcher::new(1).search_reporting(&mut position, &params, &question, &stop, &mut hear);
    (scores, found)
}

#[test]
fn a_mate_once_found_is_not_forgotten_for_less() {
    let fens = [
        "9/4R4/3k1N3/9/P7P/9/9/4B4/4A4/1c1AK4 w",
        "3k5/4P4/5N3/9/9/9/9/2n2A3/4K4/3p1A3 w",
        "2b3b2/3k5/9/4PN3/9/9/1c7/4B4/3C5/2BAK4 w - - 25 77",
    ];
    let mut found_any = false;
    for fen in fens {
        for nodes in (200..6000).step_by(391) {
            let (scores, found) = follow(fen, Limits::nodes(nodes));
            let best = scores.iter().copied().max().filter(|&score| score >= MATE_BOUND);
            if let Some(best) = best {
                found_any = true;
                assert!(found.score.0 >= best, "{fen} at {nodes}: {scores:?}, {found:?}");
                assert!(scores.is_sorted_by(|a, b| a < &MATE_BOUND || a <= b), "{scores:?}");
            }
        }
    }
    assert!(found_any);
}

/// A clock that stands still.
struct Still;

impl TimeSource for Still {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn a_move_without_a_choice_is_played_at_once_when_that_saves_time() {
    let fen = "5k3/9/9/9/4r4/9/9/9/9/3K5 w";
    let mut legal = MoveList::new();
    let mut position = Xiangqi::from_fen(fen).expect("a position");
    position.legal(&mut legal);
    assert_eq!(legal.len(), 1);
    let hour = Duration::from_secs(3600);
    let on_clock = TimePlan { optimum: Some(hour), free: Duration::ZERO, maximum: hour };
    for (plan, depth) in [(on_clock, 1), (TimePlan::fixed(hour), 3)] {
        let stop = StopSignal::never().or_by(&Still, plan);
        let params = SearchParams::default();
        let found = Searcher::new(1).search(&mut position, &params, &Limits::depth(3), &stop);
        assert_eq!((found.depth, found.best), (depth, legal.iter().next().copied()));
    }
}
