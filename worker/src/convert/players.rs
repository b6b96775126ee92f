//! Who plays a lease, judged on its way in: a coordinator is a stranger, and so is an engine.

use super::{NODES, Refusal, refuse, within};
use model::spec::{EngineSpec, ExternalEngine, MOST_ARTEFACT_BYTES, PlayerSpec, Players};
use model::{GameKind, Nodes, SideLimit, TimeControl, printable};
use proto::v1;
use std::time::Duration;

/// Longest time for a move, and for a clock.
const MOST_MICROS: u64 = 6 * 3_600_000_000;
/// Longest margin.
const MOST_MARGIN: u64 = 60_000_000;

/// The players of a lease of this game.
pub(super) fn players(game: GameKind, wire: Option<v1::Players>) -> Result<Players, Refusal> {
    let wire = wire.ok_or_else(|| refuse("players", "none", "who plays"))?;
    let v1::Players { candidate, base, reference_speed } = wire;
    Ok(Players {
        candidate: player(game, candidate)?,
        base: player(game, base)?,
        reference_speed: Some(Nodes(reference_speed)).filter(|speed| speed.0 > 0),
    })
}

fn player(game: GameKind, wire: Option<v1::Player>) -> Result<PlayerSpec, Refusal> {
    let wire = wire.ok_or_else(|| refuse("players", "one side", "both sides"))?;
    let limit = side_limit(wire.limit.unwrap_or_default())?;
    let engine = match wire.engine {
        None => EngineSpec::Builtin,
        Some(engine) => EngineSpec::External(external(game, engine)?),
    };
    Ok(PlayerSpec { engine, limit })
}

fn external(game: GameKind, wire: v1::ExternalEngine) -> Result<ExternalEngine, Refusal> {
    let engine = ExternalEngine {
        artefact: wire.artefact_sha256,
        bytes: within("players.engine.bytes", wire.artefact_bytes, 1..=MOST_ARTEFACT_BYTES)?,
        manifest: wire.manifest,
    };
    match engine.check("players.engine", game) {
        Ok(_) => Ok(engine),
        Err(findings) => {
            let found = printable(&findings.to_string(), 300);
            Err(refuse("players.engine", found, "an engine of the lease's game"))
        }
    }
}

fn side_limit(wire: v1::SideLimit) -> Result<SideLimit, Refusal> {
    let v1::SideLimit { nodes, depth, movetime_us, clock, margin_us } = wire;
    let clock = match clock {
        None => None,
        Some(v1::Clock { base_us, increment_us, moves }) => {
            let most = MOST_MICROS;
            let base = within("players.limit.clock", base_us, 0..=most)?;
            let increment = within("players.limit.clock", increment_us, 0..=most)?;
            let [base, increment] = [base, increment].map(Duration::from_micros);
            let clock = TimeControl::new(base, increment, Some(moves).filter(|moves| *moves > 0));
            Some(clock.ok_or_else(|| refuse("players.limit.clock", "no time", "some time"))?)
        }
    };
    let limit = SideLimit {
        clock,
        movetime: match movetime_us {
            0 => None,
            each => {
                let each = within("players.limit.movetime_us", each, 1..=MOST_MICROS)?;
                Some(Duration::from_micros(each))
            }
        },
        nodes: match nodes {
            0 => None,
            nodes => Some(within("players.limit.nodes", nodes, NODES)?),
        },
        depth: match depth {
            0 => None,
            depth => Some(within("players.limit.depth", depth, 1..=1000)?),
        },
        margin: Duration::from_micros(within(
            "players.limit.margin_us",
            margin_us,
            0..=MOST_MARGIN,
        )?),
    };
    let one_of_time = limit.clock.is_none() || limit.movetime.is_none();
    if limit.is_empty() || !one_of_time {
        return Err(refuse(
            "players.limit",
            format!("`{limit}`"),
            "a limit, and one of time at most",
        ));
    }
    Ok(limit)
}
