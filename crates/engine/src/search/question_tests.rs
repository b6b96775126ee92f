//! What a front end asks beyond one best move: several lines, some moves only, a mate, a plan.

use crate::{
    Limits, Question, Report, SearchGame, SearchParams, SearchResult, Searcher, StopSignal,
    TimePlan, TimeSource, mate_distance,
};
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::xiangqi::{Move, Xiangqi};
use games::{Game, MoveList};
use model::Nodes;
use std::cell::Cell;
use std::time::Duration;

/// Every word after an iteration: depth, number of the line, score, first move.
type Words = Vec<(u32, usize, i32, Move)>;

fn ask(fen: &str, question: &Question<'_, Move>) -> (SearchResult<Move>, Words) {
    let mut position = Xiangqi::from_fen(fen).expect("a position");
    let mut words = Words::new();
    let mut hear = |r: &Report<'_, Move>| {
        words.push((r.depth, r.line, r.score.0, r.pv[0]));
        assert!(r.selective_depth > 0 && r.table_permille <= 1000, "{r:?}");
    };
    let (params, stop) = (SearchParams::default(), StopSignal::never());
    let mut searcher = Searcher::new(1);
    let result = searcher.search_reporting(&mut position, &params, question, &stop, &mut hear);
    assert_eq!(position, Xiangqi::from_fen(fen).expect("a position"));
    (result, words)
}

/// Every line that is told can be played.
fn lines_are_playable<G: SearchGame>(fens: &[&str], depth: u32, lines: usize) {
    for fen in fens {
        let root = G::from_fen(fen).expect("a position");
        let mut hear = |report: &Report<'_, G::Move>| {
            let mut position = root.clone();
            for &mv in report.pv {
                let legal = position.is_pseudo_legal(mv) && position.is_legal(mv);
                assert!(legal && position.result().is_none(), "{fen}: {report:?}");
                position.make(mv);
            }
        };
        let question = Question { lines, ..Question::new(Limits::depth(depth)) };
        let (params, stop) = (SearchParams::default(), StopSignal::never());
        let mut searcher = Searcher::new(1);
        searcher.search_reporting(&mut root.clone(), &params, &question, &stop, &mut hear);
    }
}

#[test]
fn the_lines_told_can_be_played() {
    lines_are_playable::<Xiangqi>(Xiangqi::BENCH_POSITIONS, 6, 1);
    lines_are_playable::<Xiangqi>(Xiangqi::BENCH_POSITIONS, 4, 3);
    lines_are_playable::<Chess>(Chess::BENCH_POSITIONS, 6, 2);
    lines_are_playable::<Shogi>(Shogi::BENCH_POSITIONS, 5, 2);
    lines_are_playable::<Othello>(Othello::BENCH_POSITIONS, 6, 2);
    // Mates that fail high by a zero window alone.
    let mates =
        ["8/8/6k1/P5pp/P7/2BPPQP1/3K4/5R2 w - - 0 49", "6k1/5ppp/8/8/8/8/1Q6/R5K1 w - - 0 1"];
    for depth in 2..=9 {
        lines_are_playable::<Chess>(&mates, depth, 1);
    }
}

const MIDDLE: &str =
    "2baka3/8r/n3b2c1/p1p1p3p/3rc1pn1/2P1C4/P3P1P1P/2N1CRN2/7R1/2BAKAB2 w - - 0 16";

#[test]
fn several_lines_have_moves_of_their_own_in_order() {
    let question = Question { lines: 4, ..Question::new(Limits::depth(5)) };
    let (result, words) = ask(MIDDLE, &question);
    let last: Vec<_> = words.iter().filter(|word| word.0 == 5).collect();
    assert_eq!(last.iter().map(|word| word.1).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(last.windows(2).all(|two| two[0].2 >= two[1].2), "{last:?}");
    let mut moves: Vec<_> = last.iter().map(|word| word.3).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 4);
    assert_eq!((result.best, result.score.0), (Some(last[0].3), last[0].2));
}

#[test]
fn more_lines_than_moves_are_as_many_as_there_are() {
    let fen = "4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";
    let mut legal = MoveList::new();
    Xiangqi::from_fen(fen).expect("a position").legal(&mut legal);
    let question = Question { lines: 99, ..Question::new(Limits::depth(2)) };
    let (_, words) = ask(fen, &question);
    assert_eq!(words.iter().filter(|word| word.0 == 2).count(), legal.len());
}

#[test]
fn only_the_named_moves_are_looked_at() {
    let (free, _) = ask(MIDDLE, &Question::new(Limits::depth(4)));
    let position = Xiangqi::from_fen(MIDDLE).expect("a position");
    let only: Vec<_> =
        ["c2b0", "a3a4"].map(|text| position.move_from_text(text).expect("a move")).into();
    assert!(!only.contains(&free.best.expect("a move")));
    let question = Question { only: &only, ..Question::new(Limits::depth(4)) };
    let (bound, words) = ask(MIDDLE, &question);
    assert!(only.contains(&bound.best.expect("a move")));
    assert!(words.iter().all(|word| only.contains(&word.3)), "{words:?}");
    assert!(bound.score <= free.score, "a choice among fewer is no better");
    // Moves that are not there leave everything to look at.
    let question = Question { only: &[Move::default()], ..Question::new(Limits::depth(4)) };
    assert_eq!(ask(MIDDLE, &question).0, free);
}

#[test]
fn a_mate_that_was_asked_for_ends_the_search() {
    let fen = "4k4/9/R8/9/9/9/9/9/9/1R1K5 w";
    let limits = Limits { mate: Some(3), ..Limits::depth(20) };
    let (result, _) = ask(fen, &Question::new(limits));
    assert_eq!(mate_distance(result.score), Some(3));
    assert!(result.depth <= 4, "{result:?}");
}

#[test]
fn a_plan_lets_no_iteration_begin_late() {
    /// Time stands until it is asked for the last time that is still early.
    struct Steps(Cell<u32>);
    impl TimeSource for Steps {
        fn elapsed(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            Duration::from_millis(self.0.get().into())
        }
    }
    let clock = Steps(Cell::new(0));
    let (optimum, maximum) = (Some(Duration::from_millis(3)), Duration::from_secs(3600));
    let stop =
        StopSignal::never().or_by(&clock, TimePlan { optimum, free: Duration::ZERO, maximum });
    let mut searcher = Searcher::<Xiangqi>::new(1);
    let params = SearchParams::default();
    let found = searcher.search(&mut Xiangqi::start(), &params, &Limits::default(), &stop);
    assert!((1..=8).contains(&found.depth) && found.nodes > Nodes(0), "{found:?}");
}
