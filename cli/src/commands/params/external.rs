//! `elomill params --engine`: the tunable numbers of a program, which it declares as its options.

use crate::commands::engine::Which;
use crate::output::{hinted, say};
use arena::duel::{EngineOption, OptionKind};
use model::{ParameterDef, ParameterKind, printable};
use std::sync::atomic::AtomicBool;

/// Options that say how a program runs, not how it plays.
const NOT_TUNED: [&str; 22] = [
    "hash",
    "hashsize",
    "threads",
    "multipv",
    "ponder",
    "ownbook",
    "move overhead",
    "moveoverhead",
    "minimum thinking time",
    "slow mover",
    "nodestime",
    "skill level",
    "syzygyprobedepth",
    "syzygyprobelimit",
    "syzygy50moverule",
    "use nnue",
    "numapolicy",
    "debuglog",
    "cache",
    "usemillisec",
    "byoyomi_margin",
    "analysis contempt",
];

/// Asks a program, in the sandbox, for its numbers and truths.
///
/// # Errors
/// It does not start, or has none.
pub(super) fn parameters(which: &Which) -> anyhow::Result<Vec<ParameterDef>> {
    let mut meant = which.find()?;
    // As long as the program runs.
    let _shut_in = meant.shut_in()?;
    let stop = AtomicBool::new(false);
    let (_, options) = arena::duel::declared(&meant.program, meant.game, &stop)?;
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for option in options.iter().filter(|option| is_tunable(&option.name)) {
        match parameter(option) {
            Some(Ok(parameter)) => found.push(parameter),
            Some(Err(why)) => left_out.push(format!("{} ({why})", printable(&option.name, 60))),
            None => {}
        }
    }
    if !left_out.is_empty() {
        say(format_args!("left out: {}", left_out.join(", ")));
    }
    if found.is_empty() {
        return Err(hinted(
            format_args!("{} declares no number that could be tuned", meant.name),
            "most engines have a build of their own that exposes their constants as options",
        ));
    }
    Ok(found)
}

fn is_tunable(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let of_the_protocol = ["uci_", "usi_"].iter().any(|prefix| name.starts_with(prefix));
    !of_the_protocol && !NOT_TUNED.contains(&name.as_str())
}

/// Whatever an option takes that can be told as a number, settings included; `None`: nothing, or
/// without bounds.
pub(crate) fn number(option: &EngineOption) -> Option<ParameterDef> {
    let choices = match &option.kind {
        OptionKind::Combo(choices) if choices.len() > 1 => choices,
        _ => return parameter(option)?.ok(),
    };
    let start = option.default.as_ref().and_then(|value| choices.iter().position(|c| c == value));
    let choice = EngineOption {
        name: option.name.clone(),
        kind: OptionKind::Spin { min: Some(0), max: Some(choices.len() as i128 - 1) },
        default: Some(start.unwrap_or(0).to_string()),
    };
    parameter(&choice)?.ok()
}

/// A number as a parameter, with a twentieth of its range as the step; a truth as 0 and 1. `None`: it
/// is neither.
fn parameter(option: &EngineOption) -> Option<Result<ParameterDef, String>> {
    let default = option.default.as_deref().unwrap_or("");
    let (start, min, max) = match &option.kind {
        OptionKind::Spin { min: Some(min), max: Some(max) } => {
            let Ok(start) = default.parse::<i128>() else {
                return Some(Err("no default".to_owned()));
            };
            (start, *min, *max)
        }
        OptionKind::Spin { .. } => return Some(Err("no bounds".to_owned())),
        OptionKind::Check => (i128::from(["true", "1"].contains(&default)), 0, 1),
        OptionKind::Combo(_) | OptionKind::Button | OptionKind::Text => return None,
    };
    if min == max {
        return Some(Err("one value".to_owned()));
    }
    let [start, min, max] = [start, min, max].map(|number| number as f64);
    let parameter = ParameterDef {
        name: option.parameter_name(),
        kind: ParameterKind::Int,
        start,
        min,
        max,
        c_end: ((max - min) / 20.0).max(0.5),
        r_end: 0.002,
    };
    Some(match parameter.check(&parameter.name) {
        Ok(()) => Ok(parameter),
        Err(findings) => {
            let first = findings.first();
            Err(first.map_or_else(String::new, |f| format!("{}; allowed: {}", f.found, f.allowed)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, kind: OptionKind, default: &str) -> EngineOption {
        EngineOption { name: name.to_owned(), kind, default: Some(default.to_owned()) }
    }

    #[test]
    fn numbers_and_truths_become_parameters_and_settings_do_not() {
        let spin = |min, max| OptionKind::Spin { min: Some(min), max: Some(max) };
        let found = parameter(&option("lmr_base", spin(-100, 300), "75")).unwrap().unwrap();
        assert_eq!((found.start, found.min, found.max, found.c_end), (75.0, -100.0, 300.0, 20.0));
        let truth = parameter(&option("use_x", OptionKind::Check, "true")).unwrap().unwrap();
        assert_eq!((truth.start, truth.min, truth.max, truth.c_end), (1.0, 0.0, 1.0, 0.5));
        for (kind, default) in [(spin(1, 1), "1"), (spin(0, 9), "x"), (spin(0, 9), "10")] {
            assert!(parameter(&option("a", kind, default)).unwrap().is_err());
        }
        let named = parameter(&option("a b", spin(0, 9), "1")).unwrap().unwrap();
        assert_eq!(named.name, "a_b");
        let combo = OptionKind::Combo(vec!["Solid".to_owned(), "Wild".to_owned()]);
        let choice = number(&option("Style", combo, "Wild")).unwrap();
        assert_eq!((choice.start, choice.min, choice.max), (1.0, 0.0, 1.0));
        assert!(number(&option("a", OptionKind::Button, "")).is_none());
        assert!(parameter(&option("a", OptionKind::Button, "")).is_none());
        let kept = ["Hash", "UCI_Elo", "Move Overhead", "lmr_base", "Threads"];
        let tuned: Vec<_> = kept.into_iter().filter(|name| is_tunable(name)).collect();
        assert_eq!(tuned, ["lmr_base"]);
    }
}
