//! The root: iterative deepening, aspiration windows, lines of several root moves.

use super::worker::Worker;
use super::{Line, MAX_DEPTH, Question, Report, SearchResult};
use crate::tunables::tunables;
use crate::value::{INFINITE, MATE};
use crate::{Ending, Limits, SearchGame};
use games::MoveList;
use model::{Nodes, Score};

tunables! {
    /// The window of an iteration.
    pub struct Aspiration in Aspiration {
        aspiration_min_depth: i32 = 4, 2 => 12, c_end 1,
            "Depth in plies from which iterations start with a narrow window.";
        aspiration_delta: i32 = 50, 5 => 300, c_end 12,
            "Half-width in centipawns of the first aspiration window.";
        aspiration_widen: f64 = 2.0, 1.1 => 8.0, c_end 0.3,
            "Factor by which the half-width grows after each failure.";
    }
}

impl<G: SearchGame> Worker<'_, G> {
    pub(super) fn iterate(
        mut self,
        position: &mut G,
        question: &Question<'_, G::Move>,
        report: &mut dyn FnMut(&Report<'_, G::Move>),
    ) -> SearchResult<G::Move> {
        let Limits { depth: max_depth, mate, .. } = question.limits;
        let mut wanted = MoveList::new();
        position.legal(&mut wanted);
        let all = wanted.len();
        if question.only.iter().any(|mv| wanted.contains(mv)) {
            wanted.retain_from(0, |mv| question.only.contains(&mv));
        }
        let is_restricted = wanted.len() < all;
        let count = question.lines.clamp(1, wanted.len().max(1));
        let mut lines: Vec<Line<G::Move>> =
            (0..count).map(|_| Line { score: 0, pv: Vec::new() }).collect();
        let mut depth_done = 0;
        let mut unrest = 0.0;
        // Who wants a certain depth or several lines wants no more than a search.
        let solves = count == 1 && !is_restricted && max_depth.is_none() && mate.is_none();
        let mut asked_with = 0;
        for depth in 1..=max_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) as i32 {
            if solves && let Some(ending) = self.ending(position, depth, &mut asked_with) {
                let line = &mut lines[0];
                if let Some((best, score)) = ending.outcome {
                    *line = Line { score, pv: vec![best] };
                    self.selective_depth = ending.plies as usize;
                    self.tell(report, ending.plies as i32, 1, line);
                    depth_done = ending.plies as i32;
                    break;
                }
            }
            let (best_before, score_before) = (lines[0].pv.first().copied(), lines[0].score);
            self.selective_depth = 0;
            for number in 0..count {
                self.root_moves.clear();
                if is_restricted || number > 0 {
                    let earlier = &lines[..number];
                    let taken = |mv| earlier.iter().any(|line| line.pv.first() == Some(&mv));
                    self.root_moves.extend(wanted.iter().filter(|&&mv| !taken(mv)));
                }
                let last = lines[number].score;
                if count > 1 {
                    // What this line thought best, unless an earlier line has taken it since.
                    let own = lines[number].pv.first().copied();
                    let own = own.filter(|mv| self.looks_at(*mv)).unwrap_or_default();
                    self.root_best = own;
                }
                let score = self.aspirate(position, depth, last);
                self.keep_line(&mut lines[number]);
                if self.stopped {
                    break;
                }
                lines[number].score = score;
                if count == 1 {
                    self.tell(report, depth, 1, &lines[0]);
                }
            }
            if count > 1 {
                lines.sort_by_key(|line| std::cmp::Reverse(line.score));
                for (number, line) in (1..).zip(&lines).filter(|(_, line)| !line.pv.is_empty()) {
                    self.tell(report, depth, number, line);
                }
            }
            if self.stopped {
                break;
            }
            depth_done = depth;
            let score = lines[0].score;
            let is_mate_found = mate.is_some_and(|plies| score >= MATE - plies as i32);
            // A mate within the depth is good enough, unless a shorter one is asked for.
            let is_mate = score.abs() >= MATE - depth && count == 1 && mate.is_none();
            if is_mate_found || is_mate || wanted.is_empty() {
                break;
            }
            let has_changed = best_before.is_some() && lines[0].pv.first() != best_before.as_ref();
            unrest = unrest / 2.0 + f64::from(u8::from(has_changed));
            let drop =
                if depth > 1 { f64::from((score_before - score).clamp(0, 200)) } else { 0.0 };
            if self.stop.is_late((0.6 + 0.4 * unrest + drop / 150.0).min(2.0)) {
                break;
            }
        }
        let best = &mut lines[0];
        if best.pv.is_empty() {
            best.pv.extend(wanted.first());
        }
        SearchResult {
            best: best.pv.first().copied(),
            score: Score(best.score),
            depth: depth_done as u32,
            nodes: Nodes(self.nodes),
            pv: std::mem::take(&mut best.pv),
        }
    }

    /// Asks the game's solver, if it has one: with what is left of a node limit before the first iteration,
    /// otherwise with twice what the iterations so far have cost, each time that this has doubled.
    fn ending(
        &mut self,
        position: &G,
        depth: i32,
        asked_with: &mut u64,
    ) -> Option<Ending<G::Move>> {
        let is_limited = self.node_limit < u64::MAX;
        let left = if is_limited { self.node_limit - self.nodes } else { 2 * self.nodes };
        if (is_limited && depth > 1) || left < 2 * *asked_with {
            return None;
        }
        let ending = position.ending(self.params.eval(), Nodes(left), self.stop)?;
        *asked_with = left;
        self.nodes += ending.nodes.0;
        Some(ending)
    }

    /// Takes over what the root has found for this line, also when it was stopped on the way.
    fn keep_line(&self, line: &mut Line<G::Move>) {
        if self.root_best == G::Move::default() {
            return;
        }
        line.score = self.root_score;
        // A stop may leave the line of the root behind its best move.
        if self.frames[0].pv.first() == Some(&self.root_best) {
            line.pv.clone_from(&self.frames[0].pv);
        } else if line.pv.first() != Some(&self.root_best) {
            line.pv = vec![self.root_best];
        }
    }

    fn tell(
        &self,
        report: &mut dyn FnMut(&Report<'_, G::Move>),
        depth: i32,
        number: usize,
        line: &Line<G::Move>,
    ) {
        report(&Report {
            depth: depth as u32,
            selective_depth: self.selective_depth as u32,
            line: number,
            score: Score(line.score),
            nodes: Nodes(self.nodes),
            table_permille: self.table.permille(),
            pv: &line.pv,
        });
    }

    /// Whether a root move is to be looked at.
    #[inline]
    pub(super) fn looks_at(&self, mv: G::Move) -> bool {
        self.root_moves.is_empty() || self.root_moves.contains(&mv)
    }

    /// One iteration: a window around the last score, widened on the failing side.
    fn aspirate(&mut self, position: &mut G, depth: i32, last: i32) -> i32 {
        let tunables = &self.params.tunables().aspiration;
        let mut delta = f64::from(tunables.aspiration_delta);
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= tunables.aspiration_min_depth {
            alpha = (last - delta as i32).max(-INFINITE);
            beta = (last + delta as i32).min(INFINITE);
        }
        loop {
            let score = self.node::<true>(position, depth, alpha, beta, 0, false);
            if self.stopped {
                return score;
            }
            delta *= tunables.aspiration_widen;
            // Past any evaluation only a mate can lie outside.
            let width = if delta > 2000.0 { 2 * INFINITE } else { delta as i32 };
            if score <= alpha && alpha > -INFINITE {
                beta = (alpha + beta) / 2;
                alpha = (score - width).max(-INFINITE);
            } else if score >= beta && beta < INFINITE {
                beta = (score + width).min(INFINITE);
            } else {
                return score;
            }
        }
    }
}
