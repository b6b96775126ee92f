//! One side of a match with what it needs for game after game: a process that is started anew when
//! it has failed, or the engine built in.

use super::session::{Fault, Reply, Session};
use super::speech::Answer;
use super::{Clock, Entrant, Insight, Mind, Program, SideLimit, StartError};
use crate::ArenaError;
use engine::TimeSource;
use engine::{ClockState, Limits, SearchGame, SearchParams, Searcher, StopSignal, TimePlan};
use games::MoveText;
use model::{Nodes, Score, Termination};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a program that has run before is started again before the match gives up.
const STARTS: u32 = 3;

/// What the engine built in is taken to lose on the way of each move.
const OVERHEAD: Duration = Duration::from_millis(2);

/// A move, or why there is none.
pub(super) enum Turn<M> {
    Move {
        mv: M,
        insight: Insight,
        elapsed: Duration,
    },
    /// The game is lost by this; the words say more.
    Lost {
        termination: Termination,
        note: String,
    },
    Stopped,
}

/// A player of one slot.
pub(super) enum Player<G: SearchGame> {
    Program(Box<Outside>),
    Builtin(Box<Inside<G>>),
}

/// A program and its process, while it has one.
pub(super) struct Outside {
    program: Program,
    limit: SideLimit,
    session: Option<Session>,
    has_run: bool,
    /// Numbers that the process has not been told yet.
    untold: Vec<(String, f64)>,
}

/// The engine built in.
pub(super) struct Inside<G: SearchGame> {
    searcher: Searcher<G>,
    params: SearchParams<G>,
    limit: SideLimit,
    hash_mb: usize,
}

/// The time since a search began.
struct Watch(Instant);

impl TimeSource for Watch {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

impl<G: SearchGame + MoveText> Player<G> {
    pub(super) fn new(entrant: &Entrant, side: &'static str) -> Result<Self, ArenaError> {
        Ok(match &entrant.mind {
            Mind::Program(program) => Player::Program(Box::new(Outside {
                program: program.clone(),
                limit: entrant.limit,
                session: None,
                has_run: false,
                untold: Vec::new(),
            })),
            Mind::Builtin { parameters, hash_mb } => {
                let params = SearchParams::from_set(parameters)
                    .map_err(|source| ArenaError::Parameters { side, source })?;
                Player::Builtin(Box::new(Inside {
                    searcher: Searcher::new(*hash_mb),
                    params,
                    limit: entrant.limit,
                    hash_mb: *hash_mb,
                }))
            }
        })
    }

    /// Whether it can become this entrant as it stands: the same program with the same options, under
    /// limits of the same kind. Numbers by name may differ in protocols that set options between games.
    pub(super) fn suits(&self, entrant: &Entrant) -> bool {
        match (self, &entrant.mind) {
            (Player::Program(outside), Mind::Program(program)) => {
                outside.suits(program, &entrant.limit)
            }
            (Player::Builtin(inside), Mind::Builtin { hash_mb, .. }) => inside.hash_mb == *hash_mb,
            _ => false,
        }
    }

    /// Becomes an entrant that it suits; a process that has ended meanwhile is forgotten.
    pub(super) fn retarget(
        &mut self,
        entrant: &Entrant,
        side: &'static str,
    ) -> Result<(), ArenaError> {
        match (self, &entrant.mind) {
            (Player::Program(outside), Mind::Program(program)) => {
                outside.retarget(program, entrant.limit);
            }
            (Player::Builtin(inside), Mind::Builtin { parameters, .. }) => {
                inside.params = SearchParams::from_set(parameters)
                    .map_err(|source| ArenaError::Parameters { side, source })?;
                inside.limit = entrant.limit;
            }
            (player, _) => *player = Self::new(entrant, side)?,
        }
        Ok(())
    }

    /// What a program calls itself, once it runs.
    pub(super) fn own_name(&self) -> Option<&str> {
        match self {
            Player::Program(outside) => outside.session.as_ref().map(Session::name),
            Player::Builtin(_) => None,
        }
    }

    /// Starts the program if it does not run.
    pub(super) fn start(&mut self, stop: &AtomicBool) -> Result<(), StartError> {
        match self {
            Player::Program(outside) => outside.start(G::KIND, stop),
            Player::Builtin(_) => Ok(()),
        }
    }

    /// Makes ready for a game; `Ok(Some)`: the game is lost already.
    pub(super) fn new_game(
        &mut self,
        opening: &G,
        clocks: &[Clock; 2],
        stop: &AtomicBool,
    ) -> Result<Option<Turn<G::Move>>, StartError> {
        match self {
            Player::Builtin(inside) => {
                inside.searcher.new_game();
                Ok(None)
            }
            Player::Program(outside) => {
                if outside.session.as_ref().is_some_and(Session::is_spent) {
                    outside.leave();
                }
                outside.start(G::KIND, stop)?;
                let Some(session) = &mut outside.session else { return Ok(None) };
                let command = || model::printable(&outside.program.command.to_string_lossy(), 200);
                let untold = std::mem::take(&mut outside.untold);
                session
                    .set_numbers(&untold)
                    .map_err(|source| StartError::Option { command: command(), source })?;
                let done = session.new_game(opening, clocks, stop);
                let is_proven = session.is_proven();
                let protocol = outside.program.protocol;
                match done {
                    Ok(()) => Ok(None),
                    Err(Fault::Unable(what)) => {
                        Err(StartError::Unable { command: command(), what })
                    }
                    // What was never ready is wrong, and no opponent has beaten it.
                    Err(Fault::Stalled) if !is_proven => Err(StartError::Silent {
                        command: command(),
                        protocol,
                        awaited: "readyok",
                        within: outside.program.start_within,
                    }),
                    Err(Fault::Gone(how)) if !is_proven => {
                        Err(StartError::Gone { command: command(), protocol, how })
                    }
                    Err(fault) => Ok(Some(outside.fail(fault))),
                }
            }
        }
    }

    /// Takes note of a move.
    pub(super) fn note(&mut self, before: &G, mv: G::Move, is_own: bool) {
        if let Player::Program(outside) = self
            && let Some(session) = &mut outside.session
        {
            session.note(before, mv, is_own);
        }
    }

    /// Asks for a move. `clocks[0]` is the player's own.
    pub(super) fn choose(
        &mut self,
        position: &mut G,
        clocks: &[Clock; 2],
        stop: &AtomicBool,
    ) -> Turn<G::Move> {
        match self {
            Player::Program(outside) => outside.choose(position, clocks, stop),
            Player::Builtin(inside) => inside.choose(position, &clocks[0], stop),
        }
    }

    /// Tells the result.
    pub(super) fn game_over(&mut self, half_points: u8, first_side_won: Option<bool>) {
        let Player::Program(outside) = self else { return };
        if let Some(session) = &mut outside.session {
            session.game_over(half_points, first_side_won);
        }
        if outside.program.restart {
            outside.leave();
        }
    }
}

impl<G: SearchGame> Player<G> {
    /// Ends the process.
    pub(super) fn dismiss(&mut self) {
        if let Player::Program(outside) = self {
            outside.leave();
        }
    }
}

impl Outside {
    fn start(&mut self, game: model::GameKind, stop: &AtomicBool) -> Result<(), StartError> {
        if self.session.is_some() {
            return Ok(());
        }
        // What has never run is wrong; what has run before may have had bad luck.
        let mut left = if self.has_run { STARTS } else { 1 };
        loop {
            left -= 1;
            match Session::start(&self.program, game, &self.limit, stop) {
                Ok(session) => {
                    self.session = Some(session);
                    self.has_run = true;
                    self.untold.clear();
                    return Ok(());
                }
                Err(error @ StartError::Stopped) => return Err(error),
                Err(error) if left == 0 => return Err(error),
                Err(_) => {}
            }
        }
    }

    fn suits(&self, program: &Program, limit: &SideLimit) -> bool {
        let rest = |program: &Program| Program {
            parameters: Vec::new(),
            patience: Duration::ZERO,
            ..program.clone()
        };
        let kind = |limit: &SideLimit| {
            let moves = limit.clock.map(|clock| clock.moves.is_some());
            (moves, limit.movetime.is_some(), limit.depth.is_some())
        };
        let (old, new) = (&self.program.parameters, &program.parameters);
        let are_same = match program.protocol {
            model::Protocol::Xboard => old == new,
            _ => old.iter().map(|(name, _)| name).eq(new.iter().map(|(name, _)| name)),
        };
        are_same && kind(&self.limit) == kind(limit) && rest(&self.program) == rest(program)
    }

    fn retarget(&mut self, program: &Program, limit: SideLimit) {
        // Nobody has lost a game by what happens between two matches.
        if self.session.as_mut().is_some_and(Session::has_ended) {
            self.session = None;
        }
        for (name, number) in &program.parameters {
            if !self.program.parameters.contains(&(name.clone(), *number)) {
                self.untold.retain(|(known, _)| known != name);
                self.untold.push((name.clone(), *number));
            }
        }
        if let Some(session) = &mut self.session {
            session.be_patient(program.patience);
        }
        (self.program, self.limit) = (program.clone(), limit);
    }

    fn leave(&mut self) {
        if let Some(session) = self.session.take() {
            session.leave();
        }
    }

    /// Ends the process that has failed; the next game gets another.
    fn fail<M>(&mut self, fault: Fault) -> Turn<M> {
        self.session = None;
        let (termination, note) = match fault {
            Fault::Gone(how) => (Termination::Disconnect, how),
            Fault::Stalled => (Termination::Stall, "does not answer".to_owned()),
            Fault::Unable(what) => (Termination::Disconnect, what),
            Fault::Stopped => return Turn::Stopped,
        };
        Turn::Lost { termination, note }
    }

    fn choose<G: MoveText>(
        &mut self,
        position: &G,
        clocks: &[Clock; 2],
        stop: &AtomicBool,
    ) -> Turn<G::Move> {
        let Some(session) = &mut self.session else {
            return Turn::Lost {
                termination: Termination::Disconnect,
                note: "is not running".to_owned(),
            };
        };
        let (answer, insight, elapsed) = match session.ask(clocks, position.first_to_move(), stop) {
            Reply::Answered { answer, insight, elapsed } => (answer, insight, elapsed),
            Reply::Late { elapsed } => {
                let note = format!("no move after {:.3} s", elapsed.as_secs_f64());
                return Turn::Lost { termination: Termination::TimeForfeit, note };
            }
            Reply::Failed(fault) => return self.fail(fault),
        };
        let illegal = |note| Turn::Lost { termination: Termination::IllegalMove, note };
        match answer {
            Answer::Move(text) => match session.read(position, &text) {
                Some(mv) => Turn::Move { mv, insight, elapsed },
                None => illegal(format!("`{text}` in {}", position.to_fen())),
            },
            Answer::Nothing(what) => illegal(format!("`{what}` in {}", position.to_fen())),
            // Where the rules give a win the game would be over already.
            Answer::ClaimsWin => illegal(format!("claims a win in {}", position.to_fen())),
            Answer::Resigns => {
                Turn::Lost { termination: Termination::Resignation, note: String::new() }
            }
        }
    }
}

impl<G: SearchGame> Inside<G> {
    fn choose(&mut self, position: &mut G, clock: &Clock, stop: &AtomicBool) -> Turn<G::Move> {
        let watch = Watch(Instant::now());
        let plan = match (clock.left(), self.limit.movetime) {
            (Some(remaining), _) => {
                let clock = ClockState {
                    remaining,
                    increment: clock.increment(),
                    moves_to_go: clock.moves_to_go(),
                    overhead: OVERHEAD,
                    ..ClockState::default()
                };
                let tunables = &self.params.tunables().time;
                Some(TimePlan::for_clock(&clock, position.plies_made(), tunables))
            }
            (None, movetime) => movetime.map(|each| TimePlan::fixed(each.saturating_sub(OVERHEAD))),
        };
        let mut signal = StopSignal::when(stop);
        if let Some(plan) = plan {
            signal = signal.or_by(&watch, plan);
        }
        let limits = Limits {
            nodes: self.limit.nodes.map(Nodes),
            depth: self.limit.depth,
            ..Limits::default()
        };
        let result = self.searcher.search(position, &self.params, &limits, &signal);
        let elapsed = watch.elapsed();
        // Relaxed: the flag carries no data.
        if stop.load(Ordering::Relaxed) {
            return Turn::Stopped;
        }
        let insight = Insight {
            score: Some(Score(result.score.0.clamp(-30_000, 30_000))),
            depth: Some(result.depth),
            nodes: Some(result.nodes.0),
        };
        match result.best {
            Some(mv) => Turn::Move { mv, insight, elapsed },
            None => Turn::Lost {
                termination: Termination::IllegalMove,
                note: format!("no move in {}", position.to_fen()),
            },
        }
    }
}
