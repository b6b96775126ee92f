//! One inner node: principal variation search (T. A. Marsland and M. Campbell, 1982), fail-soft. Here
//! is what happens before the moves: the table, the static evaluation, and the rules that end a node
//! by them. The moves themselves are in `moves`.

use super::ruling::Ruling;
use super::worker::Worker;
use crate::history::{CONTINUATIONS, Context, Histories, QuietCell};
use crate::picker::Advice;
use crate::table::{Bound, Entry};
use crate::value::{self, MATE_BOUND, NONE, mated_at};
use crate::{Evaluate, SearchGame, Structure};

/// What the moves of a node share once its prologue is done.
pub(super) struct Situation {
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) cut_node: bool,
    /// The corrected evaluation, or what the table knows better; [`NONE`] in check.
    pub(super) eval: i32,
    /// Centipawns of the correction.
    pub(super) correction: i32,
    pub(super) in_check: bool,
    pub(super) improving: bool,
    /// What the table knows; its score counts from the root.
    pub(super) known: Option<Entry>,
    pub(super) known_score: i32,
    pub(super) context: Context,
    pub(super) structure: Structure,
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
        if ply == 0 {
            self.root_depth = depth;
            self.root_delta = (beta - alpha).max(1);
        } else if self.frames[ply].in_check && ply < self.most_plies() {
            depth += self.params.tunables().extension.check_extension;
        }
        if depth <= 0 {
            return self.quiescence::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.frames[ply].pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        let ruling = match self.ruling(position, ply) {
            Ruling::Open => self.draw_in_reach(position, ply, alpha),
            ruling => ruling,
        };
        match ruling {
            Ruling::Open => self.expand::<PV>(position, depth, alpha, beta, ply, cut_node),
            Ruling::Value(score) => score,
            Ruling::Bound(bound) => bound.search(self, ply, alpha, beta, |worker, alpha, beta| {
                worker.expand::<PV>(position, depth, alpha, beta, ply, cut_node)
            }),
        }
    }

    /// The ply from which a line is not extended any more.
    #[inline]
    pub(super) fn most_plies(&self) -> usize {
        super::extension::MOST_PLIES * self.root_depth.max(1) as usize
    }

    /// What the tables of histories index a node by.
    #[inline]
    pub(super) fn context(&self, pawns: usize, ply: usize) -> Context {
        let none = self.histories.no_move();
        let before = CONTINUATIONS
            .map(|back| ply.checked_sub(back).map_or(none, |earlier| self.frames[earlier].piece));
        Context { before, pawns, ply }
    }

    /// The value of a node that the rules leave open; with a move left out, of the others.
    pub(super) fn expand<const PV: bool>(
        &mut self,
        position: &mut G,
        mut depth: i32,
        mut alpha: i32,
        mut beta: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        let frame = &mut self.frames[ply];
        let in_check = frame.in_check;
        let excluding = frame.excluded != G::Move::default();
        if ply > 0 {
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(-mated_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        if let Some(grandchild) = self.frames.get_mut(ply + 2) {
            grandchild.cutoffs = 0;
        }

        let known = self.table.probe(self.frames[ply].hash);
        let known_score = known.map_or(NONE, |entry| value::from_table(entry.score, ply));
        let mut table_move = known.map_or(G::Move::default(), |entry| G::unpack(entry.mv));
        if ply == 0 && self.root_best != G::Move::default() {
            table_move = self.root_best;
        }
        if !excluding {
            self.frames[ply].was_pv = PV || known.is_some_and(|entry| entry.pv);
        }
        let structure = position.structure();
        let context = self.context(Histories::pawn_row(structure), ply);
        if let Some(entry) = known
            && !PV
            && !excluding
            && let Some(score) = self.known_value(position, entry, depth, ply, alpha, beta)
        {
            let quiet = table_move != G::Move::default()
                && score >= beta
                && position.is_pseudo_legal(table_move)
                && !position.is_noisy(table_move);
            if quiet {
                let t = &self.params.tunables().history;
                let bonus =
                    bonus(t.history_bonus, t.history_bonus_offset, t.history_bonus_max, depth);
                let cell = quiet_cell(position, table_move);
                self.histories.learn_quiet(t, &context, cell, bonus);
            }
            return score;
        }

        let first = position.first_to_move();
        let (mut stat, mut eval, mut correction) = (NONE, NONE, 0);
        if !in_check {
            let raw = match known {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ if excluding => self.frames[ply].raw_eval,
                _ => self.evaluate(position),
            };
            let t = &self.params.tunables().history;
            correction = self.histories.correction(t, first, structure, &context) / 1024;
            stat = (raw + correction).clamp(1 - MATE_BOUND, MATE_BOUND - 1);
            self.frames[ply].raw_eval = raw;
            eval = match known {
                Some(entry) if known_score.abs() < MATE_BOUND => match entry.bound {
                    Bound::Exact => known_score,
                    Bound::Lower if known_score > stat => known_score,
                    Bound::Upper if known_score < stat => known_score,
                    _ => stat,
                },
                _ => stat,
            };
        } else {
            self.frames[ply].raw_eval = NONE;
        }
        self.frames[ply].eval = stat;
        let eval_before =
            |back: usize| ply.checked_sub(back).map_or(NONE, |earlier| self.frames[earlier].eval);
        let improving = !in_check && {
            let before = match eval_before(2) {
                NONE => eval_before(4),
                eval => eval,
            };
            before == NONE || stat > before
        };
        let other_eval = eval_before(1);
        let other_worsening = !in_check && other_eval != NONE && stat > -other_eval;

        if !in_check && !excluding && ply > 0 {
            let t = self.params.tunables();
            let reduction = self.frames[ply - 1].reduction;
            if reduction >= t.pruning.hindsight_deeper && !other_worsening {
                depth += 1;
            }
            if reduction >= t.pruning.hindsight_shallower
                && depth >= 2
                && other_eval != NONE
                && stat + other_eval > t.pruning.hindsight_margin
            {
                depth -= 1;
            }
            let before = &self.frames[ply - 1];
            if other_eval != NONE && before.mv != G::Move::default() && !before.noisy {
                let most = t.history.history_eval_max;
                let rise = (-(other_eval + stat)).clamp(-most, most);
                let delta = rise * t.history.history_eval_scale;
                self.histories.learn_move(!first, G::move_slot(before.mv), delta);
            }
        }

        let mut node = Situation {
            depth,
            ply,
            cut_node,
            eval,
            correction,
            in_check,
            improving,
            known,
            known_score,
            context,
            structure,
        };
        if !PV
            && !in_check
            && !excluding
            && let Some(score) = self.prune_node(position, &node, alpha, beta, other_worsening)
        {
            return score;
        }
        node.improving |= !in_check && eval >= beta;
        let t = &self.params.tunables().pruning;
        if depth >= t.iir_min_depth
            && table_move == G::Move::default()
            && (PV || cut_node)
            && !excluding
        {
            node.depth -= 1;
        }
        if !PV && !excluding && beta.abs() < MATE_BOUND {
            if !in_check
                && node.depth >= t.probcut_depth
                && let Some(score) = self.probcut(position, &node, table_move, beta)
            {
                return score;
            }
            // Small ProbCut: the table promises much at nearly this depth.
            let t = &self.params.tunables().pruning;
            let aim = beta + t.small_probcut_margin;
            if let Some(entry) = known
                && matches!(entry.bound, Bound::Lower | Bound::Exact)
                && entry.depth >= node.depth - t.small_probcut_depth
                && known_score >= aim
                && known_score < MATE_BOUND
                && self.fits_limit(position, entry)
            {
                return aim;
            }
        }
        self.moves::<PV>(position, &mut node, table_move, alpha, beta)
    }

    /// Rules that end a node before its moves: razoring, reverse futility, null move.
    #[inline]
    fn prune_node(
        &mut self,
        position: &mut G,
        node: &Situation,
        alpha: i32,
        beta: i32,
        other_worsening: bool,
    ) -> Option<i32> {
        let &Situation { depth, ply, eval, .. } = node;
        let t = &self.params.tunables().pruning;
        if depth <= t.razor_depth && eval + t.razor_margin + t.razor_square * depth * depth <= alpha
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
        if depth <= t.rfp_depth && eval >= beta && eval < MATE_BOUND {
            let relief = if node.improving { t.rfp_improving } else { 0 }
                + if other_worsening { t.rfp_worsening } else { 0 };
            if eval - (t.rfp_margin * depth - relief).max(0) >= beta {
                return Some(beta + (eval - beta) * (1024 - t.rfp_blend) / 1024);
            }
        }
        if let Some(forecast) = position.forecast(self.params.eval(), depth) {
            let found = self.foretell(position, &forecast, alpha, eval, ply, node.cut_node);
            if found.is_some() {
                return found;
            }
        }
        let t = &self.params.tunables().pruning;
        let try_null = depth >= t.null_min_depth
            && eval >= beta + t.null_margin - t.null_slope * depth
            && eval >= beta
            && ply >= self.null_from
            && !self.frames[ply].after_null
            && position.null_move_is_sound();
        if !try_null {
            return None;
        }
        let reduced = depth - 1 - self.params.null_reduction(depth, (eval - beta).max(0));
        if !self.spend_node() {
            return Some(0);
        }
        let none = self.histories.no_move();
        let frame = &mut self.frames[ply];
        frame.mv = G::Move::default();
        frame.piece = none;
        frame.count = 0;
        frame.reduction = 0;
        self.eval.push(self.params.eval(), position, None);
        position.make_null();
        let child = &mut self.frames[ply + 1];
        child.hash = position.hash();
        child.in_check = false;
        child.after_null = true;
        child.excluded = G::Move::default();
        let score =
            -self.node::<false>(position, reduced, -beta, 1 - beta, ply + 1, !node.cut_node);
        position.unmake_null();
        self.eval.pop();
        if self.stopped {
            return Some(0);
        }
        self.rest_on(ply, self.frames[ply + 1].rests_on);
        if score < beta {
            return None;
        }
        // A mate after a pass is no proof of one.
        let score = if score >= MATE_BOUND { beta } else { score };
        if self.null_from > 0 || depth < self.params.tunables().pruning.null_verify_depth {
            return Some(score);
        }
        // In zugzwang every move is worse than none: look whether one move is good enough, without
        // passing for most of the way.
        self.null_from = ply + (3 * reduced.max(0) / 4) as usize + 1;
        let by_pass = self.frames[ply].rests_on;
        let verified = self.expand::<false>(position, reduced.max(1), beta - 1, beta, ply, false);
        self.null_from = 0;
        // The value is that of the pass, believed for the moves: it rests on what either rests on.
        let rests_on = &mut self.frames[ply].rests_on;
        *rests_on = by_pass.min(*rests_on);
        if self.stopped {
            return Some(0);
        }
        (verified >= beta).then_some(score)
    }

    /// ProbCut (M. Buro, 1995): a capture that already reaches well beyond beta in a reduced search.
    fn probcut(
        &mut self,
        position: &mut G,
        node: &Situation,
        table_move: G::Move,
        beta: i32,
    ) -> Option<i32> {
        let ply = node.ply;
        let t = &self.params.tunables().pruning;
        let relief = if node.improving { t.probcut_improving } else { 0 };
        let aim = beta + t.probcut_margin - relief;
        let reduced = node.depth - 1 - t.probcut_reduction;
        let hopeless = node.known.is_some_and(|entry| {
            entry.depth >= reduced && entry.bound != Bound::None && node.known_score < aim
        });
        if hopeless || aim >= MATE_BOUND {
            return None;
        }
        let eval = self.frames[ply].eval;
        self.frames[ply].work[0].picker.start_noisy(table_move, aim - eval);
        loop {
            let advice =
                Advice { histories: &*self.histories, params: self.params, node: &node.context };
            let mv = self.frames[ply].work[0].picker.next(position, &advice)?;
            if !position.is_legal(mv)
                || (mv == table_move && !position.exchange_wins(self.params.eval(), mv, aim - eval))
            {
                continue;
            }
            if !self.spend_node() {
                return Some(0);
            }
            self.enter(position, mv, ply, 0);
            let mut score = -self.quiescence::<false>(position, -aim, 1 - aim, ply + 1);
            if score >= aim && reduced > 0 && !self.stopped {
                let cut = !node.cut_node;
                score = -self.node::<false>(position, reduced, -aim, 1 - aim, ply + 1, cut);
            }
            self.unmake(position);
            if self.stopped {
                return Some(0);
            }
            if score < aim {
                continue;
            }
            let rests_on = self.frames[ply + 1].rests_on;
            self.rest_on(ply, rests_on);
            if rests_on >= ply {
                self.table.store(
                    self.frames[ply].hash,
                    Entry {
                        mv: G::pack(mv),
                        score: value::to_table(score, ply),
                        eval: self.frames[ply].raw_eval,
                        depth: reduced + 1,
                        bound: Bound::Lower,
                        pv: self.frames[ply].was_pv,
                    },
                );
            }
            return Some(if score >= MATE_BOUND { score } else { score - (aim - beta) });
        }
    }

    /// Notes a move in the frame of its ply, and makes it.
    #[inline]
    pub(super) fn enter(&mut self, position: &mut G, mv: G::Move, ply: usize, count: i32) {
        let (piece, noisy) = (position.piece_slot(mv), position.is_noisy(mv));
        let frame = &mut self.frames[ply];
        frame.mv = mv;
        frame.piece = piece;
        frame.noisy = noisy;
        frame.count = count;
        frame.reduction = 0;
        self.make(position, mv, ply);
    }
}

/// The cells of a quiet move that is not yet made.
#[inline]
pub(super) fn quiet_cell<G: SearchGame>(position: &G, mv: G::Move) -> QuietCell {
    QuietCell {
        first: position.first_to_move(),
        mv: G::move_slot(mv),
        piece: position.piece_slot(mv),
    }
}

/// What a search of so many plies adds to a record or takes from it.
#[inline]
pub(super) fn bonus(per_ply: i32, offset: i32, most: i32, depth: i32) -> i32 {
    (per_ply * depth - offset).clamp(0, most)
}
