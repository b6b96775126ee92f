//! Where the coordinator is: the address that was joined, and those of the others of its ledger that it
//! has told, which stand by to take over. Kept in the state directory, so that a worker finds the one
//! that leads though the one that it joined is gone.
//!
//! An address comes with the fingerprint of its certificate, and from a coordinator that was believed:
//! whom that one vouches for is believed, too.

use keys::Address;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file in the state directory.
const FILE: &str = "coordinators";
/// More are not kept.
const MOST: usize = 8;

/// The addresses, and which of them is tried next.
#[derive(Debug)]
pub(crate) struct Places {
    path: PathBuf,
    joined: String,
    /// Without the one that was joined.
    others: Vec<String>,
    next: usize,
}

impl Places {
    /// The address that was joined, and what an earlier process has heard of others.
    pub(crate) fn open(state_dir: &Path, joined: String) -> Self {
        let path = state_dir.join(FILE);
        let known = fs::read_to_string(&path).unwrap_or_default();
        let mut places = Self { path, joined, others: Vec::new(), next: 0 };
        // Of another ledger than before nothing is taken over: its first line says which it was.
        if let Some((of, known)) = known.split_once('\n')
            && of == places.joined
        {
            places.others = places.acceptable(known.lines());
        }
        places
    }

    /// The one to try now.
    pub(crate) fn current(&self) -> &str {
        match self.next.checked_sub(1) {
            Some(place) => self.others.get(place).unwrap_or(&self.joined),
            None => &self.joined,
        }
    }

    /// The one tried did not serve: the next is tried.
    pub(crate) fn move_on(&mut self) {
        self.next = (self.next + 1) % (self.others.len() + 1);
    }

    /// A coordinator has told where the coordinators of its ledger are.
    pub(crate) fn learn(&mut self, told: &[String]) {
        let others = self.acceptable(told.iter().map(String::as_str));
        if others == self.others {
            return;
        }
        let current = self.current().to_owned();
        self.others = others;
        self.next = self.others.iter().position(|other| *other == current).map_or(0, |at| at + 1);
        if let Err(error) = self.write() {
            tracing::warn!(path = %self.path.display(), %error, "cannot remember the coordinators");
        }
    }

    /// What of it can be an address of a coordinator elsewhere. Plain connections carry no calls.
    fn acceptable<'a>(&self, told: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut kept = Vec::new();
        for text in told.filter(|text| text.len() <= 400) {
            let Ok(address) = text.parse::<Address>() else { continue };
            let text = address.to_string();
            if address.encrypted && text != self.joined && !kept.contains(&text) {
                kept.push(text);
            }
        }
        kept.sort();
        kept.truncate(MOST);
        kept
    }

    fn write(&self) -> io::Result<()> {
        let fresh = self.path.with_extension("new");
        let mut file = fs::File::create(&fresh)?;
        writeln!(file, "{}\n{}", self.joined, self.others.join("\n"))?;
        file.sync_all()?;
        fs::rename(&fresh, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(port: u16) -> String {
        format!("https://127.0.0.1:{port}#{}", "ab".repeat(32))
    }

    #[test]
    fn all_are_tried_in_turn_and_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let mut places = Places::open(dir.path(), address(1));
        assert_eq!(places.current(), address(1));
        places.move_on();
        assert_eq!(places.current(), address(1));
        places.learn(&[address(2), address(1), address(3)]);
        let mut tried = Vec::new();
        for _ in 0..4 {
            tried.push(places.current().to_owned());
            places.move_on();
        }
        assert_eq!(tried, [address(1), address(2), address(3), address(1)]);
        // The one in use stays it, wherever it stands in the list now.
        assert_eq!(places.current(), address(2));
        places.learn(&[address(2)]);
        assert_eq!(places.current(), address(2));

        assert_eq!(Places::open(dir.path(), address(1)).others, [address(2)]);
        assert_eq!(Places::open(dir.path(), address(9)).others, Vec::<String>::new());
    }

    #[test]
    fn what_is_no_address_of_a_coordinator_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let mut places = Places::open(dir.path(), address(1));
        let told = ["nonsense", "http://127.0.0.1:7", "https://h:0", "https://h:1\nhttps://x:1"];
        places.learn(&told.map(str::to_owned));
        assert_eq!(places.others, Vec::<String>::new());
        places.learn(&(2..40).map(address).collect::<Vec<_>>());
        assert_eq!(places.others.len(), MOST);
    }
}
