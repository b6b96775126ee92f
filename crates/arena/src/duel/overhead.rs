//! What a match costs beside its engines: measured with one that answers at once ([`echo`](super::echo)).
//!
//! Three ways to play the same moves: this arena's duel, with clocks, rules and records; a bare loop
//! that writes orders and reads answers and knows nothing of chess, which is the pipes' own price; and
//! the engine built in without any process, against its search alone.

use super::{Duel, DuelError, DuelPlayer, DuelRules, Entrant, Mind, Program, SideLimit};
use crate::{Choice, EnginePlayer, Player, play_pair};
use engine::{SearchParams, Searcher};
use games::Game;
use games::chess::Chess;
use games::xiangqi::{RuleSet, Xiangqi};
use model::lease::{Opening, PairIndex};
use model::spec::GameLimit;
use model::{GameKind, Nodes, Ply};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Half-moves of a game at most.
const MOST_PLIES: u64 = 300;

/// What so many half-moves have cost this process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Half-moves played.
    pub plies: u64,
    /// Time that went by.
    pub wall: Duration,
    /// Time of processors that this process took, its engines not counted.
    pub cpu: Duration,
}

impl Cost {
    /// Microseconds that went by for each half-move.
    #[must_use]
    pub fn wall_us(&self) -> f64 {
        self.wall.as_secs_f64() * 1e6 / self.plies.max(1) as f64
    }

    /// Microseconds of processor time for each half-move.
    #[must_use]
    pub fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.plies.max(1) as f64
    }
}

/// Pairs of the arena between two processes of `program`, at `concurrency` places; a first pair at each
/// place is not counted: it starts the processes.
///
/// # Errors
/// The program does not start.
pub fn duel_cost(program: &Program, pairs: u64, concurrency: usize) -> Result<Cost, DuelError> {
    let limit = SideLimit { nodes: Some(1), ..SideLimit::default() };
    let entrant = |name: &str| {
        let mind = Mind::Program(program.clone());
        Entrant { name: name.to_owned(), mind, limit }
    };
    let duel = Duel {
        game: GameKind::Chess,
        entrants: [entrant("one"), entrant("other")],
        rules: DuelRules { max_plies: Some(MOST_PLIES), ..DuelRules::default() },
        rule_set: RuleSet::default(),
        tablebases: None,
        pgn_tags: None,
    };
    let stop = AtomicBool::new(false);
    let opening = |index| Opening { index: PairIndex(index), position: Chess::start().to_fen() };
    let mut players = Vec::new();
    for _ in 0..concurrency.max(1) {
        let mut player = DuelPlayer::new(&duel)?;
        player.play(&opening(0), &stop)?;
        players.push(player);
    }
    let (began, cpu) = (Instant::now(), process_time());
    let plies = std::thread::scope(|scope| {
        let places: Vec<_> = players
            .iter_mut()
            .map(|player| {
                scope.spawn(|| -> Result<u64, DuelError> {
                    let mut plies = 0;
                    for index in 0..pairs {
                        if let Some(pair) = player.play(&opening(index), &stop)? {
                            plies += pair.games.iter().map(|game| game.plies.0).sum::<u64>();
                        }
                    }
                    Ok(plies)
                })
            })
            .collect();
        let mut sum = 0;
        for place in places {
            match place.join() {
                Ok(plies) => sum += plies?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok::<_, DuelError>(sum)
    })?;
    Ok(Cost { plies, wall: began.elapsed(), cpu: process_time().saturating_sub(cpu) })
}

/// The same orders and answers without anything around them, at one place.
///
/// # Errors
/// The program does not start, or breaks off.
pub fn bare_cost(program: &Program, pairs: u64) -> io::Result<Cost> {
    let mut sides = [Bare::start(program)?, Bare::start(program)?];
    // The moves are those of the duel; only their number is needed to stop where it stops.
    let plies_of_game = {
        let mut position = Chess::start();
        let mut text = "position startpos".to_owned();
        let mut plies = 0;
        while position.result().is_none() && plies < MOST_PLIES {
            let answer = sides[plies as usize % 2].ask(&text)?;
            let mv = position.move_from_text(&answer).map_err(io::Error::other)?;
            text.push_str(if plies == 0 { " moves " } else { " " });
            text.push_str(&answer);
            position.make(mv);
            plies += 1;
        }
        plies
    };
    let (began, cpu) = (Instant::now(), process_time());
    let mut text = String::new();
    for _ in 0..2 * pairs {
        text.clear();
        text.push_str("position startpos");
        for ply in 0..plies_of_game {
            let answer = sides[ply as usize % 2].ask(&text)?;
            text.push_str(if ply == 0 { " moves " } else { " " });
            text.push_str(&answer);
        }
    }
    let plies = 2 * pairs * plies_of_game;
    Ok(Cost { plies, wall: began.elapsed(), cpu: process_time().saturating_sub(cpu) })
}

struct Bare {
    child: Child,
    order: Vec<u8>,
    line: String,
    output: BufReader<std::process::ChildStdout>,
}

impl Bare {
    fn start(program: &Program) -> io::Result<Self> {
        let mut child = Command::new(&program.command)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no pipe"))?;
        let output = BufReader::new(output);
        Ok(Self { child, order: Vec::new(), line: String::new(), output })
    }

    fn ask(&mut self, position: &str) -> io::Result<String> {
        self.order.clear();
        self.order.extend_from_slice(position.as_bytes());
        self.order.extend_from_slice(b"\ngo nodes 1\n");
        let stdin = self.child.stdin.as_mut().ok_or_else(|| io::Error::other("no pipe"))?;
        stdin.write_all(&self.order)?;
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        let answer = self.line.trim_end().strip_prefix("bestmove ");
        answer.map(str::to_owned).ok_or_else(|| io::Error::other("no move"))
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // Its pipe closes with its end, which is what it waits for.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Time of a pair of the engine built in, and how much of it is search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsideCost {
    /// Half-moves played.
    pub plies: u64,
    /// All of it.
    pub whole: Duration,
    /// Inside the engine.
    pub search: Duration,
}

impl InsideCost {
    /// What is not search, as a share of the search.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        self.whole.saturating_sub(self.search).as_secs_f64() / self.search.as_secs_f64().max(1e-9)
    }
}

/// Pairs of xiangqi of the engine built in at so many nodes a move, in this process.
///
/// # Panics
/// The engine plays an illegal move, which its own tests exclude.
#[must_use]
pub fn inside_cost(nodes: u64, pairs: u64) -> InsideCost {
    let params = SearchParams::<Xiangqi>::default();
    let (mut one, mut other) = (Searcher::new(4), Searcher::new(4));
    let limit = GameLimit::new(Nodes(nodes), Ply(MOST_PLIES), 4096);
    let stop = AtomicBool::new(false);
    let mut cost = InsideCost { plies: 0, whole: Duration::ZERO, search: Duration::ZERO };
    let began = Instant::now();
    for index in 0..pairs {
        let mut candidate = Timed::new(EnginePlayer::new(&mut one, &params));
        let mut base = Timed::new(EnginePlayer::new(&mut other, &params));
        let opening = Xiangqi::start();
        let index = PairIndex(index);
        let pair = play_pair(index, &opening, &mut candidate, &mut base, &limit, &stop)
            .expect("the engine plays legal moves");
        if let Some(pair) = pair {
            cost.plies += pair.candidate_first.plies.0 + pair.base_first.plies.0;
        }
        cost.search += candidate.spent + base.spent;
    }
    cost.whole = began.elapsed();
    cost
}

/// A player whose thinking is timed.
struct Timed<P> {
    player: P,
    spent: Duration,
}

impl<P> Timed<P> {
    fn new(player: P) -> Self {
        Self { player, spent: Duration::ZERO }
    }

    fn timed<T>(&mut self, what: impl FnOnce(&mut P) -> T) -> T {
        let began = Instant::now();
        let done = what(&mut self.player);
        self.spent += began.elapsed();
        done
    }
}

impl<G: Game, P: Player<G>> Player<G> for Timed<P> {
    fn new_game(&mut self) {
        self.timed(P::new_game);
    }

    fn choose(&mut self, position: &mut G, nodes: Nodes, stop: &AtomicBool) -> Choice<G::Move> {
        self.timed(|player| player.choose(position, nodes, stop))
    }
}

/// Processor time of this process so far.
fn process_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}
