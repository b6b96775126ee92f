//! Two games from one opening with the sides swapped, and the engines that play them.

use crate::matchup::read_opening;
use crate::{ArenaError, EnginePlayer, GameEnd, Matchup, PlayedGame, Player, Seat, play_game};
use engine::{SearchGame, SearchParams, Searcher};
use games::{
    Game, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::lease::{GameRecord, Opening, PairIndex, PairRecord};
use model::spec::GameLimit;
use model::{GameKind, GameScore, Nodes, ParameterSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays both games of the pair `index` from `opening`; `None` when `stop` came first.
///
/// In the first game the candidate makes the first move, in the second the base does. The record
/// is from the candidate's view, with what the players said of their moves.
///
/// # Errors
/// A player chose no move or an illegal one.
pub fn play_pair<G: Game>(
    index: PairIndex,
    opening: &G,
    candidate: &mut dyn Player<G>,
    base: &mut dyn Player<G>,
    limit: &GameLimit,
    stop: &AtomicBool,
) -> Result<Option<PairRecord>, ArenaError> {
    let GameEnd::Played(first) = play_game(opening, candidate, base, limit, stop)? else {
        return Ok(None);
    };
    let GameEnd::Played(second) = play_game(opening, base, candidate, limit, stop)? else {
        return Ok(None);
    };
    Ok(Some(PairRecord {
        index,
        candidate_first: record(first, Seat::First),
        base_first: record(second, Seat::Second),
    }))
}

/// The game as the candidate in this seat saw it.
fn record(game: PlayedGame, candidate: Seat) -> GameRecord {
    let score = match game.winner {
        None => GameScore::Draw,
        Some(winner) if winner == candidate => GameScore::Win,
        Some(_) => GameScore::Loss,
    };
    let PlayedGame { termination, plies, nodes, moves, evals, times, .. } = game;
    GameRecord { score, termination, plies, nodes, moves, evals, times }
}

/// The two engines of one slot for one game and one table size; their memory is reused from pair to
/// pair without being remembered.
pub struct PairPlayer {
    game: GameKind,
    hash_kib: u32,
    engines: Box<dyn PlayOpening + Send>,
}

impl PairPlayer {
    /// Engines for a game with tables of `hash_kib` KiB each.
    ///
    /// The engine's tables come in whole MiB: the size is rounded down, 1 MiB is the least.
    #[must_use]
    pub fn new(game: GameKind, hash_kib: u32) -> Self {
        let engines: Box<dyn PlayOpening + Send> = match game {
            GameKind::Xiangqi => Box::new(Engines::<Xiangqi>::new(hash_kib)),
            GameKind::Chess => Box::new(Engines::<Chess>::new(hash_kib)),
            GameKind::Shogi => Box::new(Engines::<Shogi>::new(hash_kib)),
            GameKind::Othello => Box::new(Engines::<Othello>::new(hash_kib)),
            GameKind::TicTacToe => Box::new(Engines::<TicTacToe>::new(hash_kib)),
        };
        Self { game, hash_kib, engines }
    }

    /// Whether these engines suit a matchup; others must be made when not.
    #[must_use]
    pub fn suits(&self, matchup: &Matchup) -> bool {
        self.game == matchup.game && self.hash_kib == matchup.limit.hash_kib
    }

    /// Plays the pair of one opening; `None` when `stop` came first.
    ///
    /// # Errors
    /// The opening is no position or over, or an engine chose no legal move.
    pub fn play(
        &mut self,
        matchup: &Matchup,
        opening: &Opening,
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, ArenaError> {
        self.play_with(matchup, opening, [matchup.limit.nodes; 2], stop)
    }

    /// As [`PairPlayer::play`], with nodes for each move of the candidate and of the base that take the
    /// place of those of the matchup.
    ///
    /// # Errors
    /// As [`PairPlayer::play`].
    pub fn play_with(
        &mut self,
        matchup: &Matchup,
        opening: &Opening,
        nodes: [Nodes; 2],
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, ArenaError> {
        if !self.suits(matchup) {
            *self = Self::new(matchup.game, matchup.limit.hash_kib);
        }
        self.engines.play(matchup, opening, nodes, stop)
    }
}

/// What is the same for every game: the one place where a game's name meets its code.
trait PlayOpening {
    fn play(
        &mut self,
        matchup: &Matchup,
        opening: &Opening,
        nodes: [Nodes; 2],
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, ArenaError>;
}

struct Engines<G: SearchGame> {
    candidate: Searcher<G>,
    base: Searcher<G>,
    ready: Option<Ready<G>>,
}

/// The sets of the last matchup, made ready: the candidate's, then the base's.
struct Ready<G: SearchGame> {
    sets: Arc<[ParameterSet; 2]>,
    params: [SearchParams<G>; 2],
}

impl<G: SearchGame> Engines<G> {
    fn new(hash_kib: u32) -> Self {
        let hash_mb = (hash_kib / 1024).max(1) as usize;
        Self { candidate: Searcher::new(hash_mb), base: Searcher::new(hash_mb), ready: None }
    }
}

impl<G: SearchGame> PlayOpening for Engines<G> {
    fn play(
        &mut self,
        matchup: &Matchup,
        opening: &Opening,
        nodes: [Nodes; 2],
        stop: &AtomicBool,
    ) -> Result<Option<PairRecord>, ArenaError> {
        let position = read_opening::<G>(&opening.position)?;
        let ready = self.ready.take().filter(|ready| Arc::ptr_eq(&ready.sets, &matchup.sets));
        let ready = match ready {
            Some(ready) => ready,
            None => {
                let prepare = |set: &ParameterSet, side| {
                    SearchParams::from_set(set)
                        .map_err(|source| ArenaError::Parameters { side, source })
                };
                let [candidate, base] = &*matchup.sets;
                let params = [prepare(candidate, "candidate")?, prepare(base, "base")?];
                Ready { sets: Arc::clone(&matchup.sets), params }
            }
        };
        let Ready { params: [candidate, base], .. } = self.ready.insert(ready);
        let [for_candidate, for_base] = nodes;
        let clock = matchup.clock;
        let mut candidate = EnginePlayer::new(&mut self.candidate, candidate)
            .with_budget(for_candidate)
            .timed_by(clock);
        let mut base =
            EnginePlayer::new(&mut self.base, base).with_budget(for_base).timed_by(clock);
        let limit = &matchup.limit;
        let mut pair = play_pair(opening.index, &position, &mut candidate, &mut base, limit, stop)?;
        if let Some(pair) = pair.as_mut().filter(|_| !matchup.record_evals) {
            pair.candidate_first.evals.clear();
            pair.base_first.evals.clear();
        }
        Ok(pair)
    }
}
