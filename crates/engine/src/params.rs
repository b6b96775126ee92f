//! A set of constants made ready for the inner loop: what a rule looks up instead of computing.

use crate::tunables::{Declared, Group, TunableDef, TunableError};
use crate::{Evaluate, SearchGame, Tunables};
use games::{chess::Chess, othello::Othello, shogi::Shogi, tictactoe::TicTacToe, xiangqi::Xiangqi};
use model::{GameKind, ParameterSet};
use net::Network;
use std::sync::{Arc, OnceLock};

/// Reductions are kept in 1024ths of a ply.
pub(crate) const PLY_UNIT: i32 = 1024;

const DEPTHS: usize = 64;
const MOVES: usize = 64;

/// The numbers that a game's evaluation can be given.
pub type Weights<G> = <<G as SearchGame>::Eval as Evaluate<G>>::Weights;

/// What the evaluation of a game has made of its numbers.
pub type EvalTables<G> = <<G as SearchGame>::Eval as Evaluate<G>>::Tables;

/// The constants of one player of a game, with the tables derived from them. Build once per set,
/// share by reference.
pub struct SearchParams<G: SearchGame> {
    tunables: Tunables,
    weights: Weights<G>,
    eval: EvalTables<G>,
    network: Option<Arc<Network>>,
    reductions: Box<[[i32; MOVES]; DEPTHS]>,
    null_reductions: [i32; DEPTHS],
    move_limits: [i32; DEPTHS],
}

impl<G: SearchGame> Default for SearchParams<G> {
    fn default() -> Self {
        let values = definitions_of::<G>().iter().map(|def| def.default);
        Self::from_values(&mut values.into_iter())
    }
}

impl<G: SearchGame> Clone for SearchParams<G> {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.tunables.clone(), self.weights.clone());
        // What these parameters could take, equal ones can.
        if G::Eval::attach(&mut clone.eval, self.network.clone()) {
            clone.network.clone_from(&self.network);
        }
        clone
    }
}

impl<G: SearchGame> std::fmt::Debug for SearchParams<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SearchParams").field(&self.tunables).field(&self.weights).finish()
    }
}

/// A network that cannot evaluate a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a network of {found} cannot evaluate {game}; allowed: networks of xiangqi for xiangqi")]
pub struct NetworkError {
    /// The game of the network.
    pub found: GameKind,
    /// The game that is played.
    pub game: GameKind,
}

/// Every constant that the engine has for a game, in a fixed order: those of the search, then the
/// weights of the game's evaluation.
#[must_use]
pub fn definitions(game: GameKind) -> &'static [TunableDef] {
    match game {
        GameKind::Xiangqi => definitions_of::<Xiangqi>(),
        GameKind::Chess => definitions_of::<Chess>(),
        GameKind::Shogi => definitions_of::<Shogi>(),
        GameKind::Othello => definitions_of::<Othello>(),
        GameKind::TicTacToe => definitions_of::<TicTacToe>(),
    }
}

/// The constant of this name.
#[must_use]
pub fn definition(game: GameKind, name: &str) -> Option<&'static TunableDef> {
    definitions(game).iter().find(|def| def.name == name)
}

/// Whether a set names known constants alone, with values in their ranges.
///
/// # Errors
/// The first unknown name or value out of range, with what is allowed.
pub fn check_set(game: GameKind, set: &ParameterSet) -> Result<(), TunableError> {
    values_of(definitions(game), set).map(drop)
}

fn definitions_of<G: SearchGame>() -> &'static [TunableDef] {
    static LISTS: [OnceLock<Vec<TunableDef>>; GameKind::ALL.len()] =
        [const { OnceLock::new() }; GameKind::ALL.len()];
    LISTS[G::KIND as usize].get_or_init(|| {
        let mut list = Vec::new();
        Tunables::declare(&mut list);
        for def in &mut list {
            let own = G::DEFAULTS.iter().find(|(name, _)| def.name == *name);
            def.default = own.map_or(def.default, |(_, value)| *value);
        }
        Weights::<G>::declare(&mut list);
        list
    })
}

/// The values of a set in the order of the list; what it does not name keeps its default.
fn values_of(list: &[TunableDef], set: &ParameterSet) -> Result<Vec<f64>, TunableError> {
    let mut values: Vec<f64> = list.iter().map(|def| def.default).collect();
    for (name, &value) in &set.0 {
        let Some(index) = list.iter().position(|def| def.name == name.as_str()) else {
            // The weights are too many for a line.
            let search = list.iter().filter(|def| def.group != Group::Eval);
            let mut allowed: Vec<&str> = search.map(|def| def.name.as_ref()).collect();
            if allowed.len() < list.len() {
                allowed.push("and the weights of the evaluation");
            }
            return Err(TunableError::UnknownName {
                found: model::printable(name, 64),
                allowed: allowed.join(", "),
            });
        };
        values[index] = list[index].accept(value)?;
    }
    Ok(values)
}

impl<G: SearchGame> SearchParams<G> {
    /// Reads a set; constants that it does not name keep the game's defaults.
    ///
    /// # Errors
    /// The first unknown name or value out of range, with what is allowed.
    pub fn from_set(set: &ParameterSet) -> Result<Self, TunableError> {
        let values = values_of(definitions_of::<G>(), set)?;
        Ok(Self::from_values(&mut values.into_iter()))
    }

    fn from_values(values: &mut dyn Iterator<Item = f64>) -> Self {
        let (mut tunables, mut weights) = (Tunables::default(), Weights::<G>::default());
        tunables.write(values);
        weights.write(values);
        Self::new(tunables, weights)
    }

    /// Every name with its value.
    #[must_use]
    pub fn to_set(&self) -> ParameterSet {
        let mut values = Vec::new();
        self.tunables.read(&mut values);
        self.weights.read(&mut values);
        let names = definitions_of::<G>().iter().map(|def| def.name.to_string());
        names.zip(values).collect()
    }

    /// Derives the tables.
    #[must_use]
    pub fn new(tunables: Tunables, weights: Weights<G>) -> Self {
        let unit = |plies: f64| (plies * f64::from(PLY_UNIT)) as i32;
        let (lmr, pruning) = (&tunables.lmr, &tunables.pruning);
        let mut reductions = Box::new([[0; MOVES]; DEPTHS]);
        for depth in 1..DEPTHS {
            for count in 1..MOVES {
                let plies = lmr.lmr_base + ln(depth as u32) * ln(count as u32) / lmr.lmr_divisor;
                reductions[depth][count] = unit(plies);
            }
        }
        let null_reductions = std::array::from_fn(|depth| {
            unit(pruning.null_base + depth as f64 / pruning.null_depth_div)
        });
        let move_limits = std::array::from_fn(|depth| {
            pruning.lmp_base + (pruning.lmp_scale * (depth * depth) as f64) as i32
        });
        Self {
            reductions,
            null_reductions,
            move_limits,
            eval: G::Eval::tables(&weights),
            network: None,
            tunables,
            weights,
        }
    }

    /// The same constants with a network as the evaluation, or, with `None`, the game's own.
    ///
    /// # Errors
    /// The network is of another game, or the game takes none yet.
    pub fn with_network(mut self, network: Option<Arc<Network>>) -> Result<Self, NetworkError> {
        let found = network.as_ref().map_or(G::KIND, |network| network.architecture().game);
        if !G::Eval::attach(&mut self.eval, network.clone()) {
            return Err(NetworkError { found, game: G::KIND });
        }
        self.network = network;
        Ok(self)
    }

    /// The network that evaluates, if one does.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The constants of the search.
    #[inline]
    #[must_use]
    pub fn tunables(&self) -> &Tunables {
        &self.tunables
    }

    /// What the evaluation has made of its weights.
    #[inline]
    #[must_use]
    pub fn eval(&self) -> &EvalTables<G> {
        &self.eval
    }

    /// Late move reduction in [`PLY_UNIT`]s before the adjustments of the node.
    #[inline]
    pub(crate) fn reduction(&self, depth: i32, count: i32) -> i32 {
        self.reductions[(depth.max(0) as usize).min(DEPTHS - 1)][(count as usize).min(MOVES - 1)]
    }

    /// Null move reduction in plies, `excess` being evaluation minus beta.
    #[inline]
    pub(crate) fn null_reduction(&self, depth: i32, excess: i32) -> i32 {
        let by_depth = self.null_reductions[(depth as usize).min(DEPTHS - 1)];
        let by_eval = (excess * PLY_UNIT / self.tunables.pruning.null_eval_div).min(3 * PLY_UNIT);
        (by_depth + by_eval) / PLY_UNIT
    }

    /// Moves after which quiet ones are skipped at this depth.
    #[inline]
    pub(crate) fn move_limit(&self, depth: i32) -> i32 {
        self.move_limits[(depth as usize).min(DEPTHS - 1)]
    }
}

/// The natural logarithm of `n >= 1` from the four basic operations alone.
///
/// The standard library's logarithm is the platform's and may differ in the last bit; a reduction
/// on the edge would then differ too, and with it the moves of a replayed game.
fn ln(n: u32) -> f64 {
    let mut mantissa = f64::from(n);
    let mut halvings = 0.0;
    while mantissa > 1.5 {
        mantissa /= 2.0;
        halvings += 1.0;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)); |argument| <= 1/5 here, so 12 terms reach full precision.
    let x = (mantissa - 1.0) / (mantissa + 1.0);
    let square = x * x;
    let mut power = x;
    let mut sum = 0.0;
    for k in 0..12 {
        sum += power / f64::from(2 * k + 1);
        power *= square;
    }
    halvings * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_logarithm_agrees_with_the_platform() {
        for n in 1..=64 {
            assert!((ln(n) - f64::from(n).ln()).abs() < 1e-14, "{n}");
        }
    }

    #[test]
    fn tables_follow_the_formulas() {
        let set = [
            ("lmr_base", 0.5),
            ("lmr_divisor", 2.0),
            ("null_base", 2.0),
            ("null_depth_div", 4.0),
            ("null_eval_div", 200.0),
            ("lmp_base", 3.0),
            ("lmp_scale", 1.5),
        ];
        let set = set.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let params = SearchParams::<Chess>::from_set(&set).expect("values in range");
        let expected = 0.5 + 8f64.ln() * 10f64.ln() / 2.0;
        assert_eq!(params.reduction(8, 10), (expected * 1024.0) as i32);
        assert_eq!(params.reduction(200, 200), params.reduction(63, 63));
        assert_eq!(params.null_reduction(8, 0), 4);
        assert_eq!(params.null_reduction(8, 400), 6);
        assert_eq!(params.null_reduction(8, 9999), 7);
        assert_eq!(params.move_limit(2), 9);
    }

    fn comes_back<G: SearchGame>() {
        let list = definitions_of::<G>();
        let ends = list
            .iter()
            .enumerate()
            .map(|(i, def)| (def.name.to_string(), if i % 2 == 0 { def.min } else { def.max }));
        let ends: ParameterSet = ends.collect();
        let params = SearchParams::<G>::from_set(&ends).expect("ends of the ranges");
        assert_eq!(params.to_set(), ends);
        let own = list.iter().map(|def| (def.name.to_string(), def.default)).collect();
        assert_eq!(SearchParams::<G>::default().to_set(), own);
    }

    #[test]
    fn a_set_comes_back_as_it_went() {
        comes_back::<Xiangqi>();
        comes_back::<Chess>();
        comes_back::<Shogi>();
        comes_back::<Othello>();
        comes_back::<TicTacToe>();
    }

    /// A name in the list of a game's own defaults that no rule declares would be ignored.
    #[test]
    fn own_defaults_name_constants_of_the_search() {
        fn check<G: SearchGame>() {
            for (name, value) in G::DEFAULTS {
                let def = definition(G::KIND, name).unwrap_or_else(|| panic!("no tunable {name}"));
                assert_eq!(def.accept(*value), Ok(*value));
                assert_eq!(def.default, *value, "{name}");
            }
        }
        check::<Xiangqi>();
        check::<Chess>();
        check::<Shogi>();
        check::<Othello>();
        check::<TicTacToe>();
    }
}
