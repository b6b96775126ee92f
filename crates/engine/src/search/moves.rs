//! The moves of an inner node: which are searched, how deeply, and what is learnt from them.

use super::lmr::{self, Late};
use super::node::{Situation, bonus, quiet_cell};
use super::worker::Worker;
use crate::SearchGame;
use crate::params::PLY_UNIT;
use crate::picker::Advice;
use crate::table::{Bound, Entry};
use crate::value::{self, DRAW, INFINITE, MATE, MATE_BOUND, NONE, mated_at};
use games::RuleWinner;

/// What is known of a move before it is made.
struct Candidate<M> {
    mv: M,
    noisy: bool,
    /// Its number among the legal moves, from 1.
    count: i32,
    /// Its record: of captures, or of moves by the last two and itself.
    history: i32,
    /// Its expected reduction in 1024ths of a ply.
    expected: i32,
    /// Plies more than its depth would be.
    extension: i32,
    is_table_move: bool,
    killer: bool,
}

impl<G: SearchGame> Worker<'_, G> {
    /// Searches the moves and keeps what was learnt.
    pub(super) fn moves<const PV: bool>(
        &mut self,
        position: &mut G,
        node: &mut Situation,
        table_move: G::Move,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let ply = node.ply;
        let excluded = self.frames[ply].excluded;
        let excluding = excluded != G::Move::default();
        let which = usize::from(excluding);
        let t = self.params.tunables();
        let frame = &mut self.frames[ply];
        let killers =
            if t.history.order_killers == 0 { [G::Move::default(); 2] } else { frame.killers };
        let work = &mut frame.work[which];
        work.quiet.clear();
        work.noisy.clear();
        if node.in_check {
            work.picker.start_evasions(table_move);
        } else {
            let least = -t.history.order_sorted * node.depth;
            work.picker.start_staged(table_move, killers, least);
        }
        let is_quiet_known = table_move == G::Move::default() || !position.is_noisy(table_move);

        // Only a principal variation has a window worth the division.
        let window =
            if PV { (beta - alpha).min(self.root_delta) * PLY_UNIT / self.root_delta } else { 0 };
        let first_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = G::Move::default();
        let mut rests_on = usize::MAX;
        let mut count = 0;
        loop {
            let advice =
                Advice { histories: &*self.histories, params: self.params, node: &node.context };
            let Some(mv) = self.frames[ply].work[which].picker.next(position, &advice) else {
                break;
            };
            if mv == excluded && excluding
                || !position.is_legal(mv)
                || (ply == 0 && !self.looks_at(mv))
            {
                continue;
            }
            count += 1;
            let mut candidate = self.candidate(position, node, mv, count, window);
            candidate.is_table_move = mv == table_move;
            candidate.killer = killers.contains(&mv);
            if ply > 0 && best > -MATE_BOUND {
                match self.leave_out(position, node, &candidate, alpha, best) {
                    Prune::No => {}
                    Prune::Move(least) => {
                        best = best.max(least);
                        continue;
                    }
                    Prune::AllQuiet => {
                        self.frames[ply].work[which].picker.skip_quiet();
                        continue;
                    }
                }
            }
            self.prefetch(position, mv);
            if candidate.is_table_move && !excluding && ply > 0 {
                match self.singular::<PV>(position, node, mv, candidate.noisy, beta) {
                    Singular::Extend(plies) => candidate.extension = plies,
                    Singular::MultiCut(score) => return score,
                }
                if self.stopped {
                    return best;
                }
            }
            if !self.spend_node() {
                return best;
            }
            self.enter(position, mv, ply, count);
            let score =
                self.child::<PV>(position, node, &candidate, is_quiet_known, alpha, beta, best);
            self.unmake(position);
            if self.stopped {
                return best;
            }
            let work = &mut self.frames[ply].work[which];
            let tried = if candidate.noisy { &mut work.noisy } else { &mut work.quiet };
            let _ = tried.try_push(mv);
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
                    self.frames[ply].cutoffs += 1;
                    break;
                }
                let t = &self.params.tunables().pruning;
                if node.depth > 3 && node.depth < t.alpha_raise_depth && score.abs() < MATE_BOUND {
                    node.depth = (node.depth - t.alpha_raise_reduction).max(1);
                }
            }
        }
        if count == 0 {
            if excluding {
                return alpha;
            }
            self.frames[ply].rests_on = usize::MAX;
            return no_move::<G>(ply, node.in_check);
        }
        self.learn(position, node, which, best_move, best, first_alpha);
        if best >= beta
            && self.params.tunables().pruning.fail_high_blend > 0
            && best < MATE_BOUND
            && beta > -MATE_BOUND
        {
            best = (best * node.depth + beta) / (node.depth + 1);
        }
        self.rest_on(ply, rests_on);
        if excluding || (ply == 0 && !self.root_moves.is_empty()) {
            // The best of some moves is no fact about the position.
            return best;
        }
        let bound = self.bound_of(ply, best, first_alpha, beta);
        self.correct(position, node, bound, best_move, best);
        self.table.store(
            self.frames[ply].hash,
            Entry {
                mv: G::pack(best_move),
                score: value::to_table(best, ply),
                eval: self.frames[ply].raw_eval,
                depth: if bound == Bound::None { 0 } else { node.depth },
                bound,
                pv: self.frames[ply].was_pv,
            },
        );
        best
    }

    /// What is known of a move before it is made.
    #[inline]
    fn candidate(
        &self,
        position: &G,
        node: &Situation,
        mv: G::Move,
        count: i32,
        window: i32,
    ) -> Candidate<G::Move> {
        let noisy = position.is_noisy(mv);
        let piece = position.piece_slot(mv);
        let history = if noisy {
            self.histories.capture(piece, position.victim(mv))
        } else {
            let [last, own, pawns] = self.histories.continuation(&node.context, piece);
            last + own + pawns
        };
        let late = Late { improving: node.improving, window, ..Late::default() };
        let expected = lmr::expected(self.params, node.depth, count, &late);
        Candidate {
            mv,
            noisy,
            count,
            history,
            expected,
            extension: 0,
            is_table_move: false,
            killer: false,
        }
    }

    /// Whether a move need not be searched at all.
    #[inline]
    fn leave_out(
        &self,
        position: &G,
        node: &Situation,
        candidate: &Candidate<G::Move>,
        alpha: i32,
        best: i32,
    ) -> Prune {
        let t = &self.params.tunables().pruning;
        let &Candidate { mv, noisy, count, history, expected, .. } = candidate;
        let depth = node.depth;
        let reduced = (depth - 1 - expected / PLY_UNIT).max(0);
        let tables = self.params.eval();
        if noisy {
            let reach = || {
                node.eval
                    + t.noisy_futility_base
                    + t.noisy_futility_margin * reduced
                    + position.noisy_gain(tables, mv)
                    + history / 64
            };
            if !node.in_check && reduced < t.noisy_futility_depth && reach() <= alpha {
                return Prune::Move(-INFINITE);
            }
            let loss = t.see_noisy * depth + history / 64;
            if depth <= t.see_noisy_depth && !position.exchange_wins(tables, mv, -loss.max(0)) {
                return Prune::Move(-INFINITE);
            }
            return Prune::No;
        }
        if depth <= t.lmp_depth {
            let limit = self.params.move_limit(depth);
            let limit = if node.improving { limit } else { limit * t.lmp_worsening / 100 };
            if count > limit.max(1) {
                return Prune::AllQuiet;
            }
        }
        if reduced < t.history_prune_depth && history < -t.history_prune_margin * depth {
            return Prune::Move(-INFINITE);
        }
        let reduced = (reduced + history / 8192).max(0);
        if !node.in_check && reduced < t.futility_depth {
            let reach = node.eval
                + t.futility_base
                + t.futility_margin * reduced
                + history / 4096 * t.futility_history;
            if reach <= alpha && !position.checks_directly(mv) {
                // No quiet move is worse than one that the margin already condemns.
                let least =
                    if best > -MATE_BOUND && reach < MATE_BOUND { reach } else { -INFINITE };
                return Prune::Move(least);
            }
        }
        if reduced < t.see_quiet_depth
            && !position.exchange_wins(tables, mv, -t.see_quiet * reduced * reduced)
        {
            return Prune::Move(-INFINITE);
        }
        Prune::No
    }

    /// Whether the table's move is so much better than all others that it is to be searched deeper
    /// (singular extensions: T. Anantharaman, M. Campbell and F. Hsu, 1988, in the later form that asks
    /// by a reduced search without the move), or another does as well (multi-cut: Y. Björnsson and
    /// T. Marsland, 1999).
    fn singular<const PV: bool>(
        &mut self,
        position: &mut G,
        node: &Situation,
        mv: G::Move,
        noisy: bool,
        beta: i32,
    ) -> Singular {
        let ply = node.ply;
        let t = &self.params.tunables().extension;
        let Some(entry) = node.known else { return Singular::Extend(0) };
        let was_pv = self.frames[ply].was_pv;
        let asks = node.depth >= t.singular_depth + i32::from(was_pv && !PV)
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && entry.depth >= node.depth - t.singular_table_depth
            && node.known_score.abs() < MATE_BOUND
            && G::unpack(entry.mv) == mv
            && ply < self.most_plies();
        if !asks {
            return Singular::Extend(0);
        }
        let wide = if was_pv && !PV { t.singular_was_pv } else { 0 };
        let bound = node.known_score - (t.singular_margin + wide) * node.depth / 64;
        let rests_on = self.frames[ply].rests_on;
        self.frames[ply].excluded = mv;
        let score = self.expand::<false>(
            position,
            (node.depth - 1) / 2,
            bound - 1,
            bound,
            ply,
            node.cut_node,
        );
        let other_rests_on = self.frames[ply].rests_on;
        let frame = &mut self.frames[ply];
        frame.excluded = G::Move::default();
        frame.rests_on = rests_on;
        if self.stopped {
            return Singular::Extend(0);
        }
        let t = &self.params.tunables().extension;
        if score < bound {
            let pv = if PV { t.singular_double_pv } else { 0 };
            let triple = if noisy { t.singular_triple_noisy } else { 0 };
            let double = bound - t.singular_double - pv;
            let below = |margin: i32| i32::from(score < margin);
            return Singular::Extend(
                1 + below(double) + below(double - t.singular_triple - triple),
            );
        }
        if score >= beta && score < MATE_BOUND && t.multi_cut > 0 {
            self.frames[ply].rests_on = other_rests_on;
            return Singular::MultiCut(score);
        }
        Singular::Extend(if node.known_score >= beta {
            -t.singular_negative
        } else if node.cut_node {
            -t.singular_negative_cut
        } else {
            0
        })
    }

    /// The value of the move just made: full window, zero window, or reduced and then verified.
    ///
    /// Without zero windows this is plain alpha-beta in the same order: every window is whole, and no
    /// value within it is asked for a second time.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the innermost loop passes its state by value")]
    fn child<const PV: bool>(
        &mut self,
        position: &mut G,
        node: &Situation,
        candidate: &Candidate<G::Move>,
        is_quiet_known: bool,
        alpha: i32,
        beta: i32,
        best: i32,
    ) -> i32 {
        let ply = node.ply + 1;
        let count = candidate.count;
        let mut new_depth = node.depth - 1 + candidate.extension;
        if PV && count > 1 {
            // A move that fails high by its zero window alone has no line.
            self.frames[ply].pv.clear();
        }
        let zero_windows = self.params.tunables().extension.zero_windows != 0;
        let ceiling = if zero_windows { alpha + 1 } else { beta };
        let t = &self.params.tunables().lmr;
        let mut score = INFINITE;
        let late = node.depth >= t.lmr_min_depth;
        let reduction = if late && (!PV || count > 1) {
            self.reduction::<PV>(position, node, candidate, is_quiet_known, alpha)
        } else {
            0
        };
        if late && count > t.lmr_min_moves {
            let least = 1.min(new_depth);
            let most = new_depth + i32::from(PV);
            let depth = (new_depth - reduction.div_euclid(PLY_UNIT)).clamp(least, most.max(least));
            self.frames[node.ply].reduction = (new_depth - depth).max(0);
            score = self.scout::<PV>(position, depth, alpha, ceiling, ply, true);
            self.frames[node.ply].reduction = 0;
            if score > alpha && depth < new_depth && !self.stopped {
                let t = &self.params.tunables().lmr;
                new_depth += i32::from(score > best + t.lmr_deeper);
                new_depth -= i32::from(score < best + t.lmr_shallower);
                if new_depth > depth {
                    let cut = !node.cut_node;
                    score = self.scout::<PV>(position, new_depth, alpha, ceiling, ply, cut);
                }
                if !candidate.noisy && !self.stopped {
                    let delta = if score > alpha { t.lmr_bonus } else { -t.lmr_bonus };
                    let piece = self.frames[node.ply].piece;
                    let t = &self.params.tunables().history;
                    self.histories.learn_continuation(t, &node.context, piece, delta);
                }
            }
        } else if !PV || count > 1 {
            let unknown = node.known.is_none_or(|entry| entry.mv == 0);
            let reduction = reduction + if unknown { t.lmr_late_no_move } else { 0 };
            let less = i32::from(late && reduction > t.lmr_late_one)
                + i32::from(late && reduction > t.lmr_late_two && new_depth > 2);
            let cut = !node.cut_node;
            score = self.scout::<PV>(position, new_depth - less, alpha, ceiling, ply, cut);
        }
        if PV && (count == 1 || (zero_windows && score > alpha)) && !self.stopped {
            self.frames[ply].pv.clear();
            score = -self.node::<true>(position, new_depth, -beta, -alpha, ply, false);
        }
        score
    }

    /// The value of a child within (`alpha`, `ceiling`). A window that is open makes it a node of the
    /// principal variation, which is what selective rules go by.
    #[inline]
    fn scout<const PV: bool>(
        &mut self,
        position: &mut G,
        depth: i32,
        alpha: i32,
        ceiling: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        if PV && ceiling > alpha + 1 {
            return -self.node::<true>(position, depth, -ceiling, -alpha, ply, cut_node);
        }
        -self.node::<false>(position, depth, -ceiling, -alpha, ply, cut_node)
    }

    /// 1024ths of a ply by which the move just made is searched less deeply.
    #[inline]
    fn reduction<const PV: bool>(
        &self,
        position: &G,
        node: &Situation,
        candidate: &Candidate<G::Move>,
        is_quiet_known: bool,
        alpha: i32,
    ) -> i32 {
        let frame = &self.frames[node.ply];
        let child = &self.frames[node.ply + 1];
        let history = if candidate.noisy {
            candidate.history
        } else {
            // The move is made: its side is the one not to move.
            let first = !position.first_to_move();
            let slot = G::move_slot(candidate.mv);
            candidate.history + 2 * self.histories.moved(first, slot)
        };
        let known = node.known;
        let late = Late {
            improving: node.improving,
            pv_node: PV,
            was_pv: frame.was_pv,
            cut_node: node.cut_node,
            has_table_move: known.is_some_and(|entry| entry.mv != 0),
            is_table_move: candidate.is_table_move,
            table_is_noisy: !is_quiet_known,
            table_above_alpha: known.is_some() && node.known_score > alpha,
            table_deep: known.is_some_and(|entry| entry.depth >= node.depth),
            many_cutoffs: child.cutoffs > 2,
            noisy: candidate.noisy,
            killer: candidate.killer,
            gives_check: child.in_check,
            window: 0,
            history,
            correction: node.correction.abs(),
        };
        lmr::adjusted(self.params, candidate.expected, &late)
    }

    /// Remembers the move that failed high, and holds it against those tried before it; or remembers
    /// the move before, when nothing was good enough here.
    fn learn(
        &mut self,
        position: &G,
        node: &Situation,
        which: usize,
        best_move: G::Move,
        best: i32,
        first_alpha: i32,
    ) {
        let ply = node.ply;
        let t = &self.params.tunables().history;
        let bonus = bonus(t.history_bonus, t.history_bonus_offset, t.history_bonus_max, node.depth);
        if best_move == G::Move::default() {
            if best <= first_alpha && ply > 0 && self.frames[ply - 1].count > 0 {
                self.credit_before(position, ply, bonus * t.history_all_node / 1024);
            }
            return;
        }
        let malus = super::node::bonus(
            t.history_malus,
            t.history_malus_offset,
            t.history_malus_max,
            node.depth,
        );
        let frame = &mut self.frames[ply];
        if position.is_noisy(best_move) {
            let (piece, victim) = (position.piece_slot(best_move), position.victim(best_move));
            self.histories.learn_capture(t, piece, victim, bonus);
        } else {
            if frame.killers[0] != best_move {
                frame.killers = [best_move, frame.killers[0]];
            }
            self.histories.learn_quiet(t, &node.context, quiet_cell(position, best_move), bonus);
            for &mv in frame.work[which].quiet.iter().filter(|mv| **mv != best_move) {
                self.histories.learn_quiet(t, &node.context, quiet_cell(position, mv), -malus);
            }
        }
        for &mv in frame.work[which].noisy.iter().filter(|mv| **mv != best_move) {
            let (piece, victim) = (position.piece_slot(mv), position.victim(mv));
            self.histories.learn_capture(t, piece, victim, -malus);
        }
        if ply > 0 && self.frames[ply - 1].count == 1 {
            self.credit_before(position, ply, -(malus * t.history_refuted / 1024));
        }
    }

    /// Bonus or malus for the quiet move that led to this node.
    fn credit_before(&mut self, position: &G, ply: usize, delta: i32) {
        let before = &self.frames[ply - 1];
        if before.noisy || before.mv == G::Move::default() {
            return;
        }
        let (piece, slot) = (before.piece, G::move_slot(before.mv));
        let context = self.context(0, ply - 1);
        let t = &self.params.tunables().history;
        self.histories.learn_move(!position.first_to_move(), slot, delta * t.history_main / 1024);
        self.histories.learn_continuation(t, &context, piece, delta);
    }

    /// Learns how far the static evaluation was off, where the search says so on the right side.
    #[inline]
    fn correct(
        &mut self,
        position: &G,
        node: &Situation,
        bound: Bound,
        best_move: G::Move,
        best: i32,
    ) {
        let eval = self.frames[node.ply].eval;
        let says = match bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => best > eval,
            Bound::Upper => best < eval,
        };
        let quiet = best_move == G::Move::default() || !position.is_noisy(best_move);
        if eval == NONE || !says || !quiet || best.abs() >= MATE_BOUND {
            return;
        }
        let t = &self.params.tunables().history;
        let (first, error) = (position.first_to_move(), best - eval);
        let Situation { context, structure, depth, .. } = node;
        self.histories.learn_correction(t, first, *structure, context, error, *depth);
    }
}

/// Whether a move is left out.
enum Prune {
    /// It is searched.
    No,
    /// It is not, and is not better than this.
    Move(i32),
    /// Nor is any quiet move that follows.
    AllQuiet,
}

/// What the question about the table's move has found.
enum Singular {
    /// So many plies more, or less.
    Extend(i32),
    /// The node fails high without it.
    MultiCut(i32),
}

/// The value of a node without a legal move.
#[inline]
pub(super) fn no_move<G: SearchGame>(ply: usize, in_check: bool) -> i32 {
    match G::STALEMATE {
        _ if in_check => mated_at(ply),
        RuleWinner::SideToMove => MATE - ply as i32,
        RuleWinner::Opponent => mated_at(ply),
        RuleWinner::Draw => DRAW,
    }
}
