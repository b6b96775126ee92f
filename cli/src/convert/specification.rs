//! The specification of a run, to the wire and back.

use super::adjudication::{adjudication_from_wire, wire_adjudication};
use super::players::{players_from_wire, wire_players};
use super::{WireError, missing, unknown};
use model::spec::{
    BookOrder, BqrSettings, Canaries, EloModel, Fork, GainRule, GameLimit, Job, Keep, KeepMoves,
    OptimizerSpec, RaceCandidate, RaceSpec, RaceStop, RunSpec, SprtSpec, SpsaSettings, TestSpec,
    TuneSpec, USUAL_LEASE_SECONDS,
};
use model::{
    GameKind, LinearConstraint, Nodes, Pairs, ParameterDef, ParameterKind, ParameterSet, Ply, RunId,
};
use proto::v1;

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
        Job::Race(race) => v1::run_spec::Job::Race(race_to_wire(race)),
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
            adjudication: wire_adjudication(spec.limit.adjudication),
        }),
        book_sha256: spec.book.clone(),
        book_in_order: spec.book_order == BookOrder::Sequential,
        lease_pairs: spec.lease_pairs,
        lease_seconds: spec.lease_seconds,
        canaries_per_million: spec.canaries.in_million(),
        keep: Some(v1::Keep {
            moves_per_million: spec.keep.moves.in_million(),
            evals: spec.keep.evals,
        }),
        players: spec.players.as_ref().map(wire_players),
        job: Some(job),
    }
}

/// A parameter for the wire.
pub(crate) fn parameter_to_wire(def: &ParameterDef) -> v1::ParameterDef {
    v1::ParameterDef {
        name: def.name.clone(),
        kind: match def.kind {
            ParameterKind::Int => v1::ParameterKind::Int,
            ParameterKind::Float => v1::ParameterKind::Float,
            ParameterKind::LogInt => v1::ParameterKind::LogInt,
            ParameterKind::LogFloat => v1::ParameterKind::LogFloat,
            ParameterKind::Categorical => v1::ParameterKind::Categorical,
        }
        .into(),
        start: def.start,
        min: def.min,
        max: def.max,
        c_end: def.c_end,
        r_end: def.r_end,
    }
}

fn tune_to_wire(tune: &TuneSpec) -> v1::TuneSpec {
    v1::TuneSpec {
        pairs: tune.pairs.0,
        parameters: tune.parameters.iter().map(parameter_to_wire).collect(),
        constraints: tune
            .constraints
            .iter()
            .map(|constraint| v1::LinearConstraint {
                sum: Some(set_to_wire(&constraint.sum)),
                at_most: constraint.at_most,
            })
            .collect(),
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
    let hypotheses = match &test.sprt {
        Some(SprtSpec { elo0, elo1, alpha, beta, model }) => v1::TestSpec {
            elo0: *elo0,
            elo1: *elo1,
            alpha: *alpha,
            beta: *beta,
            elo_model: model_to_wire(*model).into(),
            ..v1::TestSpec::default()
        },
        None => v1::TestSpec { fixed_length: true, ..v1::TestSpec::default() },
    };
    v1::TestSpec {
        candidate: Some(set_to_wire(&test.candidate)),
        base: Some(set_to_wire(&test.base)),
        candidate_run_id: test.candidate_run.map_or(0, |run| run.0),
        max_pairs: test.max_pairs.0,
        futility: test.futility,
        ..hypotheses
    }
}

fn race_to_wire(race: &RaceSpec) -> v1::RaceSpec {
    let SprtSpec { elo0, elo1, alpha, beta, model } = race.sprt;
    let candidate = |candidate: &RaceCandidate| v1::RaceCandidate {
        name: candidate.name.clone(),
        values: Some(set_to_wire(&candidate.values)),
        run_id: candidate.run.map_or(0, |run| run.0),
    };
    v1::RaceSpec {
        candidates: race.candidates.iter().map(candidate).collect(),
        base: Some(set_to_wire(&race.base)),
        elo0,
        elo1,
        alpha,
        beta,
        elo_model: model_to_wire(model).into(),
        stop: match race.stop {
            RaceStop::First => v1::RaceStop::First,
            RaceStop::All => v1::RaceStop::All,
        }
        .into(),
        max_pairs: race.max_pairs.0,
    }
}

fn model_to_wire(model: EloModel) -> v1::EloModel {
    match model {
        EloModel::Normalized => v1::EloModel::Normalized,
        EloModel::Logistic => v1::EloModel::Logistic,
    }
}

fn set_to_wire(set: &ParameterSet) -> v1::ParameterSet {
    let value =
        |(name, value): (&String, &f64)| v1::ParameterValue { name: name.clone(), value: *value };
    v1::ParameterSet { values: set.0.iter().map(value).collect() }
}

/// A game; `None` for one that this version does not know.
pub(super) fn kind_from_wire(game: i32) -> Option<GameKind> {
    match v1::Game::try_from(game) {
        Ok(v1::Game::Xiangqi) => Some(GameKind::Xiangqi),
        Ok(v1::Game::Chess) => Some(GameKind::Chess),
        Ok(v1::Game::Shogi) => Some(GameKind::Shogi),
        Ok(v1::Game::Othello) => Some(GameKind::Othello),
        Ok(v1::Game::TicTacToe) => Some(GameKind::TicTacToe),
        Ok(v1::Game::Unspecified) | Err(_) => None,
    }
}

pub(super) fn spec_from_wire(spec: v1::RunSpec) -> Result<RunSpec, WireError> {
    let limit = spec.limit.ok_or(missing("spec.limit"))?;
    Ok(RunSpec {
        name: spec.name,
        game: kind_from_wire(spec.game).ok_or(unknown("spec.game"))?,
        seed: spec.seed,
        weight: spec.weight,
        limit: GameLimit {
            nodes: Nodes(limit.nodes_per_move),
            max_plies: Ply(u64::from(limit.max_plies)),
            hash_kib: limit.hash_kib,
            adjudication: adjudication_from_wire(limit.adjudication),
        },
        book: spec.book_sha256,
        book_order: match spec.book_in_order {
            true => BookOrder::Sequential,
            false => BookOrder::Random,
        },
        lease_pairs: spec.lease_pairs,
        lease_seconds: match spec.lease_seconds {
            // Of a coordinator that knows no other answer.
            0 => USUAL_LEASE_SECONDS,
            seconds => seconds,
        },
        canaries: match spec.canaries_per_million {
            None => Canaries::default(),
            Some(share) => {
                Canaries::per_million(share).ok_or(unknown("spec.canaries_per_million"))?
            }
        },
        keep: match spec.keep {
            // Of a coordinator that knows no other answer.
            None => Keep::default(),
            Some(keep) => Keep {
                moves: KeepMoves::per_million(keep.moves_per_million)
                    .ok_or(unknown("spec.keep.moves_per_million"))?,
                evals: keep.evals,
            },
        },
        players: spec.players.map(players_from_wire).transpose()?,
        job: match spec.job.ok_or(missing("spec.job"))? {
            v1::run_spec::Job::Tune(tune) => Job::Tune(tune_from_wire(tune)?),
            v1::run_spec::Job::Test(test) => Job::Test(test_from_wire(test)?),
            v1::run_spec::Job::Race(race) => Job::Race(race_from_wire(race)?),
        },
    })
}

/// A parameter that a coordinator has told of.
pub(super) fn parameter_from_wire(def: v1::ParameterDef) -> Result<ParameterDef, WireError> {
    let kind = match v1::ParameterKind::try_from(def.kind) {
        Ok(v1::ParameterKind::Int) => ParameterKind::Int,
        Ok(v1::ParameterKind::Float) => ParameterKind::Float,
        Ok(v1::ParameterKind::LogInt) => ParameterKind::LogInt,
        Ok(v1::ParameterKind::LogFloat) => ParameterKind::LogFloat,
        Ok(v1::ParameterKind::Categorical) => ParameterKind::Categorical,
        Ok(v1::ParameterKind::Unspecified) | Err(_) => return Err(unknown("parameter.kind")),
    };
    let v1::ParameterDef { name, start, min, max, c_end, r_end, .. } = def;
    Ok(ParameterDef { name, kind, start, min, max, c_end, r_end })
}

fn tune_from_wire(tune: v1::TuneSpec) -> Result<TuneSpec, WireError> {
    Ok(TuneSpec {
        pairs: Pairs(tune.pairs),
        optimizer: optimizer_from_wire(&tune)?,
        parameters: tune
            .parameters
            .into_iter()
            .map(parameter_from_wire)
            .collect::<Result<_, _>>()?,
        constraints: tune
            .constraints
            .into_iter()
            .map(|constraint| LinearConstraint {
                sum: set_from_wire(constraint.sum.unwrap_or_default()),
                at_most: constraint.at_most,
            })
            .collect(),
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
    let v1::TestSpec { elo0, elo1, alpha, beta, .. } = test;
    let sprt = match test.fixed_length {
        true => None,
        false => {
            let model = model_from_wire(test.elo_model, "test.elo_model")?;
            Some(SprtSpec { elo0, elo1, alpha, beta, model })
        }
    };
    Ok(TestSpec {
        candidate: set_from_wire(test.candidate.ok_or(missing("test.candidate"))?),
        base: set_from_wire(test.base.ok_or(missing("test.base"))?),
        candidate_run: (test.candidate_run_id != 0).then_some(RunId(test.candidate_run_id)),
        sprt,
        max_pairs: Pairs(test.max_pairs),
        futility: test.futility,
    })
}

fn race_from_wire(race: v1::RaceSpec) -> Result<RaceSpec, WireError> {
    let v1::RaceSpec { elo0, elo1, alpha, beta, .. } = race;
    let model = model_from_wire(race.elo_model, "race.elo_model")?;
    let candidate = |candidate: v1::RaceCandidate| {
        Ok(RaceCandidate {
            name: candidate.name,
            values: set_from_wire(candidate.values.ok_or(missing("candidate.values"))?),
            run: (candidate.run_id != 0).then_some(RunId(candidate.run_id)),
        })
    };
    Ok(RaceSpec {
        candidates: race.candidates.into_iter().map(candidate).collect::<Result<_, _>>()?,
        base: set_from_wire(race.base.ok_or(missing("race.base"))?),
        sprt: SprtSpec { elo0, elo1, alpha, beta, model },
        stop: match v1::RaceStop::try_from(race.stop) {
            Ok(v1::RaceStop::First) => RaceStop::First,
            Ok(v1::RaceStop::All) => RaceStop::All,
            Ok(v1::RaceStop::Unspecified) | Err(_) => return Err(unknown("race.stop")),
        },
        max_pairs: Pairs(race.max_pairs),
    })
}

fn model_from_wire(model: i32, field: &'static str) -> Result<EloModel, WireError> {
    match v1::EloModel::try_from(model) {
        Ok(v1::EloModel::Normalized) => Ok(EloModel::Normalized),
        Ok(v1::EloModel::Logistic) => Ok(EloModel::Logistic),
        Ok(v1::EloModel::Unspecified) | Err(_) => Err(unknown(field)),
    }
}

pub(super) fn set_from_wire(set: v1::ParameterSet) -> ParameterSet {
    set.values.into_iter().map(|value| (value.name, value.value)).collect()
}
