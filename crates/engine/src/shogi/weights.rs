//! The numbers of the shogi evaluation, in hundredths of a pawn on the board.

use games::shogi::{Move, PieceKind, Shogi, Side, Square};

/// Kinds in the order of `PieceKind::index`: pawn, lance, knight, silver, bishop, rook, gold, king,
/// then the promoted ones.
pub(super) const BOARD: [i32; 14] =
    [100, 260, 280, 420, 700, 850, 490, 0, 420, 430, 440, 470, 1000, 1150];

/// In hand a piece may go anywhere, which is worth a little.
pub(super) const HAND: [i32; 7] = [115, 290, 310, 450, 760, 930, 530];

/// What a piece counts in an exchange: half of what changing sides is worth, roughly.
pub(super) const EXCHANGE: [i32; 14] =
    [110, 280, 300, 440, 740, 900, 510, 10_000, 270, 350, 370, 460, 880, 1020];

pub(super) const TEMPO: i32 = 30;

/// For each piece by its distance from the other king, 1 to 8 steps of a king: golds and silvers, and
/// what moves as a gold, want to be near it.
pub(super) const ATTACKER: [i32; 9] = [0, 48, 34, 20, 10, 4, 0, -4, -8];
/// The same for the own king's defenders.
pub(super) const DEFENDER: [i32; 9] = [0, 36, 22, 8, 0, -4, -6, -8, -8];

/// For each square beside the other king that a side attacks: squared, over 4, once there are two.
pub(super) const KING_PRESSURE: i32 = 14;
/// Each piece in hand, with the other king under pressure, in percent more.
pub(super) const HAND_PRESSURE: i32 = 6;

/// For each square that a bishop, rook or lance reaches.
pub(super) const BISHOP_MOBILITY: i32 = 5;
pub(super) const ROOK_MOBILITY: i32 = 5;
pub(super) const LANCE_MOBILITY: i32 = 3;

/// A pawn for each rank that it has advanced.
pub(super) const PAWN_ADVANCE: i32 = 4;
/// The king for each rank that it has left its own camp.
pub(super) const KING_ADVANCE: i32 = -30;

/// What a capture wins: the piece is gone there and in hand here.
#[inline]
pub(super) fn capture_gain(kind: PieceKind) -> i32 {
    let in_hand = HAND.get(kind.unpromoted().index()).copied().unwrap_or(0);
    BOARD[kind.index()] + in_hand
}

/// What a promotion is worth at once.
#[inline]
pub(super) fn promotion_gain(position: &Shogi, mv: Move) -> i32 {
    let moved = position.moved(mv).filter(|_| mv.is_promotion()).map(|piece| piece.kind());
    let promoted = moved.and_then(|kind| Some((kind, kind.promoted()?)));
    promoted.map_or(0, |(kind, promoted)| BOARD[promoted.index()] - BOARD[kind.index()])
}

/// What a quiet move brings its piece nearer to the other king, and a promotion.
#[inline]
pub(super) fn progress(position: &Shogi, mv: Move) -> i32 {
    let king = position.king(position.side_to_move().other());
    let near = |square: Square| ATTACKER[distance(square, king)];
    let gain = match mv.from() {
        Some(from) => near(mv.to()) - near(from),
        None => near(mv.to()),
    };
    gain + promotion_gain(position, mv) / 2
}

/// Steps of a king.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> usize {
    a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank())).into()
}

/// Ranks from a side's own back rank, 0 to 8.
#[inline]
pub(super) fn height(side: Side, square: Square) -> i32 {
    let rank = i32::from(square.rank());
    if side == Side::Black { 8 - rank } else { rank }
}
