//! `elomill engine check`: a program is looked over before it plays, in the sandbox.

use crate::books::Book;
use crate::data_dir::DataDirArgs;
use crate::jail;
use crate::output::{json, line, say};
use crate::tables::{Column, table};
use arena::duel::{Outcome, Program, Verdict};
use model::GameKind;
use model::file::EngineBench;
use sandbox::Policy;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use worker::shelf::{Engine, Guard, Jail, Shelf, policy_of, run_bench};

/// Exit status of a check that something has failed in.
const UNSOUND: u8 = 3;

/// How long a search may take that is limited by nodes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which program is meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// A name that is kept, or words: cmd=PATH args="…" dir=FOLDER proto=uci|ucci|usi|xboard
    /// option.NAME=VALUE
    #[arg(required = true, num_args = 1.., value_name = "NAME|WORDS")]
    pub(crate) engine: Vec<String>,
    /// What it plays, where it is no name
    #[arg(long, default_value = "chess")]
    pub(crate) game: GameKind,
    #[command(flatten)]
    pub(crate) folder: DataDirArgs,
}

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 sound, 3 something has failed, 1 an error.")]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
    /// Of each search
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Positions of the book built in that are searched, each twice
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=1000))]
    positions: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A program that is meant, by its name or by words.
pub(crate) struct Meant {
    pub(crate) game: GameKind,
    pub(crate) program: Program,
    /// What it is called, for people.
    pub(crate) name: String,
    engine: Option<Engine>,
    policy: Policy,
}

impl Which {
    /// # Errors
    /// No such name, or words that make no sense.
    pub(crate) fn find(&self) -> anyhow::Result<Meant> {
        if let [name] = &self.engine[..]
            && !name.contains(['=', '/'])
        {
            let engine = Shelf::at(&self.folder.resolve()?.engines()).find(name)?;
            let game = engine.file.game;
            let (program, policy) = (engine.program(), policy_of(&engine.file));
            let name = name.clone();
            return Ok(Meant { game, program, name, engine: Some(engine), policy });
        }
        let program = crate::commands::r#match::program(self.game, &self.engine)?;
        let name = program.command.display().to_string();
        Ok(Meant { game: self.game, program, name, engine: None, policy: Policy::default() })
    }
}

impl Meant {
    /// Shuts it in; what comes back must live as long as it runs.
    ///
    /// # Errors
    /// As [`jail::shut_in`].
    pub(crate) fn shut_in(&mut self) -> anyhow::Result<(Guard, Jail)> {
        jail::shut_in(&mut self.program, &self.policy)
    }
}

impl Args {
    /// # Errors
    /// No such engine, or no sandbox.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut meant = self.which.find()?;
        meant.program.patience = PATIENCE;
        let (guard, _jail) = meant.shut_in()?;
        say(format_args!("{}: sandbox {}", meant.name, guard.describe()));
        let positions = Book::builtin(meant.game).positions();
        let step = (positions.len() / usize::from(self.positions)).max(1);
        let positions: Vec<_> =
            positions.into_iter().step_by(step).take(self.positions.into()).collect();
        let stop = AtomicBool::new(false);
        let mut checkup =
            arena::duel::check(&meant.program, meant.game, &positions, self.nodes, &stop);
        if let Some(engine) = &meant.engine
            && let Some(bench) = &engine.file.bench
        {
            checkup.verdicts.push(bench_verdict(engine, bench, &guard));
        }
        let sound = checkup.is_sound();
        if self.json {
            json(&serde_json::json!({
                "engine": meant.name,
                "name": checkup.name,
                "game": meant.game,
                "protocol": meant.program.protocol.name(),
                "sandbox": guard.level().map(|level| serde_json::json!({ "level": level.word(), "layers": level })),
                "sound": sound,
                "nodes_per_second": checkup.nodes_per_second,
                "verdicts": checkup.verdicts,
            }))?;
        } else {
            line(listing(&checkup.verdicts))?;
        }
        Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(UNSOUND) })
    }
}

fn listing(verdicts: &[Verdict]) -> String {
    let columns = [Column::Text("check"), Column::Text("outcome"), Column::Text("what was seen")];
    let word = |outcome| match outcome {
        Outcome::Passed => "passed",
        Outcome::Odd => "odd",
        Outcome::Failed => "FAILED",
    };
    let row = |verdict: &Verdict| {
        vec![verdict.check.to_owned(), word(verdict.outcome).to_owned(), verdict.note.clone()]
    };
    table(&columns, &verdicts.iter().map(row).collect::<Vec<_>>())
}

fn bench_verdict(engine: &Engine, bench: &EngineBench, guard: &Guard) -> Verdict {
    let (outcome, note) = match run_bench(engine.path(), &engine.file, bench, guard) {
        Ok(nodes) if nodes == bench.signature => (Outcome::Passed, format!("signature {nodes}")),
        Ok(nodes) => {
            let note = format!("signature {nodes}, and the manifest says {}", bench.signature);
            (Outcome::Failed, note)
        }
        Err(error) => (Outcome::Failed, model::printable(error.message(), 200)),
    };
    Verdict { check: "bench", outcome, note }
}
