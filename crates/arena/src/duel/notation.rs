//! How a program writes positions and moves, where it differs from the game's own texts.

use super::{Protocol, Ranks};
use games::{Game, MoveText};
use model::GameKind;

/// The writing of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notation {
    /// Xiangqi's ranks are counted from one.
    pub(super) one_based: bool,
    /// Moves in algebraic notation, as some of XBoard's programs want them.
    pub(super) algebraic: bool,
}

impl Notation {
    /// What a program of this name uses.
    pub(super) fn of(game: GameKind, protocol: Protocol, ranks: Ranks, name: &str) -> Self {
        let usual = || {
            let from_one = [Protocol::Uci, Protocol::Xboard].contains(&protocol);
            from_one && name.to_ascii_lowercase().contains("fairy-stockfish")
        };
        let one_based = game == GameKind::Xiangqi
            && match ranks {
                Ranks::Usual => usual(),
                Ranks::Zero => false,
                Ranks::One => true,
            };
        Self { one_based, algebraic: false }
    }

    /// A legal move as the program reads it.
    pub(super) fn write<G: MoveText>(self, position: &G, mv: G::Move) -> String {
        if self.algebraic {
            return position.write_move(mv);
        }
        let text = position.move_to_text(mv);
        if self.one_based { shifted(&text, 1).unwrap_or(text) } else { text }
    }

    /// The legal move that a program means; tolerant about the case of letters, which some confuse.
    pub(super) fn read<G: MoveText>(self, position: &G, text: &str) -> Option<G::Move> {
        match G::KIND {
            GameKind::Xiangqi => {
                let text = text.to_ascii_lowercase().replace('-', "");
                let text = if self.one_based { shifted(&text, -1)? } else { text };
                position.move_from_text(&text).ok()
            }
            GameKind::Chess => {
                let lower = text.to_ascii_lowercase();
                let plain = position.move_from_text(&lower).ok();
                plain.or_else(|| self.algebraic.then(|| position.read_move(text).ok()).flatten())
            }
            GameKind::Shogi | GameKind::Othello | GameKind::TicTacToe => {
                position.move_from_text(text).ok()
            }
        }
    }
}

/// `h2e2` with the number behind each letter made larger or smaller.
fn shifted(text: &str, by: i32) -> Option<String> {
    let mut out = String::with_capacity(6);
    let mut rest = text;
    for _ in 0..2 {
        let file = rest.chars().next().filter(char::is_ascii_lowercase)?;
        rest = &rest[1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let rank: i32 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        out.push(file);
        out.push_str(&rank.checked_add(by)?.to_string());
    }
    rest.is_empty().then_some(out)
}

/// The words of a `position` command up to the moves.
pub(super) fn position<G: Game>(protocol: Protocol, opening: &G) -> String {
    let fen = opening.to_fen();
    let is_start = fen == G::start().to_fen();
    match protocol {
        Protocol::Uci | Protocol::Xboard if is_start => "position startpos".to_owned(),
        Protocol::Usi if is_start => "position startpos".to_owned(),
        Protocol::Usi => format!("position sfen {fen}"),
        // UCCI knows `startpos` as an extension only.
        Protocol::Uci | Protocol::Ucci | Protocol::Xboard => format!("position fen {fen}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{chess::Chess, xiangqi::Xiangqi};

    #[test]
    fn ranks_are_counted_as_the_program_does() {
        let start = Xiangqi::start();
        let cannon = start.move_from_text("h2e2").expect("legal");
        let rook = start.move_from_text("a0a1").expect("legal");
        for (ranks, name, cannon_text, rook_text) in [
            (Ranks::Usual, "Pikafish 2024", "h2e2", "a0a1"),
            (Ranks::Usual, "Fairy-Stockfish 14", "h3e3", "a1a2"),
            (Ranks::Zero, "Fairy-Stockfish 14", "h2e2", "a0a1"),
            (Ranks::One, "somebody", "h3e3", "a1a2"),
        ] {
            let notation = Notation::of(GameKind::Xiangqi, Protocol::Uci, ranks, name);
            assert_eq!(notation.write(&start, cannon), cannon_text);
            assert_eq!(notation.read(&start, cannon_text), Some(cannon));
            assert_eq!(notation.read(&start, rook_text), Some(rook));
        }
        let text = "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1";
        let far = Xiangqi::from_fen(text).expect("a position");
        let notation = Notation::of(GameKind::Xiangqi, Protocol::Uci, Ranks::One, "");
        let long = far.move_from_text("a0a9").expect("legal");
        assert_eq!(notation.write(&far, long), "a1a10");
        assert_eq!(notation.read(&far, "a1a10"), Some(long));
        for text in ["", "a1", "a1a", "a1a99999999999", "将a1a2", "a1a2b", "a0a-1"] {
            assert_eq!(notation.read(&far, text), None, "{text}");
        }
        let usual =
            Notation::of(GameKind::Xiangqi, Protocol::Ucci, Ranks::Usual, "Fairy-Stockfish");
        assert_eq!(usual.read(&start, "H2-E2"), Some(cannon));
    }

    #[test]
    fn an_upper_case_promotion_is_understood_and_algebraic_only_where_it_was_agreed() {
        let position = Chess::from_fen("8/P3k3/8/8/8/8/8/4K3 w - - 0 1").expect("a position");
        let promotion = position.move_from_text("a7a8q").expect("legal");
        let plain = Notation::default();
        assert_eq!(plain.read(&position, "a7a8Q"), Some(promotion));
        assert_eq!(plain.read(&position, "a8=Q"), None);
        let algebraic = Notation { algebraic: true, ..plain };
        assert_eq!(algebraic.read(&position, "a8=Q"), Some(promotion));
        assert_eq!(algebraic.write(&position, promotion), "a8=Q");
    }
}
