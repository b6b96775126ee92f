//! Repetition as each game judges it: in chess it saves half a point, in shogi perpetual check loses.
//! Those of xiangqi are in the search's own tests.

use crate::suite::search;
use engine::MATE;
use games::chess::Chess;
use games::shogi::Shogi;
use games::{Game, RuleWinner};
use model::Termination;

fn read<G: Game>(fen: &str) -> G {
    G::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

/// Plays a line.
fn play<G: Game>(position: &mut G, line: &str) {
    for text in line.split(' ') {
        let mv = position.move_from_text(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        position.make(mv);
    }
}

#[test]
fn perpetual_check_saves_half_a_point_in_chess() {
    // The queen checks from e8 and h5, or e1 and h4, and nothing can come between.
    for (fen, best) in [
        ("6k1/6p1/8/7Q/8/8/rq6/6K1 w - - 0 1", "h5e8"),
        ("6k1/RQ6/8/8/7q/8/6P1/6K1 b - - 0 1", "h4e1"),
    ] {
        let position = read::<Chess>(fen);
        let found = search(&position, 20_000);
        assert_eq!(found.score.0, 0, "{fen}");
        assert_eq!(found.best.map(|mv| position.move_to_text(mv)).as_deref(), Some(best), "{fen}");
    }
}

/// A dragon that could check a bare king for ever, against a mate that threatens.
const DRAGONS: [&str; 2] = ["9/9/9/3rl4/3gg4/9/4K4", "9/9/9/3rl4/4g4/9/4K4"];

#[test]
fn perpetual_check_saves_nothing_in_shogi() {
    for rest in DRAGONS {
        let found = search(&read::<Shogi>(&format!("6+R2/4k4/{rest} b - 1")), 30_000);
        assert!(found.score.0 < -300, "{rest}: {found:?}");
        // With the same check it would lose at once.
        let mut position = read::<Shogi>(&format!("9/4k1+R2/{rest} w - 1"));
        let cycle = "5b5a 3b3a 5a5b 3a3b";
        play(&mut position, &format!("{cycle} {cycle} 5b5a 3b3a 5a5b"));
        let found = search(&position, 30_000);
        let best = found.best.expect("there are moves");
        assert_ne!(position.move_to_text(best), "3a3b", "{rest}");
        play(&mut position, "3a3b");
        let end = position.result().expect("the fourth time");
        assert_eq!(end.winner, RuleWinner::SideToMove);
        assert_eq!(end.reason, Termination::PerpetualCheck);
    }
}

#[test]
fn a_perpetual_check_that_the_other_side_gives_is_let_to_its_end() {
    for rest in DRAGONS {
        let mut position = read::<Shogi>(&format!("6+R2/4k4/{rest} b - 1"));
        let cycle = "3a3b 5b5a 3b3a 5a5b";
        play(&mut position, &format!("{cycle} {cycle} 3a3b 5b5a 3b3a"));
        let found = search(&position, 1000);
        assert_eq!(found.score.0, MATE - 1, "{rest}");
        assert_eq!(found.best.map(|mv| position.move_to_text(mv)).as_deref(), Some("5a5b"));
    }
}
