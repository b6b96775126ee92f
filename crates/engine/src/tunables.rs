//! The constants of the rules and the weights of the evaluations: how they are declared, listed,
//! checked and set.
//!
//! Every rule declares its constants beside itself with [`tunables!`](crate::tunables::tunables): a
//! struct with a field for each, from which follow the defaults, the list that the command line shows
//! and an optimiser perturbs, and the way of a [`ParameterSet`] into the fields. [`Tunables`] puts the
//! groups of the search together; a game adds the weights of its evaluation, and may have defaults of
//! its own for the search.

use crate::history::HistoryTunables;
use crate::search::{Aspiration, Extension, Lmr, Pruning, QuiescenceTunables};
use crate::taper::Pair;
use crate::time::TimeTunables;
use model::{ParameterDef, ParameterKind};
use std::borrow::Cow;

/// What a constant is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The window of an iteration.
    Aspiration,
    /// Late move reductions.
    Lmr,
    /// What is not searched at all.
    Pruning,
    /// What is searched deeper.
    Extension,
    /// What is learnt in a search, and the order of moves.
    History,
    /// How long a move may take.
    Time,
    /// What a position is worth.
    Eval,
}

impl Group {
    /// All of them, in the order of the lists.
    pub const ALL: [Self; 7] = [
        Self::Aspiration,
        Self::Lmr,
        Self::Pruning,
        Self::Extension,
        Self::History,
        Self::Time,
        Self::Eval,
    ];

    /// Its name in lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aspiration => "aspiration",
            Self::Lmr => "lmr",
            Self::Pruning => "pruning",
            Self::Extension => "extension",
            Self::History => "history",
            Self::Time => "time",
            Self::Eval => "eval",
        }
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// One constant.
#[derive(Clone, Debug, PartialEq)]
pub struct TunableDef {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it is about.
    pub group: Group,
    /// Whole or real.
    pub kind: ParameterKind,
    /// The value of an untuned engine.
    pub default: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Suggested perturbation at the end of a tune.
    pub c_end: f64,
    /// What it does, with its unit.
    pub doc: Cow<'static, str>,
}

/// The usual learning rate at the end of a long tune, in units of `c_end²`.
const R_END: f64 = 0.002;

impl From<&TunableDef> for ParameterDef {
    fn from(def: &TunableDef) -> Self {
        Self {
            name: def.name.to_string(),
            kind: def.kind,
            start: def.default,
            min: def.min,
            max: def.max,
            c_end: def.c_end,
            r_end: R_END,
        }
    }
}

/// A parameter set that this engine cannot take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TunableError {
    /// No constant has this name.
    #[error("unknown parameter `{found}`; allowed: {allowed}")]
    UnknownName {
        /// What was given, made printable.
        found: String,
        /// Every name of the list.
        allowed: String,
    },
    /// The value lies outside of the constant's range, or is no whole number where one is due.
    #[error("parameter `{name}`: found {found}; allowed: {allowed}")]
    BadValue {
        /// The constant.
        name: String,
        /// The value given.
        found: f64,
        /// The range in words.
        allowed: String,
    },
}

impl TunableDef {
    /// Whether the constant takes this value.
    ///
    /// # Errors
    /// Found and allowed, when it does not.
    pub fn accept(&self, value: f64) -> Result<f64, TunableError> {
        let whole = self.kind.is_whole();
        if (self.min..=self.max).contains(&value) && (!whole || value.fract() == 0.0) {
            return Ok(value);
        }
        let kind = if whole { "a whole number" } else { "a number" };
        Err(TunableError::BadValue {
            name: self.name.to_string(),
            found: value,
            allowed: format!("{kind} from {} to {}", self.min, self.max),
        })
    }
}

/// A declared field: its name and range, for whatever numbers its type is made of.
pub struct Row {
    /// The name of the field.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Suggested perturbation at the end of a tune.
    pub c_end: f64,
    /// What it does.
    pub doc: &'static str,
}

/// A type whose values are some numbers in a fixed order: the type of a declared field.
pub trait Value {
    /// Appends a constant for each number, with the present value as its default; `suffix` follows
    /// the name of the field.
    fn declare(&self, row: &Row, suffix: &str, out: &mut Vec<TunableDef>);
    /// Appends the numbers.
    fn read(&self, out: &mut Vec<f64>);
    /// Takes as many numbers as [`Value::read`] gives.
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>);
}

fn declare_one(kind: ParameterKind, value: f64, row: &Row, suffix: &str) -> TunableDef {
    let named = |text: &'static str, end: &str| match end {
        "" => Cow::Borrowed(text),
        _ => Cow::Owned(format!("{text}{end}")),
    };
    TunableDef {
        name: named(row.name, suffix),
        group: row.group,
        kind,
        default: value,
        min: row.min,
        max: row.max,
        c_end: row.c_end,
        doc: Cow::Borrowed(row.doc),
    }
}

impl Value for i32 {
    fn declare(&self, row: &Row, suffix: &str, out: &mut Vec<TunableDef>) {
        out.push(declare_one(ParameterKind::Int, f64::from(*self), row, suffix));
    }
    fn read(&self, out: &mut Vec<f64>) {
        out.push(f64::from(*self));
    }
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
        if let Some(value) = values.next() {
            *self = value as i32;
        }
    }
}

impl Value for f64 {
    fn declare(&self, row: &Row, suffix: &str, out: &mut Vec<TunableDef>) {
        out.push(declare_one(ParameterKind::Float, *self, row, suffix));
    }
    fn read(&self, out: &mut Vec<f64>) {
        out.push(*self);
    }
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
        if let Some(value) = values.next() {
            *self = value;
        }
    }
}

/// Middle game and end game: `name_mg` and `name_eg`.
impl Value for Pair {
    fn declare(&self, row: &Row, suffix: &str, out: &mut Vec<TunableDef>) {
        self.middle().declare(row, &format!("{suffix}_mg"), out);
        self.end().declare(row, &format!("{suffix}_eg"), out);
    }
    fn read(&self, out: &mut Vec<f64>) {
        out.extend([f64::from(self.middle()), f64::from(self.end())]);
    }
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
        let (mut middle, mut end) = (self.middle(), self.end());
        middle.write(values);
        end.write(values);
        *self = Self::new(middle, end);
    }
}

/// A table: `name_0`, `name_1` and so on.
impl<T: Value, const N: usize> Value for [T; N] {
    fn declare(&self, row: &Row, suffix: &str, out: &mut Vec<TunableDef>) {
        for (index, value) in self.iter().enumerate() {
            value.declare(row, &format!("{suffix}_{index}"), out);
        }
    }
    fn read(&self, out: &mut Vec<f64>) {
        self.iter().for_each(|value| value.read(out));
    }
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
        self.iter_mut().for_each(|value| value.write(values));
    }
}

/// A struct of declared fields, or several of them.
pub trait Declared: Clone + Default + std::fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Appends every constant with its default.
    fn declare(out: &mut Vec<TunableDef>);
    /// Appends every value, in the order of the declarations.
    fn read(&self, out: &mut Vec<f64>);
    /// Takes a value for each, in the same order.
    fn write(&mut self, values: &mut dyn Iterator<Item = f64>);
}

/// Nothing to tune.
impl Declared for () {
    fn declare(_: &mut Vec<TunableDef>) {}
    fn read(&self, _: &mut Vec<f64>) {}
    fn write(&mut self, _: &mut dyn Iterator<Item = f64>) {}
}

/// Declares the constants of a rule: `name: type = default, min => max, c_end step, "What it does.";`
macro_rules! tunables {
    ($(#[$meta:meta])* $vis:vis struct $Struct:ident in $group:ident {
        $($name:ident: $type:ty = $default:expr, $min:expr => $max:expr, c_end $c_end:expr,
          $doc:expr;)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $Struct {
            $(#[doc = $doc] pub $name: $type,)+
        }

        impl Default for $Struct {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl $crate::tunables::Declared for $Struct {
            fn declare(out: &mut Vec<$crate::tunables::TunableDef>) {
                let default = Self::default();
                $($crate::tunables::Value::declare(&default.$name, &$crate::tunables::Row {
                    name: stringify!($name),
                    group: $crate::tunables::Group::$group,
                    min: $min as f64,
                    max: $max as f64,
                    c_end: $c_end as f64,
                    doc: $doc,
                }, "", out);)+
            }

            fn read(&self, out: &mut Vec<f64>) {
                $($crate::tunables::Value::read(&self.$name, out);)+
            }

            fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
                $($crate::tunables::Value::write(&mut self.$name, values);)+
            }
        }
    };
}
pub(crate) use tunables;

/// Puts groups together.
macro_rules! groups {
    ($(#[$meta:meta])* pub struct $Struct:ident { $($name:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Struct {
            $(#[doc = concat!("Its group `", stringify!($name), "`.")] pub $name: $type,)+
        }

        impl $crate::tunables::Declared for $Struct {
            fn declare(out: &mut Vec<$crate::tunables::TunableDef>) {
                $(<$type as $crate::tunables::Declared>::declare(out);)+
            }
            fn read(&self, out: &mut Vec<f64>) {
                $(self.$name.read(out);)+
            }
            fn write(&mut self, values: &mut dyn Iterator<Item = f64>) {
                $(self.$name.write(values);)+
            }
        }
    };
}

pub(crate) use groups;

groups! {
    /// Every constant of the search, by rule.
    pub struct Tunables {
        aspiration: Aspiration,
        lmr: Lmr,
        pruning: Pruning,
        quiescence: QuiescenceTunables,
        extension: Extension,
        history: HistoryTunables,
        time: TimeTunables,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;
    use model::{GameKind, ParameterSet};

    #[test]
    fn every_constant_is_a_valid_parameter_with_a_name_of_its_own() {
        for game in GameKind::ALL {
            let mut names = std::collections::BTreeSet::new();
            for def in definitions(game) {
                assert_eq!(ParameterDef::from(def).check(&def.name), Ok(()), "{}", def.name);
                assert!(names.insert(def.name.clone()), "{} twice", def.name);
                assert!(def.doc.ends_with('.'), "{}", def.name);
            }
        }
        assert!(definitions(GameKind::Xiangqi).len() >= 100);
    }

    #[test]
    fn bad_sets_are_refused_with_name_found_and_allowed() {
        let cases = [
            ("lmr_bass", 1.0, "unknown parameter `lmr_bass`; allowed: aspiration_min_depth, "),
            ("rfp_depth", 99.0, "parameter `rfp_depth`: found 99; allowed: a whole number from 0"),
            ("rfp_depth", 2.5, "parameter `rfp_depth`: found 2.5; allowed: a whole number from 0"),
            ("lmr_base", f64::NAN, "parameter `lmr_base`: found NaN; allowed: a number from -1"),
        ];
        for (name, value, expected) in cases {
            let set = ParameterSet::from_iter([(name.to_owned(), value)]);
            let error = crate::check_set(GameKind::Chess, &set).expect_err(name).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
