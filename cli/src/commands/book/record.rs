//! The file of a measurement: how it is played, the openings, then a line for each finished pair, from
//! which a measurement that was ended goes on.
//!
//! A pair is one line, written at once; a last line without its end is cut off.

use crate::output::hinted;
use anyhow::Context;
use model::{GameKind, GameScore};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The number of this form of the file.
const FORM: u32 = 1;

/// How a measurement is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) game: GameKind,
    /// SHA-256 of the book.
    pub(super) book: String,
    /// Bench signature of the engine.
    pub(super) engine: u64,
    /// Nodes of a move: the geometric mean of both sides.
    pub(super) nodes: u64,
    /// Nodes of the stronger side over those of the other.
    pub(super) odds: f64,
    /// How far the nodes of a pair may be from that, as a share of them.
    pub(super) jitter: f64,
    /// Longer games are drawn.
    pub(super) max_plies: u64,
    /// Of everything that is drawn.
    pub(super) seed: u64,
    /// The openings, by whose places pairs name them.
    pub(super) openings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    elomill_book: u32,
    #[serde(flatten)]
    setup: Setup,
}

/// A finished pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlayedPair {
    /// Place of the opening.
    pub(super) opening: usize,
    /// Which pair of the opening, from 0.
    pub(super) pair: u32,
    /// Of the stronger side, when it had the first move and when it had the second.
    pub(super) scores: [GameScore; 2],
    /// Half-moves of both games.
    pub(super) plies: [u64; 2],
    /// The beginnings of the SHA-256 of their moves: equal games are not two.
    pub(super) games: [String; 2],
}

/// Reads a measurement.
///
/// # Errors
/// The file cannot be read, or is none: the line is named.
pub(super) fn read(path: &Path) -> anyhow::Result<(Setup, Vec<PlayedPair>)> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (setup, pairs, _) =
        parse(&text).with_context(|| format!("the measurement {}", path.display()))?;
    let hint = "make one: elomill book measure FILE --game G --out MEASURED";
    let setup =
        setup.ok_or_else(|| hinted(format_args!("{} is no measurement", path.display()), hint))?;
    Ok((setup, pairs))
}

/// Opens a measurement to go on with it, or begins it; what was played before.
///
/// # Errors
/// The file cannot be opened, or another measurement is kept there.
pub(super) fn open(path: &Path, setup: &Setup) -> anyhow::Result<(File, Vec<PlayedPair>)> {
    let place = || format!("the measurement {}", path.display());
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).open(path);
    let mut file = opened.with_context(place)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).with_context(place)?;
    let (known, pairs, whole) = parse(&bytes).with_context(place)?;
    match known {
        Some(known) if known == *setup => {}
        None if bytes.is_empty() => {}
        Some(_) => {
            let what = "another measurement is kept there: book, engine, nodes or seed differ";
            let hint = "give --out another name, or repeat its command";
            return Err(hinted(what, hint)).with_context(place);
        }
        None => {
            let hint = "give --out another name";
            return Err(hinted("this is no measurement of a book", hint)).with_context(place);
        }
    }
    file.set_len(whole as u64).with_context(place)?;
    file.seek(SeekFrom::End(0)).with_context(place)?;
    if whole == 0 {
        let head = Head { elomill_book: FORM, setup: setup.clone() };
        file.write_all(format!("{}\n", serde_json::to_string(&head)?).as_bytes())
            .with_context(place)?;
    }
    Ok((file, pairs))
}

/// What is in a file, and the bytes up to the end of its last whole line.
fn parse(bytes: &[u8]) -> anyhow::Result<(Option<Setup>, Vec<PlayedPair>, usize)> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut lines = bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let Some(head) = lines.next() else { return Ok((None, Vec::new(), whole)) };
    let Ok(head) = serde_json::from_slice::<Head>(head) else {
        return Ok((None, Vec::new(), whole));
    };
    if head.elomill_book != FORM {
        return Err(hinted("it is of another version of elomill", "measure the book anew"));
    }
    let mut pairs = Vec::new();
    for (number, line) in (2..).zip(lines) {
        let pair: PlayedPair =
            serde_json::from_slice(line).with_context(|| format!("line {number}"))?;
        let most = head.setup.openings.len();
        anyhow::ensure!(
            pair.opening < most,
            "line {number}: opening {}; allowed: below {most}",
            pair.opening
        );
        pairs.push(pair);
    }
    Ok((Some(head.setup), pairs, whole))
}

/// Adds a pair.
///
/// # Errors
/// As the disk says.
pub(super) fn add(file: &mut File, pair: &PlayedPair) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(pair)?;
    line.push('\n');
    file.write_all(line.as_bytes()).context("the measurement")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        Setup {
            game: GameKind::Xiangqi,
            book: "00".to_owned(),
            engine: 7,
            nodes: 1000,
            odds: 1.5,
            jitter: 0.1,
            max_plies: 300,
            seed: 1,
            openings: vec!["a".to_owned(), "b".to_owned()],
        }
    }

    fn pair(opening: usize, pair: u32) -> PlayedPair {
        let games = ["1".to_owned(), "2".to_owned()];
        PlayedPair {
            opening,
            pair,
            scores: [GameScore::Win, GameScore::Draw],
            plies: [9, 8],
            games,
        }
    }

    #[test]
    fn a_cut_line_is_played_again_and_another_setup_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let (mut file, none) = open(&path, &setup()).unwrap();
        assert!(none.is_empty());
        add(&mut file, &pair(0, 0)).unwrap();
        add(&mut file, &pair(1, 0)).unwrap();
        drop(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let (mut file, kept) = open(&path, &setup()).unwrap();
        assert_eq!(kept, [pair(0, 0)]);
        add(&mut file, &pair(1, 0)).unwrap();
        assert_eq!(read(&path).unwrap(), (setup(), vec![pair(0, 0), pair(1, 0)]));
        let error = open(&path, &Setup { nodes: 9, ..setup() }).unwrap_err();
        assert!(format!("{error:#}").contains("another measurement"), "{error:#}");
    }

    #[test]
    fn what_is_no_measurement_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        std::fs::write(&path, "my diary\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("is no measurement"));
        assert!(format!("{:#}", open(&path, &setup()).unwrap_err()).contains("no measurement"));
        assert_eq!(std::fs::read(&path).unwrap(), b"my diary\n");
        let (file, _) = open(&folder.path().join("n"), &setup()).unwrap();
        let mut file = file;
        add(&mut file, &pair(2, 0)).unwrap();
        let error = read(&folder.path().join("n")).unwrap_err();
        assert!(format!("{error:#}").contains("line 2: opening 2; allowed: below 2"), "{error:#}");
    }
}
