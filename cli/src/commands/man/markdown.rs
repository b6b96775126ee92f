//! The command line as one page of the guide: every command with its usage and what it takes.

use clap::{Arg, ArgAction, Command};
use std::fmt::Write;

/// What stands above the first command.
const HEAD: &str = "# Command line\n\n\
    Made from the command itself by `cargo xtask reference`; `elomill COMMAND --help` says the same, \
    `elomill man --out DIR` writes it as pages for `man`.\n";

/// The page.
pub(super) fn page(command: Command) -> String {
    let mut command = command.disable_help_subcommand(true).term_width(100);
    command.build();
    let mut page = HEAD.to_owned();
    describe(&mut page, &command, "elomill");
    page
}

fn describe(page: &mut String, command: &Command, path: &str) {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(|text| text.to_string()).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    // Writing into a text cannot fail.
    let _ = write!(page, "\n## `{path}`\n\n{}\n\n```text\n{usage}\n```\n", text(&about));
    let shown =
        |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let takes: Vec<_> = command.get_arguments().filter(shown).collect();
    if !takes.is_empty() {
        page.push('\n');
    }
    for arg in takes {
        let _ = writeln!(page, "- {}", argument(arg));
    }
    if path == "elomill" {
        let after = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
        let _ = write!(page, "\n```text\n{after}\n```\n");
    }
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        describe(page, sub, &format!("{path} {}", sub.get_name()));
    }
}

/// One argument: how it is written, what it is for, what it may be.
fn argument(arg: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    let long = |name: &str| format!("--{name}");
    names.extend(arg.get_long().map(long));
    names.extend(arg.get_visible_aliases().unwrap_or_default().into_iter().map(long));
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = arg.get_value_names().unwrap_or_default().join(" ");
    let optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    let written = match (names.is_empty(), takes_value, optional) {
        (true, ..) => value,
        (false, false, _) => names.join("`, `"),
        (false, true, true) => format!("{}[={value}]", names.join("`, `")),
        (false, true, false) => format!("{} {value}", names.join("`, `")),
    };
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let mut line =
        format!("`{written}`: {}", text(&help.map(|h| h.to_string()).unwrap_or_default()));
    let words: Vec<_> = arg
        .get_possible_values()
        .iter()
        .filter(|word| !word.is_hide_set())
        .map(|word| format!("`{}`", word.get_name()))
        .collect();
    let mut notes = Vec::new();
    if takes_value && !words.is_empty() {
        notes.push(format!("one of {}", words.join(", ")));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        notes.push(format!("default `{}`", defaults.join(" ")));
    }
    if let Some(variable) = arg.get_env() {
        notes.push(format!("environment `{}`", variable.to_string_lossy()));
    }
    if arg.is_required_set() {
        notes.push("required".to_owned());
    }
    if !notes.is_empty() {
        let _ = write!(line, " ({})", notes.join("; "));
    }
    line
}

/// Help as a paragraph: what Markdown would take for its own is kept from it.
fn text(help: &str) -> String {
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace('<', "\\<").replace('*', "\\*").replace('|', "\\|").replace("[[", "\\[\\[")
}
