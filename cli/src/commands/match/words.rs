//! Words of the form `key=value` for engines, tests and ends by score, with the names that users of
//! other match runners know.

use super::Order;
use crate::books::Format;
use crate::output::hinted;
use anyhow::Context;
use arena::duel::{Entrant, Mind, Program, Protocol, Ranks, SideLimit, TimeControl, parse_seconds};
use clap::ValueEnum;
use model::{GameKind, ParameterSet, printable};
use std::path::{Path, PathBuf};
use std::time::Duration;
use worker::shelf::Shelf;

/// How much later than allowed a move may come, unless told otherwise.
const USUAL_MARGIN: Duration = Duration::from_millis(50);

/// MiB of the table of the engine built in, unless told otherwise.
const USUAL_HASH: usize = 16;

const KEYS: &str = "name, cmd, args, dir, proto, option.NAME, tc, st, movetime, nodes, depth, \
     timemargin, restart, ranks, startup, patience, builtin";

/// What the words have said so far.
#[derive(Clone, Debug)]
struct Draft {
    name: Option<String>,
    command: Option<String>,
    /// The command is a word alone, which may be the name of an engine that is kept.
    is_word: bool,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
    protocol: Protocol,
    options: Vec<(String, String)>,
    limit: SideLimit,
    restart: bool,
    ranks: Ranks,
    start_within: Duration,
    patience: Duration,
    is_builtin: bool,
}

/// Both engines; the words of `each` stand before their own, which may overrule them.
///
/// # Errors
/// A word makes no sense, or an engine lacks a command or a limit.
pub(super) fn entrants(
    game: GameKind,
    own: [&Vec<String>; 2],
    each: &[String],
    shelf: &Shelf,
) -> anyhow::Result<[Entrant; 2]> {
    let [first, second] = own;
    let first = entrant(game, first, each, shelf).context("--engine, the first")?;
    let mut second = entrant(game, second, each, shelf).context("--engine, the second")?;
    if first.name == second.name {
        second.name.push_str(" (2)");
    }
    Ok([first, second])
}

fn entrant(
    game: GameKind,
    own: &[String],
    each: &[String],
    shelf: &Shelf,
) -> anyhow::Result<Entrant> {
    Draft::of(game, each.iter().chain(own))?.finish(game, Some(shelf))
}

/// A program alone, whatever it may spend.
///
/// # Errors
/// A word makes no sense, there is no command, or it is the engine built in.
pub(super) fn program(game: GameKind, words: &[String]) -> anyhow::Result<Program> {
    let mut draft = Draft::of(game, words.iter())?;
    draft.limit.nodes.get_or_insert(1);
    match draft.finish(game, None)?.mind {
        Mind::Program(program) => Ok(program),
        Mind::Builtin { .. } => Err(hinted(
            "`builtin` is no program of its own",
            "the engine built in has `elomill bench` and `elomill params --game`",
        )),
    }
}

impl Draft {
    fn of<'w>(game: GameKind, words: impl Iterator<Item = &'w String>) -> anyhow::Result<Self> {
        let usual = Program::new("", Protocol::usual(game));
        let mut draft = Self {
            name: None,
            command: None,
            is_word: false,
            arguments: Vec::new(),
            folder: None,
            protocol: usual.protocol,
            options: Vec::new(),
            limit: SideLimit { margin: USUAL_MARGIN, ..SideLimit::default() },
            restart: false,
            ranks: Ranks::Usual,
            start_within: usual.start_within,
            patience: usual.patience,
            is_builtin: false,
        };
        for word in words {
            draft.word(word).with_context(|| format!("`{}`", printable(word, 80)))?;
        }
        Ok(draft)
    }

    fn word(&mut self, word: &str) -> anyhow::Result<()> {
        let Some((key, value)) = word.split_once('=') else {
            if word == "builtin" {
                self.is_builtin = true;
            } else {
                (self.command, self.is_word) = (Some(word.to_owned()), true);
            }
            return Ok(());
        };
        match key {
            "name" => {
                let (name, builtin) = match value.strip_suffix(",builtin") {
                    Some(name) => (name, true),
                    None => (value, false),
                };
                self.is_builtin |= builtin;
                self.name = Some(printable(name, 60));
            }
            "cmd" | "command" if value == "builtin" => self.is_builtin = true,
            "cmd" | "command" => {
                (self.command, self.is_word) = (Some(value.to_owned()), false);
            }
            "args" | "arg" => self.arguments.extend(value.split_whitespace().map(str::to_owned)),
            "dir" => self.folder = Some(PathBuf::from(value)),
            "proto" | "protocol" => {
                let protocol = Protocol::from_name(value);
                self.protocol =
                    protocol.context("no such protocol; allowed: uci, ucci, usi, xboard")?;
            }
            "tc" if value == "inf" => (self.limit.clock, self.limit.movetime) = (None, None),
            "tc" => {
                self.limit.clock = Some(TimeControl::parse(value)?);
                self.limit.movetime = None;
            }
            "st" => self.movetime(parse_seconds(value)?)?,
            "movetime" => self.movetime(Duration::from_millis(whole(value)?))?,
            "nodes" => self.limit.nodes = Some(whole::<u64>(value)?.max(1)),
            "depth" => self.limit.depth = Some(whole::<u32>(value)?.clamp(1, 1000)),
            "timemargin" | "margin" => {
                self.limit.margin = Duration::from_millis(whole::<u32>(value)?.into());
            }
            "restart" => self.restart = switch(value)?,
            "ranks" => {
                self.ranks = match value {
                    "0" => Ranks::Zero,
                    "1" => Ranks::One,
                    _ => anyhow::bail!("allowed: 0 or 1"),
                }
            }
            "startup" => self.start_within = parse_seconds(value)?,
            "patience" => self.patience = parse_seconds(value)?,
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                    self.options.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(hinted("no such word", format_args!("allowed: {KEYS}"))),
            },
        }
        Ok(())
    }

    fn movetime(&mut self, each: Duration) -> anyhow::Result<()> {
        anyhow::ensure!(!each.is_zero(), "allowed: more than no time");
        (self.limit.clock, self.limit.movetime) = (None, Some(each));
        Ok(())
    }

    /// An engine of the shelf comes before a program of the same name.
    fn finish(self, game: GameKind, shelf: Option<&Shelf>) -> anyhow::Result<Entrant> {
        if self.limit.is_empty() {
            let hint = "give tc=10+0.1, st=0.1, nodes=10000 or depth=8, to both by --each";
            return Err(hinted("no limit for its moves", hint));
        }
        if self.is_builtin {
            return self.builtin();
        }
        let Some(command) = self.command.clone() else {
            let hint = "give its path, cmd=PATH, or the word builtin";
            return Err(hinted("no command", hint));
        };
        if self.is_word
            && let Some(shelf) = shelf
            && shelf.list()?.iter().any(|engine| engine.file.name == command)
        {
            return self.kept(game, &command, shelf);
        }
        let stem = Path::new(&command).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = self.name.unwrap_or_else(|| printable(&stem.unwrap_or_default(), 60));
        let folder = self.folder.map(std::path::absolute).transpose()?;
        let mut program = Program::new(located(&command, folder.as_deref())?, self.protocol);
        program.arguments = self.arguments;
        program.folder = folder;
        program.options = self.options;
        program.restart = self.restart;
        program.ranks = self.ranks;
        program.start_within = self.start_within;
        program.patience = self.patience;
        Ok(Entrant { name, mind: Mind::Program(program), limit: self.limit })
    }

    /// An engine that is kept, as its manifest says where no word says otherwise.
    fn kept(self, game: GameKind, name: &str, shelf: &Shelf) -> anyhow::Result<Entrant> {
        let engine = shelf.find(name)?;
        if engine.file.game != game {
            let hint = format!("--game {}", engine.file.game);
            return Err(hinted(format_args!("`{name}` plays {}", engine.file.game), hint));
        }
        let mut program = engine.program();
        for (option, value) in self.options {
            program.options.retain(|(known, _)| !known.eq_ignore_ascii_case(&option));
            program.options.push((option, value));
        }
        program.arguments.extend(self.arguments);
        program.folder = self.folder.map(std::path::absolute).transpose()?;
        program.restart = self.restart;
        program.ranks = self.ranks;
        program.start_within = self.start_within;
        program.patience = self.patience;
        let name = self.name.unwrap_or_else(|| name.to_owned());
        Ok(Entrant { name, mind: Mind::Program(program), limit: self.limit })
    }

    fn builtin(self) -> anyhow::Result<Entrant> {
        let mut parameters = ParameterSet::default();
        let mut hash_mb = USUAL_HASH;
        for (name, value) in self.options {
            let wrong = || format!("option.{}: allowed: a number", printable(&name, 60));
            if name.eq_ignore_ascii_case("hash") {
                hash_mb = value
                    .parse()
                    .ok()
                    .filter(|mb| (1..=65_536).contains(mb))
                    .with_context(wrong)?;
            } else if !name.eq_ignore_ascii_case("threads") {
                let value: f64 = value.parse().ok().with_context(wrong)?;
                parameters.0.insert(name, value);
            }
        }
        let name = self.name.unwrap_or_else(|| "builtin".to_owned());
        Ok(Entrant { name, mind: Mind::Builtin { parameters, hash_mb }, limit: self.limit })
    }
}

/// A path is meant from the engine's folder if it is there, else from here; a bare name is looked up
/// by the system.
fn located(command: &str, folder: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = Path::new(command);
    if path.components().count() < 2 && !command.starts_with('.') {
        return Ok(path.to_owned());
    }
    let in_folder = folder.map(|folder| folder.join(path)).filter(|path| path.exists());
    Ok(std::path::absolute(in_folder.unwrap_or_else(|| path.to_owned()))?)
}

fn whole<N: std::str::FromStr>(value: &str) -> anyhow::Result<N> {
    value.parse().ok().context("allowed: a whole number")
}

fn switch(value: &str) -> anyhow::Result<bool> {
    match value {
        "on" | "true" => Ok(true),
        "off" | "false" | "auto" => Ok(false),
        _ => anyhow::bail!("allowed: on or off"),
    }
}

/// What is said of the openings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpeningWords {
    pub(super) file: Option<PathBuf>,
    pub(super) format: Option<Format>,
    pub(super) order: Option<Order>,
    pub(super) plies: Option<usize>,
    /// `start=N` passes over so many.
    pub(super) skipped: u64,
}

impl OpeningWords {
    /// # Errors
    /// A word makes no sense, or there are words and no file.
    pub(super) fn of(words: &[String]) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for word in words {
            found.word(word).with_context(|| format!("--openings: `{}`", printable(word, 80)))?;
        }
        let is_of_files = found.format.is_some() || found.plies.is_some();
        if is_of_files && found.file.is_none() {
            return Err(hinted("--openings: no file", "file=PATH, or the path alone"));
        }
        Ok(found)
    }

    fn word(&mut self, word: &str) -> anyhow::Result<()> {
        let (key, value) = word.split_once('=').unwrap_or(("file", word));
        match key {
            "file" => self.file = Some(PathBuf::from(value)),
            "format" => self.format = Some(named(value)?),
            "order" => self.order = Some(named(value)?),
            "plies" => self.plies = Some(whole(value)?),
            "start" => {
                let start: u64 = whole(value)?;
                let skipped = start.checked_sub(1).filter(|skipped| *skipped < 1 << 32);
                self.skipped = skipped.context("allowed: 1 for the first opening, and more")?;
            }
            // A path may have the sign in it.
            _ if Path::new(word).exists() => self.file = Some(PathBuf::from(word)),
            _ => {
                let hint = "allowed: file, format, order, plies, start";
                return Err(hinted("no such word", hint));
            }
        }
        Ok(())
    }
}

/// A value by its name.
fn named<V: ValueEnum>(value: &str) -> anyhow::Result<V> {
    V::from_str(value, true).map_err(|_| {
        let names = V::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<_> = names.map(|name| name.get_name().to_owned()).collect();
        anyhow::anyhow!("allowed: {}", names.join(", "))
    })
}

/// `key=value` pairs, divided by commas or given as words of their own.
pub(super) struct Numbers<'a> {
    place: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Numbers<'a> {
    /// # Errors
    /// A key is not known.
    pub(super) fn of(
        place: &'static str,
        words: &'a [String],
        known: &[&str],
    ) -> anyhow::Result<Self> {
        let words = words.iter().flat_map(|word| word.split(',')).filter(|word| !word.is_empty());
        let pairs: Vec<_> =
            words.map(|word| word.split_once('=').unwrap_or((word, "true"))).collect();
        for (key, _) in &pairs {
            if !known.contains(key) {
                let hint = format!("allowed: {}", known.join(", "));
                return Err(hinted(
                    format_args!("{place}: no word `{}`", printable(key, 40)),
                    hint,
                ));
            }
        }
        Ok(Self { place, pairs })
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// A whole number, or `true` and `false` as 1 and 0.
    pub(super) fn get(&self, key: &str, usual: u32) -> anyhow::Result<u32> {
        match self.text(key) {
            None => Ok(usual),
            Some("true") => Ok(1),
            Some("false") => Ok(0),
            Some(text) => text.parse().ok().filter(|n| *n <= 1_000_000).with_context(|| {
                format!(
                    "{}: {key}: found `{}`; allowed: a whole number to 1000000",
                    self.place,
                    printable(text, 40)
                )
            }),
        }
    }

    /// A whole number that must be given: nothing and 0 would end every game at once.
    pub(super) fn at_least_one(&self, key: &str) -> anyhow::Result<u32> {
        let number = self.get(key, 0)?;
        anyhow::ensure!(number > 0, "{}: {key}: allowed: a whole number from 1 on", self.place);
        Ok(number)
    }

    fn real(&self, key: &str, usual: f64) -> anyhow::Result<f64> {
        let Some(text) = self.text(key) else { return Ok(usual) };
        text.parse().ok().with_context(|| {
            format!("{}: {key}: found `{}`; allowed: a number", self.place, printable(text, 40))
        })
    }
}

/// A sequential test.
///
/// # Errors
/// A word is not known, or the hypotheses or rates are none.
pub(super) fn sprt(words: &[String]) -> anyhow::Result<stats::SprtSpec> {
    let known = ["elo0", "elo1", "alpha", "beta", "model"];
    let words = Numbers::of("--sprt", words, &known)?;
    let model = match words.text("model") {
        None | Some("normalized") => stats::EloModel::Normalized,
        Some("logistic") => stats::EloModel::Logistic,
        Some(_) => return Err(hinted("--sprt: model", "allowed: normalized or logistic")),
    };
    let spec = stats::SprtSpec {
        elo0: words.real("elo0", 0.0)?,
        elo1: words.real("elo1", 5.0)?,
        alpha: words.real("alpha", 0.05)?,
        beta: words.real("beta", 0.05)?,
        model,
    };
    spec.check()
        .map_err(|error| hinted(format_args!("--sprt: {error}"), "0 and 5 suit a young engine"))?;
    Ok(spec)
}
