//! The scheduler under random commands, without a clock, a database or a network: the promises that
//! the schema checks in production are assertions here, and after every story one good worker must
//! be able to finish everything.

mod cluster;
mod rows;

use cluster::{Cluster, Fault, mixed};
use coordinator::dispatch::scheduler::GiveBack;
use model::spec::{
    BqrSettings, Canaries, EloModel, GameLimit, Job, Keep, OptimizerSpec, RaceCandidate, RaceSpec,
    RaceStop, RunSpec, SprtSpec, TestSpec, TuneSpec,
};
use model::{
    GameKind, GameScore, LeaseId, Nodes, Pairs, ParameterDef, ParameterKind, ParameterSet, Ply,
    RunId, WorkerId,
};
use proptest::prelude::*;
use std::time::Duration;

#[derive(Clone, Debug)]
enum Act {
    Create { tune: bool, pairs: u64, lease_pairs: u32, weight: f64, both: bool },
    Join { machine: i64, remembers: bool },
    Leave { machine: i64 },
    Want { machine: i64, leases: u32 },
    Report { machine: i64, which: usize, more: usize, fault: Fault },
    GiveBack { machine: i64, which: usize, unplayable: bool },
    Wait { seconds: u64 },
    Pause { run: i64 },
    Resume { run: i64 },
    Stop { run: i64 },
    Extend { run: i64, more: u64 },
    Recover,
}

fn acts() -> impl Strategy<Value = Vec<(Act, bool)>> {
    let machine = 1..4_i64;
    let fault = prop_oneof![
        12 => Just(Fault::None),
        3 => Just(Fault::Again),
        1 => Just(Fault::ForeignPair),
        1 => Just(Fault::PairTwice),
        1 => Just(Fault::WrongSum),
        1 => Just(Fault::ClaimWithoutPairs),
        1 => Just(Fault::OldNumber),
        1 => Just(Fault::WrongEpoch),
        1 => Just(Fault::FromAnother),
    ];
    let weight = prop_oneof![Just(0.001), Just(1.0), Just(3.0), Just(1000.0)];
    let act = prop_oneof![
        3 => (any::<bool>(), 1..60_u64, 1..9_u32, weight, any::<bool>()).prop_map(
            |(tune, pairs, lease_pairs, weight, both)| Act::Create {
                tune, pairs, lease_pairs, weight, both
            }
        ),
        4 => (machine.clone(), prop::bool::weighted(0.7))
            .prop_map(|(machine, remembers)| Act::Join { machine, remembers }),
        2 => machine.clone().prop_map(|machine| Act::Leave { machine }),
        10 => (machine.clone(), 0..20_u32)
            .prop_map(|(machine, leases)| Act::Want { machine, leases }),
        24 => (machine.clone(), 0..8_usize, 0..9_usize, fault).prop_map(
            |(machine, which, more, fault)| Act::Report { machine, which, more, fault }
        ),
        3 => (machine, 0..8_usize, prop::bool::weighted(0.3)).prop_map(
            |(machine, which, unplayable)| Act::GiveBack { machine, which, unplayable }
        ),
        4 => prop_oneof![Just(1), Just(59), Just(61), Just(601), Just(5000)]
            .prop_map(|seconds| Act::Wait { seconds }),
        1 => (1..5_i64).prop_map(|run| Act::Pause { run }),
        2 => (1..5_i64).prop_map(|run| Act::Resume { run }),
        1 => (1..5_i64).prop_map(|run| Act::Stop { run }),
        2 => (1..5_i64, 0..20_u64).prop_map(|(run, more)| Act::Extend { run, more }),
        1 => Just(Act::Recover),
    ];
    // Whether the group is committed after the command, or goes on.
    prop::collection::vec((act, prop::bool::weighted(0.6)), 1..120)
}

fn set(value: f64) -> ParameterSet {
    let mut set = ParameterSet::default();
    set.set("a".to_owned(), value);
    set
}

const SPRT: SprtSpec =
    SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.1, beta: 0.1, model: EloModel::Normalized };

fn spec(tune: bool, pairs: u64, lease_pairs: u32, weight: f64, both: bool) -> RunSpec {
    let names = if both { &["a", "b"][..] } else { &["a"] };
    let parameters = names.iter().map(|name| ParameterDef {
        name: (*name).to_owned(),
        kind: ParameterKind::Float,
        start: 50.0,
        min: 0.0,
        max: 100.0,
        c_end: 5.0,
        r_end: 0.01,
    });
    let job = if tune {
        Job::Tune(TuneSpec {
            pairs: Pairs(pairs),
            // Either of them, as the budget has it.
            optimizer: match pairs % 2 {
                0 => OptimizerSpec::Bqr(BqrSettings::default()),
                _ => OptimizerSpec::default(),
            },
            parameters: parameters.collect(),
            constraints: Vec::new(),
            fixed: ParameterSet::default(),
            forked_from: None,
        })
    } else if pairs.is_multiple_of(4) {
        let candidate =
            |value| RaceCandidate { name: format!("with {value}"), values: set(value), run: None };
        Job::Race(RaceSpec {
            candidates: (0..2 + pairs % 3).map(|n| candidate(60.0 + n as f64)).collect(),
            base: set(50.0),
            sprt: SPRT,
            stop: if pairs.is_multiple_of(8) { RaceStop::All } else { RaceStop::First },
            max_pairs: Pairs(pairs),
        })
    } else {
        Job::Test(TestSpec {
            candidate: set(60.0),
            base: set(50.0),
            candidate_run: None,
            // Or a match of fixed length.
            sprt: (pairs % 5 != 1).then_some(SPRT),
            max_pairs: Pairs(pairs),
            futility: if pairs.is_multiple_of(3) && pairs % 5 != 1 { 0.05 } else { 0.0 },
        })
    };
    RunSpec {
        name: "a run".to_owned(),
        game: GameKind::TicTacToe,
        seed: 7,
        weight,
        limit: GameLimit::new(Nodes(50), Ply(20), 64),
        book: "0".repeat(64),
        book_order: model::spec::BookOrder::Random,
        lease_pairs,
        lease_seconds: 60,
        keep: Keep::default(),
        canaries: Canaries::default(),
        players: None,
        job,
    }
}

fn act(cluster: &mut Cluster, act: &Act) {
    match *act {
        Act::Create { tune, pairs, lease_pairs, weight, both } => {
            cluster.create(spec(tune, pairs, lease_pairs, weight, both));
        }
        Act::Join { machine, remembers } => cluster.join(WorkerId(machine), remembers),
        Act::Leave { machine } => cluster.leave(WorkerId(machine)),
        Act::Want { machine, leases } => cluster.want(WorkerId(machine), leases),
        Act::Report { machine, which, more, fault } => {
            if let Some(lease) = cluster.pick(WorkerId(machine), which) {
                cluster.report(WorkerId(machine), lease, more, fault);
            }
        }
        Act::GiveBack { machine, which, unplayable } => {
            if let Some(lease) = cluster.pick(WorkerId(machine), which) {
                let why = match unplayable {
                    true => GiveBack::Unplayable("no such parameter".to_owned()),
                    false => GiveBack::Leaving,
                };
                cluster.give_back(WorkerId(machine), lease, &why);
            }
        }
        Act::Wait { seconds } => cluster.now = cluster.now.plus(Duration::from_secs(seconds)),
        // Refused when there is no such run, or it is not in a state for it.
        Act::Pause { run } => _ = cluster.scheduler.pause(RunId(run), "a test"),
        Act::Resume { run } => cluster.resume(RunId(run)),
        Act::Stop { run } => _ = cluster.scheduler.stop(RunId(run), "a test", 0),
        Act::Extend { run, more } => {
            let scheduler = &mut cluster.scheduler;
            let asked = scheduler.run(RunId(run)).map(|run| run.spec.job.pairs_asked().0);
            // A run that is over stays as it is.
            _ = asked.map(|asked| scheduler.extend(RunId(run), Pairs(asked + more)));
        }
        Act::Recover => cluster.recover(),
    }
}

/// Stories that are tried, of some sixty events each; 17,000 make a million events.
fn stories() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(250)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: stories(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// I1, I3, I4, I5, I7, I8, I9 and I10, whatever happens in whatever order.
    #[test]
    fn every_story_keeps_the_promises_and_can_be_finished(
        acts in acts(),
        winning in any::<bool>(),
    ) {
        let mut cluster = Cluster::new(if winning { |_| GameScore::Win } else { mixed });
        for (one, commit) in &acts {
            act(&mut cluster, one);
            if *commit {
                cluster.turn();
            }
        }
        cluster.finish();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 6,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// I11: two runs that always have work share what is given by their weights, from the moment
    /// that both are there, with restarts and pauses between.
    #[test]
    fn i11_what_is_given_follows_the_weights(
        head_start in 0..100_u32,
        wants in prop::collection::vec((1..4_i64, 1..6_u32), 90..120),
        restart_at in 0..40_usize,
        pause_at in 0..40_usize,
    ) {
        let endless = |weight| spec(true, 1_000_000, 4, weight, false);
        let mut cluster = Cluster::new(mixed);
        (1..4).for_each(|machine| cluster.join(WorkerId(machine), true));
        let light = cluster.create(endless(1.0));
        for _ in 0..head_start {
            cluster.want(WorkerId(1), 1);
            cluster.turn();
            play(&mut cluster, WorkerId(1));
        }
        let heavy = cluster.create(endless(3.0));
        cluster.turn();
        let mut since = (cluster.issued.get(&light).copied().unwrap_or(0), 0);
        for (turn, (machine, leases)) in wants.iter().enumerate() {
            if turn == restart_at {
                cluster.recover();
                (1..4).for_each(|machine| cluster.join(WorkerId(machine), true));
            }
            if turn == pause_at {
                // The other has everything meanwhile, and owes nothing for it.
                cluster.scheduler.pause(heavy, "a test").expect("it is running");
                for _ in 0..50 {
                    cluster.want(WorkerId(2), 1);
                    cluster.turn();
                    play(&mut cluster, WorkerId(2));
                }
                cluster.resume(heavy);
            }
            if turn == restart_at.max(pause_at) {
                let issued = |run| cluster.issued.get(&run).copied().unwrap_or(0);
                since = (issued(light), issued(heavy));
            }
            cluster.want(WorkerId(*machine), *leases);
            cluster.turn();
            play(&mut cluster, WorkerId(*machine));
        }
        let (a, b) = (cluster.issued[&light] - since.0, cluster.issued[&heavy] - since.1);
        let share = b as f64 / (a + b) as f64;
        prop_assert!((share - 0.75).abs() < 0.075, "{b} of {}", a + b);
    }
}

fn play(cluster: &mut Cluster, machine: WorkerId) {
    let held: Vec<LeaseId> = cluster.machines[&machine].held.keys().copied().collect();
    for lease in held {
        cluster.report(machine, lease, 4, Fault::None);
        cluster.machines.get_mut(&machine).expect("joined").held.remove(&lease);
    }
}

/// Pairs that take longer than any lease may stand still are given for longer each time, so that
/// they end.
#[test]
fn i10_pairs_slower_than_the_limit_end_all_the_same() {
    let mut cluster = Cluster::new(mixed);
    cluster.create(spec(true, 1, 1, 1.0, false));
    let slow = Duration::from_secs(5 * 600);
    let (one, two) = (WorkerId(1), WorkerId(2));
    let mut began = std::collections::BTreeMap::new();
    for _ in 0..2000 {
        for machine in [one, two] {
            if !cluster.machines.contains_key(&machine) {
                cluster.join(machine, true);
            }
            cluster.want(machine, 1);
            let Some(lease) = cluster.pick(machine, 0) else { continue };
            if cluster.now >= began.entry(lease).or_insert(cluster.now).plus(slow) {
                cluster.report(machine, lease, 1, Fault::None);
            }
        }
        cluster.turn();
        cluster.now = cluster.now.plus(Duration::from_secs(30));
        if cluster.scheduler.runs().next().is_none() {
            return;
        }
    }
    panic!("the pair never ends");
}
