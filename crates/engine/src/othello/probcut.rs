//! Multi-ProbCut (M. Buro, 1997): in othello the value of a shallow search foretells that of a deeper one so
//! well that a node whose shallow value is far outside of the window need not be searched deeply.
//!
//! The deep value is taken as `slope · shallow + offset`, with a deviation; the numbers were fitted by the
//! example `probcut` to searches of this engine. It is off by default: with the other selective rules on it
//! won nothing in matches at equal nodes, a few thousand for each move.

use crate::searchable::Forecast;
use crate::tunables::tunables;

/// The least depth that is foretold.
const FIRST: i32 = 3;
/// How many depths have numbers of their own; what is deeper takes the last ones of its parity.
const DEPTHS: usize = 8;

/// From which depth a depth is foretold: the same parity, since values swing with it.
const SHALLOW: [i32; DEPTHS] = [1, 2, 1, 2, 3, 4, 3, 4];

tunables! {
    /// Multi-ProbCut.
    pub struct MultiProbCut in Pruning {
        mpc_threshold: f64 = 0.0, 0.0 => 5.0, c_end 0.1,
            "Multi-ProbCut: deviations by which a forecast must lie outside of the window; 0: never.";
        mpc_min_depth: i32 = 3, 3 => 20, c_end 0.6,
            "Multi-ProbCut: least depth in plies.";
        mpc_slope: [f64; DEPTHS] = [0.978, 0.950, 0.942, 0.935, 0.970, 0.969, 0.968, 1.032], 0.3 => 2.0, c_end 0.03,
            "Multi-ProbCut: deep value per shallow value, for depths from 3 plies on.";
        mpc_offset: [i32; DEPTHS] = [-37, -51, -56, -44, -82, 29, -31, 42], -500 => 500, c_end 10,
            "Multi-ProbCut: hundredths of a disc that the deep value is higher by.";
        mpc_deviation: [i32; DEPTHS] = [163, 157, 220, 221, 205, 221, 222, 272], 20 => 3000, c_end 25,
            "Multi-ProbCut: standard deviation of the forecast in hundredths of a disc.";
    }
}

impl MultiProbCut {
    /// What foretells a search of so many plies.
    pub(super) fn forecast(&self, depth: i32) -> Option<Forecast> {
        if self.mpc_threshold <= 0.0 || depth < self.mpc_min_depth.max(FIRST) {
            return None;
        }
        let place = (depth - FIRST) as usize;
        let index = if place < DEPTHS { place } else { DEPTHS - 2 + place % 2 };
        Some(Forecast {
            depth: SHALLOW[index],
            slope: self.mpc_slope[index],
            offset: f64::from(self.mpc_offset[index]),
            margin: self.mpc_threshold * f64::from(self.mpc_deviation[index]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_foretold_from_less_of_the_same_parity() {
        let rule = MultiProbCut { mpc_threshold: 1.0, ..MultiProbCut::default() };
        for depth in FIRST..40 {
            let forecast = rule.forecast(depth).expect("from the least depth on");
            assert!(0 < forecast.depth && forecast.depth < depth);
            assert_eq!((depth - forecast.depth) % 2, 0, "{depth}");
            assert!(forecast.slope > 0.0 && forecast.margin > 0.0);
        }
        assert_eq!(rule.forecast(FIRST - 1), None);
        let late = MultiProbCut { mpc_min_depth: 9, ..rule };
        assert!(late.forecast(8).is_none() && late.forecast(9).is_some());
    }

    #[test]
    fn no_threshold_is_no_forecast() {
        let rule = MultiProbCut { mpc_threshold: 0.0, ..MultiProbCut::default() };
        assert!((0..40).all(|depth| rule.forecast(depth).is_none()));
    }
}
