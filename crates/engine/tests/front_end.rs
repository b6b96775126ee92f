//! The engine's program as other programs meet it: a real process, spoken to over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Long enough for the slowest machine; nothing here is judged by the time that it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The engine's process.
struct Engine {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<String>,
}

impl Engine {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_elomill-engine"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, from) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { to: child.stdin.take(), child, from }
    }

    fn say(&mut self, line: &[u8]) {
        let to = self.to.as_mut().expect("the pipe is open");
        to.write_all(line).and_then(|()| to.write_all(b"\n")).expect("the engine listens");
        to.flush().expect("the engine listens");
    }

    /// The lines up to the first that begins so, it included.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self
                .from
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|e| panic!("no `{start}` ({e}) after {lines:#?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    fn ask(&mut self, line: &str, answer: &str) -> Vec<String> {
        self.say(line.as_bytes());
        self.until(answer)
    }

    fn end(mut self) -> (Vec<String>, bool) {
        self.say(b"quit");
        self.hang_up()
    }

    /// Closes its input; gives what it still says and whether it ended well.
    fn hang_up(mut self) -> (Vec<String>, bool) {
        self.to = None;
        let rest: Vec<_> = self.from.iter().collect();
        (rest, self.child.wait().expect("the program ends").success())
    }
}

#[test]
fn a_game_by_uci() {
    let mut engine = Engine::start(&[]);
    let hello = engine.ask("uci", "uciok");
    assert!(hello[0].starts_with("id name Elomill "), "{hello:?}");
    assert!(hello.iter().any(|l| l == "option name Hash type spin default 16 min 1 max 65536"));
    engine.ask("setoption name Hash value 4\nisready", "readyok");
    engine.say(b"ucinewgame\nposition startpos moves h2e2");
    let lines = engine.ask("go depth 4", "bestmove ");
    assert_eq!(lines.iter().filter(|line| line.starts_with("info depth ")).count(), 4);
    assert!(lines[3].contains(" score cp ") && lines[3].contains(" pv "), "{lines:?}");
    // The same question has the same answer once everything is forgotten.
    let nodes = |lines: &[String]| {
        let words: Vec<_> = lines[lines.len() - 2].split(' ').map(str::to_owned).collect();
        words[words.iter().position(|word| word == "nodes").expect("nodes") + 1].clone()
    };
    engine.say(b"ucinewgame");
    let again = engine.ask("go depth 4", "bestmove ");
    assert_eq!((nodes(&again), again.last()), (nodes(&lines), lines.last()));
    assert_eq!(engine.end(), (vec![], true));
}

/// The commonest complaint about engines with networks is one that dies without its file.
#[test]
fn a_network_that_cannot_be_read_is_named_and_changes_nothing() {
    let folder = std::env::temp_dir().join(format!("elomill-evalfile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let damaged = folder.join("damaged.net");
    std::fs::write(&damaged, b"elo-net\0\x01\0\x01\x01 and no more").expect("a file");
    let other = folder.join("other.net");
    std::fs::write(&other, b"PK").expect("a file");
    let mut engine = Engine::start(&[]);
    let hello = engine.ask("uci", "uciok");
    assert!(hello.iter().any(|line| line == "option name EvalFile type string default <empty>"));
    let before = engine.ask("eval", "evaluation ");
    for (path, part) in [
        (folder.join("missing.net"), "missing.net: "),
        (damaged, "bytes; a network of its shape has"),
        (other, "this is no network of Elomill"),
    ] {
        engine.say(format!("setoption name EvalFile value {}", path.display()).as_bytes());
        let said = engine.ask("isready", "readyok").join("\n");
        assert!(said.contains("option EvalFile: ") && said.contains(part), "{said}");
        assert!(said.contains("the evaluation stays as it was"), "{said}");
        assert_eq!(engine.ask("eval", "evaluation "), before);
    }
    engine.ask("go depth 3", "bestmove ");
    assert_eq!(engine.end(), (vec![], true));
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn an_infinite_search_answers_when_it_is_stopped_and_not_before() {
    let mut engine = Engine::start(&[]);
    engine.say(b"go infinite");
    engine.until("info depth 3");
    let words = engine.ask("isready", "readyok");
    assert!(words.iter().all(|line| !line.starts_with("bestmove")), "{words:?}");
    engine.ask("stop", "bestmove ");
    // Thinking on the other side's time, until its move has come.
    engine.say(b"position startpos moves h2e2 h9g7");
    engine.say(b"go ponder wtime 300 btime 300");
    engine.until("info depth 3");
    assert!(engine.ask("isready", "readyok").iter().all(|line| !line.starts_with("bestmove")));
    engine.ask("ponderhit", "bestmove ");
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn the_search_goes_on_to_its_end_when_the_input_ends() {
    let mut engine = Engine::start(&[]);
    engine.say(b"go depth 5");
    let (lines, well) = engine.hang_up();
    assert!(well && lines.iter().any(|line| line.starts_with("info depth 5 ")), "{lines:?}");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
    let mut engine = Engine::start(&[]);
    engine.say(b"go infinite");
    let (lines, well) = engine.hang_up();
    assert!(well && lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
}

#[test]
fn xiangqi_by_ucci() {
    let mut engine = Engine::start(&["--game", "tictactoe"]);
    let hello = engine.ask("ucci", "ucciok");
    assert!(hello.iter().any(|line| line == "option usemillisec type check default false"));
    engine.say(b"setoption hashsize 4\nsetoption usemillisec true");
    engine.say(b"position fen 4k4/9/9/9/9/9/9/9/9/1R1K5 w - - 0 1");
    let lines = engine.ask("go time 1000 increment 10", "bestmove ");
    assert!(lines[0].starts_with("info depth 1 score "), "{lines:?}");
    // All of the king's moves but one are forbidden.
    engine.say(b"position fen 4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1");
    engine.say(b"banmoves d0d1");
    assert_eq!(engine.ask("go depth 3", "nobestmove"), ["nobestmove"]);
    assert_eq!(engine.end(), (vec!["bye".to_owned()], true));
}

#[test]
fn what_is_wrong_is_said_and_nothing_breaks() {
    let mut engine = Engine::start(&[]);
    for (line, part) in [
        ("position fen 9/9 w", "board"),
        ("position startpos moves h2e2 h2e2", "move 2: move `h2e2` is not legal here"),
        ("setoption name Hash value -1", "allowed: a whole number from 1 to 65536"),
        ("setoption name rfp_depth value 2.5", "a whole number from 0"),
        ("setoption name UCI_Variant value go", "unknown game `go`"),
        ("go depth x", "found `depth x`"),
        ("quux", "unknown command `quux`"),
    ] {
        let said = engine.ask(line, "info string error: ").pop().expect("a line");
        assert!(said.contains(part), "{line}: {said}");
    }
    // Without a position there is nothing to answer, but an answer there is.
    engine.ask("go depth 1", "bestmove (none)");
    engine.ask("position startpos\ngo depth 1", "bestmove ");
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn no_order_of_commands_and_no_bytes_end_it() {
    let lines: [&[u8]; 20] = [
        b"uci",
        b"ucci",
        b"stop",
        b"stop",
        b"ponderhit",
        b"ucinewgame",
        b"go infinite",
        b"go depth 2",
        b"go ponder depth 2",
        b"go nodes 100",
        b"position startpos moves h2e2",
        b"position startpos",
        b"position fen",
        b"setoption name Hash value 1",
        b"go movetime 1",
        b"isready",
        b"eval",
        b"d",
        b"\xff\xfe\0\x1b[2J",
        b"go searchmoves h2e2 zz depth 2",
    ];
    let mut engine = Engine::start(&[]);
    // A linear congruential sequence: the same orders on every machine.
    let mut state = 1u32;
    for round in 0..400 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        engine.say(lines[(state >> 16) as usize % lines.len()]);
        if round % 20 == 0 {
            engine.ask("isready", "readyok");
        }
    }
    engine.say(&[b'x'; 3 << 20]);
    engine.ask("isready", "readyok");
    assert!(engine.end().1);
}

#[test]
fn one_command_can_stand_on_the_command_line() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_elomill-engine"))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = run(&["perft", "3"]);
    assert!(code == Some(0) && text.contains("nodes 79666 "), "{text}");
    let (code, text) = run(&["--game", "tictactoe", "bench"]);
    assert!(code == Some(0) && text.contains(" nodes "), "{text}");
    assert_eq!(run(&["--game", "go"]).0, Some(2));
    assert_eq!(run(&["--frobnicate"]).0, Some(2));
    assert!(run(&["--help"]).1.contains("Usage: elomill-engine"));
}

#[test]
fn castling_is_written_as_the_options_say() {
    let mut engine = Engine::start(&["--game", "chess"]);
    let castles = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (setting, text) in [("false", "e1g1"), ("true", "e1h1"), ("false", "e1g1")] {
        engine.say(format!("setoption name UCI_Chess960 value {setting}\n{castles}").as_bytes());
        // Both ways are read; the answer comes in the one that is set.
        for asked in ["e1g1", "e1h1"] {
            let answer = engine.ask(&format!("go depth 1 searchmoves {asked}"), "bestmove ");
            let best = answer.last().and_then(|line| line.split(' ').nth(1));
            assert_eq!(best, Some(text), "{setting} {asked}");
        }
    }
    engine.ask("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1\ngo depth 1", "bestmove ");
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn shogi_by_usi_and_chess_by_a_variant() {
    let mut engine = Engine::start(&[]);
    engine.ask("usi", "usiok");
    engine.say(b"usinewgame\nposition startpos moves 7g7f 3c3d");
    let answer = engine.ask("go btime 1000 wtime 1000 byoyomi 50", "bestmove ");
    let best = answer.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
    assert!(best.len() == 4 || best.len() == 5, "{best}");
    engine.ask("uci", "uciok");
    engine.say(b"setoption name UCI_Variant value chess");
    let answer = engine.ask("position startpos moves e2e4\ngo depth 2", "bestmove ");
    assert!(!answer.iter().any(|line| line.contains("error")), "{answer:?}");
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn mate_problems_and_claims_of_shogi() {
    let mut engine = Engine::start(&[]);
    engine.ask("usi", "usiok");
    engine.say(b"position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    assert_eq!(engine.ask("go mate infinite", "checkmate"), ["checkmate G*5b"]);
    assert_eq!(engine.ask("go mate 60000", "checkmate"), ["checkmate G*5b"]);
    engine.say(b"position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1");
    assert_eq!(engine.ask("go mate infinite", "checkmate"), ["checkmate nomate"]);
    engine.say(b"position startpos moves 7g7f");
    assert_eq!(engine.ask("go mate infinite", "checkmate"), ["checkmate nomate"]);
    // A dragon gives check for ever; nothing but `stop` ends that.
    engine.say(b"position sfen 4k4/9/9/9/9/9/9/+R8/4K4 b - 1");
    assert_eq!(engine.ask("go mate infinite\nstop", "checkmate"), ["checkmate timeout"]);
    assert_eq!(engine.ask("go mate nodes 500\nstop", "checkmate"), ["checkmate timeout"]);
    // King and ten pieces in the camp, with 28 points: Black claims the game.
    engine.say(b"position sfen 1+R1+R1K3/+P+P+P+P+P+P3/2+B+B5/9/9/9/9/9/4k4 b GS 1");
    assert_eq!(engine.ask("go nodes 100", "bestmove"), ["bestmove win"]);
    assert_eq!(engine.end(), (vec![], true));
}

/// The first moves of a game, as a program that shows games sends them.
const GAME: &str = "set game (;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 \
    ---------------------------O*------*O--------------------------- *]B[F5]W[F6]B[D3]W[C5];)";

#[test]
fn othello_by_nboard() {
    let mut engine = Engine::start(&[]);
    assert_eq!(engine.ask("nboard 2", "set myname"), ["set myname Elomill"]);
    engine.say(GAME.as_bytes());
    let lines = engine.ask("set depth 5\nping 1\ngo", "=== ");
    assert_eq!(&lines[..3], ["set myname Elomill5", "pong 1", "status Elomill is thinking"]);
    let searched = |line: &&String| line.starts_with("search ");
    let last = lines.iter().rfind(searched).expect("a line of the search");
    let words: Vec<_> = last.split(' ').collect();
    assert_eq!((words.len(), words[3], words[4]), (5, "0", "5"), "{last}");
    assert!(lines.iter().any(|line| line.starts_with("nodestats ")), "{lines:?}");
    // The move, its value and the seconds; the search's line begins with the same move.
    let parts: Vec<_> = lines[lines.len() - 1][4..].split('/').collect();
    assert_eq!((parts.len(), parts[0], parts[1]), (3, &words[1][..2], words[2]), "{lines:?}");
    assert_eq!(engine.until("status"), ["status Elomill is waiting"]);
    // `go` has made no move: this one is still Black's.
    engine.say(format!("move {}/0.5/1.25", parts[0]).as_bytes());
    let hints = engine.ask("hint 3", "status Elomill is waiting");
    let deepest = |line: &&String| line.starts_with("search ") && line.ends_with(" 5");
    assert_eq!(hints.iter().filter(deepest).count(), 3, "{hints:?}");
    let analysis = engine.ask("analyze", "status Elomill is waiting");
    let analyzed: Vec<_> =
        analysis.iter().filter_map(|line| line.strip_prefix("analysis ")).collect();
    assert_eq!(analyzed.len(), 6, "{analysis:?}");
    assert!(analyzed[0].starts_with("5 ") && analyzed[5].starts_with("0 "), "{analysis:?}");
    assert_eq!(engine.ask("learn", "learned"), ["learned"]);
    // Another protocol ends this one.
    engine.ask("uci", "uciok");
    engine.ask("go depth 2", "bestmove ");
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn nboard_is_told_the_exact_end_of_a_game() {
    let mut engine = Engine::start(&[]);
    // Egaroucid issue 139: White is to be beaten by 32 with g7.
    let game = "set game (;GM[Othello]BO[8 --OX-OO---OOOO-X-OOOO-OX-OOOOOXXXOOXXOXX-OOOOOOXXOXX-O-XO--XXXXX *];)";
    engine.ask("nboard 2\nset depth 2", "set myname Elomill2");
    let lines = engine.ask(&format!("{game}\ngo"), "=== ");
    assert!(lines.iter().any(|line| line == "search G7 32.00 0 100%"), "{lines:?}");
    assert!(lines[lines.len() - 1].starts_with("=== G7/32.00/"), "{lines:?}");
    let analysis = engine.ask("analyze", "analysis ");
    assert_eq!(analysis.last().map(String::as_str), Some("analysis 0 32.00"));
    assert!(engine.end().1);
}

#[test]
fn a_ping_ends_what_is_under_way() {
    let mut engine = Engine::start(&[]);
    engine.ask("nboard 2\nset depth 60\nhint 2", "search ");
    let lines = engine.ask("ping 7", "pong 7");
    assert_eq!(lines[lines.len() - 2], "status Elomill is waiting");
    engine.ask("go", "search ");
    let lines = engine.ask("ping 8", "pong 8");
    assert!(lines.iter().any(|line| line.starts_with("=== ")), "{lines:?}");
    // By the clock: a tenth of a second for the whole game.
    engine.ask("set time black main 100\ngo", "=== ");
    assert_eq!(engine.until("status"), ["status Elomill is waiting"]);
    assert_eq!(engine.end(), (vec![], true));
}

#[test]
fn nboard_says_what_is_wrong_and_ignores_what_it_does_not_know() {
    let mut engine = Engine::start(&["--game", "chess"]);
    engine.ask("nboard 1", "set myname");
    for (line, part) in [
        ("move a1", "move: move `a1` is not legal here"),
        ("move z9", "found `z9`; allowed: a square"),
        ("set game (;GM[Chess];)", "set game: GM"),
        ("set game", "set game: game"),
        ("set depth none", "found `none`"),
        ("ping x", "found `x`"),
    ] {
        let said = engine.ask(line, "status error: ").pop().expect("a line");
        assert!(said.contains(part), "{line}: {said}");
    }
    engine.say(b"xyzzy 3\nset contempt 20\nset color black\n\xff\xfe");
    let over = "set game (;GM[Othello]BO[8 ****************************************************************\
                *];)";
    let lines = engine.ask(&format!("{over}\nset depth 3\ngo"), "=== PA");
    assert_eq!(lines, ["set myname Elomill3", "=== PA"]);
    assert_eq!(engine.end(), (vec!["status The game is over".to_owned()], true));
}

#[test]
fn no_order_of_commands_ends_nboard() {
    let lines: [&[u8]; 16] = [
        b"nboard 2",
        GAME.as_bytes(),
        b"set depth 3",
        b"set depth 40",
        b"hint 2",
        b"go",
        b"ping 3",
        b"move F4/0/1",
        b"D6",
        b"PA",
        b"learn",
        b"analyze",
        b"set time black main 5 inc 1",
        b"set game nonsense",
        b"nboard 0",
        b"stop",
    ];
    let mut engine = Engine::start(&["--game", "othello"]);
    let mut state = 3u32;
    for round in 0..300 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let line = lines[(state >> 16) as usize % lines.len()];
        // Nothing but a ping would end a search of forty plies.
        let follow: &[u8] = if line == b"set depth 40" { b"go\nping 1\nset depth 3" } else { b"" };
        engine.say(line);
        engine.say(follow);
        if round % 20 == 0 {
            engine.ask("nboard 2\nping 99", "pong 99");
        }
    }
    engine.ask("nboard 2\nping 100", "pong 100");
    assert!(engine.end().1);
}
