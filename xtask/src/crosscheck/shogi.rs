//! Shogi against `cshogi`, and against Fairy-Stockfish, which knows no impasse.

use games::shogi::{Move, PieceKind, Shogi, Square, attacks};
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

    /// To Fairy-Stockfish the drop of a pawn that mates is a legal move that loses the game.
    fn explain(&self, case: &Case<'_, Shogi>) -> Option<&'static str> {
        if *self != Self::Fairy || case.difference != Difference::Moves {
            return None;
        }
        let mate = pawn_drop_mate(case.position)?;
        let mut legal = MoveList::new();
        case.position.legal(&mut legal);
        let texts = legal.iter().chain(std::iter::once(&mate));
        let texts = texts.map(|&mv| self.move_text(case.position, mv)).collect();
        (checksum(texts) == case.theirs.moves).then_some("pawn-drop mate")
    }
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
