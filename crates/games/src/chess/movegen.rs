//! Legal moves, all of them or by kind.

use cozy_chess::{BitBoard, Piece, PieceMoves, Rank, Square, get_king_moves};

use super::{Chess, Move};
use crate::{MoveKind, MoveList};

/// Where pawns promote.
const LAST_RANKS: BitBoard = BitBoard(Rank::First.bitboard().0 | Rank::Eighth.bitboard().0);

impl Chess {
    /// Appends the legal moves of a kind.
    #[inline]
    pub(super) fn generate(&self, kind: MoveKind, moves: &mut MoveList<Move>) {
        let board = self.board();
        let theirs = board.colors(!board.side_to_move());
        match kind {
            MoveKind::All => {
                board.generate_moves(|of_piece| {
                    push(of_piece, of_piece.to, moves);
                    false
                });
            }
            MoveKind::Noisy => {
                // The king's moves cost most and are left out where it has nothing to take.
                let king = board.king(board.side_to_move());
                let idle = if get_king_moves(king).is_disjoint(theirs) {
                    king.bitboard()
                } else {
                    BitBoard::EMPTY
                };
                let noisy_for_pawns = self.noisy_for_pawns();
                board.generate_moves_for(!idle, |of_piece| {
                    let pawn = of_piece.piece == Piece::Pawn;
                    push(
                        of_piece,
                        of_piece.to & if pawn { noisy_for_pawns } else { theirs },
                        moves,
                    );
                    false
                });
            }
            MoveKind::Quiet => {
                let noisy_for_pawns = self.noisy_for_pawns();
                board.generate_moves(|of_piece| {
                    let pawn = of_piece.piece == Piece::Pawn;
                    push(
                        of_piece,
                        of_piece.to - if pawn { noisy_for_pawns } else { theirs },
                        moves,
                    );
                    false
                });
            }
        }
    }

    /// How many legal moves there are.
    #[inline]
    pub(super) fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.board().generate_moves(|of_piece| {
            count += of_piece.len() as u64;
            false
        });
        count
    }

    /// Whether there is a legal move.
    #[inline]
    pub(super) fn has_legal_move(&self) -> bool {
        self.board().generate_moves(|_| true)
    }

    /// Whether a move is legal, whatever its bits are.
    #[inline]
    pub(super) fn allows(&self, mv: Move) -> bool {
        self.board().is_legal(mv.to_cozy())
    }

    /// Where a pawn's move is noisy. Behind the pawn that has just stepped two squares stands none
    /// that could step quietly onto the en-passant square.
    #[inline]
    fn noisy_for_pawns(&self) -> BitBoard {
        let board = self.board();
        let mover = board.side_to_move();
        let behind = board.en_passant().map_or(BitBoard::EMPTY, |file| {
            Square::new(file, Rank::Sixth.relative_to(mover)).bitboard()
        });
        board.colors(!mover) | LAST_RANKS | behind
    }
}

/// Appends the moves of one piece onto `targets`.
#[inline(always)]
fn push(of_piece: PieceMoves, targets: BitBoard, moves: &mut MoveList<Move>) {
    let from = of_piece.from;
    if of_piece.piece != Piece::Pawn {
        for to in targets {
            moves.push(Move::new(from, to));
        }
        return;
    }
    for to in targets - LAST_RANKS {
        moves.push(Move::new(from, to));
    }
    for to in targets & LAST_RANKS {
        for piece in [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight] {
            moves.push(Move::promoting(from, to, piece));
        }
    }
}
