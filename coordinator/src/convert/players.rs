//! Who plays a run, on the wire and checked on its way in.

use model::spec::{EngineSpec, ExternalEngine, PlayerSpec, Players};
use model::{Finding, Nodes, SideLimit, TimeControl};
use proto::v1;
use std::time::Duration;

/// Players from the wire; what they may be, the specification checks.
///
/// # Errors
/// A part is missing, or a clock is none.
pub(super) fn players(wire: v1::Players) -> Result<Players, Finding> {
    Ok(Players {
        candidate: player("candidate", wire.candidate)?,
        base: player("base", wire.base)?,
        reference_speed: Some(Nodes(wire.reference_speed)).filter(|speed| speed.0 > 0),
    })
}

fn player(place: &str, wire: Option<v1::Player>) -> Result<PlayerSpec, Finding> {
    let missing = || {
        let mend = "use the same version on both sides";
        Finding::new(format!("players.{place}"), "nothing", "an engine and its limit", mend)
    };
    let v1::Player { engine, limit } = wire.ok_or_else(missing)?;
    let limit = limit.ok_or_else(missing)?;
    let given = |number: u64| Some(number).filter(|number| *number > 0);
    let clock = match limit.clock {
        None => None,
        Some(v1::Clock { base_us, increment_us, moves }) => {
            let moves = Some(moves).filter(|moves| *moves > 0);
            let [base, increment] = [base_us, increment_us].map(Duration::from_micros);
            let clock = TimeControl::new(base, increment, moves).ok_or_else(|| {
                let found = format!("{base_us} and {increment_us} microseconds");
                let allowed = "more than no time, at most thirty days, periods of 1 to 1000 moves";
                let mend = "write clock = \"10+0.1\"";
                Finding::new(format!("limit.{place}.clock"), found, allowed, mend)
            })?;
            Some(clock)
        }
    };
    Ok(PlayerSpec {
        engine: engine.map_or(EngineSpec::Builtin, |wire| EngineSpec::External(engine_of(wire))),
        limit: SideLimit {
            clock,
            movetime: given(limit.movetime_us).map(Duration::from_micros),
            nodes: given(limit.nodes),
            depth: Some(limit.depth).filter(|depth| *depth > 0),
            margin: Duration::from_micros(limit.margin_us),
        },
    })
}

/// A program of somebody else, not checked yet.
pub(crate) fn engine_of(wire: v1::ExternalEngine) -> ExternalEngine {
    ExternalEngine {
        artefact: wire.artefact_sha256,
        bytes: wire.artefact_bytes,
        manifest: wire.manifest,
    }
}

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
