//! Options that a program declares, and the lines that set them: typed and checked, so that a
//! misspelt name does not play a match of a program against itself.

use super::lines::{first_word, words};
use super::{Program, Protocol};
use model::printable;

/// Most options that are kept of one program.
const MOST_OPTIONS: usize = 4096;

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number; the bounds where the program has given readable ones.
    Spin {
        /// Smallest.
        min: Option<i128>,
        /// Largest.
        max: Option<i128>,
    },
    /// One of these words.
    Combo(Vec<String>),
    /// No value.
    Button,
    /// Any text; also every kind that is not known.
    Text,
}

/// An option as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name as the program spells it.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
    /// The value before it is set, if it was said.
    pub default: Option<String>,
}

impl EngineOption {
    /// Its name as that of a parameter: what is neither letter nor digit is `_`.
    #[must_use]
    pub fn parameter_name(&self) -> String {
        parameter_name(&self.name)
    }

    /// What makes no sense about the declaration, if anything.
    pub(super) fn oddity(&self) -> Option<String> {
        let default = self.default.as_deref().unwrap_or("");
        let odd = match &self.kind {
            OptionKind::Check if !["true", "false", "0", "1"].contains(&default) => {
                format!("default `{}` of a check", printable(default, 40))
            }
            OptionKind::Spin { min: Some(min), max: Some(max) } => match default.parse::<i128>() {
                Ok(number) if (*min..=*max).contains(&number) => return None,
                _ => format!("default `{}` of {min} to {max}", printable(default, 40)),
            },
            OptionKind::Spin { .. } => "a number without bounds".to_owned(),
            OptionKind::Combo(choices) if !choices.iter().any(|choice| choice == default) => {
                format!("default `{}` is none of its choices", printable(default, 40))
            }
            _ => return None,
        };
        Some(format!("{}: {odd}", printable(&self.name, 60)))
    }
}

/// The options of one program.
#[derive(Clone, Debug, Default)]
pub(super) struct Options(Vec<EngineOption>);

/// An option that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {name}: found `{found}`; allowed: {allowed}")]
pub struct OptionError {
    name: String,
    found: String,
    allowed: String,
}

/// The words that divide a declaration.
const PARTS: [&[u8]; 5] = [b"type", b"default", b"min", b"max", b"var"];

impl Options {
    /// Takes note of what follows the word `option`; what makes no sense is left out.
    pub(super) fn declare(&mut self, protocol: Protocol, text: &[u8]) {
        let declared = match protocol {
            Protocol::Xboard => xboard(text),
            Protocol::Ucci => uci(text),
            Protocol::Uci | Protocol::Usi => match first_word(text) {
                (b"name", rest) => uci(rest),
                _ => None,
            },
        };
        if let Some(declared) = declared.filter(|_| self.0.len() < MOST_OPTIONS) {
            self.0.push(declared);
        }
    }

    /// All, in the order in which they were declared.
    pub(super) fn all(&self) -> &[EngineOption] {
        &self.0
    }

    /// The option of a name, whatever its case; else the one whose name as a parameter it is.
    pub(super) fn find(&self, name: &str) -> Option<&EngineOption> {
        let exact = self.0.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        exact.or_else(|| {
            self.0.iter().find(|option| option.parameter_name().eq_ignore_ascii_case(name))
        })
    }

    /// Everything that is wanted of a program, as names and texts in the order in which it is set:
    /// threads before the memory that they may allocate each for itself, then what is named.
    ///
    /// # Errors
    /// A number is none of its option's values, or has no option.
    pub(super) fn wanted(&self, program: &Program) -> Result<Vec<(String, String)>, OptionError> {
        let named = |option: &EngineOption| {
            let is_it = |name: &str| self.find(name).is_some_and(|found| found == option);
            program.options.iter().any(|(name, _)| is_it(name))
                || program.parameters.iter().any(|(name, _)| is_it(name))
        };
        let usual = |names: &[&str], value: Option<String>| {
            let option = names.iter().find_map(|name| self.find(name))?;
            value.filter(|_| !named(option)).map(|value| (option.name.clone(), value))
        };
        let mut wanted = Vec::new();
        wanted.extend(usual(&["Threads"], program.threads.map(|threads| threads.to_string())));
        let hash = ["Hash", "USI_Hash", "hashsize"];
        wanted.extend(usual(&hash, program.hash_mib.map(|mib| mib.to_string())));
        wanted.extend(program.options.iter().cloned());
        for (name, number) in &program.parameters {
            wanted.push((name.clone(), self.text_of(name, *number)?));
        }
        wanted.sort_by_key(|(name, _)| !name.eq_ignore_ascii_case("threads"));
        Ok(wanted)
    }

    /// A number as the text of an option's value.
    pub(super) fn text_of(&self, name: &str, number: f64) -> Result<String, OptionError> {
        let wrong = |allowed: String| OptionError {
            name: printable(name, 60),
            found: number.to_string(),
            allowed,
        };
        let whole =
            || format!("{number:.0}").parse::<i128>().ok().filter(|_| number.fract() == 0.0);
        match self.find(name).map(|option| &option.kind) {
            // That there is no such option is told by whoever sets it.
            None | Some(OptionKind::Text) => Ok(number.to_string()),
            Some(OptionKind::Spin { .. }) => match whole() {
                Some(whole) => Ok(whole.to_string()),
                None => Err(wrong("a whole number".to_owned())),
            },
            Some(OptionKind::Check) => match whole() {
                Some(0) => Ok("false".to_owned()),
                Some(1) => Ok("true".to_owned()),
                _ => Err(wrong("0 for false, 1 for true".to_owned())),
            },
            Some(OptionKind::Combo(choices)) => {
                let place = whole().and_then(|place| usize::try_from(place).ok());
                let choice = place.and_then(|place| choices.get(place)).cloned();
                let last = choices.len().saturating_sub(1);
                choice.ok_or_else(|| wrong(format!("the place of a choice, 0 to {last}")))
            }
            Some(OptionKind::Button) => Err(wrong("nothing: it is a button".to_owned())),
        }
    }

    /// The line that sets an option.
    ///
    /// # Errors
    /// The program has not declared such an option, or not such a value.
    pub(super) fn line(
        &self,
        protocol: Protocol,
        name: &str,
        value: &str,
    ) -> Result<String, OptionError> {
        let wrong = |allowed: String| OptionError {
            name: printable(name, 60),
            found: printable(value, 60),
            allowed,
        };
        let Some(option) = self.find(name) else {
            // These two may stand undeclared in USI.
            if protocol == Protocol::Usi && ["USI_Hash", "USI_Ponder"].contains(&name) {
                return Ok(format!("setoption name {name} value {value}\n"));
            }
            let known: Vec<_> = self.0.iter().map(|o| printable(&o.name, 40)).take(40).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(OptionError {
                name: printable(name, 60),
                found: "no such option of the program".to_owned(),
                allowed: known,
            });
        };
        if value.contains(char::is_control) {
            return Err(wrong("no control characters".to_owned()));
        }
        match &option.kind {
            OptionKind::Check if !["true", "false"].contains(&value) => {
                return Err(wrong("true or false".to_owned()));
            }
            OptionKind::Spin { min, max } => {
                let (low, high) = (min.unwrap_or(i128::MIN), max.unwrap_or(i128::MAX));
                let number: Option<i128> = value.parse().ok();
                if number.is_none_or(|number| number < low || number > high) {
                    let bound =
                        |bound: &Option<i128>| bound.map_or("…".into(), |b| b.to_string());
                    let (min, max) = (bound(min), bound(max));
                    return Err(wrong(format!("a whole number from {min} to {max}")));
                }
            }
            OptionKind::Combo(choices) if !choices.iter().any(|choice| choice == value) => {
                let choices: Vec<_> = choices.iter().map(|c| printable(c, 40)).collect();
                return Err(wrong(choices.join(", ")));
            }
            OptionKind::Button if !["", "true"].contains(&value) => {
                return Err(wrong("nothing: it is a button".to_owned()));
            }
            _ => {}
        }
        let name = &option.name;
        let is_button = option.kind == OptionKind::Button;
        Ok(match (protocol, is_button) {
            (Protocol::Uci | Protocol::Usi, true) => format!("setoption name {name}\n"),
            (Protocol::Uci | Protocol::Usi, false) => {
                format!("setoption name {name} value {value}\n")
            }
            (Protocol::Ucci, true) => format!("setoption {name}\n"),
            (Protocol::Ucci, false) => format!("setoption {name} {value}\n"),
            (Protocol::Xboard, true) => format!("option {name}\n"),
            (Protocol::Xboard, false) => {
                let value = match value {
                    "true" if option.kind == OptionKind::Check => "1",
                    "false" if option.kind == OptionKind::Check => "0",
                    other => other,
                };
                format!("option {name}={value}\n")
            }
        })
    }
}

fn parameter_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}

/// `NAME type KIND [default D] [min A] [max B] [var V]…`: names, defaults and choices may have
/// blanks in them, so each reaches to the next word that begins a part.
fn uci(declaration: &[u8]) -> Option<EngineOption> {
    let mut parts: Vec<(&[u8], Vec<&[u8]>)> = vec![(b"name", Vec::new())];
    for word in words(declaration) {
        // A name may hold the word `default`, but the kind comes first of all parts.
        let begins = PARTS.contains(&word) && (parts.len() > 1 || word == b"type");
        match parts.last_mut() {
            Some((_, rest)) if !begins => rest.push(word),
            _ => parts.push((word, Vec::new())),
        }
    }
    let joined = |words: &Vec<&[u8]>| text(&words.join(&b' '));
    let part = |name: &[u8]| parts.iter().find(|(part, _)| *part == name).map(|(_, w)| joined(w));
    let name = part(b"name").filter(|name| !name.is_empty())?;
    let number = |name: &[u8]| part(name)?.parse::<i128>().ok();
    let kind = match part(b"type")?.to_ascii_lowercase().as_str() {
        "check" => OptionKind::Check,
        "spin" => OptionKind::Spin { min: number(b"min"), max: number(b"max") },
        "combo" => {
            let choices = parts.iter().filter(|(part, _)| *part == b"var");
            OptionKind::Combo(choices.map(|(_, words)| joined(words)).collect())
        }
        "button" => OptionKind::Button,
        _ => OptionKind::Text,
    };
    Some(EngineOption { name, kind, default: part(b"default") })
}

/// XBoard: `NAME -check 0`, `NAME -spin 5 0 10`, `NAME -combo a /// *b /// c`, `NAME -button`.
fn xboard(declaration: &[u8]) -> Option<EngineOption> {
    let declaration = text(declaration);
    let (name, rest) = declaration.split_once(" -")?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut numbers = rest.split_whitespace().map(|word| word.parse::<i128>().ok());
    let mut default = (!rest.is_empty()).then(|| rest.trim().to_owned());
    let kind = match kind {
        "check" => OptionKind::Check,
        "spin" | "slider" => {
            default = numbers.next().flatten().map(|number| number.to_string());
            OptionKind::Spin { min: numbers.next().flatten(), max: numbers.next().flatten() }
        }
        "combo" => {
            let choices = rest.split("///").map(str::trim);
            default =
                choices.clone().find_map(|choice| choice.strip_prefix('*')).map(str::to_owned);
            OptionKind::Combo(
                choices.map(|choice| choice.trim_start_matches('*').to_owned()).collect(),
            )
        }
        "button" | "save" | "reset" => OptionKind::Button,
        _ => OptionKind::Text,
    };
    Some(EngineOption { name: name.trim().to_owned(), kind, default })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(protocol: Protocol, lines: &[&str]) -> Options {
        let mut options = Options::default();
        for line in lines {
            options.declare(protocol, line.as_bytes());
        }
        options
    }

    #[test]
    fn declarations_are_read_with_all_their_oddities() {
        let options = declared(
            Protocol::Uci,
            &[
                "name Hash type spin default 16 min 1 max 33554432",
                "name Clear Hash type button",
                "name NullMove Pruning type combo default Fail High var Always var Fail High",
                "name UCI default Elo type string default <empty>",
                "name Nodes type spin default 0 min 0 max 18446744073709551615",
                "name Odd type spin default many",
                "name SyzygyPath type string default",
                "name Net type filename default a b.nnue",
                "type spin",
                "name",
            ],
        );
        let kinds: Vec<_> = options.0.iter().map(|o| (o.name.as_str(), &o.kind)).collect();
        let combo = OptionKind::Combo(vec!["Always".into(), "Fail High".into()]);
        assert_eq!(
            kinds,
            [
                ("Hash", &OptionKind::Spin { min: Some(1), max: Some(33_554_432) }),
                ("Clear Hash", &OptionKind::Button),
                ("NullMove Pruning", &combo),
                ("UCI default Elo", &OptionKind::Text),
                ("Nodes", &OptionKind::Spin { min: Some(0), max: Some(u64::MAX.into()) }),
                ("Odd", &OptionKind::Spin { min: None, max: None }),
                ("SyzygyPath", &OptionKind::Text),
                ("Net", &OptionKind::Text),
            ]
        );
        assert_eq!(options.find("net").and_then(|o| o.default.as_deref()), Some("a b.nnue"));
    }

    #[test]
    fn each_dialect_sets_options_in_its_own_words() {
        let uci = declared(Protocol::Uci, &["name Move Overhead type spin default 1 min 0 max 5"]);
        let line = uci.line(Protocol::Uci, "move overhead", "3");
        assert_eq!(line.as_deref(), Ok("setoption name Move Overhead value 3\n"));
        let ucci =
            declared(Protocol::Ucci, &["hashsize type spin min 1 max 8", "newgame type button"]);
        assert_eq!(
            ucci.line(Protocol::Ucci, "hashsize", "8").as_deref(),
            Ok("setoption hashsize 8\n")
        );
        assert_eq!(ucci.line(Protocol::Ucci, "newgame", "").as_deref(), Ok("setoption newgame\n"));
        let usi = declared(Protocol::Usi, &[]);
        let line = usi.line(Protocol::Usi, "USI_Hash", "32");
        assert_eq!(line.as_deref(), Ok("setoption name USI_Hash value 32\n"));
        let xboard = declared(
            Protocol::Xboard,
            &["Resign -check 0", "Threshold -spin 800 200 1200", "Pick -combo a /// *b c"],
        );
        assert_eq!(
            xboard.line(Protocol::Xboard, "resign", "true").as_deref(),
            Ok("option Resign=1\n")
        );
        assert_eq!(
            xboard.line(Protocol::Xboard, "Pick", "b c").as_deref(),
            Ok("option Pick=b c\n")
        );
        assert!(xboard.line(Protocol::Xboard, "Threshold", "100").is_err());
    }

    #[test]
    fn what_the_program_does_not_take_is_refused_with_what_it_takes() {
        let options = declared(
            Protocol::Uci,
            &[
                "name Hash type spin default 16 min 1 max 64",
                "name Ponder type check default false",
                "name Style type combo default Solid var Solid var Wild",
                "name Clear Hash type button",
            ],
        );
        for (name, value, part) in [
            ("Hush", "1", "allowed: Hash, Ponder, Style, Clear Hash"),
            ("Hash", "0", "a whole number from 1 to 64"),
            ("Hash", "1.5", "a whole number"),
            ("Ponder", "yes", "true or false"),
            ("Style", "wild", "Solid, Wild"),
            ("Clear Hash", "now", "button"),
            ("Style", "a\nquit", "control characters"),
        ] {
            let error = options.line(Protocol::Uci, name, value).expect_err(name).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn numbers_become_what_their_options_take() {
        let options = declared(
            Protocol::Uci,
            &[
                "name Hash type spin default 16 min 1 max 64",
                "name Threads type spin default 1 min 1 max 8",
                "name Skill Level type spin default 20 min 0 max 20",
                "name Use NNUE type check default true",
                "name Style type combo default Solid var Solid var Wild",
                "name Factor type string default 1.5",
                "name Clear Hash type button",
            ],
        );
        let number = |name: &str, number| (name.to_owned(), number);
        let mut program = Program::new("x", Protocol::Uci);
        program.options = vec![("Hash".to_owned(), "8".to_owned())];
        (program.hash_mib, program.threads) = (Some(2), Some(3));
        program.parameters = vec![
            number("Skill_Level", 7.0),
            number("use_nnue", 0.0),
            number("Style", 1.0),
            number("Factor", 0.25),
        ];
        let wanted = options.wanted(&program).unwrap();
        let wanted: Vec<_> = wanted.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let expected = [
            ("Threads", "3"),
            ("Hash", "8"),
            ("Skill_Level", "7"),
            ("use_nnue", "false"),
            ("Style", "Wild"),
            ("Factor", "0.25"),
        ];
        assert_eq!(wanted, expected);
        let line = options.line(Protocol::Uci, "Skill_Level", "7");
        assert_eq!(line.as_deref(), Ok("setoption name Skill Level value 7\n"));
        for (name, value, part) in [
            ("Skill_Level", 7.5, "a whole number"),
            ("Use_NNUE", 2.0, "0 for false"),
            ("Style", 2.0, "0 to 1"),
            ("Clear_Hash", 1.0, "button"),
        ] {
            program.parameters = vec![number(name, value)];
            let error = options.wanted(&program).expect_err(name).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn declarations_that_make_no_sense_are_told() {
        let options = declared(
            Protocol::Uci,
            &[
                "name Hash type spin default 16 min 1 max 64",
                "name Small type spin default 0 min 1 max 64",
                "name Open type spin default 16",
                "name Ponder type check default false",
                "name Maybe type check",
                "name Style type combo default Solid var Solid var Wild",
                "name Manner type combo default Rude var Solid var Wild",
                "name Clear type button",
                "name Path type string",
            ],
        );
        let odd: Vec<_> = options.all().iter().filter_map(EngineOption::oddity).collect();
        let names: Vec<_> = odd.iter().filter_map(|odd| odd.split(':').next()).collect();
        assert_eq!(names, ["Small", "Open", "Maybe", "Manner"]);
        assert_eq!(odd[0], "Small: default `0` of 1 to 64");
    }
}
