//! Between the wire and the words of `model`: the only file of the command that sees both.
//!
//! What comes in is checked: a number that is missing or of an unknown kind is an error that names
//! its field, never a silent default.

mod adjudication;
pub(crate) mod players;
mod progress;
mod specification;

pub(crate) use specification::{parameter_to_wire, spec_to_wire};

use model::lease::{GameRecord, PairIndex, PairRecord};
use model::spec::Job;
use model::trust::{Exclusion, ExclusionView, LedgerTime, Remark, Suspicion};
use model::view::{
    ChoiceOdds, Convergence, GameView, LeaseCounts, PairView, ProgressView, RunState, RunView,
    ShareView, TuneEstimate, TunePoint, TuneVerdict, TuneView, WorkerView,
};
use model::{
    Elo, GameScore, Nodes, Pairs, Pentanomial, Ply, RunId, Tally, Termination, Wdl, WorkerId, evals,
};
use progress::{race_view, test_view};
use proto::v1;
use specification::{kind_from_wire, parameter_from_wire, set_from_wire, spec_from_wire};

/// The coordinator said something that this program cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the coordinator's answer has {problem} in `{field}`\nhint: use the same version of elomill on both sides"
)]
pub(crate) struct WireError {
    field: &'static str,
    problem: &'static str,
}

fn missing(field: &'static str) -> WireError {
    WireError { field, problem: "nothing" }
}

fn unknown(field: &'static str) -> WireError {
    WireError { field, problem: "an unknown value" }
}

/// What a published name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PublishedEngine {
    pub(crate) game: model::GameKind,
    pub(crate) known: model::file::KnownEngine,
    pub(crate) owner: String,
    pub(crate) published_at_unix_ms: i64,
}

/// A published engine that a coordinator has told of.
pub(crate) fn published_from_wire(wire: v1::PublishedEngine) -> Result<PublishedEngine, WireError> {
    let engine = players::engine_from_wire(wire.engine.ok_or(missing("published.engine"))?);
    let parameters = wire.parameters.into_iter().map(parameter_from_wire);
    Ok(PublishedEngine {
        game: kind_from_wire(wire.game).ok_or(unknown("published.game"))?,
        known: model::file::KnownEngine {
            name: wire.name,
            engine,
            parameters: parameters.collect::<Result<_, _>>()?,
        },
        owner: wire.owner,
        published_at_unix_ms: wire.published_at_unix_ms,
    })
}

/// A run as the coordinator sees it.
pub(crate) fn run_from_wire(run: v1::Run) -> Result<RunView, WireError> {
    let spec = spec_from_wire(run.spec.ok_or(missing("run.spec"))?)?;
    let tally = tally_from_wire(&run.tally.ok_or(missing("run.tally"))?)?;
    let leases = run.leases.ok_or(missing("run.leases"))?;
    let counted_pairs = tally.pairs().0;
    let left = run.asked_pairs.saturating_sub(counted_pairs);
    let state = state_from_wire(run.state, "run.state")?;
    let has_rate = run.pairs_per_second > 0.0 && state == RunState::Running;
    let progress = match (run.progress.ok_or(missing("run.progress"))?, &spec.job) {
        (v1::run::Progress::Tune(tune), Job::Tune(spec)) => {
            if tune.theta.len() != spec.parameters.len() {
                return Err(unknown("tune.theta"));
            }
            ProgressView::Tune(tune_view(tune)?)
        }
        (v1::run::Progress::Test(test), Job::Test(spec)) => {
            ProgressView::Test(test_view(&test, spec)?)
        }
        (v1::run::Progress::Race(race), Job::Race(spec)) => {
            ProgressView::Race(race_view(&race, spec)?)
        }
        _ => return Err(unknown("run.progress")),
    };
    Ok(RunView {
        id: RunId(run.run_id),
        kind: spec.job.kind().to_owned(),
        spec,
        state,
        state_reason: run.state_reason,
        created_at_unix_ms: run.created_at_unix_ms,
        ended_at_unix_ms: (run.ended_at_unix_ms != 0).then_some(run.ended_at_unix_ms),
        asked_pairs: run.asked_pairs,
        counted_pairs,
        leased_pairs: run.leased_pairs,
        tally,
        pairs_per_second: run.pairs_per_second,
        eta_seconds: has_rate.then(|| left as f64 / run.pairs_per_second),
        leases: LeaseCounts {
            active: leases.active,
            completed: leases.completed,
            returned: leases.returned,
            expired: leases.expired,
            revoked: leases.revoked,
        },
        reports: run.reports,
        excluded_pairs: run.excluded_pairs,
        excluded_reports: run.excluded_reports,
        audited_pairs: run.audited_pairs,
        mismatched_pairs: run.mismatched_pairs,
        recorded_llr: run.recorded_llr,
        warning: run.warning,
        progress,
    })
}

fn tally_from_wire(tally: &v1::Tally) -> Result<Tally, WireError> {
    let cells = <[u64; 5]>::try_from(tally.pentanomial_pairs.as_slice())
        .map_err(|_| unknown("tally.pentanomial_pairs"))?;
    Ok(Tally {
        pentanomial: Pentanomial(cells),
        wdl: Wdl { wins: tally.wins_games, draws: tally.draws_games, losses: tally.losses_games },
    })
}

fn tune_view(tune: v1::TuneProgress) -> Result<TuneView, WireError> {
    let point = |point: v1::TunePoint| TunePoint { pairs: point.pairs, theta: point.theta };
    let size = tune.theta.len();
    let estimate = tune.estimate.map(|estimate| {
        if estimate.deviation.len() != size || estimate.signal_to_noise.len() != size {
            return Err(unknown("tune.estimate"));
        }
        Ok(TuneEstimate {
            deviation: estimate.deviation,
            signal_to_noise: estimate.signal_to_noise,
            gain: estimate.gain,
            gain_low: estimate.gain_low,
            gain_high: estimate.gain_high,
            remaining_loss: estimate.remaining_loss,
            pair_deviation: estimate.pair_deviation,
        })
    });
    let verdict = tune.verdict.map(|verdict| {
        if verdict.chance.len() != size {
            return Err(unknown("tune.verdict"));
        }
        let convergence = match v1::Convergence::try_from(verdict.convergence) {
            Ok(v1::Convergence::NothingShown) => Convergence::NothingShown,
            Ok(v1::Convergence::Moves) => Convergence::Moves,
            Ok(v1::Convergence::Converged) => Convergence::Converged,
            Ok(v1::Convergence::Unspecified) | Err(_) => return Err(unknown("tune.verdict")),
        };
        Ok(TuneVerdict {
            convergence,
            why: verdict.why,
            chance: verdict.chance,
            noise: verdict.noise,
        })
    });
    let odds =
        |odds: v1::ChoiceOdds| ChoiceOdds { name: odds.name, probabilities: odds.probabilities };
    Ok(TuneView {
        estimate: estimate.transpose()?,
        verdict: verdict.transpose()?,
        choices: tune.choices.into_iter().map(odds).collect(),
        theta: tune.theta,
        suggested: set_from_wire(tune.suggested.ok_or(missing("tune.suggested"))?),
        trace: tune.trace.into_iter().map(point).collect(),
    })
}

/// A run after one of its reports.
pub(crate) struct HistoryRow {
    pub(crate) report: i64,
    pub(crate) tally: Tally,
    /// Of a tune; empty in a test.
    pub(crate) theta: Vec<f64>,
    /// Of a test; of a race that of its candidate.
    pub(crate) llr: f64,
    /// Of a race: the place of the candidate that the report was of.
    pub(crate) candidate: Option<u32>,
}

pub(crate) fn history_from_wire(row: v1::HistoryRow) -> Result<HistoryRow, WireError> {
    Ok(HistoryRow {
        report: row.report_id,
        tally: tally_from_wire(&row.tally.ok_or(missing("row.tally"))?)?,
        theta: row.theta,
        llr: row.llr,
        candidate: row.candidate,
    })
}

/// A pair of the ledger with its games.
pub(crate) fn pair_from_wire(played: v1::PlayedPair) -> Result<PairView, WireError> {
    let pair = played.pair.ok_or(missing("pair"))?;
    let moves_kept = played.moves_kept;
    let game = |game: v1::GameRecord| game_from_wire(game, moves_kept);
    Ok(PairView {
        run: RunId(played.run_id),
        pair: PairIndex(pair.pair_index),
        worker: WorkerId(played.worker_id),
        merged_at_unix_ms: played.merged_at_unix_ms,
        opening: played.opening,
        candidate_first: game(pair.candidate_first.ok_or(missing("pair.candidate_first"))?)?,
        base_first: game(pair.base_first.ok_or(missing("pair.base_first"))?)?,
    })
}

/// A worker as the coordinator sees it.
pub(crate) fn worker_from_wire(worker: v1::Worker) -> WorkerView {
    WorkerView {
        id: WorkerId(worker.worker_id),
        name: worker.name,
        platform: worker.platform,
        software_version: worker.software_version,
        cores: worker.cores,
        slots: worker.slots,
        connected: worker.connected,
        first_seen_unix_ms: worker.first_seen_unix_ms,
        last_seen_unix_ms: worker.last_seen_unix_ms,
        nodes_per_second: worker.nodes_per_second,
        playing_games: worker.playing_games,
        active_leases: worker.active_leases,
        counted_pairs: worker.counted_pairs,
        idle_reason: worker.idle_reason,
        refused_reports: worker.refused_reports,
        last_refusal: worker.last_refusal,
        owner: worker.owner,
        on_hold: worker.on_hold,
        audited_pairs: worker.audited_pairs,
        mismatched_pairs: worker.mismatched_pairs,
        excluded: worker.excluded,
        suspicion: worker.suspicion.map(|suspicion| Suspicion {
            log10_e: suspicion.log10_e,
            pairs: Pairs(suspicion.pairs),
            bias: Elo(suspicion.bias_elo),
            margin: Elo(suspicion.margin_elo),
            named: suspicion.named,
        }),
    }
}

/// Why a run gets what it gets.
pub(crate) fn share_from_wire(share: v1::Share) -> Result<ShareView, WireError> {
    Ok(ShareView {
        run: RunId(share.run_id),
        state: state_from_wire(share.state, "share.state")?,
        owner: share.owner,
        weight: share.weight,
        authors: share.authors,
        author_weight: share.author_weight,
        due_share: share.due_share,
        used_nodes: share.used_nodes,
        all_nodes: share.all_nodes,
        author_behind_nodes: share.author_behind_nodes,
        run_behind_nodes: share.run_behind_nodes,
        open_pairs: share.open_pairs,
        leased_pairs: share.leased_pairs,
        workers: share.workers,
        able_workers: share.able_workers,
        hindrances: share.hindrances.into_iter().map(|h| (h.text, h.workers)).collect(),
    })
}

fn state_from_wire(state: i32, field: &'static str) -> Result<RunState, WireError> {
    match v1::RunState::try_from(state) {
        Ok(v1::RunState::Running) => Ok(RunState::Running),
        Ok(v1::RunState::Paused) => Ok(RunState::Paused),
        Ok(v1::RunState::Finished) => Ok(RunState::Finished),
        Ok(v1::RunState::Stopped) => Ok(RunState::Stopped),
        Ok(v1::RunState::Unspecified) | Err(_) => Err(unknown(field)),
    }
}

/// A pair as it was reported.
pub(crate) fn record_from_wire(pair: v1::PairRecord) -> Result<PairRecord, WireError> {
    let game = |game: v1::GameRecord| {
        let played = game_from_wire(game, true)?;
        Ok::<_, WireError>(GameRecord {
            score: played.score,
            termination: played.termination,
            plies: played.plies,
            nodes: played.nodes,
            moves: played.moves.unwrap_or_default(),
            evals: played.evals,
            times: played.times,
        })
    };
    Ok(PairRecord {
        index: PairIndex(pair.pair_index),
        candidate_first: game(pair.candidate_first.ok_or(missing("pair.candidate_first"))?)?,
        base_first: game(pair.base_first.ok_or(missing("pair.base_first"))?)?,
    })
}

fn game_from_wire(game: v1::GameRecord, moves_kept: bool) -> Result<GameView, WireError> {
    let termination = match game.termination() {
        v1::Termination::Unspecified => return Err(unknown("game.termination")),
        known => known.as_str_name().trim_start_matches("TERMINATION_").to_ascii_lowercase(),
    };
    Ok(GameView {
        score: match game.score() {
            v1::GameScore::Loss => GameScore::Loss,
            v1::GameScore::Draw => GameScore::Draw,
            v1::GameScore::Win => GameScore::Win,
            v1::GameScore::Unspecified => return Err(unknown("game.score")),
        },
        termination: Termination::from_name(&termination).ok_or(unknown("game.termination"))?,
        plies: Ply(game.plies.into()),
        nodes: Nodes(game.nodes),
        evals: evals::unpack(&game.evals).ok_or(unknown("game.evals"))?,
        times: evals::unpack_times(&game.times).ok_or(unknown("game.times"))?,
        moves: moves_kept.then_some(game.moves),
    })
}

/// An exclusion as the coordinator keeps it.
pub(crate) fn exclusion_from_wire(wire: v1::Exclusion) -> Result<ExclusionView, WireError> {
    let remark = |remark: v1::Remark| Remark {
        author: remark.author,
        reason: remark.reason,
        at_unix_ms: remark.at_unix_ms,
    };
    Ok(ExclusionView {
        id: wire.exclusion_id,
        exclusion: Exclusion {
            worker: WorkerId(wire.worker_id),
            run: Some(wire.run_id).filter(|id| *id != 0).map(RunId),
            since: Some(wire.since_unix_us).filter(|at| *at != 0).map(LedgerTime),
        },
        made: remark(wire.made.ok_or(missing("exclusion.made"))?),
        lifted: wire.lifted.map(remark),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::spec::{
        BqrSettings, EloModel, Fork, GainRule, GameLimit, Keep, OptimizerSpec, RaceCandidate,
        RaceSpec, RaceStop, RunSpec, SprtSpec, SpsaSettings, TestSpec, TuneSpec,
    };
    use model::{GameKind, LinearConstraint, ParameterDef, ParameterKind, ParameterSet};

    fn specs() -> [RunSpec; 5] {
        let set = |value| ParameterSet::from_iter([("lmr_base".to_owned(), value)]);
        let tune = RunSpec {
            name: "t".to_owned(),
            game: GameKind::TicTacToe,
            seed: u64::MAX,
            weight: 2.5,
            limit: GameLimit::new(Nodes(7), Ply(9), 16),
            book: "0a".repeat(32),
            book_order: model::spec::BookOrder::Random,
            lease_pairs: 3,
            lease_seconds: 45,
            keep: Keep { moves: "sample=2.5%".parse().unwrap(), evals: true },
            canaries: "2.5%".parse().unwrap(),
            players: None,
            job: Job::Tune(TuneSpec {
                pairs: Pairs(11),
                optimizer: OptimizerSpec::Spsa(SpsaSettings {
                    alpha: 0.6,
                    gamma: 0.1,
                    a_ratio: 0.2,
                    gains: GainRule::OpenBench,
                }),
                parameters: vec![ParameterDef {
                    name: "rfp_depth".to_owned(),
                    kind: ParameterKind::Int,
                    start: 1.0,
                    min: 0.0,
                    max: 9.0,
                    c_end: 0.5,
                    r_end: 0.01,
                }],
                constraints: vec![LinearConstraint { sum: set(-2.0), at_most: 1.5 }],
                fixed: set(0.25),
                forked_from: None,
            }),
        };
        let sprt =
            SprtSpec { elo0: -1.0, elo1: 3.0, alpha: 0.04, beta: 0.06, model: EloModel::Logistic };
        let candidate = |name: &str, value, run| RaceCandidate {
            name: name.to_owned(),
            values: set(value),
            run,
        };
        let race = Job::Race(RaceSpec {
            candidates: vec![candidate("a", 0.5, None), candidate("b", 0.625, Some(RunId(9)))],
            base: set(0.75),
            sprt,
            stop: RaceStop::All,
            max_pairs: Pairs(77),
        });
        let fixed = Job::Test(TestSpec {
            candidate: set(0.5),
            base: set(0.75),
            candidate_run: None,
            sprt: None,
            max_pairs: Pairs(98),
            futility: 0.0,
        });
        let job = Job::Test(TestSpec {
            candidate: set(0.5),
            base: set(0.75),
            candidate_run: Some(RunId(4)),
            sprt: Some(sprt),
            max_pairs: Pairs(99),
            futility: 0.125,
        });
        let mut regression = tune.clone();
        if let Job::Tune(tune) = &mut regression.job {
            let settings = BqrSettings { probe_loss: Some(2.5), ..BqrSettings::default() };
            tune.optimizer = OptimizerSpec::Bqr(settings);
            tune.forked_from = Some(Fork { run: RunId(5), pairs: Pairs(1234) });
        }
        let of = |job| RunSpec { game: GameKind::Xiangqi, job, ..tune.clone() };
        [tune.clone(), regression, of(job), of(fixed), of(race)]
    }

    #[test]
    fn a_specification_comes_back_as_it_went() {
        for spec in specs() {
            assert_eq!(spec_from_wire(spec_to_wire(&spec)), Ok(spec));
        }
        for (_, kind) in ParameterKind::ALL {
            let [mut spec, ..] = specs();
            let Job::Tune(tune) = &mut spec.job else { panic!("a tune") };
            tune.parameters[0].kind = kind;
            assert_eq!(spec_from_wire(spec_to_wire(&spec)), Ok(spec));
        }
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let [tune, ..] = specs();
        let whole = v1::Run {
            spec: Some(spec_to_wire(&tune)),
            state: v1::RunState::Running.into(),
            tally: Some(v1::Tally { pentanomial_pairs: vec![1, 0, 2, 0, 1], ..Default::default() }),
            leases: Some(v1::LeaseCounts::default()),
            asked_pairs: 11,
            pairs_per_second: 2.0,
            progress: Some(v1::run::Progress::Tune(v1::TuneProgress {
                theta: vec![1.0],
                suggested: Some(v1::ParameterSet::default()),
                ..Default::default()
            })),
            ..Default::default()
        };
        let view = run_from_wire(whole.clone()).unwrap();
        assert_eq!((view.counted_pairs, view.eta_seconds), (4, Some(3.5)));
        type Damage = fn(&mut v1::Run);
        let broken: [(&str, Damage); 9] = [
            ("run.spec", |run| run.spec = None),
            ("run.state", |run| run.state = 77),
            ("run.tally", |run| run.tally = None),
            ("tune.optimizer", |run| {
                let Some(v1::run_spec::Job::Tune(tune)) =
                    run.spec.as_mut().and_then(|spec| spec.job.as_mut())
                else {
                    panic!("a tune")
                };
                tune.optimizer = 77;
            }),
            ("tune.estimate", |run| {
                let Some(v1::run::Progress::Tune(tune)) = run.progress.as_mut() else {
                    panic!("a tune")
                };
                tune.estimate = Some(v1::TuneEstimate::default());
            }),
            ("tune.verdict", |run| {
                let Some(v1::run::Progress::Tune(tune)) = run.progress.as_mut() else {
                    panic!("a tune")
                };
                tune.verdict = Some(v1::TuneVerdict::default());
            }),
            ("run.progress", |run| run.progress = None),
            ("run.progress", |run| {
                run.progress = Some(v1::run::Progress::Test(v1::TestProgress::default()));
            }),
            ("tally.pentanomial_pairs", |run| {
                run.tally = Some(v1::Tally { pentanomial_pairs: vec![1, 2], ..Default::default() });
            }),
        ];
        for (field, damage) in broken {
            let mut run = whole.clone();
            damage(&mut run);
            assert_eq!(run_from_wire(run).unwrap_err().field, field);
        }
    }
}
