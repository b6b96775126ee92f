//! Every constant of every selective rule, declared once.
//!
//! The table below yields the struct that a search reads, the definitions that the command line
//! lists and an optimiser perturbs, and both conversions to a [`ParameterSet`]. The defaults are
//! what introductory texts on chess engines give (R = 2, margins of two pawns, late moves after
//! `3 + depth²`); for xiangqi at a few hundred nodes they are a start, not an end.

use model::{ParameterDef, ParameterKind, ParameterSet};

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TunableDef {
    /// Its name: the field of [`Tunables`].
    pub name: &'static str,
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
    pub doc: &'static str,
}

/// The usual learning rate at the end of a long tune, in units of `c_end²`.
const R_END: f64 = 0.002;

impl From<&TunableDef> for ParameterDef {
    fn from(def: &TunableDef) -> Self {
        Self {
            name: def.name.to_owned(),
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
    /// No row of the table has this name.
    #[error("unknown parameter `{found}`; allowed: {allowed}")]
    UnknownName {
        /// What was given, made printable.
        found: String,
        /// Every name of the table.
        allowed: String,
    },
    /// The value lies outside of the row's range, or is no whole number where one is due.
    #[error("parameter `{name}`: found {found}; allowed: {allowed}")]
    BadValue {
        /// The row.
        name: &'static str,
        /// The value given.
        found: f64,
        /// The range in words.
        allowed: String,
    },
}

impl TunableDef {
    /// Whether the row takes this value.
    ///
    /// # Errors
    /// Found and allowed, when it does not.
    fn accept(&self, value: f64) -> Result<f64, TunableError> {
        let whole = self.kind == ParameterKind::Int;
        if (self.min..=self.max).contains(&value) && (!whole || value.fract() == 0.0) {
            return Ok(value);
        }
        let kind = if whole { "a whole number" } else { "a number" };
        Err(TunableError::BadValue {
            name: self.name,
            found: value,
            allowed: format!("{kind} from {} to {}", self.min, self.max),
        })
    }
}

/// How a field of [`Tunables`] meets the `f64` of a parameter set.
trait Field: Copy {
    const KIND: ParameterKind;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

impl Field for i32 {
    const KIND: ParameterKind = ParameterKind::Int;
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> Self {
        value as i32
    }
}

impl Field for f64 {
    const KIND: ParameterKind = ParameterKind::Float;
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

macro_rules! tunables {
    ($($name:ident: $type:ty = $default:expr, $min:expr => $max:expr, c_end $c_end:expr, $doc:expr;)+) => {
        /// One value for every constant; fields and ranges as in [`Tunables::definitions`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct Tunables {
            $(#[doc = $doc] pub $name: $type,)+
        }

        impl Default for Tunables {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// The rows, in the order of the source.
        static DEFINITIONS: &[TunableDef] = &[$(TunableDef {
            name: stringify!($name),
            kind: <$type as Field>::KIND,
            default: $default as f64,
            min: $min as f64,
            max: $max as f64,
            c_end: $c_end as f64,
            doc: $doc,
        },)+];

        impl Tunables {
            /// Stores an accepted value in the field of this name.
            fn assign(&mut self, name: &str, value: f64) {
                match name {
                    $(stringify!($name) => self.$name = <$type as Field>::from_f64(value),)+
                    _ => {}
                }
            }

            /// Every name with its value.
            #[must_use]
            pub fn to_set(&self) -> ParameterSet {
                [$((stringify!($name).to_owned(), self.$name.to_f64()),)+].into_iter().collect()
            }
        }
    };
}

tunables! {
    aspiration_min_depth: i32 = 4, 2 => 12, c_end 1,
        "Depth in plies from which iterations start with a narrow window.";
    aspiration_delta: i32 = 50, 5 => 300, c_end 12,
        "Half-width in centipawns of the first aspiration window.";
    aspiration_widen: f64 = 2.0, 1.1 => 8.0, c_end 0.3,
        "Factor by which the half-width grows after each failure.";
    check_extension: i32 = 1, 0 => 1, c_end 0.5,
        "Plies added to a node in check.";
    iir_min_depth: i32 = 6, 2 => 64, c_end 1,
        "Depth in plies from which a node without a table move is reduced by one ply.";
    razor_depth: i32 = 2, 0 => 6, c_end 0.7,
        "Deepest remaining depth in plies at which razoring is tried.";
    razor_margin: i32 = 350, 20 => 2000, c_end 40,
        "Razoring: centipawns per ply below alpha that send a node to quiescence.";
    rfp_depth: i32 = 3, 0 => 12, c_end 0.8,
        "Deepest remaining depth in plies of reverse futility pruning.";
    rfp_margin: i32 = 200, 10 => 600, c_end 15,
        "Reverse futility: centipawns per ply above beta that end a node.";
    rfp_improving: i32 = 0, 0 => 300, c_end 15,
        "Reverse futility: centipawns taken off the margin when the evaluation is rising.";
    null_min_depth: i32 = 3, 1 => 64, c_end 0.7,
        "Depth in plies from which a null move is tried.";
    null_margin: i32 = 0, -200 => 300, c_end 15,
        "Null move: centipawns by which the evaluation must exceed beta.";
    null_base: f64 = 2.0, 0.5 => 6.0, c_end 0.25,
        "Null move: plies of reduction at depth zero.";
    null_depth_div: f64 = 16.0, 1.5 => 64.0, c_end 1.5,
        "Null move: plies of depth for each further ply of reduction.";
    null_eval_div: i32 = 2000, 40 => 5000, c_end 60,
        "Null move: centipawns above beta for each further ply of reduction, three at most.";
    lmr_min_depth: i32 = 3, 1 => 64, c_end 0.7,
        "Depth in plies from which late moves are reduced.";
    lmr_min_moves: i32 = 4, 1 => 24, c_end 0.8,
        "Moves of a node that are searched before reductions begin.";
    lmr_base: f64 = 0.3, -1.0 => 3.0, c_end 0.12,
        "Late move reduction in plies: base + ln(depth) ln(move) / divisor (M. Romstad, 2005).";
    lmr_divisor: f64 = 3.0, 0.8 => 8.0, c_end 0.2,
        "Divisor of the logarithmic term of the late move reduction.";
    lmr_pv: f64 = 1.0, 0.0 => 3.0, c_end 0.15,
        "Plies taken off the reduction in a node of the principal variation.";
    lmr_check: f64 = 1.0, 0.0 => 3.0, c_end 0.15,
        "Plies taken off the reduction of a move that gives check.";
    lmr_cut: f64 = 0.0, 0.0 => 3.0, c_end 0.15,
        "Plies added to the reduction in a node that is expected to fail high.";
    lmr_worsening: f64 = 0.0, 0.0 => 2.0, c_end 0.15,
        "Plies added to the reduction when the evaluation is not rising.";
    lmr_history_div: i32 = 4096, 500 => 40000, c_end 800,
        "History score that takes one ply off the reduction.";
    lmp_depth: i32 = 3, 0 => 12, c_end 0.8,
        "Deepest remaining depth in plies of late move pruning.";
    lmp_base: i32 = 3, 1 => 40, c_end 1,
        "Late move pruning: quiet moves that are tried at depth zero.";
    lmp_scale: f64 = 1.0, 0.2 => 12.0, c_end 0.4,
        "Late move pruning: further moves for each squared ply of depth.";
    futility_depth: i32 = 2, 0 => 12, c_end 0.8,
        "Deepest remaining depth in plies of futility pruning.";
    futility_base: i32 = 200, 0 => 1000, c_end 20,
        "Futility: centipawns of the margin at depth zero.";
    futility_margin: i32 = 200, 10 => 600, c_end 15,
        "Futility: further centipawns of the margin per ply.";
    qs_delta: i32 = 200, 0 => 20000, c_end 30,
        "Quiescence: centipawns beyond the gain that a capture must be able to reach alpha with.";
    qs_exchange: i32 = 0, 0 => 20000, c_end 25,
        "Quiescence: centipawns that a capture may lose by exchange and still be tried.";
    order_square: i32 = 4, 0 => 100, c_end 2,
        "Ordering: units of history for each centipawn that a quiet move's square is better by.";
    history_bonus: i32 = 32, 1 => 200, c_end 4,
        "History: bonus per squared ply of depth for the quiet move that failed high.";
    history_malus: i32 = 32, 0 => 200, c_end 4,
        "History: malus per squared ply of depth for the quiet moves tried before it.";
    history_max: i32 = 1200, 100 => 8000, c_end 150,
        "History: largest bonus or malus of one update.";
}

impl Tunables {
    /// Every constant with its range, in a fixed order.
    #[must_use]
    pub fn definitions() -> &'static [TunableDef] {
        DEFINITIONS
    }

    /// The row of this name.
    #[must_use]
    pub fn definition(name: &str) -> Option<&'static TunableDef> {
        DEFINITIONS.iter().find(|def| def.name == name)
    }

    /// Reads a set; constants that it does not name keep their defaults.
    ///
    /// # Errors
    /// The first unknown name or value out of range, with what is allowed.
    pub fn from_set(set: &ParameterSet) -> Result<Self, TunableError> {
        let mut tunables = Self::default();
        for (name, &value) in &set.0 {
            let Some(def) = Self::definition(name) else {
                let names: Vec<_> = DEFINITIONS.iter().map(|def| def.name).collect();
                return Err(TunableError::UnknownName {
                    found: model::printable(name, 64),
                    allowed: names.join(", "),
                });
            };
            tunables.assign(def.name, def.accept(value)?);
        }
        Ok(tunables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_valid_parameter_with_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for def in Tunables::definitions() {
            assert_eq!(ParameterDef::from(def).check(def.name), Ok(()), "{}", def.name);
            assert!(names.insert(def.name), "{} twice", def.name);
            assert!(def.doc.ends_with('.'), "{}", def.name);
        }
        assert!(names.len() >= 16);
    }

    #[test]
    fn a_set_comes_back_as_it_went() {
        let mut tunables = Tunables::default();
        for (i, def) in Tunables::definitions().iter().enumerate() {
            tunables.assign(def.name, if i % 2 == 0 { def.min } else { def.max });
        }
        assert_eq!(Tunables::from_set(&tunables.to_set()), Ok(tunables));
        assert_eq!(Tunables::from_set(&ParameterSet::default()), Ok(Tunables::default()));
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
            let error = Tunables::from_set(&set).expect_err(name).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
