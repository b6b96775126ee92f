//! Moves, generated, counted and recognised.
//!
//! One walk over the pieces serves all: it hands groups of moves to a [`Receiver`], which lists or counts
//! them. In check the walk leaves out at once what does not answer the check, because a hand full of
//! pieces would otherwise yield hundreds of drops in vain.

use super::tables::{self, CAMP, GOLD, KING, KNIGHT, LAST_RANK, LAST_TWO_RANKS, PAWN, SILVER};
use super::{Move, PieceKind, Shogi, Side, Square, SquareSet, attacks};
use crate::{MoveKind, MoveList};

/// Takes groups of moves.
trait Receiver {
    /// Moves from a square without promotion.
    fn stay(&mut self, from: Square, to: SquareSet);
    /// Moves from a square with promotion.
    fn promote(&mut self, from: Square, to: SquareSet);
    /// Steps of pawns of a side to these squares, without promotion.
    fn pawns_stay(&mut self, side: Side, to: SquareSet);
    /// Steps of pawns of a side to these squares, with promotion.
    fn pawns_promote(&mut self, side: Side, to: SquareSet);
    /// Drops of one kind.
    fn drops(&mut self, kind: PieceKind, to: SquareSet);
    /// Drops of several kinds on the same squares.
    fn drops_of_all(&mut self, kinds: impl Iterator<Item = PieceKind>, to: SquareSet);
}

impl Receiver for MoveList<Move> {
    #[inline]
    fn stay(&mut self, from: Square, to: SquareSet) {
        to.each(|to| self.push(Move::new(from, to)));
    }

    #[inline]
    fn promote(&mut self, from: Square, to: SquareSet) {
        to.each(|to| self.push(Move::promoting(from, to)));
    }

    #[inline]
    fn pawns_stay(&mut self, side: Side, to: SquareSet) {
        to.each(|to| self.push(Move::new(pawn_origin(side, to), to)));
    }

    #[inline]
    fn pawns_promote(&mut self, side: Side, to: SquareSet) {
        to.each(|to| self.push(Move::promoting(pawn_origin(side, to), to)));
    }

    #[inline]
    fn drops(&mut self, kind: PieceKind, to: SquareSet) {
        to.each(|to| self.push(Move::drop_proven(kind, to)));
    }

    #[inline]
    fn drops_of_all(&mut self, kinds: impl Iterator<Item = PieceKind>, to: SquareSet) {
        for kind in kinds {
            self.drops(kind, to);
        }
    }
}

/// Only how many.
struct Count(u64);

impl Count {
    #[inline]
    fn add(&mut self, to: SquareSet) {
        self.0 += u64::from(to.len());
    }
}

impl Receiver for Count {
    #[inline]
    fn stay(&mut self, _: Square, to: SquareSet) {
        self.add(to);
    }

    #[inline]
    fn promote(&mut self, _: Square, to: SquareSet) {
        if !to.is_empty() {
            self.add(to);
        }
    }

    #[inline]
    fn pawns_stay(&mut self, _: Side, to: SquareSet) {
        self.add(to);
    }

    #[inline]
    fn pawns_promote(&mut self, _: Side, to: SquareSet) {
        if !to.is_empty() {
            self.add(to);
        }
    }

    #[inline]
    fn drops(&mut self, _: PieceKind, to: SquareSet) {
        self.add(to);
    }

    #[inline]
    fn drops_of_all(&mut self, kinds: impl Iterator<Item = PieceKind>, to: SquareSet) {
        self.0 += u64::from(to.len()) * kinds.count() as u64;
    }
}

/// The square before which a pawn of a side stood that has stepped to a square.
#[inline]
fn pawn_origin(side: Side, to: Square) -> Square {
    match side {
        Side::Black => Square::from_proven(to.index() as u8 + 1),
        Side::White => Square::from_proven(to.index() as u8 - 1),
    }
}

/// Where a side's pawns step to; none of them stands on the last rank.
#[inline]
fn pawn_steps(side: Side, pawns: SquareSet) -> SquareSet {
    match side {
        Side::Black => SquareSet(pawns.0 >> 1),
        Side::White => SquareSet(pawns.0 << 1),
    }
}

/// Where pieces may go, by what they do there.
struct Targets {
    /// Without promotion; promotions of lances, knights and silvers, too.
    stay: SquareSet,
    /// With promotion, for pawns, bishops and rooks.
    promote: SquareSet,
    drops: SquareSet,
}

impl Shogi {
    /// Appends the pseudo-legal moves of a kind.
    pub(super) fn generate(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        self.walk::<false>(kind, moves);
    }

    /// Appends the legal moves, in the same order.
    pub(super) fn generate_legal(&self, moves: &mut MoveList<Move>) {
        self.walk::<true>(MoveKind::All, moves);
    }

    /// How many legal moves there are.
    pub(super) fn count(&self) -> u64 {
        let mut count = Count(0);
        self.walk::<true>(MoveKind::All, &mut count);
        count.0
    }

    /// Where a move of another piece than the king may end, as far as a check is concerned.
    #[inline]
    fn answers(&self) -> SquareSet {
        match self.checkers.first() {
            None => SquareSet::ALL,
            Some(_) if self.checkers.is_several() => SquareSet::EMPTY,
            Some(checker) => {
                self.checkers | tables::between(self.king(self.side_to_move()), checker)
            }
        }
    }

    #[inline]
    fn targets(&self, kind: MoveKind) -> Targets {
        let us = self.side_to_move();
        let unowned = SquareSet::ALL.without(self.side(us));
        let enemies = self.side(us.other());
        let empty = unowned.without(enemies);
        match kind {
            MoveKind::All => Targets { stay: unowned, promote: unowned, drops: empty },
            MoveKind::Noisy => Targets { stay: enemies, promote: unowned, drops: SquareSet::EMPTY },
            MoveKind::Quiet => Targets { stay: empty, promote: SquareSet::EMPTY, drops: empty },
        }
    }

    /// Walks over the moves of a kind: the legal ones, or the pseudo-legal ones.
    #[inline]
    fn walk<const LEGAL: bool>(&self, kind: MoveKind, out: &mut impl Receiver) {
        let us = self.side_to_move();
        let king = self.king(us);
        let Targets { stay, promote, drops } = self.targets(kind);
        let mut steps = KING[king.index()] & stay;
        if LEGAL {
            steps.each(|to| {
                if !self.is_safe_for_king(to) {
                    steps = steps ^ SquareSet::of(to);
                }
            });
        }
        out.stay(king, steps);
        let answers = self.answers();
        if !answers.is_empty() {
            let targets = Targets {
                stay: stay & answers,
                promote: promote & answers,
                drops: drops & answers,
            };
            self.walk_board::<LEGAL>(&targets, out);
            if !targets.drops.is_empty() {
                self.walk_hand::<LEGAL>(targets.drops, out);
            }
        }
    }

    /// The moves of all pieces on the board but the king.
    #[inline]
    fn walk_board<const LEGAL: bool>(&self, targets: &Targets, out: &mut impl Receiver) {
        let us = self.side_to_move();
        let side = us.index();
        let own = self.side(us);
        let king = self.king(us);
        let occupied = self.occupied();
        let (camp, last, last_two) = (CAMP[side], LAST_RANK[side], LAST_TWO_RANKS[side]);
        // Of pinned pieces, pawns and lances move only when pinned along their file, knights never.
        let pinned = if LEGAL { self.pinned } else { SquareSet::EMPTY };
        let stuck = pinned.without(tables::LINES[king.index()].file);
        let bound = |from, reach: SquareSet| {
            if pinned.has(from) { reach & tables::ray_through(king, from) } else { reach }
        };
        let promoting = |from, reach: SquareSet| {
            if camp.has(from) { reach } else { reach & camp }
        };

        let pawns = pawn_steps(us, (own & self.kind(PieceKind::Pawn)).without(stuck));
        out.pawns_promote(us, pawns & targets.promote & camp);
        out.pawns_stay(us, (pawns & targets.stay).without(last));
        (own & self.kind(PieceKind::Lance)).without(stuck).each(|from| {
            let reach = attacks::lance_attacks(us, from, occupied) & targets.stay;
            out.promote(from, reach & camp);
            out.stay(from, reach.without(last));
        });
        (own & self.kind(PieceKind::Knight)).without(pinned).each(|from| {
            let reach = KNIGHT[side][from.index()] & targets.stay;
            out.promote(from, reach & camp);
            out.stay(from, reach.without(last_two));
        });
        (own & self.kind(PieceKind::Silver)).each(|from| {
            let reach = bound(from, SILVER[side][from.index()] & targets.stay);
            out.promote(from, promoting(from, reach));
            out.stay(from, reach);
        });
        (own & self.golds()).each(|from| {
            out.stay(from, bound(from, GOLD[side][from.index()] & targets.stay));
        });
        (own & self.kind(PieceKind::Bishop)).each(|from| {
            let reach = bound(from, attacks::bishop_attacks(from, occupied));
            out.promote(from, promoting(from, reach & targets.promote));
            out.stay(from, reach & targets.stay);
        });
        (own & self.kind(PieceKind::Rook)).each(|from| {
            let reach = bound(from, attacks::rook_attacks(from, occupied));
            out.promote(from, promoting(from, reach & targets.promote));
            out.stay(from, reach & targets.stay);
        });
        (own & self.kind(PieceKind::Horse)).each(|from| {
            let reach = attacks::bishop_attacks(from, occupied) | KING[from.index()];
            out.stay(from, bound(from, reach & targets.stay));
        });
        (own & self.kind(PieceKind::Dragon)).each(|from| {
            let reach = attacks::rook_attacks(from, occupied) | KING[from.index()];
            out.stay(from, bound(from, reach & targets.stay));
        });
    }

    /// The drops on some of the empty squares.
    #[inline]
    fn walk_hand<const LEGAL: bool>(&self, to: SquareSet, out: &mut impl Receiver) {
        let us = self.side_to_move();
        let hand = self.hand(us);
        if hand.is_empty() {
            return;
        }
        let side = us.index();
        if hand.count(PieceKind::Pawn) > 0 {
            let mut to = self.pawn_drops() & to;
            if LEGAL {
                // A dropped pawn gives check from the one square that the king's own pawn would attack.
                let them = us.other();
                let before_king = PAWN[them.index()][self.king(them).index()] & to;
                if before_king.any(|square| self.mates_by_pawn(square)) {
                    to = to.without(before_king);
                }
            }
            out.drops(PieceKind::Pawn, to);
        }
        if hand.count(PieceKind::Lance) > 0 {
            out.drops(PieceKind::Lance, to.without(LAST_RANK[side]));
        }
        if hand.count(PieceKind::Knight) > 0 {
            out.drops(PieceKind::Knight, to.without(LAST_TWO_RANKS[side]));
        }
        let anywhere = [PieceKind::Silver, PieceKind::Bishop, PieceKind::Rook, PieceKind::Gold];
        out.drops_of_all(anywhere.into_iter().filter(|&kind| hand.count(kind) > 0), to);
    }

    /// Where the two-pawns rule (nifu) and the last rank allow a dropped pawn of the side to move, empty
    /// or not.
    #[inline]
    fn pawn_drops(&self) -> SquareSet {
        let us = self.side_to_move();
        tables::files_without(self.pieces(us, PieceKind::Pawn)).without(LAST_RANK[us.index()])
    }

    /// Where a dropped piece of a kind could move on, and a pawn is the only one of its file.
    fn may_be_dropped(&self, kind: PieceKind) -> SquareSet {
        let us = self.side_to_move();
        match kind {
            PieceKind::Pawn => self.pawn_drops(),
            _ => must_promote(us, kind).map_or(SquareSet::ALL, |last| SquareSet::ALL.without(last)),
        }
    }

    /// Whether [`Shogi::generate`] yields this move.
    pub(super) fn yields(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let to = mv.to();
        let Some(from) = mv.from() else {
            return mv.dropped().is_some_and(|kind| {
                let squares = self.may_be_dropped(kind).without(self.occupied()) & self.answers();
                self.hand(us).count(kind) > 0 && squares.has(to)
            });
        };
        let Some(piece) = self.piece_on(from).filter(|piece| piece.side() == us) else {
            return false;
        };
        let kind = piece.kind();
        let fits = if mv.is_promotion() {
            let camp = CAMP[us.index()];
            kind.promoted().is_some() && (camp.has(from) || camp.has(to))
        } else {
            must_promote(us, kind).is_none_or(|last| !last.has(to))
        };
        fits && !self.side(us).has(to)
            && self.attacks_from(from).has(to)
            && (kind == PieceKind::King || self.answers().has(to))
    }

    /// Whether a pseudo-legal move is a capture, or promotes a pawn, a bishop or a rook.
    #[inline]
    pub(super) fn changes_material(&self, mv: Move) -> bool {
        if self.piece_on(mv.to()).is_some() {
            return true;
        }
        mv.is_promotion()
            && self.moved(mv).is_some_and(|piece| {
                matches!(piece.kind(), PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook)
            })
    }
}

/// The squares on which a side's piece of a kind could never move again.
#[inline]
pub(super) fn must_promote(side: Side, kind: PieceKind) -> Option<SquareSet> {
    match kind {
        PieceKind::Pawn | PieceKind::Lance => Some(LAST_RANK[side.index()]),
        PieceKind::Knight => Some(LAST_TWO_RANKS[side.index()]),
        _ => None,
    }
}
