//! The one place where wire types become words of the model, and back.
//!
//! Everything from a worker or an author is hostile until it has passed here: a value that comes
//! out is valid in itself. Whether it fits the state of the cluster, the scheduler decides.

mod adjudication;
pub(crate) mod players;
mod runs;
mod specification;
mod trust;

pub use runs::{wire_history, wire_listed_run, wire_run, wire_share};
pub(crate) use specification::parameter;
pub use specification::spec;
pub use trust::{wire_exclusion, wire_mismatch, wire_worker};

use crate::dispatch::scheduler::{ArenaOffer, CancelReason, GiveBack, Idle, Offer, Push};
use keys::PublicKey;
use model::lease::{GameRecord, PairIndex, PairRecord, Report, WorkOrder};
use model::spec::GameLimit;
use model::view::{GameView, PairView};
use model::{
    GameKind, GameScore, LeaseId, Nodes, ParameterSet, Pentanomial, Ply, Role, RunId, Tally,
    Termination, Wdl, evals, printable,
};
use proto::v1;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Longest record of moves of one game.
const MAX_MOVES_BYTES: usize = 16 * 1024;
/// Most pairs in one report.
const MAX_REPORT_PAIRS: usize = 1_000;
/// Most leases that a worker can say it holds.
const MAX_HELD: usize = 10_000;
/// Most parameters that an engine can offer.
const MAX_PARAMETERS: usize = 20_000;

/// A message that breaks the contract; the session ends with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: found {found}; allowed: {allowed}")]
pub struct WireError {
    /// The field.
    pub field: &'static str,
    /// What stood there.
    pub found: String,
    /// What may stand there.
    pub allowed: &'static str,
}

fn wire(field: &'static str, found: impl ToString, allowed: &'static str) -> WireError {
    WireError { field, found: found.to_string(), allowed }
}

/// Who a worker says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Of its connection.
    pub key: PublicKey,
    /// Whose the key is.
    pub owner: Arc<str>,
    /// For people, printable.
    pub name: String,
    /// Version of its program, printable.
    pub software_version: String,
    /// Operating system and architecture, printable.
    pub platform: String,
    /// Games at the same time.
    pub slots: u32,
    /// Logical cores.
    pub cores: u32,
    /// What it can play.
    pub offer: Offer,
    /// Leases that it still has.
    pub held: Vec<(LeaseId, u32)>,
}

impl Hello {
    /// What the owner of this key says of itself.
    ///
    /// # Errors
    /// The field that breaks the contract.
    pub fn new(hello: v1::Hello, key: PublicKey, owner: Arc<str>) -> Result<Self, WireError> {
        if hello.protocol_version != proto::PROTOCOL_VERSION {
            return Err(wire("protocol_version", hello.protocol_version, "1: update the worker"));
        }
        if !(1..=4096).contains(&hello.slots) {
            return Err(wire("slots", hello.slots, "1 to 4096"));
        }
        if !(1..=65_536).contains(&hello.cores) {
            return Err(wire("cores", hello.cores, "1 to 65536"));
        }
        if hello.held_leases.len() > MAX_HELD {
            return Err(wire("held_leases", hello.held_leases.len(), "at most 10000"));
        }
        let (mut builtin, mut bench) = (BTreeMap::new(), BTreeMap::new());
        for offer in hello.engines {
            // Games and engines of newer workers are no fault of theirs.
            let (Ok(game), "builtin") = (game(offer.game()), offer.engine.as_str()) else {
                continue;
            };
            if offer.parameters.len() > MAX_PARAMETERS {
                return Err(wire("parameters", offer.parameters.len(), "at most 20000"));
            }
            bench.insert(game, offer.bench_nodes);
            builtin.insert(game, offer.parameters.into_iter().collect::<BTreeSet<_>>());
        }
        Ok(Self {
            key,
            owner,
            name: printable(&hello.name, 80),
            software_version: printable(&hello.software_version, 40),
            platform: printable(&hello.platform, 60),
            slots: hello.slots,
            cores: hello.cores,
            offer: Offer {
                builtin,
                bench,
                max_hash_kib: Some(hello.max_hash_kib).filter(|kib| *kib > 0),
                only_run: Some(hello.only_run_id).filter(|id| *id > 0).map(RunId),
                arena: hello.arena.map(|arena| ArenaOffer {
                    externals: arena.externals,
                    max_memory_mib: Some(arena.max_memory_mib).filter(|mib| *mib > 0),
                    adjudicates: arena.adjudicates,
                    tablebase_men: arena.tablebase_men,
                }),
            },
            held: hello.held_leases.iter().map(|l| (LeaseId(l.lease_id), l.epoch)).collect(),
        })
    }
}

fn game(game: v1::Game) -> Result<GameKind, WireError> {
    match game {
        v1::Game::Xiangqi => Ok(GameKind::Xiangqi),
        v1::Game::Chess => Ok(GameKind::Chess),
        v1::Game::Shogi => Ok(GameKind::Shogi),
        v1::Game::Othello => Ok(GameKind::Othello),
        v1::Game::TicTacToe => Ok(GameKind::TicTacToe),
        v1::Game::Unspecified => {
            Err(wire("game", "none", "xiangqi, chess, shogi, othello, tictactoe"))
        }
    }
}

fn wire_game(game: GameKind) -> v1::Game {
    match game {
        GameKind::Xiangqi => v1::Game::Xiangqi,
        GameKind::Chess => v1::Game::Chess,
        GameKind::Shogi => v1::Game::Shogi,
        GameKind::Othello => v1::Game::Othello,
        GameKind::TicTacToe => v1::Game::TicTacToe,
    }
}

/// The token of an invitation; `None` when it has not its length.
pub(crate) fn token(bytes: &[u8]) -> Option<keys::Token> {
    bytes.try_into().ok().map(keys::Token::from_bytes)
}

/// A role; `None` for one that this version does not know.
pub(crate) fn role(role: v1::Role) -> Option<Role> {
    match role {
        v1::Role::Unspecified => None,
        v1::Role::Admin => Some(Role::Admin),
        v1::Role::Author => Some(Role::Author),
        v1::Role::Worker => Some(Role::Worker),
        v1::Role::ReadOnly => Some(Role::ReadOnly),
    }
}

/// A key for the wire.
pub(crate) fn wire_key(stored: &store::StoredKey) -> v1::Key {
    let role = match stored.key.role {
        Role::Admin => v1::Role::Admin,
        Role::Author => v1::Role::Author,
        Role::Worker => v1::Role::Worker,
        Role::ReadOnly => v1::Role::ReadOnly,
    };
    v1::Key {
        key_id: stored.id,
        public_key: stored.key.public_key.to_vec().into(),
        owner: stored.key.owner.clone(),
        role: role.into(),
        label: stored.key.label.clone(),
        created_at_unix_ms: stored.created_at_unix_ms,
        revoked_at_unix_ms: stored.revoked_at_unix_ms.unwrap_or(0),
        revoked_reason: stored.revoked_reason.clone(),
        worker_id: stored.worker.map_or(0, |id| id.0),
    }
}

/// A report, valid in itself.
///
/// # Errors
/// The field that breaks the contract.
pub fn report(report: v1::Report) -> Result<Report, WireError> {
    if report.pairs.len() > MAX_REPORT_PAIRS {
        return Err(wire("pairs", report.pairs.len(), "at most 1000"));
    }
    if report.sequence == 0 || i32::try_from(report.sequence).is_err() {
        return Err(wire("sequence", report.sequence, "1 to 2147483647"));
    }
    let cumulative = tally(report.cumulative.unwrap_or_default())?;
    let pairs = report.pairs.into_iter().map(pair).collect::<Result<Vec<_>, _>>()?;
    Ok(Report {
        lease: LeaseId(report.lease_id),
        epoch: report.epoch,
        sequence: report.sequence,
        cumulative,
        pairs,
    })
}

fn pair(pair: v1::PairRecord) -> Result<PairRecord, WireError> {
    let missing = |field| wire(field, "nothing", "a game");
    Ok(PairRecord {
        index: PairIndex(pair.pair_index),
        candidate_first: record(pair.candidate_first.ok_or_else(|| missing("candidate_first"))?)?,
        base_first: record(pair.base_first.ok_or_else(|| missing("base_first"))?)?,
    })
}

fn record(record: v1::GameRecord) -> Result<GameRecord, WireError> {
    let score = match record.score() {
        v1::GameScore::Loss => GameScore::Loss,
        v1::GameScore::Draw => GameScore::Draw,
        v1::GameScore::Win => GameScore::Win,
        v1::GameScore::Unspecified => return Err(wire("score", record.score, "loss, draw, win")),
    };
    let known =
        Termination::ALL.into_iter().find(|(t, _)| record.termination() == wire_termination(*t));
    let Some((termination, _)) = known else {
        return Err(wire("termination", record.termination, "a reason of the contract"));
    };
    if record.plies > 10_000 {
        return Err(wire("plies", record.plies, "at most 10000"));
    }
    if i64::try_from(record.nodes).is_err() {
        return Err(wire("nodes", record.nodes, "below 2^63"));
    }
    let plain = record.moves.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    if record.moves.len() > MAX_MOVES_BYTES || !plain {
        let found = printable(&record.moves, 40);
        return Err(wire("moves", found, "at most 16 KiB of plain ASCII"));
    }
    let evals = evals::unpack(&record.evals).filter(|evals| {
        let whole = evals.len() as u64 == u64::from(record.plies);
        evals.is_empty() || (whole && evals.iter().all(|eval| eval.nodes.0 < 1 << 63))
    });
    let Some(evals) = evals else {
        let found = format!("{} bytes", record.evals.len());
        return Err(wire("evals", found, "what was said of each move, or nothing"));
    };
    let times = evals::unpack_times(&record.times)
        .filter(|times| times.is_empty() || times.len() as u64 == u64::from(record.plies));
    let Some(times) = times else {
        let found = format!("{} bytes", record.times.len());
        return Err(wire("times", found, "microseconds of each move, or nothing"));
    };
    Ok(GameRecord {
        score,
        termination,
        plies: Ply(u64::from(record.plies)),
        nodes: Nodes(record.nodes),
        moves: record.moves,
        evals,
        times,
    })
}

fn wire_termination(termination: Termination) -> v1::Termination {
    match termination {
        Termination::NoMove => v1::Termination::NoMove,
        Termination::Stalemate => v1::Termination::Stalemate,
        Termination::Repetition => v1::Termination::Repetition,
        Termination::PerpetualCheck => v1::Termination::PerpetualCheck,
        Termination::PerpetualChase => v1::Termination::PerpetualChase,
        Termination::MoveLimit => v1::Termination::MoveLimit,
        Termination::DeadPosition => v1::Termination::DeadPosition,
        Termination::Board => v1::Termination::Board,
        Termination::Impasse => v1::Termination::Impasse,
        Termination::PlyLimit => v1::Termination::PlyLimit,
        Termination::TimeForfeit => v1::Termination::TimeForfeit,
        Termination::Stall => v1::Termination::Stall,
        Termination::Disconnect => v1::Termination::Disconnect,
        Termination::IllegalMove => v1::Termination::IllegalMove,
        Termination::Resignation => v1::Termination::Resignation,
        Termination::Adjudication => v1::Termination::Adjudication,
        Termination::Tablebase => v1::Termination::Tablebase,
    }
}

fn tally(tally: v1::Tally) -> Result<Tally, WireError> {
    // No lease comes near this; sums of such numbers cannot overflow.
    const MOST: u64 = 1 << 40;
    let cells: [u64; 5] =
        tally.pentanomial_pairs.as_slice().try_into().map_err(|_| {
            wire("pentanomial_pairs", tally.pentanomial_pairs.len(), "five numbers")
        })?;
    let (wins, draws, losses) = (tally.wins_games, tally.draws_games, tally.losses_games);
    if cells.iter().chain([&wins, &draws, &losses]).any(|count| *count > MOST) {
        return Err(wire("tally", "a count above 2^40", "counts of one lease"));
    }
    Ok(Tally { pentanomial: Pentanomial(cells), wdl: Wdl { wins, draws, losses } })
}

fn wire_tally(tally: &Tally) -> v1::Tally {
    v1::Tally {
        pentanomial_pairs: tally.pentanomial.0.to_vec(),
        wins_games: tally.wdl.wins,
        draws_games: tally.wdl.draws,
        losses_games: tally.wdl.losses,
    }
}

/// Why a worker gives a lease back.
#[must_use]
pub fn give_back(reason: v1::ReturnReason, detail: &str) -> GiveBack {
    let engine = |what: &str, detail: &str| {
        GiveBack::Unplayable(printable(&format!("an engine {what}: {detail}"), 300))
    };
    match reason {
        v1::ReturnReason::Unplayable => GiveBack::Unplayable(printable(detail, 300)),
        v1::ReturnReason::EngineUnavailable => engine("cannot be had", detail),
        v1::ReturnReason::EngineUnbuildable => engine("does not build", detail),
        v1::ReturnReason::EngineSignature => engine("has another signature", detail),
        v1::ReturnReason::EngineUnusable => engine("cannot be played with", detail),
        v1::ReturnReason::EngineRefused => GiveBack::Unwilling,
        v1::ReturnReason::Unspecified
        | v1::ReturnReason::Shutdown
        | v1::ReturnReason::Restarted => GiveBack::Leaving,
    }
}

/// What is said to a worker.
#[must_use]
pub fn push(push: Push) -> v1::work_response::Message {
    use v1::work_response::Message;
    match push {
        Push::Order(order) => Message::Lease(lease(*order)),
        Push::Cancel { lease, epoch, reason } => {
            let reason = match reason {
                CancelReason::RunEnded => v1::CancelReason::RunEnded,
                CancelReason::LeasedElsewhere => v1::CancelReason::LeasedElsewhere,
                CancelReason::UnknownLease => v1::CancelReason::UnknownLease,
            };
            Message::Cancel(v1::Cancel { lease_id: lease.0, epoch, reason: reason.into() })
        }
        Push::Idle(idle) => Message::Idle(v1::Idle { reason: idle_reason(idle).into() }),
    }
}

/// Why a worker has nothing to do, for the wire.
pub(crate) fn idle_reason(idle: Idle) -> v1::IdleReason {
    match idle {
        Idle::NoOpenRun => v1::IdleReason::NoOpenRun,
        Idle::NotOffered => v1::IdleReason::NotOffered,
        Idle::BudgetSpent => v1::IdleReason::BudgetSpent,
        Idle::Memory => v1::IdleReason::Memory,
        Idle::OtherEngine => v1::IdleReason::OtherEngine,
        Idle::Unplayable => v1::IdleReason::Unplayable,
        Idle::Refused => v1::IdleReason::Refused,
        Idle::Excluded => v1::IdleReason::Excluded,
        Idle::OnHold => v1::IdleReason::OnHold,
        Idle::TooSlow => v1::IdleReason::TooSlow,
    }
}

fn lease(order: WorkOrder) -> v1::Lease {
    let openings = order
        .openings
        .into_iter()
        .map(|opening| v1::Opening { pair_index: opening.index.0, position: opening.position });
    v1::Lease {
        lease_id: order.lease.0,
        epoch: order.epoch,
        run_id: order.run.0,
        game: wire_game(order.game).into(),
        engine: match (&order.players, order.limit.adjudication.is_off()) {
            (_, false) => "adjudicated",
            (Some(_), true) => "players",
            (None, true) => "builtin",
        }
        .to_owned(),
        openings: openings.collect(),
        candidate: Some(wire_set(&order.candidate)),
        base: Some(wire_set(&order.base)),
        limit: Some(wire_limit(order.limit)),
        record_evals: order.record_evals,
        players: order.players.as_ref().map(players::wire_players),
    }
}

fn wire_limit(limit: GameLimit) -> v1::GameLimit {
    v1::GameLimit {
        nodes_per_move: limit.nodes.0,
        max_plies: u32::try_from(limit.max_plies.0).unwrap_or(u32::MAX),
        hash_kib: limit.hash_kib,
        adjudication: adjudication::wire_adjudication(limit.adjudication),
    }
}

fn wire_set(set: &ParameterSet) -> v1::ParameterSet {
    let values = set
        .0
        .iter()
        .map(|(name, value)| v1::ParameterValue { name: name.clone(), value: *value })
        .collect();
    v1::ParameterSet { values }
}

fn wire_score(score: GameScore) -> v1::GameScore {
    match score {
        GameScore::Loss => v1::GameScore::Loss,
        GameScore::Draw => v1::GameScore::Draw,
        GameScore::Win => v1::GameScore::Win,
    }
}

/// A pair of the ledger for the control service.
#[must_use]
pub fn wire_pair(view: &PairView) -> v1::PlayedPair {
    let game = |game: &GameView| v1::GameRecord {
        score: wire_score(game.score).into(),
        termination: wire_termination(game.termination).into(),
        plies: u32::try_from(game.plies.0).unwrap_or(u32::MAX),
        nodes: game.nodes.0,
        moves: game.moves.clone().unwrap_or_default(),
        evals: evals::pack(&game.evals).into(),
        times: evals::pack_times(&game.times).into(),
    };
    v1::PlayedPair {
        run_id: view.run.0,
        worker_id: view.worker.0,
        merged_at_unix_ms: view.merged_at_unix_ms,
        opening: view.opening.clone(),
        pair: Some(v1::PairRecord {
            pair_index: view.pair.0,
            candidate_first: Some(game(&view.candidate_first)),
            base_first: Some(game(&view.base_first)),
        }),
        moves_kept: view.candidate_first.moves.is_some(),
    }
}

/// A published engine for the engine service.
pub(crate) fn wire_published(engine: &store::StoredEngine) -> v1::PublishedEngine {
    v1::PublishedEngine {
        name: engine.name.clone(),
        game: wire_game(engine.game).into(),
        engine: Some(players::wire_engine(&engine.engine)),
        parameters: engine.parameters.iter().map(specification::wire_parameter).collect(),
        owner: engine.owner.clone(),
        published_at_unix_ms: engine.published_at_unix_ms,
    }
}
