//! Every way to fail has its own verdict, and the next game is played all the same.

use crate::support::*;
use arena::duel::{DuelError, DuelPlayer, Protocol, SideLimit, StartError};
use games::{Game, chess::Chess};
use model::lease::{Opening, PairIndex};
use model::{GameKind, GameScore, Termination};

fn verdict(habits: &[&str], limit: SideLimit) -> (Termination, String) {
    let entrants = [
        outside("bad", animal(Protocol::Uci, habits), limit),
        outside("good", animal(Protocol::Uci, &[]), nodes(1)),
    ];
    let pair = pair(&duel(GameKind::Chess, entrants)).expect("the match can be played");
    let [first, second] = pair.games;
    // It fails at its first move, in both games, so it was started again where it had ended.
    assert_eq!((first.score, first.plies.0), (GameScore::Loss, 0), "{habits:?}: {first:?}");
    assert_eq!((second.score, second.plies.0), (GameScore::Loss, 1), "{habits:?}: {second:?}");
    assert_eq!(first.termination, second.termination, "{habits:?}");
    (first.termination, first.note)
}

#[test]
fn silence_and_endless_talk_are_stalls_within_the_time() {
    for habit in ["silent", "spams", "spams-without-end"] {
        assert_eq!(verdict(&[habit], a_moment()).0, Termination::Stall, "{habit}");
    }
}

#[test]
fn a_node_limit_alone_does_not_wait_for_ever() {
    let mut program = animal(Protocol::Uci, &["silent"]);
    program.patience = std::time::Duration::from_millis(150);
    let entrants = [outside("bad", program, nodes(1)), builtin()];
    let (score, termination) = endings(&duel(GameKind::Chess, entrants))[0];
    assert_eq!((score, termination), (GameScore::Loss, Termination::Stall));
}

#[test]
fn a_move_that_comes_only_when_told_to_stop_is_late() {
    let (termination, note) = verdict(&["late"], a_moment());
    // On a machine that gives it no time at all it is killed before it is heard.
    assert!(matches!(termination, Termination::TimeForfeit | Termination::Stall), "{note}");
}

#[test]
fn whoever_reads_nothing_while_it_thinks_is_judged_by_its_clock() {
    let (termination, note) = verdict(&["deaf"], a_moment());
    assert!(matches!(termination, Termination::TimeForfeit | Termination::Stall), "{note}");
    // The same under a clock that runs down.
    let clock = arena::duel::TimeControl::parse("0.2").expect("a time control");
    let limit = SideLimit { clock: Some(clock), ..SideLimit::default() };
    for habit in ["deaf", "silent", "spams"] {
        let (termination, note) = verdict(&[habit], limit);
        assert!(matches!(termination, Termination::TimeForfeit | Termination::Stall), "{note}");
    }
}

#[test]
fn whoever_is_not_ready_for_its_second_game_loses_it() {
    let limit =
        SideLimit { movetime: Some(std::time::Duration::from_secs(2)), ..SideLimit::default() };
    let entrants = [
        outside("bad", animal(Protocol::Uci, &["ready-once", "resigns"]), limit),
        outside("good", animal(Protocol::Uci, &[]), nodes(1)),
    ];
    let endings = endings(&duel(GameKind::Chess, entrants));
    assert!(endings.iter().all(|(score, _)| *score == GameScore::Loss), "{endings:?}");
    // Where the machine gives it no time it is late in the first game, and a new process is ready.
    let is_late = |(_, termination): &(GameScore, Termination)| {
        matches!(termination, Termination::Stall | Termination::TimeForfeit)
    };
    assert!(endings.iter().any(is_late), "{endings:?}");
}

#[test]
fn whoever_is_gone_has_lost_and_its_last_words_are_kept() {
    let (termination, note) = verdict(&["crashes"], any_time());
    assert_eq!(termination, Termination::Disconnect);
    assert_eq!(note, "ended with status 3; its last words: assertion failed: deep inside");
    let (termination, note) = verdict(&["aborts"], any_time());
    assert_eq!(termination, Termination::Disconnect);
    assert!(note.starts_with("died of signal 6"), "{note}");
    let (termination, note) = verdict(&["closes-output"], any_time());
    assert_eq!(
        (termination, note.as_str()),
        (Termination::Disconnect, "closed its pipe and was killed")
    );
    let (termination, _) = verdict(&["closes-input"], a_moment());
    assert!(matches!(termination, Termination::Disconnect | Termination::Stall));
}

#[test]
fn what_is_no_move_is_told_as_it_was_said() {
    for (habit, words) in [
        ("illegal", "`e2e5` in rnbqkbnr/"),
        ("none", "`(none)` in "),
        ("null", "`0000` in "),
        ("empty", "`nothing after bestmove` in "),
        ("claims", "claims a win in "),
    ] {
        let (termination, note) = verdict(&[habit], any_time());
        assert_eq!(termination, Termination::IllegalMove, "{habit}");
        assert!(note.starts_with(words), "{note}");
    }
    assert_eq!(verdict(&["resigns"], any_time()).0, Termination::Resignation);
}

#[test]
fn a_move_counts_although_its_engine_leaves_with_it() {
    for habit in ["leaves-after-its-move", "last-words"] {
        let entrants = [
            outside("bad", animal(Protocol::Uci, &[habit]), any_time()),
            outside("good", animal(Protocol::Uci, &[]), nodes(1)),
        ];
        let pair = pair(&duel(GameKind::Chess, entrants)).expect("the match can be played");
        let plies = pair.games.each_ref().map(|game| game.plies.0);
        assert_eq!(plies, [2, 3], "{habit}: its first move stands, its second never comes");
        for game in &pair.games {
            assert_eq!(game.termination, Termination::Disconnect, "{habit}");
        }
    }
}

#[test]
fn what_cannot_be_started_is_no_result() {
    let error = |program| {
        let entrants = [outside("bad", program, any_time()), builtin()];
        let error = pair(&duel(GameKind::Chess, entrants)).expect_err("no match");
        assert!(error.to_string().starts_with("engine bad: "), "{error}");
        match error {
            DuelError::Start { source, .. } => source,
            other => panic!("{other}"),
        }
    };
    let mut nobody = animal(Protocol::Uci, &[]);
    nobody.command = "./nobody-is-here".into();
    assert!(matches!(error(nobody), StartError::Spawn { .. }));
    let gone = error(animal(Protocol::Uci, &["dies-in-startup"])).to_string();
    assert!(gone.contains("ended with status 7; its last words: cannot find my net"), "{gone}");
    let gone = error(animal(Protocol::Uci, &["dies-before-ready"])).to_string();
    assert!(gone.contains("ended with status 6; its last words: cannot allocate"), "{gone}");
    for habit in ["mute-at-startup", "never-ready"] {
        let mut mute = animal(Protocol::Uci, &[habit]);
        mute.start_within = std::time::Duration::from_millis(150);
        let silent = error(mute).to_string();
        assert!(silent.contains("has not said `"), "{silent}");
        assert!(silent.contains("within 0.15 s"), "{silent}");
    }
    for (name, value, part) in [
        ("Hush", "1", "allowed: Hash, Clear Hash, Style"),
        ("Hash", "65", "a whole number from 1 to 64"),
        ("Style", "Wild", "Solid, Very Wild"),
    ] {
        let mut program = animal(Protocol::Uci, &[]);
        program.options = vec![(name.to_owned(), value.to_owned())];
        let refused = error(program).to_string();
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn a_raised_signal_ends_a_game_that_waits() {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let entrants = [outside("bad", animal(Protocol::Uci, &["silent"]), any_time()), builtin()];
    let mut player = DuelPlayer::new(&duel(GameKind::Chess, entrants)).expect("players");
    let opening = Opening { index: PairIndex(0), position: Chess::start().to_fen() };
    let pair = std::thread::scope(|scope| {
        let slot = scope.spawn(|| player.play(&opening, &stop));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        slot.join().expect("the slot ends")
    });
    assert!(matches!(pair, Ok(None)), "{pair:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_an_engine_has_started_ends_with_it() {
    let (termination, note) = verdict(&["has-a-child", "crashes"], any_time());
    assert_eq!(termination, Termination::Disconnect);
    let child = note.rsplit(' ').next().expect("a number");
    // It was killed before the verdict was given; that it is gone may take the system a moment.
    for _ in 0..1000 {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().unwrap_or_default();
        if !stat.contains("sleep") || state.starts_with('Z') {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{note}: it still runs");
}
