//! The classical evaluation of xiangqi: squares kept up move by move, mobility and king safety
//! looked at afresh.

use super::weights::{FULL_PHASE, SQUARES, WEIGHTS};
use crate::Evaluate;
use crate::taper::Pair;
use crate::value::MAX_PLY;
use games::xiangqi::{Move, PieceKind, Side, Square, SquareSet, Xiangqi};

/// What changes by moves alone, Red's view.
#[derive(Clone, Copy, Default)]
struct Sum {
    squares: Pair,
    phase: i32,
}

/// The evaluation with its sums along the line.
pub struct XiangqiEval {
    now: Sum,
    before: Vec<Sum>,
    /// The palaces, Red's first.
    palaces: [SquareSet; 2],
}

impl Default for XiangqiEval {
    fn default() -> Self {
        let palace = |ranks: std::ops::RangeInclusive<u8>| {
            Square::all()
                .filter(|s| (3..=5).contains(&s.file()) && ranks.contains(&s.rank()))
                .fold(SquareSet::EMPTY, |set, square| set | SquareSet::of(square))
        };
        Self {
            now: Sum::default(),
            before: Vec::with_capacity(MAX_PLY + 1),
            palaces: [palace(0..=2), palace(7..=9)],
        }
    }
}

impl Evaluate<Xiangqi> for XiangqiEval {
    type Weights = ();
    type Tables = ();

    fn tables((): &()) {}

    fn reset(&mut self, (): &(), position: &Xiangqi) {
        self.before.clear();
        self.now = Sum::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                self.now.squares += SQUARES[piece.code()][square.index()];
                self.now.phase += WEIGHTS.phase[piece.kind().index()];
            }
        }
    }

    #[inline]
    fn push(&mut self, (): &(), position: &Xiangqi, mv: Option<Move>) {
        self.before.push(self.now);
        let Some(mv) = mv else { return };
        if let Some(piece) = position.moved(mv) {
            let table = &SQUARES[piece.code()];
            self.now.squares -= table[mv.from().index()];
            self.now.squares += table[mv.to().index()];
        }
        if let Some(victim) = position.captured(mv) {
            self.now.squares -= SQUARES[victim.code()][mv.to().index()];
            self.now.phase -= WEIGHTS.phase[victim.kind().index()];
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(sum) = self.before.pop() {
            self.now = sum;
        }
    }

    fn evaluate(&self, (): &(), position: &Xiangqi) -> i32 {
        let mut sum = self.now.squares;
        sum += self.activity(position, Side::Red);
        sum -= self.activity(position, Side::Black);
        let phase = self.now.phase.min(FULL_PHASE);
        let red = (sum.middle() * phase + sum.end() * (FULL_PHASE - phase)) / FULL_PHASE;
        WEIGHTS.tempo + if position.side_to_move() == Side::Red { red } else { -red }
    }
}

impl XiangqiEval {
    /// Mobility and pressure of one side's attackers, and what the other king lacks against them.
    #[inline]
    fn activity(&self, position: &Xiangqi, us: Side) -> Pair {
        let them = us.other();
        let palace = self.palaces[them.index()];
        let mut sum = Pair::default();
        let (mut rooks, mut horses) = (0, 0);
        for square in position.pieces(us, PieceKind::Rook) {
            rooks += 1;
            let mobility = position.rook_mobility(square) as i32 - WEIGHTS.usual[0];
            sum += WEIGHTS.rook_mobility.times(mobility);
            let pressure = (position.rook_attacks(square) & palace).len();
            sum += WEIGHTS.rook_on_palace.times(pressure as i32);
        }
        for square in position.pieces(us, PieceKind::Horse) {
            horses += 1;
            let attacks = position.horse_attacks(square);
            sum += WEIGHTS.horse_mobility.times(attacks.len() as i32 - WEIGHTS.usual[1]);
            sum += WEIGHTS.horse_on_palace.times((attacks & palace).len() as i32);
        }
        let cannons = position.pieces(us, PieceKind::Cannon);
        if !cannons.is_empty() {
            sum += self.cannons(position, cannons, position.king(them));
        }
        let missing = |kind: PieceKind| 2 - position.pieces(them, kind).len() as i32;
        sum += WEIGHTS.bare_advisor.times(missing(PieceKind::Advisor) * (rooks + horses));
        sum += WEIGHTS.bare_elephant.times(missing(PieceKind::Elephant) * cannons.len() as i32);
        sum
    }

    #[inline]
    fn cannons(&self, position: &Xiangqi, cannons: SquareSet, king: Square) -> Pair {
        let mut sum = Pair::default();
        for square in cannons {
            let mobility = position.cannon_mobility(square) as i32 - WEIGHTS.usual[2];
            sum += WEIGHTS.cannon_mobility.times(mobility);
            if square.file() == king.file() {
                match pieces_between(position, square, king) {
                    0 => sum += WEIGHTS.hollow_cannon,
                    2 => sum += WEIGHTS.pinning_cannon,
                    _ => {}
                }
            }
        }
        sum
    }
}

/// The pieces strictly between two points of one file.
#[inline]
fn pieces_between(position: &Xiangqi, a: Square, b: Square) -> u32 {
    let (low, high) = if a < b { (a.index(), b.index()) } else { (b.index(), a.index()) };
    (low + 9..high)
        .step_by(9)
        .filter(|&index| {
            Square::new(index as u8).is_some_and(|square| position.piece_on(square).is_some())
        })
        .count() as u32
}
