//! Where each default of the engine stands in its sources.
//!
//! The declarations are read as tokens, so that comments and texts are never taken for code. A default
//! is a number, a `Pair::new`, a table of either, a `pairs` of two tables, or the name of a constant
//! that is one of these; the names of its numbers follow from its form, as they do in the engine.

use anyhow::{Context, bail};
use model::GameKind;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::ops::Range;

/// The texts of the sources, by path below the engine's `src`, divided by `/`.
pub(super) type Sources = BTreeMap<String, String>;

/// A number of a source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The source.
    pub(super) file: String,
    /// Its bytes, the sign among them.
    pub(super) bytes: Range<usize>,
    /// What it is.
    pub(super) value: f64,
}

/// A declared constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) default: Place,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) c_end: f64,
}

/// The defaults of the search that a game has of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Overrides {
    /// By name, in their order.
    pub(super) entries: Vec<(String, Place)>,
    /// The source that has the list.
    pub(super) file: String,
    /// Where another entry goes: behind the last one and its comma.
    pub(super) end: usize,
    /// Whether a comma stands before that.
    pub(super) comma: bool,
}

/// What the sources say of a game.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declared {
    /// The constants of every search.
    pub(super) shared: Vec<Declaration>,
    /// What the game has beside them.
    pub(super) own: Vec<Declaration>,
    /// Its defaults of constants of every search.
    pub(super) overrides: Overrides,
}

/// The game that a source belongs to, by its first folder or its name.
fn owner(path: &str) -> Option<GameKind> {
    let first = path.split('/').next()?;
    let first = first.strip_suffix(".rs").unwrap_or(first);
    GameKind::ALL.into_iter().find(|game| game.name() == first)
}

/// Reads what concerns a game.
///
/// # Errors
/// A source is no Rust, or declares something in a form that is not known.
pub(super) fn read(sources: &Sources, game: GameKind) -> anyhow::Result<Declared> {
    let (mut shared, mut own, mut overrides) = (Vec::new(), Vec::new(), None);
    for (path, text) in sources {
        let of = owner(path);
        let concerned = of.is_none_or(|of| of == game);
        if !concerned || !(text.contains("tunables!") || text.contains("DEFAULTS")) {
            continue;
        }
        let file = File { path, sources };
        let tokens = file.tokens(text)?;
        let list = if of.is_some() { &mut own } else { &mut shared };
        file.declarations(&tokens, list).with_context(|| path.clone())?;
        if of.is_some()
            && let Some(found) = file.overrides(&tokens).with_context(|| path.clone())?
        {
            overrides = Some(found);
        }
    }
    let overrides = overrides.with_context(|| format!("no list DEFAULTS of {game}"))?;
    Ok(Declared { shared, own, overrides })
}

/// A source among the others.
struct File<'a> {
    path: &'a str,
    sources: &'a Sources,
}

type Tokens = Vec<TokenTree>;

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn is_ident(token: &TokenTree, wanted: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == wanted)
}

fn group(token: &TokenTree, delimiter: Delimiter) -> Option<Tokens> {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}

/// The parts between the marks; what follows a last mark is no part if it is empty.
fn split(tokens: &[TokenTree], mark: char) -> Vec<&[TokenTree]> {
    let mut parts: Vec<_> = tokens.split(|token| is_punct(token, mark)).collect();
    if parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

impl File<'_> {
    fn tokens(&self, text: &str) -> anyhow::Result<Tokens> {
        let stream: TokenStream =
            text.parse().map_err(|error| anyhow::anyhow!("{}: no Rust: {error}", self.path))?;
        Ok(stream.into_iter().collect())
    }

    /// Every `tunables! { … }` of the source.
    fn declarations(&self, tokens: &[TokenTree], out: &mut Vec<Declaration>) -> anyhow::Result<()> {
        for window in tokens.windows(3) {
            if !is_ident(&window[0], "tunables") || !is_punct(&window[1], '!') {
                continue;
            }
            let Some(body) = group(&window[2], Delimiter::Brace) else { continue };
            // The attributes and `pub struct Name in Group` come first.
            let fields = body.last().and_then(|last| group(last, Delimiter::Brace));
            let Some(fields) = fields else { bail!("a tunables! without fields") };
            for field in split(&fields, ';') {
                self.field(field, out)?;
            }
        }
        Ok(())
    }

    /// `name: type = default, min => max, c_end step, "What it does."`
    fn field(&self, tokens: &[TokenTree], out: &mut Vec<Declaration>) -> anyhow::Result<()> {
        let Some(TokenTree::Ident(name)) = tokens.first() else { bail!("a field without a name") };
        let name = name.to_string();
        let equals = tokens.iter().position(|token| is_punct(token, '='));
        let Some(equals) = equals else { bail!("`{name}` has no default") };
        let parts = split(&tokens[equals + 1..], ',');
        let [default, range, c_end, _doc] = parts[..] else {
            bail!("`{name}`: found {} parts, allowed: default, range, c_end, text", parts.len())
        };
        let arrow = range.iter().position(|token| is_punct(token, '='));
        let Some(arrow) = arrow.filter(|at| at + 2 <= range.len()) else {
            bail!("`{name}` has no range")
        };
        let number = |tokens: &[TokenTree]| {
            let place = self.number(tokens).with_context(|| format!("range or c_end of `{name}`"));
            Ok::<_, anyhow::Error>(place?.value)
        };
        let (min, max) = (number(&range[..arrow])?, number(&range[arrow + 2..])?);
        let c_end = number(c_end.get(1..).unwrap_or_default())?;
        let mut leaves = Vec::new();
        self.leaves(default, &name, &mut leaves).with_context(|| format!("default of `{name}`"))?;
        out.extend(leaves.into_iter().map(|(name, default)| Declaration {
            name,
            default,
            min,
            max,
            c_end,
        }));
        Ok(())
    }

    /// The numbers of an expression, with their names.
    fn leaves(
        &self,
        tokens: &[TokenTree],
        name: &str,
        out: &mut Vec<(String, Place)>,
    ) -> anyhow::Result<()> {
        if let Ok(place) = self.number(tokens) {
            out.push((name.to_owned(), place));
            return Ok(());
        }
        match tokens {
            [table] if group(table, Delimiter::Bracket).is_some() => {
                let entries = group(table, Delimiter::Bracket).unwrap_or_default();
                for (index, entry) in split(&entries, ',').into_iter().enumerate() {
                    self.leaves(entry, &format!("{name}_{index}"), out)?;
                }
                Ok(())
            }
            [pair, _, _, new, values] if is_ident(pair, "Pair") && is_ident(new, "new") => {
                let values = group(values, Delimiter::Parenthesis).unwrap_or_default();
                let [middle, end] = split(&values, ',')[..] else {
                    bail!("a Pair has two numbers")
                };
                self.leaves(middle, &format!("{name}_mg"), out)?;
                self.leaves(end, &format!("{name}_eg"), out)
            }
            [pairs, tables] if is_ident(pairs, "pairs") => {
                let tables = group(tables, Delimiter::Parenthesis).unwrap_or_default();
                let [middle, end] = split(&tables, ',')[..] else { bail!("pairs are two tables") };
                for (half, tokens) in [("mg", middle), ("eg", end)] {
                    let [table] = tokens else { bail!("pairs are of two tables") };
                    let entries = group(table, Delimiter::Bracket).unwrap_or_default();
                    for (index, entry) in split(&entries, ',').into_iter().enumerate() {
                        self.leaves(entry, &format!("{name}_{index}_{half}"), out)?;
                    }
                }
                Ok(())
            }
            [TokenTree::Ident(constant)] => {
                self.constant(self.path, &constant.to_string(), name, out)
            }
            [TokenTree::Ident(module), _, _, TokenTree::Ident(constant)] => {
                let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let beside = format!("{folder}/{module}.rs");
                let beside = beside.trim_start_matches('/');
                self.constant(beside, &constant.to_string(), name, out)
            }
            _ => {
                let found: TokenStream = tokens.iter().cloned().collect();
                bail!(
                    "found `{}`, allowed: a number, Pair::new, a table, pairs of two tables, or a \
                     constant that is one of them",
                    model::printable(&found.to_string(), 60)
                )
            }
        }
    }

    /// `const NAME: type = expression;` of a source.
    fn constant(
        &self,
        path: &str,
        constant: &str,
        name: &str,
        out: &mut Vec<(String, Place)>,
    ) -> anyhow::Result<()> {
        let Some((path, text)) = self.sources.get_key_value(path) else {
            bail!("there is no {path}")
        };
        let file = File { path, sources: self.sources };
        let tokens = file.tokens(text)?;
        let at = tokens
            .windows(2)
            .position(|pair| is_ident(&pair[0], "const") && is_ident(&pair[1], constant));
        let expression = at.and_then(|at| {
            let statement = tokens[at..].split(|token| is_punct(token, ';')).next()?;
            let equals = statement.iter().position(|token| is_punct(token, '='))?;
            Some(&statement[equals + 1..])
        });
        match expression {
            // A constant that names a constant would be allowed to go round in circles.
            Some([TokenTree::Ident(_)] | [TokenTree::Ident(_), _, _, TokenTree::Ident(_)])
            | None => {
                bail!("{path} has no constant {constant} made of numbers")
            }
            Some(expression) => file.leaves(expression, name, out),
        }
    }

    fn number(&self, tokens: &[TokenTree]) -> anyhow::Result<Place> {
        let (sign, literal) = match tokens {
            [TokenTree::Literal(literal)] => (None, literal),
            [minus, TokenTree::Literal(literal)] if is_punct(minus, '-') => (Some(minus), literal),
            _ => bail!("no number"),
        };
        let text = literal.to_string().replace('_', "");
        let digits = text.trim_end_matches("i32").trim_end_matches("f64");
        let value: f64 = digits.parse().with_context(|| format!("`{digits}` is no number"))?;
        let end = literal.span().byte_range().end;
        let start = sign.map_or(literal.span(), TokenTree::span).byte_range().start;
        let value = if sign.is_some() { -value } else { value };
        Ok(Place { file: self.path.to_owned(), bytes: start..end, value })
    }

    /// `const DEFAULTS: … = &[("name", number), …];`, wherever it stands.
    fn overrides(&self, tokens: &[TokenTree]) -> anyhow::Result<Option<Overrides>> {
        let at = tokens
            .windows(2)
            .position(|pair| is_ident(&pair[0], "const") && is_ident(&pair[1], "DEFAULTS"));
        let Some(at) = at else {
            for token in tokens {
                if let Some(inner) = group(token, Delimiter::Brace)
                    && let Some(found) = self.overrides(&inner)?
                {
                    return Ok(Some(found));
                }
            }
            return Ok(None);
        };
        let statement: Vec<_> = tokens[at..].iter().take_while(|t| !is_punct(t, ';')).collect();
        let Some(TokenTree::Group(list)) = statement.last() else { bail!("DEFAULTS is no list") };
        let entries: Tokens = list.stream().into_iter().collect();
        let read = |entry: &[TokenTree]| {
            let [entry] = entry else { bail!("an entry of DEFAULTS is no pair") };
            let entry = group(entry, Delimiter::Parenthesis).unwrap_or_default();
            let [[TokenTree::Literal(name)], number] = split(&entry, ',')[..] else {
                bail!("an entry of DEFAULTS is no name and number")
            };
            Ok((name.to_string().trim_matches('"').to_owned(), self.number(number)?))
        };
        let read: anyhow::Result<Vec<_>> = split(&entries, ',').into_iter().map(read).collect();
        let last = entries.last();
        Ok(Some(Overrides {
            entries: read?,
            file: self.path.to_owned(),
            end: last.map_or(list.span_open().byte_range().end, |t| t.span().byte_range().end),
            comma: last.is_none_or(|last| is_punct(last, ',')),
        }))
    }
}
