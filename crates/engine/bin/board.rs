//! The game at the table, whichever it is: one object-safe face for the session.

use engine::mate::{MateAnswer, MateLimits, MateSolver};
use engine::{
    ClockState, Evaluate, Question, Report, SearchGame, SearchParams, Searcher, StopSignal, Term,
    TimePlan,
};
use games::{
    Leaves, MoveList, RuleWinner, chess::Chess, othello::Othello, shogi::Shogi,
    tictactoe::TicTacToe, xiangqi::Xiangqi,
};
use model::{GameKind, Nodes, ParameterSet, Score, Termination};
use net::Network;
use std::sync::Arc;

/// MiB of the table of a search for a mate.
const MATE_HASH: usize = 64;

/// What the session asks of the game at the table.
pub(crate) trait Board: Send {
    /// Which game.
    fn kind(&self) -> GameKind;

    /// Sets up a position; on an error the old one stays.
    ///
    /// # Errors
    /// The text is no position, or a move is not legal: which one, and what would be.
    fn set_position(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), String>;

    /// Writes castling as the king taking its own rook from now on, or no longer; of no meaning but in
    /// chess.
    fn set_chess960(&mut self, on: bool);

    /// Forgets what earlier games have taught.
    fn new_game(&mut self);

    /// Plays with these constants from now on; what the game does not know is left out.
    fn set_params(&mut self, set: &ParameterSet);

    /// Evaluates by a network from now on, or without one.
    ///
    /// # Errors
    /// The network is of another game: everything stays as it was.
    fn set_network(&mut self, network: Option<Arc<Network>>) -> Result<(), String>;

    /// A table of at most so many MiB.
    fn resize(&mut self, megabytes: usize);

    /// Searches with so many threads from now on.
    fn set_threads(&mut self, threads: usize);

    /// Moves made since the position that was set up.
    fn plies_made(&self) -> usize;

    /// How much of a clock the next move may cost, so many moves having been made.
    fn plan(&self, clock: &ClockState, plies: usize) -> TimePlan;

    /// Whether the side that begins the game is to move.
    fn first_to_move(&self) -> bool;

    /// Thinks about the position; `say` hears every line of every iteration.
    fn search(&mut self, task: &Task, stop: &StopSignal<'_>, say: &mut dyn FnMut(&Found))
    -> Answer;

    /// Whether the side to move mates by checks alone, with at most so many nodes.
    fn mate(&mut self, nodes: Option<Nodes>, stop: &StopSignal<'_>) -> MateAnswer<String>;

    /// Whether the rules let the side to move claim the game (shogi: the entering king).
    fn can_claim(&self) -> bool;

    /// Leaves below each move, and all of them.
    fn perft(&mut self, depth: u32) -> Leaves;

    /// The static evaluation in centipawns for the side to move, and its parts.
    fn evaluate(&self) -> (i32, Vec<Term>);

    /// The position text.
    fn fen(&self) -> String;
}

/// What is to be searched for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Task {
    pub(crate) limits: engine::Limits,
    /// Texts of the only root moves to look at; empty: all.
    pub(crate) only: Vec<String>,
    /// Texts of root moves that are not to be played.
    pub(crate) banned: Vec<String>,
    pub(crate) lines: usize,
}

/// One line of an iteration.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) depth: u32,
    pub(crate) selective_depth: u32,
    pub(crate) line: usize,
    pub(crate) score: Score,
    pub(crate) nodes: Nodes,
    pub(crate) table_permille: u32,
    pub(crate) pv: Vec<String>,
}

/// What is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// `None`: there is no legal move.
    pub(crate) best: Option<String>,
    /// The reply that is expected.
    pub(crate) ponder: Option<String>,
}

/// A game with its searcher.
pub(crate) struct Seat<G: SearchGame> {
    position: G,
    searcher: Searcher<G>,
    params: SearchParams<G>,
    /// How a position is told to write castling as Chess960 does, and whether it is.
    chess960: Option<fn(G) -> G>,
    is_chess960: bool,
}

impl<G: SearchGame> Seat<G> {
    /// The initial position, and a table of at most so many MiB.
    pub(crate) fn new(megabytes: usize) -> Self {
        Self {
            position: G::start(),
            searcher: Searcher::new(megabytes),
            params: SearchParams::default(),
            chess960: None,
            is_chess960: false,
        }
    }

    fn read(&self, texts: &[String]) -> Vec<G::Move> {
        texts.iter().filter_map(|text| self.position.move_from_text(text).ok()).collect()
    }
}

impl<G: SearchGame> Board for Seat<G> {
    fn kind(&self) -> GameKind {
        G::KIND
    }

    fn set_position(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), String> {
        let mut position = match start {
            None => G::start(),
            Some(text) => G::from_fen(text).map_err(|error| error.to_string())?,
        };
        if let Some(convert) = self.chess960.filter(|_| self.is_chess960) {
            position = convert(position);
        }
        for (number, text) in (1..).zip(moves) {
            let mv =
                position.move_from_text(text).map_err(|error| format!("move {number}: {error}"))?;
            position.make(mv);
        }
        self.position = position;
        Ok(())
    }

    fn set_chess960(&mut self, on: bool) {
        self.is_chess960 = on;
    }

    fn new_game(&mut self) {
        self.searcher.new_game();
    }

    fn set_params(&mut self, set: &ParameterSet) {
        let fits = |(name, value): (&String, &f64)| {
            let def = engine::definition(G::KIND, name)?;
            def.accept(*value).ok().map(|value| (name.clone(), value))
        };
        let set: ParameterSet = set.0.iter().filter_map(fits).collect();
        let network = self.params.network().cloned();
        let params = SearchParams::from_set(&set).map(|params| params.with_network(network));
        if let Ok(Ok(params)) = params {
            self.params = params;
        }
    }

    fn set_network(&mut self, network: Option<Arc<Network>>) -> Result<(), String> {
        let params = self.params.clone().with_network(network);
        self.params = params.map_err(|error| error.to_string())?;
        // What the table knows was said by another evaluation.
        self.searcher.new_game();
        Ok(())
    }

    fn resize(&mut self, megabytes: usize) {
        self.searcher.resize(megabytes);
    }

    fn set_threads(&mut self, threads: usize) {
        self.searcher.set_threads(threads);
    }

    fn plies_made(&self) -> usize {
        self.position.plies_made()
    }

    fn plan(&self, clock: &ClockState, plies: usize) -> TimePlan {
        TimePlan::for_clock(clock, plies, &self.params.tunables().time)
    }

    fn first_to_move(&self) -> bool {
        self.position.first_to_move()
    }

    fn search(
        &mut self,
        task: &Task,
        stop: &StopSignal<'_>,
        say: &mut dyn FnMut(&Found),
    ) -> Answer {
        let mut only = self.read(&task.only);
        let banned = self.read(&task.banned);
        if !banned.is_empty() {
            let mut legal = MoveList::new();
            self.position.legal(&mut legal);
            let allowed =
                |mv: &&G::Move| !banned.contains(mv) && (only.is_empty() || only.contains(mv));
            let left: Vec<_> = legal.iter().filter(allowed).copied().collect();
            if left.is_empty() {
                return Answer { best: None, ponder: None };
            }
            only = left;
        }
        let question = Question { limits: task.limits, only: &only, lines: task.lines };
        let mut position = self.position.clone();
        let mut hear = |report: &Report<'_, G::Move>| {
            say(&Found {
                depth: report.depth,
                selective_depth: report.selective_depth,
                line: report.line,
                score: report.score,
                nodes: report.nodes,
                table_permille: report.table_permille,
                pv: texts(&self.position, report.pv),
            });
        };
        let searcher = &mut self.searcher;
        let result =
            searcher.search_reporting(&mut position, &self.params, &question, stop, &mut hear);
        let mut pv = texts(&self.position, &result.pv).into_iter();
        Answer { best: pv.next(), ponder: pv.next() }
    }

    fn mate(&mut self, nodes: Option<Nodes>, stop: &StopSignal<'_>) -> MateAnswer<String> {
        let limits = MateLimits { nodes, plies: None };
        match MateSolver::new(MATE_HASH).solve(&mut self.position, &limits, stop) {
            MateAnswer::Mate(line) => MateAnswer::Mate(texts(&self.position, &line)),
            MateAnswer::NoMate => MateAnswer::NoMate,
            MateAnswer::Unknown => MateAnswer::Unknown,
        }
    }

    fn can_claim(&self) -> bool {
        let result = self.position.rule_draw_or_loss();
        result.is_some_and(|result| {
            result.winner == RuleWinner::SideToMove && result.reason == Termination::Impasse
        })
    }

    fn perft(&mut self, depth: u32) -> Leaves {
        Leaves::of(&mut self.position, depth)
    }

    fn evaluate(&self) -> (i32, Vec<Term>) {
        let (tables, mut eval) = (self.params.eval(), G::Eval::default());
        eval.reset(tables, &self.position);
        (eval.evaluate(tables, &self.position), eval.terms(tables, &self.position))
    }

    fn fen(&self) -> String {
        self.position.to_fen()
    }
}

/// The moves as texts, each in the position in which it is made.
fn texts<G: SearchGame>(position: &G, moves: &[G::Move]) -> Vec<String> {
    let mut position = position.clone();
    let text = |&mv| {
        let text = position.move_to_text(mv);
        position.make(mv);
        text
    };
    moves.iter().map(text).collect()
}

/// The board of a game, with a hash table of at most so many MiB.
pub(crate) fn board(game: GameKind, megabytes: usize) -> Box<dyn Board> {
    match game {
        GameKind::Xiangqi => Box::new(Seat::<Xiangqi>::new(megabytes)),
        GameKind::Chess => {
            let seat = Seat::<Chess>::new(megabytes);
            Box::new(Seat { chess960: Some(Chess::into_chess960), ..seat })
        }
        GameKind::Shogi => Box::new(Seat::<Shogi>::new(megabytes)),
        GameKind::Othello => Box::new(Seat::<Othello>::new(megabytes)),
        GameKind::TicTacToe => Box::new(Seat::<TicTacToe>::new(megabytes)),
    }
}

/// The game of a name from outside, as the protocols spell it.
pub(crate) fn game_of(name: &str) -> Result<GameKind, String> {
    name.parse::<GameKind>().map_err(|error| error.to_string())
}
