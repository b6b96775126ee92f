//! Multi-ProbCut (M. Buro, 1997): in games whose shallow searches foretell the deeper ones, a shallow search
//! with a window shifted by a margin decides nodes that are far outside of theirs.

use super::worker::Worker;
use crate::value::MATE_BOUND;
use crate::{Forecast, SearchGame};

impl<G: SearchGame> Worker<'_, G> {
    /// The bound that the forecast gives for a zero window (`alpha`, `alpha + 1`), if it lies outside.
    ///
    /// Only the side of the window is asked on which the static evaluation stands already. The shallow
    /// search uses the frame of the node, whose own search has not begun.
    pub(super) fn foretell(
        &mut self,
        position: &mut G,
        forecast: &Forecast,
        alpha: i32,
        eval: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<i32> {
        let beta = alpha + 1;
        let shallow = |wanted: f64| (wanted - forecast.offset) / forecast.slope;
        let is_high = eval >= beta;
        // The lowest shallow value that promises beta, or the highest that promises no more than alpha.
        let bound = match is_high {
            true => shallow(f64::from(beta) + forecast.margin).ceil() as i32,
            false => shallow(f64::from(alpha) - forecast.margin).floor() as i32,
        };
        if bound.abs() >= MATE_BOUND || alpha.abs() >= MATE_BOUND {
            return None;
        }
        let low = if is_high { bound - 1 } else { bound };
        let kept = self.frames[ply].eval;
        let score = self.expand::<false>(position, forecast.depth, low, low + 1, ply, cut_node);
        self.frames[ply].eval = kept;
        self.frames[ply].rests_on = usize::MAX;
        let is_outside = if is_high { score >= bound } else { score <= bound };
        (self.stopped || is_outside).then_some(if is_high { beta } else { alpha })
    }
}
