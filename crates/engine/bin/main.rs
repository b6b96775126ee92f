//! `elomill-engine`: the built-in engine for other programs, over standard input and output.
//!
//! Speaks UCI, UCCI, USI and NBoard, whichever the first command asks for. Words after the options are
//! commands that are followed instead of standard input: `elomill-engine --game xiangqi bench`.

mod board;
mod clock;
mod options;
mod session;
mod words;

use model::GameKind;
use options::Options;
use session::{Next, Session};
use std::io::{BufRead, Read};
use std::process::ExitCode;
use words::Out;

const HELP: &str = "\
The engine of Elomill over standard input and output: UCI, UCCI, USI or NBoard.

Usage: elomill-engine [--game GAME] [--constants] [COMMAND]

  --game GAME   what to play until UCI_Variant says otherwise [default: xiangqi]
  --constants   list the constants of search and evaluation among the options
  COMMAND       follow this one command and end: bench, `perft 5`, `go depth 8` …
  --help, --version";

/// Longest line; the rest of a longer one is skipped.
const MOST_LINE: u64 = 1 << 20;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    let mut game = GameKind::Xiangqi;
    let mut options = Options::default();
    while let Some(word) = words.next_if(|word| word.starts_with("--")) {
        match word.as_str() {
            "--help" => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--version" => {
                println!("elomill-engine {}", env!("CARGO_PKG_VERSION"));
                return ExitCode::SUCCESS;
            }
            "--game" => match board::game_of(&words.next().unwrap_or_default()) {
                Ok(named) => game = named,
                Err(error) => return refuse(&format!("--game: {error}")),
            },
            "--constants" => options.lists_constants = true,
            other => return refuse(&format!("unknown option `{}`", model::printable(other, 40))),
        }
    }
    let mut session = Session::new(game, options, Out::new(std::io::stdout()));
    let command: Vec<String> = words.collect();
    if !command.is_empty() {
        session.line(&command.join(" "));
        session.await_work();
        return ExitCode::SUCCESS;
    }
    converse(&mut session, std::io::stdin().lock());
    ExitCode::SUCCESS
}

/// Follows every line of the other side until it ends the conversation.
fn converse(session: &mut Session, mut from: impl BufRead) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut from).take(MOST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if !line.ends_with(b"\n") && line.len() as u64 == MOST_LINE {
            // Nothing legitimate is that long; what follows belongs to the same line.
            let _ = from.skip_until(b'\n');
        }
        if session.line(&String::from_utf8_lossy(&line)) == Next::End {
            return;
        }
    }
    session.await_work();
}

fn refuse(error: &str) -> ExitCode {
    eprintln!("error: {error}\n\n{HELP}");
    ExitCode::from(2)
}
