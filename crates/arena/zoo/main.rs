//! A zoo of engines for tests: each word on the command line is a habit, most of them bad.
//!
//! With no habit it is a good one: it speaks UCI, UCCI, USI or XBoard's protocol, whichever it is
//! greeted in, and always plays the first legal move.

use games::chess::Chess;
use games::{Game, MoveList, MoveText, shogi::Shogi, xiangqi::Xiangqi};
use std::io::{BufRead, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

fn main() {
    let habits: Vec<String> = std::env::args().skip(1).collect();
    let mut animal = Animal {
        habits,
        protocol: "uci",
        position: Position::Chess(Chess::start()),
        forced: true,
        child: None,
        thinking: false,
        was_ready: false,
    };
    animal.live();
}

struct Animal {
    habits: Vec<String>,
    protocol: &'static str,
    position: Position,
    /// XBoard: it moves only when it is told to.
    forced: bool,
    /// A process that it has started.
    child: Option<u32>,
    /// It has been asked for a move that it has not given.
    thinking: bool,
    /// It has said once that it is ready.
    was_ready: bool,
}

enum Position {
    Chess(Chess),
    Xiangqi(Xiangqi),
    Shogi(Shogi),
}

fn first<G: Game>(position: &G) -> Option<String> {
    let mut legal = MoveList::new();
    position.legal(&mut legal);
    legal.iter().min().map(|&mv| position.move_to_text(mv))
}

fn set<G: Game>(text: &str) -> Result<G, String> {
    let (from, moves) = text.split_once("moves").unwrap_or((text, ""));
    let (kind, fen) = from.trim().split_once(' ').unwrap_or((from.trim(), ""));
    let mut position = match kind {
        "startpos" => G::start(),
        _ => G::from_fen(fen).map_err(|error| error.to_string())?,
    };
    for text in moves.split_whitespace() {
        let mv = position.move_from_text(text).map_err(|error| error.to_string())?;
        position.make(mv);
    }
    Ok(position)
}

impl Animal {
    fn is(&self, habit: &str) -> bool {
        self.habits.iter().any(|known| known == habit)
    }

    fn say(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let end = if self.is("crlf") { "\r\n" } else { "\n" };
        let text = if self.is("tabs") { text.replace(' ', "\t ") } else { text.to_owned() };
        let text = if self.is("indented") { format!("  {text} ") } else { text };
        let _ = out.write_all(format!("{text}{end}").as_bytes());
        let _ = out.flush();
    }

    fn bytes(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes);
        let _ = out.flush();
    }

    fn live(&mut self) {
        if self.is("dies-in-startup") {
            eprintln!("cannot find my net");
            std::process::exit(7);
        }
        if self.is("banner") {
            self.say("My Engine 1.0 by me\n\nuciok? not yet\ninfo string warming up");
        }
        if self.is("early") {
            self.say(
                "readyok\nbestmove e2e4\ninfo depth 1 score cp 9000\noption name Ghost type check",
            );
        }
        if self.is("noisy") {
            eprintln!("{}", "noise ".repeat(40_000));
        }
        if self.is("has-a-child")
            && let Ok(child) = Command::new("sleep").arg("600").spawn()
        {
            self.child = Some(child.id());
        }
        if self.is("drowsy") {
            return self.doze();
        }
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if self.obey(line.trim()) {
                return;
            }
        }
        if self.is("never-leaves") {
            std::thread::sleep(Duration::from_secs(600));
        }
    }

    /// Of the lines that come at once it sleeps over all but the first, until more come.
    fn doze(&mut self) {
        let (mut input, mut asleep) = (std::io::stdin().lock(), String::new());
        loop {
            let Ok(chunk) = input.fill_buf() else { return };
            let read = chunk.len();
            let fresh = String::from_utf8_lossy(chunk).into_owned();
            input.consume(read);
            if read == 0 {
                return;
            }
            let (first, rest) = fresh.split_once('\n').unwrap_or((&fresh, ""));
            let woken = std::mem::replace(&mut asleep, rest.to_owned()) + first;
            if woken.lines().any(|line| self.obey(line.trim())) {
                return;
            }
        }
    }

    fn obey(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "uci" | "ucci" | "usi" => {
                if self.is("mute-at-startup") {
                    return false;
                }
                if self.is("slow") {
                    std::thread::sleep(Duration::from_millis(300));
                }
                self.say("id name Zoo");
                self.say("option name Hash type spin default 16 min 1 max 64");
                self.say("option name Clear Hash type button");
                self.say("option name Style type combo default Solid var Solid var Very Wild");
                self.say("option usemillisec type check default false");
                self.say("option garbled");
                if self.is("odd-options") {
                    self.say("option name NoBounds type spin default 3");
                    self.say("option name NoNumber type spin default some min 1 max 2");
                    self.say("option name Wide type spin default 0 min -9223372036854775808 max 9223372036854775807");
                    self.say(
                        "option name Wider type spin default 0 min 0 max 99999999999999999999999",
                    );
                    self.say("option name Empty type string default <empty>");
                    self.say("option name Nameless");
                    self.say("option name Kind type of its own default 1");
                    self.say("option type check default true");
                    self.say("option name  type  button");
                    self.say("option name Twice type check default true");
                    self.say("option name Twice type spin default 1 min 1 max 1");
                }
                self.protocol = match word {
                    "ucci" => "ucci",
                    "usi" => "usi",
                    _ => "uci",
                };
                match word {
                    "ucci" => self.position = Position::Xiangqi(Xiangqi::start()),
                    "usi" => self.position = Position::Shogi(Shogi::start()),
                    _ if self.is("xiangqi") => self.position = Position::Xiangqi(Xiangqi::start()),
                    _ => {}
                }
                self.say(&format!("{word}ok"));
            }
            "setoption" if self.is("picky") && rest != "name Hash value 32" => {
                eprintln!("unexpected option: {rest}");
                std::process::exit(9);
            }
            "isready" if self.is("dies-before-ready") => {
                eprintln!("cannot allocate my table");
                std::process::exit(6);
            }
            "isready" if self.is("never-ready") => {}
            "isready" if self.is("ready-once") && self.was_ready => {}
            // Many programs read nothing while they think.
            "isready" if self.is("deaf") && self.thinking => {}
            "isready" => {
                self.was_ready = true;
                self.say("readyok");
            }
            "position" => {
                let done = match &self.position {
                    Position::Chess(_) => set(rest).map(Position::Chess),
                    Position::Xiangqi(_) => set(rest).map(Position::Xiangqi),
                    Position::Shogi(_) => set(rest).map(Position::Shogi),
                };
                match done {
                    Ok(position) => self.position = position,
                    Err(error) => {
                        eprintln!("{error}");
                        std::process::exit(8);
                    }
                }
            }
            // GNU Chess under UCI.
            "go" if self.is("counts-no-nodes") && rest.starts_with("nodes") => {
                self.thinking = true;
            }
            "go" if self.protocol != "xboard" => {
                self.thinking = true;
                self.go();
            }
            "stop" if self.is("late") || self.is("deaf") || self.is("counts-no-nodes") => {
                self.thinking = false;
                self.answer();
            }
            "quit" => return !self.is("never-leaves"),
            "xboard" => self.protocol = "xboard",
            _ if self.protocol == "xboard" => self.obey_xboard(word, rest, line),
            _ => {}
        }
        false
    }

    fn obey_xboard(&mut self, word: &str, rest: &str, line: &str) {
        match word {
            "protover" if self.is("version-1") => {}
            "protover" => {
                self.say("feature done=0");
                let usermove = u8::from(!self.is("bare-moves"));
                let (san, edit) = (u8::from(self.is("san")), u8::from(!self.is("edits")));
                self.say(&format!("feature ping=1 setboard={edit} usermove={usermove} san={san}"));
                let name = if self.is("drowsy") { "GNU Chess" } else { "Zoo 1.0" };
                self.say(&format!(
                    "feature myname=\"{name}\" option=\"Temper -spin 1 0 9\" reuse=1"
                ));
                self.say("feature done=1");
            }
            "new" => (self.position, self.forced) = (Position::Chess(Chess::start()), true),
            "setboard" => {
                if let Ok(position) = Chess::from_fen(rest) {
                    self.position = Position::Chess(position);
                }
            }
            "ping" => self.say(&format!("pong {rest}")),
            "force" => self.forced = true,
            "go" => {
                self.forced = false;
                self.move_in_xboard();
            }
            "accepted" | "easy" | "post" | "level" | "st" | "sd" | "time" | "otim" | "result"
            | "option" | "?" => {}
            _ => {
                let text = if word == "usermove" { rest } else { line };
                let Position::Chess(position) = &mut self.position else { return };
                let coordinates = position.move_from_text(text);
                match coordinates.or_else(|_| position.read_move(text)) {
                    Ok(mv) => position.make(mv),
                    Err(_) => {
                        self.say(&format!("Illegal move: {text}"));
                        return;
                    }
                }
                if !self.forced {
                    self.move_in_xboard();
                }
            }
        }
    }

    fn move_in_xboard(&mut self) {
        let Position::Chess(position) = &mut self.position else { return };
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        let Some(&mv) = legal.iter().min() else { return };
        let text = if self.habits.iter().any(|habit| habit == "san") {
            position.write_move(mv)
        } else {
            position.move_to_text(mv)
        };
        position.make(mv);
        self.say("4 31 2 900 e2e4 e7e5");
        self.say(&format!("move {text}"));
    }

    fn go(&self) {
        if self.is("late") || self.is("deaf") || self.is("silent") {
            return;
        }
        if self.is("spams") {
            loop {
                self.say("info depth 1 score cp 1 nodes 1 pv a2a3");
            }
        }
        if self.is("spams-without-end") {
            loop {
                self.bytes(&[b'x'; 65_536]);
            }
        }
        if self.is("crashes") {
            match self.child {
                Some(child) => eprintln!("child {child}"),
                None => eprintln!("assertion failed: deep inside"),
            }
            std::process::exit(3);
        }
        if self.is("aborts") {
            std::process::abort();
        }
        #[cfg(unix)]
        for (habit, closed) in [("closes-output", "1>&-"), ("closes-input", "0<&-")] {
            if self.is(habit) {
                let script = format!("exec {closed}; exec sleep 600");
                let error = Command::new("sh").args(["-c", &script]).exec();
                panic!("no shell: {error}");
            }
        }
        if self.is("babbles") {
            self.bytes(b"\xff\xfe\0 garbage \x80\n");
            self.say("bestmovexyz e2e4");
            self.say("info score cp");
            self.say("info depth 99999999999999 nodes 99999999999999999999999 score cp 9e99 pv");
            self.bytes(&vec![b'y'; 1 << 20]);
            self.bytes(b"\n\n");
        }
        for (habit, answer) in [
            ("illegal", "bestmove e2e5"),
            ("none", "bestmove (none)"),
            ("null", "bestmove 0000"),
            ("empty", "bestmove"),
            ("resigns", "bestmove resign"),
            ("claims", "bestmove win"),
        ] {
            if self.is(habit) {
                return self.say(answer);
            }
        }
        match self.habits.iter().find_map(|habit| habit.strip_prefix("score=")) {
            _ if self.is("wordless") => {}
            Some(score) => self.say(&format!("info depth 3 score cp {score} nodes 1000 pv e2e4")),
            None => {
                self.say("info depth 3 multipv 1 score cp 17 nodes 1000 pv e2e4");
                for line in [2, 10, 11, 19] {
                    self.say(&format!(
                        "info depth 3 multipv {line} score cp -900 nodes 1000 pv a2a3"
                    ));
                }
                self.say("info depth 4 score cp 500 lowerbound nodes 1000 pv a2a3");
            }
        }
        self.answer();
        if self.is("leaves-after-its-move") {
            std::process::exit(0);
        }
    }

    fn answer(&self) {
        let best = match &self.position {
            Position::Chess(position) => first(position),
            Position::Xiangqi(position) => first(position),
            Position::Shogi(position) => first(position),
        };
        let best = best.unwrap_or_else(|| "(none)".to_owned());
        let best = if self.is("shouts") { best.to_ascii_uppercase() } else { best };
        if self.is("last-words") {
            self.bytes(format!("bestmove {best}").as_bytes());
            std::process::exit(0);
        }
        // In one write: what comes later than the next order cannot be told from its answer.
        let surplus = if self.is("surplus") { "\nbestmove a1a1\nreadyok" } else { "" };
        self.say(&format!("bestmove {best} ponder a1a1{surplus}"));
    }
}
