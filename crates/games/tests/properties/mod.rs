//! What every game must hold in every position, checked along random games.

use std::collections::BTreeSet;
use std::fmt::Debug;

use games::{Game, MoveKind, MoveList};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// A game and what its properties are tried on.
pub(crate) struct Subject<G: Game> {
    /// Position texts from which the random games start.
    pub(crate) starts: &'static [&'static str],
    /// Half-moves of the longest random game.
    pub(crate) plies: usize,
    /// How many random games are played.
    pub(crate) games: u32,
    /// A move of any bits, mostly none of the position.
    pub(crate) any_move: fn(u64) -> G::Move,
    /// The symmetries that the rules have.
    pub(crate) symmetries: &'static [Symmetry],
}

/// A change of board or colours that turns every legal move into a legal move.
pub(crate) struct Symmetry {
    /// Turns a position text.
    pub(crate) position: fn(&str) -> String,
    /// Turns a move text.
    pub(crate) mv: fn(&str) -> String,
}

impl<G: Game + Debug> Subject<G> {
    /// Plays the games and checks every position on the way; equal in every run.
    pub(crate) fn check(&self) {
        let config = Config {
            cases: self.games,
            rng_seed: RngSeed::Fixed(0x0e10_3111),
            failure_persistence: None,
            ..Config::default()
        };
        let lines = (0..self.starts.len(), 1..=self.plies, proptest::num::u64::ANY);
        let checked = TestRunner::new(config).run(&lines, |(start, plies, seed)| {
            self.play(self.starts[start], plies, Random(seed));
            Ok(())
        });
        if let Err(failure) = checked {
            panic!("{failure}");
        }
    }

    fn play(&self, start: &str, plies: usize, mut random: Random) {
        let mut position = G::from_fen(start).expect("a random game starts on a position");
        let mut foreign = Vec::new();
        for _ in 0..plies {
            self.check_position(&mut position, &foreign, &mut random);
            let moves = legal(&position);
            let Some(mv) = random.pick(&moves) else { break };
            // Moves of earlier positions are what killer slots and hash tables hand in.
            foreign.truncate(100);
            foreign.splice(0..0, moves);
            position.make(mv);
        }
    }

    fn check_position(&self, position: &mut G, foreign: &[G::Move], random: &mut Random) {
        generators_agree(position);
        let strangers = (0..64).map(|_| (self.any_move)(random.next()));
        strange_moves_are_recognised(position, foreign.iter().copied().chain(strangers));
        a_text_holds_the_position(position);
        move_texts_are_read_back(position);
        unmake_restores_every_bit(position, random);
        transpositions_have_one_hash(position, random);
        for symmetry in self.symmetries {
            symmetry.check(position);
        }
    }
}

impl Symmetry {
    fn check<G: Game>(&self, position: &G) {
        let text = position.to_fen();
        let image = G::from_fen(&(self.position)(&text)).expect("the image is a position");
        assert_eq!((self.position)(&image.to_fen()), text, "twice turned is as before");
        assert_eq!(image.in_check(), position.in_check(), "check in the image of {text}");
        let turned = texts(position).iter().map(|mv| (self.mv)(mv)).collect::<BTreeSet<_>>();
        let expected = texts(&image).into_iter().collect();
        assert_eq!(turned, expected, "moves of the image of {text}");
    }
}

fn legal<G: Game>(position: &G) -> Vec<G::Move> {
    let mut moves = MoveList::new();
    position.legal(&mut moves);
    moves.to_vec()
}

fn texts<G: Game>(position: &G) -> Vec<String> {
    legal(position).into_iter().map(|mv| position.move_to_text(mv)).collect()
}

/// The pseudo-legal moves of a kind, sorted, each once.
fn generated<G: Game>(position: &G, kind: MoveKind) -> BTreeSet<G::Move> {
    let mut moves = MoveList::new();
    position.pseudo_legal(kind, &mut moves);
    let set: BTreeSet<_> = moves.iter().copied().collect();
    assert_eq!(set.len(), moves.len(), "{kind:?} holds a move twice in {}", position.to_fen());
    set
}

fn generators_agree<G: Game>(position: &G) {
    let text = position.to_fen();
    let all = generated(position, MoveKind::All);
    let (noisy, quiet): (BTreeSet<_>, BTreeSet<_>) =
        all.iter().partition(|&&mv| position.is_noisy(mv));
    assert_eq!(generated(position, MoveKind::Noisy), noisy, "noisy moves of {text}");
    assert_eq!(generated(position, MoveKind::Quiet), quiet, "quiet moves of {text}");
    let legal = legal(position);
    let filtered: BTreeSet<_> = all.into_iter().filter(|&mv| position.is_legal(mv)).collect();
    assert_eq!(legal.iter().copied().collect::<BTreeSet<_>>(), filtered, "legal moves of {text}");
    assert_eq!(legal.len(), filtered.len(), "a legal move twice in {text}");
    assert_eq!(position.count_legal(), legal.len() as u64, "count of legal moves of {text}");
    assert!(!legal.is_empty() || position.result().is_some(), "no move and no result in {text}");
}

fn strange_moves_are_recognised<G: Game>(position: &G, moves: impl Iterator<Item = G::Move>) {
    let all = generated(position, MoveKind::All);
    for mv in moves.chain(all.iter().copied()).chain([G::Move::default()]) {
        let expected = all.contains(&mv);
        assert_eq!(position.is_pseudo_legal(mv), expected, "{mv:?} in {}", position.to_fen());
    }
    assert!(!all.contains(&G::Move::default()), "the default move in {}", position.to_fen());
}

fn a_text_holds_the_position<G: Game>(position: &G) {
    let text = position.to_fen();
    let fresh = G::from_fen(&text).expect("a position that was played");
    assert_eq!(fresh.to_fen(), text);
    assert_eq!(fresh.hash(), position.hash(), "hash from scratch of {text}");
    assert_eq!(fresh.first_to_move(), position.first_to_move(), "side to move of {text}");
    assert_eq!(fresh.in_check(), position.in_check(), "check in {text}");
    assert_eq!(legal(&fresh), legal(position), "legal moves of {text}");
}

fn move_texts_are_read_back<G: Game>(position: &G) {
    for mv in legal(position) {
        let text = position.move_to_text(mv);
        assert_eq!(position.move_from_text(&text), Ok(mv), "{text} in {}", position.to_fen());
    }
}

/// The debug form shows every field.
fn unmake_restores_every_bit<G: Game + Debug>(position: &mut G, random: &mut Random) {
    let before = format!("{position:?}");
    let plies = position.plies_made();
    let legal = legal(position);
    for _ in 0..8 {
        let Some(mv) = random.pick(&legal) else { break };
        position.make(mv);
        assert_eq!(position.plies_made(), plies + 1);
        a_text_holds_the_position(position);
        position.unmake();
        assert_eq!(format!("{position:?}"), before, "after {mv:?} in {}", position.to_fen());
    }
    if !position.in_check() && position.result().is_none() {
        position.make_null();
        position.unmake_null();
        assert_eq!(format!("{position:?}"), before, "after a pass in {}", position.to_fen());
    }
}

/// Two moves of one side around one of the other, in both orders: what has one text has one hash.
fn transpositions_have_one_hash<G: Game>(position: &G, random: &mut Random) {
    let moves = legal(position);
    let (Some(first), Some(last)) = (random.pick(&moves), random.pick(&moves)) else { return };
    let mut middle = position.clone();
    middle.make(first);
    let Some(reply) = random.pick(&legal(&middle)) else { return };
    let ends = [[first, reply, last], [last, reply, first]].map(|line| follow(position, &line));
    if let [Some(one), Some(other)] = ends
        && one.to_fen() == other.to_fen()
    {
        assert_eq!(one.hash(), other.hash(), "{first:?} {reply:?} {last:?} and back to front");
    }
}

/// The position after a line of moves, if each of them is legal.
fn follow<G: Game>(position: &G, line: &[G::Move]) -> Option<G> {
    let mut end = position.clone();
    for &mv in line {
        if !legal(&end).contains(&mv) {
            return None;
        }
        end.make(mv);
    }
    Some(end)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of some values, if there are any.
    fn pick<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        let index = self.next().checked_rem(values.len() as u64)?;
        Some(values[index as usize])
    }
}
