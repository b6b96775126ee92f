//! Who plays a run, to the wire and back.

use super::{WireError, missing, unknown};
use model::spec::{EngineSpec, ExternalEngine, PlayerSpec, Players};
use model::{Nodes, SideLimit, TimeControl};
use proto::v1;
use std::time::Duration;

/// Players for the wire.
pub(crate) fn wire_players(players: &Players) -> v1::Players {
    v1::Players {
        candidate: Some(wire_player(&players.candidate)),
        base: Some(wire_player(&players.base)),
        reference_speed: players.reference_speed.map_or(0, |speed| speed.0),
    }
}

fn wire_player(side: &PlayerSpec) -> v1::Player {
    let SideLimit { clock, movetime, nodes, depth, margin } = side.limit;
    let clock = clock.map(|clock| v1::Clock {
        base_us: micros(clock.base),
        increment_us: micros(clock.increment),
        moves: clock.moves.unwrap_or(0),
    });
    v1::Player {
        engine: side.engine.external().map(wire_engine),
        limit: Some(v1::SideLimit {
            nodes: nodes.unwrap_or(0),
            depth: depth.unwrap_or(0),
            movetime_us: movetime.map_or(0, micros),
            clock,
            margin_us: micros(margin),
        }),
    }
}

/// A program of somebody else for the wire.
pub(crate) fn wire_engine(engine: &ExternalEngine) -> v1::ExternalEngine {
    v1::ExternalEngine {
        artefact_sha256: engine.artefact.clone(),
        artefact_bytes: engine.bytes,
        manifest: engine.manifest.clone(),
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Players that a coordinator has told of.
pub(super) fn players_from_wire(wire: v1::Players) -> Result<Players, WireError> {
    Ok(Players {
        candidate: player_from_wire(wire.candidate.ok_or(missing("players.candidate"))?)?,
        base: player_from_wire(wire.base.ok_or(missing("players.base"))?)?,
        reference_speed: Some(Nodes(wire.reference_speed)).filter(|speed| speed.0 > 0),
    })
}

fn player_from_wire(wire: v1::Player) -> Result<PlayerSpec, WireError> {
    let limit = wire.limit.ok_or(missing("player.limit"))?;
    let given = |number: u64| Some(number).filter(|number| *number > 0);
    let clock = limit.clock.map(|v1::Clock { base_us, increment_us, moves }| {
        let [base, increment] = [base_us, increment_us].map(Duration::from_micros);
        TimeControl::new(base, increment, Some(moves).filter(|moves| *moves > 0))
            .ok_or(unknown("player.limit.clock"))
    });
    Ok(PlayerSpec {
        engine: wire
            .engine
            .map_or(EngineSpec::Builtin, |engine| EngineSpec::External(engine_from_wire(engine))),
        limit: SideLimit {
            clock: clock.transpose()?,
            movetime: given(limit.movetime_us).map(Duration::from_micros),
            nodes: given(limit.nodes),
            depth: Some(limit.depth).filter(|depth| *depth > 0),
            margin: Duration::from_micros(limit.margin_us),
        },
    })
}

/// A program of somebody else that a coordinator has told of.
pub(super) fn engine_from_wire(wire: v1::ExternalEngine) -> ExternalEngine {
    ExternalEngine {
        artefact: wire.artefact_sha256,
        bytes: wire.artefact_bytes,
        manifest: wire.manifest,
    }
}
