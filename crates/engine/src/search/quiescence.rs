//! Quiescence: captures until the position is quiet, every answer while in check.

use super::Worker;
use crate::picker::Wanted;
use crate::table::{Bound, Entry};
use crate::value::{DRAW, INFINITE, MATE, MATE_BOUND, NONE, from_table, mated_at, to_table};
use crate::{Evaluate, SearchGame};
use games::RuleWinner;

impl<G: SearchGame> Worker<'_, G> {
    /// The value of `position` once the captures are played out, within (`alpha`, `beta`).
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        position: &mut G,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if PV {
            self.frames[ply].pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if ply > 0
            && let Some(score) = self.leaf_by_rule(position, ply)
        {
            return score;
        }
        self.frames[ply].rests_on = usize::MAX;
        if !G::QUIESCENCE {
            return self.eval.evaluate(position);
        }
        let hash = self.frames[ply].hash;
        let known = self.table.probe(hash);
        if let Some(entry) = known
            && !PV
            && self.table.deep_enough(entry.depth, 0)
        {
            let score = from_table(entry.score, ply);
            let fits = match entry.bound {
                Bound::None => false,
                Bound::Upper => score <= alpha,
                Bound::Lower => score >= beta,
                Bound::Exact => true,
            };
            if fits {
                return score;
            }
        }
        let in_check = self.frames[ply].in_check;
        let first_alpha = alpha;
        let mut best = -INFINITE;
        let mut eval = NONE;
        if !in_check {
            eval = match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.eval.evaluate(position),
            };
            best = eval;
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let table_move = known.map_or(G::Move::default(), |entry| entry.mv);
        let picker = &mut self.frames[ply].picker;
        if in_check {
            picker.start(Wanted::Evasions, table_move, [G::Move::default(); 2]);
        } else {
            picker.start_noisy(table_move, self.params.tunables.qs_exchange);
        }

        let mut best_move = G::Move::default();
        let mut rests_on = usize::MAX;
        let mut any_move = false;
        while let Some(mv) = self.frames[ply].picker.next(position, self.history, self.params) {
            if !in_check && best > -MATE_BOUND {
                let reach = eval + position.noisy_gain(mv) + self.params.tunables.qs_delta;
                if reach <= alpha {
                    best = best.max(reach);
                    continue;
                }
            }
            if !position.is_legal(mv) {
                continue;
            }
            any_move = true;
            if !self.spend_node() {
                return best;
            }
            let noisy = !in_check || position.is_noisy(mv);
            self.make(position, mv, ply, noisy);
            let score = -self.quiescence::<PV>(position, -beta, -alpha, ply + 1);
            self.unmake(position);
            if self.stopped {
                return best;
            }
            if score <= best {
                continue;
            }
            best = score;
            rests_on = self.frames[ply + 1].rests_on;
            if score > alpha {
                alpha = score;
                best_move = mv;
                if PV {
                    self.extend_pv(ply, mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        if in_check && !any_move {
            return match G::NO_MOVE {
                RuleWinner::SideToMove => MATE - ply as i32,
                RuleWinner::Opponent => mated_at(ply),
                RuleWinner::Draw => DRAW,
            };
        }
        self.frames[ply].rests_on = if rests_on < ply { rests_on } else { usize::MAX };
        let bound = if rests_on < ply {
            Bound::None
        } else if best >= beta {
            Bound::Lower
        } else if best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let score = to_table(best, ply);
        self.table.store(hash, Entry { mv: best_move, score, eval, depth: 0, bound });
        best
    }
}
