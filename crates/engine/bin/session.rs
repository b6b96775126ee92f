//! One conversation: commands in, in any order; a search beside it, which owns the board meanwhile.
//!
//! A command that needs the board while a search is under way waits for its answer; a search without an
//! end of its own is ended. The answer always comes before whatever the command says.

mod nboard;

use crate::board::{Answer, Board, Task, board};
use crate::clock::Stopwatch;
use crate::options::{Change, Options};
use crate::words::{self, Out};
use engine::mate::MateAnswer;
use engine::protocol::{Command, Dialect, Go, read};
use engine::{Limits, StopSignal, TimePlan, TimeSource};
use games::Leaves;
use model::{GameKind, printable};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Whether there is more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    More,
    End,
}

/// What the session and its search share.
#[derive(Default)]
struct Control {
    stop: AtomicBool,
    watch: Stopwatch,
    /// The answer is not to be given yet: infinite, or the other side is still thinking.
    held: Mutex<bool>,
    released: Condvar,
}

impl Control {
    fn release(&self) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.released.notify_all();
    }

    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.release();
    }

    fn is_held(&self) -> bool {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while *held {
            held = self.released.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Work that has the board.
struct Work {
    control: Arc<Control>,
    thread: JoinHandle<Box<dyn Board>>,
}

/// The board of a game with all that was set.
fn set_up(game: GameKind, options: &Options) -> Box<dyn Board> {
    let mut board = board(game, options.hash);
    board.set_threads(options.threads);
    board.set_params(&options.set);
    board.set_chess960(options.chess960);
    // One of another game waits until that is played.
    let _ = board.set_network(options.network.clone());
    board
}

/// One conversation.
pub(crate) struct Session {
    out: Out,
    dialect: Dialect,
    options: Options,
    /// `None` while work has it.
    board: Option<Box<dyn Board>>,
    work: Option<Work>,
    game: GameKind,
    /// Why there is no position to search, after a bad `position`.
    lost: Option<String>,
    banned: Vec<String>,
    /// What was said in NBoard, while that is spoken.
    nboard: Option<nboard::Talk>,
}

impl Session {
    /// A session at the board of a game.
    pub(crate) fn new(game: GameKind, options: Options, out: Out) -> Self {
        let board = set_up(game, &options);
        Self {
            out,
            dialect: Dialect::Uci,
            options,
            board: Some(board),
            work: None,
            game,
            lost: None,
            banned: Vec::new(),
            nboard: None,
        }
    }

    /// Follows one line.
    pub(crate) fn line(&mut self, line: &str) -> Next {
        self.clear_finished();
        if let Some(next) = self.nboard(line) {
            return next;
        }
        let command = match read(line, self.dialect, !self.options.milliseconds) {
            Ok(command) => command,
            Err(error) => {
                self.out.complain(&error.to_string());
                return Next::More;
            }
        };
        match command {
            Command::Nothing => {
                let first = line.split_whitespace().next();
                if let Some(word) = first {
                    self.out.complain(&format!("unknown command `{}`", printable(word, 40)));
                }
            }
            Command::Hello(dialect) => self.introduce(dialect),
            Command::IsReady => self.out.say("readyok"),
            Command::Stop => {
                if let Some(work) = &self.work {
                    work.control.end();
                }
                self.await_work();
            }
            Command::PonderHit => {
                if let Some(work) = &self.work {
                    work.control.watch.start();
                    work.control.release();
                }
            }
            Command::Quit => {
                if let Some(work) = &self.work {
                    work.control.end();
                }
                self.await_work();
                if self.dialect == Dialect::Ucci {
                    self.out.say("bye");
                }
                return Next::End;
            }
            Command::NewGame => {
                self.banned.clear();
                self.board().new_game();
            }
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Position { start, moves } => {
                self.banned.clear();
                let done = self.board().set_position(start.as_deref(), &moves);
                if let Err(error) = &done {
                    self.out.complain(&format!("position: {error}"));
                }
                self.lost = done.err();
            }
            Command::BanMoves(moves) => {
                self.banned = moves.into_iter().map(str::to_owned).collect();
            }
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench => self.bench(),
            Command::Eval => {
                let (value, terms) = self.board().evaluate();
                for term in terms {
                    self.out.say(&format!("{:>8} {}", term.centipawns, term.name));
                }
                self.out.say(&format!("evaluation {value} centipawns for the side to move"));
            }
            Command::Display => {
                let fen = self.board().fen();
                self.out.say(&fen);
            }
        }
        Next::More
    }

    fn introduce(&mut self, dialect: Dialect) {
        self.dialect = dialect;
        let wanted = match dialect {
            Dialect::Uci => None,
            Dialect::Ucci => Some(GameKind::Xiangqi),
            Dialect::Usi => Some(GameKind::Shogi),
        };
        if let Some(game) = wanted {
            self.change_game(game);
        }
        self.out.say(concat!("id name Elomill ", env!("CARGO_PKG_VERSION")));
        self.out.say("id author the Elomill authors");
        if dialect == Dialect::Ucci {
            for option in self.options.list_ucci() {
                self.out.say(&format!("option {option}"));
            }
            self.out.say("ucciok");
        } else {
            for option in self.options.list(self.game, &GameKind::ALL) {
                self.out.say(&format!("option {option}"));
            }
            self.out.say(if dialect == Dialect::Uci { "uciok" } else { "usiok" });
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let (hash, network) = (self.options.hash, self.options.network.clone());
        match self.options.set(self.game, name, value) {
            Err(error) => self.out.complain(&error),
            Ok(Change::Done) => {}
            Ok(Change::Constants) => {
                let set = std::mem::take(&mut self.options.set);
                self.board().set_params(&set);
                self.options.set = set;
            }
            Ok(Change::Resize) if self.options.hash == hash => {}
            Ok(Change::Resize) => {
                let megabytes = self.options.hash;
                self.board().resize(megabytes);
            }
            Ok(Change::Threads) => {
                let threads = self.options.threads;
                self.board().set_threads(threads);
            }
            Ok(Change::Network) => {
                let wanted = self.options.network.clone();
                if let Err(error) = self.board().set_network(wanted) {
                    self.options.network = network;
                    self.out.complain(&format!("option EvalFile: {error}"));
                }
            }
            Ok(Change::Chess960) => {
                let on = self.options.chess960;
                self.board().set_chess960(on);
            }
            Ok(Change::Forget) => self.board().new_game(),
            Ok(Change::Game(game)) => self.change_game(game),
        }
    }

    fn change_game(&mut self, game: GameKind) {
        if self.board().kind() == game {
            return;
        }
        self.board = Some(set_up(game, &self.options));
        self.game = game;
        self.lost = None;
    }

    fn go(&mut self, go: &Go<'_>) {
        self.await_work();
        if let Some(error) = &self.lost {
            self.out.complain(&format!("no position to search: {error}"));
            let none = Answer { best: None, ponder: None };
            self.out.say(&match go.mate_problem {
                true => words::mate(&MateAnswer::Unknown),
                false => words::answer(self.dialect, &none),
            });
            return;
        }
        if go.mate_problem {
            return self.mate(go);
        }
        if self.dialect == Dialect::Usi && !go.ponder && self.board().can_claim() {
            return self.out.say("bestmove win");
        }
        let first_to_move = self.board().first_to_move();
        let clock = go.clock(self.dialect, first_to_move, self.options.overhead);
        let plan = match (go.movetime, clock) {
            _ if go.infinite => None,
            (Some(movetime), _) => Some(TimePlan::fixed(movetime)),
            (None, clock) => clock.map(|clock| {
                let board = self.board();
                board.plan(&clock, board.plies_made())
            }),
        };
        let plies = |moves: u32| moves.saturating_mul(2).saturating_sub(1).min(i32::MAX as u32);
        let task = Task {
            limits: Limits {
                nodes: go.nodes.map(model::Nodes),
                depth: go.depth,
                mate: go.mate.map(plies),
            },
            only: go.only.iter().map(|&text| text.to_owned()).collect(),
            banned: std::mem::take(&mut self.banned),
            lines: self.options.lines,
        };
        let bounded =
            plan.is_some() || go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
        let control = Arc::new(Control::default());
        *control.held.lock().unwrap_or_else(PoisonError::into_inner) =
            go.ponder || go.infinite || !bounded;
        if !go.ponder {
            control.watch.start();
        }
        let (dialect, out) = (self.dialect, self.out.clone());
        let shared = Arc::clone(&control);
        self.begin(control, move |board| {
            let began = Instant::now();
            let mut stop = StopSignal::when(&shared.stop);
            if let Some(plan) = plan {
                stop = stop.or_by(&shared.watch as &dyn TimeSource, plan);
            }
            let answer = board.search(&task, &stop, &mut |found| {
                out.say(&words::info(dialect, found, began.elapsed()));
            });
            shared.wait();
            out.say(&words::answer(dialect, &answer));
        });
    }

    /// Looks for a mate by checks; unlike a search without an end it answers as soon as it knows.
    fn mate(&mut self, go: &Go<'_>) {
        let control = Arc::new(Control::default());
        *control.held.lock().unwrap_or_else(PoisonError::into_inner) = go.infinite;
        control.watch.start();
        let (out, shared) = (self.out.clone(), Arc::clone(&control));
        let (nodes, movetime) = (go.nodes.map(model::Nodes), go.movetime);
        self.begin(control, move |board| {
            let mut stop = StopSignal::when(&shared.stop);
            if let Some(movetime) = movetime {
                stop = stop.or_after(&shared.watch as &dyn TimeSource, movetime);
            }
            out.say(&words::mate(&board.mate(nodes, &stop)));
        });
    }

    fn perft(&mut self, depth: u32) {
        let out = self.out.clone();
        self.await_work();
        self.begin(Arc::new(Control::default()), move |board| {
            let began = Instant::now();
            let Leaves { all, below } = board.perft(depth);
            for (text, leaves) in below {
                out.say(&format!("{text}: {leaves}"));
            }
            let seconds = began.elapsed().as_secs_f64().max(1e-6);
            out.say(&format!("nodes {all} seconds {seconds:.3}"));
        });
    }

    fn bench(&mut self) {
        let game = self.board().kind();
        let network = self.options.network.clone();
        let network = network.filter(|network| network.architecture().game == game);
        let began = Instant::now();
        let nodes = match network.map(engine::bench::bench_network) {
            Some(Ok(nodes)) => nodes.0,
            _ => engine::bench::bench(game).0,
        };
        let seconds = began.elapsed().as_secs_f64().max(1e-6);
        self.out.say(&format!("{nodes} nodes {} nps", (nodes as f64 / seconds) as u64));
    }

    /// Hands the board to a thread.
    fn begin(&mut self, control: Arc<Control>, job: impl FnOnce(&mut dyn Board) + Send + 'static) {
        let Some(mut board) = self.board.take() else { return };
        let out = self.out.clone();
        let no_move = match self.nboard {
            Some(_) => nboard::NO_MOVE.to_owned(),
            None => words::answer(self.dialect, &Answer { best: None, ponder: None }),
        };
        let thread = std::thread::spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(|| job(&mut *board)));
            if let Err(panic) = done {
                // The other side waits for an answer, whatever happens.
                out.complain("the search has broken down; the board is set up anew");
                out.say(&no_move);
                resume_unwind(panic);
            }
            board
        });
        self.work = Some(Work { control, thread });
    }

    /// The board, once no work has it any more.
    fn board(&mut self) -> &mut dyn Board {
        self.await_work();
        let (game, options) = (self.game, &self.options);
        &mut **self.board.get_or_insert_with(|| set_up(game, options))
    }

    /// Waits for the answer of what is under way; what has no end of its own is ended.
    pub(crate) fn await_work(&mut self) {
        if let Some(work) = self.work.take() {
            if work.control.is_held() {
                work.control.end();
            }
            self.take_back(work);
        }
    }

    fn clear_finished(&mut self) {
        if let Some(work) = self.work.take_if(|work| work.thread.is_finished()) {
            self.take_back(work);
        }
    }

    fn take_back(&mut self, work: Work) {
        // One that broke down has said so; `board` then sets up another.
        if let Ok(board) = work.thread.join() {
            self.board = Some(board);
        }
    }
}
