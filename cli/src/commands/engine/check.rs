//! `elomill engine check`: a program is looked over before it plays, in the sandbox.

use crate::books::Book;
use crate::data_dir::DataDirArgs;
use crate::engines::{Engine, Shelf};
use crate::jail::{Jail, policy_of};
use crate::output::{hinted, json, line, say};
use crate::tables::{Column, table};
use anyhow::Context;
use arena::duel::{Outcome, Program, Verdict};
use model::GameKind;
use model::file::{EngineBench, EngineFile};
use sandbox::Policy;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Exit status of a check that something has failed in.
const UNSOUND: u8 = 3;

/// How long a search may take that is limited by nodes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Seconds of processor time that a bench may take.
const BENCH_SECONDS: u64 = 600;

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
            let engine = Shelf::of(&self.folder.resolve()?).find(name)?;
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
    /// As [`Jail::of`].
    pub(crate) fn shut_in(&mut self) -> anyhow::Result<Jail> {
        Jail::of(&mut [&mut self.program], &self.policy)
    }
}

impl Args {
    /// # Errors
    /// No such engine, or no sandbox.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut meant = self.which.find()?;
        meant.program.patience = PATIENCE;
        let jail = meant.shut_in()?;
        say(format_args!("{}: sandbox {}", meant.name, jail.level));
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
            checkup.verdicts.push(bench_verdict(engine, bench));
        }
        let sound = checkup.is_sound();
        if self.json {
            json(&serde_json::json!({
                "engine": meant.name,
                "name": checkup.name,
                "game": meant.game,
                "protocol": meant.program.protocol.name(),
                "sandbox": { "level": jail.level.word(), "layers": jail.level },
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

fn bench_verdict(engine: &Engine, bench: &EngineBench) -> Verdict {
    let (outcome, note) = match run_bench(engine.path(), &engine.file, bench) {
        Ok(nodes) if nodes == bench.signature => (Outcome::Passed, format!("signature {nodes}")),
        Ok(nodes) => {
            let note = format!("signature {nodes}, and the manifest says {}", bench.signature);
            (Outcome::Failed, note)
        }
        Err(error) => (Outcome::Failed, model::printable(&format!("{error:#}"), 200)),
    };
    Verdict { check: "bench", outcome, note }
}

/// That a build is the one that its manifest means.
///
/// # Errors
/// Its bench visits another number of nodes, or none.
pub(super) fn prove_bench(engine: &Engine) -> anyhow::Result<()> {
    let Some(bench) = &engine.file.bench else { return Ok(()) };
    let nodes = run_bench(engine.path(), &engine.file, bench)?;
    if nodes != bench.signature {
        let message = format!(
            "the bench of `{}` visits {nodes} nodes; the manifest says {}",
            engine.file.name, bench.signature
        );
        let hint = "it is another build than the manifest means; if it is the right one, change \
             bench.signature";
        return Err(hinted(message, hint));
    }
    Ok(())
}

/// Runs the bench in the sandbox and reads its number of nodes.
fn run_bench(path: &Path, file: &EngineFile, bench: &EngineBench) -> anyhow::Result<u64> {
    let policy = Policy { cpu_seconds: Some(BENCH_SECONDS), ..policy_of(file) };
    let scratch = sandbox::Scratch::new().context("cannot make a scratch folder")?;
    let policy = Policy { scratch: Some(scratch.path().to_owned()), ..policy };
    let (launcher, _) = Jail::launcher(&policy)?;
    let (first, rest) = launcher.split_first().context("no helper")?;
    let rest: &[PathBuf] = rest;
    let output = Command::new(first)
        .args(rest)
        .arg(path)
        .args(&bench.arguments)
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .context("cannot start the bench")?;
    let said = [&output.stdout[..], b"\n", &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    signature(&said).with_context(|| {
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        format!(
            "the bench ({}) says no number of nodes; its last line: {}",
            output.status,
            model::printable(last, 120)
        )
    })
}

/// The number of nodes of a bench: the last line that has one, as `Nodes searched : 123`,
/// `123 nodes 456 nps`, `Total nodes: 123` or JSON's `"nodes":123` say it.
fn signature(said: &str) -> Option<u64> {
    said.lines().rev().find_map(|line| {
        let line = line.to_ascii_lowercase();
        let at = line.find("nodes")?;
        let (before, after) = (&line[..at], &line[at + "nodes".len()..]);
        // Nodes in each second are no signature.
        if after.trim_start_matches([' ', '/']).starts_with("second") || after.starts_with("/s") {
            return None;
        }
        let is_filler = |c: char| c.is_ascii_whitespace() || ":=\"".contains(c);
        let leading = |text: &str| -> Option<u64> {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let after = after.trim_start_matches(is_filler);
        let after = after.strip_prefix("searched").unwrap_or(after).trim_start_matches(is_filler);
        leading(after)
            .filter(|_| !before.trim_end().ends_with(|c: char| c.is_ascii_digit()))
            .or_else(|| {
                let word = before.split_ascii_whitespace().next_back()?;
                word.parse().ok()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn the_number_of_nodes_is_found_as_engines_say_it() {
        for (said, nodes) in [
            (
                "Total time (ms) : 100\nNodes searched  : 4463\nNodes/second    : 44630\n",
                Some(4463),
            ),
            ("info nodes 5\n1234567 nodes 890123 nps", Some(1_234_567)),
            ("bench: 99 nodes", Some(99)),
            ("Total nodes: 12\nbye\n", Some(12)),
            ("{\"nodes\":77,\"nps\":1}", Some(77)),
            ("Nodes per second: none\nnothing", None),
            ("", None),
        ] {
            assert_eq!(signature(said), nodes, "{said}");
        }
    }
}
