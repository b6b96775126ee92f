//! The engine's program plays itself, as a process of its own on each side, through the arena's matches:
//! in every protocol that they speak the games end by rule, and equal node limits give equal games.

use arena::duel::{
    Duel, DuelPlayer, DuelRecord, DuelRules, Entrant, Mind, Program, Protocol, SideLimit,
};
use games::xiangqi::RuleSet;
use games::{Game, chess::Chess, othello::Othello, shogi::Shogi, xiangqi::Xiangqi};
use model::lease::{Opening, PairIndex};
use model::{GameKind, ParameterSet, Termination};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// So long no test waits.
const LONG: Duration = Duration::from_secs(600);

/// MiB of table, as the program has them when nobody sets them.
const HASH_MB: usize = 16;

fn program(game: GameKind, protocol: Protocol) -> Mind {
    let mut program = Program::new(env!("CARGO_BIN_EXE_elomill-engine"), protocol);
    program.arguments = vec!["--game".to_owned(), game.to_string()];
    (program.start_within, program.patience) = (LONG, LONG);
    Mind::Program(program)
}

/// Two games from the initial position, at most so many half-moves long.
fn games(game: GameKind, minds: [Mind; 2]) -> [DuelRecord; 2] {
    let limit = SideLimit { nodes: Some(400), ..SideLimit::default() };
    let entrants = minds.map(|mind| Entrant { name: "elomill".to_owned(), mind, limit });
    let rules = DuelRules { max_plies: Some(60), ..DuelRules::default() };
    let duel = Duel {
        game,
        entrants,
        rules,
        rule_set: RuleSet::Computer,
        tablebases: None,
        pgn_tags: None,
    };
    let position = match game {
        GameKind::Chess => Chess::start().to_fen(),
        GameKind::Othello => Othello::start().to_fen(),
        GameKind::Shogi => Shogi::start().to_fen(),
        _ => Xiangqi::start().to_fen(),
    };
    let mut player = DuelPlayer::new(&duel).unwrap_or_else(|e| panic!("{game}: {e}"));
    let opening = Opening { index: PairIndex(0), position };
    let pair = player.play(&opening, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{e}"));
    pair.expect("nothing stops it").games
}

#[test]
fn games_by_every_protocol_end_by_rule_and_come_out_the_same_again() {
    for (game, protocol) in [
        (GameKind::Chess, Protocol::Uci),
        (GameKind::Xiangqi, Protocol::Uci),
        (GameKind::Xiangqi, Protocol::Ucci),
        (GameKind::Shogi, Protocol::Usi),
        (GameKind::Othello, Protocol::Uci),
    ] {
        let builtin = Mind::Builtin { parameters: ParameterSet::default(), hash_mb: HASH_MB };
        let minds = || [program(game, protocol), program(game, protocol)];
        let first = games(game, minds());
        let again = games(game, minds());
        let inside = games(game, [builtin, program(game, protocol)]);
        for (number, record) in first.iter().enumerate() {
            let what = format!("{game} by {}: {record:?}", protocol.name());
            assert!(record.note.is_empty() && record.plies.0 > 20, "{what}");
            let is_fault = matches!(
                record.termination,
                Termination::IllegalMove
                    | Termination::Disconnect
                    | Termination::Stall
                    | Termination::TimeForfeit
                    | Termination::Resignation
            );
            assert!(!is_fault, "{what}");
            // The program is the engine built in, with a process around it.
            for other in [&again[number], &inside[number]] {
                assert_eq!(record.moves, other.moves, "{what}");
                let end = (other.score, other.termination, other.plies);
                assert_eq!((record.score, record.termination, record.plies), end, "{what}");
            }
        }
    }
}
