//! The classical evaluation of chess: material and squares kept up move by move, the rest looked at
//! afresh, pawns remembered.

use super::board::{Attacks, BLACK, Board, PAWN, WHITE};
use super::pawns::PawnMemory;
use super::weights::{ChessTables, ChessWeights, FULL_PHASE, PHASE};
use super::{endings, king, passed, pieces, threats};
use crate::taper::Pair;
use crate::trace::{Parts, Trace, Unwatched};
use crate::value::MAX_PLY;
use crate::{Evaluate, Term};
use games::chess::{Chess, Color, File, Move, Piece, Square};

/// What changes by moves alone, White's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    squares: Pair,
    phase: i32,
}

impl Sum {
    fn fresh(tables: &ChessTables, position: &Chess) -> Self {
        let mut sum = Self::default();
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in position.pieces(color, piece) {
                    sum.squares += tables.squares[color as usize][piece as usize][square as usize];
                    sum.phase += PHASE[piece as usize];
                }
            }
        }
        sum
    }

    #[inline]
    fn made(mut self, tables: &ChessTables, position: &Chess, mv: Move) -> Self {
        let Some(moved) = position.moved(mv) else { return self };
        let us = position.side_to_move();
        let own = &tables.squares[us as usize];
        let mut shift = |piece: Piece, from: Square, to: Square| {
            self.squares -= own[piece as usize][from as usize];
            self.squares += own[piece as usize][to as usize];
        };
        if position.is_castling(mv) {
            let (king, rook) =
                if mv.to() > mv.from() { (File::G, File::F) } else { (File::C, File::D) };
            let rank = mv.from().rank();
            shift(Piece::King, mv.from(), Square::new(king, rank));
            shift(Piece::Rook, mv.to(), Square::new(rook, rank));
            return self;
        }
        shift(moved, mv.from(), mv.to());
        if let Some(victim) = position.captured(mv) {
            let from = if position.is_en_passant(mv) {
                Square::new(mv.to().file(), mv.from().rank())
            } else {
                mv.to()
            };
            self.squares -= tables.squares[!us as usize][victim as usize][from as usize];
            self.phase -= PHASE[victim as usize];
        }
        if let Some(promoted) = mv.promotion() {
            self.squares -= own[Piece::Pawn as usize][mv.to() as usize];
            self.squares += own[promoted as usize][mv.to() as usize];
            self.phase += PHASE[promoted as usize];
        }
        self
    }
}

/// How the two halves of a sum become one value.
struct Blend {
    phase: i32,
    /// The parts that hold, of [`endings::WHOLE`].
    scale: i32,
}

impl Blend {
    #[inline]
    fn of(&self, sum: Pair) -> i32 {
        let value = sum.middle() * self.phase + sum.end() * (FULL_PHASE - self.phase);
        value * self.scale / (FULL_PHASE * endings::WHOLE)
    }
}

/// The evaluation with its sums along the line.
pub struct ChessEval {
    now: Sum,
    before: Vec<Sum>,
    pawns: PawnMemory,
}

impl Default for ChessEval {
    fn default() -> Self {
        Self {
            now: Sum::default(),
            before: Vec::with_capacity(MAX_PLY + 1),
            pawns: PawnMemory::default(),
        }
    }
}

impl Evaluate<Chess> for ChessEval {
    type Weights = ChessWeights;
    type Tables = ChessTables;

    fn tables(weights: &ChessWeights) -> ChessTables {
        ChessTables::of(weights)
    }

    fn reset(&mut self, tables: &ChessTables, position: &Chess) {
        self.before.clear();
        self.pawns.clear();
        self.now = Sum::fresh(tables, position);
    }

    #[inline]
    fn push(&mut self, tables: &ChessTables, position: &Chess, mv: Option<Move>) {
        self.before.push(self.now);
        if let Some(mv) = mv {
            self.now = self.now.made(tables, position, mv);
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(sum) = self.before.pop() {
            self.now = sum;
        }
    }

    fn evaluate(&mut self, tables: &ChessTables, position: &Chess) -> i32 {
        let (sum, blend) = self.weigh(tables, position, &mut Unwatched);
        let value = blend.of(sum);
        if position.side_to_move() == Color::White { value } else { -value }
    }

    fn terms(&mut self, tables: &ChessTables, position: &Chess) -> Vec<Term> {
        let mut parts = Parts::default();
        let (_, blend) = self.weigh(tables, position, &mut parts);
        let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
        parts.terms(|sum| sign * blend.of(sum))
    }
}

impl ChessEval {
    /// The sum of everything, White's view, and what is to be done with it.
    #[inline]
    fn weigh<T: Trace>(
        &self,
        tables: &ChessTables,
        position: &Chess,
        trace: &mut T,
    ) -> (Pair, Blend) {
        let weights = &tables.weights;
        let board = Board::of(position);
        let whites_turn = position.side_to_move() == Color::White;
        let mut sum = Pair::default();
        let mut add = |name: &'static str, white: Pair, black: Pair| {
            let mut part = white;
            part -= black;
            sum += part;
            trace.part(name, part);
        };
        let none = Pair::default();
        add("material and squares", self.now.squares, none);
        let tempo = |turn: bool| if turn { weights.tempo } else { none };
        add("tempo", tempo(whites_turn), tempo(!whites_turn));
        let rights = |color: Color| {
            let rights = position.castle_rights(color);
            weights
                .castling
                .times(i32::from(rights.short.is_some()) + i32::from(rights.long.is_some()))
        };
        add("castling", rights(Color::White), rights(Color::Black));

        let pawns = self.pawns.look(weights, [WHITE, BLACK].map(|side| board.pieces[side][PAWN]));
        add("pawns", pawns.sum, none);

        let mut attacks = Attacks::default();
        pieces::begin::<WHITE>(&board, &mut attacks);
        pieces::begin::<BLACK>(&board, &mut attacks);
        let shields = [pieces::shields(&board, WHITE), pieces::shields(&board, BLACK)];
        let white = pieces::side::<WHITE>(weights, &board, &pawns, shields, &mut attacks);
        let black = pieces::side::<BLACK>(weights, &board, &pawns, shields, &mut attacks);
        add("mobility", white.0, black.0);
        add("pieces", white.1, black.1);

        let shelter =
            [king::shelter::<WHITE>(weights, &board), king::shelter::<BLACK>(weights, &board)];
        add("shelter", shelter[WHITE], shelter[BLACK]);
        let danger = |side: usize, pressure: &pieces::Pressure| {
            let (shields, shelter) = (shields[side], shelter[side]);
            if side == WHITE {
                king::danger::<WHITE>(weights, &board, &attacks, pressure, shields, shelter)
            } else {
                king::danger::<BLACK>(weights, &board, &attacks, pressure, shields, shelter)
            }
        };
        add("attack on the king", danger(WHITE, &black.2), danger(BLACK, &white.2));
        add(
            "threats",
            threats::side::<WHITE>(weights, &board, &attacks),
            threats::side::<BLACK>(weights, &board, &attacks),
        );
        let passed = pawns.passed;
        add(
            "passed pawns",
            passed::side::<WHITE>(weights, &board, &attacks, passed[WHITE], !whites_turn),
            passed::side::<BLACK>(weights, &board, &attacks, passed[BLACK], whites_turn),
        );
        add(
            "space",
            threats::space::<WHITE>(weights, &board, &attacks),
            threats::space::<BLACK>(weights, &board, &attacks),
        );
        let plan = endings::mop_up(weights, &board);
        add("mop-up", Pair::new(plan, plan), none);

        let phase = self.now.phase.min(FULL_PHASE);
        let strong = if (sum.end(), sum.middle()) >= (0, 0) { WHITE } else { BLACK };
        (sum, Blend { phase, scale: endings::scale(weights, &board, strong) })
    }
}
