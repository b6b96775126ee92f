//! The position: what stands where, what is in hand, whose turn it is, and the way back.

use super::line::Line;
use super::zobrist::{hand_key, piece_key, white_to_move};
use super::{Hand, Move, Piece, PieceKind, Side, Square, SquareSet};

/// A position of shogi with the line of moves that led to it.
///
/// Two positions are equal when board, hands, side to move and move number are; the line is not
/// compared.
#[derive(Clone, Debug)]
pub struct Shogi {
    board: [Option<Piece>; Square::COUNT],
    /// By [`PieceKind::index`]; the last two are always empty.
    kinds: [SquareSet; 16],
    sides: [SquareSet; 2],
    hands: [Hand; 2],
    kings: [Square; 2],
    side: Side,
    pub(super) hash: u64,
    /// The enemies that attack the king of the side to move.
    pub(super) checkers: SquareSet,
    /// The pieces of the side to move that stand alone between their king and an enemy's slider.
    pub(super) pinned: SquareSet,
    /// With how many of its last moves in a row each side gave check; stops counting at the largest
    /// number.
    pub(super) checks: [u16; 2],
    /// The move number at the start of `line`.
    first_number: u32,
    pub(super) line: Line,
}

impl PartialEq for Shogi {
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
            && self.hands == other.hands
            && self.side == other.side
            && self.move_number() == other.move_number()
    }
}

impl Eq for Shogi {}

impl Shogi {
    /// A position of checked pieces: exactly one king for each side, every piece on a square from which
    /// it could move on, no more pieces than a set holds.
    pub(super) fn from_checked(
        pieces: &[(Square, Piece)],
        hands: [Hand; 2],
        side: Side,
        move_number: u32,
    ) -> Self {
        let mut position = Self {
            board: [None; Square::COUNT],
            kinds: [SquareSet::EMPTY; 16],
            sides: [SquareSet::EMPTY; 2],
            hands,
            kings: [Square::from_proven(0); 2],
            side,
            hash: if side == Side::White { white_to_move() } else { 0 },
            checkers: SquareSet::EMPTY,
            pinned: SquareSet::EMPTY,
            checks: [0; 2],
            first_number: move_number,
            line: Line::new(),
        };
        for &(square, piece) in pieces {
            position.board[square.index()] = Some(piece);
            position.toggle(square, piece);
            position.hash ^= piece_key(piece, square);
            if piece.kind() == PieceKind::King {
                position.kings[piece.side().index()] = square;
            }
        }
        for side in Side::ALL {
            for (kind, count) in hands[side.index()].pieces() {
                position.hash ^= hand_key(side, kind, count);
            }
        }
        position.look_at_king();
        position
    }

    /// The piece on a square.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// Where a side's pieces of a kind stand.
    #[inline]
    #[must_use]
    pub fn pieces(&self, side: Side, kind: PieceKind) -> SquareSet {
        self.sides[side.index()] & self.kinds[kind.index()]
    }

    /// Where the pieces of a kind of both sides stand.
    #[inline]
    #[must_use]
    pub fn kind(&self, kind: PieceKind) -> SquareSet {
        self.kinds[kind.index()]
    }

    /// Where the pieces of both sides stand that move as golds.
    #[inline]
    #[must_use]
    pub fn golds(&self) -> SquareSet {
        self.kind(PieceKind::Gold)
            | self.kind(PieceKind::ProPawn)
            | self.kind(PieceKind::ProLance)
            | self.kind(PieceKind::ProKnight)
            | self.kind(PieceKind::ProSilver)
    }

    /// Where a side's pieces stand.
    #[inline]
    #[must_use]
    pub fn side(&self, side: Side) -> SquareSet {
        self.sides[side.index()]
    }

    /// Every occupied square.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> SquareSet {
        self.sides[0] | self.sides[1]
    }

    /// What a side holds in hand.
    #[inline]
    #[must_use]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands[side.index()]
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Side {
        self.side
    }

    /// Where a side's king stands.
    #[inline]
    #[must_use]
    pub fn king(&self, side: Side) -> Square {
        self.kings[side.index()]
    }

    /// The enemies that give check to the side to move.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> SquareSet {
        self.checkers
    }

    /// The pieces of the side to move that may only move along a line with their king.
    #[inline]
    #[must_use]
    pub fn pinned(&self) -> SquareSet {
        self.pinned
    }

    /// The piece that a move would capture.
    #[inline]
    #[must_use]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        self.piece_on(mv.to())
    }

    /// The piece that a pseudo-legal move would move or drop, as it is before the move.
    #[inline]
    #[must_use]
    pub fn moved(&self, mv: Move) -> Option<Piece> {
        match mv.from() {
            Some(from) => self.piece_on(from),
            None => mv.dropped().map(|kind| Piece::new(self.side, kind)),
        }
    }

    /// The number of the next move, from 1; every half-move counts.
    #[must_use]
    pub fn move_number(&self) -> u32 {
        self.first_number.saturating_add(self.line.len() as u32)
    }

    /// The last move made, if it was no pass.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        self.line.last().map(|undo| undo.mv).filter(|&mv| mv != Move::default())
    }

    /// Looks at the king of the side to move after its turn has come.
    #[inline]
    fn look_at_king(&mut self) {
        (self.checkers, self.pinned) = self.king_state(self.side, self.occupied());
    }

    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let set = SquareSet::of(square);
        let kind = &mut self.kinds[piece.kind().index()];
        *kind = *kind ^ set;
        let side = &mut self.sides[piece.side().index()];
        *side = *side ^ set;
    }

    /// Changes a hand by one piece, and the hash with it.
    #[inline]
    fn count_in_hand(&mut self, kind: PieceKind, change: fn(&mut Hand, PieceKind)) {
        let hand = &mut self.hands[self.side.index()];
        let before = hand.count(kind);
        change(hand, kind);
        let after = hand.count(kind);
        self.hash ^= hand_key(self.side, kind, before) ^ hand_key(self.side, kind, after);
    }

    /// Moves or drops a piece, taking what stands on the target into the hand.
    #[inline]
    pub(super) fn apply(&mut self, mv: Move) {
        let us = self.side;
        let to = mv.to();
        let captured = self.board[to.index()];
        let king_state = (self.checkers, self.pinned);
        self.line.push(self.hash, king_state, self.checks, mv, captured);
        let arriving = match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                if let Some(victim) = captured {
                    self.toggle(to, victim);
                    self.hash ^= piece_key(victim, to);
                    self.count_in_hand(victim.kind().unpromoted(), Hand::add);
                }
                let piece = self.board[from.index()].expect("a legal move starts on a piece");
                self.board[from.index()] = None;
                self.toggle(from, piece);
                self.hash ^= piece_key(piece, from);
                match piece.kind().promoted() {
                    Some(kind) if mv.is_promotion() => Piece::new(us, kind),
                    _ => piece,
                }
            }
            (None, kind) => {
                let kind = kind.expect("a move without a start is a drop");
                self.count_in_hand(kind, Hand::take);
                Piece::new(us, kind)
            }
        };
        self.board[to.index()] = Some(arriving);
        self.toggle(to, arriving);
        self.hash ^= piece_key(arriving, to) ^ white_to_move();
        if arriving.kind() == PieceKind::King {
            self.kings[us.index()] = to;
        }
        self.side = us.other();
        self.look_at_king();
        let checks = &mut self.checks[us.index()];
        *checks = if self.checkers.is_empty() { 0 } else { checks.saturating_add(1) };
    }

    /// Gives the turn away.
    pub(super) fn pass(&mut self) {
        let king_state = (self.checkers, self.pinned);
        self.line.push(self.hash, king_state, self.checks, Move::default(), None);
        self.line.forget();
        self.hash ^= white_to_move();
        self.side = self.side.other();
        self.look_at_king();
    }

    /// Takes back the last move or pass; without one nothing happens.
    #[inline]
    pub(super) fn revert(&mut self) {
        let Some(undo) = self.line.pop() else { return };
        self.side = self.side.other();
        self.checkers = undo.checkers;
        self.pinned = undo.pinned;
        self.checks = undo.checks;
        if undo.mv != Move::default() {
            self.take_back(undo.mv, undo.captured);
        }
        self.hash = undo.hash;
    }

    #[inline]
    fn take_back(&mut self, mv: Move, captured: Option<Piece>) {
        let us = self.side;
        let to = mv.to();
        let arrived = self.board[to.index()].expect("the last move ended on a piece");
        self.toggle(to, arrived);
        self.board[to.index()] = captured;
        let Some(from) = mv.from() else {
            self.hands[us.index()].add(arrived.kind());
            return;
        };
        let piece = match arrived.kind().unpromoted() {
            kind if mv.is_promotion() => Piece::new(us, kind),
            _ => arrived,
        };
        self.board[from.index()] = Some(piece);
        self.toggle(from, piece);
        if piece.kind() == PieceKind::King {
            self.kings[us.index()] = from;
        }
        if let Some(victim) = captured {
            self.toggle(to, victim);
            self.hands[us.index()].take(victim.kind().unpromoted());
        }
    }
}
