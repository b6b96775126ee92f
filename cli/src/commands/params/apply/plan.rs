//! What has to change in the sources so that a set becomes the defaults of a game; nothing else does.

use super::declarations::{Declaration, Declared, Place, Sources, read};
use crate::output::hinted;
use engine::TunableDef;
use model::{GameKind, ParameterKind, ParameterSet};
use std::collections::BTreeMap;
use std::ops::Range;

/// The changed sources, each whole. The sources must declare what this program has, so that the set was tested with
/// what it is written into.
///
/// # Errors
/// A value that the engine does not take, sources of another engine, or of a form that is not known.
pub(super) fn plan(
    sources: &Sources,
    game: GameKind,
    set: &ParameterSet,
) -> anyhow::Result<Sources> {
    engine::check_set(game, set)?;
    let definitions = engine::definitions(game);
    let declared = read(sources, game)?;
    is_of_this_program(&declared, game, definitions)?;
    let mut edits = Edits::default();
    let list = &declared.overrides;
    let mut added = Vec::new();
    for (name, &value) in &set.0 {
        let Some(def) = definitions.iter().find(|def| def.name == name.as_str()) else { continue };
        if def.default == value {
            continue;
        }
        let is_named = |found: &&Declaration| found.name == *name;
        let overriding = list.entries.iter().find(|(entry, _)| entry == name);
        if let Some(own) = declared.own.iter().find(is_named) {
            edits.replace(&own.default, literal(def.kind, value));
        } else if let Some((_, place)) = overriding {
            edits.replace(place, literal(ParameterKind::Float, value));
        } else {
            added.push(format!("(\"{name}\", {})", literal(ParameterKind::Float, value)));
        }
    }
    if !added.is_empty() {
        let text = sources.get(&list.file).map_or("", String::as_str);
        let line = &text[text[..list.end].rfind('\n').map_or(0, |at| at + 1)..list.end];
        let indent = &line[..line.len() - line.trim_start().len()];
        // A list without entries is opened on one line.
        let (deeper, closing) = match list.entries.is_empty() {
            true => ("    ", format!("\n{indent}")),
            false => ("", String::new()),
        };
        let comma = if list.comma { "" } else { "," };
        let line = |entry: &String| format!("\n{indent}{deeper}{entry},");
        let lines: String = added.iter().map(line).collect();
        edits.put(&list.file, list.end..list.end, format!("{comma}{lines}{closing}"));
    }
    Ok(edits.carried_out(sources))
}

/// A number as the sources write it.
fn literal(kind: ParameterKind, value: f64) -> String {
    // No minus before a zero.
    if kind.is_whole() { format!("{}", value + 0.0) } else { format!("{value:?}") }
}

/// Changes by source, each of bytes that no other one touches.
#[derive(Default)]
struct Edits(BTreeMap<String, Vec<(Range<usize>, String)>>);

impl Edits {
    fn replace(&mut self, place: &Place, with: String) {
        self.put(&place.file, place.bytes.clone(), with);
    }

    fn put(&mut self, file: &str, bytes: Range<usize>, with: String) {
        self.0.entry(file.to_owned()).or_default().push((bytes, with));
    }

    fn carried_out(self, sources: &Sources) -> Sources {
        let mut changed = Sources::new();
        for (file, mut edits) in self.0 {
            let Some(mut text) = sources.get(&file).cloned() else { continue };
            // From the end, so that what comes before keeps its place.
            edits.sort_by_key(|(bytes, _)| std::cmp::Reverse(bytes.start));
            for (bytes, with) in edits {
                text.replace_range(bytes, &with);
            }
            changed.insert(file, text);
        }
        changed
    }
}

/// The default that the game has by its sources.
pub(super) fn effective(declared: &Declared) -> BTreeMap<&str, (f64, &Declaration)> {
    let mut all = BTreeMap::new();
    for found in declared.shared.iter().chain(&declared.own) {
        all.insert(found.name.as_str(), (found.default.value, found));
    }
    for (name, place) in &declared.overrides.entries {
        if let Some((value, _)) = all.get_mut(name.as_str()) {
            *value = place.value;
        }
    }
    all
}

fn is_of_this_program(
    declared: &Declared,
    game: GameKind,
    definitions: &[TunableDef],
) -> anyhow::Result<()> {
    let count = declared.shared.len() + declared.own.len();
    let found = effective(declared);
    let differs = |what: String| {
        hinted(
            format_args!("the sources are not those of this program: {what}"),
            "build the program from these sources first: cargo build --release",
        )
    };
    if count != definitions.len() {
        let here = definitions.len();
        return Err(differs(format!("they declare {count} constants of {game}, it has {here}")));
    }
    for def in definitions {
        let Some((default, found)) = found.get(def.name.as_ref()) else {
            return Err(differs(format!("they do not declare `{}`", def.name)));
        };
        let there = [*default, found.min, found.max, found.c_end];
        let here = [def.default, def.min, def.max, def.c_end];
        if there != here {
            return Err(differs(format!(
                "`{}` has default, min, max, c_end {there:?} in them and {here:?} in it",
                def.name
            )));
        }
    }
    Ok(())
}
