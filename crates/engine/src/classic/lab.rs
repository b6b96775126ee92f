//! The algorithms by name, run on a tree of anybody's.

use super::memory::Memory;
use super::walk::{Budget, Counts, Walk};
use super::{INFINITE, Tree};
use super::{alpha_beta, aspiration, memory, minimax, mtd, scout, sss};

/// An algorithm of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// [`minimax::minimax`]
    Minimax,
    /// [`minimax::negamax`]
    Negamax,
    /// [`alpha_beta::fail_hard`]
    AlphaBetaHard,
    /// [`alpha_beta::fail_soft`]
    AlphaBeta,
    /// [`scout::scout`]
    Scout,
    /// [`scout::nega_scout`]
    NegaScout,
    /// [`scout::pvs_found`]
    PvsFound,
    /// [`scout::pvs`]
    Pvs,
    /// [`aspiration::aspiration`] over fail-soft alpha-beta
    AspirationAlphaBeta,
    /// [`aspiration::aspiration`] over NegaScout
    AspirationNegaScout,
    /// [`sss::sss`]
    Sss,
    /// [`sss::dual`]
    Dual,
    /// [`mtd::mt_sss`]
    MtSss,
    /// [`mtd::mt_dual`]
    MtDual,
    /// [`mtd::mtd_f`]
    MtdF,
}

/// What a run is given beside the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the value is thought to be: the centre of aspiration, the beginning of MTD(f).
    pub guess: i32,
    /// Half of the first aspiration window; at least 1.
    pub margin: i32,
    /// Megabytes of a transposition table for the algorithms that take one; 0 for none. Without
    /// it those that cannot do without memory remember each node of the tree.
    pub table_mb: usize,
    /// How far to go.
    pub budget: Budget,
}

/// What came out of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The value of the root from the view of the side to move; `None` when the budget ran out.
    pub value: Option<i32>,
    /// What it cost.
    pub counts: Counts,
}

impl Algorithm {
    /// All of them, ancestors first.
    pub const ALL: [Algorithm; 15] = {
        use Algorithm::*;
        [
            Minimax,
            Negamax,
            AlphaBetaHard,
            AlphaBeta,
            Scout,
            NegaScout,
            PvsFound,
            Pvs,
            AspirationAlphaBeta,
            AspirationNegaScout,
            Sss,
            Dual,
            MtSss,
            MtDual,
            MtdF,
        ]
    };

    /// The name by which the command line knows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Minimax => "minimax",
            Algorithm::Negamax => "negamax",
            Algorithm::AlphaBetaHard => "alphabeta-hard",
            Algorithm::AlphaBeta => "alphabeta",
            Algorithm::Scout => "scout",
            Algorithm::NegaScout => "negascout",
            Algorithm::PvsFound => "pvs-found",
            Algorithm::Pvs => "pvs",
            Algorithm::AspirationAlphaBeta => "aspiration-alphabeta",
            Algorithm::AspirationNegaScout => "aspiration-negascout",
            Algorithm::Sss => "sss",
            Algorithm::Dual => "dual",
            Algorithm::MtSss => "mt-sss",
            Algorithm::MtDual => "mt-dual",
            Algorithm::MtdF => "mtdf",
        }
    }

    /// Who published it, and when.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Algorithm::Minimax => "von Neumann 1928, Shannon 1950",
            Algorithm::Negamax | Algorithm::AlphaBetaHard => "Knuth, Moore 1975",
            Algorithm::AlphaBeta => "Fishburn 1983",
            Algorithm::Scout => "Pearl 1980",
            Algorithm::NegaScout => "Reinefeld 1983",
            Algorithm::PvsFound => "in common use",
            Algorithm::Pvs => "Marsland, Campbell 1982",
            Algorithm::AspirationAlphaBeta => "Gillogly 1972, Baudet 1978",
            Algorithm::AspirationNegaScout => "Reinefeld 1983",
            Algorithm::Sss => "Stockman 1979",
            Algorithm::Dual => "Marsland, Reinefeld, Schaeffer 1987",
            Algorithm::MtSss | Algorithm::MtDual | Algorithm::MtdF => {
                "Plaat, Schaeffer, Pijls, de Bruin 1994"
            }
        }
    }

    /// Whether it can never come to a leaf twice.
    #[must_use]
    pub fn is_straight(self) -> bool {
        use Algorithm::{AlphaBeta, AlphaBetaHard, Dual, Minimax, Negamax, Sss};
        matches!(self, Minimax | Negamax | AlphaBetaHard | AlphaBeta | Sss | Dual)
    }

    /// Whether it uses a transposition table when there is one.
    #[must_use]
    pub fn takes_table(self) -> bool {
        use Algorithm::{AlphaBeta, AspirationAlphaBeta, AspirationNegaScout, NegaScout};
        self.needs_memory()
            || matches!(self, AlphaBeta | NegaScout | AspirationAlphaBeta | AspirationNegaScout)
    }

    /// Whether [`Settings::guess`] matters to it.
    #[must_use]
    pub fn takes_guess(self) -> bool {
        use Algorithm::{AspirationAlphaBeta, AspirationNegaScout, MtdF};
        matches!(self, AspirationAlphaBeta | AspirationNegaScout | MtdF)
    }

    /// Whether it makes no sense without a memory of nodes.
    fn needs_memory(self) -> bool {
        matches!(self, Algorithm::MtSss | Algorithm::MtDual | Algorithm::MtdF)
    }

    /// Runs it on a tree that stands at its root, and does again afterwards. `watch` is told the counts now and then.
    pub fn run<T: Tree>(
        self,
        tree: &mut T,
        settings: &Settings,
        watch: &mut dyn FnMut(&Counts),
    ) -> Run {
        let tabled = self.takes_table() && settings.table_mb > 0;
        let memory = match tabled {
            true => Memory::table(settings.table_mb),
            false if self.needs_memory() => Memory::of_nodes(),
            false => Memory::Nothing,
        };
        let mut walk = Walk::new(tree, memory, watch).within(settings.budget);
        if self.is_straight() {
            walk = walk.straight();
        }
        let value = self.search(&mut walk, settings, tabled);
        walk.go_to([]);
        Run { value: (!walk.is_exhausted()).then_some(value), counts: walk.counts() }
    }

    /// The value of the root; `tabled` when the memory of the walk is to be used by all.
    pub(super) fn search<T: Tree>(
        self,
        walk: &mut Walk<'_, T>,
        settings: &Settings,
        tabled: bool,
    ) -> i32 {
        let (low, high) = (-INFINITE, INFINITE);
        let &Settings { guess, margin, .. } = settings;
        match self {
            Algorithm::Minimax => minimax::minimax(walk),
            Algorithm::Negamax => minimax::negamax(walk),
            Algorithm::AlphaBetaHard => alpha_beta::fail_hard(walk, low, high),
            Algorithm::AlphaBeta if tabled => memory::alpha_beta(walk, low, high),
            Algorithm::AlphaBeta => alpha_beta::fail_soft(walk, low, high),
            Algorithm::Scout => scout::scout(walk),
            Algorithm::NegaScout if tabled => memory::nega_scout(walk, low, high),
            Algorithm::NegaScout => scout::nega_scout(walk, low, high),
            Algorithm::PvsFound => scout::pvs_found(walk, low, high),
            Algorithm::Pvs => scout::pvs(walk, low, high),
            Algorithm::AspirationAlphaBeta if tabled => {
                aspiration::aspiration(walk, guess, margin, memory::alpha_beta)
            }
            Algorithm::AspirationAlphaBeta => {
                aspiration::aspiration(walk, guess, margin, alpha_beta::fail_soft)
            }
            Algorithm::AspirationNegaScout if tabled => {
                aspiration::aspiration(walk, guess, margin, memory::nega_scout)
            }
            Algorithm::AspirationNegaScout => {
                aspiration::aspiration(walk, guess, margin, scout::nega_scout)
            }
            Algorithm::Sss => sss::sss(walk),
            Algorithm::Dual => sss::dual(walk),
            Algorithm::MtSss => mtd::mt_sss(walk),
            Algorithm::MtDual => mtd::mt_dual(walk),
            Algorithm::MtdF => mtd::mtd_f(walk, guess),
        }
    }
}
