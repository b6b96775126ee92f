//! How much of a clock a move may cost. Pure: durations in, durations out.

use crate::tunables::tunables;
use std::time::Duration;

tunables! {
    /// How a clock is shared out.
    pub struct TimeTunables in Time {
        time_horizon: i32 = 40, 10 => 100, c_end 4,
            "Moves that the rest of a game is taken to last.";
    }
}

/// Moves that the rest of a game is taken to last when nothing else is said.
const HORIZON: u32 = 40;

/// Most of what is left that a single move may take, in percent.
const MOST_PERCENT: u32 = 70;

/// How much longer than planned a move may take when the search is unsure.
const MOST_FACTOR: u32 = 4;

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
    /// No iteration begins after this, scaled by how unsure the search is; `None`: any may.
    pub optimum: Option<Duration>,
    /// The search ends now.
    pub maximum: Duration,
}

impl TimePlan {
    /// Exactly this long.
    #[must_use]
    pub fn fixed(movetime: Duration) -> Self {
        Self { optimum: None, maximum: movetime }
    }

    /// A share of the clock: what is left, with the increments to come, over the moves to come.
    #[must_use]
    pub fn for_clock(clock: &ClockState) -> Self {
        let moves = clock.moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
        // One overhead is kept in reserve, so that the last move of a period is in time as well.
        let overheads = clock.overhead.saturating_mul(moves.saturating_add(1));
        let bank = clock
            .remaining
            .saturating_add(clock.increment.saturating_mul(moves - 1))
            .saturating_sub(overheads);
        let byoyomi = clock.byoyomi.saturating_sub(clock.overhead);
        let optimum = (bank / moves).saturating_add(byoyomi);
        let all = clock.remaining.saturating_sub(clock.overhead);
        let most = if moves == 1 { all } else { all / 100 * MOST_PERCENT };
        let maximum = optimum.saturating_mul(MOST_FACTOR).min(most.saturating_add(byoyomi));
        Self { optimum: Some(optimum.min(maximum).max(LEAST)), maximum: maximum.max(LEAST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(remaining: u64, increment: u64) -> ClockState {
        ClockState {
            remaining: MS(remaining),
            increment: MS(increment),
            overhead: MS(10),
            ..ClockState::default()
        }
    }

    #[test]
    fn a_game_of_any_length_stays_in_time() {
        for (total, increment) in [(60_000, 600), (1000, 10), (5000, 0), (100, 100)] {
            let mut left = MS(total);
            for ply in 0..400 {
                let state = ClockState { remaining: left, ..clock(0, increment) };
                let plan = TimePlan::for_clock(&state);
                // The worst case: every move takes the maximum and the overhead on top.
                let spent = plan.maximum.min(plan.maximum) + MS(9);
                let gone = left < MS(12);
                assert!(gone || spent <= left, "move {ply}: {spent:?} of {left:?}");
                left = left.saturating_sub(spent) + MS(increment);
            }
        }
    }

    #[test]
    fn the_last_move_before_the_control_may_use_what_is_left() {
        let state = ClockState { moves_to_go: Some(1), ..clock(2000, 0) };
        let plan = TimePlan::for_clock(&state);
        assert_eq!((plan.optimum, plan.maximum), (Some(MS(1980)), MS(1990)));
    }

    #[test]
    fn byoyomi_is_spent_on_each_move() {
        let state = ClockState { byoyomi: MS(1000), ..clock(0, 0) };
        let plan = TimePlan::for_clock(&state);
        assert_eq!((plan.optimum, plan.maximum), (Some(MS(990)), MS(990)));
    }

    #[test]
    fn extremes_do_not_overflow_and_leave_something() {
        for remaining in [Duration::ZERO, Duration::MAX, MS(1)] {
            for other in [Duration::ZERO, Duration::MAX] {
                let state = ClockState {
                    remaining,
                    increment: other,
                    byoyomi: other,
                    moves_to_go: Some(u32::MAX),
                    overhead: other,
                };
                assert!(TimePlan::for_clock(&state).maximum >= LEAST);
            }
        }
    }

    #[test]
    fn more_time_is_never_less_time() {
        let mut before = Duration::ZERO;
        for remaining in (0..100_000).step_by(500) {
            let plan = TimePlan::for_clock(&clock(remaining, 50));
            assert!(plan.optimum >= Some(before) && plan.maximum >= before, "{remaining}");
            before = plan.optimum.unwrap_or_default();
        }
    }
}
