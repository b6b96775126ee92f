//! The scale of scores inside the search.
//!
//! Centipawns around zero; a mate in `n` half-moves is `MATE - n`. The scale fits 16 bits, which is
//! what a table slot keeps.

use model::Score;

/// The deepest half-move that a search line may reach.
pub const MAX_PLY: usize = 96;

/// The score of having mated with no half-move to go.
pub const MATE: i32 = 30_000;

/// Scores beyond this bound, on either side, announce a mate.
pub const MATE_BOUND: i32 = MATE - MAX_PLY as i32;

/// More than every score.
pub(crate) const INFINITE: i32 = 31_000;

/// "No score": outside of the scale.
pub(crate) const NONE: i32 = 32_000;

/// A draw.
pub(crate) const DRAW: i32 = 0;

/// The score of losing by mate at this ply.
#[inline]
pub(crate) fn mated_at(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// Half-moves to the announced mate, negative when the side to move is the one mated.
#[must_use]
pub fn mate_distance(score: Score) -> Option<i32> {
    if score.0 >= MATE_BOUND {
        Some(MATE - score.0)
    } else if score.0 <= -MATE_BOUND {
        Some(-MATE - score.0)
    } else {
        None
    }
}

/// A score as a table keeps it: mates counted from the node instead of from the root.
#[inline]
pub(crate) fn to_table(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score + ply as i32
    } else if score <= -MATE_BOUND {
        score - ply as i32
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[inline]
pub(crate) fn from_table(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score - ply as i32
    } else if score <= -MATE_BOUND {
        score + ply as i32
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_from_the_node_inside_a_table() {
        let at_root = MATE - 7;
        assert_eq!(to_table(at_root, 4), MATE - 3);
        for score in [MATE - 9, -MATE + 12, 0, 250, -250] {
            assert_eq!(from_table(to_table(score, 5), 5), score);
        }
    }

    #[test]
    fn a_mate_score_tells_its_distance() {
        assert_eq!(mate_distance(Score(MATE - 3)), Some(3));
        assert_eq!(mate_distance(Score(-MATE + 2)), Some(-2));
        assert_eq!(mate_distance(Score(900)), None);
    }
}
