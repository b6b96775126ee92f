//! The arithmetic of a static exchange evaluation: both sides take on one square, each with its least
//! valuable piece, and stop when it does not pay. Who takes is for each game to say.

/// Whether the side that begins wins at least `threshold`: it takes what is worth `first` with a piece
/// worth `attacker`, which the other side may then take. `next` gives the worth of the piece with which
/// the sides in turn take back, the other side first; `None` when there is none.
///
/// The exchange is followed only as long as the answer is open (the threshold form of static exchange
/// evaluation, as used by many programs).
#[inline]
pub(crate) fn exchange_wins(
    first: i32,
    attacker: i32,
    threshold: i32,
    mut next: impl FnMut() -> Option<i32>,
) -> bool {
    // What the side whose turn it is not would be above its aim if the exchange ended now.
    let mut above = first - threshold;
    if above < 0 {
        return false;
    }
    above = attacker - above;
    if above <= 0 {
        // Even without the attacker.
        return true;
    }
    let mut wins = true;
    while let Some(worth) = next() {
        wins = !wins;
        above = worth - above;
        if above < i32::from(wins) {
            break;
        }
    }
    wins
}

#[cfg(test)]
mod tests {
    use super::exchange_wins;

    #[test]
    fn nobody_takes_what_does_not_pay() {
        for (first, attacker, back, won) in [
            (100, 500, &[] as &[i32], 100),
            (100, 500, &[100], -400),
            (100, 500, &[900, 100], 100),
            (100, 300, &[300, 300], 100),
            (300, 500, &[100, 500], -100),
        ] {
            for threshold in [won - 100, won - 1, won, won + 1, won + 100] {
                let mut back = back.iter().copied();
                let wins = exchange_wins(first, attacker, threshold, || back.next());
                assert_eq!(wins, won >= threshold, "{first} {attacker} {threshold}");
            }
        }
    }
}
