//! What the pairs of a lease are played with, made ready once for all of them.
//!
//! Mostly that is the engine built in, against itself and under a number of nodes, inside this process.
//! Where the lease says who plays, programs of others take part, or clocks run: then the arena's duel
//! plays, with everything that is not this project's own in the sandbox.

use crate::settings::Externals;
use crate::shelf::{Guard, Jail, Ready, ShelfError, hash_mib, policy_of};
use arena::duel::{Duel, DuelPair, DuelPlayer, DuelRecord, DuelRules, Entrant, Mind};
use arena::{Matchup, Tablebases};
use games::xiangqi::RuleSet;
use model::evals::{MoveEval, MoveTime};
use model::lease::{GameRecord, PairRecord, WorkOrder};
use model::spec::{EngineSpec, PlayerSpec, Players};
use model::{Nodes, ParameterSet, SideLimit};
use proto::v1::ReturnReason;
use sandbox::Policy;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// How much slower or faster than the reference a machine may be for its times to be scaled fully.
const MOST_SCALE: f64 = 16.0;

/// How long a search may take that no time limits: a minute, and what its nodes take at this speed.
const PATIENCE: (Duration, u64) = (Duration::from_secs(60), 20_000);

/// Larger counts of nodes are a program's boast.
const MOST_NODES: u64 = 1 << 50;

/// Who plays the pairs of a lease.
pub(crate) enum Contest {
    /// The engine built in, in this process and without a clock.
    Inside(Matchup),
    /// Programs of others, or limits of time.
    Duel(Box<DuelPlan>),
}

/// A duel that a slot can begin.
pub(crate) struct DuelPlan {
    duel: Duel,
    /// What each program may do, the candidate's first; `None`: it is no program.
    policies: [Option<Policy>; 2],
    /// Needed where there is a program.
    guard: Option<Arc<Guard>>,
    record_evals: bool,
}

/// A lease that this worker does not play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) reason: ReturnReason,
    pub(crate) detail: String,
}

impl Refused {
    pub(crate) fn unplayable(detail: impl ToString) -> Self {
        Self { reason: ReturnReason::Unplayable, detail: detail.to_string() }
    }
}

impl Contest {
    /// The engine built in against itself.
    pub(crate) fn inside(order: &WorkOrder) -> Result<Self, Refused> {
        let matchup = Matchup::new(order.game, order.limit, &order.candidate, &order.base)
            .map_err(Refused::unplayable)?;
        let matchup = matchup.recording_evals(order.record_evals);
        Ok(Contest::Inside(if order.record_evals { matchup.timed_by(clock) } else { matchup }))
    }

    /// What the lease says, with the programs and the tables that it needs; this machine's benchmark of
    /// the engine built in visits `speed` nodes a second.
    pub(crate) fn duel(
        order: &WorkOrder,
        players: &Players,
        programs: [Option<Arc<Ready>>; 2],
        guard: Option<&Arc<Guard>>,
        speed: Nodes,
        tablebases: Option<&Arc<Tablebases>>,
    ) -> Result<Self, Refused> {
        let scale = match players.reference_speed {
            Some(reference) if speed.0 > 0 => {
                (reference.0 as f64 / speed.0 as f64).clamp(1.0 / MOST_SCALE, MOST_SCALE)
            }
            _ => 1.0,
        };
        let hash_mib = u64::from(order.limit.hash_kib / 1024).max(1);
        let [candidate, base] = players.sides();
        let [first, second] = &programs;
        let entrant = |name: &str, side: &PlayerSpec, ready: &Option<Arc<Ready>>, set| {
            let mind = match ready {
                None => {
                    engine::check_set(order.game, set)
                        .map_err(|error| Refused::unplayable(format!("{name}: {error}")))?;
                    let hash_mb = usize::try_from(hash_mib).unwrap_or(usize::MAX);
                    Mind::Builtin { parameters: ParameterSet::clone(set), hash_mb }
                }
                Some(ready) => {
                    let mut program = ready.program();
                    program.hash_mib = Some(hash_mib);
                    program.parameters =
                        set.0.iter().map(|(name, value)| (name.clone(), *value)).collect();
                    program.patience = patience(&side.limit);
                    Mind::Program(program)
                }
            };
            Ok(Entrant { name: name.to_owned(), mind, limit: side.limit.scaled(scale) })
        };
        let entrants = [
            entrant("candidate", candidate, first, &order.candidate)?,
            entrant("base", base, second, &order.base)?,
        ];
        let rules = DuelRules {
            max_plies: Some(order.limit.max_plies.0),
            adjudication: order.limit.adjudication,
        };
        let duel = Duel {
            game: order.game,
            entrants,
            rules,
            rule_set: RuleSet::default(),
            tablebases: asked_of(order, tablebases)?,
            pgn_tags: None,
        };
        let policies = programs.each_ref().map(|ready| ready.as_ref().map(|r| policy_of(&r.file)));
        let guard = guard.cloned();
        let plan = DuelPlan { duel, policies, guard, record_evals: order.record_evals };
        Ok(Contest::Duel(Box::new(plan)))
    }
}

/// Whether this worker plays what the lease says, by its own rules.
pub(crate) fn check(
    players: &Players,
    externals: &Externals,
    hash_kib: u32,
) -> Result<(), Refused> {
    let refuse = |detail: String| Err(Refused { reason: ReturnReason::EngineRefused, detail });
    for engine in players.externals() {
        let file = engine.file().map_err(Refused::unplayable)?;
        if !externals.allowed {
            return refuse("this worker plays the engine built in alone".to_owned());
        }
        let memory = file.memory_mib + u64::from(hash_kib / 1024);
        if memory > externals.memory_mib {
            let most = externals.memory_mib;
            return refuse(format!("`{}` wants {memory} MiB; allowed: {most}", file.name));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if file.threads as usize > cores {
            return refuse(format!(
                "`{}` wants {} threads; allowed: {cores}",
                file.name, file.threads
            ));
        }
    }
    Ok(())
}

/// The tables that decide games of a lease.
fn asked_of(
    order: &WorkOrder,
    tablebases: Option<&Arc<Tablebases>>,
) -> Result<Option<Arc<Tablebases>>, Refused> {
    let Some(men) = order.limit.adjudication.tablebases else { return Ok(None) };
    match tablebases.filter(|tables| tables.complete_men() >= men) {
        Some(tables) => Ok(Some(Arc::new(tables.up_to(men)))),
        None => Err(Refused::unplayable(format!("there are not all tables of {men} men here"))),
    }
}

/// Both sides of a lease that says nothing of its players.
pub(crate) fn builtin_players(nodes: Nodes) -> Players {
    let limit = SideLimit { nodes: Some(nodes.0), ..SideLimit::default() };
    let side = PlayerSpec { engine: EngineSpec::Builtin, limit };
    Players { candidate: side.clone(), base: side, reference_speed: None }
}

fn patience(limit: &SideLimit) -> Duration {
    let (least, speed) = PATIENCE;
    least + Duration::from_secs(limit.nodes.unwrap_or(0) / speed)
}

/// The players of a slot, for one lease after another; its programs run until it is dropped.
pub(crate) struct DuelTable {
    player: DuelPlayer,
    /// What is played, with its programs as they are in their jail.
    duel: Duel,
    /// Where the programs were to be started, and what they may do.
    cells: [Option<Cell>; 2],
    record_evals: bool,
    // After the player: its programs end before their folders go.
    _jail: Option<Jail>,
}

/// How a program is shut in.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    folder: Option<PathBuf>,
    policy: Policy,
    hash_mib: u64,
}

impl DuelPlan {
    /// A duel of programs that are trusted.
    #[cfg(test)]
    pub(crate) fn without_jail(duel: Duel) -> Self {
        Self { duel, policies: [None, None], guard: None, record_evals: false }
    }

    fn cells(&self) -> [Option<Cell>; 2] {
        let cell = |place: usize| match &self.duel.entrants[place].mind {
            Mind::Builtin { .. } => None,
            Mind::Program(program) => self.policies[place].clone().map(|policy| Cell {
                folder: program.folder.clone(),
                policy,
                hash_mib: hash_mib(program),
            }),
        };
        [cell(0), cell(1)]
    }

    /// The memory that its programs may take together, in MiB.
    pub(crate) fn memory_mib(&self) -> u64 {
        self.cells().iter().flatten().map(|cell| cell.policy.memory_mib + cell.hash_mib).sum()
    }

    /// Players for the calling thread, which must live as long as they do.
    pub(crate) fn table(&self) -> Result<DuelTable, Refused> {
        let mut duel = self.duel.clone();
        let programs = duel.entrants.iter_mut().zip(&self.policies);
        let programs = programs.filter_map(|(entrant, policy)| match &mut entrant.mind {
            Mind::Program(program) => policy.as_ref().map(|policy| (program, policy)),
            Mind::Builtin { .. } => None,
        });
        let jail: Option<Result<Jail, ShelfError>> =
            self.guard.as_ref().map(|guard| guard.shut_in(programs));
        let jail = jail.transpose().map_err(|error| Refused {
            reason: ReturnReason::EngineRefused,
            detail: error.to_string(),
        })?;
        let player = DuelPlayer::new(&duel).map_err(Refused::unplayable)?;
        let (cells, record_evals) = (self.cells(), self.record_evals);
        Ok(DuelTable { player, duel, cells, record_evals, _jail: jail })
    }
}

impl DuelTable {
    /// Goes on with the duel of another lease, if its programs are the same in the same jails.
    pub(crate) fn turn_to(&mut self, plan: &DuelPlan) -> Result<bool, Refused> {
        if self.cells != plan.cells() {
            return Ok(false);
        }
        let mut duel = plan.duel.clone();
        for (entrant, jailed) in duel.entrants.iter_mut().zip(&self.duel.entrants) {
            if let (Mind::Program(program), Mind::Program(jailed)) =
                (&mut entrant.mind, &jailed.mind)
            {
                program.launcher.clone_from(&jailed.launcher);
                program.folder.clone_from(&jailed.folder);
            }
        }
        let does = self.player.retarget(&duel).map_err(Refused::unplayable)?;
        if does {
            (self.duel, self.record_evals) = (duel, plan.record_evals);
        }
        Ok(does)
    }

    /// Plays a pair; `None` when `stop` came first.
    pub(crate) fn play(
        &mut self,
        opening: &model::lease::Opening,
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<Option<PairRecord>, Refused> {
        use arena::duel::DuelError;
        match self.player.play(opening, stop) {
            Ok(pair) => Ok(pair.map(|pair| record(&pair, self.record_evals))),
            Err(DuelError::Arena(error)) => Err(Refused::unplayable(error)),
            Err(error @ DuelError::Start { .. }) => {
                Err(Refused { reason: ReturnReason::EngineUnusable, detail: error.to_string() })
            }
        }
    }
}

/// Since the first look at it.
fn clock() -> MoveTime {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    MoveTime::from(START.elapsed())
}

fn record(pair: &DuelPair, with_evals: bool) -> PairRecord {
    let game = |game: &DuelRecord| {
        if !game.note.is_empty() {
            let reason = game.termination.name();
            tracing::debug!(
                pair = pair.index.0,
                reason,
                note = game.note,
                "a game was lost by a failure"
            );
        }
        let [one, other] = game.nodes.map(|nodes| nodes.min(MOST_NODES));
        let eval = |(insight, _): &(arena::duel::Insight, Duration)| MoveEval {
            score: insight.score.unwrap_or_default(),
            depth: insight.depth.unwrap_or(0),
            nodes: Nodes(insight.nodes.unwrap_or(0).min(MOST_NODES)),
        };
        let time = |(_, took): &(arena::duel::Insight, Duration)| MoveTime::from(*took);
        GameRecord {
            score: game.score,
            termination: game.termination,
            plies: game.plies,
            nodes: Nodes(one + other),
            moves: game.moves.clone(),
            evals: if with_evals { game.thoughts.iter().map(eval).collect() } else { Vec::new() },
            times: if with_evals { game.thoughts.iter().map(time).collect() } else { Vec::new() },
        }
    };
    let [candidate_first, base_first] = &pair.games;
    PairRecord {
        index: pair.index,
        candidate_first: game(candidate_first),
        base_first: game(base_first),
    }
}
