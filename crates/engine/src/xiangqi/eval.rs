//! The evaluation of xiangqi: by a network if there is one, else the classical one, with squares and
//! numbers of pieces kept up move by move; mobility, king safety, formations and threats looked at afresh.

use super::activity::Attacks;
use super::masks;
use super::material::{Counts, FULL_SCALE};
use super::sink::{Part, Parts, Sink};
use super::weights::{XiangqiTables, XiangqiWeights};
use crate::taper::Pair;
use crate::value::MAX_PLY;
use crate::{Evaluate, Term};
use games::xiangqi::{Move, PieceKind, Side, Xiangqi};
use model::GameKind;
use net::{Accumulators, Network};
use std::sync::Arc;

/// What changes by moves alone, Red's view.
#[derive(Clone, Copy, Default)]
struct Sum {
    squares: Pair,
    balance: Pair,
    counts: Counts,
    phase: i32,
    /// How much of its lead each side keeps.
    scale: [i32; 2],
}

impl Sum {
    /// What follows from the numbers of pieces.
    fn recount(&mut self, tables: &XiangqiTables) {
        let weights = &tables.weights.balance;
        let mut sums = [Pair::default(); 2];
        for side in Side::ALL {
            weights.balance(self.counts, side, &mut sums[side.index()]);
            self.scale[side.index()] = weights.scale(self.counts, side);
        }
        self.balance = sums[0];
        self.balance -= sums[1];
    }

    /// Centipawns of a sum, Red's view.
    #[inline]
    fn taper(&self, tables: &XiangqiTables, sum: Pair, scale: i32) -> i32 {
        let full = tables.weights.balance.full_phase();
        let phase = self.phase.min(full);
        let value = sum.middle() * phase + sum.end() * (full - phase);
        if scale == FULL_SCALE { value / full } else { value * scale / (full * FULL_SCALE) }
    }

    /// The scale of the side that a sum favours.
    #[inline]
    fn scale_of(&self, tables: &XiangqiTables, sum: Pair) -> i32 {
        self.scale[usize::from(self.taper(tables, sum, FULL_SCALE) < 0)]
    }
}

/// The evaluation with its sums along the line: those of a network, or its own.
pub struct XiangqiEval {
    network: Option<Accumulators>,
    now: Sum,
    before: Vec<Sum>,
}

impl Default for XiangqiEval {
    fn default() -> Self {
        Self { network: None, now: Sum::default(), before: Vec::with_capacity(MAX_PLY + 1) }
    }
}

impl Evaluate<Xiangqi> for XiangqiEval {
    type Weights = XiangqiWeights;
    type Tables = XiangqiTables;

    fn tables(weights: &XiangqiWeights) -> XiangqiTables {
        XiangqiTables::new(weights)
    }

    fn attach(tables: &mut XiangqiTables, network: Option<Arc<Network>>) -> bool {
        let fits = |network: &Arc<Network>| network.architecture().game == GameKind::Xiangqi;
        let is_fit = network.as_ref().is_none_or(fits);
        if is_fit {
            tables.network = network;
        }
        is_fit
    }

    fn reset(&mut self, tables: &XiangqiTables, position: &Xiangqi) {
        // The sums of the same network are kept: what they were last is near to what they will be.
        let kept = self.network.take();
        self.network = tables.network.as_ref().map(|network| {
            let mut sums = match kept {
                Some(kept) if Arc::ptr_eq(kept.network(), network) => kept,
                _ => network.accumulators(),
            };
            sums.reset(position);
            sums
        });
        self.before.clear();
        self.now = Sum::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                self.now.squares += tables.squares[piece.code()][square.index()];
                self.now.phase += tables.weights.balance.phase(piece.kind());
                self.now.counts.put(piece);
            }
        }
        self.now.recount(tables);
    }

    #[inline]
    fn push(&mut self, tables: &XiangqiTables, position: &Xiangqi, mv: Option<Move>) {
        if let Some(sums) = &mut self.network {
            return sums.push(position, mv);
        }
        self.before.push(self.now);
        let Some(mv) = mv else { return };
        if let Some(piece) = position.moved(mv) {
            let table = &tables.squares[piece.code()];
            self.now.squares -= table[mv.from().index()];
            self.now.squares += table[mv.to().index()];
        }
        if let Some(victim) = position.captured(mv) {
            self.now.squares -= tables.squares[victim.code()][mv.to().index()];
            self.now.phase -= tables.weights.balance.phase(victim.kind());
            self.now.counts.take(victim);
            self.now.recount(tables);
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(sums) = &mut self.network {
            return sums.pop();
        }
        if let Some(sum) = self.before.pop() {
            self.now = sum;
        }
    }

    fn evaluate(&mut self, tables: &XiangqiTables, position: &Xiangqi) -> i32 {
        if let Some(sums) = &mut self.network {
            return scaled(tables, position, sums.evaluate(position));
        }
        let mut sides = [Pair::default(); 2];
        look(&tables.weights, position, &mut sides);
        let mut sum = self.now.squares;
        sum += self.now.balance;
        sum += sides[0];
        sum -= sides[1];
        let red = self.now.taper(tables, sum, self.now.scale_of(tables, sum));
        if position.side_to_move() == Side::Red { red } else { -red }
    }

    fn terms(&mut self, tables: &XiangqiTables, position: &Xiangqi) -> Vec<Term> {
        if self.network.is_some() {
            return vec![Term { name: "network", centipawns: self.evaluate(tables, position) }];
        }
        let weights = &tables.weights;
        let mut sides = [Parts::default(), Parts::default()];
        for square in position.occupied() {
            let Some(piece) = position.piece_on(square) else { continue };
            let sink = &mut sides[piece.side().index()];
            sink.add(Part::Material, weights.squares.material(piece.kind()), 1);
            let square = weights.squares.square(piece.side(), piece.kind(), square);
            sink.add(Part::Squares, square.unwrap_or_default(), 1);
        }
        for side in Side::ALL {
            weights.balance.balance(self.now.counts, side, &mut sides[side.index()]);
        }
        look(weights, position, &mut sides);
        let [red, black] = sides;
        let mut total = Pair::default();
        let parts = red.0.into_iter().zip(black.0).map(|(mut part, black)| {
            part -= black;
            total += part;
            part
        });
        let parts: Vec<Pair> = parts.collect();
        let scale = self.now.scale_of(tables, total);
        let sign = if position.side_to_move() == Side::Red { 1 } else { -1 };
        let term =
            |(name, part)| Term { name, centipawns: sign * self.now.taper(tables, part, scale) };
        Part::NAMES.into_iter().zip(parts).map(term).collect()
    }
}

/// The value of a network as the search takes it.
#[inline]
fn scaled(tables: &XiangqiTables, position: &Xiangqi, value: i32) -> i32 {
    let weights = &tables.weights.network;
    let kinds = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon];
    let attackers: u32 = kinds.into_iter().map(|kind| position.kind(kind).len()).sum();
    let factor = weights.net_scale + weights.net_attackers * attackers as i32;
    (i64::from(value) * i64::from(factor) / 1024) as i32
}

/// What is looked at afresh, into the account of each side.
#[inline(always)]
fn look<S: Sink>(weights: &XiangqiWeights, position: &Xiangqi, sides: &mut [S; 2]) {
    let mut attacks = [Attacks::default(); 2];
    for us in Side::ALL {
        let pawns = position.pieces(us, PieceKind::Pawn).bits();
        attacks[us.index()].pawns = masks::pawn_attacks(us, pawns);
    }
    for us in Side::ALL {
        let sink = &mut sides[us.index()];
        weights.activity.activity(position, us, &mut attacks, sink);
        let guards = &mut attacks[us.index()].guards;
        weights.formation.formation(position, us, guards, sink);
    }
    for us in Side::ALL {
        weights.formation.threats(position, us, &attacks, &mut sides[us.index()]);
    }
    sides[position.side_to_move().index()].add(Part::Tempo, weights.turn.tempo, 1);
}
