//! Workers and what is believed of them, as the services say them.

use super::{wire_score, wire_termination};
use model::evals;
use model::lease::{GameRecord, Opening, PairRecord};
use model::trust::{Exclusion, ExclusionView, Remark};
use model::view::WorkerView;
use proto::v1;
use store::Mismatch;

/// An exclusion for the trust service.
#[must_use]
pub fn wire_exclusion(view: &ExclusionView) -> v1::Exclusion {
    let remark = |remark: &Remark| v1::Remark {
        author: remark.author.clone(),
        reason: remark.reason.clone(),
        at_unix_ms: remark.at_unix_ms,
    };
    let Exclusion { worker, run, since } = view.exclusion;
    v1::Exclusion {
        exclusion_id: view.id,
        worker_id: worker.0,
        run_id: run.map_or(0, |run| run.0),
        since_unix_us: since.map_or(0, |since| since.0),
        made: Some(remark(&view.made)),
        lifted: view.lifted.as_ref().map(remark),
    }
}

/// Records of one pair that differ, for the trust service.
#[must_use]
pub fn wire_mismatch(mismatch: &Mismatch, opening: Opening) -> v1::Mismatch {
    v1::Mismatch {
        run_id: mismatch.run.0,
        worker_id: mismatch.worker.0,
        auditor_id: mismatch.auditor.0,
        opening: opening.position,
        difference: mismatch.claimed.differs(&mismatch.found).unwrap_or_default(),
        claimed: Some(wire_record_pair(&mismatch.claimed)),
        found: Some(wire_record_pair(&mismatch.found)),
        at_unix_ms: mismatch.at_unix_ms,
        arbitrations: mismatch
            .arbitrations
            .iter()
            .map(|(worker, played)| v1::Arbitration {
                worker_id: worker.0,
                played: Some(wire_record_pair(played)),
            })
            .collect(),
        is_open: mismatch.is_open,
        refuted_worker_ids: mismatch.refuted().iter().map(|worker| worker.0).collect(),
    }
}

fn wire_record_pair(pair: &PairRecord) -> v1::PairRecord {
    let game = |game: &GameRecord| v1::GameRecord {
        score: wire_score(game.score).into(),
        termination: wire_termination(game.termination).into(),
        plies: u32::try_from(game.plies.0).unwrap_or(u32::MAX),
        nodes: game.nodes.0,
        moves: game.moves.clone(),
        evals: evals::pack(&game.evals).into(),
        times: evals::pack_times(&game.times).into(),
    };
    v1::PairRecord {
        pair_index: pair.index.0,
        candidate_first: Some(game(&pair.candidate_first)),
        base_first: Some(game(&pair.base_first)),
    }
}

/// A worker for the control service.
#[must_use]
pub fn wire_worker(view: &WorkerView) -> v1::Worker {
    v1::Worker {
        worker_id: view.id.0,
        name: view.name.clone(),
        platform: view.platform.clone(),
        software_version: view.software_version.clone(),
        cores: view.cores,
        slots: view.slots,
        connected: view.connected,
        first_seen_unix_ms: view.first_seen_unix_ms,
        last_seen_unix_ms: view.last_seen_unix_ms,
        nodes_per_second: view.nodes_per_second,
        playing_games: view.playing_games,
        active_leases: view.active_leases,
        counted_pairs: view.counted_pairs,
        idle_reason: view.idle_reason.clone(),
        refused_reports: view.refused_reports,
        last_refusal: view.last_refusal.clone(),
        owner: view.owner.clone(),
        on_hold: view.on_hold.clone(),
        audited_pairs: view.audited_pairs,
        mismatched_pairs: view.mismatched_pairs,
        excluded: view.excluded,
        suspicion: view.suspicion.map(|suspicion| v1::Suspicion {
            log10_e: suspicion.log10_e,
            pairs: suspicion.pairs.0,
            bias_elo: suspicion.bias.0,
            margin_elo: suspicion.margin.0,
            named: suspicion.named,
        }),
    }
}
