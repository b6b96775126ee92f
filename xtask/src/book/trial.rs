//! How even the openings of a book are in play: games of the engine against itself.
//!
//! Two games from each opening, the second with a ninth more nodes, so that it goes another way. A
//! single result says little of one opening, but what both games have in common is the opening's:
//! the covariance of their results is the mean square of the openings' biases, without the noise.

use super::positions;
use crate::parallel;
use anyhow::{Context, ensure};
use arena::{EnginePlayer, GameEnd, Seat, play_game};
use engine::{SearchGame, SearchParams, Searcher};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::spec::GameLimit;
use model::{GameKind, Nodes, Ply};
use std::sync::atomic::AtomicBool;

/// Longer games are draws.
const PLY_LIMIT: u64 = 400;

/// What to play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// Openings, spread evenly over the book; all of them if there are fewer.
    pub(super) openings: usize,
    /// Nodes for each move of the first game.
    pub(super) nodes: u64,
    /// Threads.
    pub(super) threads: usize,
}

/// One opening: whether the side that begins the game of the book is to move, and the two scores of
/// the side to move, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Played {
    first_to_move: bool,
    scores: [f64; 2],
}

/// Plays, and puts what came out in words.
///
/// # Errors
/// The book has no position, or one that is none.
pub(super) fn run(game: GameKind, text: &str, trial: &Trial) -> anyhow::Result<String> {
    let played = match game {
        GameKind::Xiangqi => play_all::<Xiangqi>(text, trial)?,
        GameKind::Chess => play_all::<Chess>(text, trial)?,
        GameKind::Shogi => play_all::<Shogi>(text, trial)?,
        GameKind::Othello => play_all::<Othello>(text, trial)?,
        GameKind::TicTacToe => play_all::<TicTacToe>(text, trial)?,
    };
    Ok(report(&played))
}

fn play_all<G: SearchGame>(text: &str, trial: &Trial) -> anyhow::Result<Vec<Played>> {
    let all: Vec<&str> = positions(text).collect();
    let count = trial.openings.min(all.len());
    ensure!(count > 0, "no opening to play; give --check a number above 0 and a book that has any");
    let chosen: Vec<&str> = (0..count).map(|i| all[i * all.len() / count]).collect();
    let workplace = || [Searcher::<G>::new(1), Searcher::<G>::new(1)];
    parallel::map(&chosen, trial.threads, workplace, |players, fen| play(players, fen, trial.nodes))
        .into_iter()
        .collect()
}

fn play<G: SearchGame>(
    players: &mut [Searcher<G>; 2],
    fen: &str,
    nodes: u64,
) -> anyhow::Result<Played> {
    let opening = G::from_fen(fen).with_context(|| format!("`{fen}`"))?;
    let params = SearchParams::default();
    let mut scores = [0.5; 2];
    for (score, nodes) in scores.iter_mut().zip([nodes, nodes + nodes.div_ceil(9)]) {
        let limit = GameLimit::new(Nodes(nodes), Ply(PLY_LIMIT), 1024);
        let [a, b] = players;
        let (mut a, mut b) = (EnginePlayer::new(a, &params), EnginePlayer::new(b, &params));
        let end = play_game(&opening, &mut a, &mut b, &limit, &AtomicBool::new(false))?;
        let GameEnd::Played(game) = end else { anyhow::bail!("a game was stopped by nobody") };
        *score = match game.winner {
            Some(Seat::First) => 1.0,
            Some(Seat::Second) => 0.0,
            None => 0.5,
        };
    }
    Ok(Played { first_to_move: opening.first_to_move(), scores })
}

fn report(played: &[Played]) -> String {
    let openings = played.len() as f64;
    let mean = |value: &dyn Fn(&Played) -> f64| played.iter().map(value).sum::<f64>() / openings;
    let mover = mean(&|p| (p.scores[0] + p.scores[1]) / 2.0);
    let first = |p: &Played, score: f64| if p.first_to_move { score } else { 1.0 - score };
    let opens = mean(&|p| (first(p, p.scores[0]) + first(p, p.scores[1])) / 2.0);
    let draws = mean(&|p| p.scores.iter().filter(|s| **s == 0.5).count() as f64 / 2.0);
    let one_sided = mean(&|p| f64::from(p.scores[0] == p.scores[1] && p.scores[0] != 0.5));
    let shared = mean(&|p| (first(p, p.scores[0]) - opens) * (first(p, p.scores[1]) - opens));
    let square = mean(&|p| ((p.scores[0] + p.scores[1]) / 2.0 - mover).powi(2));
    let margin = 1.96 * (square / openings).sqrt();
    format!(
        "openings {}, games {}\n\
         side to move scores {:.1} % ± {:.1}\n\
         side that begins the game scores {:.1} %\n\
         draws {:.1} %\n\
         both games won by the same side: {:.1} % of the openings\n\
         bias of an opening around that mean, root mean square: {:.1} % of a point",
        played.len(),
        2 * played.len(),
        100.0 * mover,
        100.0 * margin,
        100.0 * opens,
        100.0 * draws,
        100.0 * one_sided,
        100.0 * shared.max(0.0).sqrt(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_games_share_is_the_bias() {
        let played = |first_to_move, scores| Played { first_to_move, scores };
        // The side that begins wins from the first two openings and loses from the others.
        let lopsided = [
            played(true, [1.0, 1.0]),
            played(false, [0.0, 0.0]),
            played(true, [0.0, 0.0]),
            played(false, [1.0, 1.0]),
        ];
        let text = report(&lopsided);
        assert!(text.contains("square: 50.0 %") && text.contains("same side: 100.0 %"), "{text}");
        let noise = [
            played(true, [1.0, 0.0]),
            played(true, [1.0, 1.0]),
            played(true, [0.0, 1.0]),
            played(true, [0.0, 0.0]),
        ];
        let text = report(&noise);
        assert!(text.contains("square: 0.0 %") && text.contains("scores 50.0 %"), "{text}");
    }

    #[test]
    fn perfect_play_draws_every_game_of_the_small_book() {
        let text = include_str!("../../../books/tictactoe.epd");
        let trial = Trial { openings: 100, nodes: 20_000, threads: 2 };
        let report = run(GameKind::TicTacToe, text, &trial).unwrap();
        assert!(report.contains("openings 24, games 48"), "{report}");
        assert!(report.contains("draws 100.0 %"), "{report}");
        assert!(run(GameKind::TicTacToe, "# none\n", &trial).is_err());
    }
}
