//! Claims that need the inside of a position: make and unmake, hash, legality, generators.

use proptest::prelude::*;

use super::rules::CheckCounts;
use super::safety::Safety;
use super::{Move, PieceKind, Side, Square, Xiangqi};
use crate::{Game, MoveKind, MoveList, splitmix};

/// Positions with much to go wrong: cannons, screens, horse legs, facing kings.
const SEEDS: [&str; 7] = [
    super::fen::START,
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
    "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w - - 0 1",
    "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w - - 0 1",
    "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w - - 118 60",
    "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w - - 3 9",
];

fn legal(position: &Xiangqi) -> MoveList<Move> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    moves
}

fn generated(position: &Xiangqi, kind: MoveKind) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.pseudo_legal(kind, &mut moves);
    let mut moves = moves.to_vec();
    moves.sort_unstable();
    moves
}

/// Everything that must be the same after a move has been taken back.
fn state(position: &Xiangqi) -> (String, u64, Safety, CheckCounts, u16, usize) {
    let Xiangqi { hash, safety, checks, reversible_plies, .. } = *position;
    (position.to_fen(), hash, safety, checks, reversible_plies, position.history.len())
}

/// Legality by definition, from the board alone: after the move no enemy piece has a move onto the
/// king, and the kings do not see each other.
fn legal_by_definition(position: &Xiangqi, mv: Move) -> bool {
    let us = position.side_to_move();
    let mut board: Vec<_> = Square::all().map(|at| position.piece_on(at)).collect();
    board[mv.to().index()] = board[mv.from().index()].take();
    let find = |side| {
        let king = Some(super::Piece::new(side, PieceKind::King));
        board.iter().position(|&piece| piece == king)
    };
    let Some(king) = find(us) else { return false };
    !(0..90).any(|from| can_capture(&board, us.other(), from, king as i32))
}

/// Whether a side's piece on `from` could capture on `to`, worked out step by step.
fn can_capture(board: &[Option<super::Piece>], side: Side, from: i32, to: i32) -> bool {
    let Some(piece) = board[from as usize].filter(|piece| piece.side() == side) else {
        return false;
    };
    let (files, ranks) = (to % 9 - from % 9, to / 9 - from / 9);
    let screens = || {
        let step = files.signum() + 9 * ranks.signum();
        let mut at = from + step;
        let mut count = 0;
        while at != to {
            count += i32::from(board[at as usize].is_some());
            at += step;
        }
        count
    };
    let straight = (files == 0) != (ranks == 0);
    match piece.kind() {
        PieceKind::King => straight && files == 0 && screens() == 0,
        PieceKind::Rook => straight && screens() == 0,
        PieceKind::Cannon => straight && screens() == 1,
        PieceKind::Horse => match (files.abs(), ranks.abs()) {
            (2, 1) => board[(from + files / 2) as usize].is_none(),
            (1, 2) => board[(from + 9 * (ranks / 2)) as usize].is_none(),
            _ => false,
        },
        PieceKind::Pawn => {
            let (forward, crossed) = match side {
                Side::Red => (1, from / 9 > 4),
                Side::Black => (-1, from / 9 < 5),
            };
            (files, ranks) == (0, forward) || crossed && files.abs() == 1 && ranks == 0
        }
        PieceKind::Advisor | PieceKind::Elephant => false,
    }
}

/// Walks `plies` legal moves chosen by the seed, and hands every position to `check`.
fn walk(start: usize, seed: u64, plies: usize, mut check: impl FnMut(&mut Xiangqi)) -> Xiangqi {
    let mut position = Xiangqi::from_fen(SEEDS[start]).expect("the table holds positions");
    let mut random = seed;
    for _ in 0..plies {
        check(&mut position);
        let moves = legal(&position);
        if moves.is_empty() {
            break;
        }
        let (state, draw) = splitmix::next(random);
        random = state;
        let mv = moves[(draw % moves.len() as u64) as usize];
        let foretold = position.hash_after(mv);
        position.make(mv);
        assert_eq!(foretold, Some(position.hash()));
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn unmake_restores_everything(start in 0..SEEDS.len(), seed: u64) {
        let mut trail = Vec::new();
        let mut end = walk(start, seed, 120, |position| trail.push(state(position)));
        if trail.last() == Some(&state(&end)) {
            trail.pop();
        }
        while let Some(before) = trail.pop() {
            end.unmake();
            prop_assert_eq!(state(&end), before);
        }
    }

    #[test]
    fn hash_text_and_check_agree_with_a_fresh_reading(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 120, |position| {
            let fresh = Xiangqi::from_fen(&position.to_fen()).expect("a position that was played");
            assert_eq!(&fresh, position);
            assert_eq!(fresh.hash, position.hash);
            assert_eq!(fresh.safety.in_check, position.safety.in_check);
            assert_eq!(fresh.safety.in_check, !fresh.checkers().is_empty());
            for square in Square::all() {
                assert_eq!(fresh.rook_attacks(square), position.rook_attacks(square));
            }
        });
    }

    #[test]
    fn the_move_that_repeats_a_position_is_found(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 60, |position| {
            // There and back again, by each move in turn that the rules let be taken back.
            let quiet = generated(position, MoveKind::Quiet);
            let there = legal(position);
            for &mv in there.iter().filter(|mv| quiet.contains(mv)).take(8) {
                position.make(mv);
                let answer = legal(position).iter().copied().find(|&mv| !position.is_noisy(mv));
                let back = Move::new(mv.to(), mv.from());
                if let Some(answer) = answer {
                    position.make(answer);
                    let undone = Move::new(answer.to(), answer.from());
                    let legal_back = |position: &Xiangqi, mv| legal(position).contains(&mv);
                    if legal_back(position, back) {
                        position.make(back);
                        if legal_back(position, undone) {
                            let found = position.repeating_move();
                            assert_eq!(found, Some(undone), "{}", position.to_fen());
                        } else {
                            // Another way back may lead to a position further up.
                            let mut ways = legal(position).to_vec();
                            ways.retain(|&mv| {
                                position.make(mv);
                                let stood_before = position.repetitions() > 0;
                                position.unmake();
                                stood_before
                            });
                            match position.repeating_move() {
                                Some(found) => assert!(ways.contains(&found), "{found:?}"),
                                None => assert!(ways.is_empty(), "{ways:?}"),
                            }
                        }
                        position.unmake();
                    }
                    position.unmake();
                }
                position.unmake();
            }
        });
    }

    #[test]
    fn noisy_and_quiet_are_all_without_overlap(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 80, |position| {
            let noisy = generated(position, MoveKind::Noisy);
            let quiet = generated(position, MoveKind::Quiet);
            assert!(noisy.iter().all(|&mv| position.is_noisy(mv)));
            assert!(!quiet.iter().any(|&mv| position.is_noisy(mv)));
            let mut both = [noisy, quiet].concat();
            both.sort_unstable();
            let all = generated(position, MoveKind::All);
            assert_eq!(both, all);
            both.dedup();
            assert_eq!(both, all);
        });
    }

    #[test]
    fn recognised_moves_are_the_generated_ones(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 12, |position| {
            let all = generated(position, MoveKind::All);
            for bits in 0..1 << 14 {
                let mv = Move::from_bits(bits);
                assert_eq!(position.is_pseudo_legal(mv), all.binary_search(&mv).is_ok(), "{mv}");
            }
        });
    }

    #[test]
    fn legal_means_that_the_king_cannot_be_taken(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 80, |position| {
            for mv in generated(position, MoveKind::All) {
                let expected = legal_by_definition(position, mv);
                assert_eq!(position.is_legal(mv), expected, "{mv} in {}", position.to_fen());
            }
        });
    }

    #[test]
    fn a_pass_and_back_changes_nothing(start in 0..SEEDS.len(), seed: u64) {
        walk(start, seed, 40, |position| {
            if position.in_check() {
                return;
            }
            let before = state(position);
            let side = position.side_to_move();
            position.make_null();
            assert_eq!(position.side_to_move(), side.other());
            assert_ne!(position.hash, before.1);
            assert_eq!(position.repetitions(), 0);
            position.unmake_null();
            assert_eq!(state(position), before);
        });
    }

    #[test]
    fn attack_helpers_agree_with_the_definition(start in 0..SEEDS.len(), seed: u64) {
        let end = walk(start, seed, 30, |_| {});
        for to in Square::all() {
            let attackers = end.attackers_to(to, end.occupied());
            for from in Square::all() {
                let attacks = end.attacks_from(from).has(to);
                let occupied = end.piece_on(to).is_some();
                let cannon = end.piece_on(from).is_some_and(|p| p.kind() == PieceKind::Cannon);
                if occupied || !cannon {
                    assert_eq!(attackers.has(from), attacks, "{from}{to} in {}", end.to_fen());
                }
            }
        }
    }
}

#[test]
fn mobility_counts_targets() {
    let start = Xiangqi::start();
    let at = |text: &str| Square::from_text(text.as_bytes()).expect("a square");
    assert_eq!(start.rook_mobility(at("a0")), 4, "a1, a2, the own pawn on a3, the horse on b0");
    assert_eq!(start.cannon_mobility(at("b2")), 12);
    assert_eq!(start.horse_mobility(at("b0")), 2);
    assert_eq!(start.attackers_to(at("b9"), start.occupied()).len(), 2, "rook a9 and cannon b2");
}

#[test]
fn moves_of_any_bits_name_squares_or_nothing() {
    for bits in 0..=u16::MAX {
        let mv = Move::from_bits(bits);
        assert!(mv.from().index() < 90 && mv.to().index() < 90);
        assert!(mv == Move::default() || mv.bits() == bits);
    }
}
