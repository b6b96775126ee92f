//! Takes fields out of TOML tables and collects everything that is wrong with them.
//!
//! A field that is asked for is thereby allowed; what is left at [`Section::finish`] is unknown. After
//! a finding reading goes on with a value of the right type, so that an author sees all findings of
//! a file at once.

use super::lines::{Lines, line_of};
use crate::{Finding, FindingList, ParameterSet, printable};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text, what was found wrong in it, and where everything stands.
pub(super) struct Reader<'t> {
    text: &'t str,
    findings: Vec<Finding>,
    lines: Lines,
    notes: Option<&'t RefCell<Vec<Note>>>,
}

/// What a reader asked for: a field, whatever the file has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) place: String,
    pub(super) allowed: String,
    /// `None`: it must be there. Empty: it may be left out.
    pub(super) default: Option<String>,
}

/// One table of the file.
pub(super) struct Section<'d> {
    place: String,
    table: Option<&'d DeTable<'d>>,
    allowed: Vec<String>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, findings: Vec::new(), lines: Lines::default(), notes: None }
    }

    /// A reader that also notes what it is asked for.
    pub(super) fn noting(text: &'t str, notes: &'t RefCell<Vec<Note>>) -> Self {
        Self { notes: Some(notes), ..Self::new(text) }
    }

    /// Notes that a field is asked for; the first note of a field counts.
    pub(super) fn note(
        &self,
        section: &Section<'_>,
        field: &str,
        allowed: &str,
        default: Option<String>,
    ) {
        if let Some(notes) = self.notes {
            let (place, allowed) = (section.place_of(field), allowed.to_owned());
            notes.borrow_mut().push(Note { place, allowed, default });
        }
    }

    /// The parsed document; nothing, and a finding, when it is no TOML.
    pub(super) fn document(&mut self) -> Option<DeTable<'t>> {
        match DeTable::parse(self.text) {
            Ok(document) => Some(document.into_inner()),
            Err(error) => {
                let line = error.span().map(|span| line_of(self.text, span.start));
                let wrong = line.and_then(|line| self.text.lines().nth(line - 1)).unwrap_or("");
                let problem = error.message().replace('\n', ", ");
                self.findings.push(Finding {
                    line,
                    ..Finding::new(
                        "file",
                        format!("`{}`: {problem}", printable(wrong.trim(), 60)),
                        "TOML: `field = value` lines below [table] headings",
                        "mend this line; text stands in quotes, numbers do not",
                    )
                });
                None
            }
        }
    }

    /// The document as a section.
    pub(super) fn root<'d>(&self, document: &'d DeTable<'d>) -> Section<'d> {
        Section { place: String::new(), table: Some(document), allowed: Vec::new() }
    }

    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    pub(super) fn into_lines(self) -> Lines {
        self.lines
    }

    pub(super) fn into_findings(mut self) -> FindingList {
        self.lines.mark(&mut self.findings);
        FindingList(self.findings)
    }

    /// Records a finding at a field of a section.
    pub(super) fn wrong(
        &mut self,
        section: &Section<'_>,
        field: &str,
        found: impl Into<String>,
        allowed: impl Into<String>,
        mend: impl Into<String>,
    ) {
        self.findings.push(Finding::new(section.place_of(field), found, allowed, mend));
    }

    /// Records that a field is not there.
    pub(super) fn missing(
        &mut self,
        section: &Section<'_>,
        field: &str,
        allowed: impl Into<String>,
        mend: impl Into<String>,
    ) {
        self.wrong(section, field, "nothing", allowed, mend);
    }

    fn remember(&mut self, place: &str, span: std::ops::Range<usize>) {
        self.lines.put(place, line_of(self.text, span.start));
    }
}

impl<'d> Section<'d> {
    /// A table that the file does not have: every field takes its default.
    pub(super) fn absent(place: &str) -> Self {
        Self { place: place.to_owned(), table: None, allowed: Vec::new() }
    }

    /// Whether the field stands there, of whatever type.
    pub(super) fn has(&self, field: &str) -> bool {
        self.peek(field).is_some()
    }

    /// Whether the field is a list.
    pub(super) fn has_list(&self, field: &str) -> bool {
        matches!(self.peek(field), Some((_, DeValue::Array(_))))
    }

    /// Makes fields known without reading them.
    pub(super) fn allow(&mut self, fields: &[&str]) {
        for field in fields {
            if !self.allowed.iter().any(|known| known == field) {
                self.allowed.push((*field).to_owned());
            }
        }
    }

    /// Text, if there is any.
    pub(super) fn text(&mut self, reader: &mut Reader<'_>, field: &str) -> Option<String> {
        reader.note(self, field, "text", Some(String::new()));
        let value = self.take(reader, field)?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            reader.wrong(self, field, describe(value), "text", "put it in quotes");
        }
        text
    }

    /// A list of texts that must be there and not be empty; `example` is one.
    pub(super) fn texts(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
        example: &str,
    ) -> Vec<String> {
        let allowed = "a list of texts";
        let mend = format!("write `{field} = {example}`");
        reader.note(self, field, allowed, None);
        let Some(value) = self.take(reader, field) else {
            reader.missing(self, field, allowed, mend);
            return Vec::new();
        };
        let texts: Option<Vec<String>> = match value {
            DeValue::Array(array) => {
                array.iter().map(|v| v.get_ref().as_str().map(str::to_owned)).collect()
            }
            _ => None,
        };
        match texts {
            Some(texts) if !texts.is_empty() => texts,
            _ => {
                reader.wrong(self, field, describe(value), allowed, mend);
                Vec::new()
            }
        }
    }

    /// Text that must be there; `example` is the line to write.
    pub(super) fn required_text(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
        example: &str,
    ) -> String {
        reader.note(self, field, "text", None);
        if !self.has(field) {
            reader.missing(self, field, "text", format!("write `{example}`"));
        }
        self.text(reader, field).unwrap_or_default()
    }

    /// One of a few words; `None` without a default is a finding.
    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
        default: Option<T>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let allowed = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let mend = format!("write `{field} = \"{}\"`", words.first().map_or("", |(word, _)| *word));
        let usual = words.iter().find(|(_, choice)| Some(*choice) == default);
        let usual = usual.map(|(word, _)| format!("\"{word}\""));
        reader.note(self, field, &allowed, usual.or(default.map(|_| String::new())));
        let Some(value) = self.take(reader, field) else {
            if default.is_none() {
                reader.missing(self, field, allowed, mend);
            }
            return default;
        };
        let chosen = words.iter().find(|(word, _)| value.as_str() == Some(*word));
        if chosen.is_none() {
            reader.wrong(self, field, describe(value), allowed, mend);
        }
        chosen.map(|(_, choice)| *choice)
    }

    /// A whole number in a range; without a default it must be there.
    pub(super) fn whole(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
        default: Option<u64>,
        range: RangeInclusive<u64>,
    ) -> u64 {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        let mend = format!("write `{field} = {}`", default.unwrap_or(1000));
        let fallback = default.unwrap_or(*range.start());
        reader.note(self, field, &allowed, default.map(|number| number.to_string()));
        let Some(value) = self.take(reader, field) else {
            if default.is_none() {
                reader.missing(self, field, allowed, mend);
            }
            return fallback;
        };
        let number = value
            .as_integer()
            .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            .filter(|number| range.contains(number));
        if number.is_none() {
            reader.wrong(self, field, describe(value), allowed, mend);
        }
        number.unwrap_or(fallback)
    }

    /// A finite number, whole or not, if there is any.
    pub(super) fn optional_number(&mut self, reader: &mut Reader<'_>, field: &str) -> Option<f64> {
        reader.note(self, field, "a finite number", Some(String::new()));
        let value = self.take(reader, field)?;
        let number = number_of(value);
        if number.is_none() {
            reader.wrong(self, field, describe(value), "a finite number", "write a plain number");
        }
        number
    }

    /// A finite number, or its default; without a default it must be there.
    pub(super) fn number(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
        default: Option<f64>,
    ) -> f64 {
        reader.note(self, field, "a finite number", default.map(|number| number.to_string()));
        if default.is_none() && !self.has(field) {
            reader.missing(self, field, "a finite number", "write a plain number");
        }
        self.optional_number(reader, field).or(default).unwrap_or_default()
    }

    /// A table, if there is one.
    pub(super) fn section(&mut self, reader: &mut Reader<'_>, field: &str) -> Option<Section<'d>> {
        reader.note(self, field, "a table", Some(String::new()));
        let value = self.take(reader, field)?;
        let place = self.place_of(field);
        let DeValue::Table(table) = value else {
            let mend = format!("write a heading [{field}] and the fields below it");
            reader.wrong(self, field, describe(value), "a table", mend);
            return Some(Section::absent(&place));
        };
        Some(Section { place, table: Some(table), allowed: Vec::new() })
    }

    /// A list of tables; empty when there is none.
    pub(super) fn sections(&mut self, reader: &mut Reader<'_>, field: &str) -> Vec<Section<'d>> {
        reader.note(self, field, "a list of tables", Some(String::new()));
        let Some(value) = self.take(reader, field) else { return Vec::new() };
        let mend = format!("write a heading [[{field}]], with two brackets, for each");
        let DeValue::Array(array) = value else {
            reader.wrong(self, field, describe(value), "a list of tables", mend);
            return Vec::new();
        };
        let mut sections = Vec::new();
        for (i, value) in array.iter().enumerate() {
            let place = format!("{}[{i}]", self.place_of(field));
            reader.remember(&place, value.span());
            match value.get_ref() {
                DeValue::Table(table) => {
                    sections.push(Section { place, table: Some(table), allowed: Vec::new() });
                }
                other => {
                    let finding = Finding::new(place, describe(other), "a table", mend.clone());
                    reader.findings.push(finding);
                }
            }
        }
        sections
    }

    /// A table of numbers under free names, if there is one.
    pub(super) fn values(&mut self, reader: &mut Reader<'_>, field: &str) -> Option<ParameterSet> {
        reader.note(self, field, "a table of numbers under names of your own", Some(String::new()));
        let section = self.section(reader, field)?;
        let mut set = ParameterSet::default();
        // Entry by entry and not by name: there may be thousands.
        for (key, value) in section.table.into_iter().flat_map(|table| table.iter()) {
            let (name, value) = (key.get_ref(), value.get_ref());
            reader.remember(&section.place_of(name), key.span());
            match number_of(value) {
                Some(number) => set.set(name.to_string(), number),
                None => {
                    let mend = "write a plain number";
                    reader.wrong(&section, name, describe(value), "a finite number", mend);
                }
            }
        }
        Some(set)
    }

    /// A table of texts, numbers and truths under free names, each as a text; none if there is no
    /// table.
    pub(super) fn scalars(
        &mut self,
        reader: &mut Reader<'_>,
        field: &str,
    ) -> Vec<(String, String)> {
        reader.note(self, field, "a table of texts, numbers and truths", Some(String::new()));
        let Some(mut section) = self.section(reader, field) else { return Vec::new() };
        let mut scalars = Vec::new();
        for key in section.table.into_iter().flat_map(|table| table.keys()) {
            let name = key.get_ref().to_string();
            let Some(value) = section.take(reader, &name) else { continue };
            match value {
                DeValue::String(text) => scalars.push((name, text.to_string())),
                DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
                    scalars.push((name, describe(value)));
                }
                _ => {
                    let allowed = "text, a number, true or false";
                    reader.wrong(&section, &name, describe(value), allowed, "give one value");
                }
            }
        }
        scalars
    }

    /// Records every field that nobody asked for.
    pub(super) fn finish(self, reader: &mut Reader<'_>) {
        let Some(table) = self.table else { return };
        let known: BTreeSet<&str> = self.allowed.iter().map(String::as_str).collect();
        for key in table.keys().filter(|key| !known.contains(key.get_ref().as_ref())) {
            let name = key.get_ref();
            let place = self.place_of(&printable(name, 40));
            reader.remember(&place, key.span());
            let mend = match nearest(name, self.allowed.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it".to_owned(),
            };
            let allowed = self.allowed.join(", ");
            reader.findings.push(Finding::new(place, "an unknown field", allowed, mend));
        }
    }

    fn place_of(&self, field: &str) -> String {
        if self.place.is_empty() { field.to_owned() } else { format!("{}.{field}", self.place) }
    }

    fn peek(
        &self,
        field: &str,
    ) -> Option<(&'d Spanned<std::borrow::Cow<'d, str>>, &'d DeValue<'d>)> {
        let entry = self.table?.iter().find(|(key, _)| key.get_ref() == field)?;
        Some((entry.0, entry.1.get_ref()))
    }

    fn take(&mut self, reader: &mut Reader<'_>, field: &str) -> Option<&'d DeValue<'d>> {
        self.allow(&[field]);
        let (key, value) = self.peek(field)?;
        reader.remember(&self.place_of(field), key.span());
        Some(value)
    }
}

fn number_of(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(integer) => {
            // Every i64 in the ranges of parameters is exact in f64; larger ones are refused later.
            i64::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64
        }
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A value in words for a finding.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", printable(text, 60)),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(datetime) => datetime.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The known word that is at most two letters in five away, if there is one.
pub(super) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    known
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| distance * 5 <= 2 * candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or replace (V. Levenshtein, 1965).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
