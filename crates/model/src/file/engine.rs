//! The manifest of an engine that this project did not write: `engines/NAME.toml`.
//!
//! It says what the engine plays and speaks, where its program comes from, how it is set up, and by
//! which number of nodes its build is known to be the right one. Reading does no I/O; that a path is
//! there or a commit can be fetched is for who builds it.

use super::game_names;
use super::reader::{Reader, Section};
use crate::{FindingList, GameKind, Protocol};

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFile {
    /// By which it is stored and called: letters, digits, `-`, `_` and `.`, at most 64.
    pub name: String,
    /// What it plays.
    pub game: GameKind,
    /// What it speaks; what the game's programs mostly do when the file names none.
    pub protocol: Protocol,
    /// Where its program comes from.
    pub source: EngineSource,
    /// Words behind its command.
    pub arguments: Vec<String>,
    /// Options by name, as texts.
    pub options: Vec<(String, String)>,
    /// How its build is recognised.
    pub bench: Option<EngineBench>,
    /// Threads that it thinks with; 1 when the file names none.
    pub threads: u32,
    /// MiB that it needs beside its hash table; 1024 when the file names none.
    pub memory_mib: u64,
    /// Whether it may start other processes, as a script around an engine does.
    pub starts_others: bool,
}

/// Where a program comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSource {
    /// A commit of a repository, built by a recipe.
    Git {
        /// What `git fetch` takes.
        url: String,
        /// The whole hash of the commit.
        commit: String,
        /// How it is built.
        recipe: Recipe,
    },
    /// A folder of this machine, built by a recipe each time that it is added.
    Folder {
        /// A relative path counts from the manifest's folder.
        path: String,
        /// How it is built.
        recipe: Recipe,
    },
    /// A program that is ready.
    File {
        /// A relative path counts from the manifest's folder.
        path: String,
        /// The SHA-256 that it must have, 64 small hexadecimal digits.
        sha256: String,
    },
}

/// How a program is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// A command and its arguments; empty: nothing is to be done.
    pub command: Vec<String>,
    /// The program that comes out, from the source's root.
    pub result: String,
}

/// A search of fixed positions whose number of nodes is the build's fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineBench {
    /// Arguments with which the program does it.
    pub arguments: Vec<String>,
    /// Nodes altogether.
    pub signature: u64,
}

/// The sources, of which a manifest has one.
const SOURCES: [&str; 3] = ["git", "folder", "file"];

impl EngineFile {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Everything that is wrong in it, with lines.
    pub fn parse(text: &str) -> Result<Self, FindingList> {
        Self::read(Reader::new(text))
    }

    pub(super) fn read(mut reader: Reader<'_>) -> Result<Self, FindingList> {
        let Some(document) = reader.document() else { return Err(reader.into_findings()) };
        let mut root = reader.root(&document);
        let name = root.required_text(&mut reader, "name", "name = \"my-engine\"");
        if root.has("name") && !is_name(&name) {
            let allowed = "1 to 64 letters, digits, `-`, `_` and `.`, beginning with none of these";
            let found = format!("\"{}\"", crate::printable(&name, 60));
            reader.wrong(&root, "name", found, allowed, "it is the name of a folder, too");
        }
        let game = root.choice(&mut reader, "game", None, &game_names());
        let protocols = Protocol::ALL.map(|(protocol, name)| (name, protocol));
        let usual = Protocol::usual(game.unwrap_or(GameKind::Chess));
        let protocol = root.choice(&mut reader, "protocol", Some(usual), &protocols);
        let arguments = root.text(&mut reader, "arguments").unwrap_or_default();
        let threads = root.whole(&mut reader, "threads", Some(1), 1..=1024);
        let memory_mib = root.whole(&mut reader, "memory", Some(1024), 16..=1 << 24);
        let processes =
            root.choice(&mut reader, "processes", Some(false), &[("one", false), ("many", true)]);
        let source = source(&mut reader, &mut root);
        let options = root.scalars(&mut reader, "options");
        let bench = bench(&mut reader, &mut root);
        root.finish(&mut reader);
        let (Some(game), Some(source), true) = (game, source, reader.is_clean()) else {
            return Err(reader.into_findings());
        };
        Ok(Self {
            name,
            game,
            protocol: protocol.unwrap_or(usual),
            source,
            arguments: words(&arguments),
            options,
            bench,
            threads: u32::try_from(threads).unwrap_or(1),
            memory_mib,
            starts_others: processes.unwrap_or(false),
        })
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Whether a text can stand as a folder's name and as a word of a command line.
fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(allowed)
}

fn is_hex(text: &str, digits: &[usize]) -> bool {
    digits.contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase() && b <= b'f')
}

fn source(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Option<EngineSource> {
    let Some(mut build) = root.section(reader, "build") else {
        let mend = "[build]\n  file = \"stockfish\"\n  sha256 = \"…\"";
        reader.missing(root, "build", "a [build] table with git, folder or file", mend);
        return None;
    };
    let stated: Vec<_> = SOURCES.into_iter().filter(|source| build.has(source)).collect();
    let source = match (stated.first().copied(), stated.get(1)) {
        (Some("git"), None) => {
            let url = build.text(reader, "git").unwrap_or_default();
            let commit = build.required_text(reader, "commit", "commit = \"<40 digits>\"");
            if build.has("commit") && !is_hex(&commit, &[40, 64]) {
                let found = format!("\"{}\"", crate::printable(&commit, 80));
                let mend = "`git rev-parse HEAD` prints it; a branch would be another engine soon";
                reader.wrong(&build, "commit", found, "the whole hash of a commit", mend);
            }
            // What begins with a dash would be an option of git.
            if url.starts_with('-') || url.is_empty() {
                let found = format!("\"{}\"", crate::printable(&url, 80));
                reader.wrong(&build, "git", found, "an address or a path", "as `git clone` has it");
            }
            Some(EngineSource::Git { url, commit, recipe: recipe(reader, &mut build, true) })
        }
        (Some("folder"), None) => {
            let path = build.text(reader, "folder").unwrap_or_default();
            Some(EngineSource::Folder { path, recipe: recipe(reader, &mut build, false) })
        }
        (Some(_), None) => {
            let path = build.text(reader, "file").unwrap_or_default();
            let sha256 = build.required_text(reader, "sha256", "sha256 = \"<64 digits>\"");
            if build.has("sha256") && !is_hex(&sha256, &[64]) {
                let found = format!("\"{}\"", crate::printable(&sha256, 80));
                let mend = "`sha256sum FILE` prints it";
                reader.wrong(&build, "sha256", found, "64 digits of 0-9 and a-f", mend);
            }
            Some(EngineSource::File { path, sha256 })
        }
        (None, _) => {
            build.allow(&SOURCES);
            let mend = "write `file = \"path\"` and `sha256 = \"…\"` for a program that is ready";
            reader.missing(&build, "git", "one of git, folder, file", mend);
            None
        }
        (_, Some(second)) => {
            build.allow(&SOURCES);
            build.text(reader, second);
            let mend = "a program comes from one place; remove the others";
            reader.wrong(&build, second, "a second source", "one of git, folder, file", mend);
            None
        }
    };
    if source.is_some() {
        build.finish(reader);
    }
    source
}

fn recipe(reader: &mut Reader<'_>, build: &mut Section<'_>, is_needed: bool) -> Recipe {
    let command = if is_needed || build.has("command") {
        build.texts(reader, "command", "[\"make\", \"-C\", \"src\"]")
    } else {
        build.allow(&["command"]);
        Vec::new()
    };
    let result = build.required_text(reader, "result", "result = \"src/my-engine\"");
    let is_inside = !result.starts_with('/') && result.split('/').all(|part| part != "..");
    if !is_inside {
        let found = format!("\"{}\"", crate::printable(&result, 80));
        let mend = "name the program as it lies in the source";
        reader.wrong(build, "result", found, "a path below the source's root", mend);
    }
    Recipe { command, result }
}

fn bench(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Option<EngineBench> {
    let mut section = root.section(reader, "bench")?;
    let arguments = section.text(reader, "arguments").unwrap_or_else(|| "bench".to_owned());
    let signature = section.whole(reader, "signature", None, 1..=u64::MAX);
    section.finish(reader);
    Some(EngineBench { arguments: words(&arguments), signature })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"name = "Stock.fish-16_1"
game = "chess"
protocol = "uci"
arguments = "--quiet on"
threads = 2
memory = 300
processes = "many"
[build]
git = "https://example.org/engine"
commit = "0123456789abcdef0123456789abcdef01234567"
command = ["make", "-C", "src"]
result = "src/engine"
[options]
Hash = 64
Ponder = false
"Move Overhead" = "10"
[bench]
signature = 1234567
"#;

    #[test]
    fn a_manifest_says_all_of_it_or_takes_the_usual() {
        let file = EngineFile::parse(WHOLE).unwrap();
        assert_eq!((file.name.as_str(), file.protocol), ("Stock.fish-16_1", Protocol::Uci));
        assert_eq!((file.threads, file.memory_mib, file.starts_others), (2, 300, true));
        assert_eq!(file.arguments, ["--quiet", "on"]);
        let text = |pair: (&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
        let options = [("Hash", "64"), ("Move Overhead", "10"), ("Ponder", "false")].map(text);
        assert_eq!(file.options, options);
        let bench = EngineBench { arguments: vec!["bench".to_owned()], signature: 1_234_567 };
        assert_eq!(file.bench, Some(bench));
        let hash = "ab".repeat(32);
        let small =
            format!("name = \"s\"\ngame = \"shogi\"\n[build]\nfile = \"x\"\nsha256 = \"{hash}\"");
        let file = EngineFile::parse(&small).unwrap();
        assert_eq!((file.protocol, file.threads, file.memory_mib), (Protocol::Usi, 1, 1024));
        assert_eq!(file.source, EngineSource::File { path: "x".to_owned(), sha256: hash });
        let folder = "name = \"s\"\ngame = \"chess\"\n[build]\nfolder = \"..\"\nresult = \"a/b\"";
        let recipe = Recipe { command: Vec::new(), result: "a/b".to_owned() };
        let source = EngineSource::Folder { path: "..".to_owned(), recipe };
        assert_eq!(EngineFile::parse(folder).unwrap().source, source);
    }

    #[test]
    fn each_mistake_is_found_on_its_line() {
        for (from, to, place, line, part) in [
            ("Stock.fish", "../fish", "name", 1, "letters, digits"),
            ("Stock.fish", "-fish", "name", 1, "letters, digits"),
            ("\"chess\"", "\"go\"", "game", 2, "xiangqi"),
            ("\"uci\"", "\"uki\"", "protocol", 3, "uci, ucci, usi, xboard"),
            ("threads = 2", "threads = 0", "threads", 5, "1 to 1024"),
            ("\"many\"", "2", "processes", 7, "one, many"),
            ("https", "--upload-pack=x https", "build.git", 9, "an address"),
            ("0123456789abcdef0123456789abcdef01234567", "main", "build.commit", 10, "whole hash"),
            ("[\"make\", \"-C\", \"src\"]", "\"make\"", "build.command", 11, "a list of texts"),
            ("src/engine", "../engine", "build.result", 12, "below the source"),
            ("result = \"src/engine\"\n", "", "build.result", 8, "text"),
            ("git = ", "folder = \".\"\ngit = ", "build.folder", 9, "one of git"),
            ("git = \"https://example.org/engine\"\n", "", "build.git", 8, "one of git"),
            ("Hash = 64", "Hash = [64]", "options.Hash", 14, "text, a number"),
            ("signature = 1234567", "", "bench.signature", 17, "a whole number"),
            ("memory", "memmory", "memmory", 6, "memory"),
        ] {
            let FindingList(found) = EngineFile::parse(&WHOLE.replace(from, to)).unwrap_err();
            let finding = found.iter().find(|finding| finding.place == place);
            let finding = finding.unwrap_or_else(|| panic!("{to}: {found:#?}"));
            assert_eq!(finding.line, Some(line), "{to}: {finding}");
            assert!(finding.to_string().contains(part), "{to}: {finding}");
        }
        let FindingList(found) = EngineFile::parse("").unwrap_err();
        let places: Vec<_> = found.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["name", "game", "build"]);
    }
}
