//! The position: what stands where, whose turn it is, and the way back.

use super::rules::{CheckCounts, RuleSet};
use super::safety::Safety;
use super::zobrist::{self, BLACK_TO_MOVE};
use super::{Move, Piece, PieceKind, Side, Square, SquareSet, tables};

/// A position of xiangqi with the line of moves that led to it.
///
/// Two positions are equal when board, side to move, rule set and both counters are; the line is not
/// compared.
#[derive(Clone, Debug)]
pub struct Xiangqi {
    board: [Option<Piece>; Square::COUNT],
    kinds: [SquareSet; 7],
    sides: [SquareSet; 2],
    /// The occupancy of each file, bit = rank: what `FILE_LINE` is indexed by.
    files: [u16; 9],
    kings: [Square; 2],
    side: Side,
    pub(super) hash: u64,
    /// That of the king of the side to move.
    pub(super) safety: Safety,
    pub(super) rules: RuleSet,
    /// Plies since the last capture that count towards the move limit; it stays there once reached.
    pub(super) quiet_plies: u8,
    pub(super) checks: CheckCounts,
    /// Plies since the last capture or pass: the horizon of repetitions.
    pub(super) reversible_plies: u16,
    /// The full-move number at the start of `history`, times two, plus one for Black.
    first_half_move: u32,
    pub(super) history: Vec<Undo>,
}

/// What a move destroys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// The hash before the move.
    pub(super) hash: u64,
    /// The default move for a pass.
    mv: Move,
    captured: Option<Piece>,
    pub(super) safety: Safety,
    quiet_plies: u8,
    checks: CheckCounts,
    reversible_plies: u16,
}

impl PartialEq for Xiangqi {
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
            && self.side == other.side
            && self.rules == other.rules
            && self.quiet_plies == other.quiet_plies
            && self.full_move() == other.full_move()
    }
}

impl Eq for Xiangqi {}

impl Xiangqi {
    /// A position of checked pieces: exactly one king for each side, every piece on a point where it
    /// may stand.
    pub(super) fn from_checked(
        pieces: &[(Square, Piece)],
        side: Side,
        quiet_plies: u8,
        full_move: u32,
    ) -> Self {
        let mut position = Self {
            board: [None; Square::COUNT],
            kinds: [SquareSet::EMPTY; 7],
            sides: [SquareSet::EMPTY; 2],
            files: [0; 9],
            kings: [Square::from_proven(0); 2],
            side,
            hash: if side == Side::Black { BLACK_TO_MOVE } else { 0 },
            safety: Safety::FREE,
            rules: RuleSet::default(),
            quiet_plies,
            checks: CheckCounts::default(),
            reversible_plies: 0,
            first_half_move: 2 * full_move + side.index() as u32,
            history: Vec::new(),
        };
        for &(square, piece) in pieces {
            position.put(square, piece);
            position.hash ^= zobrist::piece_key(piece, square);
            if piece.kind() == PieceKind::King {
                position.kings[piece.side().index()] = square;
            }
        }
        position.safety = position.look_at_king();
        position
    }

    /// The piece on a point.
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

    /// Where a side's pieces stand.
    #[inline]
    #[must_use]
    pub fn side(&self, side: Side) -> SquareSet {
        self.sides[side.index()]
    }

    /// Every occupied point.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> SquareSet {
        self.sides[0] | self.sides[1]
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

    /// The piece that a move would capture.
    #[inline]
    #[must_use]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        self.piece_on(mv.to())
    }

    /// The piece that a move would move.
    #[inline]
    #[must_use]
    pub fn moved(&self, mv: Move) -> Option<Piece> {
        self.piece_on(mv.from())
    }

    /// Plies since the last capture that count towards the move limit by the rule set of this
    /// position, at most 120: that many are a draw.
    #[inline]
    #[must_use]
    pub fn quiet_plies(&self) -> u16 {
        self.quiet_plies.into()
    }

    /// The number of the full move, from 1, one more after each of Black's turns.
    #[must_use]
    pub fn full_move(&self) -> u32 {
        (self.first_half_move + self.history.len() as u32) / 2
    }

    /// The last move made, if it was no pass.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        self.history.last().map(|undo| undo.mv).filter(|&mv| mv != Move::default())
    }

    /// The same position with no more than the last `plies` half-moves of its line, so that taking
    /// back some of them on a copy costs no more than these.
    pub(super) fn with_last_plies(&self, plies: usize) -> Self {
        let history = self.history[self.history.len().saturating_sub(plies)..].to_vec();
        Self { history, ..*self }
    }

    /// Plays the whole line again from its beginning, by another rule set.
    pub(super) fn replay_by(&mut self, rules: RuleSet) {
        let line: Vec<Move> = self.history.iter().map(|undo| undo.mv).collect();
        line.iter().for_each(|_| self.revert());
        self.rules = rules;
        for mv in line {
            if mv == Move::default() { self.pass() } else { self.apply(mv) }
        }
    }

    /// The occupancy of a square's rank, bit = file.
    #[inline]
    pub(super) fn rank_occupancy(&self, square: Square) -> u16 {
        (self.occupied().0 >> (9 * square.rank())) as u16 & 0x1ff
    }

    /// The occupancy of a square's file, bit = rank.
    #[inline]
    pub(super) fn file_occupancy(&self, square: Square) -> u16 {
        self.files[square.file() as usize]
    }

    #[inline]
    fn put(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = Some(piece);
        self.toggle(tables::POINT[square.index()], piece);
        self.files[square.file() as usize] |= 1 << square.rank();
    }

    /// Puts or takes away a piece of this kind and side on each of some points.
    #[inline]
    fn toggle(&mut self, points: u128, piece: Piece) {
        self.kinds[piece.kind().index()].0 ^= points;
        self.sides[piece.side().index()].0 ^= points;
    }

    /// The hash once a piece has made a move.
    #[inline]
    pub(super) fn hash_after_taking(&self, piece: Piece, victim: Option<Piece>, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let moved = zobrist::piece_key(piece, from) ^ zobrist::piece_key(piece, to);
        let taken = victim.map_or(0, |victim| zobrist::piece_key(victim, to));
        self.hash ^ moved ^ taken ^ BLACK_TO_MOVE
    }

    /// Moves a piece, taking away what stands on the target.
    #[inline]
    pub(super) fn apply(&mut self, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.board[from.index()].expect("a legal move starts on a piece");
        let captured = self.board[to.index()];
        let answers_check = self.safety.in_check;
        self.history.push(Undo {
            hash: self.hash,
            mv,
            captured,
            safety: self.safety,
            quiet_plies: self.quiet_plies,
            checks: self.checks,
            reversible_plies: self.reversible_plies,
        });
        self.hash = self.hash_after_taking(piece, captured, mv);
        if let Some(victim) = captured {
            self.toggle(tables::POINT[to.index()], victim);
            self.quiet_plies = 0;
            self.checks = CheckCounts::default();
            self.reversible_plies = 0;
        } else {
            self.reversible_plies = self.reversible_plies.saturating_add(1);
        }
        self.board[from.index()] = None;
        self.board[to.index()] = Some(piece);
        self.toggle(tables::POINT[from.index()] | tables::POINT[to.index()], piece);
        self.files[from.file() as usize] ^= 1 << from.rank();
        self.files[to.file() as usize] |= 1 << to.rank();
        if piece.kind() == PieceKind::King {
            self.kings[piece.side().index()] = to;
        }
        self.side = self.side.other();
        self.safety = self.look_at_king();
        if captured.is_none() {
            self.count_quiet_ply(answers_check);
        }
    }

    /// Gives the turn away.
    pub(super) fn pass(&mut self) {
        self.history.push(Undo {
            hash: self.hash,
            mv: Move::default(),
            captured: None,
            safety: self.safety,
            quiet_plies: self.quiet_plies,
            checks: self.checks,
            reversible_plies: self.reversible_plies,
        });
        self.reversible_plies = 0;
        self.hash ^= BLACK_TO_MOVE;
        self.side = self.side.other();
        self.safety = self.look_at_king();
    }

    /// Takes back the last move or pass; without one nothing happens.
    #[inline]
    pub(super) fn revert(&mut self) {
        let Some(undo) = self.history.pop() else { return };
        self.side = self.side.other();
        self.hash = undo.hash;
        self.safety = undo.safety;
        self.quiet_plies = undo.quiet_plies;
        self.checks = undo.checks;
        self.reversible_plies = undo.reversible_plies;
        let (from, to) = (undo.mv.from(), undo.mv.to());
        if from == to {
            return;
        }
        let piece = self.board[to.index()].expect("the last move ended on a piece");
        self.board[from.index()] = Some(piece);
        self.board[to.index()] = undo.captured;
        self.toggle(tables::POINT[from.index()] | tables::POINT[to.index()], piece);
        match undo.captured {
            Some(victim) => self.toggle(tables::POINT[to.index()], victim),
            None => self.files[to.file() as usize] ^= 1 << to.rank(),
        }
        self.files[from.file() as usize] |= 1 << from.rank();
        if piece.kind() == PieceKind::King {
            self.kings[piece.side().index()] = from;
        }
    }
}
