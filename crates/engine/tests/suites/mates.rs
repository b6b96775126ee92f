//! Mates of known length: those of a few moves by the search, the long ones of shogi by proof.

use crate::suite::{Suite, search};
use engine::mate::{MateAnswer, MateLimits, MateSolver};
use engine::{SearchGame, StopSignal, mate_distance};
use games::MoveText;
use games::chess::Chess;
use games::shogi::Shogi;
use games::xiangqi::Xiangqi;
use model::Nodes;

/// The one move that mates is found, and no fewer nor more moves to the mate than there are (`dm`).
fn mates<G: SearchGame + MoveText>(name: &'static str, text: &str, nodes: u64) {
    Suite::<G>::read(name, text).check(&nodes.to_string(), |problem, best| {
        let moves: i32 = problem.number("dm").expect("the length of the mate");
        let found = search(problem.position(), nodes);
        mate_distance(found.score) == Some(2 * moves - 1)
            && found.best.is_some_and(|mv| best.contains(&mv))
    });
}

#[test]
fn chess_mates() {
    mates::<Chess>("chess mates", include_str!("chess_mates.epd"), 200_000);
}

#[test]
fn xiangqi_mates() {
    mates::<Xiangqi>("xiangqi mates", include_str!("xiangqi_mates.epd"), 200_000);
}

#[test]
fn shogi_mates() {
    mates::<Shogi>("shogi mates", include_str!("shogi_mates.epd"), 200_000);
}

#[test]
fn long_shogi_mates_are_proven() {
    let name = "shogi, long mates";
    let nodes = 300_000;
    let suite = Suite::<Shogi>::read(name, include_str!("shogi_long_mates.epd"));
    suite.check(&nodes.to_string(), |problem, best| {
        let moves: usize = problem.number("dm").expect("the length of the mate");
        let mut position = problem.position().clone();
        let limits = MateLimits { nodes: Some(Nodes(nodes)), plies: None };
        let answer = MateSolver::new(16).solve(&mut position, &limits, &StopSignal::never());
        matches!(answer, MateAnswer::Mate(line)
            if line.len() == 2 * moves - 1 && best.contains(&line[0]))
    });
}
