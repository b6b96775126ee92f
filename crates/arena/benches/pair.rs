//! What a pair costs, and how much of it is not search: `cargo bench -p arena`.
//!
//! `pair` plays xiangqi pairs at 500 nodes a move on one thread and on two; `referee_alone` replays
//! the same two games with players that know their moves already. The ratio is the arena's overhead.

use arena::{Choice, Matchup, PairPlayer, Player, play_pair};
use games::{Game, xiangqi::Xiangqi};
use model::evals::MoveEval;
use model::lease::{Opening, PairIndex, PairRecord};
use model::spec::GameLimit;
use model::{GameKind, Nodes, ParameterSet, Ply};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

type Move = <Xiangqi as Game>::Move;

static NEVER: AtomicBool = AtomicBool::new(false);

static MATCHUP: LazyLock<Matchup> = LazyLock::new(|| {
    let limit = GameLimit::new(Nodes(500), Ply(300), 4096);
    let default = ParameterSet::default();
    Matchup::new(GameKind::Xiangqi, limit, &default, &default).expect("the defaults are good")
});

static RECORD: LazyLock<PairRecord> = LazyLock::new(|| {
    PairPlayer::new(GameKind::Xiangqi, 4096)
        .play(&MATCHUP, &start(), &NEVER)
        .expect("the start is playable")
        .expect("nothing stops it")
});

fn start() -> Opening {
    Opening { index: PairIndex(0), position: Xiangqi::start().to_fen() }
}

fn main() {
    let plies = RECORD.candidate_first.plies.0 + RECORD.base_first.plies.0;
    eprintln!("a pair of {plies} half-moves");
    divan::main();
}

#[divan::bench(threads = [1, 2], sample_size = 1, sample_count = 40)]
fn pair(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(divan::counter::ItemsCount::new(1u32))
        .with_inputs(|| PairPlayer::new(GameKind::Xiangqi, 4096))
        .bench_values(|mut slot| slot.play(&MATCHUP, &start(), &NEVER));
}

/// Knows one move for each half-move of both games.
struct Replayed<'a>(std::slice::Iter<'a, Move>);

impl Player<Xiangqi> for Replayed<'_> {
    fn new_game(&mut self) {}

    fn choose(&mut self, _: &mut Xiangqi, _: Nodes, _: &AtomicBool) -> Choice<Move> {
        Choice {
            mv: self.0.next().copied(),
            eval: MoveEval { nodes: Nodes(500), ..MoveEval::default() },
            time: None,
        }
    }
}

#[divan::bench]
fn referee_alone(bencher: divan::Bencher<'_, '_>) {
    let (mut candidate, mut base) = (Vec::new(), Vec::new());
    for (record, candidate_parity) in [(&RECORD.candidate_first, 0), (&RECORD.base_first, 1)] {
        let mut position = Xiangqi::start();
        for (ply, text) in record.moves.split(' ').enumerate() {
            let mv = position.move_from_text(text).expect("a recorded move");
            position.make(mv);
            let mover = if ply % 2 == candidate_parity { &mut candidate } else { &mut base };
            mover.push(mv);
        }
    }
    bencher.bench(|| {
        play_pair(
            PairIndex(0),
            &Xiangqi::start(),
            &mut Replayed(candidate.iter()),
            &mut Replayed(base.iter()),
            &MATCHUP.limit,
            &NEVER,
        )
    });
}
