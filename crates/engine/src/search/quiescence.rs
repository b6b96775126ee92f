//! Quiescence: captures until the position is quiet, every answer while in check.

use super::ruling::Ruling;
use super::worker::Worker;
use crate::SearchGame;
use crate::picker::Wanted;
use crate::table::{Bound, Entry};
use crate::tunables::tunables;
use crate::value::{DRAW, INFINITE, MATE, MATE_BOUND, NONE, mated_at, to_table};
use games::RuleWinner;

tunables! {
    /// Which captures quiescence leaves out.
    pub struct QuiescenceTunables in Pruning {
        qs_delta: i32 = 200, 0 => 20000, c_end 30,
            "Quiescence: centipawns beyond the gain that a capture must be able to reach alpha with.";
        qs_exchange: i32 = 0, 0 => 20000, c_end 25,
            "Quiescence: centipawns that a capture may lose by exchange and still be tried.";
    }
}

impl<G: SearchGame> Worker<'_, G> {
    /// The value of `position` once the captures are played out, within (`alpha`, `beta`).
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        position: &mut G,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if PV {
            self.frames[ply].pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        match self.ruling(position, ply) {
            Ruling::Open => self.expand_noisy::<PV>(position, alpha, beta, ply),
            Ruling::Value(score) => score,
            Ruling::Bound(bound) => bound.search(self, ply, alpha, beta, |worker, alpha, beta| {
                worker.expand_noisy::<PV>(position, alpha, beta, ply)
            }),
        }
    }

    /// The value of a node that the rules leave open.
    #[inline]
    fn expand_noisy<const PV: bool>(
        &mut self,
        position: &mut G,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if !G::QUIESCENCE {
            return self.evaluate(position);
        }
        let hash = self.frames[ply].hash;
        let known = self.table.probe(hash);
        if let Some(entry) = known
            && !PV
            && let Some(score) = self.known_value(position, entry, 0, ply, alpha, beta)
        {
            return score;
        }
        let in_check = self.frames[ply].in_check;
        let first_alpha = alpha;
        let mut best = -INFINITE;
        let mut eval = NONE;
        if !in_check {
            eval = match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.evaluate(position),
            };
            best = eval;
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let table_move = known.map_or(G::Move::default(), |entry| G::unpack(entry.mv));
        let picker = &mut self.frames[ply].picker;
        if in_check {
            picker.start(Wanted::Evasions, table_move, [G::Move::default(); 2]);
        } else {
            picker.start_noisy(table_move, self.params.tunables().quiescence.qs_exchange);
        }

        let mut best_move = G::Move::default();
        let mut rests_on = usize::MAX;
        let mut any_move = false;
        while let Some(mv) = self.frames[ply].picker.next(position, self.history, self.params) {
            if !in_check && best > -MATE_BOUND {
                let reach = eval
                    + position.noisy_gain(self.params.eval(), mv)
                    + self.params.tunables().quiescence.qs_delta;
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
            self.make(position, mv, ply);
            let score = -self.quiescence::<PV>(position, -beta, -alpha, ply + 1);
            self.unmake(position);
            if self.stopped {
                return best;
            }
            rests_on = rests_on.min(self.frames[ply + 1].rests_on);
            if score <= best {
                continue;
            }
            best = score;
            if score > alpha {
                alpha = score;
                best_move = mv;
                if PV {
                    self.extend_pv(ply, mv);
                }
                if score >= beta {
                    rests_on = self.frames[ply + 1].rests_on;
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
        let mv = G::pack(best_move);
        self.table.store(hash, Entry { mv, score, eval, depth: 0, bound, pv: PV });
        best
    }
}
