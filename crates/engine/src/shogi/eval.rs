//! A plain evaluation of shogi: material on the board and in the hands kept up move by move, who stands
//! near which king and what reaches how far looked at afresh.

use super::weights::{ShogiTables, ShogiWeights, by_steps};
use crate::taper::Pair;
use crate::trace::{Parts, Trace, Unwatched};
use crate::value::MAX_PLY;
use crate::{Evaluate, Term};
use games::shogi::{Move, PieceKind, Shogi, Side, SquareSet, attacks};

/// The evaluation with its sums along the line.
pub struct ShogiEval {
    /// Pieces, their squares and the hands, the first side's view.
    now: i32,
    before: Vec<i32>,
}

impl Default for ShogiEval {
    fn default() -> Self {
        Self { now: 0, before: Vec::with_capacity(MAX_PLY + 1) }
    }
}

fn sign(side: Side) -> i32 {
    if side == Side::Black { 1 } else { -1 }
}

impl Evaluate<Shogi> for ShogiEval {
    type Weights = ShogiWeights;
    type Tables = ShogiTables;

    fn tables(weights: &ShogiWeights) -> ShogiTables {
        ShogiTables::of(weights)
    }

    fn reset(&mut self, tables: &ShogiTables, position: &Shogi) {
        self.before.clear();
        self.now = 0;
        for side in [Side::Black, Side::White] {
            for square in position.side(side) {
                let kind = position.piece_on(square).map_or(PieceKind::King, |piece| piece.kind());
                self.now += tables.squares[side.index()][kind.index()][square.index()];
            }
            for (kind, count) in position.hand(side).pieces() {
                self.now += sign(side) * tables.weights.hand[kind.index()] * count as i32;
            }
        }
    }

    #[inline]
    fn push(&mut self, tables: &ShogiTables, position: &Shogi, mv: Option<Move>) {
        self.before.push(self.now);
        let Some(mv) = mv else { return };
        let us = position.side_to_move();
        let Some(moved) = position.moved(mv) else { return };
        let (kind, own) = (moved.kind(), &tables.squares[us.index()]);
        match mv.from() {
            Some(from) => self.now -= own[kind.index()][from.index()],
            None => self.now -= sign(us) * tables.weights.hand[kind.index()],
        }
        let placed = if mv.is_promotion() { kind.promoted().unwrap_or(kind) } else { kind };
        self.now += own[placed.index()][mv.to().index()];
        if let Some(victim) = position.captured(mv) {
            let kind = victim.kind();
            self.now -= tables.squares[us.other().index()][kind.index()][mv.to().index()];
            let held = tables.weights.hand.get(kind.unpromoted().index());
            self.now += sign(us) * held.copied().unwrap_or(0);
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(sum) = self.before.pop() {
            self.now = sum;
        }
    }

    fn evaluate(&mut self, tables: &ShogiTables, position: &Shogi) -> i32 {
        let sum = self.weigh(tables, position, &mut Unwatched);
        sign(position.side_to_move()) * sum
    }

    fn terms(&mut self, tables: &ShogiTables, position: &Shogi) -> Vec<Term> {
        let mut parts = Parts::default();
        self.weigh(tables, position, &mut parts);
        parts.terms(|sum| sign(position.side_to_move()) * sum.middle())
    }
}

/// What one side has beyond its pieces and their squares.
#[derive(Clone, Copy, Default)]
struct Account {
    mobility: i32,
    generals: i32,
    pressure: i32,
}

impl ShogiEval {
    /// The sum of everything, the first side's view.
    #[inline]
    fn weigh<T: Trace>(&self, tables: &ShogiTables, position: &Shogi, trace: &mut T) -> i32 {
        let weights = &tables.weights;
        let [black, white] =
            [Side::Black, Side::White].map(|side| account(weights, position, side));
        let parts = [
            ("material and squares", self.now),
            ("tempo", sign(position.side_to_move()) * weights.tempo),
            ("mobility", black.mobility - white.mobility),
            ("generals", black.generals - white.generals),
            ("attack on the king", black.pressure - white.pressure),
        ];
        for (name, part) in parts {
            trace.part(name, Pair::new(part, part));
        }
        parts.into_iter().map(|(_, part)| part).sum()
    }
}

#[inline]
fn account(weights: &ShogiWeights, position: &Shogi, us: Side) -> Account {
    let (own_king, other_king) = (position.king(us), position.king(us.other()));
    let occupied = position.occupied();
    let around = attacks(us, PieceKind::King, other_king, occupied);
    let mut account = Account::default();
    let mut pressed = SquareSet::EMPTY;
    for square in position.side(us) {
        let Some(piece) = position.piece_on(square) else { continue };
        let kind = piece.kind();
        if matches!(kind, PieceKind::Pawn | PieceKind::King) {
            continue;
        }
        let reach = attacks(us, kind, square, occupied);
        pressed |= reach & around;
        let count = reach.len() as i32;
        match kind {
            PieceKind::Bishop | PieceKind::Horse => {
                account.mobility += weights.bishop_mobility * count;
            }
            PieceKind::Rook | PieceKind::Dragon => {
                account.mobility += weights.rook_mobility * count;
            }
            PieceKind::Lance => account.mobility += weights.lance_mobility * count,
            PieceKind::Knight => {}
            // Generals, and what moves as one.
            _ => {
                account.generals += by_steps(&weights.defender, square, own_king)
                    + by_steps(&weights.attacker, square, other_king);
            }
        }
    }
    let pressed = pressed.len() as i32;
    if pressed >= 2 {
        let held: i32 = position
            .hand(us)
            .pieces()
            .map(|(kind, count)| if kind == PieceKind::Pawn { 1 } else { 2 * count as i32 })
            .sum();
        let pressure = weights.king_pressure * pressed * pressed / 4;
        account.pressure = pressure + pressure * weights.hand_pressure * held / 100;
    }
    account
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Declared;
    use games::{Game, MoveList};

    fn position(sfen: &str) -> Shogi {
        Shogi::from_fen(sfen).unwrap_or_else(|e| panic!("{sfen}: {e}"))
    }

    fn value_of(tables: &ShogiTables, position: &Shogi) -> i32 {
        let mut eval = ShogiEval::default();
        eval.reset(tables, position);
        eval.evaluate(tables, position)
    }

    fn value(sfen: &str) -> i32 {
        value_of(&ShogiTables::of(&ShogiWeights::default()), &position(sfen))
    }

    /// A line of moves from each of some openings, chosen by a fixed rule.
    fn walk(mut see: impl FnMut(&mut Shogi, Option<Move>)) {
        let lines = include_str!("../../../../books/shogi.epd").lines().skip(3).step_by(50);
        for (seed, line) in lines.enumerate() {
            let (mut state, mut position) = (seed as u64, position(line));
            for _ in 0..120 {
                let mut moves = MoveList::new();
                position.legal(&mut moves);
                if moves.is_empty() {
                    break;
                }
                // The multiplier of MMIX (D. Knuth).
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed as u64 | 1);
                let mv = moves[((state >> 33) % moves.len() as u64) as usize];
                see(&mut position, Some(mv));
                position.make(mv);
            }
            see(&mut position, None);
        }
    }

    #[test]
    fn sums_along_a_line_are_those_of_a_fresh_start_and_terms_add_up() {
        let tables = ShogiTables::of(&ShogiWeights::default());
        walk(|position, mv| {
            let mut eval = ShogiEval::default();
            eval.reset(&tables, position);
            let value = eval.evaluate(&tables, position);
            let terms = eval.terms(&tables, position);
            assert_eq!(terms.iter().map(|term| term.centipawns).sum::<i32>(), value);
            let Some(mv) = mv else { return };
            eval.push(&tables, position, Some(mv));
            position.make(mv);
            let fresh = value_of(&tables, position);
            assert_eq!(eval.evaluate(&tables, position), fresh, "{}", position.to_fen());
            position.unmake();
            eval.pop();
            assert_eq!(eval.evaluate(&tables, position), value, "{}", position.to_fen());
        });
    }

    #[test]
    fn every_weight_counts_somewhere() {
        let tables = ShogiTables::of(&ShogiWeights::default());
        let mut positions = Vec::new();
        walk(|position, _| positions.push(position.clone()));
        let values: Vec<i32> = positions.iter().map(|p| value_of(&tables, p)).collect();
        let (mut list, mut numbers) = (Vec::new(), Vec::new());
        ShogiWeights::declare(&mut list);
        ShogiWeights::default().read(&mut numbers);
        for (index, def) in list.iter().enumerate() {
            for extreme in [def.min, def.max] {
                let mut numbers = numbers.clone();
                numbers[index] = extreme;
                let mut weights = ShogiWeights::default();
                weights.write(&mut numbers.into_iter());
                let tables = ShogiTables::of(&weights);
                let mut both = positions.iter().zip(&values);
                let seen = both.any(|(position, &value)| value_of(&tables, position) != value);
                assert!(seen, "{} at {extreme}", def.name);
            }
        }
    }

    #[test]
    fn the_board_turned_it_is_the_same() {
        for (black, white) in [
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1",
                "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            ),
            ("4k4/9/4+P4/9/9/9/9/9/4K4 b R2p 1", "4k4/9/9/9/9/9/4+p4/9/4K4 w r2P 1"),
        ] {
            assert_eq!(value(black), value(white), "{black}");
        }
    }

    #[test]
    fn material_counts_most() {
        let start = value("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        assert_eq!(start, ShogiWeights::default().tempo);
        let rook = value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b r 1");
        assert!(rook < start, "a rook in hand is more than one at home");
        let won = value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1");
        assert!(won - start > 1500, "{won}");
    }
}
