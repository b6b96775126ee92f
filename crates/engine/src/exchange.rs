//! The arithmetic of a static exchange evaluation: both sides take on one square, each with its least
//! valuable piece, and stop when it does not pay. Who takes is for each game to say.

/// More captures on one square than any position has.
const LONGEST: usize = 40;

/// What the side that begins wins: `first` by its capture, with a piece worth `attacker` that the other
/// side may then take. `next` gives the worth of the piece with which the sides in turn take back, the
/// other side first; `None` when there is none.
#[inline]
pub(crate) fn swap_off(first: i32, attacker: i32, mut next: impl FnMut() -> Option<i32>) -> i32 {
    // gains[n]: what the side of the nth capture has won if the exchange ends with it.
    let mut gains = [0; LONGEST];
    gains[0] = first;
    let mut at_stake = attacker;
    let mut last = 0;
    while last + 1 < LONGEST {
        let Some(worth) = next() else { break };
        last += 1;
        gains[last] = at_stake - gains[last - 1];
        at_stake = worth;
    }
    for n in (1..=last).rev() {
        gains[n - 1] = gains[n - 1].min(-gains[n]);
    }
    gains[0]
}

#[cfg(test)]
mod tests {
    use super::swap_off;

    #[test]
    fn nobody_takes_what_does_not_pay() {
        for (first, attacker, back, won) in [
            (100, 500, &[] as &[i32], 100),
            (100, 500, &[100], -400),
            (100, 500, &[900, 100], 100),
            (100, 300, &[300, 300], 100),
            (300, 500, &[100, 500], -100),
        ] {
            let mut back = back.iter().copied();
            assert_eq!(swap_off(first, attacker, || back.next()), won, "{first} {attacker}");
        }
    }
}
