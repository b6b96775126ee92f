//! Shogi against `cshogi`, and against Fairy-Stockfish, which knows no impasse.

use games::shogi::{Move, PieceKind, Shogi, Side, Square, attacks};
use games::{Game, MoveList};
use model::Termination;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

use super::opinion::{Difference, Outcome, checksum};
use super::subject::{Case, End, Subject, scatter};

/// The two notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// SFEN and USI, as `cshogi` and we have them.
    Usi,
    /// Files from the left as letters, ranks from below as numbers, hands in brackets; Black is White.
    Fairy,
}

/// Positions in which what is rare is near: the tests' for counts of moves.
static STARTS: LazyLock<Vec<Shogi>> = LazyLock::new(|| {
    let perft = include_str!("../../../crates/games/tests/data/perft_shogi.csv");
    let sfens = perft.lines().skip(1).filter_map(|line| line.split(',').next());
    sfens.filter_map(|sfen| Shogi::from_fen(sfen).ok()).collect()
});

impl Subject for Notation {
    type Position = Shogi;

    fn variant(&self) -> &'static str {
        "shogi"
    }

    /// The initial position, one of the tests', pieces scattered, or a king that has come through.
    fn start(&self, rng: &mut ChaCha8Rng) -> Shogi {
        let position = match rng.random_range(0..8) {
            0..4 => None,
            4..6 => STARTS.choose(rng).cloned(),
            6 => scattered(rng),
            _ => impasse(rng),
        };
        position.unwrap_or_else(Shogi::start)
    }

    fn fen(&self, position: &Shogi) -> String {
        let sfen = position.to_fen();
        if *self == Self::Usi {
            return sfen;
        }
        let fields: Vec<&str> = sfen.split(' ').collect();
        let [board, side, hands, number] = fields[..] else { return sfen };
        let mut pieces = String::new();
        let mut count = 0;
        for letter in hands.chars() {
            match letter.to_digit(10) {
                Some(digit) => count = 10 * count + digit as usize,
                None => {
                    pieces.extend(std::iter::repeat_n(letter, count.max(1)));
                    count = 0;
                }
            }
        }
        let side = if side == "b" { 'w' } else { 'b' };
        format!("{board}[{pieces}] {side} - - 0 {number}")
    }

    fn move_text(&self, position: &Shogi, mv: Move) -> String {
        let usi = position.move_to_text(mv);
        if *self == Self::Usi {
            return usi;
        }
        let is_drop = usi.contains('*');
        let place = |letter: char| match letter {
            '1'..='9' => char::from(b'a' + b'9' - letter as u8),
            'a'..='i' => char::from(b'1' + b'i' - letter as u8),
            '*' => '@',
            other => other,
        };
        let letters = usi.chars().enumerate();
        letters
            .map(|(at, letter)| if is_drop && at == 0 { letter } else { place(letter) })
            .collect()
    }

    fn end(&self, position: &Shogi) -> End {
        let result = position.result()?;
        match (self, result.reason) {
            (Self::Fairy, Termination::Impasse) if position.count_legal() > 0 => None,
            (Self::Fairy, Termination::Impasse) => Some((Outcome::Lost, Termination::NoMove)),
            _ => Some((Outcome::of(result.winner), result.reason)),
        }
    }

    fn explain(&self, case: &Case<'_, Shogi>) -> Option<&'static str> {
        match (self, case.difference) {
            (Self::Fairy, Difference::Moves) => {
                self.adds_a_mate(case.position, case.theirs.moves).then_some("pawn-drop mate")
            }
            (Self::Usi, Difference::Outcome) => {
                let (ours, reason) = case.ours.end?;
                let checker = match case.theirs.outcome? {
                    Outcome::Lost => case.position.side_to_move(),
                    Outcome::Won => case.position.side_to_move().other(),
                    _ => return None,
                };
                let is_drawn = (ours, reason) == (Outcome::Drawn, Termination::Repetition);
                let checked = is_drawn && checks_since_last_occurrence(case.position, checker);
                checked.then_some("checks in the last cycle alone")
            }
            _ => None,
        }
    }
}

impl Notation {
    /// Whether these are the legal moves and a pawn's drop that mates: to Fairy-Stockfish a legal move that
    /// loses the game.
    fn adds_a_mate(self, position: &Shogi, theirs: u32) -> bool {
        let Some(mate) = pawn_drop_mate(position) else { return false };
        let mut legal = MoveList::new();
        position.legal(&mut legal);
        let texts = legal.iter().chain(std::iter::once(&mate));
        checksum(texts.map(|&mv| self.move_text(position, mv)).collect()) == theirs
    }
}

/// Whether a side has given check with each move since the position stood last: `cshogi` looks no further
/// back, the rule asks for all moves since the first of the four occurrences.
fn checks_since_last_occurrence(position: &Shogi, checker: Side) -> bool {
    let mut walker = position.clone();
    while walker.plies_made() > 0 {
        if walker.side_to_move() != checker && !walker.in_check() {
            return false;
        }
        walker.unmake();
        if walker.hash() == position.hash() {
            return true;
        }
    }
    false
}

/// The drop of a pawn that would mate, which no rule allows.
fn pawn_drop_mate(position: &Shogi) -> Option<Move> {
    let side = position.side_to_move();
    let king = position.king(side.other());
    position.hand(side).count(PieceKind::Pawn).checked_sub(1)?;
    Square::all().filter_map(|square| Move::drop(PieceKind::Pawn, square)).find(|&drop| {
        let square = drop.to();
        if !position.is_pseudo_legal(drop) || position.is_legal(drop) {
            return false;
        }
        let mut after = position.clone();
        if !attacks(side, PieceKind::Pawn, square, position.occupied()).has(king) {
            return false;
        }
        after.make(drop);
        after.count_legal() == 0
    })
}

/// Kings and up to thirty pieces, on the board and in the hands.
fn scattered(rng: &mut ChaCha8Rng) -> Option<Shogi> {
    (0..50).find_map(|_| {
        let count = rng.random_range(0..=30);
        let (board, hands) = deal(count, 0.5, rng);
        let all: Vec<&str> =
            ["K", "k"].into_iter().chain(board.iter().map(String::as_str)).collect();
        let side = if rng.random_bool(0.5) { 'b' } else { 'w' };
        let board = scatter(&all, 9, 9, rng);
        Shogi::from_fen(&format!("{board} {side} {hands} 1")).ok()
    })
}

/// A position in which one king stands among many of its pieces in the enemy's camp.
fn impasse(rng: &mut ChaCha8Rng) -> Option<Shogi> {
    (0..50).find_map(|_| {
        let (camp, hands) = deal(rng.random_range(9..=26), 0.3, rng);
        let camp: Vec<String> = camp.iter().map(|piece| piece.to_uppercase()).collect();
        let near: Vec<&str> = std::iter::once("K").chain(camp.iter().map(String::as_str)).collect();
        let (top, middle, bottom) =
            (scatter(&near, 9, 3, rng), scatter(&[], 9, 3, rng), scatter(&["k"], 9, 3, rng));
        let side = if rng.random_bool(0.8) { 'b' } else { 'w' };
        let sfen = format!("{top}/{middle}/{bottom} {side} {hands} 1");
        let position = Shogi::from_fen(&sfen).ok()?;
        if rng.random_bool(0.5) { Some(position) } else { Shogi::from_fen(&turned(&sfen)).ok() }
    })
}

/// The same position with the sides changed.
fn turned(sfen: &str) -> String {
    let swap = |text: &str| -> String {
        let swap = |c: char| {
            if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
        };
        text.chars().map(swap).collect()
    };
    let fields: Vec<&str> = sfen.split(' ').collect();
    let rows: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let side = if fields[1] == "b" { "w" } else { "b" };
    let mut hands = swap(fields[2]);
    // Black's come first.
    let first = hands.find(|c: char| c.is_uppercase());
    if let Some(first) = first {
        let digits = hands[..first].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        hands = format!("{}{}", &hands[digits..], &hands[..digits]);
    }
    format!("{} {side} {hands} {}", rows.join("/"), fields[3])
}

/// Draws pieces of a full set: those for the board, with a share promoted, and the hands as SFEN.
fn deal(count: usize, in_hand: f64, rng: &mut ChaCha8Rng) -> (Vec<String>, String) {
    let set = [("P", 18), ("L", 4), ("N", 4), ("S", 4), ("G", 4), ("B", 2), ("R", 2)];
    let mut bag: Vec<&str> =
        set.iter().flat_map(|&(piece, count)| std::iter::repeat_n(piece, count)).collect();
    let mut board = Vec::new();
    let mut hands: Vec<String> = Vec::new();
    for _ in 0..count.min(bag.len()) {
        let piece = bag.swap_remove(rng.random_range(0..bag.len()));
        let piece = if rng.random_bool(0.5) { piece.to_lowercase() } else { piece.to_owned() };
        if rng.random_bool(in_hand) {
            hands.push(piece);
        } else if rng.random_bool(0.3) && !piece.eq_ignore_ascii_case("G") {
            board.push(format!("+{piece}"));
        } else {
            board.push(piece);
        }
    }
    // Black's first, each side's from the rook down.
    let order = "RBGSNLPrbgsnlp";
    let mut text = String::new();
    for letter in order.chars() {
        match hands.iter().filter(|piece| piece.starts_with(letter)).count() {
            0 => {}
            1 => text.push(letter),
            more => text.push_str(&format!("{more}{letter}")),
        }
    }
    let hands = if text.is_empty() { "-".into() } else { text };
    (board, hands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn fairy_notation_turns_the_board() {
        let position = Shogi::from_fen("4k4/9/9/9/9/9/9/9/4K4 w 2Pb3s 7").unwrap();
        assert_eq!(Notation::Usi.fen(&position), "4k4/9/9/9/9/9/9/9/4K4 w 2Pb3s 7");
        assert_eq!(Notation::Fairy.fen(&position), "4k4/9/9/9/9/9/9/9/4K4[PPbsss] b - - 0 7");
        for (usi, fairy) in [("5a4b", "e9f8"), ("S*1i", "S@i1"), ("B*9a", "B@a9")] {
            let mv = position.move_from_text(usi).unwrap();
            assert_eq!(Notation::Usi.move_text(&position, mv), usi);
            assert_eq!(Notation::Fairy.move_text(&position, mv), fairy);
        }
        let position = Shogi::from_fen("4k4/9/P8/9/9/9/9/9/4K4 b - 1").unwrap();
        let mv = position.move_from_text("9c9b+").unwrap();
        assert_eq!(Notation::Fairy.move_text(&position, mv), "a7a8+");
    }

    #[test]
    fn a_pawn_may_not_be_dropped_to_mate() {
        let sfen = "7nk/7n1/8S/9/9/9/9/9/4K4 b P 1";
        let position = Shogi::from_fen(sfen).unwrap();
        let mate = pawn_drop_mate(&position).map(|mv| position.move_to_text(mv));
        assert_eq!(mate.as_deref(), Some("P*1b"));
        // Here the king has a way out.
        let position = Shogi::from_fen("7nk/9/9/7N1/9/9/9/9/4K4 b P 1").unwrap();
        assert_eq!(pawn_drop_mate(&position), None);
    }

    #[test]
    fn checks_in_the_last_cycle_alone_lose_nothing() {
        let sfen = "7K1/9/9/9/9/9/k1gp3b1/9/3+s5 w 2Prsp 1";
        let mut position = Shogi::from_fen(sfen).unwrap();
        let line = "R*4i P*7d P*4d P*5d 4i4f 2a2b S*6e 2b3b 7g7f 3b2b 9g8f 2b1a 7f6f 7d7c 8f9g 1a1b \
            4d4e 1b2a 4f2f 2a1b 2g3f 1b1a 3f2g 1a1b 2g3f 1b1a 3f2g 1a1b 2f1f 1b2c 1f2f 2c1b";
        for text in line.split_whitespace() {
            position.make(position.move_from_text(text).unwrap());
        }
        assert_eq!(position.result().unwrap().reason, Termination::Repetition);
        let checker = position.side_to_move();
        assert!(checks_since_last_occurrence(&position, checker));
        assert!(!checks_since_last_occurrence(&position, checker.other()));
    }

    #[test]
    fn sides_are_changed_with_their_hands() {
        assert_eq!(
            turned("4k4/9/9/9/9/9/9/9/1R2K4 b RB2P3gn2p 5"),
            "1r2k4/9/9/9/9/9/9/9/4K4 w 3GN2Prb2p 5"
        );
        assert_eq!(turned("k8/9/9/9/9/9/9/9/K8 w - 1"), "k8/9/9/9/9/9/9/9/K8 b - 1");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let declared = (0..200).filter_map(|_| impasse(&mut rng));
        assert!(declared.filter(Shogi::can_declare_win).count() > 5);
    }
}
