//! Who chooses moves.

use engine::{Limits, SearchGame, SearchParams, Searcher, StopSignal};
use games::Game;
use model::Nodes;
use model::evals::MoveEval;
use std::sync::atomic::AtomicBool;

/// What a player answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move; `None` when the player knows none. The referee judges it.
    pub mv: Option<M>,
    /// What led to it, the nodes that it took among that.
    pub eval: MoveEval,
}

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
}

impl<'a, G: SearchGame> EnginePlayer<'a, G> {
    /// A player on borrowed memory.
    #[must_use]
    pub fn new(searcher: &'a mut Searcher<G>, params: &'a SearchParams<G>) -> Self {
        Self { searcher, params, budget: None }
    }

    /// The same player with nodes of its own for each move, whatever the game allows.
    #[must_use]
    pub fn with_budget(self, nodes: Nodes) -> Self {
        Self { budget: Some(nodes), ..self }
    }
}

impl<G: SearchGame> Player<G> for EnginePlayer<'_, G> {
    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn choose(&mut self, position: &mut G, nodes: Nodes, stop: &AtomicBool) -> Choice<G::Move> {
        let limits = Limits::nodes(self.budget.unwrap_or(nodes).0);
        let result = self.searcher.search(position, self.params, &limits, &StopSignal::when(stop));
        let eval = MoveEval { score: result.score, depth: result.depth, nodes: result.nodes };
        Choice { mv: result.best, eval }
    }
}
