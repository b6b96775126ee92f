//! Between the wire and the words of `model`: the only file of the command that sees both.
//!
//! What comes in is checked: a number that is missing or of an unknown kind is an error that names
//! its field, never a silent default.

use model::spec::{
    BqrSettings, EloModel, Fork, GainRule, GameLimit, Job, OptimizerSpec, RunSpec, SprtSpec,
    SpsaSettings, TestSpec, TuneSpec,
};
use model::view::{
    CorrectedView, LeaseCounts, OutlookView, ProgressView, RunState, RunView, TestPoint, TestView,
    TuneEstimate, TunePoint, TuneView, Verdict, WorkerView,
};
use model::{
    GameKind, Nodes, Pairs, ParameterDef, ParameterKind, ParameterSet, Pentanomial, Ply, RunId,
    Tally, Wdl, WorkerId,
};
use proto::v1;

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

/// A specification for the wire.
pub(crate) fn spec_to_wire(spec: &RunSpec) -> v1::RunSpec {
    let game = match spec.game {
        GameKind::Xiangqi => v1::Game::Xiangqi,
        GameKind::Chess => v1::Game::Chess,
        GameKind::Shogi => v1::Game::Shogi,
        GameKind::Othello => v1::Game::Othello,
        GameKind::TicTacToe => v1::Game::TicTacToe,
    };
    let job = match &spec.job {
        Job::Tune(tune) => v1::run_spec::Job::Tune(tune_to_wire(tune)),
        Job::Test(test) => v1::run_spec::Job::Test(test_to_wire(test)),
    };
    v1::RunSpec {
        name: spec.name.clone(),
        game: game.into(),
        seed: spec.seed,
        weight: spec.weight,
        limit: Some(v1::GameLimit {
            nodes_per_move: spec.limit.nodes.0,
            max_plies: u32::try_from(spec.limit.max_plies.0).unwrap_or(u32::MAX),
            hash_kib: spec.limit.hash_kib,
        }),
        book_sha256: spec.book.clone(),
        lease_pairs: spec.lease_pairs,
        job: Some(job),
    }
}

fn tune_to_wire(tune: &TuneSpec) -> v1::TuneSpec {
    let parameter = |def: &ParameterDef| v1::ParameterDef {
        name: def.name.clone(),
        kind: match def.kind {
            ParameterKind::Int => v1::ParameterKind::Int,
            ParameterKind::Float => v1::ParameterKind::Float,
        }
        .into(),
        start: def.start,
        min: def.min,
        max: def.max,
        c_end: def.c_end,
        r_end: def.r_end,
    };
    v1::TuneSpec {
        pairs: tune.pairs.0,
        parameters: tune.parameters.iter().map(parameter).collect(),
        fixed: Some(set_to_wire(&tune.fixed)),
        forked_from: tune
            .forked_from
            .map(|fork| v1::Fork { run_id: fork.run.0, pairs: fork.pairs.0 }),
        ..optimizer_to_wire(&tune.optimizer)
    }
}

/// A tune's optimiser, the rest of the tune left empty.
fn optimizer_to_wire(optimizer: &OptimizerSpec) -> v1::TuneSpec {
    match *optimizer {
        OptimizerSpec::Spsa(SpsaSettings { alpha, gamma, a_ratio, gains }) => v1::TuneSpec {
            optimizer: v1::Optimizer::Spsa.into(),
            alpha,
            gamma,
            a_ratio,
            gain_rule: match gains {
                GainRule::Elomill => v1::GainRule::Elomill,
                GainRule::Fishtest => v1::GainRule::Fishtest,
                GainRule::OpenBench => v1::GainRule::Openbench,
            }
            .into(),
            ..v1::TuneSpec::default()
        },
        OptimizerSpec::Bqr(BqrSettings {
            pair_deviation,
            probe_loss,
            scale_limit,
            forget,
            reach,
        }) => v1::TuneSpec {
            optimizer: v1::Optimizer::Bqr.into(),
            bqr: Some(v1::BqrSettings { pair_deviation, probe_loss, scale_limit, forget, reach }),
            ..v1::TuneSpec::default()
        },
    }
}

fn test_to_wire(test: &TestSpec) -> v1::TestSpec {
    let SprtSpec { elo0, elo1, alpha, beta, model } = test.sprt;
    v1::TestSpec {
        candidate: Some(set_to_wire(&test.candidate)),
        base: Some(set_to_wire(&test.base)),
        candidate_run_id: test.candidate_run.map_or(0, |run| run.0),
        elo0,
        elo1,
        alpha,
        beta,
        elo_model: match model {
            EloModel::Normalized => v1::EloModel::Normalized,
            EloModel::Logistic => v1::EloModel::Logistic,
        }
        .into(),
        max_pairs: test.max_pairs.0,
        futility: test.futility,
    }
}

fn set_to_wire(set: &ParameterSet) -> v1::ParameterSet {
    let value =
        |(name, value): (&String, &f64)| v1::ParameterValue { name: name.clone(), value: *value };
    v1::ParameterSet { values: set.0.iter().map(value).collect() }
}

/// A run as the coordinator sees it.
pub(crate) fn run_from_wire(run: v1::Run) -> Result<RunView, WireError> {
    let spec = spec_from_wire(run.spec.ok_or(missing("run.spec"))?)?;
    let tally = tally_from_wire(&run.tally.ok_or(missing("run.tally"))?)?;
    let leases = run.leases.ok_or(missing("run.leases"))?;
    let counted_pairs = tally.pairs().0;
    let left = run.asked_pairs.saturating_sub(counted_pairs);
    let state = match v1::RunState::try_from(run.state) {
        Ok(v1::RunState::Running) => RunState::Running,
        Ok(v1::RunState::Paused) => RunState::Paused,
        Ok(v1::RunState::Finished) => RunState::Finished,
        Ok(v1::RunState::Stopped) => RunState::Stopped,
        Ok(v1::RunState::Unspecified) | Err(_) => return Err(unknown("run.state")),
    };
    let has_rate = run.pairs_per_second > 0.0 && state == RunState::Running;
    let progress = match (run.progress.ok_or(missing("run.progress"))?, &spec.job) {
        (v1::run::Progress::Tune(tune), Job::Tune(spec)) => {
            if tune.theta.len() != spec.parameters.len() {
                return Err(unknown("tune.theta"));
            }
            ProgressView::Tune(tune_view(tune)?)
        }
        (v1::run::Progress::Test(test), Job::Test(_)) => ProgressView::Test(test_view(&test)?),
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
        progress,
    })
}

fn spec_from_wire(spec: v1::RunSpec) -> Result<RunSpec, WireError> {
    let limit = spec.limit.ok_or(missing("spec.limit"))?;
    Ok(RunSpec {
        name: spec.name,
        game: match v1::Game::try_from(spec.game) {
            Ok(v1::Game::Xiangqi) => GameKind::Xiangqi,
            Ok(v1::Game::Chess) => GameKind::Chess,
            Ok(v1::Game::Shogi) => GameKind::Shogi,
            Ok(v1::Game::Othello) => GameKind::Othello,
            Ok(v1::Game::TicTacToe) => GameKind::TicTacToe,
            Ok(v1::Game::Unspecified) | Err(_) => return Err(unknown("spec.game")),
        },
        seed: spec.seed,
        weight: spec.weight,
        limit: GameLimit {
            nodes: Nodes(limit.nodes_per_move),
            max_plies: Ply(u64::from(limit.max_plies)),
            hash_kib: limit.hash_kib,
        },
        book: spec.book_sha256,
        lease_pairs: spec.lease_pairs,
        job: match spec.job.ok_or(missing("spec.job"))? {
            v1::run_spec::Job::Tune(tune) => Job::Tune(tune_from_wire(tune)?),
            v1::run_spec::Job::Test(test) => Job::Test(test_from_wire(test)?),
        },
    })
}

fn tune_from_wire(tune: v1::TuneSpec) -> Result<TuneSpec, WireError> {
    let parameter = |def: v1::ParameterDef| {
        let kind = match v1::ParameterKind::try_from(def.kind) {
            Ok(v1::ParameterKind::Int) => ParameterKind::Int,
            Ok(v1::ParameterKind::Float) => ParameterKind::Float,
            Ok(v1::ParameterKind::Unspecified) | Err(_) => return Err(unknown("parameter.kind")),
        };
        let v1::ParameterDef { name, start, min, max, c_end, r_end, .. } = def;
        Ok(ParameterDef { name, kind, start, min, max, c_end, r_end })
    };
    Ok(TuneSpec {
        pairs: Pairs(tune.pairs),
        optimizer: optimizer_from_wire(&tune)?,
        parameters: tune.parameters.into_iter().map(parameter).collect::<Result<_, _>>()?,
        fixed: set_from_wire(tune.fixed.unwrap_or_default()),
        forked_from: tune
            .forked_from
            .map(|fork| Fork { run: RunId(fork.run_id), pairs: Pairs(fork.pairs) }),
    })
}

fn optimizer_from_wire(tune: &v1::TuneSpec) -> Result<OptimizerSpec, WireError> {
    match v1::Optimizer::try_from(tune.optimizer) {
        // A coordinator from before there was a choice says nothing.
        Ok(v1::Optimizer::Unspecified | v1::Optimizer::Spsa) => {
            let v1::TuneSpec { alpha, gamma, a_ratio, .. } = *tune;
            let gains = match v1::GainRule::try_from(tune.gain_rule) {
                Ok(v1::GainRule::Unspecified | v1::GainRule::Elomill) => GainRule::Elomill,
                Ok(v1::GainRule::Fishtest) => GainRule::Fishtest,
                Ok(v1::GainRule::Openbench) => GainRule::OpenBench,
                Err(_) => return Err(unknown("tune.gain_rule")),
            };
            Ok(OptimizerSpec::Spsa(SpsaSettings { alpha, gamma, a_ratio, gains }))
        }
        Ok(v1::Optimizer::Bqr) => {
            let v1::BqrSettings { pair_deviation, probe_loss, scale_limit, forget, reach } =
                tune.bqr.ok_or(missing("tune.bqr"))?;
            Ok(OptimizerSpec::Bqr(BqrSettings {
                pair_deviation,
                probe_loss,
                scale_limit,
                forget,
                reach,
            }))
        }
        Err(_) => Err(unknown("tune.optimizer")),
    }
}

fn test_from_wire(test: v1::TestSpec) -> Result<TestSpec, WireError> {
    let model = match v1::EloModel::try_from(test.elo_model) {
        Ok(v1::EloModel::Normalized) => EloModel::Normalized,
        Ok(v1::EloModel::Logistic) => EloModel::Logistic,
        Ok(v1::EloModel::Unspecified) | Err(_) => return Err(unknown("test.elo_model")),
    };
    let v1::TestSpec { elo0, elo1, alpha, beta, .. } = test;
    Ok(TestSpec {
        candidate: set_from_wire(test.candidate.ok_or(missing("test.candidate"))?),
        base: set_from_wire(test.base.ok_or(missing("test.base"))?),
        candidate_run: (test.candidate_run_id != 0).then_some(RunId(test.candidate_run_id)),
        sprt: SprtSpec { elo0, elo1, alpha, beta, model },
        max_pairs: Pairs(test.max_pairs),
        futility: test.futility,
    })
}

fn set_from_wire(set: v1::ParameterSet) -> ParameterSet {
    set.values.into_iter().map(|value| (value.name, value.value)).collect()
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
    Ok(TuneView {
        estimate: estimate.transpose()?,
        theta: tune.theta,
        suggested: set_from_wire(tune.suggested.ok_or(missing("tune.suggested"))?),
        trace: tune.trace.into_iter().map(point).collect(),
    })
}

fn test_view(test: &v1::TestProgress) -> Result<TestView, WireError> {
    let point = |point: &v1::TestPoint| {
        let v1::TestPoint { pairs, llr, elo, elo_low, elo_high } = *point;
        TestPoint { pairs, llr, elo, elo_low, elo_high }
    };
    Ok(TestView {
        llr: test.llr,
        lower: test.lower,
        upper: test.upper,
        elo: test.elo,
        elo_low: test.elo_low,
        elo_high: test.elo_high,
        normalized_elo: test.normalized_elo,
        los: test.los,
        corrected: test.corrected.map(|v1::TestCorrected { elo, elo_low, elo_high, los }| {
            CorrectedView { elo, elo_low, elo_high, los }
        }),
        outlook: test.outlook.map(|outlook| OutlookView {
            pass_probability: outlook.pass_probability,
            mean_pairs: outlook.mean_pairs,
            median_pairs: outlook.median_pairs,
            q95_pairs: outlook.q95_pairs,
        }),
        verdict: match v1::Verdict::try_from(test.verdict) {
            // While the test runs, and forever when it was stopped by hand.
            Ok(v1::Verdict::Unspecified) => None,
            Ok(v1::Verdict::Accepted) => Some(Verdict::Accepted),
            Ok(v1::Verdict::Rejected) => Some(Verdict::Rejected),
            Ok(v1::Verdict::Inconclusive) => Some(Verdict::Inconclusive),
            Err(_) => return Err(unknown("test.verdict")),
        },
        trace: test.trace.iter().map(point).collect(),
    })
}

/// A run after one of its reports.
pub(crate) struct HistoryRow {
    pub(crate) report: i64,
    pub(crate) tally: Tally,
    /// Of a tune; empty in a test.
    pub(crate) theta: Vec<f64>,
    /// Of a test.
    pub(crate) llr: f64,
}

pub(crate) fn history_from_wire(row: v1::HistoryRow) -> Result<HistoryRow, WireError> {
    Ok(HistoryRow {
        report: row.report_id,
        tally: tally_from_wire(&row.tally.ok_or(missing("row.tally"))?)?,
        theta: row.theta,
        llr: row.llr,
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> [RunSpec; 3] {
        let set = |value| ParameterSet::from_iter([("lmr_base".to_owned(), value)]);
        let tune = RunSpec {
            name: "t".to_owned(),
            game: GameKind::TicTacToe,
            seed: u64::MAX,
            weight: 2.5,
            limit: GameLimit { nodes: Nodes(7), max_plies: Ply(9), hash_kib: 16 },
            book: "0a".repeat(32),
            lease_pairs: 3,
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
                fixed: set(0.25),
                forked_from: None,
            }),
        };
        let job = Job::Test(TestSpec {
            candidate: set(0.5),
            base: set(0.75),
            candidate_run: Some(RunId(4)),
            sprt: SprtSpec {
                elo0: -1.0,
                elo1: 3.0,
                alpha: 0.04,
                beta: 0.06,
                model: EloModel::Logistic,
            },
            max_pairs: Pairs(99),
            futility: 0.125,
        });
        let mut regression = tune.clone();
        if let Job::Tune(tune) = &mut regression.job {
            let settings = BqrSettings { probe_loss: Some(2.5), ..BqrSettings::default() };
            tune.optimizer = OptimizerSpec::Bqr(settings);
            tune.forked_from = Some(Fork { run: RunId(5), pairs: Pairs(1234) });
        }
        [tune.clone(), regression, RunSpec { game: GameKind::Xiangqi, job, ..tune }]
    }

    #[test]
    fn a_specification_comes_back_as_it_went() {
        for spec in specs() {
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
        let broken: [(&str, Damage); 8] = [
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
