//! The specification of a run on the wire, checked on its way in.

use super::adjudication::adjudication;
use super::players::{players, wire_players};
use super::{game, wire_game, wire_limit, wire_set};
use model::spec::{
    BookOrder, BqrSettings, Canaries, EloModel, GainRule, GameLimit, Job, Keep, KeepMoves,
    OptimizerSpec, RaceCandidate, RaceSpec, RaceStop, RunSpec, SprtSpec, SpsaSettings, TestSpec,
    TuneSpec, USUAL_LEASE_SECONDS,
};
use model::{
    Finding, FindingList, LinearConstraint, Nodes, Pairs, ParameterDef, ParameterKind,
    ParameterSet, Ply, RunId, printable,
};
use proto::v1;

fn set(place: &str, set: Option<v1::ParameterSet>) -> Result<ParameterSet, Finding> {
    let mut out = ParameterSet::default();
    for v1::ParameterValue { name, value } in set.unwrap_or_default().values {
        if out.get(&name).is_some() {
            return Err(Finding::new(
                format!("{place}.{}", printable(&name, 40)),
                "a second value",
                "each name once",
                "remove one of the two",
            ));
        }
        out.set(name, unsigned_zero(value));
    }
    Ok(out)
}

/// A specification from the wire, checked completely.
///
/// # Errors
/// Everything that is wrong with it.
pub fn spec(spec: v1::RunSpec) -> Result<RunSpec, FindingList> {
    let one = |finding| FindingList(vec![finding]);
    let game = game(spec.game()).map_err(|e| {
        one(Finding::new("game", e.found, e.allowed, "name the game, as game = \"xiangqi\""))
    })?;
    let limit = spec.limit.unwrap_or_default();
    let job = match spec.job {
        Some(v1::run_spec::Job::Tune(tune)) => Job::Tune(tune_spec(tune).map_err(one)?),
        Some(v1::run_spec::Job::Test(test)) => Job::Test(test_spec(test).map_err(one)?),
        Some(v1::run_spec::Job::Race(race)) => Job::Race(race_spec(race).map_err(one)?),
        None => {
            let allowed = "a tune, a test or a race";
            return Err(one(Finding::new("job", "none", allowed, "say which")));
        }
    };
    let spec = RunSpec {
        name: spec.name,
        game,
        seed: spec.seed,
        weight: spec.weight,
        limit: GameLimit {
            nodes: Nodes(limit.nodes_per_move),
            max_plies: Ply(u64::from(limit.max_plies)),
            hash_kib: limit.hash_kib,
            adjudication: adjudication(limit.adjudication),
        },
        book: spec.book_sha256,
        book_order: match spec.book_in_order {
            true => BookOrder::Sequential,
            false => BookOrder::Random,
        },
        lease_pairs: spec.lease_pairs,
        lease_seconds: match spec.lease_seconds {
            0 => USUAL_LEASE_SECONDS,
            seconds => seconds,
        },
        canaries: match spec.canaries_per_million {
            None => Canaries::default(),
            Some(share) => Canaries::per_million(share).ok_or_else(|| {
                let (found, allowed) = (share.to_string(), "0 to 200000 of a million");
                one(Finding::new("canaries", found, allowed, "one in a hundred is 10000"))
            })?,
        },
        keep: match spec.keep {
            None => Keep::default(),
            Some(v1::Keep { moves_per_million, evals }) => {
                let moves = KeepMoves::per_million(moves_per_million).ok_or_else(|| {
                    let found = moves_per_million.to_string();
                    let mend = "all is 1000000";
                    one(Finding::new("keep_moves", found, "0 to 1000000 of a million", mend))
                })?;
                Keep { moves, evals }
            }
        },
        players: spec.players.map(players).transpose().map_err(one)?,
        job,
    };
    spec.check()?;
    Ok(spec)
}

/// The ledger's JSON knows no negative zero: with one a run would not be recovered to the bit.
fn unsigned_zero(value: f64) -> f64 {
    value + 0.0
}

/// A parameter from the wire; whether it makes sense, it says itself.
///
/// # Errors
/// Its kind is not known.
pub(crate) fn parameter(i: usize, p: v1::ParameterDef) -> Result<ParameterDef, Finding> {
    let kind = match p.kind() {
        v1::ParameterKind::Int => ParameterKind::Int,
        v1::ParameterKind::Float => ParameterKind::Float,
        v1::ParameterKind::LogInt => ParameterKind::LogInt,
        v1::ParameterKind::LogFloat => ParameterKind::LogFloat,
        v1::ParameterKind::Categorical => ParameterKind::Categorical,
        v1::ParameterKind::Unspecified => {
            let place = format!("parameter[{i}].kind");
            let allowed = ParameterKind::ALL.map(|(name, _)| name).join(", ");
            return Err(Finding::new(place, "none", allowed, "say which"));
        }
    };
    let v1::ParameterDef { name, start, min, max, c_end, r_end, .. } = p;
    let [start, min, max] = [start, min, max].map(unsigned_zero);
    Ok(ParameterDef { name, kind, start, min, max, c_end, r_end })
}

fn tune_spec(tune: v1::TuneSpec) -> Result<TuneSpec, Finding> {
    Ok(TuneSpec {
        pairs: Pairs(tune.pairs),
        optimizer: optimizer(&tune)?,
        parameters: tune
            .parameters
            .into_iter()
            .enumerate()
            .map(|(i, wire)| parameter(i, wire))
            .collect::<Result<_, _>>()?,
        constraints: tune
            .constraints
            .into_iter()
            .enumerate()
            .map(|(i, constraint)| {
                Ok(LinearConstraint {
                    sum: set(&format!("constraint[{i}].sum"), constraint.sum)?,
                    at_most: unsigned_zero(constraint.at_most),
                })
            })
            .collect::<Result<_, Finding>>()?,
        fixed: set("fixed", tune.fixed)?,
        // A new run begins afresh; ForkRun knows better.
        forked_from: None,
    })
}

fn optimizer(tune: &v1::TuneSpec) -> Result<OptimizerSpec, Finding> {
    let unknown = |place: &str, found: i32, allowed: &str| {
        Err(Finding::new(place, found.to_string(), allowed, "use the same version on both sides"))
    };
    match v1::Optimizer::try_from(tune.optimizer) {
        Ok(v1::Optimizer::Unspecified | v1::Optimizer::Spsa) => {
            let v1::TuneSpec { alpha, gamma, a_ratio, .. } = *tune;
            let gains = match v1::GainRule::try_from(tune.gain_rule) {
                Ok(v1::GainRule::Unspecified | v1::GainRule::Elomill) => GainRule::Elomill,
                Ok(v1::GainRule::Fishtest) => GainRule::Fishtest,
                Ok(v1::GainRule::Openbench) => GainRule::OpenBench,
                Err(_) => {
                    return unknown("tune.gains", tune.gain_rule, "elomill, fishtest, openbench");
                }
            };
            Ok(OptimizerSpec::Spsa(SpsaSettings { alpha, gamma, a_ratio, gains }))
        }
        Ok(v1::Optimizer::Bqr) => {
            Ok(OptimizerSpec::Bqr(tune.bqr.map_or_else(BqrSettings::default, |bqr| BqrSettings {
                pair_deviation: bqr.pair_deviation,
                probe_loss: bqr.probe_loss,
                scale_limit: bqr.scale_limit,
                forget: unsigned_zero(bqr.forget),
                reach: bqr.reach,
            })))
        }
        Err(_) => unknown("tune.optimizer", tune.optimizer, "spsa, bqr"),
    }
}

fn elo_model(model: v1::EloModel) -> Result<EloModel, Finding> {
    match model {
        v1::EloModel::Normalized => Ok(EloModel::Normalized),
        v1::EloModel::Logistic => Ok(EloModel::Logistic),
        v1::EloModel::Unspecified => {
            let allowed = "normalized, logistic";
            Err(Finding::new("sprt.model", "none", allowed, "say which"))
        }
    }
}

fn run_of(id: i64) -> Option<RunId> {
    (id > 0).then_some(RunId(id))
}

fn test_spec(test: v1::TestSpec) -> Result<TestSpec, Finding> {
    let v1::TestSpec { elo0, elo1, alpha, beta, .. } = test;
    let sprt = match test.fixed_length {
        true => None,
        false => {
            let model = elo_model(test.elo_model())?;
            Some(SprtSpec { elo0, elo1, alpha, beta, model })
        }
    };
    Ok(TestSpec {
        candidate: set("candidate", test.candidate)?,
        base: set("base", test.base)?,
        candidate_run: run_of(test.candidate_run_id),
        sprt,
        max_pairs: Pairs(test.max_pairs),
        futility: unsigned_zero(test.futility),
    })
}

fn race_spec(race: v1::RaceSpec) -> Result<RaceSpec, Finding> {
    let v1::RaceSpec { elo0, elo1, alpha, beta, .. } = race;
    let model = elo_model(race.elo_model())?;
    let stop = match race.stop() {
        v1::RaceStop::First => RaceStop::First,
        v1::RaceStop::All => RaceStop::All,
        v1::RaceStop::Unspecified => {
            return Err(Finding::new("race.stop", "none", "first, all", "say which"));
        }
    };
    let candidate = |(i, candidate): (usize, v1::RaceCandidate)| {
        Ok(RaceCandidate {
            name: candidate.name,
            values: set(&format!("candidate[{i}].values"), candidate.values)?,
            run: run_of(candidate.run_id),
        })
    };
    Ok(RaceSpec {
        candidates: race
            .candidates
            .into_iter()
            .enumerate()
            .map(candidate)
            .collect::<Result<_, Finding>>()?,
        base: set("base", race.base)?,
        sprt: SprtSpec { elo0, elo1, alpha, beta, model },
        stop,
        max_pairs: Pairs(race.max_pairs),
    })
}

pub(super) fn wire_spec(spec: &RunSpec) -> v1::RunSpec {
    let job = match &spec.job {
        Job::Tune(tune) => v1::run_spec::Job::Tune(v1::TuneSpec {
            pairs: tune.pairs.0,
            parameters: tune.parameters.iter().map(wire_parameter).collect(),
            constraints: tune
                .constraints
                .iter()
                .map(|constraint| v1::LinearConstraint {
                    sum: Some(wire_set(&constraint.sum)),
                    at_most: constraint.at_most,
                })
                .collect(),
            fixed: Some(wire_set(&tune.fixed)),
            forked_from: tune
                .forked_from
                .map(|fork| v1::Fork { run_id: fork.run.0, pairs: fork.pairs.0 }),
            ..wire_optimizer(&tune.optimizer)
        }),
        Job::Test(test) => v1::run_spec::Job::Test(v1::TestSpec {
            candidate: Some(wire_set(&test.candidate)),
            base: Some(wire_set(&test.base)),
            candidate_run_id: test.candidate_run.map_or(0, |run| run.0),
            max_pairs: test.max_pairs.0,
            futility: test.futility,
            ..test.sprt.as_ref().map_or_else(
                || v1::TestSpec { fixed_length: true, ..v1::TestSpec::default() },
                |sprt| v1::TestSpec {
                    elo0: sprt.elo0,
                    elo1: sprt.elo1,
                    alpha: sprt.alpha,
                    beta: sprt.beta,
                    elo_model: wire_model(sprt.model).into(),
                    ..v1::TestSpec::default()
                },
            )
        }),
        Job::Race(race) => v1::run_spec::Job::Race(v1::RaceSpec {
            candidates: race
                .candidates
                .iter()
                .map(|candidate| v1::RaceCandidate {
                    name: candidate.name.clone(),
                    values: Some(wire_set(&candidate.values)),
                    run_id: candidate.run.map_or(0, |run| run.0),
                })
                .collect(),
            base: Some(wire_set(&race.base)),
            elo0: race.sprt.elo0,
            elo1: race.sprt.elo1,
            alpha: race.sprt.alpha,
            beta: race.sprt.beta,
            elo_model: wire_model(race.sprt.model).into(),
            stop: match race.stop {
                RaceStop::First => v1::RaceStop::First,
                RaceStop::All => v1::RaceStop::All,
            }
            .into(),
            max_pairs: race.max_pairs.0,
        }),
    };
    v1::RunSpec {
        name: spec.name.clone(),
        game: wire_game(spec.game).into(),
        seed: spec.seed,
        weight: spec.weight,
        limit: Some(wire_limit(spec.limit)),
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

fn wire_model(model: EloModel) -> v1::EloModel {
    match model {
        EloModel::Normalized => v1::EloModel::Normalized,
        EloModel::Logistic => v1::EloModel::Logistic,
    }
}

/// A tune's optimiser, the rest of the tune left empty.
fn wire_optimizer(optimizer: &OptimizerSpec) -> v1::TuneSpec {
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

pub(super) fn wire_parameter(p: &ParameterDef) -> v1::ParameterDef {
    let kind = match p.kind {
        ParameterKind::Int => v1::ParameterKind::Int,
        ParameterKind::Float => v1::ParameterKind::Float,
        ParameterKind::LogInt => v1::ParameterKind::LogInt,
        ParameterKind::LogFloat => v1::ParameterKind::LogFloat,
        ParameterKind::Categorical => v1::ParameterKind::Categorical,
    };
    v1::ParameterDef {
        name: p.name.clone(),
        kind: kind.into(),
        start: p.start,
        min: p.min,
        max: p.max,
        c_end: p.c_end,
        r_end: p.r_end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run must come back from the ledger's JSON to the bit, and that has no negative zero.
    #[test]
    fn no_negative_zero_enters_a_specification() {
        let minus = v1::ParameterValue { name: "a".to_owned(), value: -0.0 };
        let values = set("fixed", Some(v1::ParameterSet { values: vec![minus] })).unwrap();
        assert_eq!(values.get("a").map(f64::to_bits), Some(0));
        let parameter = v1::ParameterDef {
            kind: v1::ParameterKind::Float.into(),
            start: -0.0,
            min: -1.0,
            ..v1::ParameterDef::default()
        };
        let wire = v1::TuneSpec { parameters: vec![parameter], ..v1::TuneSpec::default() };
        let tune = tune_spec(wire).unwrap();
        assert_eq!(tune.parameters[0].start.to_bits(), 0);
        assert_eq!(tune.parameters[0].min.to_bits(), (-1.0_f64).to_bits());
    }
}
