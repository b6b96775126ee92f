//! `elomill match`: two engines of any kind against each other on this machine, without a cluster.

mod journal;
mod play;
mod standing;
mod words;

use crate::books::Book;
use crate::data_dir::DataDirArgs;
use crate::interrupt::Interrupt;
use crate::jail::JailArgs;
use crate::output::hinted;
use anyhow::Context;
use arena::duel::{Adjudication, DrawRule, Duel, DuelRules, Mind, ResignRule};
use arena::{TablebaseSettings, Tablebases};
use clap::{ArgMatches, FromArgMatches, ValueEnum};
use games::xiangqi::RuleSet;
use model::GameKind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use worker::shelf::Shelf;

/// Exit status of a match whose sequential test has rejected the first engine.
const REJECTED: u8 = 3;

/// Exit status of a match that ended before its verdict or its last pair.
const UNFINISHED: u8 = 4;

/// Pairs of a match whose length is not given.
const USUAL_PAIRS: u64 = 50;

/// Pairs after which a sequential test ends without a verdict unless told otherwise.
const MOST_TEST_PAIRS: u64 = 100_000;

const HELP: &str = "\
Words of an engine (a word without `=` is the name of one that is kept (elomill engine list), else
its command; `builtin` is the engine built in):
  name=A  cmd=PATH  args=\"…\"  dir=FOLDER  proto=uci|ucci|usi|xboard
  option.NAME=VALUE   an option that the program declares, a parameter of the engine built in
  tc=[MOVES/][MIN:]SEC[+INC]  st=SECONDS a move  movetime=MS  nodes=N  depth=N
  timemargin=MS       how much later than allowed a move may come [default: 50]
  restart=on          a new process for each game
  ranks=0|1           how a xiangqi program counts ranks [default: as its name tells]
  startup=SECONDS     until it is ready [default: 15]
  patience=SECONDS    for a move without a limit of time [default: 60]

Words of the openings (a word without `=` is the file):
  file=PATH  format=epd|pgn|moves|ggf   as the ending tells, else a position a line
  order=random|sequential  plies=N (of games, the first N half-moves)  start=N (from 1)

Exit status: 0 all was played, or the test accepts the first engine; 3 the test rejects it;
4 no verdict, or not all was played; 1 an error.

Examples:
  elomill match --engine ./new --engine ./old --each tc=10+0.1 option.Hash=16 --sprt elo0=0,elo1=5
  elomill match --game xiangqi --engine name=self builtin --engine cmd=pikafish --each nodes=2000";

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    engines: Engines,
    /// What is played
    #[arg(long, default_value = "chess")]
    game: GameKind,
    /// Words for both engines; their own come first
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// Games, in pairs with the sides swapped [default: 100, or 200000 with --sprt]
    #[arg(long, value_name = "N", conflicts_with = "rounds")]
    games: Option<u64>,
    /// Pairs of games
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Games at a time
    #[arg(long, value_name = "C", default_value_t = 1)]
    concurrency: usize,
    /// What to begin from, a path or words as below [default: the book built in]
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    openings: Vec<String>,
    /// How the openings are taken
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Of the random order
    #[arg(long, visible_alias = "srand", default_value_t = 1)]
    seed: u64,
    /// A sequential test of the first engine: elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    sprt: Vec<String>,
    /// Ends level games: movenumber=40,movecount=8,score=10
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    draw: Vec<String>,
    /// Ends lost games: movecount=3,score=400, and twosided
    #[arg(long, num_args = 1.., value_name = "WORDS")]
    resign: Vec<String>,
    /// A game of so many half-moves from its opening is a draw [default: no limit]
    #[arg(long, value_name = "PLIES")]
    max_plies: Option<u64>,
    /// The same in moves of each side
    #[arg(long, value_name = "MOVES", conflicts_with = "max_plies")]
    maxmoves: Option<u64>,
    /// Ends games of chess by the Syzygy tables in these folders, divided as in PATH
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,
    /// Men on the board up to which the tables are asked [default: the largest there are]
    #[arg(long, value_name = "N", requires = "tb", value_parser = clap::value_parser!(u32).range(3..=7))]
    tbpieces: Option<u32>,
    /// Take wins from the tables that the rule of fifty moves takes away
    #[arg(long, requires = "tb")]
    tbignore50: bool,
    /// Ends the match when an engine has lost so many games by a failure [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_failures: Option<u64>,
    /// Which book judges a repetition in xiangqi
    #[arg(long, value_enum, default_value_t = Rules::Computer)]
    rules: Rules,
    /// Adds every game to this file, as PGN
    #[arg(long, visible_alias = "pgnout", value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Adds every game to this file, as a line of JSON with score, depth, time and nodes of each move
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Keeps the match in this file: the same command goes on where it was
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    jail: JailArgs,
    #[command(flatten)]
    folder: DataDirArgs,
    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// A program by the words of an engine; no limit is needed.
///
/// # Errors
/// A word makes no sense, there is no command, or it is the engine built in.
pub(crate) fn program(game: GameKind, words: &[String]) -> anyhow::Result<arena::duel::Program> {
    words::program(game, words)
}

/// How openings are taken from the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Each once, in an order drawn from the seed; then all again in another
    Random,
    /// As they stand
    Sequential,
}

/// The books of rules by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// Of computer tournaments
    Computer,
    /// Of the Asian Xiangqi Federation
    Asian,
}

/// The words of each `--engine`, which the derived parser would run together.
#[derive(Clone, Debug)]
struct Engines(Vec<Vec<String>>);

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let occurrences = matches.get_occurrences::<String>("engine").into_iter().flatten();
        Ok(Self(occurrences.map(|words| words.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Engines {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            clap::Arg::new("engine")
                .long("engine")
                .num_args(1..)
                .action(clap::ArgAction::Append)
                .value_name("WORDS")
                .required(true)
                .help("An engine, twice: a path, or words as below"),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// A match with nothing left to find out.
#[derive(Debug)]
struct Plan {
    duel: Duel,
    pairs: u64,
    concurrency: usize,
    sprt: Option<stats::SprtSpec>,
    positions: Vec<String>,
    order: Order,
    /// Openings of the order that are passed over.
    skipped: u64,
    seed: u64,
    max_failures: Option<u64>,
    /// What must be equal for a kept match to go on.
    setup: serde_json::Value,
}

impl Args {
    /// # Errors
    /// A word makes no sense, a file cannot be read, or an engine cannot be played with.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut plan = self.plan()?;
        // Until the last game is over.
        let _jail = self.jail.shut_in(&mut plan.duel.entrants)?;
        let journal = journal::Journal::open(&self.outputs(), &plan)?;
        let interrupt = Interrupt::listen()?;
        let done = play::play(&plan, journal, &interrupt).await?;
        done.standing.print(&plan, self.json, done.seconds)?;
        Ok(match (done.standing.decision(plan.sprt.as_ref()), done.is_complete) {
            (Some(stats::SprtDecision::AcceptH1), _) => ExitCode::SUCCESS,
            (Some(stats::SprtDecision::AcceptH0), _) => ExitCode::from(REJECTED),
            (None, true) if plan.sprt.is_none() => ExitCode::SUCCESS,
            _ => ExitCode::from(UNFINISHED),
        })
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        let [first, second] = &self.engines.0[..] else {
            let found = format!("{} engines", self.engines.0.len());
            return Err(hinted(found, "a match has two: give --engine twice"));
        };
        let shelf = Shelf::at(&self.folder.resolve()?.engines());
        let entrants = words::entrants(self.game, [first, second], &self.each, &shelf)?;
        let openings = words::OpeningWords::of(&self.openings)?;
        let (positions, book) = self.book(&openings)?;
        let sprt = (!self.sprt.is_empty()).then(|| words::sprt(&self.sprt)).transpose()?;
        let usual = if sprt.is_some() { MOST_TEST_PAIRS } else { USUAL_PAIRS };
        let pairs = match (self.games, self.rounds) {
            (Some(games), _) => games.div_ceil(2),
            (None, rounds) => rounds.unwrap_or(usual),
        };
        if pairs == 0 || pairs > 1_000_000_000 {
            return Err(hinted("a match of no games, or too many", "give --games from 2 on"));
        }
        if !(1..=1024).contains(&self.concurrency) {
            return Err(hinted("--concurrency: allowed: 1 to 1024", "one for each core at most"));
        }
        let adjudication = self.adjudication()?;
        let max_plies = self.max_plies.or(self.maxmoves.map(|moves| moves.saturating_mul(2)));
        let rules = DuelRules { max_plies, adjudication };
        let order = openings.order.unwrap_or(self.order);
        let rule_set = match self.rules {
            Rules::Computer => RuleSet::Computer,
            Rules::Asian => RuleSet::Asian,
        };
        let mut setup = serde_json::json!({
            "game": self.game,
            "engines": self.engines.0,
            "each": self.each,
            "book": book,
            "order": format!("{order:?}"),
            "seed": self.seed,
            "max_plies": max_plies,
            "rules": format!("{:?}", self.rules),
            "adjudication": adjudication,
        });
        let kept = entrants.each_ref().map(|entrant| match &entrant.mind {
            Mind::Program(program) => shelf.holds(&program.command),
            Mind::Builtin { .. } => None,
        });
        if kept.iter().any(Option::is_some) {
            // The same name may stand for another build by now.
            setup["kept"] = serde_json::json!(kept);
        }
        if openings.skipped > 0 {
            // Left out where it is nothing: a match that was kept before goes on.
            setup["skipped"] = openings.skipped.into();
        }
        let pgn_tags = self.pgn.is_some().then(|| {
            let event = format!("{} against {}", entrants[0].name, entrants[1].name);
            vec![("Event".to_owned(), event)]
        });
        let tablebases = self.tablebases(&mut setup)?;
        let duel = Duel { game: self.game, entrants, rules, rule_set, tablebases, pgn_tags };
        Ok(Plan {
            duel,
            pairs,
            concurrency: self.concurrency,
            sprt,
            positions,
            order,
            skipped: openings.skipped,
            seed: self.seed,
            max_failures: self.max_failures,
            setup,
        })
    }

    fn outputs(&self) -> journal::Outputs<'_> {
        journal::Outputs {
            file: self.file.as_deref(),
            pgn: self.pgn.as_deref(),
            record: self.record.as_deref(),
        }
    }

    fn adjudication(&self) -> anyhow::Result<Adjudication> {
        let draw = (!self.draw.is_empty()).then(|| {
            let words =
                words::Numbers::of("--draw", &self.draw, &["movenumber", "movecount", "score"])?;
            let (number, count) = (words.get("movenumber", 0)?, words.at_least_one("movecount")?);
            Ok::<_, anyhow::Error>(DrawRule {
                move_number: number,
                move_count: count,
                score: words.get("score", 0)? as i32,
            })
        });
        let resign = (!self.resign.is_empty()).then(|| {
            let known = ["movecount", "score", "twosided"];
            let words = words::Numbers::of("--resign", &self.resign, &known)?;
            let move_count = words.at_least_one("movecount")?;
            let score = words.at_least_one("score")? as i32;
            let two_sided = words.get("twosided", 0)? != 0;
            Ok::<_, anyhow::Error>(ResignRule { move_count, score, two_sided })
        });
        let (draw, resign) = (draw.transpose()?, resign.transpose()?);
        Ok(Adjudication { draw, resign, ..Adjudication::OFF })
    }

    fn tablebases(&self, setup: &mut serde_json::Value) -> anyhow::Result<Option<Arc<Tablebases>>> {
        let Some(path) = &self.tb else { return Ok(None) };
        if self.game != GameKind::Chess {
            return Err(hinted("--tb: tables are of chess alone", "leave it out"));
        }
        let settings = TablebaseSettings {
            path: path.clone(),
            men: self.tbpieces,
            ignore_fifty: self.tbignore50,
        };
        let tables = Tablebases::open(&settings).context("--tb")?;
        setup["tablebases"] = serde_json::json!([tables.men(), self.tbignore50]);
        Ok(Some(Arc::new(tables)))
    }

    /// The positions to begin from, and the SHA-256 of the book's bytes.
    fn book(&self, words: &words::OpeningWords) -> anyhow::Result<(Vec<String>, String)> {
        let book = match &words.file {
            None => Book::builtin(self.game),
            Some(path) => Book::read(self.game, path, words.format, words.plies)?,
        };
        Ok((book.positions(), book.sha256))
    }
}
