//! `elomill solve`: the exact result of an ending under best play.

use crate::output::{hinted, json, line, say};
use anyhow::Context;
use engine::StopSignal;
use engine::othello::Solver;
use games::{Game, othello::Othello};
use model::GameKind;
use std::process::ExitCode;
use std::time::Instant;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// othello, the one game whose endings are solved
    #[arg(long)]
    game: GameKind,
    /// 64 letters, a1 to h1 first, then a2: X is Black, O White, - empty
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    board: String,
    /// Who is to move, X or O [default: the letter after the board]
    #[arg(long, value_name = "SIDE")]
    side: Option<String>,
    /// MiB of the table
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// # Errors
    /// The game has no solver, or the board is none.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let position = self.position()?;
        let began = Instant::now();
        let mut solver = Solver::new(self.hash as usize);
        let mut watch = |bounds: engine::othello::Bounds| {
            // Short work needs no words.
            if began.elapsed().as_secs() >= 2 {
                let (low, high) = (bounds.low, bounds.high);
                let seconds = began.elapsed().as_secs_f64();
                say(format_args!("between {low:+} and {high:+} after {seconds:.1} s"));
            }
        };
        let solved = solver
            .solve_watched(&position, &StopSignal::never(), &mut watch)
            .context("nothing could stop the search, and yet it was stopped")?;
        let seconds = began.elapsed().as_secs_f64();
        let best = solved.best.map(|mv| position.move_to_text(mv));
        if self.json {
            json(&serde_json::json!({
                "score": solved.score, "best": best, "nodes": solved.nodes.0, "seconds": seconds,
            }))?;
        } else {
            let best = best.unwrap_or_else(|| "none, the game is over".to_owned());
            line(format_args!("score  {:+} for the side to move", solved.score))?;
            line(format_args!("best   {best}"))?;
            line(format_args!("nodes  {} in {seconds:.2} s", solved.nodes))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn position(&self) -> anyhow::Result<Othello> {
        if self.game != GameKind::Othello {
            let error = format!("--game: {} has no solver of endings", self.game);
            return Err(hinted(error, "allowed: othello"));
        }
        let text = match &self.side {
            Some(side) => format!("{} {side}", self.board),
            None => self.board.clone(),
        };
        Othello::from_fen(&text).context("--board, --side")
    }
}

#[cfg(test)]
mod tests {
    use crate::commands::{Cli, Command};
    use clap::Parser;

    const BOARD: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-";

    fn position(args: &[&str]) -> anyhow::Result<games::othello::Othello> {
        let words = ["elomill", "solve"].iter().chain(args);
        match Cli::try_parse_from(words)?.command {
            Command::Solve(args) => args.position(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_board_may_begin_with_empty_squares_and_name_its_side() {
        let empty = format!("-{}", &BOARD[1..63].replace('O', "X")) + "O";
        for args in [
            &["--game", "othello", "--board", BOARD, "--side", "X"] as &[&str],
            &["--game", "othello", "--board", &format!("{BOARD} O")],
            &["--game", "othello", "--board", &empty, "--side", "O"],
        ] {
            position(args).unwrap_or_else(|e| panic!("{args:?}: {e:#}"));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (args, part) in [
            (&["--game", "chess", "--board", BOARD, "--side", "X"] as &[&str], "no solver"),
            (&["--game", "othello", "--board", BOARD], "--board, --side"),
            (&["--game", "othello", "--board", "XO", "--side", "X"], "--board, --side"),
            (&["--game", "othello", "--board", BOARD, "--side", "Z"], "--board, --side"),
            (&["--game", "othello", "--board", BOARD, "--hash", "0"], "--hash"),
        ] {
            let error = position(args).expect_err("refused");
            assert!(format!("{error:#}").contains(part), "{args:?}: {error:#}");
        }
    }
}
