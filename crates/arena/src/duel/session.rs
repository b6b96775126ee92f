//! One program at work: it is started, introduced, set up, given positions and asked for moves.
//!
//! Position and order go out in one write and nothing is asked beside them, so a move costs one round
//! trip. Its time runs from just before the write until its answer can be read.

use super::lines::first_word;
use super::options::{EngineOption, OptionError, Options};
use super::process::{Event, Process};
use super::speech::{Answer, Heard, Insight};
use super::uci::Uci;
use super::xboard::XBoard;
use super::{Clock, Program, Protocol, SideLimit};
use games::MoveText;
use model::{GameKind, printable};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long a program that is late may take to answer `stop` before it is killed.
const GRACE: Duration = Duration::from_millis(800);

/// How long one may take to leave when the match is over.
const FAREWELL: Duration = Duration::from_millis(1000);

/// A program that cannot be played with.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system does not start it.
    #[error("cannot start `{command}`: {source}")]
    Spawn {
        /// What was to be started.
        command: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It has ended before it was ready.
    #[error("`{command}` {how} before it was ready; it should speak {}", protocol.name())]
    Gone {
        /// What was started.
        command: String,
        /// The language that was tried.
        protocol: Protocol,
        /// How it ended.
        how: String,
    },
    /// It has not introduced itself in time.
    #[error(
        "`{command}` has not said `{awaited}` within {} s; is {} its protocol?",
        within.as_secs_f64(), protocol.name()
    )]
    Silent {
        /// What was started.
        command: String,
        /// The language that was tried.
        protocol: Protocol,
        /// What was waited for.
        awaited: &'static str,
        /// For how long.
        within: Duration,
    },
    /// An option cannot be set.
    #[error("`{command}`: {source}")]
    Option {
        /// What was started.
        command: String,
        /// Which option.
        #[source]
        source: OptionError,
    },
    /// It does not play what is asked.
    #[error("`{command}` {what}")]
    Unable {
        /// What was started.
        command: String,
        /// What it lacks, and the mend.
        what: String,
    },
    /// The caller's signal was raised.
    #[error("stopped")]
    Stopped,
}

/// Why a program fails in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is gone; how.
    Gone(String),
    /// It does not answer any more.
    Stalled,
    /// It lacks what this opening needs.
    Unable(String),
    /// The caller's signal was raised.
    Stopped,
}

/// What came of asking for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// An answer, in time or not.
    Answered { answer: Answer, insight: Insight, elapsed: Duration },
    /// None until the deadline; the program is alive and has answered `stop`.
    Late { elapsed: Duration },
    /// None at all, or no program any more.
    Failed(Fault),
}

/// How a program is talked to.
pub(super) enum Tongue {
    Uci(Uci),
    XBoard(XBoard),
}

/// A program that has introduced itself.
pub(super) struct Session {
    pub(super) process: Process,
    pub(super) tongue: Tongue,
    patience: Duration,
    /// Reused for every order.
    order: String,
    /// What the program is told before its next game.
    preface: String,
    /// It has answered at least one game's `isready`.
    is_proven: bool,
    start_within: Duration,
}

impl Session {
    /// Starts a program, learns its options and sets those that are wanted.
    ///
    /// # Errors
    /// It does not start, does not introduce itself in time, or lacks something.
    pub(super) fn start(
        program: &Program,
        game: GameKind,
        limit: &SideLimit,
        stop: &AtomicBool,
    ) -> Result<Self, StartError> {
        let command = printable(&program.command.to_string_lossy(), 200);
        let process = Process::start(program)
            .map_err(|source| StartError::Spawn { command: command.clone(), source })?;
        let mut start = Start {
            process,
            command,
            protocol: program.protocol,
            within: program.start_within,
            deadline: Instant::now() + program.start_within,
            stop,
        };
        let tongue = match program.protocol {
            Protocol::Xboard => {
                Tongue::XBoard(XBoard::introduce(&mut start, program, game, limit)?)
            }
            _ => Tongue::Uci(Uci::introduce(&mut start, program, game, limit)?),
        };
        Ok(Self {
            process: start.process,
            tongue,
            patience: program.patience,
            order: String::new(),
            preface: String::new(),
            is_proven: false,
            start_within: program.start_within,
        })
    }

    /// Whether it has ever been ready for a game.
    pub(super) fn is_proven(&self) -> bool {
        self.is_proven
    }

    /// What the program calls itself.
    pub(super) fn name(&self) -> &str {
        match &self.tongue {
            Tongue::Uci(uci) => &uci.name,
            Tongue::XBoard(xboard) => &xboard.name,
        }
    }

    /// What it has declared; XBoard's programs are not asked again.
    pub(super) fn options(&self) -> &[EngineOption] {
        match &self.tongue {
            Tongue::Uci(uci) => uci.options.all(),
            Tongue::XBoard(_) => &[],
        }
    }

    /// The option of a name, whatever its case.
    pub(super) fn find(&self, name: &str) -> Option<&EngineOption> {
        self.options().iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Sets numbers by name, with the next game.
    ///
    /// # Errors
    /// The program has no such option, or no such value of it; nothing is set.
    pub(super) fn set_numbers(&mut self, numbers: &[(String, f64)]) -> Result<(), OptionError> {
        let Tongue::Uci(uci) = &self.tongue else { return Ok(()) };
        let mut text = String::new();
        for (name, number) in numbers {
            let value = uci.options.text_of(name, *number)?;
            text.push_str(&uci.options.line(uci.protocol, name, &value)?);
        }
        self.preface.push_str(&text);
        Ok(())
    }

    /// Waits so long for moves without a limit of time from now on.
    pub(super) fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Whether the program has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.await_end(Duration::ZERO)
    }

    /// Whether it must not be used for another game.
    pub(super) fn is_spent(&self) -> bool {
        matches!(&self.tongue, Tongue::XBoard(xboard) if !xboard.can_be_reused())
    }

    /// Sets up a game. The program says that it is ready within the time of a move and a second; the
    /// first time, when it may have much to load, within the time of its start.
    pub(super) fn new_game<G: MoveText>(
        &mut self,
        opening: &G,
        clocks: &[Clock; 2],
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        let budget = clocks[0].budget().map_or(self.patience, |budget| {
            budget + clocks[0].limit().margin + Duration::from_secs(1)
        });
        let within = if self.is_proven { budget } else { self.start_within };
        let deadline = Instant::now() + within;
        let mut parts = match &mut self.tongue {
            Tongue::Uci(uci) => uci.new_game(opening).map_err(Fault::Unable)?,
            Tongue::XBoard(xboard) => xboard.new_game(opening, clocks).map_err(Fault::Unable)?,
        };
        if !self.preface.is_empty() {
            parts.insert(0, (std::mem::take(&mut self.preface), None));
        }
        for (text, awaited) in parts {
            if let Err(event) = self.process.write(text.as_bytes(), deadline) {
                return Err(self.fault(event));
            }
            let Some(awaited) = awaited else { continue };
            loop {
                let mut is_ready = false;
                while let Some(line) = self.process.lines.next() {
                    if line == awaited.as_bytes() {
                        is_ready = true;
                        break;
                    }
                }
                if is_ready {
                    break;
                }
                match self.wait(deadline, stop) {
                    Event::Heard => {}
                    event => return Err(self.fault(event)),
                }
            }
        }
        self.is_proven = true;
        Ok(())
    }

    /// Takes note of a move that was made, by whomever.
    pub(super) fn note<G: MoveText>(&mut self, before: &G, mv: G::Move, is_own: bool) {
        match &mut self.tongue {
            Tongue::Uci(uci) => uci.note(before, mv),
            Tongue::XBoard(xboard) => xboard.note(before, mv, is_own),
        }
    }

    /// The legal move that a text of the program means.
    pub(super) fn read<G: MoveText>(&self, position: &G, text: &str) -> Option<G::Move> {
        match &self.tongue {
            Tongue::Uci(uci) => uci.read(position, text),
            Tongue::XBoard(xboard) => xboard.read(position, text),
        }
    }

    /// Asks for a move. `clocks[0]` is the program's own.
    pub(super) fn ask(
        &mut self,
        clocks: &[Clock; 2],
        first_to_move: bool,
        stop: &AtomicBool,
    ) -> Reply {
        let budget = clocks[0].budget();
        let allowed = budget.map_or(self.patience, |budget| budget + clocks[0].limit().margin);
        self.process.forget();
        self.order.clear();
        match &mut self.tongue {
            Tongue::Uci(uci) => uci.order(&mut self.order, clocks, first_to_move),
            Tongue::XBoard(xboard) => xboard.order(&mut self.order, clocks),
        }
        let began = Instant::now();
        let deadline = began + allowed;
        if let Err(event) = self.process.write(self.order.as_bytes(), deadline) {
            return match event {
                Event::Late => self.after_the_deadline(began, stop),
                event => Reply::Failed(self.fault(event)),
            };
        }
        let mut insight = Insight::default();
        match self.listen(&mut insight, deadline, stop) {
            Ok(answer) => Reply::Answered { answer, insight, elapsed: began.elapsed() },
            Err(Event::Late) => self.after_the_deadline(began, stop),
            Err(event) => Reply::Failed(self.fault(event)),
        }
    }

    /// Reads until the answer.
    fn listen(
        &mut self,
        insight: &mut Insight,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Answer, Event> {
        loop {
            while let Some(line) = self.process.lines.next() {
                let heard = match &self.tongue {
                    Tongue::Uci(uci) => uci.hear(line, insight),
                    Tongue::XBoard(xboard) => xboard.hear(line, insight),
                };
                if let Heard::Answer(answer) = heard {
                    return Ok(answer);
                }
            }
            match self.wait(deadline, stop) {
                Event::Heard => {}
                event => return Err(event),
            }
        }
    }

    /// Waits for the program to say something; one that sleeps over its lines is nudged meanwhile.
    fn wait(&mut self, deadline: Instant, stop: &AtomicBool) -> Event {
        let nudge = match &self.tongue {
            Tongue::Uci(_) => None,
            Tongue::XBoard(xboard) => xboard.nudge(),
        };
        let Some((pause, text)) = nudge else { return self.process.wait(deadline, stop) };
        loop {
            let until = deadline.min(Instant::now() + pause);
            match self.process.wait(until, stop) {
                Event::Late if until < deadline => {
                    if let Err(event) = self.process.write(text.as_bytes(), deadline) {
                        return event;
                    }
                }
                event => return event,
            }
        }
    }

    /// The verdict is given; what is left to find out is whether the program can go on.
    fn after_the_deadline(&mut self, began: Instant, stop: &AtomicBool) -> Reply {
        let elapsed = began.elapsed();
        let deadline = Instant::now() + GRACE;
        let halt: &[u8] = match self.tongue {
            Tongue::Uci(_) => b"stop\n",
            Tongue::XBoard(_) => b"?\n",
        };
        let _ = self.process.write(halt, deadline);
        match self.listen(&mut Insight::default(), deadline, stop) {
            Ok(_) => Reply::Late { elapsed },
            Err(event) => Reply::Failed(self.fault(event)),
        }
    }

    fn fault(&mut self, event: Event) -> Fault {
        match event {
            Event::Gone => Fault::Gone(self.process.bury()),
            Event::Stopped => Fault::Stopped,
            Event::Late | Event::Heard => Fault::Stalled,
        }
    }

    /// Tells how the game ended, from the program's own view: 2 won, 1 drawn, 0 lost.
    pub(super) fn game_over(&mut self, half_points: u8, first_won: Option<bool>) {
        let text = match &mut self.tongue {
            Tongue::Uci(uci) => uci.game_over(half_points),
            Tongue::XBoard(xboard) => xboard.game_over(first_won),
        };
        if let Some(text) = text {
            let _ = self.process.write(text.as_bytes(), Instant::now() + GRACE);
        }
    }

    /// Sends it away, with a second to leave by itself; whether it did.
    pub(super) fn leave(mut self) -> bool {
        self.process.dismiss(b"quit\n");
        self.process.await_end(FAREWELL)
    }
}

/// A program that is being introduced.
pub(super) struct Start<'a> {
    pub(super) process: Process,
    pub(super) command: String,
    pub(super) protocol: Protocol,
    within: Duration,
    deadline: Instant,
    stop: &'a AtomicBool,
}

impl Start<'_> {
    pub(super) fn say(&mut self, text: &str) -> Result<(), StartError> {
        let done = self.process.write(text.as_bytes(), self.deadline);
        done.map_err(|event| self.error(event, "anything"))
    }

    /// Hands every line to `hear` until it has heard enough or `patience`, if there is one, has
    /// passed.
    pub(super) fn listen(
        &mut self,
        awaited: &'static str,
        patience: &mut dyn FnMut() -> Option<Instant>,
        hear: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StartError> {
        loop {
            while let Some(line) = self.process.lines.next() {
                let (word, rest) = first_word(line);
                if hear(word, rest) {
                    return Ok(());
                }
            }
            let until = patience();
            let deadline = until.map_or(self.deadline, |until| until.min(self.deadline));
            match self.process.wait(deadline, self.stop) {
                Event::Heard => {}
                Event::Late if until.is_some_and(|until| until < self.deadline) => return Ok(()),
                event => return Err(self.error(event, awaited)),
            }
        }
    }

    pub(super) fn unable(&self, what: impl Into<String>) -> StartError {
        StartError::Unable { command: self.command.clone(), what: what.into() }
    }

    /// Sets options that the match needs, then the program's own.
    pub(super) fn set_own(
        &mut self,
        options: &Options,
        mut needed: Vec<(String, String)>,
        program: &Program,
    ) -> Result<(), StartError> {
        let own = options.wanted(program);
        let command = || self.command.clone();
        needed.extend(own.map_err(|source| StartError::Option { command: command(), source })?);
        self.set(options, &needed)
    }

    /// Sets the wanted options.
    pub(super) fn set(
        &mut self,
        options: &Options,
        wanted: &[(String, String)],
    ) -> Result<(), StartError> {
        let mut text = String::new();
        for (name, value) in wanted {
            let line = options
                .line(self.protocol, name, value)
                .map_err(|source| StartError::Option { command: self.command.clone(), source })?;
            text.push_str(&line);
        }
        self.say(&text)
    }

    fn error(&mut self, event: Event, awaited: &'static str) -> StartError {
        let (command, protocol) = (self.command.clone(), self.protocol);
        match event {
            Event::Stopped => StartError::Stopped,
            Event::Gone => StartError::Gone { command, protocol, how: self.process.bury() },
            Event::Late | Event::Heard => {
                StartError::Silent { command, protocol, awaited, within: self.within }
            }
        }
    }
}
