//! Small valid specifications and invented results.

use coordinator::book;
use model::{GameScore, PairOutcome, Tally};
use proto::v1;

/// Parameter names that puppets offer.
pub const PARAMETERS: [&str; 2] = ["alpha_margin", "beta_depth"];

/// A book of tic-tac-toe: every position after one move of each side.
#[must_use]
pub fn book_text() -> String {
    use games::Game;
    let mut lines = Vec::new();
    let start = games::tictactoe::TicTacToe::start();
    let mut first = games::MoveList::new();
    start.legal(&mut first);
    for &a in first.iter() {
        let mut after = start.clone();
        after.make(a);
        let mut second = games::MoveList::new();
        after.legal(&mut second);
        for &b in second.iter() {
            let mut position = after.clone();
            position.make(b);
            lines.push(position.to_fen());
        }
    }
    lines.join("\n")
}

fn base(name: &str, pairs_of_lease: u32) -> v1::RunSpec {
    v1::RunSpec {
        name: name.to_owned(),
        game: v1::Game::TicTacToe.into(),
        seed: 7,
        weight: 1.0,
        limit: Some(v1::GameLimit {
            nodes_per_move: 50,
            max_plies: 20,
            hash_kib: 64,
            adjudication: None,
        }),
        book_sha256: book::sha256(book_text().as_bytes()),
        book_in_order: false,
        lease_pairs: pairs_of_lease,
        lease_seconds: 0,
        keep: None,
        canaries_per_million: None,
        players: None,
        job: None,
    }
}

/// A tune of two parameters, one of each kind.
#[must_use]
pub fn tune(pairs: u64, pairs_of_lease: u32) -> v1::RunSpec {
    let parameter = |name: &str, kind: v1::ParameterKind| v1::ParameterDef {
        name: name.to_owned(),
        kind: kind.into(),
        start: 50.0,
        min: 0.0,
        max: 100.0,
        c_end: 5.0,
        r_end: 0.01,
    };
    let job = v1::TuneSpec {
        pairs,
        alpha: 0.602,
        gamma: 0.101,
        a_ratio: 0.1,
        parameters: vec![
            parameter(PARAMETERS[0], v1::ParameterKind::Float),
            parameter(PARAMETERS[1], v1::ParameterKind::Int),
        ],
        ..v1::TuneSpec::default()
    };
    v1::RunSpec { job: Some(v1::run_spec::Job::Tune(job)), ..base("a tune", pairs_of_lease) }
}

/// The same tune, moved by the regression with its usual settings.
#[must_use]
pub fn regression(pairs: u64, pairs_of_lease: u32) -> v1::RunSpec {
    let mut spec = tune(pairs, pairs_of_lease);
    if let Some(v1::run_spec::Job::Tune(tune)) = &mut spec.job {
        tune.optimizer = v1::Optimizer::Bqr.into();
        tune.bqr = Some(v1::BqrSettings {
            pair_deviation: None,
            probe_loss: None,
            scale_limit: 3.0,
            forget: 0.0,
            reach: None,
        });
    }
    spec
}

/// A test of one value against another.
#[must_use]
pub fn test(max_pairs: u64, pairs_of_lease: u32) -> v1::RunSpec {
    let set = |value: f64| {
        let name = PARAMETERS[0].to_owned();
        Some(v1::ParameterSet { values: vec![v1::ParameterValue { name, value }] })
    };
    let job = v1::TestSpec {
        candidate: set(60.0),
        base: set(50.0),
        candidate_run_id: 0,
        elo0: 0.0,
        elo1: 10.0,
        alpha: 0.05,
        beta: 0.05,
        elo_model: v1::EloModel::Normalized.into(),
        max_pairs,
        futility: 0.0,
        fixed_length: false,
    };
    v1::RunSpec { job: Some(v1::run_spec::Job::Test(job)), ..base("a test", pairs_of_lease) }
}

/// The same candidate in a match of this length, without hypotheses.
#[must_use]
pub fn fixed_match(pairs: u64, pairs_of_lease: u32) -> v1::RunSpec {
    let mut spec = test(pairs, pairs_of_lease);
    if let Some(v1::run_spec::Job::Test(test)) = &mut spec.job {
        *test = v1::TestSpec {
            candidate: test.candidate.take(),
            base: test.base.take(),
            max_pairs: pairs,
            fixed_length: true,
            ..v1::TestSpec::default()
        };
    }
    spec
}

/// A race of these values against 50.
#[must_use]
pub fn race(
    values: &[f64],
    stop: v1::RaceStop,
    max_pairs: u64,
    pairs_of_lease: u32,
) -> v1::RunSpec {
    let set = |value: f64| {
        let name = PARAMETERS[0].to_owned();
        Some(v1::ParameterSet { values: vec![v1::ParameterValue { name, value }] })
    };
    let candidate = |value: &f64| v1::RaceCandidate {
        name: format!("with {value}"),
        values: set(*value),
        run_id: 0,
    };
    let job = v1::RaceSpec {
        candidates: values.iter().map(candidate).collect(),
        base: set(50.0),
        elo0: 0.0,
        elo1: 10.0,
        alpha: 0.05,
        beta: 0.05,
        elo_model: v1::EloModel::Normalized.into(),
        stop: stop.into(),
        max_pairs,
    };
    v1::RunSpec { job: Some(v1::run_spec::Job::Race(job)), ..base("a race", pairs_of_lease) }
}

/// A worker that offers tic-tac-toe with [`PARAMETERS`].
#[must_use]
pub fn hello(number: u8) -> v1::Hello {
    v1::Hello {
        protocol_version: proto::PROTOCOL_VERSION,
        name: format!("puppet {number}"),
        software_version: "0.0.0".to_owned(),
        slots: 2,
        cores: 2,
        platform: "test".to_owned(),
        engines: vec![v1::EngineOffer {
            game: v1::Game::TicTacToe.into(),
            engine: "builtin".to_owned(),
            bench_nodes: model::GameKind::TicTacToe.bench_signature().0,
            parameters: PARAMETERS.map(str::to_owned).to_vec(),
        }],
        held_leases: Vec::new(),
        max_hash_kib: 0,
        only_run_id: 0,
        arena: None,
    }
}

/// A reproducible outcome for a pair: every cell of the pentanomial comes up.
#[must_use]
pub fn outcome(index: u64) -> PairOutcome {
    let score = |n: u64| match n % 3 {
        0 => GameScore::Loss,
        1 => GameScore::Draw,
        _ => GameScore::Win,
    };
    PairOutcome { first: score(index), second: score(index / 3) }
}

/// A report with the first `finished` pairs of a lease, of which those from `acknowledged` on are
/// sent.
#[must_use]
pub fn report(
    lease: &v1::Lease,
    finished: usize,
    acknowledged: usize,
    outcome: impl Fn(u64) -> PairOutcome,
) -> v1::Report {
    let played = &lease.openings[..finished];
    let tally: Tally = played.iter().map(|o| outcome(o.pair_index)).collect();
    v1::Report {
        lease_id: lease.lease_id,
        epoch: lease.epoch,
        sequence: u32::try_from(finished).expect("a lease is small"),
        cumulative: Some(v1::Tally {
            pentanomial_pairs: tally.pentanomial.0.to_vec(),
            wins_games: tally.wdl.wins,
            draws_games: tally.wdl.draws,
            losses_games: tally.wdl.losses,
        }),
        pairs: played[acknowledged..].iter().map(|o| pair(o, outcome(o.pair_index))).collect(),
    }
}

/// A report of a whole lease.
#[must_use]
pub fn whole_report(lease: &v1::Lease, outcome: impl Fn(u64) -> PairOutcome) -> v1::Report {
    report(lease, lease.openings.len(), 0, outcome)
}

fn pair(opening: &v1::Opening, outcome: PairOutcome) -> v1::PairRecord {
    let flipped = match outcome.second {
        GameScore::Loss => GameScore::Win,
        GameScore::Draw => GameScore::Draw,
        GameScore::Win => GameScore::Loss,
    };
    let game = |score: GameScore, of_first: GameScore| {
        let moves = moves(&opening.position, of_first);
        v1::GameRecord {
            score: match score {
                GameScore::Loss => v1::GameScore::Loss,
                GameScore::Draw => v1::GameScore::Draw,
                GameScore::Win => v1::GameScore::Win,
            }
            .into(),
            termination: v1::Termination::Board.into(),
            plies: u32::try_from(moves.split(' ').count()).expect("nine squares"),
            nodes: 100,
            moves,
            ..v1::GameRecord::default()
        }
    };
    v1::PairRecord {
        pair_index: opening.pair_index,
        candidate_first: Some(game(outcome.first, outcome.first)),
        base_first: Some(game(outcome.second, flipped)),
    }
}

/// The moves of a game of tic-tac-toe from an opening of [`book_text`] that ends so for who moves
/// first.
///
/// # Panics
/// The position is none of that book.
#[must_use]
pub fn moves(opening: &str, of_first: GameScore) -> String {
    use games::{Game, RuleWinner, tictactoe::TicTacToe};

    fn found(position: &mut TicTacToe, is_first: bool, wanted: GameScore) -> Option<Vec<String>> {
        if let Some(result) = position.result() {
            let score = match result.winner {
                RuleWinner::Draw => GameScore::Draw,
                RuleWinner::SideToMove if is_first => GameScore::Win,
                RuleWinner::Opponent if !is_first => GameScore::Win,
                RuleWinner::SideToMove | RuleWinner::Opponent => GameScore::Loss,
            };
            return (score == wanted).then(Vec::new);
        }
        let mut legal = games::MoveList::new();
        position.legal(&mut legal);
        legal.iter().find_map(|&mv| {
            let text = position.move_to_text(mv);
            position.make(mv);
            let rest = found(position, !is_first, wanted);
            position.unmake();
            rest.map(|mut rest| {
                rest.insert(0, text);
                rest
            })
        })
    }

    let mut position = TicTacToe::from_fen(opening).expect("a position of the book");
    found(&mut position, true, of_first).expect("every result is possible").join(" ")
}
