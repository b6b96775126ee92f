//! Tunables made ready for the inner loop: what a rule looks up instead of computing.

use crate::Tunables;

/// Reductions are kept in 1024ths of a ply.
pub(crate) const PLY_UNIT: i32 = 1024;

const DEPTHS: usize = 64;
const MOVES: usize = 64;

/// A set of tunables with the tables derived from it. Build once per set, share by reference.
#[derive(Clone, Debug)]
pub struct SearchParams {
    /// The numbers themselves.
    pub tunables: Tunables,
    reductions: Box<[[i32; MOVES]; DEPTHS]>,
    null_reductions: [i32; DEPTHS],
    move_limits: [i32; DEPTHS],
    pub(crate) lmr_pv: i32,
    pub(crate) lmr_check: i32,
    pub(crate) lmr_cut: i32,
    pub(crate) lmr_worsening: i32,
}

impl Default for SearchParams {
    fn default() -> Self {
        Tunables::default().prepare()
    }
}

impl Tunables {
    /// Derives the tables of the inner loop.
    #[must_use]
    pub fn prepare(self) -> SearchParams {
        SearchParams::new(self)
    }
}

impl SearchParams {
    /// Derives the tables from `tunables`.
    #[must_use]
    pub fn new(tunables: Tunables) -> Self {
        let unit = |plies: f64| (plies * f64::from(PLY_UNIT)) as i32;
        let t = &tunables;
        let mut reductions = Box::new([[0; MOVES]; DEPTHS]);
        for depth in 1..DEPTHS {
            for count in 1..MOVES {
                let plies = t.lmr_base + ln(depth as u32) * ln(count as u32) / t.lmr_divisor;
                reductions[depth][count] = unit(plies);
            }
        }
        let null_reductions =
            std::array::from_fn(|depth| unit(t.null_base + depth as f64 / t.null_depth_div));
        let move_limits =
            std::array::from_fn(|depth| t.lmp_base + (t.lmp_scale * (depth * depth) as f64) as i32);
        Self {
            reductions,
            null_reductions,
            move_limits,
            lmr_pv: unit(t.lmr_pv),
            lmr_check: unit(t.lmr_check),
            lmr_cut: unit(t.lmr_cut),
            lmr_worsening: unit(t.lmr_worsening),
            tunables,
        }
    }

    /// Late move reduction in [`PLY_UNIT`]s before the adjustments of the node.
    #[inline]
    pub(crate) fn reduction(&self, depth: i32, count: i32) -> i32 {
        self.reductions[(depth as usize).min(DEPTHS - 1)][(count as usize).min(MOVES - 1)]
    }

    /// Null move reduction in plies, `excess` being evaluation minus beta.
    #[inline]
    pub(crate) fn null_reduction(&self, depth: i32, excess: i32) -> i32 {
        let by_depth = self.null_reductions[(depth as usize).min(DEPTHS - 1)];
        let by_eval = (excess * PLY_UNIT / self.tunables.null_eval_div).min(3 * PLY_UNIT);
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
        let tunables = Tunables {
            lmr_base: 0.5,
            lmr_divisor: 2.0,
            null_base: 2.0,
            null_depth_div: 4.0,
            null_eval_div: 200,
            lmp_base: 3,
            lmp_scale: 1.5,
            ..Tunables::default()
        };
        let params = tunables.prepare();
        let expected = 0.5 + 8f64.ln() * 10f64.ln() / 2.0;
        assert_eq!(params.reduction(8, 10), (expected * 1024.0) as i32);
        assert_eq!(params.reduction(200, 200), params.reduction(63, 63));
        assert_eq!(params.null_reduction(8, 0), 4);
        assert_eq!(params.null_reduction(8, 400), 6);
        assert_eq!(params.null_reduction(8, 9999), 7);
        assert_eq!(params.move_limit(2), 9);
    }
}
