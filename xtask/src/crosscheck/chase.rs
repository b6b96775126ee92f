//! Perpetual chases that Fairy-Stockfish judges otherwise, by what it does otherwise. The README of
//! `crates/games` says why each class is judged here as it is.

use games::xiangqi::{Move, PieceKind, Side, Square, SquareSet, Xiangqi};
use games::{Game, MoveKind, MoveList};

use super::opinion::Outcome;

/// The class of a difference at the third occurrence of a position; `them` has moved last.
pub(super) fn explain(
    position: &Xiangqi,
    ours: Outcome,
    theirs: Outcome,
    them: Side,
) -> Option<&'static str> {
    let cycle = cycle(position)?;
    let first = cycle.first()?;
    let last = position.last_move();
    // Both verdicts name who is at fault, if one side is; the fault of `them` is our win.
    if ours == Outcome::Won && theirs == Outcome::Drawn {
        let is_entered_otherwise = first.plies_made() > 0 && first.last_move() != last;
        if is_entered_otherwise {
            return Some("way into a chase");
        }
    }
    let chaser = match if ours == Outcome::Drawn { theirs } else { ours } {
        Outcome::Won => them,
        _ => them.other(),
    };
    if ours != Outcome::Drawn && chases_past_a_protector(&cycle, chaser) {
        return Some("false protector");
    }
    let made =
        || cycle.windows(2).filter_map(|pair| Some((&pair[0], pair[1].last_move()?, &pair[1])));
    if made().any(|(before, mv, after)| slides_on_its_line(before, mv, after)) {
        return Some("slide on the line of attack");
    }
    cycle.iter().any(has_pinned_attacker).then_some("pinned attacker")
}

/// The positions from the first of the last three occurrences of this one on, this one included.
fn cycle(position: &Xiangqi) -> Option<Vec<Xiangqi>> {
    let mut walker = position.clone();
    let mut cycle = vec![position.clone()];
    let mut earlier = 0;
    while earlier < 2 {
        if walker.plies_made() == 0 {
            return None;
        }
        walker.unmake();
        earlier += u32::from(walker.hash() == position.hash());
        cycle.push(walker.clone());
    }
    cycle.reverse();
    Some(cycle)
}

/// Whether a side attacks one and the same piece after each of its moves, and that piece has a protector
/// at least once, by its reach alone: whether it may recapture is found here by playing the exchange,
/// there by looking at pins and at the facing kings.
fn chases_past_a_protector(cycle: &[Xiangqi], chaser: Side) -> bool {
    let Some(end) = cycle.last() else { return false };
    let prey = chaser.other();
    let all = end.side(prey).without(end.pieces(prey, PieceKind::King));
    // Where each piece stands as the cycle is walked back, and whether it was seen protected.
    let mut prey: Vec<(Square, bool)> = all.map(|square| (square, false)).collect();
    for position in cycle[1..].iter().rev() {
        if position.side_to_move() != chaser {
            prey.retain_mut(|(square, is_protected)| {
                let (attackers, protectors) = reach(position, *square, chaser);
                *is_protected |= !protectors.is_empty();
                !attackers.is_empty()
            });
        }
        if let Some(mv) = position.last_move() {
            prey.iter_mut().filter(|(at, _)| *at == mv.to()).for_each(|(at, _)| *at = mv.from());
        }
    }
    prey.into_iter().any(|(_, is_protected)| is_protected)
}

/// The chaser's pieces that attack a square, without those that may always threaten; and the pieces of the
/// other side that reach it once one of these has gone.
fn reach(position: &Xiangqi, square: Square, chaser: Side) -> (SquareSet, SquareSet) {
    let occupied = position.occupied();
    let free = position.pieces(chaser, PieceKind::King) | position.pieces(chaser, PieceKind::Pawn);
    let attackers = (position.attackers_to(square, occupied) & position.side(chaser)).without(free);
    let mut protectors = SquareSet::EMPTY;
    for attacker in attackers {
        let after = occupied.without(SquareSet::of(attacker));
        let reaching = position.attackers_to(square, after) & position.side(chaser.other());
        protectors = protectors | reaching;
    }
    (attackers, protectors)
}

/// Whether a rook or cannon moves along a line and attacks the same piece on that line before and after:
/// an attack that is not new here, and is there if the piece moves away from its prey.
fn slides_on_its_line(before: &Xiangqi, mv: Move, after: &Xiangqi) -> bool {
    let kind = after.piece_on(mv.to()).map(|piece| piece.kind());
    let slides = matches!(kind, Some(PieceKind::Rook | PieceKind::Cannon));
    let enemies = after.side(after.side_to_move());
    let mut both = before.attacks_from(mv.from()) & after.attacks_from(mv.to()) & enemies;
    slides && both.any(|prey| prey.file() == mv.to().file() || prey.rank() == mv.to().rank())
}

/// Whether the side that has just moved, or the other, could capture but for its king, which that would
/// expose: such a piece threatens nothing here, and there it does; nor is it a new threat there when the
/// piece is freed.
fn has_pinned_attacker(position: &Xiangqi) -> bool {
    let mut position = position.clone();
    let captures_exposing = |position: &Xiangqi| {
        let mut captures = MoveList::new();
        position.pseudo_legal(MoveKind::Noisy, &mut captures);
        captures.iter().any(|&mv| !position.is_legal(mv))
    };
    if position.in_check() {
        return false;
    }
    if captures_exposing(&position) {
        return true;
    }
    position.make_null();
    !position.in_check() && captures_exposing(&position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::RuleWinner;
    use games::xiangqi::RuleSet;
    use model::Termination;

    /// The position at the end of a line.
    fn play(fen: &str, moves: &str) -> Xiangqi {
        let mut position = Xiangqi::from_fen(fen).unwrap().with_rules(RuleSet::Asian);
        for text in moves.split(' ') {
            let mv = position.move_from_text(text).unwrap();
            position.make(mv);
        }
        position
    }

    #[test]
    fn each_class_has_a_line_that_shows_it() {
        use Outcome::{Drawn, Lost, Won};
        for (class, ours, theirs, fen, moves) in [
            (
                "way into a chase",
                Won,
                Drawn,
                "3akab2/c2R1R2c/4b4/9/9/9/9/4B4/4K4/2B6 w",
                "d8a8 e7c5 f8f0 c5e7 f0f8 e7c5 f8f0 c5e7 f0f8",
            ),
            (
                "false protector",
                Lost,
                Drawn,
                "5k3/9/9/9/9/1N2P1C2/9/4BC3/9/cr1RK4 w",
                "b4d3 b0b2 e2c0 b2b0 c0e2 b0b2 e2c0 b2b0 c0e2",
            ),
            (
                "slide on the line of attack",
                Won,
                Drawn,
                "4k4/9/4b4/2c2nR2/9/9/9/9/9/3K5 w",
                "g6h6 f6g8 h6g6 g8f6 g6h6 f6g8 h6g6 g8f6",
            ),
            (
                "pinned attacker",
                Drawn,
                Lost,
                "4k4/4a4/4b4/6c2/9/3R5/4c4/4C4/4N4/3AKA3 w",
                "d4e4 g6g2 e4d4 g2g6 d4e4 g6g2 e4d4 g2g6",
            ),
        ] {
            let position = play(fen, moves);
            let result = position.result().unwrap();
            assert_eq!(Outcome::of(result.winner), ours, "{class}");
            let them = position.side_to_move().other();
            assert_eq!(explain(&position, ours, theirs, them), Some(class));
        }
    }

    #[test]
    fn a_plain_chase_is_explained_by_nothing() {
        // A rook chases an unprotected horse to and fro: nobody can differ about it.
        let position =
            play("3k5/9/9/9/9/9/1R7/2n6/9/5K3 w", "b3c3 c2e1 c3e3 e1c2 e3c3 c2e1 c3e3 e1c2 e3c3");
        let result = position.result().unwrap();
        assert_eq!(result.reason, Termination::PerpetualChase);
        assert_eq!(result.winner, RuleWinner::SideToMove);
        let them = position.side_to_move().other();
        assert_eq!(explain(&position, Outcome::Won, Outcome::Lost, them), None);
    }
}
