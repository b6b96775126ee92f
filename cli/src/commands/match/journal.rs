//! What a match leaves on disk: a line for each finished pair, from which a killed match goes on, and
//! the games as PGN or with every thought as JSON.
//!
//! The first line says what is played; a pair is one line, written at once when it is finished, so
//! that a kill loses only what was under way. A last line without its end is cut off.

use super::Plan;
use crate::output::hinted;
use anyhow::Context;
use arena::duel::{DuelPair, DuelRecord};
use model::GameScore;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The number of this form of the file.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    elomill_match: u32,
    setup: serde_json::Value,
}

/// The files that were asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outputs<'a> {
    pub(super) file: Option<&'a Path>,
    pub(super) pgn: Option<&'a Path>,
    pub(super) record: Option<&'a Path>,
}

/// Where pairs go.
pub(super) struct Journal {
    file: Option<File>,
    pgn: Option<File>,
    record: Option<File>,
    /// Of the engines.
    names: [String; 2],
    /// What was played before.
    pub(super) pairs: Vec<DuelPair>,
}

impl Journal {
    /// Opens what there is, or begins it.
    ///
    /// # Errors
    /// A file cannot be opened, or the match in it is another one.
    pub(super) fn open(outputs: &Outputs<'_>, plan: &Plan) -> anyhow::Result<Self> {
        let mut pairs = Vec::new();
        let file = outputs
            .file
            .map(|path| {
                open(path, &plan.setup, &mut pairs)
                    .with_context(|| format!("--file {}", path.display()))
            })
            .transpose()?;
        let appended = |option: &str, path: Option<&Path>| {
            path.map(|path| {
                let opened = OpenOptions::new().append(true).create(true).open(path);
                opened.with_context(|| format!("{option} {}", path.display()))
            })
            .transpose()
        };
        let pgn = appended("--pgn", outputs.pgn)?;
        let record = appended("--record", outputs.record)?;
        let names = plan.duel.entrants.each_ref().map(|entrant| entrant.name.clone());
        Ok(Self { file, pgn, record, names, pairs })
    }

    /// Writes a finished pair.
    ///
    /// # Errors
    /// As the disk says.
    pub(super) fn add(&mut self, pair: &DuelPair) -> anyhow::Result<()> {
        if let Some(pgn) = &mut self.pgn {
            let games: Vec<_> = pair.games.iter().filter_map(|game| game.pgn.as_deref()).collect();
            let text = games.iter().map(|game| format!("{game}\n")).collect::<String>();
            pgn.write_all(text.as_bytes()).context("--pgn")?;
        }
        if let Some(record) = &mut self.record {
            let games = pair.games.iter().enumerate();
            let mut text = String::new();
            for (number, game) in games {
                text.push_str(&serde_json::to_string(&told(pair, number, game, &self.names))?);
                text.push('\n');
            }
            record.write_all(text.as_bytes()).context("--record")?;
        }
        if let Some(file) = &mut self.file {
            let mut line = serde_json::to_string(pair)?;
            line.push('\n');
            file.write_all(line.as_bytes()).context("--file")?;
        }
        Ok(())
    }
}

/// A game with all that is known of it, as scripts read it.
fn told(
    pair: &DuelPair,
    number: usize,
    game: &DuelRecord,
    names: &[String; 2],
) -> serde_json::Value {
    // The first engine has the first move in the first game of a pair.
    let (first, second) = (&names[number % 2], &names[1 - number % 2]);
    let winner = match game.score {
        GameScore::Win => Some(&names[0]),
        GameScore::Draw => None,
        GameScore::Loss => Some(&names[1]),
    };
    let moves: Vec<_> = game
        .moves
        .split_whitespace()
        .zip(&game.thoughts)
        .map(|(mv, (insight, elapsed))| {
            serde_json::json!({
                "move": mv,
                "score": insight.score.map(|score| score.0),
                "depth": insight.depth,
                "nodes": insight.nodes,
                "seconds": elapsed.as_secs_f64(),
            })
        })
        .collect();
    serde_json::json!({
        "game": 2 * pair.index.0 + number as u64 + 1,
        "pair": pair.index,
        "opening": pair.opening,
        "first": first,
        "second": second,
        "winner": winner,
        "termination": game.termination.name(),
        "note": game.note,
        "moves": moves,
    })
}

fn open(path: &Path, setup: &serde_json::Value, pairs: &mut Vec<DuelPair>) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut lines = bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let another = |what: &str| hinted(what, "give --file another name, or repeat its command");
    if let Some(head) = lines.next() {
        let head: Head =
            serde_json::from_slice(head).map_err(|_| another("this is no match of elomill"))?;
        if head.elomill_match != FORM {
            return Err(another("this match is of another version of elomill"));
        }
        if head.setup != *setup {
            return Err(another("another match is kept there: engines, book or rules differ"));
        }
    } else if !bytes.is_empty() {
        return Err(another("this is no match of elomill"));
    }
    for (number, line) in (2..).zip(lines) {
        let pair = serde_json::from_slice(line).with_context(|| format!("line {number}"))?;
        pairs.push(pair);
    }
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::End(0))?;
    if whole == 0 {
        let head = Head { elomill_match: FORM, setup: setup.clone() };
        file.write_all(format!("{}\n", serde_json::to_string(&head)?).as_bytes())?;
    }
    Ok(file)
}
