//! Looks a program over before it plays: does it keep to its protocol, does it answer alike when it is
//! asked alike, how fast is it.
//!
//! What a match would stumble over fails; what a match bears with but another runner may not is odd.

use super::notation;
use super::options::{EngineOption, OptionKind};
use super::process::Event;
use super::session::{Fault, Reply, Session, StartError, Tongue};
use super::speech::{self, Answer, Heard, Insight};
use super::uci::Uci;
use super::{Clock, Program, Protocol, SideLimit};
use crate::matchup::read_opening;
use games::MoveText;
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::{GameKind, printable};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long an answer may take that needs no thought.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Half-moves of each search where nodes cannot be limited.
const DEPTH: u32 = 4;

/// How long after `stop` a move may come without remark.
const AFTER_STOP: Duration = Duration::from_millis(500);

/// How long it thinks before it is spoken to.
const A_THOUGHT: Duration = Duration::from_millis(200);

/// The time for a move, and how much later it may come without remark.
const MOVE_TIME: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(50));

/// Most oddities of options that are told.
const MOST_TOLD: usize = 5;

/// How a point came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// A match can be played all the same.
    Odd,
    /// No match can rely on it.
    Failed,
}

/// One point that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Verdict {
    /// What was looked at: `handshake`, `options`, `moves`, …
    pub check: &'static str,
    /// How it came out.
    pub outcome: Outcome,
    /// What was seen.
    pub note: String,
}

/// What came of looking a program over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkup {
    /// What the program calls itself.
    pub name: String,
    /// Every point, in order; those after one that ends the conversation are missing.
    pub verdicts: Vec<Verdict>,
    /// What it has declared.
    pub options: Vec<EngineOption>,
    /// Of the searches that were limited by nodes, as it counts them itself.
    pub nodes_per_second: Option<u64>,
}

impl Checkup {
    /// The worst outcome.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.outcome != Outcome::Failed)
    }

    fn say(&mut self, check: &'static str, outcome: Outcome, note: impl Into<String>) {
        self.verdicts.push(Verdict { check, outcome, note: note.into() });
    }
}

/// The options that a program declares, and what it calls itself.
///
/// # Errors
/// It does not start.
pub fn declared(
    program: &Program,
    game: GameKind,
    stop: &AtomicBool,
) -> Result<(String, Vec<EngineOption>), StartError> {
    let session = Session::start(program, game, &SideLimit::default(), stop)?;
    let found = (session.name().to_owned(), session.options().to_vec());
    session.leave();
    Ok(found)
}

/// Looks a program over in these positions, with searches of so many nodes. An opening that is none
/// is left out; at least one should be good.
#[must_use]
pub fn check(
    program: &Program,
    game: GameKind,
    positions: &[String],
    nodes: u64,
    stop: &AtomicBool,
) -> Checkup {
    match game {
        GameKind::Xiangqi => look_over::<Xiangqi>(program, positions, nodes, stop),
        GameKind::Chess => look_over::<Chess>(program, positions, nodes, stop),
        GameKind::Shogi => look_over::<Shogi>(program, positions, nodes, stop),
        GameKind::Othello => look_over::<Othello>(program, positions, nodes, stop),
        GameKind::TicTacToe => look_over::<TicTacToe>(program, positions, nodes, stop),
    }
}

fn look_over<G: MoveText>(
    program: &Program,
    positions: &[String],
    nodes: u64,
    stop: &AtomicBool,
) -> Checkup {
    let mut checkup = Checkup::default();
    let limit = match program.protocol {
        // XBoard's protocol knows no limit of nodes.
        Protocol::Xboard => SideLimit { depth: Some(DEPTH), ..SideLimit::default() },
        _ => SideLimit { nodes: Some(nodes), ..SideLimit::default() },
    };
    let began = Instant::now();
    let session = match Session::start(program, G::KIND, &limit, stop) {
        Ok(session) => session,
        Err(error) => {
            checkup.say("handshake", Outcome::Failed, error.to_string());
            return checkup;
        }
    };
    checkup.name = session.name().to_owned();
    checkup.options = session.options().to_vec();
    let (outcome, name) = match session.name() {
        "" => (Outcome::Odd, "without a name"),
        name => (Outcome::Passed, name),
    };
    let note = format!("{name}, {:.0} ms", began.elapsed().as_secs_f64() * 1000.0);
    checkup.say("handshake", outcome, note);
    let positions: Vec<G> =
        positions.iter().filter_map(|text| read_opening::<G>(text).ok()).collect();
    let mut visit = Visit { session, checkup, limit, stop };
    visit.options(program.protocol);
    let talk = visit.searches(&positions, program).and_then(|()| {
        if program.protocol == Protocol::Xboard {
            return Ok(());
        }
        let position = positions.first().cloned().unwrap_or_else(G::start);
        visit.interruption(&position, program.protocol)?;
        visit.time(&position)
    });
    match talk {
        Ok(()) => visit.farewell(),
        Err(Silenced) => visit.checkup,
    }
}

fn words(fault: Fault) -> String {
    match fault {
        Fault::Gone(how) => how,
        Fault::Stalled => "does not answer".to_owned(),
        Fault::Unable(what) => what,
        Fault::Stopped => "stopped".to_owned(),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Move(text) => format!("the move `{text}`"),
        Answer::Resigns => "gives up".to_owned(),
        Answer::ClaimsWin => "claims a win".to_owned(),
        Answer::Nothing(what) => format!("no move (`{what}`)"),
    }
}

/// The conversation is over; the last verdict says why.
struct Silenced;

struct Visit<'a> {
    session: Session,
    checkup: Checkup,
    limit: SideLimit,
    stop: &'a AtomicBool,
}

impl Visit<'_> {
    /// Whether what it declares makes sense.
    fn options(&mut self, protocol: Protocol) {
        let options = self.session.options();
        let odd: Vec<String> = options.iter().filter_map(EngineOption::oddity).collect();
        let count = options.len();
        if odd.is_empty() {
            let tunable = options.iter().filter(|o| matches!(o.kind, OptionKind::Spin { .. }));
            let note = format!("{count} declared, {} of them numbers", tunable.count());
            let lacks = |name: &str| protocol == Protocol::Uci && self.session.find(name).is_none();
            let lacking: Vec<_> = ["Hash", "Threads"].into_iter().filter(|n| lacks(n)).collect();
            if lacking.is_empty() {
                self.checkup.say("options", Outcome::Passed, note);
            } else {
                let note = format!("{note}; no option {}", lacking.join(" and "));
                self.checkup.say("options", Outcome::Odd, note);
            }
        } else {
            let more = odd.len().saturating_sub(MOST_TOLD);
            let mut told = odd[..odd.len() - more].join("; ");
            if more > 0 {
                told.push_str(&format!("; and {more} more"));
            }
            self.checkup.say("options", Outcome::Odd, told);
        }
    }

    /// Every position twice: legal moves, the same ones, as many nodes as allowed, how fast.
    fn searches<G: MoveText>(
        &mut self,
        positions: &[G],
        program: &Program,
    ) -> Result<(), Silenced> {
        if self.limit.nodes.is_some()
            && let Some(position) = positions.first()
        {
            self.look_for_limit(position)?;
        }
        let clocks = [Clock::new(self.limit); 2];
        let wanted = self.limit.nodes;
        let (mut seen, mut spent, mut visited) = (Vec::new(), Duration::ZERO, 0);
        for _ in 0..2 {
            for position in positions {
                if let Err(fault) = self.session.new_game(position, &clocks, self.stop) {
                    self.checkup.say(
                        "moves",
                        Outcome::Failed,
                        format!("{}, before a game", words(fault)),
                    );
                    return Err(Silenced);
                }
                let reply = self.session.ask(&clocks, position.first_to_move(), self.stop);
                let (answer, insight, elapsed) = match reply {
                    Reply::Answered { answer, insight, elapsed } => (answer, insight, elapsed),
                    Reply::Late { elapsed } => {
                        let note = format!("no move after {:.0} s", elapsed.as_secs_f64());
                        self.checkup.say("moves", Outcome::Failed, note);
                        return Err(Silenced);
                    }
                    Reply::Failed(fault) => {
                        self.checkup.say("moves", Outcome::Failed, words(fault));
                        return Err(Silenced);
                    }
                };
                let Some(mv) = self.legal(position, &answer) else {
                    let note = format!("{} in {}", said(&answer), position.to_fen());
                    self.checkup.say("moves", Outcome::Failed, note);
                    return Err(Silenced);
                };
                spent += elapsed;
                visited += insight.nodes.unwrap_or(0);
                seen.push((position.move_to_text(mv), insight));
            }
        }
        self.checkup.say("moves", Outcome::Passed, format!("{} legal ones", seen.len()));
        self.judge_thoughts(&seen, wanted);
        self.judge_sameness(&seen, program);
        if visited > 0 {
            let speed = (visited as f64 / spent.as_secs_f64().max(1e-9)) as u64;
            self.checkup.nodes_per_second = Some(speed);
            let each = visited / seen.len().max(1) as u64;
            self.checkup.say("speed", Outcome::Passed, format!("{speed} nodes/s at {each} each"));
        }
        Ok(())
    }

    /// Whether it keeps to a limit of nodes. One that thinks on is asked by depth from then on: it can
    /// be played with, under every other limit.
    fn look_for_limit<G: MoveText>(&mut self, position: &G) -> Result<(), Silenced> {
        let clocks = [Clock::new(self.limit); 2];
        if let Err(fault) = self.session.new_game(position, &clocks, self.stop) {
            let note = format!("{}, before a game", words(fault));
            self.checkup.say("moves", Outcome::Failed, note);
            return Err(Silenced);
        }
        match self.session.ask(&clocks, position.first_to_move(), self.stop) {
            // What it answers is looked at with the others.
            Reply::Answered { .. } => Ok(()),
            Reply::Late { elapsed } => {
                let note = format!(
                    "knows no limit of nodes: thinks on for {:.0} s; limit it by depth or time \
                     (here depth {DEPTH})",
                    elapsed.as_secs_f64()
                );
                self.checkup.say("limits", Outcome::Odd, note);
                self.limit = SideLimit { depth: Some(DEPTH), ..SideLimit::default() };
                Ok(())
            }
            Reply::Failed(fault) => {
                self.checkup.say("moves", Outcome::Failed, words(fault));
                Err(Silenced)
            }
        }
    }

    /// What it says while it thinks.
    fn judge_thoughts(&mut self, seen: &[(String, Insight)], wanted: Option<u64>) {
        let most = seen.iter().filter_map(|(_, insight)| insight.nodes).max();
        let no_score = seen.iter().filter(|(_, insight)| insight.score.is_none()).count();
        match most {
            _ if no_score == seen.len() => {
                let note = "no scores: games cannot be adjudicated by them";
                self.checkup.say("thoughts", Outcome::Odd, note);
            }
            None => self.checkup.say("thoughts", Outcome::Odd, "scores, but no nodes"),
            Some(most) => {
                // Engines look at their counter every few thousand nodes.
                let is_over = |wanted: &u64| most > wanted.saturating_mul(2).max(wanted + 10_000);
                if let Some(wanted) = wanted.filter(is_over) {
                    let note = format!("{most} nodes where {wanted} were allowed");
                    self.checkup.say("thoughts", Outcome::Odd, note);
                } else {
                    let note = format!("scores and nodes, at most {most}");
                    self.checkup.say("thoughts", Outcome::Passed, note);
                }
            }
        }
    }

    fn judge_sameness(&mut self, seen: &[(String, Insight)], program: &Program) {
        let (first, again) = seen.split_at(seen.len() / 2);
        let differing =
            first.iter().zip(again).filter(|((a, x), (b, y))| (a, x.nodes) != (b, y.nodes));
        match differing.count() {
            0 => {
                let note = format!("{} searches twice, the same moves and nodes", first.len());
                self.checkup.say("determinism", Outcome::Passed, note);
            }
            count => {
                let asked = |(name, value): &(String, String)| {
                    name.eq_ignore_ascii_case("threads") && value != "1"
                };
                let why = if program.options.iter().any(asked) { "; it has threads" } else { "" };
                let note = format!("{count} of {} searches came out otherwise{why}", first.len());
                self.checkup.say("determinism", Outcome::Odd, note);
            }
        }
    }

    /// `isready` and `stop` while it thinks.
    fn interruption<G: MoveText>(
        &mut self,
        position: &G,
        protocol: Protocol,
    ) -> Result<(), Silenced> {
        let text = format!("{}\ngo infinite\n", notation::position(protocol, position));
        self.send(&text, "stop")?;
        if let Some(answer) = self.hear_move(A_THOUGHT) {
            let note = format!("{} without waiting for `stop`", said(&answer));
            self.checkup.say("stop", Outcome::Odd, note);
            return Ok(());
        }
        // UCCI's programs need not know it there.
        if protocol != Protocol::Ucci {
            self.send("isready\n", "ping")?;
            let mut early = None;
            let ready = self.listen(AT_ONCE, |line, protocol, insight| {
                if let Heard::Answer(answer) = speech::hear(protocol, line, insight) {
                    early = Some(answer);
                }
                line == b"readyok"
            });
            match (ready, early) {
                (Some(after), None) => {
                    let note = format!("ready while thinking after {:.1} ms", after * 1000.0);
                    self.checkup.say("ping", Outcome::Passed, note);
                }
                (Some(_), Some(_)) => {
                    self.checkup.say("ping", Outcome::Odd, "`isready` ends its search");
                    return Ok(());
                }
                (None, _) => {
                    let note = "does not answer `isready` while it thinks";
                    self.checkup.say("ping", Outcome::Odd, note);
                }
            }
        }
        self.send("stop\n", "stop")?;
        let began = Instant::now();
        match self.hear_move(AT_ONCE) {
            None => {
                self.checkup.say("stop", Outcome::Failed, "no move after `stop`");
                Err(Silenced)
            }
            Some(answer) => {
                let after = began.elapsed();
                let (outcome, what) = match self.legal(position, &answer) {
                    None => (Outcome::Failed, said(&answer)),
                    Some(_) if after > AFTER_STOP => (Outcome::Odd, "a move, late".to_owned()),
                    Some(_) => (Outcome::Passed, "a move".to_owned()),
                };
                let note = format!("{what}, after {:.1} ms", after.as_secs_f64() * 1000.0);
                self.checkup.say("stop", outcome, note);
                Ok(())
            }
        }
    }

    /// A move in a given time.
    fn time<G: MoveText>(&mut self, position: &G) -> Result<(), Silenced> {
        let (each, margin) = MOVE_TIME;
        let limit = SideLimit { movetime: Some(each), margin: AT_ONCE, ..SideLimit::default() };
        let clocks = [Clock::new(limit); 2];
        if let Err(fault) = self.session.new_game(position, &clocks, self.stop) {
            self.checkup.say("time", Outcome::Failed, format!("{}, before a game", words(fault)));
            return Err(Silenced);
        }
        match self.session.ask(&clocks, position.first_to_move(), self.stop) {
            Reply::Answered { elapsed, .. } => {
                let outcome = if elapsed > each + margin { Outcome::Odd } else { Outcome::Passed };
                let note = format!(
                    "{:.1} ms of {} allowed",
                    elapsed.as_secs_f64() * 1000.0,
                    each.as_millis()
                );
                self.checkup.say("time", outcome, note);
                Ok(())
            }
            Reply::Late { .. } => {
                self.checkup.say("time", Outcome::Failed, "no move in a given time");
                Ok(())
            }
            Reply::Failed(fault) => {
                self.checkup.say("time", Outcome::Failed, words(fault));
                Err(Silenced)
            }
        }
    }

    /// Whether it leaves when it is sent away.
    fn farewell(mut self) -> Checkup {
        let began = Instant::now();
        let (outcome, note) = if self.session.leave() {
            (Outcome::Passed, format!("after {:.0} ms", began.elapsed().as_secs_f64() * 1000.0))
        } else {
            (Outcome::Odd, "has to be killed after `quit`".to_owned())
        };
        self.checkup.say("quit", outcome, note);
        self.checkup
    }

    fn legal<G: MoveText>(&self, position: &G, answer: &Answer) -> Option<G::Move> {
        match answer {
            Answer::Move(text) => self.session.read(position, text),
            _ => None,
        }
    }

    fn send(&mut self, text: &str, check: &'static str) -> Result<(), Silenced> {
        let until = Instant::now() + AT_ONCE;
        self.session.process.write(text.as_bytes(), until).map_err(|event| {
            let note = match event {
                Event::Gone => printable(&self.session.process.bury(), 200),
                _ => "does not read what it is sent".to_owned(),
            };
            self.checkup.say(check, Outcome::Failed, note);
            Silenced
        })
    }

    /// Seconds until a line is the one; `None`: it did not come.
    fn listen(
        &mut self,
        within: Duration,
        mut is_it: impl FnMut(&[u8], Protocol, &mut Insight) -> bool,
    ) -> Option<f64> {
        let Tongue::Uci(Uci { protocol, .. }) = self.session.tongue else { return None };
        let (began, mut insight) = (Instant::now(), Insight::default());
        loop {
            while let Some(line) = self.session.process.lines.next() {
                if is_it(line, protocol, &mut insight) {
                    return Some(began.elapsed().as_secs_f64());
                }
            }
            match self.session.process.wait(began + within, self.stop) {
                Event::Heard => {}
                _ => return None,
            }
        }
    }

    fn hear_move(&mut self, within: Duration) -> Option<Answer> {
        let mut found = None;
        self.listen(within, |line, protocol, insight| {
            match speech::hear(protocol, line, insight) {
                Heard::Answer(answer) => found = Some(answer),
                Heard::Noise | Heard::Thought => {}
            }
            found.is_some()
        });
        found
    }
}
