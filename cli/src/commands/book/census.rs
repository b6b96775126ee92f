//! `elomill book stats`: what a book holds, told line by line where something is wrong.

use crate::books::{self, Book, Format, OpeningRead};
use crate::output::{json, line, say};
use model::GameKind;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;

/// Duplicates and faults that are told one by one, but for --json.
const MOST_TOLD: usize = 50;

/// What the command takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The book
    file: PathBuf,
    /// What is played
    #[arg(long)]
    game: GameKind,
    /// How its openings stand there [default: as its ending tells, else epd]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Of games, so many half-moves count [default: all]
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// An opening that is there already.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Duplicate {
    /// Its line, or the number of its game.
    place: usize,
    /// The first one.
    of: usize,
}

/// What there is.
#[derive(Debug, Serialize)]
struct Census {
    game: GameKind,
    /// SHA-256 of the file.
    sha256: String,
    openings: usize,
    distinct: usize,
    duplicates: Vec<Duplicate>,
    illegal: Vec<String>,
    /// Openings by their half-moves from the start.
    plies: BTreeMap<u64, u64>,
    first_to_move: usize,
    second_to_move: usize,
}

impl Census {
    fn of(game: GameKind, sha256: String, openings: &[OpeningRead], illegal: Vec<String>) -> Self {
        let (mut plies, mut seen, mut duplicates) = (BTreeMap::new(), HashMap::new(), Vec::new());
        for opening in openings {
            *plies.entry(opening.plies).or_default() += 1;
            let first = *seen.entry(opening.key).or_insert(opening.place);
            if first != opening.place {
                duplicates.push(Duplicate { place: opening.place, of: first });
            }
        }
        let first_to_move = openings.iter().filter(|opening| opening.first_to_move).count();
        Self {
            game,
            sha256,
            openings: openings.len(),
            distinct: seen.len(),
            duplicates,
            illegal,
            plies,
            first_to_move,
            second_to_move: openings.len() - first_to_move,
        }
    }
}

impl Args {
    /// # Errors
    /// The file cannot be read. A book with faults is told in full and ends with a failure.
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (openings, illegal) = books::openings(self.game, &self.file, self.format, self.plies)?;
        let sha256 = Book::hash_of(&self.file)?;
        let census = Census::of(self.game, sha256, &openings, illegal);
        let unit = self.format.unwrap_or_else(|| Format::of(&self.file)).unit();
        if self.json {
            json(&census)?;
        } else {
            print(&census, unit)?;
        }
        let is_sound = census.illegal.is_empty() && census.openings > 0;
        Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn print(census: &Census, unit: &str) -> anyhow::Result<()> {
    line(format_args!("game          {}", census.game))?;
    line(format_args!("SHA-256       {}", census.sha256))?;
    let (openings, distinct) = (census.openings, census.distinct);
    line(format_args!("openings      {openings}, {distinct} distinct"))?;
    let counts: Vec<_> =
        census.plies.iter().map(|(plies, count)| format!("{plies}: {count}")).collect();
    line(format_args!("half-moves    {}", counts.join(", ")))?;
    let (first, second) = (census.first_to_move, census.second_to_move);
    line(format_args!("to move       first side {first}, second side {second}"))?;
    line(format_args!("duplicates    {}", census.duplicates.len()))?;
    for Duplicate { place, of } in census.duplicates.iter().take(MOST_TOLD) {
        line(format_args!("  {unit} {place} is {unit} {of} again"))?;
    }
    line(format_args!("illegal       {}", census.illegal.len()))?;
    for fault in census.illegal.iter().take(MOST_TOLD) {
        line(format_args!("  {}", model::printable(fault, 400)))?;
    }
    if census.duplicates.len().max(census.illegal.len()) > MOST_TOLD {
        say("all of them are in --json");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_twice_is_found_whatever_its_counters() {
        let opening = |place, key, plies, first_to_move| OpeningRead {
            place,
            position: String::new(),
            key,
            first_to_move,
            plies,
        };
        let openings = [opening(1, 7, 4, true), opening(3, 8, 5, false), opening(9, 7, 6, true)];
        let census = Census::of(GameKind::Chess, String::new(), &openings, vec![]);
        assert_eq!((census.openings, census.distinct), (3, 2));
        assert_eq!(census.duplicates, [Duplicate { place: 9, of: 1 }]);
        assert_eq!((census.first_to_move, census.second_to_move), (2, 1));
        assert_eq!(census.plies, BTreeMap::from([(4, 1), (5, 1), (6, 1)]));
    }
}
