//! The known best moves of each game.

use crate::suite::{Suite, search};
use engine::SearchGame;
use games::MoveText;
use games::chess::Chess;
use games::othello::Othello;
use games::shogi::Shogi;
use games::xiangqi::Xiangqi;

fn best_moves<G: SearchGame + MoveText>(name: &'static str, text: &str, nodes: u64) {
    Suite::<G>::read(name, text).check(&nodes.to_string(), |problem, best| {
        search(problem.position(), nodes).best.is_some_and(|mv| best.contains(&mv))
    });
}

#[test]
fn chess() {
    best_moves::<Chess>("chess", include_str!("chess.epd"), 150_000);
}

#[test]
fn xiangqi() {
    best_moves::<Xiangqi>("xiangqi", include_str!("xiangqi.epd"), 100_000);
}

#[test]
fn shogi() {
    best_moves::<Shogi>("shogi", include_str!("shogi.epd"), 100_000);
}

#[test]
fn othello() {
    best_moves::<Othello>("othello", include_str!("othello.epd"), 200_000);
}
