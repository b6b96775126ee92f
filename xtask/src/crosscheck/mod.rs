//! `cargo xtask crosscheck`: the rules of `crates/games` against programs that nobody here wrote.
//!
//! Random lines of play are drawn by our rules; each position is judged here and by an oracle, another
//! program in a process of its own: the legal moves, check, and whether and how the game is over. A
//! difference that is not explained in the README of `crates/games` fails the check. The lines are a
//! function of the seed and the game, the same for every oracle.

mod chase;
mod chess;
mod compare;
mod opinion;
mod oracle;
mod othello;
mod report;
mod setup;
mod shogi;
mod subject;
mod walk;
mod xiangqi;

use anyhow::Context;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use compare::{Sample, Tally, compare};
use oracle::Oracle;
use setup::{Installation, Program};

/// Positions of one part of the work; a part has an oracle of its own.
const PART: u64 = 100_000;
/// `pyffish` needs thirty times the time of the others for a position, and is the same program as `ffish`.
const SLOW: u64 = 100;
/// Streams kept apart for each part; no part draws so many lines.
const STREAMS: u64 = 1 << 32;

/// The words after `cargo xtask crosscheck`.
#[derive(Args, Debug)]
pub(crate) struct Command {
    /// Positions of each game with each oracle; `pyffish` gets a hundredth
    #[arg(long, default_value_t = 1_000_000)]
    positions: u64,
    /// Only this game
    #[arg(long)]
    game: Option<Discipline>,
    /// Only this oracle
    #[arg(long)]
    oracle: Option<Program>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Oracles at once; as many as cores if left out
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Differences of each class that are shown in full
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
}

/// A game, or a way to play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Discipline {
    Xiangqi,
    Chess,
    Chess960,
    Shogi,
    Othello,
}

impl Discipline {
    const fn name(self) -> &'static str {
        match self {
            Self::Xiangqi => "xiangqi",
            Self::Chess => "chess",
            Self::Chess960 => "chess960",
            Self::Shogi => "shogi",
            Self::Othello => "othello",
        }
    }

    /// Who knows the game.
    const fn oracles(self) -> &'static [Program] {
        match self {
            Self::Xiangqi | Self::Othello => &[Program::Ffish, Program::Pyffish],
            Self::Chess | Self::Chess960 => {
                &[Program::PythonChess, Program::Ffish, Program::Pyffish]
            }
            Self::Shogi => &[Program::Cshogi, Program::Ffish, Program::Pyffish],
        }
    }

    fn compare(
        self,
        oracle: &mut Oracle,
        program: Program,
        sample: Sample,
    ) -> anyhow::Result<Tally> {
        match self {
            Self::Xiangqi => compare(&xiangqi::FairyXiangqi, oracle, sample),
            Self::Chess => compare(&chess::Setup::Standard, oracle, sample),
            Self::Chess960 => compare(&chess::Setup::Chess960, oracle, sample),
            Self::Shogi => {
                let notation = match program {
                    Program::Cshogi => shogi::Notation::Usi,
                    _ => shogi::Notation::Fairy,
                };
                compare(&notation, oracle, sample)
            }
            Self::Othello => compare(&othello::FairyOthello, oracle, sample),
        }
    }
}

/// One game with one oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pairing {
    game: Discipline,
    program: Program,
}

/// A part of the positions of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    pairing: Pairing,
    first: u64,
    positions: u64,
}

impl Command {
    /// Compares, prints the differences and the table, and fails if a difference is unexplained.
    ///
    /// # Errors
    /// The oracles cannot be installed, or one fails.
    pub(crate) fn run(&self, root: &Path) -> anyhow::Result<ExitCode> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let builds = program.ancestors().nth(2).unwrap_or(root);
        let installation =
            Installation::ensure(root.join("xtask/oracles"), builds.join("oracles"))?;
        let parts = self.parts();
        let threads = self.threads.map_or_else(crate::parallel::cores, NonZeroUsize::get);
        eprintln!("crosscheck: seed {}, {} parts on {threads} threads", self.seed, parts.len());
        let work = |(): &mut (), part: &Part| self.run_part(&installation, *part);
        let found = crate::parallel::map(&parts, threads, || (), work);

        let mut rows: Vec<report::Row> = Vec::new();
        for (part, found) in parts.iter().zip(found) {
            let Pairing { game, program } = part.pairing;
            let (version, tally) =
                found.with_context(|| format!("{} with {}", game.name(), program.name()))?;
            match rows.iter_mut().find(|row| row.pairing == part.pairing) {
                Some(row) => row.tally.merge(tally, self.show),
                None => rows.push(report::Row { pairing: part.pairing, version, tally }),
            }
        }
        if self.json {
            println!("{}", report::json(self.seed, &rows));
        } else {
            print!("{}", report::text(&rows));
        }
        let unexplained: u64 = rows.iter().map(|row| row.tally.unexplained()).sum();
        Ok(if unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn parts(&self) -> Vec<Part> {
        let games = Discipline::value_variants().iter().copied();
        let pairings = games
            .flat_map(|game| game.oracles().iter().map(move |&program| Pairing { game, program }))
            .filter(|pairing| self.game.is_none_or(|game| game == pairing.game))
            .filter(|pairing| self.oracle.is_none_or(|oracle| oracle == pairing.program));
        let mut parts = Vec::new();
        for pairing in pairings {
            let share = if pairing.program == Program::Pyffish { SLOW } else { 1 };
            let positions = self.positions.div_ceil(share);
            let part = PART.div_ceil(share);
            for (number, done) in (0..positions).step_by(part as usize).enumerate() {
                let first = number as u64 * STREAMS;
                parts.push(Part { pairing, first, positions: part.min(positions - done) });
            }
        }
        parts
    }

    fn run_part(&self, installation: &Installation, part: Part) -> anyhow::Result<(String, Tally)> {
        let Pairing { game, program } = part.pairing;
        let mut oracle = installation.start(program)?;
        let Part { first, positions, .. } = part;
        let sample = Sample { seed: self.seed, first, positions, shown: self.show };
        let tally = game.compare(&mut oracle, program, sample)?;
        let differing: u64 = tally.differing.values().sum();
        eprintln!(
            "crosscheck: {} with {}: {} positions in {:.1} s, {differing} differ",
            game.name(),
            oracle.version(),
            tally.positions,
            tally.seconds,
        );
        Ok((oracle.version().to_owned(), tally))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(positions: u64, oracle: Option<Program>) -> Command {
        Command { positions, game: None, oracle, seed: 1, threads: None, show: 3, json: false }
    }

    #[test]
    fn the_parts_hold_every_position_once() {
        for positions in [1, 99, 100_000, 100_001, 1_000_000] {
            let parts = command(positions, None).parts();
            for &game in Discipline::value_variants() {
                for &program in game.oracles() {
                    let pairing = Pairing { game, program };
                    let own = parts.iter().filter(|part| part.pairing == pairing);
                    let sum: u64 = own.clone().map(|part| part.positions).sum();
                    let share = if program == Program::Pyffish { SLOW } else { 1 };
                    assert_eq!(sum, positions.div_ceil(share), "{pairing:?}");
                    let mut streams: Vec<u64> = own.map(|part| part.first).collect();
                    streams.dedup();
                    assert_eq!(streams.len() as u64, positions.div_ceil(PART));
                }
            }
        }
        let parts = command(1000, Some(Program::Pyffish)).parts();
        assert!(parts.iter().all(|part| part.pairing.program == Program::Pyffish));
    }
}
