//! Parameter lists as the forms of two well-known testing servers take them: a line for each
//! parameter, fields divided by commas.

use crate::{Finding, FindingList, ParameterDef, ParameterKind, printable};
use std::collections::BTreeSet;

/// Whose lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `name,start,min,max,c_end,r_end`; every parameter is a whole number.
    Fishtest,
    /// `name, int|float, start, min, max, c_end, r_end`.
    OpenBench,
}

impl Dialect {
    /// The fields of a line, in order.
    #[must_use]
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Dialect::Fishtest => &["name", "start", "min", "max", "c_end", "r_end"],
            Dialect::OpenBench => &["name", "kind", "start", "min", "max", "c_end", "r_end"],
        }
    }

    /// A parameter as a line; none where the dialect has no word for it.
    #[must_use]
    pub fn line(self, parameter: &ParameterDef) -> Option<String> {
        let ParameterDef { name, kind, start, min, max, c_end, r_end } = parameter;
        match (self, kind) {
            (Dialect::Fishtest, ParameterKind::Int) => {
                Some(format!("{name},{start},{min},{max},{c_end},{r_end}"))
            }
            (Dialect::OpenBench, ParameterKind::Int | ParameterKind::Float) => {
                let kind = kind.name();
                Some(format!("{name}, {kind}, {start}, {min}, {max}, {c_end}, {r_end}"))
            }
            _ => None,
        }
    }

    /// Reads lines; empty ones are passed over.
    ///
    /// # Errors
    /// Everything that is wrong, with its line.
    pub fn parse(self, text: &str) -> Result<Vec<ParameterDef>, FindingList> {
        let (mut parameters, mut findings) = (Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let found = self.parameter(line).and_then(|parameter| {
                parameter.check(&parameter.name)?;
                if !names.insert(parameter.name.clone()) {
                    return Err(vec![Finding::new(
                        parameter.name.as_str(),
                        "a second line",
                        "each name once",
                        "remove or rename one of the two",
                    )]);
                }
                Ok(parameter)
            });
            match found {
                Ok(parameter) => parameters.push(parameter),
                Err(wrong) => findings.extend(wrong.into_iter().map(|finding| Finding {
                    place: printable(&finding.place, 60),
                    line: Some(index + 1),
                    ..finding
                })),
            }
        }
        if parameters.is_empty() && findings.is_empty() {
            findings.push(Finding::new(
                "file",
                "no line",
                format!("lines of {}", self.fields().join(",")),
                "copy them from the form of the tune",
            ));
        }
        if findings.is_empty() { Ok(parameters) } else { Err(FindingList(findings)) }
    }

    fn parameter(self, line: &str) -> Result<ParameterDef, Vec<Finding>> {
        let fields = self.fields();
        let parts: Vec<&str> = line.split(',').map(str::trim).collect();
        if parts.len() != fields.len() {
            return Err(vec![Finding::new(
                "line",
                format!("{} fields", parts.len()),
                fields.join(","),
                match (self, parts.len()) {
                    (Dialect::Fishtest, 7) => "these are lines of OpenBench",
                    (Dialect::OpenBench, 6) => "these are lines of fishtest",
                    _ => "write every field, divided by commas",
                },
            )]);
        }
        let name = parts[0].to_owned();
        let (kind, numbers) = match self {
            Dialect::Fishtest => (ParameterKind::Int, &parts[1..]),
            Dialect::OpenBench => {
                let kind = match parts[1] {
                    "int" => ParameterKind::Int,
                    "float" => ParameterKind::Float,
                    other => {
                        return Err(vec![Finding::new(
                            format!("{name}.kind"),
                            format!("`{}`", printable(other, 40)),
                            "int, float",
                            "say which",
                        )]);
                    }
                };
                (kind, &parts[2..])
            }
        };
        let mut values = [0.0; 5];
        let mut findings = Vec::new();
        for ((value, text), field) in
            values.iter_mut().zip(numbers).zip(&fields[fields.len() - 5..])
        {
            match text.parse::<f64>() {
                Ok(number) if number.is_finite() => *value = number,
                _ => findings.push(Finding::new(
                    format!("{name}.{field}"),
                    format!("`{}`", printable(text, 40)),
                    "a finite number",
                    "write a plain number",
                )),
            }
        }
        let [start, min, max, c_end, r_end] = values;
        if findings.is_empty() {
            Ok(ParameterDef { name, kind, start, min, max, c_end, r_end })
        } else {
            Err(findings)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_servers_come_through_whole() {
        let fishtest = "kMargin,120,40,260,10,0.002\n\n kDepth,5.5,1,12,0.5,0.001 \n";
        let read = Dialect::Fishtest.parse(fishtest).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].name.as_str(), read[0].start, read[0].max), ("kMargin", 120.0, 260.0));
        assert_eq!((read[1].kind, read[1].start, read[1].c_end), (ParameterKind::Int, 5.5, 0.5));
        let openbench = "lmr_base, float, 0.75, 0.1, 2.0, 0.08, 0.002\nrfp,int,3,1,12,1,0.002";
        let other = Dialect::OpenBench.parse(openbench).unwrap();
        assert_eq!((other[0].kind, other[0].c_end), (ParameterKind::Float, 0.08));
        for (dialect, list) in [(Dialect::Fishtest, &read), (Dialect::OpenBench, &other)] {
            let lines: Vec<String> = list.iter().filter_map(|p| dialect.line(p)).collect();
            assert_eq!(&dialect.parse(&lines.join("\n")).unwrap(), list);
        }
        assert_eq!(Dialect::Fishtest.line(&other[0]), None);
    }

    #[test]
    fn each_mistake_is_found_on_its_line() {
        for (dialect, text, line, part) in [
            (Dialect::Fishtest, "", None, "no line"),
            (Dialect::Fishtest, "\na,1,0,2", Some(2), "4 fields"),
            (Dialect::Fishtest, "a,int,1,0,2,1,0.002", Some(1), "lines of OpenBench"),
            (Dialect::OpenBench, "a,1,0,2,1,0.002", Some(1), "lines of fishtest"),
            (Dialect::OpenBench, "a,whole,1,0,2,1,0.002", Some(1), "int, float"),
            (Dialect::Fishtest, "a,1,0,inf,1,0.002", Some(1), "`inf`"),
            (Dialect::Fishtest, "a,1,0,9,1,0", Some(1), "r_end"),
            (Dialect::Fishtest, "a,1,0,9,1,0.1\na,1,0,9,1,0.1", Some(2), "a second line"),
            (Dialect::Fishtest, "a\u{1b}b,1,0,9,1,0.1", Some(1), "letters, digits"),
            (Dialect::Fishtest, "a,10,0,9,1,0.1", Some(1), "0 to 9"),
        ] {
            let FindingList(found) = dialect.parse(text).unwrap_err();
            let said = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            assert_eq!(found[0].line, line, "{text:?}: {said}");
            assert!(said.contains(part) && !said.contains('\u{1b}'), "{text:?}: {said}");
        }
    }
}
