//! What a check says of good and bad animals.

use crate::support::{RUNNING, animal};
use arena::duel::{Checkup, Outcome, Program, Protocol, check};
use games::{Game, chess::Chess};
use model::GameKind;
use std::time::Duration;

fn look_over(program: &Program) -> Checkup {
    let mut position = Chess::start();
    position.make(position.move_from_text("e2e4").expect("legal"));
    let positions = [Chess::start().to_fen(), position.to_fen()];
    check(program, GameKind::Chess, &positions, 500, &RUNNING)
}

fn outcome(checkup: &Checkup, check: &str) -> Option<Outcome> {
    checkup.verdicts.iter().find(|verdict| verdict.check == check).map(|verdict| verdict.outcome)
}

#[test]
fn a_good_one_is_sound() {
    for protocol in [Protocol::Uci, Protocol::Xboard] {
        let checkup = look_over(&animal(protocol, &[]));
        assert!(checkup.is_sound(), "{checkup:#?}");
        for point in ["handshake", "moves", "determinism"] {
            assert_eq!(outcome(&checkup, point), Some(Outcome::Passed), "{point}: {checkup:#?}");
        }
    }
    // It answers `go infinite` at once.
    assert_eq!(outcome(&look_over(&animal(Protocol::Uci, &[])), "stop"), Some(Outcome::Odd));
}

#[test]
fn one_that_counts_no_nodes_is_asked_by_depth() {
    let mut program = animal(Protocol::Uci, &["counts-no-nodes"]);
    program.patience = Duration::from_millis(300);
    let checkup = look_over(&program);
    assert_eq!(outcome(&checkup, "limits"), Some(Outcome::Odd), "{checkup:#?}");
    assert_eq!(outcome(&checkup, "moves"), Some(Outcome::Passed), "{checkup:#?}");
    assert!(checkup.is_sound());
}

#[test]
fn a_bad_one_is_told_by_what_it_does() {
    for (habit, point, part) in [
        ("illegal", "moves", "e2e5"),
        ("none", "moves", "(none)"),
        ("resigns", "moves", "gives up"),
        ("crashes", "moves", "status 3; its last words: assertion failed"),
        ("silent", "moves", "does not answer"),
    ] {
        let mut program = animal(Protocol::Uci, &[habit]);
        if habit == "silent" {
            program.patience = Duration::from_millis(100);
        }
        let checkup = look_over(&program);
        let last = checkup.verdicts.last().expect("a verdict");
        assert_eq!((last.check, last.outcome), (point, Outcome::Failed), "{habit}: {checkup:#?}");
        assert!(last.note.contains(part), "{habit}: {}", last.note);
        assert!(!checkup.is_sound());
    }
    let nobody = look_over(&Program::new("/no/such/engine", Protocol::Uci));
    assert_eq!(outcome(&nobody, "handshake"), Some(Outcome::Failed));
}
