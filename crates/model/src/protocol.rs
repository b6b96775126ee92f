//! The languages in which programs are spoken to.

use crate::GameKind;

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chess Interface: chess, xiangqi and whatever `UCI_Variant` names.
    Uci,
    /// Universal Chinese Chess Interface.
    Ucci,
    /// Universal Shogi Interface.
    Usi,
    /// Chess Engine Communication Protocol, version 2, of XBoard.
    Xboard,
}

impl Protocol {
    /// Every language with its name in options and files.
    pub const ALL: [(Protocol, &'static str); 4] = [
        (Protocol::Uci, "uci"),
        (Protocol::Ucci, "ucci"),
        (Protocol::Usi, "usi"),
        (Protocol::Xboard, "xboard"),
    ];

    /// `uci`, `ucci`, `usi` or `xboard`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }

    /// The language of a name; XBoard's is also known as `cecp` and `winboard`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if ["cecp", "winboard"].contains(&name) {
            return Some(Protocol::Xboard);
        }
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(protocol, _)| protocol)
    }

    /// What a game's programs mostly speak.
    #[must_use]
    pub fn usual(game: GameKind) -> Self {
        match game {
            GameKind::Shogi => Protocol::Usi,
            _ => Protocol::Uci,
        }
    }
}
