//! A conversation in the Chess Engine Communication Protocol of XBoard, version 2 (T. Mann and
//! H. Muller), as far as a match of chess needs it.
//!
//! The program keeps the board itself: it is told the opponent's moves one by one and thinks on each.
//! Without `setboard` a position is set up by `edit`, which knows no rights to castle.

use super::lines::{first_word, words};
use super::notation::Notation;
use super::options::Options;
use super::session::{Start, StartError};
use super::speech::{Answer, Heard, Insight};
use super::uci::Part;
use super::xshogi;
use super::{Clock, Program, Protocol, SideLimit};
use games::MoveText;
use model::{GameKind, Score, printable};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// How long a program of version 1, which has no features, is waited for.
const NO_FEATURES: Duration = Duration::from_secs(2);

/// A line that changes nothing: thinking is to be shown.
const NUDGE: &str = "post\n";

/// How long a program is left alone between two nudges, before and in its games.
const NUDGE_AT_START: Duration = Duration::from_millis(200);
const NUDGE_IN_GAMES: Duration = Duration::from_millis(20);

/// What the program can do.
#[derive(Clone, Debug)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    reuse: bool,
    memory: bool,
    smp: bool,
    variants: Option<String>,
}

/// Those of a program that knows none.
const OLD: Features = Features {
    ping: false,
    setboard: false,
    usermove: false,
    time: false,
    reuse: true,
    memory: false,
    smp: false,
    variants: None,
};

/// What is known of the program and of the game that it plays.
pub(super) struct XBoard {
    pub(super) name: String,
    features: Features,
    notation: Notation,
    /// It may sleep over lines that it was sent, until it is sent another.
    is_drowsy: bool,
    /// It answers every move of the other side by one of its own.
    is_playing: bool,
    /// Moves that it has not been told yet.
    pending: Vec<String>,
    games: u32,
    /// It is GNU Shogi, whose protocol is older.
    is_xshogi: bool,
}

impl XBoard {
    /// Greets the program, reads its features and sets its options.
    pub(super) fn introduce(
        start: &mut Start<'_>,
        program: &Program,
        game: GameKind,
        limit: &SideLimit,
    ) -> Result<Self, StartError> {
        if game == GameKind::Shogi {
            let name = xshogi::introduce(start, limit)?;
            return Ok(Self {
                name,
                features: OLD,
                notation: Notation::default(),
                is_drowsy: false,
                is_playing: false,
                pending: Vec::new(),
                games: 0,
                is_xshogi: true,
            });
        }
        if game != GameKind::Chess {
            return Err(start.unable(format!(
                "speaks xboard, by which chess and shogi are played here, not {game}; let it speak \
                 uci, ucci or usi"
            )));
        }
        if limit.clock.is_none() && limit.movetime.is_none() && limit.depth.is_none() {
            return Err(start.unable(
                "speaks xboard, which knows no limit of nodes; give it a time \
                 or a depth",
            ));
        }
        start.say("xboard\nprotover 2\n")?;
        let mut features = Features { time: true, ..OLD };
        let (mut name, mut options, mut algebraic) = (String::new(), Options::default(), false);
        let mut accepted = String::new();
        // A program that has said `done=0` may take its time.
        let begun = Instant::now();
        let asks_for_time = std::cell::Cell::new(false);
        let is_done = std::cell::Cell::new(false);
        let mut hear = |word: &[u8], rest: &[u8]| {
            if word != b"feature" {
                return false;
            }
            for (feature, value) in settings(rest) {
                let on = value == "1";
                match feature.as_str() {
                    "done" => {
                        is_done.set(on);
                        asks_for_time.set(!on);
                        if on {
                            return true;
                        }
                    }
                    "ping" => features.ping = on,
                    "setboard" => features.setboard = on,
                    "usermove" => features.usermove = on,
                    "san" => algebraic = on,
                    "time" => features.time = on,
                    "reuse" => features.reuse = on,
                    "memory" => features.memory = on,
                    "smp" => features.smp = on,
                    "variants" => features.variants = Some(value),
                    "myname" => name = printable(&value, 100),
                    "option" => options.declare(Protocol::Xboard, value.as_bytes()),
                    _ => {}
                }
                let _ = writeln!(accepted, "accepted {}", printable(&feature, 40));
            }
            false
        };
        while !is_done.get() && (asks_for_time.get() || begun.elapsed() < NO_FEATURES) {
            let next = Instant::now() + NUDGE_AT_START;
            start.listen("feature done=1", &mut || Some(next), &mut hear)?;
            if !is_done.get() {
                start.say(NUDGE)?;
            }
        }
        let variants = features.variants.as_deref();
        if variants.is_some_and(|v| !v.split(',').any(|name| name.trim() == "normal")) {
            return Err(start.unable("does not play chess by its own account"));
        }
        start.say(&accepted)?;
        let is_named = |names: [&str; 2]| {
            let is_one = |name: &String| names.iter().any(|known| name.eq_ignore_ascii_case(known));
            program.options.iter().any(|(name, _)| is_one(name))
        };
        let mut usual = Vec::new();
        if let Some(mib) =
            program.hash_mib.filter(|_| features.memory && !is_named(["hash", "memory"]))
        {
            usual.push(("memory".to_owned(), mib.to_string()));
        }
        if let Some(n) = program.threads.filter(|_| features.smp && !is_named(["threads", "cores"]))
        {
            usual.push(("cores".to_owned(), n.to_string()));
        }
        let mut own = Vec::new();
        for (name, value) in usual.iter().chain(&program.options) {
            let command = match name.to_ascii_lowercase().as_str() {
                "hash" | "memory" if features.memory => "memory",
                "threads" | "cores" if features.smp => "cores",
                _ => {
                    own.push((name.clone(), value.clone()));
                    continue;
                }
            };
            let number: u32 = value.parse().map_err(|_| {
                start.unable(format!("takes a whole number as {}", printable(name, 40)))
            })?;
            start.say(&format!("{command} {number}\n"))?;
        }
        let rest = Program { options: own, hash_mib: None, threads: None, ..program.clone() };
        start.set_own(&options, Vec::new(), &rest)?;
        // GNU Chess 6.2 loses the signal that lines have come if it was just about to wait for one.
        let is_drowsy = name.starts_with("GNU Chess");
        Ok(Self {
            name,
            features,
            is_drowsy,
            notation: Notation { algebraic, ..Notation::default() },
            is_playing: false,
            pending: Vec::new(),
            games: 0,
            is_xshogi: false,
        })
    }

    /// What wakes the program, and how long it may be silent before.
    pub(super) fn nudge(&self) -> Option<(Duration, &'static str)> {
        self.is_drowsy.then_some((NUDGE_IN_GAMES, NUDGE))
    }

    pub(super) fn can_be_reused(&self) -> bool {
        self.features.reuse || self.games == 0
    }

    /// The texts that begin a game.
    pub(super) fn new_game<G: MoveText>(
        &mut self,
        opening: &G,
        clocks: &[Clock; 2],
    ) -> Result<Vec<Part>, String> {
        if self.is_xshogi {
            let text = xshogi::new_game(opening, &clocks[0])?;
            self.is_playing = false;
            self.pending.clear();
            self.games += 1;
            return Ok(vec![(text, None)]);
        }
        if opening.variant().is_some() {
            return Err("speaks xboard, by which Chess960 is not played here".to_owned());
        }
        let mut text = String::from("new\nforce\neasy\npost\n");
        text.push_str(&limits(&clocks[0]));
        let fen = opening.to_fen();
        if fen != G::start().to_fen() {
            if self.features.setboard {
                let _ = writeln!(text, "setboard {fen}");
            } else {
                text.push_str(&edit(&fen)?);
            }
        }
        self.is_playing = false;
        self.pending.clear();
        self.games += 1;
        if !self.features.ping {
            return Ok(vec![(text, None)]);
        }
        // The same number each time: what is waited for is a text that does not change.
        text.push_str("ping 1\n");
        Ok(vec![(text, Some("pong 1"))])
    }

    pub(super) fn note<G: MoveText>(&mut self, before: &G, mv: G::Move, is_own: bool) {
        if !is_own || !self.is_playing {
            let text = self.notation.write(before, mv);
            let command = if self.features.usermove { "usermove " } else { "" };
            self.pending.push(format!("{command}{text}\n"));
        }
    }

    pub(super) fn order(&mut self, order: &mut String, clocks: &[Clock; 2]) {
        let last = self.pending.pop();
        for text in self.pending.drain(..) {
            order.push_str(&text);
        }
        let told = last.unwrap_or_default();
        if !self.is_playing {
            order.push_str(&told);
        }
        if let (true, Some(own)) = (self.features.time, clocks[0].left()) {
            let centiseconds = |time: Duration| (time.as_millis() / 10).max(1);
            let other = clocks[1].left().unwrap_or(own);
            let _ = write!(order, "time {}\notim {}\n", centiseconds(own), centiseconds(other));
        }
        order.push_str(if self.is_playing { &told } else { "go\n" });
        self.is_playing = true;
    }

    pub(super) fn hear(&self, line: &[u8], insight: &mut Insight) -> Heard {
        if self.is_xshogi { xshogi::hear(line) } else { hear(line, insight) }
    }

    pub(super) fn read<G: MoveText>(&self, position: &G, text: &str) -> Option<G::Move> {
        self.notation.read(position, text).or_else(|| {
            // Castling in words is not coordinates, but many write it so.
            let castles = text.starts_with("O-O") || text.starts_with("0-0");
            castles.then(|| position.read_move(&text.replace('0', "O")).ok()).flatten()
        })
    }

    pub(super) fn game_over(&mut self, first_won: Option<bool>) -> Option<String> {
        self.is_playing = false;
        if self.is_xshogi {
            return Some("force\n".to_owned());
        }
        let result = match first_won {
            Some(true) => "1-0",
            Some(false) => "0-1",
            None => "1/2-1/2",
        };
        Some(format!("force\nresult {result} {{}}\n"))
    }
}

/// `level`, `st`, `sd`.
fn limits(clock: &Clock) -> String {
    let limit = clock.limit();
    let mut text = String::new();
    if let Some(control) = limit.clock {
        let seconds = control.base.as_secs_f64().ceil() as u64;
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        let _ = write!(text, "level {} {minutes}", control.moves.unwrap_or(0));
        if seconds > 0 {
            let _ = write!(text, ":{seconds:02}");
        }
        let _ = writeln!(text, " {}", control.increment.as_secs_f64());
    }
    if let Some(each) = limit.movetime {
        let _ = writeln!(text, "st {}", each.as_secs_f64());
    }
    if let Some(depth) = limit.depth {
        let _ = writeln!(text, "sd {depth}");
    }
    text
}

/// `NAME=VALUE NAME="a value" …`
fn settings(text: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(text).into_owned();
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name.trim().to_owned(), value.to_owned()));
        rest = next.trim_start();
    }
    found
}

/// A position square by square, for programs without `setboard`.
fn edit(fen: &str) -> Result<String, String> {
    let lacks = |what: &str| {
        Err(format!(
            "knows no setboard, and `edit` cannot give it {what} of the opening; use \
             another book or --engine … proto=uci"
        ))
    };
    let fields: Vec<_> = fen.split(' ').collect();
    let [board, side, castling, en_passant, ..] = fields[..] else {
        return lacks("the position");
    };
    if en_passant != "-" {
        return lacks("the en-passant capture");
    }
    let mut pieces = [Vec::new(), Vec::new()];
    for (row, rank) in board.split('/').zip((1..=8).rev()) {
        let mut file = b'a';
        for c in row.chars() {
            match c.to_digit(10) {
                Some(empty) => file += empty as u8,
                None => {
                    let piece = c.to_ascii_uppercase();
                    let square = format!("{piece}{}{rank}", char::from(file));
                    pieces[usize::from(c.is_ascii_lowercase())].push(square);
                    file += 1;
                }
            }
        }
    }
    // It takes kings and rooks at home to have their rights.
    for (rights, color, rank) in [("KQ", 0, 1), ("kq", 1, 8)] {
        let home = |piece: &str, file: &str| {
            let square = format!("{piece}{file}{rank}");
            pieces[color].contains(&square)
        };
        for (right, file) in rights.chars().zip(["h", "a"]) {
            if (home("K", "e") && home("R", file)) != castling.contains(right) {
                return lacks("the rights to castle");
            }
        }
    }
    // A move of White passes the turn to Black before the board is set up.
    let mut text = String::from(if side == "b" { "a2a3\nedit\n#\n" } else { "edit\n#\n" });
    for square in &pieces[0] {
        let _ = writeln!(text, "{square}");
    }
    text.push_str("c\n");
    for square in &pieces[1] {
        let _ = writeln!(text, "{square}");
    }
    text.push_str(".\n");
    Ok(text)
}

/// Reads a line that came while the program was to move.
fn hear(line: &[u8], insight: &mut Insight) -> Heard {
    let text = |bytes: &[u8]| printable(&String::from_utf8_lossy(bytes), 60);
    let (word, rest) = first_word(line);
    match word {
        b"move" => {
            let mv = words(rest).next().unwrap_or_default();
            Heard::Answer(match mv {
                b"" => Answer::Nothing("nothing after move".to_owned()),
                _ => Answer::Move(text(mv)),
            })
        }
        // Version 1: `My move is: e2e4`.
        b"My" | b"my" if rest.starts_with(b"move is") => {
            let mv = words(rest).last().unwrap_or_default();
            Heard::Answer(Answer::Move(text(mv)))
        }
        b"resign" => Heard::Answer(Answer::Resigns),
        b"Illegal" => Heard::Answer(Answer::Nothing(text(line))),
        _ if word.first().is_some_and(u8::is_ascii_digit) => thought(line, insight),
        _ => Heard::Noise,
    }
}

/// `DEPTH SCORE TIME NODES PV`, scores in centipawns, mates beyond 100000.
fn thought(line: &[u8], insight: &mut Insight) -> Heard {
    let numbers: Vec<i64> = words(line)
        .take(4)
        .map_while(|word| {
            let text = std::str::from_utf8(word).ok()?;
            text.trim_end_matches(['.', '&', '+', '-']).parse().ok()
        })
        .collect();
    let [depth, score, _, nodes] = numbers[..] else { return Heard::Noise };
    *insight = Insight {
        score: Some(Score(score.clamp(-30_000, 30_000) as i32)),
        depth: u32::try_from(depth).ok(),
        nodes: u64::try_from(nodes).ok(),
    };
    Heard::Thought
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_with_their_quotes() {
        let found =
            settings(b"ping=1 setboard=1 myname=\"A B 1.0\" option=\"X -spin 1 0 9\" done=1");
        let found: Vec<_> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let expected = [
            ("ping", "1"),
            ("setboard", "1"),
            ("myname", "A B 1.0"),
            ("option", "X -spin 1 0 9"),
            ("done", "1"),
        ];
        assert_eq!(found, expected);
        assert_eq!(settings(b"a=\"open"), [("a".to_owned(), "open".to_owned())]);
        assert_eq!(settings(b"nothing"), []);
    }

    #[test]
    fn answers_and_thoughts_are_told_apart() {
        let mut insight = Insight::default();
        let answer = |text: &str| Heard::Answer(Answer::Move(text.to_owned()));
        for (line, heard) in [
            ("move e7e8q", answer("e7e8q")),
            ("My move is: e2e4", answer("e2e4")),
            ("resign", Heard::Answer(Answer::Resigns)),
            ("1-0 {White mates}", Heard::Noise),
            ("tellics say hello", Heard::Noise),
            ("# move e2e4", Heard::Noise),
            ("9 -34 120 5000 e2e4 e7e5", Heard::Thought),
            ("10. 35 120 5000 e2e4", Heard::Thought),
            ("1. e2e4 e7e5", Heard::Noise),
        ] {
            assert_eq!(hear(line.as_bytes(), &mut insight), heard, "{line}");
        }
        assert_eq!((insight.score, insight.depth), (Some(Score(35)), Some(10)));
        let refused = hear(b"Illegal move: e2e4", &mut insight);
        assert!(matches!(refused, Heard::Answer(Answer::Nothing(_))));
    }

    #[test]
    fn a_board_is_edited_where_nothing_is_lost_by_it() {
        let text = edit("r3k2r/8/8/8/8/8/P7/4K2R b Kkq - 0 1").expect("rights as at home");
        assert_eq!(text, "a2a3\nedit\n#\nPa2\nKe1\nRh1\nc\nRa8\nKe8\nRh8\n.\n");
        for (fen, part) in [
            ("r3k2r/8/8/8/8/8/P7/4K2R w kq - 0 1", "rights to castle"),
            ("4k3/8/8/8/pP6/8/8/4K3 b - b3 0 1", "en-passant"),
        ] {
            let error = edit(fen).expect_err(fen);
            assert!(error.contains(part), "{error}");
        }
    }
}
