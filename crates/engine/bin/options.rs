//! The options of the engine: what the other side may set, and every constant of the search.

use engine::MAX_THREADS;
use model::{GameKind, ParameterSet, printable};
use net::Network;
use std::sync::Arc;
use std::time::Duration;

/// Most MiB of a hash table.
const MOST_HASH: usize = 65_536;

/// Most root moves with a line of their own.
const MOST_LINES: usize = 256;

/// Most bytes of the file of a network.
const MOST_NETWORK: u64 = 256 << 20;

/// Longest time on the way, in milliseconds.
const MOST_OVERHEAD: u64 = 10_000;

/// What is set.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// MiB of the hash table.
    pub(crate) hash: usize,
    pub(crate) threads: usize,
    pub(crate) lines: usize,
    pub(crate) overhead: Duration,
    /// Castling is written as the king taking its own rook.
    pub(crate) chess960: bool,
    /// What evaluates; `None`: the evaluation written by hand.
    pub(crate) network: Option<Arc<Network>>,
    /// The times of UCCI are in milliseconds.
    pub(crate) milliseconds: bool,
    /// The constants of the engine are listed with the rest. They can be set in any case; but they are a
    /// thousand, which no window shows, and more than some programs have room for (PolyGlot: 256).
    pub(crate) lists_constants: bool,
    /// The constants of the engine that were set, of whatever game.
    pub(crate) set: ParameterSet,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16,
            threads: 1,
            lines: 1,
            overhead: Duration::from_millis(10),
            chess960: false,
            network: None,
            milliseconds: false,
            lists_constants: false,
            set: ParameterSet::default(),
        }
    }
}

/// What a change asks of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing more.
    Done,
    /// Constants have other values.
    Constants,
    /// The hash table has another size.
    Resize,
    /// Searches have another number of threads.
    Threads,
    /// Everything is to be forgotten.
    Forget,
    /// Another network is to evaluate, or none.
    Network,
    /// Castling is written in another way.
    Chess960,
    /// Another game is to be played.
    Game(GameKind),
}

impl Options {
    /// Sets one option; names are compared without regard to case.
    ///
    /// # Errors
    /// No such option, or no such value: what was found and what is allowed.
    pub(crate) fn set(
        &mut self,
        game: GameKind,
        name: &str,
        value: &str,
    ) -> Result<Change, String> {
        match name.to_ascii_lowercase().as_str() {
            "hash" | "hashsize" | "usi_hash" => {
                self.hash = number(name, value, 1, MOST_HASH)?;
                Ok(Change::Resize)
            }
            "threads" => {
                self.threads = number(name, value, 1, MAX_THREADS)?;
                Ok(Change::Threads)
            }
            "multipv" => {
                self.lines = number(name, value, 1, MOST_LINES)?;
                Ok(Change::Done)
            }
            "move overhead" | "moveoverhead" => {
                self.overhead = Duration::from_millis(number(name, value, 0, MOST_OVERHEAD)?);
                Ok(Change::Done)
            }
            "uci_chess960" => {
                self.chess960 = switch(name, value)?;
                Ok(Change::Chess960)
            }
            "evalfile" => {
                self.network = network(value)?;
                Ok(Change::Network)
            }
            "usemillisec" => {
                self.milliseconds = switch(name, value)?;
                Ok(Change::Done)
            }
            // Thinking on the other side's time is asked for by the command itself.
            "ponder" | "usi_ponder" => switch(name, value).map(|_| Change::Done),
            "clear hash" => Ok(Change::Forget),
            "uci_variant" => crate::board::game_of(value).map(Change::Game),
            _ => self.set_tunable(game, name, value),
        }
    }

    fn set_tunable(&mut self, game: GameKind, name: &str, value: &str) -> Result<Change, String> {
        let Some(def) = engine::definition(game, name) else {
            return Err(format!("no option `{}`", printable(name, 60)));
        };
        let number: f64 = value.parse().map_err(|_| {
            format!("option {name}: found `{}`; allowed: a number", printable(value, 40))
        })?;
        let number = def.accept(number).map_err(|error| error.to_string())?;
        self.set.0.insert(def.name.to_string(), number);
        Ok(Change::Constants)
    }

    /// The options in the form of UCI, without the word before each.
    pub(crate) fn list(&self, game: GameKind, games: &[GameKind]) -> Vec<String> {
        let default = Self::default();
        let mut list = vec![
            format!("name Hash type spin default {} min 1 max {MOST_HASH}", default.hash),
            "name Clear Hash type button".to_owned(),
            format!("name Threads type spin default {} min 1 max {MAX_THREADS}", default.threads),
            format!("name MultiPV type spin default 1 min 1 max {MOST_LINES}"),
            "name Ponder type check default false".to_owned(),
            "name UCI_Chess960 type check default false".to_owned(),
            "name EvalFile type string default <empty>".to_owned(),
            format!(
                "name Move Overhead type spin default {} min 0 max {MOST_OVERHEAD}",
                default.overhead.as_millis()
            ),
        ];
        let choices: String = games.iter().map(|game| format!(" var {game}")).collect();
        list.push(format!("name UCI_Variant type combo default {game}{choices}"));
        list.extend(self.constants(game));
        list
    }

    /// The same for UCCI, whose names have no blanks and no word before them.
    pub(crate) fn list_ucci(&self) -> Vec<String> {
        let default = Self::default();
        let mut list = vec![
            "usemillisec type check default false".to_owned(),
            format!("hashsize type spin min 1 max {MOST_HASH} default {}", default.hash),
            "ponder type check default false".to_owned(),
            "newgame type button".to_owned(),
            "EvalFile type string default <empty>".to_owned(),
        ];
        let constants = self.constants(GameKind::Xiangqi);
        list.extend(constants.map(|line| line.trim_start_matches("name ").to_owned()));
        list
    }

    /// The constants, where they are to be listed: whole numbers as spins; the protocols know no other
    /// numbers, so the rest are strings.
    fn constants(&self, game: GameKind) -> impl Iterator<Item = String> + use<> {
        let listed = if self.lists_constants { engine::definitions(game) } else { &[] };
        listed.iter().map(|def| {
            if def.kind.is_whole() {
                let (name, default, min, max) = (&def.name, def.default, def.min, def.max);
                format!("name {name} type spin default {default} min {min} max {max}")
            } else {
                format!("name {} type string default {}", def.name, def.default)
            }
        })
    }
}

/// The network of a file; nothing, or `<empty>`: none.
///
/// # Errors
/// The file cannot be read or is no network; the evaluation stays as it was.
fn network(value: &str) -> Result<Option<Arc<Network>>, String> {
    let path = value.trim();
    if path.is_empty() || path == "<empty>" {
        return Ok(None);
    }
    let wrong = |error: &dyn std::fmt::Display| {
        let path = printable(path, 200);
        format!("option EvalFile: {path}: {error}; the evaluation stays as it was")
    };
    let length = std::fs::metadata(path).map_err(|error| wrong(&error))?.len();
    if length > MOST_NETWORK {
        return Err(wrong(&format!("found {length} bytes; allowed: {MOST_NETWORK}")));
    }
    let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
    let network = Network::from_bytes(&bytes).map_err(|error| wrong(&error))?;
    Ok(Some(Arc::new(network)))
}

fn number<N>(name: &str, value: &str, min: N, max: N) -> Result<N, String>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
{
    let number = value.trim().parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| {
        let (name, value) = (printable(name, 40), printable(value, 40));
        format!("option {name}: found `{value}`; allowed: a whole number from {min} to {max}")
    })
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "" => Ok(true),
        "false" | "off" => Ok(false),
        _ => {
            let (name, value) = (printable(name, 40), printable(value, 40));
            Err(format!("option {name}: found `{value}`; allowed: true or false"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: GameKind = GameKind::Xiangqi;

    #[test]
    fn options_are_set_by_name_whatever_its_case() {
        let mut options = Options::default();
        assert_eq!(options.set(GAME, "hash", "64"), Ok(Change::Resize));
        assert_eq!(options.set(GAME, "MULTIPV", "3"), Ok(Change::Done));
        assert_eq!(options.set(GAME, "threads", "2"), Ok(Change::Threads));
        assert_eq!(options.threads, 2);
        assert_eq!(options.set(GAME, "Move Overhead", "50"), Ok(Change::Done));
        assert_eq!((options.hash, options.lines), (64, 3));
        assert_eq!(options.overhead, Duration::from_millis(50));
        assert_eq!(
            options.set(GAME, "UCI_Variant", "xiangqi"),
            Ok(Change::Game(GameKind::Xiangqi))
        );
        assert_eq!(options.set(GAME, "Clear Hash", ""), Ok(Change::Forget));
    }

    #[test]
    fn constants_of_the_search_are_options() {
        let mut options = Options::default();
        assert_eq!(options.set(GAME, "rfp_margin", "77"), Ok(Change::Constants));
        assert_eq!(options.set(GAME, "lmr_base", "0.75"), Ok(Change::Constants));
        assert_eq!(options.set.0.get("rfp_margin"), Some(&77.0));
        assert_eq!(options.set.0.get("lmr_base"), Some(&0.75));
    }

    #[test]
    fn constants_are_listed_when_that_is_asked_for() {
        let mut options = Options::default();
        let usual = options.list(GAME, &GameKind::ALL);
        assert!(usual.len() < 20 && options.list_ucci().len() < 20, "{usual:?}");
        options.lists_constants = true;
        let (listed, ucci) = (options.list(GAME, &GameKind::ALL), options.list_ucci());
        for def in engine::definitions(GAME) {
            assert!(listed.iter().any(|line| line.starts_with(&format!("name {} ", def.name))));
            assert!(ucci.iter().any(|line| line.starts_with(&format!("{} ", def.name))));
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused_and_changes_nothing() {
        let mut options = Options::default();
        for (name, value, part) in [
            ("Hash", "0", "from 1 to 65536"),
            ("Hash", "many", "found `many`"),
            ("Threads", "0", "from 1 to 256"),
            ("Threads", "257", "from 1 to 256"),
            ("rfp_margin", "1e9", "allowed: a whole number from 10"),
            ("rfp_margin", "NaN", "allowed"),
            ("rfp_margin", "", "a number"),
            ("ponder", "perhaps", "true or false"),
            ("UCI_Variant", "go", "unknown game `go`"),
            ("Nonsense\x1b", "1", "no option `Nonsense·`"),
        ] {
            let error = options.set(GAME, name, value).expect_err(name);
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(options.set, ParameterSet::default());
    }
}
