//! The shape of a network.

use crate::NetGame;
use crate::kernel::BLOCK;
use games::xiangqi::Xiangqi;
use model::GameKind;

/// Most neurons of a side.
pub const MOST_HIDDEN: u16 = 1024;

/// Most sets of output weights.
pub const MOST_BUCKETS: u8 = 16;

/// The shape of a network: `king_buckets × items → hidden` for each side, then `2 × hidden → 1` by one of
/// `output_buckets` sets of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The game that it looks at.
    pub game: GameKind,
    /// Sets of rows, by the place of the own king.
    pub king_buckets: u8,
    /// Neurons of a side: a multiple of 32, at most [`MOST_HIDDEN`].
    pub hidden: u16,
    /// Sets of output weights, by the number of pieces: 1 to [`MOST_BUCKETS`].
    pub output_buckets: u8,
}

/// A shape that no network has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: found {found}; allowed: {allowed}")]
pub struct ArchitectureError {
    /// The part.
    pub name: &'static str,
    /// What it is.
    pub found: String,
    /// What it may be.
    pub allowed: String,
}

impl Architecture {
    /// Whether there are networks of this shape.
    ///
    /// # Errors
    /// The first part that none has.
    pub fn check(&self) -> Result<(), ArchitectureError> {
        let wrong =
            |name, found: String, allowed: String| Err(ArchitectureError { name, found, allowed });
        let Some(buckets) = king_buckets(self.game) else {
            return wrong("game", self.game.to_string(), "xiangqi".to_owned());
        };
        if !buckets.contains(&self.king_buckets) {
            let allowed: Vec<_> = buckets.iter().map(u8::to_string).collect();
            return wrong("king_buckets", self.king_buckets.to_string(), allowed.join(", "));
        }
        let hidden = self.hidden;
        if hidden == 0 || hidden > MOST_HIDDEN || !usize::from(hidden).is_multiple_of(BLOCK) {
            let allowed = format!("a multiple of {BLOCK} from {BLOCK} to {MOST_HIDDEN}");
            return wrong("hidden", hidden.to_string(), allowed);
        }
        if !(1..=MOST_BUCKETS).contains(&self.output_buckets) {
            let found = self.output_buckets.to_string();
            return wrong("output_buckets", found, format!("1 to {MOST_BUCKETS}"));
        }
        Ok(())
    }

    /// Blocks of a side.
    #[must_use]
    pub fn blocks(&self) -> usize {
        usize::from(self.hidden) / BLOCK
    }

    /// Rows of the first layer.
    #[must_use]
    pub fn inputs(&self) -> usize {
        let items = match self.game {
            GameKind::Xiangqi => Xiangqi::ITEMS,
            GameKind::Chess | GameKind::Shogi | GameKind::Othello | GameKind::TicTacToe => 0,
        };
        items * usize::from(self.king_buckets)
    }

    /// The set of output weights for so many pieces.
    #[inline]
    #[must_use]
    pub fn output_bucket<G: NetGame>(&self, pieces: usize) -> usize {
        let (buckets, most) = (usize::from(self.output_buckets), G::MOST_PIECES);
        pieces.min(most).saturating_sub(1) * buckets / most
    }
}

/// The numbers of king buckets of a game's networks; `None` where there are no networks yet.
fn king_buckets(game: GameKind) -> Option<&'static [u8]> {
    match game {
        GameKind::Xiangqi => Some(Xiangqi::BUCKETS),
        GameKind::Chess | GameKind::Shogi | GameKind::Othello | GameKind::TicTacToe => None,
    }
}
