//! Quiescence: captures until the position is quiet, every answer while in check.

use super::moves::no_move;
use super::ruling::Ruling;
use super::worker::Worker;
use crate::SearchGame;
use crate::history::Histories;
use crate::picker::Advice;
use crate::table::{Bound, Entry};
use crate::tunables::tunables;
use crate::value::{INFINITE, MATE_BOUND, NONE, to_table};
use games::MoveList;

tunables! {
    /// Which moves quiescence leaves out.
    pub struct QuiescenceTunables in Pruning {
        qs_delta: i32 = 160, 0 => 20000, c_end 15,
            "Quiescence: centipawns beyond the gain that a capture must be able to reach alpha with.";
        qs_exchange: i32 = 40, 0 => 20000, c_end 10,
            "Quiescence: centipawns that a capture may lose by exchange and still be tried.";
        qs_moves: i32 = 4, 1 => 256, c_end 0.7,
            "Quiescence: captures that are tried, beside those that take the piece that has just moved.";
        qs_evasions: i32 = 3, 1 => 256, c_end 0.7,
            "Quiescence: moves tried in check before quiet ones are left out.";
        qs_blend: i32 = 512, 0 => 1024, c_end 60,
            "Quiescence: share of beta in a value beyond it, in 1024ths.";
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
        let was_pv = PV || known.is_some_and(|entry| entry.pv);
        let structure = position.structure();
        let context = self.context(Histories::pawn_row(structure), ply);
        let first_alpha = alpha;
        let mut best = -INFINITE;
        let (mut raw, mut eval) = (NONE, NONE);
        let t = self.params.tunables();
        let blend = |best: i32| {
            if best.abs() >= MATE_BOUND || beta.abs() >= MATE_BOUND {
                return best;
            }
            beta + (best - beta) * (1024 - t.quiescence.qs_blend) / 1024
        };
        if !in_check {
            // A side with little left may have no move at all, and that is no quiet position.
            if !position.null_move_is_sound() && is_stuck(position) {
                return no_move::<G>(ply, in_check);
            }
            raw = match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.evaluate(position),
            };
            let first = position.first_to_move();
            let correction =
                self.histories.correction(&t.history, first, structure, &context) / 1024;
            eval = (raw + correction).clamp(1 - MATE_BOUND, MATE_BOUND - 1);
            best = eval;
            if best >= beta {
                best = blend(best);
                if known.is_none() {
                    // The evaluation is what costs: the next visit has it.
                    let entry = Entry {
                        mv: 0,
                        score: to_table(best, ply),
                        eval: raw,
                        depth: 0,
                        bound: Bound::Lower,
                        pv: was_pv,
                    };
                    self.table.store(hash, entry);
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        self.frames[ply].eval = eval;
        let table_move = known.map_or(G::Move::default(), |entry| G::unpack(entry.mv));
        let picker = &mut self.frames[ply].work[0].picker;
        if in_check {
            picker.start_evasions(table_move);
        } else {
            picker.start_noisy(table_move, -t.quiescence.qs_exchange);
        }
        let last_target = ply
            .checked_sub(1)
            .map(|before| self.frames[before].mv)
            .filter(|mv| *mv != G::Move::default());

        let mut best_move = G::Move::default();
        let mut rests_on = usize::MAX;
        let mut count = 0;
        loop {
            let advice =
                Advice { histories: &*self.histories, params: self.params, node: &context };
            let Some(mv) = self.frames[ply].work[0].picker.next(position, &advice) else { break };
            if best > -MATE_BOUND {
                if in_check {
                    if count >= t.quiescence.qs_evasions && !position.is_noisy(mv) {
                        self.frames[ply].work[0].picker.skip_quiet();
                        continue;
                    }
                } else {
                    let takes_back = last_target.is_some_and(|last| G::same_target(last, mv));
                    if count >= t.quiescence.qs_moves && !takes_back {
                        continue;
                    }
                    let gain = position.noisy_gain(self.params.eval(), mv);
                    let reach = eval + gain + t.quiescence.qs_delta;
                    if reach <= alpha {
                        best = best.max(reach.min(MATE_BOUND - 1));
                        continue;
                    }
                }
            }
            self.prefetch(position, mv);
            if !position.is_legal(mv) {
                continue;
            }
            count += 1;
            if !self.spend_node() {
                return best;
            }
            self.enter(position, mv, ply, count);
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
        if in_check && count == 0 {
            return no_move::<G>(ply, in_check);
        }
        if best >= beta {
            best = blend(best);
        }
        self.rest_on(ply, rests_on);
        let bound = self.bound_of(ply, best, first_alpha, beta);
        let entry = Entry {
            mv: G::pack(best_move),
            score: to_table(best, ply),
            eval: raw,
            depth: 0,
            bound,
            pv: was_pv,
        };
        self.table.store(hash, entry);
        best
    }
}

/// Whether the side to move has no legal move.
#[cold]
fn is_stuck<G: SearchGame>(position: &G) -> bool {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    moves.is_empty()
}
