//! Every command of the guide does what the guide says: its pages are read as a reader reads them, and
//! what they tell one to type is typed.
//!
//! A fenced block of the kind `console` is run, line by line, in the order of its page, in an empty
//! folder with the examples beside it and a home of its own; words behind the kind say how:
//!
//! - `console`: each command must succeed;
//! - `console,stays`: the last command goes on until the page ends, and then is interrupted;
//! - `console,fails`: the last command must fail, as the page explains;
//! - `console,elsewhere`: for other machines or other users: nothing is run, words of `elomill` are
//!   checked as below.
//!
//! Nothing is opened to other machines: `--listen 0.0.0.0:8117` is typed as a free port of this one.
//!
//! A block `toml,file=NAME` is that file. Whatever else looks like the command, in any page of the
//! repository, is given to it with `--help` behind it: the command refuses what it does not know
//! before it prints its help.

use crate::support::{data_dir, signal};
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    line: usize,
    /// What stands behind the fence, at its commas.
    words: Vec<String>,
    text: String,
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(page.lines()) {
        match (line.strip_prefix("```"), inside) {
            (Some(_), true) => inside = false,
            (Some(words), false) => {
                inside = true;
                let words = words.split(',').map(|word| word.trim().to_owned()).collect();
                blocks.push(Block { line: number, words, text: String::new() });
            }
            (None, true) => {
                let block = blocks.last_mut().expect("one was begun");
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!inside, "a fence is not closed");
    blocks
}

/// The commands of a console: lines behind a `$`, with those that a `\` continues.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if goes_on {
            let command = commands.last_mut().expect("one was begun");
            command.push('\n');
            command.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            commands.push(command.to_owned());
        } else {
            // What it prints.
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

/// A folder like a reader's: the examples of the repository, the command on the path, no settings.
struct Desk {
    folder: tempfile::TempDir,
    stays: Vec<Child>,
}

impl Desk {
    fn new() -> Self {
        let folder = data_dir();
        let at = |name: &str| folder.path().join(name);
        for made in ["home", "bin", "examples"] {
            std::fs::create_dir(at(made)).expect("a folder");
        }
        let program = Path::new(env!("CARGO_BIN_EXE_elomill"));
        let link = |from: &Path, name: &str| {
            std::os::unix::fs::symlink(from, at("bin").join(name)).expect("a link");
        };
        link(program, "elomill");
        link(&crate::engines::engine(), "elomill-engine");
        for example in std::fs::read_dir(repository("examples")).expect("examples").flatten() {
            std::fs::copy(example.path(), at("examples").join(example.file_name()))
                .expect("a copy");
        }
        Self { folder, stays: Vec::new() }
    }

    fn shell(&self, script: &str, seconds: &str) -> Command {
        // Far above what anything here takes: nothing may wait for ever.
        let mut command = Command::new("timeout");
        let bin = self.folder.path().join("bin");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args([seconds, "bash", "-euo", "pipefail", "-c", script])
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path().join("home"))
            .env("PATH", format!("{}:{path}", bin.display()))
            .stdin(Stdio::null());
        for (name, _) in std::env::vars() {
            if name.starts_with("ELOMILL_") && name != "ELOMILL_PG_BIN" || name.starts_with("XDG_")
            {
                command.env_remove(name);
            }
        }
        // Where an ordinary user has them; root has them elsewhere.
        let at = |path: &str| self.folder.path().join("home/.local").join(path);
        command.env("ELOMILL_DATA_DIR", at("share/elomill"));
        command.env("ELOMILL_WORKER_STATE", at("state/elomill/worker"));
        command
    }

    fn run(&mut self, place: &str, words: &[String], text: &str) {
        let mut commands = commands(&text.replace("0.0.0.0:8117", "127.0.0.1:0"));
        assert!(!commands.is_empty(), "{place}: a console without a command");
        if words.iter().any(|word| word == "stays") {
            let last = commands.pop().expect("there is one");
            commands.push(format!("exec {last}"));
            let log = self.folder.path().join(format!("stays-{}.log", self.stays.len()));
            let log = std::fs::File::create(log).expect("a file");
            let mut shell = self.shell(&commands.join("\n"), "3600");
            let child = shell.stdout(log.try_clone().expect("a file")).stderr(log).spawn();
            self.stays.push(child.expect("bash is installed"));
            self.wait_until_it_answers(place, &last);
            return;
        }
        let fails = words.iter().any(|word| word == "fails");
        let output = self.shell(&commands.join("\n"), "600").output().expect("bash is installed");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.success(), !fails, "{place}: {commands:#?}\n{said}");
    }

    /// What is typed next speaks to the house that was opened, or of the worker that has joined it.
    fn wait_until_it_answers(&mut self, place: &str, command: &str) {
        let question = match command {
            house if house.starts_with("elomill up") => "elomill runs list",
            worker if worker.starts_with("elomill worker") => {
                "elomill workers --json | grep '\"connected\":true'"
            }
            _ => panic!("{place}: how is it seen that {command} is ready?"),
        };
        let ask = |desk: &Self| desk.shell(question, "60").output();
        while !ask(self).is_ok_and(|output| output.status.success()) {
            let asked = self.stays.last_mut().expect("it was just started");
            if let Some(status) = asked.try_wait().expect("it can be asked") {
                let log = format!("stays-{}.log", self.stays.len() - 1);
                let log = std::fs::read_to_string(self.folder.path().join(log));
                panic!("{place}: {command}: {status}\n{}", log.unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Desk {
    /// The youngest first: workers hand in what they play before the house closes.
    fn drop(&mut self) {
        for mut child in self.stays.drain(..).rev() {
            while matches!(child.try_wait(), Ok(None)) {
                signal(child.id(), Signal::INT);
                std::thread::sleep(Duration::from_millis(200));
            }
        }
    }
}

/// Types what a page says.
fn follow(page: &str) {
    let path = format!("docs/{page}");
    let mut desk = Desk::new();
    let mut typed = 0;
    for Block { line, words, text } in blocks(&read(&path)) {
        let place = format!("{path}:{line}");
        let kind = words.first().map_or("", String::as_str);
        let file = words.iter().find_map(|word| word.strip_prefix("file="));
        if let ("toml", Some(name)) = (kind, file) {
            std::fs::write(desk.folder.path().join(name), text).expect("a file");
        } else if kind == "console" && !words.iter().any(|word| word == "elsewhere") {
            typed += commands(&text).len();
            desk.run(&place, &words, &text);
        }
    }
    assert!(typed > 0, "{path} has no command to type; take it off the list");
}

/// A test for each page with a console that is run.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        const FOLLOWED: &[&str] = &[$($page),*];
        $(#[test] fn $name() { follow($page); })*
    };
}

pages! {
    the_first_tune: "first-tune.md",
    choosing_parameters: "choosing.md",
    reading_the_charts: "charts.md",
    what_bounds_mean: "sprt.md",
    ones_own_engine: "own-engine.md",
    a_volunteer: "volunteers.md",
    a_cluster: "cluster.md",
    the_operator: "operating.md",
    the_questions: "faq.md",
    installing: "install.md",
    games_of_a_run: "games.md",
}

/// Every page of the repository, and what is no console in it.
fn every_page() -> Vec<String> {
    let listed =
        Command::new("git").args(["ls-files", "*.md"]).current_dir(repository(".")).output();
    let listed = listed.ok().filter(|output| output.status.success());
    let text = listed.map(|output| String::from_utf8(output.stdout).expect("paths are text"));
    let of_git: Vec<String> = text.unwrap_or_default().lines().map(str::to_owned).collect();
    if !of_git.is_empty() {
        return of_git;
    }
    let docs = std::fs::read_dir(repository("docs")).expect("pages").flatten();
    let names = docs.filter_map(|entry| entry.file_name().into_string().ok());
    let pages = names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    pages.chain(["README.md".to_owned()]).collect()
}

#[test]
fn every_page_with_a_console_is_followed() {
    for path in every_page() {
        let runs = blocks(&read(&path)).iter().any(|block| {
            block.words[0] == "console" && !block.words.iter().any(|word| word == "elsewhere")
        });
        let page = path.strip_prefix("docs/").unwrap_or(&path);
        assert_eq!(
            runs,
            FOLLOWED.contains(&page),
            "{path}: list it in `pages!` if it has a console"
        );
    }
}

/// What stands for something that only the reader knows, and a thing that it may be.
const STANDINS: [(&str, &str); 15] = [
    ("'LINK'", LINK),
    ("LINK", LINK),
    ("RUN", "1"),
    ("PAIR", "3"),
    ("ID", "1"),
    ("HOST", "192.0.2.7"),
    ("SHELL", "bash"),
    ("GAME", "xiangqi"),
    ("B", "startpos"),
    ("F", "startpos"),
    ("X", "x"),
    ("N", "3"),
    ("COMMAND", "runs"),
    ("MIB", "64"),
    ("'elomill://192.0.2.7:8117/TOKEN#FINGERPRINT'", LINK),
];

/// A link in the form of a real one.
const LINK: &str = "elomill://mill.example:8117/0123456789abcdef0123456789abcdef\
    #0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Commands that stand in a page without being run: in indented or fenced code, or between backticks.
fn mentioned(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut code = String::new();
    for (number, line) in (1..).zip(page.lines()) {
        for span in line.split('`').skip(1).step_by(2) {
            if span.starts_with("elomill ") {
                found.push((number, span.to_owned()));
            }
        }
        // A line that the one before continues belongs to its command.
        let text = line.trim().trim_start_matches("$ ");
        if !code.is_empty() || text.starts_with("elomill ") {
            code.push_str(text.trim_end_matches('\\'));
            code.push(' ');
            if !text.ends_with('\\') {
                found.push((number, std::mem::take(&mut code)));
            }
        }
    }
    found
}

/// The words of one command, up to what the shell does with it, with something real for what only the
/// reader knows; `None` when it is a piece of prose.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let command = command.split(" #").next().unwrap_or_default();
    let mut quoted: Option<String> = None;
    for word in command.split_whitespace().skip(1) {
        if let Some(mut text) = quoted.take() {
            text.push(' ');
            text.push_str(word);
            if word.ends_with(['"', '\'']) {
                words.push(text)
            } else {
                quoted = Some(text)
            }
            continue;
        }
        if ["|", ">", ">>", "&&", "&", "||", "2>/dev/null", ";"].contains(&word) {
            break;
        }
        if word.contains('…') || word == "..." {
            return None;
        }
        let opens = word.matches('"').count() % 2 == 1 || word.matches('\'').count() % 2 == 1;
        if opens { quoted = Some(word.to_owned()) } else { words.push(word.to_owned()) }
    }
    let plain = |word: String| -> String {
        match STANDINS.iter().find(|(name, _)| *name == word) {
            Some((_, real)) => (*real).to_owned(),
            None => word.replace(['"', '\''], ""),
        }
    };
    Some(words.into_iter().map(plain).collect())
}

#[test]
fn the_command_knows_every_word_that_any_page_uses() {
    let mut checked = 0;
    for path in every_page().into_iter().filter(|path| path != "docs/reference/command-line.md") {
        for (line, command) in mentioned(&read(&path)) {
            let Some(mut words) = words(&command) else { continue };
            // No word for people: the helper of the sandbox.
            if words.first().is_some_and(|word| word == "sandbox-exec") {
                continue;
            }
            words.retain(|word| !word.contains('$'));
            let mut elomill = Command::new(env!("CARGO_BIN_EXE_elomill"));
            let output = elomill.args(&words).arg("--help").stdin(Stdio::null()).output();
            let output = output.expect("the command starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{path}:{line}: {command}\n{words:?}\n{said}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn the_reference_of_the_command_line_is_as_the_command_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_elomill")).args(["man", "--markdown"]).output();
    let page = String::from_utf8(output.expect("it starts").stdout).expect("text");
    let committed = read("docs/reference/command-line.md");
    let differs = committed.lines().zip(page.lines()).position(|(a, b)| a != b).map(|at| at + 1);
    assert!(committed == page, "stale from line {differs:?}; run `cargo xtask reference`");
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("man");
    let output =
        Command::new(env!("CARGO_BIN_EXE_elomill")).args(["man", "--out"]).arg(&man).output();
    assert!(output.expect("it starts").status.success());
    for page in ["elomill.1", "elomill-runs-show.1", "elomill-worker-join.1"] {
        let text =
            std::fs::read_to_string(man.join(page)).unwrap_or_else(|e| panic!("{page}: {e}"));
        assert!(text.contains(".SH SYNOPSIS") && text.contains(".SH OPTIONS"), "{page}: {text}");
    }
}

#[test]
fn blocks_and_commands_are_found_in_a_page() {
    let page = "# P\n```console,stays\n$ one \\\n    two\nprinted\n$ three\n```\n\n```toml,file=a\nx = 1\n```\n";
    let found = blocks(page);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, found[0].words.join(" ")), (2, "console stays".to_owned()));
    assert_eq!(commands(&found[0].text), ["one \\\n    two", "three"]);
    assert_eq!(found[1].words, ["toml", "file=a"]);
    let page =
        "Type `elomill runs show ID`:\n\n    elomill tune FILE \\\n        --follow  # now\n";
    let said: Vec<_> = mentioned(page).iter().filter_map(|(_, command)| words(command)).collect();
    assert_eq!(said, [vec!["runs", "show", "1"], vec!["tune", "FILE", "--follow"]]);
}
