//! Claims about games of self-play: repeatable, small, and refused when forged.

use crate::{
    AuditError, Breach, Filters, Game, Generator, Manifest, Played, Recipe, Shard, ShardError,
    Verdicts, audit, play_again, positions,
};
use games::replay::{Ending, Winner};
use games::{Game as _, for_game};
use model::{GameKind, Nodes, ParameterSet, Score, Termination};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

fn recipe(game: GameKind) -> Recipe {
    Recipe {
        game,
        engine: Nodes(1),
        parameters: ParameterSet::default(),
        network: None,
        book: "0".repeat(64),
        nodes: Nodes(120),
        hash_kib: 0,
        random_plies: [2, 5],
        max_plies: 160,
        verdicts: Verdicts { opening_score: 3000, ..Verdicts::default() },
        filters: Filters::default(),
        seed: 7,
    }
}

fn book(game: GameKind) -> Arc<[String]> {
    for_game!(game, G => [G::start().to_fen()].into())
}

fn played(recipe: &Recipe, numbers: std::ops::Range<u64>) -> Vec<Played> {
    let mut generator = Generator::new(recipe, &book(recipe.game), None).unwrap();
    numbers.map(|index| generator.play(index, &NEVER).unwrap().unwrap()).collect()
}

fn shard(game: GameKind) -> (Recipe, Shard) {
    let recipe = recipe(game);
    let games = played(&recipe, 0..6);
    (recipe.clone(), Shard::new(&recipe, 0, games))
}

#[test]
fn a_game_is_a_function_of_recipe_and_number() {
    let recipe = recipe(GameKind::Xiangqi);
    let whole = played(&recipe, 0..6);
    assert_eq!(played(&recipe, 3..6), whole[3..]);
    let other = Recipe { seed: 8, ..recipe };
    assert_ne!(played(&other, 0..1), whole[..1]);
}

#[test]
fn games_of_every_kind_pass_the_audit_and_come_back_from_their_bytes() {
    for game in GameKind::ALL {
        let (recipe, shard) = shard(game);
        let bytes = shard.to_bytes();
        assert_eq!(Shard::from_bytes(&bytes), Ok(shard.clone()), "{game}");
        let counts = audit(&recipe, &shard).unwrap_or_else(|error| panic!("{game}: {error}"));
        assert_eq!(counts.games, 6);
        assert_eq!(counts.wins + counts.draws + counts.losses, 6);
        assert!(counts.positions > 10, "{game}: {counts:?}");
    }
}

#[test]
fn a_position_takes_less_than_32_bytes() {
    for game in [GameKind::Xiangqi, GameKind::Chess, GameKind::Shogi, GameKind::Othello] {
        let (recipe, shard) = shard(game);
        let positions = audit(&recipe, &shard).unwrap().positions;
        let bytes = shard.to_bytes().len() as u64;
        assert!(bytes < 32 * positions, "{game}: {bytes} bytes for {positions} positions");
    }
}

#[test]
fn kept_positions_are_quiet_new_and_seen_from_the_side_to_move() {
    let (recipe, shard) = shard(GameKind::Xiangqi);
    let mut seen = HashSet::new();
    for game in &shard.games {
        let mut plies = Vec::new();
        positions::<games::xiangqi::Xiangqi>(game, |kept| {
            assert!(!kept.position.in_check());
            assert!(kept.score.0.abs() <= recipe.filters.max_score);
            assert!(seen.insert(kept.position.hash()));
            let is_first = kept.ply.is_multiple_of(2);
            let expected = match game.ending.winner {
                Winner::Nobody => 0.5,
                winner => f32::from(u8::from((winner == Winner::First) == is_first)),
            };
            assert_eq!(kept.result, expected);
            plies.push(kept.ply as usize);
        })
        .unwrap();
        let kept: Vec<_> = (0..game.kept.len()).filter(|&ply| game.kept[ply]).collect();
        assert_eq!(plies, kept);
    }
}

#[test]
fn a_forged_game_is_refused() {
    let (recipe, shard) = shard(GameKind::Xiangqi);
    let breach = |forge: &dyn Fn(&mut Game)| {
        let mut forged = shard.clone();
        forge(&mut forged.games[2]);
        match audit(&recipe, &forged) {
            Err(AuditError::Game { index: 2, breach }) => breach,
            other => panic!("{other:?}"),
        }
    };
    let other = |winner| if winner == Winner::First { Winner::Second } else { Winner::First };
    let forge_winner = |game: &mut Game| game.ending.winner = other(game.ending.winner);
    assert_eq!(breach(&forge_winner), Breach::Ending);
    let kept = |game: &mut Game| game.kept[1] = !game.kept[1];
    assert_eq!(breach(&kept), Breach::Kept);
    let nodes = |game: &mut Game| game.evals[3].nodes = Nodes(121);
    assert_eq!(breach(&nodes), Breach::Nodes);
    let short = |game: &mut Game| {
        game.evals.pop();
        game.kept.pop();
    };
    assert_eq!(breach(&short), Breach::Unfinished);
    let opening = |game: &mut Game| game.evals[0].score = Score(3001);
    assert!(matches!(breach(&opening), Breach::Opening | Breach::Kept));
    let mut foreign = shard.clone();
    foreign.recipe[0] ^= 1;
    assert_eq!(audit(&recipe, &foreign), Err(AuditError::Recipe));
}

/// Scores are what a rule cannot know; whoever plays the game again finds other ones.
#[test]
fn a_forged_score_shows_when_the_game_is_played_again() {
    let (recipe, shard) = shard(GameKind::Xiangqi);
    let mut generator = Generator::new(&recipe, &book(recipe.game), None).unwrap();
    let mut game = shard.games[4].clone();
    assert_eq!(play_again(&mut generator, &game, &NEVER), Ok(true));
    game.evals[5].score.0 += 1;
    let differs = AuditError::Game { index: 4, breach: Breach::Differs };
    assert_eq!(play_again(&mut generator, &game, &NEVER), Err(differs));
}

#[test]
fn scores_end_a_game_as_the_recipe_says() {
    let mut easy = recipe(GameKind::Chess);
    easy.verdicts = Verdicts {
        opening_score: 30_000,
        won_score: 1,
        won_plies: 1,
        drawn_score: 0,
        drawn_plies: 1,
        drawn_from: 1,
    };
    for Played { game, .. } in played(&easy, 0..4) {
        assert_eq!(game.plies(), 1, "the first score decides");
        let score = game.evals[0].score.0;
        let winner = match score.signum() {
            1 => Winner::First,
            -1 => Winner::Second,
            _ => Winner::Nobody,
        };
        assert_eq!(game.ending, Ending { winner, reason: Termination::Adjudication });
    }
    let short = Recipe { max_plies: 3, ..recipe(GameKind::Chess) };
    let Played { game, .. } = played(&short, 0..1).remove(0);
    assert_eq!((game.plies(), game.ending.reason), (3, Termination::PlyLimit));
}

#[test]
fn a_game_that_was_stopped_is_none() {
    let recipe = recipe(GameKind::Chess);
    let mut generator = Generator::new(&recipe, &book(recipe.game), None).unwrap();
    assert_eq!(generator.play(0, &AtomicBool::new(true)), Ok(None));
}

#[test]
fn damage_is_told_from_other_files_and_later_versions() {
    let (_, shard) = shard(GameKind::TicTacToe);
    let bytes = shard.to_bytes();
    for at in 10..bytes.len() {
        let mut torn = bytes.clone();
        torn[at] ^= 0x10;
        assert_eq!(Shard::from_bytes(&torn), Err(ShardError::Hash), "byte {at}");
    }
    for length in 10..bytes.len() {
        assert_eq!(Shard::from_bytes(&bytes[..length]), Err(ShardError::Hash), "{length} bytes");
    }
    assert_eq!(Shard::from_bytes(b""), Err(ShardError::Magic));
    assert_eq!(Shard::from_bytes(b"elo-data"), Err(ShardError::Torn));
    let mut later = bytes;
    later[8] = 2;
    assert_eq!(Shard::from_bytes(&later), Err(ShardError::Version { found: 2 }));
}

#[test]
fn a_manifest_comes_back_and_a_bad_one_names_the_place() {
    let (recipe, shard) = shard(GameKind::TicTacToe);
    let bytes = shard.to_bytes();
    let mut manifest = Manifest::new(recipe.clone());
    manifest.shards.push(crate::ShardEntry {
        sha256: Shard::name_of(&bytes),
        bytes: bytes.len() as u64,
        first: 0,
        counts: audit(&recipe, &shard).unwrap(),
    });
    let text = manifest.to_json();
    assert_eq!(Manifest::from_json(&text), Ok(manifest.clone()));
    assert_eq!((manifest.games(), manifest.counts().games), (6, 6));
    for (from, to, part) in [
        ("\"first\": 0", "\"first\": 1", "shard 1 begins with game 1; game 0 is due"),
        ("\"version\": 1", "\"version\": 9", "version 9"),
        ("\"nodes\": 120", "\"nodes\": 0", "recipe: nodes: found 0; allowed: 1 to"),
        ("\"max_plies\"", "\"most_plies\"", "unknown field `most_plies`"),
        ("\"bytes\"", "\"bits\"", "bits"),
    ] {
        let error = Manifest::from_json(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let hash = &manifest.shards[0].sha256;
    let error = Manifest::from_json(&text.replace(hash, "../../etc/passwd")).unwrap_err();
    assert!(error.to_string().contains("is no SHA-256"), "{error}");
}
