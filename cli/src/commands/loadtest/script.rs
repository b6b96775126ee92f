//! What the fleet reports: real games, played once before the test, so that the coordinator has as
//! much to judge and to write as of real workers, and the generator almost nothing to do.

use crate::books::{Book, hex};
use anyhow::Context;
use arena::{Matchup, PairPlayer};
use model::lease::{Opening, PairIndex};
use model::spec::{GameLimit, Job, Keep, KeepMoves, RunSpec, TestSpec, USUAL_LEASE_SECONDS};
use model::{GameKind, Nodes, PairOutcome, Pairs, ParameterSet, Ply};
use proto::v1;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// Openings that are played.
const OPENINGS: usize = 24;
/// Enough for games that end by the rules like others.
const LIMIT: GameLimit = GameLimit::new(Nodes(60), Ply(160), 1024);
/// More than any test plays.
const PAIRS: Pairs = Pairs(1_000_000_000);
const SEED: u64 = 1;

/// A pair as it is reported, whatever its place in the run.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) outcome: PairOutcome,
    pub(super) pair: v1::PairRecord,
}

/// The book of the test and a pair for each of its openings.
pub(super) struct Script {
    pub(super) game: GameKind,
    pub(super) book: Vec<u8>,
    scenes: HashMap<String, Scene>,
    candidate: ParameterSet,
    /// Half-moves of a game, on average.
    pub(super) plies_of_game: f64,
}

impl Script {
    /// Plays the pairs. Blocks for some seconds.
    ///
    /// # Errors
    /// The engine has no parameter for the game, or does not take an opening.
    pub(super) fn play(game: GameKind) -> anyhow::Result<Self> {
        let definition = engine::definitions(game).first().context("the game has no parameter")?;
        let mut candidate = ParameterSet::default();
        let value =
            if definition.default < definition.max { definition.max } else { definition.min };
        candidate.set(definition.name.to_string(), value);
        let matchup = Matchup::new(game, LIMIT, &candidate, &ParameterSet::default())?;
        let mut player = PairPlayer::new(game, LIMIT.hash_kib);
        let never = AtomicBool::new(false);
        let mut scenes = HashMap::new();
        let mut book = String::new();
        let mut plies = 0;
        for position in Book::builtin(game).positions().into_iter().take(OPENINGS) {
            let opening = Opening { index: PairIndex(0), position };
            let pair = player.play(&matchup, &opening, &never)?.context("nobody stops it")?;
            plies += pair.candidate_first.plies.0 + pair.base_first.plies.0;
            book.push_str(&opening.position);
            book.push('\n');
            let scene = Scene { outcome: pair.outcome(), pair: worker::wire::pair(&pair) };
            scenes.insert(opening.position, scene);
        }
        let games = 2 * scenes.len().max(1);
        let plies_of_game = plies as f64 / games as f64;
        Ok(Self { game, book: book.into_bytes(), scenes, candidate, plies_of_game })
    }

    /// The run that the pairs belong to: a match that nobody plays to its end.
    pub(super) fn spec(&self, lease_pairs: u32, keep: KeepMoves) -> RunSpec {
        RunSpec {
            name: "load test".to_owned(),
            game: self.game,
            seed: SEED,
            weight: 1.0,
            limit: LIMIT,
            players: None,
            canaries: Default::default(),
            book: hex(&Sha256::digest(&self.book)),
            book_order: model::spec::BookOrder::Random,
            lease_pairs,
            lease_seconds: USUAL_LEASE_SECONDS,
            keep: Keep { moves: keep, evals: false },
            job: Job::Test(TestSpec {
                candidate: self.candidate.clone(),
                base: ParameterSet::default(),
                candidate_run: None,
                sprt: None,
                max_pairs: PAIRS,
                futility: 0.0,
            }),
        }
    }

    /// What is reported of a pair from this opening.
    pub(super) fn scene(&self, position: &str) -> Option<&Scene> {
        self.scenes.get(position)
    }

    /// How a worker introduces itself that can play this.
    pub(super) fn hello(&self, number: usize, held: Vec<v1::LeaseRef>) -> v1::Hello {
        // What a worker offers that plays every game: most of what is known of one.
        let offer = |game: GameKind| v1::EngineOffer {
            game: worker::wire::game(game).into(),
            engine: "builtin".to_owned(),
            bench_nodes: game.bench_signature().0,
            parameters: engine::definitions(game).iter().map(|def| def.name.to_string()).collect(),
        };
        v1::Hello {
            protocol_version: proto::PROTOCOL_VERSION,
            name: format!("load {number}"),
            software_version: env!("CARGO_PKG_VERSION").to_owned(),
            slots: 1,
            cores: 1,
            platform: "load test".to_owned(),
            engines: GameKind::ALL.map(offer).to_vec(),
            held_leases: held,
            ..v1::Hello::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opening_of_the_book_has_a_pair_and_the_run_is_valid() {
        let script = Script::play(GameKind::TicTacToe).unwrap();
        let text = String::from_utf8(script.book.clone()).unwrap();
        assert!(text.lines().count() > 1);
        for position in text.lines() {
            let scene = script.scene(position).unwrap();
            assert!(scene.pair.candidate_first.is_some() && scene.pair.base_first.is_some());
        }
        script.spec(5, KeepMoves::ALL).check().unwrap();
    }
}
