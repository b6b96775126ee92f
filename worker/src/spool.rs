//! What is finished and not acknowledged, on disk: one file of JSON lines for each lease.
//!
//! The first line holds the order, then come the pairs in the order in which they finished, and
//! marks: up to which pair a report was sent, up to which it was acknowledged. A kill can tear the
//! last line, which is then dropped: that pair was not reported yet, as a report leaves only after
//! its pairs are synchronised, and pairs are deterministic. Files go when their lease is over.

use crate::holdings::LeaseKey;
use model::Nodes;
use model::lease::{PairRecord, WorkOrder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is written to see whether there is room again.
const PROBE_BYTES: usize = 256 * 1024;

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line {
    /// First: what was leased, and the fingerprint of the engine that plays it.
    Order { bench: Nodes, order: Box<WorkOrder> },
    /// A finished pair.
    Pair(PairRecord),
    /// A report of this number is about to leave.
    Sent(u32),
    /// The report of this number was merged.
    Acked(u32),
}

/// A lease as an earlier process left it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recovered {
    pub(crate) bench: Nodes,
    pub(crate) order: WorkOrder,
    pub(crate) pairs: Vec<PairRecord>,
    pub(crate) sent: u32,
    pub(crate) acked: u32,
}

impl Recovered {
    pub(crate) fn key(&self) -> LeaseKey {
        LeaseKey::of(&self.order)
    }
}

/// The directory and its open files.
pub(crate) struct Spool {
    dir: PathBuf,
    files: BTreeMap<LeaseKey, Arc<File>>,
}

impl Spool {
    /// Opens the directory, which is created if absent, and reads what is in it, oldest lease first.
    ///
    /// A file that makes no sense is put aside under another name, for a person to look at.
    pub(crate) fn open(dir: &Path) -> io::Result<(Self, Vec<Recovered>)> {
        fs::create_dir_all(dir)?;
        let mut spool = Self { dir: dir.to_owned(), files: BTreeMap::new() };
        let mut recovered = Vec::new();
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let bytes = fs::read(&path)?;
            if !bytes.contains(&b'\n') {
                // Torn in its first line: nothing of the lease was played yet.
                fs::remove_file(&path)?;
                continue;
            }
            let Some((lease, good)) = read_lines(&bytes) else {
                let aside = path.with_extension("damaged");
                tracing::warn!(
                    path = %aside.display(),
                    "a spool file makes no sense and is put aside; its lease will be played again"
                );
                fs::rename(&path, aside)?;
                continue;
            };
            let file = OpenOptions::new().append(true).open(&path)?;
            file.set_len(good as u64)?;
            spool.files.insert(lease.key(), Arc::new(file));
            recovered.push(lease);
        }
        recovered.sort_by_key(Recovered::key);
        Ok((spool, recovered))
    }

    /// Begins the file of a lease.
    pub(crate) fn create(&mut self, bench: Nodes, order: &WorkOrder) -> io::Result<()> {
        let key = LeaseKey::of(order);
        let path = self.path(key);
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(0)?;
        self.files.insert(key, Arc::new(file));
        self.append(key, &Line::Order { bench, order: Box::new(order.clone()) })
    }

    /// Appends a line; nothing for a lease without a file.
    pub(crate) fn append(&mut self, key: LeaseKey, line: &Line) -> io::Result<()> {
        let Some(file) = self.files.get(&key) else { return Ok(()) };
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // One write, so that nothing but the end of a line can be torn.
        let mut file: &File = file;
        file.write_all(&text)
    }

    /// The file of a lease, to be synchronised elsewhere; `None` for a lease without one.
    pub(crate) fn file(&self, key: LeaseKey) -> Option<Arc<File>> {
        self.files.get(&key).cloned()
    }

    /// Deletes the file of a lease that is over.
    pub(crate) fn remove(&mut self, key: LeaseKey) -> io::Result<()> {
        if self.files.remove(&key).is_none() {
            return Ok(());
        }
        fs::remove_file(self.path(key))
    }

    /// Whether the disk takes something again: as much as a lease with its games, written and
    /// synchronised, and taken away again.
    pub(crate) fn probe(&self) -> io::Result<()> {
        let path = self.dir.join("probe");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0; PROBE_BYTES])?;
            file.sync_data()
        });
        let removed = fs::remove_file(&path);
        written.and(removed)
    }

    fn path(&self, key: LeaseKey) -> PathBuf {
        self.dir.join(format!("{}-{}.jsonl", key.lease, key.epoch))
    }
}

/// How many bytes of a file of the spool are good; `None` for one that makes no sense.
#[must_use]
pub fn good_bytes(file: &[u8]) -> Option<usize> {
    read_lines(file).map(|(_, good)| good)
}

/// The lease that these lines tell of, and how many bytes of them are good; `None` when they
/// contradict each other or anything but the last line is torn.
fn read_lines(bytes: &[u8]) -> Option<(Recovered, usize)> {
    let mut lease: Option<Recovered> = None;
    let mut good = 0;
    for text in bytes.split_inclusive(|&b| b == b'\n') {
        if text.last() != Some(&b'\n') {
            break;
        }
        let line: Line = serde_json::from_slice(text).ok()?;
        match (line, &mut lease) {
            (Line::Order { bench, order }, None) => {
                let order = *order;
                lease = Some(Recovered { bench, order, pairs: Vec::new(), sent: 0, acked: 0 });
            }
            (Line::Pair(pair), Some(lease)) => {
                let asked = lease.order.openings.iter().any(|o| o.index == pair.index);
                let twice = lease.pairs.iter().any(|p| p.index == pair.index);
                if !asked || twice {
                    return None;
                }
                lease.pairs.push(pair);
            }
            (Line::Sent(to), Some(lease)) => lease.sent = lease.sent.max(to),
            (Line::Acked(to), Some(lease)) => lease.acked = lease.acked.max(to),
            (Line::Order { .. }, Some(_)) | (_, None) => return None,
        }
        good += text.len();
    }
    let lease = lease?;
    let whole = lease.acked <= lease.sent && lease.sent as usize <= lease.pairs.len();
    whole.then_some((lease, good))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::evals::{MoveEval, MoveTime};
    use model::lease::{GameRecord, PairIndex};
    use model::{GameScore, LeaseId, Ply, Score, Termination};

    fn order(lease: i64) -> WorkOrder {
        let wire = crate::convert::tests::good_lease();
        WorkOrder { lease: LeaseId(lease), ..crate::convert::work_order(wire, 4096).unwrap() }
    }

    fn pair(index: u64) -> PairRecord {
        let game = GameRecord {
            score: GameScore::Draw,
            termination: Termination::Board,
            plies: Ply(9),
            nodes: Nodes(450),
            moves: "b2 a1 c3".into(),
            evals: vec![MoveEval { score: Score(-3), depth: 2, nodes: Nodes(150) }; 3],
            times: vec![MoveTime(700); 3],
        };
        PairRecord { index: PairIndex(index), candidate_first: game.clone(), base_first: game }
    }

    fn spooled(dir: &Path, lines: &[Line]) -> LeaseKey {
        let order = order(7);
        let (mut spool, _) = Spool::open(dir).unwrap();
        spool.create(Nodes(99), &order).unwrap();
        let key = LeaseKey::of(&order);
        for line in lines {
            spool.append(key, line).unwrap();
        }
        key
    }

    #[test]
    fn what_was_spooled_comes_back_and_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let lines = [Line::Pair(pair(11)), Line::Pair(pair(10)), Line::Sent(2), Line::Acked(1)];
        let key = spooled(dir.path(), &lines);
        let (mut spool, recovered) = Spool::open(dir.path()).unwrap();
        let expected = Recovered {
            bench: Nodes(99),
            order: order(7),
            pairs: vec![pair(11), pair(10)],
            sent: 2,
            acked: 1,
        };
        assert_eq!(recovered, [expected]);
        spool.append(key, &Line::Pair(pair(13))).unwrap();
        let (_, recovered) = Spool::open(dir.path()).unwrap();
        assert_eq!(recovered[0].pairs.len(), 3);
    }

    #[test]
    fn a_torn_last_line_is_dropped_wherever_it_is_torn() {
        let dir = tempfile::tempdir().unwrap();
        let key = spooled(dir.path(), &[Line::Pair(pair(10))]);
        let path = dir.path().join("7-2.jsonl");
        let whole = fs::read(&path).unwrap();
        let mut torn_line = serde_json::to_vec(&Line::Pair(pair(11))).unwrap();
        for length in 1..=torn_line.len() {
            fs::write(&path, [&whole, &torn_line[..length]].concat()).unwrap();
            let (mut spool, recovered) = Spool::open(dir.path()).unwrap();
            assert_eq!(recovered[0].pairs, [pair(10)]);
            if length % 50 == 0 {
                spool.append(key, &Line::Pair(pair(12))).unwrap();
                let (_, recovered) = Spool::open(dir.path()).unwrap();
                assert_eq!(recovered[0].pairs, [pair(10), pair(12)]);
            }
        }
        torn_line.push(b'\n');
        fs::write(&path, [whole, torn_line].concat()).unwrap();
        assert_eq!(Spool::open(dir.path()).unwrap().1[0].pairs.len(), 2);
    }

    #[test]
    fn a_file_that_contradicts_itself_is_put_aside() {
        let cases: [&[Line]; 5] = [
            &[Line::Pair(pair(99))],
            &[Line::Pair(pair(10)), Line::Pair(pair(10))],
            &[Line::Sent(1)],
            &[Line::Pair(pair(10)), Line::Acked(1)],
            &[Line::Order { bench: Nodes(1), order: Box::new(order(7)) }],
        ];
        for lines in cases {
            let dir = tempfile::tempdir().unwrap();
            spooled(dir.path(), lines);
            let (_, recovered) = Spool::open(dir.path()).unwrap();
            assert_eq!(recovered, [], "{lines:?}");
            assert!(dir.path().join("7-2.damaged").exists());
            assert!(!dir.path().join("7-2.jsonl").exists());
        }
    }

    #[test]
    fn a_file_torn_in_its_first_line_goes_and_strange_files_stay() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("8-1.jsonl"), "").unwrap();
        fs::write(dir.path().join("9-1.jsonl"), "{\"order\":{\"ben").unwrap();
        fs::write(dir.path().join("notes.txt"), "hello").unwrap();
        assert_eq!(Spool::open(dir.path()).unwrap().1, []);
        let left: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["notes.txt"]);
    }

    #[test]
    fn the_file_goes_with_its_lease() {
        let dir = tempfile::tempdir().unwrap();
        let key = spooled(dir.path(), &[Line::Pair(pair(10))]);
        let (mut spool, _) = Spool::open(dir.path()).unwrap();
        assert!(spool.file(key).is_some());
        spool.remove(key).unwrap();
        spool.remove(key).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        spool.append(key, &Line::Sent(1)).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    /// A disk gives back what it likes: bytes turned over, lost, doubled, lines in another order.
    #[test]
    fn whatever_is_on_the_disk_is_a_lease_with_pairs_of_its_own_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let lines = [Line::Pair(pair(11)), Line::Sent(1), Line::Pair(pair(10)), Line::Acked(1)];
        let key = spooled(dir.path(), &lines);
        let good = fs::read(dir.path().join(format!("{}-{}.jsonl", key.lease, key.epoch))).unwrap();
        let mut state = 7_u64;
        // Knuth's MMIX constants.
        let mut below = move |most: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % most.max(1)
        };
        let mut whole = 0;
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..=below(3) {
                let at = below(bytes.len());
                match below(5) {
                    0 => bytes[at] ^= 1 << below(8),
                    1 => bytes.truncate(at + 1),
                    2 => bytes.extend_from_within(at..),
                    3 => drop(bytes.drain(..at)),
                    _ => bytes[at] = b'\n',
                }
            }
            if let Some((lease, used)) = read_lines(&bytes) {
                whole += 1;
                assert!(used <= bytes.len() && lease.pairs.len() <= lease.order.openings.len());
                assert!(lease.acked <= lease.sent && lease.sent as usize <= lease.pairs.len());
                let asked =
                    |p: &PairRecord| lease.order.openings.iter().any(|o| o.index == p.index);
                assert!(lease.pairs.iter().all(asked));
            }
        }
        assert!(whole > 100, "{whole} were read");
    }
}
