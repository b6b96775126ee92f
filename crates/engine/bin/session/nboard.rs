//! A conversation in the words of NBoard, the protocol of programs that show othello.
//!
//! Every answer belongs to the position of its time: `ping` and whatever changes the position end a
//! search that is under way, whose answer comes before theirs; other commands wait for it. What is wrong
//! with a line is said as `status`, which the other side shows.

use super::{Control, Next, Session};
use crate::board::{Board, Found, Task};
use engine::othello::{Solution, Solver};
use engine::protocol::nboard::{Command, Time, read};
use engine::{ClockState, Limits, StopSignal, TimeSource, mate_distance};
use games::othello::{Move, Othello, Record, Side, ggf};
use games::{Game, MoveError};
use model::{GameKind, Score};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Plies of a search as long as nobody has set them.
const DEPTH: u32 = 12;

/// With so many empty squares or fewer the end of the game is solved, whatever the depth.
const SOLVED: u32 = 18;

/// MiB of the solver's table.
const SOLVER_HASH: usize = 64;

/// The answer to `go` where there is no move, `PA` being the nearest thing to none.
pub(super) const NO_MOVE: &str = "=== PA";

/// What the other side has told.
pub(super) struct Talk {
    start: Othello,
    moves: Vec<Move>,
    position: Othello,
    depth: u32,
    /// Black's and White's; `None`: nothing was said.
    clocks: [Option<ClockState>; 2],
}

impl Talk {
    fn new() -> Self {
        let position = Othello::start();
        Self {
            start: position.clone(),
            moves: Vec::new(),
            position,
            depth: DEPTH,
            clocks: [None; 2],
        }
    }

    fn set_game(&mut self, record: Record) {
        self.position = record.end();
        self.start = record.start;
        self.moves = record.moves;
    }

    /// Makes a move, after a pass where that was left out.
    fn play(&mut self, text: &str, spent: Duration) -> Result<(), MoveError> {
        let mut position = self.position.clone();
        let mut made = Vec::new();
        let is_pass = Move::from_text(text) == Some(Move::PASS);
        if position.must_pass() && !is_pass {
            position.make(Move::PASS);
            made.push(Move::PASS);
        }
        let mover = position.side_to_move();
        let mv = position.move_from_text(text)?;
        position.make(mv);
        made.push(mv);
        self.position = position;
        self.moves.extend(made);
        if let Some(clock) = &mut self.clocks[mover as usize] {
            clock.remaining = clock.remaining.saturating_sub(spent) + clock.increment;
        }
        Ok(())
    }

    fn set_time(&mut self, time: &Time) {
        let side = if time.is_black { Side::Black } else { Side::White };
        let clock = self.clocks[side as usize].get_or_insert_default();
        clock.remaining = time.main.unwrap_or(clock.remaining);
        clock.increment = time.increment.unwrap_or(clock.increment);
        clock.byoyomi = time.byoyomi.unwrap_or(clock.byoyomi);
    }
}

impl Session {
    /// Follows a line, if NBoard is what is spoken or begins with it.
    pub(super) fn nboard(&mut self, line: &str) -> Option<Next> {
        let first = line.split_whitespace().next().unwrap_or_default();
        let leaves = matches!(first, "uci" | "ucci" | "usi");
        if leaves {
            self.nboard = None;
        }
        if leaves || (self.nboard.is_none() && first != "nboard") {
            return None;
        }
        let command = match read(line) {
            Ok(command) => command,
            Err(error) => {
                self.say_wrong(&error.to_string());
                return Some(Next::More);
            }
        };
        match command {
            Command::Nothing => {}
            Command::Hello(0) => self.nboard = None,
            Command::Hello(_) => {
                self.change_game(GameKind::Othello);
                self.nboard = Some(Talk::new());
                self.out.say("set myname Elomill");
            }
            Command::Quit => {
                self.end_work();
                return Some(Next::End);
            }
            Command::Ping(number) => {
                self.end_work();
                self.out.say(&format!("pong {number}"));
            }
            // A game that is over teaches nothing: there is no book.
            Command::Learn => {
                self.await_work();
                self.out.say("learned");
            }
            Command::Depth(depth) => {
                self.talk().depth = depth;
                self.out.say(&format!("set myname Elomill{depth}"));
            }
            Command::Time(time) => self.talk().set_time(&time),
            Command::Game(text) => {
                self.end_work();
                match ggf::read(text) {
                    Ok(game) => self.talk().set_game(game.record),
                    Err(error) => self.say_wrong(&format!("set game: {error}")),
                }
            }
            Command::Move { mv, spent } => {
                self.end_work();
                if let Err(error) = self.talk().play(mv, spent) {
                    self.say_wrong(&format!("move: {error}"));
                }
            }
            Command::Hint(lines) => self.think(lines, Wish::Values),
            Command::Go => self.think(1, Wish::Move),
            Command::Analyze => self.analyze(),
        }
        Some(Next::More)
    }

    fn talk(&mut self) -> &mut Talk {
        self.nboard.get_or_insert_with(Talk::new)
    }

    fn say_wrong(&self, error: &str) {
        self.out.say(&format!("status error: {error}"));
    }

    fn end_work(&mut self) {
        if let Some(work) = &self.work {
            work.control.end();
        }
        self.await_work();
    }

    fn think(&mut self, lines: usize, wish: Wish) {
        self.await_work();
        let overhead = self.options.overhead;
        let talk = self.talk();
        let (position, depth) = (talk.position.clone(), talk.depth);
        let clock = talk.clocks[position.side_to_move() as usize];
        let plan = clock.filter(|_| wish == Wish::Move).map(|clock| {
            self.board().plan(&ClockState { overhead, ..clock }, position.plies_made())
        });
        if position.result().is_some() {
            if wish == Wish::Move {
                self.out.say(NO_MOVE);
            }
            self.out.say("status The game is over");
            return;
        }
        let control = Arc::new(Control::default());
        control.watch.start();
        let (out, shared) = (self.out.clone(), Arc::clone(&control));
        out.say("status Elomill is thinking");
        self.begin(control, move |board| {
            let began = Instant::now();
            let mut stop = StopSignal::when(&shared.stop);
            if let Some(plan) = plan {
                stop = stop.or_by(&shared.watch as &dyn TimeSource, plan);
            }
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let task = Task { limits, lines, ..Task::default() };
            if let Err(error) = board.set_position(Some(&position.to_fen()), &[]) {
                out.say(&format!("status error: {error}"));
                return;
            }
            let mut value = None;
            let solves = lines == 1 && position.empties() <= SOLVED;
            let solved = if solves { solve(&position, &stop) } else { None };
            if let Some(Solution { score, best: Some(best), nodes }) = solved {
                let (best, seconds) = (best.to_string(), began.elapsed().as_secs_f64());
                out.say(&format!("nodestats {nodes} {seconds:.2}"));
                let value = f64::from(score);
                out.say(&format!("search {} {value:.2} 0 100%", spelled(&best)));
                if wish == Wish::Move {
                    out.say(&move_line(Some(&best), Some(Score(100 * score)), seconds));
                }
                out.say("status Elomill is waiting");
                return;
            }
            let answer = board.search(&task, &stop, &mut |found| {
                if found.line == 1 {
                    value = Some(found.score);
                    let seconds = began.elapsed().as_secs_f64();
                    out.say(&format!("nodestats {} {seconds:.2}", found.nodes.0));
                }
                out.say(&search_line(found));
            });
            if wish == Wish::Move {
                let seconds = began.elapsed().as_secs_f64();
                out.say(&move_line(answer.best.as_deref(), value, seconds));
            }
            out.say("status Elomill is waiting");
        });
    }

    /// The value of each position of the game as Black sees it, the last one first, since what was found
    /// out about the end helps before it.
    fn analyze(&mut self) {
        self.await_work();
        let talk = self.talk();
        let (mut position, moves, depth) = (talk.start.clone(), talk.moves.clone(), talk.depth);
        let mut positions = vec![position.clone()];
        for mv in moves {
            position.make(mv);
            positions.push(position.clone());
        }
        let control = Arc::new(Control::default());
        let (out, shared) = (self.out.clone(), Arc::clone(&control));
        out.say("status Elomill is analyzing");
        self.begin(control, move |board| {
            let stop = StopSignal::when(&shared.stop);
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let task = Task { limits, lines: 1, ..Task::default() };
            for (made, position) in positions.iter().enumerate().rev() {
                let value = value_of(board, position, &task, &stop);
                if shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                if let Some(value) = value {
                    out.say(&format!("analysis {made} {value:.2}"));
                }
            }
            out.say("status Elomill is waiting");
        });
    }
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    Move,
    Values,
}

fn solve(position: &Othello, stop: &StopSignal<'_>) -> Option<Solution> {
    Solver::new(SOLVER_HASH).solve(position, stop)
}

/// Discs that Black is ahead by.
fn value_of(
    board: &mut dyn Board,
    position: &Othello,
    task: &Task,
    stop: &StopSignal<'_>,
) -> Option<f64> {
    let for_black = |discs: f64| if position.first_to_move() { discs } else { -discs };
    if position.result().is_some() {
        return Some(for_black(f64::from(position.disc_difference())));
    }
    if position.empties() <= SOLVED {
        let solved = solve(position, stop)?;
        return Some(for_black(f64::from(solved.score)));
    }
    board.set_position(Some(&position.to_fen()), &[]).ok()?;
    let mut value = None;
    board.search(task, stop, &mut |found| value = Some(found.score));
    value.map(|score| for_black(discs(score)))
}

/// Discs for the side to move; a game that is won counts as won by one.
fn discs(score: Score) -> f64 {
    match mate_distance(score) {
        Some(plies) => f64::from(plies.signum()),
        None => f64::from(score.0) / 100.0,
    }
}

/// `search PV VALUE 0 DEPTH`.
fn search_line(found: &Found) -> String {
    let mut line = "search ".to_owned();
    for mv in &found.pv {
        line.push_str(&spelled(mv));
    }
    let _ = write!(line, " {:.2} 0 ", discs(found.score));
    match mate_distance(found.score) {
        // Who wins is certain, and by how much is not said.
        Some(_) => line.push_str("100%W"),
        None => {
            let _ = write!(line, "{}", found.depth);
        }
    }
    line
}

/// `=== MOVE/VALUE/SECONDS`.
fn move_line(best: Option<&str>, value: Option<Score>, seconds: f64) -> String {
    let Some(best) = best else { return NO_MOVE.to_owned() };
    let value = value.map(|score| format!("{:.2}", discs(score))).unwrap_or_default();
    format!("=== {}/{value}/{seconds:.2}", spelled(best))
}

/// A move as the protocol writes it: two letters.
fn spelled(mv: &str) -> String {
    if mv == "pass" { "PA".to_owned() } else { mv.to_ascii_uppercase() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::MATE;
    use model::Nodes;

    fn found(score: i32) -> Found {
        Found {
            depth: 9,
            selective_depth: 9,
            line: 1,
            score: Score(score),
            nodes: Nodes(7),
            table_permille: 0,
            pv: ["f5", "pass", "d6"].map(str::to_owned).to_vec(),
        }
    }

    #[test]
    fn lines_have_the_form_of_the_protocol() {
        assert_eq!(search_line(&found(-125)), "search F5PAD6 -1.25 0 9");
        assert_eq!(search_line(&found(MATE - 3)), "search F5PAD6 1.00 0 100%W");
        assert_eq!(move_line(Some("f5"), Some(Score(50)), 0.25), "=== F5/0.50/0.25");
        assert_eq!(move_line(Some("pass"), None, 0.0), "=== PA//0.00");
        assert_eq!(move_line(None, None, 0.0), NO_MOVE);
    }

    #[test]
    fn moves_take_time_from_the_clock_of_the_mover() {
        let ms = Duration::from_millis;
        let mut talk = Talk::new();
        talk.set_time(&Time {
            is_black: true,
            main: Some(ms(1000)),
            increment: Some(ms(10)),
            byoyomi: None,
        });
        assert!(talk.play("D3", ms(300)).is_ok() && talk.play("c3", ms(1)).is_ok());
        assert_eq!(talk.clocks[0].map(|clock| clock.remaining), Some(ms(710)));
        assert_eq!(talk.clocks[1], None);
        assert!(talk.play("a1", ms(0)).is_err());
        assert_eq!(talk.moves.len(), 2);
    }

    #[test]
    fn a_pass_may_be_left_out() {
        let mut talk = Talk::new();
        let board = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- O";
        talk.position = Othello::from_fen(board).expect("a position");
        assert!(talk.position.must_pass());
        assert!(talk.play("h8", Duration::ZERO).is_ok());
        assert_eq!(talk.moves.len(), 2);
    }
}
