//! Who chooses moves.

use engine::{Limits, SearchGame, SearchParams, Searcher, StopSignal};
use games::Game;
use model::Nodes;
use model::evals::{MoveEval, MoveTime};
use std::sync::atomic::AtomicBool;

/// What a player answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move; `None` when the player knows none. The referee judges it.
    pub mv: Option<M>,
    /// What led to it, the nodes that it took among that.
    pub eval: MoveEval,
    /// What it took on a clock; `None` where nobody looks at one.
    pub time: Option<MoveTime>,
}

/// A clock that only goes forward, from any beginning: what is played knows none of its own.
pub type Clock = fn() -> MoveTime;

/// Somebody who can be asked for a move.
pub trait Player<G: Game> {
    /// Forgets every earlier game.
    fn new_game(&mut self);

    /// Chooses a move in a position whose game goes on. The position is lent for trying moves and
    /// is as before afterwards. Once `stop` is true the answer may be anything, but comes soon.
    fn choose(&mut self, position: &mut G, nodes: Nodes, stop: &AtomicBool) -> Choice<G::Move>;
}

/// The built-in engine with the memory and the numbers of one side.
pub struct EnginePlayer<'a, G: SearchGame> {
    searcher: &'a mut Searcher<G>,
    params: &'a SearchParams<G>,
    budget: Option<Nodes>,
    clock: Option<Clock>,
}

impl<'a, G: SearchGame> EnginePlayer<'a, G> {
    /// A player on borrowed memory.
    #[must_use]
    pub fn new(searcher: &'a mut Searcher<G>, params: &'a SearchParams<G>) -> Self {
        Self { searcher, params, budget: None, clock: None }
    }

    /// The same player with nodes of its own for each move, whatever the game allows.
    #[must_use]
    pub fn with_budget(self, nodes: Nodes) -> Self {
        Self { budget: Some(nodes), ..self }
    }

    /// The same player, whose moves are timed by this clock, or by none.
    #[must_use]
    pub fn timed_by(self, clock: Option<Clock>) -> Self {
        Self { clock, ..self }
    }
}

impl<G: SearchGame> Player<G> for EnginePlayer<'_, G> {
    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn choose(&mut self, position: &mut G, nodes: Nodes, stop: &AtomicBool) -> Choice<G::Move> {
        let limits = Limits::nodes(self.budget.unwrap_or(nodes).0);
        let began = self.clock.map(|clock| (clock, clock()));
        let result = self.searcher.search(position, self.params, &limits, &StopSignal::when(stop));
        let eval = MoveEval { score: result.score, depth: result.depth, nodes: result.nodes };
        let time = began.map(|(clock, began)| MoveTime(clock().0.saturating_sub(began.0)));
        Choice { mv: result.best, eval, time }
    }
}
