//! The root: iterative deepening, aspiration windows, lines of several root moves.

use super::parallel::Found;
use super::root_moves::RootMoves;
use super::worker::Worker;
use super::{Line, MAX_DEPTH, Question, Report};
use crate::time::Signs;
use crate::tunables::tunables;
use crate::value::{INFINITE, MATE, MATE_BOUND};
use crate::{Ending, Limits, SearchGame};
use games::MoveList;
use model::{Nodes, Score};

tunables! {
    /// The window of an iteration.
    pub struct Aspiration in Aspiration {
        aspiration_min_depth: i32 = 4, 2 => 64, c_end 1,
            "Depth in plies from which iterations start with a narrow window.";
        aspiration_delta: i32 = 50, 5 => 300, c_end 12,
            "Half-width in centipawns of the first aspiration window.";
        aspiration_widen: f64 = 2.0, 1.1 => 8.0, c_end 0.3,
            "Factor by which the half-width grows after each failure.";
        aspiration_square_div: i32 = 30000, 1000 => 1000000, c_end 5000,
            "Mean square of a move's scores that widens the first window by a centipawn.";
        aspiration_open: i32 = 2000, 100 => 10000, c_end 300,
            "Half-width in centipawns past which the failing side of a window is open.";
        aspiration_high_reduce: i32 = 1, 0 => 3, c_end 0.5,
            "Plies by which each failure above the window reduces the search that follows.";
        aspiration_high_depth: i32 = 6, 2 => 20, c_end 1,
            "Depth in plies from which failures above the window reduce.";
        aspiration_past: f64 = 1.5, 0.0 => 10.0, c_end 0.2,
            "Weight of an earlier node against a new one in the running average of a score.";
        aspiration_least: f64 = 0.375, 0.05 => 0.75, c_end 0.05,
            "Least weight of a new score in the running average.";
        aspiration_most: f64 = 0.75, 0.75 => 1.0, c_end 0.03,
            "Largest weight of a new score in the running average.";
    }
}

/// Threads of so many different widths of the first window, a centipawn apart.
const WIDTHS: usize = 8;

/// The score of how many iterations ago a fall is measured from.
const LATELY: usize = 4;

/// Whoever hears of every line of every iteration.
pub(super) type Hear<'a, M> = dyn FnMut(&Report<'_, M>) + 'a;

impl<G: SearchGame> Worker<'_, G> {
    /// Searches more and more deeply, until the limits or the outside end it; `last_score` is that of
    /// the player's last move.
    pub(super) fn iterate(
        mut self,
        position: &mut G,
        question: &Question<'_, G::Move>,
        last_score: Option<i32>,
        report: &mut Hear<'_, G::Move>,
    ) -> Found<G::Move> {
        let Limits { depth: max_depth, mate, .. } = question.limits;
        let mut wanted = MoveList::new();
        position.legal(&mut wanted);
        let all = wanted.len();
        if question.only.iter().any(|mv| wanted.contains(mv)) {
            wanted.retain_from(0, |mv| question.only.contains(&mv));
        }
        let is_restricted = wanted.len() < all;
        let is_only_move = wanted.len() == 1;
        self.ledger = RootMoves::new(&wanted);
        let count = question.lines.clamp(1, wanted.len().max(1));
        let mut lines: Vec<Line<G::Move>> =
            (0..count).map(|_| Line { score: 0, pv: Vec::new() }).collect();
        let mut depth_done = 0;
        // Who wants a certain depth or several lines wants no more than a search.
        let solves = count == 1 && !is_restricted && max_depth.is_none() && mate.is_none();
        let mut asked_with = 0;
        let mut is_certain = false;
        let mut signs = Signs::default();
        let mut scores = Vec::new();
        // Every second helper is a ply ahead.
        let first = 1 + (self.number % 2) as i32;
        for depth in first..=max_depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH) as i32 {
            if solves
                && let Some(ending) = self.ending(position, depth, &mut asked_with)
                && let Some((best, score)) = ending.outcome
            {
                lines[0] = Line { score, pv: vec![best] };
                self.selective_depth = ending.plies as usize;
                self.tell(report, ending.plies as i32, 1, &lines[0]);
                depth_done = ending.plies as i32;
                is_certain = true;
                break;
            }
            let before = lines.clone();
            self.selective_depth = 0;
            let mut searched_depth = depth;
            for number in 0..count {
                self.root_moves.clear();
                if is_restricted || number > 0 {
                    let earlier = &lines[..number];
                    let taken = |mv| earlier.iter().any(|line| line.pv.first() == Some(&mv));
                    self.root_moves.extend(wanted.iter().filter(|&&mv| !taken(mv)));
                }
                // What this line thought best, unless an earlier line has taken it since.
                let own = lines[number].pv.first().copied();
                self.root_best = own.filter(|mv| self.looks_at(*mv)).unwrap_or_default();
                self.root_score = lines[number].score;
                let (score, searched) = self.aspirate(position, depth);
                self.ledger.end(self.nodes);
                if self.stopped {
                    self.keep_aborted(&mut lines, number, &before);
                    break;
                }
                self.keep_completed(&mut lines[number], score);
                searched_depth = searched;
                if count == 1 {
                    self.tell(report, depth, 1, &lines[0]);
                }
            }
            if count > 1 && !self.stopped {
                lines.sort_by_key(|line| std::cmp::Reverse(line.score));
            }
            if count > 1 {
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
            let is_mate = score.abs() >= MATE - searched_depth && count == 1 && mate.is_none();
            if is_mate_found || is_mate || wanted.is_empty() {
                break;
            }
            let Some(stop) = self.stop else { continue };
            if is_only_move && stop.saves_time() {
                break;
            }
            let tunables = &self.params.tunables().time;
            let best = lines[0].pv.first().copied();
            let has_changed = depth > 1 && best != before[0].pv.first().copied();
            signs.changes = tunables.fade(signs.changes) + f64::from(u8::from(has_changed));
            signs.stable_for = if has_changed { 0 } else { signs.stable_for + 1 };
            signs.fall_since_last = last_score.map_or(0, |last| last - score);
            scores.push(score);
            signs.fall_lately = scores[scores.len().saturating_sub(1 + LATELY)] - score;
            signs.effort = best.map_or(0.0, |best| self.ledger.effort(best));
            if stop.is_late(tunables.scale(&signs)) {
                break;
            }
        }
        let mut line = lines.swap_remove(0);
        if line.pv.is_empty() {
            line.pv.extend(wanted.first());
        }
        Found {
            line,
            depth: depth_done as u32,
            selective_depth: self.selective_depth,
            nodes: self.nodes,
            is_certain,
        }
    }

    /// Asks the game's solver, if it has one: with what is left of a node limit before the first
    /// iteration, otherwise with twice what the iterations so far have cost, each time that this has
    /// doubled. Only the first thread does; where there are others, with half of what is left.
    fn ending(
        &mut self,
        position: &G,
        depth: i32,
        asked_with: &mut u64,
    ) -> Option<Ending<G::Move>> {
        let stop = self.stop?;
        let left = match self.shared.left() {
            Some(_) if depth > 1 => return None,
            Some(left) => left,
            None => 2 * self.nodes,
        };
        if left < 2 * *asked_with {
            return None;
        }
        let claimed = self.shared.claim(left);
        let ending = position.ending(self.params.eval(), Nodes(claimed), stop);
        let spent = ending.map_or(0, |ending| ending.nodes.0);
        self.shared.give_back(claimed.saturating_sub(spent));
        self.nodes += spent;
        self.granted += spent;
        if ending.is_some() {
            *asked_with = left;
        }
        ending
    }

    /// Takes over what the root has found for this line; a proven win is not forgotten for less.
    fn keep_completed(&mut self, line: &mut Line<G::Move>, score: i32) {
        let own = line.pv.first().copied().filter(|mv| self.looks_at(*mv));
        if own.is_some() && line.score >= MATE_BOUND && score < line.score {
            return;
        }
        self.keep_best(line);
        line.score = score;
    }

    /// Takes over what an iteration has found that was stopped at line `number`: of the first line its
    /// best move so far, unless that is proven to lose or forgets a proven win; the other lines, as far
    /// as they were not completed, are those of the iteration before.
    fn keep_aborted(&self, lines: &mut [Line<G::Move>], number: usize, before: &[Line<G::Move>]) {
        if number == 0 && self.root_best != G::Move::default() {
            let line = &mut lines[0];
            let is_less = !line.pv.is_empty() && self.root_score < line.score;
            if !is_less || self.root_score > -MATE_BOUND && line.score < MATE_BOUND {
                self.keep_best(line);
            }
        }
        let (done, open) = lines.split_at_mut(number.max(1));
        let first = |line: &Line<G::Move>| line.pv.first().copied();
        let left = before.iter().filter(|old| done.iter().all(|line| first(line) != first(old)));
        for (line, old) in open.iter_mut().zip(left) {
            line.clone_from(old);
        }
    }

    fn keep_best(&self, line: &mut Line<G::Move>) {
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
        report: &mut Hear<'_, G::Move>,
        depth: i32,
        number: usize,
        line: &Line<G::Move>,
    ) {
        report(&Report {
            depth: depth as u32,
            selective_depth: self.selective_depth as u32,
            line: number,
            score: Score(line.score),
            // What this thread has been granted and not yet visited is known; of the others it is not.
            nodes: Nodes(self.shared.granted().saturating_sub(self.granted - self.nodes)),
            table_permille: self.table.permille(),
            pv: &line.pv,
        });
    }

    /// Whether a root move is to be looked at.
    #[inline]
    pub(super) fn looks_at(&self, mv: G::Move) -> bool {
        self.root_moves.is_empty() || self.root_moves.contains(&mv)
    }

    /// One iteration: a window around the running average of the best move's scores, the wider the
    /// larger these are, and widened on the failing side. Gives the score and the depth that it comes
    /// from, which is less after a failure above the window.
    fn aspirate(&mut self, position: &mut G, depth: i32) -> (i32, i32) {
        let params = self.params;
        let tunables = &params.tunables().aspiration;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = f64::from(tunables.aspiration_delta) + (self.number % WIDTHS) as f64;
        if let Some(average) = self.ledger.average(self.root_best)
            && depth >= tunables.aspiration_min_depth
        {
            delta += average.square.abs() / f64::from(tunables.aspiration_square_div);
            let (centre, width) = (average.score as i32, delta as i32);
            alpha = (centre - width).max(-INFINITE);
            beta = (centre + width).min(INFINITE);
        }
        let mut reduced = 0;
        loop {
            let depth = (depth - reduced).max(1);
            let score = self.node::<true>(position, depth, alpha, beta, 0, false);
            if self.stopped {
                return (score, depth);
            }
            delta *= tunables.aspiration_widen;
            let is_open = delta > f64::from(tunables.aspiration_open) || score.abs() >= MATE_BOUND;
            let width = if is_open { 2 * INFINITE } else { delta as i32 };
            if score <= alpha && alpha > -INFINITE {
                beta = alpha;
                alpha = (score - width).max(-INFINITE);
                reduced = 0;
            } else if score >= beta && beta < INFINITE {
                alpha = alpha.max(beta - width);
                beta = (score + width).min(INFINITE);
                if depth >= tunables.aspiration_high_depth {
                    reduced += tunables.aspiration_high_reduce;
                }
            } else {
                self.ledger.end(self.nodes);
                self.ledger.score(self.root_best, score, tunables);
                return (score, depth);
            }
        }
    }
}
