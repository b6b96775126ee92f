//! The wire and the words of the project: everything a coordinator sends is judged here.
//!
//! A coordinator is a stranger. What passes this file is within bounds; whether the engine takes the
//! values and the rules take the positions is for `arena` to say.

mod adjudication;
mod players;

use crate::holdings::LeaseKey;
use crate::offer::{ADJUDICATED, BUILTIN, Offer, PLAYERS};
use crate::{Only, Settings};
use model::evals;
use model::lease::{GameRecord, Opening, PairIndex, PairRecord, Report, WorkOrder};
use model::spec::GameLimit;
use model::{GameKind, GameScore, LeaseId, Nodes, ParameterSet, Ply, RunId, Tally, Termination};
use proto::v1;
use std::ops::RangeInclusive;

const OPENINGS: RangeInclusive<usize> = 1..=1000;
const POSITION_BYTES: RangeInclusive<usize> = 1..=256;
const PARAMETERS: RangeInclusive<usize> = 0..=20_000;
const NODES: RangeInclusive<u64> = 1..=1_000_000_000;
const PLIES: RangeInclusive<u32> = 2..=2000;
/// Below this no table is of use.
const MIN_HASH_KIB: u32 = 16;

/// A lease that breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found {found}; allowed: {allowed}")]
pub(crate) struct Refusal {
    field: &'static str,
    found: String,
    allowed: String,
}

fn refuse(field: &'static str, found: impl ToString, allowed: impl ToString) -> Refusal {
    Refusal { field, found: found.to_string(), allowed: allowed.to_string() }
}

fn within<T: PartialOrd + std::fmt::Display>(
    field: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, Refusal> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(refuse(field, value, format!("{} to {}", range.start(), range.end())))
}

fn game(wire: i32) -> Result<GameKind, Refusal> {
    match v1::Game::try_from(wire) {
        Ok(v1::Game::Xiangqi) => Ok(GameKind::Xiangqi),
        Ok(v1::Game::Chess) => Ok(GameKind::Chess),
        Ok(v1::Game::Shogi) => Ok(GameKind::Shogi),
        Ok(v1::Game::Othello) => Ok(GameKind::Othello),
        Ok(v1::Game::TicTacToe) => Ok(GameKind::TicTacToe),
        Ok(v1::Game::Unspecified) | Err(_) => {
            Err(refuse("game", wire, "a game that this worker offers"))
        }
    }
}

/// A game on the wire.
#[must_use]
pub fn wire_game(game: GameKind) -> v1::Game {
    match game {
        GameKind::Xiangqi => v1::Game::Xiangqi,
        GameKind::Chess => v1::Game::Chess,
        GameKind::Shogi => v1::Game::Shogi,
        GameKind::Othello => v1::Game::Othello,
        GameKind::TicTacToe => v1::Game::TicTacToe,
    }
}

fn parameters(
    field: &'static str,
    wire: Option<v1::ParameterSet>,
) -> Result<ParameterSet, Refusal> {
    let values = wire.unwrap_or_default().values;
    within(field, values.len(), PARAMETERS)?;
    let mut set = ParameterSet::default();
    for v1::ParameterValue { name, value } in values {
        let shown = || format!("`{}` = {value}", model::printable(&name, 40));
        let name_ok = (1..=64).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !name_ok || !value.is_finite() {
            let allowed = "1 to 64 letters, digits and `_`, and a finite value";
            return Err(refuse(field, shown(), allowed));
        }
        if set.get(&name).is_some() {
            return Err(refuse(field, shown(), "each name once"));
        }
        set.set(name, value);
    }
    Ok(set)
}

fn openings(wire: Vec<v1::Opening>) -> Result<Vec<Opening>, Refusal> {
    within("openings", wire.len(), OPENINGS)?;
    let mut openings: Vec<Opening> = Vec::with_capacity(wire.len());
    for v1::Opening { pair_index, position } in wire {
        if openings.last().is_some_and(|last| last.index.0 >= pair_index) {
            return Err(refuse("openings.pair_index", pair_index, "growing numbers"));
        }
        if !POSITION_BYTES.contains(&position.len()) {
            let found = format!("{} bytes", position.len());
            return Err(refuse("openings.position", found, "1 to 256 bytes"));
        }
        openings.push(Opening { index: PairIndex(pair_index), position });
    }
    Ok(openings)
}

fn limit(
    game: GameKind,
    wire: Option<v1::GameLimit>,
    max_hash_kib: u32,
) -> Result<GameLimit, Refusal> {
    let wire = wire.ok_or_else(|| refuse("limit", "none", "the limits of the games"))?;
    let hash = MIN_HASH_KIB..=max_hash_kib.max(MIN_HASH_KIB);
    Ok(GameLimit {
        nodes: Nodes(within("limit.nodes_per_move", wire.nodes_per_move, NODES)?),
        max_plies: Ply(within("limit.max_plies", wire.max_plies, PLIES)?.into()),
        hash_kib: within("limit.hash_kib", wire.hash_kib, hash)?,
        adjudication: adjudication::adjudication(game, wire.adjudication)?,
    })
}

/// What a lease asks, if every field keeps to the contract and to this worker's limits.
pub(crate) fn work_order(wire: v1::Lease, max_hash_kib: u32) -> Result<WorkOrder, Refusal> {
    let game = game(wire.game)?;
    let players = match wire.engine.as_str() {
        BUILTIN => None,
        PLAYERS => Some(players::players(game, wire.players)?),
        ADJUDICATED if wire.players.is_none() => None,
        ADJUDICATED => Some(players::players(game, wire.players)?),
        other => {
            let found = format!("`{}`", model::printable(other, 40));
            return Err(refuse("engine", found, "`builtin`, `players` or `adjudicated`"));
        }
    };
    let limit = limit(game, wire.limit, max_hash_kib)?;
    let is_off = limit.adjudication.is_off();
    let lacks_evals = limit.adjudication.is_by_score() && !wire.record_evals;
    if is_off == (wire.engine == ADJUDICATED) || lacks_evals {
        let found = format!("`{}` with ends by `{}`", wire.engine, limit.adjudication);
        let allowed = "ends by score with the engine `adjudicated`, and their scores told";
        return Err(refuse("limit.adjudication", found, allowed));
    }
    Ok(WorkOrder {
        lease: LeaseId(within("lease_id", wire.lease_id, 1..=i64::MAX)?),
        epoch: within("epoch", wire.epoch, 1..=u32::MAX)?,
        run: RunId(within("run_id", wire.run_id, 1..=i64::MAX)?),
        game,
        openings: openings(wire.openings)?,
        candidate: parameters("candidate", wire.candidate)?,
        base: parameters("base", wire.base)?,
        limit,
        record_evals: wire.record_evals,
        players,
    })
}

/// `Hello` of this process.
pub(crate) fn hello(
    settings: &Settings,
    offers: &[Offer],
    arena: v1::ArenaOffer,
    held: impl Iterator<Item = LeaseKey>,
) -> v1::Hello {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    v1::Hello {
        protocol_version: proto::PROTOCOL_VERSION,
        name: settings.name.clone(),
        software_version: env!("CARGO_PKG_VERSION").to_owned(),
        slots: settings.slots,
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        engines: offers
            .iter()
            .filter(|offer| match settings.only {
                Some(Only::Game(game)) => offer.game == game,
                Some(Only::Run(_)) | None => true,
            })
            .map(|offer| v1::EngineOffer {
                game: wire_game(offer.game).into(),
                engine: BUILTIN.to_owned(),
                bench_nodes: offer.bench.0,
                parameters: offer.parameters.iter().map(|&name| name.to_owned()).collect(),
            })
            .collect(),
        max_hash_kib: settings.max_hash_kib,
        only_run_id: match settings.only {
            Some(Only::Run(run)) => run.0,
            Some(Only::Game(_)) | None => 0,
        },
        arena: Some(arena),
        held_leases: held
            .map(|key| v1::LeaseRef { lease_id: key.lease.0, epoch: key.epoch })
            .collect(),
    }
}

/// A report for the wire.
pub(crate) fn report(report: &Report) -> v1::Report {
    v1::Report {
        lease_id: report.lease.0,
        epoch: report.epoch,
        sequence: report.sequence,
        cumulative: Some(tally(&report.cumulative)),
        pairs: report.pairs.iter().map(pair).collect(),
    }
}

/// Counts on the wire.
#[must_use]
pub fn tally(tally: &Tally) -> v1::Tally {
    v1::Tally {
        pentanomial_pairs: tally.pentanomial.0.to_vec(),
        wins_games: tally.wdl.wins,
        draws_games: tally.wdl.draws,
        losses_games: tally.wdl.losses,
    }
}

/// A finished pair on the wire.
#[must_use]
pub fn pair(pair: &PairRecord) -> v1::PairRecord {
    v1::PairRecord {
        pair_index: pair.index.0,
        candidate_first: Some(game_record(&pair.candidate_first)),
        base_first: Some(game_record(&pair.base_first)),
    }
}

fn game_record(game: &GameRecord) -> v1::GameRecord {
    let score = match game.score {
        GameScore::Loss => v1::GameScore::Loss,
        GameScore::Draw => v1::GameScore::Draw,
        GameScore::Win => v1::GameScore::Win,
    };
    let termination = match game.termination {
        Termination::NoMove => v1::Termination::NoMove,
        Termination::Repetition => v1::Termination::Repetition,
        Termination::MoveLimit => v1::Termination::MoveLimit,
        Termination::DeadPosition => v1::Termination::DeadPosition,
        Termination::Board => v1::Termination::Board,
        Termination::Stalemate => v1::Termination::Stalemate,
        Termination::PerpetualCheck => v1::Termination::PerpetualCheck,
        Termination::PerpetualChase => v1::Termination::PerpetualChase,
        Termination::Impasse => v1::Termination::Impasse,
        Termination::PlyLimit => v1::Termination::PlyLimit,
        Termination::TimeForfeit => v1::Termination::TimeForfeit,
        Termination::Stall => v1::Termination::Stall,
        Termination::Disconnect => v1::Termination::Disconnect,
        Termination::IllegalMove => v1::Termination::IllegalMove,
        Termination::Resignation => v1::Termination::Resignation,
        Termination::Adjudication => v1::Termination::Adjudication,
        Termination::Tablebase => v1::Termination::Tablebase,
    };
    v1::GameRecord {
        score: score.into(),
        termination: termination.into(),
        plies: u32::try_from(game.plies.0).unwrap_or(u32::MAX),
        nodes: game.nodes.0,
        moves: game.moves.clone(),
        evals: evals::pack(&game.evals).into(),
        times: evals::pack_times(&game.times).into(),
    }
}

/// An idle reason in words.
pub(crate) fn idle_reason(wire: i32) -> &'static str {
    match v1::IdleReason::try_from(wire) {
        Ok(v1::IdleReason::NoOpenRun) => "no run is open",
        Ok(v1::IdleReason::NotOffered) => "open runs need what this worker does not offer",
        Ok(v1::IdleReason::BudgetSpent) => "every pair that is asked for is leased or counted",
        Ok(v1::IdleReason::Memory) => "open runs need larger tables than this worker allows",
        Ok(v1::IdleReason::OtherEngine) => {
            "the engine built in plays otherwise here than in the coordinator's version: install that"
        }
        Ok(v1::IdleReason::Unplayable) => "this worker could not play the open runs",
        Ok(v1::IdleReason::Version) => "the coordinator is of another version",
        Ok(v1::IdleReason::Draining) => "the coordinator is going away",
        Ok(v1::IdleReason::Refused) => "reports of this worker were refused again and again",
        Ok(v1::IdleReason::Excluded) => "what this worker plays in the open runs is excluded",
        Ok(v1::IdleReason::OnHold) => "a check of this worker's games has failed; it is on hold",
        Ok(v1::IdleReason::TooSlow) => "this worker is too slow for the open runs",
        Ok(v1::IdleReason::Unspecified) | Err(_) => "the coordinator gives no reason",
    }
}

/// A cancel reason in words.
pub(crate) fn cancel_reason(wire: i32) -> &'static str {
    match v1::CancelReason::try_from(wire) {
        Ok(v1::CancelReason::RunEnded) => "the run ended",
        Ok(v1::CancelReason::LeasedElsewhere) => "leased to another worker",
        Ok(v1::CancelReason::UnknownLease) => "unknown to the coordinator",
        Ok(v1::CancelReason::Unspecified) | Err(_) => "no reason given",
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn good_lease() -> v1::Lease {
        let set = |name: &str, value| v1::ParameterSet {
            values: vec![v1::ParameterValue { name: name.into(), value }],
        };
        v1::Lease {
            lease_id: 5,
            epoch: 2,
            run_id: 3,
            game: v1::Game::TicTacToe.into(),
            engine: BUILTIN.into(),
            openings: (10..14)
                .map(|pair_index| v1::Opening { pair_index, position: ".../.../... x".into() })
                .collect(),
            candidate: Some(set("rfp_margin", 100.0)),
            base: Some(set("rfp_margin", 50.0)),
            limit: Some(v1::GameLimit {
                nodes_per_move: 50,
                max_plies: 20,
                hash_kib: 1024,
                adjudication: None,
            }),
            record_evals: true,
            players: None,
        }
    }

    fn resigning(move_count: u32, score: u32) -> v1::Adjudication {
        let resign = v1::ResignRule { move_count, score, two_sided: false };
        v1::Adjudication { draw: None, resign: Some(resign), tablebases: 0 }
    }

    #[test]
    fn a_lease_whose_games_end_by_score_is_taken_with_its_rules() {
        let mut lease = v1::Lease { engine: ADJUDICATED.into(), ..good_lease() };
        lease.limit.as_mut().unwrap().adjudication = Some(resigning(3, 400));
        let order = work_order(lease, 4096).unwrap();
        let rule = model::ResignRule { move_count: 3, score: 400, two_sided: false };
        assert_eq!(order.limit.adjudication.resign, Some(rule));
        assert_eq!((order.limit.adjudication.draw, order.players), (None, None));
    }

    #[test]
    fn a_lease_within_the_contract_is_taken_whole() {
        let order = work_order(good_lease(), 4096).unwrap();
        assert_eq!((order.lease, order.epoch, order.run), (LeaseId(5), 2, RunId(3)));
        assert_eq!(order.openings.len(), 4);
        assert_eq!(order.candidate.get("rfp_margin"), Some(100.0));
        assert_eq!(order.base.get("rfp_margin"), Some(50.0));
        assert_eq!(order.limit.max_plies, Ply(20));
        assert!(order.record_evals);
    }

    #[test]
    fn hostile_leases_are_refused_by_field() {
        type Spoil = fn(&mut v1::Lease);
        let value = |name: &str, value| v1::ParameterValue { name: name.to_owned(), value };
        let cases: &[(&str, Spoil)] = &[
            ("lease_id: found 0;", |l| l.lease_id = 0),
            ("epoch: found 0;", |l| l.epoch = 0),
            ("run_id: found -4;", |l| l.run_id = -4),
            ("game: found 0;", |l| l.game = 0),
            ("game: found 99;", |l| l.game = 99),
            ("players: found none;", |l| l.engine = PLAYERS.into()),
            ("engine: found `sh·`;", |l| l.engine = "sh\x1b".into()),
            ("openings: found 0;", |l| l.openings.clear()),
            ("openings: found 1001;", |l| {
                l.openings = (0..1001)
                    .map(|pair_index| v1::Opening { pair_index, position: "x".into() })
                    .collect();
            }),
            ("openings.pair_index: found 10;", |l| l.openings[1].pair_index = 10),
            ("openings.position: found 100000 bytes;", |l| {
                l.openings[0].position = "k".repeat(100_000);
            }),
            ("limit: found none;", |l| l.limit = None),
            ("limit.adjudication: found `builtin` with ends by `loss 3 moves at -400`", |l| {
                l.limit.as_mut().unwrap().adjudication = Some(resigning(3, 400));
            }),
            ("limit.adjudication: found `adjudicated` with ends by ``", |l| {
                l.engine = ADJUDICATED.into();
            }),
            ("limit.adjudication: found `adjudicated` with ends by `loss", |l| {
                l.engine = ADJUDICATED.into();
                l.limit.as_mut().unwrap().adjudication = Some(resigning(3, 400));
                l.record_evals = false;
            }),
            ("limit.adjudication: found `adjudication.resign.movecount", |l| {
                l.engine = ADJUDICATED.into();
                l.limit.as_mut().unwrap().adjudication = Some(resigning(0, 400));
            }),
            ("limit.adjudication: found `adjudication.resign.score", |l| {
                l.engine = ADJUDICATED.into();
                l.limit.as_mut().unwrap().adjudication = Some(resigning(3, u32::MAX));
            }),
            ("limit.nodes_per_move: found 0;", |l| l.limit.as_mut().unwrap().nodes_per_move = 0),
            ("limit.max_plies: found 4000000000;", |l| {
                l.limit.as_mut().unwrap().max_plies = 4_000_000_000;
            }),
            ("limit.hash_kib: found 8192; allowed: 16 to 4096", |l| {
                l.limit.as_mut().unwrap().hash_kib = 8192;
            }),
        ];
        for (expected, spoil) in cases {
            let mut lease = good_lease();
            spoil(&mut lease);
            let refusal = work_order(lease, 4096).expect_err(expected).to_string();
            assert!(refusal.starts_with(expected), "{refusal}");
        }
        let sets = [
            vec![value("a", f64::NAN)],
            vec![value("a", f64::INFINITY)],
            vec![value("", 1.0)],
            vec![value("a b", 1.0)],
            vec![value(&"a".repeat(65), 1.0)],
            vec![value("a", 1.0), value("a", 2.0)],
            (0..20_001).map(|i| value(&format!("p{i}"), 0.0)).collect(),
        ];
        for values in sets {
            let set = Some(v1::ParameterSet { values });
            let candidate = v1::Lease { candidate: set.clone(), ..good_lease() };
            assert_eq!(work_order(candidate, 4096).unwrap_err().field, "candidate");
            let base = v1::Lease { base: set, ..good_lease() };
            assert_eq!(work_order(base, 4096).unwrap_err().field, "base");
        }
    }
}
