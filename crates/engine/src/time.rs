//! How much of a clock a move may cost. Pure: durations in, durations out.
//!
//! The shares follow the scheme of the public engines: a plan from the clock before the search, and
//! after each iteration a factor that tells how sure the search is of its move.

use crate::tunables::tunables;
use std::time::Duration;

tunables! {
    /// How a clock is shared out.
    pub struct TimeTunables in Time {
        time_horizon: i32 = 50, 10 => 100, c_end 4,
            "Time: moves that the rest of a game, or of a period, is taken to last at most.";
        time_low: i32 = 1000, 100 => 10000, c_end 400,
            "Time: milliseconds below which a game is taken to be shorter in proportion.";
        time_share: f64 = 0.0172, 0.002 => 0.1, c_end 0.002,
            "Time: share of what is left, increments to come among it, for a move.";
        time_ply_share: f64 = 0.0038, 0.0 => 0.03, c_end 0.0006,
            "Time: growth of that share with a power of the plies that were made.";
        time_ply_power: f64 = 0.434, 0.0 => 1.0, c_end 0.05,
            "Time: that power.";
        time_ply_offset: f64 = 2.7, 0.0 => 40.0, c_end 1.5,
            "Time: plies added before the power is taken.";
        time_share_most: f64 = 0.206, 0.05 => 0.8, c_end 0.03,
            "Time: largest share of the clock itself that is planned for a move.";
        time_most: f64 = 5.0, 1.0 => 12.0, c_end 0.5,
            "Time: times its plan that a move may take at most.";
        time_clock_most: f64 = 0.8, 0.1 => 0.95, c_end 0.05,
            "Time: share of the clock that a move may take at most.";
        time_period_share: f64 = 0.88, 0.2 => 1.0, c_end 0.05,
            "Time: share of an even part, where a number of moves is to be made in a period.";
        time_period_most: f64 = 1.3, 1.0 => 5.0, c_end 0.2,
            "Time: times its plan that such a move may take at most.";
        time_period_slope: f64 = 0.11, 0.0 => 0.5, c_end 0.03,
            "Time: growth of that limit with each move to go.";
        time_fall_base: f64 = 0.55, 0.1 => 1.5, c_end 0.07,
            "Time: factor of a move whose score does not fall.";
        time_fall_last: f64 = 0.01, 0.0 => 0.05, c_end 0.002,
            "Time: growth of that factor with each centipawn below the last move's score.";
        time_fall_recent: f64 = 0.004, 0.0 => 0.05, c_end 0.002,
            "Time: the same with each centipawn below the score of a few iterations ago.";
        time_fall_min: f64 = 0.65, 0.1 => 1.0, c_end 0.05,
            "Time: least factor for the fall of the score.";
        time_fall_max: f64 = 1.8, 1.0 => 4.0, c_end 0.15,
            "Time: largest factor for the fall of the score.";
        time_stable_from: i32 = 3, 0 => 10, c_end 1,
            "Time: iterations with the same best move up to which it is not trusted.";
        time_stable_plies: i32 = 8, 1 => 30, c_end 1,
            "Time: further iterations until it is fully trusted.";
        time_unstable: f64 = 1.5, 1.0 => 3.0, c_end 0.1,
            "Time: factor while the best move is not trusted.";
        time_stable: f64 = 0.85, 0.2 => 1.0, c_end 0.05,
            "Time: factor when the best move is fully trusted.";
        time_changes: f64 = 0.8, 0.0 => 4.0, c_end 0.15,
            "Time: growth of the factor with each late change of the best move.";
        time_changes_fade: f64 = 0.5, 0.0 => 0.95, c_end 0.05,
            "Time: share of the changes that still counts an iteration later.";
        time_effort_from: f64 = 0.75, 0.1 => 0.9, c_end 0.03,
            "Time: share of the nodes of the best move up to which it is in doubt.";
        time_effort_span: f64 = 0.2, 0.02 => 0.8, c_end 0.03,
            "Time: further share until it is not.";
        time_effort_low: f64 = 0.75, 0.2 => 1.0, c_end 0.05,
            "Time: factor of a best move on which nearly all nodes were spent.";
    }
}

/// The least that a move is given: without it nothing could be searched at all.
const LEAST: Duration = Duration::from_millis(1);

/// What the clock of the side to move shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockState {
    /// Time left for the moves of this period, the byoyomi not among it.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Given anew for each move once `remaining` is gone (shogi).
    pub byoyomi: Duration,
    /// Moves to the next period; `None`: the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Lost on the way of each move to the other side of the board.
    pub overhead: Duration,
}

/// What a search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePlan {
    /// No iteration begins after this, scaled by how unsure the search is; `None`: no clock runs,
    /// and any may.
    pub optimum: Option<Duration>,
    /// Time that is lost if it is not used: an iteration may always begin within it.
    pub free: Duration,
    /// The search ends now.
    pub maximum: Duration,
}

impl TimePlan {
    /// Exactly this long.
    #[must_use]
    pub fn fixed(movetime: Duration) -> Self {
        Self { optimum: None, free: Duration::ZERO, maximum: movetime }
    }

    /// A share of the clock for a move, `plies` having been made since the game began.
    #[must_use]
    pub fn for_clock(clock: &ClockState, plies: usize, tunables: &TimeTunables) -> Self {
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        let (remaining, overhead) = (ms(clock.remaining), ms(clock.overhead));
        let horizon = f64::from(tunables.time_horizon);
        let moves = match clock.moves_to_go {
            Some(moves) => f64::from(moves).min(horizon),
            None => (horizon * remaining / f64::from(tunables.time_low)).min(horizon),
        };
        let moves = moves.max(1.0);
        // Two overheads are kept in reserve, so that the last move is in time as well.
        let left = remaining + ms(clock.increment) * (moves - 1.0) - overhead * (moves + 2.0);
        let left = left.max(0.0);
        let (optimum, factor) = if clock.moves_to_go.is_some() {
            let share = tunables.time_period_share;
            let factor = tunables.time_period_most + tunables.time_period_slope * moves;
            ((share / moves * left).min(share * remaining), factor)
        } else {
            let grown = (plies as f64 + tunables.time_ply_offset).powf(tunables.time_ply_power);
            let share = tunables.time_share + tunables.time_ply_share * grown;
            ((share * left).min(tunables.time_share_most * remaining), tunables.time_most)
        };
        let all = if clock.moves_to_go == Some(1) { 1.0 } else { tunables.time_clock_most };
        let maximum = (factor * optimum).min(all * remaining - overhead).max(0.0);
        let free = clock.byoyomi.saturating_sub(clock.overhead);
        let duration = |ms: f64| {
            let bank = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX);
            bank.saturating_add(free).max(LEAST)
        };
        Self { optimum: Some(duration(optimum.min(maximum))), free, maximum: duration(maximum) }
    }
}

/// What the iterations of a search say about its move. Scores in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signs {
    /// How far the score is below that of the player's last move.
    pub(crate) fall_since_last: i32,
    /// How far it is below that of a few iterations ago.
    pub(crate) fall_lately: i32,
    /// Iterations since the best move changed.
    pub(crate) stable_for: i32,
    /// Changes of the best move, the earlier the less.
    pub(crate) changes: f64,
    /// The best move's share of all nodes, 0 to 1.
    pub(crate) effort: f64,
}

impl TimeTunables {
    /// Times the plan that a search with these signs may go on for.
    pub(crate) fn scale(&self, signs: &Signs) -> f64 {
        let fall = self.time_fall_base
            + self.time_fall_last * f64::from(signs.fall_since_last)
            + self.time_fall_recent * f64::from(signs.fall_lately);
        let fall = fall.max(self.time_fall_min).min(self.time_fall_max);
        let beyond = f64::from(signs.stable_for - self.time_stable_from);
        let trust = (beyond / f64::from(self.time_stable_plies)).clamp(0.0, 1.0);
        let stability = self.time_unstable + trust * (self.time_stable - self.time_unstable);
        let changes = 1.0 + self.time_changes * signs.changes;
        let share =
            ((signs.effort - self.time_effort_from) / self.time_effort_span).clamp(0.0, 1.0);
        let effort = 1.0 + share * (self.time_effort_low - 1.0);
        fall * stability * changes * effort
    }

    /// The changes of the best move that count one iteration later.
    pub(crate) fn fade(&self, changes: f64) -> f64 {
        changes * self.time_changes_fade
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tunables::Declared;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(remaining: u64, increment: u64) -> ClockState {
        ClockState {
            remaining: MS(remaining),
            increment: MS(increment),
            overhead: MS(10),
            ..ClockState::default()
        }
    }

    fn plan(clock: &ClockState) -> TimePlan {
        TimePlan::for_clock(clock, 0, &TimeTunables::default())
    }

    #[test]
    fn a_game_of_any_length_stays_in_time() {
        for (total, increment) in [(60_000, 600), (1000, 10), (5000, 0), (100, 100)] {
            let mut left = MS(total);
            for ply in 0..800 {
                let state = ClockState { remaining: left, ..clock(0, increment) };
                let plan = TimePlan::for_clock(&state, ply, &TimeTunables::default());
                // The worst case: every move takes the maximum and the overhead on top.
                let spent = plan.maximum + MS(9);
                let gone = left < MS(12);
                assert!(gone || spent <= left, "move {ply}: {spent:?} of {left:?}");
                left = left.saturating_sub(spent) + MS(increment);
            }
        }
    }

    #[test]
    fn an_increment_larger_than_the_overhead_keeps_a_game_alive() {
        for ply in 0..800 {
            // Below some of them there is nothing that could be saved.
            let state = clock(20 + ply as u64 % 30, 20);
            let plan = TimePlan::for_clock(&state, ply, &TimeTunables::default());
            assert!(plan.maximum + MS(10) <= state.remaining, "{state:?}: {plan:?}");
        }
    }

    #[test]
    fn the_last_move_before_the_control_may_use_what_is_left() {
        let state = ClockState { moves_to_go: Some(1), ..clock(2000, 0) };
        assert_eq!(plan(&state).maximum, MS(1990));
        let state = ClockState { moves_to_go: Some(2), ..clock(2000, 0) };
        assert!(plan(&state).maximum < MS(1400));
    }

    #[test]
    fn byoyomi_is_spent_on_each_move() {
        let state = ClockState { byoyomi: MS(1000), ..clock(0, 0) };
        let byoyomi = plan(&state);
        assert_eq!((byoyomi.optimum, byoyomi.free), (Some(MS(990)), MS(990)));
        assert_eq!(byoyomi.maximum, MS(990));
        let both = plan(&ClockState { byoyomi: MS(1000), ..clock(60_000, 0) });
        assert_eq!((both.free, both.maximum), (MS(990), plan(&clock(60_000, 0)).maximum + MS(990)));
    }

    #[test]
    fn extremes_do_not_overflow_and_leave_something() {
        for remaining in [Duration::ZERO, Duration::MAX, MS(1)] {
            for other in [Duration::ZERO, Duration::MAX] {
                for moves_to_go in [None, Some(0), Some(1), Some(u32::MAX)] {
                    let state = ClockState {
                        remaining,
                        increment: other,
                        byoyomi: other,
                        moves_to_go,
                        overhead: other,
                    };
                    let plan = TimePlan::for_clock(&state, usize::MAX, &TimeTunables::default());
                    assert!(plan.maximum >= LEAST && plan.optimum <= Some(plan.maximum));
                }
            }
        }
    }

    #[test]
    fn more_time_is_never_less_time() {
        for moves_to_go in [None, Some(1), Some(30)] {
            let mut before = Duration::ZERO;
            for remaining in (0..100_000).step_by(500) {
                let plan = plan(&ClockState { moves_to_go, ..clock(remaining, 50) });
                let is_more = plan.optimum >= Some(before) && plan.maximum >= before;
                assert!(is_more, "{remaining}, {moves_to_go:?}");
                before = plan.optimum.unwrap_or_default();
            }
        }
    }

    #[test]
    fn doubt_takes_longer_than_certainty() {
        let tunables = TimeTunables::default();
        let calm = Signs { stable_for: 20, effort: 0.99, ..Signs::default() };
        let of = |signs: Signs| tunables.scale(&signs);
        assert!(of(Signs { fall_since_last: 60, ..calm }) > of(calm));
        assert!(of(Signs { fall_lately: 100, ..calm }) > of(calm));
        assert!(of(Signs { stable_for: 1, ..calm }) > of(calm));
        assert!(of(Signs { changes: 1.0, ..calm }) > of(calm));
        assert!(of(Signs { effort: 0.3, ..calm }) > of(calm));
        assert!(
            of(Signs { fall_since_last: 9999, fall_lately: 9999, changes: 2.0, ..calm }) < 10.0
        );
    }

    #[test]
    fn every_constant_of_time_changes_a_plan_or_a_decision() {
        let mut clocks = Vec::new();
        for remaining in [50, 800, 5000, 60_000] {
            for moves_to_go in [None, Some(1), Some(3), Some(70)] {
                clocks.push(ClockState { moves_to_go, ..clock(remaining, 200) });
            }
        }
        let mut signs = Vec::new();
        for fall in [-80, 30, 500] {
            for stable_for in [0, 5, 25] {
                for effort in [0.2, 0.8, 1.0] {
                    let (fall_since_last, fall_lately) = (fall, fall / 2);
                    let changes = 0.5;
                    signs.push(Signs { fall_since_last, fall_lately, stable_for, changes, effort });
                }
            }
        }
        let decide = |tunables: &TimeTunables| {
            let plans: Vec<_> = clocks
                .iter()
                .flat_map(|clock| [0, 60].map(|ply| TimePlan::for_clock(clock, ply, tunables)))
                .collect();
            let scales: Vec<_> = signs.iter().map(|signs| tunables.scale(signs)).collect();
            (plans, scales, tunables.fade(1.0))
        };
        let untouched = decide(&TimeTunables::default());
        let mut list = Vec::new();
        TimeTunables::declare(&mut list);
        for (index, def) in list.iter().enumerate() {
            for value in [def.min, def.max] {
                let mut values = Vec::new();
                TimeTunables::default().read(&mut values);
                values[index] = value;
                let mut tunables = TimeTunables::default();
                tunables.write(&mut values.into_iter());
                let is_default = value == def.default;
                assert_eq!(decide(&tunables) == untouched, is_default, "{} = {value}", def.name);
            }
        }
    }
}
