//! Claims about referee and pairs, on real games of both rules.

use super::*;
use games::xiangqi::Xiangqi;
use games::{Game, RuleWinner, tictactoe::TicTacToe};
use model::evals::{MoveEval, MoveTime};
use model::lease::{GameRecord, Opening, PairIndex};
use model::spec::GameLimit;
use model::{
    Adjudication, DrawRule, GameKind, GameScore, Nodes, ParameterSet, Ply, ResignRule, Score,
    Termination,
};
use std::sync::atomic::{AtomicBool, Ordering};

static RUNNING: AtomicBool = AtomicBool::new(false);

fn limit(nodes: u64, max_plies: u64) -> GameLimit {
    GameLimit::new(Nodes(nodes), Ply(max_plies), 1024)
}

fn set(values: &[(&str, f64)]) -> ParameterSet {
    values.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

fn opening<G: Game>(index: u64) -> Opening {
    Opening { index: PairIndex(index), position: G::start().to_fen() }
}

/// What each move of a scripted player takes.
const TIME: MoveTime = MoveTime(250);

/// What a scripted player says of each move.
const EVAL: MoveEval = MoveEval { score: Score(7), depth: 3, nodes: Nodes(10) };

/// Plays a fixed list of moves, legal or not.
struct Scripted<G: Game> {
    moves: std::vec::IntoIter<G::Move>,
    games: u32,
}

impl<G: Game> Scripted<G> {
    fn new(moves: Vec<G::Move>) -> Self {
        Self { moves: moves.into_iter(), games: 0 }
    }
}

impl<G: Game> Player<G> for Scripted<G> {
    fn new_game(&mut self) {
        self.games += 1;
    }

    fn choose(&mut self, _: &mut G, _: Nodes, _: &AtomicBool) -> Choice<G::Move> {
        Choice { mv: self.moves.next(), eval: EVAL, time: Some(TIME) }
    }
}

/// The moves of every second half-move of a line, beginning with `from`.
fn every_other<G: Game>(line: &str, from: usize) -> Vec<G::Move> {
    let mut position = G::start();
    let mut moves = Vec::new();
    for (ply, text) in line.split(' ').enumerate() {
        let mv = position.move_from_text(text).expect("a legal line");
        if ply % 2 == from {
            moves.push(mv);
        }
        position.make(mv);
    }
    moves
}

fn played(end: Result<GameEnd, ArenaError>) -> PlayedGame {
    match end {
        Ok(GameEnd::Played(game)) => game,
        other => panic!("{other:?}"),
    }
}

/// Replays a record by the rules alone and returns the score of the side that moved first.
fn replay<G: Game>(opening: &Opening, record: &GameRecord) -> (Option<GameScore>, Termination) {
    let mut position = G::from_fen(&opening.position).expect("an opening");
    for text in record.moves.split(' ') {
        assert_eq!(position.result(), None, "moves after the end: {}", record.moves);
        let mv = position.move_from_text(text).expect("recorded moves are legal");
        position.make(mv);
    }
    assert_eq!(record.plies.0, position.plies_made() as u64);
    let Some(over) = position.result() else { return (None, Termination::PlyLimit) };
    let first_is_to_move = record.plies.0.is_multiple_of(2);
    let score = match (over.winner, first_is_to_move) {
        (RuleWinner::Draw, _) => GameScore::Draw,
        (RuleWinner::SideToMove, true) | (RuleWinner::Opponent, false) => GameScore::Win,
        (RuleWinner::SideToMove, false) | (RuleWinner::Opponent, true) => GameScore::Loss,
    };
    (Some(score), over.reason)
}

fn reversed(score: GameScore) -> GameScore {
    match score {
        GameScore::Win => GameScore::Loss,
        GameScore::Draw => GameScore::Draw,
        GameScore::Loss => GameScore::Win,
    }
}

fn pairs_agree_with_the_rules<G: engine::SearchGame>(matchup: &Matchup, pairs: u64) {
    let mut slot = PairPlayer::new(G::KIND, matchup.limit.hash_kib);
    for index in 0..pairs {
        let opening = opening::<G>(index);
        let pair = slot.play(matchup, &opening, &RUNNING).unwrap().expect("not stopped");
        assert_eq!(pair.index, opening.index);
        for (record, candidate_moves_first) in
            [(&pair.candidate_first, true), (&pair.base_first, false)]
        {
            let (score, reason) = replay::<G>(&opening, record);
            let score = score.unwrap_or(GameScore::Draw);
            let score = if candidate_moves_first { score } else { reversed(score) };
            assert_eq!((record.score, record.termination), (score, reason));
            assert!(record.nodes.0 >= record.plies.0 / 2);
        }
    }
}

#[test]
fn recorded_results_are_those_of_the_rules() {
    let weak = set(&[("lmp_base", 1.0), ("qs_delta", 0.0)]);
    let matchup =
        Matchup::new(GameKind::Xiangqi, limit(120, 300), &ParameterSet::default(), &weak).unwrap();
    pairs_agree_with_the_rules::<Xiangqi>(&matchup, 2);
    let matchup =
        Matchup::new(GameKind::TicTacToe, limit(40, 20), &ParameterSet::default(), &weak).unwrap();
    pairs_agree_with_the_rules::<TicTacToe>(&matchup, 3);
}

#[test]
fn a_pair_is_a_function_of_opening_parameters_and_limits() {
    let other = set(&[("rfp_margin", 60.0), ("lmr_base", 0.9)]);
    let matchup =
        Matchup::new(GameKind::Xiangqi, limit(300, 120), &other, &ParameterSet::default()).unwrap();
    let mut used = PairPlayer::new(GameKind::Xiangqi, matchup.limit.hash_kib);
    let start = opening::<Xiangqi>(7);
    let once = used.play(&matchup, &start, &RUNNING).unwrap();
    let side_line = Opening {
        index: PairIndex(8),
        position: "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2".into(),
    };
    let between = used.play(&matchup, &side_line, &RUNNING).unwrap();
    assert_ne!(once.as_ref().map(|p| &p.base_first), between.as_ref().map(|p| &p.base_first));
    assert_eq!(once, used.play(&matchup, &start, &RUNNING).unwrap());
    let mut fresh = PairPlayer::new(GameKind::TicTacToe, 16);
    assert_eq!(once, fresh.play(&matchup, &start, &RUNNING).unwrap());
}

#[test]
fn what_the_searches_say_is_recorded_if_it_is_asked_for() {
    let default = ParameterSet::default();
    let matchup = Matchup::new(GameKind::TicTacToe, limit(40, 20), &default, &default).unwrap();
    let mut slot = PairPlayer::new(GameKind::TicTacToe, 16);
    let opening = opening::<TicTacToe>(0);
    let without = slot.play(&matchup, &opening, &RUNNING).unwrap().unwrap();
    assert!(without.candidate_first.evals.is_empty() && without.base_first.evals.is_empty());
    let matchup = matchup.recording_evals(true);
    let with = slot.play(&matchup, &opening, &RUNNING).unwrap().unwrap();
    for game in [&with.candidate_first, &with.base_first] {
        assert_eq!(game.evals.len() as u64, game.plies.0);
        assert_eq!(game.evals.iter().map(|eval| eval.nodes.0).sum::<u64>(), game.nodes.0);
    }
    assert_eq!(with.candidate_first.moves, without.candidate_first.moves);
}

#[test]
fn equal_sides_play_the_same_game_twice() {
    let default = ParameterSet::default();
    let matchup = Matchup::new(GameKind::Xiangqi, limit(200, 60), &default, &default).unwrap();
    let mut slot = PairPlayer::new(GameKind::Xiangqi, 1024);
    let pair = slot.play(&matchup, &opening::<Xiangqi>(0), &RUNNING).unwrap().unwrap();
    assert_eq!(pair.candidate_first.moves, pair.base_first.moves);
    assert_eq!(pair.candidate_first.score, reversed(pair.base_first.score));
}

#[test]
fn the_winner_of_a_game_is_the_seat_that_made_the_line() {
    let line = "a1 b1 a2 b2 a3";
    let mut first = Scripted::<TicTacToe>::new(every_other::<TicTacToe>(line, 0));
    let mut second = Scripted::new(every_other::<TicTacToe>(line, 1));
    let start = TicTacToe::start();
    let game = played(play_game(&start, &mut first, &mut second, &limit(1, 9), &RUNNING));
    assert_eq!(
        game,
        PlayedGame {
            winner: Some(Seat::First),
            termination: Termination::Board,
            plies: Ply(5),
            nodes: Nodes(50),
            moves: line.to_owned(),
            evals: vec![EVAL; 5],
            times: vec![TIME; 5],
        }
    );
    assert_eq!((first.games, second.games), (1, 1));
}

#[test]
fn a_game_at_the_ply_limit_is_a_draw() {
    let line = "a1 b1 a2 b2 a3";
    let mut first = Scripted::<TicTacToe>::new(every_other::<TicTacToe>(line, 0));
    let mut second = Scripted::new(every_other::<TicTacToe>(line, 1));
    let start = TicTacToe::start();
    let game = played(play_game(&start, &mut first, &mut second, &limit(1, 4), &RUNNING));
    assert_eq!((game.winner, game.termination), (None, Termination::PlyLimit));
    assert_eq!(game.moves, "a1 b1 a2 b2");
}

#[test]
fn scores_end_a_game_where_the_limits_say_so_and_the_rules_do_not() {
    let line = "a1 b1 a2 b2 a3";
    let ends = |max_plies, adjudication| {
        let mut first = Scripted::<TicTacToe>::new(every_other::<TicTacToe>(line, 0));
        let mut second = Scripted::new(every_other::<TicTacToe>(line, 1));
        let limit = GameLimit { adjudication, ..limit(1, max_plies) };
        let game =
            played(play_game(&TicTacToe::start(), &mut first, &mut second, &limit, &RUNNING));
        (game.winner, game.termination, game.plies.0)
    };
    // Each says that it is 7 ahead.
    let draw = |move_count, score| Adjudication {
        draw: Some(DrawRule { move_number: 0, move_count, score }),
        ..Adjudication::OFF
    };
    assert_eq!(ends(9, draw(1, 7)), (None, Termination::Adjudication, 2));
    assert_eq!(ends(9, draw(1, 6)), (Some(Seat::First), Termination::Board, 5));
    assert_eq!(ends(4, draw(2, 7)), (None, Termination::PlyLimit, 4), "the limit comes first");
    let resign = ResignRule { move_count: 1, score: 7, two_sided: false };
    let lost = Adjudication { resign: Some(resign), ..Adjudication::OFF };
    assert_eq!(ends(9, lost), (Some(Seat::First), Termination::Board, 5));
}

#[test]
fn a_win_on_the_last_allowed_ply_is_a_win() {
    let line = "a1 b1 a2 b2 a3";
    let mut first = Scripted::<TicTacToe>::new(every_other::<TicTacToe>(line, 0));
    let mut second = Scripted::new(every_other::<TicTacToe>(line, 1));
    let start = TicTacToe::start();
    let game = played(play_game(&start, &mut first, &mut second, &limit(1, 5), &RUNNING));
    assert_eq!((game.winner, game.termination), (Some(Seat::First), Termination::Board));
}

#[test]
fn an_illegal_move_ends_the_pair_with_an_error() {
    let mv = TicTacToe::start().move_from_text("b2").unwrap();
    let mut first = Scripted::<TicTacToe>::new(vec![mv]);
    let mut second = Scripted::<TicTacToe>::new(vec![mv]);
    let start = TicTacToe::start();
    let error = play_game(&start, &mut first, &mut second, &limit(1, 9), &RUNNING).unwrap_err();
    assert!(matches!(&error, ArenaError::IllegalMove { ply: 1, found, .. } if found == "b2"));
}

#[test]
fn a_player_without_a_move_ends_the_pair_with_an_error() {
    let mut first = Scripted::<Xiangqi>::new(Vec::new());
    let mut second = Scripted::<Xiangqi>::new(Vec::new());
    let start = Xiangqi::start();
    let error = play_game(&start, &mut first, &mut second, &limit(1, 9), &RUNNING).unwrap_err();
    assert_eq!(error, ArenaError::NoMove { ply: 0, position: start.to_fen() });
}

#[test]
fn a_raised_signal_leaves_no_record() {
    let default = ParameterSet::default();
    let matchup = Matchup::new(GameKind::Xiangqi, limit(u64::MAX, 60), &default, &default).unwrap();
    let mut slot = PairPlayer::new(GameKind::Xiangqi, 1024);
    let stop = AtomicBool::new(false);
    let pair = std::thread::scope(|scope| {
        let slot = scope.spawn(|| slot.play(&matchup, &opening::<Xiangqi>(0), &stop));
        stop.store(true, Ordering::Relaxed);
        slot.join().expect("the slot ends")
    });
    assert_eq!(pair, Ok(None));
}

#[test]
fn openings_that_cannot_be_played_are_named() {
    let cases = [
        (GameKind::Xiangqi, "hello", "opening `hello` is no position: "),
        (GameKind::Xiangqi, "\x1b[31m", "opening `·[31m` is no position: "),
        (GameKind::TicTacToe, "xxx/oo./... o", "opening `xxx/oo./... o` is over by rule (board)"),
    ];
    for (game, text, expected) in cases {
        let error = check_opening(game, text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(check_opening(GameKind::Xiangqi, &Xiangqi::start().to_fen()), Ok(()));
}

#[test]
fn parameters_that_the_engine_does_not_know_are_named_with_their_side() {
    let (good, bad) = (ParameterSet::default(), set(&[("lmr_bass", 1.0)]));
    let error = Matchup::new(GameKind::Xiangqi, limit(1, 2), &good, &bad).unwrap_err();
    assert!(error.to_string().starts_with("parameters of the base: unknown parameter `lmr_bass`"));
}

#[test]
fn each_side_of_a_pair_may_have_nodes_of_its_own() {
    let matchup = matchup_of_defaults(GameKind::Xiangqi, limit(60, 12));
    let mut player = PairPlayer::new(GameKind::Xiangqi, 1024);
    let opening = opening::<Xiangqi>(3);
    let mut play = |nodes: [u64; 2]| {
        let nodes = nodes.map(Nodes);
        player.play_with(&matchup, &opening, nodes, &RUNNING).unwrap().expect("nothing stops it")
    };
    let equal = play([60, 60]);
    let unequal = play([600, 60]);
    assert!(unequal.candidate_first.nodes.0 > 3 * equal.candidate_first.nodes.0, "{unequal:?}");
    assert_eq!(play([60, 60]), equal);
    assert_eq!(player.play(&matchup, &opening, &RUNNING).unwrap(), Some(equal));
}

fn matchup_of_defaults(game: GameKind, limit: GameLimit) -> Matchup {
    let defaults = ParameterSet::default();
    Matchup::new(game, limit, &defaults, &defaults).expect("the defaults are in range")
}
