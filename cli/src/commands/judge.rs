//! `elomill judge`: whether a line of moves is over by rule, and for whom.

use crate::output::{hinted, json, line};
use anyhow::Context;
use games::xiangqi::judge::{RuleSet, judge};
use games::{
    Game, RuleWinner, chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe,
    xiangqi::Xiangqi,
};
use model::GameKind;
use std::process::ExitCode;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// xiangqi, chess, shogi, othello or tictactoe
    #[arg(long)]
    game: GameKind,
    /// Where the line begins [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The moves of the line, divided by spaces
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Which book judges a repetition in xiangqi [default: computer]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The books of rules by their names on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Rules {
    /// Of computer tournaments
    Computer,
    /// Of the Asian Xiangqi Federation
    Asian,
}

/// Who has won and why; `None` while the game goes on.
type Outcome = Option<(RuleWinner, &'static str)>;

impl Args {
    /// # Errors
    /// The position text is none, a move is not legal, or the game knows no books of rules.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.print(self.outcome()?)
    }

    fn outcome(&self) -> anyhow::Result<Outcome> {
        match self.game {
            GameKind::Xiangqi => {
                let rules = match self.rules {
                    None | Some(Rules::Computer) => RuleSet::Computer,
                    Some(Rules::Asian) => RuleSet::Asian,
                };
                let verdict = judge(&self.played::<Xiangqi>()?, rules);
                Ok(verdict.map(|verdict| (verdict.winner, verdict.reason.name())))
            }
            GameKind::Chess => self.by_the_only_rules::<Chess>(),
            GameKind::Shogi => self.by_the_only_rules::<Shogi>(),
            GameKind::Othello => self.by_the_only_rules::<Othello>(),
            GameKind::TicTacToe => self.by_the_only_rules::<TicTacToe>(),
        }
    }

    fn by_the_only_rules<G: Game>(&self) -> anyhow::Result<Outcome> {
        if self.rules.is_some() {
            let error = format!("--rules: {} has one set of rules", self.game);
            return Err(hinted(error, "leave it out"));
        }
        let result = self.played::<G>()?.result();
        Ok(result.map(|result| (result.winner, result.reason.name())))
    }

    /// The position at the end of the line.
    fn played<G: Game>(&self) -> anyhow::Result<G> {
        let mut position = match &self.fen {
            Some(fen) => G::from_fen(fen).context("--fen")?,
            None => G::start(),
        };
        for (number, text) in (1..).zip(self.moves.split_whitespace()) {
            let mv = position
                .move_from_text(text)
                .with_context(|| format!("--moves, number {number}"))?;
            position.make(mv);
        }
        Ok(position)
    }

    /// Says it from the point of view of the side to move at the end.
    fn print(&self, outcome: Outcome) -> anyhow::Result<ExitCode> {
        let result = match outcome {
            Some((RuleWinner::SideToMove, _)) => "win",
            Some((RuleWinner::Opponent, _)) => "loss",
            Some((RuleWinner::Draw, _)) => "draw",
            None => "ongoing",
        };
        let reason = outcome.map(|(_, reason)| reason);
        if self.json {
            json(&serde_json::json!({ "result": result, "reason": reason }))?;
        } else if let Some(reason) = reason {
            line(format_args!("{result} for the side to move: {reason}"))?;
        } else {
            line(result)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use crate::commands::{Cli, Command};
    use clap::Parser;
    use games::RuleWinner;

    fn outcome(args: &str, fen: &str, moves: &str) -> anyhow::Result<super::Outcome> {
        let words = ["elomill", "judge"].into_iter().chain(args.split(' '));
        let words = words.chain(["--fen", fen, "--moves", moves]);
        match Cli::try_parse_from(words)?.command {
            Command::Judge(args) => args.outcome(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_books_of_rules_differ() {
        let fen = "3aka3/C4rN2/4b1n2/N7p/2p3p2/8P/2P3P2/9/4A4/4KA3 w - - 0 1";
        let moves = "a6b8 f9e8 b8a6 e8f9 a6b8 f9e8 b8a6 e8f9";
        let cases = [
            ("--game xiangqi", Some((RuleWinner::Draw, "mutual_chase"))),
            ("--game xiangqi --rules computer", Some((RuleWinner::Draw, "mutual_chase"))),
            ("--game xiangqi --rules asian", Some((RuleWinner::Opponent, "perpetual_chase"))),
        ];
        for (args, expected) in cases {
            assert_eq!(outcome(args, fen, moves).expect("a legal line"), expected, "{args}");
        }
        let on = outcome("--game xiangqi", fen, "a6b8 f9e8").expect("a legal line");
        assert_eq!(on, None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let fen = "4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";
        let cases = [
            ("--game xiangqi", "4k4/9 w", "", "--fen"),
            ("--game xiangqi", fen, "d0d1 e9e8 d1e1", "--moves, number 3: move `d1e1`"),
            (
                "--game xiangqi",
                fen,
                "d0d1 zz",
                "--moves, number 2: move `zz: z at column 1` is no move text",
            ),
            ("--game tictactoe --rules asian", "", "", "--rules"),
            ("--game go", "", "", "--game"),
            ("--game xiangqi --rules chinese", fen, "", "--rules"),
        ];
        for (args, fen, moves, named) in cases {
            let error = outcome(args, fen, moves).expect_err("refused");
            assert!(format!("{error:#}").contains(named), "{args} {moves}: {error:#}");
        }
    }
}
