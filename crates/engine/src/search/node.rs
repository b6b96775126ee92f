//! One inner node: principal variation search (T. A. Marsland and M. Campbell, 1982), fail-soft,
//! with the selective rules whose constants are the tunables.

use super::TRIED;
use super::ruling::Ruling;
use super::worker::Worker;
use crate::history;
use crate::params::PLY_UNIT;
use crate::picker::Wanted;
use crate::table::{Bound, Entry};
use crate::value::{self, DRAW, INFINITE, MATE, MATE_BOUND, NONE, mated_at};
use crate::{Evaluate, SearchGame};
use games::RuleWinner;

/// What the moves of a node share once its prologue is done.
struct Situation {
    depth: i32,
    ply: usize,
    eval: i32,
    in_check: bool,
    improving: bool,
    pv_node: bool,
    cut_node: bool,
}

impl<G: SearchGame> Worker<'_, G> {
    /// The value of `position` at `depth` plies within (`alpha`, `beta`); outside, a bound.
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &mut G,
        mut depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        if self.frames[ply].in_check {
            depth += self.params.tunables().extension.check_extension;
        }
        if depth <= 0 {
            return self.quiescence::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.frames[ply].pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        match self.ruling(position, ply) {
            Ruling::Open => self.expand::<PV>(position, depth, alpha, beta, ply, cut_node),
            Ruling::Value(score) => score,
            Ruling::Bound(bound) => bound.search(self, ply, alpha, beta, |worker, alpha, beta| {
                worker.expand::<PV>(position, depth, alpha, beta, ply, cut_node)
            }),
        }
    }

    /// The value of a node that the rules leave open.
    #[inline]
    fn expand<const PV: bool>(
        &mut self,
        position: &mut G,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        let in_check = self.frames[ply].in_check;
        if ply > 0 {
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(-mated_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let known = self.table.probe(self.frames[ply].hash);
        if let Some(entry) = known
            && !PV
            && let Some(score) = self.known_value(position, entry, depth, ply, alpha, beta)
        {
            return score;
        }
        let mut table_move = known.map_or(G::Move::default(), |entry| G::unpack(entry.mv));
        if ply == 0 && self.root_best != G::Move::default() {
            table_move = self.root_best;
        }

        let eval = match known {
            _ if in_check => NONE,
            Some(entry) if entry.eval != NONE => entry.eval,
            _ => self.evaluate(position),
        };
        self.frames[ply].eval = eval;
        let improving = !in_check && ply >= 2 && {
            let before = self.frames[ply - 2].eval;
            before == NONE || eval > before
        };
        let mut situation =
            Situation { depth, ply, eval, in_check, improving, pv_node: PV, cut_node };
        if !PV
            && !in_check
            && let Some(score) = self.prune_node(position, &situation, alpha, beta)
        {
            return score;
        }
        if depth >= self.params.tunables().pruning.iir_min_depth && table_move == G::Move::default()
        {
            situation.depth -= 1;
        }
        self.moves::<PV>(position, &situation, table_move, alpha, beta)
    }

    /// Rules that end a node before its moves: razoring, reverse futility, null move.
    #[inline]
    fn prune_node(
        &mut self,
        position: &mut G,
        node: &Situation,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let &Situation { depth, ply, eval, .. } = node;
        let tunables = self.params.tunables();
        if depth <= tunables.pruning.razor_depth
            && eval + tunables.pruning.razor_margin * depth <= alpha
        {
            let score = self.quiescence::<false>(position, alpha, alpha + 1, ply);
            if self.stopped || score <= alpha {
                return Some(score);
            }
            self.frames[ply].rests_on = usize::MAX;
        }
        if beta <= -MATE_BOUND {
            return None;
        }
        if depth <= tunables.pruning.rfp_depth {
            let relief = if node.improving { tunables.pruning.rfp_improving } else { 0 };
            if eval - (tunables.pruning.rfp_margin * depth - relief).max(0) >= beta {
                return Some(eval);
            }
        }
        let try_null = depth >= tunables.pruning.null_min_depth
            && eval >= beta + tunables.pruning.null_margin
            && !self.frames[ply].after_null
            && position.null_move_is_sound();
        if !try_null {
            return None;
        }
        let reduced = depth - 1 - self.params.null_reduction(depth, (eval - beta).max(0));
        if !self.spend_node() {
            return Some(0);
        }
        self.eval.push(self.params.eval(), position, None);
        position.make_null();
        let child = &mut self.frames[ply + 1];
        child.hash = position.hash();
        child.in_check = false;
        child.after_null = true;
        let score =
            -self.node::<false>(position, reduced, -beta, 1 - beta, ply + 1, !node.cut_node);
        position.unmake_null();
        self.eval.pop();
        if self.stopped {
            return Some(0);
        }
        let rests_on = self.frames[ply + 1].rests_on;
        self.frames[ply].rests_on = if rests_on < ply { rests_on } else { usize::MAX };
        // A mate after a pass is no proof of one.
        (score >= beta).then_some(if score >= MATE_BOUND { beta } else { score })
    }

    /// Searches the moves and keeps what was learnt.
    fn moves<const PV: bool>(
        &mut self,
        position: &mut G,
        node: &Situation,
        table_move: G::Move,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let &Situation { depth, ply, .. } = node;
        let first_to_move = position.first_to_move();
        let frame = &mut self.frames[ply];
        let wanted = if node.in_check { Wanted::Evasions } else { Wanted::Staged };
        let killers = frame.killers;
        frame.picker.start(wanted, table_move, killers);

        let first_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = G::Move::default();
        let mut rests_on = usize::MAX;
        let mut count = 0;
        let mut quiet_count = 0;
        while let Some(mv) = self.frames[ply].picker.next(position, self.history, self.params) {
            if !position.is_legal(mv) || (ply == 0 && !self.looks_at(mv)) {
                continue;
            }
            count += 1;
            let noisy = position.is_noisy(mv);
            if !noisy && ply > 0 && !node.in_check && best > -MATE_BOUND {
                let tunables = self.params.tunables();
                if depth <= tunables.pruning.lmp_depth && count > self.params.move_limit(depth) {
                    self.frames[ply].picker.skip_quiet();
                    continue;
                }
            }
            self.make(position, mv, ply);
            let gives_check = self.frames[ply + 1].in_check;
            if !noisy && !gives_check && ply > 0 && self.is_futile(node, alpha, best) {
                self.unmake(position);
                // No quiet move is worse than one that the margin already condemns.
                best = best.max(node.eval);
                continue;
            }
            if !self.spend_node() {
                self.unmake(position);
                return best;
            }
            let score = self.child::<PV>(position, node, mv, noisy, count, alpha, beta);
            self.unmake(position);
            if self.stopped {
                return best;
            }
            if !noisy && quiet_count < TRIED {
                self.frames[ply].tried[quiet_count] = mv;
                quiet_count += 1;
            }
            // That a move is no better says something of other lines, too, unless it rests on this.
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
                if ply == 0 {
                    self.root_best = mv;
                    self.root_score = score;
                }
                if score >= beta {
                    rests_on = self.frames[ply + 1].rests_on;
                    if !noisy {
                        self.reward(first_to_move, node, mv, quiet_count);
                    }
                    break;
                }
            }
        }
        if count == 0 {
            self.frames[ply].rests_on = usize::MAX;
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
        if ply == 0 && !self.root_moves.is_empty() {
            // The best of some moves is no fact about the position.
            return best;
        }
        self.table.store(
            self.frames[ply].hash,
            Entry {
                mv: G::pack(best_move),
                score: value::to_table(best, ply),
                eval: node.eval,
                depth: if bound == Bound::None { 0 } else { depth },
                bound,
                pv: PV,
            },
        );
        best
    }

    /// Whether a quiet move cannot be expected to lift the evaluation to alpha.
    #[inline]
    fn is_futile(&self, node: &Situation, alpha: i32, best: i32) -> bool {
        let tunables = self.params.tunables();
        !node.in_check
            && node.depth <= tunables.pruning.futility_depth
            && best > -MATE_BOUND
            && node.eval
                + tunables.pruning.futility_base
                + tunables.pruning.futility_margin * node.depth
                <= alpha
    }

    /// The value of the move just made: full window, zero window, or reduced and then verified.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the innermost loop passes its state by value")]
    fn child<const PV: bool>(
        &mut self,
        position: &mut G,
        node: &Situation,
        mv: G::Move,
        noisy: bool,
        count: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let ply = node.ply + 1;
        let new_depth = node.depth - 1;
        if count == 1 {
            let cut = !PV && !node.cut_node;
            return -self.node::<PV>(position, new_depth, -beta, -alpha, ply, cut);
        }
        if PV {
            // A move that fails high by its zero window alone has no line.
            self.frames[ply].pv.clear();
        }
        let reduction = if noisy { 0 } else { self.reduction(position, node, mv, count) };
        let mut score = if reduction > 0 {
            -self.node::<false>(position, new_depth - reduction, -alpha - 1, -alpha, ply, true)
        } else {
            INFINITE
        };
        if score > alpha && !self.stopped {
            let cut = !node.cut_node;
            score = -self.node::<false>(position, new_depth, -alpha - 1, -alpha, ply, cut);
        }
        if PV && score > alpha && score < beta && !self.stopped {
            score = -self.node::<true>(position, new_depth, -beta, -alpha, ply, false);
        }
        score
    }

    /// Plies by which a late quiet move, already made, is searched less deeply.
    #[inline]
    fn reduction(&self, position: &G, node: &Situation, mv: G::Move, count: i32) -> i32 {
        let params = self.params;
        let tunables = params.tunables();
        if node.depth < tunables.lmr.lmr_min_depth
            || count <= tunables.lmr.lmr_min_moves
            || node.in_check
        {
            return 0;
        }
        let mut reduction = params.reduction(node.depth, count);
        if node.pv_node {
            reduction -= params.unit(tunables.lmr.lmr_pv);
        }
        if node.cut_node {
            reduction += params.unit(tunables.lmr.lmr_cut);
        }
        if !node.improving {
            reduction += params.unit(tunables.lmr.lmr_worsening);
        }
        if self.frames[node.ply + 1].in_check {
            reduction -= params.unit(tunables.lmr.lmr_check);
        }
        // The move is made: its side is the one not to move.
        let history = self.history.get(!position.first_to_move(), G::move_slot(mv));
        reduction -= history * PLY_UNIT / tunables.lmr.lmr_history_div;
        (reduction / PLY_UNIT).clamp(0, node.depth - 1)
    }

    /// Remembers the quiet move that failed high, and holds it against those tried before it.
    fn reward(&mut self, first_to_move: bool, node: &Situation, mv: G::Move, quiet_count: usize) {
        let frame = &mut self.frames[node.ply];
        if frame.killers[0] != mv {
            frame.killers = [mv, frame.killers[0]];
        }
        let tunables = self.params.tunables();
        let largest = tunables.history.history_max.min(history::LIMIT);
        let square = node.depth * node.depth;
        let bonus = (tunables.history.history_bonus * square).min(largest);
        let malus = (tunables.history.history_malus * square).min(largest);
        self.history.update(first_to_move, G::move_slot(mv), bonus);
        for &tried in &frame.tried[..quiet_count] {
            if tried != mv {
                self.history.update(first_to_move, G::move_slot(tried), -malus);
            }
        }
    }
}
