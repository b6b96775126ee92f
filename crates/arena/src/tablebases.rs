//! Endings of chess that are known: Syzygy tables (R. de Man, 2013) of this machine.
//!
//! A table says what a position is worth with a fresh count of moves without progress. So a win is taken
//! from it only right after a capture or a move of a pawn, where that count is fresh; what is drawn then
//! is drawn whatever the count. Positions with rights to castle are in no table. One set of tables can be
//! open in a process.

use games::chess::{
    BitBoard, Chess, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use games::{Game, RuleWinner};
use pyrrhic_rs::{EngineAdapter, TBError, TableBases, WdlProbeResult};
use std::any::Any;
use std::path::Path;

/// The most men on the board of which there are tables.
pub const MOST_MEN: u32 = 7;

/// What divides the folders of a path.
#[cfg(not(windows))]
const DIVIDER: char = ':';
#[cfg(windows)]
const DIVIDER: char = ';';

/// Tables that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    /// A folder of the path is none.
    #[error("{folder}: no folder; allowed: folders with files *.rtbw, divided by `{DIVIDER}`")]
    NoFolder {
        /// Which.
        folder: String,
    },
    /// No table lies there.
    #[error("{path}: no tables there; allowed: folders with files *.rtbw, as KQvK.rtbw")]
    Empty {
        /// Where they were looked for.
        path: String,
    },
    /// They were opened before, or cannot be read.
    #[error("{path}: {found}; one set of tables can be open at a time")]
    Unusable {
        /// Where they are.
        path: String,
        /// What is wrong.
        found: String,
    },
}

/// What tables are to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablebaseSettings {
    /// Folders, divided as the system does it.
    pub path: String,
    /// Men on the board up to which they are asked; what there are tables of, if it does not say.
    pub men: Option<u32>,
    /// Whether wins count that the rule of fifty moves takes away.
    pub ignore_fifty: bool,
}

/// Open tables.
pub struct Tablebases {
    bases: TableBases<Attacks>,
    men: u32,
    complete: u32,
    ignore_fifty: bool,
}

impl std::fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tablebases").field("men", &self.men).finish_non_exhaustive()
    }
}

impl Tablebases {
    /// Opens what lies in these folders.
    ///
    /// # Errors
    /// A folder is none, there are no tables, or others are open.
    pub fn open(settings: &TablebaseSettings) -> Result<Self, TablebaseError> {
        let TablebaseSettings { path, men, ignore_fifty } = settings;
        let shown = || model::printable(path, 200);
        let folders: Vec<&str> = path.split(DIVIDER).collect();
        if let Some(folder) = folders.iter().find(|folder| !Path::new(folder).is_dir()) {
            return Err(TablebaseError::NoFolder { folder: model::printable(folder, 200) });
        }
        let has = |name: &str| {
            let (one, other) = name.split_once('v').unwrap_or((name, ""));
            [format!("{name}.rtbw"), format!("{other}v{one}.rtbw")]
                .iter()
                .any(|file| folders.iter().any(|folder| Path::new(folder).join(file).is_file()))
        };
        let has_all = |men: &u32| materials(*men).iter().all(|name| has(name));
        // The library keeps to itself for good once it was pointed at nothing.
        if !(3..=MOST_MEN).any(|men| materials(men).iter().any(|name| has(name))) {
            return Err(TablebaseError::Empty { path: shown() });
        }
        let bases = TableBases::new(path).map_err(|error| match error {
            TBError::BadPath => TablebaseError::Empty { path: shown() },
            TBError::AlreadyInitialized => {
                TablebaseError::Unusable { path: shown(), found: "tables are open".to_owned() }
            }
            error => TablebaseError::Unusable { path: shown(), found: format!("{error:?}") },
        })?;
        let most = bases.max_pieces();
        Ok(Self {
            men: men.map_or(most, |men| men.min(most)),
            complete: (3..=MOST_MEN).take_while(has_all).last().unwrap_or(0),
            ignore_fifty: *ignore_fifty,
            bases,
        })
    }

    /// Men on the board up to which they are asked.
    #[must_use]
    pub fn men(&self) -> u32 {
        self.men
    }

    /// Men on the board up to which no table is missing; 0 if one of three men is.
    #[must_use]
    pub fn complete_men(&self) -> u32 {
        self.complete
    }

    /// The same tables, asked up to so many men.
    #[must_use]
    pub fn up_to(&self, men: u32) -> Self {
        Self { bases: self.bases.clone(), men: men.min(self.men), ..*self }
    }

    /// What a position comes to that is not over by rule; `None` where no table says it.
    pub(crate) fn verdict<G: Game>(&self, position: &G) -> Option<RuleWinner> {
        let position = (position as &dyn Any).downcast_ref::<Chess>()?;
        let castles = |color: Color| {
            let rights = position.castle_rights(color);
            rights.short.is_some() || rights.long.is_some()
        };
        if position.occupied().len() > self.men || castles(Color::White) || castles(Color::Black) {
            return None;
        }
        let of = |piece: Piece| position.kind(piece).0;
        let probed = self.bases.probe_wdl(
            position.color(Color::White).0,
            position.color(Color::Black).0,
            of(Piece::King),
            of(Piece::Queen),
            of(Piece::Rook),
            of(Piece::Bishop),
            of(Piece::Knight),
            of(Piece::Pawn),
            position.en_passant().map_or(0, |square| square as u32),
            position.side_to_move() == Color::White,
        );
        let is_fresh = position.halfmove_clock() == 0 || self.ignore_fifty;
        match probed.ok()? {
            WdlProbeResult::Win => is_fresh.then_some(RuleWinner::SideToMove),
            WdlProbeResult::Loss => is_fresh.then_some(RuleWinner::Opponent),
            WdlProbeResult::CursedWin if self.ignore_fifty => Some(RuleWinner::SideToMove),
            WdlProbeResult::BlessedLoss if self.ignore_fifty => Some(RuleWinner::Opponent),
            WdlProbeResult::Draw | WdlProbeResult::CursedWin | WdlProbeResult::BlessedLoss => {
                Some(RuleWinner::Draw)
            }
        }
    }
}

/// The names of all tables of so many men, as `KRPvKN`: the stronger side first.
fn materials(men: u32) -> Vec<String> {
    const PIECES: &[u8] = b"QRBNP";
    fn sides(men: u32, from: usize) -> Vec<String> {
        if men == 0 {
            return vec![String::new()];
        }
        (from..PIECES.len())
            .flat_map(|place| {
                let rest = sides(men - 1, place);
                rest.into_iter().map(move |rest| format!("{}{rest}", char::from(PIECES[place])))
            })
            .collect()
    }
    let extra = men.saturating_sub(2);
    let mut names = Vec::new();
    for weaker in 0..=extra / 2 {
        let (strong, weak) = (sides(extra - weaker, 0), sides(weaker, 0));
        for (place, one) in strong.iter().enumerate() {
            // Of equal numbers each pair of sides stands once, the one with the better pieces first.
            let last = if extra - weaker == weaker { &weak[place..] } else { &weak[..] };
            names.extend(last.iter().map(|other| format!("K{one}vK{other}")));
        }
    }
    names
}

/// How the men attack, for the library.
#[derive(Clone)]
struct Attacks;

/// Squares count from a1 along the ranks, here as there.
fn at(square: u64) -> Square {
    Square::index(square as usize % 64)
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, square: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        get_pawn_attacks(at(square), color).0
    }

    fn knight_attacks(square: u64) -> u64 {
        get_knight_moves(at(square)).0
    }

    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        get_bishop_moves(at(square), BitBoard(occupied)).0
    }

    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        get_rook_moves(at(square), BitBoard(occupied)).0
    }

    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        Self::bishop_attacks(square, occupied) | Self::rook_attacks(square, occupied)
    }

    fn king_attacks(square: u64) -> u64 {
        get_king_moves(at(square)).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_tables_as_are_published() {
        let counts: Vec<usize> = (3..=6).map(|men| materials(men).len()).collect();
        assert_eq!(counts, [5, 30, 110, 365]);
        assert!(materials(4).contains(&"KBvKN".to_owned()));
        assert!(materials(5).contains(&"KRPvKN".to_owned()));
    }

    #[test]
    fn a_path_without_tables_is_named() {
        let open = |path: &str| {
            let path = path.to_owned();
            let settings = TablebaseSettings { path, men: None, ignore_fifty: false };
            Tablebases::open(&settings).expect_err("no tables").to_string()
        };
        assert!(open("/nobody/is/here").starts_with("/nobody/is/here: no folder"));
        let here = env!("CARGO_MANIFEST_DIR");
        assert!(open(here).contains("no tables there"), "{}", open(here));
    }
}
